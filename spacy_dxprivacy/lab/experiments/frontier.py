r"""Peers at an equal attacker: what each keeps where the same attacker recovers the same share.

Attacker    the one that reads (attacks/reading.py), with the exact channel of each mechanism, or
            one learned of noise; it knows how often each word comes in the texts. Epsilon is
            sought at which it finds `at` of the words. Redacted places it fills in by the words
            around them. Of a text that was rewritten it takes the words that stand there, and has
            no channel
anywhere    found, wherever it stands in its document: the measure that all peers have, and the one
            that is made equal. found: at its place
meaning     the mean cosine of the mean vectors of documents. nats: excess negative log-likelihood a
            word under the word pairs of the package, which dx.Path.v2 draws from
model       with one, a causal attacker tries the same releases: who finds most counts
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Ints1d
from ...errors import DxError, Errors
from ...privacy.randomness import Rng
from ...registries import registry
from ...space import Space
from ...ty import Mechanism
from ..attacks.frontier import Walks, guesses_of
from ..corpus import sanitised
from ..mechanisms import make_mechanism
from ..results import Result, Row, draw_lines, finish, legend_below
from .options import Options, experiment, of_space
from .stage import ALONE, EDITED, NAMES, USUAL, WORDS, Stage, missing

PANELS = {
    "kept": "words unchanged",
    "rare_anywhere": "rare words found",
    "meaning": "cosine of documents",
    "nats": "nats a word over the clear text",
}
STYLES = ("o-", "s--", "^:")
SEED = 1
CLOSE = 0.015  # of shares of words
SLOPE, LEAST, MOST = 0.7, 0.25, 2.0  # of a share over ln epsilon: taken first, and its bounds
FARTHEST = np.log(4.0)


@experiment(
    "frontier", "peers at an equal attacker: mechanisms of words, and redaction",
    "each peer's own paper, and docs/explanation/attacks.md", documents=12, steps=3,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """A row for each release that was tried; shown are those at an equal attacker.

    Raises DxError for a peer that was asked for by name and cannot be had here.
    """
    names = options.chosen(NAMES if options.mechanisms else USUAL)
    why = {name: missing(name) for name in names}
    if options.mechanisms and any(why.values()):
        name = next(name for name in names if why[name])
        raise DxError(Errors.DX165.format(name=name, why=why[name]))
    comparison = Comparison(Stage.of(options.first_words(space), options), options)
    for name in options.progress([name for name in names if not why[name]], "peers"):
        try:
            comparison.add(name)
        except DxError as error:
            if options.mechanisms:
                raise
            why[name] = str(error)
    if not comparison.rows:
        raise DxError(Errors.DX165.format(name="Nothing", why="no peer takes this space"))
    rows = [{**row, "equal": abs(_share(row) - options.at) <= 2 * CLOSE} for row in comparison.rows]
    peers = dict.fromkeys(row["peer"] for row in rows)
    own = ([row for row in rows if row["peer"] == name] for name in names if name in peers)
    shown = [nearest(some, options.at) for some in own]
    notes = [*_about(comparison.stage, options), *_promises(shown, options.at)]
    notes += [f"{name} is left out: {reason}" for name, reason in why.items() if reason]
    return Result(rows, partial(draw, rows=rows, at=options.at), (10.0, 8.4), notes, shown)


@dataclass(eq=False)
class Comparison:
    """rows: a row for each release of the peers that were added."""

    stage: Stage
    options: Options
    rows: list[Row] = field(default_factory=list)
    walks: Walks = field(default_factory=Walks)

    def add(self, name: str) -> None:
        """Measure a peer."""
        if name in WORDS:
            self.rows += self._of_words(name)
        elif name in ALONE:
            self.rows.append(self.stage.redacted(name))
        else:
            self.rows.append(self._edited(name))

    def _mechanism(self, name: str, epsilon: float) -> Mechanism:
        made = make_mechanism(WORDS[name].config, self.stage.ground.space, epsilon)
        self.walks.share(made)
        return made

    def _of_words(self, name: str) -> list[Row]:
        measure, options = partial(self._measured, name), self.options
        if options.epsilons:
            return [measure(e) for e in sorted(options.epsilons)]
        found = sought(measure, WORDS[name].start, options.at, options.steps)
        return sorted(found, key=lambda row: float(row["epsilon"]))

    def _measured(self, name: str, epsilon: float) -> Row:
        stage, mechanism = self.stage, self._mechanism(name, epsilon)
        out = sanitised(stage.text, mechanism, Rng(SEED)).rows
        guesses = guesses_of(stage.ground, out, mechanism, SEED + 1)
        who = max(guesses, key=lambda name: int((guesses[name] == stage.text.rows).sum()))
        promise = mechanism.guarantee
        told = f"{promise}; {promise.adjacency}" if promise.adjacency else str(promise)
        return {
            "peer": name, "epsilon": promise.epsilon, **stage.row(out, guesses[who]),
            "attacker": who, "guarantee": told, "unit": promise.unit, "source": WORDS[name].source,
        }  # fmt: skip

    def _edited(self, label: str) -> Row:
        """The release at the equal attacker, gone over by dx.Remap.v1, with the model if there is
        one. It is post-processing: what is found is what was found in the release."""
        stage, at = self.stage, self.options.at
        name = next(of for of, edited in EDITED.items() if edited == label)
        own = [row for row in self.rows if row["peer"] == name] or self._of_words(name)
        best = nearest(own, at)
        mechanism = self._mechanism(name, best["epsilon"])
        out = sanitised(stage.text, mechanism, Rng(SEED)).rows
        new = self._remapped(out, mechanism)
        figures = stage.row(new, new)
        edited = {key: figures[key] for key in ("kept", "rare_kept", "meaning", "nats")}
        return {**best, **edited, "peer": label}

    def _remapped(self, out: Ints1d, mechanism: Mechanism) -> Ints1d:
        options, stage = self.options, self.stage
        named = {"model": options.model, "prompt": options.prompt} if options.model else {}
        editor: Any = registry.dx_editors.get("dx.Remap.v1")(**named)
        editor.fit(stage.ground.space, mechanism)
        parts = zip(stage.cut(out), stage.cut(stage.text.sentences), strict=True)
        return np.concatenate([editor.edit(rows, mechanism, starts) for rows, starts in parts])


def _share(row: Row) -> float:
    return float(row["anywhere"])


def _about(stage: Stage, options: Options) -> list[str]:
    text = stage.text
    own = "texts of the package, made up" if options.text is None else "texts"
    return [
        of_space(stage.ground.space),
        f"{len(text)} {own}: {len(text.rows):,} words, {int(stage.ground.rare.sum())} of them "
        f"rare. Shown is where the attacker finds {options.at:.0%} of them, or nearest to it",
        "anywhere: found, wherever it stands in its document. The attacker knows the mechanism, "
        "word pairs, and how often each word comes in these texts",
        "nats are under word pairs, which path2 draws from. Figures are about these texts: they "
        "are not private",
    ]


def _promises(shown: list[Row], at: float) -> list[str]:
    notes = []
    for row in shown:
        off = "" if row["equal"] else f" (the attacker finds {_share(row):.0%} of it, not {at:.0%})"
        notes.append(f"{row['peer']}{off}: {row['guarantee']}")
    return notes


def draw(figure: Any, *, rows: list[Row], at: float) -> None:
    """What is kept, found, meant and read over what the attacker finds, a line for each peer. at:
    the share that is made equal, marked by a dotted line."""
    names = list(dict.fromkeys(row["peer"] for row in rows))
    styles = {name: STYLES[i // 8 % len(STYLES)] for i, name in enumerate(names)}
    ordered = sorted(rows, key=lambda row: (names.index(row["peer"]), _share(row)))
    panels = figure.subplots(2, 2)
    for axes, (what, title) in zip(panels.flat, PANELS.items(), strict=True):
        draw_lines(axes, ordered, ("anywhere", what), "peer", styles)
        axes.axvline(at, color="grey", linestyle=":", linewidth=1, zorder=0)
        finish(axes, title, "words found by the attacker, anywhere", "", log=False)
    legend_below(figure, panels.flat[0], 5)


# -- the epsilon at which an attacker finds as much as is wanted, in few tries ---------------------


def sought(measure: Callable[[float], Row], start: float, at: float, tries: int) -> list[Row]:
    """Return what was measured at each epsilon that was tried, in their order: from start on by
    regula falsi over ln epsilon, until the share is near to `at`. It should rise with epsilon."""
    epsilons, rows = [start], [measure(start)]
    while len(rows) < tries and abs(_share(nearest(rows, at)) - at) > CLOSE:
        epsilons.append(_next([*zip(epsilons, map(_share, rows), strict=True)], at))
        rows.append(measure(epsilons[-1]))
    return rows


def nearest(rows: Sequence[Row], at: float) -> Row:
    """The row whose share is nearest to this."""
    return min(rows, key=lambda row: abs(_share(row) - at))


def _next(found: Sequence[tuple[float, float]], target: float) -> float:
    below = max((one for one in found if one[1] <= target), default=None, key=lambda one: one[1])
    above = min((one for one in found if one[1] > target), default=None, key=lambda one: one[1])
    if below and above:
        part = (target - below[1]) / (above[1] - below[1])
        logs = np.log([below[0], above[0]])
        return _rounded(float(logs[0] + np.clip(part, 0.1, 0.9) * (logs[1] - logs[0])))
    last = below or above or found[-1]
    step = (target - last[1]) / _slope(found)
    return _rounded(float(np.log(last[0]) + np.clip(step, -FARTHEST, FARTHEST)))


def _slope(found: Sequence[tuple[float, float]]) -> float:
    if len(found) < 2:
        return SLOPE
    (a, first), (b, last) = found[-2:]
    return float(np.clip((last - first) / np.log(b / a), LEAST, MOST)) if a != b else SLOPE


def _rounded(log: float) -> float:
    return float(f"{np.exp(log):.3g}")
