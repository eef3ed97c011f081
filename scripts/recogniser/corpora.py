"""Read texts whose names are marked, as documents for the recogniser.

A file in CoNLL columns has a token and its tag in the first and the last column of a line, and an
empty line between sentences. Of a file with several documents (-DOCSTART-), the last one is held
out. documents.txt.gz has whole letters, mails, chats, tables, pages, minutes, judgments and
transcripts, whose marks stand in the text: [[PERSON|Ada Lind]] took {{40 mg}}.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from spacy_dxprivacy.entities.network import LABELS as TAUGHT
from spacy_dxprivacy.entities.words import is_plain

from .generate import HERE, MARK, Marked, Span, Writer

Sentence = tuple[list[str], list[Span]]  # words, and labels with their first word and the one after
UNKNOWN = "?"  # the label of what nobody marked: the network learns nothing from it
LABELS = {
    "PER": "PERSON", "person": "PERSON", "ORG": "ORG", "corporation": "ORG", "group": "ORG",
    "LOC": "GPE", "location": "GPE",
}  # fmt: skip
BEFORE = {*".,!?;:)]%…", "n't", "...", "!!", "??", "'s", "’s"}  # no space stands before these
AFTER = {*"([@#$£", '("'}  # nor after these
CLITICS = {"s", "t", "ve", "re", "ll", "m", "d"}
HANDLE = re.compile(r"@\w+")
SWAPPED, TIDY = 0.35, 0.75  # shares of sentences and texts
DOCUMENTS = HERE / "documents.txt.gz"
IN_MARKS = re.compile(r"\[\[([A-Z]+)\|((?:(?!\]\]).)+)\]\]|\{\{((?:(?!\}\}).)+)\}\}")
NO_NAMES = frozenset({"EMAIL", "ID", "PHONE", "URL"})
# Weekdays and months alone, which are marked in made texts and not in documents.
CALENDAR = re.compile(
    r"\b(?:(?:mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?|sun)(?:day)?s?|(?:jan|febr)(?:uary)?|feb|"
    r"mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|winter|today|tomorrow|yesterday|tonight)\b",
    re.I,
)
NAME_WORD = re.compile(r"[^\W\d_]{2,}(?:['’-][^\W\d_]{2,})*")
OTHER_NAMES, WHOLE, MOST_LINES = 0.5, 0.3, 8  # shares of documents; lines of a piece


def read(path: Path) -> list[list[Sentence]]:
    """Return the documents of a file, each a list of sentences."""
    text = path.read_text("utf8")
    documents = [_sentences(part) for part in text.split("-DOCSTART- -X- O O\n")]
    documents = [sentences for sentences in documents if sentences]
    if len(documents) > 1:  # agreements, which call the parties "the Bank" and "the Lender"
        documents = [[(words, named(words, spans)) for words, spans in d] for d in documents]
    return documents


def _sentences(text: str) -> list[Sentence]:
    sentences = []
    for part in text.split("\n\n"):
        columns = [line.split() for line in part.split("\n")]
        columns = [row for row in columns if len(row) > 1]
        if columns:
            words = [row[0] for row in columns]
            sentences.append((words, entities(words, [row[-1] for row in columns])))
    return sentences


def training_part(path: Path) -> list[list[Sentence]]:
    """Return the documents of a file that the network learns from."""
    documents = read(path)
    return documents[: max(1, len(documents) - 1)]


def entities(words: list[str], marks: list[str]) -> list[Span]:
    """Return the entities of tags, in IOB1 or IOB2."""
    spans: list[Span] = []
    for i, mark in enumerate(marks):
        begins, _, kind = mark.partition("-")
        label = LABELS.get(kind)
        if label is None:
            continue
        follows = bool(spans) and spans[-1][0] == label and spans[-1][2] == i
        is_handle = i > 0 and words[i - 1] == "@"
        if follows and (begins == "I" or is_handle):
            spans[-1] = (label, spans[-1][1], i + 1)
        else:
            spans.append((label, i, i + 1))
    return spans


def named(words: list[str], spans: list[Span]) -> list[Span]:
    """Return entities without persons of common words, as "Lender"; organisations such as "Bank"
    become unknown."""
    kept = []
    for label, start, end in spans:
        is_term = all(is_plain(word) for word in words[start:end])
        if not is_term:
            kept.append((label, start, end))
        elif label != "PERSON":
            kept.append((UNKNOWN, start, end))
    return kept


class Corpus:
    """Documents made of real sentences, with other names, spacing and noise each time."""

    def __init__(self, documents: list[list[Sentence]], writer: Writer, seed: int) -> None:
        self.documents, self.writer, self.rng = documents, writer, random.Random(seed)
        self.swaps: dict[str, Callable[[], str]] = {
            "PERSON": writer.person,
            "ORG": writer.organisation,
            "GPE": writer.place,
        }

    def texts(self) -> Iterator[Marked]:
        """Yield marked texts without end; each sentence comes once before any comes again."""
        while True:
            pieces = [
                document[i : i + length]
                for document in self.documents
                for i, length in self._cuts(len(document))
            ]
            self.rng.shuffle(pieces)
            for sentences in pieces:
                yield self.text(sentences)

    def _cuts(self, size: int) -> Iterator[tuple[int, int]]:
        start = 0
        while start < size:
            length = self.rng.choice((1, 1, 1, 2, 4))
            yield start, length
            start += length

    def text(self, sentences: list[Sentence]) -> Marked:
        """Return sentences as one marked text."""
        is_tidy = self.rng.random() < TIDY
        joint = self.rng.choice((" ", " ", "\n"))
        text, spans = "", []
        for words, marks in sentences:
            if self.rng.random() < SWAPPED:
                words, marks = self.swapped(words, marks)
            piece, marked = spaced(words, marks, is_tidy=is_tidy)
            text += joint * bool(text)
            spans += [(label, start + len(text), end + len(text)) for label, start, end in marked]
            text += piece
        return self.writer.noisy((text, spans))

    def swapped(self, words: list[str], spans: list[Span]) -> Sentence:
        """Return a sentence with generated names in the place of its own."""
        new_words, new_spans, end = [], [], 0
        for label, start, after in spans:
            new_words += words[end:start]
            old = " ".join(words[start:after])
            name = self._name(label) if self._is_swappable(label, old) else old
            name = name.lower() if old.islower() else name.upper() if old.isupper() else name
            new_spans.append((label, len(new_words), len(new_words) + len(name.split())))
            new_words += name.split()
            end = after
        return new_words + words[end:], new_spans

    def _name(self, label: str) -> str:
        return self.swaps[label]().replace(MARK, "")

    def _is_swappable(self, label: str, name: str) -> bool:
        return label in self.swaps and not any(letter in name for letter in "@#_/")


def spaced(words: list[str], spans: list[Span], *, is_tidy: bool) -> Marked:
    """Return words as a text: with a space between all, or as people write them."""
    text, starts, ends = "", [], []
    for i, word in enumerate(words):
        is_clitic = i > 1 and words[i - 1] in "'’" and word in CLITICS
        is_quote = 0 < i < len(words) - 1 and word in "'’" and words[i + 1] in CLITICS
        is_joined = word in BEFORE or is_clitic or is_quote or (i > 0 and words[i - 1] in AFTER)
        text += " " * (i > 0 and not (is_tidy and is_joined))
        starts.append(len(text))
        text += word
        ends.append(len(text))
    marked = [(label, starts[first], ends[after - 1]) for label, first, after in spans]
    # The rules find user names; unmarked ones are not learned as outside either.
    handles = [(UNKNOWN, found.start(), found.end()) for found in HANDLE.finditer(text)]
    covered = {i for _, start, end in handles for i in range(start, end)}
    return text, sorted(
        [*handles, *(span for span in marked if covered.isdisjoint(range(*span[1:])))],
        key=lambda span: span[1],
    )


def documents() -> list[Marked]:
    """Return the documents of documents.txt.gz. Nothing is learned from user names, ages and words
    of the calendar that are part of no date."""
    text = gzip.decompress(DOCUMENTS.read_bytes()).decode("utf8")
    return [parse_marks(body) for body in text.split("=====\n") if body]


def parse_marks(body: str) -> Marked:
    """Return a document without its marks, and what they say."""
    text, spans, at, taken = "", list[Span](), 0, set[int]()
    for found in IN_MARKS.finditer(body):
        text += body[at : found.start()]
        label, value = found[1] or "", found[2] or found[3]
        if label and label not in NO_NAMES:
            taught = label if label in TAUGHT else UNKNOWN
            spans.append((taught, len(text), len(text) + len(value)))
        taken.update(range(len(text), len(text) + len(value)))
        text, at = text + value, found.end()
    text += body[at:]
    for word in CALENDAR.finditer(text):
        if taken.isdisjoint(range(*word.span())):
            spans.append((UNKNOWN, *word.span()))
    return text, sorted(spans, key=lambda span: span[1])


class Documents:
    """Pieces of the documents, with other names and noise each time."""

    def __init__(self, found: list[Marked], writer: Writer, seed: int) -> None:
        self.found, self.writer, self.rng = found, writer, random.Random(seed)

    def texts(self) -> Iterator[Marked]:
        """Yield marked texts without end; each piece comes once before any comes again."""
        while True:
            pieces = [piece for document in self.found for piece in self._pieces(document)]
            self.rng.shuffle(pieces)
            yield from map(self.writer.noisy, pieces)

    def _pieces(self, document: Marked) -> Iterator[Marked]:
        """Yield a document in pieces of whole lines, or as it is."""
        if self.rng.random() < OTHER_NAMES:
            document = self._with_other_names(document)
        text, spans = document
        if self.rng.random() < WHOLE:
            yield document
            return
        start, lines = 0, text.splitlines(keepends=True)
        while lines:
            size = self.rng.randint(1, MOST_LINES)
            piece, lines = "".join(lines[:size]), lines[size:]
            end = start + len(piece)
            inside = [(n, a - start, b - start) for n, a, b in spans if start <= a and b <= end]
            if piece.strip():
                yield piece, inside
            start = end

    def _with_other_names(self, document: Marked) -> Marked:
        """Return a document in which each word of a name is another one, wherever it stands, and
        places and organisations are others."""
        text, spans = document
        words, new, marked, at = dict[str, str](), "", list[Span](), 0
        for label, start, end in spans:
            old = text[start:end]
            if label == "PERSON":
                value = NAME_WORD.sub(lambda word: self._word(words, word), old)
            elif label in ("GPE", "ORG"):
                make = self.writer.place if label == "GPE" else self.writer.organisation
                value = words.setdefault(old, _cased_as(old, make().replace(MARK, "")))
            else:
                value = old
            new += text[at:start]
            marked.append((label, len(new), len(new) + len(value)))
            new, at = new + value, end
        return new + text[at:], marked

    def _word(self, words: dict[str, str], word: re.Match[str]) -> str:
        lower = word[0].lower()
        if lower not in words:
            make = self.writer.last if word.start() else self.writer.first
            words[lower] = make()
        return _cased_as(word[0], words[lower])


def _cased_as(old: str, new: str) -> str:
    return new.lower() if old.islower() else new.upper() if old.isupper() and len(old) > 3 else new
