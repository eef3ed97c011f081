"""Restores originals in the answer to a request whose text was sent with surrogates.

`dx restore` leaves surrogates that may be words of the answer itself. Here the text of the request
is known, so all surrogates can be restored: before sending, mark_ambiguous replaces ambiguous
surrogates (bare numbers, words of the text, one surrogate of two originals) by marks such as
[DATE 2].
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import datetime
from itertools import count

from spacy.tokens import Doc

from ..entities.tables import NAMES
from ..entities.words import builtin_lexicon
from ..surrogates.base import Mention, Surrogate
from ..surrogates.name_forms import fold, form_of
from ..surrogates.replacements import Replacement
from ..text.mentions import plain_label
from .prose import MASK, Prose, blanks_of, is_locator, last_blank
from .table import (
    MAX_ABBREVIATION,
    SHARED,
    Entry,
    SurrogateTable,
    fits,
    is_upper,
    strange_words,
)

# The value for a surrogate in lower case: its original, the spellings of the surrogate that are
# restored (empty: all spellings), and whether the original also occurs in lower case.
Row = tuple[str, Sequence[str], bool]
Rows = Mapping[str, Row]
MAX_BLANKS = 8  # largest number of white space characters between two words of a surrogate
# Underscores around a word are those of Markdown.
_TOKEN_WORD = r"[^\W_](?:\w*[^\W_])?"
_BEGINS = r"(?<!\w)|(?<=(?<!\w)_)|(?<=(?<!\w)__)|(?<=(?<!\w)___)"
_TOKEN = re.compile(rf"(?:{_BEGINS}){_TOKEN_WORD}|[^\w\s]")
# In a JSON string, the letter of an escape is not part of a word.
_TOKEN_OF_JSON = re.compile(
    rf"\\(?:u[\da-fA-F]{{4}}|.)|(?:{_BEGINS}|(?<=\\[nrtbf])|(?<=\\[nrtbf]_)|(?<=\\[nrtbf]__)){_TOKEN_WORD}|"
    r"[^\w\s]",
    re.S,
)
_WORD = re.compile(r"\w+")
_ALIKE = str.maketrans("’‐‑–", "'---")
MARK_FORM = re.compile(r"\[([a-z]+) (\d+)\]")  # of a mark such as [PERSON 1], in lower case
MAX_LABEL_WORD = 3  # letters of a label in capitals that may be a word: ID, URL, ORG
_ES = ("s", "x", "z", "ch", "sh")
ABBREVIATIONS = frozenset("a.m. p.m. u.s. u.k. e.u. d.c. m.d. b.a. m.a. r.n. d.o. p.o.".split())


def mark_ambiguous(
    doc: Doc,
    drawn: Sequence[Replacement],
    surrogates: Mapping[str, Surrogate],
    earlier: SurrogateTable,
    counts: dict[str, Iterator[int]],
    masked: Collection[str] = (),
) -> list[Replacement]:
    """Replace ambiguous surrogates by marks, so that all replacements can be restored.

    Args:
        doc: The input document.
        drawn: Its replacements.
        surrogates: Surrogates by label, which drew the replacements.
        earlier: Table of the earlier texts of the conversation.
        counts: Counters of the conversation's marks, by label.
        masked: Plain labels whose mentions always become marks.
    """
    originals = earlier.copy()
    originals.add_document(doc, drawn, surrogates)
    meanings = defaultdict[str, set[tuple[str, ...]]](set)
    for entry in earlier.entries.values():
        for form in entry.forms:
            meanings[_norm(form)].update(_meaning(text, entry.label) for text in entry.originals)
    for item in drawn:
        if item.text is not None:
            meanings[_norm(item.text)].add(_meaning(item.mention.text, item.mention.label))
    keyed = _keyed_labels(surrogates)
    shared = {
        _norm(form)
        for entry in originals.entries.values()
        if _collides(entry, keyed)
        for form in entry.forms
    }

    def is_ambiguous(mention: Mention, text: str) -> bool:
        norm = _norm(text)
        if surrogates[mention.label].name in SHARED or norm in shared or len(meanings[norm]) > 1:
            return True
        # A number with few digits, or a single character.
        bare = sum(map(str.isalpha, text)) < 2 and sum(map(str.isdigit, text)) < 5
        return bare or originals.is_plain(text)

    def mark_of(mention: Mention, text: str) -> str:
        label = plain_label(mention.label)
        return label if label in masked or is_ambiguous(mention, text) else ""

    marks = {
        (plain_label(entry.label), _norm(text)): next(iter(entry.forms))
        for key, entry in earlier.entries.items()
        if key[0] == "["
        for text in entry.originals
    }
    return _replace_by_marks(doc, drawn, mark_of, marks, counts)


def rows_of(
    pairs: Sequence[tuple[Mention, str]],
    surrogates: Mapping[str, Surrogate],
    table: SurrogateTable,
) -> Rows:
    """Return the rows that restore the texts of a conversation: surrogates, plurals and initials of
    names, other forms of dates. table: table of these mentions."""
    keyed, rows = _keyed_labels(surrogates), dict[str, Row]()
    derived = defaultdict[str, set[str]](set)
    uses = Counter((_norm(text), _norm(mention.text)) for mention, text in pairs)
    for surrogate, entry in table.entries.items():
        if _collides(entry, keyed) or (surrogate[0] != "[" and table.is_plain(surrogate)):
            continue
        forms = set(map(_norm, entry.forms))
        counts = {text: sum(uses[f, _norm(text)] for f in forms) for text in entry.originals}
        frequent = {text for text in counts if counts[text] == max(counts.values())}
        is_free = entry.certain and surrogate[0] != "["
        spellings = [] if is_free else sorted(entry.forms)
        small = any(map(str.islower, entry.originals))
        original = replace(entry, originals=frequent).likeliest
        rows |= dict.fromkeys(forms, (original, spellings, small))
        derive = {"PERSON": _other_names, "DATE": _other_dates}.get(plain_label(entry.label))
        for form, original in dict(derive(entry) if derive else ()).items():
            derived[form].add(original)
    for mark in [row for row in rows if MARK_FORM.fullmatch(row)]:
        for form, spellings in _other_marks(mark):
            if form == mark or (form not in rows and not table.is_plain(form)):
                rows[form] = rows[mark][0], spellings, False
    for form, originals in derived.items():
        taken = _norm(form) in rows or _norm(form) in ABBREVIATIONS or table.is_plain(form)
        if len(originals) == 1 and not taken:
            rows[_norm(form)] = originals.pop(), [form] if "." in form else [], False
    return rows


def mark_ambiguous_dates(
    doc: Doc,
    drawn: Sequence[Replacement],
    surrogates: Mapping[str, Surrogate],
    table: SurrogateTable,
) -> list[Replacement]:
    """Replace dates by marks, one for each original, unless the surrogate of a date has a single
    original and no answer would contain it by itself.

    Args:
        doc: The input document.
        drawn: Its replacements.
        surrogates: Surrogates by label, which drew the replacements.
        table: Table of the earlier documents.
    """
    combined = table.copy()
    combined.add_document(doc, drawn, surrogates)
    by_form = {_norm(form): entry for entry in combined.entries.values() for form in entry.forms}

    def mark_of(mention: Mention, text: str) -> str:
        entry = by_form.get(_norm(text))
        if entry is None or not surrogates[mention.label].name.startswith("dx.DateShift."):
            return ""
        certain = entry.original and entry.certain and not combined.is_plain(text)
        return "" if certain else "DATE"

    return _replace_by_marks(doc, drawn, mark_of, {}, {}, combined.entries)


def _replace_by_marks(
    doc: Doc,
    drawn: Sequence[Replacement],
    mark_of: Callable[[Mention, str], str],
    marks: dict[tuple[str, str], str],
    counts: dict[str, Iterator[int]],
    taken: Collection[str] = (),
) -> list[Replacement]:
    """Replace ambiguous surrogates by marks such as [DATE 2], one for each original. mark_of:
    returns the word of the mark, "" for no mark. marks: marks of earlier documents, by label and
    original. taken: marks in lower case that this document must not use."""
    marked = list[Replacement]()
    for item in drawn:
        text = item.text
        if text is not None and (label := mark_of(item.mention, text)):
            key = label, _norm(item.mention.text)
            while key not in marks:
                mark = f"[{label} {next(counts.setdefault(label, count(1)))}]"
                if mark not in doc.text and mark.lower() not in taken:
                    marks[key] = mark
            text = marks[key]
        marked.append(replace(item, text=text))
    return marked


def _keyed_labels(surrogates: Mapping[str, Surrogate]) -> set[str]:
    """Return the labels with keyed surrogates."""
    scopes = {label: getattr(surrogate, "scope", None) for label, surrogate in surrogates.items()}
    return {label for label, scope in scopes.items() if getattr(scope, "key", None) is not None}


def _collides(entry: Entry, keyed: Collection[str]) -> bool:
    """Return whether a key gave two person names the same surrogate."""
    if entry.label not in keyed or plain_label(entry.label) != "PERSON":
        return False
    return len(set(map(fold, entry.originals))) > 1


def _other_names(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield (surrogate, original) for plurals of single names and full names with initials."""
    names = form_of(min(entry.forms, key=is_upper)).parts
    originals = form_of(entry.likeliest).parts
    if len(names) == len(originals) == 1 and len(names[0]) > 1 and names[0][-1].isalpha():
        yield _plural(names[0]), _plural(originals[0])
    if len(names) > 1 and len(originals) > 1:
        forms = "{i}. {last}", "{i} {last}", "{last}, {i}.", "{first} {l}.", "{i}. {l}.", "{i}.{l}."
        for form in forms:
            yield _in_form(form, names), _in_form(form, originals)


def _other_marks(mark: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the forms in which an answer may write a mark, and their spellings: in other brackets,
    in another case, or without brackets, in capitals. "ID 1" may be a word of the answer itself."""
    label, number = MARK_FORM.fullmatch(mark.lower()).groups()  # type: ignore[union-attr]
    for joint in (" ", "_", "-", ""):
        bare = f"{label}{joint}{number}"
        for opening, closing in ("[]", "<>", "{}"):
            form = f"{opening}{bare}{closing}"
            yield form, [form, form.upper(), form.title()]
        if joint == "_" or len(label) > MAX_LABEL_WORD:
            yield bare, [bare.upper()]


def _in_form(form: str, parts: Sequence[str]) -> str:
    first, last = parts[0], parts[-1]
    return form.format(first=first, last=last, i=first[0], l=last[0])


def _other_dates(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield (surrogate, original) in the other forms of a full date."""
    date, original = _parse_date(min(entry.forms)), _parse_date(entry.likeliest)
    if date is not None and original is not None:
        yield from zip(_date_forms(date), _date_forms(original), strict=True)


def _parse_date(text: str) -> datetime | None:
    for form in ("%Y-%m-%d", "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y"):
        with suppress(ValueError):
            return datetime.strptime(text, form)
    return None


def _date_forms(date: datetime) -> tuple[str, ...]:
    month, short, day, year = date.strftime("%B"), date.strftime("%b"), date.day, date.year
    return (
        f"{year}-{date:%m-%d}", f"{month} {day}, {year}", f"{day} {month} {year}",
        f"{short} {day}, {year}", f"{day} {short} {year}", f"{month} {day}", f"{day} {month}",
    )  # fmt: skip


def _plural(name: str) -> str:
    return name + ("es" if name.lower().endswith(_ES) else "s")


def _norm(text: str) -> str:
    return " ".join(text.translate(_ALIKE).lower().split())


def _meaning(text: str, label: str) -> tuple[str, ...]:
    """Return the content of a mention without its spelling: the same for March 5 and Mar 05. It is
    empty for a person, since two names with one surrogate are of the same person."""
    if plain_label(label) == "PERSON":
        return ()
    words = _WORD.findall(_norm(text))
    return tuple(word.lstrip("0") if word.isdigit() else word[:3] for word in words)


class Restorer:
    """Restores originals in a text that arrives in pieces, wherever these are cut.

    No original is restored where whoever wrote the text may read it as soon as it is shown, see
    Prose, unless a surrogate is the whole of an address. A piece is held back until its last run of
    signs has ended, and no surrogate can begin in it.

    Args:
        rows: Rows that rows_of returns.
        escaped: Whether the text is JSON, for which originals are escaped.
        is_value: Whether texts are values, such as arguments of functions.

    Attributes:
        kept: Surrogates, in lower case, that stayed because they did not stand in prose.
    """

    def __init__(self, rows: Rows, *, escaped: bool = False, is_value: bool = False) -> None:
        self._rows, self._escaped, self._is_value = rows, escaped, is_value
        self._sorted = sorted(rows)
        self._by_first = defaultdict[str, list[str]](list)
        for row in self._sorted:
            first = _TOKEN.match(row)
            self._by_first[first[0] if first else ""].append(row)
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._token = _TOKEN_OF_JSON if escaped else _TOKEN
        self._addresses: dict[str, bool] = {}  # whether a surrogate is an address
        self._originals: dict[str, str | None] = {}  # by spelling, see _original_of
        self._window = (
            max((len(row) + MAX_BLANKS * row.count(" ") for row in rows), default=0) + MAX_BLANKS
        )
        self.kept: set[str] = set()
        self._begin()

    def _begin(self) -> None:
        """Begin a text. The pieces are held back; `_tail` is the end of the last one."""
        self._pieces, self._tail = list[str](), ""
        self._prose = Prose(escaped=self._escaped, is_value=self._is_value)

    def restore(self, text: str) -> str:
        """Return a complete text with its originals restored."""
        restorer = self.fresh_copy()
        restorer._pieces = [text]
        return restorer.flush()

    def fresh_copy(self) -> Restorer:
        """Return a restorer with the same rows for another text. It counts in the same `kept`."""
        restorer = copy(self)
        restorer._begin()
        return restorer

    def feed(self, text: str) -> str:
        """Add a piece and return the text decided so far."""
        self._pieces.append(text)
        seam, self._tail = self._tail + text, text[-2:]
        if not blanks_of(escaped=self._escaped).search(seam):
            return ""
        held = "".join(self._pieces)
        found, end = list(self._matches(held)), self._undecided(held)
        while True:  # back to a blank that is within no surrogate
            start, stop = last_blank(held, end, escaped=self._escaped)
            end = start if stop - start <= MAX_BLANKS else stop
            while found and found[-1].start() >= end:
                found.pop()
            if not found or found[-1].end() <= end:
                break
            end = found.pop().start()
        self._pieces = [held[end:]]
        return self._restore(held[:end], found)

    def flush(self) -> str:
        """Return the text that was held back, at the end of the text."""
        held, self._pieces = "".join(self._pieces), []
        return self._restore(held, list(self._matches(held)))

    def _restore(self, text: str, matches: Sequence[re.Match[str]]) -> str:
        """Return the next segment of a text with originals. matches: its surrogates."""
        if not text:
            return ""
        segment, parts, done = None, list[str](), 0
        if not self._prose.skip(text):
            addresses = [self._is_address(match[0]) for match in matches]
            segment = self._prose.read(_mask(text, zip(matches, addresses, strict=True)))
        for number, match in enumerate(matches):
            start, end = match.span()
            is_held = segment is not None and segment.holds(
                start, end, is_address=addresses[number]
            )
            parts += text[done:start], self._original(match, is_held=is_held)
            done = end
        parts.append(text[done:])
        return "".join(parts)

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the surrogates in a text."""
        done, firsts = 0, dict[str, str]()  # firsts: by token; "" if no row begins with it
        for start in self._token.finditer(text):
            token = start[0]
            first = firsts.get(token)
            if first is None:
                norm = _norm(token)
                first = firsts[token] = norm if norm in self._by_first else ""
            if first and start.start() >= done:
                match = self._match(text, start.start(), first)
                if match is not None:
                    done = match.end()
                    yield match

    def _undecided(self, text: str) -> int:
        """Return where the first word begins that further text may complete to a surrogate."""
        begin = max(0, len(text) - self._window)
        begin -= text[begin - 1 : begin] == "\\"  # of an escape
        for start in self._token.finditer(text, begin):
            if start.end() < len(text) and _norm(start[0]) not in self._by_first:
                continue
            rest = text[start.start() :]
            head = _norm(rest) + " " * rest[-1].isspace()
            place = bisect_left(self._sorted, head)
            if place < len(self._sorted) and self._sorted[place].startswith(head):
                return start.start()
        return len(text)

    def _match(self, text: str, start: int, first: str) -> re.Match[str] | None:
        if first not in self._patterns:
            longest = sorted(self._by_first[first], key=len, reverse=True)
            any_of = "|".join(map(_pattern, longest))
            self._patterns[first] = re.compile(rf"(?:{any_of})(?!_{{0,9}}[^\W_])", re.I)
        match = self._patterns[first].match(text, start)
        return None if match is None or self._original_of(match[0]) is None else match

    def _original_of(self, found: str) -> str | None:
        """Return the text in place of a spelling of a surrogate; None if it is not a surrogate."""
        if found in self._originals:
            return self._originals[found]
        written, row = None, self._rows.get(_norm(found))  # None: the pattern matches ı as i
        if row is not None:
            original, spellings, small = row
            plain = " ".join(found.split())
            shouted = is_upper(plain) and plain not in spellings
            allowed = [
                form.upper() if shouted and len(form) > MAX_ABBREVIATION else form
                for form in spellings
            ]
            if plain in allowed or not spellings:
                is_small = small and plain.islower()
                written = original.upper() if shouted else original
                written = original.lower() if is_small and not shouted else written
                written = (
                    json.dumps(written, ensure_ascii=False)[1:-1] if self._escaped else written
                )
        self._originals[found] = written
        return written

    def _is_address(self, surrogate: str) -> bool:
        """Return whether a surrogate is an address, which may be restored as a whole."""
        if surrogate not in self._addresses:
            self._addresses[surrogate] = is_locator(surrogate) and len(surrogate.split()) == 1
        return self._addresses[surrogate]

    def _original(self, match: re.Match[str], *, is_held: bool) -> str:
        """Return the text in place of a surrogate. is_held: whether the surrogate must stay."""
        if is_held:
            self.kept.add(_norm(match[0]))
        return match[0] if is_held else str(self._original_of(match[0]))


class TableRestorer(Restorer):
    """Restores the unambiguous surrogates of a table in a text.

    restored: number of restored surrogates. unrestored: label and line number of each surrogate
    that stays, since it is ambiguous or has several originals. found: labels of both.
    """

    def __init__(self, table: SurrogateTable) -> None:
        table.doubt_plain()
        self._table = table
        self._by_form = {_norm(form): e for e in table.entries.values() for form in e.forms}
        super().__init__(dict.fromkeys(self._by_form, ("", (), False)))
        self.restored, self.unrestored = 0, list[tuple[str, int]]()
        self.found = set[str]()

    def restore(self, text: str) -> str:
        self._begin()
        self._pieces = [text]
        return self.flush()

    def is_of_another(self, text: str) -> bool:
        """Return whether a text, once restored, seems to be of another document: it has names, the
        table has others, and none of them was found."""
        entries = self._table.entries
        has_persons = any(plain_label(entry.label) == "PERSON" for entry in entries.values())
        if not has_persons or "PERSON" in self.found:
            return False
        names = builtin_lexicon()
        return any(names.of(word) & NAMES for word in strange_words(text, entries))

    def _original(self, match: re.Match[str], *, is_held: bool) -> str:
        entry = self._by_form.get(_norm(match[0]))
        if entry is None:  # the pattern matches ı as i
            return match[0]
        self.found.add(plain_label(entry.label))
        is_sure = entry.certain and fits(match, entry, self._table.entries)
        if entry.original and is_sure and not is_held:
            self.restored += 1
            shouted = is_upper(match[0]) and match[0][0] != "["
            return entry.original.upper() if shouted else entry.original
        if entry.certain or match[0] in entry.forms:
            line = match.string.count("\n", 0, match.start()) + 1
            self.unrestored.append((entry.label, line))
        return match[0]


def _mask(text: str, found: Iterable[tuple[re.Match[str], bool]]) -> str:
    """Return a text of the same length in which surrogates are masked, except for addresses."""
    parts, done = list[str](), 0
    for match, is_address in found:
        if not is_address:
            parts += text[done : match.start()], MASK * (match.end() - match.start())
            done = match.end()
    return "".join((*parts, text[done:]))


def _pattern(row: str) -> str:
    words = (re.escape(word).replace("'", "['’]") for word in row.split())
    return rf"\s{{1,{MAX_BLANKS}}}".join(word.replace(r"\-", "[-‐‑–]") for word in words)
