"""examples/litellm_guardrail.py, with LiteLLM's own classes."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from conftest import module_of

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it asks the web otherwise
litellm = pytest.importorskip("litellm", reason="needs the package litellm")
fastapi = pytest.importorskip("fastapi", reason="needs the extra 'serve'")

EXAMPLE = Path(__file__).parents[2] / "examples" / "litellm_guardrail.py"
pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # LiteLLM has warnings of its own
    pytest.mark.skipif(not EXAMPLE.exists(), reason="the examples are not beside the tests"),
]
PROMPT = "Hi, I'm Priya Whitcombe from Leeds. Call (415) 867-5309."
NAMES = ("Priya", "Whitcombe", "Leeds", "867-5309")


@pytest.fixture(scope="module")
def make_guardrail():
    module = module_of(EXAMPLE)
    return lambda **settings: module.Surrogates(guardrail_name="surrogates", **settings)


def sent_by(guardrail, prompt=PROMPT, **more):
    """What goes to the model."""
    messages = [{"role": "user", "content": prompt}]
    data = {"model": "gpt-4o", "messages": messages, "litellm_call_id": "1", **more}
    sent = asyncio.run(guardrail.async_pre_call_hook(None, None, data, "acompletion"))
    assert not [name for name in NAMES if name in json.dumps(sent["messages"])]
    assert data["messages"] == messages and sent["model"] == "gpt-4o"
    return sent


def answer_of(guardrail, sent, text, **more):
    mocked = {"model": "gpt-4o", "messages": sent["messages"], "mock_response": text, **more}

    async def run():
        answer = await litellm.acompletion(**mocked)
        return await guardrail.async_post_call_success_hook(sent, None, answer)

    return asyncio.run(run())


def pieces_of(guardrail, sent, text):
    """Of the answer, streamed."""
    mocked = {"model": "gpt-4o", "messages": sent["messages"], "mock_response": text}

    async def run():
        stream = await litellm.acompletion(**mocked, stream=True)
        hook = guardrail.async_post_call_streaming_iterator_hook
        return [piece async for piece in hook(None, stream, sent)]

    return asyncio.run(run())


def test_an_answer_comes_back_with_originals(make_guardrail):
    guardrail = make_guardrail()
    sent = sent_by(guardrail)
    answer = answer_of(guardrail, sent, sent["messages"][0]["content"])
    assert isinstance(answer, litellm.ModelResponse)
    assert answer.choices[0].message.content == PROMPT and answer.usage.total_tokens > 0


def test_a_streamed_answer_comes_back_with_originals(make_guardrail):
    guardrail = make_guardrail()
    sent = sent_by(guardrail)
    text = sent["messages"][0]["content"]
    name = text.split()[3]
    pieces = pieces_of(guardrail, sent, f"{text} See https://a.example/{name}")
    texts = [piece.choices[0].delta.content or "" for piece in pieces]
    assert "".join(texts) == f"{PROMPT} See https://a.example/{name}" and len(texts) > 5
    assert pieces[-1].choices[0].finish_reason == "stop"


@pytest.mark.parametrize("streamed", [False, True])
def test_what_came_back_and_what_did_not_is_counted(make_guardrail, caplog, streamed):
    guardrail = make_guardrail()
    sent = sent_by(guardrail)
    text = sent["messages"][0]["content"]
    text = f"{text} See https://a.example/{text.split()[3]}"
    with caplog.at_level("INFO", logger="litellm_guardrail"):
        got = pieces_of(guardrail, sent, text) if streamed else answer_of(guardrail, sent, text)
    (line,) = (r.getMessage() for r in caplog.records if r.name == "litellm_guardrail")
    assert "restored" in line and "kept=1" in line, line
    assert not [name for name in (*NAMES, *text.split()[3:5]) if name in line]
    if not streamed:
        assert got._hidden_params["additional_headers"]["dx-surrogates"] in line
        assert "model_id" in got._hidden_params or len(got._hidden_params) > 1


def test_a_tool_gets_originals_where_it_is_named(make_guardrail):
    for tools, right in ((("find",), True), ((), False)):
        guardrail = make_guardrail(tools=tools)
        sent = sent_by(guardrail)
        function = {
            "name": "find",
            "arguments": json.dumps({"text": sent["messages"][0]["content"]}),
        }
        call = {"id": "call_1", "type": "function", "function": function}
        answer = answer_of(guardrail, sent, "Well.", mock_tool_calls=[call])
        (called,) = answer.choices[0].message.tool_calls
        assert (json.loads(called.function.arguments) == {"text": PROMPT}) is right
        assert ("Whitcombe" in called.function.arguments) is right


def test_requests_at_once_do_not_mix(make_guardrail):
    guardrail = make_guardrail()
    names = ["Priya Whitcombe", "Wei Okafor", "Ulla Okonkwo"]
    prompts = [f"{i}: I am {names[i % 3]}." for i in range(12)]
    requests = [sent_by(guardrail, prompt) for prompt in prompts]
    for prompt, sent in reversed(list(zip(prompts, requests, strict=True))):
        text = sent["messages"][0]["content"]
        assert answer_of(guardrail, sent, text).choices[0].message.content == prompt


def test_what_cannot_be_sanitised_fails(make_guardrail):
    image = {"type": "image_url", "image_url": {"url": "https://a.example/Whitcombe.png"}}
    guardrail = make_guardrail(policy={"phone": "block"})
    pictured = {"messages": [{"role": "user", "content": [image]}]}
    for more, expected in ((pictured, "400: .*type"), ({}, "422: .*PHONE")):
        with pytest.raises(fastapi.HTTPException, match=expected) as caught:
            sent_by(guardrail, **more)
        assert "Whitcombe" not in str(caught.value)


CLOSED = {
    "extra_body": {"note": "Whitcombe"}, "extra_headers": {"x-user": "Whitcombe"},
    "web_search_options": {"user_location": {"approximate": {"city": "Leeds"}}},
    "function_call": {"name": "ask_whitcombe"}, "functions": [{"name": "ask_whitcombe"}],
    "suffix": "Whitcombe", "logit_bias": {"867530": 5}, "model": "whitcombe-of-leeds",
    "prediction": {"type": "content", "content": "Whitcombe"}, "headers": {"x": "Whitcombe"},
    "litellm_system_prompt": "Whitcombe", "fallbacks": [{"model": "gpt-4o", "messages": []}],
    "prompt_variables": {"name": "Whitcombe"}, "provider_specific_header": {"x": "Whitcombe"},
    "thinking": {"type": "enabled", "note": "Whitcombe"}, "what_is_new": "Whitcombe",
    "audio": {"voice": "Whitcombe"}, "seed": 4158675309, "service_tier": "Whitcombe",
    "api_base": "https://whitcombe.example", "assistant_continue_message": {"content": "Whitcombe"},
}  # fmt: skip


@pytest.mark.parametrize("field", CLOSED)
def test_a_field_that_is_not_known_is_refused(make_guardrail, field):
    with pytest.raises(fastapi.HTTPException, match="400: ") as caught:
        sent_by(make_guardrail(), **{field: CLOSED[field]})
    assert field in str(caught.value) or field == "thinking"
    assert not [name for name in (*NAMES, "whitcombe") if name in str(caught.value)]


def test_a_text_beside_the_messages_is_replaced_and_a_model_may_be_named(make_guardrail):
    sent = sent_by(make_guardrail(), instructions="Ask Whitcombe.", stop=["Whitcombe"])
    assert not [name for name in NAMES if name in json.dumps(sent)]
    messages = [{"role": "user", "content": "Hello."}]
    data = {"model": "zebulon", "messages": messages, "litellm_call_id": "1"}
    guardrail = make_guardrail(models=("zebulon",))
    assert asyncio.run(guardrail.async_pre_call_hook(None, None, data, "acompletion"))


def test_identifiers_of_users_are_dropped(make_guardrail):
    users = {"user": "Whitcombe", "safety_identifier": "Priya", "prompt_cache_key": "Leeds",
             "metadata": {"user_id": "Whitcombe", "trace_id": "1"}}  # fmt: skip
    sent = sent_by(make_guardrail(), **users)
    assert not [name for name in NAMES if name in json.dumps(sent)]
    assert sent["metadata"]["trace_id"] == "1"
