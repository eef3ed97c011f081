"""The factories of the rule-based and the statistical recogniser.

spaCy imports the entry points of all factories when any pipeline adds its first component, so the
rules and the network are only imported when a pipeline uses them.
"""

from __future__ import annotations

from collections.abc import Callable

from spacy.language import Language
from spacy.tokens import Doc

from . import NETWORK, NETWORK_CONFIG

# spaCy checks the types of settings only if it can look up those of all annotations.
Recogniser = Callable[[Doc], Doc]


@Language.factory(
    "dx_entity_ruler",
    assigns=["doc.ents", "token.ent_type", "token.ent_iob"],
    default_config={"guess": True, "overwrite_ents": False},
)
def make_dx_entity_ruler(nlp: Language, name: str, guess: bool, overwrite_ents: bool) -> Recogniser:
    """Make a component that finds entities by rules. See DxEntityRuler."""
    from .ruling import DxEntityRuler

    return DxEntityRuler(nlp, name, guess=guess, overwrite_ents=overwrite_ents)


@Language.factory(
    NETWORK,
    assigns=["doc.ents", "token.ent_type", "token.ent_iob"],
    default_config=NETWORK_CONFIG,
)
def make_dx_entity_recognizer(
    nlp: Language, name: str, threshold: dict[str, float], evidence: dict[str, float]
) -> Recogniser:
    """Make a component that finds entities by a trained network. See DxEntityRecognizer."""
    from .recogniser import DxEntityRecognizer

    return DxEntityRecognizer(nlp, name, threshold=threshold, evidence=evidence)
