"""This package and Microsoft's presidio, in both directions (the extra `presidio`).

    from spacy_dxprivacy.integrations.presidio import DxOperator, nlp_engine

presidio is imported at the first use of one of these names.
"""

from __future__ import annotations

from typing import Any

__all__ = ["DxOperator", "nlp_engine"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import plugins

    return getattr(plugins, name)
