"""How much of the texts is left: figures of pairs of documents, each by a well-kept library.

Every function takes pairs (and a public space) and gives numbers; none reads a file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d
from ...editors.model import LanguageModel
from ...errors import DxError, UsageError
from ...space import Space
from .pairs import Pair

# What is imported of the extra `report`, and what it is installed as.
NEEDED = {"sacrebleu": "sacrebleu", "rouge_score": "rouge-score", "sklearn": "scikit-learn"}
OFTEN = 5  # occurrences of a word from which on its different replacements are counted


def missing() -> list[str]:
    """The names of the libraries of the extra that are not installed."""
    return [name for module, name in NEEDED.items() if find_spec(module) is None]


def check_extra() -> None:
    """Raise DxError with what to type where a library of the extra is missing."""
    if absent := missing():
        raise DxError(
            f"the report needs {', '.join(absent)}, which this Python does not have: "
            'pip install "spacy-dxprivacy[report]"'
        )


def need(module: str) -> Any:
    """Import a module of the extra. Raise DxError as check_extra does."""
    check_extra()
    return import_module(module)


@dataclass(frozen=True)
class Utility:
    """How much of the texts is left. aligned: documents whose tokens all have a partner.
    kept_by_document: share of unchanged words, float64 (documents,); nan for one without words.
    rouge1: mean F1 of the documents. bleu: of the corpus, from 0 to 100. document_similarity,
    word_similarity: mean cosines of mean vectors, and of a word and its replacement, where the
    space has both. variety: how many different words stand for a word, on average over words that
    occur OFTEN."""

    documents: int
    words: int
    changed: int
    aligned: int
    kept_by_document: Floats1d
    rouge1: float
    bleu: float
    document_similarity: float | None
    word_similarity: float | None
    variety: float | None

    @property
    def kept(self) -> float:
        """The share of unchanged words, 0 to 1; nan of no words."""
        return 1 - self.changed / self.words if self.words else float("nan")

    @property
    def histogram(self) -> list[int]:
        """How many documents have a share of unchanged words in each of 20 equal steps."""
        known = self.kept_by_document[~np.isnan(self.kept_by_document)]
        counts: list[int] = np.histogram(known, bins=20, range=(0, 1))[0].tolist()
        return counts


def utility_of(
    pairs: Sequence[Pair],
    space: Space,
    *,
    progress: Callable[[Iterable[Pair]], Iterable[Pair]] = iter,
) -> Utility:
    """Measure pairs. Similarity is taken in the space; progress wraps the documents, as tqdm."""
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
        rouge1=float(np.mean(scores)) if scores else float("nan"),
        bleu=bleu(pairs),
        document_similarity=documents,
        word_similarity=words,
        variety=variety(pairs),
    )


def rouge1(pair: Pair) -> float:
    """F1 of the words of both texts, whatever their order, by rouge-score (Lin 2004)."""
    return float(_rouge().score(*pair.texts)["rouge1"].fmeasure)


@lru_cache(maxsize=1)
def _rouge() -> Any:
    return need("rouge_score.rouge_scorer").RougeScorer(["rouge1"])


def bleu(pairs: Sequence[Pair]) -> float:
    """BLEU of the corpus, 0 to 100, by sacrebleu with its defaults (Papineni et al. 2002)."""
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
        sides = [[find(t.text) for t in side if t.word] for side in (pair.before, pair.after)]
        old, new = ([row for row in rows if row >= 0] for rows in sides)
        if old and new:
            means = _unit(np.stack([space.vectors[old].mean(0), space.vectors[new].mean(0)]))
            of_documents.append(float(means[0] @ means[1]))
        places = [(find(a), find(b)) for a, b in pair.words()]
        both = np.array([r for r in places if min(r) >= 0], dtype=np.int64).reshape(-1, 2)
        of_words.append(np.einsum("kd,kd->k", X[both[:, 0]], X[both[:, 1]]))
    cosines = np.concatenate(of_words) if of_words else np.zeros(0)
    return (
        float(np.mean(of_documents)) if of_documents else None,
        float(cosines.mean()) if len(cosines) else None,
    )


def _unit(X: Floats2d) -> Floats2d:
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1)


def variety(pairs: Sequence[Pair]) -> float | None:
    """How many different words stand for a word, over words that occur OFTEN or more."""
    outputs: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        for old, new in pair.words():
            outputs[old.lower()][new.lower()] += 1
    found = [len(some) for some in outputs.values() if some.total() >= OFTEN]
    return float(np.mean(found)) if found else None


# -- what a classifier can still learn -------------------------------------------------------------

FOLDS = 5
# What is trained on, and what is tested on: 0 is the original, 1 the sanitised text.
ROUTES = {
    "trained on the original, tested on the original": (0, 0),
    "trained on the sanitised text, tested on sanitised text": (1, 1),
    "trained on the sanitised text, tested on the original": (1, 0),
}


@dataclass(frozen=True)
class Accuracies:
    """means and errors (standard errors over the folds) for each of ROUTES; majority: the share of
    the most frequent class, which a blind guess reaches. left_out: documents without a label, or
    of a class of one."""

    documents: int
    classes: int
    folds: int
    majority: float
    means: dict[str, float]
    errors: dict[str, float]
    left_out: int


def accuracies_of(pairs: Sequence[Pair]) -> Accuracies:
    """Accuracies of a linear classifier on word counts, cross-validated. Raise UsageError where
    fewer than two classes have two documents."""
    counts = Counter(pair.label for pair in pairs if pair.label is not None)
    usable = {label: count for label, count in counts.items() if count > 1}
    if len(usable) < 2:
        raise UsageError(
            "`label` needs a field with two classes or more, of two documents each; this one has "
            f"{len(usable)}."
        )
    chosen = [pair for pair in pairs if pair.label in usable]
    y = np.array([pair.label for pair in chosen])
    folds = min(FOLDS, *usable.values())
    texts = [np.array(side, dtype=object) for side in zip(*(p.texts for p in chosen), strict=True)]
    scores = _scores(texts, y, folds)
    return Accuracies(
        documents=len(chosen),
        classes=len(usable),
        folds=folds,
        majority=max(usable.values()) / len(chosen),
        means={route: float(np.mean(s)) for route, s in scores.items()},
        errors={route: float(np.std(s, ddof=1) / np.sqrt(folds)) for route, s in scores.items()},
        left_out=len(pairs) - len(chosen),
    )


def _scores(texts: list[Any], y: Any, folds: int) -> dict[str, list[float]]:
    """Accuracies (folds,) of each route, all on the same folds."""
    check_extra()
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline

    def fitted(side: Any, train: Any) -> Any:
        # Its own pattern drops words of one letter, and fails where there are no others.
        words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\S+")
        return make_pipeline(words, LogisticRegression(C=10.0, max_iter=1000)).fit(
            side[train], y[train]
        )

    scores: dict[str, list[float]] = {route: [] for route in ROUTES}
    # The split is no noise that protects anything: a fixed one makes the figures repeatable.
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(y, y):
        models = [fitted(side, train) for side in texts]
        for route, (on, against) in ROUTES.items():
            scores[route].append(float(models[on].score(texts[against][test], y[test])))
    return scores


# -- how texts read --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """model: its name. before, after: nats of texts as they were and as they became, both divided
    by the number of words (between blanks) that they had. is_editor: whether it is the model that
    the texts were edited by, which judges its own work."""

    model: str
    before: float
    after: float
    is_editor: bool = False


def judged(model: LanguageModel, before: Sequence[str], after: Sequence[str]) -> Judged | None:
    """None of texts without a word. The texts are read here and go nowhere."""
    words = sum(len(text.split()) for text in before)
    if not words:
        return None
    nats = [float(model.nats(model.encode(texts)).sum()) / words for texts in (before, after)]
    return Judged(model.name, nats[0], nats[1])
