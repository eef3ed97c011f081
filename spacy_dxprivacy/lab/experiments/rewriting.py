r"""Peers that are no mechanism of words: redaction of what a recogniser finds, and DP-Prompt.

DP-Prompt: a model is asked to say a document in other words, and each token is drawn.

    P(token) proportional to exp(clip(logit, low, high) / T)

Guarantee   epsilon = 2 (high - low) / T nats a token, of any two documents that are put into the
            same request (approx-dp with delta = 0): each token is an exponential mechanism. n
            tokens sum up to n times that. The bounds must not depend on the document: they come
            from public sentences; and n is public.
Paper       Utpala, Hooker, Chen 2023 (Findings of EMNLP, arXiv 2310.16111)

It is a peer to compare with, no editor and no mechanism of the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import spacy

from ...arrays import Floats2d, Ints1d, blocks
from ...editors.model import NOTHING, LanguageModel
from ...editors.opened import open_model
from ...randomness import Rng
from ..attacks.guessing import found_anywhere, read_off
from ..attacks.reading import Seen, filled_guess
from ..report.pairs import tokenizer
from ..results import NAN, Row
from ..rows import words_of
from .stage import DP_PROMPT, NO_PROMISE, PAPERS, PRESIDIO, REDACTION, Released, Stage

TEMPERATURES = (1.0, 0.75, 0.5, 0.25)
SPANS_KEY = "presidio"
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
    model: LanguageModel, asked: Sequence[tuple[str, int]], temperature: float, clip: Clip, rng: Rng
) -> list[tuple[str, int]]:
    """Each text in other words, and how many tokens were drawn for it. asked: the texts, and how
    many tokens each gets at most."""
    prompts = [(model.asked(ASKED.format(text)), most) for text, most in asked]
    longest = max(len(prompt) for prompt, _ in prompts) + max(most for _, most in prompts)
    found: list[tuple[str, int]] = []
    for some in blocks(len(prompts), model.fits(longest)):
        found += _side_by_side(model, prompts[some], temperature, clip, rng)
    return found


def _side_by_side(
    model: LanguageModel, asked: Sequence[tuple[Any, int]], temperature: float, clip: Clip, rng: Rng
) -> list[tuple[str, int]]:
    prompts, most = zip(*asked, strict=True)
    lanes = model.read(list(prompts))
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


def redacted(stage: Stage, name: str) -> Row:
    """Of a recogniser whose finds are blacked out: the rest is in plaintext, and what is missing is
    guessed by the words around it."""
    text, nlp, found = stage.text, spacy.blank("en"), []
    nlp.add_pipe("dx_entity_ruler" if name == REDACTION else "dx_presidio")
    for doc in nlp.pipe(stage.texts):
        covered = np.zeros(len(doc), dtype=bool)
        for span in [*doc.ents, *doc.spans.get(SPANS_KEY, [])]:
            covered[span.start : span.end] = True
        rows, *_, places = words_of(doc, stage.ground.space)
        found.append(covered[places[rows >= 0]])
    hidden = np.concatenate(found)
    guess = filled_guess(Seen(text.rows, text.sentences), hidden, stage.ground.language)
    clear = [~some for some in found]
    release = Released(
        [rows[some] for rows, some in zip(text, clear, strict=True)],
        [begins[some] for begins, some in zip(stage.cut(text.sentences), clear, strict=True)],
        stage.cut(guess), ~hidden, guess == text.rows,
    )  # fmt: skip
    promise = {"guarantee": NO_PROMISE, "unit": "", "source": PAPERS[name]}
    return {"peer": name, "epsilon": NAN, **stage.row(release), **promise}


def missing(name: str, model: str) -> str:
    """Why a peer cannot be had here; "" where it can."""
    if name == PRESIDIO and find_spec("presidio_analyzer") is None:
        return "presidio-analyzer is not installed (the extra presidio)"
    if name == DP_PROMPT and not model:
        return "it rewrites with a causal language model: --model MODEL"
    return ""


def prompted(stage: Stage, model: str, steps: int) -> Iterator[Row]:
    """A row for each temperature, from the hottest: DP-Prompt with this model. Documents get as
    many tokens as they had, and the mean of them is the epsilon of the row."""
    rewriter, nlp = open_model(model), tokenizer()
    clip = clip_of(rewriter)
    most = [len(tokens) for tokens in rewriter.encode(list(stage.texts))]
    asked = list(zip(stage.texts, most, strict=True))
    for temperature in TEMPERATURES[: max(1, steps)]:
        new = paraphrased(rewriter, asked, temperature, clip, Rng(1))
        documents, starts = stage.words_in(nlp.pipe(text for text, _ in new))
        known, lengths = stage.ground.language.known, np.diff(stage.text.starts).tolist()
        pairs = zip(documents, lengths, strict=True)
        guesses = [read_off(rows, length, known) for rows, length in pairs]
        release = Released(documents, starts, guesses, found_anywhere(stage.text, documents))
        token, tokens = clip.epsilon(temperature), float(np.mean([n for _, n in new]))
        promise = {
            "guarantee": f"approx-dp, delta 0, {token:.3g} nats a token, {token * tokens:.4g} a "
            f"document of {tokens:.3g} tokens, T = {temperature:g} (proven; any two documents)",
            "unit": "nats a document", "source": PAPERS[DP_PROMPT],
        }  # fmt: skip
        yield {"peer": DP_PROMPT, "epsilon": token * tokens, **stage.row(release), **promise}
