"""The factory of the rule-based recogniser.

spaCy imports the entry points of all factories at the first component of any pipeline, so the rules
are imported when a pipeline asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacy.language import Language

# By label, how much more probable than none an entity of the network is to be; TAKE_BACK is how
# probable none is to be where the rules took a word for a name. Both were chosen together, for
# rules and network as one, on text that the network did not learn from.
THRESHOLDS = {"PERSON": 0.5, "ORG": 0.5, "GPE": 0.5, "ADDRESS": 2.0, "DATE": 2.0, "TIME": 2.0}
TAKE_BACK = 0.95
NETWORK = "dx_entity_recognizer"
NETWORK_CONFIG = {"threshold": THRESHOLDS, "take_back": TAKE_BACK}

if TYPE_CHECKING:
    from .recogniser import DxEntityRecognizer
    from .ruling import DxEntityRuler


@Language.factory(
    "dx_entity_ruler",
    assigns=["doc.ents", "token.ent_type", "token.ent_iob"],
    default_config={"guess": True, "overwrite_ents": False},
)
def make_dx_entity_ruler(
    nlp: Language, name: str, guess: bool, overwrite_ents: bool
) -> DxEntityRuler:
    """Make a component that finds entities by rules. See DxEntityRuler."""
    from .ruling import DxEntityRuler

    return DxEntityRuler(nlp, name, guess=guess, overwrite_ents=overwrite_ents)


@Language.factory(
    NETWORK,
    assigns=["doc.ents", "token.ent_type", "token.ent_iob"],
    default_config=NETWORK_CONFIG,
)
def make_dx_entity_recognizer(
    nlp: Language, name: str, threshold: dict[str, float], take_back: float
) -> DxEntityRecognizer:
    """Make a component that finds entities by a trained network. See DxEntityRecognizer."""
    from .recogniser import DxEntityRecognizer

    return DxEntityRecognizer(nlp, name, threshold=threshold, take_back=take_back)
