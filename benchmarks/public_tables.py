"""Figures on texts that others published: usefulness, authorship, attributes, linking.

    python benchmarks/public_tables.py snips snips_train.csv   # columns label, text
    python benchmarks/public_tables.py novelists spooky.csv    # columns text, author
    python benchmarks/public_tables.py attributes llmprivacy_synthetic.jsonl
    python benchmarks/public_tables.py rewriting rupta_personalreddit.jsonl rupta_db_bio.jsonl

The files are those of Coucke et al. 2018, of the Kaggle competition "Spooky Author Identification",
of Staab et al. 2024 and of Yang et al. 2025 (RUPTA); none comes with this package. Runs the command
of each table, and writes its result file, its figure and its table in docs/reference/figures.md.
"""

from __future__ import annotations

import argparse
import csv
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from figures import DOCS, write_result

from spacy_dxprivacy.io.build import parse_mechanism
from spacy_dxprivacy.mechanisms.levels import LEVELS
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

Row = dict[str, str]
TASKS = {
    "release to clear": "trained on release, tested on unmodified",
    "release to release": "trained and tested on release",
    "clear to release": "trained on unmodified, tested on release",
}
AUTHORS = {"author, static": "author, static", "author, adaptive": "author, adaptive"}
RECOVERED = {"recovered": "recovered", "rare recovered": "rare recovered"}
ATTACKER = (
    "knows the mechanism, its epsilon and word pairs of English, and how often each word comes in "
    "these texts"
)
ATTRIBUTES = {
    "age": "age", "sex": "sex", "place": "city_country", "income": "income_level",
    "occupation": "occupation",
}  # fmt: skip
POSTS = ("response", "anonymized_response"), ("text", "anonymized_text")
CURVE = "0.3,0.4,0.55,0.8,1.05,1.4"


def measured(command: str, path: Path) -> tuple[list[Row], bytes]:
    """Run a command on the file that it names, and return the rows of its table, and its picture if
    it has one."""
    program, *arguments = shlex.split(command.replace(path.name, str(path.resolve())))
    run = [sys.executable] if program == "python" else [sys.executable, "-m", "spacy", program]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*run, *arguments, "--out", folder], check=True, cwd=DOCS.parent)
        (table,) = Path(folder).glob("*.csv")
        with table.open(encoding="utf8") as file:
            rows = list(csv.DictReader(file))
        picture = b"".join(figure.read_bytes() for figure in Path(folder).glob("*.svg"))
    return rows, picture


def share(text: str) -> str:
    """Return ".57" of "0.5712"."""
    return f"{float(text):.2f}".removeprefix("0") if text else "–"


def cell(row: Row, name: str) -> str:
    """Return a figure with its 95 % interval."""
    if not row[name]:
        return "–"
    return f"{share(row[name])} ({share(row[f'{name} low'])} to {share(row[f'{name} high'])})"


def of_tasks(rows: list[Row], names: dict[str, str]) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows of the table of a task."""
    levels = {str(one.epsilon): name for name, one in LEVELS.items()}
    table = []
    for row in rows:
        name, epsilon = row["mechanism"], row["epsilon"]
        if epsilon == "":
            full, epsilon = "unmodified text", "–"
        else:
            full = parse_mechanism(name)[0]
        if row["guarantee"].startswith("interpolated"):
            full, epsilon = f"{full}, {row['guarantee']}", f"({float(epsilon):.3g})"
        elif name == "path" and epsilon in levels:
            full = f"{full} ({levels[epsilon]})"
        table.append([full, epsilon, *(cell(row, column) for column in names)])
    return ["release", "epsilon", *names.values()], table


def tasks(path: Path, options: str, target: Path, names: dict[str, str], data: str) -> None:
    """Measure and write the table of a task."""
    command = f"python projects/train_on_a_release/scripts/tasks.py {path.name} {options}"
    rows, picture = measured(command, path)
    columns, table = of_tasks(rows, RECOVERED | names)
    words = rows[0]["rare words"]
    released = (row["mechanism"] for row in rows if row["epsilon"])
    write_result(
        target,
        command=command,
        settings={"mechanisms": [parse_mechanism(name)[1] for name in dict.fromkeys(released)]},
        data=f"{data} {words} of the attacked words are rare (below 1e-5 in web text). In "
        "brackets, the 95 % interval (bootstrap).",
        attacker=ATTACKER,
        columns=columns,
        rows=table,
    )
    if target.with_suffix(".svg").exists():  # a page shows it
        target.with_suffix(".svg").write_bytes(picture)


def snips(path: Path) -> None:
    tasks(
        path, "--field 2 --label 1", DOCS / "experiments" / "tasks.json", TASKS,
        "4,000 requests of SNIPS (Coucke et al. 2018), 7 intents, three quarters to train "
        "on and a quarter to test on; about 1,000 words attacked.",
    )  # fmt: skip


def novelists(path: Path) -> None:
    tasks(
        path, "--label author --author author --documents 2000",
        DOCS / "experiments" / "novelists.json", AUTHORS,
        "2,000 sentences of three novelists (Spooky Author Identification), three quarters to "
        "train on and a quarter to test on; about 1,000 words attacked. Chance is .33.",
    )  # fmt: skip


def attributes(path: Path) -> None:
    """One row for each attribute, by the stronger linear attacker."""
    asked = " ".join(f"--attribute personality.{name}" for name in ATTRIBUTES.values())
    command = f"dx attack attributes {path.name} --field response {asked}"
    rows, _ = measured(command, path)
    releases = list(dict.fromkeys((row["mechanism"], row["epsilon"]) for row in rows))
    levels = {str(one.epsilon): name for name, one in LEVELS.items()}
    table = []
    for name, field in ATTRIBUTES.items():
        own = [row for row in rows if row["setting"] == f"personality.{field}"]
        line: list[Any] = [name, share(own[0]["baseline"])]
        for release in releases:
            some = [row for row in own if (row["mechanism"], row["epsilon"]) == release]
            best = max(some, key=lambda row: float(row["value"]))
            line.append(f"{share(best['value'])} ({share(best['low'])} to {share(best['high'])})")
        table.append(line)
    names = [levels.get(epsilon, "unmodified") for _, epsilon in releases]
    write_result(
        DOCS / "attacks" / "attributes.json",
        command=command,
        settings={"default": DEFAULT_CONFIG["mechanism"]},
        data=f"{rows[0]['n']} synthetic posts of 40 invented persons (Staab et al. 2024); ages in "
        "quarters. In brackets, the 95 % interval.",
        attacker="linear, on words and pairs of words, trained on four fifths of the posts, "
        "unmodified or released (the stronger counts)",
        columns=["attribute", "most frequent value", *names],
        rows=table,
    )  # fmt: skip


def rewriting(*paths: Path) -> None:
    """Rows of GPT-4 and of releases over the curve."""
    table, commands, sizes = [], [], []
    for path, (field, other) in zip(paths, POSTS, strict=True):
        command = f"dx attack link {path.name} --field {field} --released {other} -e {CURVE}"
        rows, _ = measured(command, path)
        commands.append(command)
        kind = "posts" if field == "response" else "biographies"
        sizes.append(f"{rows[0]['n']} {kind}")
        for i in range(0, len(rows), 3):
            epsilon = rows[i]["epsilon"]
            name = rows[i]["mechanism"] if epsilon else "GPT-4 (RUPTA)"
            shares = [f"{share(r['value'])} ({share(r['low'])} to {share(r['high'])})"
                      for r in (rows[i + 1], rows[i], rows[i + 2])]  # fmt: skip
            table.append([kind, name, epsilon or "–", *shares])
    write_result(
        DOCS / "attacks" / "rewriting.json",
        command=commands[0],
        settings={"default": DEFAULT_CONFIG["mechanism"], "runs": [{"command": commands[1]}]},
        data=f"{' and '.join(sizes)} beside what GPT-4 made of them (Yang et al. 2025, RUPTA). In "
        "brackets, the 95 % interval.",
        attacker="has all originals, and links by TF-IDF; does not know how a release was made",
        columns=["texts", "release", "epsilon", "words unchanged", "linked to the original",
                 "words of one document unchanged"],
        rows=table,
    )  # fmt: skip


TABLES = {"snips": snips, "novelists": novelists, "attributes": attributes, "rewriting": rewriting}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("files", type=Path, nargs="+")
    args = parser.parse_args()
    TABLES[args.table](*args.files)
