"""Classify words by their letters and public tables: their roles in names, dates and places.

The token rules match the kinds of words, not the words; the network reads features of the words.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from typing import TypeVar

import numpy as np
from spacy.attrs import IS_SPACE, LIKE_EMAIL, LIKE_NUM, LIKE_URL, ORTH
from spacy.lang.lex_attrs import word_shape
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..about import DATA
from ..arrays import Numbers2d
from ..files.word_lists import read_words
from ..space import Space
from ..space.blocked import OFFENSIVE
from ..text.mentions import is_word
from ..text.tokens import Tokens, with_line_feeds
from .tables import (
    FOLLOWING,
    GOODS,
    LANDS,
    LISTED,
    NAMES,
    NONE,
    PEOPLES,
    PLACES,
    expanded,
    pattern,
    rule_words,
    sections,
    words,
)

T = TypeVar("T")
ORDINARY_WORDS = DATA / "ordinary_words.txt.gz"
_MARKS = ("NUM", "SPACE", "EMAIL", "URL")  # kinds from spaCy's lexical attributes
WORD_KINDS = (*" ".join(sections("words")["KINDS"]).split(), *FOLLOWING, *_MARKS)
ALSO_SURE = words("ALSO_SURE")
ALSO_FIRST = ALSO_SURE | words("ALSO_FIRST")
_KINDS_OF = {
    word: {kind for kind, listed in LISTED.items() if word in listed}
    for word in NONE.union(*LISTED.values())
}
_CLOSED = frozenset(
    "pronoun possessive determiner preposition conjunction auxiliary negation wh_word "
    "adverb_particle adverb_function interjection modal".split()
)
_CLOSINGS = frozenset("cheers regards sincerely thanks yours thx rgds".split())
_JOINTS = frozenset({"-", "‐", "–", " "})
MIN_PLURAL = 4  # letters: AMS is none
MIN_PREFIXED = 7  # letters of a word with a prefix
MIN_COMMON_PLAINNESS = 2.0  # Lexicon.plainness from which a name is rather a common word
# what stands between two hours, and behind one
TO_HOUR = frozenset("to till until til - – am pm a.m. p.m.".split())
_SUFFIX = frozenset("jr jr. sr sr. ii iii iv esq".split())
_AMBIGUOUS = frozenset("may march mar dec sep jan jun sun sat wed mon thu thur".split())
_NO_PART, _CHAT, _SMALL_FIRST = words("NO_PART"), words("CHAT"), words("SMALL_FIRST")
_FEATURE_CLASSES = (
    {"first_name"}, {"surname"}, {"city"}, {"country", "state", "region"},
    {"nationality", "religion", "language"}, {"month", "weekday"}, {"title"},
)  # fmt: skip
_NAME_SHAPE = re.compile(r"[^\W\d_]+(?:['’ʻ][^\W\d_]+){0,2}")
# Within a name, as in Fa'asavalu and Ng'ang'a; not of y'all, ma'am, o'clock and Qur'an.
_GLOTTAL = re.compile(
    r"(?<=\w)(?<!ur)['’ʻ](?!(?:ll|re|ve|am|all|clock|er|en|em)\b)(?=[a-zß-öø-ÿ]{2})"
)
_INNER_CAPITAL = re.compile(r"(?:Mc|Mac|O['’]|D['’]|De|Di|La|Le|Van|Von|Fitz|St)[A-Z]")
_INITIAL = re.compile(r"(?:[^\W\d_]\.){1,3}|(?![AI])[^\W\d_]")
_PIECE = re.compile(r"[^\W\d_]{3,}")
# A word of science, or a form of a verb (onboarding): family names begin with none of these.
_PREFIXED = re.compile(
    r"(?:anti|auto|bio|cardio|counter|electro|gastro|hydro|hyper|hypo|immuno|inter|intra|micro|multi|"
    r"neuro|non|osteo|photo|poly|pseudo|psycho|radio|semi|sub|super|tele|thermo|thrombo|ultra)"
    r"(\w{5,})|(?:de|mis|off|on|out|over|pre|re|un|under|up)(\w{3,}(?:ing|ed))"
)
_SETTING = re.compile(r"[a-z\d_]{1,30}(?:\.[a-z\d_]{1,30})*\.[a-z_]{2,30}")
_HOST_ENDS = frozenset(
    "com org net edu gov mil int info biz pro example test invalid local home internal app dev "
    "cloud online site shop store tech blog live news".split()
)
_TRIPLED = re.compile(r"(.)\1\1")
_DIGIT = re.compile(r"\d")
_DECIMAL = re.compile(r"\d{1,3}(?:[.,]\d{1,2}){1,2}")
_DIGIT_KINDS = {
    "YY": re.compile(r"\d\d"),
    "DAY": re.compile(r"0?[1-9]|[12]\d|3[01]"),
    "YEAR": re.compile(r"(?:1[89]|20)\d\d"),
    "DECADE": re.compile(r"(?:mid-)?(?:(?:1[5-9]|20)\d0|\d0)['’]?s"),
    "ORDINAL": re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)"),
}


# -- the public tables -------------------------------------------------------------------------


@dataclass(frozen=True)
class Lexicon:
    """The words of the built-in space. rank: word -> row, in order of falling frequency."""

    rank: dict[str, int]
    classes: dict[str, frozenset[str]]

    def of(self, word: str) -> frozenset[str]:
        """Return a word's classes from the table, the list of names, or a suffix of surnames."""
        classes = self.classes.get(word)
        if classes is None and word[:1].isupper():
            classes = listed_names().get(word.lower())
            if not classes and pattern("SURNAME_END").fullmatch(word):
                classes = frozenset({"surname"})
        return classes or NONE

    def is_first_name(self, word: str) -> bool:
        """Return whether a word is a first name, and clearly rarer in lower case."""
        title = word.capitalize()
        return "first_name" in self.of(title) and self.plainness(title) <= 0.5

    def plainness(self, word: str) -> float:
        """Return the rank of the capitalised word divided by that of the lower-case word. Above
        1/2, as for "Grace" and "Will", the capital may only mark the start of a sentence."""
        if word not in self.rank and word.lower() not in self.rank:
            return 0.0
        nowhere = 10 * len(self.rank)
        lower = self.rank.get(word.lower(), nowhere)
        return (self.rank.get(word, nowhere) + 1) / (lower + 1)


@lru_cache(maxsize=1)
def builtin_lexicon() -> Lexicon:
    """Return the words of the built-in space and their classes."""
    space = Space.builtin()
    masks = space.classes if space.classes is not None else np.zeros(len(space), np.uint64)
    classes_of = {
        mask: frozenset(name for i, name in enumerate(space.class_names) if mask >> i & 1)
        for mask in np.unique(masks).tolist()
    }
    classes = {w: classes_of[m] for w, m in zip(space.words, masks.tolist(), strict=True)}
    return Lexicon({word: row for row, word in enumerate(space.words)}, classes)


@lru_cache(maxsize=1)
def listed_names() -> dict[str, frozenset[str]]:
    """Return lower-case word -> classes for the list of names and cities (see NOTICE)."""
    class_of = {"f": "first_name", "s": "surname", "c": "city"}
    sets: dict[str, frozenset[str]] = {}
    names = {}
    for line in gzip.decompress((DATA / "names.txt.gz").read_bytes()).decode("utf8").split("\n"):
        letters, _, word = line.partition(" ")
        if letters not in sets:
            sets[letters] = frozenset(class_of[letter] for letter in letters)
        names[word] = sets[letters]
    return names


@lru_cache(maxsize=1)
def _ordinary_words() -> frozenset[str]:
    """Return words in small letters that neither the space nor the list of names has (NOTICE)."""
    text = gzip.decompress(ORDINARY_WORDS.read_bytes()).decode("utf8")
    return frozenset(text.split("\n"))


def is_ordinary(lower: str) -> bool:
    """Return whether a word in small letters is one of English, its plural too, one with a prefix
    (cardioversion, onboarding), or a genus, and no listed name."""
    listed, single = _ordinary_words(), lower.removesuffix("s")
    if is_word(lower) or lower in listed or single in listed:
        return True
    is_made = is_plural(lower) or _is_prefixed(lower)
    return is_made and not is_name(lower) and lower not in builtin_lexicon().rank


def _is_prefixed(lower: str) -> bool:
    prefixed = _PREFIXED.fullmatch(lower) if len(lower) >= MIN_PREFIXED else None
    return prefixed is not None and is_word(prefixed[1] or prefixed[2])


def is_plural(lower: str) -> bool:
    """Return whether a word is the plural of a common one, which the lists leave out: tadpoles."""
    return len(lower) >= MIN_PLURAL and lower.endswith("s") and is_word(lower[:-1])


@lru_cache(maxsize=1)
def vulgar_words() -> frozenset[str]:
    """Return vulgar words and stems, in lower case, without "s" at the end."""
    return frozenset(word.removesuffix("*").removesuffix("s") for word in read_words(OFFENSIVE))


def cache_public_words(function: Callable[[str], T]) -> Callable[[str], T]:
    """Cache results only for words of the built-in space, since other words may be names."""
    cached = cache(function)

    @wraps(function)
    def result(word: str) -> T:
        return cached(word) if word in builtin_lexicon().rank else function(word)

    return result


def is_name(word: str) -> bool:
    """Return whether a word is a personal name, among other possible meanings."""
    return bool(builtin_lexicon().of(word.capitalize()) & NAMES)


def is_listed(word: str) -> bool:
    """Return whether a word is a listed name, also one that is a common word: Will."""
    return is_name(word) or "FIRST" in kinds(word)


def may_name(word: str) -> bool:
    """Return whether a word is a listed name, or no ordinary word."""
    return is_listed(word) or not is_ordinary(word.lower())


def is_town(text: str) -> bool:
    """Return whether a word, with the capitals that it has, is a place rather than goods."""
    return text.lower() not in GOODS and not PLACES.isdisjoint(builtin_lexicon().of(text))


def is_land(text: str) -> bool:
    """Return whether a word, with the capitals that it has, is a country or a part of one."""
    return not LANDS.isdisjoint(builtin_lexicon().of(text))


def is_plain(word: str) -> bool:
    """Return whether a word is common, and far more frequent as a common word than as a name."""
    lexicon, word = builtin_lexicon(), word.lower()
    seldom = is_name(word) and lexicon.plainness(word.capitalize()) < MIN_COMMON_PLAINNESS
    return word in lexicon.rank and not seldom


def is_only_ordinary(word: str) -> bool:
    """Return whether a word in any case is an ordinary one, and no name."""
    return is_ordinary(word.lower()) and not is_name(word)


# -- the kinds of a word -----------------------------------------------------------------------


@cache_public_words
def kinds(word: str) -> frozenset[str]:
    """Return the kinds of a word (see WORD_KINDS), with its lower-case form if a rule names it."""
    return _shared(_judge_word(word))


@cache
def _shared(word_kinds: frozenset[str]) -> frozenset[str]:
    """Return the same object for equal sets."""
    return word_kinds


def _judge_word(word: str) -> frozenset[str]:
    lower = word.lower()
    word_kinds = set(_KINDS_OF.get(lower.rstrip("."), NONE))
    if lower in rule_words():
        word_kinds |= {lower, *(kind for kind, listed in FOLLOWING.items() if lower in listed)}
    if word[:1].isdigit() or word.startswith("mid-"):
        word_kinds |= {kind for kind, shape in _DIGIT_KINDS.items() if shape.fullmatch(lower)}
        return frozenset(word_kinds | {"CODE"} if _is_code(lower) else word_kinds)
    if _NAME_SHAPE.fullmatch(word.rstrip(".")):
        word_kinds |= _calendar_kinds(word)
        if word.islower():
            _judge_lower(word, word_kinds)
        elif word[0].isupper() and len(word) > 1:
            _judge_capitalised(word, word_kinds)
    elif len(word) > 1:
        _judge_glued(word, word_kinds)
    if _INITIAL.fullmatch(word) and word[0].isupper() and word != "I.":
        word_kinds |= {"INITIAL", "BODY"}
    if "PARTICLE" in word_kinds or word in _JOINTS or lower in _SUFFIX:
        word_kinds.add("BODY")
    if word == ",":
        word_kinds.add("MID")
    return frozenset(word_kinds)


def _is_code(word: str) -> bool:
    """Return whether a word has three digits, and is no decimal or number of a section (14.2)."""
    return len(_DIGIT.findall(word)) > 2 and not _DECIMAL.fullmatch(word)


def _judge_glued(word: str, word_kinds: set[str]) -> None:
    """Add kinds for codes, and for names within a longer token (Anna/Peter, Peter:"Yes)."""
    if _is_code(word):
        word_kinds.add("CODE")
    pieces = [] if re.search("@|www|//", word) else _PIECE.findall(word)
    if len(pieces) < 9 and any({"SURE_FIRST", "LOW_FIRST"} & kinds(piece) for piece in pieces):
        word_kinds.add("SURE_FIRST")


def _calendar_kinds(word: str) -> set[str]:
    bare = word.lower().rstrip(".")
    named = {c.upper() for c in {"month", "weekday"} & builtin_lexicon().of(bare.capitalize())}
    sure = set() if bare in _AMBIGUOUS else {f"SURE_{kind}" for kind in named}
    if len(bare) < 4 and not word[:1].isupper():
        sure.discard("SURE_MONTH")
    return named | sure


def _judge_lower(word: str, word_kinds: set[str]) -> None:
    """Add kinds for lower-case names, as in chats: words without another entry in the table."""
    lexicon = builtin_lexicon()
    named, lower = lexicon.of(word.capitalize()), lexicon.of(word)
    if word[1:] in ("", "."):
        word_kinds.add("LOW_INITIAL")
    if not lower & {"determiner", "possessive"}:
        word_kinds.add("MID")
    if named & NAMES and not lower & _CLOSED:
        word_kinds.add("LOW_NAME")
    if len(word) < 3 or word in _CHAT or (word in lexicon.rank and word not in _SMALL_FIRST):
        return
    if word_kinds & {"MONTH", "WEEKDAY", "PARTICLE"}:
        return
    if "first_name" in named and (len(word) > 3 or word.capitalize() in lexicon.rank):
        word_kinds.add("LOW_FIRST")
    if "surname" in named and len(word) > 3:
        word_kinds.add("LOW_SUR")
    if "TITLE" not in word_kinds and _may_be_name(word) and not is_ordinary(word):
        word_kinds.add("LOW_NEW")


def _judge_capitalised(word: str, word_kinds: set[str]) -> None:
    lexicon = builtin_lexicon()
    title = word.capitalize() if word.isupper() else word.rstrip(".")
    classes = lexicon.of(title)
    if lexicon.of(title.lower()) & _CLOSED and title not in ALSO_FIRST:
        word_kinds |= {"FUNCTION"} if word.istitle() else set()
        return
    if title.lower() in _CHAT:
        return
    if classes & PLACES:
        word_kinds.add("PLACE")
        named = classes & NAMES or title in ALSO_SURE
        capital = lexicon.plainness(title) < 0.5 and len(title) > 2
        if capital and not named and "MONTH" not in word_kinds:
            word_kinds.add("SURE_PLACE")
    if word.isupper() and lexicon.of(word) & {"state", "country"}:
        word_kinds.add("STATE")
    peoples = classes & PEOPLES and not classes & NAMES
    if not (peoples or "nationality" in classes or word_kinds & {"SURE_MONTH", "WEEKDAY"}):
        _judge_name(word, title, word_kinds)


def _judge_name(word: str, title: str, word_kinds: set[str]) -> None:
    lexicon, lower = builtin_lexicon(), title.lower()
    classes = lexicon.of(title)
    if word.isupper() and lower in _NO_PART:
        return
    if lower not in _NO_PART and ("TITLE" not in word_kinds or "surname" in classes):
        word_kinds |= {"PART", "BODY"}
    if word_kinds & {"TITLE", "ROLE"} or lower in _CLOSINGS or (word.isupper() and len(word) < 4):
        return
    sure = lexicon.plainness(title) <= 0.5 and len(title) > 2
    if "first_name" in classes or title in ALSO_FIRST:
        word_kinds |= {"FIRST", "SURE_FIRST"} if sure else {"FIRST"}
    if "surname" in classes:
        word_kinds |= {"SURNAME", "SURE_SURNAME"} if sure else {"SURNAME"}
    if _is_new(word) and lower not in _NO_PART:
        # A word that is only rare counts as a name beside a cue, and not by itself.
        word_kinds |= {"NEW"} if is_ordinary(lower) else {"NEW", "UNKNOWN"}


def _is_new(word: str) -> bool:
    """Return whether a word may be a name, and neither it nor a base form is in the table."""
    lower = word.lower()
    forms = {word, lower, pattern("PREFIX").sub("", lower, count=1)}
    forms |= {lower[: -len(ending)] for ending in ("s", "es", "ed") if lower.endswith(ending)}
    return not word.isupper() and _may_be_name(word) and not forms & builtin_lexicon().rank.keys()


def _may_be_name(word: str) -> bool:
    """Return whether a word is no abbreviation, camel-case product, noun by its suffix or slang."""
    inner = any(not c.islower() for c in _GLOTTAL.sub("", word[1:]))
    if inner and not _INNER_CAPITAL.match(word):
        return False
    return len(word) > 2 and not pattern("COMMON_END").search(word) and not _is_slang(word.lower())


def _is_slang(lower: str) -> bool:
    """Return whether a word is vulgar, has a letter three times in a row ("awww"), or is a verb
    without its last letter ("havin")."""
    if lower.endswith("in") and lower + "g" in builtin_lexicon().rank:
        return True
    return lower.removesuffix("s") in vulgar_words() or bool(_TRIPLED.search(lower))


# -- the kinds of tokens, for the rules --------------------------------------------------------


def kinds_of(tokens: Tokens) -> list[frozenset[str]]:
    """Return the kinds of each token, including those from spaCy's lexical attributes."""
    doc, texts = tokens.doc, tokens.texts
    by_word = {word: kinds(word) for word in set(texts)}
    token_kinds = [by_word[text] for text in texts]
    flags = doc.to_array([LIKE_NUM, IS_SPACE, LIKE_EMAIL, LIKE_URL])
    for i, j in zip(*map(np.ndarray.tolist, np.nonzero(flags)), strict=True):
        if not _is_of_code(_MARKS[j], texts, i):
            token_kinds[i] |= {_MARKS[j]}
    return token_kinds


def _is_of_code(mark: str, texts: Sequence[str], i: int) -> bool:
    """Return whether what looks like an address of mail or of a host is a package with its version
    (lodash@4.17.21), or a module before its part (java.lang.String), a file, a setting or a price.
    """
    if mark == "EMAIL":
        return _PACKAGE.fullmatch(texts[i]) is not None
    if mark != "URL":
        return False
    is_module = _MODULE.fullmatch(texts[i]) and texts[i].split(".")[-1] not in _HOST_ENDS
    return bool(is_module) or _is_no_host(texts[i])


def is_whole_address(mark: str, text: str) -> bool:
    """Return whether an address of mail or of the web is one whatever is in it: with a scheme, www,
    or a path behind its host. A name or a number before a full stop may be a host, too."""
    form = _MAIL_ADDRESS if mark == "EMAIL" else _WEB_ADDRESS
    return form.match(text) is not None and not _is_of_code(mark, [text], 0)


_MAIL_ADDRESS = re.compile(r"[\w.+'’-]+@")
_WEB_ADDRESS = re.compile(
    r"(?i:[a-z][a-z\d+.-]{1,20}://|www\.|(?:[\w-]{1,63}\.){1,4}[a-z]{2,20}(?::\d{2,5})?[/?#])[^/]"
)
_PACKAGE = re.compile(
    r"[\w./-]{1,99}@[~^]?\d{1,4}(?:\.\d{1,6}){1,2}(?:-[a-z]{1,8}\.?\d{0,4})?", re.A
)
# Of languages whose modules have a first part of their own.
_MODULE = re.compile(
    r"(?:javax?|jakarta|kotlinx?|scala|androidx|groovy)(?:\.[a-zA-Z_]\w*)+\.?", re.A
)
_PRICE = re.compile(f"[{expanded('SIGN')}%]")
_SHARED_HOST = re.compile(
    r"(?:https?|wss?)://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|(?P<format>(?:www\.)?w3\.org|"
    r"(?:json-)?schema\.org|schemas\.(?:xmlsoap\.org|microsoft\.com))|(?:www\.)?(?:apache|"
    r"creativecommons|gnu|keepachangelog|opensource|rfc-editor|semver|spdx|unicode)\.(?:org|com)|"
    r"(?:docs\.python|developer\.mozilla)\.org|img\.shields\.io)(?::\d{2,5})?(?=[/?#]|\Z)"
)
_CODE_DIGITS = re.compile(r"\d{3}")
_WORDS = re.compile(r"[^\W\d_]{2,}")


def _is_no_host(text: str) -> bool:
    """Return whether a text that looks like the address of a host is a file, a setting or a price:
    16.5€/m²."""
    is_price = text[:1].isdigit() and _PRICE.search(text) is not None
    named = text.rpartition("(")[2]  # print(user.name
    is_other = is_price or text.endswith("://") or is_of_every_machine(text)
    return is_other or is_file_name(named) or is_setting(named)


def is_of_every_machine(text: str) -> bool:
    """Return whether an address of the web is the name of a format, or one that each machine has or
    that says what software is (its license, its versions), with a path of common words:
    http://localhost:8080/health, https://opensource.org/licenses/mit."""
    host = _SHARED_HOST.match(text)
    if host is None or host["format"]:
        return host is not None
    is_code = _CODE_DIGITS.search(text, host.end()) is not None
    bare = pattern("FILE_END").sub("", text)  # without the ending of a file
    path = _WORDS.findall(bare, host.end())
    return not is_code and all(
        is_plain(word) or ((is_word(word) or is_word(word.lower())) and not is_name(word))
        for word in path
    )


def is_file_name(text: str) -> bool:
    """Return whether a text is the name of a file, also with a line, rather than of a host."""
    return pattern("FILE_NAME").fullmatch(text) is not None


def is_setting(text: str) -> bool:
    """Return whether a text is the name of a setting or a module, as user.email and app.core.models
    are, or words without a blank (it was ok.so what, b.i.d.to, para.3.at), rather than of a host:
    common words, letters and numbers, without a scheme, a path or an ending of many hosts."""
    if "." not in text or not _SETTING.fullmatch(text[:1].lower() + text[1:]):
        return False
    *pieces, last = text.split(".")
    if last in _HOST_ENDS or not is_word(last):
        return False
    if text[:1].isupper():
        if "FIRST" in kinds(pieces[0]):  # the site of someone
            return False
        pieces[0] = pieces[0].lower()
    pieces = [piece for piece in pieces if len(piece) > 1 and not piece.isdigit()]
    is_of_land = len(last) == 2
    return all(is_word(piece) or not (is_of_land or is_name(piece)) for piece in pieces)


# -- the features of tokens, for the network ---------------------------------------------------


def features(docs: Sequence[Doc]) -> list[Numbers2d]:
    """Return uint64 (tokens, 6) for each Doc: word, prefix, suffix, shape, kind, vector row."""
    words = [doc.to_array(ORTH).tolist() for doc in docs]
    rows = dict[int, tuple[int, ...]]()
    for doc, ids in zip(docs, words, strict=True):
        strings = doc.vocab.strings
        for i in {*ids} - rows.keys():
            text = strings[i]
            rows[i] = _features_of(with_line_feeds(text) if "\r" in text else text)
    arrays = ([rows[i] for i in ids] for ids in words)
    return [np.array(array, dtype=np.uint64).reshape(-1, 6) for array in arrays]


@cache_public_words
def _features_of(word: str) -> tuple[int, ...]:
    lexicon, lower = builtin_lexicon(), word.lower()
    rank = lexicon.rank
    title = lower.capitalize()
    classes = lexicon.classes.get(title, NONE) | listed_names().get(lower, NONE)
    kind = sum(1 << i for i, group in enumerate(_FEATURE_CLASSES) if classes & group)
    kind |= (lower in rank or is_ordinary(lower)) << 7
    kind |= (title in rank) << 8 | (lexicon.plainness(title) > 0.5) << 9
    row = next((rank[form] + 1 for form in (word, lower, title) if form in rank), 0)
    texts = (lower, lower[:3], lower[-3:], word_shape(word))
    return (*map(get_string_id, texts), kind, row)
