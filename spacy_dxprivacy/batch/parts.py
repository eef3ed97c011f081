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

from ..doc.cutting import Seams
from ..doc.receipt import Receipt
from ..errors import DxError, Errors
from .plain import as_made, only_sanitizer

LONG = 2**20  # characters: from here on a text is cut
PART = 2**18  # characters of a part, and what is missing of its last sentence
# Of bounded length, as a long text may be anything: what is looked for takes time by its length.
_ENDS = re.compile(r"(?:[.!?]\s{1,8}|\n[^\S\n]{0,8}\n)(?=\S)")
_LONGEST = 256  # characters before a mark that are looked at
MOST_TRIES = 2**12  # ends of a part that are looked at, none of which may be one
_MARKS = {".", "!", "?"}
_COUNTED = ("tokens", "perturbed", "unknown", "draws")


def is_cut(nlp: Language, text: str) -> bool:
    """Whether this text is drawn in parts: where it is long, and each word or sentence of it is
    drawn by itself."""
    if not LONG <= len(text) <= nlp.max_length:
        return False
    sanitizer = only_sanitizer(nlp)
    return sanitizer is not None and as_made(nlp, sanitizer) and sanitizer.takes_parts


def parts_of(text: str, places: Iterable[int]) -> Iterator[str]:
    """The parts between these places."""
    start = 0
    for place in places:
        yield text[start:place]
        start = place
    yield text[start:]


def places_of(nlp: Language, text: str) -> list[int]:
    """Where to cut a text. Call it in a memory zone: it reads some words."""
    seams, found = Seams(nlp.tokenizer), list[int]()
    start = 0
    while start + 2 * PART < len(text):
        place = _next(nlp, seams, text, start + PART)
        if place is None:
            break
        found.append(place)
        start = place
    return found


def _next(nlp: Language, seams: Seams, text: str, start: int) -> int | None:
    """The first place after `start` at which nothing goes on."""
    for match in islice(_ENDS.finditer(text, start), MOST_TRIES):
        place = match.end()
        if text[match.start()] in _MARKS and not _ends_sentence(nlp, text, match.start()):
            continue
        near = slice(max(0, place - 4 * seams.most), place), slice(place, place + 4 * seams.most)
        left, right = ("".join(text[some].split()) for some in near)
        if not seams.crossed(left, right):
            return place
    return None


def _ends_sentence(nlp: Language, text: str, mark: int) -> bool:
    """Whether a mark is a token of its own. mark: its place."""
    before = text[max(0, mark - _LONGEST) : mark + 1]
    last = before.split()[-1]
    return len(last) <= _LONGEST and nlp.tokenizer(last)[-1].text in _MARKS


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
