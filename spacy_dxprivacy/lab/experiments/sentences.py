r"""What sentences tell of a public law, beside what no mechanism of that loss tells less than.

The group is taken as a space of its own, and texts are of the public law on it, ten words each. Of
each mechanism two figures are drawn, a word: the expected path, and the nats that its output tells
of the clear text at most,

    I(W; Y) <= E ln P(Y | W) / q(Y)        by texts; for words alone the sum of I(W_i; Y_i), exactly

and below them the least that any channel of sentences tells at this loss (privacy/bounds.py): the
rate-distortion function of a word whose past is known. It holds for every mechanism there may be,
whatever it promises. States Z say nothing of an output Y that the words W do not say, so what is
told of W is told of both; and a word depends on all before it by the last state alone. So

    I(W; Y) = sum over i of I(W_i Z_i; Y | W_1 Z_1 .. W_i-1 Z_i-1)
           >= sum over i of I(W_i; Y_i | Z_i-1)

Papers  Blahut 1972; Gray 1973; docs/optimum.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...batch.build import prior_config
from ...errors import DxError
from ...graph import graph_of
from ...mechanisms.path_v2 import SentenceMechanism, WholeSentences
from ...priors.chain import Chain
from ...privacy.bounds import least_told_given, told
from ...randomness import Rng
from ...sentences.draw import Text
from ...sentences.emissions import NOTHING
from ...space import Space
from ...ty import Mechanism
from ...validate import fail
from ..mechanisms import make_mechanism, parse_mechanism
from ..results import Result, Row, draw_lines, finish
from .optimum import group_of
from .options import Options, experiment, of_space

LENGTH = 10
EPSILONS = (0.6, 1.0, 1.6, 2.2, 3.0)
MARKS = 16  # of the line below all mechanisms
TOGETHER = "dx.Path.v2 policy=plain"
ALONE = (TOGETHER + " prior=WordFrequency", TOGETHER + " prior=Uniform even=true")
PAIRS = "word-pairs"


@dataclass(frozen=True, eq=False, repr=False)
class Ground:
    """laws, often: see laws_of. loss: float64 (n, n), the path. clear: int64 (t LENGTH,), texts of
    the law, one after another."""

    laws: Floats2d
    often: Floats1d
    loss: Floats2d
    clear: Ints1d

    @property
    def starts(self) -> Any:
        return np.arange(len(self.clear)) % LENGTH == 0

    def least(self, path: float) -> float:
        return least_told_given(self.loss, self.laws, self.often, path)


@experiment(
    "sentences", "what sentences tell of a public law, and the least that any mechanism tells",
    "Blahut 1972, Gray 1973, and docs/optimum.md", words=40, documents=100,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """What each mechanism tells at most and the least that can be told, for each epsilon."""
    group = group_of(space, options)
    prior, ground = law_on(group, options.prior, options.documents)
    rows = []
    for epsilon in options.progress(options.epsilons or EPSILONS, "epsilons"):
        for name in options.chosen((TOGETHER, *ALONE)):
            config = parse_mechanism(name)[1]
            if name == TOGETHER:
                config["prior"] = prior
            rows.append(row_of(name, make_mechanism(config, group, epsilon), ground))
    notes = [
        f"{of_space(group)}; {options.documents} texts of {LENGTH} words by {prior['@dx_priors']}",
        "told: nats a word of the clear text, at most; least told: by any mechanism of that path",
    ]
    return Result(rows, partial(draw, rows=rows, ground=ground), (6.4, 3.6), notes)


def law_on(group: Space, given: str, texts: int) -> tuple[dict[str, Any], Ground]:
    """The block of the prior, and texts of it. Without a name it is word pairs, or all words alike
    where these know none of the group. Raises DxError as ground_of does."""
    config = prior_config(given or PAIRS)
    try:
        return config, ground_of(group, config, texts)
    except DxError:
        if given:
            raise
        return law_on(group, "uniform", texts)


def ground_of(group: Space, prior: dict[str, Any], texts: int) -> Ground:
    """Raises DxError for a law that is no chain of states, or has no words of the group."""
    config = {**parse_mechanism(TOGETHER)[1], "prior": prior}
    drawn = cast(SentenceMechanism, make_mechanism(config, group, 1.0))
    chain = drawn.built.chain
    if not isinstance(chain, Chain):
        raise fail("prior", "a law of states, such as word-pairs", prior["@dx_priors"])
    laws, often = laws_of(chain, LENGTH)
    rows = np.zeros(texts * LENGTH, dtype=np.int64)
    # Of words that nobody knows the mechanism draws the law itself.
    clear = drawn.sample(rows, Rng(seed=0), np.arange(len(rows)) % LENGTH == 0, unknown=rows == 0)
    return Ground(laws, often, graph_of(group).distances(np.arange(len(group))), clear.rows)


def row_of(name: str, made: Mechanism, ground: Ground) -> Row:
    """path: expected, a word. told: nats a word, at most, by which "over" is the least."""
    mechanism = cast(SentenceMechanism, made)
    path, kept, most = (_together if mechanism.draws_together else _alone)(mechanism, ground)
    figures = {"path": path, "kept": kept, "told": most, "least told": ground.least(path)}
    return {"epsilon": mechanism.guarantee.epsilon, "mechanism": name, **figures}


def _together(mechanism: SentenceMechanism, ground: Ground) -> tuple[float, float, float]:
    clear, starts = ground.clear, ground.starts
    out = mechanism.sample(clear, Rng(seed=1), starts).rows
    drawing, free = cast(WholeSentences, mechanism.built.together), np.zeros(len(clear), dtype=bool)
    logs = drawing.likelihood(Text(clear, starts, free), out)
    logs = logs - drawing.likelihood(Text(np.full_like(clear, NOTHING), starts, free), out)
    path, kept = ground.loss[clear, out].mean(), (clear == out).mean()
    return float(path), float(kept), float(logs.mean()) / LENGTH


def _alone(mechanism: SentenceMechanism, ground: Ground) -> tuple[float, float, float]:
    # What is told is concave in the law of a word: by the mean of all laws it is no less.
    law = ground.often @ ground.laws
    channel = mechanism.distribution(np.arange(len(law)))
    path = float(law @ (channel * ground.loss).sum(axis=1))
    return path, float(law @ channel.diagonal()), told(channel, law)


def laws_of(chain: Chain, length: int) -> tuple[Floats2d, Floats1d]:
    """float64 (s, n), (s,): what a word may be, given the state before it and its place in a
    sentence of this length, and how often that is; all places together have sum 1.
    A table of all states by all: for groups of words."""
    behind = _behind(chain, length)
    ahead = (chain.begin.astype(np.float64) * behind[0])[None]
    laws, often, likely = [], [], np.ones(1)
    for place in range(length):
        sums = ahead @ chain.totals
        used = np.flatnonzero((likely > 0) & (sums > 0))
        states = ahead[used] / sums[used, None]
        laws.append(states @ chain.emit.toarray().T.astype(np.float64))
        often.append(likely[used])
        likely = likely[used] @ (states * chain.totals)
        if place + 1 < length:
            ahead = _table(chain) * behind[place + 1]
    return np.concatenate(laws), np.concatenate(often) / length


def _behind(chain: Chain, length: int) -> list[Floats1d]:
    """For each place (K,): how likely the sentence is to end where it does, after each state."""
    found = [chain.end.astype(np.float64)]
    for _ in range(length - 1):
        found.append(_table(chain) @ (chain.totals * found[-1]))
        found[-1] /= found[-1].max()
    return found[::-1]


def _table(chain: Chain) -> Floats2d:
    """T, float64 (K, K)."""
    delta = chain.delta if isinstance(chain.delta, np.ndarray) else chain.delta.toarray()
    T: Floats2d = delta.astype(np.float64) + np.outer(chain.back, chain.u)
    return T


def draw(figure: Any, *, rows: Sequence[Row], ground: Ground) -> None:
    """A line for each mechanism, and a dotted one below which there is none."""
    axes = figure.subplots()
    draw_lines(axes, rows, ("path", "told"), "mechanism")
    paths = np.linspace(0.0, max(row["path"] for row in rows), MARKS)
    label = "no mechanism is below"
    axes.plot(paths, [ground.least(path) for path in paths], ":", color="black", label=label)
    finish(axes, "what sentences tell", "expected path, a word", "nats, a word", log=False)
    axes.legend(frameon=False, fontsize=8)
