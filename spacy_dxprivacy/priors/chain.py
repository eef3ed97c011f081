r"""A public law of sentences whose sums are exact: states that follow each other, with words.

    q(y_1 .. y_n) = sum over z of  begin[z_1] B[y_1, z_1] T[z_1, z_2] B[y_2, z_2] ...  (end[z_n])

    T[z, z'] = back[z] u[z'] + delta[z, z']        B[y, z] = emit[y, z]

Word pairs with back-off are such a law, their states being types of words; so are words drawn
alone (one state). K is the number of states, n that of words of the space, S that of sentences side
by side.

Paper  Rabiner 1989, "A tutorial on hidden Markov models"; Katz 1987 (back-off)
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Numbers1d
from ..errors import DxError, Errors

ARRAYS = ("begin", "alone", "end", "back", "u")
TABLES = ("delta", "emit")
PARTS = ("data", "indices", "indptr")  # of a table
TOLERANCE = 1e-4  # of sums that should be 1, in float32


@dataclass(frozen=True, eq=False, repr=False)
class Chain:
    """begin (K,): of the first state of a sentence. alone (K,): of the state of a word without
    context. end (K,): the probability that a sentence ends after a state. back (K,), u (K,).
    delta: csr float32 (K, K), not negative. emit: csr float32 (n, K), the words of a state; its
    columns sum to 1, or to less where words of the law are not in the space.
    """

    begin: Numbers1d
    alone: Numbers1d
    end: Numbers1d
    back: Numbers1d
    u: Numbers1d
    delta: Any
    emit: Any

    def __post_init__(self) -> None:
        check_chain(self)

    @cached_property
    def states(self) -> int:
        return len(self.u)

    @property
    def words(self) -> int:
        return int(self.emit.shape[0])

    @property
    def is_alone(self) -> bool:
        """Whether no word knows of another."""
        return self.states == 1

    @cached_property
    def totals(self) -> Floats1d:
        """float64 (K,): how much of each state its words are."""
        return self.weighed(np.ones(self.words))

    def weighed(self, weights: Floats1d) -> Floats1d:
        """weights: (n,), of words -> float64 (K,): the sum of each state's words by them."""
        # In float64: sparse tables add up float32 as float32.
        numbers = np.repeat(weights, np.diff(self.emit.indptr)) * self.emit.data
        sums: Floats1d = np.bincount(self.emit.indices, numbers, self.states).astype(np.float64)
        return sums

    @cached_property
    def of_states(self) -> Any:
        """csc (n, K): the words of a state side by side."""
        return self.emit.tocsc()

    @cached_property
    def one_state(self) -> tuple[Numbers1d, Numbers1d] | None:
        """(n,), (n,): the only state of each word and how much of it the word is; None where words
        have several or none."""
        if not (np.diff(self.emit.indptr) == 1).all():
            return None
        return self.emit.indices, self.emit.data

    @cached_property
    def unigram(self) -> Floats1d:
        """float64 (n,): how likely each word is where nothing is known of its neighbours."""
        weights: Floats1d = self.emit @ self.alone.astype(np.float64)
        return weights

    @cached_property
    def _into(self) -> Any:
        """csr (K, K + 1): delta by the state that is entered, and u behind it, for one product."""
        from scipy.sparse import csr_array, hstack

        K = self.states
        behind = csr_array((self.u, np.zeros(K, np.int32), np.arange(K + 1)), shape=(K, 1))
        return hstack([self.delta.T.tocsr(), behind], format="csr")

    def forward(self, M: Floats2d) -> Floats2d:
        """M: float (K, S), how likely each state is -> (K, S), the state after it."""
        ahead: Floats2d = self._into @ np.vstack([M, self.back @ M])
        return ahead

    def backward(self, M: Floats2d) -> Floats2d:
        """M: float (K, S), what follows from each next state -> (K, S), what follows from this."""
        behind: Floats2d = self.delta @ M
        behind += np.multiply.outer(self.back, self.u @ M)
        return behind

    def into(self, here: Ints1d, before: Ints1d) -> tuple[Ints1d, Ints1d, Numbers1d]:
        """delta from states before to states here, where it is not 0: (e,), (e,), (e,), the places
        in `here` and in `before`, and delta."""
        table = self._into
        first, counts = table.indptr[here], np.diff(table.indptr)[here] - 1
        place = np.repeat(np.arange(len(here)), counts)
        entries = np.arange(len(place)) + np.repeat(first - np.cumsum(counts) + counts, counts)
        at = np.full(self.states, -1)
        at[before] = np.arange(len(before))
        source = at[table.indices[entries]]
        there = source >= 0
        return place[there], source[there], table.data[entries[there]]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all of it, in hexadecimal."""
        hasher = hashlib.sha256()
        for array in to_fields(self).values():
            hasher.update(np.ascontiguousarray(array).data)
        return hasher.hexdigest()

    # What is made of the fields is made again from a copy of them.
    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}


def check_chain(chain: Chain) -> None:
    """Raises DxError for arrays that do not fit together, negative numbers, sums that are not 1
    (by how much), and states that lead nowhere."""
    K = chain.states
    for name in ARRAYS:
        array = getattr(chain, name)
        if array.shape != (K,) or not np.isfinite(array).all() or array.min(initial=0) < 0:
            raise _bad(f"{name} should be {K} numbers that are not negative")
    if chain.delta.shape != (K, K) or chain.emit.shape[1:] != (K,):
        raise _bad(f"it has {K} states, and tables of {chain.delta.shape}, {chain.emit.shape}")
    if chain.delta.data.min(initial=0) < 0:
        raise _bad("some probabilities are negative")
    for name in ("begin", "alone"):
        _check_sum(name, np.asarray([getattr(chain, name).sum(dtype=np.float64)]))
    _check_sum("what follows a state", _row_sums(chain))
    if not (chain.end > 0).any():
        raise _bad("no sentence can end")
    if not (chain.totals > 0).any():
        raise _bad("no word of the space is in it")


def _row_sums(chain: Chain) -> Floats1d:
    delta = np.asarray(chain.delta @ np.ones(chain.states)).reshape(-1)
    sums: Floats1d = delta + chain.back.astype(np.float64) * chain.u.sum(dtype=np.float64)
    return sums


def _check_sum(what: str, sums: Floats1d) -> None:
    off = float(np.abs(sums - 1).max())
    if off > TOLERANCE:
        where = "leads nowhere" if sums.min() == 0 else f"should add up to 1, and is {off:.3g} off"
        raise _bad(f"{what} {where}")


def _bad(why: str) -> DxError:
    return DxError(Errors.DX060.format(why=why))


def chain_of(**fields: Any) -> Chain:
    """Return a chain in float32 of the fields of Chain, given in any precision: begin, alone and u
    are brought to sum 1. Raises DxError as check_chain does."""
    for name in ("begin", "alone", "u"):
        weights = np.asarray(fields[name], dtype=np.float64)
        fields[name] = weights / weights.sum()
    return Chain(
        **{name: np.asarray(fields[name], dtype=np.float32) for name in ARRAYS},
        **{name: fields[name].astype(np.float32) for name in TABLES},
    )


def alone_chain(weights: Numbers1d) -> Chain:
    """Words that know nothing of each other. weights: float (n,), above 0."""
    from scipy.sparse import csr_array

    emit = csr_array((weights / weights.sum())[:, None])
    return chain_of(**dict.fromkeys(ARRAYS, np.ones(1)), delta=csr_array((1, 1)), emit=emit)


def to_fields(chain: Chain) -> dict[str, Any]:
    """Plain arrays, by name."""
    fields = {name: getattr(chain, name) for name in ARRAYS}
    for name in TABLES:
        fields |= {f"{name}_{part}": getattr(getattr(chain, name), part) for part in PARTS}
    return fields


def from_fields(fields: Mapping[str, Any], n: int) -> Chain:
    """n: words of the space. Raises DxError as check_chain does."""
    from scipy.sparse import csr_array

    K = len(fields["u"])
    tables = {
        name: csr_array(tuple(fields[f"{name}_{part}"] for part in PARTS), shape=shape)
        for name, shape in (("delta", (K, K)), ("emit", (n, K)))
    }
    return Chain(**{name: fields[name] for name in ARRAYS}, **tables)
