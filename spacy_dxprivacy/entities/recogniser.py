"""The statistical recogniser of the package: names, places, organisations, dates by their context.

It is trained on synthetic text and on text with manually annotated names (scripts/recogniser). It
adds entities to those of earlier components, and uses persons and places of the rules as evidence.
It reads English only; Docs of other languages keep their entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import groupby

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.pipeline.entityruler import entity_ruler_score
from spacy.tokens import Doc, Span

from .. import progress
from ..arrays import Floats2d
from ..errors import FailsClosed
from ..text.language import language_of_doc
from ..text.mentions import Entity, further_mentions, is_capitalised, is_word, plain_label
from ..text.normal_doc import in_normal_form
from ..text.tokens import outside_code, split_tokens
from ..validate import one_of, positive
from . import EVIDENCE, THRESHOLDS, network
from .extent import Bounds
from .tables import FOLLOWING, PLACES, PRODUCTS, expanded, pattern, words
from .words import ALSO_FIRST, builtin_lexicon, features, is_name

BATCH_TOKENS = 4096  # per call of the network
MIXED_SHARE = 0.15  # the same, above which a word in small letters may be a name
MAX_UNKNOWN_SHARE = 0.4  # share of unknown lower-case words above which a text is hardly English
FOREIGN_FACTOR = 3.0  # factor on the thresholds for such a text
MIN_LABEL_RATIO = 0.01  # minimum ratio of a token's best label to no entity; others are outside
MIN_PROBABILITY = 1e-9
Factors = dict[str, float]
# Ratio of the probability of an entity to that of no entity, from which common words are names;
# of a firm, from which common words with a number are.
SURELY = {"PERSON": 2.0, "GPE": 5.0, "ORG": 20.0}
FORM_WORDS, NO_NAME_PART = words("FORM_WORDS"), words("NO_NAME_PART")
_NAMES = frozenset({"PERSON", "GPE"})
_NAMED = _NAMES | {"ORG"}
_WRITTEN = _NAMED | {"ADDRESS"}
_BEFORE_SENTENCES = frozenset('. ? ! : ; " “ ( -'.split())
# No date: the end of a range of values, and an ordinal of no day of a month.
_VALUE = re.compile(
    r"(?:(?:from|to|of|in|at|by|the)\s)+\d{1,3}|(?:from\s)?\d{1,3}\sto\s\d{1,3}|"
    r"(?:(?:from|to|of|in|at|by|the)\s)*(?:3[2-9]|[4-9]\d|\d{3,})(?:st|nd|rd|th)|"
    # a version, the strength of a drug, a saturation, a server
    r"\d{1,3}\.\d{1,4}\.(?:\d|\d{3})|\d{3}/\d{1,2}|sat\s(?:3[2-9]|[4-9]\d|100)|[a-z]{2,}-\d{1,4}|"
    # a seat, a rate, a score, and a range of sizes or seats
    r"\d{1,3}[a-eg-ln-z]|[a-z]{2,5}\s\d{1,3}\.\d{1,2}|"
    r"(?:1[3-9]|[2-9]\d)\s?[-–]\s?(?:1[3-9]|[2-9]\d)",
    re.I | re.ASCII,
)
# The first of two hours that a place is open, or of a score: Saturday, 11 to 5; 10-8.
_RANGE_START = re.compile(
    rf"(?:(?:{expanded('WEEKDAY')}s?|to|and|on|from)[,.]?[\s–-]+)*\d{{1,2}}", re.I
)
# Sat 9-5: hours, whose day the rules find
_HOURS = re.compile(rf"(?:{expanded('WEEKDAY')}[,.]?[\s–-]+)+\d{{1,2}}\s?[-–]\s?\d{{1,2}}", re.I)
_THINGS = re.compile(r"\d{1,3} ([A-Z][a-z]+s)")  # 2 Garages
_RANGE_END = re.compile(
    rf"\s?(?:to|until|till|[-–])\s?\d{{1,2}}(?![\w/-]|\.\d|\s(?:of\s)?{expanded('MONTH')}\b)", re.I
)
# A number that is part of an address or a date is not a separate entity.
_WEAK = frozenset({"CARDINAL", "QUANTITY"})
MIN_STREET = 4  # letters of a word in capitals that may be a street, and no unit of a value
MIN_POSTAL_CODE = 4  # digits of a number that is an address by itself; rules find shorter ones
_VERSION = re.compile(r"v?\d{1,3}(?:\.\d{1,4}){1,3}")
_STRENGTH = re.compile(  # 100/6: no day and month
    r"(?=[\d.,/]*(?:3[2-9]|[4-9]\d|\d{3}))\d{1,4}(?:[.,]\d)?(?:/\d{1,4}(?:[.,]\d)?){1,2}|"
    r"\d{1,4}(?:[.,]\d{1,2})?(?:mg|mcg|ml)"
)
_UNITS = frozenset("mg mcg µg ml micrograms milligrams".split())
_ARTICLES, _AFTER_THING = (
    frozenset({"the", "a", "an"}),
    frozenset(". , ; : ! ? ) under in on at to by for from with and or".split()),
)
MIN_SMALL = 3  # letters of a place or firm in small letters
_MEASURE = re.compile(r"\d{1,6} ?([a-z]{1,4}|[a-z]{0,2}[A-Z]{1,2})")  # 132 kV
_NUMBERED = re.compile(r"([a-z]{2,})-\d{1,4}")  # cache-4
_COUNTED = re.compile(r"\d{1,3} (?:the|of the) [A-Z]")  # by 5 to 2 the Court dismissed it
_BELOW_90 = re.compile(r"[1-8]?\d", re.A)
_BETWEEN_VALUES = re.compile(r"\d{1,4} [a-z]{2,5} \d{1,4}")  # 165 over 95
_PATH_SETTING = re.compile(r"\w+=[\"']?(?:[$/~]|[A-Z]:\\)")
BESIDE = 60  # characters on each side of a fraction that show whether it is a date
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)  # code in Markdown
_FRACTIONS = re.compile(r"[^\d/]*\d\d?/\d\d?(?:[^\d/]+\d\d?/\d\d?)*[^\d/]*", re.ASCII)


class DxEntityRecognizer(FailsClosed, Pipe):
    """Add the entities of a small trained network to those of earlier components.

    Entities of earlier components stay; overlapping entities with one label are joined. Put
    `dx_entity_ruler` before it to find telephone numbers, identifiers and e-mail addresses. Its
    persons and places are evidence, unless your own patterns found them. The component saves no
    data: the network is part of the package. No error handler can suppress its errors.

    Args:
        nlp: The pipeline.
        name: The component's name.
        threshold: By label, the minimum ratio of the probability of an entity to that of no
            entity. Lower values leave fewer names readable, and mark more words that are no names.
        evidence: Factor on the probability of a person or place that dx_entity_ruler found by a
            rule (`dx_rule`) or by a guess (`dx_guess`).
    """

    def __init__(
        self,
        nlp: Language,
        name: str = "dx_entity_recognizer",
        *,
        threshold: Mapping[str, float] = THRESHOLDS,
        evidence: Mapping[str, float] = EVIDENCE,
    ) -> None:
        self.nlp, self.vocab, self.name = nlp, nlp.vocab, name
        self.scorer = entity_ruler_score  # of `nlp.evaluate` and `spacy evaluate`
        self.thresholds = _factors("threshold", threshold, THRESHOLDS)
        self.evidence = _factors("evidence", evidence, EVIDENCE)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the network."""
        return network.LABELS

    def __call__(self, doc: Doc) -> Doc:
        """Set the entities. A Doc with table rows is replaced by a Doc in which each field has
        its own tokens."""
        return next(iter(self.pipe([doc])))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Set the entities of a stream of Docs, a batch at a time."""
        normal = (in_normal_form(doc, self.nlp, self) for doc in stream)
        apart = (split_tokens(doc, self.nlp) for doc in normal)
        for docs in util.minibatch(apart, batch_size):
            if max(map(len, docs)) >= progress.LONG:
                progress.step("network")
            english = [doc for doc in docs if len(doc) and language_of_doc(doc) == "en"]
            shares = dict(zip(map(id, english), predict_tags(english), strict=True))
            for doc in docs:
                entities: list[Entity] = []
                if id(doc) in shares:
                    unknown = unknown_share(doc)
                    thresholds, evidence = self._factors_for(unknown)
                    sure = named_by_rules(doc)
                    names = take_evidence(doc, evidence)
                    entities = spans(add_evidence(shares[id(doc)], names), thresholds)
                    likely = certain(shares[id(doc)], entities)
                    entities = written_as_names(doc, entities, sure, likely, unknown)
                set_entities(doc, entities)
                yield doc

    def _factors_for(self, unknown: float) -> tuple[Factors, Factors]:
        """Return thresholds and evidence for a share of unknown words. In a text that is hardly
        English, the network takes these for names, and guesses of the rules are no evidence."""
        if unknown <= MAX_UNKNOWN_SHARE:
            return self.thresholds, self.evidence
        thresholds = {label: FOREIGN_FACTOR * value for label, value in self.thresholds.items()}
        return thresholds, {**self.evidence, "dx_guess": min(self.evidence["dx_guess"], 1.0)}


def _factors(setting: str, values: Mapping[str, float], defaults: Mapping[str, float]) -> Factors:
    """Return the defaults, updated. Raise DxError for an unknown key or a value not above 0."""
    for key, value in values.items():
        one_of(setting, key, tuple(defaults))
        positive(f"{setting}.{key}", value)
    return {**defaults, **values}


def unknown_share(doc: Doc) -> float:
    """Return the share of the lower-case words that are in no public table; 0 for less than three.

    It is large in tweets in languages that `language_of_doc` takes for English. Names in lower case
    count as known.
    """
    rank = builtin_lexicon().rank
    small = [t.text for t in doc if len(t) > 1 and t.text.isalpha() and t.text.islower()]
    unknown = sum(word not in rank and word.capitalize() not in rank for word in small)
    return unknown / len(small) if len(small) > 2 else 0.0


def predict_tags(docs: list[Doc]) -> list[Floats2d]:
    """Return the tag probabilities of each Doc, float32 (tokens, tags). Docs must have tokens.

    The features of all Docs form one sequence. The network reads BATCH_TOKENS tokens of it at a
    time, so that memory is bounded.
    """
    if not docs:
        return []
    rows, reach = features(docs), network.DEPTH
    gap = np.zeros((reach, rows[0].shape[1]), dtype=rows[0].dtype)
    flat = np.concatenate([part for row in rows for part in (row, gap)])
    parts = []
    for start in range(0, len(flat), BATCH_TOKENS):
        before = min(start, reach)
        (shares,) = network.bundled().predict([flat[start - before : start + BATCH_TOKENS + reach]])
        parts.append(shares[before : before + BATCH_TOKENS])
    flat_shares = np.concatenate(parts)
    starts = np.cumsum([0, *(len(row) + reach for row in rows)])
    return [flat_shares[start:][: len(row)] for start, row in zip(starts, rows, strict=False)]


def named_by_rules(doc: Doc) -> set[int]:
    """Return the tokens of the persons and places that a rule found, rather than a guess."""
    named = (span for span in doc.ents if span.label_ in _NAMES and span.id_ != "dx_guess")
    return {i for span in named for i in range(span.start, span.end)}


def certain(shares: Floats2d, entities: Iterable[Entity]) -> set[int]:
    """Return the tokens that the network alone takes for names, even where they are common."""
    return {
        i
        for label, start, end in entities
        if label in SURELY
        for i in range(start, end)
        if _odds(shares[i], label) > SURELY[label]
    }


def _odds(shares: Floats2d, label: str) -> float:
    """Return the ratio of the probability of a label to that of no entity, of a token."""
    named = shares[network.tag(label, begins=True)] + shares[network.tag(label, begins=False)]
    return float(named / max(shares[0], MIN_PROBABILITY))


def take_evidence(doc: Doc, evidence: Mapping[str, float]) -> list[tuple[Entity, float]]:
    """Remove the persons and places of the rules from a Doc. Return each with its factor."""
    names, others = list[Span](), list[Span]()
    for span in doc.ents:
        is_evidence = span.id_ in evidence and span.label_ in _NAMES
        (names if is_evidence else others).append(span)
    doc.ents = tuple(others)
    return [(Entity(span.label_, span.start, span.end), evidence[span.id_]) for span in names]


def add_evidence(shares: Floats2d, names: Iterable[tuple[Entity, float]]) -> Floats2d:
    """Return probabilities in which the tags of each name are multiplied by its factor.

    Both tags of the first word are multiplied, since the name may begin further left.

    Args:
        shares: Tag probabilities, shape (tokens, tags).
        names: Names that do not overlap, each with its factor.
    """
    factors = np.ones_like(shares)
    for (label, start, end), factor in names:
        factors[start, network.tag(label, begins=True)] = factor
        factors[start:end, network.tag(label, begins=False)] = factor
    return shares * factors


def spans(shares: Floats2d, thresholds: Mapping[str, float] = THRESHOLDS) -> list[Entity]:
    """Return the entities of the most probable valid tag sequence, in order.

    An entity begins with the first tag of its label. The other tag of a label only follows a tag of
    the same label. Probabilities of a label are divided by its threshold.

    Args:
        shares: Tag probabilities, shape (tokens, tags).
        thresholds: By label, the minimum ratio of its probability to that of no entity.
    """
    limits = np.array([thresholds[label] for label in network.LABELS])
    by_label = (shares[:, 1::2] + shares[:, 2::2]) / limits
    candidates = np.flatnonzero(by_label.max(axis=1) > MIN_LABEL_RATIO * shares[:, 0])
    scores = np.log(np.maximum(shares, MIN_PROBABILITY))
    scores[:, 1:] -= np.repeat(np.log(limits), 2)
    breaks = np.flatnonzero(np.diff(candidates) > 1) + 1
    return [
        Entity(label, run[0] + start, run[0] + end)
        for run in (part.tolist() for part in np.split(candidates, breaks) if len(part))
        for label, start, end in _decode(scores[run[0] : run[-1] + 1])
    ]


def _decode(scores: Floats2d) -> list[Entity]:
    """Return the entities of the tag sequence with the highest sum of scores (Viterbi)."""
    outside, begins, inside = scores[:, 0], scores[:, 1::2], scores[:, 2::2]
    best, in_label = 0.0, np.full(begins.shape[1], -np.inf)
    states, goes_on = [], []
    for i in range(len(scores)):
        enter, stay = best + begins[i], in_label + inside[i]
        goes_on.append(stay > enter)
        in_label = np.maximum(enter, stay)
        label = int(in_label.argmax())
        none = best + outside[i]
        best = max(none, in_label[label])
        states.append(label if in_label[label] > none else -1)
    entities, end = [], len(scores)
    while end:
        label, start = states[end - 1], end - 1
        while label >= 0 and goes_on[start][label]:
            start -= 1
        if label >= 0:
            entities.append(Entity(network.LABELS[label], start, end))
        end = start
    return entities[::-1]


def written_as_names(
    doc: Doc,
    entities: list[Entity],
    sure: AbstractSet[int] = frozenset(),
    likely: AbstractSet[int] = frozenset(),
    unknown: float = 0.0,
) -> list[Entity]:
    """Return the entities without persons, places and firms that the text writes as it writes other
    words: in small letters where names have capitals; as a common word with the capital of its
    sentence; as one letter or the abbreviation of a value; as a thing of which there are several.

    sure: Tokens of names that rules found, which the text cannot make things. likely: Tokens that
    the network alone takes for names. unknown: The share of unknown words, see unknown_share.
    """
    named = [e for e in entities if e.label in _WRITTEN]
    if not named:
        return entities
    capitalised = unknown <= MIXED_SHARE and is_capitalised(doc.text)
    small = {t.text for t in doc if t.is_lower and t.is_alpha} if capitalised else set[str]()
    fences = [match.span() for match in _FENCE.finditer(doc.text)]
    other = set[Entity]()
    for entity in named:
        at = doc[entity.start].idx
        in_code = any(first <= at < last for first, last in fences)
        if entity.label == "ADDRESS":
            is_other = in_code and doc[entity.start : entity.end].text.isdigit()
        else:
            is_other = _is_other_word(doc, entity, capitalised=capitalised or in_code)
            within = range(entity.start, entity.end)
            if not is_other and sure.isdisjoint(within):
                is_other = _is_used_as_thing(doc, entity, small)
                is_other |= likely.isdisjoint(within) and _are_common(doc, entity)
        other |= {entity} if is_other else set()
    return [entity for entity in entities if entity not in other]


def _is_other_word(doc: Doc, entity: Entity, *, capitalised: bool) -> bool:
    label, start, end = entity
    within = doc[start:end]
    if label != "PERSON" and "@" in within.text:
        return True
    if capitalised and all(token.is_lower and token.is_alpha for token in within):
        return True
    if label == "ORG" and end - start > 1 and within.text.islower():
        joined = is_word(within[0].text) or any(token.is_stop for token in within)
        return joined and not doc.text.islower()
    if end - start > 1:
        return False
    if label != "PERSON" and (len(within.text) == 1 or _is_of_value(doc, start)):
        return True
    if label != "PERSON" and within.text.islower() and len(within.text) < MIN_SMALL:
        return True
    if label == "PERSON" and (_is_thing(doc, start) or _is_among_drugs(doc, start)):
        return True
    has_strength = label == "PERSON" and _has_strength(doc, start)
    if has_strength or (label == "ORG" and _has_version(doc, start)):
        return True
    if (numbered := _NUMBERED.fullmatch(within.text)) is not None:
        return is_word(numbered[1]) and not is_name(numbered[1])
    return _is_common(doc, start) and _is_opening(doc, start)


def _are_common(doc: Doc, entity: Entity) -> bool:
    """Return whether a person, a place, or a firm with a number is of common words: Ward 7."""
    label, start, end = entity
    last = end - 1 if end - start > 1 and doc[end - 1].is_digit else end
    named = label == "ORG" and last == end
    return not named and all(_is_common(doc, i) for i in range(start, last))


def _is_used_as_thing(doc: Doc, entity: Entity, small: AbstractSet[str]) -> bool:
    """Return whether a text uses an unlisted word as that of a thing: with an article (a Glock),
    with a number behind it (Ryzen 9), or also in small letters.

    small: The words of the text in small letters, if its names have capitals.
    """
    label, start, end = entity
    text = doc[start].text
    if label != "PERSON" or end - start > 1 or is_name(text) or text.islower():
        return False
    if doc[start].lower_ in small:
        return True
    before, after = doc[start - 1].text if start else "", doc[end : end + 1]
    if before in ("a", "an"):
        return True
    number = (
        after.text if doc[start].whitespace_ and not doc[end + 1 : end + 2].text.isdigit() else ""
    )
    numbered = number.isdigit() and len(number) < MIN_POSTAL_CODE and number[0] != "0"
    return numbered and bool(before) and not before.isspace()


def _is_thing(doc: Doc, i: int) -> bool:
    """Return whether an article makes a name that of a thing, as in "the Elgar was slow": a noun
    behind it (the Lind file) or a plural (the Linds) leaves it the name of persons."""
    if not i or doc[i - 1].text not in _ARTICLES or doc[i].text.endswith("s"):
        return False
    after = doc[i + 1 : i + 2]
    return not after or after.text in _AFTER_THING


def _is_among_drugs(doc: Doc, i: int) -> bool:
    """Return whether a word stands in a list between two drugs."""
    if i < 2 or i + 2 >= len(doc) or doc[i - 1].text != ",":
        return False
    if doc[i + 1].text not in (",", "and"):
        return False
    beside = (doc[i - 2].lower_, doc[i + 2].lower_)
    is_drug = pattern("MEDICAL_END").fullmatch
    return all(word in PRODUCTS or is_drug(word) is not None for word in beside)


def _has_version(doc: Doc, i: int) -> bool:
    """Return whether the number of a version follows a word, as in Ubuntu 24.04."""
    return _VERSION.fullmatch(doc[i + 1 : i + 2].text) is not None


def _has_strength(doc: Doc, i: int) -> bool:
    """Return whether the strength of a drug follows a word, as in Fostair 100/6 and Zorvam 5 mg."""
    after, unit = doc[i + 1 : i + 2].text, doc[i + 2 : i + 3].text.lower()
    return _STRENGTH.fullmatch(after) is not None or (after[:1].isdigit() and unit in _UNITS)


def _is_common(doc: Doc, i: int) -> bool:
    """Return whether a word is no name and in no case a place, but a common word, or a heading in
    capitals before a full stop."""
    text, after = doc[i].text, doc[i + 1 : i + 2].text
    title, lexicon = text.capitalize(), builtin_lexicon()
    is_place = (lexicon.of(title) | lexicon.of(text.upper())) & PLACES
    if is_name(text) or is_place or title in ALSO_FIRST:
        return False
    return is_word(text.lower()) or (text.isupper() and after == ".")


def _is_opening(doc: Doc, i: int) -> bool:
    """Return whether a word with a capital begins a sentence and a mark follows, as in "Splendid.",
    or is in capitals there; not one that is alone on its line, as a signature is."""
    before, after = doc[i - 1 : i], doc[i + 1 : i + 2]
    opens = not before or before[0].is_space or before.text in _BEFORE_SENTENCES
    closes = not after or after[0].is_punct or doc[i].is_upper
    is_alone = (not before or before[0].is_space) and (not after or after[0].is_space)
    return opens and closes and (doc[i].is_upper or not is_alone)


def _is_of_value(doc: Doc, i: int) -> bool:
    """Return whether a word is an abbreviation before its value, as in eGFR 58, or begins with a
    small letter as such do."""
    text, after = doc[i].text, doc[i + 1 : i + 2].text
    if not text.isalpha() or text.islower() or text[1:].islower():
        return False
    return text[0].islower() or (text.isupper() and len(text) < 5 and after[:1].isdigit())


def set_entities(doc: Doc, predictions: list[Entity]) -> None:
    """Add entities to those of a Doc, then add further mentions of all its entities.

    An added entity takes only free tokens. It is dropped if it overlaps an earlier entity and its
    free tokens are all common words. It extends an earlier entity with the same label.
    """
    predicted_tokens = {i for _, start, end in predictions for i in range(start, end)}
    kept = {
        span
        for span in doc.ents
        if span.label_ not in _WEAK or predicted_tokens.isdisjoint(range(span.start, span.end))
    }
    owner = {i: span for span in kept for i in range(span.start, span.end)}
    bounds = Bounds(doc)
    for label, first, last in bounds.split(predictions):
        start, end = _trim(bounds, label, first, last)
        if not _is_entity(doc, start, end) or _is_value(doc, label, start, end):
            continue
        beside = {owner[i] for i in range(start, end) if i in owner and owner[i].label_ == label}
        if any(i not in owner for i in range(start, end)):
            start = min([start, *(span.start for span in beside)])
            end = max([end, *(span.end for span in beside)])
            kept -= beside
            for i in (i for span in beside for i in range(span.start, span.end)):
                del owner[i]
        for is_owned, run in groupby(range(start, end), key=owner.__contains__):
            tokens = list(run)
            is_cut = len(tokens) < end - start
            if not is_owned and not (is_cut and all(is_word(doc[i].lower_) for i in tokens)):
                low, high = _trim(bounds, label, tokens[0], tokens[-1] + 1)
                if low < high:
                    span = Span(doc, low, high, label=label)
                    kept.add(span)
                    owner.update(dict.fromkeys(range(low, high), span))
    entities = sorted(Entity(plain_label(s.label_), s.start, s.end) for s in kept)
    again = bounds.split(further_mentions(doc, entities), kept)
    further = (Span(doc, start, end, label=label) for label, start, end in again)
    doc.ents = tuple(outside_code(doc, [*kept, *further]))


def _is_entity(doc: Doc, start: int, end: int) -> bool:
    """Return whether an extent has letters or digits, and is neither stop words ("as of"), nor a
    degree ("M.D."), a setting with a path ("PWD=/srv"), a word of forms ("IBAN" in "IBAN
    DE89...") that looks like a name, a value joined to its unit, or a fraction that no word
    beside it makes a date."""
    text, after = doc[start:end].text, doc[end : end + 2].text
    if all(token.is_stop and token.is_lower for token in doc[start:end]):
        return False
    if not any(map(str.isalnum, text)):
        return False
    if _is_degree(text) or _PATH_SETTING.match(text):
        return False
    if pattern("JOINED").fullmatch(text.lower()):
        return False
    if _FRACTIONS.fullmatch(text) and not _is_date(doc, start, end):
        return False
    return not (text.isupper() and text.lower() in FORM_WORDS and any(map(str.isdigit, after)))


def _is_value(doc: Doc, label: str, start: int, end: int) -> bool:
    """Return whether a date or an address is only a number that may be a value, or a name a
    number of things."""
    if label == "ADDRESS":
        return _is_count(doc, start, end)
    text = doc[start:end].text
    if label in _NAMED:
        things = _THINGS.fullmatch(text)
        joined = label == "ORG" and pattern("JOINED").fullmatch(text.lower().replace(" ", "", 1))
        return bool(joined) or (things is not None and is_word(things[1].lower()))
    return label == "DATE" and (
        _VALUE.fullmatch(text) is not None
        or pattern("JOINED").fullmatch(text.lower().rpartition(" ")[2]) is not None
        or _HOURS.fullmatch(text) is not None
        or _is_before_hour(doc, start, end)
        or _is_answer(doc, start, end)
    )


def _is_answer(doc: Doc, start: int, end: int) -> bool:
    """Return whether a number below 90, an age that stays or a count, is all that a speaker says
    in a sentence."""
    before, after = doc[start - 1 : start], doc[end : end + 1]
    opens = bool(before) and (before.text == ":" or before[0].is_space)
    closes = not after or after[0].is_space or after.text in (".", "!", "?")
    return opens and closes and _BELOW_90.fullmatch(doc[start:end].text) is not None


def _is_count(doc: Doc, start: int, end: int) -> bool:
    """Return whether an address is a measure, or a number of things: no street follows that of a
    house."""
    text, after = doc[start:end].text, doc[end] if end < len(doc) else None
    if (measure := _MEASURE.fullmatch(text)) is not None:
        return measure[1].lower() in FOLLOWING["UNIT"] or not measure[1].islower()
    if _BETWEEN_VALUES.fullmatch(text) or _COUNTED.match(text):
        return True
    if text.isdigit() and len(text) < MIN_POSTAL_CODE:
        ends = after is None or after.is_space or (after.is_upper and len(after) < MIN_STREET)
        return ends or (after is not None and after.text.endswith("s") and is_word(after.lower_))
    # 3 Brown Long-eared: an address ends with a word
    is_cut = after is not None and after.text == "-" and not doc[end - 1].whitespace_
    return is_cut and text[0].isdigit() and doc[end + 1 : end + 2].text.islower()


def _is_before_hour(doc: Doc, start: int, end: int) -> bool:
    """Return whether a date ends with the first number of a range that is no range of days: the
    hours that a place is open, or a score."""
    text, first = doc[start:end].text, doc[start:end].end_char
    ends = _RANGE_START.fullmatch(text)
    return ends is not None and _RANGE_END.match(doc.text, first) is not None


def _is_date(doc: Doc, start: int, end: int) -> bool:
    """Return whether a fraction is a date by the rules, which read the words beside it."""
    first, last = doc[start].idx, doc[end - 1].idx + len(doc[end - 1])
    low = max(first - BESIDE, 0)
    beside = doc.text[low : last + BESIDE].lower()
    matches = pattern("DATE_PHRASE").finditer(beside)
    return any(m.start() < last - low and m.end() > first - low for m in matches)


def _is_degree(text: str) -> bool:
    """Return whether a text is a degree or an office abbreviated with full stops, as M.D."""
    return text.count(".") > 1 and text.replace(".", "").lower() in NO_NAME_PART


def _trim(bounds: Bounds, label: str, start: int, end: int) -> tuple[int, int]:
    """Return an extent without white space and marks at its ends; except for dates and times,
    also without degrees and linking words."""
    doc = bounds.doc
    if label not in ("DATE", "TIME"):
        while start < end and _is_degree(doc[end - 1].text):
            end -= 1
        return bounds.trim(start, end)
    while start < end and (doc[start].is_space or doc[start].is_punct):
        start += 1
    while start < end and (doc[end - 1].is_space or doc[end - 1].is_punct):
        end -= 1
    return start, end
