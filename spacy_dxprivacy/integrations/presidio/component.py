"""A spaCy component with presidio's recognisers, for use before `dx_entity_sanitizer`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...errors import DxError, Errors, FailsClosed
from ...text.mentions import add_spans
from ...validate import fail


@Language.factory(
    "dx_presidio",
    assigns=["doc.ents", "doc.spans"],
    default_config={"entities": None, "language": "en", "threshold": 0.0},
)
def make_dx_presidio(
    nlp: Language, name: str, entities: list[str] | None, language: str, threshold: float
) -> DxPresidio:
    """Make a component with presidio's recognisers.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        entities: Entities to recognise, by their names in presidio; null for all.
        language: Language code of presidio.
        threshold: The lowest score of a recognised entity, in [0, 1].
    """
    return DxPresidio(entities=entities, language=language, threshold=threshold)


class DxPresidio(FailsClosed):
    """Add the entities of presidio's analyzer to the spans that dx.Entities.v1 reads.

    analyzer: an AnalyzerEngine. The default has presidio's recognisers, and rules of this package
    instead of a model, so nothing is downloaded. Other settings are those of make_dx_presidio.
    Raises DxError if presidio-analyzer is not installed, or a setting is out of range.
    """

    def __init__(
        self,
        *,
        entities: list[str] | None = None,
        language: str = "en",
        threshold: float = 0.0,
        analyzer: Any = None,
    ) -> None:
        if not 0 <= threshold <= 1:
            raise fail("threshold", "a number from 0 to 1", threshold)
        self.entities, self.language, self.threshold = entities, language, threshold
        if analyzer is None:
            if find_spec("presidio_analyzer") is None:
                raise DxError(Errors.DX131)
            from presidio_analyzer import AnalyzerEngine

            from .plugins import nlp_engine

            engine = nlp_engine(language=language)
            analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
        self.analyzer = analyzer

    def __call__(self, doc: Doc) -> Doc:
        failure = None
        try:
            results = self.analyzer.analyze(
                doc.text, self.language, self.entities, score_threshold=self.threshold
            )
        except Exception as error:  # its message may hold text
            failure = DxError(Errors.DX130.format(name="presidio", kind=type(error).__name__))
        if failure is not None:
            raise failure
        add_spans(doc, ((r.start, r.end, r.entity_type) for r in results))
        return doc
