"""Reasons in the place of a word, for which it is that of a thing: a make, a variety, a title.

A network that reads nine words takes an unlisted word with a capital for a person or a firm. What
stands before and behind the word says what is meant: nobody is "a Stewart box", and nobody plugs in
someone.
"""

from __future__ import annotations

import re
from itertools import takewhile

from ..text.mentions import NAME_PARTICLES, QUOTES, Entity
from .context import AFTER_THING, ARTICLES, ONE, Context, reason
from .decoding import odds
from .goods import DEVICES, WARES
from .tables import DESCRIBING, GOODS, PERSON_WORDS, PRODUCTS, words
from .words import builtin_lexicon, is_land, is_name, is_town, kinds

SURELY_FIRM = 50.0  # odds of the network from which "the old Gorplex" is a firm
_NUMBERS = words("NUMBERS") - {"first", "second", "third", "fourth"}
_MATERIALS, _THING_VERBS = words("MATERIALS", "terms"), words("THING_VERBS", "terms")
_EACH = ONE | {"every", "each", "any", "another", "no", "per"}
_COUNTS = frozenset("one two three four five six seven eight nine ten several both".split())
_OWNERS = ARTICLES | {"my", "your", "his", "her", "our", "their", "its", "this", "that", "'s", "’s"}
_BEFORE_PLACES = frozenset("in at from to near into around via toward towards through".split())
_BEFORE_BASE = frozenset(
    "did does do let lets help helped make makes made saw see watch watched will would can could "
    "should must may might".split()
)
_OBJECTS = ARTICLES | frozenset("it them him her his my our their your these those".split())
_GIVING = frozenset(
    "give gives gave giving send sends sent bring brings brought buy buys bought sell sells sold "
    "lend lends lent owe owes owed hand handed pass passed show showed get gets got cook cooked "
    "pour poured serve served feed feeds fed offer offered bake baked".split()
)
_HOUSES = frozenset(
    "business company estate factory family farm farms field fields grower growers market mill "
    "mills merchant merchants plantation producer shop shops stall stand store supplier suppliers "
    "trader traders works yard mine mines plant pan pans".split()
)
_MEALS = frozenset(  # which are ordered by persons
    "ale bacon beans beef beer biscuit biscuits bread burger burgers butter cake cakes cheese "
    "chicken chocolate cider coffee cream crisps fish fudge gin ham juice milk noodles pasta "
    "pizza pork porridge potatoes pudding rice rum salad salmon sausage sausages sherry soup "
    "steak stout sugar syrup tea toffee trout tuna vodka whiskey whisky wine wines yoghurt "
    "yogurt".split()
)
_OF_PERSONS = PERSON_WORDS | frozenset(
    "brothers sisters twins boys girls kids children cases families files members accounts "
    "cousins uncles aunts men women ladies lads girls voters students households".split()
)
_SOWING = frozenset("sow sows sowed sown sowing transplanted pricked chitted chit grafted".split())
MAX_SOWN = 9  # tokens between such a verb and the last of a list
_USED = frozenset(
    "old spare broken faulty leaky leaking rusty battered secondhand used refurbished electric "
    "cordless portable handheld digital diesel petrol vintage cheap unused flimsy clunky "
    "cracked dented worn-out".split()
)
_PARTICLES = frozenset("in up out off down".split())
_HAVING = frozenset("has have had having got bought sold keeps keep owns own need needs".split())
_INNER_CAPITAL = re.compile(r"(?:[A-Z][a-z]+){2,}(?:[A-Z]{0,3}\d{0,2})?|[A-Z][a-z][A-Z]{1,3}\d")
_PARTS = re.compile(r"[A-Z][a-z]*")
_BEFORE_INNER = frozenset(
    "mc mac o d de di du da del la le van von fitz st al el abd abu bin".split()
)
_RELEASE = re.compile(r"\d{1,2}\.\d{1,3}\.\d{1,3}")
_WORKS = frozenset(
    "song songs hymn hymns tune tunes track single album record lp ep film movie novel poem play "
    "opera musical ballad aria anthem lullaby carol encore sonata symphony chorus verse ringtone "
    "ringing music painting sculpture mural podcast episode sitcom soundtrack setlist cover "
    "singing sang sings hums hummed tango waltz overture requiem jingle".split()
)
_CALLING = frozenset("called named nicknamed known aka alias calls call said says asked".split())
_SCALES = frozenset(
    "kelvin celsius fahrenheit rankine newton newtons pascal pascals joule joules watt watts volt "
    "volts ohm ohms hertz tesla gauss weber farad becquerel sievert sieverts gray elo richter "
    "beaufort brix baumé plato oechsle mohs shore scoville baud erlang torr darcy poise "
    "ångström angstrom".split()
)
_FORMS_OF_MUSIC = frozenset(
    "Suite Sonata Sonatina Concerto Concertino Symphony Overture Requiem Variation "
    "Nocturne Rhapsody Partita Serenade Divertimento Prelude Fugue "
    "Etude Étude Waltz Polka Mazurka Polonaise Ballade Cantata Oratorio Magnificat "
    "Fantasia Toccata Rondo Minuet Gavotte Lieder".split()
)
MUSIC = frozenset(
    "music orchestra ensemble choir chorus choral rehearsal rehearsals concert concerts conductor "
    "violin viola cello violins cellos oboe bassoon clarinet horn piano organ soprano alto tenor "
    "baritone string strings quartet soloist soloists programme encore score scores tuning opera "
    "symphony concerto sonata recital".split()
)
_SUNG = frozenset("encore aria anthem hymn lullaby ballad oratorio cantata".split())
_SINGING = frozenset("sang sing sings singing sung recited recite chanted hummed".split())
_LINKS = frozenset("or to vs versus than /".split())
_ASKING = frozenset("ask asks asked call called ring rang tell told text message email see".split())
_BEFORE_GOODS = frozenset("from use uses used using by with of on over via".split())
_HAVERS = frozenset("my your his her our a an another".split())
SURELY_INNER = 60.0  # odds of the network from which a word with capitals within it is a name
_ENDS_OF_FAMILIES = ("fields", "woods", "roads", "brooks", "hills", "meadows", "wells", "mans")
MIN_OF_MUSIC, MIN_COMPOUND = 2, 8  # words that make a text one on music, and letters of a compound
MAX_TITLE, BEFORE_TITLE = 7, 6  # tokens of the title of a work, and before it


@reason("PERSON", "GPE", "ORG")
def is_make_of_ware(context: Context, entity: Entity) -> bool:
    """Return whether a word stands between an article or a count and a thing that has a make (a
    Stewart box, every Sova dart). "The" and an owner may tell whose the thing is (the Hale van),
    but for a device: the Kroll software."""
    i, before = entity.start, context.text(entity.start - 1).lower()
    text, after = context.text(i), context.text(i + 1)
    if not text.istitle() or (entity.end - i == 1 and (is_town(text) or is_land(text))):
        return False
    if _is_titled_ware(context, entity):
        return True
    if not _is_before_noun(context, entity):
        return False
    if after in WARES and (before in _EACH or _is_count(before)):
        return not _is_of_clause(context, i + 1)
    is_device = after.removesuffix("s") in DEVICES or after in DEVICES
    return is_device and before in _OWNERS | _EACH and entity.label != "GPE"


def _is_titled_ware(context: Context, entity: Entity) -> bool:
    """Return whether "a" stands before a name, and the word for a ware, with a capital, behind it:
    a Cheyenne Hawk Pen."""
    ware = context.text(entity.end)
    is_each = context.text(entity.start - 1).lower() in _EACH
    return is_each and ware.istitle() and ware.lower() in WARES


def _is_before_noun(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a word with a capital, alone or with the word in small letters
    behind it."""
    i = entity.start
    is_one = entity.end - i == 1 or (entity.end - i == 2 and context.text(i + 1).islower())
    return is_one and context.text(i).istitle() and bool(context.doc[i].whitespace_)


def _is_of_clause(context: Context, i: int) -> bool:
    """Return whether a verb or an object stands behind a word that is a verb, too: can go."""
    if "modal" not in builtin_lexicon().of(context.text(i)):
        return False
    return "verb" in builtin_lexicon().of(context.text(i + 1))


@reason("PERSON", "GPE", "ORG")
def is_kind_of_material(context: Context, entity: Entity) -> bool:
    """Return whether a word stands before a material, a food or a plant, and tells its kind (22
    bags of Munich malt, Montreal smoked meat). Who is given it (gave Ada bread), whose business it
    is (the Hale timber yard) and where it is (in Leeds bread is dear) are no kind."""
    i = entity.start
    if not _is_before_noun(context, entity):
        return False
    at = i + 1 + context.text(i + 1).endswith("ed")
    noun, after = context.text(at), context.text(at + 1)
    if noun not in _MATERIALS or after in _HOUSES or after in _OF_PERSONS:
        return False
    if noun in _MEALS and entity.label == "PERSON":
        return False  # - Thabo tea, two sugars
    before = context.text(i - 1).lower().rstrip(".")
    if before in _BEFORE_PLACES | _GIVING | PERSON_WORDS or before in ("'s", "’s"):
        return False
    if context.text(i - 1).istitle() and is_name(context.text(i - 1)):
        return False
    if "verb" not in builtin_lexicon().of(noun):
        return True
    opens = before in ("", ",", "and", "to") or before.isspace()
    is_verb = before in _BEFORE_BASE or (opens and after.isalnum())
    return not is_verb and after not in _OBJECTS


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_handled(context: Context, entity: Entity) -> bool:
    """Return whether a verb for things, and an article or an owner, stand before a word that is no
    given name and ends its clause: who borrowed my Pulaski, we serviced the Fendt."""
    i, after = entity.start, context.text(entity.end)
    if after.strip() and after not in AFTER_THING:
        return False
    is_someone = "FIRST" in kinds(context.text(i)) or is_town(context.text(i))
    if is_someone or context.text(i - 1).lower() not in _OWNERS:
        return False
    first = i - 2 - (context.text(i - 2) in _PARTICLES)  # plugged in her
    if context.text(i - 1) in ("'s", "’s"):  # the baby's, Ada's
        first -= 1 + (context.text(i - 3).lower() in _OWNERS)
    return context.text(first).lower() in _THING_VERBS


@reason("PERSON", "GPE", "ORG")
def is_sown(context: Context, entity: Entity) -> bool:
    """Return whether a verb of gardeners stands before a name, or before the names that a list has
    before it, so that it is a variety: sowed Musselburgh and Nantes. Who sows has it behind."""
    i = entity.start - 1
    while i > entity.start - MAX_SOWN and _may_be_listed(context.text(i)):
        i -= 1
    return context.text(i).lower() in _SOWING


def _may_be_listed(text: str) -> bool:
    return text in (",", "and", "&", "the", "some", "more", "out") or text.istitle()


@reason("PERSON", "ORG", of_word=True)
def is_worn(context: Context, entity: Entity) -> bool:
    """Return whether an article or an owner, and an adjective for things, stand before a word that
    no list has, and no noun behind: suspect the old Tygon, my spare Zorvin leaks."""
    i, text, after = entity.start, context.text(entity.start), context.text(entity.end)
    if is_name(text) or not text.istitle() or context.is_ruled(entity):
        return False
    owners = ARTICLES if context.text(i - 1) == "old" else _OWNERS  # our old Lwazi
    if context.text(i - 1) not in _USED or context.text(i - 2).lower() not in owners:
        return False
    if entity.label == "ORG" and odds(context.shares, "ORG", i) > SURELY_FIRM:
        return False
    return not after.isalpha() or not after.islower() or not _may_be_noun(after)


def _may_be_noun(word: str) -> bool:
    """Return whether a word is a noun, and in no form that follows its subject: file, not leaks."""
    classes = builtin_lexicon().of(word)
    return "noun" in classes and not classes & {"third_person", "past", "preposition"}


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_one_of_several(context: Context, entity: Entity) -> bool:
    """Return whether a word that no list has is counted as things are: the #3 Camalot, 3 bleached
    Porites heads, has two Khonkotas; not as persons are: two Wambua brothers."""
    i, text, after = entity.start, context.text(entity.start), context.text(entity.end)
    if not text.istitle() or is_name(text) or is_name(text.removesuffix("s")) or is_town(text):
        return False
    first = i - 1
    if not _is_count(context.text(first)):
        described = "adjective" in builtin_lexicon().of(context.text(first))
        if not described or context.text(first) in DESCRIBING or not _is_count(context.text(i - 2)):
            return False
        first -= 1
    if context.text(first - 1) == "#":
        return True
    if "plural" in builtin_lexicon().of(after) and after not in _OF_PERSONS:
        return not context.is_ruled(entity)
    is_had = text.endswith("s") and context.text(first - 1).lower() in _HAVING
    return is_had and (not after.isalpha() or after in ("left", "spare", "over"))


def _is_count(word: str) -> bool:
    return word.isdigit() or word.lower() in _COUNTS


@reason("PERSON", "GPE", of_word=True)
def has_inner_capital(context: Context, entity: Entity) -> bool:
    """Return whether a word has capitals within it, as those of goods and substances have, and
    neither of its parts is a name or begins one: FeFol, PharmaNet; not LaRue, MaryAnn."""
    text = context.text(entity.start)
    if text.istitle() or _INNER_CAPITAL.fullmatch(text) is None:
        return False
    if odds(context.shares, entity.label, entity.start) > SURELY_INNER:
        return False
    first, *others = _PARTS.findall(text)
    if first.lower() in _BEFORE_INNER or first.lower() in NAME_PARTICLES:
        return False
    long = [part for part in (first, *others) if len(part) > 2]
    if not long or any(is_name(part) or is_town(part) for part in long):
        return False
    places = (i for i, word in enumerate(context.bounds.texts) if word == text)
    return not any(_opens_line(context, i) for i in places)


def _opens_line(context: Context, i: int) -> bool:
    """Return whether a word opens its line, as the name of a sender does, or is called by "@"."""
    before = context.text(i - 1)
    return not before or "\n" in before or before.endswith("@")


@reason("PERSON", of_word=True)
def has_release(context: Context, entity: Entity) -> bool:
    """Return whether a release of three numbers, which are no date, stands behind a word that no
    list has: Gorplex 2.1.4."""
    after = entity.end
    if is_name(context.text(entity.start)) or after >= len(context.doc):
        return False
    is_release = _RELEASE.fullmatch(context.text(after)) is not None
    return is_release and context.doc[after].ent_type_ != "DATE"


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_scale(context: Context, entity: Entity) -> bool:
    """Return whether a word is that of a unit or a scale behind its number, also in words, or
    beside another: 300 Kelvin, rated 2140 Elo, six point five Plato, from Kelvin to Celsius."""
    i = entity.start
    if context.bounds.lowers[i] not in _SCALES or context.text(i + 1).istitle():
        return False
    beside = context.bounds.lowers[max(i - 2, 0) : i] + context.bounds.lowers[i + 1 : i + 3]
    before = context.text(i - 1)
    return before[:1].isdigit() or before in _NUMBERS or not _SCALES.isdisjoint(beside)


@reason("PERSON", "GPE", "ORG")
def is_music(context: Context, entity: Entity) -> bool:
    """Return whether a form of music with a capital stands behind a name, in a text on music
    (Holberg Suite), or an unlisted word behind "encore" or what is sung: sang the full Korvai."""
    i, end = entity.start, entity.end
    beside = {context.text(j).removesuffix("s") for j in (end - 1, end)}
    if not _FORMS_OF_MUSIC.isdisjoint(beside):
        return len(MUSIC.intersection(context.bounds.lowers)) >= MIN_OF_MUSIC
    if any(map(is_name, context.bounds.texts[i:end])) or not context.text(i).istitle():
        return False
    after = context.text(end)
    if after.isalpha() and after not in AFTER_THING:
        return False  # the hymn Okwuosa wrote
    if context.text(i - 1).lower() in _SUNG:
        return True
    before = [context.text(j).lower() for j in range(max(i - 4, 0), i)]
    return not _SINGING.isdisjoint(before) and "the" in before[-2:]


@reason("PERSON", "ORG", of_word=True)
def is_beside_goods(context: Context, entity: Entity) -> bool:
    """Return whether a word that no list has is one of two with goods, and the network not sure:
    from Locolub to Rocol, cash or Payconiq."""
    i = entity.start
    text = context.text(i)
    if is_name(text) or context.is_ruled(entity) or not text.istitle():
        return False
    if odds(context.shares, entity.label, i) > SURELY_FIRM:
        return False
    if not _ASKING.isdisjoint(context.bounds.lowers[max(i - 5, 0) : i]):
        return False  # ask on WhatsApp or Okwuosa
    is_behind = context.text(i - 1).lower() in _LINKS and _is_of_goods(context.text(i - 2))
    is_before = context.text(i + 1).lower() in _LINKS and _is_of_goods(context.text(i + 2))
    return is_behind or (is_before and context.text(i - 1).lower() in _BEFORE_GOODS)


def _is_of_goods(word: str) -> bool:
    lower = word.lower()
    return word[:1].isupper() and (lower in GOODS or lower in PRODUCTS) and not is_name(word)


@reason("GPE", of_word=True)
def is_owned_place(context: Context, entity: Entity) -> bool:
    """Return whether somebody has what no list takes for a place (who took my Pulaski), or it ends
    its clause behind "the" and is a family name, too: keep the Pulaski."""
    i, after = entity.start, context.text(entity.end)
    if is_town(context.text(i)) or (after.strip() and after not in AFTER_THING):
        return False
    before = context.text(i - 1).lower()
    is_family = "FIRST" not in kinds(context.text(i)) and is_name(context.text(i))
    return before in _HAVERS or (before == "the" and is_family)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_compound(context: Context, entity: Entity) -> bool:
    """Return whether a word that no list has is the plural of two nouns in one: Keyholders."""
    lower = context.bounds.lowers[entity.start]
    if len(lower) < MIN_COMPOUND or not lower.endswith("s") or is_name(lower[:-1]):
        return False
    if lower.endswith(_ENDS_OF_FAMILIES):
        return False
    if context.is_ruled(entity) or is_name(lower) or is_town(lower.capitalize()):
        return False
    nouns = builtin_lexicon().of
    return any(
        "noun" in nouns(lower[:at]) and "noun" in nouns(lower[at:-1])
        for at in range(3, len(lower) - 3)
    )


@reason("PERSON", "GPE", "ORG")
def is_title_of_work(context: Context, entity: Entity) -> bool:
    """Return whether an entity stands in quotes behind the word for a song, a book or a film (her
    record "Agua de Enero"), where nobody is called so, and nobody goes on behind them."""
    texts, start = context.bounds.texts, entity.start
    first = next((i for i in range(start - 1, start - 4, -1) if context.text(i) in QUOTES), -1)
    if first < 1:
        return False
    end = entity.end
    last = next((i for i in range(end, end + 4) if context.text(i) in QUOTES), -1)
    if last < 0 or last - first > MAX_TITLE or context.text(last + 1).istitle():
        return False
    behind = reversed(texts[max(first - BEFORE_TITLE, 0) : first])
    before = [text.lower() for text in takewhile(lambda text: text not in ".;!?", behind)]
    return not _WORKS.isdisjoint(before) and _CALLING.isdisjoint(before)
