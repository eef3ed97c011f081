"""Peers at an equal attacker: what each retains where the attack success rate is the same.

The attacker is that of attacks/reading.py, with the exact channel of each mechanism, or one learned
of noise; it knows the frequencies of words in the texts. Epsilon is sought at which it recovers the
share `at` of the words. It fills redacted places by the words around them. Of an edited text it
takes the words that stand there, and has no channel. With a causal model, the better attacker
counts.

Columns: anywhere, recovered wherever the word stands in its document (all peers have it; it is the
rate that is made equal); found, recovered at its place; meaning, the mean cosine of the mean
vectors of documents; nats, excess negative log-likelihood a word under the word pairs of the
package, which dx.Path.v2 draws from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np
import spacy

from ...arrays import Bools1d, Ints1d
from ...errors import DxError, Errors
from ...privacy.randomness import Rng
from ...registries import registry
from ...space import Space
from ...ty import Mechanism
from ..attacks.figures import share_by_document
from ..attacks.frontier import Ground, guesses_of, mean
from ..attacks.guessing import found_anywhere
from ..attacks.reading import Reader, Seen, filled_guess
from ..corpus import Corpus, read_texts, sanitised, words_of
from ..mechanisms import make_mechanism
from ..results import NAN, Result, Row, draw_lines, finish, legend_below
from ..texts import tokenizer
from .options import Options, of_space

Array = TypeVar("Array", Ints1d, Bools1d)
PANELS = {
    "kept": "words unchanged",
    "rare_anywhere": "rare words found",
    "meaning": "cosine of documents",
    "nats": "nats a word over the clear text",
}
STYLES = ("o-", "s--", "^:")
SEED = 1
CLOSE = 0.015  # of shares of words
SLOPE, LEAST, MOST = 0.7, 0.25, 2.0  # of a share over ln epsilon: the first guess, its bounds
FARTHEST = np.log(4.0)
FEYISETAN = "Feyisetan et al. 2020, arXiv 1910.08902"


@dataclass(frozen=True)
class WordPeer:
    """A mechanism of words. start: an epsilon to begin the search with, at which half of the words
    are recovered on the built-in space. settings: of its config, but epsilon."""

    registered: str
    start: float
    source: str
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> dict[str, Any]:
        """As make_mechanism takes it."""
        return {"@dx_mechanisms": self.registered, **self.settings}


OURS = "docs/explanation/sentences.md"
WORDS: dict[str, WordPeer] = {
    "path2": WordPeer("dx.Path.v2", 0.95, OURS),
    "path2-clinical": WordPeer("dx.Path.v2", 0.95, OURS, {"policy": "clinical"}),
    "path2-strict": WordPeer("dx.Path.v2", 0.95, OURS, {"policy": "strict"}),
    "path1": WordPeer("dx.Path.v1", 1.6, OURS),
    "exponential": WordPeer("dx.Exponential.v1", 3.5, "SanText: Yue et al. 2021, Findings of ACL"),
    "laplace": WordPeer("dx.Laplace.v1", 8.0, FEYISETAN),
    "mahalanobis": WordPeer("dx.Mahalanobis.v1", 8.0, "Xu et al. 2020, arXiv 2010.11947"),
    "vickrey": WordPeer(
        "dx.Laplace.v1", 14.0, "Xu et al. 2021, arXiv 2104.11838",
        {"projection": {"@dx_projections": "dx.Vickrey.v1"}},
    ),
    "tem": WordPeer("dx.TEM.v1", 3.5, "Carvalho et al. 2021, arXiv 2107.07928"),
    "custext": WordPeer("dx.CusText.v1", 4.0, "Chen et al. 2023, Findings of ACL"),
    "santext-plus": WordPeer("dx.SanTextPlus.v1", 3.5, "Yue et al. 2021, Findings of ACL"),
}  # fmt: skip
EDITED = {"path2": "path2-edited"}  # by dx.Remap.v1, as post-processing of the same release
REDACTION, PRESIDIO = ALONE = ("redaction", "presidio")
NAMES = (*WORDS, *EDITED.values(), *ALONE)
USUAL = ("path2", "path1", "exponential", "laplace", "custext", *EDITED.values(), *ALONE)
NO_PROMISE = "no guarantee: what the recogniser does not find stays in clear"
PAPERS = {
    REDACTION: "dx_entity_ruler with dx.Redact.v1",
    PRESIDIO: "presidio-analyzer with its own rules and ours in place of a model",
}


def run(space: Space, options: Options) -> Result:
    """Return a row for each release that was tried; shown are those at an equal attacker.

    Raises DxError for a peer that was asked for by name and is not available.
    """
    names = options.chosen(NAMES if options.mechanisms else USUAL)
    why = dict.fromkeys(names, "")
    if PRESIDIO in why and find_spec("presidio_analyzer") is None:
        why[PRESIDIO] = "presidio-analyzer is not installed (the extra presidio)"
    if options.mechanisms and any(why.values()):
        name = next(name for name in names if why[name])
        raise DxError(Errors.DX165.format(name=name, why=why[name]))
    comparison = Comparison(Stage.of(space, options), options)
    for name in options.progress([name for name in names if not why[name]], "peers"):
        try:
            comparison.add(name)
        except DxError as error:
            if options.mechanisms:
                raise
            why[name] = str(error)
    if not comparison.rows:
        raise DxError(Errors.DX165.format(name="Nothing", why="no peer supports this space"))
    stage, at = comparison.stage, options.at
    rows = [{**row, "equal": abs(_share(row) - at) <= 2 * CLOSE} for row in comparison.rows]
    by_peer: dict[str, list[Row]] = {}
    for row in rows:
        by_peer.setdefault(row["peer"], []).append(row)
    shown = [nearest(by_peer[name], at) for name in names if name in by_peer]
    own = "texts of the package, made up" if options.text is None else "texts"
    notes = [
        of_space(stage.ground.space),
        f"{len(stage.text)} {own}: {len(stage.text.rows):,} words, {int(stage.ground.rare.sum())} "
        f"of them rare. Shown is where the attacker finds {at:.0%} of them, or nearest to it",
        "anywhere: found, wherever it stands in its document. The attacker knows the mechanism, "
        "word pairs, and how often each word comes in these texts",
        "nats are under word pairs, which path2 draws from. Figures are about these texts: they "
        "are not private",
    ]
    for row in shown:
        off = "" if row["equal"] else f" (the attacker finds {_share(row):.0%} of it, not {at:.0%})"
        notes.append(f"{row['peer']}{off}: {row['guarantee']}")
    notes += [f"{name} is left out: {reason}" for name, reason in why.items() if reason]
    return Result(rows, partial(draw, rows=rows, at=at), (10.0, 8.4), notes, shown)


@dataclass(frozen=True, eq=False)
class Stage:
    """texts: those with a word of the space. ground: what attacks are measured on."""

    texts: Sequence[str]
    ground: Ground

    @classmethod
    def of(cls, space: Space, options: Options) -> Stage:
        """Raise DxError for texts that cannot be read, or a model that cannot be opened."""
        texts = texts_of(options)
        parts = [words_of(doc, space)[:3] for doc in tokenizer().pipe(texts)]
        text = Corpus.of(*zip(*parts, strict=True))
        texts = [t for t, (rows, *_) in zip(texts, parts, strict=True) if (rows >= 0).any()]
        reader = Reader.of(options.model, space, options.prompt) if options.model else None
        return cls(texts, Ground(space, text, reader=reader))

    @property
    def text(self) -> Corpus:
        return self.ground.text

    def cut(self, some: Array) -> list[Array]:
        """Split an array (t,) of something about each word by documents."""
        parts: list[Array] = np.split(some, self.text.starts[1:-1])
        return parts

    def row(self, out: Ints1d, guess: Ints1d, there: Bools1d | None = None) -> Row:
        """Return the figures of a release. out, guess: outputs and guesses, int64 (t,). there: bool
        (t,), which words it has; None for all."""
        text, rare, language = self.text, self.ground.rare, self.ground.language
        there = np.ones(len(out), dtype=bool) if there is None else there
        kept, right = there & (out == text.rows), guess == text.rows
        where = found_anywhere(text, self.cut(guess))
        anywhere, low, high, words = share_by_document(where, text.doc_of)
        left = [rows[some] for rows, some in zip(self.cut(out), self.cut(there), strict=True)]
        X = self.ground.space.vectors
        units = []  # the mean vectors of documents, of norm 1; zeros for one without words
        for documents in (left, text):
            means = np.stack(
                [X[rows].mean(axis=0) if len(rows) else 0 * X[0] for rows in documents]
            )
            units.append(means / np.linalg.norm(means, axis=1, keepdims=True).clip(1e-30))
        nats = NAN
        if there.any():
            nats = language.nats(out[there], text.sentences[there])
            nats -= language.nats(text.rows, text.sentences)
        return {
            "anywhere": anywhere, "rare_anywhere": mean(where[rare]),
            "kept": mean(kept), "rare_kept": mean(kept[rare]),
            "meaning": float((units[0] * units[1]).sum(axis=1).mean()), "nats": nats,
            "found": mean(right), "rare_found": mean(right[rare]),
            "low": low, "high": high, "words": words, "rare": int(rare.sum()),
        }  # fmt: skip

    def redacted(self, name: str) -> Row:
        """Return the row of a recogniser whose entities are redacted: the rest is in plaintext, and
        gaps are guessed by the words around them."""
        text, nlp, found = self.text, spacy.blank("en"), []
        nlp.add_pipe("dx_entity_ruler" if name == REDACTION else "dx_presidio")
        for doc in nlp.pipe(self.texts):
            covered = np.zeros(len(doc), dtype=bool)
            for span in [*doc.ents, *doc.spans.get("presidio", [])]:
                covered[span.start : span.end] = True
            rows, *_, places = words_of(doc, self.ground.space)
            found.append(covered[places[rows >= 0]])
        hidden = np.concatenate(found)
        guess = filled_guess(Seen(text.rows, text.sentences), hidden, self.ground.language)
        promise = {"guarantee": NO_PROMISE, "unit": "", "source": PAPERS[name]}
        figures = self.row(text.rows, guess, ~hidden)
        return {"peer": name, "epsilon": NAN, **figures, "attacker": "word pairs", **promise}


def texts_of(options: Options) -> list[str]:
    """Return at most `documents` texts of the user or of the package, spread over the file. Raise
    UsageError for a file that cannot be read."""
    if options.text is not None:
        texts = read_texts(str(options.text), options.field)
    else:
        public = resources.files("spacy_dxprivacy") / "data" / "texts" / "public.jsonl"
        with resources.as_file(public) as path:
            texts = read_texts(str(path), "text")
    some = np.linspace(0, len(texts) - 1, min(options.documents, len(texts))).astype(int)
    return [texts[i] for i in some]


@dataclass(eq=False)
class Comparison:
    """rows: a row for each release of the peers that were added."""

    stage: Stage
    options: Options
    rows: list[Row] = field(default_factory=list)

    def add(self, name: str) -> None:
        """Measure a peer."""
        if name in WORDS:
            self.rows += self._of_words(name)
        elif name in ALONE:
            self.rows.append(self.stage.redacted(name))
        else:
            self.rows.append(self._edited(name))

    def _mechanism(self, name: str, epsilon: float) -> Mechanism:
        return make_mechanism(WORDS[name].config, self.stage.ground.space, epsilon)

    def _of_words(self, name: str) -> list[Row]:
        measure, options = partial(self._measured, name), self.options
        if options.epsilons:
            return [measure(e) for e in sorted(options.epsilons)]
        rows = sought(measure, WORDS[name].start, options.at, options.steps)
        return sorted(rows, key=lambda row: float(row["epsilon"]))

    def _measured(self, name: str, epsilon: float) -> Row:
        stage, mechanism = self.stage, self._mechanism(name, epsilon)
        out = sanitised(stage.text, mechanism, Rng(SEED)).rows
        guesses = guesses_of(stage.ground, out, mechanism, SEED + 1)
        best = max(guesses, key=lambda name: int((guesses[name] == stage.text.rows).sum()))
        g = mechanism.guarantee
        stated = f"{g}; {g.adjacency}" if g.adjacency else str(g)
        return {
            "peer": name, "epsilon": g.epsilon, **stage.row(out, guesses[best]),
            "attacker": best, "guarantee": stated, "unit": g.unit, "source": WORDS[name].source,
        }  # fmt: skip

    def _edited(self, label: str) -> Row:
        """The release at the equal attacker, edited by dx.Remap.v1, with the model if there is one.
        Editing is post-processing: what is recovered is what was recovered of the release."""
        stage, options = self.stage, self.options
        name = next(of for of, edited in EDITED.items() if edited == label)
        own = [row for row in self.rows if row["peer"] == name] or self._of_words(name)
        best = nearest(own, options.at)
        mechanism = self._mechanism(name, best["epsilon"])
        out = sanitised(stage.text, mechanism, Rng(SEED)).rows
        named = {"model": options.model, "prompt": options.prompt} if options.model else {}
        editor: Any = registry.dx_editors.get("dx.Remap.v1")(**named)
        editor.fit(stage.ground.space, mechanism)
        parts = zip(stage.cut(out), stage.cut(stage.text.sentences), strict=True)
        new = np.concatenate([editor.edit(rows, mechanism, starts) for rows, starts in parts])
        figures = stage.row(new, new)
        edited = {key: figures[key] for key in ("kept", "rare_kept", "meaning", "nats")}
        return {**best, **edited, "peer": label}


def _share(row: Row) -> float:
    return float(row["anywhere"])


def draw(figure: Any, *, rows: list[Row], at: float) -> None:
    """PANELS over the recovery rate, a line for each peer. at: marked by a dotted line."""
    names = list(dict.fromkeys(row["peer"] for row in rows))
    styles = {name: STYLES[i // 8 % len(STYLES)] for i, name in enumerate(names)}
    ordered = sorted(rows, key=lambda row: (names.index(row["peer"]), _share(row)))
    panels = figure.subplots(2, 2)
    for axes, (what, title) in zip(panels.flat, PANELS.items(), strict=True):
        draw_lines(axes, ordered, ("anywhere", what), "peer", styles)
        axes.axvline(at, color="grey", linestyle=":", linewidth=1, zorder=0)
        finish(axes, title, "words found by the attacker, anywhere", "", log=False)
    legend_below(figure, panels.flat[0], 5)


# -- the epsilon of a recovery rate, in few tries --------------------------------------------------


def sought(measure: Callable[[float], Row], start: float, at: float, tries: int) -> list[Row]:
    """Return what was measured at each epsilon that was tried, in their order: from start on by
    regula falsi over ln epsilon, until the share is near to `at`. It should rise with epsilon."""
    epsilons, rows = [start], [measure(start)]
    while len(rows) < tries and abs(_share(nearest(rows, at)) - at) > CLOSE:
        log = _next([*zip(epsilons, map(_share, rows), strict=True)], at)
        epsilons.append(float(f"{np.exp(log):.3g}"))
        rows.append(measure(epsilons[-1]))
    return rows


def nearest(rows: Sequence[Row], at: float) -> Row:
    """Return the row whose share is nearest to this."""
    return min(rows, key=lambda row: abs(_share(row) - at))


def _next(points: Sequence[tuple[float, float]], target: float) -> float:
    """The ln of the epsilon to try next. points: epsilons and their shares."""
    below = max((one for one in points if one[1] <= target), default=None, key=lambda one: one[1])
    above = min((one for one in points if one[1] > target), default=None, key=lambda one: one[1])
    if below and above:
        part = (target - below[1]) / (above[1] - below[1])
        logs = np.log([below[0], above[0]])
        return float(logs[0] + np.clip(part, 0.1, 0.9) * (logs[1] - logs[0]))
    last, slope = below or above or points[-1], SLOPE
    if len(points) > 1 and points[-1][0] != points[-2][0]:
        (a, first), (b, second) = points[-2:]
        slope = float(np.clip((second - first) / np.log(b / a), LEAST, MOST))
    step = (target - last[1]) / slope
    return float(np.log(last[0]) + np.clip(step, -FARTHEST, FARTHEST))
