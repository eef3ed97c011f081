"""Reasons in what a text is about, for which a word with a capital is one of its subject.

In a text on chess, Black moves and the Berlin is an opening; in a programme of music, Bach is a
piece; over the radio, roger is yes; a colour before an unlisted word tells a variety; a score is
called by a town or a person.
"""

from __future__ import annotations

import re

from ..text.mentions import QUOTES, Entity
from .capitals import is_placed_as_name
from .context import ARTICLES, BEFORE_SENTENCES, Context, reason
from .decoding import odds
from .tables import PERSON_WORDS, words
from .things import MIN_OF_MUSIC, MUSIC
from .words import builtin_lexicon, is_land, is_name, is_ordinary, is_town, kinds

MIN_OF_CHESS = 3  # words that make a text one on chess
SURELY_VARIETY = 60.0  # odds of the network from which a word behind a colour is a name
BEFORE_SCORE = 4  # tokens between the name of a score and the word for it
_CHESS = frozenset(
    "chess fide elo gambit checkmate stalemate endgame middlegame castled pawn pawns rook rooks "
    "bishop bishops knight knights fianchetto uscf lichess stockfish grandmaster blitz zugzwang "
    "mate kingside queenside".split()
)
_SIDES = frozenset({"Black", "White"})
_PAIRINGS = frozenset({"Swiss", "Scheveningen"})
_OPENINGS = frozenset(
    "Sicilian French Dutch Scotch Italian Catalan Slav Benoni Benko London Vienna Berlin English "
    "Najdorf Dragon Petroff Pirc Alekhine Philidor Winawer Marshall Budapest Scandinavian Evans "
    "Colle Staunton Spanish Ponziani Taimanov Scheveningen Sveshnikov Kan Tarrasch Chigorin "
    "Albin Englund Latvian Grob Bird Larsen Exchange Modern".split()
)
_OF_OPENINGS = frozenset(
    "opening openings defence defense variation gambit attack system game line lines set sets "
    "pieces pawns endgame structure".split()
)
MIN_OF_RADIO = 2  # words that make a text one that is spoken over the radio
_ANSWERS = frozenset({"roger", "wilco"})
_BEHIND_ANSWERS = frozenset(". , ! that out over wilco roger \n".split(" "))
_RADIO = frozenset(
    "over wilco mayday pan-pan coastguard lifeboat callsign vhf uhf squawk runway readback tower "
    "dispatch radio channel standby copy acknowledge transponder kilo foxtrot tango".split()
)
_LISTS_OF_WARES = words("LISTS_OF_WARES", "terms")
_LABEL = re.compile(r"[\W_]{0,6}(?:[A-Z][a-z]+ )?([A-Za-z]{2,14})\*{0,2}:")
_BEFORE_ITEMS = frozenset(": , ; • - – + / & and or plus".split())
SURELY_LISTED = 100.0  # odds of the network from which an item of such a list is a name
_OWNED = frozenset({"'s", "’s"})
_TUNES = frozenset(
    "Reel Reels Jig Jigs Hornpipe Polka Waltz Strathspey Slide Lament Fancy Favourite Ramble "
    "Rambles Farewell Delight Minuet Schottische Barndance Mazurka".split()
)
_COMPOSERS = words("COMPOSERS", "terms")
_BEHIND_COMPOSERS = QUOTES | frozenset(
    "A B C D E F G Op Op. No No. Double BWV K K. RV D. Book Mass Minuet Minuets Lieder motet "
    "motets mvt arr arr. cadenza études etudes sonatas concertos symphonies quartets".split()
)
_COLOURS = frozenset("Blue Red Yellow Purple Pink Orange Golden Silver Crimson Scarlet".split())
_COLOURS_OF_FAMILIES = frozenset("Black White Green Brown Grey Gray".split())
_SCALES = frozenset(
    "Aldrete Apgar Barthel Bishop Borg Braden Bristol Charlson Epworth Glasgow Hamilton Karnofsky "
    "Maddrey Morse Norton Oswestry Ramsay Rankin Ranson Tinetti Waterlow Wells Wexner".split()
)
_BEFORE_VALUES = frozenset("was is of at now = : ( type stage score".split())
_SCORES = frozenset("Score Scores Scale Index Inventory Questionnaire Test Criteria".split())


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_of_chess(context: Context, entity: Entity) -> bool:
    """Return whether a text on chess names a side, an opening or how players are paired: Black
    resigned, in a Berlin, the spring Swiss. Whom it titles, or calls by a given name, is nobody's
    side."""
    i, text = entity.start, context.text(entity.start)
    if not (text in _SIDES or text in _OPENINGS or text in _PAIRINGS):
        return False
    if len(_CHESS.intersection(context.bounds.lowers)) < MIN_OF_CHESS:
        return False
    if text in _OPENINGS:
        is_kind = context.text(i - 1).lower() in ARTICLES or context.text(i - 1) == "against"
        return is_kind or context.text(i + 1).lower() in _OF_OPENINGS
    return not _is_called(context, text)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_radio_word(context: Context, entity: Entity) -> bool:
    """Return whether an answer over the radio opens a sentence: Roger, out. Where nobody speaks
    over the radio, Roger is a person."""
    i = entity.start
    if context.bounds.lowers[i] not in _ANSWERS or context.text(i + 1) not in _BEHIND_ANSWERS:
        return False
    before = context.text(i - 1)
    opens = not before or before.isspace() or before in BEFORE_SENTENCES or before == ","
    return opens and len(_RADIO.intersection(context.bounds.lowers)) >= MIN_OF_RADIO


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_scale(context: Context, entity: Entity) -> bool:
    """Return whether a scale that is called by a person has its value behind it: Braden was 13."""
    i = entity.start
    if context.text(i) not in _SCALES:
        return False
    i += 1 + (context.text(i + 1) in _BEFORE_VALUES)
    return context.text(i)[:1].isdigit()


@reason("PERSON", "GPE", "ORG")
def is_in_list_of_wares(context: Context, entity: Entity) -> bool:
    """Return whether the label of its line says that wares are listed (Meds: Zorvam, Drimel), no
    given name, no town and no word as "by" makes it somebody, and the network is not sure."""
    i, end = entity.start, entity.end
    start = context.doc[i].idx
    line = context.whole[context.whole.rfind("\n", 0, start) + 1 : start]
    label = _LABEL.match(line) if ":" in line else None
    if label is None or label[1].lower() not in _LISTS_OF_WARES:
        return False
    texts = context.bounds.texts[i:end]
    if any("FIRST" in kinds(text) or is_town(text) or is_land(text) for text in texts):
        return False
    if context.text(i - 1) not in _BEFORE_ITEMS:
        return False
    return all(odds(context.shares, entity.label, j) <= SURELY_LISTED for j in range(i, end))


@reason("PERSON", "GPE", "ORG")
def is_tune(context: Context, entity: Entity) -> bool:
    """Return whether a form of dance with a capital stands behind an owner: Lindgren's Reel."""
    owner = context.text(entity.end) if context.text(entity.end - 1) not in _OWNED else "'s"
    at = entity.end + (context.text(entity.end) in _OWNED)
    return owner in _OWNED and context.text(at) in _TUNES


@reason("PERSON", "GPE", "ORG")
def is_piece(context: Context, entity: Entity) -> bool:
    """Return whether an entity of several words, of which no other is a name, begins with a
    composer in a text on music: Sousa Liberty Bell."""
    i, end = entity.start, entity.end
    if end - i < 2 or context.bounds.lowers[i] not in _COMPOSERS:
        return False
    if any(is_name(text) for text in context.bounds.texts[i + 1 : end]):
        return False
    is_on_music = len(MUSIC.intersection(context.bounds.lowers)) >= MIN_OF_MUSIC
    return is_on_music and not _is_called(context, context.text(i))


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_composer(context: Context, entity: Entity) -> bool:
    """Return whether a text on music names a piece by its composer, with its key, its number or its
    title behind it (Bach Double, Vivaldi A minor, Dvořák "American"), and nobody is called so."""
    i, text = entity.start, context.text(entity.start)
    if context.bounds.lowers[i] not in _COMPOSERS or not text.istitle():
        return False
    if context.text(i + 1) not in _BEHIND_COMPOSERS:
        return False
    is_on_music = len(MUSIC.intersection(context.bounds.lowers)) >= MIN_OF_MUSIC
    return is_on_music and not _is_called(context, text)


def _is_called(context: Context, text: str) -> bool:
    """Return whether a title or a given name stands before a word anywhere in a text."""
    places = (i for i, word in enumerate(context.bounds.texts) if word == text)
    for i in places:
        before = context.text(i - 1)
        before = context.text(i - 2) if before == "." else before
        if before.lower().rstrip(".") in PERSON_WORDS or "FIRST" in kinds(before):
            return True
    return False


@reason("PERSON", "GPE", "ORG")
def is_variety(context: Context, entity: Entity) -> bool:
    """Return whether a colour stands before a word that no list has, as in the name of a plant or a
    ware: Blue Zorvin, four Black Drimmel. One that is a family name, too, is no first word of a
    name, unless it stands as one does: Brown Drimmel: yes."""
    i, end = entity.start, entity.end
    colour, text = context.text(i), context.text(i + 1)
    if end - i != 2 or not (colour in _COLOURS or colour in _COLOURS_OF_FAMILIES):
        return False
    if not text.istitle() or is_name(text) or is_town(text) or not context.doc[i].whitespace_:
        return False
    if odds(context.shares, entity.label, i + 1) > SURELY_VARIETY:
        return False
    return colour in _COLOURS or not is_placed_as_name(context.bounds, i, end)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_of_score(context: Context, entity: Entity) -> bool:
    """Return whether ordinary words and that for a score, all with capitals, stand behind a town or
    a family name: the Exeter Hip Score, Lindgren Shoulder Index."""
    i, text = entity.start, context.text(entity.start)
    if not text.istitle() or "SURE_FIRST" in kinds(text) or not context.text(i + 1).istitle():
        return False
    for at in range(i + 1, i + 1 + BEFORE_SCORE):
        word = context.text(at)
        if word in _SCORES:
            return at > i + 1
        is_plain = is_ordinary(word.lower()) and "noun" in builtin_lexicon().of(word.lower())
        if not (word.istitle() and (is_plain or word.lower().endswith("al"))):
            return False
    return False
