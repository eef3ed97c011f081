"""Files of public word pairs, of the package and of a saved prior, and contexts of two words.

The package has pairs on the words of the built-in space, of general English and of some domains:

pairs.npz    frequency     uint8 (n,): -12 ln of the frequency of each word in web text
             type_of_row   uint16 (n,): the type of each word; types are lower-case words
             u, end, alone uint16 (K,): -64 ln of these fields of Chain
             successors    uint16 (K + 1,): listed pairs of each type; the last begins sentences
             gap_low, gap_high  uint8 (pairs,): from one successor to the next
             steps         uint8 (pairs,): -16 ln of delta
             context_x, context_y  uint16 (C,), optional: the two types of contexts; x = K begins
                           sentences
             context_successors, context_gap_low, context_gap_high, context_steps  as of pairs: what
                           is added to the share of P(z | y), which is 1 less their sum
             digest        of the space
pairs-KIND.npz  without frequency and type_of_row; pairs-broad.npz has contexts

Sums are normalised after reading. scripts/build_language.py writes these files.

A saved prior:

prior.json   format, kind ("pairs"), name, digest, and figures of quality
chain.npz    the words, UTF-8, separated by line breaks, and the arrays of the chain
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
from ..errors import DxError, Errors
from ..files.atomic import check_replaceable, new_folder
from ..files.limits import check_ratio, read_json, regular
from ..space import BUILTIN, Space
from .chain import Chain, PairModel, chain_of, from_fields, to_fields

NAME = "dx_en"
FILE = BUILTIN / "pairs.npz"
KINDS = ("clinical", "dialogues")  # domains, with pairs of their own
BROAD = "broad"  # a mix of domains, with contexts; the default of dx.WordPairs.v1
OF_FREQUENCY, OF_LOG, OF_PAIR = 12, 64, 16  # steps of a logarithm to a nat
LEAST = 1e-12  # of a type by back-off: an unmodified word may be any, such as n't
FORMAT, KIND = 1, "pairs"
ABOUT, MODEL = "prior.json", "chain.npz"
DAMAGE = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError)


# -- of the package --------------------------------------------------------------------------------


def _unpack(codes: Any, steps: int) -> Floats1d:
    """Return exp(-codes / steps), float64."""
    table = np.exp(-np.arange(np.iinfo(codes.dtype).max + 1) / steps)
    values: Floats1d = table[codes]
    return values


@lru_cache(maxsize=1)
def frequencies() -> Floats1d:
    """Return the frequencies of the words of the built-in space in web text, float64 (n,)."""
    with np.load(FILE) as saved:
        return _unpack(saved["frequency"], OF_FREQUENCY)


def frequency_of(space: Space) -> Floats1d:
    """Return the public frequencies of the words of a space, float64 (n,), above 0: in exact case,
    or in lower case if that is unknown and the space lacks the lower case."""
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
    """Return the word pairs of a domain (KINDS, BROAD; None is general English) on the words of the
    built-in space. Raise DxError for files of another space."""
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

    u, alone = (_normalised(np.maximum(_unpack(arrays[k], OF_LOG), LEAST)) for k in ("u", "alone"))
    K = len(u)
    listed = _listed(arrays, K)
    back = 1 - listed.sum(axis=1, dtype=np.float64)
    begin = _normalised(listed[[K]].toarray().reshape(-1) + back[K] * u)
    types = arrays["type_of_row"].astype(np.int64)
    frequency = _unpack(arrays["frequency"], OF_FREQUENCY)
    share = frequency / np.bincount(types, frequency, K)[types]
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
    """Return listed probabilities, csr float64 (rows, K)."""
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


def _normalised(weights: Floats1d) -> Floats1d:
    shares: Floats1d = weights / weights.sum()
    return shares


# -- a saved prior ---------------------------------------------------------------------------------


def digest_of(model: PairModel) -> str:
    """Return the SHA-256 of words and chain, in hexadecimal."""
    return hashlib.sha256("\n".join([model.chain.digest, *model.words]).encode()).hexdigest()


def write_model(model: PairModel, path: Path, figures: Mapping[str, Any], *, force: bool) -> None:
    """Write the folder of a prior atomically. figures: further entries of prior.json."""
    check_replaceable(path, ABOUT, "prior", force=force)
    with new_folder(path) as folder:
        words = np.frombuffer("\n".join(model.words).encode(), dtype=np.uint8)
        np.savez_compressed(folder / MODEL, words=words, **to_fields(model.chain))
        about = {"format": FORMAT, "kind": KIND, "name": model.name, "digest": digest_of(model)}
        srsly.write_json(folder / ABOUT, {**about, **figures})


def read_model(path: Path) -> PairModel:
    """Read a saved prior. Raise DxError for a missing or damaged folder, another format or kind,
    and a wrong digest."""
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


BEGIN = -1  # as x of a context: y begins a sentence
# Of `lower`, so that every type can follow, and float32 suffices (docs/explanation/sentences.md).
LEAST_LOWER = 1e-3
NO_KEY = -(2**62)


@dataclass(frozen=True, eq=False, repr=False)
class Contexts:
    """C distinct contexts (x, y): P(z | x, y) = lower P(z | y) + beyond[z]."""

    x: Ints1d  # (C,), types of words, or BEGIN
    y: Ints1d  # (C,)
    lower: Floats1d  # (C,)
    end: Floats1d  # (C,), as Chain has it
    beyond: Any  # csr float64 (C, K), not negative

    def take(self, index: Any) -> Contexts:
        """Return the contexts of a mask or order."""
        return Contexts(
            *(part[index] for part in (self.x, self.y, self.lower, self.end, self.beyond))
        )


def with_contexts(pairs: Mapping[str, Any], contexts: Contexts) -> dict[str, Any]:
    """Return the fields of a chain, in float64, with contexts as states.

    A share f of P(y | x) comes by back-off to the state y, which forgets x. The transitions T of
    the context compensate for it, exactly if lower is at least f:

        P(z | x, y) = f P(z | y) + (1 - f) T[c, z]

    Contexts without a listed pair are left out.

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
    at = places_of(delta, contexts.x, contexts.y)  # -1 also at the begin of a sentence
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
    # A successor is a context or its base, in the shares of its pair.
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
    """Return the cells (x, y) of a csr table in float64, 0 for missing cells."""
    at = places_of(table, x, y)
    cells: Floats1d = np.append(table.data, 0.0)[at]
    return cells


def places_of(table: Any, x: Ints1d, y: Ints1d) -> Ints1d:
    """Return the indices of cells (x, y) in the data of a csr table, -1 for missing cells; sorts
    its indices."""
    table.sort_indices()
    keys = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) * table.shape[1]
    return places_in(keys + table.indices, x.astype(np.int64) * table.shape[1] + y)


def places_in(keys: Ints1d, wanted: Ints1d) -> Ints1d:
    """Return the places of wanted keys among rising ones, -1 for missing keys."""
    at = np.searchsorted(keys, wanted)
    places: Ints1d = np.where(np.append(keys, NO_KEY)[at] == wanted, at, -1)
    return places
