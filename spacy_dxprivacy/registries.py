"""spaCy's registry with ours on it.

catalogue.create("spacy", "dx_mechanisms") gives the entry point group "spacy_dx_mechanisms", by
which other packages can add mechanisms of their own.
"""

from __future__ import annotations

from typing import Any

import catalogue
from spacy import util

NAMES = (
    "dx_mechanisms",
    "dx_projections",
    "dx_indexes",
    "dx_selectors",
    "dx_spaces",
    "dx_unknowns",
    "dx_priors",
    "dx_editors",
)

# Any: type checkers cannot know the registries that are added here.
registry: Any = util.registry

for _name in NAMES:
    if not hasattr(registry, _name):
        setattr(registry, _name, catalogue.create("spacy", _name, entry_points=True))

__all__ = ["registry"]
