"""Bollegala et al. 2023, "A neighbourhood-aware differential privacy mechanism ...": NADP.

    graph      algorithms 1 and 2: related words, components, and the longest edge (Delta) by tau
    noise      theorems 1 to 3, and the noise of the four baselines
    tasks      figures 2a to 2d: word pairs, sentence pairs, classes of sentences, odd words
    skewness   figure 3: how lopsided the overlaps of neighbourhoods are
    sigma      figure 4: the overlap over the strength of the noise, in dense and sparse parts
    words      table 1: the words nearest to noisy vectors

Words are related if one is in S_m of the other, m = 2, and the Jaccard index of two sets is tau or
more: S_2 of both in the paper, their ten nearest words in its code. Each set has the word itself.
Each component gets Gaussian noise for its own longest edge. A word without a relation gets none,
and is published as it is: its share stands beside each figure.

In the figures a mechanism is a strength for each word. Gaussian noise has u* Delta, u* being the
least strength at sensitivity 1 (theorem 2), and Laplacian noise Delta_1 / epsilon for each
coordinate, Delta_1 being the largest L1 distance of two words.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import (
    PAPERS,
    arguments,
    figure,
    finish,
    item,
    label_lines,
    load_space,
    mechanism,
    nearest,
    probes,
    skewness,
)
from scipy.optimize import brentq, minimize_scalar
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from scipy.special import log_ndtr
from scipy.stats import gamma, kstest
from tasks import all_tasks

from spacy_dxprivacy import Rng

PAPER = PAPERS["nadp"]
PRINTED = PAPER["largest Delta of the authors' code, GloVe 42B 300d, 73,404 words"]
DELTA = PAPER["delta"]
EPSILONS = (1.0, 5.0, 10.0, 20.0, 40.0)
REPEATS = 5
TOP = 10
OF_PAPER = ("MEN", "SimLex", "SimVerb", "MR", "CR", "MPQA")  # WordSim is beside them
NADP = ("NADP, tau .5", "NADP, tau .1")
BASELINES = ("Mahalanobis", "Jaccard", "Gaussian", "Laplacian")


def log_delta(epsilon, mu):
    """Return ln of the least delta of two unit normals mu apart (theorem 2)."""
    a = log_ndtr(mu / 2 - epsilon / mu)
    with np.errstate(divide="ignore"):  # far below any delta
        return float(a + np.log1p(-np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu) - a)))


def analytic(epsilon, delta=DELTA):
    """Return u*, the least standard deviation of Gaussian noise at sensitivity 1."""
    return float(brentq(lambda u: log_delta(epsilon, 1 / u) - np.log(delta), 1e-2, 1e3, xtol=1e-13))


def classical(epsilon, delta=DELTA):
    """Return that of theorem 1, for epsilon below 1."""
    return float(np.sqrt(2 * np.log(1.25 / delta)) / epsilon)


# -- the relation ----------------------------------------------------------------------------------


def relation(lists, apart, tau, *, top=TOP, own=True, floored=False):
    """Return the related pairs, counted here, and their lengths, of lists of the nearest words.

    top: the number of words whose overlap is measured. own: whether sets have the word itself.
    floored: the Jaccard index to one decimal, as in the authors' code."""
    start = 0 if own else 1
    pairs = {}
    for row, (near, lengths) in enumerate(zip(lists.tolist(), apart.tolist(), strict=True)):
        for other, length in zip(near[1 : start + 2], lengths[1 : start + 2], strict=True):
            pairs[tuple(sorted((row, other)))] = length
    edges, sets = np.array([*pairs]), lists[:, start : start + top]
    shared = np.array([len({*sets[a].tolist()} & {*sets[b].tolist()}) for a, b in edges])
    jaccard = shared / (2 * sets.shape[1] - shared)
    kept = (np.floor(10 * jaccard) / 10 if floored else jaccard) >= tau
    return edges[kept], np.array([*pairs.values()])[kept]


def longest_edges(n, edges, lengths):
    """Return the component of each word, and its longest edge, 0 without an edge."""
    joined = coo_array((np.ones(len(edges)), edges.T), shape=(n, n))
    _, component = connected_components(joined, directed=False)
    Delta = np.zeros(n)
    np.maximum.at(Delta, component[edges[:, 0]], lengths)
    return component, Delta[component]


def graph(args, space):
    rows, n, off, same, orders = [], len(space), 0.0, 0, []
    lists = nearest(space, np.arange(n), TOP)
    without_itself = len(relation(*lists, 0.5, top=2, own=False)[0])
    some = probes(space, 200)
    for kind, top in (("code, T = 10", TOP), ("paper, T = m = 2", 2)):
        for tau, printed in PRINTED.items():
            edges, lengths = relation(*lists, float(tau), top=top)
            floored = len(relation(*lists, float(tau), top=top, floored=True)[0])
            component, Delta = longest_edges(n, edges, lengths)
            sizes = np.bincount(component)
            settings = {"noise": "paper", "tau": float(tau), "top": top, "delta": DELTA}
            made = mechanism(space, "dx.NADP.v1", 1.0, **settings)
            many = np.repeat(some, 50)
            Z = made.sample(many, Rng(seed=0)).vectors - space.vectors[many]
            squares = (Z.reshape(len(some), -1).astype(float) ** 2).mean(axis=1)
            drawn = np.sqrt(squares) * made.guarantee.mu
            off = max(off, float(np.abs(drawn - Delta[some]).max() / lengths.max()))
            degree = np.bincount(edges.ravel(), minlength=n)[some]
            same = max(same, int(np.abs(made.covers(some).sum(axis=1) - degree).max()))
            alone = f"{np.mean(Delta == 0):.1%}"
            cells = [len(edges), floored, int((sizes > 1).sum()), int(sizes.max()), alone]
            of_paper = float(printed) if top == TOP else ""
            rows.append([kind, tau, *cells, float(lengths.max()), of_paper])
            if top == TOP:
                orders.append(float(lengths.max()))
    falls = max(np.diff(orders))
    counted = ("largest difference of related words, of 200 words", same, "<=", 0)
    items = {
        "relation by S_m": item("statement", counted),
        "relation of the code": item(
            "statement",
            counted,
            ("largest rise of Delta with tau, as the authors'", falls, "<=", 0),
        ),
        "algorithm 2, components": item(
            "statement", ("noise of the package - u* Delta of the component, share", off, "<=", 0.1)
        ),
    }
    columns = [
        "relation",
        "tau",
        "related pairs",
        "by the authors' rounding",
        "components",
        "words of the largest",
        "words without noise",
        "Delta",
        "Delta of the authors",
    ]
    remark = f"If S_2 leaves out the word itself, {without_itself} pairs are related at tau = .5."
    settings = {"@dx_mechanisms": "dx.NADP.v1", "noise": "paper", "m": 2}
    finish(args, "nadp-graph", space, columns, rows, remark, items=items, settings=settings)

    def draw(axes, which):
        taus = [float(tau) for tau in PRINTED]
        for start, (kind, _) in enumerate((("code", TOP), ("paper", 2))):
            some_rows = rows[start * len(taus) : (start + 1) * len(taus)]
            values = [
                float(row[which].rstrip("%")) if which == 6 else row[which] for row in some_rows
            ]
            axes.plot(taus, values, "o-", label=f"relation of the {kind}")
        if which == 7:
            axes.plot(
                taus, [float(p) for p in PRINTED.values()], "s--", label="authors (other vectors)"
            )
        axes.set(xlabel=r"$\tau$", ylim=(0, None))
        axes.set(ylabel="words without noise (%)" if which == 6 else r"largest $\Delta$ (distance)")
        label_lines(axes)

    figure(args.out / "nadp-graph.svg", [6, 7], draw, size=(3.6, 2.7))


# -- the noise -------------------------------------------------------------------------------------


def largest_l1(X):
    """Return the largest L1 distance of two rows: rows far from the median first, until no pair can
    be farther apart."""
    radii = np.abs(X - np.median(X, axis=0)).sum(axis=1)
    order = np.argsort(-radii)
    X, radii, best = X[order], radii[order], 0.0
    for start in range(0, len(X), 512):
        rest = np.flatnonzero(radii + radii[start] > best)
        if not len(rest):
            break
        best = max(best, float(cdist(X[start : start + 512], X[rest], "cityblock").max()))
    return best


@dataclass
class Strengths:
    """A mechanism as the strength of its noise for each word, at sensitivity 1: of normals, or of
    Laplacian coordinates; root: the square root of Sigma, for Mahalanobis noise."""

    Delta: np.ndarray
    unit: object
    kind: str = "normal"
    root: np.ndarray | None = None

    def sample(self, X, rows, epsilon, rng):
        """Return noisy vectors of rows."""
        d, scale = X.shape[1], self.unit(epsilon) * self.Delta[rows, None]
        if self.kind == "laplacian":
            return X[rows] + scale * rng.laplace(size=(len(rows), d))
        G = rng.standard_normal((len(rows), d))
        if self.kind == "mahalanobis":
            r = rng.gamma(d, 1 / epsilon, (len(rows), 1))
            return X[rows] + r * (G / np.linalg.norm(G, axis=1, keepdims=True)) @ self.root
        return X[rows] + scale * G

    def without_noise(self, rows):
        """Return the share of rows that get none."""
        return float(np.mean(self.Delta[rows] == 0))


def density_limit(density):
    """Return the mean distance to ten neighbours below which words are dense: the paper's, or on
    vectors of another scale, where hardly a word is on one side, the median."""
    limit = PAPER["jaccard"]["eta0"]
    return limit if 0.02 < np.mean(density < limit) < 0.98 else float(np.median(density))


def jaccard_strengths(space, lists):
    """Return alpha_i Delta of appendix C.3; Delta, the mean distance to the farthest word; and the
    limit of density."""
    X = space.vectors.astype(np.float32)
    squares, far = np.einsum("nd,nd->n", X, X), np.zeros(len(X))
    for part in np.array_split(np.arange(len(X)), max(1, len(X) // 2048)):
        S = squares[part, None] + squares - 2 * X[part] @ X.T
        far[part] = np.sqrt(np.maximum(S.max(axis=1), 0))
    density = lists[1][:, 1:].mean(axis=1)
    limit = density_limit(density)
    alphas = PAPER["jaccard"]["alpha1"], PAPER["jaccard"]["alpha2"]
    return np.where(density < limit, *alphas) * far.mean(), float(far.mean()), limit


def covariance_root(X):
    """Return the symmetric root of the covariance with trace d, of lambda = 1."""
    S = np.cov(X.T)
    values, vectors = np.linalg.eigh(S * (len(S) / np.trace(S)))
    return vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T


def mechanisms(space):
    """Return the mechanisms of the paper's figures by name."""
    n, X = len(space), space.vectors.astype(float)
    lists = nearest(space, np.arange(n), TOP + 1)
    short = tuple(part[:, :TOP] for part in lists)
    found = {}
    for tau, name in ((0.5, NADP[0]), (0.1, NADP[1])):
        edges, lengths = relation(*short, tau)
        found[name] = Strengths(longest_edges(n, edges, lengths)[1], analytic)
        found.setdefault("Gaussian", Strengths(np.full(n, lengths.max()), analytic))
    found["Mahalanobis"] = Strengths(np.ones(n), classical, "mahalanobis", covariance_root(X))
    found["Jaccard"] = Strengths(jaccard_strengths(space, lists)[0], classical)
    found["Laplacian"] = Strengths(np.full(n, largest_l1(X)), lambda e: 1 / e, "laplacian")
    return {name: found[name] for name in (*NADP, *BASELINES)}


def noise(args, space):
    """Compare the noise of the package with the formulas, and these with their claims."""
    made, X, n = mechanisms(space), space.vectors.astype(float), len(space)
    d, rows, some = X.shape[1], [], probes(space, 200)
    valid, fails = [], 0.0
    for epsilon in (0.1, 0.5, 0.9, 1.0, 5.0, 8.0, 10.0, 20.0, 40.0):
        true = np.exp(log_delta(epsilon, 1 / classical(epsilon))) / DELTA
        valid += [true] if epsilon < 1 else []
        fails = epsilon if true > 1 and not fails else fails
        rows.append(["theorem 1: exact delta / delta", f"{epsilon:g}", float(true), ""])
    off = 0.0
    for epsilon, printed in PAPER["u*"].items():
        off = max(off, abs(analytic(float(epsilon), 1 / PAPER["words"]) - printed))
        rows.append(
            ["theorem 2: u*", epsilon, analytic(float(epsilon), 1 / PAPER["words"]), printed]
        )
    gaussian = mechanism(space, "dx.Gaussian.v1", 10.0, delta=DELTA)
    package = abs(1 / gaussian.guarantee.mu - analytic(10.0))
    lists = nearest(space, np.arange(n), TOP)
    edges, lengths = relation(*lists, 0.1)
    component, Delta = longest_edges(n, edges, lengths)
    worst = max(
        log_delta(1.0, max(length, 1e-9) / (analytic(1.0) * Delta[a])) - np.log(DELTA)
        for (a, _), length in zip(edges[::50], lengths[::50], strict=True)
    )
    unit = analytic(1.0)
    far = probes(space, 2000).reshape(2, -1)
    pairs = far[:, Delta[far].min(axis=0) > 0].T
    apart = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    others = [
        np.exp(log_delta(1.0, gap / (unit * Delta[a])))
        for (a, b), gap in zip(pairs, apart, strict=True)
        if component[a] == component[b]
    ]
    if others:
        rows.append(["theorem 3: delta of unrelated words of a component", "1", max(others), ""])
    l1, related = made["Laplacian"].Delta[0], np.abs(X[edges[:, 0]] - X[edges[:, 1]]).sum(axis=1)
    rows.append(["largest L1 distance, of all words", "", l1, PAPER["laplace L1 sensitivity"]])
    rows.append(["largest L1 distance, of related words (tau .1)", "", float(related.max()), ""])
    rng = np.random.default_rng(0)
    Y = X[probes(space, 400)]
    losses = cdist(Y, Y, "cityblock").max() / l1
    Z = made["Laplacian"].sample(X, np.repeat(some, 20), 10.0, rng) - X[np.repeat(some, 20)]
    rows.append(["Laplacian: mean absolute coordinate", "10", float(np.abs(Z).mean()), ""])
    laplacian = abs(np.abs(Z).mean() / (l1 / 10) - 1)
    adjacent = mechanism(space, "dx.NADP.v1", 10.0, noise="adjacent", tau=0.5, delta=DELTA)
    G = adjacent.sample(np.repeat(some, 20), Rng(seed=0)).vectors - X[np.repeat(some, 20)]
    ours = float(made["Gaussian"].Delta[0] * analytic(10.0))
    rows.append(["Gaussian: standard deviation", "10", float(np.std(G)), ours])
    M = mechanism(space, "dx.Mahalanobis.v1", 10.0, lam=1.0)
    Z = M.sample(np.repeat(some, 20), Rng(seed=0)).vectors - X[np.repeat(some, 20)]
    r = np.linalg.norm(np.linalg.solve(made["Mahalanobis"].root, Z.T), axis=0)
    ks = np.sqrt(len(r)) * kstest(r, gamma(d, scale=0.1).cdf).statistic
    rows.append(["Mahalanobis: norm / sqrt(Sigma), mean", "10", float(r.mean()), d / 10])
    strengths, mean_far, eta = jaccard_strengths(space, nearest(space, np.arange(n), TOP + 1))
    rows.append(["Jaccard: Delta, mean distance to the farthest word", "", mean_far, ""])
    of_space = mechanism(space, "dx.Jaccard.v1", 10.0, delta=DELTA, k=TOP, eta=eta)
    Z = of_space.sample(np.repeat(some, 20), Rng(seed=0)).vectors - X[np.repeat(some, 20)]
    found = np.sqrt((Z.reshape(len(some), -1) ** 2).mean(axis=1))
    jaccard = np.abs(found / (strengths[some] * classical(10.0)) - 1)
    items = {
        "theorem 1, classical Gaussian": item(
            "statement", ("exact delta / delta, epsilon below 1", max(valid), "<=", 1)
        ),
        "theorem 2, analytic Gaussian": item(
            "statement",
            ("u* - the authors', at epsilon 1, 10 and 40", off, "<=", 1e-6),
            ("u* - that of the package", package, "<=", 1e-9),
        ),
        "theorem 3": item(
            "statement", ("ln(exact delta / delta) of related words, largest", worst, "<=", 1e-9)
        ),
        "Laplacian baseline": item(
            "statement",
            ("loss / epsilon of 400 words", losses, "<=", 1),
            ("mean absolute noise / (Delta_1 / epsilon) - 1", laplacian, "<=", 0.02),
        ),
        "Gaussian baseline": item(
            "statement",
            ("noise of the package / (u* Delta) - 1", abs(np.std(G) / ours - 1), "<=", 0.02),
        ),
        "Mahalanobis baseline": item(
            "statement",
            ("norm against Gamma(d, 1/eps), sqrt(N) times the KS distance", ks, "<=", 1.95),
        ),
        "Jaccard baseline, appendix C.3": item(
            "statement",
            (
                "noise of the package / formula - 1, 95th percentile",
                np.percentile(jaccard, 95),
                "<=",
                0.1,
            ),
        ),
    }
    remark = (
        f"Theorem 1 is for epsilon below 1; its delta is first exceeded at epsilon {fails:g} of "
        "these. Theorem 3 covers related words alone."
    )
    columns = ["statement", "epsilon", "measured", "paper, or formula"]
    settings = {"@dx_mechanisms": "dx.NADP.v1", "delta": DELTA}
    finish(args, "nadp-noise", space, columns, rows, remark, items=items, settings=settings)


# -- figure 2 --------------------------------------------------------------------------------------


def scores_of(found, used, space, name, strength):
    """Return the scores of a mechanism by task, (epsilons, repeats). They are kept in output/cache,
    so that a run that was stopped goes on where it ended."""
    inputs = [space.digest, name, sorted((*key, size) for key, (_, size) in found.items())]
    key = hashlib.sha256(json.dumps([*inputs, EPSILONS, REPEATS]).encode()).hexdigest()
    path = Path("output/cache") / f"tasks-{key[:24]}.json"
    if path.is_file():
        kept = json.loads(path.read_text(encoding="utf8"))
        return {task: np.array(kept[" ".join(task)]) for task in found}
    X, values = space.vectors.astype(float), {}
    for epsilon in EPSILONS:
        for repeat in range(REPEATS):
            rng = np.random.default_rng(repeat)
            Z = strength.sample(X, used, epsilon, rng)
            for task, (measure, _) in found.items():
                values.setdefault(task, []).append(measure(Z, rng))
    scores = {task: np.reshape(V, (len(EPSILONS), REPEATS)) for task, V in values.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({" ".join(task): V.tolist() for task, V in scores.items()})
    path.write_text(text, encoding="utf8")
    return scores


def curves_of(found, used, space, made):
    """Return mean and standard error by (figure, data, mechanism), each (epsilons, 2)."""
    curves = {}
    for name, strength in made.items():
        for key, V in scores_of(found, used, space, name, strength).items():
            error = V.std(axis=1, ddof=1) / np.sqrt(REPEATS)
            curves[(*key, name)] = np.stack([V.mean(axis=1), error], 1)
    for figure_name in {key[0] for key in found}:
        names = [key for key in found if key[0] == figure_name]
        names = [key for key in names if key[1] in OF_PAPER] or names
        for name in made if len(names) > 1 else ():
            C = np.stack([curves[(*key, name)] for key in names])
            error = np.sqrt((C[..., 1] ** 2).sum(axis=0)) / len(C)
            curves[figure_name, "mean", name] = np.stack([C[..., 0].mean(axis=0), error], 1)
    return curves


def tasks(args, space):
    found, used = all_tasks(space, args.data, args.pairs)
    if not found:
        return print(f"No data in {args.data}: README.md says which files there are for the tasks.")
    made, X = mechanisms(space), space.vectors.astype(float)
    curves, rng, rows, items = curves_of(found, used, space, made), np.random.default_rng(0), [], {}
    plain = {key: measure(X[used], rng) for key, (measure, _) in found.items()}
    for (figure_name, data), (_, size) in found.items():
        rows.append(
            [figure_name, data, "no noise", "", plain[figure_name, data], "", "100.0%", size]
        )
    for (figure_name, data, name), curve in curves.items():
        alone, size = (
            f"{made[name].without_noise(used):.1%}",
            found.get((figure_name, data), ["", ""])[1],
        )
        for epsilon, (mean, error) in zip(EPSILONS, curve, strict=True):
            rows.append(
                [figure_name, data, name, f"{epsilon:g}", float(mean), float(error), alone, size]
            )
    panels = []
    for figure_name in sorted({key[0] for key in found}):
        names = [data for f, data in found if f == figure_name]
        data = "mean" if (figure_name, "mean", NADP[0]) in curves else names[0]
        panels += [(figure_name, each) for each in dict.fromkeys([*names, data])]
        first = curves[figure_name, data, NADP[0]]
        lead = min(
            float((first[:, 0] - curves[figure_name, data, name][:, 0]).mean())
            for name in BASELINES
        )
        items[f"figure {figure_name}"] = item(
            "claim", ("NADP (tau .5) - best baseline, mean over epsilons", lead, ">=", 0)
        )
    remark = (
        f"NADP (tau .5) leaves {made[NADP[0]].without_noise(used):.1%} of the words of these tasks "
        f"without noise, NADP (tau .1) {made[NADP[1]].without_noise(used):.1%}, the baselines none."
    )
    columns = [
        "figure",
        "data",
        "mechanism",
        "epsilon",
        "score",
        "standard error",
        "words without noise",
        "size",
    ]
    settings = {"repeats": REPEATS, "delta": DELTA}
    finish(args, "nadp-tasks", space, columns, rows, remark, items=items, settings=settings)
    scores = {"2a": "Spearman's correlation", "2b": "Pearson's correlation"}

    def draw(axes, panel):
        for name, strength in made.items():
            mean, error = curves[(*panel, name)].T
            alone = strength.without_noise(used)
            label = name.replace("tau", r"$\tau$ =") + (f" ({alone:.0%} no noise)" if alone else "")
            (line,) = axes.plot(EPSILONS, mean, "o-", label=label)
            axes.fill_between(
                EPSILONS, mean - error, mean + error, alpha=0.2, lw=0, color=line.get_color()
            )
        axes.set(title=f"Figure {panel[0]}: {panel[1]}", xlabel=r"$\varepsilon$ (nats)")
        axes.set(ylabel=scores.get(panel[0], "accuracy"))
        label_lines(axes)

    figure(args.out / "nadp-tasks.svg", panels, draw, size=(4.2, 2.7), columns=3)


# -- figures 3 and 4, table 1 ----------------------------------------------------------------------


def overlaps(space, tops, rows, Z):
    """Return the Jaccard index of the ten words nearest to a word and to its noisy vector."""
    found = nearest_of(space, Z, TOP)
    shared = (tops[rows][:, :, None] == found[:, None, :]).any(axis=2).sum(axis=1)
    return shared / (2 * TOP - shared)


def nearest_of(space, Z, depth):
    """Return the nearest rows of noisy vectors, (k, depth)."""
    import faiss

    return faiss.knn(np.ascontiguousarray(Z, dtype=np.float32), space.vectors, depth)[1]


def lopsided(args, space):
    made, rng, X = mechanisms(space), np.random.default_rng(0), space.vectors.astype(float)
    picked = probes(space, 1500 if args.words >= 60 else 10 * args.words)
    tops = nearest(space, np.arange(len(space)), TOP)[0]
    rows, curves = [], {}
    for name, strength in made.items():
        for epsilon in EPSILONS:
            p = overlaps(space, tops, picked, strength.sample(X, picked, epsilon, rng))
            parts = [skewness(part) for part in np.array_split(rng.permutation(p), REPEATS)]
            error = float(np.nanstd(parts, ddof=1) / np.sqrt(REPEATS))
            curves.setdefault(name, []).append((skewness(p), error))
            alone = f"{strength.without_noise(picked):.1%}"
            rows.append([name, f"{epsilon:g}", skewness(p), error, float(p.mean()), alone])
    values = {name: np.array(curve)[:, 0] for name, curve in curves.items()}
    lowest = min(float(np.nanmin(values[name] - values[NADP[0]])) for name in BASELINES)
    second = min(float(np.nanmin((values[name] - values[NADP[1]])[:2])) for name in BASELINES)
    items = {
        "figure 3": item(
            "claim",
            ("least difference of a baseline and NADP (tau .5)", lowest, ">=", 0),
            ("least difference of a baseline and NADP (tau .1), epsilon to 5", second, ">=", 0),
            (
                "largest skewness of NADP (tau .5), absolute",
                np.nanmax(np.abs(values[NADP[0]])),
                "<=",
                1,
            ),
        )
    }
    remark = (
        "Skewness is that of p(x), the overlap of the ten words nearest to x and to its noisy "
        "vector; words without noise have p = 1."
    )
    columns = [
        "mechanism",
        "epsilon",
        "skewness",
        "standard error",
        "mean p",
        "words without noise",
    ]
    settings = {"words": len(picked), "m": TOP}
    finish(args, "nadp-skewness", space, columns, rows, remark, items=items, settings=settings)

    def draw(axes, _):
        for name, curve in curves.items():
            value, error = np.array(curve).T
            alone = made[name].without_noise(picked)
            label = name.replace("tau", r"$\tau$ =") + (f" ({alone:.0%} no noise)" if alone else "")
            (line,) = axes.plot(EPSILONS, value, "o-", label=label)
            axes.fill_between(
                EPSILONS, value - error, value + error, alpha=0.2, lw=0, color=line.get_color()
            )
        axes.axhline(0, color="#999999", lw=0.6)
        axes.set(
            title=f"Figure 3: {space.name}",
            xlabel=r"$\varepsilon$ (nats)",
            ylabel="skewness of $p(x)$",
        )
        label_lines(axes)

    figure(args.out / "nadp-skewness.svg", [None], draw, size=(4.6, 3))


def sigma(args, space):
    """Figure 4: the mean overlap over sigma, and the exponents a of exp(-eta^(a/2) sigma), with
    which the Jaccard baseline describes it."""
    X, rng = space.vectors.astype(float), np.random.default_rng(0)
    lists = nearest(space, np.arange(len(space)), TOP + 1)
    tops, density = lists[0][:, :TOP], lists[1][:, 1:].mean(axis=1)
    limit = density_limit(density)
    grid, curves, fits, rows = np.arange(0, 1.01, 0.05), {}, {}, []
    picked = probes(space, 1000 if args.words >= 60 else 10 * args.words)
    for part, rule in (("dense", density[picked] < limit), ("sparse", density[picked] >= limit)):
        some = picked[rule]
        means = []
        for s in grid:
            Z = X[some] + s * rng.standard_normal((len(some), X.shape[1]))
            p = overlaps(space, tops, some, Z)
            means.append((float(p.mean()), float(p.std() / np.sqrt(len(p)))))
        curves[part], eta = np.array(means), float(density[some].mean())

        def misfit(a, eta=eta, y=curves[part][:, 0]):
            return float(np.sum((np.exp(-(eta ** (a / 2)) * grid) - y) ** 2))

        fits[part] = (float(minimize_scalar(misfit, bounds=(-4, 8), method="bounded").x), eta)
        for s, (mean, error) in zip(grid, means, strict=True):
            rows.append(
                [part, f"{s:.2f}", mean, error, float(np.exp(-(eta ** (fits[part][0] / 2)) * s))]
            )
    for part, printed in (("dense", "alpha1"), ("sparse", "alpha2")):
        rows.append([f"exponent, {part}", "", fits[part][0], "", PAPER["jaccard"][printed]])
    rises = max(float(np.diff(curve[:, 0]).max()) for curve in curves.values())
    apart = fits["dense"][0] - fits["sparse"][0]
    items = {
        "figure 4": item(
            "claim",
            ("largest rise of the overlap with sigma", rises, "<=", 0.02),
            ("exponent of dense words - that of sparse ones (the paper: .559)", apart, ">=", 0),
        )
    }
    remark = f"Dense words have a mean distance to ten neighbours below {limit:.3g}."
    columns = ["words", "sigma", "overlap, or exponent", "standard error", "fit, or the paper's"]
    settings = {"words": len(picked), "k": TOP}
    finish(args, "nadp-sigma", space, columns, rows, remark, items=items, settings=settings)

    def draw(axes, _):
        for part, curve in curves.items():
            mean, error = curve.T
            (line,) = axes.plot(grid, mean, "o", label=f"{part} words")
            colour = line.get_color()
            axes.fill_between(
                grid, mean - 2 * error, mean + 2 * error, alpha=0.2, lw=0, color=colour
            )
            exponent, eta = fits[part]
            axes.plot(grid, np.exp(-(eta ** (exponent / 2)) * grid), color=colour, lw=1)
        axes.set(title=f"Figure 4: {space.name}", xlabel=r"$\sigma$ (distance)", ylim=(0, 1.02))
        axes.set(ylabel="overlap of ten neighbours")
        label_lines(axes)

    figure(args.out / "nadp-sigma.svg", [None], draw, size=(4, 2.8))


SHOWN = ("doctor", "london", "good", "king", "depression", "music")


def words(args, space):
    made, rng, X = mechanisms(space), np.random.default_rng(0), space.vectors.astype(float)
    rows_of = [space.find(word) for word in SHOWN if space.find(word) >= 0]
    tops = nearest(space, np.array(rows_of), 6)[0]
    rows = []
    for row, top in zip(rows_of, tops, strict=True):
        rows.append([space.words[row], "no noise", " ".join(space.words[t] for t in top[1:]), ""])
        for name, strength in made.items():
            Z = strength.sample(X, np.array([row]), 10.0, rng)
            near = " ".join(space.words[t] for t in nearest_of(space, Z, 5)[0])
            rows.append([space.words[row], name, near, f"{strength.Delta[row]:.3g}"])
    picked = probes(space, 300)
    kept = {
        name: float(np.mean(nearest_of(space, s.sample(X, picked, 10.0, rng), 1)[:, 0] == picked))
        for name, s in made.items()
    }
    best = max(kept[name] for name in BASELINES)
    items = {
        "table 1": item(
            "claim",
            (
                "unchanged under NADP (tau .5) - best baseline, of 300 words",
                kept[NADP[0]] - best,
                ">=",
                0,
            ),
        )
    }
    remark = (
        "Unchanged at epsilon 10: " + ", ".join(f"{v:.1%} ({k})" for k, v in kept.items()) + "."
    )
    columns = [
        "word",
        "mechanism",
        "nearest words of the noisy vector, epsilon 10",
        "Delta of the word",
    ]
    settings = {"epsilon": 10.0, "words": len(picked)}
    finish(args, "nadp-words", space, columns, rows, remark, items=items, settings=settings)


if __name__ == "__main__":
    run = {
        "graph": graph,
        "noise": noise,
        "tasks": tasks,
        "skewness": lopsided,
        "sigma": sigma,
        "words": words,
    }
    names = ("--space", "--max-words", "--words", "--draws", "--pairs", "--data", "--out")
    given = arguments(__doc__, list(run), *names)
    run[given.command](given, load_space(given.space, given.max_words))
