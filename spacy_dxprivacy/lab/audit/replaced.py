"""What was replaced in one place of a document, and is readable in another.

The names, places and identifiers that were replaced are those at which a release differs from its
original. Each form of them that stands in unchanged text, or that no surrogate can be, is a leak.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...entities.tables import NAMES, PLACES
from ...entities.words import builtin_lexicon
from ...surrogates.name_forms import SUFFIXES, TITLES
from ...text.mentions import NUMBERS
from .alignment import TOKEN, Alignment, Gap, Span, align
from .forms import (
    CODES,
    LETTERS,
    MIN_DIGITS,
    MIN_PART,
    USER,
    WHOLE,
    Forms,
    Hit,
    Sought,
    drawn_words,
    fold,
    is_calendar,
    is_known,
    is_public,
    starts_sentence,
)

UNSOUGHT = NUMBERS | {"TIME", "AGE"}  # labels that are no persons, places or identifiers
RANDOM = ("initials", "date")  # forms that are few
MIN_CODE = 7  # letters and digits of a code that random ones do not equal by chance
MAX_ABBREVIATION = 4  # letters of a word in capitals that is rather no name
MAX_BY_CHANCE = 2  # words of a document that are all their own surrogates


@dataclass(frozen=True)
class Document:
    """An original and its release, in normal form. spans: recognised mentions, in order."""

    old: str = field(repr=False)
    new: str = field(repr=False)
    spans: Sequence[Span]
    language: str


@dataclass
class Reading:
    """What a release of entity mode shows, of one document.

    Attributes:
        sought: What was replaced somewhere in it.
        leaked: Forms of that which are readable.
        by_chance: Forms of that which surrogates can be.
        kept: Words in plaintext that may be names or identifiers, and were nowhere replaced.
        others: Mentions by label of a label that was not replaced.
        unchanged: Whether no recognised mention was replaced.
        aligned: The alignment; None where places cannot be compared.
    """

    sought: list[Sought] = field(default_factory=list, repr=False)
    leaked: list[Hit] = field(default_factory=list)
    by_chance: list[Hit] = field(default_factory=list)
    kept: set[str] = field(default_factory=set, repr=False)
    others: Counter[str] = field(default_factory=Counter)
    unchanged: bool = False
    aligned: Alignment | None = field(default=None, repr=False)


def is_listed(word: str) -> bool:
    """Return whether a list of surrogates has this word, or it is too short to tell."""
    return len(word) < MIN_PART or fold(word) in drawn_words()


def read_document(
    document: Document, labels: set[str], may_be_drawn: Callable[[str], bool] = is_listed
) -> Reading:
    """Search a release for what was replaced in it.

    Args:
        document: The original and its release.
        labels: Those that the run replaced, normalised.
        may_be_drawn: Returns whether a word can stand in place of another by chance.
    """
    aligned = align(document.old, document.new, document.spans)
    reading = Reading(aligned=aligned)
    reading.sought = list(_sought(document, aligned))
    forms = Forms(reading.sought, document.language)
    judge = _judge_of(document, aligned, may_be_drawn)
    for hit in forms.find(document.new):
        (reading.leaked if judge(hit) else reading.by_chance).append(hit)
    still = _unchanged(document, aligned)
    asked = {document.old[s.start : s.end] for s in still if s.label in labels - WHOLE}
    reading.unchanged = not reading.sought and not _may_be_drawn(asked)
    reading.others.update(span.label for span in still if span.label not in labels)
    read = {fold(w) for hit in reading.leaked for w in LETTERS.findall(hit.word)}
    for text in asked:
        if reading.unchanged or not (_pieces(text) <= read or _may_be_drawn([text])):
            reading.kept.add(text.lower())
    found = {fold(w) for text in reading.kept for w in LETTERS.findall(text)} | read
    reading.kept |= {w for w in _may_be_names(document, aligned) if fold(w) not in found}
    return reading


def _may_be_drawn(texts: Iterable[str]) -> bool:
    """Return whether some mentions may be surrogates that are equal to their originals by chance:
    few words, which are on the lists of surrogates."""
    pieces = {piece for text in texts for piece in _pieces(text)}
    few = len(pieces) <= MAX_BY_CHANCE and all(len(_digits(text)) < MIN_DIGITS for text in texts)
    return few and pieces <= drawn_words()


def _pieces(text: str) -> set[str]:
    return {fold(word) for word in LETTERS.findall(text)}


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _sought(document: Document, aligned: Alignment) -> Iterator[Sought]:
    """Yield what was replaced: of a mention, the parts that are not at its place any more."""
    for gap in aligned.gaps:
        new = document.new[slice(*gap.new)]
        there, digits = _pieces(new), _digits(new)
        for number in gap.spans:
            span = document.spans[number]
            text = document.old[span.start : span.end]
            yield from parts_of(span.label, text, there, digits)
        if not gap.spans:
            yield from _unlabelled(document, gap, there)


def parts_of(label: str, text: str, there: Collection[str] = (), digits: str = "") -> list[Sought]:
    """Return what is sought of a mention that was replaced.

    there, digits: the folded words and the digits at its place in the release, which are not.
    """
    own, parts = _digits(text), list[Sought]()
    if label in UNSOUGHT:
        return parts
    if label in CODES | WHOLE and (own not in digits if own else not _pieces(text) <= set(there)):
        parts.append(Sought(label, text))
    elif label not in CODES and len(own) >= MIN_DIGITS and own not in digits:
        parts.append(Sought("ID", own))
    named = {"EMAIL": text.partition("@")[0], "USERNAME": text}
    words = LETTERS.findall(named.get(label, "" if label in CODES | WHOLE else text))
    changed = [word for word in words if fold(word) not in there]
    if changed and label == "PERSON":
        # A family name that stays beside another given name was not drawn.
        changed = [word for word in words if word in changed or not _may_stay(word)]
    if changed:
        parts.append(Sought(USER if label in named else label, " ".join(changed)))
    return parts


def _may_stay(word: str) -> bool:
    """Return whether a word may be in a name and in its surrogate."""
    lower = word.casefold()
    return fold(word) in drawn_words() | TITLES | SUFFIXES or is_public(lower, "en")


def _unlabelled(document: Document, gap: Gap, there: set[str]) -> Iterator[Sought]:
    """Yield the words of a replaced place that the audit's recogniser does not know."""
    for match in TOKEN.finditer(document.old, *gap.old):
        word, lower = match[0], match[0].casefold()
        if sum(map(str.isdigit, word)) >= MIN_DIGITS:
            yield Sought("ID", word)
        elif (
            word[0].isupper()
            and len(word) > MIN_PART
            and fold(word) not in there
            and not (is_public(lower, document.language) or is_calendar(lower))
            and lower not in builtin_lexicon().rank
        ):
            yield Sought("", word)


def _judge_of(
    document: Document, aligned: Alignment, may_be_drawn: Callable[[str], bool]
) -> Callable[[Hit], bool]:
    """Return whether a form is a leak: it is not if it can be a surrogate of something else."""

    def is_leak(hit: Hit) -> bool:
        gap = aligned.gap_at(hit.start, hit.end)
        if aligned.keeps(hit.start, hit.end) or gap is None or gap.old[0] == gap.old[1]:
            return True
        text, old = document.new[hit.start : hit.end], document.old[slice(*gap.old)]
        if not is_chance(hit, text, may_be_drawn):
            return True
        same = _pieces(text) & _pieces(old) if hit.form not in RANDOM else set()
        return bool(same) or (hit.form == "code" and _digits(hit.word) in _digits(old))

    return is_leak


def is_chance(hit: Hit, text: str, may_be_drawn: Callable[[str], bool]) -> bool:
    """Return whether a form, as written, can be a surrogate of something else."""
    if hit.form == "code":
        return len(hit.word) < MIN_CODE
    return hit.form in RANDOM or all(map(may_be_drawn, LETTERS.findall(text)))


def stays(hit: Hit, document: Document, aligned: Alignment | None) -> bool:
    """Return whether a form is no surrogate: the original has it at the same place, or places
    cannot be compared."""
    gap = None if aligned is None else aligned.gap_at(hit.start, hit.end)
    if gap is None:
        return True
    old, text = document.old[slice(*gap.old)], document.new[hit.start : hit.end]
    return bool(_pieces(text)) and _pieces(text) <= _pieces(old)


def _unchanged(document: Document, aligned: Alignment) -> list[Span]:
    """Return the mentions that stand in the release as they were."""
    still = []
    for gap in aligned.gaps:
        new = document.new[slice(*gap.new)]
        for number in gap.spans:
            span = document.spans[number]
            text = document.old[span.start : span.end]
            if not parts_of(span.label, text, _pieces(new), _digits(new)):
                still.append(span)
    return still


def _may_be_names(document: Document, aligned: Alignment) -> Iterator[str]:
    """Yield unchanged words, in lower case, that may be names: on a list of names, unknown with a
    capital within an English sentence, or a code."""
    for start, end in aligned.kept:
        word = document.new[start:end]
        if is_candidate(word, document.new[max(0, start - 40) : start], document.language):
            yield word.lower()


def is_candidate(word: str, before: str, language: str) -> bool:
    """Return whether a word may be a name or an identifier. before: the text before it."""
    lower = word.casefold()
    if sum(map(str.isdigit, word)) >= MIN_DIGITS:
        return True
    if not word[0].isupper() or len(word) < MIN_PART or not word.isalpha():
        return False
    is_short = word.isupper() and len(word) <= MAX_ABBREVIATION
    if is_short or is_public(lower, language) or is_calendar(lower) or lower in TITLES:
        return False
    if builtin_lexicon().of(word.capitalize()) & (NAMES | PLACES):
        return True
    return language == "en" and not is_known(lower) and not starts_sentence(before)
