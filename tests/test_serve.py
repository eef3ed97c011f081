"""The service: what it answers, whom, how much, and that nothing of a text is anywhere else."""

import asyncio
import json
import logging
import random
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

pytest.importorskip("fastapi", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

from asgi import ask, asked
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, Guarantee, UsageError
from spacy_dxprivacy.batch.build import the_sanitizer
from spacy_dxprivacy.batch.workers import lanes
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.serve.anonymize import job_of
from spacy_dxprivacy.serve.app import make_app
from spacy_dxprivacy.serve.callers import Callers, add_token, read_callers
from spacy_dxprivacy.serve.desk import Desk
from spacy_dxprivacy.serve.engine import Engine
from spacy_dxprivacy.serve.ledger import Ledger
from spacy_dxprivacy.serve.limits import Limits, Rates, Refused, rest_of_tick
from spacy_dxprivacy.serve.metrics import Metrics
from spacy_dxprivacy.serve.run import Service

MECHANISM = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 2.0}
SECRET = "Xantippe"
TOKEN = "t" * 24
LINES = "application/x-ndjson"


@pytest.fixture
def nlp(make_nlp):
    return make_nlp(mechanism=MECHANISM)


@pytest.fixture
def make_service(nlp):
    """make_service(lane=..., tokens=..., budget=..., path=..., hosts=..., **limits) -> the ASGI"""
    engines = []

    def make(*, lane=None, tokens=None, budget=None, path=None, hosts=(), **limits):
        terms = the_sanitizer(nlp).terms
        chosen = Limits(**{"tick": 0, **limits})
        with lanes(nlp, 1) as some:
            engines.append(Engine([lane] if lane else some, most=chosen.waiting))
        ledger = Ledger(path, terms.guarantee, budget)
        desk = Desk(engines[-1], terms, Callers(tokens), ledger, chosen, Rates(chosen.rate),
                    Metrics())  # fmt: skip
        return make_app(desk, hosts=hosts)

    yield make
    for engine in engines:
        engine.close()


@pytest.fixture
def service(make_service):
    return make_service()


# -- what it answers ------------------------------------------------------------------------------


def test_one_text_and_its_receipt(service, space):
    answer = ask(service, "/sanitize", {"text": "the doctor and the king.", "receipts": True})
    assert answer.status == 200 and answer.headers["cache-control"] == "no-store"
    told = answer.json["receipt"]
    assert told["perturbed"] == 5 and told["kept"] == 1 and told["epsilon"] == pytest.approx(10.0)
    assert set(answer.json["text"].rstrip(".").lower().split()) <= {
        word.lower() for word in space.words
    }


def test_several_come_in_order_and_an_empty_one_stays_empty(service):
    answer = ask(service, "/sanitize", {"texts": ["the king", "", "a"], "receipts": True})
    assert [len(text.split()) for text in answer.json["texts"]] == [2, 0, 1]
    assert [one["draws"] for one in answer.json["receipts"]] == [2, 0, 1]


def test_lines_are_answered_line_by_line_and_a_broken_one_is_no_text(service):
    parts = [b'{"text": "the ki', b'ng"}\n{"text": 5}\n\n', SECRET.encode(), b'\n{"text": "a"}']
    answer = ask(service, "/sanitize", parts=parts, content_type=LINES)
    lines = [json.loads(line) for line in answer.body.splitlines()]
    assert answer.status == 200 and [sorted(line) for line in lines] == [
        ["text"], ["error"], ["error"], ["text"],
    ]  # fmt: skip
    assert SECRET.encode() not in answer.body


def test_words_that_the_space_lacks_are_redacted(service):
    assert ask(service, "/sanitize", {"text": SECRET}).json == {"text": "[REDACTED]"}


def test_the_endpoint_of_presidios_anonymizer(service):
    """Its documentation's own example, and what its clients read of the answer."""
    body = {
        "text": "hello world, my name is Jane Doe. My number is: 034453334",
        "anonymizers": {
            "DEFAULT": {"type": "replace", "new_value": "ANONYMIZED"},
            "PHONE_NUMBER": {
                "type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": True,
            },
        },
        "analyzer_results": [
            {"start": 24, "end": 32, "score": 0.8, "entity_type": "NAME"},
            {"start": 24, "end": 28, "score": 0.8, "entity_type": "FIRST_NAME"},
            {"start": 29, "end": 32, "score": 0.6, "entity_type": "LAST_NAME"},
            {"start": 48, "end": 57, "score": 0.95, "entity_type": "PHONE_NUMBER"},
        ],
    }  # fmt: skip
    answer = ask(service, "/anonymize", body).json
    assert answer["text"] == "hello world, my name is ANONYMIZED. My number is: 03445****"
    assert [(i["start"], i["end"], i["entity_type"]) for i in answer["items"]] == [
        (50, 59, "PHONE_NUMBER"), (24, 34, "NAME"),
    ]  # fmt: skip
    del body["anonymizers"]
    drawn = ask(service, "/anonymize", body).json
    assert drawn["items"][0]["operator"] == "dx" and "Jane" not in drawn["text"]
    for item in drawn["items"]:
        assert drawn["text"][item["start"] : item["end"]] == item["text"]
    assert ask(service, "/anonymizers").json == ["dx", "mask", "redact", "replace"]


@pytest.mark.parametrize("span", [(-1, 2), (3, 3), (0, 99), (True, 2), ("0", 2)])
def test_a_span_outside_of_the_text_is_refused(span):
    result = {"start": span[0], "end": span[1], "entity_type": "PERSON"}
    with pytest.raises(Refused, match="analyzer_results"):
        job_of({"text": "short", "analyzer_results": [result]}, Limits())


@pytest.mark.parametrize("kind", ["hash", "encrypt", "custom", "keep", None, 5])
def test_digests_and_ciphers_are_no_anonymizers(kind):
    body = {"text": "x", "analyzer_results": [], "anonymizers": {"DEFAULT": {"type": kind}}}
    with pytest.raises(Refused, match="none of this service"):
        job_of(body, Limits())


def test_health_figures_and_the_page(service):
    assert ask(service, "/health").json == {"status": "ok"}
    ask(service, "/sanitize", {"text": "the king"})
    figures = ask(service, "/metrics").body.decode()
    assert 'dx_requests_total{route="/sanitize",status="200"} 1' in figures
    assert "dx_draws_total 2" in figures
    assert ask(service, "/about").json["guarantee"]["epsilon"] == 2.0
    page = ask(service, "/docs").body.decode()
    assert "POST /sanitize" in page and "<script" not in page and "//" not in page
    document = ask(service, "/openapi.json").json
    assert document["paths"]["/sanitize"]["post"]["requestBody"]["required"]


# -- whom ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "10.0.0.1:8000"])
def test_a_name_of_another_machine_is_not_answered(service, host):
    assert ask(service, "/sanitize", {"text": "a"}, host=host).status == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "clean.example:80"])
def test_names_of_this_machine_and_those_told_are(make_service, host):
    assert ask(make_service(hosts=["Clean.example"]), "/health", host=host).status == 200


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded"])
def test_a_page_of_somebody_else_cannot_send_without_asking(service, kind):
    assert ask(service, "/sanitize", {"text": "a"}, content_type=kind).status == 415


def test_a_token_is_wanted_where_there_are_any(make_service):
    service = make_service(tokens={TOKEN: "ann"})
    for path in ("/sanitize", "/anonymize", "/about", "/budget", "/metrics", "/anonymizers"):
        body = {"text": "a"} if path in ("/sanitize", "/anonymize") else None
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}):
            answer = ask(service, path, body, **given)
            assert answer.status == 401 and answer.headers["www-authenticate"] == "Bearer"
    assert ask(service, "/health").status == 200
    told = ask(service, "/budget", authorization=f"bearer {TOKEN}").json
    assert told["caller"] == "ann" and told["draws"] == 0


def test_the_file_of_tokens(tmp_path):
    path = tmp_path / "callers"
    token = add_token(path, "ann")
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_callers(path).name(f"Bearer {token}") == "ann"
    other = add_token(path, "bob")
    assert read_callers(path).name(f"Bearer {other}") == "bob"
    with pytest.raises(UsageError, match="a name is"):
        add_token(path, "no name")
    path.chmod(0o644)
    with pytest.raises(DxError, match="mode 600"):
        read_callers(path)


@pytest.mark.parametrize("content", ["", "# none\n", f"ann {SECRET}\n", f"{SECRET}{TOKEN}\n"])
def test_a_list_of_tokens_that_is_none_is_refused_and_not_quoted(tmp_path, content):
    path = tmp_path / "callers"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(DxError) as caught:
        read_callers(path)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"address": "0.0.0.0"}, "tokens"),
        ({"address": "0.0.0.0", "tokens": "x"}, "host"),
        ({"budget": 5.0}, "ledger"),
        ({"n_process": 0}, "n_process"),
    ],
)
def test_a_service_that_others_can_reach_takes_more(settings, told):
    with pytest.raises(DxError, match=told):
        Service(**settings)


# -- how much -------------------------------------------------------------------------------------


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
    stream = ask(again, "/sanitize", b'{"text": "the king"}', content_type=LINES)
    assert list(json.loads(stream.body)) == ["error"]


def test_callers_have_a_budget_each_and_two_services_share_a_file(make_service, tmp_path):
    tokens = {"a" * 24: "ann", "b" * 24: "bob"}
    both = [make_service(tokens=tokens, budget=4.0, path=tmp_path / "spent.db") for _ in "12"]
    asks = [("a", 0), ("b", 1), ("a", 1), ("b", 0), ("a", 0)]
    found = [
        ask(both[i], "/sanitize", {"text": "king"}, authorization=f"Bearer {who * 24}").status
        for who, i in asks
    ]
    assert found == [200] * 4 + [403]


def test_promises_that_cannot_be_added_up_are_not(tmp_path):
    one = Guarantee("metric-dp", epsilon=1.0, metric="path", space="a")
    Ledger(tmp_path / "x.db", one).close()
    with pytest.raises(DxError, match="DX145"):
        Ledger(tmp_path / "x.db", Guarantee("metric-dp", epsilon=1.0, metric="path", space="b"))
    with pytest.raises(UsageError, match="guarantee"):
        Ledger(None, Guarantee("none"), budget=5.0)


@pytest.mark.parametrize("content", [b"no ledger", b"SQLite format 3\x00" + bytes(200)])
def test_a_file_that_is_no_ledger_is_refused(tmp_path, content):
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(DxError, match="DX144"):
        Ledger(path, Guarantee("metric-dp", epsilon=1.0, metric="path"))


def test_a_ledger_charges_all_or_nothing(tmp_path):
    ledger = Ledger(None, Guarantee("metric-dp", epsilon=1.0, metric="path"), budget=5.0)
    ledger.charge("ann", [2, 2])
    with pytest.raises(Refused, match="budget"):
        ledger.charge("ann", [1, 1])
    assert ledger.spent("ann") == {"epsilon": 4.0, "delta": 0.0, "draws": 4}


def test_rates_fill_again():
    now = [0.0]
    rates = Rates(2.0, clock=lambda: now[0])
    for _ in range(2):
        rates.take("ann")
    with pytest.raises(Refused) as caught:
        rates.take("ann")
    assert caught.value.status == 429 and caught.value.after == 1
    rates.take("bob")
    now[0] = 0.5
    rates.take("ann")


@pytest.mark.parametrize("limits", [{"body": 30}, {"characters": 3}, {"texts": 1}])
def test_too_much_is_refused(make_service, limits):
    body = {"texts": ["the king", "the queen and the king"]}
    assert ask(make_service(**limits), "/sanitize", body).status == 413


def test_a_body_without_a_length_is_counted_as_it_comes(make_service):
    parts = [b'{"text": "', *[b"a " * 100] * 10]
    assert ask(make_service(body=500), "/sanitize", parts=parts).status == 413
    slow = ask(make_service(seconds=0.05), "/sanitize", parts=[b""], method="POST")
    assert slow.status == 400  # empty, and told so at once


def test_so_many_at_a_time_and_no_more(make_service):
    service = make_service(lane=slow_lane, requests=2)

    async def all_at_once():
        asks = [asked(service, "/sanitize", {"text": "a"}) for _ in range(5)]
        return [answer.status for answer in await asyncio.gather(*asks)]

    assert sorted(asyncio.run(all_at_once())) == [200, 200, 503, 503, 503]


def test_texts_that_wait_are_counted(make_service):
    answer = ask(make_service(waiting=3), "/sanitize", {"texts": ["a"] * 4})
    assert answer.status == 503 and answer.headers["retry-after"] == "1"


def test_a_draw_that_takes_too_long_is_given_up(make_service):
    answer = ask(make_service(lane=slow_lane, seconds=0.05), "/sanitize", {"text": "a"})
    assert answer.status == 504


def slow_lane(records):
    time.sleep(0.2)
    return [("x", {"draws": 0, "tokens": 1}, None) for _ in records]


def test_texts_of_requests_are_drawn_together(make_service):
    sizes = []

    def lane(records):
        sizes.append(len(records))
        return slow_lane(records)

    service = make_service(lane=lane)

    async def all_at_once():
        await asyncio.gather(*(asked(service, "/sanitize", {"text": "a"}) for _ in range(9)))

    asyncio.run(all_at_once())
    assert sum(sizes) == 9 and len(sizes) <= 3


def test_answers_leave_at_ticks(make_service):
    assert rest_of_tick(10.0, 10.03, 0.025) == pytest.approx(0.02)
    assert rest_of_tick(10.0, 10.03, 0) == 0
    service = make_service(tick=0.2)
    start = time.perf_counter()
    ask(service, "/sanitize", {"text": "a"})
    assert time.perf_counter() - start >= 0.2


# -- nothing of a text anywhere else --------------------------------------------------------------


def failing_lane(records):
    raise RuntimeError(f"no: {records[0].text}")


def test_a_worker_that_fails_tells_nothing_and_health_says_so(make_service, caplog, capfd):
    service = make_service(lane=failing_lane)
    with caplog.at_level(logging.DEBUG):
        answer = ask(service, "/sanitize", {"text": SECRET})
    assert answer.status == 503 and SECRET.encode() not in answer.body
    assert ask(service, "/health").status == 503
    assert SECRET not in caplog.text + "".join(capfd.readouterr())


def test_a_fault_of_ours_tells_its_kind_and_place_alone(make_service, caplog, capfd, monkeypatch):
    def fail(*args):
        raise KeyError(SECRET)

    monkeypatch.setattr("spacy_dxprivacy.serve.app.asked", fail)
    answer = ask(make_service(), "/sanitize", {"text": SECRET})
    assert answer.status == 500 and "error" in answer.json
    told = caplog.text + "".join(capfd.readouterr()) + answer.body.decode()
    assert "KeyError" in caplog.text and SECRET not in told


def broken_requests(count, seed=0):
    """(path, body, headers), all of which hold the secret and none of which is right."""
    draw = random.Random(seed)
    right = json.dumps({"text": f"{SECRET} and the king", "receipts": False}).encode()
    wrong = [
        {"text": SECRET, SECRET: 1}, {"texts": SECRET}, {"text": [SECRET]}, [SECRET], SECRET,
        {"text": SECRET, "receipts": SECRET}, {"texts": [SECRET, 5]}, {"text": None}, {},
        {"text": SECRET, "analyzer_results": [{"start": 0, "end": 5, SECRET: 1}]},
        {"text": SECRET, "analyzer_results": SECRET}, {"text": SECRET, "anonymizers": [SECRET]},
        {"text": SECRET, "anonymizers": {"DEFAULT": {"type": SECRET}}, "analyzer_results": []},
        {"text": "\ud800" + SECRET},
    ]  # fmt: skip
    nested = b"[" * 100_000 + SECRET.encode()
    for _ in range(count):
        cut = right[: draw.randrange(len(right) - 1)]
        mixed = bytes(draw.choices(right, k=len(right))) + b"\xff" + SECRET.encode()
        body = draw.choice([cut, mixed, json.dumps(draw.choice(wrong)).encode(), nested])
        path = draw.choice(["/sanitize", "/anonymize", f"/{SECRET}", "/sanitize/", "/health"])
        kind = draw.choice(["application/json"] * 5 + ["text/plain", SECRET])
        packed = draw.choice(["identity"] * 5 + ["gzip", SECRET])
        yield path, body, {"content_type": kind, "content_encoding": packed}


@pytest.mark.parametrize("count", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_broken_requests_are_answered_without_text_or_stack(service, caplog, capfd, count):
    async def all_of_them():
        return [
            await asked(service, path, body, **headers)
            for path, body, headers in broken_requests(count)
        ]

    for answer in asyncio.run(all_of_them()):
        assert 400 <= answer.status < 500
        assert SECRET.encode() not in answer.body and b"Traceback" not in answer.body
        assert list(answer.json) == ["error"] and SECRET not in str(answer.headers)
    assert SECRET not in caplog.text + "".join(capfd.readouterr())


# -- as a process ----------------------------------------------------------------------------------


def test_what_the_command_refuses(tmp_path):
    path = str(tmp_path / "callers")
    run = CliRunner().invoke
    made = run(dx_cli, ["serve", "--tokens", path, "--new-token", "ann"])
    assert made.exit_code == 0 and len(made.output.strip()) > 40
    for options in (["--new-token", "x"], ["--budget", "5"], ["--address", "0.0.0.0"]):
        done = run(dx_cli, ["serve", *options])
        assert done.exit_code == 2 and done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_service_from_start_to_a_graceful_stop(space_path, tmp_path, processes):
    port = free_port()
    command = [
        sys.executable, "-m", "spacy", "dx", "serve", "--port", str(port), "--space", space_path,
        "--mechanism", "exponential", "--epsilon", "2", "--n-process", processes,
        "--ledger", str(tmp_path / "spent.db"), "--budget", "1000", "--tick", "0",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert f":{port}/docs" in process.stderr.readline()
        wait_for(port)
        body = json.dumps({"text": f"the king and {SECRET}"}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/sanitize?q={SECRET}",
            body,
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert json.load(answer)["text"].endswith("[REDACTED]")
    finally:
        process.send_signal(signal.SIGTERM)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 0 and SECRET not in told and "Traceback" not in told
    with sqlite3.connect(tmp_path / "spent.db") as ledger:
        assert ledger.execute("SELECT caller, draws FROM spent").fetchall() == [("anybody", 3)]


def free_port():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail("the service did not start")
