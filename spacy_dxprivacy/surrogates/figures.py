"""The numbers of documents, drawn by a surrogate of their own beside the mechanism of the words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..errors import DxError, Errors
from ..randomness import Rng
from .base import Mention, Surrogate
from .streams import Draws


class NumberDraw(Surrogate, Protocol):
    """A surrogate that finds the tokens that it takes, by a public pattern."""

    def find(self, doc: Doc) -> Bools1d:
        """Return a mask of the tokens, bool, shape (n_tokens,)."""
        ...


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
    drawn = numbers.replace([Mention(text, "NUMBER") for text in keys], Draws(rng))
    words = [text for text in drawn if isinstance(text, str) and text]
    if not isinstance(drawn, list) or not len(words) == len(drawn) == len(keys):
        raise _bad("something else", len(keys), "a list of as many texts")
    of = dict(zip(keys, words, strict=True))
    return Figures(mask, [of[text] for text in texts] if once_per_type else words, len(keys))


def _bad(given: str, count: int, expected: str) -> DxError:
    part = "The mechanism for numbers"
    return DxError(Errors.DX038.format(part=part, given=given, count=count, expected=expected))
