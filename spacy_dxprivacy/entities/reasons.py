"""Decide which predictions of the network are entities, and where these end.

One is an entity if no reason holds against it. The modules `usage`, `common_words`, `goods`,
`things`, `chats`, `subjects` and `quantities` register them when they are imported. Add a reason to
one of these, and a test.
"""

from __future__ import annotations

import re

from ..text.mentions import Entity, is_word
from . import chats, quantities, subjects, things, usage  # noqa: F401  register their reasons
from .common_words import is_common_word
from .context import (
    BEFORE_SENTENCES,
    MOST_OPENING,
    OF_ALL,
    OF_WORD,
    SURELY,
    SURER_THAN_OPENING,
    Context,
)
from .decoding import odds
from .goods import is_beside_firm, is_brand_or_firm
from .tables import LISTED, expanded, words
from .terms import FIRM_ENDS, LEGAL
from .titles import is_title_behind
from .words import builtin_lexicon, is_name, is_plain, kinds

# Odds of the network from which a common word in small letters belongs to the name beside it.
SURELY_SMALL = 100.0
_DIVISIONS = frozenset(expanded("DIVISIONS").split("|"))
MAX_DIVISION = 3  # tokens below which a township is a place
_HOMES = frozenset("place house flat home apartment room garage garden shed office".split())
_SHORT_WORDS = words("CHAT")
_INITIALED = re.compile(r"(?:[^\W\d_a-z]\. ?){1,2}[^\W\d_a-z][\w'’-]+")  # L. Birch
_CONTRACTED = re.compile(r"(?<=[a-z])['’](?:ll|d|s|re|ve|m)\Z")
# Whoever does something, in small letters before a name: scaffolder Ada Lind
_AGENT = re.compile(r"[a-z]{3,}(?:[dfgklmnprstvxz]er|[ts]or|m[ae]n|wom[ae]n|ist|hand|smith|wright)")
_HOUR = re.compile(r"(?:0\d|1[0-4]|2[23])[0-5]\d", re.A)


def is_entity(context: Context, entity: Entity) -> bool:
    """Return whether no reason holds against an entity."""
    label, start, end = entity
    reasons = OF_ALL[label] if end - start > 1 else OF_ALL[label] + OF_WORD[label]
    for holds in reasons:  # a generator takes half as long again
        if holds(context, entity):
            return False
    return True


def without_small_ends(context: Context, entity: Entity) -> Entity:
    """Return a name with capitals without common words in small letters at its ends, as in "the
    Dublin region" and "Nyloc nut", unless the network is certain of them; and without a
    common word with a capital behind a legal form (Tarn Ltd Respondent), or one that only opens its
    sentence (Haha Joan). A place has no "Township of" before it."""
    label, start, end = entity
    if label not in SURELY or not any(t[0].isupper() for t in context.bounds.texts[start:end]):
        return entity
    doc, texts = context.doc, context.bounds.texts
    if label != "PERSON" and f"{texts[start]} {context.text(start + 1)}" in _DIVISIONS:
        start += 2
        if end - start < MAX_DIVISION:  # no Town of Tarn Planning Board
            return Entity("GPE", min(start, end), end)

    def is_beside(i: int) -> bool:
        text = texts[i]
        if text.istitle():
            return i > start and texts[i - 1].rstrip(".") in LEGAL and is_common_word(doc, i)
        text = _CONTRACTED.sub("", text)  # somebody'll
        if not (text.islower() and text.isalpha()):
            return False
        is_word_of_text = doc[i].is_stop or is_common_word(doc, i) or text in LISTED["TITLE"]
        is_word_of_text |= len(text) == 1  # w Anna
        is_word_of_text |= is_plain(text) or (context.capitalises_names and is_word(text))
        is_word_of_text |= text in _SHORT_WORDS and not is_name(text)
        return is_word_of_text and odds(context.shares, label, i) <= SURELY_SMALL

    while (is_beside(start) or texts[start] == "the") and doc[start].whitespace_:
        start += 1
    start += label == "PERSON" and _is_agent(context, start, end)
    start += end - start > 1 and _only_opens(context, label, start)
    while doc[end - 2].whitespace_ and is_beside(end - 1):
        end -= 1
    return Entity(label, start, end)


def _is_agent(context: Context, start: int, end: int) -> bool:
    """Return whether a person begins with a word for whoever does something, which no list has, in
    small letters before a name with capitals."""
    text, after = context.text(start), context.text(start + 1)
    if end - start < 2 or _AGENT.fullmatch(text) is None or is_name(text):
        return False
    return after.istitle() and bool(context.doc[start].whitespace_)


def _only_opens(context: Context, label: str, i: int) -> bool:
    """Return whether a word that is in no list of names has the capital of its sentence, before a
    word with one of which the network is far surer."""
    before, text, after = context.text(i - 1), context.text(i), context.text(i + 1)
    if not (text.istitle() and after[:1].isupper() and context.doc[i].whitespace_):
        return False
    opens = not before or before in BEFORE_SENTENCES or (before.isspace() and "\n" in before)
    if not opens or is_name(text):
        return False
    own = odds(context.shares, label, i)
    return own < MOST_OPENING and own * SURER_THAN_OPENING < odds(context.shares, label, i + 1)


def _is_called_again(context: Context, start: int) -> bool:
    """Return whether no list has two words that are taken for a place (from Gwilym Tarrow), and the
    document has the first again, as the given name of a person."""
    words = context.bounds.texts[start : start + 2]
    is_again = context.counts[words[0]] > 1 and context.text(start + 2) != ","
    return is_again and all("UNKNOWN" in kinds(word) for word in words)


def relabel(context: Context, entity: Entity) -> Entity:
    """Return a firm as a person if it is a given name that a rule found, an initial and a family
    name (L. Birch), or the name of a person before a common noun in small letters (said that Bella
    limps, the Singh brothers) or as an owner (Ada's), and a date of four digits as a time if they
    are no year: 0930. Behind a name, a title of respect makes it that of a person (Devaki bhai),
    and so does what is someone's: at Ada's place."""
    label, start, end = entity
    last, before = context.text(end - 1), context.text(end - 2)
    if label in SURELY and end - start == 2 and is_title_behind(last, before):
        return Entity("PERSON", start, end - 1)
    if label == "GPE" and end - start == 2 and _is_called_again(context, start):
        return Entity("PERSON", start, end)
    if label == "ADDRESS" and last in _HOMES and before in ("'s", "’s"):
        return Entity("PERSON", start, end - 2)
    if label == "DATE" and end - start == 1 and _HOUR.fullmatch(context.text(start)):
        return Entity("TIME", start, end)
    if label == "ORG" and _INITIALED.fullmatch(context.text(start, end)):
        return entity if last.lower() in FIRM_ENDS else Entity("PERSON", start, end)
    if label != "ORG" or start not in context.ruled | context.guessed:
        return entity
    if end - start == 2 and last in ("'s", "’s") and "SURE_FIRST" in kinds(context.text(start)):
        return Entity("PERSON", start, start + 1)  # using Ada's Rigol
    noun = context.text(start + 1)
    is_behind = end - start < 3 and context.doc[start].is_title and context.doc[start].whitespace_
    if is_behind and noun.islower() and "noun" in builtin_lexicon().of(noun):
        return Entity("PERSON", start, start + 1)
    is_given = end - start == 1 and "SURE_FIRST" in kinds(context.text(start))
    is_firm = is_brand_or_firm(context.text(start).lower()) or is_beside_firm(context, start, end)
    return Entity("PERSON", start, end) if is_given and not is_firm else entity
