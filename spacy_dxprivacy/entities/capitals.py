"""What a capital says in a document: little, where ordinary words have one too.

In most texts a capital within a sentence is that of a name. Menus, manuals, minutes and many
letters give capitals to things, offices and trades ("the Status Page", "a Line Manager"). There a
capital is as weak a sign of a name as it is frequent on ordinary words, and the place of a word in
the document decides: who speaks, fills a field or is mentioned again is rather a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ..text.tokens import Tokens
from .table_rows import CELL_MARKS
from .tables import PEOPLES, PERSON_WORDS, PLACES
from .words import builtin_lexicon, cache_public_words, is_only_ordinary, is_ordinary

MANY_CAPITALS = 0.25  # share of ordinary words with a capital from which a capital says little
USUAL_SHARE = 0.08  # the share in documents of which nothing is known yet
USUAL_WORDS = 20  # ordinary words that weigh as much as this knowledge
STEEPNESS = 6  # how the odds of a capitalised word to be no name rise with the share
MIN_LETTERS = 4  # of a word that counts: shorter ones with a capital are often abbreviations

_OPENERS = frozenset('. ? ! : ; " “ ( - • * > |'.split())
_QUOTES = frozenset('" “ * **'.split())
_AFTER_NAMES = frozenset({":", "(", "'s", "’s", "v", "v."})
_OWNERS = frozenset("my your his her our their the a an".split())
_BEING = frozenset("is was has had were been".split())  # what things do, too
_DEEDS = frozenset({"third_person", "past"})
_NO_THING = PLACES | PEOPLES | {"title", "month", "weekday"}


def capital_share(texts: Sequence[str], counts: Mapping[str, int]) -> float:
    """Return the share of the ordinary words within the sentences of a document that have a
    capital. Titles, days and words of places do not count, which have one everywhere.

    Args:
        texts: The words of the document.
        counts: How often it has each.
    """
    words = {text: n for text, n in counts.items() if len(text) >= MIN_LETTERS and text.isalpha()}
    small = sum(n for word, n in words.items() if word.islower() and _is_of_thing(word))
    things = {word for word in words if word.istitle() and _is_of_thing(word)}
    within = (
        text in things and not (before in _OPENERS or before.isspace())
        for before, text in pairwise(["\n", *texts])
    )
    counted = (capitals := sum(within)) + small + USUAL_WORDS
    return (capitals + USUAL_WORDS * USUAL_SHARE) / counted


def least_odds(share: float) -> float:
    """Return the odds from which the network alone makes a word with a capital a name, in a
    document in which a share of the ordinary words has one."""
    return float((share / MANY_CAPITALS) ** STEEPNESS) if share >= MANY_CAPITALS else 0.0


def is_placed_as_name(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a word stands where names do: on a line of its own or at its start, before a
    colon or a bracket, in quotes, in a field of a table, after a title or a role, as that of
    someone (her daughter, Grace,), as an owner, or as who does something."""
    texts, lowers = tokens.texts, tokens.lowers
    before, after = texts[start - 1] if start else "\n", texts[end] if end < len(texts) else "\n"
    if "\n" in before or before in _QUOTES or after in _AFTER_NAMES:
        return True
    if before in CELL_MARKS or after in CELL_MARKS or "\t" in before + after:
        return True
    if before in (",", ";"):
        fills_field = not tokens.doc[start - 1].whitespace_
        return fills_field or lowers[start - 2] in PERSON_WORDS or lowers[start - 3] in _OWNERS
    if lowers[start - 1].rstrip(".") in PERSON_WORDS:
        return True
    return lowers[start - 1] not in _OWNERS and _is_deed(after)


def is_only_first_name(word: str) -> bool:
    """Return whether a word is a first name, and no word of English."""
    return builtin_lexicon().is_first_name(word) and not is_ordinary(word.lower())


def is_listed(word: str) -> bool:
    """Return whether a public list holds a word, in any case."""
    return is_ordinary(word.lower()) or bool(builtin_lexicon().of(word.capitalize()))


def _is_deed(word: str) -> bool:
    """Return whether a word is a verb in a form that follows its subject: proposes, agreed."""
    return word not in _BEING and not _DEEDS.isdisjoint(builtin_lexicon().of(word))


@cache_public_words
def _is_of_thing(word: str) -> bool:
    """Return whether a word in any case is an ordinary one that has a capital in headings only."""
    classes = builtin_lexicon().of(word.capitalize())
    return is_only_ordinary(word) and not classes & _NO_THING
