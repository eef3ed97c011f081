"""How often a release of dx.Path.v2, the default, is linked to its original, by `dx attack link`.

    python benchmarks/link_notes.py [--clinical NOTES.jsonl]

The texts are 100 notes of 20 invented persons, five visits each, made below from a fixed seed, and
those of a file. `dx attack link` gives every second note to the attacker to read, so an original is
one of 50. The last column is about whole notes: how many have a layout (words and punctuation, by
place) that no other note has. Layout is in plaintext. Writes docs/attacks/linked.json and the table
of docs/reference/figures.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import tempfile
from collections import Counter
from pathlib import Path

import spacy
from figures import DOCS, write_result
from typer.testing import CliRunner

from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

WORDS = json.loads(Path(__file__).with_suffix(".json").read_bytes())
EPSILONS = [0.3, 0.55, 0.8, 1.05]
COMMAND = ["attack", "link", "NOTES", "-m", "dx.Path.v2", "-e", ",".join(map(str, EPSILONS))]


def notes() -> list[str]:
    """Return 100 notes, those of a person five places apart by twenty."""
    rng = random.Random(28)

    def choice(name: str) -> str:
        return rng.choice(WORDS[name])

    fixed = {
        name: {"age": rng.randint(19, 88), "job": choice("jobs"), "home": choice("homes"),
               "illness": choice("illnesses"), "place": choice("places"), "drug": choice("drugs")}
        for name in WORDS["names"]
    }  # fmt: skip
    made = [
        visit.format(name=name, when=choice("times"), cause=choice("causes"),
                     drug2=choice("drugs"), weeks=rng.randint(2, 9), **fixed[name])
        for name in WORDS["names"] for visit in WORDS["visits"]
    ]  # fmt: skip
    rng.shuffle(made)  # the command reads every second one
    return made


def unique_layouts(texts: list[str]) -> float:
    """Return the share of notes whose sequence of words and other tokens no other note has."""
    nlp = spacy.blank("en")
    words = re.compile(r"[^\W_]")
    layouts = [
        tuple("w" if words.search(t.text) else t.text for t in doc) for doc in nlp.pipe(texts)
    ]
    counts = Counter(layouts)
    return sum(counts[layout] == 1 for layout in layouts) / len(layouts)


def linked(texts: list[str]) -> list[dict[str, str]]:
    """Return the figures of the command on these texts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.jsonl"
        path.write_text(
            "".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf8"
        )
        given = [str(path) if word == "NOTES" else word for word in COMMAND]
        done = CliRunner().invoke(dx_cli, [*given, "--out", folder])
        assert done.exit_code == 0, done.output
        return list(csv.DictReader((Path(folder) / "link.csv").open(encoding="utf8")))


def rows_of(name: str, texts: list[str]) -> list[list[object]]:
    """Return the rows of the table about these texts."""
    found = {(float(row["epsilon"]), row["attacker"]): float(row["value"]) for row in linked(texts)}
    layouts = unique_layouts(texts)
    return [
        [name, str(epsilon), found[epsilon, "rare words"], found[epsilon, "likelihood"], layouts]
        for epsilon in EPSILONS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clinical", type=Path, help="a .jsonl of 100 notes, field text")
    args = parser.parse_args()
    rows = rows_of("20 persons, five each", notes())
    if args.clinical:
        lines = args.clinical.read_text(encoding="utf8").splitlines()
        rows += rows_of("100 clinical ones", [json.loads(line)["text"] for line in lines])
    write_result(
        DOCS / "attacks" / "linked.json",
        command="python benchmarks/link_notes.py" + " --clinical NOTES.jsonl" * bool(args.clinical),
        settings={"default": DEFAULT_CONFIG["mechanism"], "command": f"dx {' '.join(COMMAND)}"},
        data="100 notes of 20 invented persons, made by the script; 100 histories of present "
        "illness of MTS-Dialog, the first of 30 words or more. 20 words each, of 1 of 50.",
        attacker="has the originals; by likelihood, knows the mechanism and its epsilon as well",
        columns=["notes", "epsilon", "linked by rare words", "linked by likelihood",
                 "whole notes of a layout of their own"],
        rows=rows,
    )  # fmt: skip
    print(*rows, sep="\n")


if __name__ == "__main__":
    main()
