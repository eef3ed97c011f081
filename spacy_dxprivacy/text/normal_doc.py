"""Copy a Doc with its annotations to a changed text, such as its normal form.

The ruler, the recogniser and the sanitizer begin with `in_normal_form`. It returns the Doc itself
if its text is normal, as nearly all texts are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from ..errors import DxError, Errors
from .coded import CODED, cuts_at, decoded, is_coded, moved_levels, pairs_of
from .normal import is_normal, normalised
from .tokens import text_of, tokenize

# In the user data of a Doc: places of its text to be mapped to the new text.
MARKS = "dx_marks"
# There, too: what the head of a piece says that it holds, by the number of the piece, for pieces
# that hold facts (entities.heads).
FACTS_OF_PIECES = "dx_facts"
SANITIZED = "dx_receipt"  # in the user data of a Doc that a sanitizer made


def check_doc(given: object) -> None:
    """Raise DxError unless a component was called with a Doc."""
    if not isinstance(given, Doc):
        raise DxError(Errors.DX187.format(given=type(given).__name__))


def in_normal_form(doc: Doc, nlp: Language | None, pipe: Any) -> Doc:
    """Return the Doc itself if its text is in normal form, else a new Doc in normal form.

    The new Doc has annotations of the components before `pipe`, and the old Doc's entities, spans,
    sentence starts and places of formats. Custom tokens are kept.

    Args:
        doc: The input of a component.
        nlp: The pipeline; None in a worker, which tokenizes by the defaults of the language.
        pipe: The component.

    Raises:
        DxError: For any other value than a Doc.
    """
    check_doc(doc)
    text = text_of(doc)
    codes = CODED not in doc.user_data and is_coded(text)
    if is_normal(text) and not codes:
        return doc
    tokenizer, text = nlp or _blank(doc.vocab.lang or "xx"), doc.text
    if codes:
        return _decoded(doc, tokenizer)
    retokenized = tokenize(tokenizer, text)
    has_own_tokens = [token.text for token in retokenized] != [token.text for token in doc]
    normal, places = normalised(text, bounds_of(doc))
    copy = tokenize(tokenizer, normal)
    if has_own_tokens or nlp is None:
        words, spaces = words_at(normal, places) if has_own_tokens else _words_of(copy)
        copy = Doc(doc.vocab, words=words, spaces=spaces)
    pipes = list[Any]()
    if nlp is not None and SANITIZED not in doc.user_data:
        pipes = [component for _, component in nlp.pipeline]
    earlier = pipes[: pipes.index(pipe)] if pipe in pipes else []
    return annotated(doc, copy, places, _moved_data(doc, text), earlier)


def _decoded(doc: Doc, nlp: Language) -> Doc:
    """Return a Doc of the decoded text in normal form, in which each piece has tokens of its own.
    Annotations of earlier components but entities, spans and sentences are lost."""
    text, data = doc.text, dict(doc.user_data)
    marks = data.get(MARKS, [])
    bounds = bounds_of(doc)
    raw, places, levels = decoded(text, [*bounds, *marks])
    normal, moved = normalised(raw, places)
    levels = moved_levels(levels, lambda old: normalised(raw, old)[1])
    if MARKS in data:
        data[MARKS] = moved[len(bounds) :]
    data[CODED] = levels
    words, spaces = list[str](), list[bool]()
    for start, end in pairs_of(cuts_at(levels), len(normal)):
        part = tokenize(nlp, normal[start:end])
        words += [token.text for token in part]
        spaces += [bool(token.whitespace_) for token in part]
    copy = Doc(doc.vocab, words=words, spaces=spaces)
    return annotated(doc, copy, moved[: len(bounds)], _of_doc(data))


def on_original(doc: Doc, text: str, nlp: Language) -> Doc:
    """Return the Doc itself if it has this text, else a Doc of the text with its entities, for the
    places of entities in the original."""
    if doc.text == text:
        return doc
    raw, (_, places) = nlp.make_doc(text), normalised(text, range(len(text) + 1))
    spans = (
        raw.char_span(
            bisect_right(places, span.start_char) - 1,
            bisect_left(places, span.end_char),
            label=span.label,
            alignment_mode="expand",
        )
        for span in doc.ents
    )
    raw.set_ents(filter_spans(filter(None, spans)))
    return raw


def _moved_data(doc: Doc, text: str) -> dict[Any, Any]:
    """Return the user data of a Doc, with places in the normal form, without that of spans and
    tokens."""
    data = _of_doc(doc.user_data)
    if MARKS in data:
        data[MARKS] = normalised(text, data[MARKS])[1]
    if CODED in data:
        data[CODED] = moved_levels(data[CODED], lambda old: normalised(text, old)[1])
    return data


def _of_doc(data: dict[Any, Any]) -> dict[Any, Any]:
    """Return the user data of a Doc without that of its spans and tokens."""
    return {
        name: value
        for name, value in data.items()
        if not (isinstance(name, tuple) and len(name) == 4 and name[2] is not None)
    }


def bounds_of(doc: Doc) -> list[int]:
    """Return the start and end of each token in one list."""
    return [*chain.from_iterable((token.idx, token.idx + len(token)) for token in doc)]


def words_at(text: str, places: Sequence[int]) -> tuple[list[str], list[bool]]:
    """Return words and spaces of a text with tokens at these starts and ends. Empty tokens are left
    out; white space between tokens is a token, unless it is a single blank."""
    words, spaces, last = list[str](), list[bool](), 0
    starts, ends = places[::2], places[1::2]
    for start, end in zip([*starts, len(text)], [*ends, len(text)], strict=True):
        gap = text[last:start]
        if gap == " " and words and not spaces[-1]:
            spaces[-1] = True
        elif gap:
            words.append(gap)
            spaces.append(False)
        if end > start:
            words.append(text[start:end])
            spaces.append(False)
        last = max(last, end)
    return words, spaces


def annotated(
    doc: Doc, copy: Doc, places: Sequence[int], data: dict[Any, Any], earlier: Iterable[Any] = ()
) -> Doc:
    """Annotate a new Doc by components, and by the annotations of an old Doc.

    Args:
        doc: The old Doc.
        copy: The new Doc.
        places: Starts and ends of old tokens in the new text.
        data: The new user data.
        earlier: The components.
    """
    copy.user_data = data
    for pipe in earlier:
        copy = pipe(copy)
    copy._context = doc._context
    starts, ends = places[::2], places[1::2]

    def moved(span: Span) -> Span | None:
        start, end = starts[span.start], ends[span.end - 1]
        if end <= start:
            return None
        normal_span = copy.char_span(start, end, alignment_mode="expand")
        if normal_span is None:
            return None
        first, last = normal_span.start, normal_span.end
        return Span(copy, first, last, span.label_, kb_id=span.kb_id_, span_id=span.id_)

    if doc.has_annotation("ENT_IOB"):
        old = list(filter(None, map(moved, doc.ents)))
        complete = doc.has_annotation("ENT_IOB", require_complete=True)
        default = "outside" if complete or copy.has_annotation("ENT_IOB") else "missing"
        copy.set_ents(filter_spans([*copy.ents, *old]), default=default)
    for key, group in doc.spans.items():
        if key not in copy.spans:
            copy.spans[key] = list(filter(None, map(moved, (span for span in group if len(span)))))
    if doc.has_annotation("SENT_START") and not copy.has_annotation("SENT_START"):
        begins = {starts[token.i] for token in doc if token.is_sent_start}
        for token in copy:
            token.is_sent_start = not token.i or token.idx in begins
    return copy


def _words_of(doc: Doc) -> tuple[list[str], list[bool]]:
    return [token.text for token in doc], [bool(token.whitespace_) for token in doc]


@lru_cache(maxsize=1)
def _blank(lang: str) -> Language:
    return spacy.blank(lang)
