"""The audit of a release: which words of the original are still there, and whether by chance."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.strings import get_string_id

from ...doc.spelling import capitalised
from ...selection import LAYOUT
from ...space import Space
from .files import BadFile, Form, Strings, Text, bytes_of, files_of, read_file, unpacked
from .original import REDACTED, WORDS, Original, public_strings, read_original, tokens_of
from .survivors import Survivor, labels_in_clear, recognise, rules, survivors

CLEAN, LEAKED = "nothing undeclared was found", "leaked"
ALL_OF_IT = 0.95  # of the words: more does not come by chance
FEW = 20  # words, of which even all may come by chance
ENDS = re.compile(r"[.!?\u2026:;\"'\u201c\u201d(\[\-\u2013\u2014*>\s]+|\[REDACTED\]")


CLAIMED = (
    "What is declared is claimed by receipts in the file itself, which nobody signed: give that of "
    "the run (--receipt) to hold the release to it."
)


@dataclass
class Leak:
    """Words of the original at one sort of place.

    kind: "unknown words", "unchanged text", "casing", "layout", "strings", "user data", "tensor",
    "annotations", "pickle", "metadata", "survivors", "file names", "field ..." or "text without a
    receipt". where: the file, unless its name tells words. words: which ones, in lower case.
    by_chance: the mechanism can draw them. declared: the receipt says so.
    """

    kind: str
    where: str
    words: set[str] = field(repr=False)
    what: str
    by_chance: bool = False
    declared: bool = False

    def to_dict(self, *, show_words: bool = False) -> dict[str, Any]:
        """Plain values, with how many words; which, only if asked for."""
        told = {k: getattr(self, k) for k in ("kind", "where", "what", "by_chance", "declared")}
        told["words"] = len(self.words)
        return {**told, "which": sorted(self.words)} if show_words else told


@dataclass
class ReleaseReport:
    """words: how many different ones the original has. notes: what could not be judged."""

    words: int
    leaks: list[Leak]
    notes: list[str]

    @property
    def leaked(self) -> bool:
        """Whether anything is there that is neither chance nor declared."""
        return any(not leak.by_chance and not leak.declared for leak in self.leaks)

    def to_dict(self, *, show_words: bool = False) -> dict[str, Any]:
        """Plain values for json; words of the original only if asked for."""
        leaks = [leak.to_dict(show_words=show_words) for leak in self.leaks]
        verdict = LEAKED if self.leaked else CLEAN
        return {"verdict": verdict, "words": self.words, "found": leaks, "notes": self.notes}

    def lines(self, *, show_words: bool = False) -> list[str]:
        """The report to read, the worst first; words of the original only if asked for."""
        rows = [f"{LEAKED if self.leaked else CLEAN} ({self.words:,} words of the original)"]
        for leak in sorted(self.leaks, key=lambda leak: (leak.by_chance, leak.declared)):
            how = "by chance" if leak.by_chance else "declared" if leak.declared else "LEAKED"
            count = f", {len(leak.words):,} words" if leak.words else ""
            rows.append(f"  {how}: {leak.kind} in {leak.where}{count}: {leak.what}")
            rows += [f"    {' '.join(sorted(leak.words))}"] if show_words and leak.words else []
        return rows + [f"  note: {note}" for note in self.notes]


def audit_release(
    path: str | Path,
    against: str | Path,
    *,
    field: str = "text",
    receipt: dict[str, Any] | None = None,
    space: Space | None = None,
    entities: Sequence[str] = (),
    nlp: Language | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> ReleaseReport:
    """path: a file that `dx sanitize` writes, a pickle, a saved pipeline, or a folder of such.
    against: the original texts, a file or a folder. field: where the text is, in files with fields.
    delimiter: of .csv. encoding: of the original, where it is not UTF-8.
    receipt: what `dx sanitize --receipt` wrote, for formats that hold none. space: from which
    replacements were drawn; the built-in one if None. entities: look for survivors of these labels,
    none of which is put down to chance; if left out, those that receipts of entity mode name, where
    a mechanism may draw a word of the space itself. nlp: the pipeline with the recogniser; the
    rules of dx_entity_ruler if None.

    Raises DxError (BadFile) for what cannot be read. No pickle is loaded.
    """
    space = Space.builtin() if space is None else space
    original = read_original(Path(against), Form.of(field, delimiter, encoding), space)
    if not original.words:
        raise BadFile("the original holds no words.")
    looking = (tuple(entities), nlp)
    form = Form.of(field, delimiter)
    return _Audit(original, space, receipt or {}, Path(path), form, looking).run()


class _Audit:
    def __init__(
        self, original: Original, space: Space, receipt: dict[str, Any], path: Path, form: Form,
        looking: tuple[tuple[str, ...], Language | None] = ((), None),
    ) -> None:  # fmt: skip
        self.original, self.space, self.receipt = original, space, receipt
        self.path, self.form = path, form
        self.labels, self.nlp = looking
        self.texts: list[str] = []  # of the release, as far as it is in order
        self.modes: set[str] = set()  # labels of entity mode, as receipts name them
        self.found: dict[tuple[str, str, bool, bool], Leak] = {}
        self.notes: set[str] = set()
        self.cases: dict[bool, tuple[list[str], list[str]]] = {}  # by whether they are declared
        self.seen = 0  # documents of the release so far
        self.public: set[str] = set()
        self.public_ids: set[int] = set()

    def run(self) -> ReleaseReport:
        files = files_of(self.path)
        pipelines = {f.parent for f in files if f.name == "meta.json"}
        pipelines = {folder for folder in pipelines if folder / "config.cfg" in files}
        self._learn_public(files, pipelines)
        for number, file in enumerate(files, 1):
            where = self._name(file, number)
            inside = any(parent in pipelines for parent in file.parents)
            for item in read_file(file, self.form, in_pipeline=inside):
                if isinstance(item, Text):
                    self._text(item, where)
                else:
                    self._strings(item, where)
        self._judge_casing()
        self._judge_survivors()
        if self.seen and self.seen != len(self.original.docs):
            self.notes.add(
                f"The release has {self.seen:,} documents and the original "
                f"{len(self.original.docs):,}: casing and layout were not compared."
            )
        if not self.receipt and any(leak.declared for leak in self.found.values()):
            self.notes.add(CLAIMED)
        return ReleaseReport(
            len(self.original.words), list(self.found.values()), sorted(self.notes)
        )

    def _add(
        self, kind: str, where: str, words: Iterable[str], what: str, *,
        by_chance: bool = False, declared: bool = False,
    ) -> None:  # fmt: skip
        key = (kind, where, by_chance, declared)
        self.found.setdefault(key, Leak(kind, where, set(), what, by_chance, declared))
        self.found[key].words.update(words)

    # -- places that are not texts -------------------------------------------------------------

    def _name(self, file: Path, number: int) -> str:
        """The name of a file, if it tells nothing."""
        name = file.relative_to(self.path).as_posix() if file != self.path else file.name
        stem = name if file != self.path else file.stem
        told = self.original.in_strings([stem])
        if not told or not self.original.in_strings([stem.replace("_", " ").replace("-", " ")]):
            told |= self.original.in_strings([stem.replace("_", " ").replace("-", " ")])
        told -= FILE_WORDS
        if not told:
            return name
        declared = _declares(self.receipt, "the names of the files")
        where = f"file {number} of the release"
        self._add("file names", where, told, "the name holds words", declared=declared)
        return where

    def _learn_public(self, files: list[Path], pipelines: set[Path]) -> None:
        """What saved pipelines hold before they read: the language's strings, and vectors' keys."""
        for lang in {"en", *(_language(folder / "meta.json") for folder in pipelines)}:
            self.public |= public_strings(lang)
        for file in files:
            if file.name == "key2row":
                self.public_ids |= _keys(file)

    def _strings(self, item: Strings, where: str) -> None:
        if item.kind == "tensor":
            declared = self.receipt_of.get("vectors") == "noisy"
            self._add("tensor", where, (), "an array for a document", declared=declared)
            return
        told = self.original.in_strings(item.values, whole=item.whole)
        runs = self.original.runs_in(item.values)
        if runs:
            what = "words that stand together in the original"
            self._add(item.kind, where, runs, what, declared=self._declared(item.kind))
        told -= runs
        if item.kind in ("metadata", "receipt"):
            told &= self.original.unknown
            told -= self.public
        elif item.kind == "strings":
            told = {w for w in told if not self._is_public(w)}
        elif item.kind == "pickle":
            told = self._in_pickle(told, where)
        if told:
            what = WHAT.get(item.kind, "words of the original")
            self._add(item.kind, where, told, what, declared=self._declared(item.kind))

    def _is_public(self, word: str) -> bool:
        forms = (word, word.upper(), capitalised(word))
        return word in self.public or any(get_string_id(f) in self.public_ids for f in forms)

    def _in_pickle(self, told: set[str], where: str) -> set[str]:
        """Unknown words; and known ones where so many are there that chance cannot do it."""
        told = told - self.public
        known = self.original.telling - self.original.unknown - self.public
        here = told & known
        if len(known) >= FEW and len(here) >= ALL_OF_IT * len(known):
            return told
        if here:
            self._add("pickle", where, here, "words that the mechanism can draw", by_chance=True)
        return told & self.original.unknown

    def _declared(self, kind: str) -> bool:
        if not kind.startswith("field "):
            return False
        phrases = [p for p in _in_clear(self.receipt) if p.startswith("the fields ")]
        named = {name.strip() for p in phrases for name in p[len("the fields ") :].split(",")}
        return kind[len("field ") :] in named

    # -- texts ---------------------------------------------------------------------------------

    @property
    def receipt_of(self) -> dict[str, Any]:
        return self._latest or self.receipt

    _latest: dict[str, Any] | None = None

    def _text(self, item: Text, where: str) -> None:
        number, self.seen = self.seen, self.seen + 1
        words, spaces = tokens_of(item)
        self.texts.append(_joined(words, spaces))
        # One that was given by hand is of the run; anybody may have written that of the file.
        receipt = self._latest = self.receipt or item.receipt or None
        self.modes.update(labels_in_clear(_in_clear(receipt or {})))
        lower = {w.lower() for w in words} & self.original.words
        if receipt is None:
            what = "nothing says that a sanitizer made it; give its receipt"
            self._add("text without a receipt", where, lower, what)
            return
        self._check_space(receipt)
        kept = any(p.startswith("every word") for p in _in_clear(receipt))
        drawable = {w for w in lower if self._can_be_drawn(w, receipt)}
        self._add_some("text", where, drawable, "words that the mechanism can draw", by_chance=True)
        what = "words that the space does not hold, so no mechanism drew them"
        self._add_some("unknown words", where, lower - drawable, what, declared=kept)
        if number < len(self.original.docs):
            self._aligned(self.original.docs[number], (words, spaces), receipt, where, kept)

    def _add_some(self, kind: str, where: str, words: set[str], what: str, **how: bool) -> None:
        if words:
            self._add(kind, where, words, what, **how)

    def _can_be_drawn(self, word: str, receipt: dict[str, Any]) -> bool:
        if receipt.get("unknown_policy") == "RandomDigits" and any(c.isdigit() for c in word):
            return True
        # Clitics are written in full, and their stems too: "ca" and "n't" as "can" and "not".
        return self.space.find(word) >= 0 or word in SPELLED

    def _check_space(self, receipt: dict[str, Any]) -> None:
        if self.space.digest not in str(receipt.get("space", "")):
            self.notes.add(
                "The receipt names another space (or a part of this one): which words are unknown "
                "was judged by this one. Give the right one as `space`."
            )

    def _aligned(
        self, old: tuple[list[str], list[bool]], new: tuple[list[str], list[bool]],
        receipt: dict[str, Any], where: str, kept: bool,
    ) -> None:  # fmt: skip
        """What shows only place by place."""
        if _same_layout(_joined(*old), _joined(*new)):
            self._add("layout", where, (), LAYOUT, declared=_declares(receipt, LAYOUT))
        if len(old[0]) != len(new[0]):
            self.notes.add("Some documents have another number of tokens: casing is not compared.")
            return
        places = [(o, n, p) for o, n, p in zip(old[0], new[0], ["", *new[0]], strict=False)]
        places = [(o, n, p) for o, n, p in places if any(c.isalpha() for c in o)]
        same = [o.lower() for o, n, _ in places if o.lower() == n.lower()]
        if len(places) >= FEW and len(same) >= ALL_OF_IT * len(places):
            self._add("unchanged text", where, same, "nearly every word is itself", declared=kept)
        # A word that is declared to be kept is kept in its own case.
        self._casing([p for p in places if not (kept and p[0] == p[1])], receipt)

    def _casing(self, places: list[tuple[str, str, str]], receipt: dict[str, Any]) -> None:
        """Words that are not written as the space writes them, but in the case of the original."""
        declared = _declares(receipt, "the case of every word")
        copied, could = self.cases.setdefault(declared, ([], []))
        for old, new, before in places:
            own = self._forms(new)
            if not own or new == REDACTED:
                continue
            starts = not before or ENDS.fullmatch(before) is not None
            forms = {_case(form) for form in own} | ({"Title"} if starts else set())
            if _case(old) not in forms:
                could.append(old.lower())
                copied += [old.lower()] * (_case(new) == _case(old))

    def _judge_casing(self) -> None:
        """Over all documents: one or two may be chance, or a word that the space writes otherwise
        than its candidates."""
        for declared, (copied, could) in self.cases.items():
            if len(copied) >= 2 and len(copied) >= len(could) / 2:
                what = "words in the case of the original"
                self._add("casing", "the texts", copied, what, declared=declared)

    def _judge_survivors(self) -> None:
        """Parts of what is recognised in the originals that the release still has."""
        labels = self.labels or tuple(sorted(self.modes))
        if not labels or len(self.texts) != len(self.original.docs):
            return
        texts = [_joined(*doc) for doc in self.original.docs]
        told = recognise(texts, labels, self.nlp or rules())
        found = survivors(texts, self.texts, told)
        for by_chance in (False, True):
            some = [s for s in found if by_chance == self._may_be_drawn(s)]
            if some:
                where = f"{len({s.document for s in some}):,} of {len(texts):,} documents"
                what = f"parts of entities that were recognised, at {len(some):,} places"
                words = {s.word for s in some}
                self._add("survivors", where, words, what, by_chance=by_chance)

    def _may_be_drawn(self, survivor: Survivor) -> bool:
        """Not where survivors were asked for: then each one counts."""
        words = WORDS.findall(survivor.word)
        return not self.labels and all(self.space.find(word) >= 0 for word in words)

    def _forms(self, word: str) -> set[str]:
        if not hasattr(self, "_by_lower"):
            self._by_lower: dict[str, set[str]] = {}
            for form in self.space.words:
                self._by_lower.setdefault(form.lower(), set()).add(form)
        return self._by_lower.get(word.lower(), set())


MARKS = re.compile(r"[\w ]+")
FILE_WORDS = {
    "text",
    "texts",
    "clean",
    "out",
    "output",
    "release",
    "notes",
    "docs",
    "vocab",
    "meta",
}
SPELLED = {"am", "are", "have", "will", "would", "not", "can", "shall", "n't", "'s", "'", "’s"}
WHAT = {
    "strings": "words that only a pipeline which read the text has in its vocabulary",
    "metadata": "words that the space does not hold",
    "pickle": "words that no mechanism drew",
    "user data": "words of the original beside the text",
    "annotations": "words of the original in lemmas, tags, labels or the table of strings",
}


def _joined(words: list[str], spaces: list[bool]) -> str:
    return "".join(w + " " * s for w, s in zip(words, spaces, strict=True))


def _same_layout(old: str, new: str) -> bool:
    """About as many words, or the same line breaks and marks between them."""
    one, other = len(old.split()), len(new.split())
    marks = [MARKS.sub("", text.replace(REDACTED, "")) for text in (old, new)]
    same_marks = len(marks[0]) > 2 and marks[0] == marks[1]
    return min(one, other) > 1 and (abs(one - other) <= max(one, other) / 20 or same_marks)


def _case(word: str) -> str:
    if len(word) > 1 and word.isupper():
        return "UPPER"
    return "Title" if word[:1].isupper() else "lower"


def _in_clear(receipt: dict[str, Any]) -> Iterator[str]:
    before = receipt.get("earlier")
    for part in (receipt, *(before if isinstance(before, list | tuple) else ())):
        vouched = isinstance(part, dict) and not part.get("claimed")
        phrases = part.get("in_clear") if vouched else None
        yield from (str(p) for p in (phrases if isinstance(phrases, list | tuple) else ()))


def _declares(receipt: dict[str, Any], phrase: str) -> bool:
    return phrase in _in_clear(receipt)


def _language(file: Path) -> str:
    try:
        found = json.loads(bytes_of(file))
    except (ValueError, RecursionError):
        raise BadFile("the meta.json of a pipeline is damaged.") from None
    lang = found.get("lang") if isinstance(found, dict) else None
    return lang if isinstance(lang, str) and re.fullmatch("[a-z]{2,3}", lang) else "en"


def _keys(file: Path) -> set[int]:
    try:
        keys = unpacked(bytes_of(file))
    except ValueError:
        raise BadFile("the keys of a pipeline's vectors are damaged.") from None
    return {int(key) for key in keys} if isinstance(keys, dict) else set()
