"""An encrypted table of surrogates and their originals, for the holder of the originals only. It
restores originals in the answer of a model or a colleague.

Only unambiguous surrogates are restored: an answer contains words and numbers of its own, and an
original in place of a dose or a verb is worse than a surrogate that stays. A surrogate is certain
by its form (names, addresses, full dates, codes of five or more digits), by the documents (it
occurs nowhere else in them), and by the words around it in the answer.

The file is encrypted with AES-256 in GCM mode (package cryptography); its key is in another file.
Both files together reveal the originals of all surrogates in the table.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..entities.tables import HOUSES, LANDS, NAMES, PEOPLES, STATES, STREET_KINDS, TERM_NOUNS
from ..entities.words import builtin_lexicon
from ..errors import DxError, UsageError
from ..files.keys import keep_from_git
from ..files.limits import regular
from ..surrogates.base import Mention, Surrogate, is_same
from ..surrogates.name_forms import SUFFIXES, TITLES, form_of, is_initial
from ..surrogates.replacements import Replacement
from ..validate import needs

MAGIC = b"dx-table-2\n"
MAX_BYTES = 2**28  # read of a file
NONCE_BYTES = 12
_WORD = re.compile(r"\w+")
# Surrogates whose outputs are near the original, or shared by many originals: not invertible.
SHARED = frozenset({"dx.Number.v1", "dx.Redact.v1", "dx.Mask.v1"})
MAX_ABBREVIATION = 4  # letters of a name in capitals that may be an abbreviation (ANA, IRA)
MIN_COMMON_PLAINNESS = 20  # Lexicon.plainness from which on a capitalised word is not a name
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_FULL_DATE = re.compile(
    rf"\b{_MONTH}\s*\d{{1,2}}\D.{{0,12}}\d{{4}}\b|\d{{1,2}}\D{{0,4}}{_MONTH}\D{{0,2}}\d{{4}}\b|"
    r"(?<!\d)(?:\d{1,4}([-/])\d{1,2}\1\d{2,4}|\d{1,2}\.\d{1,2}\.\d{4}|\d{8})(?!\d)",
    re.I | re.ASCII,
)
_DAY = re.compile(rf"{_MONTH} \d{{1,2}}|\d{{1,2}} {_MONTH}", re.I | re.ASCII)
_MARK = re.compile(r"\[[A-Z]+ \d+\]", re.ASCII)
_CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d_])\w{6,}|@|://")
_LETTERS = re.compile(r"[^\W\d_][\w'’.-]*")
_PLACE_ENDS = frozenset(kind.casefold() for kind in (*STREET_KINDS, *HOUSES, "county", "city"))


@dataclass
class Entry:
    """The originals of one surrogate.

    label: label of its mentions. certain: whether its form and the documents make it unambiguous.
    forms: its spellings. originals: more than one if several originals drew the same surrogate.
    """

    label: str
    certain: bool
    forms: set[str] = field(default_factory=set, repr=False)
    originals: set[str] = field(default_factory=set, repr=False)

    @property
    def original(self) -> str:
        """The only original, ignoring case; "" if there are several."""
        several = len({original.casefold() for original in self.originals}) > 1
        return "" if several else self.likeliest

    @property
    def likeliest(self) -> str:
        """One of the originals, preferably in mixed case."""
        return max(self.originals, key=lambda text: (not is_upper(text), not text.islower(), text))


@dataclass
class SurrogateTable:
    """Entries, indexed by the surrogate in lower case.

    plain: words outside of mentions, and pairs of adjacent such words. A surrogate that occurs
    among them is not restored: an answer may mean either.
    """

    entries: dict[str, Entry] = field(default_factory=dict, repr=False)
    plain: set[str | tuple[str, str]] = field(default_factory=set, repr=False)

    def add(self, mention: Mention, text: str, surrogate: str) -> None:
        """Add a mention and its surrogate; for a name, also its parts."""
        pairs = [(mention.text, text)]
        if surrogate.startswith("dx.Name.") and text[0] != "[":
            pairs += _name_parts(mention, text)
        for original, surrogate_text in pairs:
            if is_same(original, surrogate_text):
                continue
            entry = Entry(mention.label, True)
            entry = self.entries.setdefault(" ".join(surrogate_text.casefold().split()), entry)
            entry.certain &= _is_certain(surrogate_text, surrogate)
            entry.forms.add(surrogate_text)
            entry.originals.add(" ".join(original.split()))

    def add_document(
        self, doc: Doc, drawn: Sequence[Replacement], surrogates: Mapping[str, Surrogate]
    ) -> None:
        """Add all mentions of a document, and the words outside of them."""
        items = [item for item in drawn if item.text is not None]
        self.add_mentions([(item.mention, str(item.text)) for item in items], surrogates)
        starts = [0, *(item.end for item in items)]
        ends = [*(item.start for item in items), len(doc)]
        for start, end in zip(starts, ends, strict=True):
            self.add_plain(doc[start:end].text)

    def add_mentions(
        self, pairs: Sequence[tuple[Mention, str]], surrogates: Mapping[str, Surrogate]
    ) -> None:
        """Add mentions of a document with their surrogates, in order."""
        for mention, text in dict.fromkeys(pairs):
            self.add(mention, text, surrogates[mention.label].name)
        for (city, new_city), (state, new_state) in pairwise(pairs):
            if state.before == "," and surrogates[state.label].name.startswith("dx.Place."):
                pair = replace(state, text=f"{city.text}, {state.text}")
                self.add(pair, f"{new_city}, {new_state}", "dx.Place.v1")

    def add_plain(self, text: str) -> None:
        """Add the words of a text between two mentions."""
        words = _WORD.findall(text.casefold())
        self.plain.update(words, pairwise(words))

    def is_plain(self, surrogate: str) -> bool:
        """Return whether the word of a surrogate, or all its adjacent pairs of words, are plain."""
        words = _WORD.findall(surrogate.casefold())
        return self.plain.issuperset(words if len(words) == 1 else pairwise(words))

    def copy(self) -> SurrogateTable:
        """Return an independent copy."""
        entries = {
            surrogate: replace(entry, forms=set(entry.forms), originals=set(entry.originals))
            for surrogate, entry in self.entries.items()
        }
        return SurrogateTable(entries, set(self.plain))

    def doubt_plain(self) -> None:
        """Make surrogates uncertain that occur among the plain words."""
        for surrogate, entry in self.entries.items():
            entry.certain &= not self.is_plain(surrogate)

    def to_json(self) -> str:
        """Return the entries, without the plain words, as JSON."""
        self.doubt_plain()
        rows = {
            surrogate: [entry.label, entry.certain, sorted(entry.forms), sorted(entry.originals)]
            for surrogate, entry in sorted(self.entries.items())
        }
        return json.dumps(rows)

    @classmethod
    def from_json(cls, text: bytes) -> SurrogateTable:
        """Return the table that to_json wrote."""
        rows = json.loads(text).items()
        return cls({s: Entry(label, sure, set(a), set(b)) for s, (label, sure, a, b) in rows})


def _name_parts(mention: Mention, text: str) -> list[tuple[str, str]]:
    """Return (original, surrogate) for the parts of a name, without initials."""
    form, drawn = form_of(mention.text, mention.before), form_of(text, mention.before)
    originals, surrogates = form.parts, drawn.parts
    pairs = [
        (mention.text.strip().removesuffix(form.owner), text.strip().removesuffix(drawn.owner))
    ]
    if min(len(originals), len(surrogates)) > 1:
        joined = " ".join((originals[0], originals[-1])), " ".join((surrogates[0], surrogates[-1]))
        pairs += [joined, (originals[0], surrogates[0]), (originals[-1], surrogates[-1])]
    elif len(originals) == len(surrogates) == 1:
        pairs.append((originals[0], surrogates[0]))
    return [pair for pair in pairs if not any(map(is_initial, pair))]


def _is_certain(text: str, surrogate: str) -> bool:
    """Return whether no answer contains a text of this form by itself."""
    if surrogate in SHARED:
        return False
    if _MARK.fullmatch(text):
        return True
    if surrogate == "dx.DateShift.v1":
        return _FULL_DATE.search(text) is not None or _DAY.fullmatch(text) is not None
    if not any(c.isdigit() for c in text):
        return any(not is_common(word) for word in _LETTERS.findall(text))
    if surrogate.startswith("dx.Address.") and len(text.split()) > 2:
        return True
    return sum(c.isdigit() for c in text) > 4 or _CODE.search(text) is not None


def is_upper(text: str) -> bool:
    """Return whether a text of two letters or more is in capitals."""
    return sum(c.isalpha() for c in text) > 1 and text.isupper()


def is_common(word: str) -> bool:
    """Return whether a word is a plain word, a month, weekday, state, country or people."""
    lexicon, bare = builtin_lexicon(), word.rstrip(".")
    classes = lexicon.of(bare.capitalize()) | lexicon.of(bare)
    classed = classes & (LANDS | PEOPLES | {"month", "weekday"})
    return len(bare) < 3 or bare.lower() in lexicon.rank or bool(classed)


def fits(found: re.Match[str], entry: Entry, entries: Mapping[str, Entry]) -> bool:
    """Return whether the words and marks around a match allow it to be the surrogate."""
    text = found[0]
    line_start = found.string.rfind("\n", 0, found.start()) + 1
    before = found.string[max(line_start, found.start() - 80) : found.start()]
    after = found.string[found.end() : found.end() + 80].partition("\n")[0]
    if any(c.isdigit() for c in text):
        return not _is_in_longer_code(text, before, after)
    if re.search(r"\w[-/.]$|[@/]$", before) or re.match(r"[-/.@]\w", after):
        return False
    if is_upper(text) and text not in entry.forms and len(text) <= MAX_ABBREVIATION:
        return False
    return len(text.split()) > 1 or not _is_beside_name(before, after, entries)


def _is_in_longer_code(code: str, before: str, after: str) -> bool:
    """Return whether marks join a code to further digits, such as an area or an extension."""
    dash = "" if _FULL_DATE.search(code) and "-" not in code else "-"  # 3/4/19-3/9/19
    tied = re.search(rf"\d[/.,:{dash}]$|[@/]$", before) or re.match(rf"[/.,:{dash}]\d|@", after)
    if "@" in code or "/" in code:
        tied = tied or re.match(r"[./-]\w", after)
    return bool(tied or (not code[0].isalpha() and re.search(r"\d{3}\)?[ .-]?$", before)))


def _is_beside_name(before: str, after: str, entries: Mapping[str, Entry]) -> bool:
    """Return whether a word is part of another name, or of a term: Ida Wells, Foley tube."""
    last = re.search(rf"({_LETTERS.pattern})[ \t]$", before)
    following = re.match(rf"(?:['’]s)?[ \t]+({_LETTERS.pattern})", after)
    land = re.match(r",[ \t]*([A-Z]\w+(?: [A-Z]\w+)?)", after)
    if land and (builtin_lexicon().of(land[1]) & LANDS or land[1] in STATES):
        return True
    if last and is_strange(last[1], entries) and _bare_word(last[1]) not in TITLES:
        return True
    if following is None:
        return False
    word = _bare_word(following[1])
    if word in TERM_NOUNS or (following[1][0].isupper() and word in _PLACE_ENDS):
        return True
    return is_strange(following[1], entries) and word not in SUFFIXES


def is_strange(word: str, entries: Mapping[str, Entry]) -> bool:
    """Return whether a capitalised word may be a name that belongs to no surrogate."""
    bare = word.rstrip(".").removesuffix("'s").removesuffix("’s")
    if not word[0].isupper() or _bare_word(bare) in entries:
        return False
    if len(bare) == 1:
        return word not in ("I", "A")  # an initial
    lexicon, title = builtin_lexicon(), bare.capitalize() if bare.isupper() else bare
    if lexicon.of(title) & NAMES:
        return lexicon.plainness(title) < MIN_COMMON_PLAINNESS
    return not (bare.isupper() or is_common(bare))


def strange_words(text: str, entries: Mapping[str, Entry]) -> Iterator[str]:
    """Yield the words of a text that may be names of no surrogate."""
    return (word for word in _LETTERS.findall(text) if is_strange(word, entries))


def _bare_word(word: str) -> str:
    return word.casefold().strip(".,")


def write_table(table: SurrogateTable, path: Path, key: bytes, *, force: bool = False) -> None:
    """Write an encrypted file with mode 600. Raise UsageError if the file exists and force is not
    set, and DxError without the package cryptography."""
    nonce = os.urandom(NONCE_BYTES)
    sealed = _cipher(key).encrypt(nonce, table.to_json().encode(), MAGIC)
    path.parent.mkdir(parents=True, exist_ok=True)
    if force:
        path.unlink(missing_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"{path}: exists already. `force` overwrites it.") from None
    with os.fdopen(handle, "wb") as file:
        file.write(MAGIC + nonce + sealed)
    keep_from_git(path)


def read_table(path: Path, key: bytes) -> SurrogateTable:
    """Read a table. Raise UsageError if the file is no table, is damaged, or has another key."""
    try:
        raw = regular(path).read_bytes()[:MAX_BYTES]
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    if not raw.startswith(MAGIC):
        raise UsageError(f"{path}: is not a table of surrogates.")
    start = len(MAGIC) + NONCE_BYTES
    try:
        return SurrogateTable.from_json(
            _cipher(key).decrypt(raw[len(MAGIC) : start], raw[start:], MAGIC)
        )
    except DxError:
        raise
    except Exception:
        raise UsageError(f"{path}: is damaged, or was made with another key.") from None


def check_cipher() -> None:
    """Raise DxError without the package cryptography."""
    _cipher(b"")


def _cipher(key: bytes) -> Any:
    needs("cryptography", "A table", extra="table")
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(hmac.new(key, b"dx table", hashlib.sha256).digest())
