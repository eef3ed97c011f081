"""Texts to texts without Docs, where a pipeline draws words one by one and does nothing else."""

from __future__ import annotations

from types import TracebackType
from typing import Any
from weakref import WeakKeyDictionary, proxy

from spacy.attrs import IS_PUNCT, IS_SPACE, LOWER, NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer

from ..component import DxSanitizer
from ..doc.cutting import Cut, Cutter
from ..doc.receipt import Receipt
from .record import Record

ASKED_FOR = (NORM, LOWER, IS_PUNCT, IS_SPACE)  # by the space, and by who selects words

_cutters: WeakKeyDictionary[DxSanitizer, tuple[Any, Cutter]] = WeakKeyDictionary()


class PlainTexts:
    """A context manager, for the inside of a memory zone: with its block, all that was read is
    forgotten. Make it before the zone: where that is for this alone, new words of the zone are
    given no more attributes than are asked for, which is most of what they cost."""

    def __init__(self, nlp: Language, sanitizer: DxSanitizer, cutter: Cutter) -> None:
        self.nlp = nlp
        self.sanitizer = sanitizer
        self.cutter = cutter
        vocab: Any = nlp.vocab
        self._getters = None if vocab.in_memory_zone else vocab.lex_attr_getters

    def __enter__(self) -> PlainTexts:
        if self._getters is not None:
            asked = ((key, make) for key, make in self._getters.items() if key in ASKED_FOR)
            self._set_getters(dict(asked))
        try:
            self.cutter.warm_up()
        except BaseException:  # no block is left then
            self._give_back()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._give_back()
        self.cutter.forget()

    def _give_back(self) -> None:
        if self._getters is not None:
            self._set_getters(self._getters)

    def _set_getters(self, getters: dict[int, Any]) -> None:
        vocab: Any = self.nlp.vocab
        vocab.lex_attr_getters = getters

    def sanitized(self, records: list[Record]) -> list[tuple[str, Receipt]]:
        """Text and receipt of each record, in one draw. Raises what the pipeline raises."""
        return self.sanitizer.sanitize_cuts(self._cuts(records))

    def _cuts(self, records: list[Record]) -> list[Cut]:
        plain = [record for record in records if record.words is None]
        cuts = iter(self.cutter.cut([record.text for record in plain]))
        return [next(cuts) if r.words is None else self._of_words(r) for r in records]

    def _of_words(self, record: Record) -> Cut:
        doc: Any = record.for_pipe(self.nlp)
        return Cut.of(doc, self.cutter.select(doc))


def plain_texts(nlp: Language) -> PlainTexts | None:
    """None where a pipeline does more than a sanitizer of single words, or is not as spaCy made it:
    then its Docs are needed."""
    sanitizer = only_sanitizer(nlp)
    if sanitizer is None or not as_made(nlp, sanitizer) or not sanitizer.takes_words_alone:
        return None
    settings = _settings(nlp.tokenizer)
    found = _cutters.get(sanitizer)
    if found is None or found[0] != settings:
        # What is kept beside a sanitizer must not hold the pipeline, which holds the sanitizer.
        weak: Any = proxy(nlp)
        cutter = Cutter(weak, sanitizer.selector.select, sanitizer.space.words)
        found = _cutters[sanitizer] = (settings, cutter)
    return PlainTexts(nlp, sanitizer, found[1])


def only_sanitizer(nlp: Language) -> DxSanitizer | None:
    """The sanitizer of a pipeline that has nothing else."""
    pipes = [pipe for _, pipe in nlp.pipeline]
    return pipes[0] if len(pipes) == 1 and isinstance(pipes[0], DxSanitizer) else None


def as_made(nlp: Language, sanitizer: DxSanitizer) -> bool:
    """No method of these was put in the place of another, and no special case has a blank in it."""
    methods = ("__call__", "pipe", "make_doc", "_ensure_doc_with_context")
    own = all(getattr(type(nlp), name) is getattr(Language, name) for name in methods)
    replaced = {*vars(nlp), *vars(sanitizer)} & {*methods, "_sanitize", "_sanitize_closed"}
    usual = type(nlp.tokenizer) is Tokenizer
    return own and usual and not replaced


def _settings(tokenizer: Any) -> tuple[Any, ...]:
    """What a tokenizer cuts by: where it is another one than before, all is cut anew."""
    names = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")
    found = [getattr(tokenizer, name) for name in names]
    return tokenizer, *found, tokenizer.faster_heuristics, dict(tokenizer.rules)
