"""In presidio: our pipeline as an NLP engine, our mechanism as an operator."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import spacy
from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
from presidio_anonymizer.operators import Operator, OperatorType
from spacy.language import Language

from ...entities.tables import by_word
from ...pipeline.component import DxSanitizer

SCORE = 0.85  # as presidio gives entities of a pipeline
# Label of a pipeline -> entity of presidio. Those without a row keep their name.
ENTITIES = by_word("PRESIDIO", "formats/lists")
# Numbers that identify nobody.
IGNORED = frozenset({"CARDINAL", "QUANTITY", "ORDINAL", "PERCENT", "MONEY"})


class _Engine(SpacyNlpEngine):
    def __init__(self, nlp: Language, language: str) -> None:
        super().__init__(
            models=[{"lang_code": language, "model_name": "spacy_dxprivacy"}],
            ner_model_configuration=NerModelConfiguration(
                model_to_presidio_entity_mapping=dict(ENTITIES),
                labels_to_ignore=set(IGNORED),
                default_score=SCORE,
            ),
        )
        pipelines: Any = {language: nlp}  # presidio declares None, and sets it when it loads
        self.nlp = pipelines

    def load(self) -> None:
        """Do nothing: presidio would download a model."""


def nlp_engine(nlp: Language | None = None, *, language: str = "en") -> Any:
    """Return an engine for `AnalyzerEngine(nlp_engine=nlp_engine())`, without a download.

    nlp: a pipeline that sets `doc.ents`; the rules of dx_entity_ruler if None. language: presidio's
    code for it.
    """
    if nlp is None:
        nlp = spacy.blank(language)
        nlp.add_pipe("dx_entity_ruler")  # of English, in any language
    return _Engine(nlp, language)


class DxOperator(Operator):
    """`OperatorConfig("dx", params)`, after `engine.add_anonymizer(DxOperator)`.

    It samples the words of an entity by a mechanism. params: the settings of dx_sanitizer. The
    guarantee is that of the mechanism, for the words of entities that presidio found; all else
    stays in plaintext.
    """

    def operate(self, text: str = "", params: dict[str, Any] | None = None) -> str:
        """Return the sanitised text of one entity. Raise DxError as the component does."""
        return str(_pipeline(params)(text).text)

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Raise DxError, and what spaCy raises, for settings that the component does not take."""
        sanitizer = _pipeline(params).get_pipe("dx_sanitizer")
        if isinstance(sanitizer, DxSanitizer):
            sanitizer.warm_up()

    def operator_name(self) -> str:
        """Return the name for OperatorConfig."""
        return "dx"

    def operator_type(self) -> Any:
        """Return that it cannot be undone."""
        return OperatorType.Anonymize


def _pipeline(params: dict[str, Any] | None) -> Language:
    settings = {k: v for k, v in (params or {}).items() if k != "entity_type"}
    return _fitted(json.dumps(settings, sort_keys=True))


@lru_cache(maxsize=8)  # presidio makes a new operator for each entity
def _fitted(settings: str) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config=json.loads(settings))
    return nlp
