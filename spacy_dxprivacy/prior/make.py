r"""Make a prior from public texts, for scripts/train_prior.py.

Texts are read once, split into sentences by layout, and stored as word ids. Words are spaCy's
tokens with a letter or digit, in lower case. A sentence ends at . ! ? ; and at the end of a line,
as in sanitised texts; other punctuation is left out. Word pairs are counted and smoothed by
interpolated modified Kneser-Ney, then pruned by relative entropy:

    P(y | x) = max(c(x y) - D(c), 0) / c(x) + back(x) u(y)     u(y) = N1+(. y) / N1+(. .)

D is one of three discounts, for pairs seen once, twice, and more often. This is a chain: back(x) is
the mass of the discounts, and delta >= 0 the remainder of the counts.

Paper  Chen and Goodman 1999, "An empirical study of smoothing techniques"; Stolcke 1998,
       "Entropy-based pruning of backoff language models"
"""

from __future__ import annotations

import re
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from numpy.typing import NDArray

from ..arrays import Floats1d, Ints1d
from ..errors import Errors, UsageError
from ..space import Space
from ..validate import whole
from .cells import cells_of
from .chain import Chain, PairModel, absorb_stops, chain_of, shares_of
from .saved import write_model

MIN_WORDS = 1000
TYPES, PAIRS = 12_000, 1_000_000
MAX_PAIRS = 2**25  # distinct pairs in memory; beyond it, pairs seen once are dropped
DISCOUNT = 0.75  # for texts that are too small to estimate it
ENDS = frozenset([".", "!", "?", ";", "...", "\u2026", "?!", "!!", "!!!"])
MAX_WORDS = 2**21  # distinct words; later ones are unknown
HELD_OUT = 10  # every tenth sentence
WORDS_AT_ONCE = 2**20  # words in memory
STOP = -1  # between sentences
_RUN = re.compile(r"[^\w\s]{33,}")  # slow in spaCy's tokenizer


@dataclass(frozen=True)
class MadePrior:
    """A language model, and its quality on every tenth sentence, which is held out."""

    model: PairModel
    words: int
    held_out_words: int
    perplexity: float  # of known words, given the words before them in their sentence
    coverage: float  # the share of known words
    in_space: float  # the share of its types that are in the space

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the prior into a folder. Raise UsageError for a path in use."""
        names = ("words", "held_out_words", "perplexity", "coverage", "in_space")
        figures = {"types": len(self.model.words), **{name: getattr(self, name) for name in names}}
        write_model(self.model, Path(path), figures, force=force)


def make_prior(
    texts: Iterable[str],
    *,
    types: int = TYPES,
    pairs: int = PAIRS,
    lang: str = "en",
    name: str = "custom",
    space: Space | None = None,
    report: Callable[[str], object] = lambda line: None,
) -> MadePrior:
    """Make a prior of public texts.

    Args:
        texts: Public texts, read once, as a stream.
        types: Number of distinct words of the model, 2 or more.
        pairs: Number of listed pairs.
        lang: Language of the tokenizer.
        name: Name of the model.
        space: The space that shares its words; the built-in one if None.
        report: Called with lines on the progress.

    Raises:
        DxError: For settings out of range.
        UsageError: For texts with too few words, or no word of the space.
    """
    types, pairs = whole("types", types, least=2), whole("pairs", pairs, least=0)
    space = space or Space.builtin()
    corpus = collect(texts, lang)
    vocab = vocabulary(corpus, types)
    if vocab.training_words < MIN_WORDS or len(vocab.types) < 2:
        why = f"they hold {vocab.training_words:,} words for training; {MIN_WORDS:,} are needed"
        raise UsageError(Errors.DX065.format(why=why))
    in_space = float(np.mean([space.find(word) >= 0 for word in vocab.types]))
    if not in_space:
        why = f"the space {space.name!r} holds none of their words"
        raise UsageError(Errors.DX065.format(why=why))
    report(f"{vocab.training_words:,} words, {len(vocab.types):,} types")
    report(f"{vocab.held_out_words:,} words held out")
    counts = count_pairs(corpus, vocab)
    report(f"{len(counts.count):,} different pairs")
    model = pairs_model(counts, vocab.types, pairs, name)
    parts = [ids for ids, held in corpus.chunks() if held and len(ids)]
    nats = [nats_of_pairs(model.chain, vocab.sentences(ids)) for ids in parts]
    known_words = sum(map(len, nats))
    perplexity = float(np.exp(np.concatenate(nats).mean())) if known_words else float("nan")
    coverage = known_words / max(vocab.held_out_words, 1)
    sizes = vocab.training_words, vocab.held_out_words
    return MadePrior(model, *sizes, perplexity, coverage, in_space)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The K commonest words of the training part."""

    types: list[str]
    of_word: Ints1d  # (words,), the type of each word, K for all others
    training_words: int
    held_out_words: int

    def sentences(self, ids: Ints1d) -> Ints1d:
        """Return the types of word ids; STOP for STOP."""
        return np.where(ids == STOP, STOP, self.of_word[ids])


def vocabulary(corpus: TokenizedTexts, largest: int) -> Vocabulary:
    counts, held = np.zeros(len(corpus.words), dtype=np.int64), 0
    for ids, is_held_out in corpus.chunks():
        if is_held_out:
            held += int((ids != STOP).sum())
        else:
            counts += np.bincount(ids[ids != STOP], minlength=len(counts))
    trained = int(counts.sum())
    counts[0] = 0  # uncounted words
    order = np.lexsort((np.arange(len(counts)), -counts))[:largest]
    order = order[counts[order] > 0]
    of_word = np.full(len(counts), len(order))
    of_word[order] = np.arange(len(order))
    return Vocabulary([corpus.words[i] for i in order], of_word, trained, held)


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts of distinct pairs, by rising x and y. 0 to K - 1 are types, K any other word, and K +
    1 the begin of a sentence (x) or its end (y)."""

    x: Ints1d
    y: Ints1d
    count: Ints1d
    K: int


def count_pairs(corpus: TokenizedTexts, vocab: Vocabulary) -> PairCounts:
    """Count each word with the word before it, and each end with the last word."""
    K = len(vocab.types)
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for ids, is_held_out in corpus.chunks():
        if is_held_out or not len(ids):
            continue
        types = vocab.sentences(ids)
        y = np.where(types == STOP, K + 1, types)
        x = np.concatenate([[K + 1], y[:-1]])  # an end is the begin of the next sentence
        new_keys, number = np.unique(x * (K + 2) + y, return_counts=True)
        keys, place = np.unique(np.concatenate([keys, new_keys]), return_inverse=True)
        sums = np.bincount(place, np.concatenate([counts, number]), len(keys))
        counts = sums.astype(np.int64)
        if len(keys) > MAX_PAIRS:
            keys, counts = keys[counts > 1], counts[counts > 1]
    return PairCounts(keys // (K + 2), keys % (K + 2), counts, K)


def discounts(count: Ints1d) -> Floats1d:
    """Return the discounts (3,) of pairs seen once, twice and more often, above 0."""
    n = np.array([(count == i).sum() for i in range(1, 5)], dtype=float)
    if (n == 0).any():
        return np.full(3, DISCOUNT)
    Y = n[0] / (n[0] + 2 * n[1])
    D = np.array([i - (i + 1) * Y * n[i] / n[i - 1] for i in range(1, 4)])
    clipped: Floats1d = np.clip(D, 0.05, [1.0, 2.0, 3.0])
    return clipped


def pairs_model(counts: PairCounts, types: list[str], max_pairs: int, name: str) -> PairModel:
    """Return the smoothed model of pairs of types, listing at most `max_pairs` of them."""
    from scipy.sparse import csr_array, diags_array

    K, W = counts.K, counts.K + 2
    total = np.maximum(np.bincount(counts.x, counts.count, W), 1)
    D = discounts(counts.count)[np.minimum(counts.count, 3) - 1]
    shares = np.maximum(counts.count - D, 0) / total[counts.x]
    listed = csr_array((shares, (counts.x, counts.y)), shape=(W, W))
    back = np.bincount(counts.x, np.minimum(D, counts.count), W) / total
    back[np.bincount(counts.x, minlength=W) == 0] = 1.0  # without successors
    follows = np.bincount(counts.y, minlength=W) / len(counts.y)
    frequency = np.bincount(counts.y, counts.count, W).astype(np.float64)[:K]
    u, stop_or_start = np.maximum(follows[:K], 1e-12), K + 1
    stop = back[:K] * follows[stop_or_start] + listed[:K, [stop_or_start]].toarray().reshape(-1)
    begin = listed[[stop_or_start], :K].toarray().reshape(-1) + back[stop_or_start] * u
    delta, back_off, end, sums = absorb_stops(listed[:K, :K], stop, u, back[:K])
    stays = shares_of(sums)
    delta, back_off = pruned(delta, back_off, u / u.sum(), frequency, max_pairs)
    chain = chain_of(
        begin=begin, alone=frequency / stays, end=end, back=back_off, u=u, delta=delta,
        emit=diags_array(stays).tocsr(),
    )  # fmt: skip
    return PairModel(types, chain, name)


def pruned(
    delta: Any, back: Floats1d, u: Floats1d, mass: Floats1d, max_pairs: int
) -> tuple[Any, Floats1d]:
    """Return the pairs with the largest P(x, y) ln(P(y | x) / back-off), and back-off weights,
    which get the mass of the others. mass: (K,), of each context."""
    from scipy.sparse import csr_array

    cells = delta.tocoo()
    x, y = cells.coords
    floor = np.maximum(back[x] * u[y], 1e-12)
    gain = mass[x] * (cells.data + floor) * np.log1p(cells.data / floor)
    keep = np.sort(np.argsort(-gain, kind="stable")[:max_pairs])
    table = csr_array((cells.data[keep], (x[keep], y[keep])), shape=cells.shape)
    table.eliminate_zeros()
    table.sort_indices()
    return table, np.maximum(1 - table.sum(axis=1), 0.0)


def nats_of_pairs(chain: Chain, types: Ints1d) -> Floats1d:
    """Return -ln P of each known word given the word before it, (k,). types: sentences of types,
    each followed by STOP, K for unknown words. For models with words as states; contexts are
    ignored."""
    chain = chain.pairs
    K = chain.states
    before = np.concatenate([[STOP], types[:-1]])
    is_known = (types >= 0) & (types < K)
    x, y = before[is_known], types[is_known]
    p = np.empty(len(y))
    first, alone = x == STOP, x == K
    p[first], p[alone] = chain.begin[y[first]], chain.alone[y[alone]]
    on = ~first & ~alone
    p[on] = chain.back[x[on]].astype(np.float64) * chain.u[y[on]]
    p[on] += cells_of(chain.delta, x[on], y[on])
    return -np.log(np.maximum(p, 1e-30))


# -- texts as word ids -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TokenizedTexts:
    """Texts as word ids, on disk."""

    words: list[str]  # by id
    ids: NDArray[np.int32]  # the words of each sentence, and STOP

    def chunks(self) -> Iterator[tuple[Ints1d, bool]]:
        """Yield word ids of whole sentences, each followed by STOP, and whether they are held
        out."""
        number = start = 0
        while start < len(self.ids):
            end = min(start + WORDS_AT_ONCE, len(self.ids))
            while self.ids[end - 1] != STOP:
                end += 1
            ids = np.array(self.ids[start:end], dtype=np.int64)
            sentence = number + np.concatenate([[0], np.cumsum(ids[:-1] == STOP)])
            number, start = int(sentence[-1]) + 1, end
            held = sentence % HELD_OUT == HELD_OUT - 1
            yield ids[~held], False
            yield ids[held], True


def collect(texts: Iterable[str], lang: str = "en") -> TokenizedTexts:
    """Read texts once. Memory holds only the distinct words."""
    index: dict[str, int] = {"": 0}
    with tempfile.TemporaryFile(prefix="dx-prior-") as file:
        for sentence in _sentences(texts, lang):
            for word in sentence:
                if len(index) < MAX_WORDS:
                    index.setdefault(word, len(index))
            file.write(array("i", [*(index.get(word, 0) for word in sentence), STOP]).tobytes())
        file.flush()
        if not file.tell():
            return TokenizedTexts(list(index), np.zeros(0, dtype=np.int32))
        # The map keeps the unnamed file open.
        return TokenizedTexts(list(index), np.memmap(file, np.int32, "r"))


def _sentences(texts: Iterable[str], lang: str) -> Iterator[list[str]]:
    nlp = spacy.blank(lang)
    for text in texts:
        for line in text.splitlines():
            with nlp.memory_zone():
                tokens = [token.text for token in nlp.tokenizer(_RUN.sub(" ", line))]
            sentence: list[str] = []
            for token in [*tokens, "."]:
                if any(map(str.isalnum, token)):
                    sentence.append(token.lower())
                elif token in ENDS and sentence:
                    yield sentence
                    sentence = []
