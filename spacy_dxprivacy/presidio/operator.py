"""An operator for presidio's anonymizer that draws words by a mechanism of ours."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import spacy
from presidio_anonymizer.operators import Operator, OperatorType
from spacy.language import Language

from ..pipeline.component import DxSanitizer


class DxOperator(Operator):  # type: ignore[misc]
    """`OperatorConfig("dx", params)`: the words of an entity, drawn anew by a mechanism.

    params: the settings of dx_sanitizer, such as {"mechanism": {"@dx_mechanisms":
    "dx.Exponential.v1", "epsilon": 2.0}}; its defaults where left out. The guarantee is that of the
    mechanism, for the words of entities that presidio found; all else stays in clear.

    engine.add_anonymizer(DxOperator)
    """

    def operate(self, text: str = "", params: dict[str, Any] | None = None) -> str:
        """What is drawn for the text of one entity. Raises DxError as the component does."""
        return str(_pipeline(_key(params))(text).text)

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Raises DxError, and what spaCy raises, for settings that the component does not take."""
        sanitizer = _pipeline(_key(params)).get_pipe("dx_sanitizer")
        if isinstance(sanitizer, DxSanitizer):
            sanitizer.warm_up()

    def operator_name(self) -> str:
        """As OperatorConfig names it."""
        return "dx"

    def operator_type(self) -> Any:
        """It takes the original away; nothing brings it back."""
        return OperatorType.Anonymize


def _key(params: dict[str, Any] | None) -> str:
    settings = {k: v for k, v in (params or {}).items() if k != "entity_type"}
    return json.dumps(settings, sort_keys=True)


@lru_cache(maxsize=8)
def _pipeline(settings: str) -> Language:
    """presidio makes a new operator for each entity; the fitted pipeline is kept for all."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config=json.loads(settings))
    return nlp
