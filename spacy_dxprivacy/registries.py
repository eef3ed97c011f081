"""spaCy's registry with ours on it.

catalogue.create("spacy", "dx_mechanisms") gives the entry point group "spacy_dx_mechanisms", by
which other packages can add mechanisms of their own.
"""

from __future__ import annotations

import catalogue
from spacy.util import registry

NAMES = (
    "dx_mechanisms",
    "dx_projections",
    "dx_indexes",
    "dx_selectors",
    "dx_spaces",
    "dx_unknowns",
)

for _name in NAMES:
    if not hasattr(registry, _name):
        setattr(registry, _name, catalogue.create("spacy", _name, entry_points=True))

__all__ = ["registry"]
