"""Public language out of public texts: what `dx prior` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Floats1d, Ints1d
from ..errors import Errors, UsageError
from ..space import Space
from ..validate import one_of, whole
from . import baum_welch
from .corpus import STOP, Corpus, collect
from .counts import Vocabulary, count_pairs, kneser_ney, pairs_law, vocabulary
from .law import Law
from .measure import nats_of_pairs
from .saved import KINDS, write_law

LEAST_WORDS = 1000
TYPES, PAIRS, STATES, ITERATIONS = 12_000, 1_000_000, 256, 20


@dataclass(frozen=True)
class Recipe:
    """kind: "pairs" or "hidden-markov". types: words that are told apart. pairs: that are listed.
    states, iterations, seed: of hidden Markov models. lang: whose tokenizer cuts the texts."""

    kind: str = "pairs"
    types: int = TYPES
    pairs: int = PAIRS
    states: int = STATES
    iterations: int = ITERATIONS
    seed: int = 0
    lang: str = "en"
    name: str = "custom"

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        for field, least in (("types", 2), ("pairs", 0), ("states", 1), ("iterations", 1)):
            whole(field, getattr(self, field), least=least)
        whole("seed", self.seed, least=0)


@dataclass(frozen=True)
class Made:
    """A law, and how it does on every tenth sentence, which it was not made from. perplexity: of
    words that it knows, given those before them in their sentence. coverage: the share of words
    that it knows. in_space: the share of its types that the space holds."""

    law: Law
    kind: str
    words: int
    held_out_words: int
    perplexity: float
    coverage: float
    in_space: float

    def told(self) -> dict[str, Any]:
        names = ("words", "held_out_words", "perplexity", "coverage", "in_space")
        return {"types": len(self.law.words), **{name: getattr(self, name) for name in names}}

    def save(self, path: str | Path, *, force: bool = False) -> None:
        write_law(self.law, self.kind, Path(path), self.told(), force=force)


Say = Callable[[str], object]


def make_prior(
    texts: Iterable[str],
    recipe: Recipe | None = None,
    space: Space | None = None,
    say: Say = lambda line: None,
) -> Made:
    """texts: public ones, read once, as a stream. space: whose words they should hold; the built-in
    one if left out. say: called with lines on how it goes.

    Raises UsageError for texts with too few words, or none of the space's.
    """
    recipe, space = recipe or Recipe(), space or Space.builtin()
    corpus = collect(texts, recipe.lang)
    vocab = vocabulary(corpus, recipe.types)
    held_in = _check(vocab, space)
    say(f"{vocab.trained:,} words, {len(vocab.types):,} types; {vocab.held:,} words held out")
    law, nats = (_pairs if recipe.kind == "pairs" else _hidden)(corpus, vocab, recipe, say)
    perplexity = float(np.exp(nats.mean())) if len(nats) else float("nan")
    coverage = len(nats) / max(vocab.held, 1)
    return Made(law, recipe.kind, vocab.trained, vocab.held, perplexity, coverage, held_in)


def _check(vocab: Vocabulary, space: Space) -> float:
    """The share of types that the space holds."""
    if vocab.trained < LEAST_WORDS or len(vocab.types) < 2:
        why = f"they hold {vocab.trained:,} words to learn from, and it takes {LEAST_WORDS:,}"
        raise UsageError(Errors.DX065.format(why=why))
    share = float(np.mean([space.find(word) >= 0 for word in vocab.types]))
    if not share:
        why = f"the space {space.name!r} holds none of their words"
        raise UsageError(Errors.DX065.format(why=why))
    return share


def _pairs(corpus: Corpus, vocab: Vocabulary, recipe: Recipe, say: Say) -> tuple[Law, Floats1d]:
    """The law, and the nats of each known word that is held out."""
    counts = count_pairs(corpus, vocab)
    say(f"{len(counts.count):,} different pairs")
    law = pairs_law(kneser_ney(counts), vocab.types, recipe.pairs, recipe.name)
    return law, _held_out(corpus, vocab, partial(nats_of_pairs, law.chain))


def _hidden(corpus: Corpus, vocab: Vocabulary, recipe: Recipe, say: Say) -> tuple[Law, Floats1d]:
    def told(number: int, nats: float) -> None:
        say(f"iteration {number} of {recipe.iterations}: {nats:.4f} nats a word of the texts")

    def chunks() -> Iterator[Ints1d]:
        return (vocab.sentences(ids) for ids, held in corpus.chunks() if not held and len(ids))

    model = baum_welch.start(recipe.states, _often(chunks(), vocab), recipe.seed)
    model = baum_welch.learn(model, chunks, recipe.iterations, told)
    law = baum_welch.law_of(model, vocab.types, recipe.name)
    return law, _held_out(corpus, vocab, partial(baum_welch.foretold, model))


def _often(chunks: Iterable[Ints1d], vocab: Vocabulary) -> Floats1d:
    counts = np.zeros(len(vocab.types) + 1)
    for types in chunks:
        counts += np.bincount(types[types != STOP], minlength=len(counts))
    shares: Floats1d = counts / counts.sum()
    return shares


def _held_out(corpus: Corpus, vocab: Vocabulary, nats: Callable[[Ints1d], Floats1d]) -> Floats1d:
    some = [nats(vocab.sentences(ids)) for ids, held in corpus.chunks() if held and len(ids)]
    return np.concatenate(some) if some else np.zeros(0)
