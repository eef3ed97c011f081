"""Who and what is named in a text, by rules and public lists.

Below are the default thresholds and evidence factors of dx_entity_recognizer. They were chosen for
the rules and the network together, on text that the network was not trained on (scripts/README.md).
"""

from __future__ import annotations

NETWORK = "dx_entity_recognizer"
# By label, the minimum ratio of the probability of an entity to that of no entity.
THRESHOLDS = {"PERSON": 0.6, "ORG": 0.15, "GPE": 0.3, "ADDRESS": 1.0, "DATE": 2.0, "TIME": 2.0}
# Factors on the probability of a person or place that dx_entity_ruler found: by rule, by guess.
EVIDENCE = {"dx_rule": 100.0, "dx_guess": 20.0}
NETWORK_CONFIG = {"threshold": THRESHOLDS, "evidence": EVIDENCE}
