"""Bound the share of documents with a readable name, from documents that their owner has marked.

The documents must be drawn as those are that the bound is to hold for, and no setting may have been
chosen by them. Words that stay readable are counted as in `golden`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from spacy.language import Language

from ..arrays import Bools2d, Ints1d
from ..entities import NETWORK, THRESHOLDS
from ..errors import UsageError
from .golden import ALL_LABELS, Evaluation, Gold, evaluate
from .results import ALPHA, Progress, no_progress, upper

# Factors on all thresholds of the network, from the one that replaces least.
FACTORS = (2.0, 1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)


def bound_share(left: int, documents: int) -> float:
    """Return an upper bound on the share of documents with a readable name, from 0 to 1.

    It fails with a probability of at most ALPHA (Clopper and Pearson 1934).

    Args:
        left: Number of documents in which one is readable.
        documents: Number of documents, 1 or more.
    """
    return float(upper(left, documents, ALPHA))


def bound_next(left: int, documents: int) -> float:
    """Return an upper bound on the probability that the next document has a readable name, where
    the threshold was chosen by these documents.

    Reference:
        Angelopoulos, Bates, Fisch, Lei and Schuster 2024, Conformal risk control, theorem 1.
    """
    return (left + 1) / (documents + 1)


def fewest_documents(ceiling: float) -> float:
    """Return how many documents without a readable name a ceiling takes; infinity for 0."""
    return math.ceil(1 / ceiling - 1 - 1e-9) if ceiling else math.inf


def choose(left: Ints1d, documents: int, ceiling: float) -> int | None:
    """Return the first threshold whose bound is within the ceiling; None if none is.

    Args:
        left: For each threshold the number of documents with a readable name, shape (thresholds,),
            never rising: from the threshold that replaces least to that which replaces most.
        documents: Number of documents.
        ceiling: The largest probability, 0 to 1, that is acceptable for the next document.
    """
    for place, count in enumerate(left.tolist()):
        if bound_next(count, documents) <= ceiling:
            return place
    return None


class ThresholdRow(NamedTuple):
    """What thresholds leave. factor: on those of the pipeline. left: documents with a readable name
    at these or, if that is more, at lower thresholds. wrong: replaced words in no entity."""

    factor: float
    thresholds: dict[str, float]
    left: int
    wrong: int


def try_thresholds(
    make: Callable[[], Language], golds: Sequence[Gold], progress: Progress = no_progress
) -> list[ThresholdRow]:
    """Evaluate a pipeline at FACTORS times the thresholds of its network.

    Args:
        make: Makes the pipeline, which no other caller uses.
        golds: Documents with their entities.
        progress: Wraps the steps.

    Raises:
        UsageError: If the pipeline has no network.
    """
    nlp = make()
    name = network_of(nlp)
    config = {k: value for k, value in nlp.get_pipe_config(name).items() if k != "factory"}
    usual = {**THRESHOLDS, **config["threshold"]}
    scaled = [{label: f * value for label, value in usual.items()} for f in FACTORS]
    found = list[Evaluation]()
    for thresholds in progress(scaled, "thresholds"):
        nlp.replace_pipe(name, NETWORK, config={**config, "threshold": thresholds})
        found.append(evaluate(nlp, golds))
    left = never_rising(np.array([evaluation.left for evaluation in found], dtype=bool))
    counts = [evaluation.labels[ALL_LABELS] for evaluation in found]
    wrong = [count.words - count.right for count in counts]
    return [ThresholdRow(*row) for row in zip(FACTORS, scaled, left.tolist(), wrong, strict=True)]


def never_rising(left: Bools2d) -> Ints1d:
    """Return the number of documents that have a readable name at a threshold or at a later one.

    Lower thresholds may by chance leave a name that higher ones replace. Counted so, the loss of a
    document never rises, as the bound needs it.

    Args:
        left: Whether a document has a readable name, bool (thresholds, documents).
    """
    later: Bools2d = np.logical_or.accumulate(left[::-1], axis=0)[::-1]
    counts: Ints1d = later.sum(axis=1)
    return counts


def network_of(nlp: Language) -> str:
    """Return the name of the network in a pipeline. Raise UsageError if it has none."""
    for name in nlp.pipe_names:
        if nlp.get_pipe_meta(name).factory == NETWORK:
            return name
    raise UsageError("`bound` chooses thresholds of dx_entity_recognizer, which is not in use.")
