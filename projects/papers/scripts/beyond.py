"""Beyond the papers: the figures of "the curse of dimensionality" for mechanisms of this project.

    shares   original, close and distant outputs: Laplace, elliptical noise of the same Euclidean
             epsilon, and the graph of words (dx.Path.v1)
    all      the same of every mechanism, with N_w and S_w, where an attacker recovers a quarter,
             half and three quarters of the words

The attacker knows the mechanism and that a word is one of those sampled, each as likely. For a
mechanism with exact probabilities the best guess is right with probability
sum_y max_x P(y | x) / k. Of the others, the attacker has drawn every word as often as it is
released later, guesses the word that gave an output most often, and for an output that it has not
seen, the nearest word: a bound from below, which comes near with more draws.
"""

import numpy as np
from caching import cached
from common import (
    COLOURS,
    arguments,
    figure,
    finish,
    label_lines,
    load_space,
    mechanism,
    nearest,
    outputs,
    probes,
    shares,
)
from drawing import EPSILON, MARKS, N_W, PER_UNIT, S_W, line
from ellipse import euclidean

from spacy_dxprivacy import DxError

CLOSE, TIMES = 100, 100  # close words; draws that N_w and S_w count
AT = (0.25, 0.5, 0.75)
FIRST, STEP = 1e-3, 1.05  # the least epsilon, and the ratio at which a search ends
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
    "path with language, words alone": ("dx.Path.v2", {}),
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
            line(axes, i, [row[1] for row in some], [row[2 + i] for row in some], kind)
        unit = f"{EPSILON} (nats per unit of path distance)" if "path" in label else PER_UNIT
        axes.set(title=label, xlabel=unit, ylabel="share of outputs", ylim=(-0.03, 1.03))
        label_lines(axes)

    figure(args.out / "beyond-shares.svg", [*most], draw, size=(3.5, 2.6))


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


def counts(made, picked):
    """Return N_w and S_w of words, (k,) each: how often a word comes out as itself in TIMES draws,
    and how many different words come out. These are the expected numbers where they are exact."""
    if hasattr(made, "distribution"):
        P = made.distribution(picked)
        return TIMES * P[np.arange(len(picked)), picked], -np.expm1(
            TIMES * np.log1p(-np.minimum(P, 1 - 1e-12))
        ).sum(axis=1)
    drawn = outputs(made, picked, TIMES)
    return np.sum(drawn == picked[:, None], axis=1), np.array([len({*r}) for r in drawn.tolist()])


def epsilon_at(rate, at):
    """Return the epsilon at which the attacker recovers a share; None if more at any epsilon."""
    low, high = FIRST, 1.0
    if rate(low) > at + 0.02:
        return None
    while rate(high) < at and high < 1e6:
        low, high = high, 4 * high
    while high / low > STEP:
        middle = float(f"{np.sqrt(low * high):.4g}")
        low, high = (middle, high) if rate(middle) < at else (low, middle)
    return high


def of_mechanism(args, space, picked, label):
    """Return a row of numbers for each of AT: epsilon (0 below FIRST), recovered, shares of
    outputs, percentiles of N_w and of S_w."""
    name, settings = WORD_LEVEL[label]
    close, _ = nearest(space, picked, CLOSE + 1)
    rates = {}

    def make(epsilon):
        return mechanism(space, name, epsilon, **settings)

    def rate(epsilon):
        if epsilon not in rates:
            try:
                rates[epsilon] = recovered(make(epsilon), space, picked, args.draws)
            except DxError:  # no solution for this epsilon
                rates[epsilon] = 0.0
        return rates[epsilon]

    def compute():
        rows = []
        for at in AT:
            epsilon = epsilon_at(rate, at)
            made = make(FIRST if epsilon is None else epsilon)
            found, _ = shares(made, picked, close, args.draws)
            bands = [np.percentile(values, (5, 50, 95)) for values in counts(made, picked)]
            known = rate(FIRST if epsilon is None else epsilon)
            rows.append([epsilon or 0.0, known, *found, *bands[0], *bands[1]])
        return {"rows": np.array(rows)}

    key = ["beyond", name, settings, picked.tolist(), args.draws, AT]
    return cached(args, space, key, compute)["rows"]


def every(args, space):
    picked, rows, found = probes(space, args.words), [], {}
    for label, (name, settings) in WORD_LEVEL.items():
        try:
            found[label] = of_mechanism(args, space, picked, label)
        except DxError as error:
            print(f"{label}: left out. {error}", flush=True)
            continue
        made = mechanism(space, name, float(found[label][-1, 0]) or FIRST, **settings)
        sort = "exact" if hasattr(made, "distribution") else "simulated"
        for at, (epsilon, *numbers) in zip(AT, found[label].tolist(), strict=True):
            shown_epsilon = f"below {FIRST:g}" if epsilon == 0 else f"{epsilon:.3g}"
            bands = [", ".join(f"{v:.0f}" for v in part) for part in (numbers[4:7], numbers[7:])]
            rows.append([label, at, shown_epsilon, *numbers[:4], *bands, sort])
            print(f"{label}: {numbers[0]:.2f} recovered at epsilon {shown_epsilon}", flush=True)
    half = sorted((r for r in rows if r[1] == 0.5 and r[3] <= 0.55), key=lambda r: r[4])
    verdict = (
        f"where half of the words are recovered, from {half[0][4]:.0%} ({half[0][0]}) to "
        f"{half[-1][4]:.0%} ({half[-1][0]}) come out unchanged; most close words: "
        f"{max(half, key=lambda row: row[5])[0]}."
    )
    columns = ["mechanism", "wanted", "epsilon", "recovered", "original"]
    columns += [f"close (nearest {CLOSE})", "distant", "N_w: 5, 50, 95 %", "S_w: 5, 50, 95 %"]
    attacker = "Knows the mechanism and that each word is one of those sampled, each as likely."
    settings = {"words": args.words, "draws": args.draws}
    columns += ["attacker"]
    finish(args, "beyond-all", space, columns, rows, verdict, settings=settings, attacker=attacker)
    _bars(args, half)
    _curves(args, found)


def _bars(args, half):
    def draw(axes, _):
        left = np.zeros(len(half))
        for i, kind in enumerate(KINDS):
            share = np.array([row[4 + i] for row in half])
            axes.barh([row[0] for row in half], share, left=left, label=kind, color=COLOURS[i])
            left += share
        axes.set(title="Where half of the words are recovered", xlabel="share of outputs")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))

    figure(args.out / "beyond-all.svg", [None], draw, size=(6.5, 4))


def _curves(args, found):
    """N_w, S_w and close words over what the attacker recovers: points at an equal attacker."""
    panels = {"N_w": (6, f"{N_W} (of {TIMES} draws)"), "S_w": (9, f"{S_W} (of {TIMES} draws)")}
    panels["close"] = (3, f"share of close words (nearest {CLOSE})")
    last = [*panels][-1]

    def draw(axes, panel):
        column, label = panels[panel]
        for i, (name, table) in enumerate(found.items()):
            style = {"color": COLOURS[i % len(COLOURS)], "marker": MARKS[i // len(COLOURS) % 8]}
            axes.plot(table[:, 1], table[:, column], label=name, lw=1, ms=3.5, **style)
        axes.set(xlabel="share of words recovered by the attacker", ylabel=label)
        if panel == last:
            axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7)

    figure(args.out / "beyond-counts.svg", [*panels], draw, size=(3.4, 3.2))


if __name__ == "__main__":
    run = {"shares": fig2, "all": every}
    given = arguments(__doc__, list(run), "--space", "--max-words", "--words", "--draws", "--out")
    run[given.command](given, load_space(given.space, given.max_words))
