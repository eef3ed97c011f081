"""Entities of a Doc as one list, with merged spans, normalised labels and further mentions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from math import inf
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import srsly
from spacy.attrs import IS_UPPER, ORTH
from spacy.lang.en.stop_words import STOP_WORDS
from spacy.tokens import Doc, Span

from ..about import DATA
from ..space import Space
from .speakers import NO_INITIALS, speakers_in
from .spelling import without_accents
from .tokens import text_of

_LISTS: dict[str, Any] = srsly.read_json(DATA / "mentions.json")
# Label of another recogniser, without marks and in lower case -> normalised label.
CANONICAL: dict[str, str] = {
    name: label for label, names in _LISTS["same"].items() for name in names.split()
}
# Labels whose entities have further mentions only as a whole, not in part.
AS_A_WHOLE = frozenset({"ORG", "GPE", "EMAIL", "PHONE", "URL", "ID", "SECRET"})
SPANS_KEY = "dx_entities"  # of spans that are entities like doc.ents, and may overlap
PIECE = re.compile(r"[^\W\d_]{2,}")
_INITIAL = re.compile(r"(?:[^\W\d_a-zß-öø-ÿ]\.-?){1,3}")
# Degrees and legal forms, which look like initials.
_AFTER_NAMES = frozenset(
    "M.D. R.N. D.O. B.A. M.A. B.S. M.S. J.D. J.P. Q.C. K.C. M.P. N.P. P.A. R.D. O.D. D.C. C.N. "
    "C.A. B.Sc. M.Sc. C.P.A. D.D.S. R.P.T. S.L. S.A. S.R.L. B.V. N.V. P.C. L.L.C. L.L.P.".split()
)
_ARTICLES_OF_NAMES = frozenset("la le los las den der".split())
_MIXED = re.compile(r"[^\W\d_a-z][a-z]{1,3}[^\W\d_a-z]")  # initials as RvD
_LETTER_TITLES = {"fr": "M.", "es": "D."}
_ABBREVIATED = frozenset("P.S. N.B. P.D. P.P. A.A. U.S. U.K. E.U.".split())
_PART = re.compile(r"(?<!['’])[^\W\d_]+")  # also an initial
_BEHIND_HYPHEN = re.compile(r"(?<=\w)-\w+")
# Labels whose surrogates replace digits only: united spans take another label, if there is one.
NUMBERS = frozenset({"QUANTITY", "CARDINAL", "MONEY", "PERCENT", "ORDINAL"})
MIN_PART_LETTERS = 2  # of a part of a name, so that initials do not count
MAX_TOKEN_CHARACTERS = 200  # from which on a token with a part of a name is not replaced
_VOWEL = re.compile(r"[AEIOUYÀ-Ý]")
MAX_SHORT = 4  # letters from which on capitals are no initials
MAX_GAP = 3  # tokens between a name and the column of its initials
MIN_GLUED_LETTERS = 4  # of a part that is searched within longer words, such as email addresses
MAX_INITIALS = 5  # parts of a name whose initials are searched, without this one
# Abbreviations that may also be the initials of who acts: AM asked.
_MAY_ACT = frozenset("AD AM BC PC PM".split())
# Words of minutes that stand before and behind the initials of one who moves, agrees, has a task or
# signs.
_BEFORE_INITIALS = frozenset(
    "action actions best br by cheers moved mover owner prop proposed proposer regards rgds sec "
    "seconded seconder sincerely thanks thx yours".split()
)
_EXPLAINS = frozenset("= : – —".split())  # what stands between initials and their name
MAX_TITLE = 4  # tokens between these and the name
# A quick test for a legend of initials.
_LEGEND = re.compile(r"(?<!\w)[^\W\d_a-z][^\W\d_]{0,2}[^\W\d_a-z] ?[=:–—] ?[^\W\d_a-z]")
_JOINTS = frozenset({",", "/", "+", "&"})  # of the initials of two persons
_BETWEEN_INITIALS, _FIELD_ENDS = _JOINTS | {"and"}, frozenset('"”|')
_SENTENCE_ENDS = frozenset({".", "!", "?"})
_AFTER_INITIALS = frozenset(_LISTS["after_initials"].split())
# At the start of a line of a transcript or a chat: [00:12], 09:41 -
_TIME = re.compile(r"[\[(]?(?:[\d/.-]{6,10},? )?\d{1,2}:\d\d(?::\d\d)?[\])]? ?(?:[-–] )?")
LONGEST_TIME = 12  # tokens
MAX_BRACKET = 9  # tokens of a bracket behind a name
_LINEAGE = frozenset("s/o d/o w/o a/l a/p bin binti binte bte".split())  # son of, daughter of
QUOTES = frozenset({'"', "“", "”", "'", "‘", "’"})  # around a nickname
NAME_PARTICLES = frozenset(_LISTS["small"].split())  # particles of names
_DIGRAPHS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "o", "æ": "ae", "ł": "l"}
)
# The first letter of a sentence and of a line, after a speaker's name.
_OPENING = re.compile(
    r"(?:\A|\n|[.?!][ \t])(?:[^\w\n]|\d){0,40}(?:[^\n.?!:]{1,40}:[ \t]{1,9})?([^\W\d_])"
)
MIN_OPENINGS, CAPITAL_SHARE = 4, 0.8
_ARTICLES = frozenset({"the", "a", "an", "this", "no"})
# Words before an adjective; words with which a form of "be" introduces a person.
_BEFORE_ADJECTIVES = frozenset(_LISTS["before_adjectives"].split())
_BE = frozenset(_LISTS["be"].split())
_INTRODUCING = frozenset(_LISTS["introducing"].split())


JUDGES = frozenset({"J.", "JJ.", "C.J.", "J.A."})
OF_COURT = re.compile(r"\b(?i:judges?|justices?|court|appeal)\b")


class Entity(NamedTuple):
    """An entity, or a further mention of one, in a text.

    Attributes:
        label: Its label.
        start: Its first token; its first character where a function says so.
        end: The token or character after its last.
    """

    label: str
    start: int
    end: int


@lru_cache(maxsize=1024)
def plain_label(label: str) -> str:
    """Return the normalised label, such as PERSON for PER and I-PER; unknown labels stay."""
    bare = re.sub(r"^[BILUES]-", "", label)
    return CANONICAL.get(re.sub(r"[\W_]", "", bare).lower(), label)


def unite(spans: Iterable[Entity]) -> list[Entity]:
    """Merge overlapping spans under the label of the longest, on a tie the first, where a number
    counts as the shortest. Spans that touch are not merged."""
    merged: list[Entity] = []
    longest = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        length = 0 if span.label in NUMBERS else span.end - span.start
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
            longest = length
            continue
        label, start, end = merged[-1]
        if length > longest:
            label, longest = span.label, length
        merged[-1] = Entity(label, start, max(end, span.end))
    return merged


def further_mentions(doc: Doc, entities: list[Entity]) -> list[Entity]:
    """Return further mentions of entities that do not overlap.

    Any part of a person's name counts, in any case, possessive or within another word;
    organisations, places and numbers count as a whole.
    """
    taken = {i for _, first, last in entities for i in range(first, last)}
    persons: list[Entity] = []
    parts = name_parts(doc, entities)
    places = places_of(doc, parts, taken)
    if places and is_capitalised(text_of(doc)):
        # There, baker is no mention of Ms. Baker: a name is written small only in a code.
        # Nor is a common word that a recogniser joined to one, as in "Silestone worktops".
        places = [i for i in places if not _is_no_part(doc[i].text, parts)]
    for i in places:
        start = persons.pop().start if persons and persons[-1].end == i else i
        persons.append(Entity("PERSON", start, i + 1))
    taken.update(i for _, first, last in persons for i in range(first, last))
    initials = [
        Entity("PERSON", i, i + 1) for i in _initials(doc, [*entities, *persons]) if i not in taken
    ]
    taken.update(start for _, start, _ in initials)
    return [*persons, *initials, *_whole_mentions(doc, entities, taken)]


def _is_no_part(word: str, parts: dict[str, bool]) -> bool:
    """Return whether a word in small letters is a common one, and no part of a name as such."""
    is_small = word.islower() and word.isalpha() and word in _rows()
    return is_small and (not parts.get(word, True) or _is_only_word(word))


def tokens_of_words(doc: Doc, holds: Callable[[str], bool]) -> list[int]:
    """Return the tokens whose word meets a condition, which is asked once for each word."""
    words, strings = doc.to_array(ORTH).tolist(), doc.vocab.strings
    met = {word for word in set(words) if holds(strings[word])}
    return [i for i, word in enumerate(words) if word in met] if met else []


def is_capitalised(text: str, least: int = MIN_OPENINGS, share: float = CAPITAL_SHARE) -> bool:
    """Return whether the lines and sentences of a text begin with capitals, as in a letter: in
    chats and quick notes, names may be written small.

    least: Least number of lines and sentences. share: Least share of those with capitals.
    """
    openings = _OPENING.findall(text)
    capitals = sum(map(str.isupper, openings))
    return len(openings) >= least and capitals >= share * len(openings)


def initials_of(names: Iterable[str]) -> set[str]:
    """Return the initials of full names, in capitals without full stops: JK for John Kelly and for
    J. Kelly, also without those of particles (JC for Juan de la Cruz) and of what stands behind a
    hyphen: JA for Jo Abi-Lind."""
    names = [*names]
    names += [_BEHIND_HYPHEN.sub("", name) for name in names if "-" in name]
    parts = [_PART.findall(name) for name in names]
    named = [[part for part in found if part[0].isupper()] for found in parts]
    # Marie de la Tour is MDT.
    short = [[part for part in found if part not in _ARTICLES_OF_NAMES] for found in parts]
    # Of an office in capitals before a name: CHO Ada Lind is AL.
    bare = [[part for part in found if len(part) == 1 or not part.isupper()] for found in parts]
    parts += named + short + bare
    initials = {
        "".join(p[0] for p in found).upper() for found in parts if 1 < len(found) < MAX_INITIALS
    }
    return initials.union(*map(in_ascii, initials))


def initials_in(doc: Doc, persons: Iterable[tuple[int, int]]) -> set[str]:
    """Return the initials of the persons of a Doc, each from a first token to a last, also without
    a nickname in quotes, or with it alone (AL and BL for Ada "Bo" Lind), with the name of a father
    (Ravi s/o Muthu), those in brackets behind a name, and those of whoever speaks beside one."""
    ends, size = dict(persons), len(doc)
    names = [doc[first:last].text for first, last in ends.items() if last - first > 1]
    for first, last in ends.items():
        after = next((i for i in range(last + 1, min(last + 4, size)) if i in ends), last)
        if after > last and doc[last:after].text.lower() in _LINEAGE:
            names.append(f"{doc[first:last].text} {doc[after : ends[after]].text}")
        if last + 1 not in ends or doc[last].text not in QUOTES:
            continue
        after = ends[last + 1] + 1
        if after in ends and after < size and doc[after - 1].text in QUOTES:
            family = doc[after : ends[after]].text
            names += [f"{doc[first:last].text} {family}", f"{doc[last + 1].text} {family}"]
    known = initials_of(names) | {text.upper() for text in _stated_initials(doc, ends.items())}
    return known.union(_speakers(doc, known).values())


def _speakers(doc: Doc, known: Collection[str]) -> dict[int, str]:
    """Return the initials that open lines of a transcript, by their first characters."""
    return speakers_in(text_of(doc), known, lambda who: not is_word(who.lower()))


def _initials(doc: Doc, entities: list[Entity]) -> list[int]:
    """Return the tokens that are the initials of a person: J.K., JK in brackets, alone on a line,
    as a speaker at the start of one, behind the last sentence of one, or as the mover of a motion
    or the owner of a task, and each JK of a text that has it in brackets behind the name."""
    shouted = np.flatnonzero(doc.to_array(IS_UPPER)).tolist()
    persons = [(first, last) for name, first, last in entities if name == "PERSON"]
    letters = initials_in(doc, persons) if persons else set[str]()
    if not letters:
        return []
    stated = _stated_initials(doc, persons)
    mixed = {text for text in stated if not text.isupper()}  # RvD
    if mixed:
        letters |= mixed
        shouted = sorted({*shouted, *tokens_of_words(doc, mixed.__contains__)})
    starts = {first for first, _ in persons}
    speakers = _speakers(doc, letters)
    return [
        i
        for i in shouted
        if speakers.get(doc[i].idx) == doc[i].text
        or _are_initials(doc, i, doc[i].text, letters, stated, starts)
    ]


def with_initials(doc: Doc, spans: Iterable[Span], language_of: Callable[[Doc], str]) -> list[Span]:
    """Return entities, where persons have the initials beside them: "Z. Perales no ha venido" at
    the start of a sentence, and those behind a family name: "Smith, J. was discharged".

    language_of: The function that finds the language of a Doc, in some of which a title looks like
    an initial: M. Petit.
    """
    spans = list(spans)
    # With two tokens that are none behind the last.
    shouted = [*doc.to_array(IS_UPPER).tolist(), 0, 0]
    taken = {i for span in spans for i in range(span.start, span.end)}
    changed = list[Span]()
    for span in spans:
        start, end = span.start, _end_in_capitals(doc, span, taken)
        is_beside = shouted[start - 1] or shouted[end] or shouted[end + 1]
        if is_beside and plain_label(span.label_) == "PERSON":
            before, after = start - 1, end + (doc[end : end + 1].text == ",")
            if start and shouted[before] and before not in taken:
                start = _start_of_initials(doc, start, language_of)
            if after < len(doc) and shouted[after] and after not in taken:
                is_family = after == end or end - start == 1  # not Ada Lind, E.
                last = _end_of_initials(doc, end, after) if is_family else end
                if after > end or last == end:
                    end = last
                else:  # "Perrin Z." has a family name and, apart, an initial
                    changed.append(Span(doc, after, last, span.label, span_id=span.id))
        same = (start, end) == (span.start, span.end)
        changed.append(span if same else Span(doc, start, end, span.label, span_id=span.id))
    return changed


def _end_in_capitals(doc: Doc, span: Span, taken: Collection[int]) -> int:
    """Return the end of a name in capitals with the family name in capitals behind it, if that is
    no common word and has a vowel, as most abbreviations have not: KESH |BHOGAL."""
    end = span.end
    if end - span.start > 1 or end in taken or end >= len(doc):
        return end
    if plain_label(span.label_) != "PERSON" or not doc[end - 1].whitespace_:
        return end
    given, family = span.text, doc[end].text
    are_shouted = all(t.isupper() and t.isalpha() and len(t) > 3 for t in (given, family))
    if not are_shouted or is_word(given.lower()) or is_word(family.lower()):
        return end
    return end + (_VOWEL.search(family) is not None)


def _start_of_initials(doc: Doc, start: int, language_of: Callable[[Doc], str]) -> int:
    """Return the start of a name with the initials with which a sentence or a line begins."""
    first = start
    while first and start - first < MAX_INITIALS and _INITIAL.fullmatch(doc[first - 1].text):
        first -= 1
    if first == start or not (not first or doc[first - 1].is_space or doc[first - 1].is_punct):
        return start
    text = doc[first].text
    if text == "A." and first and doc[first - 1].text == "?":
        return start  # Who came? A. Ada did.
    is_title = text in _ABBREVIATED or text == _LETTER_TITLES.get(language_of(doc))
    return start if is_title or is_of_items(doc, first) else first


def is_of_items(doc: Doc, i: int) -> bool:
    """Return whether a letter at the head of a line numbers an item, as the letter before or behind
    it does too (B.), or marks each answer of a hearing: A. Ada Lind said so."""
    letter, text = doc[i].text[0], doc[i].text
    if not (text[1:] == "." and letter.isascii() and (i == 0 or "\n" in doc[i - 1].text)):
        return False
    heads = re.findall(r"^[ \t]*([A-Za-z])\.[ \t]", text_of(doc), re.M)
    beside = {chr(ord(letter) - 1), chr(ord(letter) + 1)}
    return heads.count(letter) > 1 or not beside.isdisjoint(heads)


def _end_of_initials(doc: Doc, end: int, last: int) -> int:
    """Return the end of a name with the initials behind it, or behind the comma after it, unless
    the initials belong to a further name."""
    text = doc[last].text
    if not _INITIAL.fullmatch(text) or text in _AFTER_NAMES:
        return end
    if (last > end or text in JUDGES) and OF_COURT.search(text_of(doc)):
        return end  # Lowe, J.: a judge
    after = doc[last + 1] if last + 1 < len(doc) else None
    ends = after is None or after.is_space or after.is_punct or after.is_lower
    return last + 1 if ends else end


def _stated_initials(doc: Doc, persons: Iterable[tuple[int, int]]) -> set[str]:
    """Return the initials that stand in brackets behind the names of persons or behind a role
    (Interviewer (JK)), and those that a legend explains: SM = Dr S. Marsh."""
    has_legend = _LEGEND.search(text_of(doc)) is not None
    stated = (
        _stated_behind(doc, *at)
        or _alone_in_brackets(doc, *at)
        or (has_legend and _explained_before(doc, *at))
        for at in persons
    )
    return {text for text in stated if text}


def _explained_before(doc: Doc, first: int, last: int) -> str:
    """Return the initials that the name behind them, with or without a title, explains, or ""."""
    i = first - 1
    while i > max(first - MAX_TITLE, 1) and doc[i].text not in _EXPLAINS:
        i -= 1
    if i < 1 or doc[i].text not in _EXPLAINS:
        return ""
    wholes = initials_of([doc[first:last].text])
    return doc[i - 1].text if _are_initials_of(doc[i - 1].text, wholes) else ""


def _alone_in_brackets(doc: Doc, first: int, last: int) -> str:
    """Return a person who is two or three capitals in brackets; "" for others."""
    text = doc[first].text
    is_short = last - first == 1 and 1 < len(text) < MAX_SHORT and text.isupper()
    is_alone = is_short and first and last < len(doc) and doc[first - 1].text == "("
    return text if is_alone and doc[last].text.startswith(")") else ""


def _stated_behind(doc: Doc, first: int, last: int) -> str:
    """Return the initials of a name in the brackets behind it, alone or beside a role, also without
    some of its further parts: Ada Lind (AL), Bo Rask (BR, roofs), Kai Berg ("KB"), Ana Luisa Braun
    Costa (chair, AB); or in the column behind it. "" without any."""
    if last >= len(doc) or doc[last].text != "(":
        return _in_column_behind(doc, first, last)
    end = next((i for i in range(last, min(last + MAX_BRACKET, len(doc))) if doc[i].text == ")"), 0)
    held = [doc[i].text for i in range(last + 1, end) if doc[i].text not in QUOTES]
    wholes = initials_of([doc[first:last].text])
    is_alone = len(held) < 2
    ends = [(t, ",") for t in held] if is_alone else [(held[0], held[1]), (held[-1], held[-2])]
    for text, beside in ends:
        if beside in (",", ";") and _are_initials_of(text, wholes):
            return text
    return ""


def _in_column_behind(doc: Doc, first: int, last: int) -> str:
    """Return the initials of a name in the column behind it, which end a line or a cell; "" without
    any. An abbreviation is no such: Paul Mann | PM |."""
    i = last
    while i < min(last + MAX_GAP, len(doc)) and _is_gap(doc[i].text):
        i += 1
    if i == last or i >= len(doc) or doc[i].text in NO_INITIALS:
        return ""
    after = doc[i + 1].text if i + 1 < len(doc) else "\n"
    ends = "\n" in after or _is_gap(after)
    text = doc[i].text
    is_whole = text.isupper() and text in initials_of([doc[first:last].text])
    return text if ends and is_whole else ""


def _is_gap(text: str) -> bool:
    """Return whether a token stands between two columns of a line."""
    return text in ("|", "–", "—", "=") or (text.isspace() and "\n" not in text)


def _are_initials_of(text: str, wholes: set[str]) -> bool:
    """Return whether a word is the initials of a name, of which the whole ones are given."""
    letters = text.upper() if _MIXED.fullmatch(text) else text
    has_more = text.isupper() and len(text) > 2 and text[0] + text[-1] in wholes
    return has_more or any(_begin_parts(letters, whole) for whole in wholes)


def _begin_parts(letters: str, whole: str) -> bool:
    """Return whether two initials or more are the first of a name and some of its others, in
    order."""
    others = iter(whole)
    return len(letters) > 1 and letters[0] == whole[0] and all(c in others for c in letters)


def _are_initials(
    doc: Doc,
    i: int,
    text: str,
    letters: Collection[str],
    stated: Collection[str],
    starts: Collection[int],
) -> bool:
    bare = text.replace(".", "")
    if bare not in letters:
        return False
    if bare in NO_INITIALS and text not in stated:
        return _acts_at_start(doc, i, text)
    if text != bare or text in stated:
        return True
    before, after = doc[i - 1].text if i else "\n", doc[i + 1].text if i + 1 < len(doc) else ""
    opens, ends_line = _begins_line(doc, i), not after or "\n" in after or after[0] in _FIELD_ENDS
    speaks = opens and (after == ":" or ends_line)
    if speaks or (before == "(" and after == ")"):
        return True
    if _acts(doc, i + 1) or (after in ("and", "=") and i + 2 in starts):
        return True
    if after in _BETWEEN_INITIALS and doc[i + 2 : i + 3].text in letters:  # panel: HC, AT
        return True
    if before in _JOINTS and i > 1 and doc[i - 2].text in letters:
        return True
    if ends_line and before in _SENTENCE_ENDS:  # Door left open again. HC
        return True
    if after == ":" and before == "," and i > 1 and doc[i - 2].text[-1].isdigit():
        return True  # Added 6/4, HC: done
    # Actions: **JK
    cues = (doc[k] for k in range(i - 1, max(i - 4, -1), -1) if not doc[k].is_punct)
    cue = next((token.lower_ for token in cues), "")
    return cue.rstrip(".") in _BEFORE_INITIALS


def _acts(doc: Doc, i: int) -> bool:
    """Return whether a token is a verb for what the one before it did, before another word."""
    text = doc[i].text if i < len(doc) else ""
    is_verb = text in _AFTER_INITIALS or (text.endswith("ed") and is_word(text))
    return is_verb and doc[i + 1 : i + 2].text.isalpha()


def _acts_at_start(doc: Doc, i: int, text: str) -> bool:
    """Return whether initials that are an abbreviation, too, open a sentence as who did something:
    AM asked."""
    before = doc[i - 1].text if i else "\n"
    opens = before in _SENTENCE_ENDS or "\n" in before
    return text in _MAY_ACT and opens and _acts(doc, i + 1)


def _begins_line(doc: Doc, i: int) -> bool:
    """Return whether a token begins its line, also behind the time at which someone speaks:
    [00:12] JK: Yes."""
    before = doc[i - 1].text if i else "\n"
    if before.endswith("\n"):
        return True
    if not (before in ("]", ")", "-", "–") or before[-1].isdigit()):
        return False
    line = doc[max(i - LONGEST_TIME, 0) : i].text_with_ws.rpartition("\n")[2]
    return _TIME.fullmatch(line) is not None


def places_of(doc: Doc, parts: dict[str, bool], taken: Collection[int] = ()) -> list[int]:
    """Return the tokens outside of `taken` that mention one of these parts of names."""
    if not parts:
        return []
    sizes = sorted({len(part) for part in parts if len(part) >= MIN_GLUED_LETTERS})

    def may_mention(word: str) -> bool:
        if len(word) < MIN_PART_LETTERS:
            return False
        lower = word.lower()
        return lower in parts or lower.removesuffix("s") in parts or not word.isalpha()

    tokens = tokens_of_words(doc, may_mention)
    return [i for i in tokens if i not in taken and _is_mention(doc, i, parts, sizes)]


def name_parts(doc: Doc, entities: list[Entity]) -> dict[str, bool]:
    """Return the parts of names in lower case, and whether the text has them in lower case."""
    parts: dict[str, bool] = {}
    persons = (doc[first:last] for label, first, last in entities if label == "PERSON")
    for piece in (piece for span in persons for t in span for piece in _pieces_of(t.text)):
        lower = piece.lower()
        if len(piece) >= MIN_PART_LETTERS and lower not in NAME_PARTICLES:
            parts[lower] = parts.get(lower, False) or piece.islower()
            for plain in in_ascii(lower):
                parts.setdefault(plain, False)
    for label, first, last in entities:
        if label == "PERSON" and last - first > 1:
            name = doc[first:last].text
            for spelled in (name, *in_ascii(name.lower())):
                parts |= dict.fromkeys(_user_names(spelled), True)
    return parts


def _pieces_of(token: str) -> list[str]:
    """Return the words of a token of a name; of the name of a file, neither common words nor its
    ending: okwuosa of okwuosa_scan.pdf."""
    if "." not in token or not ("_" in token or token[0] == "."):
        return PIECE.findall(token)
    stem = re.sub(r"\.\w{2,5}\Z", "", token)
    return [piece for piece in PIECE.findall(stem) if not is_word(piece.lower())]


def in_ascii(lower: str) -> set[str]:
    """Return mueller and muller for müller, as in mail addresses."""
    if lower.isascii():
        return set()
    return {without_accents(lower), without_accents(lower.translate(_DIGRAPHS))}


def _user_names(name: str) -> Iterator[str]:
    """Yield jdoe, johndoe and doej for John Doe."""
    found = (piece.lower() for piece in PIECE.findall(name))
    pieces = [piece for piece in found if piece not in NAME_PARTICLES]
    if len(pieces) > 1 and len(pieces[-1]) >= MIN_PART_LETTERS:
        first, last = pieces[0], pieces[-1]
        for glued in (first[0] + last, first + last, last + first[0]):
            if len(glued) > MIN_GLUED_LETTERS and not is_word(glued):
                yield glued


def _is_mention(doc: Doc, i: int, parts: dict[str, bool], sizes: list[int]) -> bool:
    text = doc[i].text
    lower = text.lower()
    if lower not in parts and _is_genitive(text, lower, parts):
        return True
    if lower not in parts:
        pieces = PIECE.findall(text)
        if any(p.lower() in parts and _fits(p, parts, False) for p in pieces):
            return len(text) < MAX_TOKEN_CHARACTERS
        glued = any(mark in text for mark in "@/_.") or (text[0].isalpha() and text[-1].isdigit())
        # Looks up its pieces, since there may be more parts of names than letters.
        pieces_of = (lower[i : i + k] for k in sizes for i in range(len(lower) - k + 1))
        return (
            glued
            and len(text) < MAX_TOKEN_CHARACTERS
            and any(piece in parts for piece in pieces_of)
        )
    if text.islower() and not parts[lower] and _is_adjective_at(doc, i):
        return False
    if lower in ("am", "pm") and i and doc[i - 1].text[-1].isdigit():
        return False  # at 3 PM is no mention of PM, Paul Mann
    if i and doc[i - 1].lower_ in _ARTICLES and text.istitle() and is_word(lower):
        return False  # the Claimant is no mention of Claimant Okoro
    return _fits(text, parts, i == 0 or doc[i - 1].text in ".?!:" or doc[i - 1].is_space)


def _is_genitive(text: str, lower: str, parts: Collection[str]) -> bool:
    """Return whether a word is a name with an s (Habermehls Gewicht, the Smiths)."""
    is_long = len(lower) > MIN_GLUED_LETTERS and lower.endswith("s")
    return is_long and lower[:-1] in parts and text[0].isupper() and not is_word(lower)


def _is_adjective_at(doc: Doc, i: int) -> bool:
    """Return whether a word is an adjective: "Frank was frank", "a frank talk"; but not "this is
    frank", which may introduce Frank."""
    space, row = Space.builtin(), _rows().get(doc[i].text)
    if not i or row is None or space.classes is None:
        return False
    if not int(space.classes[row]) >> space.class_names.index("adjective") & 1:
        return False
    before = doc[i - 1].lower_
    earlier = doc[i - 2].lower_ if i > 1 else ""
    return before in _BEFORE_ADJECTIVES or (before in _BE and earlier not in _INTRODUCING)


def _fits(piece: str, parts: dict[str, bool], starts: bool) -> bool:
    """Return whether a part of a name is a mention: common words have to be capitalised, and the
    commonest (Will, May) must not start a sentence."""
    lower = piece.lower()
    if lower in STOP_WORDS:
        return piece[0].isupper() and not starts
    return piece[0].isupper() or parts[lower] or not is_word(lower)


def is_word(lower: str) -> bool:
    """Return whether a word is more frequent in lower case than as a name."""
    rows = _rows()
    small = rows.get(lower)
    return small is not None and small < rows.get(lower.capitalize(), len(rows))


def frequency_rank(word: str) -> float:
    """Return the rank of an English word by its frequency, from 0; infinity if it has none."""
    return _rows().get(word, inf)


def _is_only_word(lower: str) -> bool:
    """Return whether a common word is no personal name."""
    space, row = Space.builtin(), _rows().get(lower.capitalize())
    if not is_word(lower):
        return False
    if row is None or space.classes is None:
        return True
    bits = int(space.classes[row])
    return not any(bits >> space.class_names.index(n) & 1 for n in ("first_name", "surname"))


@lru_cache(maxsize=1)
def _rows() -> dict[str, int]:
    """Return the row of each word in the built-in space, which is sorted by frequency."""
    return {word: row for row, word in enumerate(Space.builtin().words)}


def _whole_mentions(doc: Doc, entities: list[Entity], taken: set[int]) -> Iterator[Entity]:
    # First word -> number of words -> all words -> label.
    wanted: dict[str, dict[int, dict[tuple[str, ...], str]]] = {}
    for label, first, last in entities:
        lower = doc[first:last].text.lower() if label in AS_A_WHOLE else ""
        if len(lower) > 4 and not all(map(is_word, lower.split())):
            key = tuple(token.lower_ for token in doc[first:last])
            wanted.setdefault(key[0], {}).setdefault(len(key), {}).setdefault(key, label)
            local = lower.partition("@")[0] if label == "EMAIL" else lower.partition("@")[2]
            is_user = len(local) > MIN_GLUED_LETTERS and not is_word(local)
            if is_user and not _is_program(text_of(doc), local):
                wanted.setdefault(local, {}).setdefault(1, {}).setdefault((local,), label)
    if not wanted:
        return
    for i in tokens_of_words(doc, lambda word: word.lower() in wanted):
        by_size = wanted[doc[i].lower_] if i not in taken else {}
        for size in sorted(by_size, reverse=True):
            label_of = by_size[size].get(tuple(token.lower_ for token in doc[i : i + size]))
            if label_of is not None and taken.isdisjoint(range(i, i + size)):
                taken.update(range(i, i + size))
                yield Entity(label_of, i, i + size)
                break


def _is_program(text: str, word: str) -> bool:
    """Return whether a text installs a program that is called by a word, or is about one that its
    first heading names in small letters."""
    if word not in text:
        return False
    named = re.escape(word)
    form = rf"\A#{{1,2}} {named}\s*\n|\b(?:install|add|require|import) (?:-\w+ )*[\"']?{named}\b"
    return re.search(form, text) is not None


def spans_of(doc: Doc, entities: Iterable[Entity]) -> Iterator[Span]:
    """Yield the spans of entities in characters, extended to whole tokens."""
    for label, start, end in entities:
        span = doc.char_span(start, end, label, alignment_mode="expand")
        if span is not None:
            yield span


def add_spans(doc: Doc, entities: Iterable[Entity]) -> None:
    """Add entities of another recogniser, in characters."""
    earlier = doc.spans[SPANS_KEY] if SPANS_KEY in doc.spans else ()
    doc.spans[SPANS_KEY] = [*earlier, *spans_of(doc, entities)]
    doc.set_ents(list(doc.ents), default="outside")  # shows that a recogniser ran


# Doc -> its entities, if these include all their further mentions.
_complete: WeakKeyDictionary[Doc, list[Entity]] = WeakKeyDictionary()


def set_complete(doc: Doc, spans: Iterable[Span]) -> None:
    """Set the entities of a Doc, which include all their further mentions, so that nobody has to
    search these again."""
    doc.ents = tuple(spans)
    _complete[doc] = _named(doc.ents)


def _named(spans: Iterable[Span]) -> list[Entity]:
    return [Entity(plain_label(s.label_), s.start, s.end) for s in spans if len(s)]


def find_entities(
    doc: Doc,
    labels: Collection[str],
    *,
    spans_key: str | None = None,
    again: bool = True,
    names_among: Callable[[list[Entity]], list[Entity]] = list,
) -> list[Entity]:
    """Return the entities whose `plain_label` is among labels, in order and without overlaps.

    These are `doc.ents`, spans of `add_spans` and `doc.spans[spans_key]`, merged; with `again` also
    their further mentions, which may be within other entities. `names_among` drops those that are
    not names.
    """
    groups = (doc.spans[key] for key in (SPANS_KEY, spans_key) if key and key in doc.spans)
    named = _named(chain(doc.ents, *groups))
    wanted = unite(entity for entity in named if entity.label in labels)
    # A part of a name within an entity that is not wanted (Lind Ltd) is a further mention, too.
    asked = sum(entity.label not in NUMBERS for entity in named)
    is_complete = named == _complete.get(doc) and len(wanted) == asked
    further = further_mentions(doc, wanted) if again and not is_complete else []
    return sorted(
        [*wanted, *(names_among(further) if further else ())], key=lambda entity: entity.start
    )
