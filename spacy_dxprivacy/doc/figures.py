"""The numbers of documents, drawn by a mechanism of their own beside that of the words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..errors import DxError, Errors
from ..randomness import Rng
from ..ty import NumberDraw


@dataclass(frozen=True, eq=False, repr=False)
class Figures:
    """The m numbers of one document. mask: bool (tokens,), where they are. words: m strings, what
    stands in their place. draws: how many draws were made."""

    mask: Bools1d
    words: list[str]
    draws: int


def find_figures(doc: Doc, selected: Bools1d, numbers: NumberDraw | None) -> Bools1d:
    """bool (tokens,): those of the selected tokens that are numbers; none without a mechanism."""
    if numbers is None:
        return np.zeros(len(doc), dtype=bool)
    found = np.asarray(numbers.find(doc))
    if found.shape != (len(doc),) or found.dtype != np.bool_:
        given = f"{found.dtype} of shape {found.shape}"
        raise _bad(given, len(doc), "one boolean a token")
    return found & selected


def draw_figures(
    doc: Doc, mask: Bools1d, numbers: NumberDraw | None, rng: Rng, *, once_per_type: bool
) -> Figures:
    """One draw for each token of the mask, or with once_per_type for each different text."""
    texts = [doc[place].text for place in np.flatnonzero(mask).tolist()]
    if numbers is None or not texts:
        return Figures(mask, [], 0)
    keys = list(dict.fromkeys(texts)) if once_per_type else texts
    drawn = numbers.replace(keys, rng)
    right = isinstance(drawn, list) and len(drawn) == len(keys)
    if not right or not all(isinstance(text, str) and text for text in drawn):
        raise _bad("something else", len(keys), "a list of as many texts")
    of = dict(zip(keys, drawn, strict=True))
    return Figures(mask, [of[text] for text in texts] if once_per_type else drawn, len(keys))


def _bad(given: str, count: int, expected: str) -> DxError:
    part = "The mechanism for numbers"
    return DxError(Errors.DX038.format(part=part, given=given, count=count, expected=expected))
