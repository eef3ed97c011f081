"""The accessor `.dx` of the libraries of tables that are in use: none is imported for it."""

from __future__ import annotations

import importlib.util
import sys

ON = {"pandas": "on_pandas", "polars": "on_polars"}


def accessors(*, imported: bool = False) -> list[str]:
    """Give Series of pandas and polars their `.dx`, and name the libraries that have it now.

    Import spacy_dxprivacy after them, and this was done; otherwise call it. imported: of those
    alone that this process has imported already.
    """
    done = []
    for library, module in ON.items():
        loaded = sys.modules.get(library)
        # One that is only half imported asks for this package itself: it has to wait.
        if loaded is not None and not hasattr(loaded, "Series"):
            continue
        if loaded is None and (imported or importlib.util.find_spec(library) is None):
            continue
        importlib.import_module(f".{module}", __package__)
        done.append(library)
    return done
