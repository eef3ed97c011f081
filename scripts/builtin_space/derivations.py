"""Frequent words that WordNet lacks and whose parts it has: "unsustainable", "skillset"."""

from __future__ import annotations

from string import ascii_lowercase

from builtin_space.forms import Forms
from builtin_space.sources import FLOOR, log_probabilities
from builtin_space.wordnet import WordNet

FREQUENT = -15.2  # log-probability that a derived word must have
COMMON_PART = -11.5  # and that each half of a compound must have
# ending, what the base ends in instead, parts of speech of the base, part of the word
SUFFIXES = (
    ("ily", "y", "a", "r"), ("ably", "able", "a", "r"), ("ly", "", "a", "r"),
    ("ally", "al", "a", "r"), ("ically", "ic", "a", "r"), ("iness", "y", "a", "n"),
    ("ness", "", "a", "n"), ("ability", "able", "a", "n"), ("ers", "", "v", "n"),
    ("ers", "e", "v", "n"), ("er", "", "v", "n"), ("er", "e", "v", "n"),
    ("able", "", "v", "a"), ("able", "e", "v", "a"), ("less", "", "n", "a"),
    ("ful", "", "n", "a"), ("like", "", "n", "a"), ("ish", "", "na", "a"),
    ("y", "", "n", "a"), ("y", "e", "n", "a"), ("ism", "", "na", "n"),
    ("ist", "", "na", "n"), ("ize", "", "na", "v"), ("ized", "", "na", "a"),
)  # fmt: skip
PREFIXES = tuple(
    "un non re over under pre anti super mini multi micro inter sub co mis out".split()
)


def derive(net: WordNet, forms: Forms, known: set[str]) -> dict[tuple[str, str], list[str]]:
    """(word, part of speech) -> lemmas it is made of, for frequent words outside ``known``."""
    found = {}
    for word, value in log_probabilities().items():
        if value < FREQUENT or not (word.isascii() and word.isalpha() and word.islower()):
            continue
        if len(word) < 5 or word in known or word in net.senses or word in forms:
            continue
        if _is_misspelt(word, net):
            continue
        made = _by_suffix(word, net) or _by_prefix(word, net, forms) or _compound(word, net)
        if made:
            found[word, made[0]] = made[1]
    return found


def _is_misspelt(word: str, net: WordNet) -> bool:
    """Whether one letter more or less makes a word of WordNet: realy, truely."""
    cuts = [(word[:i], word[i:]) for i in range(2, len(word) + 1)]
    fewer = (head + tail[1:] for head, tail in cuts if tail)
    more = (head + letter + tail for head, tail in cuts for letter in ascii_lowercase)
    return any(candidate in net.senses for candidate in [*fewer, *more])


def _by_suffix(word: str, net: WordNet) -> tuple[str, list[str]] | None:
    for ending, restored, parts, part in SUFFIXES:
        if not word.endswith(ending):
            continue
        stem = word[: -len(ending)]
        for base in (stem + restored, stem[:-1] if stem[-1:] == stem[-2:-1] else ""):
            if len(base) > 2 and net.parts(base) & set(parts) and base in net.cased[base]:
                return part, [base]
    return None


def _by_prefix(word: str, net: WordNet, forms: Forms) -> tuple[str, list[str]] | None:
    for prefix in PREFIXES:
        base = word.removeprefix(prefix)
        if base == word or len(base) < 4:
            continue
        bases = forms.get(base)
        if bases and _is_common(base):
            return _adjective(bases[0][1], bases[0][2]), [bases[0][0]]
        if base in net.senses and base in net.cased[base] and _is_common(base):
            return max(sorted(net.parts(base)), key="rnva".index), [base]
    return None


def _adjective(part: str, form: str) -> str:
    return "a" if part == "v" and form in ("past_participle", "gerund") else part


def _compound(word: str, net: WordNet) -> tuple[str, list[str]] | None:
    for cut in range(3, len(word) - 2):
        halves = [word[:cut], word[cut:]]
        if all(_is_noun(half, net) for half in halves):
            return "n", halves
    return None


def _is_noun(word: str, net: WordNet) -> bool:
    known = word in net.senses and word in net.cased[word] and "n" in net.parts(word)
    return known and len(word) > 3 and log_probabilities().get(word, FLOOR) > COMMON_PART


def _is_common(word: str) -> bool:
    return log_probabilities().get(word, FLOOR) > COMMON_PART - 2
