"""A rule-based recogniser of names, dates, places and numbers, for pipelines without NER.

It finds entities in public lists and formats, and misses all others; docs/how-to/entities.md gives
its recall. The entity sanitizer does not protect entities that the recogniser misses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import Any

from spacy.language import Language
from spacy.pipeline import EntityRuler
from spacy.tokens import Doc, Span

from .. import progress
from ..errors import FailsClosed
from ..text.language import language_of_doc
from ..text.mentions import (
    Entity,
    further_mentions,
    is_word,
    plain_label,
    set_complete,
    with_initials,
)
from ..text.normal_doc import in_normal_form
from ..text.tokens import outside_code, split_tokens, text_of
from .accounts import accounts_in, whole_addresses
from .attendance import attendees_in
from .cards import values_of_cards
from .columns import names_again
from .continued import siblings
from .disguised import match_disguised
from .extent import Bounds
from .fields import colons_of_labels, values_in
from .foreign import ends_of_elided, match_foreign, match_foreign_days, without_words
from .heads import STATED
from .labels import values_beside_labels
from .phrases import in_tokens, match_phrases, plain_text, stamps_in, stated_in
from .senders import senders_in
from .table_rows import STATED_DAY
from .tables import (
    FIRMS,
    LABELS,
    LANDS,
    MATCHED,
    NAMES,
    STATES,
    RuleNode,
    pattern,
    rule_tree,
    words,
)
from .words import TO_HOUR, builtin_lexicon, is_name, is_town, kinds, kinds_of
from .wrapped import match_wrapped

# The `ent_id_` of entities of the built-in rules, which the network reads as evidence. Your own
# patterns have none, and neither have user names and disguised names, on which no network was
# trained.
BY_RULE, BY_GUESS = "dx_rule", "dx_guess"
# Label of a match -> label and `ent_id_` of its entity.
_SHORT_DAY = re.compile(r"\d\d?\.\d\d?", re.ASCII)
_SOURCES = {label: (label, BY_RULE) for label in LABELS}
_SOURCES |= {
    "USERNAME": ("ID", ""),
    "DISGUISED": ("PERSON", ""),
    "CUED": ("PERSON", ""),
    "PLACED": ("GPE", ""),
    "GUESSED": ("PERSON", BY_GUESS),
    **{stated: (label, "") for label, stated in STATED.items()},
    STATED_DAY: ("DATE", BY_RULE),
}
# First tokens of listed firms, for both ways in which tokenizers split them.
_FIRM_FIRST = frozenset(
    first for name in FIRMS if name for first in (name.split()[0], *re.findall(r"^\w+", name))
)
_PLACE_AFTER = words("PLACE_AFTER")
_SHORT_YEAR = re.compile(r"['’]\d\d", re.A)
_ADDRESS_SIGN = re.compile(r"://|www\.|\w@\w|\.\w{2,20}[/:?]")
MAX_THOUSANDS = 3  # digits before a blank in 250 000 km
# Codes of states that are words too, or that a document has for something else.
_ALSO_WORDS = frozenset("DE HI ID IN LA MA ME OH OK OR PA".split())
# Of states, the codes that are neither a word nor an abbreviation behind a town (Leeds PE teacher).
_ONLY_STATES = frozenset({*STATES, *"AB BC MB NB NL NS ON QC SK YT NSW QLD TAS".split()}) - (
    _ALSO_WORDS | frozenset("AL AS CO CT GU MD MI MP MS MT PR SC SD TN VA VI".split())
)


class DxEntityRuler(FailsClosed, EntityRuler):
    """Find entities by rules based on the built-in space, and by your own patterns.

    Only your own patterns (`add_patterns`) are saved with the pipeline: the built-in rules are part
    of the package. Every Doc leaves with ENT_IOB set. As with the sanitizer, no error handler can
    suppress an error.

    Args:
        nlp: The pipeline.
        name: The component's name.
        guess: Also mark capitalised words within a sentence that no list holds as persons. This
            finds more names, and also marks more brands and terms.
        overwrite_ents: Replace the entities of earlier components rather than add to them.
    """

    def __init__(
        self,
        nlp: Language,
        name: str = "dx_entity_ruler",
        *,
        guess: bool = True,
        overwrite_ents: bool = False,
    ) -> None:
        super().__init__(nlp, name, overwrite_ents=overwrite_ents)
        self.guess = guess

    @property
    def labels(self) -> tuple[str, ...]:
        """Return all labels of the rules and of your own patterns."""
        return tuple(sorted({*LABELS, *super().labels}))

    def __call__(self, doc: Doc) -> Doc:
        """Set the entities. A Doc with table rows is replaced by a Doc in which each field, secret
        and user name has its own tokens."""
        doc = in_normal_form(doc, self.nlp, self)
        if len(doc) >= progress.LONG:
            progress.step("rules")
        text = text_of(doc)
        accounts = [*accounts_in(text)]
        addresses = list[Entity]()
        if _ADDRESS_SIGN.search(text):
            doc = split_tokens(doc, self.nlp)  # the fields of rows are no parts of an address
            addresses += whole_addresses(doc, accounts)
        edges = {edge for _, *span in accounts for edge in span}
        # A tokenizer joins DTSTART:20230314T235000Z, DSK-901,2023-11-02, and a date to its file.
        edges |= {edge for stamp in pattern("STAMP_FORM").finditer(text) for edge in stamp.span()}
        edges |= {edge for colon in colons_of_labels(text) for edge in (colon, colon + 1)}
        edges |= {edge for (_, *span), _ in stamps_in(text) for edge in span}
        edges |= {*ends_of_elided(doc)} if "'" in text or "’" in text else set()
        for _, start, end in addresses:  # whatever an address holds is a part of it
            edges -= {*range(start + 1, end)}
        doc = split_tokens(doc, self.nlp, edges)
        self.set_annotations(doc, self._match(doc, accounts, addresses))
        return doc

    def match(self, doc: Doc) -> list[tuple[Any, int, int]]:
        """Return (label, start, end) of all matches: first those of your own patterns, then the
        others in order of falling length, label and position."""
        accounts = [*accounts_in(text_of(doc))]
        return self._match(doc, accounts, [*whole_addresses(doc, accounts)])

    def _match(
        self, doc: Doc, in_text: Iterable[Entity], whole: Iterable[Entity]
    ) -> list[tuple[Any, int, int]]:
        """Return the matches. in_text: the accounts of the text, and whole: the addresses that are
        tokens, both in characters."""
        own_matches = [*super().match(doc)] if len(self) else []
        language = language_of_doc(doc)
        bounds = Bounds.of(doc)
        text = plain_text(bounds.text)
        labelled = [*values_in(text)]
        beside = (*values_beside_labels(text), *attendees_in(text))
        values = (*labelled, *beside, *senders_in(text), *stated_in(text))
        named = {in_tokens(doc, *value) for value in values}
        stated = {value for value in named if value.label in (*STATED.values(), STATED_DAY)}
        own_matches += sorted(stated, key=lambda e: (e.start - e.end, e.start))
        persons = [(start, end) for label, start, end in labelled if label == STATED["PERSON"]]
        again = names_again(bounds, persons) if persons else ()
        own_matches += [entity._replace(label=STATED["PERSON"]) for entity in again]
        entities = self._match_in(bounds, language, named - stated)
        wrapped = match_wrapped(bounds, language)
        entities |= {entity for entity in wrapped if not bounds.is_in_column_of_facts(*entity)}
        entities |= {*match_disguised(bounds)}
        # First, since a user name may look like an address of the web (priya.raman).
        accounts = [in_tokens(doc, *account) for account in in_text]
        own_matches += [in_tokens(doc, *address) for address in whole]
        own_matches += [account for account in accounts if account.label == "USERNAME"]
        own_matches += [in_tokens(doc, *value) for value in values_of_cards(bounds.text)]
        entities |= {*accounts}
        entities |= {*_of_lists(bounds, entities)}
        order = {label: i for i, label in enumerate(MATCHED)}
        return own_matches + sorted(
            entities, key=lambda e: (e.start - e.end, order[e.label], e.start)
        )

    def set_annotations(self, doc: Doc, matches: Iterable[tuple[Any, int, int]]) -> None:
        """Make every matched word part of an entity, then add further mentions of all entities.

        If two matches overlap, the later one gets the tokens that the earlier one left. Entities of
        earlier components stay, unless `overwrite_ents` is set.
        """
        spans = [] if self.overwrite else list(doc.ents)
        taken = {i for span in spans for i in range(span.start, span.end)}
        for label, start, end in matches:
            key, span_id = _SOURCES.get(label) or self._ent_ids.get(label) or (label, "")
            for first, last in _free_runs(doc, start, end, taken, label):
                spans.append(Span(doc, first, last, label=key, span_id=span_id or ""))
            taken.update(range(start, end))
        entities = [Entity(plain_label(span.label_), span.start, span.end) for span in spans]
        if len(doc) >= progress.LONG:
            progress.step("further mentions")
        further = further_mentions(doc, sorted(entities, key=lambda entity: entity.start))
        again = Bounds.of(doc).split(without_words(doc, further), spans) if further else []
        spans += [
            Span(doc, start, end, label=label, span_id=BY_GUESS) for label, start, end in again
        ]
        set_complete(doc, outside_code(doc, with_initials(doc, spans, language_of_doc)))

    def _match_in(self, bounds: Bounds, language: str, named: set[Entity]) -> set[Entity]:
        """Return the entities of a text in a language. named: values that a label names."""
        if language == "en":
            return self._match_english(bounds, named)
        return match_foreign(bounds, language, named)

    def _match_english(self, bounds: Bounds, named: set[Entity]) -> set[Entity]:
        """Return the entities; a person that a sure cue found has the label CUED, and one that only
        guesses found GUESSED."""
        matches = {*match_words(rule_tree(guess=self.guess), kinds_of(bounds))}
        matches |= {*match_phrases(bounds, named), *match_foreign_days(bounds)}
        matches |= {*_towns_of_states(bounds, matches)}
        matches -= {match for match in matches if _counts_from_number(bounds, *match)}
        firms = {i: end for label, i, end in matches if label == "ORG"}
        matches -= {
            m for m in matches if m.label == "GUESSED" and firms.get(m.start, m.end) < m.end
        }
        cued = {i for label, *span in matches if label == "CUED" for i in range(*span)}
        sure = cued | {i for label, *span in matches if label == "PERSON" for i in range(*span)}
        matches = {match._replace(label=_SOURCES[match.label][0]) for match in matches}
        if len(bounds.doc) >= progress.LONG:
            progress.step("limits of names")
        entities = bounds.split(matches)
        relabelled = relabel_persons(bounds, entities)
        if relabelled != entities:  # split again: another label separates at other words
            entities = bounds.split(relabelled)
        return {_by_source(entity, cued, sure) for entity in entities}


def _by_source(entity: Entity, cued: AbstractSet[int], sure: AbstractSet[int]) -> Entity:
    """Return an entity, with another label if it is a person of a sure cue, or only guessed.

    cued, sure: Tokens of persons of sure cues, and of persons that are not only guessed."""
    tokens = range(entity.start, entity.end)
    if entity.label != "PERSON":
        return entity
    if cued >= {*tokens}:
        return entity._replace(label="CUED")
    return entity._replace(label="GUESSED") if sure.isdisjoint(tokens) else entity


def match_words(tree: RuleNode, kinds: Sequence[AbstractSet[str]]) -> Iterator[Entity]:
    """Yield the entity of each rule that matches tokens of these kinds."""
    for start in range(len(kinds)):
        nodes, end = [tree], start
        while nodes and end < len(kinds):
            nodes = [n.children[kind] for n in nodes for kind in n.children.keys() & kinds[end]]
            end += 1
            for label, before, after in (rule for node in nodes for rule in node.ends):
                yield Entity(label, start + before, end - after)


def _of_lists(bounds: Bounds, entities: Iterable[Entity]) -> Iterator[Entity]:
    """Yield the codes of lists behind those that are identifiers: HH AB 123 and HH XY 1234."""
    reached = 0  # a list is read once
    for first, last in sorted({(start, end) for label, start, end in entities if label == "ID"}):
        text, doc = bounds.text, bounds.doc
        start, end = doc[first].idx, doc[last - 1].idx + len(doc[last - 1])
        for span in siblings(text, start, end) if start >= reached else ():
            reached = span[1]
            yield in_tokens(doc, "ID", *span)


def _towns_of_states(bounds: Bounds, matches: Collection[Entity]) -> Iterator[Entity]:
    """Yield towns with the state behind them, without a comma if its code is no word (Surrey BC),
    or behind their comma if it is one: Portland, OR. Before a word in capitals, or behind a town in
    capitals, it may be that word: IN LONDON, OR ELSE."""
    texts = bounds.texts
    ends = {end: start for label, start, end in matches if label == "GPE"}
    for i in ends.keys() & {i for i, text in enumerate(texts) if text in _ONLY_STATES}:
        if bounds.between_with_blank(i - 1, i).endswith(" ") and not texts[i - 1].isupper():
            yield Entity("GPE", ends[i], i + 1)  # Surrey BC
    states = [i for i, text in enumerate(texts) if text in _ALSO_WORDS and texts[i - 1] == ","]
    if not states:
        return
    starts = {end: start for label, start, end in sorted(matches) if label in ("PERSON", "GPE")}
    for i in states:
        town, after = texts[i - 2], bounds.between(i + 1, i + 2)
        is_of_heading = town.isupper() or (after.isalpha() and after.isupper() and len(after) > 1)
        if i > 1 and not (is_of_heading or after[:1].isdigit()):
            if i - 1 in starts or is_town(town):
                yield Entity("GPE", starts.get(i - 1, i - 2), i + 1)


def _counts_from_number(bounds: Bounds, label: str, start: int, end: int) -> bool:
    """Return whether an amount begins with the number before it (Order 88123456 20 units, in
    February 2023 17.3%), or ends with the initial of a name (1 K Tarlev 31:04), or has the number
    of a part of minutes before who speaks (3.1 KM: Yes), or whether the hours behind a day begin
    with the day of a month: Sat 14th Sept 2 till 7."""
    if label == "DATE":
        is_day = start > 0 and end - start == 2 and bounds.texts[end - 1].isdigit()
        is_day = is_day and "ORDINAL" in kinds(bounds.texts[start - 1])
        return is_day and bounds.between(end, end + 1).lower() in TO_HOUR
    if label == "QUANTITY" and end - start == 2 and bounds.between(end, end + 1) == ":":
        opens = start == 0 or "\n" in bounds.texts[start - 1]
        if opens and "." in bounds.texts[start] and bounds.texts[end - 1].isupper():
            return True
    if label == "QUANTITY" and end - start == 2 and _is_initial(bounds, end - 1):
        return True
    numbers = bounds.texts[start : end - (not bounds.texts[end - 1][0].isdigit())]
    is_amount = label == "QUANTITY" and len(numbers) == 2 and numbers[0].isdigit()
    return is_amount and len(numbers[0]) > MAX_THOUSANDS


def _is_initial(bounds: Bounds, i: int) -> bool:
    """Return whether a capital that may be a unit stands before a family name: 1 K Tarlev 31:04."""
    text, after = bounds.texts[i], bounds.between(i + 1, i + 2)
    return len(text) == 1 and text.isupper() and after.istitle() and not is_word(after.lower())


def _free_runs(
    doc: Doc, start: int, end: int, taken: set[int], label: str
) -> Iterator[tuple[int, int]]:
    """Yield the parts of a match that are still free, without white space and punctuation at their
    ends. Secrets keep their punctuation, and a year its apostrophe: '76."""
    marks = "" if label == "SECRET" else "#"
    for is_taken, run in groupby(range(start, end), key=taken.__contains__):
        tokens = [] if is_taken else [doc[i] for i in run]
        named = [
            t.i for t in tokens if not (t.is_space or (t.is_punct and not t.text.startswith(marks)))
        ]
        if named:
            first, last = named[0], named[-1] + 1
            if label == "DATE" and first > tokens[0].i:
                first -= _SHORT_YEAR.fullmatch(doc[first - 1 : last].text) is not None
            within = doc[first:last].text
            after = doc[last].text if last <= tokens[-1].i else ""
            closes = after == ")" and within.count("(") > within.count(")")
            # English tokenizers split the full stop off the German day 12.3.
            closes = closes or (after == "." and _SHORT_DAY.fullmatch(within) is not None)
            yield first, last + closes


# -- labels of persons: firms and places are named like persons ------------------------------------


def relabel_persons(bounds: Bounds, matches: Collection[Entity]) -> list[Entity]:
    """Return the matches, with the labels of persons that are firms or places corrected."""
    doc = bounds.doc
    gpes = (start for label, start, _ in matches if label == "GPE")
    lands = {i for i in gpes if builtin_lexicon().of(bounds.texts[i]) & LANDS}
    # Computed once per word, as many persons begin or end at the same word.
    persons = [(start, end) for label, start, end in matches if label == "PERSON"]
    after = {i: _label_after(bounds.between_with_blank(i - 4, i)) for i in {i for i, _ in persons}}
    before = {end: _label_before(bounds, end) for end in {end for _, end in persons}}
    entities: list[Entity] = []
    for label, start, end in matches:
        if label == "PERSON":
            label = after[start] or before[end]
            if not label:
                town = end + 1 in lands and bounds.texts[end] == ","
                named = any(builtin_lexicon().of(word) & NAMES for word in bounds.texts[start:end])
                label = "GPE" if town and not named else "PERSON"
        if label in ("PERSON", "GPE") and bounds.lowers[start] in _FIRM_FIRST:
            # A single word that is also a personal name is too little evidence of a firm.
            is_one_name = end - start == 1 and is_name(bounds.texts[start])
            is_firm = not is_one_name and doc[start:end].text.lower() in FIRMS
            label = "ORG" if is_firm else label
        end = _extend_over_hyphen(doc, end) if label == "PERSON" else end
        entities.append(Entity(label, start, end))
    return entities


def _label_after(text: str) -> str:
    """Return the label of a name by the words before it, or "" without evidence."""
    if pattern("BEFORE_FIRM").search(text):
        return "ORG"
    return "GPE" if pattern("LIVED").search(text) else ""


def _label_before(bounds: Bounds, end: int) -> str:
    """Return the label of a name by the words after it, or "" without evidence."""
    texts = bounds.texts
    tail = bounds.between_with_blank(end - 1, end + 4)[len(texts[end - 1]) :]
    if pattern("AFTER_FIRM").match(tail):
        return "ORG"
    return "GPE" if end < len(texts) and texts[end] in _PLACE_AFTER else ""


def _extend_over_hyphen(doc: Doc, end: int) -> int:
    """Return the end of a name with the part after its hyphen, as in "Hauta-aho"."""
    if end + 1 >= len(doc) or doc[end].text not in ("-", "‐"):
        return end
    joined = not (doc[end].whitespace_ or doc[end - 1].whitespace_)
    return end + 2 * (joined and doc[end + 1].is_alpha and not is_word(doc[end + 1].lower_))
