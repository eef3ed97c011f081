"""The proxy: an upstream reads surrogates alone, and its answers come back with the originals."""

import asyncio
import gc
import json
import logging
import pickle
import random
import re
import subprocess
import sys
import threading
import urllib.request
from contextlib import ExitStack
from datetime import date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise, product

import psutil
import pytest

pytest.importorskip("fastapi", reason="needs the extra 'serve'")
pytest.importorskip("httpx", reason="needs the extra 'serve'")

from asgi import app_of, ask, asked
from ports import free_port, wait_for
from starlette.datastructures import URL
from starlette.requests import HTTPConnection
from typer.testing import CliRunner

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.config.options import PROMPT_ENTITIES, ServiceOptions
from spacy_dxprivacy.io.build import get_sanitizer, make_pipeline
from spacy_dxprivacy.io.results import results
from spacy_dxprivacy.prompts.answers import AnswerRestorer
from spacy_dxprivacy.prompts.conversation import Conversations, Prompter, Sent
from spacy_dxprivacy.prompts.requests import NOTE, Prompt
from spacy_dxprivacy.prompts.restoring import Restorer
from spacy_dxprivacy.serve import proxy as proxy_module
from spacy_dxprivacy.surrogates import codes

# None of them is part of a surrogate.
NAMES = "Okonkwo Priya Whitcombe Leeds 867-5309 stmary Mercy Zorblatt Okafor".split()
SYSTEM = "You help Dr. Okonkwo of Mercy General Hospital.\n\nToday is March 5, 2023."
PROMPT = (
    "  Hi, I'm Priya Whitcombe from Leeds. Call (415) 867-5309 or priya@stmary.org.\n"
    "Born on March 9, in May I saw Dr. Wei Okafor; Ms. Whitcombe's son at Christmas and Easter.\n"
)
CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
PATHS = (CHAT, RESPONSES, MESSAGES)


def text_of(body):
    """All that a request says, as an echo answers it."""
    said = body.get("messages", body.get("input"))
    content = said if isinstance(said, str) else said[-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or part.get("content") or "" for part in content)


def pieces(text, seed=0, size=None):
    choice, fixed = random.Random(seed), size
    while text:
        size = fixed or choice.randint(1, 7)
        yield text[:size]
        text = text[size:]


class Upstream(BaseHTTPRequestHandler):
    """Echoes the last message; models: say-X answers X, call calls a function with it."""

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"]))
        self.server.seen.append((self.path, dict(self.headers), raw))
        body = json.loads(raw)
        status, text = self.server.status, self.server.change(text_of(body))
        if status != 200:
            error = {"error": {"code": self.server.code, "message": text}}
            return self.reply(json.dumps(error), "application/json", status)
        api = {
            "completions": "chat", "responses": "response", "messages": "message",
            "count_tokens": "count",
        }  # fmt: skip
        api = api[self.path.partition("?")[0].rpartition("/")[2]]
        if not body.get("stream"):
            return self.reply(json.dumps(getattr(self, api)(body, text)), "application/json")
        events = getattr(self, f"{api}_events")(body, text)
        lines = [
            f"{'event: ' + e['type'] if api == 'message' else ': event'}\n"
            f"data: {json.dumps(e, ensure_ascii=False)}\n\n"
            for e in events
        ]
        end = ["data: [DONE]\n\n"] if api == "chat" else []
        whole = "".join([": wait\n\n", *lines, *end])
        self.reply(whole[: self.server.cut], "text/event-stream")

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers), b"{}"))
        self.reply(json.dumps(self.server.models), "application/json", self.server.status)

    def reply(self, text, kind, status=200):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("retry-after", "7")
        self.end_headers()
        raw = text.encode()
        for i in range(0, len(raw), 50):
            self.wfile.write(raw[i : i + 50])

    def call(self, text):
        return {"name": "find", "arguments": json.dumps({"whom": [text], "n": 3})}

    def chat(self, body, text):
        message = {"role": "assistant", "content": text}
        if body["model"] == "call":
            call = {"id": self.server.call_id, "type": "function", "function": self.call(text)}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        head = {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"]}
        return {**head, "choices": [choice]}

    def chat_events(self, body, text):
        def event(delta, reason=None):
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}

        yield event({"role": "assistant", "content": ""})
        if body["model"] == "call":
            call = self.call(text)
            first = {"index": 0, "id": self.server.call_id, "type": "function"}
            first["function"] = {"name": "find", "arguments": ""}
            yield event({"tool_calls": [first]})
            for part in pieces(call["arguments"], size=self.server.size):
                yield event({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})
        else:
            yield from (event({"content": part}) for part in pieces(text, size=self.server.size))
        yield event({}, "stop")
        yield {"id": "c", "choices": [], "usage": {"total_tokens": 3}}

    def response(self, body, text):
        if body["model"] == "call":
            return {"id": "r", "output": [{"type": "function_call", "id": "f", **self.call(text)}]}
        part = {"type": "output_text", "text": text, "annotations": []}
        return {"id": "r", "output": [{"type": "message", "id": "m", "content": [part]}]}

    def response_events(self, body, text):
        if body["model"] == "call":
            item, kind = self.call(text), "response.function_call_arguments"
            head = {"type": "function_call", "id": "f", "name": item["name"], "arguments": ""}
            yield {"type": "response.output_item.added", "output_index": 0, "item": head}
            place = {"item_id": "f", "output_index": 0}
            for part in pieces(item["arguments"], size=self.server.size):
                yield {"type": f"{kind}.delta", "delta": part, **place}
            yield {"type": f"{kind}.done", "arguments": item["arguments"], **place}
            yield {"type": "response.completed", "response": self.response(body, text)}
            return
        place = {"item_id": "m", "output_index": 0, "content_index": 0}
        kind = "response.output_text"
        yield {"type": "response.created", "sequence_number": 0, "response": {"id": "r"}}
        for i, part in enumerate(pieces(text, size=self.server.size), 1):
            yield {"type": f"{kind}.delta", "sequence_number": i, "delta": part, **place}
        yield {"type": f"{kind}.done", "sequence_number": 998, "text": text, **place}
        whole = self.response(body, text)
        yield {"type": "response.completed", "sequence_number": 999, "response": whole}

    def count(self, body, text):
        return {"input_tokens": len(text)}

    def message(self, body, text):
        blocks = [{"type": "text", "text": text}]
        if body["model"] == "call":
            call = {"name": "find", "input": {"whom": [text], "n": 3}}
            blocks = [{"type": "tool_use", "id": "toolu_1", **call}]
        if body.get("thinking"):
            blocks.insert(0, {"type": "thinking", "thinking": text, "signature": "sig/Na+1="})
        usage = {"input_tokens": 1, "output_tokens": 2}
        return {"id": "m", "type": "message", "role": "assistant", "model": "m", "usage": usage,
                "content": blocks, "stop_reason": "end_turn", "stop_sequence": None}  # fmt: skip

    def message_events(self, body, text):
        whole = self.message(body, text)
        yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
        yield {"type": "ping"}
        for i, block in enumerate(whole["content"]):
            fields = {"text": "text", "thinking": "thinking", "tool_use": "partial_json"}
            field = fields[block["type"]]
            kind = "input_json" if block["type"] == "tool_use" else field
            value = json.dumps(block["input"]) if kind == "input_json" else block[field]
            empty = {"input": {}} if kind == "input_json" else {field: ""}
            empty |= {"signature": ""} if field == "thinking" else {}
            yield {"type": "content_block_start", "index": i, "content_block": {**block, **empty}}

            def delta(more, i=i):
                return {"type": "content_block_delta", "index": i, "delta": more}

            for part in pieces(value, size=self.server.size):
                yield delta({"type": f"{kind}_delta", field: part})
            if field == "thinking":
                yield delta({"type": "signature_delta", "signature": block["signature"]})
            yield {"type": "content_block_stop", "index": i}
        end = {"stop_reason": "end_turn", "stop_sequence": None}
        yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 2}}
        yield {"type": "message_stop"}

    def log_message(self, *args):
        pass


@pytest.fixture
def upstream():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    server.seen, server.status, server.change = [], 200, lambda text: text
    server.code = "model_not_found"  # of an error
    server.size, server.cut = None, None  # of a piece; of a stream that breaks off
    server.call_id = "call_1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def pipelines():
    return [make_pipeline(entities=PROMPT_ENTITIES) for _ in range(2)]


@pytest.fixture
def make_proxy(pipelines, upstream, monkeypatch):
    monkeypatch.delenv("DX_UPSTREAM_KEY", raising=False)
    with ExitStack() as stack:

        def make(tokens=None, **limits):
            url = f"http://127.0.0.1:{upstream.server_port}"
            limits = ServiceOptions(**{"upstream": url, **limits})
            return app_of(stack, pipelines, limits, tokens=tokens)

        yield make


@pytest.fixture
def proxy(make_proxy):
    return make_proxy()


def chat(prompt=PROMPT, **more):
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
    return {"model": "echo", "messages": messages, **more}


def turns_of(*texts):
    return {"model": "echo", "messages": [{"role": "user", "content": text} for text in texts]}


def content(answer):
    assert "choices" in answer.json, answer.body
    return answer.json["choices"][0]["message"]["content"]


def events_of(answer):
    assert answer.status == 200, answer.body
    lines = answer.body.decode().split("\n")
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


def deltas(answer):
    return [c["delta"] for event in events_of(answer) for c in event["choices"]]


def assert_hidden(upstream):
    for _, headers, raw in upstream.seen:
        for form in (raw.decode(), json.dumps(json.loads(raw)), json.dumps(headers)):
            assert not [name for name in NAMES if name.lower() in form.lower()], form


# -- whole answers ---------------------------------------------------------------------------------


def test_one_person_has_one_surrogate_in_all_messages(proxy, upstream):
    history = [
        {"role": "developer", "content": [{"type": "text", "text": "Ms. Zorblatt asks."}]},
        {"role": "assistant", "content": None, "refusal": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {
                "name": "find", "arguments": '{"patient": "Ulla Zorblatt", "n": 3}'}}]},
        {"role": "tool", "tool_call_id": "call_1",
         "content": json.dumps({"name": "Zorblatt", "phone": 4158675309})},
        {"role": "user", "content": "Zorblatt?"},
    ]  # fmt: skip
    answer = ask(proxy, CHAT, {"model": "m", "messages": history})
    assert content(answer) == "Zorblatt?"
    sent = json.loads(upstream.seen[-1][2])["messages"]
    name = sent[3]["content"].rstrip("?")
    arguments = json.loads(sent[1]["tool_calls"][0]["function"]["arguments"])
    result = json.loads(sent[2]["content"])
    assert sent[0]["content"][0]["text"] == f"Ms. {name} asks."
    assert arguments["patient"].split()[1] == name and arguments["n"] == 3
    assert result["name"] == name and result["phone"] != 4158675309
    assert_hidden(upstream)


def test_arguments_of_functions_are_json_whatever_an_original_holds(make_proxy, upstream):
    proxy = make_proxy(tools=("find",))
    for stream in (False, True):
        answer = ask(proxy, CHAT, chat('I am Priya "Mo" Whitcombe.', model="call", stream=stream))
        if stream:
            calls = [call for delta in deltas(answer) for call in delta.get("tool_calls", ())]
            arguments = "".join(call["function"]["arguments"] for call in calls)
        else:
            calls = answer.json["choices"][0]["message"]["tool_calls"]
            arguments = calls[0]["function"]["arguments"]
        assert json.loads(arguments) == {"whom": ['I am Priya "Mo" Whitcombe.'], "n": 3}
    rows = {"ilene ebert": ('Priya "Mo" Whitcombe', [], False)}
    escaped = Restorer(rows, escaped=True).restore('{"who": "Ilene Ebert"}')
    assert json.loads(escaped) == {"who": 'Priya "Mo" Whitcombe'}


def test_tools_and_formats_pass_with_their_texts_replaced(proxy, upstream):
    city = {"type": "string", "description": "Such as Leeds", "enum": ["Leeds"]}
    schema = {"type": "object", "required": ["city"], "properties": {"city": city}}
    function = {"name": "weather", "description": "For Priya Whitcombe", "parameters": schema}
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    settings = {"temperature": 0.2, "max_tokens": 5, "stop": ["\n\nHuman:"]}
    settings["tool_choice"] = {"type": "function", "function": {"name": "weather"}}
    tools = [{"type": "function", "function": function}]
    body = chat(tools=tools, response_format=form, stream_options=None, **settings)
    assert content(ask(proxy, CHAT, body)) == PROMPT
    sent = json.loads(upstream.seen[-1][2])
    assert {name: sent[name] for name in settings} == settings
    told = sent["tools"][0]["function"]
    assert told["name"] == "weather" and told["parameters"]["required"] == ["city"]
    assert_hidden(upstream)


# -- what a model makes of a name ------------------------------------------------------------------


def test_a_date_is_restored_in_the_form_that_an_answer_gives_it(proxy, upstream):
    def other(sent):
        day = date.fromisoformat(sent[-11:-1])
        return f"{day:%B} {day.day}, {day.year}; {day.day} {day:%B} {day.year}; {day:%B} {day.day}."

    upstream.change = other
    for _ in range(5):
        found = content(ask(proxy, CHAT, chat("She was born on 1983-04-27.")))
        assert found.replace("Apr ", "April ") == "April 27, 1983; 27 April 1983; April 27."


# -- streams ---------------------------------------------------------------------------------------


def test_a_stream_has_the_form_of_its_api(proxy):
    answer = ask(proxy, CHAT, chat(stream=True))
    assert answer.body.endswith(b"data: [DONE]\n\n")
    assert [e["usage"] for e in events_of(answer) if e.get("usage")] == [{"total_tokens": 3}]
    events = events_of(ask(proxy, RESPONSES, {"model": "m", "input": PROMPT, "stream": True}))
    assert [e["text"] for e in events if e["type"].endswith("text.done")] == [PROMPT]
    assert [e["sequence_number"] for e in events] == list(range(len(events)))
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == PROMPT


ROWS = {
    "ilene cartwright": ("Priya Whitcombe", [], False), "cartwright": ("Whitcombe", [], False),
    "ilene": ("Priya", [], True), "[date 1]": ("May", ["[DATE 1]"], False),
    "(534) 555-0156": ("(415) 867-5309", [], False), "i.c.": ("P.W.", ["I.C."], False),
    "o'neil": ("Sims", [], False), "redford": ("Leeds", [], False),
    "redford, mi": ("Leeds, OH", ["Redford, MI"], False),
    "green hill road": ("Main Street", [], False),
}  # fmt: skip


def test_however_a_text_is_cut_its_restored_pieces_are_the_restored_whole():
    choice = random.Random(3)
    restorer = Restorer(ROWS), Restorer(ROWS, escaped=True)
    words = [*ROWS, *map(str.title, ROWS), *map(str.upper, ROWS), "a" * 4096, "\n"]
    words += "x green Ilene_ cart ı O’Neil [DATE (534) 555‑0156 I.C 's".split()
    words += "- https:// <a > ]( ) < \" .example @a.example ] ( '".split()
    for seed in range(4000):
        parts = choice.choices(words, k=choice.randint(0, 9))
        text = "".join(part + choice.choice([" ", "", "  ", "\n", " " * 12, ","]) for part in parts)
        one = restorer[seed % 2].fresh_copy()
        fed = "".join([*(one.feed(piece) for piece in pieces(text, seed)), one.flush()])
        assert fed == restorer[seed % 2].restore(text), text


# -- where nothing is restored ---------------------------------------------------------------------

CHANNELS = [
    "![x](https://evil.example/{}.png)",
    "![x](https://evil.example/?q={})",
    "www.evil.example/{}",
    "https://{}.evil.example/a",
    "{}.evil.example/a",
    "[x](//evil.example/a {})",
    "x@{}.evil.example",
    "[x](<https://evil.example/a {}>)",
    '<img src="https://evil.example/{}">',
    "HTTPS://e.example#{}",
    "<img alt='{}' title=\"a > b\">",
    '<a href="a" style="background: url(b/{})">',
    "<b\nid={}>",
    "[x]: https://evil.example/a/{}",
    "https://evil.example/a\u00a0{}",
    'https://evil.example/"{}"',
    "https://evil.example/" + "a" * 5000 + "{}",
    "mailto:a@evil.example?body={}",
    "<{} id=a>",
    "\\\\evil.example\\{}",
    "data:text/html,{}",
    "![x](<https://10.0.0.1/a) {}>)",
    "[x]: <https://10.0.0.1/a\\> {}>",
    "[x]: <\\\\10.0.0.1/a {}>",
    "[x]: http&colon;&sol;&#x2F;10.0.0.1/{}",
    '[x](<img src="https://10.0.0.1/a) {}">',
    '<img alt=a" title=">" src="https://10.0.0.1/ {}">',
    '<!-- ><i a="--> <img src=" https://10.0.0.1/a> {}">',
    '`<i a="` <img src=" https://10.0.0.1/a> {}">',
]
READ = ["See {}.", "({})", "**{}**, x", "Ask {}; see https://a.example.", "<b>x</b> {} [a](b) {}",
        "a < b, {}", "[{}](https://a.example)", "<p>{}</p>", "{}/{}", "“{}’s”",
        '<a b="c > d" e=\'f\' g=h>{}</a>', "Map<A, B> {}"]  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
def test_nothing_is_restored_where_whoever_wrote_the_answer_may_read_it(proxy, upstream, stream):
    for form in (*CHANNELS, *READ):
        upstream.change = lambda sent, form=form: form.replace("{}", sent.split()[-1].rstrip("."))
        answer = ask(proxy, CHAT, chat("I am Priya Whitcombe.", stream=stream))
        parts = [d.get("content") or "" for d in deltas(answer)] if stream else [content(answer)]
        text = "".join(parts)
        if form in CHANNELS:
            assert "Whitcombe" not in text, form
        else:
            assert text == form.replace("{}", "Whitcombe"), form


def test_addresses_as_a_whole_are_restored(proxy, upstream):
    prompt = "Mail priya@stmary.org or see https://www.stmary.org/priya for it."
    for form in ("<{}>", "[x]({}) a", "({}).", "{}"):
        for place in (1, 4):

            def change(sent, form=form, place=place):
                return form.replace("{}", sent.split()[place])

            upstream.change = change
            assert content(ask(proxy, CHAT, chat(prompt))) == change(prompt)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_arguments_get_originals_for_tools_that_the_settings_name(
    make_proxy, upstream, path, stream
):
    body = body_of(path, "I am Priya Whitcombe.", stream=stream) | {"model": "call"}
    for tools, right in ((("find",), True), (("*",), True), ((), False), (("other",), False)):
        answer = ask(make_proxy(tools=tools), path, body)
        assert answer.status == 200 and ("Whitcombe" in answer.body.decode()) is right
        if path == MESSAGES:
            given = input_of(answer, stream)
            assert given["n"] == 3 and (given["whom"] == ["I am Priya Whitcombe."]) is right


def test_fields_that_are_no_text_of_an_answer_get_no_originals(proxy, monkeypatch):
    def chat_of(handler, body, text):
        message = {"role": "assistant", "content": text, "url": text, "name": text}
        choice = {"index": 0, "message": message, "action": {"query": text}}
        return {"id": text, "choices": [choice]}

    monkeypatch.setattr(Upstream, "chat", chat_of)
    answer = ask(proxy, CHAT, chat("I am Priya Whitcombe."))
    assert answer.body.decode().count("Whitcombe") == 1


# -- conversations ---------------------------------------------------------------------------------


def test_a_conversation_has_one_surrogate_for_a_person_and_one_shift(proxy, upstream):
    """Of 25 turns a provider learns no more of a shift than of one."""
    messages, seen = [{"role": "user", "content": "I am Priya Whitcombe."}], set()
    for turn in range(25):
        messages.append({"role": "user", "content": "Priya Whitcombe was born on 1983-04-27."})
        system = {"role": "system", "content": f"It is turn {turn}."}
        ask(proxy, CHAT, {"model": "m", "messages": [system, *messages]})
        seen.add(json.loads(upstream.seen[-1][2])["messages"][-1]["content"])
    assert len(seen) == 1
    for turn in range(8):
        messages[0] = {"role": "user", "content": f"Again, number {turn}: I am Priya Whitcombe."}
        ask(proxy, CHAT, {"model": "m", "messages": messages})
        seen.add(json.loads(upstream.seen[-1][2])["messages"][-1]["content"])
    # By their beginnings. A shift of no days is one of those that are drawn.
    assert len(seen) > 4 and len({re.search(r"\d{4}-\d\d-\d\d", text)[0] for text in seen}) > 2


def test_conversations_of_two_callers_and_two_processes_are_apart(make_proxy, upstream, pipelines):
    proxy, names = make_proxy(tokens={"a" * 24: "ann", "b" * 24: "bob"}), []
    for token in ("a" * 24, "b" * 24, "a" * 24):
        headers = {"authorization": f"Bearer {token}"}
        ask(proxy, CHAT, chat("I am Priya Whitcombe."), **headers)
        names.append(json.loads(upstream.seen[-1][2])["messages"][-1]["content"])
    assert names[0] == names[2] != names[1]
    secret = {one.scope.key for one in get_sanitizer(pipelines[0]).settings.surrogates.values()
              if hasattr(one, "scope")}  # fmt: skip
    assert len(secret) == 1 and len(next(iter(secret))) == 32


def test_two_persons_of_a_conversation_whose_surrogates_meet_are_still_two(
    proxy, upstream, monkeypatch
):
    """Of four family names two have one surrogate in most conversations."""
    listed = codes.listed_of

    def few(language, which):
        return ("Aaberg", "Abdallah") if which == "surnames" else listed(language, which)

    monkeypatch.setattr(codes, "listed_of", few)
    names = "Lindqvist Zorblatt Whitcombe Osgood".split()
    prompt = "\n".join(f"Ms. {name} called. Mrs. {name} said so." for name in names)
    for i in range(20):
        assert content(ask(proxy, CHAT, turns_of(f"List {i}.", prompt))) == prompt
    assert not [n for *_, raw in upstream.seen for n in names if n.encode() in raw]


@pytest.mark.parametrize("path", PATHS)
def test_secrets_are_hidden_by_default(proxy, upstream, path):
    secrets = (
        "sk-proj-Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5gH",
        "AKIAIOSFODNN7EXAMPLE",
        "Kestrel99!",
    )
    prompt = "The key {} and {}; password: {}".format(*secrets)
    assert said(ask(proxy, path, body_of(path, prompt)), path, stream=False) == prompt
    assert not [secret for secret in secrets if secret.encode() in upstream.seen[-1][2]]


# -- what is refused -------------------------------------------------------------------------------

IMAGE = {"type": "image_url", "image_url": {"url": "https://x.example/Okonkwo.png"}}
REFUSED = {
    "users": chat(users="Okonkwo"), "functions": chat(functions=[{"name": "Okonkwo"}]),
    "prompt": {"model": "m", "prompt": "Okonkwo"}, "model": chat(model="Dr Okonkwo said"),
    "type": {"model": "m", "messages": [{"role": "user", "content": [IMAGE]}]},
    "previous_response_id": {"model": "m", "input": "x", "previous_response_id": "resp_1"},
    "name": {"model": "m", "messages": [{"role": "user", "name": "Okonkwo", "content": "x"}]},
    "content": {"model": "m", "messages": [{"role": "user", "content": 4158675309}]},
    "": [1],
}  # fmt: skip


@pytest.mark.parametrize("field", REFUSED)
def test_what_cannot_be_sanitised_is_refused_by_its_name(proxy, upstream, field):
    answer = ask(proxy, CHAT, REFUSED[field])
    assert answer.status == 400 and field in answer.json["error"]["message"]
    assert "Okonkwo" not in answer.body.decode() and not upstream.seen


USERS = {
    "user": "Okonkwo", "metadata": {"who": "Okonkwo", "at": ["Leeds"]}, "user_id": "Okonkwo",
    "safety_identifier": "okonkwo@stmary.org", "prompt_cache_key": "Okonkwo-1",
}  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_identifiers_of_users_are_dropped_and_counted(proxy, upstream, path):
    for users in ({field: USERS[field]} for field in USERS):
        assert ask(proxy, path, body_of(path, **users)).status == 200
        assert users.keys().isdisjoint(json.loads(upstream.seen[-1][2]))
    answer = ask(proxy, path, body_of(path, **USERS, top_p=1))
    assert " dropped=5 " in answer.headers["dx-surrogates"]
    nested = body_of(path)
    nested["input" if path == RESPONSES else "messages"][-1]["metadata"] = {"who": "Okonkwo"}
    assert ask(proxy, path, nested).status == 400
    assert_hidden(upstream)


ITEMS = [
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png,eA=="}]},
    {"type": "input_file", "file_data": "aGVsbG8="},
    {"role": "user", "content": "x", "who": "Okonkwo"},
    {"role": "okonkwo", "content": "x"},
    {"type": "okonkwo", "content": "x"},
    {"role": "user", "name": "Okonkwo", "content": "x"},
    {"type": "function_call", "name": "ask_okonkwo", "call_id": "call_1", "arguments": "{}"},
    {"type": "item_reference", "id": "okonkwo"},
]


@pytest.mark.parametrize("item", ITEMS)
def test_items_of_a_response_are_no_data_in_which_all_passes(proxy, upstream, item):
    body = {"model": "m", "input": [{"role": "user", "content": "Ms. Okonkwo is ill."}, item]}
    assert ask(proxy, RESPONSES, body).status == 400 and not upstream.seen


def test_names_that_the_texts_have_are_no_names_of_functions(proxy, upstream):
    function = {"name": "call_okonkwo", "parameters": {}}
    body = chat(tools=[{"type": "function", "function": function}])
    assert ask(proxy, CHAT, body).status == 400 and not upstream.seen
    body = chat()
    body["messages"] += [{"role": "tool", "tool_call_id": "call_okonkwo", "content": "well"}]
    chosen = {"type": "function", "function": {"name": "ask_okonkwo"}}
    for one in (body, chat(tool_choice=chosen), chat(logit_bias={"okonkwo": 1})):
        assert ask(proxy, CHAT, one).status == 400 and not upstream.seen


IDENTIFIERS = {
    "tool_call_id": (
        "617-555-0142 maria.gonzalez 12_Main_Street 1955-03-12 MariaGonzalez call_617-555-0142 "
        "maria@gonzalez.example p617_555_0142"
    ).split(),
    "model": ["maria.gonzalez", "gpt-4o-maria", "617-555-0142", "6175550142", "zebulon"],
    "role": ["maria", "Maria Gonzalez"],
    "service_tier": ["maria"],
    "reasoning_effort": ["maria"],
    "seed": [6175550142, "x"],
    "temperature": ["0.5"],
    "tool_choice": ["maria"],
    # Keys are numbers of tokens: whoever has the list of tokens reads a text in them.
    "logit_bias": [{"1983": 1}, {"867530": 5}, {"50256": -100}, {"1": 0.19830309}, {"a": 1}, [1]],
}


@pytest.mark.parametrize("field", IDENTIFIERS)
def test_identifiers_are_checked_and_settings_have_a_vocabulary(proxy, upstream, field):
    for value in IDENTIFIERS[field]:
        body = chat("Hello there.")
        if field == "tool_call_id":
            body["messages"].append({"role": "tool", field: value, "content": "well"})
        elif field == "role":
            body["messages"].append({"role": value, "content": "well"})
        else:
            body[field] = value
        answer = ask(proxy, CHAT, body)
        assert answer.status == 400 and field in answer.json["error"]["message"], value
        assert not upstream.seen


def test_usual_identifiers_and_models_pass(make_proxy, upstream):
    models = ["gpt-4o", "gpt-4o-2024-08-06", "claude-3-5-sonnet-20241022", "llama3.1:8b", "o3-mini",
              "mistralai/Mixtral-8x7B-Instruct-v0.1", "deepseek-r1", "Qwen/Qwen2.5-72B-Instruct",
              "gemini-2.5-flash", "gpt-4.1-nano-2025-04-14"]  # fmt: skip
    ids = ["call_1", "call_AbcLee9xq0k2jd8sk20smQ3k", "toolu_01A09q90qw90lq917835lq9", "abc123XYZ",
           "chatcmpl-tool-8f14e45fceea167a5a36dedd4bea2543"]  # fmt: skip
    proxy = make_proxy(models=("zebulon",))
    for model in (*models, "zebulon"):
        assert ask(proxy, CHAT, chat(model=model)).status == 200, model
    for name in ids:
        body = chat()
        body["messages"].append({"role": "tool", "tool_call_id": name, "content": "well"})
        assert ask(proxy, CHAT, body).status == 200, name
    assert_hidden(upstream)


WRITTEN = (
    "mailPriyaWhitcombe1 ssn-078051120a 19830309a call_mailPriyaWhitcombe1 mrn4417829x "
    "tel4158675309x PriyaWhitcombe1983 toolu_01PriyaWhitcombe830309 call_ssn078051120abcdef "
    "okonkwo4Ulla9 call_PRIYA_WHITCOMBE1 born09031983b nhs9434765919 callDrOkafor7 rs_19830309a "
    "fc_078051120ab"
).split()  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_an_identifier_in_which_somebody_wrote_a_name_is_read(proxy, upstream, name):
    function = {"name": name, "parameters": {}}
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    call = {"id": name, "type": "function", "function": {"name": "find", "arguments": "{}"}}
    bodies = [
        (CHAT, chat("Hello.", tools=[{"type": "function", "function": function}])),
        (CHAT, chat("Hello.", tools=[{"type": "function", "function": {
            "name": "find", "parameters": schema}}])),
        (CHAT, chat("Hello.", tool_choice={"type": "function", "function": {"name": name}})),
        (CHAT, {"model": "m", "messages": [
            {"role": "user", "content": "Hello."}, {"role": "assistant", "tool_calls": [call]}]}),
        (RESPONSES, {"model": "m", "input": [
            {"type": "function_call_output", "call_id": name, "output": "x"}]}),
        (MESSAGES, {"model": "m", "messages": [{"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": name, "content": "x"}]}]}),
    ]  # fmt: skip
    for path, body in bodies:
        assert ask(proxy, path, body).status == 400 and not upstream.seen, body


@pytest.mark.parametrize("stream", [False, True])
def test_an_identifier_of_an_answer_goes_back_in_its_conversation_alone(proxy, upstream, stream):
    ids = ["D681AdaLind", "call_Percy4Cartwright", "0198feab19830309", "fn-4158675309"]
    for name in ids:
        upstream.call_id = name
        turns = [{"role": "user", "content": f"Hello, {len(name)}."}]
        answer = ask(proxy, CHAT, {"model": "call", "messages": turns, "stream": stream})
        assert answer.status == 200 and name in answer.body.decode()
        result = {"role": "tool", "tool_call_id": name, "content": "well"}
        again = {"model": "m", "messages": [*turns, result]}
        assert ask(proxy, CHAT, again).status == 200
        assert json.loads(upstream.seen[-1][2])["messages"][-1]["tool_call_id"] == name
        other = {"model": "m", "messages": [{"role": "user", "content": "Another."}, result]}
        assert ask(proxy, CHAT, other).status == 400
        named = {"type": "function", "function": {"name": name, "parameters": {}}}
        assert ask(proxy, CHAT, {**again, "tools": [named]}).status == 400


def test_keys_of_data_are_texts_and_come_back(make_proxy, upstream, monkeypatch):
    data = {"zebulon": 1, "p617_555_0142": {"Maria Gonzalez": "x"}, "first_name": "x", "hba1c": 2,
            "12_main_street": 3, "maria_gonzalez": 4}  # fmt: skip
    call = {"id": "call_1", "type": "function", "function": {"name": "find"}}
    call["function"]["arguments"] = json.dumps(data)
    body = chat("Hello there.", model="call")
    body["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps([data, data])},
    ]
    upstream.change = lambda text: "x"
    monkeypatch.setattr(Upstream, "call", lambda handler, text: {
        "name": "find",
        "arguments": json.loads(handler.server.seen[-1][2])["messages"][-1]["content"],
    })  # fmt: skip
    answer = ask(make_proxy(tools=("find",)), CHAT, body)
    raw = upstream.seen[-1][2].decode().lower()
    for secret in ("zebulon", "617", "0142", "maria", "gonzalez", "main_street"):
        assert secret not in raw, secret
    assert "first_name" in raw and "hba1c" in raw
    back = answer.json["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(back) == [data, data]


BROKEN = {"nan": b'{"model": "m", "temperature": NaN, "messages": []}',
          "pairs": b'[["model", "m"]]',
          "infinite": b'{"model": "m", "temperature": 1e999, "messages": []}', "list": b"[]",
          "number": b"7", "deep": b"[" * 50_000 + b"]" * 50_000,
          "deep text": b'{"messages": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_body_that_is_no_object_of_json_is_refused(proxy, upstream, kind):
    for path in (CHAT, RESPONSES):
        assert ask(proxy, path, BROKEN[kind]).status == 400 and not upstream.seen


def test_a_header_that_is_not_in_ascii_is_refused(proxy, upstream):
    assert ask(proxy, CHAT, chat(), authorization="Bearer ké").status == 400 and not upstream.seen


@pytest.mark.parametrize("stream", [False, True])
def test_an_upstream_whose_answer_is_none_gives_502(proxy, monkeypatch, stream):
    reply = Upstream.reply
    answers = [
        "",
        "data: [DONE]\n\n",
        ": wait\n\n",
        "{",
        "data: {\n\n",
        '{"a": NaN}',
        'data: {"a": NaN}\n\n',
        "[" * 50_000 + "]" * 50_000,
        '{"a": ' * 20_000,
        "data: " + "[" * 50_000 + "]" * 50_000 + "\n\n",
        '{"a": ' * 900 + "1" + "}" * 900,
    ]
    for text in answers[: len(answers) - (not stream)]:

        def broken(handler, old, kind, text=text):
            reply(handler, text, kind)

        monkeypatch.setattr(Upstream, "reply", broken)
        assert ask(proxy, CHAT, chat(stream=stream)).status == 502, text[:20]


def test_a_language_that_is_not_covered_is_refused_and_a_covered_one_is_not(proxy, upstream):
    polish = (
        "Pani Okonkwo jest w domu i nie ma już bólu, ale lekarz był u niej i to się jej nie podoba."
    )
    answer = ask(proxy, CHAT, turns_of(polish))
    assert answer.status == 422 and "Polish" in answer.json["error"]["message"]
    assert "Okonkwo" not in answer.body.decode() and not upstream.seen
    german = "Frau Okonkwo ist zu Hause und hat keine Schmerzen, aber der Arzt war bei ihr."
    assert ask(proxy, CHAT, turns_of(german)).status == 200


def test_the_upstream_sees_no_other_script_and_no_name_with_signs_that_nobody_sees(proxy, upstream):
    chinese = "患者李娜于2023年5月3日因腹痛入院。她住在北京市朝阳区建国路88号。"
    for text in (chinese, f"Please sum up.\n\n{chinese}"):
        assert ask(proxy, CHAT, turns_of(text)).status == 422 and not upstream.seen
    mixed = turns_of("Dear \u2068Priya Okonkwo\u2069 and 李娜, hello.")
    assert ask(proxy, CHAT, mixed).status == 200
    seen = upstream.seen[0][2].decode()
    assert not any(word in seen for word in ("Okonkwo", "Priya", "李娜", "\\u674e", "2068"))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_errors_of_the_upstream_pass_without_their_text(proxy, upstream, path, stream):
    for status in (400, 401, 429, 500, 529, 302):
        upstream.status = status
        answer = ask(proxy, path, body_of(path, stream=stream))
        assert answer.status == (502 if status == 302 else status)
        assert answer.json["type"] == "error" and answer.headers["retry-after"] == "7"
        message = answer.json["error"]["message"]
        assert "(model_not_found)" in message and len(message) < 80
        assert not [name for name in NAMES if name in answer.body.decode()]


@pytest.mark.parametrize("code", ["no such model: Zorblatt", "zorblatt-1", "a" * 99, "", 7, None])
def test_a_code_of_the_upstream_that_may_be_text_does_not_pass(proxy, upstream, code):
    upstream.status, upstream.code = 404, code
    answer = ask(proxy, CHAT, chat())
    assert answer.json["error"]["message"] == "the upstream answered with status 404."


def test_no_upstream_too_much_and_no_such_path(make_proxy, upstream):
    assert ask(make_proxy(upstream="http://127.0.0.1:9"), CHAT, chat()).status == 502
    assert ask(make_proxy(max_bytes=100), CHAT, chat()).status == 413
    assert ask(make_proxy(), "/sanitize", {"text": "x"}).status == 404


@pytest.mark.parametrize(
    "place", ["/v1/files?", "/v1/../admin", "/v1/chat/completions/Okonkwo", "@"]
)
def test_a_caller_does_not_choose_the_path_at_the_upstream_or_in_the_log(
    proxy, upstream, caplog, monkeypatch, place
):
    monkeypatch.setattr(HTTPConnection, "url", property(lambda request: URL(f"http://x{place}")))
    with caplog.at_level(logging.INFO, logger="spacy_dxprivacy"):
        assert ask(proxy, CHAT, chat()).status == 200
        assert ask(proxy, f"/v1{place}", chat()).status == 404
    assert [path for path, *_ in upstream.seen] == [CHAT]
    line, refused = [record.getMessage() for record in caplog.records]
    assert " chat/completions 200 " in line and " - 404 " in refused


def test_whose_key_the_upstream_gets(make_proxy, upstream, monkeypatch):
    def key(proxy, **headers):
        assert ask(proxy, CHAT, chat(), **headers).status == 200
        return upstream.seen[-1][1].get("authorization")

    mine = {"authorization": "Bearer sk-mine"}
    assert key(make_proxy(), **mine) == "Bearer sk-mine"
    token = {"authorization": f"Bearer {'a' * 24}"}
    shared = make_proxy(tokens={"a" * 24: "ann"})
    assert key(shared, **token) is None
    assert ask(shared, CHAT, chat(), **mine).status == 401
    monkeypatch.setenv("DX_UPSTREAM_KEY", "sk-ours")
    assert key(make_proxy(), **mine) == key(shared, **token) == "Bearer sk-ours"


def test_an_upstream_that_hangs_or_breaks_off(make_proxy, upstream):
    def hang(text):
        threading.Event().wait(2)
        return text

    upstream.change = hang
    assert ask(make_proxy(upstream_seconds=0.3), CHAT, chat()).status == 504
    upstream.change = lambda text: (_ for _ in ()).throw(BrokenPipeError)
    upstream.handle_error = lambda *args: None
    assert ask(make_proxy(), CHAT, chat()).status == 502


@pytest.mark.slow
def test_workers_share_the_secret_of_conversations_and_no_environment_has_it(upstream):
    """A conversation has one surrogate in all workers; each of them listens on the port."""
    port, url = free_port(), f"http://127.0.0.1:{upstream.server_port}"
    options = ["--port", str(port), "--upstream", url, "--workers", "2", "--entities", "person"]
    command = [sys.executable, "-m", "spacy", "dx", "proxy", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(port)
        workers = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
        for _ in range(24):
            body = json.dumps(chat("I am Priya Whitcombe.")).encode()
            head = {"content-type": "application/json"}
            request = urllib.request.Request(f"http://127.0.0.1:{port}{CHAT}", body, head)
            with urllib.request.urlopen(request, timeout=60) as answer:
                assert b"Whitcombe" in answer.read()
        assert len({raw for *_, raw in upstream.seen}) == 1 and len(workers) >= 2
        for pid in (process.pid, *workers):
            told = str(psutil.Process(pid).environ()) + " ".join(psutil.Process(pid).cmdline())
            assert "DX_SERVICE" not in told and not re.search(r"\b[0-9a-f]{64}\b", told)
    finally:
        process.terminate()
        process.wait(60)
        process.stderr.close()
    assert process.returncode == 0


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_no_event_loop_waits_for_a_text(proxy, monkeypatch, path, stream):
    """All that reads a text runs in threads."""
    threads = {}

    def note(owner, name):
        work = getattr(owner, name)

        def noted(*args, **named):
            threads.setdefault(name, set()).add(threading.get_ident())
            return work(*args, **named)

        monkeypatch.setattr(owner, name, noted)

    for owner, names in (
        (Restorer, ("restore", "feed", "flush")), (Prompter, ("sanitize",)),
        (AnswerRestorer, ("restore", "events", "end", "report")), (Prompt, ("replace", "_object")),
        (proxy_module, ("parse_object",)),
    ):  # fmt: skip
        for name in names:
            note(owner, name)
    assert ask(proxy, path, body_of(path, stream=stream)).status == 200
    assert {"replace", "_object", "sanitize", "parse_object", "report", "restore"} <= {*threads}
    assert stream is ("events" in threads)
    assert not [name for name in threads if threading.get_ident() in threads[name]]


MODELS = [
    {"id": "gpt-4o", "object": "model", "created": 1715367049, "owned_by": "system"},
    {"id": "claude-sonnet-4-5-20250929", "type": "model", "display_name": "Claude Sonnet 4.5",
     "created_at": "2025-09-29T00:00:00Z"},
    {"id": "ft:gpt-4o:okonkwo-ltd::9xAbC", "object": "model", "owned_by": "okonkwo-ltd"},
    {"id": "o3-mini", "owned_by": "okonkwo-ltd", "note": "For Okonkwo", "root": "Okonkwo"},
    {"id": "zebulon"}, {"id": {"x": "Okonkwo"}}, "Okonkwo", {"name": "Okonkwo"},
]  # fmt: skip


def test_models_of_public_names_are_listed(make_proxy, upstream):
    upstream.models = {"object": "list", "data": MODELS, "has_more": True, "last_id": "Okonkwo"}
    headers = {"anthropic_version": "2023-06-01", "x_api_key": "sk-mine"}
    for proxy, extra in ((make_proxy(), []), (make_proxy(models=("zebulon",)), ["zebulon"])):
        for more in ({}, headers):
            answer = ask(proxy, "/v1/models", **more)
            assert answer.status == 200 and answer.json["has_more"] is False
            listed = answer.json["data"]
            expected = ["gpt-4o", "claude-sonnet-4-5-20250929", "o3-mini", *extra]
            assert [model["id"] for model in listed] == expected
            assert listed[:2] == MODELS[:2] and "Okonkwo" not in answer.body.decode()
            assert "okonkwo" not in answer.body.decode()
    assert {path for path, *_ in upstream.seen} == {"/v1/models"}
    sent = {name.lower(): value for name, value in upstream.seen[-1][1].items()}
    assert sent["x-api-key"] == "sk-mine" and sent["anthropic-version"] == "2023-06-01"


def test_a_list_of_models_that_is_none_and_other_paths_give_errors(make_proxy, upstream):
    proxy = make_proxy(tokens={"a" * 24: "ann"})
    token = {"authorization": f"Bearer {'a' * 24}"}
    for wrong in ({"data": "x"}, {}, [], {"data": {"id": "gpt-4o"}}):
        upstream.models = wrong
        assert ask(proxy, "/v1/models", **token).status == 502
    upstream.status = 401
    assert ask(proxy, "/v1/models", **token).status == 401
    count = len(upstream.seen)
    assert ask(proxy, "/v1/models").status == 401
    for path in ("/v1/models/gpt-4o", "/v1/models/", "/v1/models?limit=1"):
        assert ask(proxy, path, **token).status == 404
    assert len(upstream.seen) == count


# -- what stays ------------------------------------------------------------------------------------


def test_nothing_is_logged_and_no_map_stays(proxy, upstream, caplog, capfd):
    with caplog.at_level(logging.DEBUG):
        for stream in (False, True):
            ask(proxy, CHAT, chat(stream=stream))
            ask(proxy, CHAT, chat(user="Okonkwo", stream=stream))
    logged = caplog.text + "".join(capfd.readouterr())
    assert not [name for name in NAMES if name in logged]
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Restorer)]


def test_the_command_says_what_it_needs():
    for options, words in (
        ([], "upstream"), (["--upstream", "ftp://x"], "http"),
        (["--upstream", "http://x", "--address", "0.0.0.0"], "tokens"),
    ):  # fmt: skip
        done = CliRunner().invoke(dx_cli, ["proxy", *options])
        assert done.exit_code == 2 and done.stderr.count("\n") == 1 and words in done.stderr


# -- Anthropic's API -------------------------------------------------------------------------------


def message(prompt=PROMPT, **more):
    system = [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
    user = {"role": "user", "content": [{"type": "text", "text": prompt}]}
    return {"model": "claude-sonnet-4-5", "max_tokens": 32000, "system": system,
            "messages": [user], **more}  # fmt: skip


def body_of(path, prompt=PROMPT, **more):
    """A request that is answered by an echo of the prompt."""
    if path == RESPONSES:
        parts = [{"type": "input_text", "text": line} for line in prompt.splitlines(True)]
        user = {"role": "user", "content": parts}
        return {"model": "echo", "instructions": SYSTEM, "input": [user], **more}
    return message(prompt, **more) if path == MESSAGES else chat(prompt, **more)


def said(answer, path, stream):
    """All text of an answer."""
    if not stream:
        whole = answer.json
        if path == CHAT:
            return whole["choices"][0]["message"]["content"]
        blocks = whole["content"] if path == MESSAGES else whole["output"][0]["content"]
        return "".join(block["text"] for block in blocks if "text" in block)
    events = events_of(answer)
    if path == CHAT:
        return "".join(c["delta"].get("content") or "" for e in events for c in e["choices"])
    parts = [event["delta"] for event in events if event["type"].endswith("delta")]
    if path == RESPONSES:
        return "".join(parts)
    return "".join(part["text"] for part in parts if "text" in part)


def input_of(answer, stream):
    """Of the tool that an answer of Anthropic's API uses."""
    if not stream:
        return answer.json["content"][0]["input"]
    parts = [e["delta"] for e in events_of(answer) if e["type"] == "content_block_delta"]
    return json.loads("".join(part["partial_json"] for part in parts))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_every_api_answers_with_what_was_sent_and_no_name_goes_out(proxy, upstream, path, stream):
    prompts = (PROMPT, PROMPT * 3, "Priya Whitcombe", "no name")
    for upstream.size, prompt in product((2, None), prompts):
        answer = ask(proxy, path, body_of(path, prompt, stream=stream))
        assert said(answer, path, stream) == prompt
    assert {seen for seen, *_ in upstream.seen} == {path}
    assert_hidden(upstream)


def test_a_request_of_anthropics_api_goes_out_in_its_own_form(proxy, upstream):
    history = [
        {"role": "user", "content": "Who is Ms. Zorblatt?"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "find",
             "input": {"patient": "Ulla Zorblatt", "n": 3}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
             "is_error": False, "content": json.dumps({"name": "Zorblatt", "phone": 4158675309})},
            {"type": "text", "text": "Zorblatt?", "cache_control": {"type": "ephemeral"}}]},
    ]  # fmt: skip
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"patient": {"type": "string", "description": "As Zorblatt"}},
    }
    settings = {
        "tools": [{"name": "find", "description": "Finds Ulla Zorblatt", "input_schema": schema}],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}, "temperature": 1,
        "stop_sequences": ["Human:"], "thinking": {"type": "enabled", "budget_tokens": 31999},
    }  # fmt: skip
    user = {"user_id": "user_okonkwo_account_1"}
    answer = ask(proxy, MESSAGES, message(messages=history, metadata=user, **settings))
    assert answer.status == 200, answer.body
    assert said(answer, MESSAGES, stream=False).endswith("Zorblatt?")
    sent = json.loads(upstream.seen[-1][2])
    assert "metadata" not in sent and sent["max_tokens"] == 32000
    for name in ("tool_choice", "temperature", "stop_sequences", "thinking"):
        assert sent[name] == settings[name]
    name = sent["messages"][0]["content"].split()[-1].rstrip("?")
    call, (result, text) = sent["messages"][1]["content"][1], sent["messages"][2]["content"]
    assert call["input"]["patient"].split()[1] == name and call["input"]["n"] == 3
    assert json.loads(result["content"])["name"] == name and text["text"] == f"{name}?"
    assert sent["tools"][0]["input_schema"]["$schema"] == schema["$schema"]
    assert_hidden(upstream)
    counted = ask(proxy, f"{MESSAGES}/count_tokens", message(messages=history))
    assert counted.status == 200 and upstream.seen[-1][0].endswith("/count_tokens")
    assert_hidden(upstream)


def test_images_are_refused_unless_a_setting_lets_them_pass(make_proxy, upstream):
    source = {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}
    image = {"type": "image", "source": source}
    body = message()
    body["messages"][0]["content"].insert(0, image)
    refused = ask(make_proxy(), MESSAGES, body)
    assert refused.status == 400 and "images" in refused.json["error"]["message"]
    assert not upstream.seen
    assert ask(make_proxy(images=True), MESSAGES, body).status == 200
    assert json.loads(upstream.seen[-1][2])["messages"][0]["content"][0] == image
    assert_hidden(upstream)


@pytest.mark.parametrize("stream", [False, True])
def test_what_a_model_thought_goes_back_as_it_came_and_no_other(proxy, upstream, stream):
    prompt, thinking = "I am Priya Whitcombe.", {"type": "enabled", "budget_tokens": 2000}
    answer = ask(proxy, MESSAGES, message(prompt, thinking=thinking, stream=stream))
    if stream:
        parts = [e["delta"] for e in events_of(answer) if e["type"] == "content_block_delta"]
        block = {"type": "thinking", "thinking": "".join(p.get("thinking", "") for p in parts)}
        (block["signature"],) = [part["signature"] for part in parts if "signature" in part]
    else:
        block = answer.json["content"][0]
    thought = block["thinking"]
    assert "Whitcombe" not in thought and thought.startswith("I am ")
    for changed, right in (({}, True), ({"thinking": f"{thought} Whitcombe"}, False),
                           ({"signature": "Whitcombe"}, False)):  # fmt: skip
        turns = [
            {"role": "user", "content": prompt},
            {"role": "assistant", "content": [block | changed, {"type": "text", "text": "Yes."}]},
            {"role": "user", "content": "And?"},
        ]
        assert ask(proxy, MESSAGES, message(messages=turns)).status == 200
        sent = json.loads(upstream.seen[-1][2])["messages"][1]["content"]
        expected = {"type": "thinking", "thinking": thought, "signature": "sig/Na+1="}
        assert sent[:-1] == ([expected] if right else [])
    assert_hidden(upstream)


def test_keys_and_headers_of_anthropics_api(make_proxy, upstream, monkeypatch):
    def headers(proxy, status=200, **more):
        assert ask(proxy, MESSAGES, message(), **more).status == status
        return {name.lower(): value for name, value in upstream.seen[-1][1].items()}

    mine = {"x_api_key": "sk-mine", "anthropic_version": "2023-06-01", "anthropic_beta": "a-1,b-2"}
    sent = headers(make_proxy(), **mine)
    assert sent["x-api-key"] == "sk-mine" and sent["anthropic-version"] == "2023-06-01"
    assert sent["anthropic-beta"] == "a-1,b-2"
    shared = make_proxy(tokens={"a" * 24: "ann"})
    assert "x-api-key" not in headers(shared, x_api_key="a" * 24)
    monkeypatch.setenv("DX_UPSTREAM_KEY", "sk-ours")
    assert headers(shared, x_api_key="a" * 24)["x-api-key"] == "sk-ours"
    count = len(upstream.seen)
    assert ask(shared, MESSAGES, message(), x_api_key="b" * 24).status == 401
    assert ask(make_proxy(), MESSAGES, message(), anthropic_beta="Okonkwo!").status == 400
    assert len(upstream.seen) == count


@pytest.mark.parametrize("path", PATHS)
def test_a_stream_that_breaks_off_ends_with_an_error_and_without_originals_of_others(
    proxy, upstream, path
):
    whole = ask(proxy, path, body_of(path, stream=True)).body
    assert b"broke off" not in whole
    for cut in (300, 500, 1100):
        upstream.cut = cut
        ask(proxy, path, body_of(path, "I am Ulla Zorblatt.", stream=True))
        answer = ask(proxy, path, body_of(path, stream=True))
        assert answer.status == 200 and answer.body != whole
        assert events_of(answer)[-1]["error"]["message"].endswith("broke off.")
        assert "Zorblatt" not in answer.body.decode()


# -- a conversation is one document ----------------------------------------------------------------


@pytest.mark.parametrize("path", [CHAT, MESSAGES])
def test_earlier_turns_go_out_as_they_were_and_are_not_read_again(
    make_proxy, upstream, path, pipelines, monkeypatch
):
    read = []
    for nlp in pipelines:
        made = nlp.make_doc
        monkeypatch.setattr(
            nlp, "make_doc", lambda text, make=made: read.append(text) or make(text)
        )
    proxy, turns, sent = make_proxy(), [], []
    asked_for = ["I am Priya Whitcombe.", "Did Whitcombe call Dr. Okafor?", "OKAFOR'S son?",
                 "whitcombe and Ulla Zorblatt", "Ms. Zorblatt's letter of May 5, 2021"]  # fmt: skip
    for prompt in asked_for:
        turns.append({"role": "user", "content": prompt})
        body = {"model": "echo", "messages": turns, "max_tokens": 9}
        answer = ask(proxy, path, body)
        assert said(answer, path, stream=False) == prompt
        turns.append({"role": "assistant", "content": said(answer, path, stream=False)})
        sent.append(json.loads(upstream.seen[-1][2])["messages"])
    for earlier, later in pairwise(sent):
        assert later[: len(earlier)] == earlier
    assert_hidden(upstream)
    assert all(sum(prompt in text for text in read) == 1 for prompt in asked_for)


def test_a_name_that_its_turn_alone_does_not_show_is_hidden_by_an_earlier_turn(proxy, upstream):
    first = "Ms. Zorblatt is ill."
    ask(proxy, CHAT, turns_of(first))
    hidden = json.loads(upstream.seen[-1][2])["messages"][0]["content"].split()[1]
    for prompt in ("so zorblatt then", "ZORBLATT", "x-zorblatt-y", "UllaZorblatt42"):
        assert content(ask(proxy, CHAT, turns_of(first, prompt))) == prompt
        assert "zorblatt" not in upstream.seen[-1][2].decode().lower()
        assert hidden.lower() in upstream.seen[-1][2].decode().lower()


def test_marks_of_later_turns_are_not_those_of_earlier_ones(proxy, upstream):
    """Dates that could be mistaken are marks, each for one original in the whole conversation."""
    days = ["last Friday", "Easter", "next May", "Christmas", "last Friday"]
    turns = [f"She called {day}." for day in days]
    for i, turn in enumerate(turns, 1):
        assert content(ask(proxy, CHAT, turns_of(*turns[:i]))) == turn
    sent = [turn["content"] for turn in json.loads(upstream.seen[-1][2])["messages"]]
    assert sent[0] == sent[4] and len(set(sent)) == 4


def test_an_order_of_day_and_month_holds_for_later_turns(proxy, upstream):
    """On 25/12/2020 the day comes first, so 03/04/2021 is in April: 99 days later."""
    for i in range(3):
        turns = (f"Number {i}: born on 25/12/2020.", "Seen on 03/04/2021.", "And on 05/06/2021.")
        for n, turn in enumerate(turns, 1):
            assert content(ask(proxy, CHAT, turns_of(*turns[:n]))) == turn
        sent = [turn["content"] for turn in json.loads(upstream.seen[-1][2])["messages"]]
        days = [datetime.strptime(text.split()[-1], "%d/%m/%Y.") for text in sent]
        assert [(day - days[0]).days for day in days] == [0, 99, 162]
    assert_hidden(upstream)


def test_conversations_are_forgotten_by_time_and_by_size():
    held = Conversations(characters=3000, seconds=60)
    first = held.of("ann", "a")
    first.add(("", "text"), Sent("x" * 500))
    assert held.of("ann", "a").get(("", "text")) is not None
    assert held.of("bob", "a").get(("", "text")) is None
    assert held.of("ann", "b").get(("", "text")) is None
    for name in "bcdef":
        held.of("ann", name).add(("", "text"), Sent("x" * 500))
    assert held.of("ann", "f").get(("", "text")) is not None
    assert held.of("ann", "a").get(("", "text")) is None  # the oldest one
    late = Conversations(seconds=0)
    late.of("ann", "a").add(("", "text"), Sent("x"))
    late.of("ann", "b")
    assert late.of("ann", "a").get(("", "text")) is None


TOUCHING = [
    "Okonkwo priya@stmary.org", "Priya Whitcombe Leeds", "Leeds Okafor", "Whitcombe, Leeds",
    "Mail priya@stmary.org Whitcombe.", "Okafor (415) 867-5309 Okonkwo", "Leeds priya@stmary.org",
    "Dr. Okafor Mercy General Hospital Leeds", "priya@stmary.org priya@stmary.org",
]  # fmt: skip


@pytest.mark.parametrize("prompt", TOUCHING)
def test_what_is_held_of_mentions_that_touch_has_no_original(pipelines, prompt):
    held, prompter = Conversations(), Prompter(pipelines[0])

    def draw(record):
        (drawn,) = results(pipelines[0], [record])
        return drawn.texts[0]

    lines = [("Priya Whitcombe: ", prompt), ("", f"{prompt}\n{prompt}"), ("Leeds ", PROMPT)]
    for _ in range(2):
        prompted = prompter.sanitize(held.of("ann", "a"), lines, {}, draw)
    restored = [Restorer(prompted.rows).restore(text) for text in prompted.texts]
    assert restored == [text for _, text in lines]
    state = pickle.dumps([(c.sent, c.size) for c in held._held.values()]).lower()
    released = " ".join(prompted.texts).lower()
    assert not [n for n in NAMES if n.lower().encode() in state and n.lower() not in released]


def test_what_is_held_of_a_conversation_has_no_original(pipelines):
    held = Conversations()
    prompter = Prompter(pipelines[0])

    def draw(record):
        (drawn,) = results(pipelines[0], [record])
        return drawn.texts[0]

    lines = [("", PROMPT), ("", SYSTEM)]
    prompted = prompter.sanitize(held.of("ann", "a"), lines, {}, draw)
    assert not [name for name in NAMES if name in repr(prompted.texts)]
    assert "Priya Whitcombe" in [row[0] for row in prompted.rows.values()]
    state = pickle.dumps([(c.sent, c.size) for c in held._held.values()])
    assert not [name for name in NAMES if name.encode() in state]


def test_a_hundred_conversations_at_once_in_every_api(make_proxy, upstream):
    proxy, upstream.size = make_proxy(max_seconds=300), 2
    names = ["Priya Whitcombe", "Wei Okafor", "Ulla Okonkwo", "Maria Zorblatt", "Ana Osgood"]
    long = " I slept well, and the house was warm." * 30

    async def conversation(i):
        path, stream, turns = PATHS[i % 3], bool(i % 2), []
        for turn in range(3):
            prompt = f"{turn}: I am {names[(i + turn) % 5]} of {i} May Road, see https://a.example."
            prompt += long * (i % 4 == turn)  # requests of both lanes
            turns.append({"role": "user", "content": prompt})
            field = "input" if path == RESPONSES else "messages"
            body = {"model": "echo", field: list(turns), "stream": stream}
            answer = await asked(proxy, path, body)
            assert said(answer, path, stream) == prompt
            turns.append({"role": "assistant", "content": said(answer, path, stream)})

    async def run():
        await asyncio.gather(*(conversation(i) for i in range(100)))

    asyncio.run(run())
    assert not [name for *_, raw in upstream.seen for name in names if name.encode() in raw]


# -- policies, notes, reports ----------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
def test_policies_by_label(make_proxy, upstream, path):
    prompt = "Priya Whitcombe, born on 1983-04-27, mail priya@stmary.org, in Leeds."
    proxy = make_proxy(policy=("person=mask", "date=leave", "phone=block"))
    answer = ask(proxy, path, body_of(path, prompt))
    assert said(answer, path, stream=False) == prompt
    sent = text_of(json.loads(upstream.seen[-1][2]))
    assert sent.startswith("[PERSON ") and "born on 1983-04-27, mail" in sent
    assert "stmary" not in sent and "Leeds" not in sent
    count = len(upstream.seen)
    blocked = ask(proxy, path, body_of(path, "Call (415) 867-5309."))
    assert blocked.status == 422 and "PHONE" in blocked.json["error"]["message"]
    assert "867" not in blocked.body.decode() and len(upstream.seen) == count


def test_a_policy_that_is_none_is_refused():
    for policy in ("person", "person=hide", "=mask"):
        with pytest.raises(UsageError, match="policy"):
            ServiceOptions(upstream="http://x", policy=policy)
    made = ServiceOptions(upstream="http://x", policy="person=mask, id=block")
    assert made.policies == {"PERSON": "mask", "ID": "block"}


def test_a_note_tells_the_model_of_surrogates(make_proxy, upstream):
    proxy = make_proxy(note=True)
    for path in PATHS:
        assert said(ask(proxy, path, body_of(path)), path, stream=False) == PROMPT
    one, two, three = (json.loads(raw) for *_, raw in upstream.seen)
    assert one["messages"][0] == {"role": "system", "content": NOTE}
    assert two["instructions"].startswith(NOTE) and len(two["instructions"]) > len(NOTE) + 9
    assert three["system"][0] == {"type": "text", "text": NOTE} and len(three["system"]) == 2
    ask(proxy, RESPONSES, {"model": "m", "input": "x"})
    assert json.loads(upstream.seen[-1][2])["instructions"] == NOTE


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_a_report_counts_what_came_back_changed_and_what_was_invented(
    proxy, upstream, path, stream
):
    def report():
        answer = ask(proxy, path, body_of(path, "I am Priya Whitcombe.", stream=stream))
        text = answer.headers.get("dx-surrogates", "")
        if stream:
            (text,) = (line[17:] for line in answer.body.decode().split("\n")
                       if line.startswith(": dx-surrogates: "))  # fmt: skip
        return dict(part.split("=") for part in text.split()[1:])

    count = report()
    assert int(count["PERSON"]) >= 1 and count["DATE"] == "1"  # of the system's text
    assert (count["restored"], count["changed"], count["invented"]) == ("1", "0", "0")
    upstream.change = lambda text: f"{text} https://a.example/{text.split()[-1]}"
    assert report()["changed"] == "1"
    upstream.change = lambda text: f"{text} And Wolfgang too."
    assert report()["invented"] == "1"


MARKS = [
    "[PERSON 1]", "PERSON 1", "<PERSON_1>", "[Person 1]", "[person 1]", "PERSON_1", "[PERSON_1]",
    "{PERSON 1}", "**PERSON 1**", "(PERSON 1)", "[PERSON-1]", "<person 1>", "PERSON1",
]  # fmt: skip
CHANGED_MARKS = ["Person 1", "person_1", "Person #1", "Person (1)", "person 1's"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_mark_that_comes_back_in_another_form_is_restored_or_counted(
    make_proxy, upstream, stream
):
    proxy, upstream.size = make_proxy(policy="person=mask,id=mask"), 1
    for mark in (*MARKS, *CHANGED_MARKS):
        upstream.change = lambda text, mark=mark: f"Dear {mark}, see PERSON 12."
        answer = ask(proxy, CHAT, turns_of("I am Priya Whitcombe.") | {"stream": stream})
        text, report = said(answer, CHAT, stream), answer.headers.get("dx-surrogates")
        report = report or answer.body.decode().partition("dx-surrogates: ")[2]
        if mark in MARKS:
            around = {"**PERSON 1**": "**{}**", "(PERSON 1)": "({})"}.get(mark, "{}")
            assert text == f"Dear {around.format('Priya Whitcombe')}, see PERSON 12."
            assert " changed=0 " in report and "PERSON" in report
        else:
            assert text == f"Dear {mark}, see PERSON 12." and " changed=1 " in report
    upstream.change = lambda text: "See ID 1 of the list, and ID_1."
    prompt = "Her passport is 925076473."
    answer = ask(proxy, CHAT, turns_of(prompt) | {"stream": stream})
    assert said(answer, CHAT, stream) == "See ID 1 of the list, and 925076473."


def test_a_form_of_a_mark_that_the_text_has_is_the_text(make_proxy, upstream):
    prompt = "PERSON 1 of the table is Priya Whitcombe, not PERSON_2."
    assert content(ask(make_proxy(policy="person=mask"), CHAT, turns_of(prompt))) == prompt


def test_one_line_a_request_is_logged_without_text(make_proxy, upstream, caplog):
    proxy = make_proxy(policy="phone=block")
    with caplog.at_level(logging.INFO, logger="spacy_dxprivacy"):
        for stream in (False, True):
            ask(proxy, CHAT, body_of(CHAT, "I am Priya Whitcombe.", stream=stream))
            ask(proxy, MESSAGES, body_of(MESSAGES, "Call (415) 867-5309.", stream=stream))
            ask(proxy, MESSAGES, body_of(MESSAGES, "x", who="Okonkwo", stream=stream))
    lines = [record.getMessage() for record in caplog.records]
    form = (
        r"[0-9a-f]{8} (chat/completions 200 .*PERSON=\d.* restored=\d.*|messages 4(22|00) ) \d+ ms"
    )
    assert len(lines) == 6 and all(re.fullmatch(form, line) for line in lines), lines
    assert not [name for name in NAMES if name in "".join(lines)]


def test_reasoning_of_the_responses_api_goes_back_as_it_came_and_no_other(
    proxy, upstream, monkeypatch
):
    upstream_item = {
        "type": "reasoning",
        "id": f"rs_{'0123456789abcdef' * 3}",
        "encrypted_content": "eA==",
    }
    original = Upstream.response

    def thinking(handler, body, text):
        whole = original(handler, body, text)
        said = {**upstream_item, "summary": [{"type": "summary_text", "text": "x"}]}
        return {**whole, "output": [said, *whole["output"]]}

    monkeypatch.setattr(Upstream, "response", thinking)
    item = ask(proxy, RESPONSES, {"model": "m", "input": "Hello."}).json["output"][0]
    for changed, right in (({}, True), ({"encrypted_content": "eB=="}, False),
                           ({"id": "Whitcombe"}, False)):  # fmt: skip
        turns = [item | changed, {"role": "user", "content": "And?"}]
        assert ask(proxy, RESPONSES, {"model": "m", "input": turns}).status == 200
        sent = json.loads(upstream.seen[-1][2])["input"]
        assert sent[:-1] == ([{**upstream_item, "summary": []}] if right else [])


def test_a_conversation_that_many_share_does_not_grow_for_ever():
    held = Conversations(characters=4000)
    for i in range(50):
        held.of("ann", "hello").add(("", str(i)), Sent("x" * 500))
    assert held.of("ann", "hello").size < 3000


def test_functions_of_agents_and_of_the_settings_pass_whatever_they_are_called(
    make_proxy, upstream
):
    names = ["Grep", "KillShell", "Bash", "TodoWrite", "WebFetch", "mcp__github__create_issue"]
    tools = [{"name": name, "description": "It helps.", "input_schema": {}} for name in names]
    assert ask(make_proxy(), MESSAGES, message(tools=tools)).status == 200
    assert [tool["name"] for tool in json.loads(upstream.seen[-1][2])["tools"]] == names
    other = [{"name": "find_okonkwo", "description": "It helps.", "input_schema": {}}]
    assert ask(make_proxy(), MESSAGES, message(tools=other)).status == 400
    assert ask(make_proxy(tools=("find_okonkwo",)), MESSAGES, message(tools=other)).status == 200
