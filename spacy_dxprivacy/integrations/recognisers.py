"""Add the entities of other pipelines (dx_models, dx_language_models), and those of presidio
(dx_presidio)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from spacy import util
from spacy.language import Language
from spacy.tokens import Doc

from ..config.options import to_names
from ..entities.foreign import named_part
from ..errors import DxError, Errors, FailsClosed
from ..pipeline.selectors import entity_labels
from ..text.language import language_of_doc
from ..text.mentions import Entity, add_spans, plain_label
from ..text.tokens import MANY_WORDS, trim_vocab
from ..validate import fail


@Language.factory("dx_models", assigns=["doc.ents", "doc.spans"])
def make_dx_models(nlp: Language, name: str, models: str | list[str]) -> DxModels:
    """Make a component with the recognisers of other pipelines.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        models: Packages or folders, one or more, as for `spacy.load`.
    """
    return DxModels(to_names(models) if isinstance(models, str) else models)


class DxModels(FailsClosed):
    """Add the entities and spans of other pipelines to those that dx.Entities.v1 reads.

    models: packages or folders, as for `spacy.load`. labels: the labels that they predict; None if
    unknown. Raises DxError for no models, and if a pipeline fails, has no recogniser, or changes
    the text.
    """

    def __init__(self, models: Sequence[str]) -> None:
        if not models:
            raise fail("models", "one pipeline or more: packages or folders", list(models))
        self.models = [util.load_model(model) for model in models]
        labels = [entity_labels(model, before="") for model in self.models]
        self.labels = None if None in labels else set().union(*filter(None, labels))

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Yield the Docs with the entities added. Models run on batches, which is faster."""
        for docs in util.minibatch(stream, batch_size):
            for model in self.models:
                for doc, entities in zip(docs, _recognise(model, docs), strict=True):
                    add_spans(doc, entities)
            yield from docs


@Language.factory("dx_language_models", assigns=["doc.spans"])
def make_dx_language_models(nlp: Language, name: str, models: dict[str, str]) -> DxLanguageModels:
    """Make a component with a pipeline for each of some languages.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        models: Language -> package, such as {"fr": "fr_core_news_sm"}.
    """
    return DxLanguageModels(models)


class DxLanguageModels(FailsClosed):
    """Add the persons, places and organisations of a pipeline of the text's language.

    Small pipelines also mark words of the language: those at the ends of an entity are dropped, and
    so are entities of nothing else. A pipeline is loaded at the first text of its language.

    models: language -> package. Raises DxError if a pipeline fails, or changes the text.
    """

    def __init__(self, models: Mapping[str, str]) -> None:
        self.models = dict(models)
        self._loaded: dict[str, Language] = {}

    @property
    def recognisers(self) -> tuple[str, ...]:
        """Return the name and version of each pipeline, for receipts."""
        return tuple(f"{model} {util.get_package_version(model)}" for model in self.models.values())

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Yield the Docs with the entities added, in order."""
        for docs in util.minibatch(stream, batch_size):
            languages = [language_of_doc(doc) for doc in docs]
            for language in self.models.keys() & {*languages}:
                those = [doc for doc, code in zip(docs, languages, strict=True) if code == language]
                found = _recognise(self._model(language), those)
                for doc, entities in zip(those, found, strict=True):
                    add_spans(doc, _names_among(doc.text, entities, language))
            yield from docs

    def _model(self, language: str) -> Language:
        if language not in self._loaded:
            name = self.models[language]
            self._loaded[language] = util.load_model(name, exclude=_NOT_NEEDED)
        return self._loaded[language]


_NOT_NEEDED = ("morphologizer", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer")
_NAMED = ("PERSON", "GPE", "ORG")


def _names_among(text: str, entities: list[Entity], language: str) -> Iterator[Entity]:
    """Yield the names among entities, without words of the language at their ends."""
    for label, first, last in entities:
        start, end = named_part(text[first:last], language)
        if start < end and plain_label(label) in _NAMED:
            yield Entity(label, first + start, first + end)


def _recognise(model: Language, docs: list[Doc]) -> list[list[Entity]]:
    """Return the entities of each text, in characters."""
    trim_vocab(model, after=MANY_WORDS)
    try:
        with model.memory_zone(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings may quote the text
            # spacy-huggingface-pipelines only warns if it drops the entities of a text.
            warnings.filterwarnings("error", "(?i).*skipping annotation")
            copies = model.pipe(doc.text for doc in docs)
            return [_char_spans(doc.text, copy) for doc, copy in zip(docs, copies, strict=True)]
    except Exception as error:  # its message may hold text
        failure = DxError(Errors.DX130.format(name=model.meta["name"], kind=type(error).__name__))
    raise failure


def _char_spans(text: str, doc: Doc) -> list[Entity]:
    if doc.text != text or not (doc.has_annotation("ENT_IOB") or doc.spans):
        raise DxError(Errors.DX030)
    spans = [*doc.ents, *(span for group in doc.spans.values() for span in group)]
    return [Entity(span.label_, span.start_char, span.end_char) for span in spans]


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

            from .presidio import nlp_engine

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
        add_spans(doc, (Entity(r.entity_type, r.start, r.end) for r in results))
        return doc
