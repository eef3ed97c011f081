"""Huang et al. 2024, "Private language models via truncated Laplacian mechanism".

    delta   theorem 3: the claimed delta beside the exact one, at the paper's calibration
    words   N_w of table 1: the share of words that come out unchanged, at the same calibration

Noise fills a box of side 2A around the word. From a word at difference v, a share
1 - prod_i (1 - t(|v_i|)) of it lies outside the other word's box, where t(v) =
(exp(a v) - 1) / (2 (exp(a A) - 1)): no epsilon is enough there. The proof bounds the volume of what
lies outside by (2C)^d, but it is (2A)^d - prod_i (2A - |v_i|).
"""

import numpy as np
from common import PAPERS, arguments, figure, finish, load_space, mechanism, outputs, probes

from spacy_dxprivacy import Rng, Space

PAPER = PAPERS["truncated"]
NAME, D, DRAWS = "dx.TruncatedLaplace.v1", 300, 4000


def closed_form(epsilon, dims):
    """Return the exact delta of two words 2C apart that differ as much in all D coordinates."""
    a = epsilon / (2 * np.sqrt(dims))  # C = 1
    A = -np.log1p(-epsilon / (2 * 0.25 * np.sqrt(dims))) / a
    t = np.expm1(a * 2 / np.sqrt(D)) / (2 * np.expm1(a * A))
    return float(-np.expm1(D * np.log1p(-t))), float(A)


def delta(args, _):
    rows = []
    ends = Space.from_vectors(["one end", "other end"], np.outer([1, -1], np.ones(D)) / np.sqrt(D))
    for epsilon, dims in zip(PAPER["epsilons"], PAPER["dims"], strict=True):
        exact, A = closed_form(epsilon, dims)
        made = mechanism(ends, NAME, float(epsilon), calibration="paper", clip=1.0, dims=dims)
        one, other = np.array([0]), np.array([1])
        package = made.facts.delta(one, other, np.array([[float(epsilon)]]))[0, 0]
        drawn = made.sample(np.zeros(DRAWS, int), Rng(seed=0)).vectors
        outside = np.mean((np.abs(drawn - ends.vectors[1]) > A + 1e-3).any(axis=1))
        rows.append(
            [
                epsilon,
                dims,
                f"10^{-dims * np.log10(4):.1f}",
                f"{exact:.3f}",
                f"{package:.3f}",
                f"{outside:.3f}",
                f"{PAPER['N_w, Yelp, fastText'][len(rows)]:.3f}",
            ]
        )
    apart = max(abs(float(row[3]) - float(row[4])) for row in rows)
    verdict = (
        f"cannot follow from its formulas: the exact delta is {rows[0][3]} where 10^-180.6 is "
        f"claimed. "
        f"Formula and package differ by {apart:.3f} at most; no epsilon repairs it, as the boxes "
        f"differ."
    )
    columns = [
        "epsilon",
        "d of the formulas",
        "claimed delta",
        "exact delta",
        "by the package",
        f"outside, of {DRAWS:,} draws",
        "N_w of the paper",
    ]
    settings = {"@dx_mechanisms": NAME, "calibration": "paper", "d": D}
    finish(args, "truncated-delta", None, columns, rows, verdict, settings=settings)

    def draw(axes, _):
        axes.plot(PAPER["epsilons"], [float(row[3]) for row in rows], "o-", label="exact")
        axes.plot(PAPER["epsilons"], [4.0 ** -row[1] for row in rows], "s-", label="claimed")
        axes.set(xlabel="epsilon", ylabel="delta", xscale="log", title="Theorem 3")
        axes.legend(frameon=False)

    figure(args.out / "truncated-delta.svg", [None], draw)


def words(args, space):
    rows, picked, d = [], probes(space, args.words), space.vectors.shape[1]
    for i, (epsilon, dims) in enumerate(zip(PAPER["epsilons"], PAPER["dims"], strict=True)):
        row = [epsilon, PAPER["N_w, Yelp, fastText"][i]]
        paper = {"calibration": "paper", "dims": max(d, dims)}
        for name, settings in [(NAME, paper), (NAME, {}), ("dx.ClippedLaplace.v1", {})]:
            made = mechanism(space, name, float(epsilon), **settings)
            row.append(float(np.mean(outputs(made, picked, args.draws) == picked[:, None])))
        C = np.linalg.norm(space.vectors.astype(float), axis=1).max()
        a, A = (
            epsilon / (2 * np.sqrt(paper["dims"]) * C),
            closed_form(epsilon, paper["dims"])[1] * C,
        )
        x = np.linspace(0, A, 20001)  # theorem 4, by its integral: equation 6 has a misprint
        row.append(float(np.sqrt(np.average(x**2, weights=np.exp(-a * x))) / C))
        rows.append([*row, float(np.sqrt(8 * d) / epsilon)])
    verdict = (
        f"cannot follow from its formulas: with C the longest vector, {rows[0][2]:.1%} of the "
        f"words come out "
        f"unchanged at epsilon = {rows[0][0]}, and the paper, which states no C, has "
        f"{rows[0][1]:.1%}."
    )
    columns = [
        "epsilon",
        "N_w of the paper",
        "its calibration",
        "sound",
        "Laplace",
        "noise / C (theorem 4)",
        "that of Laplace",
    ]
    settings = {"@dx_mechanisms": NAME, "words": args.words, "draws": args.draws}
    finish(args, "truncated-words", space, columns, rows, verdict, settings=settings)


if __name__ == "__main__":
    run = {"delta": delta, "words": words}
    given = arguments(__doc__, list(run), "--space", "--max-words", "--words", "--draws", "--out")
    run[given.command](given, load_space(given.space, given.max_words))
