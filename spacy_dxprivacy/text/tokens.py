"""Texts as tokens, in a time that grows with their length alone.

spaCy's tokenizer takes symbols and "'s" off the ends of what stands between blanks, one by one,
and looks at the rest each time: 16,000 of them cost a minute, and whoever sends a text could stall
who reads it. Its search for addresses of the web goes over all that follows each colon. Where there
are many symbols or colons, a text is cut there beforehand and read a few at a time. All other texts
have the tokens that spaCy gives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from spacy.language import Language
from spacy.tokens import Doc

AT_ONCE = 64  # characters that are taken off an end together
MOST_STEPS = 50_000  # symbols at the ends of a part times its length: about 30 ms
COLONS_APART = 256  # characters, at least, between the colons at which a part is cut
MOST_COLON_STEPS = 3_000_000  # colons of a part times its length: about 30 ms

# Between the fields of a table; a comma between two digits may be one of a number.
_FIELDS = re.compile(r"(?<=[^\W_])[;|](?=[^\W_])|(?<=[^\W\d_]),(?=\d)|(?<=\d),(?=[^\W\d_])")
_NO_FIELDS = re.compile(r"[@/]|www")
_ANNOTATED = ("TAG", "POS", "DEP", "LEMMA", "MORPH", "SENT_START")

_LONG = re.compile(r"\S{257,}")
_BEFORE = re.compile(r"(?:[A-Z]{1,3}\$|[^\w\s]|_)*")
_AFTER = re.compile(r"(?:[sS]['\u2019]|[^\w\s]|_)*")  # of the text read backwards


def tokenized(nlp: Language, text: str) -> Doc:
    """The tokens of a text, as nlp.make_doc gives them."""
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


def with_fields_apart(doc: Doc) -> Doc:
    """The Doc, or one in which each field of a table is apart, as spaCy's tokenizer leaves
    "Conakry,4100" in one token and a name would take the number with it. A Doc that has more
    annotations than entities stays as it is."""
    if not _FIELDS.search(doc.text) or doc.spans or any(map(doc.has_annotation, _ANNOTATED)):
        return doc
    words: list[str] = []
    spaces: list[bool] = []
    for token in doc:
        fields = [token.text]
        if not _NO_FIELDS.search(token.text):
            marks = [found.start() for found in _FIELDS.finditer(token.text)]
            edges = [0, *(edge for mark in marks for edge in (mark, mark + 1)), len(token.text)]
            fields = [token.text[start:end] for start, end in pairwise(edges)]
        words += fields
        spaces += [False] * (len(fields) - 1) + [bool(token.whitespace_)]
    new = Doc(doc.vocab, words=words, spaces=spaces, user_data=doc.user_data)
    new._context = doc._context
    if doc.has_annotation("ENT_IOB"):
        spans = [new.char_span(e.start_char, e.end_char, e.label, e.kb_id) for e in doc.ents]
        new.ents = tuple(filter(None, spans))
    return new


def cuts_of(text: str) -> list[int]:
    """Where to cut a text, never beside a blank; [] for nearly all."""
    return [cut for match in _LONG.finditer(text) for cut in _cuts(*match.span(), match.group())]


def _cuts(start: int, end: int, part: str) -> Iterator[int]:
    # Both match the empty text.
    before, after = (m.end() if m else 0 for m in (_BEFORE.match(part), _AFTER.match(part[::-1])))
    if (before + after) * len(part) <= MOST_STEPS:
        before = after = 0
    core_end = max(end - after, start + before)
    yield from range(start + AT_ONCE, start + before, AT_ONCE)
    if start < start + before < end:
        yield start + before
    yield from (start + cut for cut in _at_colons(part, before, core_end - start))
    yield from range(core_end if core_end > start + before else core_end + AT_ONCE, end, AT_ONCE)


def _at_colons(part: str, start: int, end: int) -> Iterator[int]:
    """Some of the colons between start and end, if there are many."""
    if part.count(":", start, end) * (end - start) > MOST_COLON_STEPS:
        while (start := part.find(":", start + COLONS_APART, end)) >= 0:
            yield start
