"""Join the entities of several pipelines (dx_models)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

from spacy import util
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError, Errors, FailsClosed
from ..pipeline.select import entity_labels
from ..text.mentions import add_spans
from ..text.tokens import MANY_WORDS, trim_vocab


@Language.factory("dx_models", assigns=["doc.ents", "doc.spans"])
class DxModels(FailsClosed):
    """Add the entities and spans of other pipelines to those that dx.Entities.v1 reads.

    models: packages or folders, as for `spacy.load`. labels: the labels that they predict; None if
    unknown. Raises DxError if a pipeline fails, has no recogniser, or changes the text.
    """

    def __init__(self, nlp: Language, name: str, models: list[str]) -> None:
        self.models = [util.load_model(model) for model in models]
        labels = [entity_labels(model, before="") for model in self.models]
        self.labels = None if None in labels else set().union(*filter(None, labels))

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Yield the Docs with the entities added. Models run on batches, which is faster."""
        for docs in util.minibatch(stream, batch_size):
            for model in self.models:
                for doc, places in zip(docs, _recognise(model, docs), strict=True):
                    add_spans(doc, places)
            yield from docs


def _recognise(model: Language, docs: list[Doc]) -> list[list[tuple[int, int, str]]]:
    """Return the (start, end, label) of entities of each text, in characters."""
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


def _char_spans(text: str, doc: Doc) -> list[tuple[int, int, str]]:
    if doc.text != text or not (doc.has_annotation("ENT_IOB") or doc.spans):
        raise DxError(Errors.DX030)
    spans = [*doc.ents, *(span for group in doc.spans.values() for span in group)]
    return [(span.start_char, span.end_char, span.label_) for span in spans]
