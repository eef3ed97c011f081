"""What the rules found, looked at once more: terms that are no persons go, lists of persons are
completed, and names that were found are found again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spacy.tokens import Doc

from ..doc.mentions import Entity, mentions
from .lists import NAMES, TERM_NOUNS
from .terms import PRODUCTS
from .words import builtin_lexicon

JOINTS = frozenset({",", "and", "&", "or"})
CERTAIN = "TITLE"


def without_terms(doc: Doc, matches: Iterable[Entity]) -> Iterator[Entity]:
    """Without drugs, and without persons whom an illness, a sign or a device is called after."""
    for label, start, end in matches:
        if label not in ("PERSON", "GPE") or not _is_term(doc, start, end):
            yield label, start, end


def _is_term(doc: Doc, start: int, end: int) -> bool:
    if all(token.lower_ in PRODUCTS or token.is_punct for token in doc[start:end]):
        return True
    after = end + (end < len(doc) and doc[end].lower_ in ("'s", "’s"))
    if after >= len(doc) or end - start > 3:
        return False
    return doc[after].lower_ in TERM_NOUNS and not doc[after].text.istitle()


def completed(doc: Doc, known: list[Entity]) -> list[Entity]:
    """`known` in order, with further persons of lists and with further mentions of all."""
    known = sorted(known, key=lambda found: found[1])
    listed = [*known, *_in_lists(doc, known)]
    return [*listed, *mentions(doc, listed)]


def _in_lists(doc: Doc, known: list[Entity]) -> Iterator[Entity]:
    """ "Bowman and White" beside a person, where they may be names."""
    taken = {i for _, start, end in known for i in range(start, end)}
    for label, start, end in known:
        if label != "PERSON":
            continue
        for places in (range(end, len(doc)), range(start - 1, -1, -1)):
            for i in _chain(doc, places, taken):
                taken.add(i)
                yield "PERSON", i, i + 1


def _chain(doc: Doc, places: Iterable[int], taken: set[int]) -> Iterator[int]:
    """The names that go on from a person, each after a comma or an "and"."""
    joined = False
    for i in places:
        if doc[i].lower_ in JOINTS:
            joined = True
        elif i in taken:
            return
        elif joined and _may_be_name(doc[i].text):
            joined = False
            yield i
        else:
            return


def _may_be_name(word: str) -> bool:
    return word.istitle() and bool(builtin_lexicon().of(word) & NAMES)
