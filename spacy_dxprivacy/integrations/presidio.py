"""Plugins for presidio: an NLP engine of a pipeline, and an operator of a mechanism."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import spacy
from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
from presidio_anonymizer.operators import Operator, OperatorType
from spacy.language import Language

from ..entities.tables import by_word
from ..pipeline.component import DxSanitizer
from ..text.mentions import NUMBERS
from ..text.normal_doc import on_original

SCORE = 0.85  # presidio's score for entities of a spaCy pipeline
# Entities of presidio by label of a pipeline. Other labels are used as entity names.
ENTITIES = by_word("PRESIDIO", "formats/lists")


class _Engine(SpacyNlpEngine):
    def __init__(self, nlp: Language, language: str) -> None:
        super().__init__(
            models=[{"lang_code": language, "model_name": "spacy_dxprivacy"}],
            ner_model_configuration=NerModelConfiguration(
                model_to_presidio_entity_mapping=dict(ENTITIES),
                labels_to_ignore=set(NUMBERS),
                default_score=SCORE,
            ),
        )
        self._pipelines = {language: nlp}
        pipelines: Any = self._pipelines  # presidio declares None, and sets it when it loads
        self.nlp = pipelines

    def load(self) -> None:
        """Do nothing: presidio would download a model."""

    def process_text(self, text: str, language: str) -> Any:
        """Return the entities of a text, by their places in this text."""
        nlp = self._pipelines[language]
        return self._doc_to_nlp_artifact(on_original(nlp(text), text, nlp), language)

    def process_batch(  # type: ignore[override, unused-ignore]
        self,
        texts: Iterable[Any],
        language: str,
        batch_size: int = 1,
        n_process: int = 1,
        as_tuples: bool = False,
    ) -> Iterator[Any]:
        """Yield pairs of a text and its entities, or triples with its context if `as_tuples`."""
        nlp = self._pipelines[language]
        pairs = texts if as_tuples else ((text, None) for text in texts)
        inputs = ((str(text), (str(text), context)) for text, context in pairs)
        settings: dict[str, Any] = {"batch_size": batch_size, "n_process": n_process}
        for doc, (text, context) in nlp.pipe(inputs, as_tuples=True, **settings):
            artifact = self._doc_to_nlp_artifact(on_original(doc, text, nlp), language)
            yield (text, artifact, context) if as_tuples else (text, artifact)


def nlp_engine(nlp: Language | None = None, *, language: str = "en") -> Any:
    """Return an engine for `AnalyzerEngine(nlp_engine=nlp_engine())`, without a download.

    nlp: a pipeline that sets `doc.ents`; the rules of dx_entity_ruler if None. language: language
    code of presidio.
    """
    if nlp is None:
        nlp = spacy.blank(language)
        nlp.add_pipe("dx_entity_ruler")  # its rules are English, whatever the language
    return _Engine(nlp, language)


class DxOperator(Operator):
    """`OperatorConfig("dx", params)`, after `engine.add_anonymizer(DxOperator)`.

    It samples the words of an entity by a mechanism. params: the settings of dx_sanitizer. The
    guarantee of the mechanism covers the words of entities that presidio recognised; all other text
    stays in plaintext.
    """

    def operate(self, text: str = "", params: dict[str, Any] | None = None) -> str:
        """Return the sanitised text of an entity. Raise DxError if the component raises it."""
        return str(_pipeline(params)(text).text)

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Raise DxError, or an error of spaCy, for settings that the component rejects."""
        sanitizer = _pipeline(params).get_pipe("dx_sanitizer")
        if isinstance(sanitizer, DxSanitizer):
            sanitizer.warm_up()

    def operator_name(self) -> str:
        """Return the name for OperatorConfig."""
        return "dx"

    def operator_type(self) -> Any:
        """Return the type of operators that cannot be undone."""
        return OperatorType.Anonymize


def _pipeline(params: dict[str, Any] | None) -> Language:
    settings = {k: v for k, v in (params or {}).items() if k != "entity_type"}
    return _fitted(json.dumps(settings, sort_keys=True))


@lru_cache(maxsize=8)  # presidio makes a new operator for each entity
def _fitted(settings: str) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config=json.loads(settings))
    return nlp
