"""Result files, and the tables of the docs that are read from them.

    python benchmarks/figures.py              # writes each table that names a result file anew
    python benchmarks/figures.py FOLDER...    # and before that takes the results of projects/papers

A run of projects/papers writes .json and .svg files into a folder, such as output/glove50, which
become those of docs/papers/glove50. The table between `<!-- items -->` and `<!-- /items -->` has
the items of projects/papers/items.json, with the verdicts that these results have.

A result file is JSON under docs/ with

    commit      the commit that was measured
    command     the command that measures again
    settings    what was measured, by the names of the registries, factories, presets and levels
    data        the texts
    attacker    what the reader of the output knows
    columns, rows       the table

A benchmark writes its result file. Where the command is one of `dx` or of a project, its rows are
those of the .csv file that `--out` writes.

A page holds the table between `<!-- figures: attacks/linked.json -->` and `<!-- /figures -->`, and
a sentence about a level between `<!-- level: light -->` and `<!-- /level -->`.
tests/docs/test_figures.py fails where a page and its file differ, and where the command or the
settings name what no longer exists: measure again, or delete both.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
TABLE = re.compile(r"(<!-- figures: (\S+) -->\n)(.*?)(<!-- /figures -->)", re.S)
ITEMS = re.compile(r"(<!-- items -->\n)(.*?)(<!-- /items -->)", re.S)
MAX_ROWS = 50  # of a table on a page
LEVEL = re.compile(r"(<!-- level: (\w+) -->\n)(.*?)(<!-- /level -->)", re.S)


def write_result(path: Path, **result: Any) -> None:
    """Write a result file that names the commit, and the tables that are read from it."""
    path.parent.mkdir(exist_ok=True)
    found = json.dumps({"commit": commit(), **result}, indent=1, ensure_ascii=False)
    path.write_text(f"{found}\n", encoding="utf8")
    write_pages()


def commit() -> str:
    """Return the commit of the working tree, "-dirty" behind it where files differ from it."""
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(git, capture_output=True, text=True, cwd=DOCS)
    return done.stdout.strip() or "unknown"


def write_pages() -> None:
    """Write all tables anew."""
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf8")
        page.write_text(with_tables(text), encoding="utf8")


def with_tables(text: str) -> str:
    """Return a page whose tables and levels are those of their result files."""
    text = ITEMS.sub(lambda match: match[1] + items() + match[3], text)
    text = LEVEL.sub(lambda match: match[1] + level(match[2]) + match[4], text)
    return TABLE.sub(lambda match: match[1] + table(match[2], _read(match[2])) + match[4], text)


def level(name: str) -> str:
    """Return what a level means, in a sentence."""
    rows = {row[0].split()[0]: row for row in _read("attacks/levels.json")["rows"]}
    _, epsilon, _, *recovered, rare, _ = rows[name]
    highest = max(share for share in recovered if isinstance(share, float))
    return (
        f"At this level epsilon is {epsilon} nats per unit of path distance. An attacker recovers "
        f"{highest:.0%} of the words of\nclinical notes, and {rare:.0%} of the rare ones.\n"
    ).replace("%", " %")


def _read(name: str | Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((DOCS / name).read_text(encoding="utf8"))
    return result


def table(name: str, result: dict[str, Any]) -> str:
    """Return the table of a result file in Markdown, and below it what was measured. A table of
    more than MAX_ROWS rows is left to its file."""
    numbers = [not isinstance(cell, str) for cell in result["rows"][0]]
    rule = ["---:" if number else "---" for number in numbers]
    rows = [result["columns"], rule, *([_cell(cell) for cell in row] for row in result["rows"])]
    lines = [f"| {' | '.join(row)} |" for row in rows] if len(rows) <= MAX_ROWS + 2 else []
    settings = f"[Measured](../{name}) at commit {result['commit']}: `{result['command']}`."
    attacker = result["attacker"].rstrip(".")
    attacked = "" if attacker.startswith("none") else f" Attacker: {attacker}."
    said = f"{settings} {result['data']}{attacked}"
    return "\n".join(["", *lines, *([""] if lines else []), said, "", ""])


def _cell(value: object) -> str:
    return f"{value:.2f}".removeprefix("0") if isinstance(value, float) else str(value)


def inventory() -> list[dict[str, Any]]:
    """Return the items of the papers: paper, item, command, why (where there is no command), and
    `found`: the result with this item, by the name of its vectors."""
    text = (DOCS.parent / "projects" / "papers" / "items.json").read_text(encoding="utf8")
    listed: list[dict[str, Any]] = json.loads(text)
    for row in listed:
        results = {path.parent.name: path for path in DOCS.glob(f"papers/*/{row['command']}.json")}
        ordered = sorted(results.items(), key=lambda named: (len(named[0]), named[0]))
        read = {name: _read(path.relative_to(DOCS)) for name, path in ordered}
        row["found"] = {n: r for n, r in read.items() if row["item"] in r.get("items", {})}
    return listed


def items() -> str:
    """Return the table of all items of the papers, and how many of them have a verdict."""
    rows, done = [["paper", "item", "verdict", "vectors", "command", "why not"], ["---"] * 6], 0
    for row in inventory():
        verdicts = {n: r["items"][row["item"]]["verdict"] for n, r in row["found"].items()}
        vectors = {n: n if r["vectors"] == "other" else f"{n} ({r['vectors']})"
                   for n, r in row["found"].items() if r["vectors"] != "none"}  # fmt: skip
        verdict_text = "; ".join(f"{verdict} ({name})" for name, verdict in verdicts.items())
        if len({*verdicts.values()}) == 1:
            (verdict_text,) = {*verdicts.values()}
        done += bool(verdict_text)
        command = f"`{row['command']}`" if row["command"] else ""
        cells = [
            row["item"],
            verdict_text or "not done",
            ", ".join(vectors.values()),
            command,
            row["why"],
        ]
        rows.append([f"[{row['paper']}](https://arxiv.org/abs/{row['paper']})", *cells])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(["", *lines, "", f"{done} of {len(rows) - 2} items have a verdict.", "", ""])


def take(folder: Path) -> None:
    """Take results and figures of a run of projects/papers into the docs."""
    measured, target = commit(), DOCS / "papers" / folder.name
    target.mkdir(exist_ok=True)
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf8"))
        result["data"] += f" Verdict: {result.pop('verdict')}"
        text = json.dumps({"commit": measured, **result}, indent=1, ensure_ascii=False)
        (target / path.name).write_text(f"{text}\n", encoding="utf8")
    for path in sorted(folder.glob("*.svg")):
        shutil.copy(path, target)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        take(Path(name))
    write_pages()
