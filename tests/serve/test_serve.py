"""The service: what it answers, whom, how much, and that nothing of a text is anywhere else."""

import asyncio
import json
import logging
import random
import re
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest
from conftest import space_options

pytest.importorskip("fastapi", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

from asgi import app_of, ask, asked
from ports import free_port, wait_for
from spacy.language import Language
from starlette.datastructures import URL
from starlette.requests import HTTPConnection
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, Guarantee, UsageError
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.config.options import PipelineOptions, ServiceOptions
from spacy_dxprivacy.io.build import make_anonymizer, make_pipeline
from spacy_dxprivacy.registries import registry
from spacy_dxprivacy.serve.app import account_of, check
from spacy_dxprivacy.serve.service import Guard, add_token, read_callers

MECHANISM = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 2.0}
SECRET = "Xantippe"
TOKENS = {"a" * 24: "ann", "b" * 24: "bob"}
ANN, BOB = ({"authorization": f"Bearer {token}"} for token in TOKENS)
LONG = "moon " * 250  # more characters than a small request has
NAP, BURN = 0.05, 1.5  # seconds


@Language.component("test_trap")
def trap(doc):
    """Does what a text says that begins with one of these words."""
    word = doc[0].text if len(doc) else ""
    if word == "sleep":
        time.sleep(NAP)
    elif word == "burn":
        time.sleep(BURN)
    elif word == "crash":
        raise KeyError(doc.text)
    return doc


def fail(*args, **named):
    raise KeyError(SECRET)


@pytest.fixture
def make_pipe(make_nlp):
    def make():
        made = make_nlp(mechanism=MECHANISM)
        made.add_pipe("test_trap", first=True)
        return made

    return make


@pytest.fixture
def make_service(make_pipe):
    """make_service(tokens=..., budget=..., path=..., **limits) -> the ASGI."""
    with ExitStack() as stack:

        def make(*, tokens=None, budget=None, path=None, **limits):
            pipelines, limits = [make_pipe() for _ in range(2)], ServiceOptions(**limits)
            return app_of(stack, pipelines, limits, tokens=tokens, budget=budget, path=path)

        yield make


@pytest.fixture
def service(make_service):
    return make_service()


# -- what it answers ------------------------------------------------------------------------------


def test_one_text_and_its_receipt(service, space):
    answer = ask(service, "/sanitize", {"text": "the doctor and the king.", "receipts": True})
    assert answer.status == 200 and answer.headers["cache-control"] == "no-store"
    told = answer.json["receipt"]
    assert (
        told["perturbed"] == 5
        and told["kept"] == 1
        and told["loss"]["plain"] == pytest.approx(10.0)
    )
    words = set(answer.json["text"].rstrip(".").lower().split())
    assert words <= {word.lower() for word in space.words}


def test_several_come_in_order_and_an_empty_one_stays_empty(service):
    texts = ["the king", "", "a", SECRET]
    answer = ask(service, "/sanitize", {"texts": texts, "receipts": True})
    assert [len(text.split()) for text in answer.json["texts"]] == [2, 0, 1, 1]
    assert SECRET not in str(answer.json)
    assert [one["draws"] for one in answer.json["receipts"]] == [2, 0, 1, 0]


def test_the_endpoint_of_presidios_anonymizer(service):
    """Its documentation's own example, and what its clients read of the answer."""
    body = {
        "text": "hello world, my name is Jane Doe. My number is: 034453334",
        "analyzer_results": [
            {"start": 24, "end": 32, "score": 0.8, "entity_type": "NAME"},
            {"start": 24, "end": 28, "score": 0.8, "entity_type": "FIRST_NAME"},
            {"start": 29, "end": 32, "score": 0.6, "entity_type": "LAST_NAME"},
            {"start": 48, "end": 57, "score": 0.95, "entity_type": "PHONE_NUMBER"},
        ],
    }
    drawn = ask(service, "/anonymize", body).json
    assert "Jane" not in drawn["text"] and drawn["text"].startswith("hello world, my name is ")
    assert [i["entity_type"] for i in drawn["items"]] == ["PHONE_NUMBER", "NAME"]
    for item in drawn["items"]:
        assert drawn["text"][item["start"] : item["end"]] == item["text"]


@pytest.fixture
def anonymize(make_pipe):
    """anonymize(text, (words, label), ...) -> the answer of /anonymize, by surrogates."""
    with ExitStack() as stack:
        anonymizer = make_anonymizer(PipelineOptions())
        service = app_of(stack, [make_pipe(), make_pipe()], ServiceOptions(), anonymizer=anonymizer)

        def answer(text, *entities):
            places = [(text.index(words), len(words), label) for words, label in entities]
            found = [
                {"start": start, "end": start + size, "score": 0.8, "entity_type": label}
                for start, size, label in places
            ]
            got = ask(service, "/anonymize", {"text": text, "analyzer_results": found})
            assert got.status == 200, got.body
            for item in got.json["items"]:
                assert got.json["text"][item["start"] : item["end"]] == item["text"]
            return got.json

        yield answer


NOTE = "hello Jane Doe, call 034453334 or 415-867-5309. Mrs. Doe, order AX-4419/b, on 12/25/2020."


@pytest.mark.parametrize("label", ["PERSON", "NAME", "PER"])
def test_entities_that_come_with_a_text_become_surrogates(anonymize, label):
    made = anonymize(
        NOTE, ("Jane Doe", label), ("034453334", "PHONE_NUMBER"), ("12/25/2020", "DATE_TIME"),
        ("AX-4419/b", "CASE_FILE"),
    )  # fmt: skip
    form = (
        r"hello (\w+) ([\w'-]+), call \d{9} or 415-867-5309\. "  # the analyzer has not named it
        r"Mrs\. ([\w'-]+), order [A-Z]{2}-\d{4}/[a-z], on \d\d/\d\d/\d{4}\."
    )
    found = re.fullmatch(form, made["text"])
    assert found and found[2] == found[3]  # one person has one name, also where none was marked
    assert [item["entity_type"] for item in made["items"]] == [
        "DATE_TIME", "CASE_FILE", "PHONE_NUMBER", label,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Re\u0301ne\u0301e Ala\u00efn called.", "Re\u0301ne\u0301e Ala\u00efn"),
        ("(Jane Doe)", "Jane Doe"), ("Jane Doe", "Jane Doe"), ("by:Jane Doe;", "Jane Doe"),
        ("Jane\u200b Doe came.", "Jane\u200b Doe"),
    ],
)  # fmt: skip
def test_entities_are_found_where_the_text_is_not_in_normal_form(anonymize, text, words):
    made = anonymize(text, (words, "PERSON"))
    (item,) = made["items"]
    assert item["text"] not in ("", words) and words not in made["text"]


def test_a_text_without_entities_is_returned_as_it_is(anonymize):
    assert anonymize("hello world") == {"text": "hello world", "items": []}


@pytest.mark.parametrize(
    "options", [{"mechanism": "laplace"}, {"epsilon": 3.0}, {"config": "x"}, {"surrogates": "none"}]
)
def test_who_chooses_a_mechanism_gets_sampled_words(options):
    assert make_anonymizer(PipelineOptions(**options)) is None


def span(start, end):
    return {"text": "short", "analyzer_results": [
        {"start": start, "end": end, "entity_type": "PERSON"}]}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "body"),
    [
        *[("/anonymize", span(*at)) for at in ((-1, 2), (3, 3), (0, 99), (True, 2), ("0", 2))],
        ("/anonymize", {"text": "a \ud800"}), ("/sanitize", {"text": "a \ud800"}),
        ("/sanitize", {"text": "a" * 100_001}), ("/sanitize", {"texts": ["a"] * 1001}),
    ],
)  # fmt: skip
def test_spans_outside_of_the_text_broken_unicode_and_too_much_are_refused(service, path, body):
    answer = ask(service, path, body)
    assert answer.status == 422 and "'" in answer.json["error"] and answer.json["error"].isascii()


WRONG = [
    ({"text": 5}, "'text' has to be a string"),
    ({}, "'the body' has to have one of `text` and `texts`"),
    ({"texts": ["a", 5]}, "'texts[1]' has to be a string"),
    ({"text": "a", "receipts": "yes"}, "'receipts' has to be true or false"),
    ({"text": "a", SECRET: 1}, "'the body' has a field that this route does not take"),
    ({"text": "a", "analyzer_results": [{"start": 0, "end": 1}]},
     "'analyzer_results[0].entity_type' is missing"),
    ({"text": "a", "analyzer_results": [{"start": -1, "end": 1, "entity_type": "X"}]},
     "'analyzer_results[0].start' has to be 0 or more"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_a_wrong_body_is_told_which_field_is_wrong_and_why(service, body, message):
    path = "/anonymize" if "analyzer_results" in body else "/sanitize"
    answer = ask(service, path, body)
    assert answer.status == 422 and message in answer.json["error"]
    assert SECRET not in answer.body.decode()


def test_each_request_is_a_line_in_the_log_without_text(make_service, caplog):
    service = make_service()
    with caplog.at_level(logging.INFO, logger="spacy_dxprivacy"):
        ask(service, "/sanitize", {"texts": ["the king", f"crash {SECRET}"]})
        ask(service, f"/{SECRET}", {"text": SECRET})
        ask(service, "/sanitize", {"text": 5})
        ask(service, "/health")
    forms = [
        r"sanitize 200 texts=2 failed=1 words=2 surrogates=0 \d+ ms", r"- 404  \d+ ms",
        r"sanitize 422  \d+ ms",
    ]  # fmt: skip
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3
    for line, form in zip(lines, forms, strict=True):
        assert re.fullmatch(rf"[0-9a-f]{{8}} {form}", line), line


# -- whom ------------------------------------------------------------------------------------------


HOSTS = {
    "localhost": 200, "127.0.0.1:8000": 200, "[::1]:8000": 200, "clean.example:80": 200,
    "evil.example": 400, "127.0.0.1.evil.example": 400, "": 400, "10.0.0.1:8000": 400,
}  # fmt: skip


def test_names_of_this_machine_and_those_told_are_answered_alone(make_service):
    service = make_service(host="Clean.example")
    for host, status in HOSTS.items():
        assert ask(service, "/health", host=host).status == status, host


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded"])
def test_a_page_of_somebody_else_cannot_send_without_asking(service, kind):
    assert ask(service, "/sanitize", {"text": "a"}, content_type=kind).status == 415


def test_a_token_is_wanted_where_there_are_any(make_service):
    service = make_service(tokens=TOKENS)
    for path in ("/sanitize", "/anonymize", "/about", "/budget"):
        body = {"text": "a"} if path in ("/sanitize", "/anonymize") else None
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": "a" * 24}):
            answer = ask(service, path, body, **given)
            assert answer.status == 401 and answer.headers["www-authenticate"] == "Bearer"
    assert ask(service, "/health").status == 200
    report = ask(service, "/budget", authorization=f"bearer {'a' * 24}").json
    assert report["caller"] == "ann" and report["draws"] == 0


MALFORMED_HOSTS = [
    "localhost:8000/health?x=", "localhost/health#", "localhost:8000/openapi.json?",
    "localhost\\health?", "localhost:8000/x/../health?", "127.0.0.1/health?a=", "[::1]/health?x=",
]  # fmt: skip


@pytest.fixture
def url_of_the_host(monkeypatch):
    """The URL of a request is made of its Host header unread, as by versions of Starlette before
    1.0.1."""

    def url(request):
        headers = request.headers
        return URL(f"http://{headers['host']}{request.scope['path']}")

    monkeypatch.setattr(HTTPConnection, "url", property(url))


@pytest.mark.parametrize("host", MALFORMED_HOSTS)
def test_a_host_header_does_not_choose_the_route(make_service, url_of_the_host, host):
    service = make_service(tokens=TOKENS)
    guard = service.build_middleware_stack()
    while not isinstance(guard, Guard):  # behind the check of host names
        guard = guard.app
    for path, body in (("/sanitize", {"text": "a"}), ("/about", None), ("/budget", None)):
        assert ask(guard, path, body, host=host).status == 401
        assert ask(service, path, body, host=host).status in (400, 401)


@pytest.mark.parametrize(
    "path",
    ["/health/", "//health", "/Health", "/health?x=", "/sanitize/..", "/x", "", "/openapi.json#",
     "/health\n", "/sanitize;a"],
)  # fmt: skip
def test_a_path_that_is_not_of_the_list_is_refused(make_service, path):
    service = make_service(tokens=TOKENS)
    assert ask(service, path).status == 401
    answer = ask(service, path, **ANN)
    assert answer.status == 404 and list(answer.json) == ["error"]


@pytest.mark.posix
def test_the_file_of_tokens(tmp_path):
    path = tmp_path / "callers"
    tokens = {name: add_token(path, name) for name in ("ann", "bob")}
    assert path.stat().st_mode & 0o777 == 0o600
    assert all(read_callers(path).name(f"Bearer {tokens[name]}") == name for name in tokens)
    with pytest.raises(UsageError, match="a name must be"):
        add_token(path, "no name")
    path.chmod(0o644)
    with pytest.raises(DxError, match="mode 600"):
        read_callers(path)
    path.chmod(0o600)
    for content in ("", "# none\n", f"ann {SECRET}\n", f"{SECRET}{'t' * 24}\n"):
        path.write_text(content)
        with pytest.raises(DxError) as caught:
            read_callers(path)
        assert SECRET not in str(caught.value)


def test_a_service_that_others_can_reach_takes_more():
    for settings, message in (
        ({"address": "0.0.0.0"}, "tokens"), ({"budget": 5.0}, "ledger"),
        ({"address": "0.0.0.0", "tokens": "x"}, "host"),
    ):  # fmt: skip
        with pytest.raises(DxError, match=message):
            ServiceOptions(**settings)
    assert ServiceOptions(address="::1").tokens is None  # this machine


# -- how much -------------------------------------------------------------------------------------


@pytest.mark.posix
def test_a_budget_is_spent_and_stays_so_after_a_restart(make_service, tmp_path):
    path = tmp_path / "spent.db"
    service = make_service(budget=9.0, path=path)
    for left in (5.0, 1.0):
        assert ask(service, "/sanitize", {"text": "the king"}).status == 200
        assert ask(service, "/budget").json["left"] == left
    again = make_service(budget=9.0, path=path)
    answer = ask(again, "/sanitize", {"text": "the king"})
    assert answer.status == 403 and "text" not in answer.json
    assert ask(again, "/budget").json["draws"] == 4
    assert path.stat().st_mode & 0o777 == 0o600
    assert b"king" not in path.read_bytes()


def test_guarantees_that_cannot_be_added_up_are_refused_and_so_is_what_is_no_ledger(tmp_path):
    one, other = (Guarantee("metric-dp", epsilon=1.0, metric="path", space=s) for s in "ab")
    account_of(tmp_path / "x.db", [one]).close()
    with pytest.raises(DxError, match="DX145"):
        account_of(tmp_path / "x.db", [other])
    with pytest.raises(UsageError, match="guarantee"):
        account_of(None, [Guarantee("none")], budget=5.0)
    for content in (b"no ledger", b"SQLite format 3\x00" + bytes(200)):
        (tmp_path / "y.db").write_bytes(content)
        with pytest.raises(DxError, match="DX144"):
            account_of(tmp_path / "y.db", [one])


@pytest.fixture(scope="module")
def entity_pipelines():
    return [make_pipeline(entities="person,date") for _ in range(2)]


@pytest.fixture
def make_entity_service(entity_pipelines, tmp_path):
    given = {"tokens": TOKENS, "path": tmp_path / "spent.db"}
    with ExitStack() as stack:
        yield partial(app_of, stack, entity_pipelines, ServiceOptions(), **given)


DATED = {"text": "Priya Whitcombe was born on 1983-04-27."}  # one shift of dates, 0.01 nats


def test_surrogates_cost_what_their_receipt_states(make_entity_service, entity_pipelines):
    loss = entity_pipelines[0](DATED["text"])._.dx.loss
    assert loss.plain == pytest.approx(0.01) and loss.rho > 0
    service = make_entity_service(budget=0.055)
    for number in range(1, 6):
        assert ask(service, "/sanitize", DATED, **ANN).status == 200
        spent = ask(service, "/budget", **ANN).json
        assert spent["plain"] == pytest.approx(number * loss.plain)
        assert spent["rho"] == pytest.approx(number * loss.rho) and spent["draws"] == 0
    for _ in range(2):  # a name costs nothing, and is still answered
        assert ask(service, "/sanitize", {"text": "I am Priya Whitcombe."}, **ANN).status == 200
    refused = ask(service, "/sanitize", DATED, **ANN)
    assert refused.status == 403 and "text" not in refused.json
    assert ask(service, "/budget", **ANN).json["epsilon"] == pytest.approx(0.05)
    assert ask(service, "/sanitize", DATED, **BOB).status == 200


def after_sixty(services, body):
    """Of 60 requests of two callers at once: by caller, the statuses and what is spent."""

    async def run():
        who = (ANN, BOB)
        asks = [asked(services[i % 2], "/sanitize", body, **who[i // 2 % 2]) for i in range(60)]
        answers = await asyncio.gather(*asks)
        return answers, [(await asked(services[0], "/budget", **who)).json for who in (ANN, BOB)]

    answers, budgets = asyncio.run(run())
    assert all("text" not in one.json for one in answers if one.status == 403)
    for who, spent in enumerate(budgets):
        yield sorted(one.status for i, one in enumerate(answers) if i // 2 % 2 == who), spent


def test_sixty_callers_at_once_spend_no_more_on_surrogates_than_their_budget(make_entity_service):
    for statuses, spent in after_sixty([make_entity_service(budget=0.055) for _ in "12"], DATED):
        assert statuses == [200] * 5 + [403] * 25
        assert spent["plain"] == pytest.approx(0.05)


def test_a_text_with_surrogates_that_fails_is_charged_for_all_that_it_may_have_drawn(
    make_entity_service, monkeypatch
):
    service = make_entity_service(budget=5.0)
    monkeypatch.setattr("spacy_dxprivacy.serve.service.results", fail)
    assert ask(service, "/sanitize", DATED, **ANN).status == 500
    spent = ask(service, "/budget", **ANN).json
    assert spent["plain"] == pytest.approx(8 * 0.01)  # if each of its words were a date


@dataclass(frozen=True)
class Open:
    """A surrogate without a guarantee."""

    name = "test.Open.v1"
    way = "drawn"
    in_clear = ()
    chance = 0.0
    guarantee = Guarantee("none")

    def replace(self, mentions, draws):
        return ["Nobody" for _ in mentions]


def test_a_budget_needs_surrogates_that_state_a_loss(make_nlp, tmp_path):
    registry.dx_surrogates("test.Open.v1")(Open)
    limits = ServiceOptions(budget=5.0, ledger=tmp_path / "spent.db")
    for name in ("dx.Name.v1", "dx.Keep.v1", "dx.Words.v1", "test.Open.v1"):
        nlp = make_nlp(mechanism=MECHANISM, surrogates={"PERSON": {"@dx_surrogates": name}})
        if name == "test.Open.v1":
            with pytest.raises(UsageError, match="guarantee that holds"):
                check(nlp, limits)
        else:
            assert all(guarantee.holds for guarantee in check(nlp, limits))


def test_a_body_that_was_not_read_ends_its_connection(make_service):
    service = make_service(max_bytes=50)
    unread = ask(service, "/sanitize", parts=[b'{"text": "', *[b"a " * 10] * 10])
    assert unread.status == 413 and unread.headers["connection"] == "close"
    read = ask(service, "/sanitize", {"texts": 5})
    assert read.status == 422 and "connection" not in read.headers


# -- nothing of a text anywhere else --------------------------------------------------------------


def test_a_text_that_fails_tells_nothing_and_is_charged(service, caplog, capfd):
    async def run():
        with caplog.at_level(logging.DEBUG):
            lost = await asked(service, "/sanitize", {"text": f"crash {SECRET}"})
        budget = await asked(service, "/budget")
        return lost, budget.json["draws"], await asked(service, "/sanitize", {"text": "the king"})

    lost, draws, after = asyncio.run(run())
    assert (lost.status, draws, after.status) == (422, 2, 200) and SECRET.encode() not in lost.body
    assert SECRET not in caplog.text + "".join(capfd.readouterr())


def test_a_fault_of_a_thread_is_charged_and_gives_nothing_out(make_service, monkeypatch, caplog):
    async def run():
        answer = await asked(service, "/sanitize", {"text": f"the king {SECRET}"})
        return answer, (await asked(service, "/budget")).json["draws"]

    monkeypatch.setattr("spacy_dxprivacy.serve.service.results", fail)
    service = make_service()
    answer, draws = asyncio.run(run())
    assert (answer.status, draws, list(answer.json)) == (500, 3, ["error"])
    assert SECRET not in caplog.text + answer.body.decode()


def test_health_says_when_a_thread_will_not_end(make_service):
    async def run():
        burning = asyncio.ensure_future(asked(service, "/sanitize", {"text": "burn"}))
        await asyncio.sleep(0.4)
        return (await asked(service, "/health")).status, (await burning).status

    service = make_service(max_seconds=0.03)
    assert asyncio.run(run()) == (503, 504)


def test_a_fault_of_ours_tells_its_kind_and_place_alone(make_service, caplog, capfd, monkeypatch):
    monkeypatch.setattr("spacy_dxprivacy.serve.app.SanitizeAnswer", fail)
    answer = ask(make_service(), "/sanitize", {"text": SECRET})
    assert answer.status == 500 and "error" in answer.json
    told = caplog.text + "".join(capfd.readouterr()) + answer.body.decode()
    assert "KeyError" in caplog.text and SECRET not in told


@pytest.mark.parametrize("path", ["/sanitize", "/anonymize"])
def test_a_client_that_goes_away_leaves_no_trace_and_is_charged(make_service, caplog, capfd, path):
    service = make_service(budget=5000.0, max_seconds=0.5)

    async def run():
        for parts in ([b'{"text": "the', None], [b'{"text": "burn the king"}', None]):
            await asked(service, path, parts=parts, pause=0.05)
        await asyncio.sleep(BURN)  # until what began has ended
        return (await asked(service, "/budget")).json["draws"]

    with caplog.at_level(logging.DEBUG, logger="spacy_dxprivacy"):
        draws = asyncio.run(run())
    assert draws == (2 if path == "/sanitize" else 0)  # there no entity is named
    assert len(caplog.messages) == 3  # a line a request, without text
    assert "king" not in caplog.text and not "".join(capfd.readouterr())


def broken_requests(count, seed=0):
    """(path, body, headers), all of which hold the secret and none of which is right."""
    draw = random.Random(seed)
    right = json.dumps({"text": f"{SECRET} and the king", "receipts": False}).encode()
    wrong = [
        {"text": SECRET, SECRET: 1}, {"texts": SECRET}, {"text": [SECRET]}, [SECRET], SECRET,
        {"text": SECRET, "receipts": SECRET}, {"texts": [SECRET, 5]}, {"text": None}, {},
        {"text": SECRET, "analyzer_results": [{"start": 0, "end": 5, SECRET: 1}]},
        {"text": SECRET, "analyzer_results": SECRET}, {"text": SECRET, "anonymizers": [SECRET]},
        {"text": "\ud800" + SECRET},
    ]  # fmt: skip
    nested = b"[" * 100_000 + SECRET.encode()
    for _ in range(count):
        cut = right[: draw.randrange(len(right) - 1)]
        mixed = bytes(draw.choices(right, k=len(right))) + b"\xff" + SECRET.encode()
        body = draw.choice([cut, mixed, json.dumps(draw.choice(wrong)).encode(), nested])
        path = draw.choice(["/sanitize", "/anonymize", f"/{SECRET}", "/sanitize/", "/health"])
        kind = draw.choice(["application/json"] * 5 + ["text/plain", SECRET])
        yield path, body, {"content_type": kind}


def test_broken_requests_are_answered_without_text_or_stack(service, caplog, capfd):
    async def all_of_them():
        return [
            await asked(service, path, body, **headers)
            for path, body, headers in broken_requests(150)
        ]

    for answer in asyncio.run(all_of_them()):
        assert 400 <= answer.status < 500
        assert SECRET.encode() not in answer.body and b"Traceback" not in answer.body
        assert list(answer.json) == ["error"] and SECRET not in str(answer.headers)
    assert SECRET not in caplog.text + "".join(capfd.readouterr())


# -- one caller does not stall the others ---------------------------------------------------------


def test_a_body_that_trickles_in_has_one_deadline(make_service):
    service = make_service(max_seconds=0.2)
    start = time.perf_counter()
    answer = ask(service, "/sanitize", parts=[b" "] * 100, pause=0.02)
    assert answer.status == 408
    assert time.perf_counter() - start < 0.9  # not the two seconds that all parts take


def test_an_expensive_text_leaves_others_served_and_is_charged_when_it_ends(make_service):
    service = make_service(tokens=TOKENS, budget=5000.0, max_seconds=0.5)

    async def run():
        texts = {"texts": [f"burn {LONG}", *[LONG] * 50]}
        costly = asyncio.ensure_future(asked(service, "/sanitize", texts, **ANN))
        await asyncio.sleep(0.05)
        others = [await asked(service, "/sanitize", {"text": "the king"}, **BOB) for _ in "123"]
        cut = await costly
        before = await asked(service, "/budget", **ANN)
        await asyncio.sleep(BURN)
        after = await asked(service, "/budget", **ANN)
        again = await asked(service, "/sanitize", {"text": LONG}, **BOB)
        return [one.status for one in (*others, cut, again)], before.json, after.json

    statuses, before, after = asyncio.run(run())
    assert statuses == [200, 200, 200, 504, 200]
    assert before["draws"] == 0 and 251 <= after["draws"] < 251 + 4 * 250  # the part that had begun


def test_a_request_that_did_not_begin_before_its_deadline_is_not_charged(make_service):
    service = make_service(tokens=TOKENS, max_seconds=0.5)

    async def run():
        burning = asyncio.ensure_future(asked(service, "/sanitize", {"text": "burn"}, **ANN))
        await asyncio.sleep(0.05)
        late = await asked(service, "/sanitize", {"text": "the king"}, **BOB)
        await burning
        await asyncio.sleep(BURN)
        return late.status, (await asked(service, "/budget", **BOB)).json["draws"]

    assert asyncio.run(run()) == (504, 0)


def test_sixty_callers_at_once_spend_no_more_than_their_budget(make_service, tmp_path):
    """Of two services on one file, as workers are; epsilon of a word is 2."""
    limits = {"tokens": TOKENS, "budget": 21.0, "path": tmp_path / "spent.db"}
    services = [make_service(**limits) for _ in "12"]
    for statuses, spent in after_sixty(services, {"text": "the king"}):
        assert statuses == [200] * 5 + [403] * 25
        assert spent["epsilon"] == 20.0 and spent["draws"] == 10


def finished(service, *requests):
    """The names of requests (name, texts, headers) that are sent at once, as they are answered."""
    done = []

    async def one(name, texts, headers):
        assert (await asked(service, "/sanitize", {"texts": texts}, **headers)).status == 200
        done.append(name)

    async def run():
        await asyncio.gather(*(one(*request) for request in requests))

    asyncio.run(run())
    return done


def test_small_requests_come_before_large_ones_that_were_there_first(service):
    large, small = ("large", [f"sleep {LONG}"] * 4, {}), ("small", ["the king"], {})
    assert finished(service, *[large] * 2, *[small] * 3) == ["small"] * 3 + ["large"] * 2


# -- as a process ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_the_extra_the_command_says_what_to_install():
    """In a process of its own: here these packages are loaded."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['fastapi', 'starlette', 'uvicorn']));"
        "from spacy_dxprivacy.cli import dx_cli; dx_cli(['serve'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2 and "[serve]" in done.stderr and "Traceback" not in done.stderr


def test_what_the_command_refuses(tmp_path):
    path = str(tmp_path / "callers")
    run = CliRunner().invoke
    made = run(dx_cli, ["serve", "--tokens", path, "--new-token", "ann"])
    assert made.exit_code == 0 and len(made.output.strip()) > 40
    Path(path).write_text(Path(path).read_text().rstrip("\n"))  # as some editors leave it
    again = run(dx_cli, ["serve", "--tokens", path, "--new-token", "bob"])
    assert [line.split()[0] for line in Path(path).read_text().splitlines()] == ["ann", "bob"]
    assert again.output.strip() in Path(path).read_text()
    for options in (["--new-token", "x"], ["--budget", "5"], ["--address", "0.0.0.0"]):
        done = run(dx_cli, ["serve", *options])
        assert done.exit_code == 2 and done.stderr.count("\n") == 1


@contextmanager
def running(space_path, *options):
    """The command as a process: its port, and the process."""
    port = free_port()
    command = [
        sys.executable, "-m", "spacy", "dx", "serve",
        "--port", str(port), *space_options(space_path), "--mechanism", "exponential",
        "--epsilon", "2", *map(str, options),
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert f":{port}/openapi.json" in process.stderr.readline()
        wait_for(port)
        yield port, process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_service_from_start_to_a_graceful_stop(space_path, tmp_path, workers):
    ledger = ("--ledger", tmp_path / "spent.db", "--budget", "1000")
    with running(space_path, "--workers", workers, *ledger) as (port, process):
        body = json.dumps({"text": f"the king and {SECRET}"}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/sanitize?q={SECRET}", body,
            {"content-type": "application/json"},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = json.load(answer)["text"]
            assert len(text.split()) == 4 and SECRET not in text
        process.send_signal(signal.SIGTERM)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 0 and SECRET not in told and "Traceback" not in told
    with sqlite3.connect(tmp_path / "spent.db") as ledger:
        (spent,) = ledger.execute("SELECT unit, count FROM account WHERE unit != ''")
        assert spent[0] == "anybody" and json.loads(spent[1])["draws"] == 3


@pytest.mark.slow
def test_workers_end_with_a_parent_that_is_killed(space_path):
    with running(space_path, "--workers", 2) as (port, process):
        process.kill()
        process.wait()
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
            except ConnectionRefusedError:
                return
            time.sleep(0.1)
        pytest.fail("a worker still listens")


@pytest.mark.slow
def test_a_worker_that_has_no_processor_for_seconds_is_not_replaced(space_path):
    """On a busy machine a worker that starts answers late; one that is replaced starts again."""
    with running(space_path, "--workers", 2) as (_, process):
        parent = psutil.Process(process.pid)
        workers = [child for child in parent.children() if "spawn_main" in str(child.cmdline())]
        assert len(workers) == 2
        workers[0].suspend()
        time.sleep(8)
        workers[0].resume()
        time.sleep(2)
        assert set(workers) <= set(parent.children())


def request_of(body, *headers, path=b"/sanitize"):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = [b"POST " + path + b" HTTP/1.1", b"host: localhost", b"content-type: application/json"]
    return b"\r\n".join([*head, b"content-length: %d" % len(raw), *headers, b"", raw])


async def answer_of(port, raw):
    """Status and body of the answer to a request on a connection of its own; its seconds."""
    start = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(raw)
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(re.search(rb"content-length: (\d+)", head)[1])
    body = await reader.readexactly(size)
    writer.close()
    return int(head.split()[1]), body, time.perf_counter() - start


@pytest.fixture(scope="module")
def two_workers(space_path):
    with running(space_path, "--workers", 2, "--max-seconds", 20) as (port, process):
        yield port, process.pid


SMALL_ONE = request_of({"text": "the king and the doctor " * 8})


async def seconds_of_small(port, count=30):
    answers = [await answer_of(port, SMALL_ONE) for _ in range(count)]
    assert {status for status, _, _ in answers} == {200}
    return statistics.median(seconds for _, _, seconds in answers)


@pytest.mark.slow
def test_256_slow_bodies_leave_others_served_and_end_at_the_deadline(two_workers):
    async def run():
        await seconds_of_small(two_workers[0])
        quiet = await seconds_of_small(two_workers[0])
        slow = [await asyncio.open_connection("127.0.0.1", two_workers[0]) for _ in range(256)]
        start = time.perf_counter()
        for _, writer in slow:
            writer.write(SMALL_ONE[:-20])
        await asyncio.sleep(0.5)
        beside = await seconds_of_small(two_workers[0])
        heads = await asyncio.gather(*(reader.readline() for reader, _ in slow))
        took = time.perf_counter() - start
        for _, writer in slow:
            writer.close()
        return quiet, beside, heads, took

    quiet, beside, heads, took = asyncio.run(run())
    assert beside < 2 * quiet + 0.02
    assert {head.split()[1] for head in heads} == {b"408"} and 19 < took < 25


@pytest.mark.slow
def test_a_body_of_the_largest_size_leaves_others_served(two_workers):
    text = "the king and the doctor " * 4000
    body = json.dumps({"texts": [text[:99_999]] * 10}).encode()
    body += b" " * (2**20 - len(body))

    async def run():
        await seconds_of_small(two_workers[0])
        large = asyncio.ensure_future(answer_of(two_workers[0], request_of(body)))
        await asyncio.sleep(0.2)
        beside = await seconds_of_small(two_workers[0], 10)
        return await large, beside, await answer_of(two_workers[0], request_of(body + b" "))

    (status, answer, took), beside, too_large = asyncio.run(run())
    assert status in (200, 504) and took < 22 and too_large[0] == 413
    assert beside < 1
    if status == 200:
        assert [len(one.split()) for one in json.loads(answer)["texts"]] == [20_000] * 10


@pytest.mark.slow
def test_workers_and_lanes_do_not_repeat_noise(two_workers):
    """Texts of so many words that no two of them come out equal by chance."""
    both_lanes = [request_of({"text": "the king and the doctor " * k}) for k in (30, 60)]

    def processor_times():
        children = psutil.Process(two_workers[1]).children()
        return {child.pid: sum(child.cpu_times()[:2]) for child in children}

    async def answers():
        return await asyncio.gather(*(answer_of(two_workers[0], body) for body in both_lanes * 30))

    before, texts, busy = processor_times(), [], set()
    while len(busy) < 2:  # the kernel decides which worker accepts, and may choose the same again
        assert len(texts) < 3000
        texts += [json.loads(body)["text"].split() for _, body, _ in asyncio.run(answers())]
        now = processor_times()
        busy = {pid for pid in now if now[pid] > before.get(pid, now[pid])}
    assert len(busy) == 2  # the resource tracker of multiprocessing aside
    # No stretch of a stream is that of another.
    assert len({tuple(words[:20]) for words in texts}) == len(texts)


def test_an_endpoint_of_a_rewriter_that_is_gone_is_a_bad_gateway(make_nlp):
    def make():
        nlp = make_nlp(mechanism=MECHANISM)
        endpoint = {
            "@llm_models": "dx.ChatEndpoint.v1", "model": "m", "retries": 0,
            "base_url": f"http://127.0.0.1:{free_port()}/v1",
        }  # fmt: skip
        nlp.add_pipe("dx_rewriter", config={"model": endpoint})
        return nlp

    with ExitStack() as stack:
        service = app_of(stack, [make(), make()], ServiceOptions())
        answer = ask(service, "/sanitize", {"text": f"the king and the doctor saw {SECRET} there"})
    assert answer.status == 502 and list(answer.json) == ["error"]
    assert SECRET not in answer.body.decode() and "king" not in answer.body.decode()
