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
PLACE_SHARE = 0.15  # the same for a place that is a name of persons too
SHARE_OF_CLASS = 0.03  # of a word's people; with less it does not belong to the class
MEDICAL_START = 1.5  # web text has few words of medicine, and notes of patients have many
RARE_BEARERS = 1e-4  # of people; a common word is a name too only if more of them bear it
FORM_SHARE = 0.3  # of a base's uses that fall to one inflected form


# Words of these classes are seldom nouns, whatever WordNet lists ("he" for helium)
FUNCTION = frozenset(
    "pronoun possessive determiner preposition conjunction auxiliary modal wh_word negation".split()
)
NOUN_USES = 8.0
NEW_WORD_USES = 4.0


ENGLISH_SPEAKING = frozenset("US GB CA AU IE NZ".split())


@dataclass(frozen=True)
class Reading:
    """One way to read a word: a WordNet lemma in a part of speech, with a form of it."""

    lemma: str
    part: str
    form: str | None
    weight: float


@dataclass
class Word:
    """A row of the table. ``logp`` orders rows; ``groups`` are fine classes, with weights.

    ``derived`` words were made of another by rule, and would else lie on top of it. ``doubtful``
    classes are those that the word has only as a part of longer names ("New", "Man").
    """

    text: str
    logp: float
    readings: list[Reading] = field(default_factory=list)
    groups: dict[str, float] = field(default_factory=dict)
    anchors: list[str] = field(default_factory=list)
    derived: bool = False
    doubtful: frozenset[str] = frozenset()

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
        found -= self.doubtful
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
    medical: set[str]
    derived: set[str]
    whole_places: dict[str, set[str]]

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
    for word in lexicon.medical:
        if word in scores:
            scores[word] += MEDICAL_START
    return scores | dict.fromkeys(_forced(lexicon), 0.0)


def _forced(lexicon: Lexicon) -> list[str]:
    members = lexicon.members
    return [w for w in members if classes.ALWAYS in members[w].values()] + list(lexicon.anchors)


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


def _is_word(name: str, lexicon: Lexicon) -> bool:
    """Whether a name is a common word as well, in lower case."""
    lower = name.lower()
    known = lexicon.lemma_cases(lower) or lower in lexicon.forms or lower in lexicon.members
    return known and log_probability(lower) > max(-15.0, log_probability(name) - 1.0)


def _names(lexicon: Lexicon) -> dict[str, float]:
    scores: dict[str, float] = {}
    for table in (lexicon.names.female, lexicon.names.male, lexicon.names.surname):
        for name, share in table.items():
            rare = share <= RARE_BEARERS and _is_word(name, lexicon)
            if _stands_alone(name, lexicon) and not rare:
                score = max(log_probability(name), sources.census_log_probability(share))
                scores[name] = max(score, scores.get(name, -math.inf))
    return scores


def _places(lexicon: Lexicon) -> dict[str, float]:
    scores: dict[str, float] = {}
    for city in lexicon.cities:
        anglophone = city.country in ENGLISH_SPEAKING
        by_size = math.log((city.population + 1000) / 8e9) - (4.5 if anglophone else 6.5)
        for word in classes.name_parts(city.name):
            if _stands_alone(word, lexicon) and not _is_word(word, lexicon):
                scores[word] = max(log_probability(word), by_size, scores.get(word, FLOOR))
    for name, _ in sources.read_countries().values():
        scores |= {part: max(log_probability(part), -14.0) for part in classes.name_parts(name)}
    return scores


def _describe(text: str, lexicon: Lexicon) -> Word:
    word = Word(text, log_probability(text))
    word.groups = classes.shares(lexicon.members.get(text, {}))
    word.anchors = lexicon.anchors.get(text, [])
    word.derived = text in lexicon.derived
    word.doubtful = doubtful_places(word, lexicon)
    word.readings = _readings(text, lexicon, word.groups)
    return word


def doubtful_places(word: Word, lexicon: Lexicon) -> frozenset[str]:
    """Classes of places that the word belongs to by its groups, but hardly in a text."""
    if word.text.islower():
        return frozenset()
    listed = {group.split("/")[0] for group, share in word.groups.items() if share == 1.0}
    coarse = word.coarse()
    common = _is_commoner_word(word.text, lexicon)
    named = sum(coarse.get(kind, 0.0) for kind in classes.NAMES)
    doubtful = set()
    for kind in {"city", "country", "state"} - listed:
        whole = word.text in lexicon.whole_places[kind]
        small = coarse.get(kind, 0.0) < PLACE_SHARE
        if listed or common or (named and small) or (not whole and named > coarse.get(kind, 0.0)):
            doubtful.add(kind)
    return frozenset(doubtful)


def _is_commoner_word(text: str, lexicon: Lexicon) -> bool:
    lower = text.lower()
    known = lexicon.lemma_cases(lower) or lower in lexicon.forms or lower in lexicon.members
    return known and log_probability(lower) > log_probability(text) - 0.5


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
