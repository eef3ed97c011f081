"""A language model on words of its own, and how it is carried to the words of a space.

Words are the same where their spelling is: in exact case first, then without regard to case. Words
of a space that the law lacks stand beside the nearest word that it has, with a small share of its
probability, so that every word of the space can come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d
from ..errors import DxError, Errors
from ..graph.edges import with_classes
from ..space import Space
from .chain import Chain, chain_of

JOINED = 0.01  # what a word that the law lacks weighs beside the one that it joins
MOST_JOINED = 0.1  # what all that join one word weigh together
LEAST_SHARE = 1e-3  # of the spellings of a word, beside the commonest
HOSTS = 12_000  # the commonest words, which others join
BLOCK = 1024
LEAST_SUM = 1e-6  # of what follows a word, where sentences always end


@dataclass(frozen=True, eq=False, repr=False)
class Law:
    """words: V different strings. chain: of their sentences, its emit (V, K)."""

    words: Sequence[str]
    chain: Chain
    name: str


@dataclass(frozen=True, eq=False, repr=False)
class WordList:
    """words: V strings. weights: float64 (V,), how common each is; 0 for those that are none."""

    words: Sequence[str]
    weights: Floats1d
    name: str


def carry(law: Law, space: Space, frequency: Floats1d) -> Chain:
    """The law on the words of a space. frequency: float (n,), by which the words of the space that
    are spelled like one word of the law share it.

    Raises DxError where no word of the space is in the law.
    """
    listed = WordList(law.words, law.chain.unigram, law.name)
    cells = with_neighbours(spelled(listed, space, frequency), space, listed.weights)
    return without_silent(law.chain, (cells @ law.chain.emit).tocsr())


def without_silent(chain: Chain, emit: Any) -> Chain:
    """The chain with other words, and without states that have none of them: what a sentence weighs
    beside another stays as it is. emit: csr (n, K)."""
    from scipy.sparse import diags_array

    said = np.asarray(emit.sum(axis=0)).reshape(-1) > 0
    if said.all():
        return replace(chain, emit=emit.astype(np.float32))
    u = chain.u[said].astype(np.float64)
    inner = chain.delta[said][:, said].astype(np.float64)
    delta, back, end, stays = joint(inner, chain.end[said].astype(np.float64), u, chain.back[said])
    begin, alone = chain.begin[said], chain.alone[said] / stays
    return chain_of(
        begin=begin if begin.any() else alone, alone=alone, end=end, back=back, u=u, delta=delta,
        emit=(emit[:, said] @ diags_array(stays)).tocsr(),
    )  # fmt: skip


def spelled(listed: WordList, space: Space, frequency: Floats1d) -> Any:
    """Return csr float64 (n, V): how much of each listed word each word of a space is. Columns sum
    to 1, or to 0 where the space lacks the word.

    Raises DxError where no word of the space is listed.
    """
    from scipy.sparse import csr_array

    V = len(listed.words)
    rows, columns = _pairs(list(listed.words), space)
    there = listed.weights[columns] > 0
    rows, columns = rows[there], columns[there]
    if not len(rows):
        raise DxError(Errors.DX064.format(prior=listed.name, space=space.name))
    most = np.zeros(V)
    np.maximum.at(most, columns, frequency[rows])
    shares = np.maximum(frequency[rows], LEAST_SHARE * most[columns])
    shares /= np.bincount(columns, shares, V)[columns]
    return csr_array((shares, (rows, columns)), shape=(len(space), V))


def _pairs(words: list[str], space: Space) -> tuple[Ints1d, Ints1d]:
    """Rows of the space and words of the law that are spelled alike, each pair once."""
    of_row, of_word = _find(words, space.words), space.find_all(words)
    of_word[np.isin(np.arange(len(words)), of_row)] = -1  # the space has it in its own case
    by_row, by_word = np.flatnonzero(of_row >= 0), np.flatnonzero(of_word >= 0)
    rows = np.concatenate([by_row, of_word[by_word]])
    return rows, np.concatenate([of_row[by_row], by_word])


def _find(words: list[str], sought: Sequence[str]) -> Ints1d:
    """The place among words of each word sought: as it is, in lower case, in any case; or -1."""
    exact = {word: i for i, word in reversed(list(enumerate(words)))}
    folded = {word.lower(): i for i, word in reversed(list(enumerate(words)))}
    found = (exact.get(w, exact.get(w.lower(), folded.get(w.lower(), -1))) for w in sought)
    return np.fromiter(found, dtype=np.int64, count=len(sought))


def with_neighbours(cells: Any, space: Space, weights: Floats1d) -> Any:
    """Return the cells of `spelled`, in which words of the space that had none join others, so that
    no row is empty. weights: (V,), of the listed words."""
    from scipy.sparse import csr_array

    lack = np.diff(cells.indptr) == 0
    if not lack.any():
        return cells
    guests, n = np.flatnonzero(lack), len(space)
    hosts = nearest_hosts(space, lack, cells @ weights)
    number = np.bincount(hosts, minlength=n)
    each = np.minimum(JOINED, MOST_JOINED / np.maximum(number, 1))
    stays = 1 / (1 + number * each)
    rows = np.concatenate([np.flatnonzero(~lack), guests])
    columns = np.concatenate([np.flatnonzero(~lack), hosts])
    shares = np.concatenate([stays[~lack], (each * stays)[hosts]])
    return (csr_array((shares, (rows, columns)), shape=(n, n)) @ cells).tocsr()


def nearest_hosts(space: Space, lack: Bools1d, common: Floats1d, most: int = HOSTS) -> Ints1d:
    """(k,): for each word that lacks, the nearest of the commonest words that do not."""
    have = np.flatnonzero(~lack)
    have = np.sort(have[np.argsort(-common[have], kind="stable")[:most]])
    X = with_classes(space)
    Y, guests = np.ascontiguousarray(X[have]), np.flatnonzero(lack)
    squares, nearest = (Y**2).sum(axis=1), np.empty(len(guests), dtype=np.int64)
    for start in range(0, len(guests), BLOCK):
        some = slice(start, start + BLOCK)
        nearest[some] = np.argmin(squares - 2 * X[guests[some]] @ Y.T, axis=1)
    return have[nearest]


def joint(T: Any, stop: Floats1d, u: Floats1d, back: Floats1d) -> tuple[Any, ...]:
    r"""What a law with stops is as a chain: (delta, back, end, stays).

    T + back u, (K, K), sums to 1 - stop in each row, or to less where words are left out. With
    s = its row sums, sentences weigh the same as in a chain whose transitions are divided by s, if
    each word weighs s times as much, and the last one stop / s:

        product of s_i * product of (T_i / s_i) * stop_n / s_n
    """
    from scipy.sparse import diags_array

    s = np.asarray(T.sum(axis=1, dtype=np.float64)).reshape(-1) + back * u.sum()
    safe = np.maximum(s, LEAST_SUM)
    delta = (diags_array(1 / safe) @ T).tocsr()
    rest = np.maximum(1 - np.asarray(delta.sum(axis=1)).reshape(-1), 0.0)
    return delta, rest, stop / safe, safe / max(1.0, safe.max())
