r"""Laws of n-grams with back-off.

    p(y | x) = given, where the pair is listed;  b(x) p(y)  where not

As a chain: T[x, y] = b(x) p(y) + delta[x, y], with delta what listed pairs say beyond their
back-off. Where a pair is listed with less than its back-off, the back-off counts. Sentences end by
p(</s> | x); words that a space cannot hold (<s>, <unk>) never come out.

Paper  Katz 1987; Chen and Goodman 1999
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d
from .arpa import Arpa, Level, bad
from .chain import chain_of
from .law import Law, joint

TOLERANCE = 0.05  # of sums that should be 1, for the rounding of published files
LEAST = 1e-12  # of a word, so that float32 can hold it
PROBED = 256  # contexts of two words and more whose sums are looked at


def check_sums(arpa: Arpa, path: Path) -> None:
    """Raises DxError where probabilities do not add up, and says by how much."""
    total = float(np.exp(arpa.levels[0].logs[arpa.follows]).sum())
    if abs(total - 1) > TOLERANCE:
        raise bad(path, f"the probabilities of its words add up to {total:.4g}, not to 1")
    for depth in range(1, len(arpa.levels)):
        contexts = np.unique(arpa.levels[depth].contexts)
        sums = _pair_sums(arpa)[contexts] if depth == 1 else _probed_sums(arpa, depth, contexts)
        worst = sums[np.argmax(np.abs(sums - 1))] if len(sums) else 1.0
        if abs(worst - 1) > TOLERANCE:
            many = int((np.abs(sums - 1) > TOLERANCE).sum())
            why = f"the probabilities after {many:,} of {len(sums):,} contexts of length {depth}"
            raise bad(path, f"{why} do not add up to 1 (the worst to {worst:.4g})")


def _backs(level: Level) -> Floats1d:
    """Weights (m,); 1 where none stands, as the format has it."""
    return np.where(np.isnan(level.backs), 1.0, np.exp(level.backs))


def _pair_sums(arpa: Arpa) -> Floats1d:
    """(V,): of what follows each word, listed or by back-off."""
    one, two = arpa.levels[:2]
    spoken, V = arpa.follows, len(arpa.words)
    p = np.where(spoken, np.exp(one.logs), 0.0)
    listed = np.bincount(two.contexts, np.exp(two.logs) * spoken[two.words], V)
    covered = np.bincount(two.contexts, p[two.words], V)
    sums: Floats1d = listed + _backs(one) * (p.sum() - covered)
    return sums


def _probed_sums(arpa: Arpa, depth: int, contexts: Ints1d) -> Floats1d:
    some = contexts[np.unique(np.linspace(0, len(contexts) - 1, PROBED).astype(np.int64))]
    return np.array([follows(arpa, _history(arpa, depth, int(c))).sum() for c in some])


def _history(arpa: Arpa, depth: int, node: int) -> list[int]:
    """The words of an n-gram of so many words."""
    words: list[int] = []
    for level in reversed(arpa.levels[:depth]):
        words.insert(0, int(level.words[node]))
        node = int(level.contexts[node])
    return words


def follows(arpa: Arpa, history: list[int]) -> Floats1d:
    """float64 (V,): the law of the next word after words of the file; 0 for <s>."""
    p = np.exp(arpa.levels[0].logs)
    for length in range(1, min(len(history), len(arpa.levels) - 1) + 1):
        node = arpa.find(history[len(history) - length :])
        if node < 0:
            continue  # a context of nothing: its back-off weight is 1
        level, part = arpa.levels[length], arpa.after(length, node)
        back = arpa.levels[length - 1].backs[node]
        p *= 1.0 if np.isnan(back) else np.exp(back)
        p[level.words[part]] = np.exp(level.logs[part])
    p[~arpa.follows] = 0.0
    return p


def words_of(arpa: Arpa) -> tuple[list[str], Floats1d]:
    """The words of a file, and how likely each is alone; 0 for those that are none."""
    return arpa.words, np.where(arpa.said, np.maximum(np.exp(arpa.levels[0].logs), LEAST), 0.0)


def pairs_law(arpa: Arpa, name: str) -> Law:
    """Words and pairs as a law of sentences; words alone where there are no pairs."""
    from scipy.sparse import diags_array

    said = arpa.said
    p = np.exp(arpa.levels[0].logs)
    back = _backs(arpa.levels[0]) if len(arpa.levels) > 1 else np.ones(len(p))
    beyond = _beyond(arpa, p, back)
    u = np.maximum(p[said], LEAST)
    inner = beyond[said][:, said]
    delta, back_of, stop, stays = joint(inner, _stops(arpa, p, back, beyond, said), u, back[said])
    begin = _begins(arpa, u, back, beyond, said)
    emit = diags_array(stays).tocsr()
    chain = chain_of(begin, u / stays, stop, back_of, u, delta, emit)
    return Law([w for w, s in zip(arpa.words, said, strict=True) if s], chain, name)


def _beyond(arpa: Arpa, p: Floats1d, back: Floats1d) -> Any:
    """csr float64 (V, V): what pairs say beyond their back-off, never below 0."""
    from scipy.sparse import csr_array

    shape = (len(p), len(p))
    if len(arpa.levels) == 1:
        return csr_array(shape)
    pairs = arpa.levels[1]
    extra = np.exp(pairs.logs) - back[pairs.contexts] * p[pairs.words]
    return csr_array((np.maximum(extra, 0.0), (pairs.contexts, pairs.words)), shape=shape)


def _stops(arpa: Arpa, p: Floats1d, back: Floats1d, beyond: Any, said: Bools1d) -> Floats1d:
    """(K,): that a sentence ends after each word; 1 where the file has no ends."""
    if "</s>" not in arpa.words:
        return np.ones(int(said.sum()))
    end = arpa.words.index("</s>")
    column = beyond[:, [end]].toarray().reshape(-1)
    stops: Floats1d = (back * p[end] + column)[said]
    return stops


def _begins(arpa: Arpa, u: Floats1d, back: Floats1d, beyond: Any, said: Bools1d) -> Floats1d:
    """(K,): how sentences begin; as words alone where the file does not say."""
    if "<s>" not in arpa.words:
        return u
    begin = arpa.words.index("<s>")
    first: Floats1d = beyond[[begin]].toarray().reshape(-1)[said] + back[begin] * u
    return first if first.sum() > 0 else u


@dataclass(frozen=True, eq=False, repr=False)
class NextWord:
    """The law of the next word, given words that were released before it: n-grams on a space.

    cells: csr float64 (n, V), how much of each word of the file each word of the space is.
    """

    arpa: Arpa
    cells: Any

    @property
    def words(self) -> int:
        return int(self.cells.shape[0])

    @cached_property
    def _of_row(self) -> Ints1d:
        """(n,): the word of the file that a word of the space is most of."""
        found: Ints1d = np.asarray(self.cells.argmax(axis=1)).reshape(-1)
        return found

    def after(self, history: Ints1d) -> Floats1d:
        """history: int64 (h,), rows that were released in this sentence, the last one last ->
        float64 (n,), above 0 and in sum 1: how likely each word of the space is next."""
        names = self.arpa.words
        ids: list[int] = self._of_row[history].tolist()
        if "<s>" in names and len(ids) < len(self.arpa.levels) - 1:
            ids.insert(0, names.index("<s>"))
        p = follows(self.arpa, ids[-max(len(self.arpa.levels) - 1, 1) :])
        p = np.maximum(p, LEAST) * self.arpa.said
        weights: Floats1d = self.cells @ p
        shares: Floats1d = weights / weights.sum()
        return shares

    @cached_property
    def unigram(self) -> Floats1d:
        """float64 (n,): that of a word of which nothing is known."""
        said = np.where(self.arpa.said, np.exp(self.arpa.levels[0].logs), 0.0)
        weights: Floats1d = self.cells @ np.maximum(said, LEAST * self.arpa.said)
        return np.asarray(weights / weights.sum())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all of it, in hexadecimal."""
        hasher = hashlib.sha256("\n".join(self.arpa.words).encode())
        for level in self.arpa.levels:
            for part in (level.contexts, level.words, level.logs, level.backs):
                hasher.update(np.ascontiguousarray(part).data)
        for part in (self.cells.data, self.cells.indices, self.cells.indptr):
            hasher.update(np.ascontiguousarray(part).data)
        return hasher.hexdigest()
