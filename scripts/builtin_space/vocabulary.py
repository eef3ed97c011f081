"""Which words the table holds, in which case form, and what each of them may be read as."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field

from builtin_space import classes, sources
from builtin_space.classes import CLOSED, Members
from builtin_space.forms import Forms
from builtin_space.sources import FLOOR, City, Names
from builtin_space.wordnet import WordNet

PART_CLASS = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
TITLE_MARGIN = 2.3  # a capitalised form counts where it is at least a tenth as frequent
SHARE_OF_CLASS = 0.03  # of a word's people; with less it does not belong to the class
FORM_SHARE = 0.3  # of a base's uses that fall to one inflected form


# Words of these classes are seldom nouns, whatever WordNet lists ("he" for helium)
FUNCTION = frozenset(
    "pronoun possessive determiner preposition conjunction auxiliary modal wh_word negation".split()
)
NOUN_USES = 8.0
NEW_WORD_USES = 4.0


@dataclass(frozen=True)
class Reading:
    """One way to read a word: a WordNet lemma in a part of speech, with a form of it."""

    lemma: str
    part: str
    form: str | None
    weight: float


@dataclass
class Word:
    """A row of the table. ``logp`` orders rows; ``groups`` are fine classes; weights sum to 1."""

    text: str
    logp: float
    readings: list[Reading] = field(default_factory=list)
    groups: dict[str, float] = field(default_factory=dict)
    anchors: list[str] = field(default_factory=list)

    def coarse(self) -> dict[str, float]:
        """Class -> weight, over the fine groups."""
        found: dict[str, float] = defaultdict(float)
        for group, share in self.groups.items():
            found[group.split("/")[0]] += share
        return found

    @property
    def classes(self) -> set[str]:
        """Names of the classes of this word."""
        found = {name for name, share in self.coarse().items() if share >= SHARE_OF_CLASS}
        found |= {PART_CLASS[r.part] for r in self.readings if r.weight >= 0.1}
        found |= {r.form for r in self.readings if r.form and r.weight >= 0.1}
        if found & {"first_name_female", "first_name_male"}:
            found.add("first_name")
        if self.text[0].isupper() and not found & CLOSED:
            found.add("proper")
        if re.fullmatch(r"[A-Z]{2,}s?|([A-Z]\.)+", self.text):
            found.add("acronym")
        return found


@dataclass
class Lexicon:
    """Everything that is known about words before any is chosen."""

    net: WordNet
    forms: Forms
    names: Names
    cities: list[City]
    members: Members
    anchors: dict[str, list[str]]
    new_words: dict[str, set[str]]  # words that WordNet lacks -> parts of speech
    deny: re.Pattern[str]

    def lemma_cases(self, word: str) -> bool:
        """Whether WordNet writes this very form."""
        return word in self.net.cased.get(word.lower(), ())


def log_probability(word: str) -> float:
    return sources.log_probabilities().get(word, FLOOR)


def choose(lexicon: Lexicon, size: int) -> list[Word]:
    """The ``size`` most useful words, most frequent first (ties by spelling)."""
    scores = _candidates(lexicon)
    kept = {w: s for w, s in scores.items() if not lexicon.deny.match(w.lower())}
    ranked = sorted(kept, key=lambda w: (-kept[w], w))[:size]
    words = [_describe(word, lexicon) for word in ranked]
    known = [w for w in words if w.readings or w.groups or w.anchors]
    return sorted(known, key=lambda w: (-w.logp, w.text))


def _candidates(lexicon: Lexicon) -> dict[str, float]:
    scores: dict[str, float] = {}
    for source in (_common(lexicon), _capitalised(lexicon), _names(lexicon), _places(lexicon)):
        for word, score in source.items():
            scores[word] = max(score, scores.get(word, -math.inf))
    return scores | dict.fromkeys(_forced(lexicon), 0.0)


def _forced(lexicon: Lexicon) -> list[str]:
    listed = [
        word
        for word, groups in lexicon.members.items()
        if any(people == classes.ALWAYS for people in groups.values())
    ]
    return listed + list(lexicon.anchors)


def _common(lexicon: Lexicon) -> dict[str, float]:
    plain = [w for w in lexicon.net.cased if w.isalpha() and lexicon.lemma_cases(w) and len(w) > 1]
    return {word: log_probability(word) for word in [*plain, *lexicon.forms] if word.islower()}


def _capitalised(lexicon: Lexicon) -> dict[str, float]:
    """Capitalised WordNet words, unless the lower-case word drowns them."""
    scores = {}
    for lower in lexicon.net.cased:
        for word in sorted(lexicon.net.cased[lower] - {lower}):
            if word.isalpha() and _stands_alone(word, lexicon):
                scores[word] = log_probability(word)
    for form in lexicon.forms:
        if form[0].isupper():
            scores[form] = log_probability(form)
    return scores


def _stands_alone(word: str, lexicon: Lexicon) -> bool:
    lower = word.lower()
    groups = {group.split("/")[0] for group in lexicon.members.get(lower, ())}
    margin = 0.0 if groups & CLOSED else TITLE_MARGIN
    known = lexicon.lemma_cases(lower) or lower in lexicon.forms or lower in lexicon.members
    return not known or log_probability(word) > log_probability(lower) - margin


def _names(lexicon: Lexicon) -> dict[str, float]:
    scores: dict[str, float] = {}
    for table in (lexicon.names.female, lexicon.names.male, lexicon.names.surname):
        for name, share in table.items():
            if _stands_alone(name, lexicon):
                score = max(log_probability(name), sources.census_log_probability(share))
                scores[name] = max(score, scores.get(name, -math.inf))
    return scores


def _places(lexicon: Lexicon) -> dict[str, float]:
    people: dict[str, int] = defaultdict(int)
    for city in lexicon.cities:
        for part in classes.name_parts(city.name):
            people[part] = max(people[part], city.population)
    scores = {}
    for word in sorted(people):
        if _stands_alone(word, lexicon):
            by_size = math.log((people[word] + 1000) / 8e9) - 5.0
            scores[word] = max(log_probability(word), by_size)
    for name, _ in sources.read_countries().values():
        scores |= {part: max(log_probability(part), -14.0) for part in classes.name_parts(name)}
    return scores


def _describe(text: str, lexicon: Lexicon) -> Word:
    word = Word(text, log_probability(text))
    word.groups = classes.shares(lexicon.members.get(text, {}))
    word.anchors = lexicon.anchors.get(text, [])
    word.readings = _readings(text, lexicon, word.groups)
    return word


def _readings(text: str, lexicon: Lexicon, groups: dict[str, float]) -> list[Reading]:
    """WordNet readings of a case form, with weights that sum to 1."""
    found = _lemma_readings(text, lexicon) + _form_readings(text, lexicon)
    if {group.split("/")[0] for group in groups} & FUNCTION:
        found = [r for r in found if r.part != "n" or r.weight >= NOUN_USES]
    if not found and not groups and text != text.lower():
        found = _lemma_readings(text.lower(), lexicon)
    total = sum(r.weight for r in found)
    return [Reading(r.lemma, r.part, r.form, r.weight / total) for r in found]


def _lemma_readings(text: str, lexicon: Lexicon) -> list[Reading]:
    weights: dict[str, float] = defaultdict(float)
    for sense in lexicon.net.senses.get(text.lower(), ()):
        if text in lexicon.net.synsets[sense.synset].words:
            weights[sense.part] += sense.count + 0.5
    for part in lexicon.new_words.get(text, ()):
        weights["n" if part == "p" else part] += NEW_WORD_USES
    return [Reading(text, part, None, weights[part]) for part in sorted(weights)]


def _form_readings(text: str, lexicon: Lexicon) -> list[Reading]:
    readings = []
    for base, part, form in lexicon.forms.get(text, ()):
        uses = [s.count + 0.5 for s in lexicon.net.senses.get(base.lower(), ()) if s.part == part]
        readings.append(Reading(base, part, form, FORM_SHARE * sum(uses) + 0.5))
    return readings
