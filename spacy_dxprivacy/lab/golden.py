"""Evaluate a recogniser on annotated texts.

Words count, not spans: an entity is recalled if none of its distinctive words stays, under whatever
label; a document is clean if none of these words is anywhere in the text that is not replaced.
Counts, labels and figures hold no text; misses do.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

from spacy.language import Language

from ..errors import UsageError
from ..files.limits import numbered_lines, parse_json, regular
from ..io.build import get_sanitizer
from ..io.results import ZONE_DOCUMENTS, zone
from ..pipeline.component import DxSanitizer
from ..pipeline.preparation import find_mentions, finder_of
from ..pipeline.selectors import Entities
from ..text.mentions import Entity, plain_label

FIGURES = ("recall", "precision", "clean")
ALL_LABELS = "all"
IDENTIFIER_KINDS = ("DIRECT", "QUASI")  # identifiers of TAB: by themselves, or together with others
CONTEXT_CHARACTERS = 40  # characters shown on each side of a miss
PARTICLES = frozenset(
    "a de del della di da do dos das du la le las los van von der den bin al el y of the "
    "and".split()
)
WORD = re.compile(r"[^\W_]+")


class Gold(NamedTuple):
    """A text, and its entities, in characters. kinds: of IDENTIFIER_KINDS, for TAB."""

    text: str
    entities: list[Entity]
    kinds: Mapping[Entity, str] = MappingProxyType({})


@dataclass
class LabelCounts:
    """Counts of a label: entities, entities with a word left, replaced words, replaced words in an
    entity of any label, documents with entities, documents with a word left."""

    entities: int = 0
    missed: int = 0
    words: int = 0
    right: int = 0
    documents: int = 0
    leaving: int = 0

    def figure(self, name: str) -> float | None:
        """Return one of FIGURES, from 0 to 1; None without cases."""
        part, total = {
            "recall": (self.entities - self.missed, self.entities),
            "precision": (self.right, self.words),
            "clean": (self.documents - self.leaving, self.documents),
        }[name]
        return part / total if total else None


@dataclass
class Evaluation:
    """Counts by label, of all labels, and by kind.

    Attributes:
        labels: The counts.
        left: For each document, whether a word of a counted entity is readable.
        skipped: Entities of labels that the pipeline does not replace.
        misses: With text and what stands around it, for the owner only.
        missed: Label and text of each missed entity, for the owner only.
        wrong: Texts that were replaced and are in no entity, for the owner only.
    """

    labels: defaultdict[str, LabelCounts] = field(default_factory=lambda: defaultdict(LabelCounts))
    skipped: Counter[str] = field(default_factory=Counter)
    left: list[bool] = field(default_factory=list)
    misses: list[str] = field(default_factory=list, repr=False)
    missed: list[tuple[str, str]] = field(default_factory=list, repr=False)
    wrong: list[str] = field(default_factory=list, repr=False)


def read_gold(path: Path) -> list[Gold]:
    """Read a .jsonl file, or a .json list, of presidio-research, Prodigy, spaCy, Label Studio or
    TAB (Pilan et al. 2022, the Text Anonymization Benchmark).

    Tasks that a reviewer rejected or ignored are left out, and TAB's mentions that need no mask.

    Raises:
        UsageError: For a record of another format, or with spans that do not fit its text.
    """
    records: list[Gold | None] = []
    try:
        with regular(path).open("rb") as file:
            for row in _rows(file, is_list=path.suffix.lower() == ".json"):
                records.append(_gold_of(row))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or 'cannot be read'}.") from None
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError):
        problem = "is not the JSON of a text with spans that fit it"
        raise UsageError(f"{path}: record {len(records) + 1} {problem}.") from None
    golds = [gold for gold in records if gold is not None]
    if not golds:
        raise UsageError(f"{path}: has no annotated text.")
    return golds


def _rows(file: BinaryIO, *, is_list: bool) -> Iterator[Any]:
    if is_list:
        yield from parse_json(file.read())
        return
    for _, line, _ in numbered_lines(file):
        if line.strip():
            yield parse_json(line)


def _gold_of(row: Any) -> Gold | None:
    if isinstance(row, list):  # of spaCy's earlier training data
        row = {"text": row[0], **row[1]}
    text, answers = row.get("full_text", row.get("text")), [row.get("answer", "accept")]
    if "label" in row:  # of Label Studio's export without metadata
        row = {"data": row, "annotations": [{"result": [{"value": span} for span in row["label"]]}]}
    kinds = dict[Entity, str]()
    if isinstance(row.get("annotations"), dict):
        kinds = _tab_kinds(row["annotations"])
        entities = list(kinds)
    elif "annotations" in row:
        text = row["data"]["text"]
        answers, entities = _label_studio_entities(row, text)
    else:
        groups = (row.get(name) for name in ("spans", "ents", "entities"))
        empty: list[Any] = [[]] * ("answer" in row)  # Prodigy omits empty lists
        spans: Any = next(span for span in (*groups, *empty) if isinstance(span, list))
        entities = [_entity(span) for span in spans]
    _check_entities(entities, text)
    if not isinstance(text, str):
        raise TypeError
    gold = Gold(text, list(dict.fromkeys(entities)), kinds)
    return gold if set(answers) <= {"accept"} else None


def _tab_kinds(annotations: dict[str, Any]) -> dict[Entity, str]:
    """Return the mentions of all annotators that need a mask; DIRECT if any annotator says so."""
    kinds = dict[Entity, str]()
    for mention in (
        m for annotation in annotations.values() for m in annotation["entity_mentions"]
    ):
        start, end = mention["start_offset"], mention["end_offset"]
        entity, kind = Entity(mention["entity_type"], start, end), mention["identifier_type"]
        if kind in IDENTIFIER_KINDS:
            kinds[entity] = min(kind, kinds.get(entity, IDENTIFIER_KINDS[-1]))
    return kinds


def _entity(span: Any) -> Entity:
    if not isinstance(span, dict):
        start, end, label = span[:3]
        return Entity(label, start, end)
    if "entity_type" in span:
        return Entity(span["entity_type"], span["start_position"], span["end_position"])
    return Entity(span.get("label", ""), span["start"], span["end"])


def _check_entities(entities: list[Entity], text: str) -> None:
    """Raise ValueError for an entity that does not fit the text."""
    for label, start, end in entities:
        fits = type(start) is type(end) is int and 0 <= start < end <= len(text)
        if not fits or not isinstance(label, str):
            raise ValueError


def _label_studio_entities(task: dict[str, Any], text: str) -> tuple[list[str], list[Entity]]:
    """Return the answers and entities of all reviewers; submission without a choice accepts."""
    answers, entities = list[str](), list[Entity]()
    for annotation in task["annotations"]:
        values = [result.get("value", {}) for result in annotation["result"]]
        chosen = [choice.lower() for value in values for choice in value.get("choices", ())]
        answers += ["ignore"] if annotation.get("was_cancelled") else chosen or ["accept"]
        for value in values:
            if "start" in value:
                a, b = value["start"], value["end"]
                if value.get("text", text[a:b]) != text[a:b]:
                    raise ValueError  # offsets of another unit than code points
                entities += [Entity(label, a, b) for label in value.get("labels") or [""]]
    return answers, entities


def evaluate(nlp: Language, golds: Sequence[Gold]) -> Evaluation:
    """Compare the entities that a pipeline would replace with annotated ones, without sampling."""
    sanitizer, evaluation = get_sanitizer(nlp), Evaluation()
    if not (isinstance(sanitizer.settings.selector, Entities) or sanitizer.settings.surrogates):
        raise UsageError("the pipeline replaces no entities: give `entities` or a `config`.")
    context = sanitizer.fitted.context
    finder = finder_of(context)
    labels = {plain_label(label) for gold in golds for label, *_ in gold.entities}
    labels &= set(map(plain_label, finder.labels))
    names = [name for name, pipe in nlp.pipeline if isinstance(pipe, DxSanitizer)]
    with nlp.select_pipes(disable=names), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy's warnings may quote tokens
        for start in range(0, len(golds), ZONE_DOCUMENTS):
            batch = golds[start : start + ZONE_DOCUMENTS]
            with zone(nlp):
                docs = nlp.pipe(gold.text for gold in batch)
                for number, (gold, doc) in enumerate(zip(batch, docs, strict=True), start + 1):
                    hidden: dict[int, str] = {}
                    found = list[Entity]()
                    for label, first, last in find_mentions(doc, finder, context):
                        span = doc[first:last]
                        found.append(Entity(plain_label(label), span.start_char, span.end_char))
                        hidden.update(dict.fromkeys(range(*found[-1][1:]), found[-1].label))
                    misses = _count(evaluation, gold, hidden, labels)
                    evaluation.wrong += _wrong_texts(gold, found, labels)
                    evaluation.misses += [f"document {number}, {miss}" for miss in misses]
    return evaluation


def _count(
    evaluation: Evaluation, gold: Gold, hidden: dict[int, str], labels: set[str]
) -> list[str]:  # fmt: skip
    """Add the counts of a document, and return its misses. hidden: replaced character -> label.
    labels: annotated and replaced ones."""
    text, annotated, misses = gold.text, set[int](), list[str]()
    documents, leaving = set[str](), set[str]()
    words = list(WORD.finditer(text))
    shown = [m for m in words if hidden.keys().isdisjoint(range(*m.span()))]
    words_left = distinctive_words(" ".join(m[0] for m in shown))
    for entity in gold.entities:
        name, start, end = entity
        annotated.update(range(start, end))
        label, written = plain_label(name), text[start:end]
        counted = {gold.kinds[entity]} if gold.kinds else set[str]()
        if label in labels:
            counted |= {ALL_LABELS, label}
        else:
            evaluation.skipped[name] += 1
        stays = " ".join(m[0] for m in shown if start <= m.start() < end)
        missed = bool(distinctive_words(stays) if distinctive_words(written) else stays)
        for row in counted:
            evaluation.labels[row].entities += 1
            evaluation.labels[row].missed += missed
        documents |= counted
        leaving |= counted if distinctive_words(written) & words_left else set()
        if missed and label in labels:
            evaluation.missed.append((label, written))
        if missed and counted:
            around = text[max(0, start - CONTEXT_CHARACTERS) : end + CONTEXT_CHARACTERS]
            misses.append(f"{name}: {written!r} in {around!r}")
    for place in (m.start() for m in words):
        if hidden.get(place) in labels:
            for counts in (evaluation.labels[ALL_LABELS], evaluation.labels[hidden[place]]):
                counts.words += 1
                counts.right += place in annotated
    evaluation.left.append(ALL_LABELS in leaving)
    for label in documents:
        evaluation.labels[label].documents += 1
        evaluation.labels[label].leaving += label in leaving
    return misses


def _wrong_texts(gold: Gold, found: Sequence[Entity], labels: set[str]) -> list[str]:
    """Return the texts of found entities with annotated labels that overlap no annotated one."""
    marked = {place for _, start, end in gold.entities for place in range(start, end)}
    return [
        gold.text[start:end]
        for label, start, end in found
        if label in labels and marked.isdisjoint(range(start, end))
    ]


def distinctive_words(text: str) -> set[str]:
    """Return the words of a text in lower case, without initials and particles."""
    lower = {word.lower() for word in WORD.findall(text)}
    return {w for w in lower if (len(w) > 2 or w.isdigit()) and w not in PARTICLES}
