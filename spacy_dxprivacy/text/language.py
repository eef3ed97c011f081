"""Detect the language of a text, and its passages in uncovered languages and scripts.

The commonest words and the script of a text show its language. A short text has too few of them:
where its words are hardly English, py3langid reads its letters. Surrogates are of that language, so
they reveal it. It is not logged.

A few words of another script in a text are a name (`foreign_names`). More words are a passage, and
so is a sentence with common words of another language (`uncovered`): no rule finds names in it, and
no space has its words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import inf
from typing import Any
from weakref import WeakKeyDictionary

from spacy.tokens import Doc

from ..about import table
from .mentions import NAME_PARTICLES, frequency_rank
from .tokens import text_of

COVERED = ("en", "de", "fr", "es", "nl", "it")  # by the recogniser's rules and the surrogates
NAMES = table("languages")
EVIDENCE, DISTINCT = 5, 4  # least number of common words of a language, and of distinct ones
MARGIN = 1.5  # least ratio to the score of any other language; shared words count less
MAX_CHARACTERS = 20_000  # characters that are read
ORDERS = ("mdy", "dmy", "ymd")  # of day, month and year in numbers
# Language and region, or region alone -> order of numeric dates, by the short form of CLDR 44; all
# others begin with the day. A language without a region has the order "auto" of dx.DateShift.v1.
_ORDERS = dict.fromkeys("US PH PR PA AS GU MH MP UM VI".split(), "mdy")
_ORDERS |= dict.fromkeys(("en-CA", "fr-CA", "en-ZA", "en-SE"), "ymd") | {"es-US": "dmy"}
LANGUAGE = "dx_language"  # in the user data of a Doc: its language if it is too short to detect
_WORD = re.compile(r"(?<![\w.])[^\W\d_]{2,}(?!\w)")


def language_of(text: str) -> str:
    """Return the language of a text.

    Args:
        text: Any text; the first 20,000 characters are read.

    Returns:
        A code of two letters; "xx" for a text in another script than Latin; "" if neither common
        words nor, in a short text, letters show it.
    """
    return _by_common_words(text) or _of_short(text)


def _by_common_words(text: str) -> str:
    """Return the language whose commonest words a text has; "" if these are too few, or if another
    language has as many."""
    words = Counter(_WORD.findall(text[:MAX_CHARACTERS].lower()))
    non_latin = (word for word in words if "LATIN" not in unicodedata.name(word[0], ""))
    foreign = 0 if text.isascii() else sum(words[word] for word in non_latin)
    if foreign >= EVIDENCE and 2 * foreign > words.total():
        return "xx"
    languages = _languages_of()
    counts, distinct = dict[str, int](), Counter[str]()
    scores = dict[str, float]()
    for word in words.keys() & languages.keys():
        distinct.update(languages[word])
        for language in languages[word]:
            counts[language] = counts.get(language, 0) + words[word]
            scores[language] = scores.get(language, 0.0) + words[word] / len(languages[word])
    if not scores:
        return ""
    best = max(scores, key=scores.__getitem__)
    score, second = scores.pop(best), max(scores.values(), default=0.0)
    sure = counts[best] >= EVIDENCE and distinct[best] >= DISTINCT and score >= MARGIN * second
    return best if sure else ""


def region_order(language: str, region: str) -> str:
    """Return how the numeric dates of a region (GB) are read in a language: mdy, dmy or ymd."""
    return _ORDERS.get(f"{language}-{region}", _ORDERS.get(region, "dmy"))


def base_language(language: str | None) -> str:
    """Return the language if rules and surrogates cover it, else "en"."""
    return language if language in COVERED else "en"


# Doc -> the language that its common words, or those of a short text, show: each component asks.
_shown: WeakKeyDictionary[Doc, str] = WeakKeyDictionary()
_shown_by_short: WeakKeyDictionary[Doc, str] = WeakKeyDictionary()


def language_of_doc(doc: Doc) -> str:
    """Return the covered language of a Doc: that of its text, else of its file, else of the
    pipeline, else "en"."""
    language = _once(_shown, doc, _by_common_words)
    if language not in COVERED:
        language = doc.user_data.get(LANGUAGE) or _once(_shown_by_short, doc, _of_short)
    return base_language(language if language in COVERED else doc.vocab.lang)


def _once(shown: WeakKeyDictionary[Doc, str], doc: Doc, find: Callable[[str], str]) -> str:
    """Return the language that a function finds in the text of a Doc, asked once."""
    language = shown.get(doc)
    if language is None:
        language = find(text_of(doc))
        if len(doc):  # one without tokens may be given some
            shown[doc] = language
    return language


@cache
def common_words(language: str) -> frozenset[str]:
    """Return the commonest words of a language, in lower case."""
    return frozenset(table("entities/languages").get(language, "").split())


@cache
def _languages_of() -> dict[str, list[str]]:
    """Return the languages in which each word is common."""
    languages: dict[str, list[str]] = {}
    for language in table("entities/languages"):
        for word in common_words(language):
            languages.setdefault(word, []).append(language)
    return languages


# -- short texts -----------------------------------------------------------------------------------

MAX_SHORT, READ = 2000, 400  # characters of a short text, and of its beginning, which is read
MIN_WORDS = 3
LONG_WORD = 5  # letters of a word that alone is evidence of a language
KNOWN, FREQUENT = 30_000, 1000  # ranks of English words
SURE, SURE_OF_THREE = 0.5, 0.7  # least probability of a language, and of the likeliest three
SURE_WITH_WORD = 0.25  # and of one of whose common words, which English does not have, is there
MIN_UNKNOWN = 4  # letters of a word that English lacks
MIN_ENGLISH = 2  # common words of an English text, and more for each of another language
LIKELIEST = 0.6  # least share of a language in the probability of the covered ones
SURE_OF_NAMED = 0.8  # least probability with which words with capitals, which may be names, count
# Languages in which English words, names and Latin terms look to be. No text counts as theirs.
_LOOKALIKES = frozenset("af cy eo eu ga gl ha la lb mg pcm rw sn so sw tl".split())
_CODES = {"no": "nb", "nn": "nb"}
_NO_WORDS = re.compile(r"\S*[@/]\S*|\w*(\w)\1\1\w*")  # addresses, and what is drawn out
_LISTED = re.compile(r"[,;|\t\n]")


def _of_short(text: str) -> str:
    """Return the language of a short text; "" for English, and where it is unsure."""
    if len(text) > MAX_SHORT:
        return ""
    text = text[:READ]
    lowers = {word.lower() for word in _WORD.findall(text)}
    others = lowers & _foreign_words(frozenset({"en"})) - NAME_PARTICLES
    if len(lowers & common_words("en")) >= MIN_ENGLISH * (1 + len(others)):
        return ""
    return _by_letters(text) or _by_other_words(text)


def _by_letters(text: str) -> str:
    """Return the language of a text by its letters; "" for English, and where it is unsure.

    Names and English words look like words of many languages. So most lower-case words of the text
    must be words that English does not have, or that are common in the language.
    """
    found = _WORD.findall(text)
    small = [word.lower() for word in found if word.islower() or text.isupper()]
    small = [word for word in small if word not in NAME_PARTICLES]
    unknown = {word for word in small if not frequency_rank(word) < KNOWN}
    others = _foreign_words(frozenset({"en"}))
    if len(found) < MIN_WORDS or 2 * sum(w in unknown or w in others for w in small) < len(small):
        return ""
    ranked = [(_CODES.get(code, code), share) for code, share in _identifier().rank(text)[:3]]
    language, share = ranked[0]
    if not small or language == "en" or language in _LOOKALIKES:
        return ""
    common, english = common_words(language), common_words("en")
    telling = [word for word in small if not (word in common and word in english)]
    evidence = {word for word in telling if word in unknown or word in common}
    if not _outweighs(telling, evidence) or _is_english_command(found[0], evidence):
        return ""
    if _may_be_names(text, len(found)) and common.isdisjoint(evidence):
        return ""
    if language in COVERED:
        kinds = [other for other in COVERED if common_words(other) & evidence & unknown]
        return language if share >= (SURE_WITH_WORD if kinds == [language] else SURE) else ""
    kin = sum(share for code, share in ranked if code != "en" and code not in _LOOKALIKES)
    is_word = len(evidence) > 1 or len(min(evidence)) >= LONG_WORD
    return language if is_word and kin >= SURE_OF_THREE else ""


def _by_other_words(text: str) -> str:
    """Return the covered language of whose words a text has more than of English ones; "" without
    a likeliest one. Words that English lacks count in small letters, as names have capitals; with
    these, where the letters alone are sure: Keine Auffälligkeiten.
    """
    found = _WORD.findall(_NO_WORDS.sub(" ", text))
    lowers = {word.lower() for word in found}
    foreign = _foreign_words(frozenset({"en"}))
    others = lowers & foreign - NAME_PARTICLES
    english = {word for word in lowers - NAME_PARTICLES if frequency_rank(word) < KNOWN}
    names = {word for word in lowers - english if frequency_rank(word.capitalize()) < inf}
    others -= english
    unknown = lowers - english - names
    small = {word.lower() for word in found if word.islower() or text.isupper()}
    named = len(unknown - small)
    evidence = len(others | {word for word in unknown & small if len(word) >= MIN_UNKNOWN})
    against = len(english - foreign)
    if not evidence + named or evidence + named < against:
        return ""
    if _is_english_command(found[0], others) or (_may_be_names(text, len(found)) and not others):
        return ""
    shares = {code: share for code, share in _identifier().rank(text) if code in COVERED}
    best = max(shares, key=shares.__getitem__)
    if best == "en" or shares[best] < LIKELIEST * sum(shares.values()):
        return ""
    if others and common_words(best).isdisjoint(others):
        return ""  # Kam met Mit in Bei
    if shares[best] >= SURE_OF_NAMED:
        evidence += 1 + named
    return best if evidence > against else ""


def _outweighs(telling: Sequence[str], evidence: Collection[str]) -> bool:
    """Return whether evidence of a language is two thirds of the words, and none is of English."""
    of_language = sum(word in evidence for word in telling)
    if not evidence or common_words("en").intersection(telling):
        return False
    return 3 * of_language >= 2 * len(telling)


def _may_be_names(text: str, words: int) -> bool:
    """Return whether a text in one case is short, or a list: all of it may be names."""
    is_list = words <= MIN_WORDS or _LISTED.search(text.strip()) is not None
    return is_list and (text.isupper() or text.islower())


def _is_english_command(first: str, evidence: Collection[str]) -> bool:
    """Return whether a text begins with a frequent English word in lower case ("play ...")."""
    return first.islower() and first not in evidence and frequency_rank(first) < FREQUENT


@cache
def _identifier() -> Any:
    """Return the model of py3langid, which takes a second to load."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    codes = _LOOKALIKES.union(NAMES, _CODES).intersection(identifier.labels)
    identifier.set_languages(sorted(codes))
    return identifier


# -- passages --------------------------------------------------------------------------------------

Span = tuple[int, int]  # start and end, in characters

MAX_NAME_WORDS, MAX_NAME_LETTERS = 5, 12  # of a name in another script; letters if it has no blanks
MAX_GAP = 40  # most characters between two words of another script in one passage
DETECTED_CHARACTERS = (1, 240)  # least characters of sentences whose language is detected together
MIN_FOREIGN_WORDS = 2  # distinct common words of uncovered languages, below which a text is covered

# Blocks of non-Latin letters. Phonetic and mathematical letters count as Latin.
_NOT_LATIN = (
    "\u0370-\u1cff\u1f00-\u1fff\u2c00-\u2c5f\u2c80-\u2dff\u2e80-\u2fdf\u3005-\u3007\u3021-\u303a"
    "\u3041-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua71f\ua800-\uab2f\uab70-\ud7ff"
    "\uf900-\ufaff\ufb13-\ufdff\ufe70-\ufefc\uff66-\uffdc\U00010000-\U0001bfff"
    "\U0001e000-\U0001efff\U00020000-\U0003ffff"
)
_ANY_OTHER = re.compile(f"[{_NOT_LATIN}]")
_NON_LATIN = re.compile(rf"(?=[^\W\d_])[{_NOT_LATIN}]+")
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"(?=[^\W\d_])[^" + _NOT_LATIN + "]")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uabff\uac00-\ud7ff\uf900-\ufaff]"
)
_SYMBOLS = re.compile("[\u0370-\u03ff\u1f00-\u1fff]{1,2}|[\u0400-\u058f]")  # ΔH, γδ T cells
_JOINTS = re.compile(r"[ \-\u00b7\u30fb'\u2019]|\. ?|")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*|\x1e\s*")
_SENTENCE = re.compile(r"(?<=[.!?\u3002\uff01\uff1f\u061f\u0964])\s*(?=\S)|\n+")


def foreign_names(text: str) -> list[Span]:
    """Return the runs of words of another script in a text; each counts as a name."""
    if text.isascii() or not _ANY_OTHER.search(text):
        return []
    runs: list[Span] = []
    for start, end in _words(text):
        if runs and _JOINTS.fullmatch(text, runs[-1][1], start):
            runs[-1] = runs[-1][0], end
        else:
            runs.append((start, end))
    return runs


def _words(text: str) -> Iterator[Span]:
    """Yield the words of other scripts, including adjacent Latin letters."""
    for match in _NON_LATIN.finditer(text):
        start, end = match.span()
        if _SYMBOLS.fullmatch(match[0]):
            latin = "\u0400" <= match[0][0] and (
                _LATIN.match(text[start - 1 : start]) or _LATIN.match(text[end : end + 1])
            )
            if not latin:
                continue
        while start and _LATIN.match(text[start - 1]):
            start -= 1
        while end < len(text) and _LATIN.match(text[end]):
            end += 1
        yield start, end


def uncovered(
    text: str,
    languages: Collection[str] | None,
    *,
    scripts: bool = True,
    short: bool = True,
) -> list[Span]:
    """Return the uncovered passages of a text, in order.

    Args:
        text: In normal form.
        languages: The covered ones; None for all in Latin script.
        scripts: Whether only Latin script is covered.
        short: Whether letters may show the language of a short text.
    """
    passages = _of_scripts(text) if scripts and not text.isascii() else []
    if languages is not None:
        passages += _of_languages(text, languages, short)
    return joined(passages)


def joined(passages: Iterable[Span]) -> list[Span]:
    """Return spans in order, merged if they overlap or touch."""
    merged: list[Span] = []
    for start, end in sorted(passages):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


# -- scripts ---------------------------------------------------------------------------------------


def _of_scripts(text: str) -> list[Span]:
    if not _ANY_OTHER.search(text):
        return []
    words = [
        match.span() for match in _NON_LATIN.finditer(text) if not _SYMBOLS.fullmatch(match[0])
    ]
    runs: list[list[Span]] = []
    for start, end in words:
        between = text[runs[-1][-1][1] : start] if runs else ""
        if runs and len(between) <= MAX_GAP and "\n" not in between and not _LATIN.search(between):
            runs[-1].append((start, end))
        else:
            runs.append([(start, end)])
    if _is_more_than_a_name(text, words) and _is_mostly_foreign(text):
        return [(0, len(text))]
    long = [(run[0][0], run[-1][1]) for run in runs if _is_more_than_a_name(text, run)]
    return [passage for line in _lines(text, long) for passage in _passages(text, *line)]


def _is_more_than_a_name(text: str, words: list[Span]) -> bool:
    parts = [text[start:end] for start, end in words]
    unspaced = sum(len(_UNSPACED.findall(part)) for part in parts)
    return unspaced > MAX_NAME_LETTERS or len(parts) > MAX_NAME_WORDS


def _is_mostly_foreign(part: str) -> bool:
    foreign = sum(len(_LETTER.findall(word)) for word in _NON_LATIN.findall(part))
    return 2 * foreign >= len(_LETTER.findall(part))


def _lines(text: str, runs: list[Span]) -> Iterator[tuple[Span, list[Span]]]:
    """Yield the lines with runs of another script, and the runs of each."""
    i = 0
    while i < len(runs):
        start, end = text.rfind("\n", 0, runs[i][0]) + 1, text.find("\n", runs[i][1])
        line = start, len(text) if end < 0 else end
        first = i
        while i < len(runs) and runs[i][0] < line[1]:
            i += 1
        yield line, runs[first:i]


def _passages(text: str, line: Span, runs: list[Span]) -> list[Span]:
    """Return the line if most letters are of another script, else the sentences of runs."""
    if _is_mostly_foreign(text[slice(*line)]):
        return [line]
    cuts = [line[0], *(match.end() for match in _SENTENCE.finditer(text, *line)), line[1]]
    passages = []
    for start, end in runs:
        first = cuts[bisect_right(cuts, start) - 1]
        last = cuts[bisect_left(cuts, end)]
        passages.append((first, first + len(text[first:last].rstrip())))
    return passages


# -- languages -------------------------------------------------------------------------------------


@cache
def _foreign_words(languages: frozenset[str]) -> frozenset[str]:
    """Return the common words of other languages that are not common in these."""
    return frozenset(word for word, names in _languages_of().items() if languages.isdisjoint(names))


def _is_suspect(text: str, languages: frozenset[str]) -> bool:
    """Return whether a part of a text can be in another language: faster than detection."""
    return len(_foreign_words(languages).intersection(text.lower().split())) >= MIN_FOREIGN_WORDS


def _of_languages(text: str, languages: Collection[str], short: bool) -> Iterator[Span]:
    covered = {*languages, "", "xx"}
    if (language_of(text) if short else _by_common_words(text)) not in covered:
        yield 0, len(text)
        return
    if short:
        yield from _short_paragraphs(text, covered)
    if not _is_suspect(text, frozenset(languages)):
        return
    for size in DETECTED_CHARACTERS:
        for start, end in _parts(text, size):
            if _by_common_words(text[start:end]) not in covered:
                yield start, start + len(text[start:end].rstrip())


def _short_paragraphs(text: str, covered: Collection[str]) -> Iterator[Span]:
    """Yield the paragraphs whose letters show another language, unless there is only one."""
    starts = [0, *(match.end() for match in _PARAGRAPH.finditer(text)), len(text)]
    for start, end in pairwise(starts) if len(starts) > 2 else ():
        part = text[start:end]
        if not _by_common_words(part) and _of_short(part) not in covered:
            yield start, start + len(part.rstrip())


def _parts(text: str, size: int) -> Iterator[Span]:
    """Yield groups of sentences and lines of at least this size."""
    start = 0
    for match in _SENTENCE.finditer(text):
        if match.end() - start >= size:
            yield start, match.end()
            start = match.end()
    if start < len(text):
        yield start, len(text)
