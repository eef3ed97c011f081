"""Recognisers of other pipelines beside those of this one (dx_models).

Each pipeline reads the text with its own tokenizer, so that no component of one overwrites the
entities of another. Their labels stay: dx.Entities.v1 maps them, and unites what overlaps.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence

from spacy import util
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError, Errors, FailsClosed
from ..pipeline.select import entity_labels
from ..text.mentions import JOINED
from ..text.tokens import MANY_WORDS, trim_vocab
from ..validate import fail

# Of spacy-huggingface-pipelines, which would release such a text without its entities.
SKIPPED = r"(?i).*skipping annotation"
Place = tuple[int, int, str]  # first character, character after the last, label


@Language.factory(
    JOINED, assigns=["doc.ents", "doc.spans"], default_config={"models": []}
)  # fmt: skip
def make_dx_models(nlp: Language, name: str, models: list[str]) -> DxModels:
    """Make a component with the recognisers of pipelines.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        models: Packages or folders, as `spacy.load` takes them.
    """
    if not models:
        raise fail("models", "a list of one pipeline or more", models)
    return DxModels([util.load_model(model) for model in models])


class DxModels(FailsClosed):
    """Set `doc.spans["dx_models"]` to the entities and the spans of each of these pipelines.

    `doc.ents` stays. labels: what they predict; None where one of them does not say. Raises
    DxError where a pipeline fails, sets no entities, or changes the text.
    """

    def __init__(self, models: Sequence[Language]) -> None:
        self.models = models
        declared = [entity_labels(m, before="", assigns=("doc.ents", "doc.spans")) for m in models]
        known = [labels for labels in declared if labels is not None]
        self.labels = set().union(*known) if len(known) == len(models) else None

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Yield the Docs with the spans of all pipelines, in batches."""
        for docs in util.minibatch(stream, batch_size):
            texts = [doc.text for doc in docs]
            for doc, *places in zip(docs, *(_places(m, texts) for m in self.models), strict=True):
                spans = (doc.char_span(start, end, label, alignment_mode="expand")
                         for of_model in places for start, end, label in of_model)  # fmt: skip
                doc.spans[JOINED] = [span for span in spans if span is not None]
                doc.set_ents(list(doc.ents), default="outside")  # a recogniser ran
                yield doc


def _places(model: Language, texts: list[str]) -> list[list[Place]]:
    """Return what a pipeline recognises in each text, by characters."""
    places, failure = list[list[Place]](), None
    try:
        with model.memory_zone(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they may quote the text
            warnings.filterwarnings("error", SKIPPED)
            for text, doc in zip(texts, model.pipe(texts), strict=True):
                if doc.text != text or (text and not (doc.has_annotation("ENT_IOB") or doc.spans)):
                    raise DxError(Errors.DX030)
                spans = [*doc.ents, *(span for group in doc.spans.values() for span in group)]
                places.append([(s.start_char, s.end_char, s.label_) for s in spans])
    except Exception as error:  # its message may hold text
        kind = type(error).__name__
        failure = DxError(Errors.DX130.format(name=model.meta["name"], kind=kind))
    if failure is not None:
        raise failure
    trim_vocab(model, after=MANY_WORDS)
    return places
