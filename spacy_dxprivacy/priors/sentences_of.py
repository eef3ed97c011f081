"""Laws of sentences that are summed exactly (dx.WordPairs.v1, dx.HiddenMarkov.v1).

Law        word pairs with back-off, P(y | x) = back(x) u(y) + delta(x, y); or hidden states that
           follow each other, each with words of its own
Draws      whole sentences at once
Paper      Katz 1987; Chen and Goodman 1999; Rabiner 1989
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..registries import registry
from ..space import Space
from ..validate import fail, one_of
from .builtin import KINDS, builtin_law, frequency_of
from .chain import Chain
from .law import carry
from .saved import read_law

MOST_CARRIED = 2
_carried: dict[tuple[str, str | None], Chain] = {}


@dataclass(frozen=True)
class WordPairs:
    """path: a folder made by `dx prior`; None for the English pairs of the package. kind: of text
    (builtin.KINDS), whose pairs of the package it takes."""

    path: Path | None = None
    kind: str | None = None
    name = "dx.WordPairs.v1"
    draws = "sentence"

    def fit(self, space: Space) -> Chain:
        """Raises DxError where no word of the space is known, or the folder is not as it should."""
        if self.path is not None:
            return carry(read_law(self.path, "pairs"), space, frequency_of(space))
        if space.digest == Space.builtin().digest:
            return builtin_law(self.kind).chain
        return _builtin_on(space, self.kind)


def _builtin_on(space: Space, kind: str | None) -> Chain:
    """The pairs of the package on the words of a space. Of the last few spaces they are kept, by
    digest: a search for an epsilon, or a second pipeline, asks for them again and again."""
    key = space.digest, kind
    found = _carried.pop(key, None)
    if found is None:
        found = carry(builtin_law(kind), space, frequency_of(space))
    _carried[key] = found
    for old in list(_carried)[:-MOST_CARRIED]:
        _carried.pop(old, None)
    return found


@dataclass(frozen=True)
class HiddenMarkov:
    """path: a folder made by `dx prior --kind hidden-markov`."""

    path: Path
    name = "dx.HiddenMarkov.v1"
    draws = "sentence"

    def fit(self, space: Space) -> Chain:
        """Raises DxError where no word of the space is known, or the folder is not as it should."""
        return carry(read_law(self.path, "hidden-markov"), space, frequency_of(space))


@registry.dx_priors("dx.WordPairs.v1")
def make_word_pairs(path: str | None = None, kind: str | None = None) -> WordPairs:
    """Word pairs: those of the package, for English, or those of a folder made by `dx prior`.

    kind: "clinical" (notes of visits) or "dialogues" (talks, chats, questions to an assistant), for
    pairs of the package that know such text better; of English as such without it.
    """
    if kind is not None:
        one_of("kind", kind, KINDS)
        if path is not None:
            raise fail("kind", "left out where a path is given", kind)
    return WordPairs(None if path is None else Path(path), kind)


@registry.dx_priors("dx.HiddenMarkov.v1")
def make_hidden_markov(path: str) -> HiddenMarkov:
    """A hidden Markov model, from a folder made by `dx prior --kind hidden-markov`."""
    return HiddenMarkov(Path(path))
