"""Answers of models: which function gets originals, in whole answers and in streams."""

import json
import time

import pytest

from spacy_dxprivacy.prompts.answers import PROVIDERS, AnswerRestorer
from spacy_dxprivacy.prompts.requests import InvalidAnswer

ROWS = {"percy": ("Priya", [], False), "ilene cartwright": ("Ulla Zorblatt", [], False)}
GIVEN = json.dumps({"whom": "Percy", "n": 3})


def restorer_of(api, tools=("find",), offered=("find", "web", "find_web", "_web")):
    return AnswerRestorer(PROVIDERS[api], ROWS, tools, escaped=False, offered=offered)


def played(api, events, **settings):
    """All that a client gets of a stream."""
    restorer = restorer_of(api, **settings)
    sent = [out for event in events for out in restorer.events(event)]
    return json.dumps([*sent, *restorer.end()])


def chat(*calls, done=True):
    """Pieces of calls: (index, name or None, piece of the arguments)."""
    for index, name, piece in calls:
        function = ({"name": name} if name is not None else {}) | {"arguments": piece}
        delta = {"tool_calls": [{"index": index, "function": function}]}
        yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    if done:
        yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def legacy(*calls):
    for name, piece in calls:
        function = ({"name": name} if name is not None else {}) | {"arguments": piece}
        yield {"choices": [{"index": 0, "delta": {"function_call": function}}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "function_call"}]}


def messages(*steps):
    """Steps: (index, name) begins a block, (index, None) ends it, else (index, piece, "")."""
    for index, what, *piece in steps:
        if piece:
            delta = {"type": "input_json_delta", "partial_json": what}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        elif what is None:
            yield {"type": "content_block_stop", "index": index}
        else:
            block = {"type": "tool_use", "id": f"toolu_{index}", "name": what, "input": {}}
            yield {"type": "content_block_start", "index": index, "content_block": block}


def responses(*steps):
    """Steps: (index, id, name) adds an item, (index, id, piece, "") is a piece of it."""
    for index, item, what, *piece in steps:
        place = {"output_index": index, "item_id": item}
        kind = "response.function_call_arguments"
        if piece:
            yield {"type": f"{kind}.delta", "delta": what, **place}
        elif what is None:
            yield {"type": f"{kind}.done", "arguments": GIVEN, **place}
        else:
            added = {"type": "function_call", "id": item, "name": what, "arguments": ""}
            yield {"type": "response.output_item.added", "output_index": index, "item": added}


NAMED = {
    "at once": ("chat", [*chat((0, "find", GIVEN))]),
    "two": ("chat", [*chat((0, "find", GIVEN), (1, "find", GIVEN))]),
    "name in pieces": ("chat", [*chat((0, "fi", ""), (0, "nd", ""), (0, None, GIVEN))]),
    "name after": ("chat", [*chat((0, None, GIVEN[:4]), (0, "find", GIVEN[4:]))]),
    "empty": ("chat", [*chat((0, "find", ""), (0, "", GIVEN[:4]), (0, None, GIVEN[4:]))]),
    "legacy": ("chat", [*legacy(("find", ""), (None, GIVEN[:3]), (None, GIVEN[3:]))]),
    "block": ("messages", [*messages((0, "find"), (0, GIVEN[:5], ""), (0, GIVEN[5:], ""),
                                     (0, None))]),
    "item": ("responses", [*responses((0, "f", "find"), (0, "f", GIVEN, ""), (0, "f", None))]),
}  # fmt: skip
UNNAMED = {
    "joined": ("chat", [*chat((0, "find", ""), (0, "_web", ""), (0, None, GIVEN))]),
    "joined late": ("chat", [*chat((0, "find", GIVEN), (0, "_web", ""))]),
    "joined within": ("chat", [*chat((0, "find", GIVEN[:5]), (0, "_web", GIVEN[5:]))]),
    "replaced": ("chat", [*chat((0, "web", ""), (0, "find", GIVEN))]),
    "repeated": ("chat", [*chat((0, "find", ""), (0, "find", GIVEN))]),
    "no name": ("chat", [*chat((0, None, GIVEN))]),
    "an object": ("chat", [*chat((0, {"name": "find"}, GIVEN))]),
    "out of order": ("chat", [*chat((1, "find", ""), (0, "web", ""), (1, None, GIVEN))]),
    "legacy": ("chat", [*legacy(("find", GIVEN), ("_web", ""))]),
    "legacy late": ("chat", [*legacy((None, GIVEN), ("web", ""))]),
    "no end": ("chat", [*chat((0, "find", GIVEN), (0, "_web", ""), done=False)]),
    "one index": ("messages", [*messages((0, "find"), (0, "web"), (0, GIVEN, ""), (0, None))]),
    "one index, first": ("messages", [*messages((0, "web"), (0, "find"), (0, GIVEN, ""))]),
    "between": ("messages", [*messages((0, "find"), (0, GIVEN, ""), (0, "web"), (0, None))]),
    "blocks in disorder": ("messages", [*messages((1, "find"), (0, "web"), (1, GIVEN, ""),
                                                  (1, None))]),
    "item twice": ("responses", [*responses((0, "f", "find"), (0, "g", "web"), (0, "f", GIVEN, ""),
                                            (0, "f", None))]),
    "two ids": ("responses", [*responses((0, "f", "find"), (1, "g", "web"), (0, "g", GIVEN, ""),
                                         (0, "g", None))]),
    "two indices": ("responses", [*responses((0, "f", "find"), (1, "g", "web"), (1, "f", GIVEN, ""),
                                             (1, "f", None))]),
    "id twice": ("responses", [*responses((0, "f", "find"), (1, "f", "web"), (0, "f", GIVEN, ""))]),
    "disorder": ("responses", [*responses((1, "f", "find"), (0, "g", "web"), (1, "f", GIVEN, ""))]),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMED)
def test_arguments_of_a_named_function_get_originals_in_a_stream(case):
    api, events = NAMED[case]
    assert "Priya" in played(api, events) and "Percy" not in played(api, events)


@pytest.mark.parametrize("case", UNNAMED)
def test_arguments_keep_surrogates_unless_no_client_reads_another_name(case):
    api, events = UNNAMED[case]
    sent = played(api, events)
    assert "Priya" not in sent and "Percy" in sent
    assert "Priya" in played(api, events, tools=("*",))
    assert "Priya" not in played(api, events, tools=())


@pytest.mark.parametrize(
    "api, events",
    [
        ("chat", [*chat((0, "find", GIVEN)), *chat((0, "_web", ""))]),
        ("chat", [*chat((0, None, GIVEN)), *chat((0, "find", ""))]),
        ("messages", [*messages((0, "find"), (0, GIVEN, ""), (0, None), (0, "web"))]),
        ("responses", [*responses((0, "f", "find"), (0, "f", GIVEN, ""), (0, "f", None),
                                  (0, "g", "web"))]),
        ("responses", [*responses((0, "f", "find"), (0, "f", GIVEN, ""), (0, "f", None),
                                  (1, "f", "web"))]),
    ],
)  # fmt: skip
def test_a_name_that_comes_after_its_arguments_ended_breaks_the_stream(api, events):
    with pytest.raises(InvalidAnswer):
        played(api, events)


def test_arguments_of_other_functions_come_piece_by_piece():
    restorer = restorer_of("chat", offered=("web",))
    pieces = [restorer.events(event) for event in chat((0, "web", ""), (0, None, GIVEN))]
    assert pieces[1] == [*chat((0, None, GIVEN), done=False)]


def test_a_stream_takes_linear_time():
    def seconds(count):
        restorer, start = restorer_of("chat"), time.thread_time()
        for i in range(count):
            delta = {"content": "Percy, and "[i % 11 :][:4]}
            restorer.events({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        restorer.events({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        restorer.report(["Percy"])
        return time.thread_time() - start

    assert min(seconds(20_000) for _ in range(2)) < 8 * min(seconds(5_000) for _ in range(2))


# -- whole answers, and events that hold one ----------------------------------------------------

FORMS = {
    "object": {"whom": "Percy", "text": "Percy"},
    "list": ["Percy", {"text": "Ilene Cartwright"}],
    "string of JSON": '{"text": "Percy"}',
    "string": "Percy",
    "nested": {"a": {"content": [{"type": "text", "text": "Percy"}]}},
}  # fmt: skip
PLACES = {
    "chat": lambda call: {"choices": [{"index": 0, "message": {"tool_calls": [
        {"id": "c", "type": "function", "function": call}]}}]},
    "legacy": lambda call: {"choices": [{"message": {"function_call": call}}]},
    "delta": lambda call: {"choices": [{"delta": {"tool_calls": [{"function": call}]}}]},
    "response": lambda call: {"output": [{"type": "function_call", "id": "f", **call}]},
    "mcp": lambda call: {"output": [{"type": "mcp_call", "output": "x", **call}]},
    "message": lambda call: {"content": [{"type": "tool_use", "name": call["name"],
                                          "input": call["arguments"]}]},
    "completed": lambda call: {"type": "response.completed", "response": {
        "output": [{"type": "function_call", **call}]}},
    "added": lambda call: {"type": "response.output_item.done", "output_index": 0,
                           "item": {"type": "function_call", **call}},
    "done": lambda call: {"type": "response.function_call_arguments.done", "output_index": 0,
                          **call},
    "block": lambda call: {"type": "content_block_start", "index": 0, "content_block": {
        "type": "tool_use", "name": call["name"], "input": call["arguments"]}},
}  # fmt: skip
APIS = {"message": "messages", "block": "messages", "chat": "chat", "legacy": "chat",
        "delta": "chat"}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", FORMS)
def test_arguments_get_originals_in_named_functions_alone_whatever_their_type(place, form):
    answer = PLACES[place]({"name": "web", "arguments": FORMS[form]})
    restorer = restorer_of(APIS.get(place, "responses"))
    sent = restorer.restore(answer)
    assert sent == answer or (
        place == "delta" and "Priya" not in json.dumps([sent, restorer.end()])
    )
    if place != "delta":  # an object is no piece of a string
        named = PLACES[place]({"name": "find", "arguments": FORMS[form]})
        sent = json.dumps(restorer_of(APIS.get(place, "responses")).restore(named))
        assert "Percy" not in sent and "Cartwright" not in sent


ACTIONS = [
    {"type": "computer_call", "action": {"type": "type", "text": "Percy"}},
    {"type": "custom_tool_call", "name": "web", "input": "Percy", "content": "Percy"},
    {"type": "web_search_call", "action": {"query": "Percy", "content": "Percy"}},
    {"type": "server_tool_use", "name": "web_search", "input": {"text": "Percy"}},
    {"type": "local_shell_call", "action": {"command": ["curl", "Percy"], "text": "Percy"}},
    {"type": "shell_call", "text": "Percy"},
    {"type": "image_generation_call", "content": [{"type": "text", "text": "Percy"}]},
]


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("api, field", [("responses", "output"), ("messages", "content")])
def test_what_a_model_lets_others_do_gets_no_originals(action, api, field):
    answer = {field: [action, {"type": "message", "content": [{"text": "Percy"}]}]}
    restored = restorer_of(api).restore(answer)
    assert restored[field][0] == action and restored[field][1]["content"][0]["text"] == "Priya"
