"""A long text in parts that are drawn as documents of their own, and make one again.

A part ends where a sentence ends, or a paragraph. Nothing looks beyond that: not the tokenizer (it
is asked), not a mechanism that draws sentences (it is told where each begins, and of documents no
more), not the spelling. So the text that comes out has the law that it would have as a whole, and
its receipt is that of the whole; what is held at a time is that of a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from spacy.language import Language

from ..component import DxSanitizer
from ..doc.receipt import Receipt
from ..errors import DxError, Errors

LONG = 2**20  # characters: from here on a text is cut
PART = 2**18  # characters of a part, and what is missing of its last sentence
# Of bounded length, as a long text may be anything: what is looked for takes time by its length.
_ENDS = re.compile(r"(?:[.!?]\s{1,8}|\n[^\S\n]{0,8}\n)(?=\S)")
_BESIDE = 256  # characters on each side of a place that the tokenizer is asked about
MOST_TRIES = 2**10  # ends of a part that are looked at, none of which may be one
_MARKS = {".", "!", "?"}
_COUNTED = ("tokens", "perturbed", "unknown", "draws")


def only_sanitizer(nlp: Language) -> DxSanitizer | None:
    """Return the sanitizer of a pipeline that has nothing else; None for any other pipeline."""
    pipes = [pipe for _, pipe in nlp.pipeline]
    return pipes[0] if len(pipes) == 1 and isinstance(pipes[0], DxSanitizer) else None


def is_cut(nlp: Language, text: str) -> bool:
    """Return whether this text is drawn in parts: where it is long, and each word or sentence of it
    is drawn by itself."""
    sanitizer = only_sanitizer(nlp)
    is_long = LONG <= len(text) <= nlp.max_length
    return is_long and sanitizer is not None and sanitizer.takes_parts


def parts_of(text: str, places: Iterable[int]) -> Iterator[str]:
    """The parts between these places."""
    start = 0
    for place in places:
        yield text[start:place]
        start = place
    yield text[start:]


def places_of(nlp: Language, text: str) -> list[int]:
    """Where to cut a text. Call it in a memory zone: it reads some words."""
    found, start = list[int](), 0
    while start + 2 * PART < len(text):
        ends = islice(_ENDS.finditer(text, start + PART), MOST_TRIES)
        place = next((m.end() for m in ends if _parts_sentences(nlp, text, m)), None)
        if place is None:
            break
        found.append(place)
        start = place
    return found


def _parts_sentences(nlp: Language, text: str, match: re.Match[str]) -> bool:
    """Whether a sentence ends there, and the tokenizer sees no further on either side: it cuts both
    sides alone as it cuts them together. Words that the window breaks are left out."""
    place = match.end()
    left = text[max(0, place - _BESIDE) : place].lstrip().partition(" ")[2]
    right = text[place : place + _BESIDE].rpartition(" ")[0]
    alone = [t.text for t in nlp.tokenizer(left)], [t.text for t in nlp.tokenizer(right)]
    together = [t.text for t in nlp.tokenizer(left + right)]
    words = [word for word in alone[0] if not word.isspace()]
    is_end = text[match.start()] not in _MARKS or words[-1:] in ([mark] for mark in _MARKS)
    return is_end and together == alone[0] + alone[1]


def counts_of(receipt: Receipt) -> dict[str, int]:
    """What is counted of a part."""
    return {name: receipt[name] for name in _COUNTED}


def receipt_of(nlp: Language, counts: Mapping[str, int]) -> Receipt:
    """The receipt of the whole text, from the counts of its parts. Raises DxError where the
    pipeline is another one than `is_cut` was told of."""
    sanitizer = only_sanitizer(nlp)
    if sanitizer is None:
        raise DxError(Errors.DX032)
    tokens, perturbed, unknown, draws = (counts[name] for name in _COUNTED)
    return sanitizer.terms.receipt(tokens=tokens, perturbed=perturbed, unknown=unknown, draws=draws)
