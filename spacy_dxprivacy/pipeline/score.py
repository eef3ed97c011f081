"""Scores of sanitised Docs against their originals, for the owner of both."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from spacy.tokens import Doc
from spacy.training import Example

SCORES = ("dx_retention", "dx_ents_readable")


def score_release(examples: Iterable[Example]) -> dict[str, float | None]:
    """Score what a release retains and leaves readable. The scores are not private.

    Args:
        examples: Sanitised Docs (predicted) and their originals (reference), with gold entities.

    Returns:
        dx_retention: the share of the words of the originals that stand in their places.
        dx_ents_readable: the share of the gold entities whose words all do.
        A share of nothing is None.
    """
    words = retained = entities = readable = 0
    for example in examples:
        there = _retained(example.reference, example.predicted)
        words += sum(token.is_alpha for token in example.reference)
        retained += sum(there[token.i] for token in example.reference if token.is_alpha)
        entities += len(example.reference.ents)
        readable += sum(all(there[e.start : e.end]) for e in example.reference.ents)
    shares = ((retained, words), (readable, entities))
    return {
        name: part / whole if whole else None
        for name, (part, whole) in zip(SCORES, shares, strict=True)
    }


def _retained(original: Doc, release: Doc) -> list[bool]:
    """Return whether each token of the original stands in its place of the release."""
    before, after = ([token.lower_ for token in doc] for doc in (original, release))
    if len(before) == len(after):
        return [one == other for one, other in zip(before, after, strict=True)]
    there = [False] * len(before)
    for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        there[block.a : block.a + block.size] = [True] * block.size
    return there
