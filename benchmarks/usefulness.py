"""What a linear model learns from releases of texts that people type: by level and mode.

    python benchmarks/usefulness.py SNIPS=snips_train.csv tweets=disaster_tweets_train.csv
        spam=sms_spam_kaggle.csv reviews=rt-polarity.all

Runs projects/train_on_a_release/scripts/tasks.py on each file, several at once. A .csv file has the
text and its class in two of COLUMNS; any other has a class, a blank and a text a line. Writes
docs/experiments/usefulness.json.
"""

from __future__ import annotations

import argparse
import csv
import io
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import srsly
from figures import DOCS, write_result

from spacy_dxprivacy.mechanisms.levels import LEVELS

SCRIPT = DOCS.parent / "projects" / "train_on_a_release" / "scripts" / "tasks.py"
COLUMNS = (("text", "target"), ("v2", "v1"), ("text", "label"))
DOCUMENTS = 1200
RELEASES = ("entities", "path")
EPSILONS = ",".join(str(level.epsilon) for level in LEVELS.values())
MEASURES = {
    "recovered": "recovered",
    "rare recovered": "rare recovered",
    "release to clear": "trained on release, tested on unmodified",
    "release to release": "trained and tested on release",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="+", help="NAME=FILE")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="number of texts")
    options = parser.parse_args()
    pairs = [pair.partition("=") for pair in options.texts]
    rows: list[list[str]] = []
    with ThreadPoolExecutor(len(pairs)) as pool:
        measured = pool.map(lambda pair: measure(pair[0], Path(pair[2]), options.documents), pairs)
        for of_task in measured:
            rows += of_task
            write(options.texts, options.documents, rows)


def write(files: list[str], documents: int, rows: list[list[str]]) -> None:
    """Write the result file."""
    pairs = [file.partition("=") for file in files]
    write_result(
        DOCS / "experiments" / "usefulness.json",
        command="python benchmarks/usefulness.py "
        + " ".join(f"{name}={Path(path).name}" for name, _, path in pairs),
        settings={"component": {"factory": "dx_sanitizer"}},
        data=f"{documents:,} texts of each, three quarters to train on, a quarter "
        "to test on; about 1,000 words attacked. SNIPS are requests (7 intents), tweets "
        "are about disasters or not, spam is SMS, reviews are single sentences about films "
        "(MR). Chance is .14 and .5. Macro F1 of a linear model of words, word pairs and "
        "characters. In brackets, the 95 % interval (bootstrap).",
        attacker="knows the mechanism, its epsilon and word pairs of English, and how "
        "often each word comes in these texts; for entities alone, which words are "
        "surrogates, and reads all others",
        columns=["texts", "release", "epsilon", *MEASURES.values()],
        rows=rows,
    )


def measure(name: str, path: Path, documents: int) -> list[list[str]]:
    """Return the rows of one task."""
    with TemporaryDirectory() as folder:
        texts, out = Path(folder, "texts.jsonl"), Path(folder, "out")
        srsly.write_jsonl(texts, read(path))
        chosen = [part for release in RELEASES for part in ("-m", release)]
        command = [sys.executable, SCRIPT, texts, "--label", "label", *chosen, "-e", EPSILONS]
        command += ["--documents", documents, "--out", out]
        subprocess.run([*map(str, command)], check=True)
        with (out / "tasks.csv").open(encoding="utf8") as file:
            rows = [*csv.DictReader(file)]
    return rows_of(name, rows)


def rows_of(name: str, found: list[dict[str, str]]) -> list[list[str]]:
    """Return the rows of the table, of those of tasks.csv."""
    return [
        [name, *labels_of(row), *(cell(row, figure) for figure in MEASURES)]
        for row in sorted(found, key=lambda row: -float(row["epsilon"] or "inf"))
        if not row["guarantee"].startswith("interpolated")
    ]


def read(path: Path) -> list[dict[str, str]]:
    """Return text and label of each row of a file."""
    data = path.read_bytes()
    try:
        lines = io.StringIO(data.decode("utf8"), newline="")
    except UnicodeDecodeError:
        lines = io.StringIO(data.decode("latin-1"), newline="")
    if path.suffix != ".csv":
        split = (line.strip().partition(" ") for line in lines)
        return [{"text": text, "label": label} for label, _, text in split if text]
    rows = [*csv.reader(lines)]
    for text, label in COLUMNS:
        if {text, label} <= {*rows[0]}:
            i, j = rows[0].index(text), rows[0].index(label)
            return [{"text": row[i], "label": row[j]} for row in rows[1:] if len(row) > max(i, j)]
    return [{"text": row[1], "label": row[0]} for row in rows if len(row) > 1]


def labels_of(row: dict[str, str]) -> tuple[str, str]:
    """Return the name of a release, and its epsilon."""
    name, epsilon = row["mechanism"], row["epsilon"]
    if not epsilon:
        return "unmodified" if name == "plaintext" else "entities alone", "–"
    levels = {level.epsilon: key for key, level in LEVELS.items()}
    return levels[float(epsilon)], epsilon


def cell(row: dict[str, str], figure: str) -> str:
    """Return a figure and its interval."""
    if not row[figure]:
        return "–"
    value, low, high = (number(row[f"{figure}{end}"]) for end in ("", " low", " high"))
    return f"{value} ({low} to {high})"


def number(value: str) -> str:
    """Return a share with two digits."""
    return f"{float(value):.2f}".removeprefix("0")


if __name__ == "__main__":
    main()
