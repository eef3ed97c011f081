"""State what a run did in plain words: for a terminal, the page of the receipt, and the report.

A statement answers one question of whoever signs a release. Its headline is a clause for a
terminal; its sentences hold the numbers of the run. None needs the glossary, and none holds text of
documents. The receipt as JSON has all terms in full.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..pipeline.count import MENTIONS, Count
from ..pipeline.describe import describe_replaced, nouns_of, plural
from ..privacy.guarantee import Guarantee
from ..surrogates.date_shift import WITHOUT_TIMES
from ..text.language import NAMES
from ..text.mentions import CANONICAL, plain_label
from .tally import BARE_FILES, FIELDS, FILE_NAMES, MARKUP, SHEETS, TABLE, Tally

MAX_UNKNOWN_SHARE, MIN_UNKNOWN = 0.25, 20  # of English notes the built-in space lacks about 1 in 20
# Share of mentions of persons that the rules leave readable: docs/entities/languages.json.
READABLE = {"fr": 0.08, "es": 0.01}
MONTH_DAYS = 30.0  # days, for shifted dates
# Order of a numeric date -> what it begins with.
BEGINS = {"mdy": "the month", "dmy": "the day", "ymd": "the year"}
# What makes a file of an unknown format readable.
TO_TEXT = {
    ".pdf files": "`pdftotext FILE.pdf` makes the text of a PDF.",
    **dict.fromkeys([".doc files", ".odt files", ".rtf files"], "Save documents as .docx."),
    ".msg files": "Save mails as .eml.",
    ".xls files": "Save sheets as .xlsx.",
    ".json files": "Make lines of JSON with `jq -c`.",
    **dict.fromkeys([".ics files", ".vcf files"], "Copy calendars and contacts to .txt files."),
    **dict.fromkeys([".gz files", ".zip files"], "Unpack archives."),
}
SHIFT = "dx.DateShift"
WITH_FORM = {"dx.Digits", "dx.Contact"}
# Surrogate -> what replaces a mention.
REPLACEMENTS = {
    "dx.Address": "other addresses",
    "dx.Contact": "other numbers and addresses",
    SHIFT: "dates some days or weeks away; all dates of a document move alike",
    "dx.Digits": "other digits",
    "dx.Mask": "marks",
    "dx.Name": "other names",
    "dx.Number": "numbers near them",
    "dx.Organisation": "other organisations",
    "dx.Place": "other places",
    "dx.Redact": "a label",
    "dx.Words": "words near them",
}
STATUSES = {
    "proven": "This holds for every reader, whatever that reader knows or computes: it is proven.",
    "computed": "This holds for every reader: it was computed on the list of words in use.",
    "claimed": "This is claimed by its authors, or by files of the list of words, and not proven.",
}


class Statement(NamedTuple):
    """An answer. headline: a clause. sentences: what it says in full."""

    headline: str
    sentences: list[str]


class Statements(NamedTuple):
    """What was replaced, what stays and why, what was not checked, who can tell whose text it is,
    and what to do."""

    replaced: Statement
    stays: Statement
    unchecked: Statement
    linked: Statement
    actions: Statement


class Questions(NamedTuple):
    """The title of each statement."""

    replaced: str = "What was found and replaced?"
    stays: str = "What stays, and why?"
    unchecked: str = "What was not checked?"
    linked: str = "Who can tell whose text it is?"
    actions: str = "What is there to do?"


QUESTIONS = Questions()


def statements(tally: Tally, measured: Sequence[str] | None = None) -> Statements:
    """Return the statements on a run.

    Args:
        tally: The sum of its receipts.
        measured: Sentences on what was measured on this release; None if nothing was.
    """
    return Statements(
        _replaced(tally),
        _stays(tally),
        _unchecked(tally, is_measured=measured is not None),
        _linked(tally, measured or ()),
        _actions(tally, is_measured=measured is not None),
    )


# -- odds ------------------------------------------------------------------------------------------


def chance_of(nats: float) -> float:
    """Return the largest probability of choosing correctly between two equally likely words."""
    return 1 / (1 + math.exp(-nats))


def times(chance: float, most: str = "at most ") -> str:
    """Return a bound, rounded up, in words: "at most 1 time in 7", "at most 2 times in 3"."""
    if chance > 0.98:
        return "practically always"
    if chance <= 1 / 3:
        return f"{most}1 time in {math.floor(1 / chance + 1e-9):,}"
    up = {of: math.ceil(chance * of - 1e-9) for of in range(2, 51)}
    of = min((of for of in up if up[of] < of), key=lambda of: up[of] / of + of / 150)
    return f"{most}{up[of]} time{'s' * (up[of] > 1)} in {of}"


# -- what was replaced -----------------------------------------------------------------------------


class MentionGroup(NamedTuple):
    """Mentions that are called alike and replaced alike. keys: public names of the keys."""

    singular: str
    several: str
    surrogate: str
    found: int
    replaced: int
    kept: int
    guarantee: Guarantee
    keys: tuple[str, ...]

    @property
    def is_independent(self) -> bool:
        """Whether the replacements were drawn without looking at the originals."""
        return self.guarantee.holds and not self.guarantee.epsilon

    @property
    def sentence(self) -> str:
        """What replaced them, in a sentence."""
        name = f"{self.several[0].upper()}{self.several[1:]}: {self.replaced:,} of {self.found:,}"
        if not self.replaced:
            return f"{name} replaced."
        by = REPLACEMENTS.get(self.surrogate, f"what {self.surrogate} makes")
        if self.surrogate == SHIFT:
            how = ""
        elif self.keys:
            how = ", the same for the same original wherever the key is used"
        else:
            how = ", drawn without looking at the original" if self.is_independent else ""
        return f"{name}, by {by}{how}."


def mention_groups(tally: Tally) -> list[MentionGroup]:
    """Return the groups of what was found, the most replaced first."""
    by_noun: dict[tuple[str, str, str], list[str]] = {}
    terms = tally.terms.surrogates or {}
    for label, counts in tally.count.mentions.items():
        if counts["found"]:
            surrogate = str(terms[label]["surrogate"]).rpartition(".v")[0]
            by_noun.setdefault((*nouns_of(label), surrogate), []).append(label)
    groups = []
    for (one, several, surrogate), labels in by_noun.items():
        found, replaced, kept = (
            sum(tally.count.mentions[label][name] for label in labels) for name in MENTIONS
        )
        guarantee = Guarantee.from_dict(terms[labels[0]]["guarantee"])
        ids = (terms[label].get("key_id") for label in labels)
        keys = tuple(dict.fromkeys(str(key) for key in ids if key))
        groups.append(MentionGroup(one, several, surrogate, found, replaced, kept, guarantee, keys))
    return sorted(groups, key=lambda group: -group.replaced)


def rewritten(tally: Tally) -> str:
    """Return how many paragraphs were rewritten, by which model, and how many stay; "" for none."""
    stage, rewrites = tally.terms.rewriter, tally.count.rewrites
    if stage is None or not rewrites:
        return ""
    host = stage.get("host")
    where = f" at {host}" if host else ""
    stays = f"; {rewrites['refused']:,} stay as released" if rewrites["refused"] else ""
    return f"{plural(rewrites['rewritten'], 'paragraph')} by {stage['model']}{where}{stays}"


def _orders(count: Count) -> str:
    """Return how numeric dates were read: "the day first", or that with numbers of documents."""
    by_number = sorted(count.orders.items(), key=lambda item: -item[1])
    begins = [(f"{BEGINS.get(order, order)} first", number) for order, number in by_number]
    if len(begins) == 1:
        return begins[0][0]
    return ", ".join(f"{how} in {plural(number, 'document')}" for how, number in begins)


def _replaced(tally: Tally) -> Statement:
    count, terms, groups = tally.count, tally.terms, mention_groups(tally)
    name = terms.space.rpartition(" (")[0] or terms.space
    once = "" if terms.scope == "token" else "once for each different word of a document, "
    cells = [
        f"Column {head}: {changed:,} of {plural(changed + left, 'cell')} replaced."
        for head, (changed, left) in tally.columns.items()
    ]
    sentences = _those(
        *((True, group.sentence) for group in groups),
        (
            terms.surrogates is not None and not groups,
            "No name, date or number of the kinds in question was found.",
        ),
        (
            count.orders,
            f"Numeric dates (03/04/19) were read with {_orders(count)}. `--date-order` decides it "
            "for documents whose dates fit several orders.",
        ),
        (
            count.perturbed,
            f"{count.perturbed:,} of {count.tokens:,} words and signs: each by a "
            f"word near it, {once}drawn at random from the public list {name}.",
        ),
        (
            count.unknown,
            f"{plural(count.unknown, 'word')} that the list lacks: by other words, digits or "
            "marks. The form of numbers may stay.",
        ),
        (count.numbers, f"{plural(count.numbers, 'number')}: by numbers near their value."),
        (
            count.uncovered,
            f"{plural(count.uncovered, 'passage')} in another language or script: blacked out.",
        ),
        *((True, cell) for cell in cells),
        (
            rewritten(tally),
            f"Rewritten by a language model, which read the new text and never the original: "
            f"{rewritten(tally)}.",
        ),
    )
    read = [f"numeric dates read with {_orders(count)}"] if count.orders else []
    return Statement(", ".join([*describe_replaced(count), *read]) or "nothing", sentences)


# -- what stays ------------------------------------------------------------------------------------


def beside_of(tally: Tally) -> list[str]:
    """Return phrases on what stays beside the texts: fields, and names of files."""
    return [phrase for phrase in tally.visible if str(phrase).startswith((FIELDS, FILE_NAMES))]


def _stays(tally: Tally) -> Statement:
    count, terms, beside, groups = tally.count, tally.terms, beside_of(tally), mention_groups(tally)
    replaced = {group.surrogate for group in groups if group.replaced}
    itself = "A word may be drawn as itself, and the text does not show where."
    if terms.attacker is not None:
        itself += (
            f" Of other texts ({terms.attacker['texts']}), {terms.attacker['kept']:.0%} of the "
            "words came out as they were."
        )
    sentences = _those(
        (
            terms.guarantee is None,
            "Only what the first answer lists is replaced. All else stays readable, whoever it "
            "points to: illnesses, work, rare events, turns of phrase.",
        ),
        (
            count.perturbed,
            "Stays by design: the number of words, punctuation, blanks and line breaks.",
        ),
        (count.perturbed, itself),
        (count.perturbed, "The subject stays, because the new words are near the old ones."),
        *((group.kept, _why_kept(group)) for group in groups),
        (
            replaced - {"dx.Words"},
            "Everybody can see where something was replaced, and what it was: a name, a date, a "
            "place.",
        ),
        (
            "dx.Name" in replaced,
            "How a name is written stays: titles, initials, and which names are of one person.",
        ),
        (
            SHIFT in replaced,
            "The days between the dates of a document stay, and ages up to 89.",
        ),
        (
            SHIFT in replaced and WITHOUT_TIMES in tally.visible,
            "Times of day stay, also those with a date: times are not among the labels.",
        ),
        (
            replaced & WITH_FORM,
            "The form of numbers and addresses stays: how many digits and letters, and the signs.",
        ),
        (MARKUP in tally.visible, "Headings, lists, tables and other formatting stay."),
        (beside, f"Beside the text, as they were: {', '.join(beside)}."),
        (
            True,
            f"The receipt in full lists all {len(tally.visible)} properties that stay "
            "(`in_clear`).",
        ),
    )
    words = f"{count.kept:,} of {count.tokens:,} words and signs"
    subject = _those((count.perturbed, "the subject"))
    # The shortest first, so that a line of a terminal holds as many as it can.
    return Statement(", ".join([words, *sorted(beside, key=len), *subject]), sentences)


def _why_kept(group: MentionGroup) -> str:
    """Return why mentions of a group stayed."""
    why = "nothing in them is replaced under these settings"
    if group.surrogate == SHIFT:
        why = "words that name no day or hour, such as “next week”, or ages up to 89"
    noun = group.singular if group.kept == 1 else group.several
    return f"{group.kept:,} {noun} stayed: {why}."


# -- what was not checked --------------------------------------------------------------------------


def _unchecked(tally: Tally, *, is_measured: bool) -> Statement:
    count, terms, beside, unread = tally.count, tally.terms, beside_of(tally), _unread(tally)
    failed, shares = plural(tally.failures, "failed record"), _shares(tally.languages)
    known = f"By experience, {shares}. " if shares else ""
    searches, guessed = terms.surrogates is not None, count.perturbed and not is_measured
    missing = "" if terms.draws_words or not searches else _not_looked_for(terms.surrogates or ())
    parts = {kind: n for kind, n in count.dropped.items() if not _is_of_files(kind)}
    listed = ", ".join(f"{kind} ({n:,})" for kind, n in sorted(parts.items()))
    here = (
        "The figures of the next answer are of other texts. " if terms.attacker is not None else ""
    )
    headlines = _those(
        (searches, f"whether all were found{f': {shares}' if shares else ''}"),
        (guessed, "how many words can be guessed"),
        (tally.failures, failed),
        (parts, f"{plural(sum(parts.values()), 'part')} left out"),
        (unread, unread),
    )
    sentences = _those(
        (
            searches,
            "A name that was not recognised is readable, and nobody has counted these here. "
            f"{known}`dx evaluate` bounds them from texts that you mark.",
        ),
        (missing, f"Not looked for: {missing}."),
        (guessed, f"{here}`dx report --measure` says how many words of these can be guessed."),
        (tally.failures, f"Failed records: {tally.failures:,}. The output has none of them."),
        *((not alarm.voids, str(alarm)) for alarm in _alarms(tally)),
        (parts, f"Left out without being read: {listed}. The output has none of them."),
        (beside, f"Not looked at: {', '.join(beside)}."),
        (
            True,
            "Nobody read the texts for this receipt. It knows of no earlier release of them.",
        ),
    )
    return Statement(", ".join(headlines) or "the texts themselves: nobody read them", sentences)


def _not_looked_for(labels: Iterable[str]) -> str:
    """Return plain words for what no label stands for."""
    missing = {*CANONICAL.values()} - {plain_label(label) for label in labels}
    return ", ".join(nouns_of(label)[1] for label in sorted(missing))


def _shares(languages: Iterable[str]) -> str:
    """Return what rules alone are known to miss in these languages, or ""."""
    shares = [
        f"about {READABLE[code]:.0%} of the persons in {NAMES[code]} judgments stay readable, more "
        "in other texts"
        if code in READABLE
        else f"{NAMES[code]} names are found by rules alone"
        for code in languages
    ]
    return "; ".join(shares)


def _unread(tally: Tally) -> str:
    """Return how many files of each unknown format were not read, or ""."""
    counts = {kind: n for kind, n in tally.count.dropped.items() if _is_of_files(kind)}
    kinds = (_PLURAL.sub("", kind, 1) if n == 1 else kind for kind, n in counts.items())
    return ", ".join(f"{n:,} {kind}" for n, kind in zip(counts.values(), kinds, strict=True))


def _is_of_files(kind: str) -> bool:
    """Return whether what was left out are files of an ending, or of none, or sheets of a file."""
    return kind.startswith((".", SHEETS)) or kind == BARE_FILES


_PLURAL = re.compile(r"(?<=file)s|(?<=sheet)s")


# -- who can tell whose text it is -----------------------------------------------------------------


def _linked(tally: Tally, measured: Sequence[str]) -> Statement:
    terms, groups, level = tally.terms, mention_groups(tally), tally.terms.attacker
    keys = ", ".join(dict.fromkeys(key for group in groups for key in group.keys))
    has_table, drawn = TABLE in tally.visible, tally.count.perturbed > 0
    rates = "how many words can be guessed is not known"
    if level is not None:
        rates = (
            f"a guess finds {level['found']:.0%} of the words of {level['texts']}, "
            f"{level['rare_found']:.0%} of the rare ones"
        )
    headlines = _those(
        (terms.seeded, "whoever has the seed"),
        (keys, f"whoever has the key {keys}; everybody, from document to document"),
        (has_table, "whoever has the table and its key"),
        (not drawn, "whoever knows the case, by what stays"),
        (drawn, f"whoever knows the case; {rates}"),
    )
    sentences = _those(
        (terms.seeded, "Whoever has the seed can undo all of it."),
        (
            keys,
            f"Whoever has the key (its public number is {keys}) and a list of names finds out "
            "which name became which.",
        ),
        (
            keys,
            "Everybody sees which documents name the same person: the key gives that person one "
            "name in all of them.",
        ),
        (has_table, "Whoever has the table and its key can turn the replacements back."),
        (
            not (keys or has_table or terms.seeded),
            "Nobody can turn the replacements back: the random numbers behind them are not kept.",
        ),
        (
            True,
            "Whoever has the originals can tell which of them a document was. Whoever knows the "
            "person or the case may recognise it by what stays.",
        ),
        *((True, sentence) for sentence in measured),
        *((drawn, sentence) for sentence in _of_words(tally)),
        *((True, sentence) for sentence in _of_persons(tally)),
        *(
            (group.replaced and group.guarantee.metric == "days", _of_dates(group))
            for group in groups
        ),
        (True, "With each further text of a person, more is learned of that person."),
    )
    return Statement("; ".join(headlines), sentences)


def _of_dates(group: MentionGroup) -> str:
    """Return what a reader learns of dates that were moved."""
    name = f"{group.several[0].upper()}{group.several[1:]}"
    if group.guarantee.kind != "metric-dp":
        return f"{name}: a date is at most as far from the new one as the window of the settings."
    odds = times(chance_of(MONTH_DAYS * group.guarantee.epsilon))
    return (
        f"{name}: a reader who wavers between two dates a month apart picks the right one {odds}."
    )


def _of_words(tally: Tally) -> Iterator[str]:
    """Yield what a reader learns of words that were drawn anew."""
    terms = tally.terms
    guarantee, level = terms.guarantee or Guarantee("none"), terms.attacker
    if level is not None:
        yield (
            f"On other texts ({level['texts']}), somebody who tries to guess finds "
            f"{level['found']:.0%} of the words, and {level['rare_found']:.0%} of the rare ones."
        )
    if guarantee.kind == "none":
        yield f"Nothing limits what a reader finds out: {terms.mechanism} protects nothing."
        return
    if guarantee.kind == "approx-dp":
        but = f", except in {guarantee.delta:.2g} of all cases" if guarantee.delta else ""
        yield (
            "A reader who wavers between two words of those that are protected picks the right one "
            f"{times(chance_of(guarantee.epsilon))}{but}."
        )
    else:
        yield from _near_words(tally)
    yield STATUSES.get(guarantee.status, "THE PUBLISHED PROOF IS WRONG: do not rely on this.")
    if guarantee.covers != "all":
        yield "Some pairs of words are not protected from each other: see the receipt in full."
    yield "Who compares two whole texts can tell which of them was released."


def _near_words(tally: Tally) -> Iterator[str]:
    """Yield how often a reader picks the right one of near words, as far as the terms say it."""
    terms, knows = tally.terms, "A reader who knows all other words, and "
    if terms.odds and (right := terms.odds.get("right")):
        named = ", ".join(
            f"{times(chance)} if it is written {mentions} time{'s' * (mentions != '1')}"
            for mentions, chance in right.items()
        )
        yield f"{knows}that a name is one of {terms.odds['among']} near ones, picks it {named}."
    elif terms.scale is not None:
        near, middle = (times(chance_of(terms.scale[k]["nats"])) for k in ("nearest", "median"))
        yield (
            f"{knows}wavers between a word and its nearest one, picks the right one {near}; "
            f"between two words at random, {middle}."
        )


def person_of(tally: Tally) -> dict[str, Any] | None:
    """Return the row of the recognised person of whom most is learned, if anything is."""
    persons = tally.count.persons
    rows = [] if persons is None else persons.listed
    worst = max(rows, key=lambda row: nats_of(row["epsilon"]), default=None)
    return worst if worst is not None and nats_of(worst["epsilon"]) else None


def nats_of(stated: float | None) -> float:
    """Return the nats that a receipt states; infinity for None."""
    return math.inf if stated is None else float(stated)


def _of_persons(tally: Tally) -> Iterator[str]:
    """Yield what a reader learns of the recognised person of whom most is learned."""
    row, odds = person_of(tally), tally.terms.odds or {}
    if row is None:
        return
    knows, right = "wavers between two names", chance_of(nats_of(row["epsilon"]))
    if row.get("right") is not None and odds:
        knows, right = f"knows that the name is one of {odds['among']} near ones", row["right"]
    named = plural(row["mentions"], "time")
    yield (
        f"The person of whom most is learned is named {named}: a reader who knows all other words, "
        f"and {knows}, picks the right one {times(right)}."
    )


# -- what to do ------------------------------------------------------------------------------------


def _actions(tally: Tally, *, is_measured: bool) -> Statement:
    beside, unread, groups = beside_of(tally), _unread(tally), mention_groups(tally)
    has_secret = TABLE in tally.visible or any(group.keys for group in groups)
    sentences = _those(
        (
            any(alarm.voids for alarm in _alarms(tally)),
            "Do not release this: see the warning.",
        ),
        (unread, f"Convert what was not read ({unread}), or note that it stays behind."),
        (
            tally.failures,
            f"Look at the failed records ({tally.failures:,}): the receipt in full has their "
            "numbers.",
        ),
        (any(left for _, left in tally.columns.values()), "Look at the cells that stayed."),
        (
            tally.terms.surrogates is not None,
            "Read some of the texts, and let `dx audit release` search them. If somebody is still "
            "readable, add what was missed, and run again.",
        ),
        (
            tally.count.perturbed and not is_measured,
            "Measure how many words of these texts can be guessed (`dx report --measure`), and "
            "decide whether that may be.",
        ),
        (
            beside,
            f"Decide whether {' and '.join(beside)} may stay. Each may narrow down who it is.",
        ),
        (has_secret, "Keep the key apart from the texts, and from all who receive them."),
        (
            True,
            "Treat the texts as personal data: they are safer than the originals, and not "
            "anonymous by themselves.",
        ),
        (True, "Write down who receives them, and for what. The originals stay with you."),
    )
    return Statement(sentences[0].rstrip("."), sentences)


def _those(*rows: tuple[Any, str]) -> list[str]:
    """Return the sentences whose condition is true."""
    return [sentence for condition, sentence in rows if condition]


# -- warnings --------------------------------------------------------------------------------------


class Alarm(NamedTuple):
    """A warning. voids: whether the release protects nothing."""

    heading: str
    sentence: str
    voids: bool = False

    def __str__(self) -> str:
        return f"{self.heading.capitalize()}: {self.sentence}"


def alarms(tally: Tally) -> list[str]:
    """Return warnings: seeded noise, no guarantee, many unknown words, cells that stayed,
    files that were not read."""
    return [f"{alarm.heading}: {alarm.sentence}" for alarm in _alarms(tally)]


def _alarms(tally: Tally) -> list[Alarm]:
    return [
        *(Alarm("NO PRIVACY", why, voids=True) for why in _voids(tally)),
        *filter(
            None,
            (
                _unknown_words(tally),
                _unread_files(tally),
                _cells_that_stayed(tally),
                _mixed_orders(tally),
            ),
        ),
    ]


def _voids(tally: Tally) -> Iterator[str]:
    """Yield why the release protects nothing."""
    guarantees = tally.terms.guarantees or {tally.terms.mechanism: Guarantee("none")}
    if tally.terms.seeded:
        yield "the random numbers were seeded, and anyone with the seed can undo the sampling."
    for name, guarantee in guarantees.items():
        if guarantee.kind == "none":
            yield f"{name} gives no guarantee. {guarantee.notes}".strip()
        elif guarantee.status == "refuted":
            yield f"the published proof of {name} does not hold."


def _unknown_words(tally: Tally) -> Alarm | None:
    # Text of another language would be sampled at the few words that the space shares with it.
    if tally.count.unknown < MIN_UNKNOWN or tally.unknown_share < MAX_UNKNOWN_SHARE:
        return None
    name = tally.terms.space.rpartition(" (")[0]
    return Alarm(
        "UNKNOWN WORDS",
        f"{tally.unknown_share:.0%} of the words are not on the list of words {name!r}. Check that "
        "the list has the language of these texts.",
    )


def _unread_files(tally: Tally) -> Alarm | None:
    if not (unread := _unread(tally)):
        return None
    remedies = dict.fromkeys(TO_TEXT[kind] for kind in tally.count.dropped if kind in TO_TEXT)
    return Alarm("NOT READ", f"{unread}. {' '.join(remedies)}".strip())


def _cells_that_stayed(tally: Tally) -> Alarm | None:
    stayed = {head: left for head, (_, left) in tally.columns.items() if left}
    if not stayed:
        return None
    listed = ", ".join(f"{head} ({left})" for head, left in stayed.items())
    return Alarm(
        "CELLS THAT STAYED",
        f"{listed}. Their heads name personal data. Add labels with --entities, or check them.",
    )


def _mixed_orders(tally: Tally) -> Alarm | None:
    """Return a warning where the rows of a table were read in several orders: each row is a
    document, whose order follows from its own dates."""
    if len(tally.count.orders) < 2 or not tally.columns:
        return None
    return Alarm(
        "MIXED ORDERS",
        f"numeric dates of rows were read with {_orders(tally.count)}. A column has one order: set "
        "--date-order (mdy, dmy or ymd).",
    )
