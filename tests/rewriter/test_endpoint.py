"""dx.ChatEndpoint.v1: prompts go to the named host and nowhere else, and answers come in order."""

import json
import pickle
import time
import traceback
from itertools import count

import pytest
from conftest import leaks
from endpoint import Handler, chat, serving
from ports import free_port

from spacy_dxprivacy import DxError, registry
from spacy_dxprivacy.errors import EndpointError
from spacy_dxprivacy.rewriter import make_chat_endpoint, make_prompt

SECRET = "Zorblattovich had asthma in Quuxington"
QUICK = {"seconds": 0.2, "retries": 1}  # a wait is no longer than a request


def prompts_of(*texts):
    return [make_prompt("Rewrite.", text) for text in texts]


def ask(url, *texts, **settings):
    (answers,) = make_chat_endpoint(url, "small", **{**QUICK, **settings})([prompts_of(*texts)])
    return answers


def failure(url, **settings):
    """The error of a request; neither it nor its traceback has the text."""
    with pytest.raises(EndpointError) as caught:
        ask(url, SECRET, **settings)
    assert not leaks("".join(traceback.format_exception(caught.value)))
    assert SECRET not in repr(vars(caught.value))
    return str(caught.value)


def test_answers_come_in_the_order_and_groups_of_their_prompts():
    def script(text):
        time.sleep(0.02 * (9 - int(text)))  # later ones answer first
        return f"answer {text}"

    with serving(script) as server:
        model = make_chat_endpoint(server.url, "small", at_once=3)
        answers = model([prompts_of("1", "2", "3", "4"), [], prompts_of("5", "6", "7", "8")])
    numbers = [1, 2, 3, 4], [], [5, 6, 7, 8]
    assert answers == [[f"answer {number}" for number in group] for group in numbers]
    assert 1 < server.most <= 3


def test_a_request_has_the_prompt_the_settings_and_the_key(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-1")
    with serving(str.upper) as server:
        assert ask(server.url, "a", temperature=0.0, key_variable="MY_KEY") == ["A"]
        assert ask(server.url.removesuffix("/v1"), "a", temperature=None) == ["A"]
    (path, headers, raw), (other_path, other_headers, other_raw) = server.seen
    body, other = json.loads(raw), json.loads(other_raw)
    assert path == other_path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer sk-1" and "Authorization" not in other_headers
    assert body["messages"] == [{"role": "user", "content": prompts_of("a")[0]}]
    assert (body["model"], body["temperature"]) == ("small", 0.0) and "temperature" not in other


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_full_endpoint_is_asked_again_and_is_an_error_at_last(status):
    numbers = count()

    def script(text):
        full = (status, b"full of " + text.encode(), {"retry-after": "0"})
        return text if next(numbers) else full

    with serving(script) as server:
        assert ask(server.url, "a") == ["a"]
    with serving(lambda text: (status, text.encode(), {"retry-after": "900"})) as server:
        assert f"DX192] The endpoint 127.0.0.1:{server.server_port}" in failure(server.url)
    assert len(server.seen) == 2


def test_it_waits_as_long_as_a_full_endpoint_asks_for(monkeypatch):
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with serving(lambda text: (429, b"", {"retry-after": "7"})) as server:
        failure(server.url, seconds=9, retries=4)
    assert waits == [7, 7, 7, 8]


def test_an_endpoint_that_is_missing_is_an_error_at_once():
    begun = time.monotonic()
    why = failure(f"http://127.0.0.1:{free_port()}/v1", seconds=30, retries=9)
    assert "DX190" in why and "--rewrite" in why and time.monotonic() - begun < 5


def test_a_slow_endpoint_is_an_error():
    with serving(lambda text: time.sleep(0.5) or text) as server:
        why = failure(server.url, retries=9)
    assert "DX191" in why and "0.2 seconds" in why and len(server.seen) == 1


def test_an_answer_that_comes_in_drops_is_slow(monkeypatch):
    def drip(handler, answer):
        handler.send_response(200)
        handler.send_header("content-length", "40")
        handler.end_headers()
        for _ in range(40):
            time.sleep(0.02)
            handler.wfile.write(b" ")

    monkeypatch.setattr(Handler, "send", drip)
    with serving(str) as server:
        assert "DX191" in failure(server.url, retries=0)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>" + SECRET.encode(), b"{}", b"[]", b'{"choices": []}',
        b'{"choices": [{"message": 3}]}', b"\xff\xfe", b"[" * 99_999,
    ],
)  # fmt: skip
def test_nonsense_is_an_error_after_another_try(body):
    with serving(lambda text: (200, body, {})) as server:
        assert "DX195" in failure(server.url)
    assert len(server.seen) == 2


def test_an_answer_without_end_is_an_error(monkeypatch):
    monkeypatch.setattr("spacy_dxprivacy.rewriter.MAX_ANSWER_BYTES", 1000)
    with serving(lambda text: "a" * 2000) as server:
        assert "DX195" in failure(server.url)


def test_an_answer_that_breaks_off_is_asked_for_again():
    numbers = count()

    def script(text):
        cut = (200, chat(text)[:9], {"content-length": "99", "connection": "close"})
        return text if next(numbers) else cut

    with serving(script) as server:
        assert ask(server.url, "a", seconds=5) == ["a"]
    assert len(server.seen) == 2


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_an_error_at_once(status):
    with serving(lambda text: (status, text.encode(), {})) as server:
        assert "DX193" in failure(server.url)
    assert len(server.seen) == 1


@pytest.mark.parametrize("key", [None, "", "a\nb", "ä"])
def test_a_missing_key_is_an_error_before_a_request(key, monkeypatch):
    if key is not None:
        monkeypatch.setenv("MY_KEY", key)
    with serving(str) as server:
        assert "MY_KEY" in failure(server.url, key_variable="MY_KEY")
    assert server.seen == []


@pytest.mark.parametrize("status", [404, 405])
def test_an_unknown_model_or_path_is_an_error_at_once(status):
    with serving(lambda text: (status, b"", {})) as server:
        assert "DX194" in failure(server.url)
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_neither_text_nor_key_follows_a_redirect(status):
    with serving(str) as other:
        with serving(lambda text: (status, b"", {"location": other.url})) as server:
            assert "DX194" in failure(server.url)
    assert other.seen == []


def test_a_proxy_of_the_environment_reads_nothing_for_this_machine(monkeypatch):
    with serving(str) as proxy, serving(str) as server:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        assert ask(server.url, "a") == ["a"]
    assert proxy.seen == []


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_rejected_prompt_has_no_answer_and_others_have(status):
    with serving(lambda text: (status, b"", {}) if text == "b" else text) as server:
        assert ask(server.url, "a", "b", "c") == ["a", "", "c"]


@pytest.mark.parametrize("answer", [(200, chat("cut", finish="length"), {}), (200, chat(None), {})])
def test_an_answer_that_was_cut_off_is_none(answer):
    with serving(lambda text: answer) as server:
        assert ask(server.url, "a") == [""]


@pytest.mark.parametrize(
    "url", ["", "here", "ftp://a", "http://", "http://me:word@a", "http://a?key=1", "http://a:b"]
)
def test_a_wrong_url_is_refused_and_not_repeated(url):
    with pytest.raises(DxError, match="base_url") as caught:
        make_chat_endpoint(url, "small")
    assert "word" not in str(caught.value).replace("password", "")


@pytest.mark.parametrize(
    "settings",
    [{"model": " "}, {"temperature": -1}, {"seconds": 0}, {"retries": -1}, {"at_once": 0}],
)
def test_a_setting_out_of_range_is_refused(settings):
    with pytest.raises(DxError, match=min(settings)):
        make_chat_endpoint(**{"base_url": "http://a", "model": "small", **settings})


def test_a_model_has_a_name_and_a_host_and_is_registered_beside_those_of_spacy_llm():
    model = registry.llm_models.get("dx.ChatEndpoint.v1")("https://a.example:8/v1/", "small")
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert (copy.name, copy.host) == ("small", "a.example:8")


def test_a_model_that_is_not_known_names_the_extra():
    with pytest.raises(DxError, match=r"\[llm\]"):
        registry.llm_models.get("spacy.GPT-99.v1")
