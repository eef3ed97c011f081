"""The statistical recogniser of the package: names, places, organisations, dates by their context.

It is trained on synthetic text and on text with manually annotated names (scripts/recogniser). It
adds entities to those of earlier components, and uses persons and places of the rules as evidence.
It reads English only; Docs of other languages keep their entities.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby

from spacy import util
from spacy.lang.en.stop_words import STOP_WORDS
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.pipeline.entityruler import entity_ruler_score
from spacy.tokens import Doc, Span

from .. import progress
from ..arrays import Floats2d
from ..errors import FailsClosed
from ..text.language import language_of_doc
from ..text.mentions import (
    JUDGES,
    MAX_INITIALS,
    OF_COURT,
    QUOTES,
    Entity,
    further_mentions,
    is_of_items,
    is_word,
    plain_label,
    set_complete,
    with_initials,
)
from ..text.normal_doc import in_normal_form
from ..text.tokens import outside_code, split_tokens, tokens_in_code
from ..validate import one_of, positive
from . import EVIDENCE, THRESHOLDS, network
from .common_words import are_common, is_public_body
from .context import SURELY, Context
from .decoding import add_evidence, odds, predict_tags, spans, without_marks
from .extent import Bounds
from .facts import ABBREVIATIONS
from .foreign import without_words
from .goods import has_model, is_brand_of_thing
from .reasons import is_entity, relabel, without_small_ends
from .tables import FOLLOWING, LISTED, words
from .terms import FIRM_ENDS, LEGAL
from .titles import is_also_title, is_describing, is_title_behind
from .usage import RANKS
from .words import TO_HOUR, builtin_lexicon, is_name, is_ordinary, kinds

MAX_UNKNOWN_SHARE = 0.4  # share of unknown lower-case words above which a text is hardly English
LEAST_FIRM = 0.03  # odds of the network below which the noun of a firm alone makes none
FOREIGN_FACTOR = 3.0  # factor on the thresholds for such a text
Factors = dict[str, float]
_NAMES, _NO_NAME_PART = frozenset({"PERSON", "GPE"}), words("NO_NAME_PART")
_FILE_WORDS = words("FILE_WORDS")
_GLUED = re.compile(r"\w[@_/]|[@_/]\w|[^\W\d_]\d")  # anna_k, gus77
_FIELD_START = re.compile(r"(?:[;,]|\| ?|\t)\"?\Z")
_FIELD_END = re.compile(r"\"?(?:[;,](?=\S)| ?\||\t)")
_LETTER_UNITS = frozenset("g h l m s t v w".split())
_RELEASE = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,3}")  # the number of a release
_TENS = frozenset("twenty thirty forty fifty sixty seventy eighty ninety".split())
_ONES = frozenset("one two three four five six seven eight nine".split())
_BEFORE_HOURS = frozenset("about after around at before by from till until".split())
_KIN_IN_SHORT = frozenset("dau dghtr dtr gdau gdtr hubby ptnr".split())
_BEFORE_LIFE = frozenset("b b. d d. m m. born died c c. ca ca. circa fl fl. .".split())
_RANK = re.compile(r"[A-Z]{2,5}|[A-Z]{2}-?\d{1,2}")  # and a witness by number: PW2, CW-1
_RESULT = re.compile(r"\d{1,3}:\d\d(?::\d\d)?(?:\.\d{1,3})?")  # of a race: Ada Lind 41:08
_WRITTEN, _INITIAL = re.compile(r"[A-Z].*[a-z].*"), re.compile(r"[A-Z]\.?")  # McKay, T.
MIN_GIVEN = 4  # letters of a given name in short
_DETERMINERS = words("DETERMINERS")
MIN_PLACED = 3  # words of a firm of common words before the address of its street
_MONTHS_OR_NAMES = frozenset({"Jan.", "Jun.", "Mar.", "Dec.", "Jul.", "Apr.", "Aug."})
_BEFORE_FIRMS = frozenset("at by for from of through via with".split())
MAX_NICKNAME = 3  # words of a nickname in quotes
MIN_HOST = 5  # letters of the host of an address of mail that is a firm's name
_PROVIDERS = words("MAIL_PROVIDERS")
_CALLS = LISTED["TITLE"] | LISTED["GREETING"]
# A number that is part of an address or a date is not a separate entity.
_WEAK = frozenset({"CARDINAL", "QUANTITY"})


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
                if len(doc) >= progress.LONG:
                    progress.step("limits of its names")
                bounds = Bounds.of(doc)
                found = self._find(bounds, shares[id(doc)]) if id(doc) in shares else ()
                set_entities(bounds, found)
                yield doc

    def _find(self, bounds: Bounds, shares: Floats2d) -> Iterator[Entity]:
        """Yield what the network takes for entities and no reason speaks against.

        The persons and places of the rules leave the Doc: they are evidence.
        """
        doc = bounds.doc
        context = Context(bounds, shares, *named_by_rules(doc), unknown_share(bounds))
        thresholds, evidence = self._factors_for(context.unknown)
        names = take_evidence(context, evidence)
        full = _full_names(context, names)
        predictions = spans(add_evidence(without_marks(doc, shares), names), thresholds)
        # Without marks at their ends, among which values are recognised: Mbps of "200 Mbps,".
        bare = (
            Entity(label, *bounds.trim(start, end))
            if label in SURELY
            else Entity(label, start, end)
            for label, start, end in predictions
        )
        for label, start, end in bounds.split(e for e in bare if e.start < e.end):
            trimmed = Entity(label, *_trim(bounds, label, start, end))
            if trimmed.start >= trimmed.end:
                continue  # M.S. program
            entity = without_small_ends(context, trimmed)
            is_cut = entity.end - entity.start < end - start
            for piece in bounds.split([entity]) if is_cut else [entity]:
                if is_entity(context, piece) and not bounds.is_head(piece.start, piece.end):
                    yield _whole_name(context, full, relabel(context, piece))

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


def unknown_share(bounds: Bounds) -> float:
    """Return the share of the lower-case words of a document that are in no public table; 0 for
    less than three.

    It is large in tweets in languages that `language_of_doc` takes for English. Names in lower case
    count as known.
    """
    rank, code, texts = builtin_lexicon().rank, tokens_in_code(bounds.doc), bounds.texts
    if code:
        texts = [text for i, text in enumerate(texts) if i not in code]
    small = [text for text in texts if text.islower() and len(text) > 1 and text.isalpha()]
    known = (word in rank or word.capitalize() in rank or is_ordinary(word) for word in small)
    unknown = len(small) - sum(known)
    return unknown / len(small) if len(small) > 2 else 0.0


def named_by_rules(doc: Doc) -> tuple[set[int], set[int]]:
    """Return the tokens of the persons and places that a rule found, and those of guesses."""
    ruled, guessed = set[int](), set[int]()
    for span in doc.ents:
        if span.label_ in _NAMES:
            tokens = guessed if span.id_ == "dx_guess" else ruled
            tokens.update(range(span.start, span.end))
    return ruled, guessed


def take_evidence(context: Context, evidence: Mapping[str, float]) -> list[tuple[Entity, float]]:
    """Remove the persons and places of the rules from a Doc. Return each with its factor.

    One that fills a field of a table counts twice, as the network finds no words beside it; so does
    a listed given name before a word that is in no list. The
    word behind a title or a greeting counts three times: it is surer than the network (Dear Ash),
    which decides where the name ends. Persons of sure cues, as senders of messages, stay as they
    are. Firms of common words leave the Doc without a factor: their form alone (Chess Club, Board
    of Directors) is that of departments and halls too. Where ordinary words have capitals, so do
    firms without a legal form that the network takes for none (Summer School). Names within codes
    and initials below a head of persons stay, since the network was trained on none.
    """
    names, others = list[tuple[Entity, float]](), list[Span]()
    bounds, doc, text = context.bounds, context.doc, context.whole
    for span in doc.ents:
        is_rule = span.id_ in evidence
        is_evidence = is_rule and span.label_ in _NAMES
        if is_evidence and not _is_glued(span.text) and not _is_short_below_head(bounds, span):
            factor, name = evidence[span.id_], Entity(span.label_, span.start, span.end)
            is_sure = fills_field(text, span) or _is_listed_with_new(span)
            names.append((name, factor ** (1 + is_sure)))
            if _is_called(bounds, span):
                names.append((name._replace(end=span.start + 1), factor**3))
        elif not (is_rule and span.label_ == "ORG" and _is_no_firm(context, span)):
            others.append(span)
    doc.ents = tuple(others)
    return names


def _is_glued(text: str) -> bool:
    """Return whether a name is within a code, as anna_k, which is no version of a file."""
    last = text.lower().rpartition("_")[2].rstrip("0123456789")
    return _GLUED.search(text) is not None and not ("_" in text and last in _FILE_WORDS)


def _is_no_firm(context: Context, span: Span) -> bool:
    """Return whether a firm of the rules is of common words, or of words with capitals that the
    network takes for none."""
    entity = Entity("ORG", span.start, span.end)
    if is_public_body(context, entity):
        return True
    if _is_placed_firm(span):
        return False
    if are_common(span, "ORG") or is_brand_of_thing(context, entity) or has_model(context, entity):
        return True
    if not context.least_odds or not LEGAL.isdisjoint(token.text.rstrip(".") for token in span):
        return False
    return all(odds(context.shares, "ORG", token.i) < LEAST_FIRM for token in span)


def _is_placed_firm(span: Span) -> bool:
    """Return whether a firm of common words stands before its street (Salt Hill Public Library, 4
    Elm Road), or has four words and behind a preposition no article: through Tarn Bridge Neighbour
    Centre."""
    doc, end = span.doc, span.end
    if len(span) < MIN_PLACED or not all(t.text[:1].isupper() or t.is_stop for t in span):
        return False
    if end + 1 < len(doc) and doc[end].text == "," and doc[end + 1].text[0].isdigit():
        return doc[end + 1].ent_type_ == "ADDRESS"
    before = doc[span.start - 1].text if span.start else ""
    return len(span) > MIN_PLACED and before in _BEFORE_FIRMS


def _is_short_below_head(bounds: Bounds, span: Span) -> bool:
    """Return whether a person is a few capitals below a head that names persons."""
    is_short = len(span) == 1 and span.text.isupper() and len(span.text) < MAX_INITIALS
    return is_short and span.text not in ABBREVIATIONS and bounds.is_headed(span.start)


def _is_listed_with_new(span: Span) -> bool:
    """Return whether a rule found a listed given name, which may be a common word, before a family
    name that is in no list: Gift Chikwanda."""
    if span.id_ != "dx_rule" or len(span) != 2 or not span.text.istitle():
        return False
    return "FIRST" in kinds(span[0].text) and "UNKNOWN" in kinds(span[1].text)


def _is_called(bounds: Bounds, span: Span) -> bool:
    """Return whether a person stands after a title or a greeting."""
    before = bounds.lowers[span.start - 1].rstrip(".") if span.start else ""
    is_rule = span.label_ == "PERSON" and span.id_ == "dx_rule"
    return is_rule and before in _CALLS


def _full_names(context: Context, names: list[tuple[Entity, float]]) -> dict[int, Entity]:
    """Return token -> the full name that a rule found, which begins with a listed given name."""
    full = dict[int, Entity]()
    for name, _ in names:
        tokens = range(name.start, name.end)
        texts = context.bounds.texts[name.start : name.end]
        is_full = len(texts) > 1 and all(text.isalpha() and text[0].isupper() for text in texts)
        if is_full and name.label == "PERSON" and "FIRST" in kinds(texts[0]):
            full.update((i, name) for i in tokens if context.ruled >= {*tokens})
    return full


def _whole_name(context: Context, full: Mapping[int, Entity], entity: Entity) -> Entity:
    """Return a person with what is left of a full name that a rule found: the given name before it,
    or a family name that is a common word, and no noun: Blessing Okonjo, Hansel Go.

    full: Token -> full name of the rules.
    """
    label, start, end = entity
    name = full.get(start)
    if label != "PERSON" or name is None:
        return entity
    left = context.bounds.lowers[end : name.end]
    are_of_name = not any("noun" in builtin_lexicon().of(lower) for lower in left)
    return Entity(label, min(start, name.start), max(end, name.end) if are_of_name else end)


def fills_field(text: str, span: Span) -> bool:
    """Return whether a span is a field between marks of a table: E-703,Grace,Bath."""
    start, end = span.start_char, span.end_char
    return (
        _FIELD_START.search(text, max(start - 3, 0), start) is not None
        and _FIELD_END.match(text, end) is not None
    )


def set_entities(bounds: Bounds, found: Iterable[Entity]) -> None:
    """Add entities to those of a Doc, then add further mentions of all its entities.

    An added entity takes only free tokens. It is dropped if it overlaps an earlier entity and its
    free tokens are all common words. It extends an earlier entity with the same label.
    """
    doc, found = bounds.doc, list(found)
    found_tokens = {i for _, start, end in found for i in range(start, end)}
    merged = {
        span
        for span in doc.ents
        if span.label_ not in _WEAK or found_tokens.isdisjoint(range(span.start, span.end))
    }
    owner = {i: span for span in merged for i in range(span.start, span.end)}
    for label, start, end in found:
        beside = {owner[i] for i in range(start, end) if i in owner and owner[i].label_ == label}
        if any(i not in owner for i in range(start, end)):
            start = min([start, *(span.start for span in beside)])
            end = max([end, *(span.end for span in beside)])
            merged -= beside
            for i in (i for span in beside for i in range(span.start, span.end)):
                del owner[i]
        for is_owned, run in groupby(range(start, end), key=owner.__contains__):
            tokens = list(run)
            is_cut = len(tokens) < end - start
            if not is_owned and not (is_cut and all(is_word(doc[i].lower_) for i in tokens)):
                low, high = _trim(bounds, label, tokens[0], tokens[-1] + 1)
                if low < high:
                    span = Span(doc, low, high, label=label)
                    merged.add(span)
                    owner.update(dict.fromkeys(range(low, high), span))
    places = {span for span in merged if span.label_ == "GPE" and _is_before_nickname(bounds, span)}
    merged -= places
    merged |= {Span(doc, span.start, span.end, label="PERSON") for span in places}
    merged |= {Span(doc, i, i + 1, label="PERSON") for i in nicknames(bounds, owner)}
    merged |= {Span(doc, i, i + 2, label="PERSON") for i in between_persons(bounds, owner)}
    merged |= {Span(doc, i, i + 1, label="PERSON") for i in short_given(bounds, merged)}
    merged |= {Span(doc, i, i + 1, label="ORG") for i in short_firms(bounds, merged)}
    if len(doc) >= progress.LONG:
        progress.step("further mentions of these")
    entities = sorted(Entity(plain_label(s.label_), s.start, s.end) for s in merged)
    again = bounds.split(without_words(doc, further_mentions(doc, entities)), merged)
    further = (Span(doc, start, end, label=label) for label, start, end in again)
    set_complete(doc, outside_code(doc, with_initials(doc, [*merged, *further], language_of_doc)))


def short_firms(bounds: Bounds, entities: Collection[Span]) -> Iterator[int]:
    """Yield the words in no entity that an organisation is called by for short: what stands for it
    in quotes and brackets (the Tarn Valley Club ("Valley")), and the name of the host of an address
    of mail, if no list has it: Elbfab, of lind@elbfab.de. Neither is of every firm."""
    short = set[str]()
    for span in entities:
        if span.label_ == "ORG" and "".join(bounds.texts[span.end : span.end + 2])[1:] in QUOTES:
            if bounds.texts[span.end + 2] in {*bounds.texts[span.start : span.end]} - FIRM_ENDS:
                short.add(bounds.texts[span.end + 2])
        elif span.label_ == "EMAIL":
            host = span.text.rpartition("@")[2].split(".")[0].lower()
            if len(host) >= MIN_HOST and not (is_ordinary(host) or host in _PROVIDERS):
                short |= {host.capitalize(), host.upper()}
    if short.isdisjoint(bounds.texts):
        return
    taken = {i for span in entities for i in range(span.start, span.end)}
    yield from (i for i, text in enumerate(bounds.texts) if text in short and i not in taken)


def short_given(bounds: Bounds, entities: Collection[Span]) -> Iterator[int]:
    """Yield the words in no entity that somebody is called by for short: the first letters of the
    given name of a full name, with a capital within a sentence, though they are a common word, too
    (legend. go to bed Bless, of Blessing). Behind an article it names a thing: the Vale."""
    texts, lowers = bounds.texts, bounds.lowers
    given = {
        bounds.texts[span.start] for span in entities if span.label_ == "PERSON" and len(span) > 1
    }
    short = {name[:size] for name in given for size in range(MIN_GIVEN, len(name))} - {"Christ"}
    if short.isdisjoint(texts):
        return
    taken = {i for span in entities for i in range(span.start, span.end)}
    for i in range(1, len(texts)):
        if texts[i] in short and texts[i].istitle() and i not in taken:
            after = "".join(texts[i + 1 : i + 2])
            within = texts[i - 1].islower() and lowers[i - 1] not in _DETERMINERS
            if within and not after.istitle():
                yield i


def between_persons(bounds: Bounds, owner: Mapping[int, Span]) -> Iterator[int]:
    """Yield the starts of two words with capitals that are in no entity, between two persons of a
    list: Ada Lind, Gethin Reading, Bo Rask. The first is no ordinary word.

    owner: The entity of each token that has one."""
    texts = bounds.texts
    persons = {span for span in owner.values() if span.label_ == "PERSON"}
    ends, starts = {span.end for span in persons}, {span.start for span in persons}
    for i in (end + 1 for end in ends if end + 4 in starts):
        item = texts[i : i + 2]
        is_listed = texts[i - 1] == "," and texts[i + 2] in (",", "and", "&")
        is_free = owner.keys().isdisjoint((i, i + 1)) and bounds.doc[i].whitespace_
        is_name = all(map(str.isalpha, item)) and all(map(str.istitle, item))
        if is_listed and is_free and is_name and not is_ordinary(item[0].lower()):
            yield i


def nicknames(bounds: Bounds, owner: Mapping[int, Span]) -> Iterator[int]:
    """Yield the words in quotes between two parts of the name of a person, and the second part,
    which may be a common word, where no other recogniser found them: Leroy "Bunny" Whyte, Cuthbert
    "Papa Tune" Joseph.

    owner: The entity of each token that has one."""
    texts = bounds.texts
    for span in {span for span in owner.values() if span.label_ == "PERSON"}:
        i = span.end + 1
        closing = range(i + 1, min(i + 1 + MAX_NICKNAME, len(texts) - 1))
        last = next((k + 1 for k in closing if texts[k] in QUOTES), 0)
        if not last or texts[i - 1] not in QUOTES:
            continue
        parts = {k: owner.get(k) for k in (*range(i, last - 1), last)}
        is_family = texts[last].istitle() and texts[last].lower() not in STOP_WORDS
        is_family = is_family and kinds(texts[last]).isdisjoint({"WEEKDAY", "MONTH"})
        if not is_family or any(part and part.label_ != "PERSON" for part in parts.values()):
            continue
        is_name = all(texts[k].istitle() for k in range(i, last - 1))
        if is_name and bounds.doc[last - 1].whitespace_:  # no comma: 'Ada','Lind'
            yield from (k for k, part in parts.items() if part is None)


def _is_before_nickname(bounds: Bounds, span: Span) -> bool:
    """Return whether a place is a given name: a nickname in quotes and a family name follow it, as
    in Florence "Flo" Lind."""
    quote, _, closing, family = (*bounds.texts[span.end : span.end + 4], "", "", "", "")[:4]
    return {quote, closing} <= QUOTES and family.istitle() and not is_word(family.lower())


def _trim(bounds: Bounds, label: str, start: int, end: int) -> tuple[int, int]:
    """Return an extent without white space and marks at its ends; except for dates and times,
    also without degrees, linking words, titles before or behind a name, and its result."""
    doc = bounds.doc
    if label not in ("DATE", "TIME"):
        while start < end and _is_behind_name(bounds, label, start, end - 1):
            end -= 1
        end -= end - start > 1 and _RESULT.fullmatch(bounds.texts[end - 1]) is not None
        while label == "PERSON" and start < end - 1 and _is_before_name(bounds, start):
            start += 1
        return bounds.trim(start, end)
    while start < end and (doc[start].is_space or doc[start].is_punct):
        start += 1
    while start < end and (doc[end - 1].is_space or doc[end - 1].is_punct):
        end -= 1
    return _without_beside(bounds, start, end)


def _without_beside(bounds: Bounds, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date without the number of a release, the hour or the word for a
    birth before it (2.2, 2 February 2024; by 10 Sunday; b. 1938), and without the hours behind
    it (Fri 3rd May 10 to 4), but with all of a number in words: nineteen fifty-six."""
    texts = bounds.texts
    while end - start > 1 and bounds.lowers[start] in _BEFORE_LIFE:
        start += 1
    before = bounds.between(start - 1, start).lower()
    if end - start > 2 and _RELEASE.fullmatch(texts[start]) and texts[start + 1] == ",":
        start += 2
    if before in _BEFORE_HOURS and end - start == 2 and texts[start].isdigit():
        start += "WEEKDAY" in kinds(texts[start + 1])
    if end - start > 2 and texts[end - 1].isdigit() and len(texts[end - 1]) < 3:
        to_hour = bounds.between(end, end + 1).lower() in TO_HOUR
        end -= to_hour and "MONTH" in kinds(texts[end - 2]) and "ORDINAL" in kinds(texts[end - 3])
    if end - start > 1 and bounds.texts[end : end + 1] == ["-"] and bounds.lowers[end - 1] in _TENS:
        end += 2 * (bounds.between(end + 1, end + 2).lower() in _ONES)
    return start, end


def _is_before_name(bounds: Bounds, i: int) -> bool:
    """Return whether a word is a title, a greeting or a role before a name (Nurse Okafor, G'day Mo,
    Son Kevin), the full stop of one, the unit of a value before it (Salt 1.1 g. Philomena's tip),
    or a rank in a few capitals before a name that has small letters (DC Tilley, PCSO McKay) or,
    of a listed one, has not."""
    i -= bounds.texts[i] == "."
    text = bounds.texts[i]
    is_item = text.islower() and is_of_items(bounds.doc, i)
    if text.endswith("/-") or is_item:  # Sd/-; c. Volkov fell
        return True
    if text in ("w", "w.", "w/"):  # lame, seen w Ada
        return bounds.texts[i + 1 + (bounds.texts[i + 1] == ".")].istitle()
    word = bounds.lowers[i].rstrip(".")
    is_unit = word in FOLLOWING["UNIT"] or text.rstrip(".") in _LETTER_UNITS
    is_unit = is_unit and i > 0 and bounds.texts[i - 1][-1].isdigit()
    is_written = _is_written(bounds, i + 1) or word in RANKS
    is_rank = _RANK.fullmatch(text) is not None and is_written
    after = bounds.texts[i + 1]
    is_role = word in LISTED["ROLE"] and (
        builtin_lexicon().is_first_name(after)
        or not (is_name(text) or (is_word(after.lower()) and not is_name(after)))
    )
    if is_unit or is_role or text in _KIN_IN_SHORT or (is_rank and not is_name(text)):
        return True
    if is_describing(text, bounds.between(i - 1, i), after):
        return True
    return word in _CALLS or is_also_title(text, bounds.between(i + 1, i + 4))


def _is_written(bounds: Bounds, i: int) -> bool:
    """Return whether a name has small letters, behind its initials: T. Tilley; not S. KULKARNI."""
    while i < len(bounds.texts) - 1 and _INITIAL.fullmatch(bounds.texts[i]):
        i += 1
    return _WRITTEN.fullmatch(bounds.texts[i]) is not None


def _is_behind_name(bounds: Bounds, label: str, start: int, i: int) -> bool:
    """Return whether a word is a degree or an office abbreviated with full stops, as M.D. and, in a
    court, J., a title behind a name (Thomas Sir), or opens a sentence behind a name that looks like
    a month with a full stop."""
    text = bounds.texts[i]
    if i > start and text in JUDGES and OF_COURT.search(bounds.text):
        return True
    before = bounds.texts[i - 1] if i > start else ""
    if before in _MONTHS_OR_NAMES and kinds(text).isdisjoint({"FIRST", "SURNAME", "NEW"}):
        return True  # from Ada and Jan. Rain fell
    if text.count(".") > 1 and text.replace(".", "").lower() in _NO_NAME_PART:
        return True
    is_title = bounds.lowers[i] in LISTED["TITLE"] and not is_name(text)
    is_title |= is_title_behind(text, bounds.texts[i - 1])
    return label == "PERSON" and i > start and is_title
