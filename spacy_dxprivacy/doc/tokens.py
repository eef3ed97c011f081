"""Texts as tokens, in a time that grows with their length alone.

spaCy's tokenizer takes symbols and "'s" off the ends of what stands between blanks, one by one,
and looks at the rest each time: 16,000 of them cost a minute, and whoever sends a text could stall
who reads it. Where there are many, they are cut off beforehand and read a few at a time. All other
texts have the tokens that spaCy gives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.language import Language
from spacy.tokens import Doc

AT_ONCE = 64  # characters that are taken off an end together
MOST_STEPS = 50_000  # symbols at the ends of a part times its length: about 30 ms

_LONG = re.compile(r"\S{257,}")
_BEFORE = re.compile(r"(?:[A-Z]{1,3}\$|[^\w\s]|_)*")
_AFTER = re.compile(r"(?:[sS]['\u2019]|[^\w\s]|_)*")  # of the text read backwards


def tokenized(nlp: Language, text: str) -> Doc:
    """The tokens of a text, as nlp.make_doc gives them. Raises what that does for a text that is
    longer than nlp.max_length."""
    cuts = cuts_of(text)
    return nlp.make_doc(text) if not cuts else joined(nlp, text, cuts)


def joined(nlp: Language, text: str, cuts: list[int]) -> Doc:
    """The tokens of the parts of a text, as one Doc."""
    words: list[str] = []
    spaces: list[bool] = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        for token in nlp.make_doc(text[start:end]):
            words.append(token.text)
            spaces.append(bool(token.whitespace_))
    return Doc(nlp.vocab, words=words, spaces=spaces)


def cuts_of(text: str) -> list[int]:
    """Where to cut a text, never beside a blank; [] for nearly all."""
    return [cut for match in _LONG.finditer(text) for cut in _cuts(*match.span(), match.group())]


def _cuts(start: int, end: int, part: str) -> Iterator[int]:
    before, after = _length(_BEFORE, part), _length(_AFTER, part[::-1])
    if (before + after) * len(part) <= MOST_STEPS:
        return
    core_end = max(end - after, start + before)
    yield from range(start + AT_ONCE, start + before, AT_ONCE)
    if start < start + before < end:
        yield start + before
    yield from range(core_end if core_end > start + before else core_end + AT_ONCE, end, AT_ONCE)


def _length(pattern: re.Pattern[str], part: str) -> int:
    match = pattern.match(part)
    return match.end() if match else 0
