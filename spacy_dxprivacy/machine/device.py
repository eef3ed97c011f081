"""Where the heavy products run: on the GPU after spacy.require_gpu(), else here."""

from __future__ import annotations

from typing import Any

import numpy as np
from thinc.backends import get_array_ops, get_current_ops

from ..arrays import Floats2d


def to_device(X: Floats2d) -> Floats2d:
    """X as an array of thinc's current ops; as it is, and a memory map still one, on the CPU."""
    ops = get_current_ops()
    if isinstance(X, np.ndarray) and ops.xp is np:
        return X
    moved: Floats2d = ops.xp.asarray(X)
    return moved


def to_host(X: Any) -> Any:
    """X as a numpy array."""
    return X if isinstance(X, np.ndarray) else get_array_ops(X).to_numpy(X)


def array_module(X: Any) -> Any:
    """numpy, or cupy for an array of its own."""
    return np if isinstance(X, np.ndarray) else get_array_ops(X).xp
