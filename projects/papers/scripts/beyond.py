"""Beyond the papers: the figures of "the curse of dimensionality" for mechanisms of this project.

    shares   original, close and distant outputs: Laplace, elliptical noise of the same Euclidean
             epsilon, and the graph of words (dx.Path.v1)
    all      the same of every mechanism, where an attacker recovers half of the words

The attacker knows the mechanism and that a word is one of those sampled, each as likely. For a
mechanism with exact probabilities the best guess is right with probability
sum_y max_x P(y | x) / k. Of the others, the attacker has drawn every word as often as it is
released later, guesses the word that gave an output most often, and for an output that it has not
seen, the nearest word: a bound from below, which comes near with more draws.
"""

import numpy as np
from common import (
    arguments,
    figure,
    finish,
    load_space,
    mechanism,
    nearest,
    outputs,
    probes,
    shares,
)
from ellipse import euclidean

from spacy_dxprivacy import DxError

CLOSE, AT = 100, 0.5
DEVIATIONS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
KINDS = ("original", "close", "distant")
WORD_LEVEL = {
    "Laplace": ("dx.Laplace.v1", {}),
    "Laplace, rank sampling": (
        "dx.Laplace.v1",
        {"projection": {"@dx_projections": "dx.RankSampling.v1"}},
    ),
    "Laplace, Vickrey": ("dx.Laplace.v1", {"projection": {"@dx_projections": "dx.Vickrey.v1"}}),
    "Mahalanobis, lambda 1": ("dx.Mahalanobis.v1", {"lam": 1.0}),
    "random projection": ("dx.RandomProjection.v1", {}),
    "clipped Laplace": ("dx.ClippedLaplace.v1", {}),
    "truncated Laplace": ("dx.TruncatedLaplace.v1", {}),
    "Gaussian": ("dx.Gaussian.v1", {}),
    "two densities (Jaccard)": ("dx.Jaccard.v1", {}),
    "NADP, tau .5": ("dx.NADP.v1", {"noise": "paper", "tau": 0.5}),
    "exponential": ("dx.Exponential.v1", {}),
    "TEM": ("dx.TEM.v1", {}),
    "SanText+": ("dx.SanTextPlus.v1", {}),
    "CusText": ("dx.CusText.v1", {}),
    "1-Diffractor": ("dx.Diffractor.v1", {}),
    "truncated Gumbel": ("dx.TruncatedGumbel.v1", {}),
    "path on the graph": ("dx.Path.v1", {}),
}


def fig2(args, space):
    picked, rows = probes(space, args.words), []
    close, apart = nearest(space, picked, CLOSE + 1)
    scale = np.sqrt(space.vectors.shape[1] + 1) / (np.median(apart[:, 1]) / 2)
    noise = [float(f"{k * scale:.3g}") for k in DEVIATIONS]
    path = [float(f"{e:.3g}") for e in np.geomspace(0.5, 6, 7)]
    shrink = 1 / euclidean(mechanism(space, "dx.Mahalanobis.v1", 1.0, lam=1.0))
    for label, name, settings, epsilons, factor in [
        ("Laplace", "dx.Laplace.v1", {}, noise, 1.0),
        ("Mahalanobis (Euclidean epsilon)", "dx.Mahalanobis.v1", {"lam": 1.0}, noise, shrink),
        ("path on the graph", "dx.Path.v1", {}, path, 1.0),
    ]:
        for epsilon in epsilons:
            made = mechanism(space, name, epsilon * factor, **settings)
            found, exact = shares(made, picked, close, args.draws)
            rows.append([label, epsilon, *found, "exact" if exact else "drawn"])
    most = {
        label: max(row[3] for row in rows if row[0] == label)
        for label in dict.fromkeys(r[0] for r in rows)
    }
    verdict = (
        "close words are at most "
        + ", ".join(f"{share:.1%} ({label})" for label, share in most.items())
        + "."
    )
    columns = ["mechanism", "epsilon", "original", f"close (nearest {CLOSE})", "distant", "how"]
    finish(args, "beyond-shares", space, columns, rows, verdict, settings={"words": args.words})

    def draw(axes, label):
        some = [row for row in rows if row[0] == label]
        for i, kind in enumerate(KINDS):
            axes.plot(
                [row[1] for row in some], [row[2 + i] for row in some], "o-", label=kind, ms=3
            )
        axes.set(title=label, xlabel="epsilon", ylim=(-0.03, 1.03))
        axes.legend(frameon=False)

    figure(args.out / "beyond-shares.svg", [*most], draw)


def recovered(made, space, picked, draws):
    """Return how often the attacker is right."""
    if hasattr(made, "distribution"):
        return float(made.distribution(picked).max(axis=0).sum() / len(picked))
    seen, released = np.split(outputs(made, picked, 2 * draws), 2, axis=1)
    counts = np.zeros((len(picked), len(space)), dtype=np.int32)
    np.add.at(counts, (np.arange(len(picked))[:, None], seen), 1)
    guess = counts.argmax(axis=0)
    new = np.unique(released[counts[:, released].max(axis=0) == 0])
    X = space.vectors
    guess[new] = ((X[picked] ** 2).sum(axis=1) - 2 * X[new] @ X[picked].T).argmin(axis=1)
    return float(np.mean(guess[released] == np.arange(len(picked))[:, None]))


def epsilon_at(make, rate):
    """Return the mechanism whose attacker recovers AT, and its epsilon; or None and why not."""

    def tried(epsilon):
        try:
            return rate(make(epsilon))
        except DxError:  # no solution for this epsilon
            return 0.0

    low, high = 1e-3, 1.0
    if tried(low) > AT + 0.02:
        return None
    while tried(high) < AT and high < 1e6:
        low, high = high, 4 * high
    while high / low > 1.02:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if tried(middle) < AT else (low, middle)
    return high


def every(args, space):
    picked, rows = probes(space, args.words), []
    close, _ = nearest(space, picked, CLOSE + 1)
    for label, (name, settings) in WORD_LEVEL.items():

        def make(epsilon, name=name, settings=settings):
            return mechanism(space, name, epsilon, **settings)

        def rate(made):
            return recovered(made, space, picked, args.draws)

        epsilon = epsilon_at(make, rate)
        made = make(1e-3 if epsilon is None else epsilon)
        found, exact = shares(made, picked, close, args.draws)
        told = "below .001" if epsilon is None else f"{epsilon:.3g}"
        rows.append([label, told, rate(made), *found, "exact" if exact else "simulated"])
        print(label, told, flush=True)
    rows.sort(key=lambda row: row[3])
    there = [row for row in rows if row[2] <= AT + 0.05]
    verdict = (
        f"where half of the words are recovered, from {there[0][3]:.0%} ({there[0][0]}) to "
        f"{there[-1][3]:.0%} "
        f"({there[-1][0]}) come out unchanged; most close words: "
        f"{max(there, key=lambda row: row[4])[0]}."
    )
    columns = [
        "mechanism",
        "epsilon",
        "recovered",
        "original",
        f"close (nearest {CLOSE})",
        "distant",
        "attacker",
    ]
    attacker = "Knows the mechanism and that each word is one of those sampled, each as likely."
    settings = {"words": args.words, "draws": args.draws}
    finish(args, "beyond-all", space, columns, rows, verdict, settings=settings, attacker=attacker)

    def draw(axes, _):
        left = np.zeros(len(rows))
        for i, kind in enumerate(KINDS):
            share = np.array([row[3 + i] for row in rows])
            axes.barh([row[0] for row in rows], share, left=left, label=kind)
            left += share
        axes.set(title="Outputs where half of the words are recovered")
        axes.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.06))

    figure(args.out / "beyond-all.svg", [None], draw, size=(6, 4))


if __name__ == "__main__":
    run = {"shares": fig2, "all": every}
    given = arguments(__doc__, list(run), "--space", "--max-words", "--words", "--draws", "--out")
    run[given.command](given, load_space(given.space, given.max_words))
