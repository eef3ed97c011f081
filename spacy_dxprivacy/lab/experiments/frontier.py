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
from typing import Any

import numpy as np

from ...errors import DxError, Errors
from ...privacy.randomness import Rng
from ...registries import registry
from ...space import Space
from ...ty import Mechanism
from ..attacks.frontier import guesses_of
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
SLOPE, LEAST, MOST = 0.7, 0.25, 2.0  # of a share over ln epsilon: the first guess, its bounds
FARTHEST = np.log(4.0)


@experiment(
    "frontier", "peers at an equal attacker: mechanisms of words, and redaction",
    "each peer's own paper, and docs/explanation/attacks.md", documents=12, steps=3,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """Return a row for each release that was tried; shown are those at an equal attacker.

    Raises DxError for a peer that was asked for by name and is not available.
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
