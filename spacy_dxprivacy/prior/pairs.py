"""Public word pairs on the disk, of the package and of a saved prior, and contexts of two words.

Contexts are further states of a chain of word pairs: exact beyond pairs.

The package has pairs on the words of the built-in space, of English as such and of some kinds of
text:

pairs.npz    frequency     uint8 (n,): -12 ln of how often each word of the space comes in web text
             type_of_row   uint16 (n,): the type of each word; types are lower-case words
             u, end, alone uint16 (K,): -64 ln of what Chain calls so
             successors    uint16 (K + 1,): listed pairs of each type; the last begins sentences
             gap_low, gap_high  uint8 (pairs,): from one successor to the next
             steps         uint8 (pairs,): -16 ln of delta
             context_x, context_y  uint16 (C,), where it has contexts: their two
                           types; K as the first one begins sentences
             context_successors, context_gap_low, context_gap_high, context_steps  as of pairs: what
                           follows beyond the share of P(z | y), which is 1 less their sum
             digest        of the space
pairs-KIND.npz  the same but for frequency and type_of_row, which are those of pairs.npz;
                pairs-broad.npz has contexts

All sums are made exact after reading. scripts/build_language.py writes them.

A saved prior:

prior.json   format, kind ("pairs"), name, digest, and the figures of its making
chain.npz      the words, UTF-8 with line breaks between, and the arrays of the chain
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ..arrays import Floats1d, Ints1d
from ..errors import DxError, Errors, UsageError
from ..io.files.atomic import new_folder
from ..io.files.limits import check_ratio, read_json, regular
from ..space import BUILTIN, Space
from .chain import Chain, PairModel, chain_of, from_fields, to_fields

NAME = "dx_en"
FILE = BUILTIN / "pairs.npz"
KINDS = ("clinical", "dialogues")  # domains, with pairs of their own
BROAD = "broad"  # a mix of domains, with contexts of two words: dx.WordPairs.v1
OF_FREQUENCY, OF_LOG, OF_PAIR = 12, 64, 16  # steps of a logarithm to a nat
LEAST = 1e-12  # of a type by back-off: a word that stays unchanged may be any, also a lone n't
FORMAT, KIND = 1, "pairs"
ABOUT, MODEL = "prior.json", "chain.npz"
DAMAGE = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError)


# -- of the package --------------------------------------------------------------------------------


def _unpack(codes: Any, steps: int) -> Floats1d:
    """Return float64, by a table of all codes."""
    table = np.exp(-np.arange(np.iinfo(codes.dtype).max + 1) / steps)
    values: Floats1d = table[codes]
    return values


@lru_cache(maxsize=1)
def frequencies() -> Floats1d:
    """float64 (n,): how often each word of the built-in space comes in English web text."""
    with np.load(FILE) as saved:
        return _unpack(saved["frequency"], OF_FREQUENCY)


def frequency_of(space: Space) -> Floats1d:
    """Return the public frequency of the words of a space in their exact case, float64 (n,), above
    0; that of the lower case where the exact one is unknown and the space has no lower case: some
    spaces have "A" for "a"."""
    if space.digest == Space.builtin().digest:
        return frequencies()
    frequency = dict(zip(Space.builtin().words, frequencies().tolist(), strict=True))
    words = set(space.words)
    least = min(frequency.values())
    lower = {word: word.lower() for word in words if word not in frequency}
    by_lower = {word: frequency.get(low, least) for word, low in lower.items() if low not in words}
    return np.array([frequency.get(word) or by_lower.get(word, least) for word in space.words])


def lacked_of(space: Space) -> float:
    """Return the share of running words of English web text that a space lacks, in any case, of
    those that the built-in one has."""
    if space.digest == Space.builtin().digest:
        return 0.0
    missing = space.find_all(Space.builtin().words) < 0
    return float(frequencies()[missing].sum() / frequencies().sum())


@lru_cache(maxsize=2 + len(KINDS))
def builtin_model(kind: str | None = None) -> PairModel:
    """Return word pairs on the words of the built-in space, of a domain of KINDS, of BROAD or, for
    None, those of general English. Raises DxError for files of another space."""
    space = Space.builtin()
    arrays: dict[str, Any] = {}
    for path in [FILE] if kind is None else [FILE, BUILTIN / f"pairs-{kind}.npz"]:
        with np.load(path) as saved:
            arrays |= {name: saved[name] for name in saved.files}
        if bytes(arrays["digest"]).decode() != space.digest:
            raise _bad(path, "it belongs to another space")
    return PairModel(space.words, _chain(arrays), NAME if kind is None else f"{NAME}_{kind}")


def _chain(arrays: dict[str, Any]) -> Chain:
    from scipy.sparse import csr_array

    u, alone = (_to_one(np.maximum(_unpack(arrays[k], OF_LOG), LEAST)) for k in ("u", "alone"))
    K = len(u)
    listed = _listed(arrays, K)
    back = 1 - listed.sum(axis=1, dtype=np.float64)
    begin = _to_one(listed[[K]].toarray().reshape(-1) + back[K] * u)
    types = arrays["type_of_row"].astype(np.int64)
    often = _unpack(arrays["frequency"], OF_FREQUENCY)
    share = often / np.bincount(types, often, K)[types]
    emit = csr_array((share, types, np.arange(len(types) + 1)), shape=(len(types), K))
    ends = _unpack(arrays["end"], OF_LOG)
    fields = {
        "begin": begin, "alone": alone, "end": ends, "back": back[:K], "u": u, "delta": listed[:K],
        "emit": emit,
    }  # fmt: skip
    if "context_x" in arrays:
        fields = with_contexts(fields, _contexts(arrays, ends))
    return chain_of(**fields)


def _listed(arrays: dict[str, Any], K: int, before: str = "") -> Any:
    """csr float64 (rows, K)."""
    from scipy.sparse import csr_array

    counts, low, high, steps = (
        arrays[before + name] for name in ("successors", "gap_low", "gap_high", "steps")
    )
    ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    gaps = low.astype(np.int32) + (high.astype(np.int32) << 8)
    running = np.concatenate([[0], np.cumsum(gaps, dtype=np.int64)])
    indices = (running[1:] - np.repeat(running[ends[:-1]], counts)).astype(np.int32)
    return csr_array((_unpack(steps, OF_PAIR), indices, ends.astype(np.int32)), (len(counts), K))


def _contexts(arrays: dict[str, Any], ends: Floats1d) -> Contexts:
    K, x, y = len(ends), *(arrays[k].astype(np.int64) for k in ("context_x", "context_y"))
    beyond = _listed(arrays, K, "context_")
    return Contexts(np.where(x == K, BEGIN, x), y, 1 - beyond.sum(axis=1), ends[y], beyond)


def _to_one(weights: Floats1d) -> Floats1d:
    shares: Floats1d = weights / weights.sum()
    return shares


# -- of a folder -----------------------------------------------------------------------------------


def digest_of(model: PairModel) -> str:
    """Return SHA-256 of the words and of the chain, in hexadecimal."""
    return hashlib.sha256("\n".join([model.chain.digest, *model.words]).encode()).hexdigest()


def check_target(path: Path, *, force: bool) -> None:
    """Raise UsageError where the path cannot be a new prior, or replace one with `force`."""
    if path.exists() and not (path / ABOUT).is_file():
        raise UsageError(f"{path}: is not a prior, and is not replaced.")
    if path.exists() and not force:
        raise UsageError(f"{path}: exists already. `force` replaces it.")


def write_model(model: PairModel, path: Path, figures: Mapping[str, Any], *, force: bool) -> None:
    """Write the folder of a prior atomically, with further entries of prior.json."""
    check_target(path, force=force)
    with new_folder(path) as folder:
        words = np.frombuffer("\n".join(model.words).encode(), dtype=np.uint8)
        np.savez_compressed(folder / MODEL, words=words, **to_fields(model.chain))
        about = {"format": FORMAT, "kind": KIND, "name": model.name, "digest": digest_of(model)}
        srsly.write_json(folder / ABOUT, {**about, **figures})


def read_model(path: Path) -> PairModel:
    """Read a saved prior. Raises DxError where the folder is missing, damaged, of another format or
    kind, or not what its digest says."""
    if not (path / ABOUT).is_file():
        hint = "A prior is a folder written by: scripts/train_prior.py PUBLIC_TEXTS OUT"
        raise DxError(Errors.DX026.format(path=path, hint=hint))
    try:
        about = read_json(path / ABOUT)
        if about["format"] != FORMAT:
            why = f"its format is {about['format']!r}, and this version reads {FORMAT}"
            raise _bad(path, why)
        if about["kind"] != KIND:
            raise _bad(path, f"its kind is {about['kind']!r}; expected {KIND!r}")
        model = _read_model(path / MODEL, str(about["name"]))
    except DxError as error:
        raise error if "DX060" not in str(error) else _bad(path, str(error)) from None
    except (*DAMAGE, zipfile.BadZipFile) as error:
        raise _bad(path, f"a file in it is missing or damaged ({type(error).__name__})") from None
    if digest_of(model) != about["digest"]:
        raise _bad(path, "it does not match its digest")
    return model


def _read_model(path: Path, name: str) -> PairModel:
    with zipfile.ZipFile(regular(path)) as archive:
        unpacked = sum(info.file_size for info in archive.infolist())
        check_ratio(path.name, path.stat().st_size, unpacked)
    with np.load(path, allow_pickle=False) as saved:
        arrays = {key: saved[key] for key in saved.files}
    words = bytes(arrays.pop("words")).decode().split("\n")
    if any(array.dtype.kind not in "fi" for array in arrays.values()):
        raise ValueError("not numbers")
    chain = from_fields(arrays, len(words))
    for table in (chain.delta, chain.emit, chain.context_delta):
        if table is not None:
            table.check_format(full_check=True)
    return PairModel(words, chain, name)


def _bad(path: Path, why: str) -> DxError:
    return DxError(Errors.DX063.format(path=path, why=why))


BEGIN = -1  # as the first word of a context: the second one begins a sentence
# Of a context by its base: so every type can follow, and float32 holds all sums
# (docs/explanation/sentences.md).
LEAST_LOWER = 1e-3
NO_KEY = -(2**62)


@dataclass(frozen=True, eq=False, repr=False)
class Contexts:
    """C different contexts (x, y): P(z | x, y) = lower P(z | y) + beyond[z]."""

    x: Ints1d  # (C,), types of words, or BEGIN
    y: Ints1d  # (C,)
    lower: Floats1d  # (C,)
    end: Floats1d  # (C,), as Chain has it
    beyond: Any  # csr float64 (C, K), not negative

    def take(self, chosen: Any) -> Contexts:
        """Return those that a mask or an order picks."""
        return Contexts(
            *(part[chosen] for part in (self.x, self.y, self.lower, self.end, self.beyond))
        )


def with_contexts(pairs: Mapping[str, Any], contexts: Contexts) -> dict[str, Any]:
    """Return the fields of a chain, in float64, with contexts as states.

    A share f of P(y | x) comes by back-off to y, which forgets x. What follows the context makes up
    for it, exactly where lower is at least f:

        P(z | x, y) = f P(z | y) + (1 - f) T[c, z]

    Contexts are left out where no listed pair leads to them.

    Args:
        pairs: The fields of a chain without contexts.
        contexts: Of its types.
    """
    from scipy.sparse import csr_array

    K, u = len(pairs["u"]), pairs["u"] / pairs["u"].sum()
    delta = pairs["delta"].tocsr().copy()
    contexts = contexts.take(np.lexsort((contexts.y, contexts.x)))
    first = contexts.x == BEGIN
    # No sentence begins by back-off.
    at = places_of(delta, contexts.x, contexts.y)  # -1 also where a sentence begins
    listed = np.where(first, pairs["begin"][contexts.y], np.append(delta.data, 0.0)[at])
    by_back = np.where(first, 0.0, pairs["back"][contexts.x] * u[contexts.y])
    has_pair = listed > 0
    if not has_pair.any():
        return dict(pairs)
    contexts, first = contexts.take(has_pair), first[has_pair]
    f = (by_back / (by_back + listed + (listed == 0)))[has_pair]
    C, y = len(f), contexts.y

    indices, at = delta.indices.copy(), at[has_pair]
    indices[at[~first]] = K + np.flatnonzero(~first)
    table = csr_array((delta.data, indices, delta.indptr), shape=(K, K + C))
    table.sort_indices()

    beyond = contexts.beyond.sum(axis=1)
    total = (contexts.lower + beyond - f) / (1 - f)
    lower = np.maximum((contexts.lower - f) / (1 - f), LEAST_LOWER)
    scale = np.maximum(total - lower, 0) / np.maximum(beyond, 1e-30)
    cells = contexts.beyond.tocoo()
    c, z = cells.coords
    to = places_in(contexts.x * K + y, y[c] * K + z)
    # What leads on to another context does so in the shares in which its pair does.
    forget = np.where(to < 0, 1.0, f[to])
    on, data = np.flatnonzero(to >= 0), cells.data * scale[c]
    values = np.append(data * forget, (data * (1 - forget))[on])
    places = np.append(c, c[on]), np.append(z, K + to[on])
    context_delta = csr_array((values, places), shape=(C, K + C))
    context_delta.eliminate_zeros()

    begin = np.append(pairs["begin"], pairs["begin"][y] * first)
    begin[y[first]] = 0
    end = np.maximum((contexts.end - f * pairs["end"][y]) / (1 - f), 0)
    return {
        **pairs, "begin": begin, "end": np.append(pairs["end"], end), "delta": table,
        "base": y, "lower": lower, "context_delta": context_delta,
    }  # fmt: skip


def cells_of(table: Any, x: Ints1d, y: Ints1d) -> Floats1d:
    """Return the cells of a csr table in float64, 0 where it has none."""
    at = places_of(table, x, y)
    cells: Floats1d = np.append(table.data, 0.0)[at]
    return cells


def places_of(table: Any, x: Ints1d, y: Ints1d) -> Ints1d:
    """Return where the data of a csr table has the cells (x, y), -1 where it has none; its indices
    are sorted."""
    table.sort_indices()
    keys = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) * table.shape[1]
    return places_in(keys + table.indices, x.astype(np.int64) * table.shape[1] + y)


def places_in(keys: Ints1d, wanted: Ints1d) -> Ints1d:
    """Return the places of wanted keys among rising ones, -1 for missing keys."""
    at = np.searchsorted(keys, wanted)
    places: Ints1d = np.where(np.append(keys, NO_KEY)[at] == wanted, at, -1)
    return places
