"""Tables within a text: the row of their heads, the values below each head, and the facts.

A table is rows with as many marks each, or columns aligned by blanks. A column without a head holds
times of day or amounts, if all of its cells look like such and one of them like nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ..text.mentions import Entity
from ..text.tokens import commas_of_row
from .aligned import cells_below, columns_in
from .cells import (
    DAY_OF_EVENT,
    IN_CLOCK_COLUMN,
    MIN_CODE,
    OF_EVENTS,
    PERIOD,
    SURE_FOUR,
    WITH_HALF,
    is_clock,
    is_full_name,
    is_plain_number,
    values_of_cell,
)
from .heads import (
    FACTS,
    LETTERS,
    MAX_HEAD,
    MAX_HEAD_WORDS,
    STATED,
    Head,
    any_head_of,
    head_of,
    head_of_event,
    with_others,
)
from .tables import pattern
from .words import is_name, is_only_ordinary, is_town, kinds

MIN_COLUMNS = 3  # of a table whose columns are aligned by blanks, of which one head is known
MAX_TABLES = 16  # open tables at a line, as any line may look like the head of the next lines
RULE = re.compile(r"[\s|:+=-]*")  # line below the head of a table
# Four digits that may be a time of day, and those that are no year.
_FOUR = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d", re.A)
_PAIR_OF_DAY = re.compile(r"(\d{1,2})/(\d{1,2})", re.A)
STATED_DAY = "STATED_DAY"  # of a column of days with full stops, which by themselves are decimals
Columns = tuple[Head | None, ...]
Mark = str | tuple[int, ...]  # the delimiter of a row, or where its columns begin
_POINTED = re.compile(r"([0-3]?\d)\.([01]?\d|[12]\d|3[01])\.?", re.A)
_BESIDE_CELL = " \t\"'*\r"


def values_in_columns(text: str) -> Iterator[Entity]:
    """Yield the values of a text below heads of columns, in characters."""
    for start, row, columns in _rows(text, head_of):
        for entity, _ in _cells_of_row(start, row, columns):
            yield entity


def in_columns(text: str) -> Iterator[Entity]:
    """Yield the values below heads of columns, those of sure heads with a label of STATED."""
    done = dict[tuple[Columns, int], list[tuple[int, str]]]()  # cells below heads of what was done
    dated = dict[Columns, list[Entity]]()
    for start, row, columns in _rows(text, head_of):
        if any(head is not None and head.part == "done" for head in columns):
            at = start
            for number, (cell, head) in enumerate(zip(row, columns, strict=True)):
                if head is not None and head.part == "done":
                    done.setdefault((columns, number), []).append((at, cell))
                at += len(cell) + 1
        for entity, head in _cells_of_row(start, row, columns):
            is_person = entity.label == "PERSON" and is_full_name(text[entity.start : entity.end])
            is_sure = is_person or not head.is_weak
            label = STATED.get(entity.label, entity.label) if is_sure else entity.label
            yield entity._replace(label=label)
            if head.label == "DATE":
                dated.setdefault(columns, []).append(entity)
    for cells in done.values():
        yield from _days_done(cells)
    for days in dated.values():
        yield from _days_stated(text, days)


def _days_stated(text: str, days: Sequence[Entity]) -> Iterator[Entity]:
    """Yield the days of the columns of dates of a table that have a full stop between day and month
    (15.07), if some do and each of these may be one, in one order."""
    pairs = [(day, _POINTED.fullmatch(text, day.start, day.end)) for day in days]
    read = [(int(pair[1]), int(pair[2])) for _, pair in pairs if pair is not None]
    orders = (read, [(month, day) for day, month in read])
    if len(read) > 1 and any(all(d < 32 and 0 < m < 13 for d, m in order) for order in orders):
        yield from (day._replace(label=STATED_DAY) for day, pair in pairs if pair is not None)


def _days_done(cells: Sequence[tuple[int, str]]) -> Iterator[Entity]:
    """Yield the days in the cells of a column of what was done, each with its place: 12/20, 12/23.
    They are scores if one is no day, or all are out of as many (12/20, 8/20) and none is above."""
    bare = [(start + c.index(c.strip(_BESIDE_CELL)), c.strip(_BESIDE_CELL)) for start, c in cells]
    pairs = [pair for _, cell in bare if (pair := _PAIR_OF_DAY.fullmatch(cell)) is not None]
    are_days = all(DAY_OF_EVENT.fullmatch(pair[0]) for pair in pairs)
    are_scores = len({pair[2] for pair in pairs}) < 2 and all(
        int(pair[1]) <= int(pair[2]) for pair in pairs
    )
    if are_days and not are_scores:
        for start, cell in bare:
            if DAY_OF_EVENT.fullmatch(cell):
                yield Entity("DATE", start, start + len(cell))


def _rows(
    text: str, read: Callable[[str], Head | None]
) -> Iterator[tuple[int, list[str], Columns]]:
    """Yield the place, the cells and the columns of each row below a line of heads, while lines
    have as many cells."""
    tables: dict[tuple[Mark, Columns], None] = {}
    start, rows = 0, text.split("\n")
    for number, row in enumerate(rows):
        if tables and not (RULE.fullmatch(row) and row.strip()):
            for mark, columns in [*tables]:
                cells = _cells_of(row, mark, len(columns))
                if cells is None:
                    del tables[mark, columns]
                else:
                    yield start, cells, columns
        if (found := _heads_of_row(row, read, rows[number + 1 : number + 3])) is not None:
            tables[found] = None
            if len(tables) > MAX_TABLES:
                del tables[next(iter(tables))]
        start += len(row) + 1


def _cells_of(row: str, mark: Mark, count: int) -> list[str] | None:
    """Return the cells of a row, or None if it has not as many. Commas may be part of a cell."""
    if isinstance(mark, tuple):
        return cells_below(row, mark)
    if row.count(mark) + 1 == count:
        return row.split(mark)
    commas = commas_of_row(row, count - 1) if mark == "," else None
    if commas is None:
        return None
    edges = [-1, *commas, len(row)]
    return [row[first + 1 : last] for first, last in pairwise(edges)]


_SHORT_HEAD = re.compile(r"(?i)\b(?:no|nr|qty|ref|tel|temp|amt|vol|avg|min|max|dept|approx)\.\Z")
# What a day or a time heads, as in a list of events: 4/28 No school, teachers work.
_DATED_CELL = re.compile(r"\d{1,2}[/.:]\d\d?(?:[/.]\d{2,4})?[ \t]+[^\W\d_]")


def _ends_sentence(name: str) -> bool:
    """Return whether a full stop beside commas ends a sentence, rather than a short word."""
    return "." in _SHORT_HEAD.sub("", name)


def _heads_of_row(
    row: str, read: Callable[[str], Head | None], below: list[str]
) -> tuple[Mark, Columns] | None:
    """Return the delimiter, or where the columns begin, and the heads of a row with at least two of
    them, or with one that says more than "name" where the rows below make it the first of a
    table."""
    if "  " in row and (starts := columns_in(row)) is not None:
        return _aligned_heads(row, starts, read, below)
    mark = max("|\t;,", key=row.count)
    if mark not in row:
        return None
    names = [name.strip(" \t\"'*\r") for name in row.split(mark)]
    if any(len(name) > MAX_HEAD or (mark == "," and _ends_sentence(name)) for name in names):
        return None
    if any(map(_DATED_CELL.match, names)):
        return None
    found = with_others(names, [read(name) if name else None for name in names])
    known = [head for head in found if head is not None]
    pairs = zip(names, found, strict=True)
    columns = tuple(head or head_of_event(name, *OF_EVENTS) for name, head in pairs)
    has_event = columns != tuple(found)
    says_more = has_event or (len(known) == 1 and known[0].part != "bare")
    is_read = len(known) > 1 or (says_more and _is_over_table(names, mark, below))
    return (mark, columns) if is_read and not _is_list_of_labels(mark, below) else None


def _aligned_heads(
    row: str, starts: tuple[int, ...], read: Callable[[str], Head | None], below: list[str]
) -> tuple[Mark, Columns] | None:
    """Return where the columns begin, and the heads, of a row with two known ones over one with two
    cells at least, or with one over two rows that fill most of at least three columns."""
    names = [name.strip() for name in cells_below(row, starts) or ()]
    found = with_others(names, [read(name) if name else None for name in names])
    columns = tuple(
        head or head_of_event(name, *OF_EVENTS) for name, head in zip(names, found, strict=True)
    )
    known = sum(head is not None for head in columns)
    is_ruled = bool(below) and RULE.fullmatch(below[0]) is not None and bool(below[0].strip())
    rows = [cells_below(row, starts) or () for row in below[is_ruled:]]
    filled = [sum(map(bool, map(str.strip, cells))) for cells in rows]
    if not (known and filled and filled[0] > 1):
        return None
    is_full = len(filled) > 1 and min(filled) >= max(len(names) - 1, MIN_COLUMNS - 1)
    if known + is_ruled < 2 and not (is_full and len(names) >= MIN_COLUMNS):
        return None
    return starts, columns


def _is_list_of_labels(mark: str, below: list[str]) -> bool:
    """Return whether the rows below one begin with labels, so that it is one with its value, and no
    row of heads: | Surname | Case | over | DOB | 3/4/85 |."""
    rows = [row for row in below if mark in row and not RULE.fullmatch(row)]
    firsts = [head_of(row.strip(" |").split(mark)[0].strip(' *_"')) for row in rows]
    return any(head and not head.is_weak for head in firsts) and None not in firsts


def _is_over_table(names: list[str], mark: str, below: list[str]) -> bool:
    """Return whether a row is the first of a table: over a line, or one of short cells, without
    digits, over two rows with as many cells."""
    if any(row.count(mark) != len(names) - 1 for row in below):
        return False
    if below and mark in below[0] and RULE.fullmatch(below[0]):
        return True
    filled = [name for name in names if name]
    if len(filled) == 2 and mark in "|\t":
        return len(below) == 2 and not any(head_of(row.partition(mark)[0]) for row in below)
    are_short = all(len(name.split()) <= MAX_HEAD_WORDS for name in filled)
    has_digit = any(map(str.isdigit, "".join(filled)))
    return len(below) == 2 and len(filled) > 2 and are_short and not has_digit


_VALUE_CELL = re.compile(  # 12.5, < 8 %, 4-6 d, 3/4"
    r"[<>≤≥=~±+−-]{0,2}\s?\d{1,6}(?:[.,]\d{1,4})?(?:\s?[-–/:]\s?\d{1,6}(?:[.,]\d{1,4})?)?\s?"
    r"[^\W\d_]{0,8}[%°\"″'′]?"
)
_LIMIT_CELL = re.compile(r"[<>≤≥]\s?\d|\d{1,4}\.\d{1,3}\s?[-–]\s?\d")
_AMOUNT_CELL = re.compile(r"[<>≤≥=~±+−-]{1,2}\s?\d|\d{1,6}[.,]\d\d?(?!\d)")
MIN_AMOUNTS = 3  # cells of a column whose values show that they are amounts
# A label and its value, alone on a line or apart from others: Occupation: Welder    Phone: 0123.
_LABELLED = re.compile(
    r"(?:^|[ \t]{3})(?P<label>[A-Z][A-Za-z ]{2,30}):[ \t]{1,9}"
    r"(?P<value>[^\s|,;](?:[^\s|,;]| (?! ))*)",
    re.M,
)


def facts_in(text: str) -> list[tuple[int, int, str]]:
    """Return the cells and values of a text whose head, or label, says that they hold a fact, in
    characters, in order, each with the label of the head."""
    facts = list[tuple[int, int, str]]()
    numbered = dict[tuple[Columns, int], list[tuple[int, str]]]()  # cells by their column
    for start, row, columns in _rows(text, any_head_of):
        for number, (cell, head) in enumerate(zip(row, columns, strict=True)):
            if label := _fact_of(head, cell):
                facts.append((start, start + len(cell), label))
            if _may_hold_another(head) and any(map(str.isdigit, cell)):
                numbered.setdefault((columns, number), []).append((start, cell))
            start += len(cell) + 1
    for (columns, number), cells in numbered.items():
        bare, head = [cell.strip(_BESIDE_CELL) for _, cell in cells], columns[number]
        held = "HOURS" if _are_hours(head, bare) else ""
        if head is None and _are_amounts(bare):
            held = "VALUE"
        if head is not None and head.label == "ID" and _are_limits(bare):
            held = "VALUE"
        facts += [(start, start + len(cell), held) for start, cell in cells if held]
    for match in _LABELLED.finditer(text):
        head = any_head_of(match["label"])
        is_plate = pattern("IDENTIFIER").fullmatch(match["value"]) is not None
        if head is not None and head.label == "WARE" and not is_plate:
            facts.append((*match.span("value"), "WARE"))
    return sorted(facts)


def fact_of(name: str, cell: str) -> str:
    """Return the label of the head of a column if that says that a cell of it holds a fact, as
    `facts_in` does of the cells of a text; else ""."""
    return _fact_of(any_head_of(name), cell)


def _are_hours(head: Head | None, cells: Sequence[str]) -> bool:
    """Return whether all cells of a column are times of day, of which one can be nothing else:
    0800 and 1800, 8a and 5. Without a head for times, all have four digits."""
    form = IN_CLOCK_COLUMN if head is not None and head.label == "TIME" else _FOUR
    if not all(map(form.fullmatch, cells)):
        return False
    return any(WITH_HALF.search(c) or SURE_FOUR.fullmatch(c) or ":" in c for c in cells)


def _may_hold_another(head: Head | None) -> bool:
    """Return whether the cells below a head may tell that they hold something else."""
    if head is None or head.label == "TIME" or head.part in OF_EVENTS:
        return True
    return head.label == "ID" and head.is_weak


def _are_limits(cells: Sequence[str]) -> bool:
    """Return whether the cells of a column are the limits of values, of which one shows it: ref
    above <4.0, 11.0-15.0 and 45-90."""
    is_shown = any(_LIMIT_CELL.match(cell) for cell in cells)
    return is_shown and all(map(_VALUE_CELL.fullmatch, cells))


def _are_amounts(cells: Sequence[str]) -> bool:
    """Return whether all cells of a column are amounts, by their values: a sign or decimals in one,
    or far more digits in one than in another. Codes have as many in each."""
    sizes = [sum(map(str.isdigit, cell)) for cell in cells]
    if len(cells) < MIN_AMOUNTS or not all(map(_VALUE_CELL.fullmatch, cells)):
        return False
    is_signed = any(_AMOUNT_CELL.match(cell) for cell in cells)
    return is_signed or (min(sizes) < MIN_CODE <= max(sizes))


def _fact_of(head: Head | None, cell: str) -> str:
    if head is not None and head.label == "TIME":
        bare = cell.strip(_BESIDE_CELL)
        is_time = is_clock(head, bare) or PERIOD.fullmatch(bare)
        return "HOURS" if is_time else ""
    if head is None or head.label not in FACTS:
        return ""
    is_one = head.label != "VALUE" or _VALUE_CELL.fullmatch(cell.strip())
    return head.label if is_one else ""


def _cells_of_row(start: int, values: list[str], columns: Columns) -> Iterator[tuple[Entity, Head]]:
    """Yield the values of the cells of a row, each with its head."""
    for value, head in zip(values, columns, strict=True):
        bare = value.strip(" \t\"'*\r")
        if head is not None and bare and not is_plain_number(head, bare):
            first = start + value.index(bare)
            for label, begin, end in values_of_cell(head, bare):
                yield Entity(label, first + begin, first + end), head
        start += len(value) + 1


# -- the row of heads of a table in a text ---------------------------------------------------------

MIN_MARKS = 4  # between the cells of the smallest table
MIN_HEADS = 0.6  # share of the cells of the first row of a table that say that all are heads
CELL_MARKS = "|\t;"
_TERM = re.compile(r"\b[A-Z]{1,2}\d\b")  # of a school: change from T1
_SHORT_CELL = re.compile(r"[A-Z]{2,4}|[A-Z][a-z]{0,4}")
_QUOTED = re.compile(r'"[^"]*"')  # a cell


def head_rows(text: str) -> Iterator[tuple[int, int]]:
    """Yield rows of heads, in characters: the first row of a table, over rows with as many cells,
    or over rows that blanks align with it. Most of its cells are common words; all of them, if no
    row has a digit."""
    if not any(text.count(mark) >= MIN_MARKS for mark in (*CELL_MARKS, ",", "   ")):
        return
    start, last, rows = 0, -1, text.split("\n")
    for number, row in enumerate(rows):
        # Commas of a table have no blank behind them.
        mark = max(CELL_MARKS if ", " in row else (*CELL_MARKS, ","), key=row.count)
        count = row.count(mark)
        if count > 1 and count != last and not any(map(str.isdigit, _TERM.sub("", row))):
            below = [r for r in rows[number + 1 : number + 4] if not RULE.fullmatch(r)][:2]
            is_table = len(below) == 2 and all(
                _QUOTED.sub("", r).count(mark) == count for r in below
            )
            share = 1.0 if not any(map(str.isdigit, "".join(below))) else MIN_HEADS
            if is_table and _are_heads(row.split(mark), share):
                yield start, start + len(row)
        elif "   " in row and (not number or "   " not in rows[number - 1].strip()):
            if _are_heads(_aligned_cells(row, rows[number + 1 : number + 4]), MIN_HEADS):
                yield start, start + len(row)
        start, last = start + len(row) + 1, count


def _aligned_cells(row: str, below: list[str]) -> list[str]:
    """Return the cells of a row of at least three, over two rows with digits that blanks align with
    most of them."""
    starts = columns_in(row) or ()
    if len(starts) < MIN_COLUMNS or not any(map(str.isdigit, "".join(below))):
        return []
    rows = [cells_below(line, starts) or [] for line in below if not RULE.fullmatch(line)]
    filled = [sum(map(bool, map(str.strip, cells))) for cells in rows]
    is_table = sum(2 * count > len(starts) for count in filled) > 1
    return [cell.strip(" .") for cell in cells_below(row, starts) or ()] if is_table else []


def _are_heads(cells: list[str], share: float) -> bool:
    """Return whether a share of the cells are heads, days, or common words that are no names."""
    filled = [cell for cell in map(str.strip, cells) if cell]
    heads = [head_of(cell) is not None or _is_common_cell(cell) for cell in filled]
    plain = sum(heads)
    if share < 1 and any(heads):  # NAME | ENG | MAT | TOT, Name  Na  K  Creat
        others = (cell for cell, is_head in zip(filled, heads, strict=True) if not is_head)
        plain += sum(_SHORT_CELL.fullmatch(c) is not None and not _names(c) for c in others)
    return len(filled) > 1 and plain >= share * len(filled)


def _names(word: str) -> bool:
    return is_name(word) or is_town(word)


def _is_common_cell(cell: str) -> bool:
    texts = LETTERS.findall(cell)
    return bool(texts) and all("WEEKDAY" in kinds(text) or is_only_ordinary(text) for text in texts)
