"""Documents written anew: other tokens, the promise and the receipt of what was released."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..editors.passages import Released
from .tokens import tokenized


def released(doc: Doc, aside: Bools1d) -> Released:
    """doc: as it will be released. aside: bool (tokens,), its numbers and stand-ins; beside them
    number words stay as well."""
    numbers = np.array([token.like_num for token in doc], dtype=bool)
    return Released(doc.text, list(_spans(doc, aside | numbers)))


def _spans(doc: Doc, mask: Bools1d) -> Iterator[tuple[int, int]]:
    """Where runs of tokens stand, in characters, white space round them left out."""
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0)).tolist()
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        run = doc[first:end].text
        start = doc[first].idx + len(run) - len(run.lstrip())
        if run.strip():
            yield start, start + len(run.strip())


def tokens_of(text: str, lang: str) -> tuple[list[str], list[bool]]:
    """Words and whether a blank follows each, by spaCy's rules for a language, not by those of a
    pipeline: the workers of one have none."""
    nlp = _blank(lang)
    with nlp.memory_zone():
        doc = tokenized(nlp, text)
        return [token.text for token in doc], [bool(token.whitespace_) for token in doc]


@lru_cache(maxsize=4)
def _blank(lang: str) -> Language:
    nlp = spacy.blank(lang or "xx")
    nlp.max_length = 2**40
    return nlp
