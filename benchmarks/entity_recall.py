"""Recall and precision of PERSON and DATE: the rules of dx_entity_ruler, and a trained NER.

    python benchmarks/entity_recall.py PRESIDIO_SYNTH_JSON NER_PIPELINE

The first is a list of {"full_text", "spans": [{"entity_type", "start_position", "end_position"}]}
(presidio-research, synth_dataset_v2.json), the second a saved pipeline with an "ner". Characters
count, white space and punctuation do not: an entity is found whole when every character of it is
in an entity of the right label, in part when one is.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

# Type in the data set -> the labels that stand for it in the two recognisers.
LABELS = {"PERSON": {"PERSON", "per"}, "DATE": {"DATE", "TIME", "tim"}}
GOLD = {"PERSON": {"PERSON"}, "DATE": {"DATE_TIME"}}
# Ages, and with persons their titles, are marked apart there: neither required nor wrong here.
NEUTRAL = {"PERSON": {"TITLE"}, "DATE": {"AGE"}}

Example = tuple[str, list[tuple[str, int, int]]]


@dataclass
class Tally:
    """Entities: wanted, found whole, found in part. Characters marked: right, wrong, and those
    of the wrong ones that are personal data of another type."""

    wanted: int = 0
    whole: int = 0
    part: int = 0
    right: int = 0
    wrong: int = 0
    personal: int = 0

    def add(self, text: str, spans: list[tuple[str, int, int]], marked: set[int], of: str) -> None:
        counted = {i for i, letter in enumerate(text) if letter.isalnum()}
        marked = marked & counted
        gold: set[int] = set()
        for kind, start, end in spans:
            letters = set(range(start, end)) & counted
            if kind in GOLD[of]:
                gold |= letters
                self.wanted += 1
                self.whole += letters <= marked
                self.part += bool(letters & marked)
        neutral = _letters(spans, NEUTRAL[of]) - gold
        others = _letters(spans, {kind for kind, _, _ in spans})
        self.right += len(marked & gold)
        self.wrong += len(marked - gold - neutral)
        self.personal += len((marked - gold - neutral) & others)

    def row(self) -> str:
        total = self.right + self.wrong
        shares = (
            self.whole / self.wanted,
            self.part / self.wanted,
            self.right / max(total, 1),
            (self.right + self.personal) / max(total, 1),
        )
        return f"{self.wanted} | " + " | ".join(f"{share:.3f}" for share in shares)


def _letters(spans: Iterable[tuple[str, int, int]], kinds: set[str]) -> set[int]:
    return {i for kind, start, end in spans if kind in kinds for i in range(start, end)}


def read_examples(path: Path) -> list[Example]:
    return [(record["full_text"], _spans(record)) for record in json.loads(path.read_text("utf8"))]


def _spans(record: dict[str, Any]) -> list[tuple[str, int, int]]:
    keys = ("entity_type", "start_position", "end_position")
    return [tuple(span[key] for key in keys) for span in record["spans"]]


def measure(nlp: Language, examples: list[Example]) -> tuple[dict[str, Tally], float]:
    """Tallies by label, and words a second once the vocabulary has met the words."""
    tallies = {of: Tally() for of in LABELS}
    texts = [text for text, _ in examples]
    docs = list(nlp.pipe(texts))
    began = time.perf_counter()
    docs = list(nlp.pipe(texts))
    seconds = time.perf_counter() - began
    for (text, spans), doc in zip(examples, docs, strict=True):
        for of, labels in LABELS.items():
            ents = [e for e in doc.ents if e.label_ in labels]
            marked = {i for e in ents for i in range(e.start_char, e.end_char)}
            tallies[of].add(text, spans, marked, of)
    return tallies, sum(map(len, docs)) / seconds


def rules(**settings: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler", config=settings)
    return nlp


def trained(path: Path, *, after_rules: bool = False) -> Language:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # W095: trained with another version
        nlp = spacy.load(path)
    if after_rules:
        nlp.add_pipe("dx_entity_ruler", first=True)
    return nlp


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("ner", type=Path)
    args = parser.parse_args()
    examples = read_examples(args.data)
    recognisers = {
        "dx_entity_ruler": rules(),
        "dx_entity_ruler, guess = false": rules(guess=False),
        args.ner.name: trained(args.ner),
        f"dx_entity_ruler, then {args.ner.name}": trained(args.ner, after_rules=True),
    }
    print(
        "| recogniser | label | entities | found whole | found in part | precision "
        "| in any personal data | words/s |"
    )
    print("| --- | --- | --: | --: | --: | --: | --: | --: |")
    for name, nlp in recognisers.items():
        tallies, speed = measure(nlp, examples)
        for of, tally in tallies.items():
            print(f"| {name} | {of} | {tally.row()} | {speed:,.0f} |")


if __name__ == "__main__":
    main()
