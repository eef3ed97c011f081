r"""A public language model with exact sums over sentences, and its mapping to a space.

    q(y_1 .. y_n) = sum over z of  begin[z_1] B[y_1, z_1] T[z_1, z_2] B[y_2, z_2] ...  (end[z_n])

    T[z, z'] = back[z] u[z'] + delta[z, z']        B[y, z] = emit[y, z]

Word pairs with back-off are such a chain, with types of words as states; so are independent words
(one state). K is the number of types, n that of words of the space, S that of parallel sentences.

A variable-order model has C further states, contexts of two words: (x, y) has the emissions of its
base y, its scaled transitions and further ones:

    T[c, z'] = lower[c] T[base[c], z'] + context_delta[c, z']

The states are the K types, then the C contexts. Pairs lead to a context by delta, never by u.

Words of the model and of a space are matched by exact case first, then without case. A word of the
space that the model lacks joins the nearest word of the model, with a small share of its
probability, so that every word of the space can be sampled.

Paper  Rabiner 1989, "A tutorial on hidden Markov models"; Katz 1987 (back-off); Ron, Singer and
       Tishby 1996, "The power of amnesia" (variable order)
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Numbers1d, blocks
from ..errors import DxError, Errors
from ..metric.word_graph import with_classes
from ..space import Space

ARRAYS = ("begin", "alone", "end", "back", "u")
TABLES = ("delta", "emit")
PARTS = ("data", "indices", "indptr")  # of a table
TOLERANCE = 1e-4  # of sums that should be 1, in float32
JOINED_WEIGHT = 0.01  # weight of a joined word, relative to its host
MAX_JOINED = 0.1  # weight of all words of a host, relative to it
MIN_SHARE = 1e-3  # of a spelling, relative to the commonest
HOSTS = 12_000  # the commonest words, which others join
WORDS_AT_ONCE = 1024
MIN_SUM = 1e-6  # of transitions from a word


@dataclass(frozen=True, eq=False, repr=False)
class Chain:
    """A hidden Markov model with back-off, over the words of a space."""

    begin: Numbers1d  # (K + C,), probabilities of the first state of a sentence
    alone: Numbers1d  # (K,), probabilities of the state of a word without context
    end: Numbers1d  # (K + C,), the probability that a sentence ends after a state
    back: Numbers1d  # (K,)
    u: Numbers1d  # (K,)
    delta: Any  # csr float32 (K, K + C), not negative
    emit: Any  # csr float32 (n, K); columns sum to 1, or less if the space lacks words
    base: Numbers1d = field(default_factory=partial(np.zeros, 0, np.int32))  # (C,)
    lower: Numbers1d = field(default_factory=partial(np.zeros, 0, np.float32))  # (C,)
    context_delta: Any = None  # csr float32 (C, K + C), not negative; None without contexts

    def __post_init__(self) -> None:
        check_chain(self)

    @cached_property
    def types(self) -> int:
        return len(self.u)

    @cached_property
    def states(self) -> int:
        return self.types + len(self.base)

    def expand_to_states(self, numbers: Numbers1d) -> Numbers1d:
        """Return a number for every state, (K + C,), given one per type, (K,)."""
        return np.append(numbers, numbers[self.base]) if len(self.base) else numbers

    def sum_by_type(self, numbers: Floats1d) -> Floats1d:
        """Return the sum by type, (K,), of a number per state, (K + C,)."""
        sums: Floats1d = numbers[: self.types].copy()
        np.add.at(sums, self.base, numbers[self.types :])
        return sums

    def zero_pad_to_states(self, numbers: Numbers1d) -> Numbers1d:
        """Return a number for every state, (K + C,), given one per type, (K,); contexts get 0."""
        C = len(self.base)
        return np.append(numbers, np.zeros(C, numbers.dtype)) if C else numbers

    @cached_property
    def emitters(self) -> Any:
        """The emissions of all states, csr (n, K + C)."""
        if not len(self.base):
            return self.emit
        return self.emit.tocsc()[:, self.expand_to_states(np.arange(self.types))].tocsr()

    @cached_property
    def base_types(self) -> Ints1d:
        """The types that are bases of contexts, int64 (B,)."""
        return np.unique(self.base).astype(np.int64)

    @cached_property
    def base_shares(self) -> Any:
        """lower[c] at base[c], which adds messages of contexts to their bases, csr (K, C)."""
        from scipy.sparse import csr_array

        C = len(self.base)
        return csr_array((self.lower, (self.base, np.arange(C))), shape=(self.types, C))

    def incoming_transitions(self) -> Any:
        """Return delta.T and context_delta.T side by side, csr (K + C, K + C)."""
        from scipy.sparse import hstack

        into = self.delta.T.tocsr()
        return hstack([into, self.context_delta.T], format="csr") if len(self.base) else into

    @cached_property
    def pairs(self) -> Chain:
        """The model of pairs without contexts."""
        from scipy.sparse import csr_array

        if not len(self.base):
            return self
        K = self.types
        cells = self.delta.tocoo()
        x, y = cells.coords
        onto = csr_array((cells.data, (x, self.expand_to_states(np.arange(K))[y])), shape=(K, K))
        begin = self.sum_by_type(self.begin.astype(np.float64))
        fields = {name: getattr(self, name) for name in ("alone", "back", "u", "emit")}
        return Chain(begin=begin.astype(np.float32), end=self.end[:K], delta=onto, **fields)

    @property
    def is_unigram(self) -> bool:
        """Whether words are independent."""
        return self.states == 1

    @cached_property
    def totals(self) -> Floats1d:
        """The column sums of emit, float64 (K,)."""
        return self.emission_sums(np.ones(self.emit.shape[0]))

    def emission_sums(self, weights: Floats1d) -> Floats1d:
        """Return emit.T @ weights, float64 (K,), for weights of words (n,)."""
        # In float64: sparse tables would sum float32 as float32.
        numbers = np.repeat(weights, np.diff(self.emit.indptr)) * self.emit.data
        sums: Floats1d = np.bincount(self.emit.indices, numbers, self.types).astype(np.float64)
        return sums

    @cached_property
    def words_by_state(self) -> Any:
        """The words of each type in a column, csc (n, K)."""
        return self.emit.tocsc()

    @cached_property
    def one_state(self) -> tuple[Numbers1d, Numbers1d] | None:
        """The single state of each word, and its emission, (n,) each; None if a word has several
        states or none."""
        if not (np.diff(self.emit.indptr) == 1).all():
            return None
        return self.emit.indices, self.emit.data

    @cached_property
    def unigram(self) -> Floats1d:
        """The probability of each word without context, float64 (n,)."""
        weights: Floats1d = self.emit @ self.alone.astype(np.float64)
        return weights

    @cached_property
    def _into(self) -> Any:
        """incoming_transitions and u, for one product, csr (K + C, K + C + 1)."""
        from scipy.sparse import csr_array, hstack

        K, ends = self.types, np.minimum(np.arange(self.states + 1), self.types)
        behind = csr_array((self.u, np.zeros(K, np.int32), ends), shape=(self.states, 1))
        return hstack([self.incoming_transitions(), behind], format="csr")

    def forward(self, M: Floats2d) -> Floats2d:
        """Return T.T @ M, the forward messages of the next step, for M float (K + C, S)."""
        K = self.types
        of_base = M[:K] + self.base_shares @ M[K:] if len(self.base) else M
        ahead: Floats2d = self._into @ np.vstack([of_base, M[K:], self.back @ of_base])
        return ahead

    def backward(self, M: Floats2d) -> Floats2d:
        """Return T @ M, the backward messages of the step before, for M float (K + C, S)."""
        behind: Floats2d = self.delta @ M
        behind += np.multiply.outer(self.back, self.u @ M[: self.types])
        if not len(self.base):
            return behind
        return np.vstack([behind, self.lower[:, None] * behind[self.base] + self.context_delta @ M])

    def transitions(self, targets: Ints1d, sources: Ints1d) -> tuple[Ints1d, Ints1d, Numbers1d]:
        """Return the entries of delta and context_delta from sources to targets: their indices in
        `targets` and in `sources`, and the entries, (e,) each."""
        table = self._into
        first, counts = table.indptr[targets], np.diff(table.indptr)[targets]
        place = np.repeat(np.arange(len(targets)), counts)
        entries = np.arange(len(place)) + np.repeat(first - np.cumsum(counts) + counts, counts)
        at = np.full(self.states + 1, -1)  # the last column is u
        at[sources] = np.arange(len(sources))
        source_at = at[table.indices[entries]]
        listed = source_at >= 0
        return place[listed], source_at[listed], table.data[entries[listed]]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all arrays, in hexadecimal."""
        hasher = hashlib.sha256()
        for array in to_fields(self).values():
            hasher.update(np.ascontiguousarray(array).data)
        return hasher.hexdigest()

    # A copy computes the cached properties again.
    def __getstate__(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self)}


@runtime_checkable
class Prior(Protocol):
    """A public language model, which never sees an input.

    draws: "alone" (word-level sampling) or "sentence" (sentence-level).
    """

    name: str
    draws: str

    def fit(self, space: Space) -> Chain:
        """Return the language model on the words of the space."""
        ...


def check_chain(chain: Chain) -> None:
    """Raise DxError for arrays that do not fit together, negative numbers, sums that are not 1, and
    states without successors."""

    def check_sum(subject: str, sums: Floats1d) -> None:
        off = float(np.abs(sums - 1).max())
        if off > TOLERANCE:
            wrong = f"should add up to 1, and is {off:.3g} off"
            raise _bad(f"{subject} {'leads nowhere' if sums.min() == 0 else wrong}")

    K, C = chain.types, len(chain.base)
    sizes = {**dict.fromkeys(ARRAYS, K), "begin": K + C, "end": K + C, "lower": C}
    for name, size in sizes.items():
        array = getattr(chain, name)
        if array.shape != (size,) or not np.isfinite(array).all() or array.min(initial=0) < 0:
            raise _bad(f"{name} should be {size} numbers that are not negative")
    if chain.delta.shape != (K, K + C) or chain.emit.shape[1:] != (K,):
        raise _bad(f"it has {K} states, but tables of {chain.delta.shape}, {chain.emit.shape}")
    if chain.delta.data.min(initial=0) < 0:
        raise _bad("some probabilities are negative")
    check_contexts(chain)
    for name in ("begin", "alone"):
        check_sum(name, np.asarray([getattr(chain, name).sum(dtype=np.float64)]))
    delta = np.asarray(chain.delta @ np.ones(K + C)).reshape(-1)
    rows = delta + chain.back.astype(np.float64) * chain.u.sum(dtype=np.float64)
    check_sum("what follows a state", rows)
    if not (chain.end > 0).any():
        raise _bad("no sentence can end")
    if not (chain.totals > 0).any():
        raise _bad("it holds no word of the space")


def check_contexts(chain: Chain) -> None:
    """Raise DxError for contexts that do not fit, or have no successors. Their transitions may sum
    to less than 1, if sentences end after them more often than after their base."""
    K, C = chain.types, len(chain.base)
    if not C:
        return
    if chain.base.min() < 0 or chain.base.max() >= K:
        raise _bad("some contexts have no type")
    if chain.context_delta is None or chain.context_delta.shape != (C, K + C):
        raise _bad(f"it has {C} contexts without a table of what follows them")
    data = chain.context_delta.data
    if not np.isfinite(data).all() or data.min(initial=0) < 0:
        raise _bad("some probabilities are negative")
    if not (chain.lower + np.asarray(chain.context_delta.sum(axis=1)).reshape(-1) > 0).all():
        raise _bad("a context leads nowhere")


def _bad(why: str) -> DxError:
    return DxError(Errors.DX060.format(why=why))


def chain_of(**fields: Any) -> Chain:
    """Return a chain in float32, given its fields in any precision; begin, alone and u are
    normalised. Raise DxError as check_chain does."""
    for name in ("begin", "alone", "u"):
        weights = np.asarray(fields[name], dtype=np.float64)
        fields[name] = weights / weights.sum()
    tables = {name: fields[name].astype(np.float32) for name in TABLES}
    if "context_delta" in fields:
        tables["context_delta"] = fields["context_delta"].astype(np.float32)
        tables["base"] = np.asarray(fields["base"], dtype=np.int32)
        tables["lower"] = np.asarray(fields["lower"], dtype=np.float32)
    return Chain(**{name: np.asarray(fields[name], np.float32) for name in ARRAYS}, **tables)


def unigram_chain(weights: Numbers1d) -> Chain:
    """Return a chain of independent words, given their weights, float (n,), above 0."""
    from scipy.sparse import csr_array

    emit = csr_array((weights / weights.sum())[:, None])
    return chain_of(**dict.fromkeys(ARRAYS, np.ones(1)), delta=csr_array((1, 1)), emit=emit)


def to_fields(chain: Chain) -> dict[str, Any]:
    """Return the arrays by name."""
    fields = {name: getattr(chain, name) for name in ARRAYS}
    for name in TABLES:
        fields |= {f"{name}_{part}": getattr(getattr(chain, name), part) for part in PARTS}
    if len(chain.base):
        fields |= {"base": chain.base, "lower": chain.lower}
        fields |= {f"more_{part}": getattr(chain.context_delta, part) for part in PARTS}
    return fields


def from_fields(fields: Mapping[str, Any], n: int) -> Chain:
    """Return the chain of to_fields on n words. Raise DxError as check_chain does."""
    from scipy.sparse import csr_array

    def table(name: str, shape: tuple[int, int]) -> Any:
        return csr_array(tuple(fields[f"{name}_{part}"] for part in PARTS), shape=shape)

    contexts = {name: fields[name] for name in ("base", "lower") if name in fields}
    K, C = len(fields["u"]), len(contexts.get("base", ()))
    if C:
        contexts["context_delta"] = table("more", (C, K + C))
    arrays = {name: fields[name] for name in ARRAYS}
    return Chain(**arrays, delta=table("delta", (K, K + C)), emit=table("emit", (n, K)), **contexts)


# -- mapping to the words of a space ---------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class PairModel:
    """A language model on its own words."""

    words: Sequence[str]  # V different strings
    chain: Chain  # its emit is (V, K)
    name: str


@dataclass(frozen=True, eq=False, repr=False)
class WeightedWords:
    """Words and their frequencies."""

    words: Sequence[str]
    weights: Floats1d  # float64 (V,); 0 for entries that are no words
    name: str


def map_to_space(model: PairModel, space: Space, frequency: Floats1d) -> Chain:
    """Return the language model on the words of a space.

    States without words are left out; ratios of probabilities of sentences do not change.

    Args:
        model: The language model.
        space: The space, of n words.
        frequency: float (n,), by which several spellings of a word of the model share its
            probability.

    Raises:
        DxError: If no word of the space is in the model.
    """
    from scipy.sparse import diags_array

    chain, listed = model.chain, WeightedWords(model.words, model.chain.unigram, model.name)
    cells = with_neighbours(spelling_shares(listed, space, frequency), space, listed.weights)
    emit = (cells @ chain.emit).tocsr()
    types = np.asarray(emit.sum(axis=0)).reshape(-1) > 0
    if types.all():
        return replace(chain, emit=emit.astype(np.float32))
    u, inner = chain.u[types].astype(np.float64), chain.delta.astype(np.float64)[types]
    states = chain.expand_to_states(types)
    # Contexts with a first word that is left out are not reachable.
    states[chain.types :] &= (inner.sum(axis=0) + chain.begin > 0)[chain.types :]
    delta, back, end, sums = absorb_stops(
        inner[:, states],
        chain.end[: chain.types][types].astype(np.float64),
        u,
        chain.back[types],
    )
    stays = shares_of(sums)
    begin, alone = chain.begin[states], chain.alone[types] / stays
    contexts: dict[str, Any] = {}
    if len(chain.base):
        reachable = states[chain.types :]
        base = (np.cumsum(types) - 1)[chain.base[reachable]]
        listed_delta = chain.context_delta[reachable][:, states].astype(np.float64)
        context_delta = diags_array(1 / sums[base]) @ listed_delta
        end = np.append(end, chain.end[chain.types :][reachable] / sums[base])
        contexts = {
            "base": base,
            "lower": chain.lower[reachable],
            "context_delta": context_delta.tocsr(),
        }
    return chain_of(
        begin=begin if begin.any() else np.append(alone, np.zeros(states.sum() - types.sum())),
        alone=alone, end=end, back=back, u=u, delta=delta,
        emit=(emit[:, types] @ diags_array(stays)).tocsr(), **contexts,
    )  # fmt: skip


def spelling_shares(listed: WeightedWords, space: Space, frequency: Floats1d) -> Any:
    """Return the share of each word of a space in each listed word, csr float64 (n, V). Columns sum
    to 1, or to 0 if the space lacks the word.

    Raises DxError if no word of the space is listed.
    """
    from scipy.sparse import csr_array

    V = len(listed.words)
    words = list(listed.words)
    exact = {word: i for i, word in reversed(list(enumerate(words)))}
    folded = {word.lower(): i for i, word in reversed(list(enumerate(words)))}
    # Each word of the space in exact, lower and any case; then remaining words in the same way.
    column = (exact.get(w, exact.get(w.lower(), folded.get(w.lower(), -1))) for w in space.words)
    of_row, of_word = np.fromiter(column, np.int64, len(space)), space.find_all(words)
    of_word[np.isin(np.arange(V), of_row)] = -1
    by_row, by_word = np.flatnonzero(of_row >= 0), np.flatnonzero(of_word >= 0)
    rows = np.concatenate([by_row, of_word[by_word]])
    columns = np.concatenate([of_row[by_row], by_word])
    weighed = listed.weights[columns] > 0
    rows, columns = rows[weighed], columns[weighed]
    if not len(rows):
        raise DxError(Errors.DX064.format(prior=listed.name, space=space.name))
    largest = np.zeros(V)
    np.maximum.at(largest, columns, frequency[rows])
    shares = np.maximum(frequency[rows], MIN_SHARE * largest[columns])
    shares /= np.bincount(columns, shares, V)[columns]
    return csr_array((shares, (rows, columns)), shape=(len(space), V))


def with_neighbours(cells: Any, space: Space, weights: Floats1d) -> Any:
    """Return the cells of spelling_shares with unlisted words of the space joined to listed ones,
    so that no row is empty. weights: (V,), of the listed words."""
    from scipy.sparse import csr_array

    is_unlisted = np.diff(cells.indptr) == 0
    if not is_unlisted.any():
        return cells
    guests, n = np.flatnonzero(is_unlisted), len(space)
    hosts = nearest_hosts(space, is_unlisted, cells @ weights)
    number = np.bincount(hosts, minlength=n)
    share = np.minimum(JOINED_WEIGHT, MAX_JOINED / np.maximum(number, 1))
    stays = 1 / (1 + number * share)
    listed = np.flatnonzero(~is_unlisted)
    rows, columns = np.append(listed, guests), np.append(listed, hosts)
    shares = np.append(stays[listed], (share * stays)[hosts])
    return (csr_array((shares, (rows, columns)), shape=(n, n)) @ cells).tocsr()


def nearest_hosts(space: Space, is_unlisted: Bools1d, weights: Floats1d) -> Ints1d:
    """Return the nearest of the commonest listed words for each unlisted word, (k,)."""
    hosts = np.flatnonzero(~is_unlisted)
    hosts = np.sort(hosts[np.argsort(-weights[hosts], kind="stable")[:HOSTS]])
    X = with_classes(space)
    Y, guests = np.ascontiguousarray(X[hosts]), np.flatnonzero(is_unlisted)
    squares, nearest = (Y**2).sum(axis=1), np.empty(len(guests), dtype=np.int64)
    for part in blocks(len(guests), WORDS_AT_ONCE):
        nearest[part] = np.argmin(squares - 2 * X[guests[part]] @ Y.T, axis=1)
    return hosts[nearest]


def absorb_stops(T: Any, stop: Floats1d, u: Floats1d, back: Floats1d) -> tuple[Any, ...]:
    r"""Return a language model with stops as a chain: (delta, back, end, s).

    T + back u, (K, K), sums to 1 - stop in each row, or less if words are left out. With s = its
    row sums, sentences have the same weight in a chain with transitions divided by s, words
    multiplied by s, and stop / s for the last word:

        product of s_i * product of (T_i / s_i) * stop_n / s_n
    """
    from scipy.sparse import diags_array

    s = np.asarray(T.sum(axis=1, dtype=np.float64)).reshape(-1) + back * u.sum()
    safe = np.maximum(s, MIN_SUM)
    delta = (diags_array(1 / safe) @ T).tocsr()
    back_off = np.maximum(1 - np.asarray(delta.sum(axis=1)).reshape(-1), 0.0)
    return delta, back_off, stop / safe, safe


def shares_of(sums: Floats1d) -> Floats1d:
    """Return the weights of words given the sums of `absorb_stops`, at most 1."""
    shares: Floats1d = sums / max(1.0, sums.max())
    return shares
