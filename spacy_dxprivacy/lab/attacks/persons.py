"""Linking persons across documents by what stands for their names, in entity mode.

The attacker has the release alone, and takes two documents for ones about the same person where a
full name stands in both. With scope "corpus" that is so by design; with "document" and "mention"
two documents have a name in common by chance, or where one was not found and is there in clear.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from spacy.language import Language
from spacy.tokens import Doc

from ...entities.surrogates.base import Surrogate
from ...entities.surrogates.name import form_of, make_name
from ...entities.surrogates.standing import stand_in
from ...io.files.keys import make_key
from ...privacy.randomness import Rng
from ...text.mentions import chosen
from .figures import AttackFigure, share

SCOPES = ("mention", "document", "corpus")
NAME = "persons"
MOST_SHARED = 1000  # documents with one name: all pairs of more would be too many
Pairs = set[tuple[int, int]]


@dataclass(frozen=True)
class Written:
    """The full names of a document: as they were, and as they stand there now."""

    before: frozenset[str]
    after: frozenset[str]


def link_persons(
    nlp: Language, texts: Sequence[str], rng: Rng | None = None
) -> Iterator[AttackFigure]:
    """For each scope the share of pairs of documents with a person in common that the attacker
    finds, and the share of pairs without one that it takes for such. nlp: with a recogniser."""
    docs = list(nlp.pipe(texts))
    with TemporaryDirectory() as folder:
        key = Path(folder) / "persons.key"
        make_key(key)
        for scope in SCOPES:
            name = make_name(True, scope=scope, key=str(key) if scope == "corpus" else None)
            written = [names_of(doc, name, rng or Rng()) for doc in docs]
            yield from _figures(written, name, scope)


def names_of(doc: Doc, name: Surrogate, rng: Rng) -> Written:
    """What stands for the persons of a document, full names alone."""
    found = chosen(doc, {"PERSON"})
    pairs = stand_in(doc, {"PERSON": name}, rng, found).pairs
    before = {_full(mention.text, mention.before) for mention, _ in pairs}
    after = {_full(text, mention.before) for mention, text in pairs}
    return Written(frozenset(before - {""}), frozenset(after - {""}))


def _full(text: str, before: str) -> str:
    """The name in small letters, where it has two parts or more, else nothing."""
    parts = form_of(text, before).parts
    return " ".join(parts).casefold() if len(parts) > 1 else ""


def linked(names: Sequence[Collection[str]]) -> Pairs:
    """Pairs of documents that have a name in common."""
    of: dict[str, list[int]] = defaultdict(list)
    for number, some in enumerate(names):
        for name in some:
            of[name].append(number)
    return {pair for some in of.values() for pair in combinations(some[:MOST_SHARED], 2)}


def _figures(written: Sequence[Written], name: Surrogate, scope: str) -> Iterator[AttackFigure]:
    true, guessed = linked([w.before for w in written]), linked([w.after for w in written])
    every = len(written) * (len(written) - 1) // 2
    for measure, found, of in (
        ("pairs with a person in common, found", len(true & guessed), len(true)),
        ("pairs without one, taken for such", len(guessed - true), every - len(true)),
    ):
        if of:
            value, low, high, n = share(_tries(found, of))
            yield AttackFigure(
                NAME, name.name, 0.0, 0.0, "same full name", f"scope {scope}", measure,
                value, low, high, len(true) / every, float("nan"), n,
            )  # fmt: skip


def _tries(found: int, of: int) -> list[bool]:
    return [True] * found + [False] * (of - found)
