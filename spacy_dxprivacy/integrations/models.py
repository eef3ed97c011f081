"""Recognisers of other pipelines beside those of this one (dx_models).

Each reads the text with its own tokenizer, and none overwrites the entities of another.
"""

from __future__ import annotations

import warnings

from spacy import util
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError, Errors, FailsClosed
from ..pipeline.select import entity_labels
from ..text.mentions import add_spans
from ..text.tokens import MANY_WORDS, trim_vocab


@Language.factory("dx_models", assigns=["doc.ents", "doc.spans"])
class DxModels(FailsClosed):
    """Add the entities and spans of each pipeline to those that dx.Entities.v1 reads.

    models: packages or folders, as `spacy.load` takes them. labels: what they predict; None where
    one does not say. Raises DxError where one fails, has no recogniser, or changes the text.
    """

    def __init__(self, nlp: Language, name: str, models: list[str]) -> None:
        self.models = [util.load_model(model) for model in models]
        labels = [entity_labels(model, before="") for model in self.models]
        self.labels = None if None in labels else set().union(*filter(None, labels))

    def __call__(self, doc: Doc) -> Doc:
        for model in self.models:
            add_spans(doc, _places(model, doc.text))
        return doc


def _places(model: Language, text: str) -> list[tuple[int, int, str]]:
    """Return what a pipeline recognises in a text, by its characters."""
    trim_vocab(model, after=MANY_WORDS)
    try:
        with model.memory_zone(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they may quote the text
            # spacy-huggingface-pipelines would go on without the entities of the text.
            warnings.filterwarnings("error", "(?i).*skipping annotation")
            doc = model(text)
            if doc.text != text or not (doc.has_annotation("ENT_IOB") or doc.spans):
                raise DxError(Errors.DX030)
            spans = [*doc.ents, *(span for group in doc.spans.values() for span in group)]
            return [(span.start_char, span.end_char, span.label_) for span in spans]
    except Exception as error:  # its message may hold text
        failure = DxError(Errors.DX130.format(name=model.meta["name"], kind=type(error).__name__))
    raise failure
