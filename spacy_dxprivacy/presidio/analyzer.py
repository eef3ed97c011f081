"""A pipeline of ours under presidio's analyzer: as one of its recognisers, or as its NLP engine."""

from __future__ import annotations

from typing import Any

import spacy
from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
from spacy.language import Language
from spacy.tokens import Doc

from .labels import ENTITIES, IGNORED

SCORE = 0.85  # as presidio gives entities of a pipeline


class DxRecognizer(EntityRecognizer):  # type: ignore[misc]
    """A recogniser for presidio's registry that asks a pipeline of spaCy.

    nlp: a pipeline that sets `doc.ents`; the rules of dx_entity_ruler if None. score: of every
    entity, in [0, 1]. language: presidio's code for it.

    registry.add_recognizer(DxRecognizer())
    """

    def __init__(
        self, nlp: Language | None = None, *, score: float = SCORE, language: str = "en"
    ) -> None:
        self.nlp = rules(language) if nlp is None else nlp
        self.score = score
        super().__init__(
            supported_entities=sorted({*ENTITIES.values()}),
            supported_language=language,
            name="DxRecognizer",
        )

    def load(self) -> None:
        """There is nothing to load: the pipeline was given."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: Any = None) -> list[Any]:
        """presidio's results for the entities that are asked for, in order."""
        with self.nlp.memory_zone():
            return self._results(self.nlp(text), entities)

    def _results(self, doc: Doc, entities: list[str]) -> list[Any]:
        told = {RecognizerResult.RECOGNIZER_NAME_KEY: self.name}
        found = [(ENTITIES.get(ent.label_, ent.label_), ent) for ent in doc.ents]
        return [
            RecognizerResult(name, ent.start_char, ent.end_char, self.score, None, dict(told))
            for name, ent in found
            if ent.label_ not in IGNORED and (not entities or name in entities)
        ]


class _Engine(SpacyNlpEngine):  # type: ignore[misc]
    """presidio's engine for spaCy, with a pipeline that is there already."""

    def __init__(self, nlp: Language, language: str) -> None:
        super().__init__(
            models=[{"lang_code": language, "model_name": "spacy_dxprivacy"}],
            ner_model_configuration=NerModelConfiguration(
                model_to_presidio_entity_mapping=dict(ENTITIES),
                labels_to_ignore=set(IGNORED),
                default_score=SCORE,
            ),
        )
        self.nlp = {language: nlp}

    def load(self) -> None:
        """There is nothing to load, and nothing to download."""


def nlp_engine(nlp: Language | None = None, *, language: str = "en") -> Any:
    """An NlpEngine for presidio's AnalyzerEngine. nlp: as for DxRecognizer. Nothing is downloaded.

    AnalyzerEngine(nlp_engine=nlp_engine())
    """
    return _Engine(rules(language) if nlp is None else nlp, language)


def rules(language: str) -> Language:
    """A blank pipeline of the language with the rules of dx_entity_ruler, which are English."""
    nlp = spacy.blank(language)
    nlp.add_pipe("dx_entity_ruler")
    return nlp
