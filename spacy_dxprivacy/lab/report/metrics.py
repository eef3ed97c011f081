"""How much of the texts is left: figures of two lists of documents, each by a well-kept library."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from ...arrays import Floats1d, Floats2d
from ...space import Space
from .extra import need
from .pairs import Pair, Token, is_same

OFTEN = 5  # occurrences of a word from which on its different replacements are counted
NOT_THERE = "not in the space"

# The first that fits names the part of a word. A word of several classes has a main use: function
# words and numbers are hardly ever something else.
PARTS = {
    "function words": (
        "pronoun", "possessive", "determiner", "preposition", "conjunction", "auxiliary", "modal",
        "negation", "wh_word", "adverb_particle", "adverb_function",
    ),
    "numbers and dates": ("month", "weekday", "year", "number", "ordinal"),
    "names and places": (
        "first_name", "surname", "title", "city", "country", "state", "region", "nationality",
        "religion", "language", "proper",
    ),
    "nouns": ("noun",),
    "verbs": ("verb",),
    "adjectives and adverbs": ("adjective", "adverb"),
}  # fmt: skip
OTHER = "other words"


@dataclass(frozen=True)
class Utility:
    """kept: the share of words that are as they were; kept_by_document: float64 (documents,), nan
    for one without words; parts: for each kind of word, how many are kept and how many there are.
    rouge1: the mean F1 of documents. bleu: of the corpus, from 0 to 100. document_similarity and
    word_similarity: mean cosines of mean vectors, and of a word and its replacement, where the
    space has both. variety: how many different words stand for a word, on average over words
    that occur OFTEN; None where there are none. aligned: documents whose tokens all have a
    partner. words, changed: how many. documents: how many.
    """

    documents: int
    words: int
    changed: int
    aligned: int
    kept_by_document: Floats1d
    parts: dict[str, tuple[int, int]]
    rouge1: float
    bleu: float
    document_similarity: float | None
    word_similarity: float | None
    variety: float | None

    @property
    def kept(self) -> float:
        """The share of words that stay, 0 to 1; nan of no words."""
        return 1 - self.changed / self.words if self.words else float("nan")


def utility_of(
    pairs: Sequence[Pair],
    space: Space,
    *,
    progress: Callable[[Iterable[Pair]], Iterable[Pair]] = iter,
) -> Utility:
    """space: whose vectors similarity is taken in. progress: wraps the documents, as tqdm does."""
    scores = list(map(rouge1, progress(pairs)))
    kept = np.array([pair.kept() for pair in pairs], dtype=float).reshape(-1, 2)
    with np.errstate(invalid="ignore"):
        shares = kept[:, 0] / kept[:, 1]
    documents, words = similarities(pairs, space)
    return Utility(
        documents=len(pairs),
        words=int(kept[:, 1].sum()),
        changed=int(kept[:, 1].sum() - kept[:, 0].sum()),
        aligned=sum(pair.aligned for pair in pairs),
        kept_by_document=shares,
        parts=kept_by_part(pairs, space),
        rouge1=float(np.mean(scores)) if scores else float("nan"),
        bleu=bleu(pairs),
        document_similarity=documents,
        word_similarity=words,
        variety=variety(pairs),
    )


def rouge1(pair: Pair) -> float:
    """F1 of the words of both texts, whatever their order (Lin 2004), by rouge-score."""
    old, new = pair.texts
    return float(_scorer().score(old, new)["rouge1"].fmeasure)


@lru_cache(maxsize=1)
def _scorer():  # type: ignore[no-untyped-def]
    need("rouge_score")
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rouge1"])


def bleu(pairs: Sequence[Pair]) -> float:
    """Of the corpus, from 0 to 100 (Papineni et al. 2002), by sacrebleu with its defaults."""
    if not pairs:
        return float("nan")
    old, new = zip(*(pair.texts for pair in pairs), strict=True)
    # force: it would warn of text that looks as if it were tokenised.
    return float(need("sacrebleu").corpus_bleu(list(new), [list(old)], force=True).score)


def similarities(pairs: Sequence[Pair], space: Space) -> tuple[float | None, float | None]:
    """Mean cosines: of the mean vectors of a document before and after; of a word and what stands
    in its place. None where no vector is known."""
    X = _unit(space.vectors)
    find = cache(space.find)
    of_documents, of_words = [], []
    for pair in pairs:
        old = _rows(find, (t.text for t in pair.before if t.word))
        new = _rows(find, (t.text for t in pair.after if t.word))
        if len(old) and len(new):
            means = _unit(np.stack([space.vectors[old].mean(0), space.vectors[new].mean(0)]))
            of_documents.append(float(means[0] @ means[1]))
        rows = [(find(a), find(b)) for a, b in pair.words()]
        both = np.array([r for r in rows if min(r) >= 0], dtype=np.int64).reshape(-1, 2)
        of_words.append(np.einsum("kd,kd->k", X[both[:, 0]], X[both[:, 1]]))
    cosines = np.concatenate(of_words) if of_words else np.zeros(0)
    return (
        float(np.mean(of_documents)) if of_documents else None,
        float(cosines.mean()) if len(cosines) else None,
    )


def kept_by_part(pairs: Sequence[Pair], space: Space) -> dict[str, tuple[int, int]]:
    """(kept, all) for each kind of word, from the classes of the space, or of the built-in one
    where it has none. Kinds that do not occur are left out."""
    part = part_finder(space)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for pair in pairs:
        tokens = (token for token in pair.before if token.word)
        for token, (old, new) in zip(tokens, pair.words(), strict=True):
            count = counts[part(token)]
            count[0] += is_same(old, new)
            count[1] += 1
    return {
        name: (counts[name][0], counts[name][1])
        for name in (*PARTS, OTHER, NOT_THERE)
        if name in counts
    }


def part_finder(space: Space) -> Callable[[Token], str]:
    """A function from a token to the name of its kind."""
    classed = space if space.classes is not None else Space.builtin()
    masks = {name: _bits(classed, classes) for name, classes in PARTS.items()}

    @cache
    def part(token: Token) -> str:
        if _row(space, token) < 0:
            return NOT_THERE
        row = _row(classed, token)
        bits = int(classed.classes[row]) if row >= 0 and classed.classes is not None else 0
        return next((name for name, mask in masks.items() if bits & mask), OTHER)

    return part


def variety(pairs: Sequence[Pair]) -> float | None:
    """How many different words stand for a word, over words that occur OFTEN or more."""
    outputs: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        for old, new in pair.words():
            outputs[old.lower()][new.lower()] += 1
    found = [len(some) for some in outputs.values() if some.total() >= OFTEN]
    return float(np.mean(found)) if found else None


def _bits(space: Space, classes: Iterable[str]) -> int:
    names = list(space.class_names)
    return sum(1 << names.index(name) for name in classes if name in names)


def _row(space: Space, token: Token) -> int:
    row = space.find(token.text)
    return row if row >= 0 else space.find(token.norm)


def _rows(find: Callable[[str], int], words: Iterable[str]) -> list[int]:
    return [row for row in map(find, words) if row >= 0]


def _unit(X: Floats2d) -> Floats2d:
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1)
