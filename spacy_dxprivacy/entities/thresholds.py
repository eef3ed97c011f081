"""How sure dx_entity_recognizer has to be, by default.

Chosen for rules and network as one, on text that the network did not learn from: see
scripts/README.md.
"""

from __future__ import annotations

NETWORK = "dx_entity_recognizer"
# By label, how much more probable than none an entity is to be.
THRESHOLDS = {"PERSON": 1.0, "ORG": 0.35, "GPE": 0.5, "ADDRESS": 2.0, "DATE": 2.0, "TIME": 2.0}
# How many times as probable a rule of dx_entity_ruler makes a person or place, and a guess.
EVIDENCE = {"dx_rule": 100.0, "dx_guess": 100.0}
NETWORK_CONFIG = {"threshold": THRESHOLDS, "evidence": EVIDENCE}
