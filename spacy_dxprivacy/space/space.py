"""A public table of words and vectors: the domain and range of every mechanism.

All that a mechanism knows is learned from here, so none of it costs privacy. Rows are numbered
from 0; a row has one word that may be output (its candidate) and any number of further keys that
lead to it (aliases). The distance between keys of one row is 0: they share their output
distribution.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import srsly
from numpy.typing import NDArray
from spacy.strings import get_string_id
from spacy.vocab import Vocab
from thinc.backends import get_array_ops

from ..about import DATA
from ..arrays import Bools1d, Floats2d, Ids1d, Ints1d, blocks
from ..errors import DxError, Errors
from ..files.limits import read_json
from . import learned
from .folder import SpaceTable, digest_of, read_table, write_table

if TYPE_CHECKING:
    from spacy.language import Language


def has_static_vectors(vocab: Vocab) -> bool:
    """Return whether the vocabulary has static vectors."""
    return bool(vocab.vectors.data.shape[0] > 0 and vocab.vectors.data.shape[1] > 0)


BUILTIN = DATA / "en"
MAX_NORM = 1e18  # of a vector: float32 holds the squares of distances
_NOT_PRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u2028-\u202e\ufeff]")
_NOT_STORABLE = re.compile(r"[\n\ud800-\udfff]")


class KeyTable:
    """A sorted map from 64-bit string ids to rows, looked up many at a time."""

    def __init__(self, ids: Ids1d, rows: Ints1d) -> None:
        """Make a map; of equal ids the first counts."""
        self.ids, first = np.unique(ids, return_index=True)
        self.rows = rows[first]

    def find(self, ids: Ids1d) -> Ints1d:
        """Return the rows of ids, uint64 (k,): int64 (k,), -1 for missing ids."""
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[at] == ids, self.rows[at], -1)


class Space:
    """Words and their vectors. Make one with from_vectors, load, builtin or from_nlp.

    Attributes:
        words: n strings.
        vectors: float32 (n, d), read-only.
        aliases: Further keys, each with its row.
        classes: uint64 (n,), a bit for each of class_names; None without classes.
        name: The name for readers.
        path: The folder from which it was loaded, if any.
        verified: Whether its digest was compared with its words and vectors.

    Raises DxError for vectors whose squares float32 cannot hold: searches and mechanisms use them.
    """

    def __init__(self, table: SpaceTable, path: Path | None = None) -> None:
        self.words = list(table.words)
        self.vectors = _with_squares(table.vectors)
        self.vectors.flags.writeable = False
        self.aliases = table.aliases
        self.classes = table.classes
        self.class_names = tuple(table.class_names)
        self.name = table.name
        self.path = path
        self.verified = table.verified
        self._digest = table.digest or None

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        n, d = self.vectors.shape
        return f"Space({self.name!r}, {n} words, {d} dimensions)"

    @classmethod
    def from_vectors(
        cls,
        words: Sequence[str],
        matrix: Any,
        *,
        aliases: dict[str, int] | None = None,
        classes: NDArray[np.uint64] | None = None,
        class_names: Sequence[str] = (),
        name: str = "custom",
    ) -> Space:
        """Make a space of n different words and a matrix (n, d) of numbers, copied as float32.

        Raises:
            DxError: For other shapes, numbers that are not finite, and duplicate, empty or invalid
                words.
        """
        X = _checked_matrix(matrix, len(words))
        seen: set[str] = set()
        for row, word in enumerate(words):
            if not isinstance(word, str) or not word or _NOT_STORABLE.search(word):
                expected = "words that are not empty and hold no line break or lone surrogate"
                raise _bad(expected, f"another {type(word).__name__} in row {row}")
            if word in seen:
                raise _bad("words that differ", f"one twice (row {row})")
            seen.add(word)
        return cls(SpaceTable(list(words), X, aliases or {}, classes, tuple(class_names), name))

    @classmethod
    def builtin(cls) -> Space:
        """Return the English space of the package, of which a process has one copy."""
        return _load_builtin()

    @classmethod
    def from_nlp(cls, nlp: Language, *, words: Iterable[str] | None = None) -> Space:
        """Make a space of the static vectors of a pipeline.

        The word of a row is its first key with a known string; further keys are aliases.

        Args:
            nlp: The pipeline.
            words: The words, for floret vectors.

        Raises:
            DxError: Without static vectors, without strings of their keys, and for floret vectors
                without words.
        """
        name = f"{nlp.lang}_{nlp.meta.get('name', 'pipeline')}"
        vectors, strings = nlp.vocab.vectors, nlp.vocab.strings
        if not has_static_vectors(nlp.vocab):
            raise DxError(Errors.DX021.format(hint=""))
        if vectors.mode == "floret":
            if words is None:
                raise DxError(Errors.DX022)
            candidates = list(dict.fromkeys(words))
            return cls.from_vectors(candidates, _on_cpu(vectors.get_batch(candidates)), name=name)
        firsts: dict[int, str] = {}
        aliases: dict[str, int] = {}
        for key, row in vectors.key2row.items():
            # A key may have no string; a lookup would raise an error that names the key.
            word = strings[key] if key in strings else ""
            if word and firsts.setdefault(row, word) != word:
                aliases[word] = row
        if not firsts:
            raise DxError(Errors.DX021.format(hint=": none of their keys has a string"))
        # In the order of keys, most frequent first: spaCy sorts rows if it merges some.
        rows = list(firsts)
        new_row = {row: i for i, row in enumerate(rows)}
        aliases = {key: new_row[row] for key, row in aliases.items()}
        matrix = _on_cpu(vectors.data)[rows]
        return cls.from_vectors([firsts[row] for row in rows], matrix, aliases=aliases, name=name)

    def filtered(
        self,
        *,
        max_words: int | None = None,
        pattern: str | None = None,
        exclude: Iterable[str] = (),
    ) -> Space:
        """Restrict the space to the first max_words rows with a word that may be output.

        A row with another word gets its first alias that may be output, and is dropped if there is
        none. Zero rows and words with white space or control characters are always dropped.

        Args:
            max_words: Number of rows to keep; None for all.
            pattern: A regular expression that the whole word has to match.
            exclude: Words, in lower case, that are never output; "stem*" excludes all words with
                this beginning.

        Raises:
            DxError: If no row is left.
        """
        words = self._representatives(Allowed(pattern, exclude))
        keep = np.array([word is not None for word in words])
        for part in blocks(len(self), 65536):  # since a mapped table may be large
            keep[part] &= np.any(self.vectors[part] != 0, axis=1)
        if max_words is not None:
            keep[np.flatnonzero(keep)[max_words:]] = False
        if keep.all() and words == self.words:
            return self
        return self._restricted(keep, words)

    def of_words(self, listed: Iterable[str]) -> Space:
        """Restrict the space to these words, in any case, and drop all other keys, which may be
        private.

        Raises DxError if no word is left.
        """
        allowed = {word.lower() for word in listed}
        words = self._representatives(lambda word: word.lower() in allowed)
        space = self._restricted(np.array([word is not None for word in words]), words)
        space.aliases = {key: row for key, row in space.aliases.items() if key.lower() in allowed}
        return space

    def _representatives(self, allowed: Callable[[str], bool]) -> list[str | None]:
        """Return the word of each row, or its first alias, that may be output; else None."""
        words: list[str | None] = [w if allowed(w) else None for w in self.words]
        for key, row in self.aliases.items():
            if words[row] is None and allowed(key):
                words[row] = key
        return words

    def _restricted(self, keep: Bools1d, words: list[str | None]) -> Space:
        if not keep.any():
            raise DxError(Errors.DX023)
        new_row = np.cumsum(keep) - 1
        retained_words = [w for w, k in zip(words, keep, strict=True) if k and w is not None]
        keys = [*zip(self.words, range(len(self)), strict=True), *self.aliases.items()]
        candidates = set(retained_words)
        aliases = {w: int(new_row[r]) for w, r in keys if keep[r] and w not in candidates}
        classes = None if self.classes is None else self.classes[keep]
        X = np.ascontiguousarray(self.vectors[keep])
        return Space(SpaceTable(retained_words, X, aliases, classes, self.class_names, self.name))

    def find(self, word: str) -> int:
        """Return the row of a word, in exact case, else in any case; -1 if unknown."""
        return int(self.find_all([word])[0])

    def find_all(self, words: Sequence[str]) -> Ints1d:
        """Return the rows of k words, int64 (k,), see `find`."""
        return self.find_ids(_ids(words), _ids([word.lower() for word in words]))

    def find_ids(self, *ids: Ids1d) -> Ints1d:
        """Return the rows of k words by spaCy's string ids, -1 if unknown. ids: uint64 (k,) each,
        in the order of lookup (orth, norm, lower); the last ones are also looked up in any case."""
        rows = np.full(len(ids[0]), -1, dtype=np.int64)
        tries = [(self._exact, i) for i in ids] + [(self._folded, ids[-1])]
        for table, keys in tries:
            missing = np.flatnonzero(rows < 0)
            if not len(missing):
                break
            rows[missing] = table.find(keys[missing])
        return rows

    @cached_property
    def _exact(self) -> KeyTable:
        rows = [*range(len(self)), *self.aliases.values()]
        return KeyTable(_ids([*self.words, *self.aliases]), np.array(rows, dtype=np.int64))

    @cached_property
    def _folded(self) -> KeyTable:
        # Lower-case words are in the exact table.
        keys = [*zip(self.words, range(len(self)), strict=True), *self.aliases.items()]
        pairs = [(lower, row) for key, row in keys if key != (lower := key.lower())]
        rows = np.array([row for _, row in pairs], dtype=np.int64)
        return KeyTable(_ids([key for key, _ in pairs]), rows)

    def with_class(self, name: str) -> Bools1d:
        """Return the rows of a class, bool (n,); no row for an unknown class."""
        if self.classes is None or name not in self.class_names:
            return np.zeros(len(self), dtype=bool)
        bit = np.uint64(1) << np.uint64(self.class_names.index(name))
        members: Bools1d = (self.classes & bit) != 0
        return members

    @property
    def digest(self) -> str:
        """SHA-256 of the shape, the words and the float32 vectors, in hexadecimal."""
        if self._digest is None:
            self._digest = digest_of(self.words, self.vectors)
        return self._digest

    @cached_property
    def identity(self) -> tuple[str, str]:
        """The digests of all data from which the graph is learned: of the space and its classes."""
        classes = b"" if self.classes is None else np.asarray(self.classes, dtype="<u8").tobytes()
        names = "\n".join(self.class_names).encode()
        return self.digest, hashlib.sha256(names + b"\0" + classes).hexdigest()

    def save(self, path: str | Path) -> None:
        """Write a folder that `load` maps into memory."""
        about = (self.aliases, self.classes, self.class_names, self.name, self.digest)
        table = SpaceTable(self.words, self.vectors, *about)
        write_table(table, Path(path), learned.writers(self))

    @classmethod
    def load(cls, path: str | Path, *, verify: bool | None = None, relearn: bool = False) -> Space:
        """Read a saved folder; float32 vectors stay on disk and are shared between processes.

        Results learned from the vectors (graph, epsilon-beta tables) are read as well. They are
        only checked by samples, so guarantees that depend on them are "claimed": as trusted as the
        files. Up to 1,000 words, results are learned again; for a copy of the built-in space, those
        of the package are used.

        Args:
            path: The folder of `save`.
            verify: Whether to compare all content with its digest now; None does so for vectors of
                at most 128 MB.
            relearn: Verify the content, ignore stored results and learn them again at their first
                use (minutes for 60,000 words), so that guarantees are "computed" or "proven".

        Raises:
            DxError: If the folder is missing, incomplete, changed, or from another version.
        """
        path = Path(path)
        table = read_table(path, verify=True if relearn else verify)
        if table.digest == _builtin_digest() and path != BUILTIN:
            # Results of the package are used once the vectors are verified.
            table = table if table.verified else read_table(path, verify=True)
            cls.builtin()
        space = cls(table, path)
        if not relearn:
            learned.read_beside(space, path, shipped=path == BUILTIN)
        return space

    def to_bytes(self) -> bytes:
        """Return the space and the results learned from it as bytes."""
        about = {"classes": self.classes, "class_names": list(self.class_names), "name": self.name}
        table = {"words": self.words, "vectors": np.asarray(self.vectors), "aliases": self.aliases}
        data: bytes = srsly.msgpack_dumps({**table, **about, "learned": learned.to_fields(self)})
        return data

    @classmethod
    def from_bytes(cls, data: bytes) -> Space:
        """Return the space of to_bytes."""
        saved = srsly.msgpack_loads(data)
        results = saved.pop("learned", {})
        about = {k: saved[k] for k in ("aliases", "classes", "class_names", "name") if k in saved}
        space = cls(SpaceTable(saved["words"], np.array(saved["vectors"]), **about))
        learned.from_fields(space, results)
        return space

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker maps the same files, which is faster than a copy.
        if self.path == BUILTIN:
            return _load_builtin, ()
        if self.path is not None:
            return Space.load, (self.path,)
        return Space.from_bytes, (self.to_bytes(),)


class Allowed:
    """The predicate of words that may be output, see Space.filtered."""

    def __init__(self, pattern: str | None, exclude: Iterable[str]) -> None:
        self.pattern = None if pattern is None else re.compile(pattern)
        entries = [entry.lower() for entry in exclude]
        self.words = {e for e in entries if not e.endswith("*")}
        self.stems = tuple(e[:-1] for e in entries if e.endswith("*"))
        # A fast test: most words share no beginning with any stem.
        self.least = min(map(len, self.stems), default=0)
        self.heads = {stem[: self.least] for stem in self.stems}

    def __call__(self, word: str) -> bool:
        lower = word.lower()
        if not word or _NOT_PRINTABLE.search(word):
            return False
        if lower in self.words:
            return False
        if lower[: self.least] in self.heads and lower.startswith(self.stems):
            return False
        return self.pattern is None or self.pattern.fullmatch(word) is not None


@lru_cache(maxsize=1)
def _load_builtin() -> Space:
    return Space.load(BUILTIN)


@cache
def _builtin_digest() -> str:
    return str(read_json(BUILTIN / "space.json")["digest"])


def _ids(words: Sequence[str]) -> Ids1d:
    return np.fromiter(map(get_string_id, words), dtype=np.uint64, count=len(words))


def _on_cpu(X: Any) -> Floats2d:
    """Return vectors of spaCy, maybe on a GPU, as a numpy array."""
    return np.asarray(get_array_ops(X).to_numpy(X))


def _bad(expected: str, actual: str) -> DxError:
    return DxError(Errors.DX020.format(expected=expected, given=actual))


def _with_squares(X: Floats2d) -> Floats2d:
    """Return the vectors. Raise DxError for a norm of 1e18 or more, or one that is no number:
    squares of distances would overflow float32."""
    for part in blocks(len(X), 65536):  # since a mapped table may be large
        bad = ~(np.einsum("nd,nd->n", X[part], X[part], dtype=np.float64) < MAX_NORM**2)
        if bad.any():
            row = part.start + int(np.flatnonzero(bad)[0])
            given = f"another in row {row}; divide all vectors by one number"
            raise _bad(f"vectors of a norm below {MAX_NORM:g}", given)
    return X


def _checked_matrix(matrix: Any, n_words: int) -> Floats2d:
    try:
        X = np.array(matrix, dtype=np.float32, order="C")
    except (TypeError, ValueError):
        raise _bad("a matrix of numbers", "none") from None
    if X.ndim != 2 or X.shape[0] != n_words or n_words < 1 or X.shape[1] < 1:
        expected = f"a matrix of one row a word ({n_words} words) and 1 column or more"
        raise _bad(expected, f"the shape {X.shape}")
    if not np.isfinite(X).all():
        row = int(np.flatnonzero(~np.isfinite(X).all(axis=1))[0])
        raise _bad("finite numbers that float32 can hold", f"others in row {row}")
    return X
