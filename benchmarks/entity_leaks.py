"""What can still be read after entity mode, and what was taken that is none: for the tables of
entity_recognisers.py and entity_readable.py. (`dx evaluate` lists what a recogniser misses.)

Every word that is recognised counts as hidden, whatever will stand in its place. A document leaks a
type if a word of an annotated entity of it is anywhere in what is left. A marked word is right if
it belongs to an annotated entity of a type of its label. Of words that are no entity's, those count
as changed in whose place the surrogates "standard" write another: a word that is marked and stays,
as "next week" does, is not changed.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import spacy
from spacy.tokens import Doc
from spacy.training import biluo_tags_to_spans, iob_to_biluo

from spacy_dxprivacy import Rng
from spacy_dxprivacy.entities.surrogates.plain import make_preset
from spacy_dxprivacy.entities.surrogates.replacements import replace_mentions, words_of_surrogate
from spacy_dxprivacy.lab.golden import WORD, distinctive_words

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
CONLL = spacy.blank("xx")
CONLL_TYPES = {
    **{"PER": "PERSON", "ORG": "ORGANIZATION", "LOC": "GPE"},
    **{"person": "PERSON", "location": "GPE"},
    **dict.fromkeys(("corporation", "group"), "ORGANIZATION"),
}
Example = tuple[str, list[tuple[str, int, int]]]  # a text, and its entities by character


@dataclass
class Tally:
    """Documents by type, marked words by label, words of no entity."""

    documents: Counter[str] = field(default_factory=Counter)
    leaking: Counter[str] = field(default_factory=Counter)
    marked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    others: int = 0
    changed: int = 0


def words_in(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int, str]]:
    found = WORD.finditer(text, start, len(text) if end is None else end)
    return [(m.start(), m.end(), m[0]) for m in found]


def changed_by_surrogates(doc: Doc) -> set[int]:
    """Where words begin that another word stands for."""
    preset = {label: one for label, one in make_preset("standard").items() if label in LABELS}
    found = set()
    for item in replace_mentions(doc, preset, Rng(seed=1)):
        if item.text is None:
            continue
        stay = {word.lower() for word in words_of_surrogate(item.text, doc.vocab.lang)[0]}
        span = doc[item.start : item.end]
        for start, _, word in words_in(doc.text, span.start_char, span.end_char):
            found |= set() if word.lower() in stay else {start}
    return found


def add(tally: Tally, doc: Doc, spans: list[tuple[str, int, int]]) -> None:
    """Count what is left of the annotated spans of a recognised Doc, and what else is marked."""
    hidden: dict[int, str] = {}
    for ent in doc.ents:
        if ent.label_ in LABELS:
            hidden.update(dict.fromkeys(range(ent.start_char, ent.end_char), ent.label_))
    owner: dict[int, set[str]] = defaultdict(set)
    for kind, start, end in spans:
        for i in range(start, end):
            owner[i].add(kind)
    words = words_in(doc.text)
    left = {w.lower() for start, end, w in words if hidden.keys().isdisjoint(range(start, end))}
    tally.documents.update({kind for kind, _, _ in spans})
    tally.leaking.update({kind for kind, a, b in spans if distinctive_words(doc.text[a:b]) & left})
    touched = changed_by_surrogates(doc)
    for start, _, _ in words:
        label, kinds = hidden.get(start), owner.get(start, set())
        if not kinds:
            tally.others += 1
            tally.changed += start in touched
        if label is not None:
            tally.marked[label] += 1
            tally.right[label] += bool(kinds & RIGHT.get(label, {label}))


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


def read(path: Path) -> list[Example]:
    """Return the texts of a .conll file, of a .jsonl of {"text", "spans"}, or of a .json of
    presidio-research (synth_dataset_v2.json)."""
    if path.suffix == ".conll":
        return conll_examples(path)
    raw = path.read_text("utf8")
    if path.suffix == ".jsonl":
        text, *keys = "text", "label", "start", "end"
        records = list(map(json.loads, raw.splitlines()))
    else:
        text, *keys = "full_text", "entity_type", "start_position", "end_position"
        records = json.loads(raw)
    return [(r[text], [tuple(span[k] for k in keys) for span in r["spans"]]) for r in records]
