"""Linking persons across documents by the surrogates of their names, in entity mode.

The attacker has the release alone, and links two documents where a full name stands in both. With
scope "corpus" that succeeds by design; with "document" and "mention" two documents share a name by
chance, or where a name was not recognised and is there in plaintext.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ...entities.surrogates.base import Surrogate
from ...entities.surrogates.name import form_of, make_name
from ...entities.surrogates.replacements import replace_mentions
from ...io.files.keys import make_key
from ...privacy.randomness import Rng
from ...text.mentions import chosen
from .figures import AttackFigure, share

SCOPES = ("mention", "document", "corpus")
NAME = "persons"
MOST_SHARED = 1000  # documents with one name: all pairs of more would be too many


def link_persons(
    nlp: Language, texts: Sequence[str], rng: Rng | None = None
) -> Iterator[AttackFigure]:
    """Yield for each scope the share of pairs of documents with a person in common that are linked,
    and the share of other pairs that are. nlp: with a recogniser."""
    docs = list(nlp.pipe(texts))
    every = len(docs) * (len(docs) - 1) // 2
    with TemporaryDirectory() as folder:
        key = Path(folder) / "persons.key"
        make_key(key)
        for scope in SCOPES:
            name = make_name(True, scope=scope, key=str(key) if scope == "corpus" else None)
            names = [full_names(doc, name, rng or Rng()) for doc in docs]
            true = linked([before for before, _ in names])
            guessed = linked([after for _, after in names])
            for measure, hits, tries in (
                ("pairs with a person in common, found", len(true & guessed), len(true)),
                ("pairs without one, taken for such", len(guessed - true), every - len(true)),
            ):
                if tries:
                    value, low, high, n = share(np.arange(tries) < hits)
                    yield AttackFigure(
                        NAME, name.name, 0.0, 0.0, "same full name", f"scope {scope}", measure,
                        value, low, high, len(true) / every, n,
                    )  # fmt: skip


def full_names(doc: Doc, name: Surrogate, rng: Rng) -> tuple[set[str], set[str]]:
    """Return the full names of a document in small letters, and those that replace them."""
    pairs = replace_mentions(doc, {"PERSON": name}, rng, chosen(doc, {"PERSON"})).pairs
    forms = (
        [form_of(mention.text, mention.before).parts for mention, _ in pairs],
        [form_of(text, mention.before).parts for mention, text in pairs],
    )
    before, after = (
        {" ".join(parts).casefold() for parts in some if len(parts) > 1} for some in forms
    )
    return before, after


def linked(names: Sequence[Collection[str]]) -> set[tuple[int, int]]:
    """Return the pairs of documents that have a name in common."""
    of: dict[str, list[int]] = defaultdict(list)
    for number, some in enumerate(names):
        for name in some:
            of[name].append(number)
    return {pair for some in of.values() for pair in combinations(some[:MOST_SHARED], 2)}
