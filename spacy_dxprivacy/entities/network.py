"""The network of the recogniser: hash embeddings, public word vectors, convolutions, IOB tags.

It predicts a tag for each token. Tag 0 is outside; each label has a tag for the first token of an
entity and a tag for its other tokens. scripts/recogniser trains it and stores float16 parameters.
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
TABLE_ROWS = (
    18000,
    5000,
    7000,
    1600,
    1200,
)  # of the hash tables for word, prefix, suffix, shape, kind
WIDTH, HIDDEN, DEPTH, PIECES = 64, 96, 4, 2
DROPOUT = 0.1  # in training
PARAMETER_FILE = "parameters.npz"

Network = Model[Any, Any]  # list of features -> list of tag probabilities, float32 (tokens, tags)


def tag(label: str, *, begins: bool) -> int:
    """Return the tag of the first token of an entity (`begins`), or of its other tokens."""
    return 2 * LABELS.index(label) + (1 if begins else 2)


def make() -> Network:
    """Return the network with random parameters; call `initialize` before training."""
    # Fixed seeds: by default a seed depends on the layers that the process made before.
    tables: list[Network] = [
        HashEmbed(WIDTH, rows, column=i, seed=3 * i + 1) for i, rows in enumerate(TABLE_ROWS)
    ]
    looked_up: Network = Model("public_vectors", _public_vectors)
    vectors: Network = chain(looked_up, Linear(WIDTH, Space.builtin().vectors.shape[1]))
    embedded = WIDTH * (len(TABLE_ROWS) + 1)
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
    """Look up public word vectors by the last column, which is row + 1, or 0 without a row."""
    rows = ids[:, -1].astype(np.int64)
    vectors = Space.builtin().vectors[np.maximum(rows - 1, 0)] * (rows > 0)[:, None]
    return vectors, lambda gradient: np.zeros_like(ids)


def load(folder: Path) -> Network:
    """Return the network with the parameters of a folder. Raise DxError if the file is invalid."""
    network = make()
    network.initialize()
    try:
        with (
            (folder / PARAMETER_FILE).open("rb") as file,
            np.load(file, allow_pickle=False) as stored,
        ):
            for name, values in named_parameters(network):
                if stored[name].shape != values.shape or not np.isfinite(stored[name]).all():
                    raise ValueError
                values[:] = stored[name]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        raise fail("the model of dx_entity_recognizer", "a whole one", str(folder)) from None
    return network


@lru_cache(maxsize=1)
def bundled() -> Network:
    """Return the network that comes with the package, loaded once per process."""
    return load(DATA / "ner-en")


def named_parameters(network: Network) -> Iterable[tuple[str, Any]]:
    """Yield each parameter array with its name in the file."""
    for i, layer in enumerate(network.walk()):
        for name in layer.param_names:
            yield f"{i}-{name}", layer.get_param(name)
