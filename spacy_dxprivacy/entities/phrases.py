"""Find entities in the text of a Doc by regular expressions and by the words beside them.

They are addresses, postal codes, organisations, places, names beside a cue, accounts, numbers, and
dates of several words.
data/entities/forms.txt holds the regular expressions; this module decides the cases that depend on
word lists.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import cast

from spacy.lang.en.stop_words import STOP_WORDS
from spacy.tokens import Doc, Span

from ..text.mentions import Entity, is_word
from ..text.tokens import Tokens
from .amounts import are_amounts
from .continued import whole_number
from .diaries import ordinals_of_lines, pointed_days
from .fractions import days_in_series, is_score
from .heads import STATED
from .national import is_surely_national
from .spoken import spoken_numbers_in
from .tables import (
    FOLLOWING,
    LISTED,
    PERSON_WORDS,
    SYSTEM_ACCOUNTS,
    expanded,
    kind_of,
    pattern,
    sections,
    words,
)
from .values import are_values
from .words import (
    ALSO_FIRST,
    builtin_lexicon,
    is_listed,
    is_name,
    is_only_ordinary,
    is_town,
    kinds,
    may_name,
)

# Quick tests: most texts match none of these, and skip the slower searches that require a match.
_NUMBER = re.compile(r"\d{3}|\d\d-\d{3}|\d[A-Z\d]? ?\d[A-Z]", re.IGNORECASE)
_SHORT_CODE = re.compile(r" (?:\d{3} ?\d\d?|\d\d-\d{3})(?!\w)")
_LETTERS_IN_PARTS = re.compile(
    rf"(?!(?i:{expanded('MONTH')}|dob|d/o/b)/)[A-Z]{{1,5}}/(?:[A-Z]{{1,5}}/)?\d{{1,3}}/"
)
# Lines of capitals, as letters, minutes and judgments have at their head.
_CAPITAL_LINE = re.compile(r"^(?=[^a-z\n]{9,120}$)[^\W\d_][^\n]*[^\W\d_][^\n]*$", re.M)
_SMALL_LINKS = re.compile(r"\b(?:And|At|De|For|In|Of|On|The|To)\b")
_IN_CAPITALS, _OF_THE = frozenset({"noun", "head", "wares", "shop"}), re.compile(r" of the ")
_SMALL_FIRM = re.compile(r"\b(?:inc|llc|ltd|gmbh)\b")
_COMPACT_DAY = re.compile(r"(?:19|20)\d\d[01]\d[0-3]\d", re.ASCII)
BEFORE_CODE = 40  # characters before a number, in which a word for a code is sought
BEFORE_DAY = 32  # characters before an ordinal that show whether it is a day
MAX_UNITS = 80  # characters before a street, in which its units are sought
_JOINS = frozenset("de del di da do la le el upon am an sur der den nad pod".split())
_KOREAN, _SYLLABLES = words("KOREAN"), words("KOREAN_SYLLABLES")
_BODIES = words("INSTITUTIONS", "terms")
# The network is never surer than these.
_SURE_CUES = frozenset(
    "sender officer passenger shown short holm family mixed ah nurse bedded kindred ranked "
    "says".split()
)
_SERVICES = (" FM", " Discord", " Slack", " WhatsApp", " Telegram", " Facebook")
_PLANS = ("Strata", "STRATA", " Corporat", "Sectional", "Unit Plan", "Units Plan")
_LETTERS = re.compile(r"[^\W\d_]+")
_TITLED = re.compile(r"\b(?:M[rsx]|Mrs|Miss|Dr|Prof|Sir)\b")
_LISTED_HEAD = re.compile(r"[A-Z]\. [^\W\d_]+")  # D. Catering, as a part of minutes is called
_CALLED = re.compile(r",\s(?:Mrs?|Ms|Miss)\b")  # a person behind a comma
_DATED = re.compile(rf"\d{{1,2}} (?i:{expanded('MONTH')})\. (?:Dr|St)\b")
# Order 42 Rule 6, Act 4670 Section 13
_NUMBERED = re.compile(
    r"\d{1,3} ([^\W\d_]+) \d{1,3}|"
    r"\d{1,5} (?:[Ss]ections?|[Aa]rticles?|[Rr]ules?|Clauses?|Regs?) \d{1,3}"
)
# What opens a clause before the name of a street, of three words at least with it.
_OPENING = re.compile(r"([A-Z][a-z]{1,12})[ ]{1,3}(?=[A-Z][\w'’-]+[ ]+[A-Z])")
_CLAUSE_END = re.compile(r"(?:\A|[\n\t]|[.!?:;][ ]|[-–—][ ]|[*>][ ])[ (\"']{0,2}\Z")
_OPEN_STREETS = frozenset("preposition possessive auxiliary interjection conjunction".split())
_ON_THE_WAY = frozenset(
    "leaving passing crossing approaching entering heading walking driving cycling running "
    "parking closing using watching avoiding visiting clearing resurfacing meet take try avoid see "
    "ok".split()
)
STREET_WORDS = frozenset(f"{expanded('STRONG')}|{expanded('WEAK')}".lower().split("|"))
_FOREIGN_STREETS = frozenset("".join(sections("forms")["FOREIGN"]).split("|"))
_WORD_TOWNS = re.compile(expanded("WORD_TOWNS"))
_PIECE_END = re.compile(r"[\"'”;,|)\]]|[ \t]*(?:\n|\Z)|[ \t]*\||\.(?:\s|\Z)|,?[ ]\w{2,4}[ ]?\d")
_LINE_OF_ADDRESS = re.compile(r"[ \t*]*(?:\n|\Z|,|\d)|[ \t]{1,3}[A-Z]{1,2}\d|\.?[ \t]*\n")
_RANKS = frozenset({"1st", "2nd", "3rd"})
_COUNTED = frozenset({"lane", "way"}.union(*(FOLLOWING[n] for n in ("UNIT", "TIME_UNIT"))))
_STROKES = {"／": "/", "－": "-", "．": ".", "：": ":", "，": ","}
_FOREIGN = re.compile(rf"[^\D0-9]|[{''.join(_STROKES)}]")


def plain_text(text: str) -> str:
    """Return a text with the digits and punctuation marks of other scripts in ASCII."""
    if text.isascii():
        return text
    return _FOREIGN.sub(lambda m: _STROKES.get(m[0]) or str(unicodedata.digit(m[0])), text)


def match_phrases(tokens: Tokens, named: set[Entity]) -> set[Entity]:
    """Return entities; a partly covered token belongs to its phrase. named: values that a label
    names, which are among them."""
    doc, text = tokens.doc, plain_text(tokens.text)
    phrases = {in_tokens(doc, *phrase) for phrase in _phrases(text)} | named
    numbers = {in_tokens(doc, *number) for number in numbers_in(text)}
    # A number with the key of an account is neither a telephone number nor a postal code.
    accounts = [phrase for phrase in phrases if phrase.label == "ID"]
    others = {a._replace(label=label) for a in accounts for label in ("PHONE", "ADDRESS")}
    # nor is one with letters before its strokes a month: AB/03/1984
    others |= {
        account._replace(label="DATE")
        for account in accounts
        if _LETTERS_IN_PARTS.match(doc[account.start : account.end].text)
    }
    return (phrases | numbers) - others


def numbers_in(text: str) -> Iterator[Entity]:
    """Yield numbers that their form identifies, in characters."""
    named = [*stamps_in(text)]
    yield from (stamp for stamp, _ in named)
    for match in pattern("NUMBER_FORM").finditer(text):
        label = kind_of(match)
        if any(start <= match.start() and match.end() <= end for _, (start, end) in named):
            continue
        if label == "PHONE" and (are_amounts(text, *match.span()) or _is_timed(text, match.end())):
            continue
        is_id = label == "CODE" or (label == "PHONE" and is_surely_national(match[0]))
        yield _whole(text, "ID" if is_id else label, *match.span())


def _is_timed(text: str, end: int) -> bool:
    """Return whether digits go on with a colon, as those of a time of day do, and those of a
    telephone never: Nov 01 2024 12:58."""
    return text[end : end + 1] == ":" and text[end + 1 : end + 2].isdigit()


def _whole(text: str, label: str, start: int, end: int) -> Entity:
    """Return an entity, with what continues its number if it is one of someone."""
    if label in ("ID", "PHONE"):
        start, end = whole_number(text, label, start, end)
    return Entity(label, start, end)


def stamps_in(text: str) -> Iterator[tuple[Entity, tuple[int, int]]]:
    """Yield each day without marks between its numbers (20230314_235012), in characters, and the
    span of the file or the key that it names. Behind a word for a code it is none."""
    if _COMPACT_DAY.search(text) is None:
        return
    for match in pattern("STAMPED").finditer(text):
        span = match.span("stamp") if match["stamp"] else match.span("keyed")
        is_bare = match["stamp"] is not None and match.span() == span and match["end"] is None
        before = text[max(span[0] - BEFORE_CODE, 0) : span[0]]
        if not (is_bare and pattern("BEFORE_CODE").search(before)):
            yield Entity("DATE", *span), match.span()


def in_tokens(doc: Doc, label: str, start: int, end: int) -> Entity:
    """Return the entity in tokens for a span in characters."""
    # With "expand", char_span never returns None.
    span = cast(Span, doc.char_span(start, end, alignment_mode="expand"))
    return Entity(label, span.start, span.end)


def _phrases(text: str) -> Iterator[Entity]:
    """Yield entities in characters."""
    yield from (Entity("ADDRESS", *span) for span in addresses(text))
    yield from (Entity("ORG", *span) for span in _organisations(text))
    yield from (Entity("GPE", *span) for span in _places(text))
    cued = filter(_is_cued, pattern("CUED_NAME").finditer(text))
    for match in cued:
        label = "CUED" if kind_of(match) in _SURE_CUES else "PERSON"
        yield Entity(label, _behind_title(match), match.end())
    lower = _in_lower_case(text)
    yield from field_codes(text)
    yield from identifiers_in(text)
    yield from spoken_numbers_in(text, "en")
    yield from _dates(text, lower)


def _dates(text: str, lower: str) -> Iterator[Entity]:
    """Yield dates and times by their form and the words beside them, and the days of a series."""
    days = list[tuple[int, int]]()
    has_words = "ninet" in lower or "hundred" in lower
    ages = pattern("AGE_IN_WORDS").finditer(lower) if has_words or "how old" in lower else ()
    for match in (*pattern("DATE_PHRASE").finditer(lower), *ages):
        start = match.start()
        if lower[start].isdigit() and pattern("AFTER_MONTH").search(
            lower, max(start - 12, 0), start
        ):
            continue  # the day belongs to the month before it: "March 5 and 14 April"
        span = match.span(str(match.lastgroup))
        if not is_score(lower, *span):
            days.append(span)
            yield Entity(kind_of(match), *span)
    alone = [*_days_alone(lower)]
    yield from (Entity("DATE", *span) for span in alone)
    yield from (Entity("DATE", *span) for span in days_in_series(text, lower, days + alone))
    yield from (Entity("DATE", *span) for span in pointed_days(text, lower))
    yield from (Entity("DATE", *span) for span in ordinals_of_lines(lower))


def _days_alone(lower: str) -> Iterator[tuple[int, int]]:
    """Yield the days of no month that a word before them dates, with nothing behind them that they
    could count: home 24th if well, by the 4th, just the 20th. Behind some words, 1st, 2nd and 3rd
    are ranks. The clause of another word may begin behind a day that is surely one."""
    for match in pattern("DAY_ALONE").finditer(lower):
        start = match.start()
        before = pattern("BEFORE_DAY_ALONE").search(lower, max(start - BEFORE_DAY, 0), start)
        if match["part"]:
            is_day = before is not None or lower.endswith("the ", 0, start)
        elif before and before["only"]:
            is_day = match["day"] not in _RANKS
        elif before and match["clause"]:
            is_day = before["surely"] is not None
        else:
            is_day = before is not None and not (before["may_rank"] and match["day"] in _RANKS)
        if is_day:
            yield match.span()


def identifiers_in(text: str) -> Iterator[Entity]:
    """Yield plates, references, numbers of persons and ages whose form identifies them."""
    for match in pattern("IDENTIFIER").finditer(text):
        named = match["who"] or match["named"]
        is_aircraft = not is_word((match["craft"] or "").lower())  # G-ABCD, and no C-section
        if (named is None or is_name(named)) and is_aircraft and not are_values(match[0]):
            yield _whole(text, kind_of(match), *match.span(str(match.lastgroup)))


def field_codes(text: str) -> Iterator[Entity]:
    """Yield codes beside the key of a field, in characters."""
    for match in pattern("FIELD_CODE").finditer(_in_lower_case(text)):
        if match[match.lastindex or 0] not in SYSTEM_ACCOUNTS:
            yield _whole(text, "ID", *match.span(match.lastindex or 0))


def _in_lower_case(text: str) -> str:
    """Return a text in lower case: a search in it is twice as fast as one that ignores case.
    Letters whose lower case has two characters stay, so that offsets do not change."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower


# -- addresses ---------------------------------------------------------------------------------


def addresses(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of addresses. An address is a core (a street with a number or a street word,
    a box, a postal code) and the units, towns, states, countries and codes that follow it."""
    for match in pattern("TOWNS").finditer(text) if _SHORT_CODE.search(text) else ():
        # A short postal code counts only after a word that must be a town.
        town = (match["town"] or match["place"]).split()
        written = town[0][0].isupper() or not _JOINS.isdisjoint(town)
        if match["null"] or (any(map(_is_new, town)) and (written or text.islower())):
            yield match.span("code" if match["code"] else "number")
    if _NUMBER.search(text):
        for match in pattern("POSTAL_CODE").finditer(text):
            yield match.span(match.lastindex or 0)
    place = 0
    while core := pattern("ADDRESS").search(text, place):
        start, end = core.start(), _extend(text, core)
        # not over the cells of a row
        has_columns = "\t" in core[0] or core[0].count("  ") > 1
        if not (has_columns or counts_things(core[0]) or _is_of_common_words(core[0])):
            units = pattern("LEADING_UNITS").search(text, max(start - MAX_UNITS, place), start)
            if units is not None and units.start() < start:
                yield units.start(), end
            else:
                yield start + _length_of_opening(text, core), end
        place = max(end, start + 1)


def _extend(text: str, core: re.Match[str]) -> int:
    """Return the end of an address: after the last piece that certainly belongs to it, or after a
    town without common words and personal names."""
    end = firm = core.end()
    pieces, unit = 0, pattern("UNIT").fullmatch(core[0]) is not None
    weak = False  # whether a piece after the last certain one may be something else
    while pieces < 9 and (piece := pattern("PIECE").match(text, end)):
        kind, broken = kind_of(piece), piece["gap"].strip(" \t") != ""
        if not broken and (
            kind in ("lower", "small") or (kind == "town" and text[end - 1] in ".?!")
        ):
            break
        if kind == "lower" and not _may_be_town(piece[0].lower()):
            break  # since June 2017
        if kind == "town" and any("MONTH" in kinds(word) for word in piece[0].split()[1:]):
            break  # Fern Street Choir, Recorded June 3, 2017
        if _CALLED.match(piece[0]) or _opens_sentence(text, piece):
            break  # 2 Fish Lane, Mrs Lind has
        end, pieces = piece.end(), pieces + 1
        if kind in ("unit", "code", "land", "small") or (kind == "state" and broken):
            firm, weak = end, False
        elif kind == "town" and not weak and (unit or _is_town_piece(text, piece)):
            firm = end
        else:
            weak = True
        unit = kind == "unit" and not broken  # a town may follow the unit on the same line
    return firm


def _opens_sentence(text: str, piece: re.Match[str]) -> bool:
    """Return whether what stands below a blank line goes on with words, so that it is no line of
    the address: PS Ada came."""
    is_below = piece[0][: -len(piece[0].lstrip()) or None].count("\n") > 1
    return is_below and _LINE_OF_ADDRESS.match(text, piece.end()) is None


def _is_town_piece(text: str, piece: re.Match[str]) -> bool:
    """Return whether words behind a street are a town: neither common ones nor personal names, a
    district of a city (Dublin 4), or one of the towns that are called by common words, before the
    end of a line, a cell or a clause: 9 Fish Row, Deal."""
    is_district = pattern("DISTRICT").search(piece[0]) is not None
    if is_district or not any(map(_is_plain, piece[0].split())):
        return True
    is_listed_town = _WORD_TOWNS.fullmatch(piece[0].strip(", \t\n")) is not None
    return is_listed_town and _PIECE_END.match(text, piece.end()) is not None


def counts_things(core: str) -> bool:
    """Return whether an address, or its core, counts things or a distance, or is a day: Order 42
    Rule 6, 10 minutes down the road, a 4 lane road, 22 green. 4 the lane is an address."""
    if _CALLED.search(core) or _DATED.match(core):
        return True  # June 30, Miss Ada Green; on 2 Dec. Dr Lind came
    numbered = _NUMBERED.fullmatch(core)
    if numbered is not None:
        named = numbered[1] or ""
        return not named or not (_is_new(named) or named.lower() in STREET_WORDS)
    if not core.islower() or not core[0].isdigit():
        return False
    *named, last = _LETTERS.findall(core)
    if named == ["the"]:
        return False
    if core[-1].isdigit():  # 1500 ml over 24, between 0400 and 0600
        named.append(last)
    if not named:  # 3 amber, 22 green; the 3300 block
        return "adjective" in builtin_lexicon().of(last)
    return not STOP_WORDS.isdisjoint(named) or not _COUNTED.isdisjoint(named[:1])


def _length_of_opening(text: str, core: re.Match[str]) -> int:
    """Return the length of a word that opens a clause before a street without a number, and is a
    preposition, an answer or the like: Near Acacia Road; Leaving Acacia Road. All Saints Road and
    Under Lane begin with theirs."""
    opening = _OPENING.match(core[0])
    if opening is None or _CLAUSE_END.search(text, max(core.start() - 4, 0), core.start()) is None:
        return 0
    word = opening[1].lower()
    opens = word in _ON_THE_WAY or not _OPEN_STREETS.isdisjoint(builtin_lexicon().of(word))
    return opening.end() if opens and not is_name(opening[1]) else 0


def _is_of_common_words(core: str) -> bool:
    """Return whether a core without a number has a foreign word for a street that is one of English
    too, before common words: Via Zoom, Place Orders."""
    first, *rest = core.split()
    if first not in _FOREIGN_STREETS or any(map(str.isdigit, core)):
        return False
    return bool(rest) and all(map(_is_common, (first, *rest)))


def _is_common(word: str) -> bool:
    """Return whether a word is one of English, and neither a name nor a town."""
    return is_word(word.lower()) and not (is_town(word.capitalize()) or is_name(word))


def _may_be_town(lower: str) -> bool:
    """Return whether words in small letters may be a town: no function words, not all common."""
    named = _LETTERS.findall(lower)
    return STOP_WORDS.isdisjoint(named) and not all(map(is_word, named))


# -- organisations, places, names --------------------------------------------------------------


def _organisations(text: str) -> Iterator[tuple[int, int]]:
    """Yield organisations. If a first name begins a match, words outside it are no evidence."""
    for match in _firms(text):
        first = match[0].split()[0].strip(",")
        person = builtin_lexicon().is_first_name(first) or first.lower() in LISTED["TITLE"]
        if kind_of(match) == "wares" and _TITLED.search(match[0]):
            continue  # Pay Ms Ada Lind Music
        if _LISTED_HEAD.fullmatch(match[0]):
            continue
        if not (person and kind_of(match) in ("cue", "after")):
            start = _behind_person(text, match)
            start += match[0].rfind("\t", start - match.start()) + 1  # the cell before it
            if " " in text[start : match.end()] or "\t" not in match[0]:
                yield start, match.end()
    if any(service in text for service in _SERVICES):
        yield from (match.span() for match in pattern("FIRM_OF_SERVICE").finditer(text))
    for line in _CAPITAL_LINE.finditer(text):
        yield from _in_capitals(line)
    if _SMALL_FIRM.search(text):
        yield from (match.span() for match in pattern("SMALL_FIRM").finditer(text))


def _firms(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of firms; most lines have no sign of one, and are searched for few forms.
    No firm goes over the end of a line."""
    at = 0
    for sign in pattern("FIRM_SIGN").finditer(text):
        if sign.start() >= at:
            start = max(text.rfind("\n", at, sign.start()) + 1, at)
            yield from pattern("FIRM_WITHOUT_SIGN").finditer(text, at, start)
            end = text.find("\n", sign.end())
            at = len(text) if end < 0 else end
            yield from pattern("FIRM").finditer(text, start, at)
    yield from pattern("FIRM_WITHOUT_SIGN").finditer(text, at)


def _in_capitals(line: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the organisations in a line of capitals, also behind those of which they are a part:
    COMMITTEE OF THE COLLEGE OF NURSES OF THARN."""
    titled = _SMALL_LINKS.sub(lambda link: link[0].lower(), line[0].title())
    if len(titled) != len(line[0]):
        return
    for at in (0, *(link.end() for link in _OF_THE.finditer(titled))):
        for match in pattern("FIRM").finditer(titled, at):
            if kind_of(match) in _IN_CAPITALS:
                yield line.start() + match.start(), line.start() + match.end()


def _behind_person(text: str, match: re.Match[str]) -> int:
    """Return the start of an organisation without the person before "of": Ms Nafula of Savanna
    Trust Bank."""
    before = text[max(match.start() - 12, 0) : match.start()].split()
    name, of, _ = match[0].partition(" of ")
    is_called = bool(before) and before[-1].lower().rstrip(".") in LISTED["TITLE"]
    return match.start() + (len(name + of) if of and is_called else 0)


def stated_in(text: str) -> Iterator[Entity]:
    """Yield the towns that are called by ordinary words, the places of townships and counties, the
    firms of signatures and the owners of a building, with the labels of STATED: the network takes
    them for none (Red Bluff, The Limes, the County of Wake). A body of a town or a township is a
    firm: Red Bluff Library, Town of Tarn Planning Board."""
    for match in pattern("SIGNATURE").finditer(text) if " | " in text else ():
        yield Entity(STATED["ORG"], *match.span("firm"))
    for match in pattern("SIGNATURE_ABOVE_ADDRESS").finditer(text):
        if not PERSON_WORDS.isdisjoint(match["post"].lower().split()):
            yield Entity(STATED["ORG"], *match.span("firm"))
    for match in pattern("LISTED_TOWN").finditer(text):
        yield Entity(STATED["ORG" if match["body"] else "GPE"], *match.span())
    houses = pattern("HOUSES").finditer(text) if "The " in text else ()
    yield from (Entity(STATED["ORG"], *match.span()) for match in houses)
    is_divided = " of " in text or " OF " in text
    for match in pattern("DIVIDED").finditer(text) if is_divided else ():
        if match[0].split()[-1].lower() not in _BODIES:
            yield Entity(STATED["GPE"], *match.span())
    if any(word in text for word in _PLANS):
        yield from (Entity(STATED["ORG"], *m.span()) for m in pattern("OWNERS").finditer(text))


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield countries, and capitalised words in the context of a place, but neither abbreviations
    nor common words in the capitals of a heading."""
    for match in pattern("COUNTRY" if text.islower() else "PLACE").finditer(text):
        named = re.sub(r"[()]", " ", match[0]).split()
        is_new = any(len(word) > 3 and _is_new(word) for word in named)
        if kind_of(match) == "numbered" and is_word(named[-2].lower()) and not is_new:
            continue  # at Level 2
        if is_new or kind_of(match) not in ("shouted", "going"):
            yield match.span()


def _is_cued(match: re.Match[str]) -> bool:
    """Return whether the words beside a cue are a name."""
    kind = kind_of(match)
    if kind == "parted":
        # A surname beside two syllables that no list holds; the second may be a listed word beside
        # the most common Korean surnames.
        first_name, family = match["two"] or match["second"], match["after"] or match["ahead"]
        first_listed, second_listed = (
            half.lower() in builtin_lexicon().rank for half in first_name.split("-")
        )
        return (
            is_name(family)
            and not first_listed
            and (not second_listed or family.capitalize() in _KOREAN)
        )
    if kind == "syllables":
        first, _, second = match[0].lower().partition("-")
        return first != second and {first, second} <= _SYLLABLES
    if kind == "inverted":
        first_name = match["given"].capitalize()
        named = "first_name" in builtin_lexicon().of(first_name) or first_name in ALSO_FIRST
        family = match[0].partition(",")[0]
        is_closing = not kinds(family).isdisjoint({"SIGNOFF", "GREETING"})  # Best, Ada
        if is_closing or family == "Ta" or "SURE_MONTH" in kinds(first_name):
            return False
        return named and (is_name(family) or not is_word(family.lower()))
    if kind in ("sender", "officer", "shown"):  # Arrived 07:43; Finance Committee (chair)
        return any(map(may_name, match[0].split()))
    if kind in ("nurse", "says"):
        return is_listed(match[0]) and not kinds(match[0]) & {"WEEKDAY", "SURE_MONTH"}
    if kind in ("bedded", "kindred", "ranked"):
        return _is_family(match[0].split()[kind == "ranked"])
    if kind in ("holm", "short"):  # Will o' the wisp; Md. Code
        word = match[0].split()[kind == "short"]
        return is_listed(word) if kind == "holm" else may_name(word)
    return kind != "verb" or is_name(match[0])


def _is_family(word: str) -> bool:
    """Return whether a word may be a family name, and none of a language, a people or a town, nor
    a common one: bed 4 Empty, the Welsh girls, the Leeds lads."""
    is_other = not builtin_lexicon().of(word).isdisjoint({"language", "nationality", "city"})
    return not (is_other or is_word(word.lower()) or "WEEKDAY" in kinds(word))


def _behind_title(match: re.Match[str]) -> int:
    """Return the start of a name without the title or role before it (Coach Mick), or the verb
    before a full one: Pay Clive Lind."""
    first, _, rest = match[0].partition(" ")
    is_title = rest and first.lower().rstrip(".") in LISTED["TITLE"] | LISTED["ROLE"]
    is_verb = " " in rest and is_only_ordinary(first) and is_listed(rest.split()[0])
    return match.end() - len(rest) if is_title or is_verb else match.start()


def _is_plain(word: str) -> bool:
    """Return whether a word is a common word or a personal name, and not a city."""
    word = word.strip(",.()\n")
    in_table = word.lower() in builtin_lexicon().rank
    return is_name(word) or (in_table and "city" not in builtin_lexicon().of(word.capitalize()))


def _is_new(word: str) -> bool:
    """Return whether a word is a city, or is pronounceable and in no list."""
    lexicon, lower = builtin_lexicon(), word.lower()
    if "city" in lexicon.of(word.capitalize()) and (len(word) > 4 or not word.isupper()):
        return True
    spoken = any(c in "aeiouyáéíóúäöüåøæ" for c in lower) or not word.isascii()
    return spoken and lower not in lexicon.rank and word not in lexicon.rank and len(word) > 4
