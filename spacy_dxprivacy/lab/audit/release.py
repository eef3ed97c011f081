"""Audit a release: find words of the original, by chance, declared, or leaked.

In entity mode most words stay, as the receipt declares. There the audit searches for the forms of
what was replaced, and for what may be a name and was not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.strings import get_string_id

from ...config.options import FileOptions, to_names
from ...files.limits import parse_json
from ...pipeline.describe import plural
from ...pipeline.receipt import Receipt
from ...pipeline.selectors import LAYOUT
from ...pipeline.unknown_words import REDACTED
from ...space import Space
from ...text.language import COVERED, foreign_names, uncovered
from ...text.normal import normal_form
from ...text.spelling import capitalised
from .entity_mode import BY_CHANCE, KEPT, UNTOUCHED, EntityAudit
from .entity_mode import LEAKED as LEAKED_NAMES
from .files import (
    BadFile,
    ReleasedText,
    Strings,
    bytes_of,
    decode_msgpack,
    files_of,
    raising_bad_file,
    read_file,
)
from .original import (
    Original,
    entity_mode_labels,
    public_strings,
    read_original,
    recognise,
    rules,
    survivors,
    text_of_tokens,
    tokens_of,
)

CLEAN, LEAKED = "nothing undeclared was found", "leaked"
MAX_CHANCE_SHARE = 0.95  # of the words: more does not come by chance
MIN_SHARED_WORDS = 20  # words, below which even all may come by chance
MIN_CODE_LENGTH = 7  # characters of a code that random digits do not equal by chance
ENDS = re.compile(r"[.!?\u2026:;\"'\u201c\u201d(\[\-\u2013\u2014*>\s]+|\[REDACTED\]")
MARKS = re.compile(r"[\w ]+")
FILE_WORDS = set("text texts clean out output release notes docs vocab meta".split())
# Spelling writes clitics and their stems in full: "ca" and "n't" as "can" and "not".
SPELLED = {"am", "are", "have", "will", "would", "not", "can", "shall", "n't", "'s", "'", "’s"}
EXPLANATIONS = {
    "strings": "words that only a pipeline which read the text has in its vocabulary",
    "metadata": "words that the space does not contain",
    "pickle": "words that no mechanism drew",
    "user data": "words of the original beside the text",
    "annotations": "words of the original in lemmas, tags, labels or the table of strings",
    "markup": "words of the original in attributes, comments, properties or headers",
}
IN_ENTITY_MODE = ("metadata", "markup", "receipt", "file names")  # where only names are leaks
OF_ENTITIES = {
    LEAKED_NAMES: "names, places or numbers that were replaced elsewhere in the document",
    UNTOUCHED: "names of documents in which nothing was replaced",
    BY_CHANCE: "names that a surrogate also has",
    KEPT: "words that may be names, places or numbers of persons, and were nowhere replaced",
}
NAMES_TO_DO = (
    "do not hand it over. --show-words shows the words, to you alone. Add them to `deny`, sanitise "
    "and audit again."
)
LEAKS_TO_DO = "do not hand it over. docs/how-to/release.md says what each leak comes from."
KEPT_TO_DO = (
    "read the words that were kept (--show-words). Add those that identify a person to `deny`, and "
    "sanitise again."
)
CLAIMED = (
    "What is declared is claimed by receipts in the file itself, which nobody signed: give that of "
    "the run (--receipt) to hold the release to it."
)
UNREAD = "passages in a language or script in which no rule could have found anything"
OTHER_SPACE = (
    "The receipt names another space (or a part of this one): which words are unknown was judged "
    "by this one. Give the right one as `space`."
)
Tokens = tuple[list[str], list[bool]]  # words, and whether a blank follows


@dataclass
class Leak:
    """Words of the original, in lower case, in one kind of place. where: the file, by number if its
    name has words. by_chance: the mechanism can sample them. declared: by the receipt."""

    kind: str
    where: str
    words: set[str] = field(repr=False)
    what: str
    by_chance: bool = False
    declared: bool = False

    def to_dict(self, *, show_words: bool = False) -> dict[str, Any]:
        """Return plain values, with the number of words; the words only if asked for."""
        names = ("kind", "where", "what", "by_chance", "declared")
        plain = {**{k: getattr(self, k) for k in names}, "words": len(self.words)}
        return {**plain, "which": sorted(self.words)} if show_words else plain


@dataclass
class ReleaseReport:
    """The leaks of a release. words: distinct words of the original. notes: what was not judged."""

    words: int
    leaks: list[Leak]
    notes: list[str]

    @property
    def leaked(self) -> bool:
        """Whether any leak is neither by chance nor declared."""
        return any(not leak.by_chance and not leak.declared for leak in self.leaks)

    def _steps(self) -> list[str]:
        """Return what the owner has to do."""
        kinds = {leak.kind for leak in self.leaks if not (leak.by_chance or leak.declared)}
        if kinds:
            return [NAMES_TO_DO if LEAKED_NAMES in kinds else LEAKS_TO_DO]
        return [KEPT_TO_DO] if any(leak.kind == KEPT for leak in self.leaks) else []

    def to_dict(self, *, show_words: bool = False) -> dict[str, Any]:
        """Return plain values for JSON; words of the original only if asked for."""
        leaks = [leak.to_dict(show_words=show_words) for leak in self.leaks]
        verdict = LEAKED if self.leaked else CLEAN
        return {"verdict": verdict, "words": self.words, "found": leaks, "notes": self.notes}

    def lines(self, *, show_words: bool = False) -> list[str]:
        """Return the report as lines, the worst first; words of the original only if asked for."""
        rows = [f"{LEAKED if self.leaked else CLEAN} ({self.words:,} words of the original)"]
        rows += [f"  to do: {step}" for step in self._steps()]
        for leak in sorted(self.leaks, key=lambda leak: (leak.by_chance, leak.declared)):
            judgement = "by chance" if leak.by_chance else "declared" if leak.declared else "LEAKED"
            count = f", {plural(len(leak.words), 'word')}" if leak.words else ""
            rows.append(f"  {judgement}: {leak.kind} in {leak.where}{count}: {leak.what}")
            rows += [f"    {' '.join(sorted(leak.words))}"] if show_words and leak.words else []
        return rows + [f"  note: {note}" for note in self.notes]


def audit_release(
    path: str | Path,
    against: str | Path,
    *,
    receipt: dict[str, Any] | None = None,
    space: Space | None = None,
    field: str = "text",
    entities: Sequence[str] = (),
    nlp: Language | None = None,
) -> ReleaseReport:
    """Search a release for words of the original. No pickle is loaded.

    Args:
        path: An output of `dx sanitize`, a pickle, a saved pipeline, or a folder of such.
        against: The original texts, a file or a folder.
        receipt: The content of `dx sanitize --receipt`, for formats without receipts.
        space: The space of the replacements; the built-in one if None.
        field: The text field of files with fields.
        entities: Labels whose survivors are all leaks; if empty, those of entity mode in receipts,
            for which words in the space may come by chance.
        nlp: A pipeline with a recogniser; dx_entity_ruler if None.

    Raises:
        DxError: (BadFile) For files that cannot be read.
    """
    space = Space.builtin() if space is None else space
    files = FileOptions(field=to_names(field))
    original = read_original(Path(against), files, space)
    if not original.words:
        raise BadFile("the original holds no words.")
    return _Audit(original, space, receipt or {}, entities, nlp).run(Path(path), files)


class _Audit:
    def __init__(
        self, original: Original, space: Space, receipt: dict[str, Any],
        entities: Sequence[str], nlp: Language | None,
    ) -> None:  # fmt: skip
        self.original, self.space, self.run_receipt = original, space, receipt
        self.entities, self.nlp = tuple(entities), nlp
        self.receipt = receipt  # of the latest text
        self.texts: list[str] = []  # of the release
        self.labels: set[str] = set()  # of entity mode, as receipts name them
        self.leaks: dict[tuple[str, str, bool, bool], Leak] = {}
        self.notes: set[str] = set()
        # Words in the case of the original, and words whose case would show it, by `declared`.
        self.cases: dict[bool, tuple[list[str], list[str]]] = {}
        self.public: set[str] = set()
        self.public_ids: set[int] = set()
        self.by_entities = EntityAudit(nlp or rules(), original.records)
        self.stay = Counter[str]()  # file -> words outside of entities
        self.labels.update(_replaced_labels(receipt))

    def run(self, path: Path, files_options: FileOptions) -> ReleaseReport:
        files = files_of(path)
        pipelines = {f.parent for f in files if f.name == "meta.json"}
        pipelines = {folder for folder in pipelines if folder / "config.cfg" in files}
        # Strings of a fresh pipeline: those of its language, and the keys of its vectors.
        with raising_bad_file():
            for lang in {"en", *(_language(folder / "meta.json") for folder in pipelines)}:
                self.public |= public_strings(lang)
            for keys in (decode_msgpack(bytes_of(f)) for f in files if f.name == "key2row"):
                self.public_ids |= {int(key) for key in keys} if isinstance(keys, dict) else set()
        for number, file in enumerate(files, 1):
            where = self._name(file, path, number)
            inside = any(parent in pipelines for parent in file.parents)
            for item in read_file(file, files_options, in_pipeline=inside):
                if isinstance(item, ReleasedText):
                    self._text(item, where)
                else:
                    self._strings(item, where)
            self._file_name(file, path, where)
        return self._report()

    def _report(self) -> ReleaseReport:
        for declared, (copied, comparable) in self.cases.items():
            # A few may be by chance.
            if len(copied) >= 2 and len(copied) >= len(comparable) / 2:
                text = "words in the case of the original"
                self._add("casing", "the texts", copied, text, declared=declared)
        if self.entities:
            self._judge_survivors()
        self._judge_entities()
        if self.texts and len(self.texts) != len(self.original.docs):
            self.notes.add(
                f"The release has {len(self.texts):,} documents and the original "
                f"{len(self.original.docs):,}: casing and layout were not compared."
            )
        leaks = list(self.leaks.values())
        if not self.run_receipt and any(leak.declared for leak in leaks):
            self.notes.add(CLAIMED)
        return ReleaseReport(len(self.original.words), leaks, sorted(self.notes))

    def _add(
        self,
        kind: str,
        where: str,
        words: Iterable[str],
        what: str,
        *,
        by_chance: bool = False,
        declared: bool = False,
    ) -> None:
        key = (kind, where, by_chance, declared)
        self.leaks.setdefault(key, Leak(kind, where, set(), what, by_chance, declared))
        self.leaks[key].words.update(words)

    def _words_of_name(self, file: Path, path: Path) -> tuple[str, list[str], set[str]]:
        """Return the name of a file, what is searched in it, and words of the original there."""
        name = file.relative_to(path).as_posix() if file != path else file.name
        stem = name if file != path else file.stem
        values = [stem, stem.replace("_", " ").replace("-", " ")]
        return name, values, self.original.in_strings(values) - FILE_WORDS

    def _name(self, file: Path, path: Path, number: int) -> str:
        """Return the name of a file, or its number if the name has words of the original."""
        name, _, words = self._words_of_name(file, path)
        return f"file {number} of the release" if words else name

    def _file_name(self, file: Path, path: Path, where: str) -> None:
        """Search the name of a file for words, in entity mode for what was replaced."""
        _, values, words = self._words_of_name(file, path)
        last = len(self.by_entities.releases) - 1
        self.by_entities.strings.append(("file names", values[:1], where, last))
        if words and not self._is_entity_mode:
            declared = "the names of the files" in _in_plaintext(self.run_receipt)
            self._add("file names", where, words, "the name holds words", declared=declared)

    @property
    def _is_entity_mode(self) -> bool:
        """Whether words outside of the recognised entities stay, as the receipt says."""
        return bool(entity_mode_labels(_in_plaintext(self.receipt)))

    def _strings(self, item: Strings, where: str) -> None:
        kind = item.kind
        if kind == "tensor":
            declared = _stated(self.receipt, "release", "vectors") == "noisy"
            self._add("tensor", where, (), "an array for a document", declared=declared)
            return
        lead = "the fields "
        phrases = [
            p.removeprefix(lead) for p in _in_plaintext(self.run_receipt) if p.startswith(lead)
        ]
        fields = {f"field {name.strip()}" for phrase in phrases for name in phrase.split(",")}
        declared = kind in fields
        last = len(self.by_entities.releases) - 1
        self.by_entities.strings.append((kind, item.values, where, last))
        if kind in IN_ENTITY_MODE and self._is_entity_mode:
            return
        words = self.original.in_strings(item.values, are_words=item.are_words)
        runs = self.original.runs_in(item.values)
        if runs:
            text = "words that stand together in the original"
            self._add(kind, where, runs, text, declared=declared)
        words -= runs
        if kind in ("metadata", "markup", "receipt"):
            words = (words & self.original.unknown) - self.public
        elif kind == "strings":
            words = {w for w in words if not self._is_public(w)}
        elif kind == "pickle":
            words = self._in_pickle(words - self.public, where)
        if words:
            text = EXPLANATIONS.get(kind, "words of the original")
            self._add(kind, where, words, text, declared=declared)

    def _is_public(self, word: str) -> bool:
        forms = (word, word.upper(), capitalised(word))
        return word in self.public or any(get_string_id(f) in self.public_ids for f in forms)

    def _in_pickle(self, words: set[str], where: str) -> set[str]:
        """Return unknown words, and known ones if they are too many for chance."""
        drawable = self.original.searchable - self.original.unknown - self.public
        present = words & drawable
        if len(drawable) >= MIN_SHARED_WORDS and len(present) >= MAX_CHANCE_SHARE * len(drawable):
            return words
        if present:
            self._add("pickle", where, present, "words that the mechanism can draw", by_chance=True)
        return words & self.original.unknown

    def _text(self, item: ReleasedText, where: str) -> None:
        tokens, number = tokens_of(item), len(self.texts)
        self.texts.append(text_of_tokens(*tokens))
        # The receipt of the run counts first: that in a file is easily forged.
        receipt = self.receipt = self.run_receipt or item.receipt or {}
        phrases = list(_in_plaintext(receipt))
        self.labels.update(_replaced_labels(receipt))
        if item.record is not None:
            self.by_entities.releases.append((item.record, where))
        lower = {w.lower() for w in tokens[0]} & self.original.words
        if not receipt:
            text = "nothing says that a sanitizer made it; give its receipt"
            self._add("text without a receipt", where, lower, text)
            return
        kept = any(p.startswith("every word") for p in phrases)
        if self._is_entity_mode:
            self.stay[where] += sum(any(map(str.isalnum, w)) for w in tokens[0])
        else:
            self._judge_words(lower, receipt, where, kept)
        if kept:
            self._check_unread(tokens, where)
        if number < len(self.original.docs):
            self._check_alignment(self.original.docs[number], tokens, where, kept)

    def _judge_words(
        self, lower: set[str], receipt: dict[str, Any], where: str, kept: bool
    ) -> None:
        """Judge words of the original in a text: the mechanism can sample those of its space."""
        space = _stated(receipt, "words", "space")
        if space is not None and self.space.digest not in str(space):
            self.notes.add(OTHER_SPACE)
        digits = _stated(receipt, "unknown", "policy") in ("RandomDigits", "Context")
        drawable = {
            w for w in lower if digits and any(c.isdigit() for c in w) and len(w) < MIN_CODE_LENGTH
        }
        drawable |= {w for w in lower if self.space.find(w) >= 0 or w in SPELLED}
        if drawable:
            self._add("text", where, drawable, "words that the mechanism can draw", by_chance=True)
        if lower - drawable:
            text = "words that the space does not contain, so no mechanism drew them"
            self._add("unknown words", where, lower - drawable, text, declared=kept)

    def _check_unread(self, tokens: Tokens, where: str) -> None:
        """Search text that the rules of entity mode cannot read."""
        if self.nlp is not None and self.nlp.lang not in COVERED:
            return  # its recogniser reads other languages
        text = normal_form(text_of_tokens(*tokens))
        spans = [*uncovered(text, COVERED, short=False), *foreign_names(text)]
        unread = " ".join(text[start:end].lower() for start, end in spans)
        words = {w for w in map(str.lower, tokens[0] if spans else ()) if normal_form(w) in unread}
        if words & self.original.words:
            self._add("unread text", where, words & self.original.words, UNREAD)

    def _check_alignment(self, old: Tokens, released: Tokens, where: str, kept: bool) -> None:
        """Compare token by token. kept: the receipt declares that any word may be unchanged."""
        if _same_layout(text_of_tokens(*old), text_of_tokens(*released)):
            declared = LAYOUT in _in_plaintext(self.receipt)
            self._add("layout", where, (), LAYOUT, declared=declared)
        if self._is_entity_mode:
            return  # words and their case stay, as the receipt says
        if len(old[0]) != len(released[0]):
            self.notes.add("Some documents have another number of tokens: casing is not compared.")
            return
        places = [
            (o, n, before)
            for o, n, before in zip(old[0], released[0], ["", *released[0]], strict=False)
            if any(c.isalpha() for c in o)
        ]
        unchanged = [o.lower() for o, n, _ in places if o.lower() == n.lower()]
        if len(places) >= MIN_SHARED_WORDS and len(unchanged) >= MAX_CHANCE_SHARE * len(places):
            text = "nearly every word is itself"
            self._add("unchanged text", where, unchanged, text, declared=kept)
        # Words in the case of the original and not of the space, except declared unchanged ones.
        declared = "the case of every word" in _in_plaintext(self.receipt)
        copied, comparable = self.cases.setdefault(declared, ([], []))
        for o, n, before in places:
            forms = {_case(form) for form in self._forms.get(n.lower(), ())}
            if not forms or n == REDACTED or (kept and o == n):
                continue
            forms |= {"Title"} if not before or ENDS.fullmatch(before) else set()
            if _case(o) not in forms:
                comparable.append(o.lower())
                copied += [o.lower()] * (_case(n) == _case(o))

    @cached_property
    def _forms(self) -> dict[str, set[str]]:
        """Lower-case form -> spellings in the space."""
        by_lower: dict[str, set[str]] = {}
        for form in self.space.words:
            by_lower.setdefault(form.lower(), set()).add(form)
        return by_lower

    def _judge_survivors(self) -> None:
        """Search parts of the entities that are recognised in the originals."""
        labels, texts = self.entities, self.original.texts
        if len(self.texts) != len(texts):
            return
        hits = survivors(texts, self.texts, recognise(texts, labels, self.nlp or rules()))
        if hits:
            where = f"{len({s.document for s in hits}):,} of {len(texts):,} documents"
            text = f"parts of entities that were recognised, at {len(hits):,} places"
            self._add("survivors", where, {s.word for s in hits}, text)

    def _judge_entities(self) -> None:
        """Search for what was replaced, and count what stays."""
        if not self.labels or not self.by_entities.releases:
            return
        if _stated(self.receipt, "words", "mechanism") is not None:
            self.by_entities.may_draw = lambda word: self.space.find(word) >= 0
        self.by_entities.failed = _failed(self.run_receipt)
        found = self.by_entities.run(self.labels, rest_stays=self._is_entity_mode)
        for (kind, where), finding in found.by_place.items():
            text = OF_ENTITIES.get(kind, "what was replaced in the text")
            text += f", in {plural(finding.documents, 'document')}" if kind in OF_ENTITIES else ""
            forms = ", ".join(f"{n:,} {form}" for form, n in finding.forms.most_common())
            text += f" ({forms})" if kind == LEAKED_NAMES else ""
            chance, declared = kind == BY_CHANCE, kind == KEPT
            self._add(kind, where, finding.words, text, by_chance=chance, declared=declared)
        for where, words in self.stay.items():
            text = f"{plural(words, 'word')}, most of which are the original ones"
            self._add("words outside of entities", where, (), text, declared=True)
        if found.others:
            counts = ", ".join(f"{n:,} {label}" for label, n in sorted(found.others.items()))
            text = f"{counts} recognised, of labels that the run did not replace"
            self._add("other labels", "the texts", (), text, declared=True)


def _failed(receipt: dict[str, Any]) -> list[list[int]]:
    """Return the numbers of the records of each file that a run did not release."""
    count = receipt.get("count")
    failed = count.get("failed") if isinstance(count, dict) else None
    files = failed if isinstance(failed, list | tuple) else []
    return [[int(n) for n in numbers] for numbers in files if isinstance(numbers, list | tuple)]


def _replaced_labels(receipt: dict[str, Any]) -> list[str]:
    """Return the labels that a run replaced: those of entity mode, or of its surrogates."""
    labels = entity_mode_labels(_in_plaintext(receipt))
    stated = _stated(receipt, "surrogates", "labels")
    return labels or ([str(label) for label in stated] if isinstance(stated, (dict, list)) else [])


def _same_layout(old: str, released: str) -> bool:
    """Return whether texts have about as many words, or the same marks and line breaks."""
    n_old, n_new = len(old.split()), len(released.split())
    marks = [MARKS.sub("", text.replace(REDACTED, "")) for text in (old, released)]
    same_marks = len(marks[0]) > 2 and marks[0] == marks[1]
    return min(n_old, n_new) > 1 and (abs(n_old - n_new) <= max(n_old, n_new) / 20 or same_marks)


def _case(word: str) -> str:
    if len(word) > 1 and word.isupper():
        return "UPPER"
    return "Title" if word[:1].isupper() else "lower"


def _in_plaintext(receipt: dict[str, Any]) -> Iterator[str]:
    """Yield the phrases that a receipt and its earlier ones declare, except claimed ones."""
    stages = receipt.get("stages")
    for stage in stages if isinstance(stages, list | tuple) else ():
        if isinstance(stage, dict) and stage.get("stage") == "release":
            phrases = stage.get("in_clear")
            yield from map(str, phrases if isinstance(phrases, list | tuple) else ())
        elif isinstance(stage, dict) and not stage.get("claimed"):
            yield from _in_plaintext(stage)  # of an earlier sanitizer


def _stated(receipt: dict[str, Any], stage: str, name: str) -> Any:
    """Return a term of a stage of a receipt; None if it is missing or the receipt is damaged."""
    try:
        return Receipt(receipt).stage(stage).get(name)
    except (AttributeError, LookupError, TypeError):
        return None


def _language(file: Path) -> str:
    meta = parse_json(bytes_of(file))
    lang = meta.get("lang") if isinstance(meta, dict) else None
    return lang if isinstance(lang, str) and re.fullmatch("[a-z]{2,3}", lang) else "en"
