"""projects/papers on labelled texts: files are read as they are published, and verdicts follow."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spacy_dxprivacy import Space

FOLDER = Path(__file__).parents[2] / "projects" / "papers"
pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason="the templates are not beside the tests"
)


@pytest.fixture
def texts(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER / "scripts"))
    import texts

    return texts


def test_files_are_read_in_the_formats_in_which_they_are_published(texts, tmp_path):
    files = {
        "stsa.binary.train": "1 a film of charm\n0 no movement , no yuks\n",
        "SMSSpamCollection": "ham\tOk lar, see you\nspam\tFREE entry\n",
        "sms.csv": 'v1,v2,,,\nham,"Ok, see you",,,\nspam,FREE entry,,,\n',
        "tweets.csv": "id,keyword,location,text,target\n1,,,Forest fire,1\n2,,,I love fruits,0\n",
        "ag_news.csv": '3,"Wall St. falls","Stocks fell."\n4,"New chip","It is fast."\n',
    }
    labels = {"stsa.binary.train": "10", "tweets.csv": "10", "ag_news.csv": "34"}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf8")
        found, given = texts.read(tmp_path / name)
        assert len(found) == 2 and all(found)
        assert [*given] == [*labels.get(name, ["ham", "spam"])]
    assert texts.read(tmp_path / "ag_news.csv")[0][0] == "Wall St. falls Stocks fell."
    (tmp_path / "latin.csv").write_bytes("v1,v2\nham,£1.50 é\n".encode("latin-1"))
    assert texts.read(tmp_path / "latin.csv")[0] == ["£1.50 é"]


def test_overlaps_are_those_of_their_definitions(texts):
    a, b = [np.arange(6), np.array([3, 3])], [np.arange(6), np.array([3, 4])]
    assert texts.rouge1(a, b) == pytest.approx([1, 0.5])
    assert texts.bleu(a, a) == pytest.approx(1)
    right, total = np.array([7, 5, 4, 3]), np.array([8, 6, 4, 3])
    assert texts.bleu(a, b) == pytest.approx(np.exp(np.log(right / total).mean()))
    assert texts.bleu(a, [np.arange(6) + 10, np.array([8, 9])]) == 0


def test_precision_and_recall_are_those_of_the_positive_label(texts):
    guess, labels = np.array([*"yynn"]), np.array([*"ynyn"])
    assert texts.scores(guess, labels, "y") == (0.5, 0.5, 0.5)
    assert texts.scores(guess, guess, "x") == (1.0, 0.0, 0.0)


@pytest.fixture
def folder(tmp_path):
    """A space, and two files of texts whose labels follow from their words."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(60, 20)) * 3
    Space.from_vectors([f"word{i}" for i in range(60)], points).save(tmp_path / "space")
    for name, header, labels in (("tweets", "text,target", "10"), ("sms", "v2,v1", None)):
        lines = [header]
        for i in range(90):
            first, words = 30 * (i % 2), []
            words = [f"word{first + j}" for j in rng.integers(0, 30, 8)]
            label = labels[i % 2] if labels else ("spam", "ham")[i % 2]
            lines.append(f"{' '.join(words)},{label}")
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "command", "options"),
    [
        ("truncated", "texts", ["--texts", "tweets.csv", "--train", "60", "--test", "30"]),
        ("ellipse", "tasks", ["--count", "90", "--records", "tweets.csv", "sms.csv"]),
        ("ellipse", "sparse", ["--records", "tweets.csv", "sms.csv"]),
    ],
)
def test_commands_on_texts_run_to_their_end(folder, script, command, options):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    options = [str(folder / o) if o.endswith(".csv") else o for o in options]
    given = ["--space", str(folder / "space"), "--out", str(folder / "out")]
    done = subprocess.run(
        [sys.executable, f"scripts/{script}.py", command, *given, *options],
        cwd=FOLDER, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads((folder / "out" / f"{script}-{command}.json").read_text(encoding="utf8"))
    assert result["items"] and all(found["checks"] for found in result["items"].values())
    assert "word1" not in done.stdout and "csv" in result["command"]
    assert str(folder) not in json.dumps(result)
