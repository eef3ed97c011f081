"""Numbers and codes of things, which identify nobody: a model, a part, a fault, a kind of goods.

A code after a word that says whose it is stays somebody's, whatever its form. The code of a thing
may also stand within or behind a name: `extent_of_name` leaves it out.
"""

from __future__ import annotations

import re

from ..text.mentions import is_word
from ..text.tokens import Tokens
from .amounts import count_digits
from .tables import FIRMS, GOODS, LISTED, MAKERS, NAMES, PLACES, expanded, words
from .words import builtin_lexicon, kinds

_RANK_IN_PARTS = re.compile(r"[A-Z]{1,3}/[A-Z]")
ARTICLES = frozenset({"the", "a", "an"})
THINGS = words("NUMBERED_THINGS", "terms")
# Between a thing and its number, and between numbers: Parts No. K70386 and DF6174.
_BEFORE_CODES = frozenset("no no. nos nos. nr nr. number numbers code codes is are # ( :".split())
_BESIDE_CODES = _BEFORE_CODES | frozenset(", - – / and or & then to through".split())
_OWNED = frozenset("a an my your his her our their its".split())
_KEYED = re.compile(expanded("KEYS"))
_OF_SOMEONE = re.compile(rf"{expanded('KEYS')}|{expanded('USER')}|cv[vc]2?")  # Snapchat jsmith92
# Digits between small letters. A disguised name has one at a time: m4ria.
_SMALL_CODE = re.compile(r"[a-z]{1,4}\d{2,4}[a-z]{1,4}", re.A)
_SERIES = re.compile(r"[A-Z]{2,5}")
KINDS = words("KINDS", "terms")
MAX_KIND = 5  # digits of a code of a kind of things
_PLATE = re.compile(r"[A-Z]{2,3}[- ]?\d{2,4}(?:[- ]?[A-Z]{1,3})?|\d{2,4}[- ]?[A-Z]{2,3}")
MAX_LIST = 12  # tokens between a thing and its last number
# A code that is as short as the name of a model, and what says that it is of somebody.
_SHORT_CODE = re.compile(r"(?=[^\d]*(?:\d[^\d]*){1,4}\Z)[A-Z]{0,4}-?\d{1,4}[A-Za-z]{0,2}", re.A)
_VARIANT = re.compile(r"[A-Z]{1,4}-?\d{1,4}-\d{1,4}[A-Z]{0,3}", re.A)  # Airbus A320-214
_MODEL_BEHIND_NAME = re.compile(r"[A-Z]{1,4}-?\d{2,5}[A-Z]{0,2}(?:-[A-Z\d]{1,5})?", re.A)
_MODEL_OF_MAKER = re.compile(r"[A-Z]{1,2}\d{2,3}", re.A)
MAX_SHORT = 3  # digits of a code that is too short for somebody's number
_OWNING = frozenset(
    "bakkie bike bus car drove driver driving jeep lorry matatu moped motorbike motorcycle okada "
    "parked parking plate plates rego sedan suv taxi trailer truck ute van vehicle".split()
)
_ENGINE_FAULT = re.compile(r"[PBCU][0-3][\dA-F]\d[\dA-F]", re.A)
_SHORT_FAULT = re.compile(rf"(?:SC|[EFHU]|Er?|Err)-?\d{{2,3}}|{_ENGINE_FAULT.pattern}", re.A)
_OF_ENGINES = frozenset(
    "airbag alternator cambelt cam camshaft catalyst catalytic cel crank crankshaft dpf dtc dtcs "
    "ecm ecu egr engine exhaust gearbox ignition injector injectors lambda maf misfire misfires "
    "misfiring obd obd2 obdii pcm plugs solenoid swirl tcm throttle timing transmission turbo "
    "turbocharger vvt".split()
)
_BEFORE_ENGINE_FAULTS = frozenset("code codes dtc dtcs error errors fault faults".split())
_OF_FAULTS = frozenset(
    "alarm beeps blinking blinks boiler combi copier dishwasher dryer error errors fault faults "
    "flashes flashing fuser inverter jam jammed lockout mfp photocopier printer thermostat toner "
    "unplug washer".split()
)
_BEHIND_NAME = re.compile(
    r"\d{1,3}[.,]\d{1,2}/\d{1,3}(?:[.,]\d{1,2})?|V(?:oy)?\.?\d{2,4}[A-Z]?", re.A
)
_SMALL_REVISIONS = frozenset({"rev", "rev.", "revision", "issue"})
_BEFORE_REVISION = re.compile(
    r"\d(?:[A-Z]|-[A-Z]{1,2})?[,;)]? \(?[Rr]ev\.? \Z|"
    r"\b(?:drawings?|(?:data ?)?sheets?|specs?|specifications?|schematics?|PCBs?|SOPs?)\b"
    r"[^\n]{0,40} \(?[Rr]ev\.? \Z",
    re.A,
)
BEFORE_REVISION = 12  # tokens, in which the thing stands
_OWNED_BESIDE, KEY_BESIDE = 6, 3  # tokens on each side of a code, and before it


def is_model_code(word: str) -> bool:
    """Return whether a word is a code of capitals and digits, as no part of a name is: the Tilley
    X246B."""
    return _MODEL_BEHIND_NAME.fullmatch(word) is not None


def is_key(lower: str) -> bool:
    """Return whether a word says that the code behind it is of someone."""
    return lower in LISTED["ID_WORD"] or _OF_SOMEONE.fullmatch(lower) is not None


def is_short_code(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a code is as short as that of a model, and no word beside it says that it is
    of somebody: a Kalmar DRG450; not his car, WXY123. One of four digits has an article or stands
    before a noun: an L4701, the L3200 tractor."""
    code = tokens.between(start, end)
    if _SHORT_CODE.fullmatch(code) is None or code.isdigit():
        return False
    ahead = tokens.lowers[max(start - _OWNED_BESIDE, 0) : start]
    if not _OWNING.isdisjoint((*ahead, *tokens.lowers[end : end + _OWNED_BESIDE])):
        return False
    keys = [word.rstrip(".") for word in ahead[-KEY_BESIDE:]]
    if any(map(is_key, keys)):
        return False
    before = tokens.lowers[start - 1] if start else ""
    if before in GOODS or before in FIRMS:
        return _MODEL_OF_MAKER.fullmatch(code) is not None  # Suzuki DF115; not my Yamaha KXR-214
    if count_digits(code) <= MAX_SHORT or before in ARTICLES:
        return True
    after = tokens.texts[end] if end < len(tokens.texts) else ""
    return after.islower() and builtin_lexicon().of(after) == {"noun"}


def is_fault(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a code is that of a fault, which a machine shows: of an engine in a text that
    names a part of one (P0420 of the catalyst), or a short one near a word for faults: the fuser
    stopped with SC542. No word before it says that it is of someone."""
    code = tokens.between(start, end).rstrip(".")
    if _SHORT_FAULT.fullmatch(code) is None:
        return False
    ahead = [word.rstrip(".") for word in tokens.lowers[max(start - KEY_BESIDE, 0) : start]]
    is_keyed = any(is_key(word) and word != "no" for word in ahead) or ahead[-1:] == ["no"]
    if is_keyed or not _OWNING.isdisjoint(ahead[-1:]):
        return False
    if _ENGINE_FAULT.fullmatch(code):
        is_told = not _BEFORE_ENGINE_FAULTS.isdisjoint(tokens.lowers)
        return is_told and not _OF_ENGINES.isdisjoint(tokens.lowers)
    beside = tokens.lowers[max(start - MAX_LIST, 0) : end + MAX_LIST]
    return not _OF_FAULTS.isdisjoint(beside)


def is_of_thing(tokens: Tokens, i: int) -> bool:
    """Return whether a number is that of a thing, or one of several: Part No. 4225393M1, fault
    codes P0420 and U1000."""
    is_keyed = i > 0 and tokens.lowers[i - 1].rstrip(".") in LISTED["ID_WORD"]
    series, dash, _ = tokens.between(i, i + 2).partition("-")
    if _precedes_thing(tokens, i) or (dash and not is_keyed and series.lower() in THINGS):
        return True  # SOP-CH-019
    for j in range(i - 1, max(i - MAX_LIST, 0) - 1, -1):
        lower = tokens.lowers[j]
        if _is_thing(lower):
            return "serial" not in tokens.lowers[max(j - MAX_LIST, 0) : j]
        is_point = lower == "." and tokens.lowers[j - 1] in _BESIDE_CODES
        if not (is_point or _names_series(tokens, j) or _is_beside_codes(lower)):
            return False
    return False


def _is_thing(lower: str) -> bool:
    return lower in THINGS or lower.removesuffix("s") in THINGS


def _names_series(tokens: Tokens, i: int) -> bool:
    """Return whether letters are the series of a thing, right behind it: insert CCMT 09T304. Behind
    the number of a thing they begin another one: firmware 4.2.1, MAC 00:1A:2B:3C:4D:5E."""
    return i > 0 and _is_thing(tokens.lowers[i - 1]) and bool(_SERIES.fullmatch(tokens.texts[i]))


def is_behind_thing(tokens: Tokens, i: int) -> bool:
    """Return whether a number is that of the thing right before it: station 03772, TTL: 86400."""
    j = i - 1
    while j >= 0 and tokens.lowers[j] in _BEFORE_CODES:
        j -= 1
    return j >= 0 and tokens.lowers[j] in THINGS


def is_behind_model(tokens: Tokens, i: int) -> bool:
    """Return whether a number is that of the model whose make or name stands right before it, and
    neither somebody's name nor a place: a Sprinter 4325."""
    before = tokens.texts[i - 1] if i else ""
    if not before.istitle() or before.lower() not in GOODS | MAKERS:
        return False
    return not (kinds(before) & {"FIRST"} or builtin_lexicon().of(before) & (NAMES | PLACES))


def _is_beside_codes(lower: str) -> bool:
    return lower in _BESIDE_CODES or any(map(str.isdigit, lower))


def _precedes_thing(tokens: Tokens, i: int) -> bool:
    """Return whether the word for a thing stands behind its number, or the last of several: P120
    and P240 grit. No word before the numbers says that they are of someone."""
    beside = tokens.lowers[max(i - MAX_LIST, 0) : i]
    words_before = (t for t in reversed(beside) if t != "." and t not in _BESIDE_CODES)
    word = next(words_before, "")
    if word in LISTED["ID_WORD"] or _KEYED.fullmatch(word) or "serial" in beside:
        return False
    end = min(i + MAX_LIST, len(tokens.texts))
    last = next((j for j in range(i + 1, end) if not _is_beside_codes(tokens.lowers[j])), end)
    if last == end or tokens.lowers[last - 1] in _BESIDE_CODES - {")"}:
        return False
    return _is_thing(tokens.lowers[last])


def is_of_kind(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a short code says what kind a thing is: behind its maker (Siemens S7-1500, a
    Hobart A200), or behind the word for it (Form N260). What looks like a plate is of a kind
    behind a maker of things without one: Roland YEP-642."""
    code, before = tokens.between(start, end), _word_before(tokens, start)
    lower = before.lower()
    is_variant = lower in MAKERS and _VARIANT.fullmatch(code) is not None
    if not (0 < count_digits(code) <= MAX_KIND or is_variant) or lower in LISTED["ID_WORD"]:
        return False
    if code[0] == "@" or _OF_SOMEONE.fullmatch(lower):
        return False
    if lower in KINDS:
        return count_digits(code) < MAX_KIND
    if lower in MAKERS or (start > 1 and tokens.lowers[start - 2] in MAKERS):
        return True  # Dell PowerVault ME4024
    if _PLATE.fullmatch(code) or not before[:1].isupper():
        return False
    is_maker = lower in FIRMS or lower in GOODS
    if start > 1 and not is_word(lower):  # Philips IntelliVue MX450
        is_maker |= tokens.lowers[start - 2] in FIRMS | GOODS | MAKERS
    return is_maker or (_is_one_of_many(tokens, start - 1) and not is_word(lower))


def _word_before(tokens: Tokens, i: int) -> str:
    """Return the word before a token, with both parts of a maker with a hyphen: TP-Link AX3000."""
    before = tokens.texts[i - 1] if i else ""
    if i > 2 and tokens.texts[i - 2] == "-" and tokens.between(i - 3, i).lower() in MAKERS:
        return tokens.between(i - 3, i)
    return before


def _is_one_of_many(tokens: Tokens, i: int) -> bool:
    """Return whether an article, an owner or a number makes the name at a place that of things: a
    Hobart A200, your Elna E-350, two Scania R450."""
    before = tokens.lowers[i - 1] if i else ""
    return before in _OWNED or (i > 0 and bool(tokens.doc[i - 1].like_num))


def _is_end_of_rank(tokens: Tokens, start: int) -> bool:
    """Return whether a letter is the last one of a rank with a slash: SR/N Lind."""
    rank = "".join(tokens.texts[start - 2 : start + 1])
    is_joined = not any(tokens.doc[i].whitespace_ for i in (start - 2, start - 1))
    return is_joined and _RANK_IN_PARTS.fullmatch(rank) is not None


def is_revision(tokens: Tokens, i: int) -> bool:
    """Return whether a letter is that of a revision: rev D; drawing 4471-B, Rev. C; the sheet. Rev.
    C is out. Elsewhere Rev. C may be a reverend."""
    if len(tokens.texts[i].rstrip(".")) > 1:
        return False
    if tokens.between(i - 1, i) in _SMALL_REVISIONS:
        return True  # (rev D, p. 7)
    return _BEFORE_REVISION.search(tokens.between_with_blank(i - BEFORE_REVISION, i)) is not None


def extent_of_name(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a name without the codes before it (qw13z Ada Lind), without the letter
    of a number before its hyphen (12-B. Visibility), of a revision (rev F. Ada Lind) or of a rank
    before it (SR/N Lind), and without what is behind it: the code of a model (a Denis Wick 6BL),
    the strength of a drug (Zorvam 2.5/20), the voyage of a ship (V.042).
    """
    while start < end and _SMALL_CODE.fullmatch(tokens.texts[start]):
        start += 1
    if start == end:
        return start, end
    last = tokens.texts[end - 1]
    if end - start > 1 and start > 1:
        if tokens.lowers[start - 1] in ("rev", "revision") and is_revision(tokens, start):
            return _without_letter(tokens, start, end)
        start += _is_end_of_rank(tokens, start)
    if end - start > 1 and last[-1].isalnum() and any(map(str.isdigit, last)):
        is_apart = _BEHIND_NAME.fullmatch(last) is not None or _is_one_of_many(tokens, start)
        return start, end - is_apart
    if start < 2 or tokens.texts[start - 1] != "-":
        return start, end
    doc, number = tokens.doc, tokens.texts[start - 2]
    if len(tokens.texts[start].rstrip(".")) > 1:
        return start, end
    if doc[start - 2].whitespace_ or doc[start - 1].whitespace_ or not number[-1].isdigit():
        return start, end
    return _without_letter(tokens, start, end)


def _without_letter(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a name without its first letter, which alone makes names of words."""
    return (end, end) if all(map(is_word, tokens.lowers[start + 1 : end])) else (start + 1, end)
