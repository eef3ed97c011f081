"""Reasons in the words beside a name: these use it as something else.

An article, a title, a number or a mark beside a word show a role, a nationality, an abbreviation,
the key of a code, a unit, or a word of the sentence.
"""

from __future__ import annotations

import re

from ..text.mentions import Entity, is_word
from . import network
from .common_words import is_common_word
from .context import (
    AFTER_THING,
    ARTICLES,
    BEFORE_SENTENCES,
    BESIDE,
    CELLS,
    MIN_POSTAL_CODE,
    ONE,
    SHORTHAND,
    Context,
    reason,
)
from .decoding import odds
from .facts import ABBREVIATIONS, DIGIT
from .tables import FIRMS, GOODS, LISTED, PERSON_WORDS, STATES, expanded, pattern, words
from .terms import FIRM_ENDS, INSTITUTIONS, JOBS
from .titles import is_also_title, is_describing, is_grade
from .words import (
    builtin_lexicon,
    is_file_name,
    is_land,
    is_name,
    is_only_ordinary,
    is_ordinary,
    is_setting,
    is_town,
    kinds,
)

# Odds of the network from which a few capitals are a name: on ZFS, My ORCID.
SURELY_SHORT_FORM = 10.0
LEAST_PLACE = 1.0  # odds from which a listed city is one behind what describes a thing
_MAX_SHORT_FORM = {"PERSON": 4, "GPE": 5, "ORG": 8}  # letters of an abbreviation
_POINTS = frozenset("NE NW SE SW NNE ENE ESE SSE SSW WSW WNW NNW".split())
_WEATHER = frozenset("gusts gusting kn knots kts sea seas swell wind winds waves".split())
MIN_SMALL = 3  # letters of a place or firm in small letters
_FUNCTION_CLASSES = frozenset(
    "interjection negation determiner pronoun possessive conjunction preposition wh_word "
    "adverb_function auxiliary number".split()
)
_NOBLE = frozenset({"Lord", "Lady"})
_BEFORE_SMALL = ARTICLES | {"this"}
_KEYS = re.compile("|".join([*LISTED["ID_WORD"], expanded("USER"), expanded("KEYS_SHORT")]))
_CODE_KEYS = re.compile(expanded("CODE_KEYS"))
_SHORT_KEY = re.compile(r"[B-DF-HJ-NP-TV-XZ]{2,5}")
_CODED = frozenset({"ID", "URL", "PHONE"})
_STREETS = frozenset(f"{expanded('STRONG')}|{expanded('WEAK')}".lower().split("|"))
_BEFORE_SHORT_NAMES = frozenset(
    "by with from initials signed nurse sister d/w kin nok name named called contact carer".split()
)
_BEFORE_STATES = frozenset("in from of near".split())
_BEFORE_CODES = frozenset("# : = ( [ no no. nr nr. number code is".split())
MAX_GIVEN = 6  # letters of a given name that is a key, too
MIN_CODE, MAX_KEY = 3, 9  # digits of a code that is no entity, and letters of what it is called by
# Abbreviated before the names and the numbers of officers.
RANKS = frozenset("dc pc ds di dci dsu pcso wpc wdc sgt cpl maj lt capt col insp supt".split())
_OPTION = re.compile(r"(?:\A|\s)-(?:-?[A-Za-z])")  # of a command
_VARIABLE = re.compile(r"[A-Z]{2,20}(?:_[A-Z\d]{1,20})+=(?:\d[\w.]*|true|false|on|off)")
_FAULT = re.compile(r"[A-Z]\.\d{1,3}|[A-Z]{2,5}-\d{1,4}[A-Z]{0,2}\)?", re.A)  # F.28, SUN-12K
_EXHIBIT = re.compile(r"[A-Z]{1,2}-?\d{1,4}", re.A)
_LABELS_OF_BEDS = frozenset("Ward Bay Room Block".split())
_OF_BEDS = frozenset("bed bay cubicle male female surgical maternity paediatric icu hdu".split())
_SMALL_DOTTED = re.compile(r"(?:[a-z]\.){1,4}[a-z]?")
_SPECIALTIES = frozenset(
    "Med Surg Gynae Gyn Obs Paed Paeds Ped Peds Ortho Anaes Anesth Psych Derm Cardio Neuro Onc "
    "Radiol Path Ophth Urol Nephro Gastro Endo Pulm Comm Prac".split()
)
_SMALL_FIRST = re.compile(r"[a-z]{1,2}[A-Z]{2,5}")
_PLURAL_IN_BRACKETS = re.compile(r"[^\W\d_]+\((?:e?s|en|in)\)?")
_DEPUTY = frozenset("acting assistant associate deputy vice".split())
_UNNAMED = frozenset(
    "adult candidate child claimant complainant employee officer participant person respondent "
    "suspect victim witness".split()
)
_SPEAK = frozenset("speak speaks spoke speaking spoken fluent".split())
_REPEATED = re.compile(r"(.)\1+")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1\1")
_BEFORE_NATIONS = frozenset("is was are were be been am being 's ’s not half part very".split())
_STAGES = frozenset("stage grade class type score level".split())
_PATH = re.compile(r"[\w+.-]+://|\w+=[\"']?(?:[$/~]|[A-Z]:\\)|[A-Za-z]:\\|\\\\\w|~?/\w+/")
_STORMS = frozenset("storm hurricane typhoon cyclone".split())
_VERSES = re.compile(r" \d{1,3}:(?!(?:00|15|30|45)\b)\d{1,3}[-–]\d{1,3}(?!\d|[:.]\d)", re.A)
_CHAPTER = re.compile(r" \d{1,3}(?::\d{1,3})?(?![\w:]|\.\d)", re.A)
_BOOKS, _SCRIPTURE = words("BOOKS", "terms"), words("SCRIPTURE", "terms")
NEAR_SCRIPTURE = 8  # tokens before a book, of which one speaks of scripture
_DIRECTIONS = frozenset("north south east west".split())
_ANALYTES = frozenset(
    "Na K Cl Ca Mg Hb Plt Fe Zn Cu Ct Phos Alb Bili Creat Trop Lac Glu Cre Urea Neut Lymph Eos "
    "Bicarb Ferr Uric Chol Trig".split()
)
_OF_ANALYTES = frozenset("value values level levels result results".split())
_OF_TESTS = frozenset(
    "check corrected elevated high ionised ionized low plasma raised recheck repeat serum "
    "spot total urinary urine ↑ ↓".split()
)
_MIXED_UNIT = re.compile(r"[a-zµ]{1,2}[A-Z][A-Za-z]?")  # dBm, kWh
_WORK = re.compile(
    r"\b(?:songs?|records?|albums?|singles?|tracks?|tunes?|hymns?|anthems?|chorus|encores?|pieces?|"
    r"ringtones?|ringing|music was|music is|jingles?|lullab(?:y|ies)|ballads?|films?|movies?|"
    r"novels?|poems?|titled|entitled|plays?|played|playing|sang|sings|singing|sung|whistled|hummed)"
    r"[ ,:(]{1,2}[\"“”][^\"“”\n]{0,40}\Z",
    re.I,
)
_END_OF_WORK = re.compile(r"[^\"“”\n]{0,40}[\"“”]")
_CAPITAL_UNITS, _SHORT_WORDS = words("CAPITAL_UNITS", "terms"), words("CHAT")
_FILE_WORDS, _PEOPLES = words("FILE_WORDS"), words("PEOPLES", "terms")
# Codes of states that are other abbreviations, too: PA extension.
_ALSO_ABBREVIATIONS = frozenset(
    "AL AR AS CO CT DC DE GA HI ID IN MA MD ME MI MO MS MT NE OK OR PA PE PR SC VA VI".split()
)
_PLACED_BY = frozenset("in near from at to , around outside across".split())
_POLICY = re.compile(r"[A-Z]{2,5}")
_OF_PARTICIPLES = frozenset("to by with in on from under against".split())
_UNITS_OF_PERSONS = words("UNITS_OF_PERSONS", "terms")
_SURE_UNITS = frozenset({"Celsius", "Fahrenheit"})
_FORMULA = re.compile(
    r"\(?(?:(?:He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Sc|Ti|Cr|Mn|Fe|Co|Ni|Cu|Zn|Ga|As|"
    r"Se|Br|Sr|Zr|Mo|Ag|Cd|Sn|Sb|Te|Xe|Cs|Ba|La|Ce|Pt|Au|Hg|Pb|Bi|[HBCNOFPSKVYIWU])\d{0,3}[()]{0,2}){2,}"
)
_SIGN = expanded("SIGN")
# Thanks and greetings of other languages, which are names with a capital: says gracias.
_COURTESIES = frozenset(t for t in expanded("SALUTATIONS").split("|") if t.isalpha())
_PRICE = re.compile(rf"[{_SIGN}] ?\d[\d.,]*[kKmM]?/\Z")
_ENDS_WITH_SIGN = re.compile(rf"[{_SIGN}]\Z")


@reason(*network.LABELS)
def is_function_words(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of marks or of words as "as of"."""
    _, start, end = entity
    texts = context.bounds.texts[start:end]
    if all(map(str.islower, texts)) and all(t.is_stop for t in context.doc[start:end]):
        return True
    return not any(map(str.isalnum, "".join(texts)))


@reason(*network.LABELS)
def is_path(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a scheme, a path or a setting with one: ssh://, C:\\notes."""
    return _PATH.match(context.text(entity.start, entity.end)) is not None


@reason(*network.LABELS)
def is_head(context: Context, entity: Entity) -> bool:
    """Return whether an entity is in the row of heads of a table (Patient | Hosp No | Freq), or is
    of a few capitals as such a head, which another table names: ENG, of NAME | ENG | MAT."""
    if context.is_in_head(entity.start):
        return True
    text = context.text(entity.start)
    is_short = entity.end - entity.start == 1 and text.isupper() and entity.label != "DATE"
    return is_short and text in context.short_heads


@reason("PERSON", "GPE", "ORG", "DATE", "TIME")
def is_code(context: Context, entity: Entity) -> bool:
    """Return whether a place or a firm has the sign of an account (@nightowl), or whether an entity
    is the name of a setting or a role of common words (max.size, Guest_family), a version that a
    program requires (sync==2.6.1), an option of a command (-H), a variable with a number
    (POOL_MAX=12), a program that answers, or a line of a file.
    """
    text = context.text(entity.start, entity.end)
    if (
        "==" in text
        or _VARIABLE.fullmatch(text) is not None
        or (text.islower() and text.endswith("bot") and is_word(text[:-3]))  # pagerbot
        or _OPTION.search(text) is not None
        or _FAULT.fullmatch(text) is not None
        or (entity.label in ("DATE", "TIME") and _is_undated_name(text))
    ):
        return True
    if "_" in text:
        named = text.rpartition(".")[0] if is_file_name(text) else text
        pieces = re.split(r"[_-]", named)
        last = pieces[-1].lower().rstrip("0123456789")
        if last in _FILE_WORDS and context.text(entity.end) != ":":
            return not any(is_name(piece) for piece in pieces[:-1])
        return all(_is_common_piece(piece) for piece in pieces if piece.isalpha())
    return (entity.label != "PERSON" and "@" in text) or is_setting(text)


def _is_common_piece(piece: str) -> bool:
    is_common = is_ordinary(piece) if piece.islower() else is_word(piece.lower())
    return is_common and not is_name(piece)


def _is_undated_name(text: str) -> bool:
    """Return whether a text is the name of a file or a setting that holds no date, or a line of
    one: Kaufvertrag-final.docx, max_size, app.py:12."""
    if ":" in text:
        return is_file_name(text.rstrip(".]"))
    return not DIGIT.search(text) and ("_" in text or is_file_name(text))


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_direction(context: Context, entity: Entity) -> bool:
    """Return whether a few capitals are where the wind or the sea comes from: 2 m from SE."""
    is_point = context.text(entity.start) in _POINTS
    return is_point and len(_WEATHER.intersection(context.bounds.lowers)) > 1


@reason("PERSON", "GPE", "ORG")
def is_number_or_about(context: Context, entity: Entity) -> bool:
    """Return whether words are a number (Sixty-four.), or a common word that -ish makes a rough
    one: Pink-ish."""
    tokens = context.doc[entity.start : entity.end]
    if len(tokens) > 2 and tokens[-1].lower_ == "ish" and tokens[-2].text == "-":
        return is_ordinary(tokens[0].lower_)
    return len(tokens) > 1 and all(token.like_num or token.text == "-" for token in tokens)


@reason("PERSON", "GPE", of_word=True)
def is_title_with_stop(context: Context, entity: Entity) -> bool:
    """Return whether a name is a title with a full stop, before the name of a person: Kum. Jigna.
    An ordinary word behind the stop begins a sentence: We met Kum. He left."""
    i = entity.start
    named = context.text(i + 2)
    if context.text(i + 1) != "." or not named.istitle() or is_only_ordinary(named):
        return False
    return is_also_title(context.text(i), ". " + named)


@reason("ORG", of_word=True)
def is_of_slogan(context: Context, entity: Entity) -> bool:
    """Return whether a firm is an adjective behind a verb, both with capitals: Go Green."""
    verb, word = context.text(entity.start - 1), context.text(entity.start)
    if not verb.istitle() or not is_only_ordinary(verb):
        return False
    of = builtin_lexicon().of
    return "verb" in of(verb.lower()) and "adjective" in of(word.lower())


@reason("PERSON", "GPE", "ORG")
def is_heading_in_bold(context: Context, entity: Entity) -> bool:
    """Return whether a name is a word in small letters that is alone on its line and in bold, as
    packages are. Users there are found by rules."""
    if not context.text(entity.start, entity.end).islower():
        return False
    span = context.doc[entity.start : entity.end]
    start, end = span.start_char - 2, span.end_char + 2
    text = context.bounds.text
    is_bold = start >= 0 and text[start : start + 2] == text[end - 2 : end] == "**"
    return (
        is_bold
        and text[max(start - 1, 0) : start] in ("", "\n")
        and text[end : end + 1] in ("", "\n")
    )


@reason("PERSON", of_word=True)
def describes_person(context: Context, entity: Entity) -> bool:
    """Return whether a name describes the person behind it: we saw Young Sipho."""
    i = entity.start
    return is_describing(context.text(i), context.text(i - 1), context.text(i + 1))


@reason("GPE", of_word=True)
def is_noun_of_text(context: Context, entity: Entity) -> bool:
    """Return whether the network alone takes a noun for a place that a document with capitals also
    writes in small letters (one buffalo), within a sentence or at its start; not one that has a
    capital within a sentence, too: in Buffalo."""
    text, before = context.text(entity.start), context.text(entity.start - 1)
    if context.is_ruled(entity) or not context.counts[text.lower()]:
        return False
    if not (context.is_capitalised or context.capitalises_names):
        return False
    is_noun = "noun" in builtin_lexicon().of(text.capitalize())
    opens = not before or before.isspace() or before in BEFORE_SENTENCES
    title, texts = text.capitalize(), context.bounds.texts
    is_place = any(word == title and texts[i - 1].islower() for i, word in enumerate(texts) if i)
    return is_noun and not is_place and (opens or text.islower())


@reason("DATE", "TIME", of_word=True)
def is_speaker(context: Context, entity: Entity) -> bool:
    """Return whether capitals open a line before a colon, as a speaker does: AM: In May."""
    i = entity.start
    opens = i == 0 or "\n" in context.text(i - 1)
    return opens and context.text(i + 1) == ":" and context.text(i).isupper()


@reason("PERSON", "GPE", "ORG")
def is_spelled(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of letters with blanks, as of a word that is spelled: E M G."""
    texts = context.bounds.texts[entity.start : entity.end]
    is_letter = all(len(text) == 1 and text.isalpha() for text in texts)
    return len(texts) > 1 and is_letter and not context.is_ruled(entity)


@reason("PERSON", "GPE", "ORG")
def is_drawn_out(context: Context, entity: Entity) -> bool:
    """Return whether an entity begins with a common word that is drawn out, as it is said (Nooo
    hun), rather than with a name: Maaaria."""
    text = context.text(entity.start)
    if _DRAWN_OUT.search(text) is None:
        return False
    lower = _REPEATED.sub(r"\1", text.lower())
    return is_word(lower) and not is_name(lower)


@reason("PERSON", "GPE", "ORG", of_word=True)
def has_plural_in_brackets(context: Context, entity: Entity) -> bool:
    """Return whether the end of a plural stands in brackets behind a word: Carer(s)."""
    text = context.text(entity.start, entity.end + 2)
    return _PLURAL_IN_BRACKETS.match(text) is not None


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_function_word(context: Context, entity: Entity) -> bool:
    """Return whether a word is an interjection, a number or a function word, as "Nope.", "Nine" and
    "Ever" are. In capitals it may be an abbreviation of a place or a firm (US, WHO); OK is one of a
    state behind a comma."""
    text, before = context.text(entity.start), context.text(entity.start - 1).lower().rstrip(".")
    if text == "OK" and before != ",":
        return True
    if before in LISTED["TITLE"] or (entity.label != "PERSON" and text.isupper()):
        return False
    return not context.is_ruled(entity) and not _FUNCTION_CLASSES.isdisjoint(
        builtin_lexicon().of(text.lower())
    )


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_letter_for_someone(context: Context, entity: Entity) -> bool:
    """Return whether a letter without a full stop stands for someone whom a decision does not name:
    Officer B, Witness C."""
    text, before = context.text(entity.start), context.text(entity.start - 1)
    return len(text) == 1 and text.isupper() and before.lower() in _UNNAMED


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_whose_number(context: Context, entity: Entity) -> bool:
    """Return whether a short word, which is no listed name, says whose number follows: Hosp no.
    B0448."""
    i, text = entity.start, context.text(entity.start)
    if context.text(i + 1).lower().rstrip(".") not in ("no", "nr", "num", "number", "ref"):
        return False
    code = next((t for t in context.bounds.texts[i + 2 : i + 5] if t not in (".", ":", "#")), "")
    is_listed_name = not kinds(text).isdisjoint({"FIRST", "SURNAME", "SURE_SURNAME"})
    return not is_listed_name and any(map(str.isdigit, code))


@reason("PERSON", "GPE", "ORG")
def is_key_of_code(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a few capitals before a code that begins with them: the NCR
    NCR-117."""
    first, code = context.text(entity.start), context.text(entity.start + 1, entity.end)
    return first.isupper() and re.fullmatch(rf"{re.escape(first)}[-/ ]?\d[\w/-]*", code) is not None


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_role(context: Context, entity: Entity) -> bool:
    """Return whether a word is a title, an office or a kin term alone (Doctor, Auntie), for which
    no rule speaks, and the network only if it is also a name; or a title before a name that is a
    town, too (Kak Norliza)."""
    text, after = context.text(entity.start), context.text(entity.end)
    if after == ".":
        after = context.text(entity.end + 1)
    if entity.label == "GPE" and text.lower() in LISTED["TITLE"] and after.istitle():
        return True
    if text.isupper() and text.lower() in RANKS and (after.isdigit() or is_name(after)):
        return True  # DC 1427 Holroyd
    if is_grade(text):
        return True
    if text == "Dean" and context.text(entity.start - 1).lower() in _DEPUTY:
        return True
    if text.lower() not in PERSON_WORDS or context.is_ruled(entity):
        return False
    if text.lower() in JOBS and not after.istitle():
        return True  # tell Pastor, who is sick
    return not (is_name(text) and context.is_certain(entity.label, entity.start))


@reason("GPE", "ORG", of_word=True)
def is_county(context: Context, entity: Entity) -> bool:
    """Return whether a word only says that a county follows: Co. Clare."""
    text = context.text(entity.start)
    after = entity.end + (context.text(entity.end) == ".")
    return text.rstrip(".") == "Co" and context.text(after).istitle()


@reason("PERSON", "GPE", of_word=True)
def is_nationality(context: Context, entity: Entity) -> bool:
    """Return whether a word says what somebody or something is (he was Irish, an English firm), or
    what someone speaks (Tamil and Malay), and no rule takes it for a name."""
    text, before = context.text(entity.start), context.text(entity.start - 1).lower()
    if "language" in builtin_lexicon().of(text) and (
        before in _SPEAK or _is_spoken(context, entity)
    ):
        return not context.is_ruled(entity)
    if not (before in _BEFORE_NATIONS or before in ARTICLES):
        return False
    if text.lower() in words("NATIONALITIES", "terms"):
        return True
    if context.is_ruled(entity) or entity.start in context.guessed:
        return False
    return "nationality" in builtin_lexicon().of(text)


def _is_spoken(context: Context, entity: Entity) -> bool:
    """Return whether a language stands beside another: speaks Tamil and Malay."""
    before = context.text(entity.start - 1).lower()
    other = context.text(entity.start - 2)
    return before in (",", "and", "or", "/") and "language" in builtin_lexicon().of(other)


@reason("GPE", of_word=True)
def is_pronoun_in_capitals(context: Context, entity: Entity) -> bool:
    """Return whether a verb or "about" in capitals stands before US, as in a heading: VISIT US."""
    before = context.text(entity.start - 1)
    if context.text(entity.start) != "US" or not (before.isupper() and len(before) > 1):
        return False
    return before == "ABOUT" or "verb" in builtin_lexicon().of(before.lower())


@reason("PERSON", "GPE", "ORG")
def is_small(context: Context, entity: Entity) -> bool:
    """Return whether an entity is in small letters where names have capitals, or in code."""
    texts = context.bounds.texts[entity.start : entity.end]
    if any(text[0].isupper() for text in texts):
        return False
    if len(texts) == 1 and texts[0] in _COURTESIES:
        return True
    texts = [t for t in texts if (t.isascii() and t != "-") or any(map(str.isalnum, t))]  # no emoji
    if entity.label == "ORG" and len(texts) == 2 and texts[1].isdigit():
        texts = texts[:1]  # div 2
    if not all(text.islower() and (text.isalpha() or _is_only_small(text)) for text in texts):
        return False
    if context.is_capitalised or context.is_in_code(entity.start):
        return True
    before = context.text(entity.start - 1).lower()
    if _KEYS.fullmatch(before):
        return False
    are_ordinary = [*map(_is_only_small, texts)]
    if not context.whole.islower() and all(are_ordinary):
        return True
    # A user name, which is one word, may open a line, or stand behind a mark.
    if not context.capitalises_names or not (before.isalpha() or len(texts) > 1):
        return False
    forms = {form.capitalize() for text in texts for form in (text, text.removesuffix("s"))}
    return any(are_ordinary) or not any(map(is_name, forms))


def _is_only_small(text: str) -> bool:
    """Return whether each part of a word in small letters is an ordinary word, and nobody's name:
    rebar, reaper-thresher."""
    parts = text.split("-")
    return not any(map(is_name, parts)) and all(
        is_ordinary(part) or part in _SHORT_WORDS or pattern("MEDICAL_END").fullmatch(part)
        for part in parts
    )


@reason("ORG")
def is_small_phrase(context: Context, entity: Entity) -> bool:
    """Return whether words in small letters begin with a common one or have a stop word, in a text
    that has capitals."""
    tokens = context.doc[entity.start : entity.end]
    if len(tokens) < 2 or not tokens.text.islower() or context.whole.islower():
        return False
    return is_word(tokens[0].text) or any(token.is_stop for token in tokens)


@reason("GPE", "ORG")
def is_abbreviation(context: Context, entity: Entity) -> bool:
    """Return whether a place or a firm is one letter or two small ones, or an abbreviation before
    its value (PSA 4) or its stage (IRIS stage 2), or one that begins with a small letter as such do
    (eGFR), also with its value."""
    _, start, end = entity
    if end - start > 2 or (end - start == 2 and not context.text(end - 1).isdigit()):
        return False
    text, after = context.text(start), context.text(start + 1)
    if after in _STAGES or after == ":":
        after = context.text(start + 2)
    if len(text) == 1 or text.islower():
        return len(text.replace(".", "")) < MIN_SMALL
    if not text.isalpha() or text[1:].islower():
        return False
    if text[0].islower():
        return True
    if end - start > 1:
        return False
    is_before_value = after[:1].isdigit() or (DIGIT.search(after) and not is_land(text))
    return text.isupper() and len(text) < 5 and bool(is_before_value)


@reason("ORG")
def is_noun_of_short_form(context: Context, entity: Entity) -> bool:
    """Return whether a listed abbreviation stands before goods, others or a common noun that is no
    trade and no body (VAT Refund, DPF clean, DOB & Venmo ID), for which neither a rule nor the
    network speaks."""
    i, end = entity.start, entity.end
    if end - i < 2 or context.text(i) not in ABBREVIATIONS or context.is_ruled(entity):
        return False
    rest = [text for text in context.bounds.texts[i + 1 : end] if text != "&"]
    if len(rest) < 1 or not all(map(_is_no_part_of_firm, rest)):
        return False
    return odds(context.shares, "ORG", i) <= SURELY_SHORT_FORM


def _is_no_part_of_firm(text: str) -> bool:
    """Return whether a word is an abbreviation, goods, or a common noun that names no body."""
    lower = text.lower()
    if text in ABBREVIATIONS or text == "ID":
        return True
    if is_name(text) or text in FIRM_ENDS or lower in INSTITUTIONS:
        return False
    return lower in GOODS or is_ordinary(lower)


@reason("GPE", "ORG")
def are_short_forms(context: Context, entity: Entity) -> bool:
    """Return whether a place or a firm is of several words of a few capitals, for which neither a
    rule nor the network speaks: CVP R."""
    i, end = entity.start, entity.end
    texts = context.bounds.texts[i:end]
    if end - i < 2 or context.is_ruled(entity) or context.whole.isupper():
        return False
    if not all(text.isupper() and text.isalpha() and len(text) < MAX_KEY // 2 for text in texts):
        return False
    if any(is_land(text) or text.lower() in FIRMS for text in texts):
        return False
    return all(odds(context.shares, entity.label, j) <= LEAST_PLACE for j in range(i, end))


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_analyte(context: Context, entity: Entity) -> bool:
    """Return whether a short form of a chemical or a blood test stands before its value (K 4.1, Hb
    levels, ANCA 1:20) there or elsewhere, or behind what is said of one, and no name beside it:
    recheck Na."""
    i, end = entity.start, entity.end
    text, after = context.text(i), context.text(end)
    if text.isupper() and len(text) > 2 and text in context.tested:
        return True
    if text not in _ANALYTES:
        return False
    if after[:1].isdigit() or after in _OF_ANALYTES:
        return True
    before = context.bounds.lowers[i - 1] if i else ""
    if after.istitle() or before.rstrip(".") in LISTED["TITLE"] or is_name(context.text(i - 1)):
        return False
    return before in _OF_TESTS or text in context.tested


@reason("PERSON", "GPE", "ORG")
def begins_small(context: Context, entity: Entity) -> bool:
    """Return whether a word is of a small letter and capitals (eGFR), also before words in small
    letters, or of small letters with full stops where names have capitals (o.c.), as no name is."""
    text, rest = context.text(entity.start), context.bounds.texts[entity.start + 1 : entity.end]
    if _SMALL_FIRST.fullmatch(text):
        return not any(word[0].isupper() for word in rest)
    is_dotted = _SMALL_DOTTED.fullmatch(text) is not None and context.is_capitalised
    return entity.label == "PERSON" and not rest and is_dotted


@reason("PERSON", of_word=True)
def is_label_of_number(context: Context, entity: Entity) -> bool:
    """Return whether a word that is no given name opens a line that a colon and a number end (Ward:
    7), or a colon and where a patient lies stand behind it: Ward: Male 2, Bed 4."""
    i, text = entity.start, context.text(entity.start)
    if context.text(i + 1) != ":":
        return False
    before, after = context.text(i - 1), context.text(i + 3)
    is_line = (not before or "\n" in before) and (not after or "\n" in after)
    if is_line and context.text(i + 2).isdigit():
        is_given = "first_name" in builtin_lexicon().of(text)
        return text in _LABELS_OF_BEDS or (is_ordinary(text.lower()) and not is_given)
    is_near = not _OF_BEDS.isdisjoint(context.bounds.lowers[i + 2 : i + 2 + NEAR_SCRIPTURE])
    return text in _LABELS_OF_BEDS and is_near


@reason("PERSON", of_word=True)
def is_specialty_in_brackets(context: Context, entity: Entity) -> bool:
    """Return whether a short word for a specialty closes the brackets behind a degree: MD (Gen
    Med)."""
    i = entity.start
    is_last = context.text(i) in _SPECIALTIES and context.text(i + 1) == ")"
    return is_last and "(" in (context.text(i - 1), context.text(i - 2), context.text(i - 3))


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_before_code(context: Context, entity: Entity) -> bool:
    """Return whether a short word with a full stop stands before a code: Ext. C1."""
    i = entity.start
    is_short = len(context.text(i)) <= MIN_SMALL and context.text(i + 1) == "."
    return is_short and _EXHIBIT.fullmatch(context.text(i + 2)) is not None


@reason("PERSON", "ORG", "GPE", of_word=True)
def is_short_form(context: Context, entity: Entity) -> bool:
    """Return whether a name is a few capitals, in no list and beside words not in capitals, of
    which the network is not sure: My ORCID is on file, arrived in ED. In a field it may be a team
    or a country."""
    i = entity.start
    text, before, after = context.text(i), context.text(i - 1), context.text(i + 1)
    if not (text.isupper() and text.isalpha() and len(text) <= _MAX_SHORT_FORM[entity.label]):
        return False
    if context.whole.isupper():
        return False
    if text.lower() in FIRMS or context.is_ruled(entity) or i in context.guessed:
        return False
    if is_land(text) or is_town(text.capitalize()):
        return False
    if any(word.isupper() and len(word) > 1 for word in (before, after)):
        return False
    is_field = not CELLS.isdisjoint((before[-1:], after[:1]))
    return not is_field and odds(context.shares, entity.label, i) <= SURELY_SHORT_FORM


@reason("PERSON", "GPE", "ORG", "ADDRESS")
def is_shorthand(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of the abbreviations of a note, with numbers and common words
    beside them: abdo SNT, OSA. Those that no list has are ones near several others, unless they are
    a name, too; behind a title or "by" all may name someone."""
    _, start, end = entity
    texts = context.bounds.texts[start:end]
    short = [text for text in texts if text.isupper() and text.isalpha() and len(text) > 1]
    if not short or context.whole.isupper():
        return False
    if not context.is_in_shorthand(start, end):
        return end - start == 1 and texts[0] in SHORTHAND and _is_alone_in_note(context, start)
    labelled = context.text(start - 1) == ":"  # Next of kin: PEARL
    before = context.text(start - 1 - labelled).lower().rstrip(".")
    if before in LISTED["TITLE"] or before in PERSON_WORDS or before in _BEFORE_SHORT_NAMES:
        return False
    is_place = before in _BEFORE_STATES and entity.label == "GPE" and short[0] in STATES
    small = context.is_capitalised
    return not is_place and all(
        text in SHORTHAND or _is_of_note(entity.label, text, small_names_none=small)
        for text in texts
    )


def _is_alone_in_note(context: Context, i: int) -> bool:
    """Return whether an abbreviation opens a sentence of a note, far from others: BO last night."""
    before, after = context.text(i - 1), context.text(i + 1)
    opens = not before or "\n" in before or before in BEFORE_SENTENCES
    return opens and after.islower() and context.is_note


def _is_of_note(label: str, text: str, *, small_names_none: bool) -> bool:
    """Return whether a word of a note that no list has names nobody: a short one in capitals, of
    which a person's has a vowel, a word in small letters, a number.

    small_names_none: Whether the names of the note have capitals.
    """
    text = text.rstrip(".")
    if not any(map(str.isalpha, text)):
        return True
    lower = text.lower()
    if text.islower() or any(map(str.isdigit, text)) or len(text) == 1:
        is_someone = is_name(text.capitalize()) and not (text.islower() and small_names_none)
        return not is_someone and lower not in _STREETS
    if label == "PERSON" and _SHORT_KEY.fullmatch(text) is None:
        return False
    is_short = text.isupper() and len(text) <= _MAX_SHORT_FORM[label] and lower not in _STREETS
    title = text.capitalize()
    return is_short and not (is_name(title) or is_town(title) or is_land(text) or lower in FIRMS)


_GOING = frozenset(  # to and from places, in short notes
    "transit depart departs departed arrive arrives arrived load loaded discharge discharged ship "
    "shipped collect collected deliver delivered clear cleared port origin destination via "
    "route".split()
)


@reason("GPE", of_word=True)
def is_unplaced(context: Context, entity: Entity) -> bool:
    """Return whether a word that is a city, too, stands behind an article or a word that describes
    a thing (the Kenwood, Beef Wellington), and is no place to the network; or alone behind "a"."""
    i = entity.start
    if not context.is_ruled(entity) or is_name(context.text(i)):
        return False
    before = context.text(i - 1).lower()
    if before in ONE and context.text(i + 1) in AFTER_THING:
        return True
    if odds(context.shares, "GPE", i) >= LEAST_PLACE or context.counts[context.text(i)] > 1:
        return False
    return before in ARTICLES or (
        before not in _GOING
        and context.text(i - 1).istitle()
        and is_common_word(context.doc, i - 1)
    )


@reason("PERSON", "GPE", "ORG")
def is_storm(context: Context, entity: Entity) -> bool:
    """Return whether a storm has the name: Hurricane Maria, after Storm Aiden."""
    first = entity.start if entity.end - entity.start > 1 else entity.start - 1
    word = context.text(first)
    return word.istitle() and word.lower() in _STORMS


@reason("PERSON", "ORG", of_word=True)
def is_acronym(context: Context, entity: Entity) -> bool:
    """Return whether an article and capitals make a first name an acronym: the ELISA drifts."""
    text, after = context.text(entity.start), context.text(entity.end)
    if not (len(text) > 2 and text.isupper() and after.islower() and after.isalpha()):
        return False
    classes = builtin_lexicon().of(text.capitalize())
    is_given = entity.label == "PERSON" or "first_name" in classes
    is_described = context.text(entity.start - 1).lower() in ARTICLES
    return is_described and is_given and "surname" not in classes


@reason("PERSON", "GPE", of_word=True)
def is_book(context: Context, entity: Entity) -> bool:
    """Return whether verses, which are no times of day, follow the name of a book: Mark 1:7-11. A
    chapter or one verse do behind a word for scripture (the lesson is James 2:14), or for a book
    that is nobody's name: Leviticus 19."""
    if not context.text(entity.end)[:1].isdigit():
        return False
    text, last = context.text(entity.start), context.doc[entity.end - 1]
    end = last.idx + len(last)
    if _VERSES.match(context.whole, end):
        return True
    if text.lower() not in _BOOKS or _CHAPTER.match(context.whole, end) is None:
        return False
    first = max(entity.start - NEAR_SCRIPTURE, 0)
    if not (is_name(text) and _SCRIPTURE.isdisjoint(context.bounds.lowers[first : entity.start])):
        return True
    return _VERSES.search(context.text(first, entity.start)) is not None


@reason("PERSON", "GPE", "ORG")
def is_of_directions(context: Context, entity: Entity) -> bool:
    """Return whether two directions, which may tell the kind of a thing, are joined: the
    North-South line, East-West vulnerable."""
    first, *rest = context.text(entity.start, entity.end).split()
    directions = first.lower().removesuffix("ern").removesuffix("erly").split("-")
    is_place = any(not word.islower() for word in rest)  # south-east England
    return len(directions) > 1 and _DIRECTIONS.issuperset(directions) and not is_place


@reason("PERSON", "GPE", of_word=True)
def is_of_spelling(context: Context, entity: Entity) -> bool:
    """Return whether a word stands for its first letter, as one that is spelled: C for Charlie."""
    i, text = entity.start, context.text(entity.start)
    return context.text(i - 1).lower() in ("for", "as") and (
        context.text(i - 2).upper() == text[0].upper()
    )


@reason("GPE", of_word=True)
def is_of_nature(context: Context, entity: Entity) -> bool:
    """Return whether an article and a capital make a common noun of a place: to the Lake if."""
    i = entity.start
    if context.text(i - 1) != "the" or not _is_noun(context.text(i)):
        return False
    return not context.text(i + 1)[:1].isupper() and not is_town(context.text(i))


@reason("PERSON", of_word=True)
def has_article(context: Context, entity: Entity) -> bool:
    """Return whether an article makes a name that of a thing: "the Elgar." A noun behind it (the
    Lind file), a plural (the Linds), or a verb behind a listed name that is no noun of English
    leave it one of persons: the Dean agreed, the Lord Lieutenant came."""
    text, before = context.text(entity.start), context.text(entity.start - 1)
    after = context.text(entity.end)
    if text.islower() and before.lower() in _BEFORE_SMALL:
        return True  # this ute
    if before in _NOBLE and _is_noun(text):
        return context.text(entity.start - 2).lower() == "the" and not after[:1].isupper()
    if before.lower() not in ARTICLES or text.endswith("s"):
        return False
    if not after or after in AFTER_THING:
        return before.islower()
    is_listed = is_name(text) or context.is_ruled(entity)
    if (is_listed and not _is_noun(text)) or not (after.islower() and is_word(after)):
        return False
    classes = builtin_lexicon().of(after)
    return bool(classes) and "noun" not in classes


def _is_noun(text: str) -> bool:
    return text.istitle() and "noun" in builtin_lexicon().of(text.lower())


@reason("PERSON", "GPE", "ORG")
def is_key(context: Context, entity: Entity) -> bool:
    """Return whether a word says what the code behind it is: Rego QMB318, VIN WVWZZZ1JZXW, EAN
    4006381333931. So does one in capitals before an identifier or an address (KVNR A123456780),
    unless it is a name, a town or a firm, may be a name, or all words are in capitals."""
    i = entity.start
    after = i + 1
    while context.text(after).lower() in _BEFORE_CODES:
        after += 1
    if after >= len(context.doc):
        return False
    text, code = context.text(i), context.doc[after]
    is_coded = code.ent_type_ in _CODED
    if _KEYS.fullmatch(text.lower()):
        return is_coded
    may_be_given = code.ent_type_ == "PHONE" and len(text) <= MAX_GIVEN  # Rut 07700 90
    is_someone = text.istitle() and (is_name(text) or may_be_given)
    if _CODE_KEYS.fullmatch(text.lower()) and not is_someone:
        return is_coded or sum(map(str.isdigit, code.text)) >= MIN_CODE
    if not is_coded or code.ent_type_ == "PHONE" or entity.end > i + 1:
        return False
    if entity.label == "PERSON" and not _SHORT_KEY.fullmatch(text):
        return False  # a family name that no list has
    return not context.is_ruled(entity) and len(text) <= MAX_KEY and _is_unlisted(context, text)


def _is_unlisted(context: Context, text: str) -> bool:
    """Return whether a word of capitals, in a text with others, is no listed name."""
    if not (text.isupper() and text.isalpha() and len(text) > 1):
        return False
    is_listed = is_name(text.capitalize()) or is_town(text.capitalize()) or is_land(text)
    return not (is_listed or text.lower() in FIRMS or context.whole.isupper())


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_people(context: Context, entity: Entity) -> bool:
    """Return whether a word is a people or a language, and nobody's name: Sogdian, in Tigrinya."""
    text = context.text(entity.start)
    return text.istitle() and text.lower() in _PEOPLES and not is_name(text)


@reason("GPE", "ORG", of_word=True)
def is_other_abbreviation(context: Context, entity: Entity) -> bool:
    """Return whether the code of a state stands before a noun in small letters, and behind no word
    for a place: of PA extension."""
    i = entity.start
    before = context.bounds.lowers[i - 1] if i else ""
    is_behind_number = before == "," and any(map(str.isdigit, context.text(i - 2)))
    if context.text(i) not in _ALSO_ABBREVIATIONS or (
        before in _PLACED_BY and not is_behind_number
    ):
        return False
    after = context.text(i + 1)
    return after.islower() and "noun" in builtin_lexicon().of(after)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_policy(context: Context, entity: Entity) -> bool:
    """Return whether a few capitals are the code of a policy: POLICY JICJ, policies GBEA."""
    before = context.text(entity.start - 1).lower()
    return (
        before in ("policy", "policies")
        and _POLICY.fullmatch(context.text(entity.start)) is not None
    )


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_opening_of_phrase(context: Context, entity: Entity) -> bool:
    """Return whether a noun with the capital of its sentence goes on with "of" and a noun in small
    letters (Price of cotton), or a participle with its preposition (Sung to the tune)."""
    i = entity.start
    text, before, link = context.text(i), context.text(i - 1), context.text(i + 1)
    opens = not before or before.isspace() or before in BEFORE_SENTENCES - {":", "(", "-"}
    if not (opens and text.istitle()) or not context.text(i + 2).islower():
        return False
    classes = builtin_lexicon().of(text.lower())
    if link == "of":
        return "noun" in classes and not context.doc[i + 2].is_stop
    return link in _OF_PARTICIPLES and "past_participle" in classes and "noun" not in classes


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_role_of_several(context: Context, entity: Entity) -> bool:
    """Return whether a stroke joins a word to a role: Plater/Welder."""
    i = entity.start
    joined = {
        j: context.text(j) == "/" and not context.doc[j - 1].whitespace_ for j in (i - 1, i + 1)
    }
    return (joined[i + 1] and context.text(i + 2).lower() in LISTED["ROLE"]) or (
        joined[i - 1] and context.text(i - 2).lower() in LISTED["ROLE"]
    )


@reason("PERSON", "GPE", "ORG")
def is_work(context: Context, entity: Entity) -> bool:
    """Return whether an entity stands in quotes behind the word for a work: her record "Agua"."""
    start, whole = context.doc[entity.start].idx, context.whole
    before = whole[max(start - BESIDE, 0) : start]
    last = context.doc[entity.end - 1]
    match = _WORK.search(before)
    return match is not None and _END_OF_WORK.match(whole, last.idx + len(last)) is not None


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_short_word(context: Context, entity: Entity) -> bool:
    """Return whether a word in small letters is one of chats and of short notes, and nobody's name:
    qty, evac."""
    text = context.text(entity.start)
    return text in _SHORT_WORDS and "first_name" not in builtin_lexicon().of(text.capitalize())


@reason("PERSON", "GPE", "ORG", "ADDRESS", of_word=True)
def is_formula(context: Context, entity: Entity) -> bool:
    """Return whether a word is the formula of a compound: MgSO4, NaHCO3."""
    text = context.text(entity.start)
    return DIGIT.search(text) is not None and _FORMULA.fullmatch(text) is not None


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_unit_of_person(context: Context, entity: Entity) -> bool:
    """Return whether a word is a unit that is called after a person, beside another one or behind a
    number: Kelvin to Celsius."""
    i, text = entity.start, context.text(entity.start)
    if text.lower() not in _UNITS_OF_PERSONS:
        return False
    beside = (context.bounds.lowers[j] for j in range(max(i - 3, 0), min(i + 4, len(context.doc))))
    others = _UNITS_OF_PERSONS & {*beside} - {text.lower()}
    return text in _SURE_UNITS or bool(others) or context.text(i - 1) in ("degrees", "degree")


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_unit(context: Context, entity: Entity) -> bool:
    """Return whether a word is a unit behind its number (-67 dBm, 400 PPM, $1,475/FEU), or the sign
    of a currency before it (US$ 20)."""
    text, before = context.text(entity.start), context.text(entity.start - 1)
    if _ENDS_WITH_SIGN.search(text):
        return True
    is_unit = text in _CAPITAL_UNITS and len(before) < MIN_POSTAL_CODE
    is_unit |= any(f.fullmatch(text) for f in (_MIXED_UNIT, pattern("NO_PLATE")))
    if is_unit and before[-1:].isdigit():
        return True
    price = context.text(max(entity.start - 4, 0), entity.start)
    return before.endswith("/") and _PRICE.search(price) is not None


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_counted(context: Context, entity: Entity) -> bool:
    """Return whether a number stands before a word in small letters, in a text that has capitals:
    400 000 dinars."""
    text, before = context.text(entity.start), context.text(entity.start - 1)
    return text.islower() and before.isdigit() and not (is_name(text) or context.whole.islower())
