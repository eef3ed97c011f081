"""Audit a release of entity mode: replaced here and readable there, kept, or by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...io.records import Record, Tokens, nlp_inputs
from ...io.rows import as_document
from ...pipeline.selectors import Entities
from ...text.language import COVERED, LANGUAGE, MAX_CHARACTERS, language_of
from ...text.mentions import NUMBERS, plain_label
from ...text.normal import normal_form
from .alignment import Span
from .forms import CODES, LETTERS, Forms, Sought, is_known
from .replaced import (
    MIN_CODE,
    Document,
    Reading,
    is_chance,
    is_listed,
    parts_of,
    read_document,
    stays,
)

MAX_RECORDS = 64  # from which the language of a file is detected
# What was replaced in one place and is readable in another; what may be a name, and was nowhere
# replaced; what surrogates also are; documents in which nothing was replaced.
LEAKED, KEPT = "replaced, and readable", "kept, never recognised"
BY_CHANCE, UNTOUCHED = "surrogates", "unchanged text"


@dataclass
class Finding:
    """Words of one kind in one file. documents: in how many. forms: how they are written."""

    words: set[str] = field(default_factory=set, repr=False)
    documents: int = 0
    forms: Counter[str] = field(default_factory=Counter)


@dataclass
class Findings:
    """What an audit of entity mode finds. others: mentions of labels that the run did not replace.

    by_place: by kind and file. Kinds are LEAKED, KEPT, BY_CHANCE and UNTOUCHED, and for what was
    replaced in a text and is readable beside the texts, the kind of that place.
    """

    by_place: dict[tuple[str, str], Finding] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, where: str, words: Collection[str], forms: Iterable[str] = ()) -> None:
        """Add the words of one document, if there are any."""
        if words:
            finding = self.by_place.setdefault((kind, where), Finding())
            finding.words.update(words)
            finding.documents += 1
            finding.forms.update(forms)

    def add_reading(self, reading: Reading, text: str, where: str) -> None:
        """Add what the release of a document shows. text: the release."""
        for kind, hits in ((LEAKED, reading.leaked), (BY_CHANCE, reading.by_chance)):
            words = {" ".join(text[hit.start : hit.end].lower().split()) for hit in hits}
            self.add(kind, where, words, [hit.form for hit in hits])
        self.add(UNTOUCHED if reading.unchanged else KEPT, where, reading.kept)
        self.others.update(reading.others)


@dataclass
class EntityAudit:
    """The documents of a release and of its original, and the strings beside them.

    Attributes:
        nlp: A pipeline with a recogniser.
        originals: The records of each file.
        releases: Each record, and its file.
        strings: Kind of place, strings, file, and number of the last record before them.
        may_draw: Whether the mechanism of the run can sample a word; None if it samples none.
        failed: Numbers of the records of each file that were not released; 0 for all.
    """

    nlp: Language
    originals: Sequence[Sequence[Record]]
    releases: list[tuple[Record, str]] = field(default_factory=list)
    strings: list[tuple[str, list[str], str, int]] = field(default_factory=list)
    may_draw: Callable[[str], bool] | None = None
    failed: Sequence[Collection[int]] = ()

    def run(self, labels: Collection[str], *, rest_stays: bool = True) -> Findings:
        """Return what is readable.

        Args:
            labels: Those that the run replaced.
            rest_stays: Whether all other words are in plaintext.
        """
        findings, plain = Findings(), {plain_label(label) for label in labels}
        originals = list(self._read_originals(plain))
        paired = len(originals) == len(self.releases)
        readings = list[tuple[Reading, Document]]()
        everywhere = [
            part for old, spans, _ in originals for part in _recognised(old, spans, plain)
        ]
        for number, (record, where) in enumerate(self.releases):
            new = normal_form(_text_of(self.nlp, record))
            if paired:
                document = Document(originals[number][0], new, *originals[number][1:])
            else:
                document = Document("", new, (), "en")
            if paired and rest_stays:
                reading = read_document(document, plain, self._is_drawn)
            else:
                reading = self._unaligned(document, plain, everywhere)
            readings.append((reading, document))
            findings.add_reading(reading, new, where)
        self._search_elsewhere(findings, readings)
        return findings

    def _read_originals(self, plain: Collection[str]) -> Iterator[tuple[str, list[Span], str]]:
        """Yield the text, the mentions and the language of each record of the originals."""
        files = [records for records in self.originals if records]
        failed = self.failed if len(self.failed) == len(files) else [()] * len(files)
        for every, numbers in zip(files, failed, strict=True):
            records = [r for r in every if r.number not in numbers and 0 not in numbers]
            sample = [str(text)[:MAX_CHARACTERS] for r in records[:MAX_RECORDS] for text in r.texts]
            of_file = language_of("\n".join(sample))
            of_file = of_file if of_file in COVERED else "en"
            data = {LANGUAGE: of_file} if of_file != "en" else {}
            for record in records:
                given = Record(record.number, record.texts, data={**record.data, **data},
                               origin=record.origin, heads=record.heads)  # fmt: skip
                document = as_document(self.nlp, given)
                with self.nlp.memory_zone():
                    docs = list(self.nlp.pipe(nlp_inputs(self.nlp, document)))
                    spans, text = list[Span](), ""
                    for doc in docs:
                        start = len(text) + len("\n" * bool(text))
                        text += "\n" * bool(text) + doc.text
                        spans += [
                            Span(s.label, start + s.start, start + s.end)
                            for s in spans_in(doc, plain)
                        ]
                language = language_of(text[:MAX_CHARACTERS])
                yield text, spans, language if language in COVERED else of_file

    def _unaligned(
        self, document: Document, plain: Collection[str], everywhere: Sequence[Sought]
    ) -> Reading:
        """Search a release whose places cannot be compared: all words were sampled, or documents
        are missing."""
        own = list(_recognised(document.old, document.spans, plain))
        reading = Reading(sought=own)
        for hit in Forms(own if document.old else everywhere, document.language).find(document.new):
            chance = is_chance(hit, document.new[hit.start : hit.end], self._is_drawn)
            (reading.by_chance if chance else reading.leaked).append(hit)
        return reading

    def _is_drawn(self, word: str) -> bool:
        sampled = self.may_draw is not None and self.may_draw(word)
        return sampled or is_listed(word)

    def _search_elsewhere(
        self, findings: Findings, readings: Sequence[tuple[Reading, Document]]
    ) -> None:
        """Search for what was replaced in one document in the others, and beside the texts. In
        other documents only rare names and codes count: others may be of other persons."""
        rare = [Sought(s.label, text) for reading, _ in readings for s in reading.sought
                for text in _rare_of(s)]  # fmt: skip
        forms = Forms(rare, exact=True)
        for (reading, document), (_, where) in zip(readings, self.releases, strict=True):
            own = {hit.start for hit in (*reading.leaked, *reading.by_chance)}
            hits = [
                hit
                for hit in forms.find(document.new)
                if hit.start not in own and stays(hit, document, reading.aligned)
            ]
            findings.add_reading(Reading(leaked=hits), document.new, where)
        own_forms, last = list[Forms](), -1
        for kind, values, where, number in self.strings:
            if number != last:
                near, last = readings[number : number + 1] if number >= 0 else [], number
                own_forms = [Forms(reading.sought, document.language) for reading, document in near]
            words = {
                value[hit.start : hit.end].lower()
                for value in values
                for found in (*own_forms, forms)
                for hit in found.find(value)
                # Other programs write surrogates again, such as the target of a link.
                if not (kind == "markup" and self._is_surrogate(value[hit.start : hit.end]))
            }
            findings.add(kind, where, words)

    def _is_surrogate(self, text: str) -> bool:
        words = LETTERS.findall(text)
        return bool(words) and all(self._is_drawn(word) for word in words)


def _recognised(text: str, spans: Sequence[Span], plain: Collection[str]) -> Iterator[Sought]:
    """Yield what is sought of all mentions with these labels."""
    for span in spans:
        if span.label in plain:
            yield from parts_of(span.label, text[span.start : span.end])


def _rare_of(sought: Sought) -> Iterator[str]:
    if sought.label in CODES and sum(map(str.isalnum, sought.text)) >= MIN_CODE:
        yield sought.text
    elif sought.label == "PERSON":
        yield from (w for w in LETTERS.findall(sought.text) if not is_known(w.casefold()))


def spans_in(doc: Doc, plain: Collection[str]) -> list[Span]:
    """Return the mentions of a document: those with labels that the run replaced as the run finds
    them, and others that do not overlap them."""
    recognised = {plain_label(ent.label_) for ent in doc.ents} | {"PERSON"}
    asked = Entities(sorted(plain)).entities(doc) if plain else []
    rest = sorted(recognised - set(plain) - NUMBERS)
    others = Entities(rest).entities(doc) if rest else []
    taken = {i for e in asked for i in range(e.start, e.end)}
    spans = [*asked, *(e for e in others if taken.isdisjoint(range(e.start, e.end)))]
    return [
        Span(e.label, doc[e.start].idx, doc[e.end - 1].idx + len(doc[e.end - 1]))
        for e in sorted(spans, key=lambda e: e.start)
    ]


def _text_of(nlp: Language, record: Record) -> str:
    """Return the text of a record of a release, joined as its original is."""
    document = as_document(nlp, record)
    texts: list[Any] = list(document.texts)
    return "\n".join(
        "".join(w + " " * s for w, s in zip(t.words, t.spaces, strict=True))
        if isinstance(t, Tokens)
        else str(t)
        for t in texts
    )
