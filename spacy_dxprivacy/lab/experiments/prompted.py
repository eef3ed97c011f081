r"""DP-Prompt: a model is asked to say a document in other words, and each token is drawn.

    P(token) proportional to exp(clip(logit, low, high) / T)

Guarantee   epsilon = 2 (high - low) / T nats a token, of any two documents that are put into the
            same request (approx-dp with delta = 0): each token is an exponential mechanism. n
            tokens sum up to n times that. The bounds must not depend on the document: they come
            from public sentences; and n is public.
Paper       Utpala, Hooker, Chen 2023 (Findings of EMNLP, arXiv 2310.16111)

A peer to compare with; it is no editor and no mechanism of the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...language.model import NOTHING, LanguageModel
from ...randomness import Rng

ASKED = "Say this in other words, in one paragraph:\n\n{}"
PUBLIC = (
    "The committee met in the old town hall to talk about the new bridge.",
    "Thank you for your order; it will be sent to you tomorrow morning.",
    "He was tired, so he made himself a cup of tea and went to bed.",
)


@dataclass(frozen=True)
class Clip:
    """Bounds of logits, which public text alone has set."""

    low: float
    high: float

    def epsilon(self, temperature: float) -> float:
        """Nats a token."""
        return 2 * (self.high - self.low) / temperature


def clip_of(model: LanguageModel) -> Clip:
    """From the mean of the logits to the largest one, of public sentences. What is below the mean
    is raised to it: a wider range costs more and says no more."""
    seen = []
    for sentence in PUBLIC:
        lanes = model.read([model.asked(ASKED.format(sentence))])
        for token in model.encode([sentence])[0]:
            seen.append(lanes.scores()[0])
            lanes.feed(np.array([token]))
    logits = np.stack(seen)
    return Clip(float(logits.mean()), float(logits.max()))


def paraphrased(
    model: LanguageModel,
    texts: Sequence[str],
    temperature: float,
    clip: Clip,
    most: Sequence[int],
    rng: Rng,
) -> list[tuple[str, int]]:
    """Each text in other words, and how many tokens were drawn for it, of `most` at most."""
    prompts = [model.asked(ASKED.format(text)) for text in texts]
    size = model.fits(max(map(len, prompts)) + max(most))
    found: list[tuple[str, int]] = []
    for begin in range(0, len(texts), size):
        some = slice(begin, begin + size)
        found += _side_by_side(model, prompts[some], most[some], temperature, clip, rng)
    return found


def _side_by_side(
    model: LanguageModel, prompts: Sequence[Sequence[int]], most: Sequence[int],
    temperature: float, clip: Clip, rng: Rng,
) -> list[tuple[str, int]]:  # fmt: skip
    lanes = model.read(prompts)
    said: list[list[int]] = [[] for _ in prompts]
    left = np.ones(len(prompts), dtype=bool)
    while left.any():
        tokens = _drawn(lanes.scores(), temperature, clip, rng)
        for lane in np.flatnonzero(left).tolist():
            said[lane].append(int(tokens[lane]))
            left[lane] = len(said[lane]) < most[lane] and int(tokens[lane]) not in model.ends
        if left.any():
            lanes.feed(np.where(left, tokens, NOTHING))
    return [(model.decode([t for t in s if t not in model.ends]), len(s)) for s in said]


def _drawn(scores: Floats2d, temperature: float, clip: Clip, rng: Rng) -> Ints1d:
    """int64 (lanes,): a token for each, by the law above."""
    logs = np.clip(scores, clip.low, clip.high) / temperature
    sums = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    uniforms = rng.uniform(len(scores)) * sums[:, -1]
    found = [np.searchsorted(row, u, side="right") for row, u in zip(sums, uniforms, strict=True)]
    tokens: Ints1d = np.minimum(np.array(found, dtype=np.int64), scores.shape[1] - 1)
    return tokens
