"""How sure dx_entity_recognizer has to be, by default.

Chosen for rules and network as one, on text that the network did not learn from: see
scripts/README.md.
"""

from __future__ import annotations

NETWORK = "dx_entity_recognizer"
# By label, how much more probable than none an entity is to be.
THRESHOLDS = {"PERSON": 0.5, "ORG": 0.35, "GPE": 0.5, "ADDRESS": 2.0, "DATE": 2.0, "TIME": 2.0}
# How probable none is to be where the rules took a word for a name.
TAKE_BACK = 0.95
NETWORK_CONFIG = {"threshold": THRESHOLDS, "take_back": TAKE_BACK}
