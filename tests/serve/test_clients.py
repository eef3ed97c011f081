"""The official clients of OpenAI and Anthropic, on the proxy, before an upstream of the test."""

import asyncio
import json
import threading
import time

import pytest

pytest.importorskip("openai", reason="needs the extra 'clients'")
pytest.importorskip("anthropic", reason="needs the extra 'clients'")
pytest.importorskip("fastapi", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

import anthropic
import openai
import test_proxy
import uvicorn
from ports import free_port
from test_proxy import (  # noqa: F401  fixtures among them
    PROMPT,
    SYSTEM,
    assert_hidden,
    make_proxy,
    pipelines,
    upstream,
)

TURNS = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": PROMPT}]
SCHEMA = {"type": "object", "properties": {"whom": {"type": "array"}, "n": {"type": "integer"}}}


@pytest.fixture
def url(make_proxy, upstream):  # noqa: F811
    """The address of a proxy that a server of this process answers for."""
    upstream.size = 2
    port = free_port()
    config = uvicorn.Config(make_proxy(tools=("find",)), port=port, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def gpt(url):
    with openai.OpenAI(base_url=f"{url}/v1", api_key="sk-none", max_retries=0) as client:
        yield client


@pytest.fixture
def claude(url):
    with anthropic.Anthropic(base_url=url, api_key="sk-none", max_retries=0) as client:
        yield client


def test_a_chat(gpt, upstream):  # noqa: F811
    whole = gpt.chat.completions.create(model="echo", messages=TURNS)
    assert whole.choices[0].message.content == PROMPT
    parts = gpt.chat.completions.create(model="echo", messages=TURNS, stream=True)
    texts = [choice.delta.content or "" for part in parts for choice in part.choices]
    assert "".join(texts) == PROMPT and len(texts) > 20
    assert_hidden(upstream)


def test_a_chat_that_calls_a_function(gpt, upstream):  # noqa: F811
    tool = {"type": "function", "function": {"name": "find", "parameters": SCHEMA}}
    settings = {"model": "call", "messages": TURNS, "tools": [tool]}
    whole = gpt.chat.completions.create(**settings).choices[0].message.tool_calls[0].function
    parts = gpt.chat.completions.create(**settings, stream=True)
    calls = [c for p in parts for choice in p.choices for c in choice.delta.tool_calls or ()]
    for given in (whole.arguments, "".join(call.function.arguments or "" for call in calls)):
        assert json.loads(given) == {"whom": [PROMPT], "n": 3}
    assert_hidden(upstream)


def test_responses(gpt, upstream):  # noqa: F811
    settings = {"model": "echo", "instructions": SYSTEM, "input": PROMPT}
    assert gpt.responses.create(**settings).output_text == PROMPT
    events = list(gpt.responses.create(**settings, stream=True))
    deltas = [e.delta for e in events if e.type == "response.output_text.delta"]
    assert "".join(deltas) == PROMPT and events[-1].type == "response.completed"
    assert events[-1].response.output_text == PROMPT
    called = gpt.responses.create(**settings | {"model": "call"}).output[0]
    assert json.loads(called.arguments) == {"whom": [PROMPT], "n": 3}
    assert_hidden(upstream)


def test_messages(claude, upstream):  # noqa: F811
    user = {"role": "user", "content": PROMPT}
    settings = {"model": "echo", "max_tokens": 64000, "system": SYSTEM}
    settings |= {"messages": [user]}
    with claude.messages.stream(**settings) as stream:
        assert "".join(stream.text_stream) == PROMPT
        assert stream.get_final_message().content[0].text == PROMPT
    settings |= {"max_tokens": 1000}
    assert claude.messages.create(**settings).content[0].text == PROMPT
    assert_hidden(upstream)


def test_messages_that_use_a_tool(claude, upstream):  # noqa: F811
    user = {"role": "user", "content": PROMPT}
    tool = {"name": "find", "description": "Finds Priya Whitcombe", "input_schema": SCHEMA}
    settings = {"model": "call", "max_tokens": 1000, "messages": [user], "tools": [tool]}
    with claude.messages.stream(**settings) as stream:
        (streamed,) = stream.get_final_message().content
    (whole,) = claude.messages.create(**settings).content
    for call in (streamed, whole):
        assert (call.name, call.input) == ("find", {"whom": [PROMPT], "n": 3})
    result = {"type": "tool_result", "tool_use_id": whole.id, "content": "Priya Whitcombe is ill."}
    assistant = {
        "role": "assistant",
        "content": [whole.model_dump(include={"type", "id", "name", "input"})],
    }
    turns = [user, assistant, {"role": "user", "content": [result]}]
    answer = claude.messages.create(**settings | {"model": "echo", "messages": turns})
    assert answer.content[0].text == "Priya Whitcombe is ill."
    assert_hidden(upstream)


def test_a_stream_that_breaks_off_raises(gpt, claude, upstream):  # noqa: F811
    user, upstream.cut = {"role": "user", "content": PROMPT}, 900
    with pytest.raises(openai.APIError, match="broke off"):
        list(gpt.chat.completions.create(model="echo", messages=TURNS, stream=True))
    with pytest.raises(anthropic.APIError, match="broke off"):
        list(claude.messages.create(model="echo", max_tokens=9, messages=[user], stream=True))


@pytest.mark.filterwarnings("ignore")  # pydantic-ai has warnings of its own
def test_an_agent_with_a_tool(url, upstream, monkeypatch):  # noqa: F811
    pytest.importorskip("pydantic_ai", reason="needs the extra 'clients'")
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    answer_with, called = test_proxy.Upstream.chat, []

    def chat(handler, body, text):
        model = "echo" if body["messages"][-1]["role"] == "tool" else "call"
        return answer_with(handler, body | {"model": model}, text)

    def find(whom: list[str], n: int) -> str:
        """Find Priya Whitcombe."""
        called.append((whom, n))
        return "Priya Whitcombe lives in Leeds."

    async def run():
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="sk-none") as client:
            model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))
            agent = Agent(model, instructions=SYSTEM)
            agent.tool_plain(find)
            return (await agent.run(PROMPT)).output

    monkeypatch.setattr(test_proxy.Upstream, "chat", chat)
    assert asyncio.run(run()) == "Priya Whitcombe lives in Leeds."
    assert called == [([PROMPT], 3)]
    assert_hidden(upstream)


@pytest.mark.filterwarnings("ignore")  # the SDK has warnings of its own
def test_an_agent_of_openais_sdk_with_a_tool(url, upstream, monkeypatch):  # noqa: F811
    agents = pytest.importorskip("agents", reason="needs the package openai-agents")
    call, called = test_proxy.Upstream.call, []

    def text_of(body):
        last = body["input"][-1]
        return last.get("output") or last["content"]

    def response(handler, body, text):
        said = {"type": "output_text", "text": text, "annotations": []}
        item = {"type": "message", "id": "m", "role": "assistant", "content": [said]}
        if body["input"][-1].get("type") != "function_call_output":
            item = {"type": "function_call", "id": "f", "call_id": "call_1", **call(handler, text)}
        return {"id": "r", "object": "response", "output": [item]}

    @agents.function_tool
    def find(whom: list[str], n: int) -> str:
        """Find Priya Whitcombe."""
        called.append((whom, n))
        return "Priya Whitcombe lives in Leeds."

    async def run():
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="sk-none") as client:
            agents.set_default_openai_client(client, use_for_tracing=False)
            agents.set_tracing_disabled(True)
            agent = agents.Agent("helper", instructions=SYSTEM, tools=[find])
            return (await agents.Runner.run(agent, PROMPT)).final_output

    monkeypatch.setattr(test_proxy, "text_of", text_of)
    monkeypatch.setattr(test_proxy.Upstream, "response", response)
    assert asyncio.run(run()) == "Priya Whitcombe lives in Leeds."
    assert called == [([PROMPT], 3)]
    assert_hidden(upstream)
