"""axes.npz: opposites, rare words and negations, by row of the built-in space.

The first axis is sentiment (VADER, MIT); then come those of scripts/data/opposites.txt. Opposite
adjectives of WordNet, with those that are similar to them, were tried as further axes: at an equal
attacker the other words drift more, and nothing is gained.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from builtin_space.sources import data_path

from language.types import Floats
from spacy_dxprivacy import Space

OPPOSITES = Path(__file__).parent.parent / "data" / "opposites.txt"
RARE = 1e-5
UNIT = 63  # steps of a place: from -2 to 2 in a byte
STRONG = 2.0  # a rating of VADER, of 4, that is 1 on the axis


class Rows:
    """Rows of the space by spelling."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.index = {word: row for row, word in enumerate(space.words)}

    def axis(self, places: dict[str, float]) -> Floats:
        axis = np.zeros(len(self.space))
        for word, place in places.items():
            if word in self.index:
                axis[self.index[word]] = place
        return axis

    def flags(self, words: list[str]) -> Any:
        return self.axis(dict.fromkeys(words, 1.0)) > 0


def axes_of(space: Space, frequency: Floats) -> dict[str, Any]:
    """The arrays of axes.npz. frequency: (n,), of web text."""
    rows = Rows(space)
    authored, negations = read_opposites(OPPOSITES)
    places = [sentiment(), *authored]
    axes = [rows.axis(place) for place in places]
    axes = [axes[0], *(a for a in axes[1:] if (a > 0).any() and (a < 0).any())]
    table = sp.csr_array(np.rint(UNIT * np.array(axes)).astype(np.int8).T)
    return {
        "axes": np.array(len(axes)),
        "places": table.data,
        "indices": table.indices.astype(np.int32),
        "indptr": table.indptr.astype(np.int32),
        "rare": np.packbits(rare(space, frequency)),
        "negation": np.packbits(space.with_class("negation") | rows.flags(negations)),
    }


def read_opposites(path: Path) -> tuple[list[dict[str, float]], list[str]]:
    """Places of words on each axis, and negations."""
    axes, negations = [], list[str]()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("negation:"):
            negations += line.removeprefix("negation:").split()
        elif "|" in line and not line.startswith("#"):
            twice = line.startswith("2x ")
            high, low = (side.split() for side in line.removeprefix("2x ").split("|"))
            both, far = set(high) & set(low), 2.0 if twice else 1.0
            sides = {**dict.fromkeys(low, -far), **dict.fromkeys(high, far)}
            axes.append({w: place for w, place in sides.items() if w not in both})
    return axes, negations


def sentiment() -> dict[str, float]:
    """VADER's mean ratings, from -4 to 4."""
    path = data_path("vaderSentiment", "vader_lexicon.txt")
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, value, *_ = line.split("\t")
        if re.fullmatch("[a-z]+", word):
            found[word] = float(np.clip(float(value) / STRONG, -1, 1))
    return found


def rare(space: Space, frequency: Floats) -> Any:
    """bool (n,): words in lower case that are rarer than RARE in all their cases together."""
    lower = np.unique([w.lower() for w in space.words], return_inverse=True)[1]
    return np.bincount(lower, frequency)[lower] < RARE
