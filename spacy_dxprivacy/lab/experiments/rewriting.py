"""Peers that are no mechanism of words: redaction of what a recogniser finds, and DP-Prompt."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ...arrays import Bools1d
from ...batch.rows import words_of
from ...language.opened import open_model
from ...randomness import Rng
from ..attacks.anywhere import found_anywhere, read_off
from ..attacks.reading import Seen, filled_guess
from ..report.pairs import tokenizer
from .peers import DP_PROMPT, NO_PROMISE, PAPERS, PRESIDIO, REDACTION
from .prompted import clip_of, paraphrased
from .result import Row
from .stage import NAN, Said, Stage

TEMPERATURES = (1.0, 0.75, 0.5, 0.25)
SPANS_KEY = "presidio"


def redacted(stage: Stage, name: str) -> list[Row]:
    """The one row of a recogniser whose finds are blacked out: the rest is in clear, and what is
    missing is guessed by the words around it."""
    hidden = _hidden(stage, name)
    text = stage.text
    guess = filled_guess(Seen(text.rows, text.sentences), hidden, stage.ground.language)
    clear = [~some for some in stage.cut(hidden)]
    said = Said(
        [rows[some] for rows, some in zip(text, clear, strict=True)],
        [a[some] for a, some in zip(stage.cut(text.sentences), clear, strict=True)],
        stage.cut(guess), ~hidden, guess == text.rows,
    )  # fmt: skip
    promise = {"guarantee": NO_PROMISE, "unit": "", "source": PAPERS[name]}
    return [{"peer": name, "epsilon": NAN, **stage.row(said), **promise}]


def _hidden(stage: Stage, name: str) -> Bools1d:
    """bool (t,): which words of the texts are found."""
    nlp = recogniser(name)
    found = []
    for doc in nlp.pipe(stage.texts):
        rows, *_, places = words_of(doc, stage.ground.space)
        found.append(_covered(doc)[places[rows >= 0]])
    return np.concatenate(found)


def recogniser(name: str) -> Language:
    """A pipeline that finds what is to be blacked out."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler" if name == REDACTION else "dx_presidio")
    return nlp


def _covered(doc: Doc) -> Bools1d:
    covered = np.zeros(len(doc), dtype=bool)
    for span in [*doc.ents, *doc.spans.get(SPANS_KEY, [])]:
        covered[span.start : span.end] = True
    return covered


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
    for temperature in TEMPERATURES[: max(1, steps)]:
        new = paraphrased(rewriter, stage.texts, temperature, clip, most, Rng(1))
        documents, starts = stage.words_in(nlp.pipe(text for text, _ in new))
        known, lengths = stage.ground.language.known, stage.lengths.tolist()
        pairs = zip(documents, lengths, strict=True)
        guesses = [read_off(rows, length, known) for rows, length in pairs]
        said = Said(documents, starts, guesses, found_anywhere(stage.text, documents))
        token, tokens = clip.epsilon(temperature), float(np.mean([n for _, n in new]))
        promise = {
            "guarantee": f"approx-dp, delta 0, {token:.3g} nats a token, {token * tokens:.4g} a "
            f"document of {tokens:.3g} tokens, T = {temperature:g} (proven; any two documents)",
            "unit": "nats a document", "source": PAPERS[DP_PROMPT],
        }  # fmt: skip
        yield {"peer": DP_PROMPT, "epsilon": token * tokens, **stage.row(said), **promise}
