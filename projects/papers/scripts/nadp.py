"""Bollegala et al. 2023, "A neighbourhood-aware differential privacy mechanism ...": NADP.

    graph      algorithms 1 and 2: components of related words, and the longest edge (Delta) by tau
    tasks      figure 2a: Spearman's correlation of noisy vectors with human scores of word pairs
    skewness   figure 3: how lopsided the shares of unchanged words are; near 0 is read as private

Words are related if one is among the m = 2 nearest of the other, itself counted, and their ten
nearest words overlap (Jaccard index tau or more). Each component gets Gaussian noise for its own
longest edge; a word without a relation gets none, and is published as it is.
"""

import numpy as np
from common import (
    PAPERS,
    arguments,
    figure,
    finish,
    load_space,
    mechanism,
    nearest,
    outputs,
    probes,
)
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import skew, spearmanr

from spacy_dxprivacy import Rng

PAPER = PAPERS["nadp"]
PRINTED = PAPER["largest Delta of the authors' code, GloVe 42B 300d, 73,404 words"]
EPSILONS = (1.0, 10.0, 40.0)
REPEATS = 2
MECHANISMS = {
    "NADP, tau .5": ("dx.NADP.v1", {"noise": "paper", "tau": 0.5}),
    "NADP, tau .1": ("dx.NADP.v1", {"noise": "paper", "tau": 0.1}),
    "Mahalanobis, lambda 1": ("dx.Mahalanobis.v1", {"lam": 1.0}),
    "two densities (Jaccard)": ("dx.Jaccard.v1", {"delta": PAPER["delta"]}),
    "Gaussian, related words": ("dx.NADP.v1", {"noise": "adjacent", "tau": 0.1}),
    "Gaussian, all words": ("dx.NADP.v1", {"noise": "global"}),
}


def relation(tops, apart, tau, *, floored=False):
    """Return the related pairs, counted here, and their lengths, of lists of the ten nearest words.
    floored: the Jaccard index to one decimal, as in the authors' code."""
    both = zip(tops[:, :2].tolist(), apart[:, 1].tolist(), strict=True)
    pairs = {tuple(sorted(pair)): length for pair, length in both}
    edges = np.array([*pairs])
    shared = np.array([len({*tops[a]} & {*tops[b]}) for a, b in edges])
    jaccard = shared / (2 * tops.shape[1] - shared)
    kept = (np.floor(10 * jaccard) / 10 if floored else jaccard) >= tau
    return edges[kept], np.array([*pairs.values()])[kept]


def graph(args, space):
    rows, n, off, same = [], len(space), 0.0, True
    lists = nearest(space, np.arange(n), 10)
    for tau, printed in PRINTED.items():
        edges, lengths = relation(*lists, float(tau))
        floored = len(relation(*lists, float(tau), floored=True)[0])
        joined = coo_array((np.ones(len(edges)), edges.T), shape=(n, n))
        _, component = connected_components(joined, directed=False)
        sizes = np.bincount(component)
        made = mechanism(
            space, "dx.NADP.v1", 1.0, noise="paper", tau=float(tau), delta=PAPER["delta"]
        )
        # What the package draws: the noise of the longest component's words, over u = 1 / mu.
        Delta = np.zeros(n)
        np.maximum.at(Delta, component[edges[:, 0]], lengths)
        of_words = Delta[component]
        some = probes(space, 200)
        many = np.repeat(some, 50)
        Z = made.sample(many, Rng(seed=0)).vectors - space.vectors[many]
        drawn = (
            np.sqrt((Z.reshape(len(some), -1).astype(float) ** 2).mean(axis=1)) * made.guarantee.mu
        )
        off = max(off, float(np.abs(drawn - of_words[some]).max() / lengths.max()))
        counts = made.covers(some).sum(
            axis=1
        )  # the package's relation, which joins each word to others
        degree = np.bincount(edges.ravel(), minlength=n)[some]
        same = same and bool((counts == degree).all())
        rows.append(
            [
                tau,
                len(edges),
                floored,
                int((sizes > 1).sum()),
                int(sizes.max()),
                f"{np.mean(of_words == 0):.1%}",
                float(lengths.max()),
                float(printed),
            ]
        )
    columns = [
        "tau",
        "related pairs",
        "by the authors' rounding",
        "components",
        "words of the largest",
        "words without noise",
        "Delta",
        "Delta of the authors",
    ]
    verdict = (
        f"{'reproduced' if same and off < 0.1 else 'NOT REPRODUCED'}: pairs counted here are "
        f"those of "
        f"dx.NADP.v1, whose noise is within {off:.1%} of these Deltas (50 draws). At tau = .5, "
        f"{rows[-1][5]} of the words get no noise; the authors' vectors are others."
    )
    settings = {"@dx_mechanisms": "dx.NADP.v1", "noise": "paper", "m": 2}
    finish(args, "nadp-graph", space, columns, rows, verdict, settings=settings)


def tasks(args, space):
    if not args.pairs:
        return print(
            "No word pairs: give files of MEN, SimLex or SimVerb by --vars.pairs (README.md)."
        )
    lines = [line.split("\t") for path in args.pairs for line in open(path, encoding="utf8")]
    found = [(space.find(a), space.find(b), float(score), a, b) for a, b, score, *_ in lines]
    A, B, scores = np.array([row[:3] for row in found if min(row[:2]) >= 0]).T
    pair = np.stack([A, B]).astype(int)

    def correlation(X):
        X = X.astype(float) / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
        return float(spearmanr(np.sum(X[pair[0]] * X[pair[1]], axis=1), scores).statistic)

    rows = [["no noise", "", correlation(space.vectors), "100.0%"]]
    used, which = np.unique(pair, return_inverse=True)
    pair = which.reshape(pair.shape)
    for label, (name, settings) in MECHANISMS.items():
        for epsilon in EPSILONS:
            made = mechanism(space, name, epsilon, **settings)
            rng, values, same = Rng(seed=0), [], 0.0
            for _ in range(REPEATS):
                Z = made.sample(used, rng).vectors
                values.append(correlation(Z))
                same = np.mean(np.abs(Z - space.vectors[used]).max(axis=1) < 1e-3)
            rows.append([label, epsilon, float(np.mean(values)), f"{same:.1%}"])
    last = {row[0]: row[2] for row in rows if row[1] == EPSILONS[-1]}
    first = max(last, key=last.get)
    verdict = (
        f"{'reproduced in kind' if first.startswith('NADP') else 'not reproduced'}: {first} comes "
        f"first, "
        f"by the words that get no noise; {len(scores):,} pairs."
    )
    columns = ["mechanism", "epsilon", "Spearman", "vectors without noise"]
    finish(args, "nadp-tasks", space, columns, rows, verdict, settings={"repeats": REPEATS})


def skewness(args, space):
    rows, picked, kept = [], probes(space, args.words), {}
    for label, (name, settings) in MECHANISMS.items():
        for epsilon in EPSILONS:
            made = mechanism(space, name, epsilon, **settings)
            p = np.mean(outputs(made, picked, args.draws) == picked[:, None], axis=1)
            kept[label, epsilon] = p
            lopsided = float(skew(p)) if np.ptp(p) > 0 else "all alike"
            rows.append([label, epsilon, float(p.mean()), f"{np.mean(p == 1):.1%}", lopsided])
    told = {row[0]: row for row in rows if row[1] == EPSILONS[1]}
    nadp, everywhere = told["NADP, tau .5"], told["Gaussian, all words"]
    verdict = (
        "cannot follow from its formulas: skewness tells nothing about privacy. At epsilon = 10 "
        "NADP (tau .5) "
        f"leaves {nadp[2]:.1%} of the words unchanged, with skewness {nadp[4]:.3}; Gaussian "
        f"noise for all words "
        f"{everywhere[2]:.1%}, with skewness {everywhere[4]:.3}."
    )
    columns = ["mechanism", "epsilon", "mean share unchanged", "words never changed", "skewness"]
    settings = {"words": args.words, "draws": args.draws}
    finish(args, "nadp-skewness", space, columns, rows, verdict, settings=settings)

    def draw(axes, epsilon):
        for label in MECHANISMS:
            axes.hist(
                kept[label, epsilon], bins=np.linspace(0, 1, 21), histtype="step", label=label
            )
        axes.set(
            title=f"Figure 3: epsilon {epsilon:g}", xlabel="share of draws unchanged", yscale="log"
        )
        axes.legend(frameon=False, fontsize=6)

    figure(args.out / "nadp-skewness.svg", (EPSILONS[0], EPSILONS[-1]), draw, size=(3.6, 2.9))


if __name__ == "__main__":
    run = {"graph": graph, "tasks": tasks, "skewness": skewness}
    names = ("--space", "--max-words", "--words", "--draws", "--pairs", "--out")
    given = arguments(__doc__, list(run), *names)
    run[given.command](given, load_space(given.space, given.max_words))
