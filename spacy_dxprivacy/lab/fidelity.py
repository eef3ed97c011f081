"""Measure whether the surrogates of a document fit together as the originals did.

Each relation is found in the originals by public lists and nearby words, and checked among the
surrogates: a share below 1 is noticeable in the release. Apart from the lists, these checks share
no code with surrogates.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from itertools import combinations, pairwise

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import filter_spans

from ..entities.tables import STATES, ZIP_HEADS, cities, listed
from ..privacy.randomness import Rng
from ..surrogates.base import Mention, Surrogate
from ..surrogates.replacements import replace_mentions
from ..text.mentions import plain_label, spans_of
from .golden import Gold

_DATES = ("%Y-%m-%d", "%B %d, %Y", "%d %B %Y", "%m/%d/%Y")
_GENDERS = {"mr": "male", "mrs": "female", "ms": "female", "he": "male", "she": "female"}
_ADDRESS = re.compile(r"([^,\n]+), ([A-Z]{2}) (\d{5})\b")
_WORD = re.compile(r"[^\W\d_]+")
_AGE = re.compile(r"\b(?:aged?|is)\s+(\d{1,2})\b|\b(\d{1,2})-year-old\b", re.I)


@dataclass(frozen=True)
class Replaced:
    """A mention, its normalised label, its surrogate, and the text after it, up to the next
    person."""

    mention: Mention
    label: str
    text: str
    after: str


@dataclass(frozen=True)
class FitShare:
    """The number of pairs of a relation, and of those that fit among the surrogates."""

    pairs: int
    fitting: int


def measure_fit(
    nlp: Language, golds: Sequence[Gold], surrogates: Mapping[str, Surrogate], seed: int = 0
) -> dict[str, FitShare]:
    """Replace the annotated entities, and return the share of each of RELATIONS that fits.

    Args:
        nlp: A pipeline, for its tokenizer.
        golds: Annotated texts. Entities of labels without a surrogate are left out.
        surrogates: By label.
        seed: Of the draws.
    """
    pairs, fitting = Counter[str](), Counter[str]()
    for number, gold in enumerate(golds):
        doc = _annotate(nlp, gold, surrogates)
        drawn = replace_mentions(doc, surrogates, Rng((seed << 32) + number))
        replaced, end = list[Replaced](), len(doc)
        for item in reversed(drawn):
            label, text = plain_label(item.mention.label), item.text or item.mention.text
            replaced.insert(0, Replaced(item.mention, label, text, doc[item.end : end].text))
            end = item.start if label == "PERSON" else end
        for name, relation in RELATIONS.items():
            outcomes = list(relation(replaced, gold.text))
            pairs[name] += len(outcomes)
            fitting[name] += sum(outcomes)
    return {name: FitShare(pairs[name], fitting[name]) for name in RELATIONS}


def _annotate(nlp: Language, gold: Gold, labels: Mapping[str, object]) -> Doc:
    doc = nlp.make_doc(gold.text)
    entities = [entity for entity in gold.entities if entity.label in labels]
    doc.set_ents(filter_spans(spans_of(doc, entities)))
    return doc


def _with_label(replaced: Sequence[Replaced], *labels: str) -> list[Replaced]:
    return [item for item in replaced if item.label in labels]


def _names(text: str) -> list[str]:
    words = [word for word in _WORD.findall(text.lower()) if word not in _GENDERS and word != "dr"]
    return words or [""]


def one_person_has_one_name(replaced: Sequence[Replaced], text: str) -> Iterator[bool]:
    """Surrogates share a family name if and only if their mentions do."""
    pairs = [
        (_names(item.mention.text)[-1], _names(item.text)[-1])
        for item in _with_label(replaced, "PERSON")
    ]
    for (name, surrogate), (second_name, second_surrogate) in combinations(pairs, 2):
        yield (surrogate == second_surrogate) == (name == second_name)


def mail_has_the_name(replaced: Sequence[Replaced], text: str) -> Iterator[bool]:
    """A mail address with the family name of a person gets that of the surrogate."""
    for mail in _with_label(replaced, "EMAIL"):
        for person in _with_label(replaced, "PERSON"):
            names = _names(person.mention.text)
            if len(names) > 1 and names[-1] in mail.mention.text.lower().partition("@")[0]:
                yield _names(person.text)[-1] in mail.text.lower().partition("@")[0]
                break


def gender_is_that_of_the_text(replaced: Sequence[Replaced], text: str) -> Iterator[bool]:
    """A given name has the gender of a title, or of "he" or "she" before the next name."""
    for person in _with_label(replaced, "PERSON"):
        titles = [person.mention.before, *person.mention.text.split()[:1]]
        words = [word.lower().strip(".") for word in (*titles, *_WORD.findall(person.after))]
        genders = [_GENDERS[word] for word in words if word in _GENDERS]
        names = _names(person.text)
        if genders and len(names) > 1 and len(_names(person.mention.text)) > 1:
            yield names[0].title() in listed(genders[0])


def city_is_in_its_state(replaced: Sequence[Replaced], text: str) -> Iterator[bool]:
    """A city is in the state after it, and the postal code after that is of the state."""
    homes = defaultdict[str, set[str]](set)
    for city, short in cities():
        homes[city.lower()].add(short)
    shorts = {name.lower(): short for short, name in STATES.items()}
    for place, following in pairwise(_with_label(replaced, "GPE")):
        original, surrogate = following.mention.text.strip(), following.text
        if following.mention.before == "," and (original in STATES or original.lower() in shorts):
            yield shorts.get(surrogate.lower(), surrogate) in homes[place.text.lower()]
        if original[:5].isdigit() and place.mention.text in STATES:
            yield surrogate[:2] in ZIP_HEADS.get(place.text, ())
    for address in _with_label(replaced, "ADDRESS"):
        parts = _ADDRESS.search(address.text)
        if _ADDRESS.search(address.mention.text):
            yield parts is not None and (
                parts[2] in homes[parts[1].strip().lower()] and parts[3][:2] in ZIP_HEADS[parts[2]]
            )


def days_between_dates_stay(replaced: Sequence[Replaced], text: str) -> Iterator[bool]:
    """Two full dates of a document keep their distance in days."""
    for (old, new), (old_end, new_end) in combinations(_full_dates(replaced), 2):
        yield new is not None and new_end is not None and old_end - old == new_end - new


def age_is_that_of_the_birth(replaced: Sequence[Replaced], text: str) -> Iterator[bool]:
    """A stated age is the time from the first date, if that is of birth, to the last date."""
    dates, ages = _full_dates(replaced), [int(age[1] or age[2]) for age in _AGE.finditer(text)]
    if len(dates) < 2 or not ages:
        return
    (birth, new_birth), (last, new_last) = dates[0], dates[-1]
    if _years(birth, last) == ages[0]:
        stated = [item.text for item in replaced if item.mention.text == str(ages[0])]
        age = (stated or [str(ages[0])])[0]
        if new_birth is None or new_last is None:
            yield False
        else:
            yield str(_years(new_birth, new_last)) == age


def _years(first: date, last: date) -> int:
    return last.year - first.year - ((last.month, last.day) < (first.month, first.day))


def _full_dates(replaced: Sequence[Replaced]) -> list[tuple[date, date | None]]:
    """Return each original that is a full date, with its surrogate, or None if that is no date."""
    pairs = [(_date(item.mention.text), _date(item.text)) for item in _with_label(replaced, "DATE")]
    return [(original, surrogate) for original, surrogate in pairs if original]


def _date(text: str) -> date | None:
    for form in _DATES:
        with suppress(ValueError):
            return datetime.strptime(text, form).date()
    return None


def currency_stays(replaced: Sequence[Replaced], text: str) -> Iterator[bool]:
    """An amount keeps the sign or the code of its currency."""
    for item in _with_label(replaced, "QUANTITY", "MONEY"):
        if signs := re.findall(r"[$€£¥]|\b[A-Z]{3}\b", item.mention.text):
            yield signs == re.findall(r"[$€£¥]|\b[A-Z]{3}\b", item.text)


Relation = Callable[[Sequence[Replaced], str], Iterator[bool]]
RELATIONS: dict[str, Relation] = {
    "one person, one name": one_person_has_one_name,
    "mail address and name": mail_has_the_name,
    "gender of the text": gender_is_that_of_the_text,
    "city, state, postal code": city_is_in_its_state,
    "days between dates": days_between_dates_stay,
    "birth date and age": age_is_that_of_the_birth,
    "one currency": currency_stays,
}
