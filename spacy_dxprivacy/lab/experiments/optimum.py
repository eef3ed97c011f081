r"""How far mechanisms are from the best channel for a group of words, a prior, a loss and an
epsilon.

The group is taken as a space of its own, with the plain lengths of dx.Path on it. Every mechanism
that states its probabilities is made as strong as it may be: its own epsilon is such that the
largest log ratio of its probabilities, over all pairs and outputs, is epsilon times their path. So
mechanisms of other metrics, and those that state more than they lose, are compared with what they
do. The optimum is that of a linear program (programs.py).

Paper  Bordenabe, Chatzikokolakis, Palamidessi 2014, and docs/optimum.md
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d
from ...batch.build import prior_config
from ...errors import DxError
from ...graph import STEPS, graph_of
from ...privacy.bounds import least_told, told
from ...registries import registry
from ...search.metric import neighbours
from ...space import Space
from ...ty import StatesProbabilities
from ...validate import one_of
from ..mechanisms import make_mechanism, parse_mechanism
from ..results import Result, Row, draw_lines, finish
from .options import LOSSES, Options, experiment, of_space, random_probes
from .programs import Optimum, Problem, best_channel, exact_epsilon, guessed, remapped

EPSILONS = (1.0, 1.6, 2.2)
FIGURES = ("times", "kept", "guessed", "remapped", "told", "least told")
BEST, BOUND, REACHED = "optimum", "bound", "reached"
OWN = (1e-3, 1e5)  # epsilons of mechanisms among which that of the path is sought
HALVINGS = 15
ENOUGH = 1e-3  # of epsilon: how near the search comes
EVEN, REMAPPED = "even=true", ", remapped"
ALONE = {
    "dx.Path.v2": tuple(
        f"dx.Path.v2 policy=plain prior={given}"
        for given in ("WordFrequency", "Uniform", "Uniform even=true", "WordFrequency even=true")
    )
}


@experiment(
    "optimum", "the best channel of a group of words, and how far mechanisms are from it",
    "Bordenabe et al. 2014, and docs/optimum.md", words=40,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """The loss of the optimum and of mechanisms, for each epsilon."""
    group = group_of(space, options)
    named, prior = prior_on(group, options.prior)
    every = np.arange(len(group))
    D = graph_of(group).distances(every)
    loss = loss_of(options.loss, D, group)
    problems = [Problem(D, loss, prior, epsilon) for epsilon in options.epsilons or EPSILONS]
    rows = []
    chosen = options.chosen(names())
    for problem in options.progress(problems, "epsilons"):
        best = best_channel(problem, options.seconds)
        rows += best_rows(problem, best)
        least = best.loss if best.converged else None
        rows += [row for name in chosen for row in mechanism_rows(name, group, problem, least)]
    notes = [
        f"{of_space(group)}; prior {named}, loss {options.loss}",
        f"the longest path of the group is {graph_of(group).reach / STEPS:g}",
        "each mechanism loses epsilon times the path, exactly; remapped: each output replaced by "
        "the best word to say after it, which is no privacy",
    ]
    if not all(row["converged"] for row in rows if row["mechanism"] == REACHED):
        notes.append("the optimum was not reached in time: it is between bound and reached")
    return Result(rows, partial(draw, rows=rows, loss=options.loss), (6.4, 3.6), notes)


# -- the group -----------------------------------------------------------------------------------


def group_of(space: Space, options: Options) -> Space:
    """The words that were given; around a single one, or a random one, those nearest to it.

    Raises DxError for words that the space lacks, or has twice in the group."""
    given = [word.strip() for word in options.group.split(",") if word.strip()]
    given = given or [space.words[int(random_probes(space, 1).rows[0])]]
    rows = [space.find(word) for word in given]
    if min(rows) < 0:
        raise DxError("the space lacks a word of the group.")
    if len(set(rows)) < len(rows):
        raise DxError("a word is in the group twice.")
    if len(rows) == 1:
        near, _ = neighbours(space.vectors[rows], space.vectors, min(options.words, len(space)))
        rows = near[0].tolist()
    words = [space.words[row] for row in rows]
    return Space.from_vectors(words, space.vectors[np.array(rows)], name=space.name)


def prior_on(group: Space, given: str) -> tuple[str, Floats1d]:
    """Its name, and float64 (n,), in sum 1. Without a name the frequency of words, or all alike
    where none of them is known. Raises DxError for a prior that is none, or lacks all words."""
    if not given:
        try:
            return prior_on(group, "word-frequency")
        except DxError:
            return prior_on(group, "uniform")
    made = registry.resolve({"p": prior_config(given)})["p"]
    weights = made.fit(group).unigram
    prior: Floats1d = np.asarray(weights, dtype=np.float64) / float(weights.sum())
    return given, prior


def loss_of(name: str, D: Floats2d, group: Space) -> Floats2d:
    """float64 (n, n): the path, 1 for another word, or how far apart vectors are."""
    one_of("`loss`", name, LOSSES)
    if name == "path":
        return D
    if name == "changed":
        return 1.0 - np.eye(len(D))
    X = group.vectors.astype(np.float64)
    apart: Floats2d = np.sqrt(np.maximum(0.0, ((X[:, None] - X[None]) ** 2).sum(axis=-1)))
    return apart


# -- mechanisms ----------------------------------------------------------------------------------


def names() -> list[str]:
    """Mechanisms that epsilon alone makes; of those that draw sentences, words alone."""
    found: list[str] = []
    for name, maker in sorted(registry.dx_mechanisms.get_all().items()):
        parameters = inspect.signature(maker).parameters
        required = {p.name for p in parameters.values() if p.default is p.empty}
        if required == {"epsilon"}:
            found += ALONE.get(name, (name,))
    return found


def mechanism_rows(name: str, group: Space, problem: Problem, least: float | None) -> list[Row]:
    """Its figures, or none where it states no probabilities, or loses without a bound. Of even
    weights also those of the words that dx.Remap.v1 puts in place of outputs, by this loss."""
    channel = calibrated(name, group, problem)
    if channel is None:
        return []
    rows = [row_of(name, channel, problem, least)]
    if EVEN in name:
        rows.append(row_of(name + REMAPPED, remapped(channel, problem), problem, least))
    return rows


def calibrated(name: str, group: Space, problem: Problem) -> Floats2d | None:
    """The channel of the mechanism that loses problem.epsilon on the path, and no more."""
    _, config = parse_mechanism(name)
    every = np.arange(len(group))

    def channel(own: float) -> Floats2d | None:
        try:
            made = make_mechanism(config, group, own)
            return made.distribution(every) if isinstance(made, StatesProbabilities) else None
        except DxError:
            return None

    return None if channel(problem.epsilon) is None else _largest(channel, problem)


def _largest(channel: Callable[[float], Floats2d | None], problem: Problem) -> Floats2d | None:
    """Of the largest own epsilon that keeps the promise: in halves of its logarithm."""
    low, high = np.log(OWN)
    best = None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        made = channel(float(np.exp(middle)))
        lost = np.inf if made is None else exact_epsilon(made, problem.D)
        if lost <= problem.epsilon * (1 + 1e-9):
            low, best = middle, made
        else:
            high = middle
        if problem.epsilon * (1 - ENOUGH) <= lost <= problem.epsilon:
            break
    return best


def best_rows(problem: Problem, best: Optimum) -> list[Row]:
    """The optimum; or, where the solver was stopped, a bound and what it reached."""
    if best.converged:
        return [row_of(BEST, best.channel, problem, best.loss)]
    bound = {"epsilon": problem.epsilon, "mechanism": BOUND, "loss": best.bound}
    empty = {name: None for name in FIGURES}
    reached = row_of(REACHED, best.channel, problem, None) | {"converged": False}
    return [{**bound, **empty, "converged": False}, reached]


def row_of(name: str, channel: Floats2d, problem: Problem, least: float | None) -> Row:
    """times: the loss over that of the optimum, where this is known. told: nats that the output
    tells of the word; least told: what the output of any channel of this loss tells."""
    loss = problem.expected(channel)
    return {
        "epsilon": problem.epsilon,
        "mechanism": name,
        "loss": loss,
        "times": loss / least if least else None,
        "kept": float(problem.prior @ channel.diagonal()),
        "guessed": guessed(channel, problem.prior),
        "remapped": problem.expected(remapped(channel, problem)),
        "told": told(channel, problem.prior),
        "least told": least_told(problem.loss, problem.prior, loss),
        "converged": True,
    }


# -- the figure ----------------------------------------------------------------------------------


def draw(figure: Any, *, rows: Sequence[Row], loss: str) -> None:
    """A line for each mechanism over epsilon; below it the optimum, or the bound where it is not
    known. What was reached by a program that was stopped is not drawn."""
    axes = figure.subplots()
    below = [row for row in rows if row["mechanism"] in (BEST, BOUND)]
    others = [row for row in rows if row["mechanism"] not in (BEST, BOUND, REACHED)]
    draw_lines(axes, others, ("epsilon", "loss"), "mechanism")
    for kind, style in ((BEST, "o-"), (BOUND, "v:")):
        at = [row for row in below if row["mechanism"] == kind]
        if at:
            label = kind if kind == BEST else "no mechanism is below"
            xy = [row["epsilon"] for row in at], [row["loss"] for row in at]
            axes.plot(*xy, style, color="black", label=label, linewidth=1.6, markersize=4)
    axes.set_yscale("log")
    finish(axes, "expected loss at equal epsilon", "epsilon, nats per unit of path", loss)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
