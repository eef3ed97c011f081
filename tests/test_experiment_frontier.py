"""`dx experiment frontier`: peers are measured at an equal attacker."""

import csv
import json

import numpy as np
import pytest
from lab.fakes import FakeModel, small_law
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.lab.attacks import Language, Seen
from spacy_dxprivacy.lab.attacks.reading import filled_guess
from spacy_dxprivacy.lab.causal import OPENERS
from spacy_dxprivacy.lab.experiments import EXPERIMENTS, Options
from spacy_dxprivacy.lab.experiments.frontier import NAMES, TRIES, USUAL, WORDS, texts_of
from spacy_dxprivacy.prior.chain import alone_chain
from spacy_dxprivacy.registries import registry

N = 6


def small_space():
    X = np.random.default_rng(1).standard_normal((N, 3))
    return Space.from_vectors([f"w{i}" for i in range(N)], X, name="six")


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    lines = ["w0 w1 w2. w3 w1!", "w4 w5 w0 w0.", "w2 w2 w3 w1.", "nothing known"]
    path.write_text("".join(json.dumps({"text": line}) + "\n" for line in lines))
    return path


@pytest.fixture
def fake():
    OPENERS["fake"] = lambda: FakeModel(*small_law(N))
    yield "fake"
    del OPENERS["fake"]


def run(texts, *names, **settings):
    options = Options(mechanisms=names, text=texts, **settings)
    return EXPERIMENTS["frontier"].run(small_space(), options)


def test_gaps_are_filled_by_the_likeliest_word_and_the_rest_stays():
    known = np.array([0.1, 0.2, 0.6, 0.1])
    language = Language(alone_chain(known), known)
    seen = Seen(np.array([0, 1, 3]), np.array([True, False, False]))
    hidden = np.array([False, True, False])
    assert filled_guess(seen, hidden, language).tolist() == [0, 2, 3]
    assert filled_guess(seen, ~hidden, language).tolist() == [2, 1, 2]


def test_peers_are_registered_and_texts_are_there():
    known = registry.dx_mechanisms.get_all()
    assert all(peer["config"]["@dx_mechanisms"] in known for peer in WORDS.values())
    assert set(USUAL) <= set(NAMES)
    assert len(texts_of(Options())) == 12 and len(texts_of(Options(documents=99))) == 24


def test_all_peers_have_the_same_columns_and_say_what_they_promise(texts, fake):
    result = run(texts, "exponential", "redaction", model=fake)
    columns = {tuple(row) for row in result.rows}
    assert len(columns) == 1 and len(result.rows) == len(TRIES) + 1
    by_peer = {row["mechanism"]: row for row in result.shown}
    assert list(by_peer) == ["exponential", "redaction"]
    assert by_peer["redaction"]["kept"] == by_peer["redaction"]["found"] == 1
    assert by_peer["redaction"]["guarantee"].startswith("no guarantee")
    assert "metric-dp" in by_peer["exponential"]["guarantee"]
    assert by_peer["exponential"]["attacker"]
    assert any("redaction (the attacker finds 100% of it)" in n for n in result.notes)


def test_without_noise_to_speak_of_everything_is_found(texts):
    (row,) = run(texts, "laplace", epsilons=(500.0,)).rows
    assert row["kept"] == row["found"] == row["cosine"] == pytest.approx(1)
    assert row["nats"] == pytest.approx(0)


def test_a_peer_is_shown_where_the_attacker_finds_as_much_else_nearest_to_it(texts):
    rows = run(texts, "laplace", epsilons=(0.1, 500.0)).rows
    low, high = sorted(row["found"] for row in rows)
    between = (low + high) / 2
    (met,) = run(texts, "laplace", epsilons=(0.1, 500.0), at=between).shown
    assert met["found"] == pytest.approx(between)
    assert met["kept"] == pytest.approx(sum(row["kept"] for row in rows) / 2)
    (nearest,) = run(texts, "laplace", epsilons=(500.0,), at=0.2).shown
    assert nearest["found"] == pytest.approx(1)


@pytest.mark.slow
def test_an_edited_release_is_recovered_as_it_was():
    options = Options(mechanisms=("path2", "path2-edited"), epsilons=(0.8,), documents=2)
    plain, edited = EXPERIMENTS["frontier"].run(Space.builtin(), options).rows
    assert plain["found"] == edited["found"] and plain["attacker"] == edited["attacker"]
    assert edited["nats"] < plain["nats"]


def test_a_peer_that_cannot_be_had_is_named(texts, monkeypatch):
    monkeypatch.setattr("spacy_dxprivacy.lab.experiments.frontier.find_spec", lambda name: None)
    with pytest.raises(DxError, match=r"DX165.*presidio"):
        run(texts, "presidio")
    result = run(texts, epsilons=(1.0,))
    assert any(note.startswith("presidio is left out") for note in result.notes)
    assert {row["mechanism"] for row in result.rows} < set(NAMES)


@pytest.mark.slow
def test_the_command_writes_a_table_and_a_figure_without_the_text(tmp_path, texts):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: the extra plots")
    space, out = tmp_path / "space", tmp_path / "out"
    small_space().save(space)
    args = ["frontier", "--space", space, "--out", out, "--text", texts, "-m", "exponential"]
    done = CliRunner().invoke(app, ["dx", "experiment", *map(str, args), "--format", "png"])
    assert done.exit_code == 0, done.output
    assert "of it): metric-dp" in done.output and (out / "frontier.png").stat().st_size > 5000
    with (out / "frontier.csv").open() as file:
        assert {row["mechanism"] for row in csv.DictReader(file)} == {"exponential"}
