"""Reasons for which a name is that of goods: a brand, a model, a drug, a version."""

from __future__ import annotations

import re

from ..text.mentions import NAME_PARTICLES, NUMBERS, Entity, is_word
from .common_words import is_common_word
from .context import (
    AFTER_THING,
    ARTICLES,
    BESIDE,
    CELLS,
    FRACTION_SIGNS,
    MIN_POSTAL_CODE,
    ONE,
    SURELY_BODY,
    Context,
    reason,
)
from .decoding import odds
from .facts import DIGIT
from .table_rows import CELL_MARKS
from .tables import (
    DESCRIBING,
    FIRMS,
    GOODS,
    MAKERS,
    PERSON_WORDS,
    PRODUCTS,
    expanded,
    pattern,
    words,
)
from .terms import FIRM_ENDS, INSTITUTIONS, POSSESSIVES, is_brand
from .words import builtin_lexicon, is_land, is_name, is_ordinary, is_town, kinds

# Odds of the network from which a word before a noun in small letters is a name: Perl jobs.
SURELY_KIND = 20.0
SURELY_JOINED = 30.0  # and from which joined words with capitals are one: PayNow
MAX_MODEL = 4  # letters of the name of a model in capitals
_BEFORE_OWNERS = ARTICLES | {"my", "your", "his", "her", "our", "their", "this", "that"}
_ASK = frozenset(
    "ask bleep call give hand inform lend page pay phone remind ring show tell text told".split()
)
_BEFORE_PERSONS = PERSON_WORDS | _ASK
_COUNTS = frozenset("two three four five six seven eight nine ten several both".split())
_MODEL = re.compile(
    rf" (?:No\.? |Mk\.? ?|[A-Za-z]{{1,4}}[ -]?)?\d[\w-]*(?! ?(?:{expanded('MONTH')})\b)"
)
# The code of a model, and no postal code: S7-1500, 4008S. A long one is surely no bed: IC-7300.
_MODEL_CODE = re.compile(
    r" (?:[A-Z]{1,5}-?[A-Z]?\d[A-Z\d]{0,5}(?:-[A-Z\d]{1,5})?|\d{2,4}[A-Z]{1,2})"
    r"(?![\w/]| \d[A-Z]{2}\b)",
    re.A,
)
_LONG_CODE = re.compile(r" (?:[A-Z]+(?:-|\d{3})|\d{3})", re.A)
MIN_MODEL_CODE = 3  # letters and digits of one behind a firm
_CAPITALISED = re.compile(r"[A-Z][a-z]+")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_BRAND_CODE = re.compile(
    r" No\.? ?\d{1,2}\b|"
    r" (?=[A-Za-z\d-]{0,8}\d)[A-Z\d][A-Za-z\d]{0,7}(?:-[A-Za-z\d]{1,7}){0,2}(?![\w/])",
    re.A,
)
_BEFORE_SERVICES = frozenset("on over via through using in into".split())
_GIVE = frozenset("gave give gives giving".split())
_COLOURS = frozenset(
    "white black grey gray silver red maroon blue navy green yellow orange brown beige".split()
)
_SIGNS = frozenset("£$€₹₦¥")
_PAY = frozenset("pay paid pays paying payment payments".split())
_OF_FIRMS = frozenset(  # what only a firm has
    "staff employee worker executive manager dealer dealership share plant factory office boss "
    "job headquarters representative engineer technician lawyer branch store shop depot "
    "warehouse".split()
)
# What things have a make, and devices: also behind "the", the word before one is its make.
WARES, DEVICES = words("WARES_OF_MAKERS", "terms"), words("DEVICES", "terms")
_DEEDS = frozenset("came comes said says asked rang called told went wrote lives works".split())
_EMPLOYED = frozenset("employed hired promoted suspended dismissed fired sacked".split())
_VERSION = re.compile(r"v?\d{1,3}(?:\.\d{1,4}){1,3}")
_STRENGTH = re.compile(  # 100/6: no day and month
    r"(?=[\d.,/]*(?:3[2-9]|[4-9]\d|\d{3}))\d{1,4}(?:[.,]\d)?(?:/\d{1,4}(?:[.,]\d)?){1,2}|"
    r"\d{1,3}[.,]\d{1,2}/\d{1,3}(?:[.,]\d{1,2})?|"
    r"\d{1,4}(?:[.,]\d{1,2})?(?:mg|mcg|ml)"
)
_WAYS = frozenset("to at from by near outside opposite behind past beside round into".split())
_PLACES_OF_SOMEONE = frozenset(
    "parlour parlor shop house place yard bar stall store garage salon farm kitchen restaurant "
    "cafe barbershop rumshop pub supermarket pharmacy clinic school church gate field compound "
    "flat apartment office bakery mill orchard cottage gap shed barn workshop".split()
)
_WEIGHTS = frozenset("g kg mg ml cl dl l oz lb lbs tsp tbsp tsps tbsps cup cups".split())
_CONTAINERS = frozenset(
    "litre liter pint gallon bottle bag box pack packet tin can jar tube tub sheet roll sachet "
    "vial ampoule puff drop tablet capsule unit dose spray".split()
)
_AMOUNTS = _COUNTS | {"a", "an", "some", "half"}
_SIZES_OF_THINGS = frozenset(
    "mm W kW V kV A Ah mAh Hz kHz MHz GHz hp HP bar psi cc GB TB MB dpi rpm µm gsm tpi denier "
    "lm lumens watt watts volt volts amp amps gauge ply DC AC kN kVA".split()
)
MOST_OF_MAKE = 0.5  # odds from which a family name before the code of a model is no make
MOST_WITH_SIZE = 6.0  # odds of the network from which a name with a size behind it is one
MAX_WARE = 3  # words of a ware that is weighed
_DOSE_FORMS = frozenset("t tab tabs c cap caps inj syp syr susp oint supp neb amp".split())
_CARDS = frozenset("visa mastercard amex maestro verve rupay".split())
_AFTER_CARDS = frozenset("card cards ending debit credit prepaid".split())
_SIZES = frozenset("quart litre liter inch watt volt amp metre meter foot ft in cc".split())
_CURRENCIES = frozenset("£ $ € ₹ ₦ ¥ R".split())
_UNITS = frozenset("mg mcg µg ml micrograms milligrams".split())


@reason("PERSON", "GPE", "ORG")
def is_make(context: Context, entity: Entity) -> bool:
    """Return whether the number or the code of a model stands behind a name that is counted or
    has an article: a Kenwood 355, two Lind KM 184."""
    _, start, end = entity
    before = context.text(start - 1)
    if not (before.lower() in ONE or before.isdigit() or before in _COUNTS):
        return False
    end -= end - start > 1 and any(map(str.isdigit, context.text(end - 1)))
    last = context.doc[end - 1]
    return _MODEL.match(context.whole, last.idx + len(last)) is not None


@reason("PERSON", "GPE")
def ends_with_goods(context: Context, entity: Entity) -> bool:
    """Return whether an entity ends with the name of goods, and of nobody, behind that of a town
    or a person: a Worcester Greenstar."""
    text = context.text(entity.end - 1)
    if entity.end - entity.start < 2 or not text.istitle() or text.lower() not in GOODS:
        return False
    return not (is_name(text) or is_word(text.lower()))


@reason("PERSON", "GPE", "ORG", "ADDRESS")
def is_brand_of_thing(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of brands, and the words beside it make it goods: a model (Sony
    ICD-PX470), the noun for these (the Bosch dishwasher), an owner or an article (my Huawei),
    or what stands before a service (posts on LinkedIn, paid with GCash). An employer has none of
    them; somebody or a place with the name of a brand may have the last two.
    """
    label, start, end = entity
    while end - start > 1 and _is_before_brand(context, label, start):
        start += 1  # Scanner Honeywell CT40, the old Dell R740
    texts = context.bounds.texts[start:end]
    is_only_brand = not (is_name(texts[0]) or is_town(texts[0]))
    is_owned = _has_owner(context, start)
    if not is_brand_or_firm(texts[0].lower()) or is_beside_firm(context, start, end):
        return False
    if not all(text.isdigit() or is_brand_or_firm(text.lower()) for text in texts):
        is_model = any(map(_INNER_CAPITAL.search, texts[1:]))
        is_model |= is_owned and len(texts) == 2 and not is_ordinary(texts[1].lower())
        is_model |= label == "ADDRESS" and all(map(DIGIT.search, texts[1:]))
        if not (is_only_brand or is_model) or (label == "ORG" and texts[-1] in FIRM_ENDS):
            return False
        if any(_is_named(text, is_only_brand) for text in texts[1:]):
            return False
        is_person = label == "PERSON" and odds(context.shares, label, start) > SURELY_KIND
        is_ware = is_only_brand and (is_name(texts[-1]) or (label != "ORG" and not is_person))
        return is_owned or is_ware or any(map(_is_model, texts[1:]))
    last = context.doc[end - 1]
    code = _BRAND_CODE.match(context.whole, last.idx + len(last))
    after = context.text(end)
    if after[:1].isupper() and after.lower() in GOODS:
        return True
    if len(texts) > 1 and (last.text.isdigit() or any(text.lower() in GOODS for text in texts)):
        return True
    if _is_noun_of_thing(context, end, is_owned) and (
        is_only_brand or last.is_lower or _is_before_ware(context, start, end)
    ):
        return True
    if code and (is_only_brand or is_owned or not code[0].strip().isdigit()):
        return context.doc[end].ent_type_ in ("", *NUMBERS)
    return _is_used(context, start, end, is_only_brand=is_only_brand)


def _is_used(context: Context, start: int, end: int, *, is_only_brand: bool) -> bool:
    """Return whether a brand has an owner or an article, or stands behind what stands before a
    service (posts on LinkedIn); one that is a family name, too, only if it does nothing (a Hoover
    came to the door)."""
    before, before_it = context.text(start - 1).lower(), context.text(start - 2).lower()
    after = context.text(end)
    is_good = context.bounds.lowers[start] in GOODS
    is_used = before in _BEFORE_SERVICES or (before == "with" and before_it in _PAY)
    is_used |= before == "by" and not before_it.endswith("ed")
    is_used = (is_used and is_good) or (_has_owner(context, start) and not after[:1].isupper())
    if is_only_brand or not is_used:
        return is_used
    is_paid = before_it in ("pay", "payment") or (before == "via" and before_it in _PAY)
    is_used = before in ONE or (is_good and (before in ARTICLES or is_paid))
    if is_good and "FIRST" not in kinds(context.text(start)):
        is_used |= _has_owner(context, start)  # my Corsa
    return after not in _DEEDS and is_used


def _is_before_ware(context: Context, start: int, end: int) -> bool:
    """Return whether a brand that is a family name, too, stands before a thing that has a make, and
    not as the name of someone: my Philips monitor; not the Hoover file, Mr Bosch's oven."""
    if context.text(start - 1).lower().rstrip(".") in PERSON_WORDS:
        return False
    noun, after = context.text(end), context.text(end + 1)
    is_of_someone = after.removesuffix("s") in _OF_FIRMS or after in PERSON_WORDS
    is_ware = noun in WARES or noun in DEVICES or noun.removesuffix("s") in WARES | DEVICES
    return (is_ware or not is_ordinary(noun)) and not is_of_someone


def _is_named(text: str, is_only_brand: bool) -> bool:
    """Return whether a word behind a brand is the name of someone, a country, or a town that no
    goods are called by (Transit Kampala); behind a brand that is nobody's name, it may be that of a
    model: Isuzu Travis, Masimo EMMA."""
    if is_land(text) or is_town(text):
        return True
    return is_name(text) and not is_only_brand


def _is_before_brand(context: Context, label: str, i: int) -> bool:
    """Return whether a word is a common one with a capital, or, of an address, in small letters."""
    is_small = label == "ADDRESS" and context.text(i).islower()
    return is_small or (context.doc[i].is_title and is_common_word(context.doc, i))


def _is_noun_of_thing(context: Context, i: int, is_owned: bool) -> bool:
    """Return whether a noun in small letters stands at a token, which no verb can be: behind an
    owner (their Philips monitor), or before the end of a clause (Oracle licences, and)."""
    word, after = context.text(i), context.text(i + 1)
    classes = builtin_lexicon().of(word) if word.islower() else frozenset[str]()
    closes = "plural" in classes and (after in AFTER_THING or not after or after[0] in _SIGNS)
    if is_owned and word.isalpha() and not (classes or is_word(word)):
        return word.islower()  # a Honda rotavator
    return "noun" in classes and (is_owned or closes or classes <= {"noun", "plural"})


def _is_model(text: str) -> bool:
    """Return whether a word looks like a model, or is a listed one: NPR, 850i, Corolla."""
    is_short = text.isupper() and text.isalpha() and len(text) <= MAX_MODEL
    is_short |= _INNER_CAPITAL.search(text) is not None
    return is_short or DIGIT.search(text) is not None or text.lower() in GOODS


def is_brand_or_firm(lower: str) -> bool:
    return is_brand(lower) or lower in FIRMS


def is_beside_firm(context: Context, start: int, end: int) -> bool:
    """Return whether the words beside a name make it a firm: employed by Toyota, Toyota staff,
    Toyota dismissed him."""
    first, last = context.doc[start].idx, context.doc[end - 1].idx + len(context.doc[end - 1])
    if context.text(end).removesuffix("s") in _OF_FIRMS or context.text(end) in _EMPLOYED:
        return True
    if pattern("AFTER_FIRM").match(context.whole, last):
        return True
    beside = context.whole[max(first - BESIDE, 0) : first]
    return pattern("BEFORE_FIRM").search(beside) is not None


def _has_owner(context: Context, start: int) -> bool:
    """Return whether an article, an owner or a count stands before a word, or before its
    adjective: our old Miele."""
    before = context.text(start - 1).lower()
    owners = _BEFORE_OWNERS | _COUNTS
    if "adjective" in builtin_lexicon().of(before) and before not in owners:
        before = context.text(start - 2).lower()
    return before in owners or before.isdigit() or before in POSSESSIVES


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_only_of_goods(context: Context, entity: Entity) -> bool:
    """Return whether a word is the name of goods, and of no person or town, and no employer: too
    slow for Netflix."""
    text = context.text(entity.start)
    is_make = text.lower() in MAKERS and odds(context.shares, entity.label, entity.start) <= 1.0
    is_make = is_make and entity.label != "GPE"  # a part of a town, which others have
    if not (is_make or text.lower() in GOODS) or is_name(text) or is_town(text):
        return False
    return not is_beside_firm(context, entity.start, entity.end)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_limit(context: Context, entity: Entity) -> bool:
    """Return whether a number stands behind what limits it (Max 4 h a day), or the full stop of a
    short form and a noun: Max. load."""
    text, after = context.text(entity.start), context.text(entity.end)
    if text.rstrip(".").lower() not in ("max", "min"):
        return False
    if after[:1].isdigit():
        return text.istitle() or context.text(entity.start - 1).lower() not in _GIVE
    is_short = text.istitle() and after == "." and context.text(entity.end + 1).islower()
    return is_short and "noun" in builtin_lexicon().of(context.text(entity.end + 1))


@reason("PERSON", "GPE", "ORG")
def has_price_or_size(context: Context, entity: Entity) -> bool:
    """Return whether an article and a price (a £190 Lind), or a size with a hyphen (a 20-quart
    Lind), stand before a name, as before that of a thing."""
    i = entity.start
    before, sign = context.text(i - 1), context.text(i - 2)
    if before.replace(",", "").replace(".", "").isdigit():
        return sign in _CURRENCIES and context.text(i - 3).lower() in ARTICLES
    unit = before.removesuffix("s")
    if sign != "-" or not context.text(i - 3)[-1:].isdigit():
        return False
    return unit in _WEIGHTS or unit in _CONTAINERS or unit in _SIZES


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_coloured(context: Context, entity: Entity) -> bool:
    """Return whether a colour in small letters stands before a word, as before that of a car: a
    white Transit."""
    return context.text(entity.start - 1) in _COLOURS and context.text(entity.start).istitle()


@reason("PERSON", "GPE", "ORG")
def has_model(context: Context, entity: Entity) -> bool:
    """Return whether the code of a model, which no rule takes for the number of someone, stands
    behind a firm or an unlisted word within a sentence, or ends the entity: the Icom IC-7300,
    Siemens S7-1500. A short one (M9) may be a bed or a part of a town, but for an article."""
    label, start, end = entity
    text, before = context.text(start), context.text(start - 1)
    if end - start > 2 or (end - start == 2 and not DIGIT.search(context.text(start + 1))):
        return False
    if not before.strip() or before in CELLS or before.lower().rstrip(".") in _BEFORE_PERSONS:
        return False
    is_listed = is_name(text) or context.is_ruled(entity) or is_town(text)
    is_unsure = label == "PERSON" and odds(context.shares, label, start) <= MOST_OF_MAKE
    is_unsure = is_unsure and "FIRST" not in kinds(text)  # Neumann U87
    if label != "ORG" and is_listed and not (is_unsure or is_brand(text.lower())):
        return False
    if label != "ORG" and odds(context.shares, label, start) > SURELY_KIND:
        return False
    last = context.doc[start]
    code = _MODEL_CODE.match(context.whole, last.idx + len(last))
    if code is None or (end - start == 1 and context.doc[end].ent_type_):
        return False
    if label != "GPE" and (before == "(" or before.lower() in _BEFORE_OWNERS):
        return True
    is_of_firm = label == "ORG" and len(code[0]) > MIN_MODEL_CODE
    return is_of_firm or _LONG_CODE.match(code[0]) is not None


@reason("PERSON", "ORG", of_word=True)
def is_before_noun(context: Context, entity: Entity) -> bool:
    """Return whether a noun in small letters stands behind a word without an article, which then
    tells the kind of a thing (by Pritchard regimen, Perl jobs), unless the network is sure."""
    i = entity.start
    if entity.label == "ORG" and (
        is_beside_firm(context, i, entity.end) or context.text(entity.end) in INSTITUTIONS
    ):
        return False  # Redbridge council
    text, before, after = context.text(i), context.text(i - 1).lower(), context.text(i + 1)
    if not (text.istitle() and after.islower() and after.isalpha() and context.is_capitalised):
        return False
    if before in _BEFORE_OWNERS or before.rstrip(".") in PERSON_WORDS or after in PERSON_WORDS:
        return False
    if before in _ASK and "SURE_FIRST" in kinds(text):
        return False  # Tell Ada supper is ready
    if before in _WAYS and after in _PLACES_OF_SOMEONE:
        return False  # walks to Okoro parlour
    is_noun = {"noun", "plural"}.issuperset(classes := builtin_lexicon().of(after)) and classes
    return bool(is_noun) and odds(context.shares, entity.label, i) <= SURELY_KIND


@reason("PERSON", "ORG", "GPE", of_word=True)
def has_value(context: Context, entity: Entity) -> bool:
    """Return whether the strength of a drug follows (Fostair 100/6, Zorvam 5 mg), also in the next
    cell of a table, or a version follows a firm: Ubuntu 24.04."""
    after, unit = context.text(entity.end), context.text(entity.end + 1).lower()
    is_given = context.text(entity.start - 1).lower() in _GIVE
    if is_given and "first_name" in builtin_lexicon().of(context.text(entity.start)):
        return False  # Gave Arlo 5 ml
    is_listed = context.is_ruled(entity) or is_name(context.text(entity.start))
    if after and after in CELL_MARKS and not is_listed:  # | Oramorph | 5 mg |
        after, unit = unit, context.text(entity.end + 2).lower()
        return after[:1].isdigit() and unit in _UNITS | {"g", "units"}
    is_version = _VERSION.fullmatch(after) is not None
    if is_version and (entity.label == "ORG" or after[0] == "v"):
        return True
    if entity.label == "GPE":
        return False
    return _STRENGTH.fullmatch(after) is not None or (after[:1].isdigit() and unit in _UNITS)


@reason("PERSON", "GPE", "ORG")
def is_dosed(context: Context, entity: Entity) -> bool:
    """Return whether the form of a drug with a full stop stands before a word, and its strength
    behind it: Tab. Zorvam 5 mg. A letter is one at the start of an item: 1. T. Zorvam 5 mg; not
    gave T. Lind 5 mg."""
    i, end = entity.start, entity.end
    form, before = context.text(i), context.text(i - 1)
    if end - i < 2 or form.rstrip(".").lower() not in _DOSE_FORMS or not form[0].isupper():
        return False
    after, unit = context.text(end), context.text(end + 1).lower()
    is_strength = _STRENGTH.fullmatch(after) is not None
    if not (is_strength or (after[:1].isdigit() and unit in _UNITS | {"g", "units", "iu"})):
        return False
    return len(form.rstrip(".")) > 1 or not before.isalpha() or before in ("and", "with", "plus")


@reason("PERSON", of_word=True)
def is_dose_form(context: Context, entity: Entity) -> bool:
    """Return whether a word with a full stop is the form of a drug: Syp. Zorvam."""
    text = context.text(entity.start)
    lower, has_stop = (
        text.rstrip(".").lower(),
        text.endswith(".") or context.text(entity.end) == ".",
    )
    return has_stop and len(lower) > 1 and lower in _DOSE_FORMS and text.istitle()


@reason("PERSON", of_word=True)
def has_size(context: Context, entity: Entity) -> bool:
    """Return whether a size or a power, which no person has, stands behind a family name, of which
    the network is not sure: a Nagler 13 mm."""
    i = entity.start
    if not context.text(i + 1)[:1].isdigit() or context.text(i + 2) not in _SIZES_OF_THINGS:
        return False
    is_given = "FIRST" in kinds(context.text(i)) or context.text(i - 1).lower() in _GIVE
    return not is_given and odds(context.shares, "PERSON", i) <= MOST_WITH_SIZE


@reason("PERSON", "ORG", of_word=True)
def is_card(context: Context, entity: Entity) -> bool:
    """Return whether a word says of what kind a card is: your Visa ending 1234."""
    return context.bounds.lowers[entity.start] in _CARDS and (
        context.text(entity.end) in _AFTER_CARDS
    )


@reason("PERSON", "GPE", "ORG")
def is_numbered(context: Context, entity: Entity) -> bool:
    """Return whether a name ends with a version (Python 3.12), or is an abbreviation or a common
    word with a value (BBD 55, Speed 1), of which neither a rule nor the network is certain."""
    label, start, end = entity
    first, last = context.text(start), context.text(end - 1)
    if end - start < 2 or not last[0].isdigit() or context.is_ruled(entity):
        return False
    if end - start == 2 and last.isdigit():
        is_short = first.isupper() and len(first) < 5
        is_of_value = is_short or (is_word(first.lower()) and not is_name(first))
    else:
        is_of_value = _VERSION.fullmatch(last) is not None
    return is_of_value and odds(context.shares, label, start) <= SURELY_BODY


@reason("PERSON", "GPE", "ORG")
def is_weighed(context: Context, entity: Entity) -> bool:
    """Return whether an amount of it stands before a word or two that are no names, and no verb
    behind (1 tsp Caraway), or an amount and "of": 3 litres of Hartmann's, two bags of Drim Grit."""
    i, after = entity.start, context.text(entity.end)
    texts = context.bounds.texts[i : entity.end]
    is_phrase = " " in context.text(i, entity.end)
    if is_phrase and (len(texts) > MAX_WARE or any(map(is_name, texts))):
        return False
    is_of = context.text(i - 1) == "of"
    i -= is_of
    amount, unit = context.text(i - 2).lower(), context.text(i - 1).lower().rstrip(".")
    is_container = is_of and unit.removesuffix("s").replace("boxe", "box") in _CONTAINERS
    if not amount or not (unit in _WEIGHTS or is_container):
        return False
    if not (amount[-1].isdigit() or amount[-1] in FRACTION_SIGNS or amount in _AMOUNTS):
        return False
    return is_of or not after or after in ("and", "or") or not after[0].isalnum()


@reason("PERSON", "ORG", "GPE", of_word=True)
def is_joined(context: Context, entity: Entity) -> bool:
    """Return whether ordinary words with capitals are joined, as those of services and programs are
    (PayNow, ValueError), and neither a rule, an employer nor the network makes them a name."""
    i = entity.start
    parts = [part.lower() for part in _CAPITALISED.findall(context.text(i))]
    if len(parts) < 2 or "".join(parts) != context.text(i).lower():
        return False
    if parts[0] in NAME_PARTICLES or is_beside_firm(context, i, entity.end):
        return False  # LaRue
    if not all(map(is_ordinary, parts)):
        return False
    return not context.is_ruled(entity) and odds(context.shares, entity.label, i) <= SURELY_JOINED


@reason("PERSON", of_word=True)
def is_among_drugs(context: Context, entity: Entity) -> bool:
    """Return whether a word stands in a list between two drugs."""
    i = entity.start
    if context.text(i - 1) != "," or context.text(i + 1) not in (",", "and"):
        return False
    beside = (context.text(i - 2).lower(), context.text(i + 2).lower())
    is_drug = pattern("MEDICAL_END").fullmatch
    return all(word in PRODUCTS or is_drug(word) is not None for word in beside)


@reason("PERSON", "ORG", of_word=True)
def is_used_as_thing(context: Context, entity: Entity) -> bool:
    """Return whether a text uses an unlisted word as that of a thing: with a number behind it
    (Ryzen 9), after an article and an adjective (a new Glock), or also in small letters; with an
    article alone (a Glock) no person is meant."""
    doc, (label, start, end) = context.doc, entity
    text = doc[start].text
    if is_name(text) or text.islower() or context.is_ruled(entity):
        return False
    if doc[start].lower_ in context.small:
        return True
    before = context.text(start - 1)
    is_described = before.islower() and "adjective" in builtin_lexicon().of(before)
    if is_described and before not in DESCRIBING:
        before = context.text(start - 2)
    if (label == "PERSON" or is_described) and before in ("a", "an"):
        return True
    is_apart = bool(doc[start].whitespace_) and not context.text(end + 1).isdigit()
    number = context.text(end) if is_apart else ""
    numbered = number.isdigit() and len(number) < MIN_POSTAL_CODE and number[0] != "0"
    return numbered and bool(before) and not before.isspace()
