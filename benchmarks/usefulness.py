"""What a linear model learns from releases of texts that people type: by level, policy and mode.

    python benchmarks/usefulness.py SNIPS=snips_train.csv tweets=disaster_tweets_train.csv
        spam=sms_spam_kaggle.csv reviews=rt-polarity.all

Runs projects/train_on_a_release/scripts/tasks.py on each file, several at once. A .csv file has the
text and its class in two of COLUMNS; any other has a class, a blank and a text a line. Some rows
are interpolated to where the attacker recovers as much of each release. Writes
docs/experiments/usefulness.json.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
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
DOCUMENTS = 2000
RELEASES = ("path", "path policy=training", "entities")
EQUAL = "interpolated at recovered 0.5"
MEASURES = {
    "recovered": "recovered",
    "rare recovered": "rare recovered",
    "release to clear": "trained on release, tested on unmodified",
    "release to release": "trained and tested on release",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="+", help="NAME=FILE")
    pairs = [pair.partition("=") for pair in parser.parse_args().texts]
    rows: list[list[str]] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for of_task in pool.map(lambda pair: measure(pair[0], Path(pair[2])), pairs):
            rows += of_task
            write_result(
                DOCS / "experiments" / "usefulness.json",
                command="python benchmarks/usefulness.py "
                + " ".join(f"{name}={Path(path).name}" for name, _, path in pairs),
                settings={"component": {"factory": "dx_sanitizer"}},
                data=f"{DOCUMENTS:,} texts of each file, three quarters to train on and a quarter "
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


def measure(name: str, path: Path) -> list[list[str]]:
    """Return the rows of one task."""
    with TemporaryDirectory() as folder:
        texts, out = Path(folder, "texts.jsonl"), Path(folder, "out")
        srsly.write_jsonl(texts, read(path))
        chosen = [part for release in RELEASES for part in ("-m", release)]
        command = [sys.executable, SCRIPT, texts, "--label", "label", *chosen, "--out", out]
        subprocess.run([*map(str, command), "--documents", str(DOCUMENTS)], check=True)
        with (out / "tasks.csv").open(encoding="utf8") as file:
            found = [*csv.DictReader(file)]
    return [
        [name, *labels, *(cell(row, measure) for measure in MEASURES)]
        for row in found
        if (labels := labels_of(row))
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


def labels_of(row: dict[str, str]) -> list[str]:
    """Return the name of a release and its epsilon; nothing for a row to leave out."""
    name, epsilon, at = row["mechanism"], row["epsilon"], row["guarantee"]
    if not epsilon:
        return ["unmodified text" if name == "clear text" else "entities alone", "–"]
    policy = "training" if "training" in name else "general"
    if at == EQUAL:
        return [f"policy {policy}, at an equal attacker", f"({epsilon})"]
    levels = {level.epsilon: key for key, level in LEVELS.items()}
    label = levels.get(float(epsilon)) if policy == "general" else f"policy {policy}"
    return [label, epsilon] if label and not at.startswith("interpolated") else []


def cell(row: dict[str, str], measure: str) -> str:
    """Return a figure and its interval."""
    if not row[measure]:
        return "–"
    value, low, high = (number(row[f"{measure}{end}"]) for end in ("", " low", " high"))
    return f"{value} ({low} to {high})"


def number(value: str) -> str:
    """Return a share with two digits."""
    return f"{float(value):.2f}".removeprefix("0")


if __name__ == "__main__":
    main()
