"""What can still be read after entity mode, and what was taken that is none.

    python benchmarks/entity_leaks.py PRESIDIO_SYNTH_JSON [--half odd] [--ner PIPELINE] [--through]
    python benchmarks/entity_leaks.py benchmarks/entity_texts/unseen.txt

The file is a list of {"full_text", "template_id", "spans": [{"entity_type", "start_position",
"end_position"}]} (presidio-research, synth_dataset_v2.json). `--half even` and `--half odd` take
the texts of templates with an even or odd number: rules are written while looking at the one, and
figures are told of the other, which has other sentences and other names.

A .conll file has a token and its tag in the first and last column of a line, as the Broad Twitter
Corpus and WNUT17 have them. A .txt file has texts with marks within, `{P:Maria Lopez}` for a
person, and ===== between them. Those of entity_texts were written by hand:
mails, notes, tickets, tables, chats with names of many countries, and with brands, drugs and
amounts that are nobody's.

Every word that is recognised counts as hidden, whatever will stand in its place: this is about the
recogniser alone. *readable* is the share of annotated entities of which a word is still there;
*verbatim* of those that are there as a whole; *documents* the share of texts with an entity of the
type of which a word is there anywhere in what is left. *precision* is the share of marked words
that belong to an annotated entity of that type; *in any* counts those of all other types as right.
With `--through`, *other words changed* is of what the stand-ins "standard" write: a word that is
marked and stays, as "next week" does, is not changed.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import biluo_tags_to_spans, iob_to_biluo

from spacy_dxprivacy import Rng
from spacy_dxprivacy.entities.surrogates.plain import make_preset
from spacy_dxprivacy.entities.surrogates.replacements import replace_mentions, words_of_surrogate
from spacy_dxprivacy.lab.golden import PARTICLES as PARTICLES
from spacy_dxprivacy.lab.golden import WORD, telling

LABELS = "PERSON DATE TIME GPE ADDRESS ORG EMAIL URL PHONE ID".split()
# Our label -> the types of the data that it is right for.
RIGHT = {
    "PERSON": {"PERSON", "TITLE"},
    "DATE": {"DATE_TIME", "AGE"},
    "TIME": {"DATE_TIME", "AGE"},
    "GPE": {"GPE", "NRP", "STREET_ADDRESS"},
    "ADDRESS": {"STREET_ADDRESS", "ZIP_CODE", "GPE"},
    "ORG": {"ORGANIZATION"},
    "EMAIL": {"EMAIL_ADDRESS"},
    "URL": {"DOMAIN_NAME"},
    "PHONE": {"PHONE_NUMBER"},
    "ID": set("ID CREDIT_CARD IBAN_CODE US_SSN IP_ADDRESS US_DRIVER_LICENSE ZIP_CODE".split()),
}
MARKS = {
    "P": "PERSON",
    "A": "STREET_ADDRESS",
    "Z": "ZIP_CODE",
    "G": "GPE",
    "O": "ORGANIZATION",
    "F": "PHONE_NUMBER",
    "E": "EMAIL_ADDRESS",
    "I": "ID",
    "D": "DATE_TIME",
    "S": "SECRET",
}
CONLL = spacy.blank("xx")
CONLL_TYPES = {
    **{"PER": "PERSON", "ORG": "ORGANIZATION", "LOC": "GPE"},
    **{"person": "PERSON", "location": "GPE"},
    **dict.fromkeys(("corporation", "group"), "ORGANIZATION"),
}
MARK = re.compile(r"\{([A-Z]):([^{}]*)\}")


@dataclass
class Tally:
    """Entities and documents by type, marked words by label, words of no entity."""

    entities: Counter[str] = field(default_factory=Counter)
    readable: Counter[str] = field(default_factory=Counter)
    verbatim: Counter[str] = field(default_factory=Counter)
    documents: Counter[str] = field(default_factory=Counter)
    leaking: Counter[str] = field(default_factory=Counter)
    marked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    in_any: Counter[str] = field(default_factory=Counter)
    others: int = 0
    changed: int = 0
    shown: list[str] = field(default_factory=list)


def words_in(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int, str]]:
    found = WORD.finditer(text, start, len(text) if end is None else end)
    return [(m.start(), m.end(), m[0]) for m in found]


def changed_by_stand_ins(doc: Doc, labels: set[str]) -> set[int]:
    """Where words begin that another word stands for."""
    some = {label: one for label, one in make_preset("standard").items() if label in labels}
    found = set()
    for item in replace_mentions(doc, some, Rng(seed=1)):
        if item.text is None:
            continue
        stay = {word.lower() for word in words_of_surrogate(item.text, doc.vocab.lang)[0]}
        span = doc[item.start : item.end]
        for start, _, word in words_in(doc.text, span.start_char, span.end_char):
            found |= set() if word.lower() in stay else {start}
    return found


def add(
    tally: Tally,
    doc: Doc,
    spans: list[tuple[str, int, int]],
    labels: set[str],
    show: str,
    through: bool,
) -> None:
    text = doc.text
    hidden: dict[int, str] = {}
    for ent in doc.ents:
        if ent.label_ in labels:
            hidden.update(dict.fromkeys(range(ent.start_char, ent.end_char), ent.label_))
    owner: dict[int, set[str]] = defaultdict(set)
    for kind, start, end in spans:
        for i in range(start, end):
            owner[i].add(kind)
    left = {
        w.lower()
        for start, end, w in words_in(text)
        if not any(i in hidden for i in range(start, end))
    }
    _entities(tally, text, spans, hidden, left, show)
    touched = changed_by_stand_ins(doc, labels) if through else set(hidden)
    for start, _, word in words_in(text):
        label = hidden.get(start)
        if not owner.get(start):
            tally.others += 1
            tally.changed += start in touched
        if label is not None:
            tally.marked[label] += 1
            tally.right[label] += bool(owner.get(start, set()) & RIGHT.get(label, {label}))
            tally.in_any[label] += bool(owner.get(start))
            if show == "other" and not owner.get(start) and start in touched:
                tally.shown.append(f"{label}: {word} | {text[max(0, start - 40) : start + 40]!r}")
            if show == f"-{label}" and not owner.get(start, set()) & RIGHT.get(label, {label}):
                tally.shown.append(f"{label}: {word} | {text[max(0, start - 40) : start + 40]!r}")


def _entities(
    tally: Tally,
    text: str,
    spans: list[tuple[str, int, int]],
    hidden: dict[int, str],
    left: set[str],
    show: str,
) -> None:
    kinds, leaks = set(), set()
    for kind, start, end in spans:
        kinds.add(kind)
        tally.entities[kind] += 1
        words = words_in(text, start, end)
        open_ = [w for s, e, w in words if not any(i in hidden for i in range(s, e))]
        tally.verbatim[kind] += len(open_) == len(words)
        if telling(" ".join(open_)):
            tally.readable[kind] += 1
        if telling(text[start:end]) & left:
            leaks.add(kind)
            if show == kind:
                tally.shown.append(
                    f"{text[start:end]!r} -> {open_} | {text[max(0, start - 50) : end + 40]!r}"
                )
    tally.documents.update(kinds)
    tally.leaking.update(leaks)


Example = tuple[str, list[tuple[str, int, int]]]


def unmarked(marked: str) -> Example:
    """A text with marks -> the text, and the spans that were marked."""
    pieces, spans, place, end = [], [], 0, 0
    for found in MARK.finditer(marked):
        pieces += [marked[end : found.start()], found[2]]
        place += found.start() - end
        spans.append((MARKS[found[1]], place, place + len(found[2])))
        place, end = place + len(found[2]), found.end()
    return "".join([*pieces, marked[end:]]), spans


def conll_examples(path: Path) -> list[Example]:
    """Sentences of a file in CoNLL columns, a space between all words; IOB tags in the last one."""
    examples = []
    for block in path.read_text("utf8").split("\n\n"):
        rows = [row for row in map(str.split, block.split("\n")) if len(row) > 1]
        rows = [row for row in rows if row[0] != "-DOCSTART-"]
        if rows:
            doc = Doc(CONLL.vocab, words=[row[0] for row in rows])
            ents = biluo_tags_to_spans(doc, iob_to_biluo([row[-1] for row in rows]))
            named = [(CONLL_TYPES[ent.label_], ent) for ent in ents if ent.label_ in CONLL_TYPES]
            examples.append((doc.text, [(kind, e.start_char, e.end_char) for kind, e in named]))
    return examples


def read(path: Path, half: str) -> list[Example]:
    if path.suffix == ".conll":
        return conll_examples(path)
    if path.suffix == ".txt":
        return [unmarked(text.rstrip("\n")) for text in path.read_text("utf8").split("=====\n")]
    if path.suffix == ".jsonl":
        lines = map(json.loads, path.read_text("utf8").splitlines())
        keys = ("label", "start", "end")
        return [(r["text"], [tuple(s[k] for k in keys) for s in r["spans"]]) for r in lines]
    records = json.loads(path.read_text("utf8"))
    if half != "all":
        records = [r for r in records if r["template_id"] % 2 == (half == "odd")]
    keys = ("entity_type", "start_position", "end_position")
    return [(r["full_text"], [tuple(s[k] for k in keys) for s in r["spans"]]) for r in records]


def pipeline(ner: Path | None, **settings: Any) -> Language:
    if ner is None:
        nlp = spacy.blank("en")
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # W095: trained with another version
            nlp = spacy.load(ner)
    nlp.add_pipe("dx_entity_ruler", config=settings, **({"first": True} if ner else {}))
    return nlp


def rows(tally: Tally) -> list[str]:
    found = [
        "| type | entities | readable | verbatim | documents |",
        "| --- | --: | --: | --: | --: |",
    ]
    for kind, count in tally.entities.most_common():
        shares = (
            tally.readable[kind] / count,
            tally.verbatim[kind] / count,
            tally.leaking[kind] / tally.documents[kind],
        )
        found.append(f"| {kind} | {count} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")
    found += ["", "| label | words | precision | in any |", "| --- | --: | --: | --: |"]
    for label, count in tally.marked.most_common():
        shares = (tally.right[label] / count, tally.in_any[label] / count)
        found.append(f"| {label} | {count} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")
    return [
        *found,
        "",
        f"other words changed: {tally.changed / max(tally.others, 1):.4f} of {tally.others}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=("all", "even", "odd"), default="all")
    parser.add_argument("--ner", type=Path, default=None)
    parser.add_argument("--labels", default=",".join(LABELS))
    parser.add_argument(
        "--show", default="", help="a type, 'other' or '-LABEL': print what went wrong"
    )
    parser.add_argument("--through", action="store_true", help="write stand-ins, and compare")
    args = parser.parse_args()
    examples, nlp, tally = read(args.data, args.half), pipeline(args.ner), Tally()
    texts = [text for text, _ in examples]
    list(nlp.pipe(texts))
    began = time.perf_counter()
    docs = list(nlp.pipe(texts))
    seconds = time.perf_counter() - began
    for (_, spans), doc in zip(examples, docs, strict=True):
        add(tally, doc, spans, set(args.labels.split(",")), args.show, args.through)
    print("\n".join([*tally.shown, *rows(tally)]))
    print(f"{len(texts)} texts, {sum(map(len, docs)) / seconds:,.0f} words a second")


if __name__ == "__main__":
    main()
