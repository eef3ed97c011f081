"""The network of the recogniser: hash embeddings, public word vectors, convolutions, a tag a token.

Tags are IOB: 0 is outside, and each label has one tag for its first token and one for the others.
scripts/recogniser trains it; parameters are stored as float16.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
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

LABELS = ("PERSON", "ORG", "GPE", "ADDRESS", "DATE", "TIME")
ROWS = (18000, 5000, 7000, 1600, 1200)  # of the tables for word, beginning, ending, shape, kind
WIDTH, HIDDEN, DEPTH, PIECES = 64, 96, 4, 2
DROPOUT = 0.1  # while it learns
FILE = "parameters.npz"

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
    """Look up the public vectors of words by the last column, row + 1; zeros for no row."""
    rows = ids[:, -1].astype(np.int64)
    vectors = Space.builtin().vectors[np.maximum(rows - 1, 0)] * (rows > 0)[:, None]
    return vectors, lambda gradient: np.zeros_like(ids)


def load(folder: Path) -> Network:
    """Return the network with the parameters of a folder, or raise DxError for a damaged one."""
    network = make()
    network.initialize()
    try:
        with (folder / FILE).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            for name, values in named(network):
                if stored[name].shape != values.shape or not np.isfinite(stored[name]).all():
                    raise ValueError
                values[:] = stored[name]
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
