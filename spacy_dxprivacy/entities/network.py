"""The network of the recogniser: hash embeddings, public word vectors, convolutions, a tag a token.

Tags are IOB: 0 is outside, and each label has one tag for its first token and one for the others.
scripts/recogniser trains it; parameters are stored as float16.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from spacy.lang.lex_attrs import word_shape
from spacy.strings import get_string_id
from spacy.tokens import Doc
from thinc.api import (
    HashEmbed,
    Linear,
    Maxout,
    Model,
    Softmax,
    chain,
    clone,
    concatenate,
    expand_window,
    residual,
    with_array,
)

from ..about import DATA
from ..arrays import Floats2d, Numbers2d
from ..space import Space
from ..validate import fail
from .words import builtin_lexicon, listed_names

LABELS = ("PERSON", "ORG", "GPE", "ADDRESS", "DATE", "TIME")
ROWS = (6000, 2500, 3500, 800, 600)  # of the tables for word, beginning, ending, shape, kind
WIDTH, HIDDEN, DEPTH, PIECES = 64, 96, 4, 2
DROPOUT = 0.1  # while it learns
FILE = "parameters.npz"
_CLASSES = (
    {"first_name"}, {"surname"}, {"city"}, {"country", "state", "region"},
    {"nationality", "religion", "language"}, {"month", "weekday"}, {"title"},
)  # fmt: skip

Network = Model[Any, Any]  # list of features -> list of probabilities, float32 (tokens, tags)


def tag(label: str, *, begins: bool) -> int:
    """Return the tag of a token of an entity."""
    return 2 * LABELS.index(label) + (1 if begins else 2)


def make() -> Network:
    """Return the network with random parameters; call `initialize` before it learns."""
    # A fixed seed: by default it counts the layers that the process has made before.
    tables: list[Network] = [
        HashEmbed(WIDTH, rows, column=i, seed=3 * i + 1) for i, rows in enumerate(ROWS)
    ]
    looked_up: Network = Model("public_vectors", _public_vectors)
    vectors: Network = chain(looked_up, Linear(WIDTH, Space.builtin().vectors.shape[1]))
    embedded = WIDTH * (len(ROWS) + 1)
    mixed = Maxout(HIDDEN, embedded, nP=PIECES, dropout=DROPOUT, normalize=True)
    wide: Network = chain(
        expand_window(1), Maxout(HIDDEN, 3 * HIDDEN, nP=PIECES, dropout=DROPOUT, normalize=True)
    )
    tags = Softmax(2 * len(LABELS) + 1, HIDDEN)
    network: Network = chain(
        concatenate(*tables, vectors), mixed, clone(residual(wide), DEPTH), tags
    )
    return with_array(network, pad=DEPTH)


def _public_vectors(
    layer: Network, ids: Numbers2d, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Numbers2d]]:
    """A layer that gives the public vector of a word by the last column, row + 1, or zeros."""
    rows = ids[:, -1].astype(np.int64)
    found = Space.builtin().vectors[np.maximum(rows - 1, 0)] * (rows > 0)[:, None]
    return found, lambda gradient: np.zeros_like(ids)


def features(docs: Sequence[Doc]) -> list[Numbers2d]:
    """Return for each Doc uint64 (tokens, 6): word, beginning, ending, shape, kind, vector."""
    known: dict[str, tuple[int, ...]] = {}
    found = []
    for doc in docs:
        rows = []
        for token in doc:
            word = token.text
            if word not in known:
                known[word] = _features_of(word)
            rows.append(known[word])
        found.append(np.array(rows, dtype=np.uint64).reshape(len(rows), len(ROWS) + 1))
    return found


def _features_of(word: str) -> tuple[int, ...]:
    lexicon, lower = builtin_lexicon(), word.lower()
    rank = lexicon.rank
    title = lower.capitalize()
    classes = lexicon.classes.get(title, frozenset()) | listed_names().get(lower, frozenset())
    kind = sum(1 << i for i, some in enumerate(_CLASSES) if classes & some)
    kind |= (lower in rank) << 7 | (title in rank) << 8 | (lexicon.plainness(title) > 0.5) << 9
    row = next((rank[form] + 1 for form in (word, lower, title) if form in rank), 0)
    names = (lower, lower[:3], lower[-3:], word_shape(word))
    return (*map(get_string_id, names), kind, row)


def load(folder: Path) -> Network:
    """Return the network with the parameters of a folder, or raise DxError for a damaged one."""
    network = make()
    network.initialize()
    try:
        with (folder / FILE).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            for name, now in named(network):
                if stored[name].shape != now.shape or not np.isfinite(stored[name]).all():
                    raise ValueError
                now[:] = stored[name]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        raise fail("the model of dx_entity_recognizer", "a whole one", str(folder)) from None
    return network


@lru_cache(maxsize=1)
def bundled() -> Network:
    """Return the network that comes with the package. One copy a process."""
    return load(DATA / "ner-en")


def named(network: Network) -> Iterable[tuple[str, Any]]:
    """Yield each array of parameters with its name in the file."""
    for i, layer in enumerate(network.walk()):
        for name in layer.param_names:
            yield f"{i}-{name}", layer.get_param(name)
