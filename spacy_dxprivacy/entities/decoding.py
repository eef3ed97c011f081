"""Tag probabilities of the network for Docs, and the entities of the most probable tag sequence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from spacy.attrs import IS_BRACKET, IS_QUOTE
from spacy.tokens import Doc

from .. import progress
from ..arrays import Floats2d
from ..text.mentions import Entity
from ..text.tokens import tokens_in_code
from . import THRESHOLDS, network
from .words import features

BATCH_TOKENS = 4096  # per call of the network
MIN_LABEL_RATIO = 0.01  # minimum ratio of a token's best label to no entity; others are outside
MIN_PROBABILITY = 1e-9


def predict_tags(docs: list[Doc]) -> list[Floats2d]:
    """Return the tag probabilities of each Doc, float32 (tokens, tags). Docs must have tokens.

    The features of all Docs form one sequence. The network reads BATCH_TOKENS tokens of it at a
    time, so that memory is bounded. A tag or other code is to it as the end of a text.
    """
    if not docs:
        return []
    rows, reach = features(docs), network.DEPTH
    for doc, row in zip(docs, rows, strict=True):
        row[[*tokens_in_code(doc)]] = 0
    gap = np.zeros((reach, rows[0].shape[1]), dtype=rows[0].dtype)
    flat = np.concatenate([part for row in rows for part in (row, gap)])
    parts, is_long = [], max(map(len, rows)) >= progress.LONG
    for start in range(0, len(flat), BATCH_TOKENS):
        if is_long:
            progress.step("network", start / len(flat))
        before = min(start, reach)
        (shares,) = network.bundled().predict([flat[start - before : start + BATCH_TOKENS + reach]])
        parts.append(shares[before : before + BATCH_TOKENS])
    flat_shares = np.concatenate(parts)
    starts = np.cumsum([0, *(len(row) + reach for row in rows)])
    return [flat_shares[start:][: len(row)] for start, row in zip(starts, rows, strict=False)]


def odds(shares: Floats2d, label: str, i: int) -> float:
    """Return the ratio of the probability of a label to that of no entity, of the i-th token.

    Args:
        shares: Tag probabilities, shape (tokens, tags).
        label: A label of the network.
        i: The token.
    """
    begins, goes_on = (network.tag(label, begins=begins) for begins in (True, False))
    row = shares[i]
    return float((row[begins] + row[goes_on]) / max(row[0], MIN_PROBABILITY))


def add_evidence(shares: Floats2d, names: Iterable[tuple[Entity, float]]) -> Floats2d:
    """Return probabilities in which the tags of each name are multiplied by its factor.

    Both tags of the first word are multiplied, since the name may begin further left.

    Args:
        shares: Tag probabilities, shape (tokens, tags).
        names: Names, each with its factor; of those that overlap, the last one counts.
    """
    factors = np.ones_like(shares)
    for (label, start, end), factor in names:
        factors[start, network.tag(label, begins=True)] = factor
        factors[start:end, network.tag(label, begins=False)] = factor
    return shares * factors


def without_marks(doc: Doc, shares: Floats2d) -> Floats2d:
    """Return probabilities in which no entity begins with a quote or bracket, shape (tokens, tags).

    The network reads rare marks, such as ‘, as words that it does not know.
    """
    flags = doc.to_array([IS_QUOTE, IS_BRACKET])
    if not flags.any():
        return shares
    marks = np.flatnonzero(flags.any(axis=1))
    shares = shares.copy()
    shares[marks[:, None], np.arange(1, shares.shape[1], 2)] = 0.0
    return shares


def spans(shares: Floats2d, thresholds: Mapping[str, float] = THRESHOLDS) -> list[Entity]:
    """Return the entities of the most probable valid tag sequence, in order.

    An entity begins with the first tag of its label. The other tag of a label only follows a tag of
    the same label. Probabilities of a label are divided by its threshold.

    Args:
        shares: Tag probabilities, shape (tokens, tags).
        thresholds: By label, the minimum ratio of its probability to that of no entity.
    """
    limits = np.array([thresholds[label] for label in network.LABELS])
    by_label = (shares[:, 1::2] + shares[:, 2::2]) / limits
    candidates = np.flatnonzero(by_label.max(axis=1) > MIN_LABEL_RATIO * shares[:, 0])
    scores = np.log(np.maximum(shares, MIN_PROBABILITY))
    scores[:, 1:] -= np.repeat(np.log(limits), 2)
    breaks = np.flatnonzero(np.diff(candidates) > 1) + 1
    return [
        Entity(label, run[0] + start, run[0] + end)
        for run in (part.tolist() for part in np.split(candidates, breaks) if len(part))
        for label, start, end in _decode(scores[run[0] : run[-1] + 1])
    ]


def _decode(scores: Floats2d) -> list[Entity]:
    """Return the entities of the tag sequence with the highest sum of scores (Viterbi)."""
    rows = scores.tolist()
    best, in_label = 0.0, [-np.inf] * (scores.shape[1] // 2)
    states, goes_on = [], []
    for row in rows:
        entered = [best + score for score in row[1::2]]
        stayed = [before + score for before, score in zip(in_label, row[2::2], strict=True)]
        goes_on.append([stay > enter for stay, enter in zip(stayed, entered, strict=True)])
        in_label = [*map(max, entered, stayed)]
        in_best, none = max(in_label), best + row[0]
        states.append(in_label.index(in_best) if in_best > none else -1)
        best = max(none, in_best)
    entities, end = [], len(scores)
    while end:
        label, start = states[end - 1], end - 1
        while label >= 0 and goes_on[start][label]:
            start -= 1
        if label >= 0:
            entities.append(Entity(network.LABELS[label], start, end))
        end = start
    return entities[::-1]
