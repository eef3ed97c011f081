"""The playground: what it shows is what the commands say, and it keeps and tells nothing."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest
import spacy
from browser import CHROMIUM, browser
from conftest import (
    CONSTANT,
    SECRET_TEXT,
    SECRETS,
    UNKNOWN_SECRETS,
    hearing_ctrl_c,
    leaks,
)
from ports import free_port
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, validate
from spacy_dxprivacy.errors import UsageError
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.lab.epsilons import running_text, unchanged_share
from spacy_dxprivacy.lab.playground import workshop as server
from spacy_dxprivacy.lab.playground.workshop import Workshop
from spacy_dxprivacy.lab.report.receipts import answers as in_words
from spacy_dxprivacy.machine import hosts
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

needs_extra = pytest.mark.skipif(
    find_spec("streamlit") is None, reason="needs the extra 'playground'"
)
START = DEFAULT_CONFIG["mechanism"]["epsilon"]
PATH_CONFIG = Path(__file__).parents[1] / "configs" / "path.cfg"
TEXT = "The doctor told Mary <b>about</b> asthma & Zorblattovich."


def dx(*args):
    return CliRunner().invoke(app, ["dx", *map(str, args)])


@pytest.fixture(scope="module")
def workshop(space_path):
    return Workshop(make_pipeline(space=space_path, unknown="redact"))


def start(workshop, name=None):
    name = name or workshop.names[0]
    steps = workshop.epsilons(name)
    return workshop.sanitizer(name, steps[len(steps) // 2])


def test_a_text_is_sanitised_as_the_pipeline_does_it(workshop):
    done = workshop.sanitize(TEXT, workshop.sanitizer("dx.Path.v2", START))
    doc = spacy.blank("en").make_doc(TEXT)  # workshop.nlp would keep it
    expected = workshop.own(doc)._.dx
    assert dict(done.receipt) == dict(expected)
    assert len(done.pair.after) == len(done.pair.before) == len(doc)
    done = workshop.sanitize(SECRET_TEXT, start(workshop))
    assert any(token.text == UNKNOWN_SECRETS[0] for token in done.pair.before)
    assert not any(word in workshop.nlp.vocab.strings for word in UNKNOWN_SECRETS)


def test_components_before_and_after_the_sanitizer_run(file_space):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    mechanism = {"@dx_mechanisms": "dx.Path.v1", "epsilon": 2.2}
    config = {"space": file_space, "mechanism": mechanism, "surrogates": None}
    nlp.add_pipe("dx_entity_sanitizer", config=config)
    nlp.add_pipe("sentencizer")
    made = Workshop(nlp)
    done = made.sanitize("Mary said nothing.", start(made))
    assert done.receipt.perturbed == 1
    assert [token.text for token in done.pair.after][1:] == ["said", "nothing", "."]


@pytest.mark.slow
def test_every_mechanism_that_epsilon_makes_is_there_and_works(workshop):
    assert workshop.names[0] == "dx.Path.v2"
    assert "dx.Identity.v1" not in workshop.names and len(workshop.names) > 10
    # Other tests register mechanisms of theirs.
    for name in (name for name in workshop.names if name.startswith("dx.")):
        steps = workshop.epsilons(name)
        assert steps == sorted(steps) and 0 < steps[0] and steps[-1] <= 1001 * steps[0]
        done = workshop.sanitize(TEXT, start(workshop, name))
        assert done.receipt.mechanism == name
        assert leaks(" ".join(in_words(done.account).replaced), SECRETS) == []


def test_the_slider_goes_from_all_changed_to_nearly_none(workshop):
    steps = workshop.epsilons("dx.Path.v2")
    probes = running_text(len(workshop.space), 200)
    low, high = (
        unchanged_share(workshop.sanitizer("dx.Path.v2", at).mechanism, probes)
        for at in (steps[0], steps[-1])
    )
    assert low < 0.1 and high > 0.9 and workshop.start in steps


def test_a_pipeline_keeps_its_settings_and_needs_a_mechanism_with_epsilon(file_space):
    nlp = spacy.blank("en")
    mechanism = {"@dx_mechanisms": "dx.Gaussian.v1", "epsilon": 50.0, "delta": 1e-3}
    unknown = {"@dx_unknowns": "dx.RandomWord.v1"}
    settings = {"mechanism": mechanism, "space": file_space, "unknown": unknown, "scope": "type"}
    nlp.add_pipe("dx_sanitizer", config=settings)
    made = Workshop(nlp)
    assert made.names[0] == "dx.Gaussian.v1" and made.start == 50.0
    receipt = made.sanitize(TEXT, made.sanitizer("dx.Gaussian.v1", 40.0)).receipt
    assert receipt.guarantee["delta"] == 1e-3 and receipt.guarantee["epsilon"] == 40.0
    assert (receipt.unknown_policy, receipt.scope) == ("RandomWord", "type")
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config={"mechanism": CONSTANT, "space": file_space})
    with pytest.raises(UsageError, match="no epsilon"):
        Workshop(nlp)


@pytest.fixture
def page(workshop, monkeypatch):
    from streamlit.testing.v1 import AppTest

    def run(shown=workshop):
        monkeypatch.setattr(server, "shown", shown)
        return AppTest.from_file(str(server.PAGE), default_timeout=120).run()

    return run


def html_of(app):
    return [element.proto.body for element in app.get("html")]


def errors_of(app):
    assert not app.exception
    return [element.value for element in app.error]


@needs_extra
def test_a_text_and_its_receipt_are_shown(page, workshop):
    app = page()
    app.text_area(key="text").set_value(TEXT).run()
    assert errors_of(app) == []
    shown = html_of(app)
    assert "[REDACTED]" in shown[0]
    assert set(re.findall(r"</?(\w+)", "".join(shown))) == {"div", "mark", "ul", "li"}
    assert "dx.Path.v2" in " ".join(shown) and "Number of tokens" in " ".join(shown)
    expected = workshop.sanitize(TEXT, workshop.sanitizer("dx.Path.v2", START)).receipt
    shown = {metric.label.lower(): metric.value for metric in app.metric}
    assert shown == {name: str(expected[name]) for name in shown} and shown["unknown"] > "0"
    assert dict(app.query_params) == {}


@needs_extra
@pytest.mark.parametrize("name", ["dx.Laplace.v1", "dx.Exponential.v1"])
def test_another_mechanism_has_another_epsilon_and_receipt(page, name):
    app = page()
    app.selectbox(key="mechanism").set_value(name).run()
    assert app.select_slider(key=f"epsilon of {name}").value > 0
    assert name in " ".join(html_of(app))
    alarms = errors_of(app)
    assert not any("NO PRIVACY" in alarm for alarm in alarms)


@needs_extra
def test_an_error_tells_nothing_of_the_text(page, workshop, monkeypatch, caplog, capfd):
    assert errors_of(page(None)) == ["Start this page with: python -m spacy dx playground"]

    def fails(text, sanitizer):
        raise RuntimeError(text)

    monkeypatch.setattr(workshop, "sanitize", fails)
    app = page()
    app.text_area(key="text").set_value(SECRET_TEXT).run()
    (told,) = errors_of(app)
    assert told.startswith("This failed with RuntimeError in test_playground.py, line")
    assert leaks(told + caplog.text + "".join(capfd.readouterr())) == []


def test_a_missing_library_is_named_with_what_to_type(monkeypatch):
    monkeypatch.setattr(validate, "find_spec", lambda name: None if name == "streamlit" else 1)
    done = dx("playground")
    assert done.exit_code == 2 and done.stderr.count("\n") == 1
    assert 'needs streamlit: pip install "spacy-dxprivacy[playground]"' in done.stderr


@needs_extra
@pytest.mark.parametrize(
    "options, says",
    [
        (["--space", "gone.txt"], "gone.txt"),
        (["--config", "gone.cfg"], "no such config file"),
        (["--config", PATH_CONFIG, "--space", "builtin"], "--config takes no other settings"),
    ],
)
def test_a_mistake_is_one_line(options, says):
    done = dx("playground", "--port", free_port(), *options)
    assert done.exit_code == 2 and says in done.stderr and done.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_one_line():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(DxError, match=f"port {port}"):
            hosts.check_port("127.0.0.1", port)


def answers(host, port):
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex((host, port)) == 0


@pytest.fixture(scope="module")
def served(space_path, tmp_path_factory):
    """The port of a server whose environment asks for what must not be; it writes no text."""
    folder, port = tmp_path_factory.mktemp("home"), free_port()
    wrong = {"STREAMLIT_SERVER_ADDRESS": "0.0.0.0", "STREAMLIT_LOGGER_LEVEL": "debug",
             "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "true"}  # fmt: skip
    command = [sys.executable, "-m", "spacy", "dx", "playground", "--port", str(port)]
    command = hearing_ctrl_c([*command, "--space", space_path])
    environment = {**os.environ, **wrong, "HOME": str(folder)}
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment,
                                   stdout=log, stderr=log)  # fmt: skip
        try:
            end = time.monotonic() + 120
            while not answers("127.0.0.1", port):
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.05)
            yield port
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert "shows the page" in (folder / "log").read_text()
    assert [(path.name, leaks(path.read_bytes())) for path in written] == [("log", [])]


@needs_extra
def test_it_listens_on_this_machine_alone(served):
    """127.0.0.2 is this machine as well, but another address: it answers where all do."""
    with urllib.request.urlopen(f"http://127.0.0.1:{served}/", timeout=30) as answer:
        assert answer.status == 200
    assert not answers("127.0.0.2", served)


@needs_extra
@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_another_host_name_is_not_answered(served, host):
    """DNS rebinding: a page of somebody else lets its name lead to this machine."""
    for path in ("/", "/_stcore/health", "/_stcore/host-config"):
        request = urllib.request.Request(f"http://127.0.0.1:{served}{path}", headers={"Host": host})
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(request, timeout=30)
    with socket.create_connection(("127.0.0.1", served), timeout=30) as raw:
        raw.sendall(
            f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert b" 101 " not in raw.recv(1000)


BODY = "document.body.innerText"
SHOWN = "document.querySelector('[data-testid=sanitised]')?.innerText"
EPSILON = "Number(document.querySelector('input[type=range]').value)"
MECHANISM = "document.querySelector('input[role=combobox]').value"


@pytest.mark.slow
@needs_extra
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_all_of_it_works_without_a_mouse(served, tmp_path):
    with browser(tmp_path / "profile") as page:
        page.call("Page.navigate", url=f"http://127.0.0.1:{served}/")
        first = page.wait_for(SHOWN)
        page.tab_to("TEXTAREA")
        page.call("Input.insertText", text="Zorblatt told the doctor. " * 9)
        page.press("Enter", modifiers=2)
        before = page.wait_for(f"{SHOWN} != {json.dumps(first)} && {SHOWN}")
        page.tab_to("Draw again")
        page.press("Space")
        before = page.wait_for(f"{SHOWN} != {json.dumps(before)} && {SHOWN}")
        page.tab_to("Epsilon")
        at = page.js(EPSILON)
        page.press("ArrowRight")
        page.wait_for(f"{EPSILON} > {at} && {SHOWN} != {json.dumps(before)}")
        was = page.js(MECHANISM)
        page.tab_to("combobox")
        page.press("ArrowDown")
        page.wait_for("document.querySelectorAll('[role=option]').length > 1")
        page.press("ArrowDown")
        page.press("Enter")
        page.wait_for(f"{MECHANISM} != {json.dumps(was)}")


@pytest.mark.slow
@needs_extra
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_a_browser_shows_it_and_asks_nobody_else(served, tmp_path):
    address = f"http://127.0.0.1:{served}/"
    with browser(tmp_path / "profile") as page:
        page.call("Page.navigate", url=address)
        first = page.wait_for(SHOWN)
        page.type_into("textarea", SECRET_TEXT)
        text = page.wait_for(f"{SHOWN} != {json.dumps(first)} && {SHOWN}")
        assert leaks(text, UNKNOWN_SECRETS) == []
        page.wait_for(f"{BODY}.includes('What is visible')")
        assert page.errors() == []
        for dark in (False, True):
            page.dark(dark)
            assert page.fits(390) and page.fits(1280) and page.pale() == []
        met = " ".join(page.by_tab())
        assert all(f"{what} " in met for what in ("TEXTAREA", "Draw again", "Epsilon"))
        assert page.js("location.href") == address
        hosts = {url.split("/")[2] for url in page.requests() if not url.startswith("data:")}
        assert hosts == {f"127.0.0.1:{served}"}
