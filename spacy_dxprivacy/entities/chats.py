"""Reasons in the signs and short forms of chats, mails and notes, which name nobody.

Closings of other languages, codes of emoji, channels, colours, and drugs and operations by the
first letters of their names.
"""

from __future__ import annotations

import re

from ..text.mentions import Entity, is_word
from .context import BEFORE_SENTENCES, Context, reason
from .facts import ABBREVIATIONS
from .tables import LISTED, words
from .words import builtin_lexicon, is_name, is_only_ordinary, kinds

MAX_CLOSING = 4  # words of the line of a closing
MIN_CLINICAL = 2  # different abbreviations of a text in which Echo is a test
MIN_PART = 3  # letters of each of two words that are one in the name of a channel
CLOSINGS = words("CLOSINGS")
_MAIL_LABELS = words("MAIL_LABELS")
_PHONES = frozenset("iPhone iPad Android Samsung Galaxy Outlook Gmail Yahoo".split())
_NO_VOWEL = re.compile(r"[A-Z]?[b-df-hj-np-tv-xz]{3,6}")  # krgds
_EMOJI = re.compile(r"[a-z][a-z\d_+-]{1,30}")
_EMOJI_NAMES = words("EMOJI_NAMES", "terms")
_CHANNEL = re.compile(r"(?:mode/)?#([a-z\d]+(?:[-_][a-z\d]+)*)")
_CLINICAL, _CLINICAL_NAMES = words("CLINICAL", "terms"), words("CLINICAL_NAMES", "terms")
_BEFORE_CLINICAL = frozenset(
    "post pre left right l r lt rt iv im po sc oral mg ml mcg stat bd tds od qds prn on off "
    "stopped started restarted continue continued hold held no nil s/p".split()
)
_AFTER_CLINICAL = frozenset(
    "level levels dose doses infusion course trough day days mg iv po im op repair site wound side "
    "precautions protocol pathway".split()
)
_DOSE = re.compile(r"\d[\d.]* ?(?:mg|mcg|g|ml|units?|iu|mmol)(?!\w)", re.I)
_TESTS = frozenset({"Echo", "Trop", "Trops", "Dexa", "Angio", "Neuts", "Bili"})
_COLOURS = frozenset(
    "white black grey gray silver red maroon blue navy green yellow orange brown beige cream gold "
    "purple pink tan teal turquoise violet ivory bronze copper scarlet crimson khaki lilac".split()
)
_AND = frozenset({"&", "and", "/", "+", "'n'", "n"})


@reason("PERSON", "GPE", "ORG")
def is_closing(context: Context, entity: Entity) -> bool:
    """Return whether an entity stands in the line of a closing in another language, above the name
    of who signs: Vennlig hilsen."""
    low, high = entity.start, entity.end
    lowers, texts = context.bounds.lowers, context.bounds.texts
    if CLOSINGS.isdisjoint(lowers[max(low - MAX_CLOSING, 0) : high + MAX_CLOSING]):
        return False
    while low > 0 and "\n" not in texts[low - 1]:
        low -= 1
        if high - low > MAX_CLOSING:
            return False
    while high < len(texts) and "\n" not in texts[high]:
        high += 1
        if high - low > MAX_CLOSING + 1:
            return False
    return not CLOSINGS.isdisjoint(lowers[low:high]) and high < len(texts)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_closing_in_short(context: Context, entity: Entity) -> bool:
    """Return whether a word without vowels, which is no listed name, fills the line above the name
    of who signs (Brgds), or one closes or opens a line or a clause: Ta, Ada; Best, Ada."""
    i, text = entity.start, context.text(entity.start)
    if context.text(i + 1) == "," and ("SIGNOFF" in kinds(text) or text == "Ta"):
        before = context.text(i - 1)
        return not before or "\n" in before or before in BEFORE_SENTENCES
    end = entity.end + (context.text(entity.end) == ",")
    opens = i == 0 or "\n" in context.text(i - 1)
    below = context.text(end + 1)
    if not (opens and context.text(end).count("\n") == 1 and below[:1].isupper()):
        return False
    return _NO_VOWEL.fullmatch(text) is not None and not is_name(text)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_emoji_code(context: Context, entity: Entity) -> bool:
    """Return whether a word stands between two colons without blanks, as the code of an emoji does
    (:partying_face:), and is nobody's name unless it is a known code: :tada:."""
    i = entity.start
    if context.text(i - 1) != ":" or context.text(i + 1) != ":" or i < 1:
        return False
    is_joined = not (context.doc[i - 1].whitespace_ or context.doc[i].whitespace_)
    text, before = context.text(i), context.text(i - 2)
    opens = i < 2 or bool(context.doc[i - 2].whitespace_) or before.isspace() or before == ":"
    if not (is_joined and opens and _EMOJI.fullmatch(text)):
        return False
    return text in _EMOJI_NAMES or not is_name(text)


@reason("PERSON", "GPE", "ORG")
def is_channel(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a channel or a tag of ordinary words: #brewday, #lab-general."""
    text = context.text(entity.start, entity.end)
    if context.text(entity.start - 1) == "#":
        text = f"#{text}"
    match = _CHANNEL.fullmatch(text) if "#" in text else None
    return match is not None and all(map(_is_of_words, re.split("[-_]", match[1])))


def _is_of_words(part: str) -> bool:
    """Return whether a part of a channel is an ordinary word, or two of them, and no name."""
    if part.isdigit() or is_only_ordinary(part):
        return True
    return not is_name(part) and any(
        _is_plain(part[:at]) and _is_plain(part[at:])
        for at in range(MIN_PART, len(part) - MIN_PART + 1)
    )


def _is_plain(part: str) -> bool:
    return is_word(part) and "first_name" not in builtin_lexicon().of(part.capitalize())


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_mail_label(context: Context, entity: Entity) -> bool:
    """Return whether a word is a label of the head of a mail in another language (Betreff: Order),
    or opens a line on what sent it: Skickat från min iPhone."""
    i, texts = entity.start, context.bounds.texts
    if context.bounds.lowers[i] not in _MAIL_LABELS:
        return False
    before = context.text(i - 1)
    opens = not before or "\n" in before or before == ">"
    return context.text(i + 1) == ":" or (opens and not _PHONES.isdisjoint(texts[i : i + 7]))


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_colour_of_two(context: Context, entity: Entity) -> bool:
    """Return whether a word is the first of two colours, of which the second is in small letters,
    or the second: Black & white biscuits."""
    i = entity.start
    before = context.text(i - 1).lower().rstrip(".")
    if context.bounds.lowers[i] not in _COLOURS or before in LISTED["TITLE"]:
        return False
    text, after = context.text(i), context.text(i + 2)
    if context.text(i + 1) in _AND and after in _COLOURS:
        return text.istitle()
    return text.islower() and context.text(i - 1) in _AND and _is_colour(context.text(i - 2))


@reason("PERSON", "GPE", "ORG")
def is_colour_of_thing(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a colour before one word, both in small letters, as of a car: the
    grey corsa. A word for someone before it makes a name of it: mr grey corso."""
    first, last = context.text(entity.start), context.text(entity.end - 1)
    before = context.text(entity.start - 1).lower().rstrip(".")
    is_two = entity.end - entity.start == 2 and first in _COLOURS and last.islower()
    return is_two and before not in LISTED["TITLE"] | LISTED["ROLE"]


def _is_colour(word: str) -> bool:
    return word.lower() in _COLOURS


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_clinical(context: Context, entity: Entity) -> bool:
    """Return whether a word in small letters is a drug, an operation or a test in short: vanc
    level, post hemi. One that is also a name needs a word for it beside it."""
    i, text = entity.start, context.text(entity.start)
    if text in _CLINICAL:
        return True
    if text not in _CLINICAL_NAMES:
        return False
    before, after = context.bounds.lowers[i - 1] if i else "", context.text(i + 1)
    is_dosed = _DOSE.match(context.text(i + 1, i + 3)) is not None
    return before in _BEFORE_CLINICAL or after in _AFTER_CLINICAL or is_dosed


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_test(context: Context, entity: Entity) -> bool:
    """Return whether a word is the short name of a test, which is hardly a name, in a text with
    abbreviations of medicine: Echo today, LVEF 55%."""
    i, text = entity.start, context.text(entity.start)
    after = context.text(entity.end)
    if text not in _TESTS or after.istitle() or context.bounds.lowers[i - 1] in LISTED["TITLE"]:
        return False
    return len(ABBREVIATIONS.intersection(context.counts)) >= MIN_CLINICAL


@reason("ORG", of_word=True)
def is_small_noun(context: Context, entity: Entity) -> bool:
    """Return whether a firm is a noun in small letters, which a family may be called by, for which
    no rule speaks, and of which the network is not sure: the bell is broken."""
    text = context.text(entity.start)
    if not text.islower() or context.is_ruled(entity) or context.whole.islower():
        return False
    return "noun" in builtin_lexicon().of(text) and not context.is_certain("ORG", entity.start)
