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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import datetime
from itertools import count

from spacy.tokens import Doc

from ..surrogates.base import Mention, Surrogate
from ..surrogates.name_forms import fold, form_of
from ..surrogates.replacements import Replacement
from ..text.mentions import plain_label
from .table import MAX_ABBREVIATION, SHARED, Entry, SurrogateTable, fits, is_upper

# The value for a surrogate in lower case: its original, the spellings of the surrogate that are
# restored (empty: all spellings), and whether the original also occurs in lower case.
Row = tuple[str, Sequence[str], bool]
Rows = Mapping[str, Row]
MAX_BLANKS = 8  # largest number of white space characters between two words of a surrogate
_TOKEN = re.compile(r"(?<!\w)\w+|[^\w\s]")
_WORD = re.compile(r"\w+")
_ALIKE = str.maketrans("’‐‑–", "'---")
_ES = ("s", "x", "z", "ch", "sh")
# Nothing is restored in a run (characters without a blank) that a client may fetch or send to.
_LOCATOR = re.compile(
    r"//|\\\\|(?:^|\W)(?:https?|ftp|file|wss?|mailto|tel|data|blob|javascript):|(?:^|\W)www\.|"
    r"[\w-]\.[a-z]{2,63}(?![\w.])|[\w-]\.[a-z]{2,63}\.(?:\W|$)|@[\w-]+\.\w|"
    r"&(?:#x?0*(?:2f|3a|5c|47|58|92)|sol|colon|bsol);",
    re.I,
)
MAX_RUN = 4096  # characters of a run; a longer run is no text
_OPENINGS, _CLOSINGS = "([{<\"'“‘«*_~|#", ".,;:!?)]}>\"'”’»*_~|…"
# A tag that all readers of HTML end at the same place.
_TAG = re.compile(
    r"/?[a-z][\w-]*(\s+[\w:.@-]+(\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?)*\s*/?", re.A | re.I
)
_MARKUP_AT = {"": re.compile(r"[<\]]"), ">": re.compile(r"[>\"']")}
BLANK_SIGNS = " \t\n\r\f\v"  # only these, since some other white space does not end an address
_BLANK = re.compile(f"[{BLANK_SIGNS}]")
# In a JSON string, its ends and escaped blanks end a run too.
_BLANK_OF_JSON = re.compile(r'[ \t\n\r\f\v]|(?<!\\)(?:"|\\[nrt])')
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

    No original is restored within a web or mail address (unless the whole address is a surrogate),
    in an HTML tag, or in the target of a link: the author of the text could read it there as soon
    as the text is shown.

    Args:
        rows: Rows that rows_of returns.
        escaped: Escape originals for a JSON string.
    """

    def __init__(self, rows: Rows, *, escaped: bool = False) -> None:
        self._rows, self._escaped = rows, escaped
        self._sorted = sorted(rows)
        self._by_first = defaultdict[str, list[str]](list)
        for row in self._sorted:
            first = _TOKEN.match(row)
            self._by_first[first[0] if first else ""].append(row)
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._window = (
            max((len(row) + MAX_BLANKS * row.count(" ") for row in rows), default=0) + MAX_BLANKS
        )
        # The end of the returned text, back to a blank; the text that is held back; and the markup
        # state at the end of the returned text.
        self._last, self._held, self._markup = "", "", Markup(escaped)

    def restore(self, text: str) -> str:
        """Return a complete text with its originals restored."""
        restorer = self.fresh_copy()
        return restorer.feed(text) + restorer.flush()

    def fresh_copy(self) -> Restorer:
        """Return a restorer with the same rows for another text."""
        restorer = copy(self)
        restorer._last, restorer._held, restorer._markup = "", "", Markup(self._escaped)
        return restorer

    def feed(self, text: str) -> str:
        """Add a piece and return the text decided so far; a possible surrogate is held back."""
        self._held += text
        return self._take(self._undecided(), is_end=False)

    def flush(self) -> str:
        """Return the text that was held back, at the end of the text."""
        return self._take(len(self._held), is_end=True)

    def _take(self, end: int, *, is_end: bool) -> str:
        """Remove and return the text before `end`, except a run that may become an address."""
        text, taken = self._last + self._held, list[str]()
        skip = done = place = len(self._last)
        last = skip + end
        while (start := _TOKEN.search(text, place)) and start.start() < last:
            match, place = self._match(text, start), start.end()
            if match is None:
                continue
            run_start, run_end = self._run(text, match)
            if not is_end and run_end == len(text) and run_end - run_start <= MAX_RUN:
                last = start.start()
                break
            is_held = self._is_held(text, done, match, (run_start, run_end))
            taken += [text[done : match.start()], self._original(match, is_held=is_held)]
            done = place = match.end()
        if done < last:
            taken.append(text[done:last])
            self._markup.read(text[done:last])
            done = last
        self._held = text[done:]
        self._last = text[min(self._last_blank(text, done), max(0, done - 1)) : done]
        return "".join(taken)

    def _is_held(self, text: str, done: int, match: re.Match[str], run: tuple[int, int]) -> bool:
        """Read the text between `done` and a match; return whether the match must stay."""
        before, after = text[run[0] : match.start()], text[match.end() : run[1]]
        self._markup.read(text[done : match.start()])
        held = self._markup.holds(after) or _is_in_locator(before, after, run[1] - run[0])
        self._markup.read("x")
        return held

    def _last_blank(self, text: str, end: int) -> int:
        """Return where the run begins that contains a place or ends there."""
        start = max(0, end - MAX_RUN - 1)
        if not self._escaped:
            return max(start, *(text.rfind(blank, start, end) + 1 for blank in BLANK_SIGNS))
        ends = (blank.end() for blank in _BLANK_OF_JSON.finditer(text, start, end))
        return max(ends, default=start)

    def _run(self, text: str, match: re.Match[str]) -> tuple[int, int]:
        """Return where the run around a surrogate begins and ends."""
        limit = min(len(text), match.end() + MAX_RUN + 1)
        after = (_BLANK_OF_JSON if self._escaped else _BLANK).search(text, match.end(), limit)
        return self._last_blank(text, match.start()), after.start() if after else limit

    def _undecided(self) -> int:
        """Return where the first word begins that further text may complete to a surrogate."""
        text, skip = self._last + self._held, len(self._last)
        for start in _TOKEN.finditer(text, max(skip, len(text) - self._window)):
            tail = text[start.start() :]
            head = _norm(tail) + " " * tail[-1].isspace()
            place = bisect_left(self._sorted, head)
            if place < len(self._sorted) and self._sorted[place].startswith(head):
                return start.start() - skip
        return len(self._held)

    def _match(self, text: str, start: re.Match[str]) -> re.Match[str] | None:
        first = _norm(start[0])
        if first not in self._by_first:
            return None
        if first not in self._patterns:
            longest = sorted(self._by_first[first], key=len, reverse=True)
            any_of = "|".join(map(_pattern, longest))
            self._patterns[first] = re.compile(rf"(?:{any_of})(?!\w)", re.I)
        match = self._patterns[first].match(text, start.start())
        if match is None or (row := self._rows.get(_norm(match[0]))) is None:
            return None  # the pattern matches ı as i
        spellings, plain = row[1], " ".join(match[0].split())
        shouted = is_upper(plain) and plain not in spellings
        allowed = [
            form.upper() if shouted and len(form) > MAX_ABBREVIATION else form for form in spellings
        ]
        return match if plain in allowed or not spellings else None

    def _original(self, match: re.Match[str], *, is_held: bool) -> str:
        """Return the text in place of a surrogate. is_held: whether the surrogate must stay."""
        if is_held:
            return match[0]
        original, spellings, small = self._rows[_norm(match[0])]
        plain = " ".join(match[0].split())
        if is_upper(plain) and plain not in spellings:
            original = original.upper()
        elif small and plain.islower():
            original = original.lower()
        return json.dumps(original, ensure_ascii=False)[1:-1] if self._escaped else original


class TableRestorer(Restorer):
    """Restores the unambiguous surrogates of a table in a text.

    restored: number of restored surrogates. unrestored: label and line number of each surrogate
    that stays, since it is ambiguous or has several originals.
    """

    def __init__(self, table: SurrogateTable) -> None:
        table.doubt_plain()
        self._table = table
        self._by_form = {_norm(form): e for e in table.entries.values() for form in e.forms}
        super().__init__(dict.fromkeys(self._by_form, ("", (), False)))
        self.restored, self.unrestored = 0, list[tuple[str, int]]()

    def restore(self, text: str) -> str:
        self._held = text
        return self.flush()

    def _original(self, match: re.Match[str], *, is_held: bool) -> str:
        entry = self._by_form.get(_norm(match[0]))
        if entry is None:  # the pattern matches ı as i
            return match[0]
        is_sure = entry.certain and fits(match, entry, self._table.entries)
        if entry.original and is_sure and not is_held:
            self.restored += 1
            shouted = is_upper(match[0]) and match[0][0] != "["
            return entry.original.upper() if shouted else entry.original
        if entry.certain or match[0] in entry.forms:
            line = match.string.count("\n", 0, match.start()) + 1
            self.unrestored.append((entry.label, line))
        return match[0]


def _is_in_locator(before: str, after: str, length: int) -> bool:
    """Return whether a surrogate between these texts is part of an address. length: of the run."""
    if length > MAX_RUN:
        return True
    after = after.partition("](")[0]  # the text of a link is not part of its target
    ending = re.sub("^['’]s", "", after).strip(_CLOSINGS)
    if not before.removesuffix("](").strip(_OPENINGS) and not ending:
        return False
    return _LOCATOR.search(f"{before}x{after}") is not None


class Markup:
    """Tracks whether a text, read in pieces, is in an HTML tag or in the target of a link.

    escaped: whether the text is JSON.
    """

    def __init__(self, escaped: bool) -> None:
        # state: end of the markup; < or ] if markup may begin; ! if readers disagree where it ends
        self._state, self._depth = "", 0
        self._escaped, self._tag = escaped, list[str]()  # tag: the pieces of text since its <
        self._begins = False  # whether the target of a link begins here

    def holds(self, after: str) -> bool:
        """Return whether the next word is part of markup, but not all of it as in <a@b.c> and
        ](a@b.c). after: the text that follows the word."""
        if self._state in ("", "]"):
            return False
        if self._state == "<" or self._begins:
            return not after.startswith(">" if self._state == "<" else ")")
        return True

    def read(self, text: str) -> None:
        """Read the next piece of the text."""
        place = 0
        while place < len(text) and self._state != "!":
            if self._state in ("", ">"):
                mark = _MARKUP_AT[self._state].search(text, place)
                end = mark.start() if mark else len(text)
                self._tag += [text[place:end]] if self._state else []
                if mark is None:
                    return
                place = end
            self._step(text[place])
            place += 1

    def _step(self, sign: str) -> None:
        state, self._begins = self._state, False
        if state in ("", "<", "]"):
            if state == "<" and (sign.isalpha() or sign in "/!?\\&"):
                self._state, self._tag = ">", []
            elif state == "]" and sign == "(":
                self._state, self._depth, self._begins = ")", 1, True
            else:
                self._state = sign if sign in "<]" else ""
        elif state == ">":
            self._state = f">{sign}" if sign in "\"'" else self._after_tag()
        elif state == ")":
            self._depth += (sign == "(") - (sign == ")")
            self._state = "" if sign == "\n" or not self._depth else "<" if sign == "<" else state
        elif sign == state[1]:  # end of a quoted attribute
            self._state = ">"
        self._tag.append(sign)

    def _after_tag(self) -> str:
        """Return the state after a >. Where quotes are odd, HTML and Markdown may read on: nothing
        is restored any more."""
        if "".join(self._tag[-2:]).endswith("\\"):
            return ">"
        tag = "".join(self._tag)
        tag = tag.replace('\\"', '"') if self._escaped else tag
        return "" if _TAG.fullmatch(tag) or not re.search("[\"']", tag) else "!"


def _pattern(row: str) -> str:
    words = (re.escape(word).replace("'", "['’]") for word in row.split())
    return rf"\s{{1,{MAX_BLANKS}}}".join(word.replace(r"\-", "[-‐‑–]") for word in words)
