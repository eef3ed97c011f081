"""benchmarks/equal_attacker.py: peers are measured at an equal attacker."""

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from spacy_dxprivacy import Space
from spacy_dxprivacy.lab.attacks import Language, Seen
from spacy_dxprivacy.lab.attacks.reading import filled_guess
from spacy_dxprivacy.prior.chain import alone_chain
from spacy_dxprivacy.registries import registry

N = 6
FOLDER = Path(__file__).parents[1] / "benchmarks"
TEXTS = ["w0 w1 w2. w3 w1!", "w4 w5 w0 w0.", "w2 w2 w3 w1.", "nothing known"]
needs_script = pytest.mark.skipif(not FOLDER.is_dir(), reason="the benchmarks are not packed")


def small_space():
    X = np.random.default_rng(1).standard_normal((N, 3))
    return Space.from_vectors([f"w{i}" for i in range(N)], X, name="six")


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module("equal_attacker")


@pytest.fixture
def comparison(script):
    return script.Comparison(small_space(), TEXTS)


def test_gaps_are_filled_by_the_likeliest_word_and_the_rest_stays():
    known = np.array([0.1, 0.2, 0.6, 0.1])
    language = Language(alone_chain(known), known)
    seen = Seen(np.array([0, 1, 3]), np.array([True, False, False]))
    hidden = np.array([False, True, False])
    assert filled_guess(seen, hidden, language).tolist() == [0, 2, 3]
    assert filled_guess(seen, ~hidden, language).tolist() == [2, 1, 2]


@needs_script
def test_peers_are_registered_and_texts_are_there(script):
    known = registry.dx_mechanisms.get_all()
    assert all(peer["config"]["@dx_mechanisms"] in known for peer in script.WORDS.values())
    assert set(script.USUAL) <= set(script.NAMES)
    public = FOLDER / "public.jsonl"
    assert len(script.texts_of(public, 12)) == 12 and len(script.texts_of(public, 99)) == 24


@needs_script
def test_all_peers_have_the_same_columns_and_say_what_they_promise(script, comparison):
    rows = comparison.rows("exponential") + comparison.rows("redaction")
    assert len({tuple(row) for row in rows}) == 1 and len(rows) == len(script.TRIES) + 1
    shown = script.at_equal_attacker(rows, 0.6)
    by_peer = {row["mechanism"]: row for row in shown}
    assert list(by_peer) == ["exponential", "redaction"]
    assert by_peer["redaction"]["kept"] == by_peer["redaction"]["found"] == 1
    assert by_peer["redaction"]["guarantee"].startswith("no guarantee")
    assert "metric-dp" in by_peer["exponential"]["guarantee"]
    assert by_peer["exponential"]["attacker"]


@needs_script
def test_without_noise_to_speak_of_everything_is_found(comparison):
    (row,) = comparison.rows("laplace", (500.0,))
    assert row["kept"] == row["found"] == row["cosine"] == pytest.approx(1)
    assert row["nats"] == pytest.approx(0)


@needs_script
def test_a_peer_is_shown_where_the_attacker_finds_as_much_else_nearest_to_it(script, comparison):
    rows = comparison.rows("laplace", (0.1, 500.0))
    low, high = sorted(row["found"] for row in rows)
    between = (low + high) / 2
    (met,) = script.at_equal_attacker(rows, between)
    assert met["found"] == pytest.approx(between)
    assert met["kept"] == pytest.approx(sum(row["kept"] for row in rows) / 2)
    (nearest,) = script.at_equal_attacker(comparison.rows("laplace", (500.0,)), 0.2)
    assert nearest["found"] == pytest.approx(1)


@needs_script
@pytest.mark.slow
def test_an_edited_release_is_recovered_as_it_was(script):
    texts = script.texts_of(FOLDER / "public.jsonl", 2)
    comparison = script.Comparison(Space.builtin(), texts)
    (plain,), (edited,) = (comparison.rows(name, (0.8,)) for name in ("path2", "path2-edited"))
    assert plain["found"] == edited["found"] and plain["attacker"] == edited["attacker"]
    assert edited["nats"] < plain["nats"]


@needs_script
@pytest.mark.slow
def test_the_script_writes_a_table_and_a_figure(script, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: the extra plots")
    small_space().save(tmp_path / "space")
    lines = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    (tmp_path / "texts.jsonl").write_text(lines)
    given = ["--space", tmp_path / "space", "--text", tmp_path / "texts.jsonl", "-m", "exponential"]
    monkeypatch.setattr("sys.argv", ["script", *map(str, given), "--out", str(tmp_path)])
    script.main()
    assert "exponential" in capsys.readouterr().out
    assert (tmp_path / "frontier.csv").stat().st_size and (tmp_path / "frontier.svg").stat().st_size
