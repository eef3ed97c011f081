"""Load the word frequencies and word pairs of the package, on the words of the built-in space.

The pairs are those of general English, of some domains, and of a mix of domains:

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
pairs-DOMAIN.npz  without frequency and type_of_row; pairs-broad.npz has contexts

Sums are normalised after reading. scripts/build_language.py writes these files.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import Floats1d
from ..errors import DxError, Errors
from ..space import BUILTIN, Space
from .chain import Chain, PairModel, chain_of
from .contexts import BEGIN, Contexts, with_contexts

NAME = "dx_en"
FILE = BUILTIN / "pairs.npz"
DOMAINS = ("clinical", "dialogues")  # domains, with pairs of their own
BROAD = "broad"  # a mix of domains, with contexts; the default of dx.WordPairs.v1
OF_FREQUENCY, OF_LOG, OF_PAIR = 12, 64, 16  # steps of a logarithm to a nat
MIN_PROBABILITY = 1e-12  # of a type by back-off: any word may stay unmodified, such as n't


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


def missing_share(space: Space) -> float:
    """Return the share of English running text that this space cannot represent.

    It counts the words of the built-in space, by their frequency in web text, in any case.
    """
    if space.digest == Space.builtin().digest:
        return 0.0
    missing = space.find_all(Space.builtin().words) < 0
    return float(frequencies()[missing].sum() / frequencies().sum())


@lru_cache(maxsize=2 + len(DOMAINS))
def builtin_model(domain: str | None = None) -> PairModel:
    """Return the word pairs of a domain, on the words of the built-in space.

    Args:
        domain: One of DOMAINS, or BROAD; None for general English.

    Raises:
        DxError: If the files belong to another space.
    """
    space = Space.builtin()
    arrays: dict[str, Any] = {}
    for path in [FILE] if domain is None else [FILE, BUILTIN / f"pairs-{domain}.npz"]:
        with np.load(path) as saved:
            arrays |= {name: saved[name] for name in saved.files}
        if bytes(arrays["digest"]).decode() != space.digest:
            why = "it belongs to another space"
            raise DxError(Errors.DX063.format(path=path, why=why))
    return PairModel(space.words, _chain(arrays), NAME if domain is None else f"{NAME}_{domain}")


def _chain(arrays: dict[str, Any]) -> Chain:
    from scipy.sparse import csr_array

    u, alone = (
        _normalised(np.maximum(_unpack(arrays[k], OF_LOG), MIN_PROBABILITY)) for k in ("u", "alone")
    )
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
