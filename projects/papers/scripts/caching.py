"""Results of long computations, kept in output/cache by what they depend on."""

import hashlib
import json

import numpy as np


def cached(args, space, about, compute):
    """Return the arrays of compute(), a dict by name; read them if they were computed before.

    about: all settings that the result depends on, plain values.
    """
    digest = space.digest if space is not None else ""
    text = json.dumps([digest, about], sort_keys=True, default=str)
    path = args.out / "cache" / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.npz"
    if path.is_file():
        with np.load(path, allow_pickle=False) as stored:
            return dict(stored)
    result = {name: np.asarray(value) for name, value in compute().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez(file, **result)
    return result
