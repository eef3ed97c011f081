"""What a linear model learns from releases of texts that people type: by level, and by policy.

    python benchmarks/usefulness.py SNIPS=snips_train.csv tweets=disaster_tweets_train.csv
        spam=sms_spam_kaggle.csv reviews=rt-polarity.all [--policies] [--jobs N] [--keep FOLDER]

Runs projects/train_on_a_release/scripts/tasks.py on each file, several at once. A .csv file has the
text and its class in two of COLUMNS; any other has a class, a blank and a text a line. Writes
docs/experiments/usefulness.json; with --policies, docs/experiments/policies.json, which compares
policies where an attacker recovers as much.
"""

from __future__ import annotations

import argparse
import csv
import io
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import srsly
from figures import DOCS, write_result

from spacy_dxprivacy.mechanisms.levels import LEVELS

SCRIPT = DOCS.parent / "projects" / "train_on_a_release" / "scripts" / "tasks.py"
COLUMNS = (("text", "target"), ("v2", "v1"), ("text", "label"))
DOCUMENTS = 1200
EPSILONS = ",".join(str(level.epsilon) for level in LEVELS.values())
LEVEL_RUN = ["-m", "entities", "-m", "path", "-e", EPSILONS]
# Epsilons on either side of EQUAL. `clinical` is left out: of such texts it leaves as many words
# unchanged as `general`.
POLICIES = {
    "general": "0.6,1.2",
    "training": "0.8,1.8",
    "strict": "0.75,1.5",
    "plain": "0.9,1.6",
}
EQUAL = (".35", ".5")  # recovered shares at which policies are compared
ABOUT = {
    "SNIPS": "SNIPS are requests (7 intents, chance is .14).",
    "tweets": "Tweets are about disasters or not (chance is .5).",
    "spam": "Spam is SMS (chance is .5).",
    "reviews": "Reviews are single sentences about films (MR, chance is .5).",
}
SCORES = {
    "rare recovered": "rare recovered",
    "release to clear": "trained on release, tested on unmodified",
    "release to release": "trained and tested on release",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="+", help="NAME=FILE")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="number of texts")
    parser.add_argument("--policies", action="store_true", help="compare policies, not levels")
    parser.add_argument("--jobs", type=int, help="files at once; all by default")
    parser.add_argument("--keep", type=Path, help="folder of measurements, for another run")
    options = parser.parse_args()
    pairs = [pair.partition("=") for pair in options.texts]
    measure = by_policy if options.policies else by_level
    rows: list[list[str]] = []
    with ThreadPoolExecutor(options.jobs or len(pairs)) as pool:
        measured = pool.map(lambda pair: measure(pair[0], Path(pair[2]), options), pairs)
        for number, of_task in enumerate(measured, 1):
            rows += of_task
            write(options, options.texts[:number], rows)


def write(options: argparse.Namespace, files: list[str], rows: list[list[str]]) -> None:
    """Write the result file."""
    pairs = [file.partition("=") for file in files]
    heads, name, flag = ["release", "epsilon", "recovered"], "usefulness", ""
    if options.policies:
        heads, name, flag = ["recovered", "policy", "epsilon"], "policies", " --policies"
    write_result(
        DOCS / "experiments" / f"{name}.json",
        command="python benchmarks/usefulness.py "
        + " ".join(f"{name}={Path(path).name}" for name, _, path in pairs)
        + flag,
        settings={"component": {"factory": "dx_sanitizer"}},
        data=f"{options.documents:,} texts of each, three quarters to train on, a quarter "
        "to test on; about 1,000 words attacked. "
        + " ".join(ABOUT.get(name, "") for name, _, _ in pairs)
        + " Macro F1 of a linear model of words, word pairs and characters. In brackets, the 95 % "
        "interval (bootstrap)"
        + (", and the epsilon between measured ones." if options.policies else "."),
        attacker="knows the mechanism, its epsilon and word pairs of English, and how "
        "often each word comes in these texts"
        + ("" if options.policies
           else "; for entities alone, which words are surrogates, and reads all others"),
        columns=["texts", *heads, *SCORES.values()],
        rows=rows,
    )  # fmt: skip


def by_level(name: str, path: Path, options: argparse.Namespace) -> list[list[str]]:
    """Return the rows of one task: unmodified, entities alone and the levels."""
    found = [row for row in tasks(name, path, options, *LEVEL_RUN) if not _share(row)]
    found.sort(key=lambda row: -float(row["epsilon"] or "inf"))
    return [[name, *labels_of(row), cell(row, "recovered"), *scores(row)] for row in found]


def by_policy(name: str, path: Path, options: argparse.Namespace) -> list[list[str]]:
    """Return the rows of one task at each share of EQUAL: one of each policy."""
    rows = list[list[str]]()
    for policy, epsilons in POLICIES.items():
        asked = ["-m", f"path policy={policy}", "-e", epsilons, "--at", *EQUAL]
        for row in tasks(f"{name}-{policy}", path, options, *asked):
            if _share(row):
                epsilon = f"({float(row['epsilon']):.2f})"
                rows.append([name, number(_share(row)), policy, epsilon, *scores(row)])
    return sorted(rows, key=lambda row: row[1])  # in the order of policies


def _share(row: dict[str, str]) -> str:
    """Return the recovered share at which a row is interpolated; "" for one that is measured."""
    return row["guarantee"].partition("interpolated at recovered ")[2]


def tasks(
    name: str, path: Path, options: argparse.Namespace, *asked: str
) -> Iterator[dict[str, str]]:
    """Yield the rows of tasks.csv of a file. A table of an earlier run is not measured again."""
    place: Any = nullcontext(options.keep / name) if options.keep else TemporaryDirectory()
    with place as folder:
        table = Path(folder, "tasks.csv")
        if not table.exists():
            table.parent.mkdir(parents=True, exist_ok=True)
            texts = Path(folder, "texts.jsonl")
            srsly.write_jsonl(texts, read(path))
            command = [sys.executable, SCRIPT, texts, "--label", "label", *asked]
            command += ["--documents", options.documents, "--out", folder]
            subprocess.run([*map(str, command)], check=True)
        with table.open(encoding="utf8") as file:
            yield from csv.DictReader(file)


def scores(row: dict[str, str]) -> list[str]:
    """Return the cells of a row after those that name it."""
    return [cell(row, figure) for figure in SCORES]


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
