"""Reasons in the words of a name: these are common ones, of headings, departments and committees.

Neither their capitals nor their form make a name of such words, unless the network is sure.
"""

from __future__ import annotations

import re
from itertools import takewhile

from spacy.tokens import Doc, Span, Token

from ..text.mentions import Entity, is_word
from .capitals import is_listed, is_only_first_name, is_placed_as_name
from .context import BEFORE_SENTENCES, MOST_OPENING, SURELY, SURELY_BODY, Context, reason
from .decoding import odds
from .tables import LISTED, PLACES
from .terms import FIRM_ENDS, INSTITUTIONS, LEGAL, TRADES, is_rather_common, is_specialty
from .words import (
    ALSO_FIRST,
    builtin_lexicon,
    is_name,
    is_only_ordinary,
    is_ordinary,
    is_plain,
    is_plural,
    kinds,
)

SURELY_PLAIN = 10.0  # as many times surer the network must be of common words with capitals
# Odds of the network from which a common word behind a name is part of it (Victoria Sponge), and
# from which a word in a heading whose words have capitals is a name.
SURELY_LAST, SURELY_TITLE = 2.0, 30.0
MAX_CLAUSE = 16  # tokens on each side of a word that show whether it stands in a heading
_JOIN_DEEDS, _CHATTING = frozenset({"&", "and", "n", "+"}), frozenset({"natter", "gossip"})
_LINKS = frozenset("of for and the on to in".split())
_PUBLIC_BODIES = frozenset(
    "authority board bureau commission committee constabulary council court courts department "
    "directorate inspectorate ministry ombudsman prosecution registry secretariat treasury "
    "tribunal".split()
)
_CALLING = LISTED["TITLE"] | LISTED["GREETING"] | {"thanks", "cheers", "you"}
_HALLS = frozenset(
    "canteen centre center gym hall hut kitchen library office pavilion room".split()
)
_HEAD_LETTER = re.compile(r"[B-Y]\.")
_ENDS = frozenset({"'s", "’s"})
_CLASS = re.compile(r"[PY]\d{1,2}", re.A)
_CLAUSE_ENDS = frozenset(". ! ? : ; |".split())


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_opening(context: Context, entity: Entity) -> bool:
    """Return whether a common word begins a sentence and a mark follows ("Splendid."), or is in
    capitals there; not one that is alone on its line, as a signature is."""
    i = entity.start
    text, before, after = context.text(i), context.text(i - 1), context.text(i + 1)
    if before and not (before.isspace() or before in BEFORE_SENTENCES):
        return False
    if after and not (text.isupper() or context.doc[i + 1].is_punct):
        return False
    fills_line = (not before or before.isspace()) and (not after or after.isspace())
    return (text.isupper() or not fills_line) and is_common_word(context.doc, i)


@reason("GPE", "ORG")
def opens_phrase(context: Context, entity: Entity) -> bool:
    """Return whether a common word begins a sentence, and words in small letters follow within the
    entity, of which the last may be a place elsewhere, or one behind an adjective: Lower strand."""
    _, start, end = entity
    before, first = context.text(start - 1), context.text(start)
    opens = not before or before.isspace() or before in BEFORE_SENTENCES
    if not (opens and first.istitle() and is_only_ordinary(first)):
        return False
    rest = context.bounds.texts[start + 1 : end]
    if not rest and "adjective" in builtin_lexicon().of(first.lower()):
        rest = [context.text(end)]
    return bool(rest) and all(text.islower() and is_word(text) for text in rest)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_in_title(context: Context, entity: Entity) -> bool:
    """Return whether a word has only the capital of its heading (Stock and Dowel Sizes), where
    neither a rule nor a guess finds it, nobody is called so, and the network is not sure."""
    label, i, _ = entity
    if i in context.ruled or i in context.guessed or not context.doc[i].is_title:
        return False
    if context.text(i - 1).lower() in _CALLING:
        return False
    if odds(context.shares, label, i) > SURELY_TITLE:
        return False
    beside = [t for t in clause_around(context.doc, i) if t.is_alpha and not t.is_stop]
    capitals = sum(t.is_title and is_word(t.lower_) and not is_name(t.text) for t in beside)
    small = sum(t.is_lower for t in beside)
    return capitals > small and (capitals > 1 or not small)


@reason("PERSON", "GPE", "ORG")
def is_lettered_head(context: Context, entity: Entity) -> bool:
    """Return whether a letter and common words are the heading of a part, where another part has
    the letter before or behind it: D. Staffing."""
    _, start, end = entity
    letter = context.text(start)
    if not _HEAD_LETTER.fullmatch(letter) or not (start == 0 or "\n" in context.text(start - 1)):
        return False
    if not all(map(is_only_ordinary, _words_of(context, Entity("", start + 1, end)))):
        return False
    beside = f"[{chr(ord(letter[0]) - 1)}{chr(ord(letter[0]) + 1)}]"
    return re.search(rf"^{beside}\. [^\W\d_]", context.whole, re.M) is not None


def clause_around(doc: Doc, i: int) -> list[Token]:
    """Return the tokens beside the i-th one, as far as the next mark that ends a clause."""
    before = takewhile(_is_within, reversed(doc[max(i - MAX_CLAUSE, 0) : i]))
    after = takewhile(_is_within, doc[i + 1 : i + MAX_CLAUSE])
    return [*before, *after]


def _is_within(token: Token) -> bool:
    return not (token.text in _CLAUSE_ENDS or (token.is_space and "\n" in token.text))


@reason("ORG", "GPE")
def is_common_room(context: Context, entity: Entity) -> bool:
    """Return whether an article and common words name a room or a house that each place has: in the
    Parish Hall. A part of a name before it, or a rare word, makes it one of a kind."""
    _, start, end = entity
    if context.bounds.lowers[end - 1] not in _HALLS or end - start > 3:
        return False
    is_described = end - start > 1 and context.text(start - 1) in ("the", "our", "a", ":")
    return is_described and are_common(context.doc[start:end], "ORG")


@reason("PERSON", "GPE", "ORG")
def is_common(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of common words (Tax Clinic, Ward 7, 2 Garages), for which
    neither a rule nor the network alone speaks."""
    label, start, end = entity
    ends = {context.bounds.lowers[start], context.bounds.lowers[end - 1]}
    is_body = label == "ORG" and not ends.isdisjoint(INSTITUTIONS)
    if is_public_body(context, entity):
        return True
    limit = SURELY_BODY if is_body else SURELY[label]
    goes_on = end in context.ruled and end - 1 in context.ruled  # Tribunal Member R Sandhu
    if context.is_ruled(entity) and not goes_on:
        return _is_department(context, entity)
    if any(odds(context.shares, label, i) > limit for i in range(start, end)):
        return False
    return are_common(context.doc[start:end], label)


@reason("ORG", of_word=True)
def is_ordinary_word(context: Context, entity: Entity) -> bool:
    """Return whether a firm is one ordinary word, even a rare one, for which no rule speaks and of
    which the network is not sure: Demurrage runs at, | Windstorm |."""
    text = context.text(entity.start)
    if context.is_ruled(entity) or not is_ordinary(text.lower()) or is_name(text):
        return False
    return odds(context.shares, "ORG", entity.start) <= SURELY["ORG"]


@reason("PERSON", "ORG")
def is_activity(context: Context, entity: Entity) -> bool:
    """Return whether two verbs are what a club does together: Stitch & Chat, Stay and Play."""
    _, start, end = entity
    texts = context.bounds.texts[start:end]
    if len(texts) != 3 or texts[1] not in _JOIN_DEEDS or context.is_ruled(entity):
        return False
    deeds = (texts[0].lower(), texts[2].lower())
    are_verbs = all(w in _CHATTING or "verb" in builtin_lexicon().of(w) for w in deeds)
    return are_verbs and "FIRST" not in kinds(texts[0]) | kinds(texts[2]) and not is_name(texts[0])


def _is_department(context: Context, entity: Entity) -> bool:
    """Return whether several common words, of which the network is sure that they are nobody, are
    written as a sender: Baggage Tracing."""
    label, start, end = entity
    if label != "PERSON" or end - start < 2:
        return False
    unsure = all(odds(context.shares, label, i) < MOST_OPENING for i in range(start, end))
    return unsure and are_common(context.doc[start:end], label)


def is_public_body(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a committee, a court or an office of ordinary words and a country
    alone, whatever the network and the rules take it for: Parochial Church Committee."""
    label, start, end = entity
    texts, lowers = context.bounds.texts, context.bounds.lowers
    if label != "ORG" or _PUBLIC_BODIES.isdisjoint((lowers[start], lowers[end - 1])):
        return False
    return all(
        lowers[i] in _LINKS
        or (texts[i].isalpha() and (is_common_word(context.doc, i) or _is_only_plain(texts[i])))
        or "country" in builtin_lexicon().of(texts[i].capitalize())
        for i in range(start, end)
    )


def _is_only_plain(text: str) -> bool:
    """Return whether a word is a common one that is also a family name, as Church is, and no given
    name."""
    return is_plain(text) and "FIRST" not in kinds(text)


@reason("PERSON", "GPE", "ORG")
def has_capitals_alone(context: Context, entity: Entity) -> bool:
    """Return whether nothing but its capitals makes a name of words in a document that gives them
    to ordinary words: neither the network is sure, nor are they used or placed as a name is."""
    label, start, end = entity
    if not context.least_odds:
        return False
    are_plain = label != "PERSON" and all(map(is_rather_common, _words_of(context, entity)))
    limit = min(context.least_odds * (SURELY_PLAIN if are_plain else 1), SURELY_BODY)
    if label == "PERSON":
        return _is_no_person(context, entity, limit / 2)
    if any(odds(context.shares, label, i) >= limit for i in range(start, end)):
        return False
    if label == "GPE":
        return not context.is_ruled(entity) and all(map(is_listed, _words_of(context, entity)))
    if end - start > 1:
        return are_plain or (
            is_rather_common(context.text(end - 1)) and context.text(end - 1) not in FIRM_ENDS
        )
    is_matched = context.is_ruled(entity) or start in context.guessed
    return not (is_matched and _stands_as_name(context, entity))


@reason("PERSON", "GPE", "ORG", of_word=True)
def names_a_thing(context: Context, entity: Entity) -> bool:
    """Return whether a noun with a capital stands behind a word, as behind the name of a thing (a
    Belfast Sink, Google Sheets), in a document that gives capitals to ordinary words."""
    label, start, end = entity
    if not context.least_odds or end >= len(context.doc) or not context.doc[start].whitespace_:
        return False
    if not context.doc[end].is_title or not is_common_word(context.doc, end):
        return False
    limit = min(context.least_odds * SURELY_PLAIN, SURELY_BODY)
    if odds(context.shares, label, start) > limit:
        return False
    return label != "PERSON" or not is_placed_as_name(context.bounds, start, end)


def _is_no_person(context: Context, entity: Entity, limit: float) -> bool:
    """Return whether a word does not stand as a name, or a common word, as behind a name, ends
    several (Victoria Sponge), where the network is not as sure as a limit."""
    _, start, end = entity
    if end - start > 1:
        start, limit = end - 1, min(limit, SURELY_LAST)
        if not (context.doc[start].is_title and is_common_word(context.doc, start)):
            return False
    elif is_only_first_name(context.text(start)):
        return False
    elif not context.is_ruled(entity):
        limit = min(limit, 1.0)  # the network, too, must take it for no name
    unsure = odds(context.shares, "PERSON", start) < limit
    return unsure and not _stands_as_name(context, entity)


def _stands_as_name(context: Context, entity: Entity) -> bool:
    """Return whether a document has the first word of an entity again, or it is placed as names
    are."""
    is_used = context.counts[context.text(entity.start)] > 1
    return is_used or is_placed_as_name(context.bounds, entity.start, entity.end)


def _words_of(context: Context, entity: Entity) -> list[str]:
    return [*filter(str.isalpha, context.bounds.texts[entity.start : entity.end])]


def are_common(span: Span, label: str) -> bool:
    """Return whether a span is of common words, beside numbers and links as "of". A rare word may
    be the name of a firm (Kestrel Freight), and a legal form makes one (Kitchens Limited), as a
    trade behind two words does: Quick Stop Plumbing."""
    is_cut = span.doc[span.end : span.end + 1].text == "-" and not span[-1].whitespace_
    if is_cut or any(t.text.rstrip(".") in LEGAL for t in span):
        return False
    words = [t for t in span if not _is_between(t)]
    if label == "ORG" and len(words) > 2 and words[-1].text in TRADES:
        return False
    rare = label == "ORG" and not all(
        is_word(t.lower_) or is_plural(t.lower_) or is_specialty(t.lower_) for t in words
    )
    return bool(words) and not rare and all(is_common_word(span.doc, t.i) for t in words)


def _is_between(token: Token) -> bool:
    """Return whether a token is a number, a mark, a blank, a link, an ending, or a class of a
    school: P6."""
    if token.text[0].isdigit() or token.is_punct or token.is_space or token.is_stop:
        return True
    return token.lower_ in _ENDS or _CLASS.fullmatch(token.text) is not None


def is_common_word(doc: Doc, i: int) -> bool:
    """Return whether a word is no name and in no case a place, but a common word, or a heading in
    capitals before a full stop."""
    text, lexicon = doc[i].text, builtin_lexicon()
    title = text.capitalize()
    is_place = (lexicon.of(title) | lexicon.of(text.upper())) & PLACES
    if is_name(text) or is_place or title in ALSO_FIRST:
        return False
    if is_ordinary(text.lower()) or is_specialty(text.lower()):
        return True
    return text.isupper() and doc[i + 1 : i + 2].text == "."
