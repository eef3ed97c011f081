"""Xu, Aggarwal, Feyisetan, Teissier 2020, "... using a regularized Mahalanobis metric".

    lemmas   lemmas 2 and 3: the norm beside the Euclidean one, from both sides; the noise
    table    tables 1 to 4 and figures 2 to 5: N_w and S_w over epsilon and lambda
    tasks    figures 6 and 7: classifiers on sanitised disaster tweets and SMS
    sparse   table 5: how sparse the words of these texts are
    search   which lambda changes words of sparse regions most, at an equal mean N_w
    local    Sigma of a word's own neighbourhood: what it changes, and what it gives away

N_w counts how often a word comes out as itself in 100 draws, S_w how many different words come out.
At the same epsilon, lambda above 0 promises less in Euclidean distance: epsilon divided by
sqrt(lambda lambda_min + 1 - lambda). So each is measured twice: at the paper's epsilon, and at one
that promises the same per unit of Euclidean distance for every lambda. With files of texts, the
words are those that come in them, as in the paper.
"""

import re
from itertools import product

import numpy as np
from caching import cached
from common import (
    OPTIONS,
    PAPERS,
    arguments,
    figure,
    finish,
    item,
    label_lines,
    load_space,
    mechanism,
    nearest,
    outputs,
    probes,
)
from drawing import EPSILON, LAMBDA, N_W, PER_UNIT, S_W, interval, line, ticks
from texts import CLASSIFIERS, encode, read, scores, some, vocabulary

from spacy_dxprivacy import Rng, Space

PAPER = PAPERS["ellipse"]
EPSILONS = [float(e) for e in PAPER["epsilons"]]
LAMBDAS = (0.0, 0.25, 0.5, 0.75, 1.0)
SAME = ("epsilon", "Euclidean epsilon")
NOMINAL = f"{EPSILON} (nats per unit of the Mahalanobis norm)"
PERCENTILES = (5, 50, 95)
NAMES = ("disaster tweets", "SMS spam")
POSITIVE = dict(zip(NAMES, ("1", "spam"), strict=True))
RATES = ("accuracy", "precision", "recall")
NAME = "dx.Mahalanobis.v1"
NO_TEXTS = "No texts: give files of disaster tweets and SMS by --vars.records (README.md)."
OPTIONS |= {
    "--records": {"nargs": "*", "default": [], "help": "disaster tweets, SMS: .csv, in this order"},
    "--count": {"type": int, "default": 2000, "help": "number of texts of each; a third for tests"},
}


def euclidean(made):
    """Return epsilon per unit of Euclidean distance, which the guarantee states."""
    return float(re.search(r"this is (\S+) nats", made.guarantee.notes)[1])


def made_of(space, lam, epsilon, same):
    """Return noise of lambda at an epsilon, that of the paper or the Euclidean one."""
    if same != SAME[0]:
        epsilon /= euclidean(mechanism(space, NAME, 1.0, lam=lam))
    return mechanism(space, NAME, float(epsilon), lam=lam)


def of_texts(space, args):
    """Return the space of the words that come in the texts; the space itself without texts."""
    if not args.records:
        return space
    rows, _ = vocabulary(space, [text for path in args.records for text in read(path)[0]])
    name = f"{space.name}, words of {' and '.join(NAMES[: len(args.records)])}"
    return Space.from_vectors([space.words[row] for row in rows], space.vectors[rows], name=name)


# -- lemmas ----------------------------------------------------------------------------------------


def lemmas(args, space):
    X = space.vectors.astype(float)
    Sigma, d = np.cov(X.T), X.shape[1]
    Sigma *= d / np.trace(Sigma)
    ends = np.linalg.eigvalsh(Sigma)[[0, -1]]
    rng, rows, off = (
        np.random.default_rng(0),
        [],
        {"within": [], "met": [], "noise": [], "loss": []},
    )
    pairs = rng.integers(len(X), size=(20_000, 2))
    V = X[pairs[:, 1]] - X[pairs[:, 0]]
    V = V[np.linalg.norm(V, axis=1) > 0]
    for lam in LAMBDAS:
        S = lam * Sigma + (1 - lam) * np.eye(d)
        low, high = 1 / np.sqrt(lam * ends[::-1] + 1 - lam)  # of ||v||_M / ||v||
        inverse = np.linalg.inv(S)
        ratio = np.sqrt(np.einsum("kd,de,ke->k", V, inverse, V)) / np.linalg.norm(V, axis=1)
        _, axes = np.linalg.eigh(S)
        met = np.sqrt(np.einsum("dk,de,ek->k", axes, inverse, axes))
        made = mechanism(space, NAME, 5.0, lam=lam)
        Z = made.sample(np.zeros(4000, int), Rng(seed=3)).vectors - space.vectors[0].astype(float)
        moment, half = interval(np.sum(Z**2, axis=1) / (d * (d + 1) / 25))
        few = pairs[:50, 0]
        loss, apart = made.facts.loss(few, pairs[:50, 1]), made.distances(few)[:, pairs[:50, 1]]
        off["within"].append(max(low / ratio.min(), ratio.max() / high))
        off["met"].append(np.abs([met.max() / high - 1, met.min() / low - 1]).max())
        off["noise"].append(abs(moment - 1) / (half / 1.96))
        off["loss"].append(np.max(loss - 5.0 * apart * (1 + 1e-4)))
        seen = [float(ratio.min()), float(ratio.max()), float(met.min()), float(met.max())]
        rows.append([f"{lam:g}", float(low), float(high), *seen, f"{moment:.3f} ± {half:.3f}"])
    worst = {name: float(max(values)) for name, values in off.items()}
    items = {
        "mechanism and theorem 1": item(
            "statement",
            (
                "largest loss above epsilon times distance, of 2,500 pairs",
                worst["loss"],
                "<=",
                1e-3,
            ),
            ("mean square of the noise is off by, in standard errors", worst["noise"], "<=", 4),
        ),
        "lemma 2": item(
            "statement",
            ("norm of 20,000 differences, over its bound", worst["within"], "<=", 1.0001),
        ),
        "lemma 3": item("statement", ("eigenvectors miss a bound by", worst["met"], "<=", 1e-4)),
    }
    columns = ["lambda", "lower bound of ||v||_M / ||v||", "upper bound"]
    columns += ["least of pairs", "largest of pairs", "of the first axis", "of the last"]
    columns += ["E ||z||^2 / (d (d + 1) / epsilon^2)"]
    settings = {"@dx_mechanisms": NAME, "pairs": len(pairs)}
    finish(args, "ellipse-lemmas", space, columns, rows, settings=settings, items=items)


# -- tables 1 to 4, figures 2 to 5 -----------------------------------------------------------------


def counted(args, space, rows, draws, lam, epsilon, same):
    """Return N_w and S_w of rows, of 100, from as many draws of each."""
    if lam == 0.0:  # the norm is the Euclidean one
        same = SAME[0]

    def compute():
        drawn = outputs(made_of(space, lam, epsilon, same), rows, draws)
        kept = np.sum(drawn == rows[:, None], axis=1) * (100 / draws)
        distinct = np.array([len({*row}) for row in drawn.tolist()]) * (100 / draws)
        return {"N_w": kept, "S_w": distinct}

    return cached(args, space, ["ellipse", rows.tolist(), draws, lam, epsilon, same], compute)


def table(args, space):
    space = of_texts(space, args)
    picked, cells, rows = probes(space, args.words), {}, []
    for same, lam, (i, epsilon) in product(SAME, LAMBDAS, enumerate(EPSILONS)):
        found = counted(args, space, picked, args.draws, lam, epsilon, same)
        cells[same, lam, epsilon] = found
        row = [same, f"{lam:g}", f"{epsilon:g}"]
        for what in ("N_w", "S_w"):
            mean, half = interval(found[what])
            row.append(f"{mean:.1f} ± {half:.1f}; {found[what].std():.1f}")
            row.append(", ".join(f"{p:.0f}" for p in np.percentile(found[what], PERCENTILES)))
        for what, vectors in product(("N_w", "S_w"), ("GloVe", "fastText")):
            printed = [PAPER[f"{what}, {vectors}{sd}"][f"{lam:g}"][i] for sd in ("", ", sd")]
            row.append("{:.1f}; {:.1f}".format(*printed) if same == SAME[0] else "")
        rows.append(row)
        print(*row[:4], flush=True)
    at = {lam: cells[SAME[1], lam, 20.0]["N_w"].mean() for lam in (0.0, 1.0)}
    verdict = (
        "A larger lambda promises less per unit of Euclidean distance: at a Euclidean epsilon of "
        f"20, N_w is {at[0.0]:.1f} for lambda 0 and {at[1.0]:.1f} for lambda 1."
    )
    numbers = {f"table {i}": what for i, what in enumerate(("N_w", "S_w") * 2, 1)}
    items = {name: item("claim", _order(cells, what)) for name, what in numbers.items()}
    for i, what in enumerate(("N_w", "S_w") * 2, 2):
        items[f"figure {i}"] = item("claim", *(_order(cells, what, p) for p in PERCENTILES))
    columns = ["the same", "lambda", "epsilon"]
    for what in ("N_w", "S_w"):
        columns += [f"{what}: mean ± 95 %; deviation", f"{what}: 5, 50, 95 %"]
    columns += [f"{w} of the paper, {v}" for w, v in product(("N_w", "S_w"), ("GloVe", "fastText"))]
    settings = {"@dx_mechanisms": NAME, "words": args.words, "draws": args.draws}
    finish(args, "ellipse-table", space, columns, rows, verdict, settings=settings, items=items)

    def paint(axes, panel):
        same, what = panel
        for i, lam in enumerate(LAMBDAS):
            of_lam = [cells[same, lam, e][what] for e in EPSILONS]
            low, middle, high = np.percentile(of_lam, PERCENTILES, axis=1)
            line(axes, i, EPSILONS, middle, f"{LAMBDA} = {lam:g}", low=low, high=high)
        label = {"N_w": N_W, "S_w": S_W}[what]
        axes.set(xlabel=NOMINAL if same == SAME[0] else PER_UNIT, ylabel=f"{label} (of 100 draws)")
        axes.set_title(f"equal {same}; dotted: 5 and 95 %")
        ticks(axes, EPSILONS)
        label_lines(axes)

    panels = [*product(SAME, ("N_w", "S_w"))]
    figure(args.out / "ellipse-table.svg", panels, paint, size=(3.7, 2.6), columns=2)


def _order(cells, what, percentile=None):
    """Return the check that N_w falls, or S_w rises, with lambda, by its mean or a percentile."""
    of = np.mean if percentile is None else lambda values: np.percentile(values, percentile)
    steps = [np.diff([of(cells[SAME[0], lam, e][what]) for lam in LAMBDAS]) for e in EPSILONS]
    wrong = float(np.max(steps)) if what == "N_w" else float(-np.min(steps))
    name = "mean" if percentile is None else f"{percentile}th percentile"
    move = "rises" if what == "N_w" else "falls"
    return f"{what}, {name}: {move} with lambda by at most, of 100,", wrong, "<=", 3


# -- figures 6 and 7, table 5 ----------------------------------------------------------------------


def tasks(args, space):
    if len(args.records) < len(NAMES):
        return print(NO_TEXTS)
    rows, curves, bases, full = [], {}, {}, of_texts(space, args)
    for name, path in zip(NAMES, args.records, strict=True):
        texts, labels = some(*read(path), args.count)
        n = len(texts) * 2 // 3
        sets = [encode(full, texts[:n], labels[:n]), encode(full, texts[n:], labels[n:])]
        base = bases[name] = _rates(name, sets, [part.rows for part in sets])
        printed = [PAPER["figures 6 and 7, without noise"][name][rate] for rate in RATES]
        rows.append([name, "no noise", "", "", *map(_three, base.values()), _three(printed)])
        for same, lam, epsilon in product(SAME, LAMBDAS, EPSILONS):
            found = _task(args, full, (name, sets), lam, epsilon, SAME[0] if lam == 0 else same)
            cells = [_three(found[model]) for model in base]
            rows.append([name, same, f"{lam:g}", f"{epsilon:g}", *cells, ""])
            for model in base:
                curves[name, model, same, lam, epsilon] = found[model].tolist()
            print(name, same, f"{lam:g}, {epsilon:g}: {cells[0]}", flush=True)
    models, tested = list(base), args.count - args.count * 2 // 3
    items, verdict = _of_tasks(curves, bases, models[0], tested)
    columns = ["texts", "the same", "lambda", "epsilon"]
    columns += [f"{', '.join(RATES)}: {model}" for model in models]
    columns += ["the paper (fastText)"]
    settings = {"@dx_mechanisms": NAME, "texts of each": args.count, "classifiers": models}
    finish(args, "ellipse-tasks", full, columns, rows, verdict, settings=settings, items=items)
    panels = [*product(NAMES, SAME, range(len(RATES)))]

    def paint(axes, panel):
        name, same, which = panel
        for i, lam in enumerate(LAMBDAS):
            y = [curves[name, models[-1], same, lam, e][which] for e in EPSILONS]
            line(axes, i, EPSILONS, y, f"{LAMBDA} = {lam:g}")
        axes.set(title=name, ylabel=f"{RATES[which]} (share, {models[-1]})", ylim=(-0.04, 1.04))
        axes.set_xlabel(
            f"{EPSILON} (nats per {'Mahalanobis' if same == SAME[0] else 'Euclidean'} unit)"
        )
        ticks(axes, EPSILONS)
        label_lines(axes)

    figure(args.out / "ellipse-tasks.svg", panels, paint, size=(3.3, 2.4), columns=3)


def _three(rates):
    return ", ".join(f"{rate:.2f}" for rate in rates)


def _task(args, space, task, lam, epsilon, same):
    name, sets = task

    def compute():
        made = made_of(space, lam, epsilon, same)
        return _rates(name, sets, [outputs(made, part.rows, 1)[:, 0] for part in sets])

    return cached(args, space, ["rates", name, args.count, lam, epsilon, same, _models()], compute)


def _models():
    """Return the classifiers that are installed."""
    few = (["a b", "c d"], np.array(["x", "y"]), ["a"])
    return [name for name, classify in CLASSIFIERS.items() if classify(*few) is not None]


def _rates(name, sets, released):
    """Return accuracy, precision and recall of each classifier, trained and tested on releases."""
    train, test = (part.strings(rows) for part, rows in zip(sets, released, strict=True))
    guesses = {model: CLASSIFIERS[model](train, sets[0].labels, test) for model in _models()}
    return {m: np.array(scores(g, sets[1].labels, POSITIVE[name])) for m, g in guesses.items()}


def _of_tasks(curves, bases, model, tested):
    """Return the items: at the largest epsilon accuracy is that without noise, for all lambdas."""
    items, remarks, base = {}, [], {name: float(rates[model][0]) for name, rates in bases.items()}
    for number, (name, best) in zip((6, 7), base.items(), strict=True):
        half = 1.96 * float(np.sqrt(2 * best * (1 - best) / tested))
        first, last = (
            [curves[name, model, SAME[0], lam, e][0] for lam in LAMBDAS]
            for e in (EPSILONS[0], EPSILONS[-1])
        )
        items[f"figure {number}"] = item(
            "claim",
            ("accuracy lost at epsilon 40, largest of all lambdas,", best - min(last), "<=", half),
            ("accuracy lost at epsilon 1, least of all lambdas,", best - max(first), ">=", half),
        )
        at = [curves[name, model, SAME[1], lam, 20.0][0] for lam in (0.0, 1.0)]
        remarks.append(f"{name} {at[0]:.3f} for lambda 0 and {at[1]:.3f} for lambda 1")
    return items, (
        f"Accuracy of the {model} classifier on {tested} test texts of each. At a Euclidean "
        f"epsilon of 20: {'; '.join(remarks)}."
    )


def sparse(args, space):
    if len(args.records) < len(NAMES):
        return print(NO_TEXTS)
    rows = []
    for name, path in zip(NAMES, args.records, strict=True):
        texts, _ = read(path)
        found, counts = vocabulary(space, texts)
        own = Space.from_vectors([space.words[row] for row in found], space.vectors[found])
        _, apart = nearest(own, np.arange(len(own)), 2)
        order = np.argsort(apart[:, 1])
        D, top = apart[order, 1], order[-50:]
        D = D[D > 1e-6]
        ratio, fifty = float(D[-1] / D[0]), float(D[-50:].mean() / D[:50].mean())
        p = float(counts[top].sum() / counts.sum())
        ours = [len(texts), float(counts.sum() / len(texts)), len(own), ratio, fifty, p]
        printed = PAPER["table 5"][name]
        rows.append([name, "this project", *ours])
        rows.append([name, "the paper (other vectors)", *printed.values()])
    ours = [row for row in rows if row[1] == "this project"]
    found = item(
        "claim",
        ("share of the 50 sparsest words", max(row[-1] for row in ours), "<=", 0.01),
        ("d of sparse words / d of dense ones", min(row[-2] for row in ours), ">=", 2),
    )
    verdict = (
        "d is the distance of a word to its nearest word: this project's reading of the table."
    )
    columns = ["texts", "by", "records", "words a record", "words with a vector"]
    columns += ["d_max / d_min", "mean of the 50 largest / 50 least d", "share of the 50 sparsest"]
    settings, items = {"texts": list(NAMES)}, {"table 5": found}
    finish(args, "ellipse-sparse", space, columns, rows, verdict, settings=settings, items=items)


# -- lambda, and the neighbourhood -----------------------------------------------------------------


def search(args, space):
    """For each lambda the epsilon at which half of the draws are unchanged, and what that gives."""
    space = of_texts(space, args)
    picked, rows, below = probes(space, args.words), [], []
    _, apart = nearest(space, picked, 2)
    far = apart[:, 1] >= np.percentile(apart[:, 1], 90)
    close = apart[:, 1] <= np.percentile(apart[:, 1], 10)
    for lam in np.linspace(0, 1, 11).round(2).tolist():
        low, high = 1.0, 200.0
        while high / low > 1.03:
            middle = float(f"{np.sqrt(low * high):.3g}")
            found = counted(args, space, picked, args.draws, lam, middle, SAME[0])
            low, high = (middle, high) if found["N_w"].mean() < 50 else (low, middle)
        found = counted(args, space, picked, args.draws, lam, high, SAME[0])
        kept, distinct = found["N_w"], found["S_w"]
        below.append(kept[far] - kept.mean())  # the mean is 50 up to the step of the search
        promise = euclidean(made_of(space, lam, high, SAME[0]))
        ends = [float(kept[far].mean()), float(kept[close].mean()), float(distinct[far].mean())]
        rows.append([lam, high, promise, float(kept.mean()), *ends, float(np.percentile(kept, 95))])
        print(f"lambda {lam:g}: epsilon {high:g}, N_w of sparse words {ends[0]:.1f}", flush=True)
    least = min(range(len(rows)), key=lambda i: below[i].mean())
    best, cost = rows[least], rows[least][2] / rows[0][2]
    gain, half = interval(below[0] - below[least])
    found = item("claim", ("N_w of sparse words, below lambda 0 by", gain, ">=", half))
    verdict = (
        f"At a mean N_w of 50, N_w of the tenth of the words in the sparsest regions is least for "
        f"lambda {best[0]:g} ({best[4]:.1f}; for lambda 0 {rows[0][4]:.1f}), whose Euclidean "
        f"epsilon is {cost:.2f} times that of lambda 0."
    )
    columns = ["lambda", "epsilon", "Euclidean epsilon", "mean N_w", "N_w, sparsest tenth"]
    columns += ["N_w, densest tenth", "S_w, sparsest tenth", "N_w, 95th percentile"]
    settings = {"@dx_mechanisms": NAME, "words": args.words, "draws": args.draws}
    items = {"search for lambda": found}
    finish(args, "ellipse-search", space, columns, rows, verdict, settings=settings, items=items)
    lambdas = [row[0] for row in rows]

    def paint(axes, panel):
        if panel == "N_w":
            for i, (column, name) in enumerate([(4, "sparsest tenth"), (5, "densest tenth")]):
                line(axes, i, lambdas, [row[column] for row in rows], name)
            axes.set_ylabel(f"{N_W} (of 100 draws)")
        else:
            line(axes, 2, lambdas, [row[1] for row in rows], "nominal")
            line(axes, 3, lambdas, [row[2] for row in rows], "Euclidean")
            axes.set_ylabel(f"{EPSILON} (nats per unit of the norm)")
        axes.set_xlabel(LAMBDA)
        label_lines(axes)

    figure(args.out / "ellipse-search.svg", ["N_w", "epsilon"], paint, size=(3.6, 2.5))


def roots_of(space, rows, lam, size):
    """Return S of the neighbourhood of each row by its eigenvalues (k, d) and axes (k, d, d)."""
    near, _ = nearest(space, rows, size)
    X, values, axes = space.vectors.astype(float), [], []
    for few in near:
        S = np.cov(X[few].T)
        S = lam * S * (len(S) / np.trace(S)) + (1 - lam) * np.eye(len(S))
        found, turned = np.linalg.eigh(S)
        values.append(found)
        axes.append(turned)
    return np.array(values), np.array(axes)


def local(args, space):
    """Sigma of a word's 500 nearest words: N_w, and delta against the word's nearest neighbour."""
    space, lam, size = of_texts(space, args), 0.5, 500
    picked, rng, rows = probes(space, min(args.words, 100)), np.random.default_rng(5), []
    X = space.vectors.astype(float)
    beside, _ = nearest(space, picked, 2)
    own = roots_of(space, picked, lam, size)
    other = roots_of(space, beside[:, 1], lam, size)
    d, squares = X.shape[1], np.sum(X**2, axis=1)

    def log_density(Z, values, axes, epsilon):  # Z (n, d), up to a constant
        whitened = Z @ (axes / np.sqrt(values))
        return -epsilon * np.linalg.norm(whitened, axis=1) - 0.5 * np.log(values).sum()

    for epsilon in EPSILONS:
        whole = counted(args, space, picked, args.draws, lam, epsilon, SAME[0])["N_w"]
        kept, deltas = np.empty(len(picked)), np.empty(len(picked))
        for i, row in enumerate(picked.tolist()):
            G = rng.normal(size=(args.draws, d))
            G *= (rng.gamma(d, 1 / epsilon, args.draws) / np.linalg.norm(G, axis=1))[:, None]
            Z = G @ (own[1][i] * np.sqrt(own[0][i])).T
            D = squares - 2 * (X[row] + Z) @ X.T
            kept[i] = 100 * np.mean(D.argmin(axis=1) == row)
            gap = X[beside[i, 1]] - X[row]
            here = log_density(Z, own[0][i], own[1][i], epsilon)
            there = log_density(Z - gap, other[0][i], other[1][i], epsilon)
            norms = [
                np.linalg.norm(gap @ (a / np.sqrt(v)))
                for v, a in ((own[0][i], own[1][i]), (other[0][i], other[1][i]))
            ]
            loss = epsilon * max(norms) - (here - there)
            deltas[i] = np.mean(-np.expm1(np.minimum(loss, 0)))
        mean, half = interval(kept)
        total, around = interval(whole)
        bands = [
            ", ".join(f"{p:.0f}" for p in np.percentile(v, PERCENTILES)) for v in (whole, kept)
        ]
        row = [f"{epsilon:g}", f"{total:.1f} ± {around:.1f}", bands[0], f"{mean:.1f} ± {half:.1f}"]
        rows.append([*row, bands[1], float(deltas.mean()), float(deltas.max())])
        print(*rows[-1][:4], flush=True)
    worst = max(row[-1] for row in rows)
    found = item("refutation", ("largest delta, where the guarantee has 0,", worst, ">=", 0.01))
    verdict = (
        f"An experiment: with Sigma of a word's {size} nearest words (lambda {lam:g}) the noise "
        "depends on the word. delta is against the nearest word, at epsilon times the distance."
    )
    columns = [
        "epsilon",
        "N_w, Sigma of all words",
        "5, 50, 95 %",
        "N_w, Sigma of the neighbourhood",
    ]
    columns += ["5, 50, 95 % ", "mean delta to the nearest word", "largest delta"]
    settings = {"lambda": lam, "neighbourhood": size, "words": len(picked), "draws": args.draws}
    items = {"Sigma of a neighbourhood": found}
    finish(args, "ellipse-local", space, columns, rows, verdict, settings=settings, items=items)


if __name__ == "__main__":
    run = {"lemmas": lemmas, "table": table, "tasks": tasks}
    run |= {"sparse": sparse, "search": search, "local": local}
    names = ("--space", "--max-words", "--words", "--draws", "--records", "--count", "--out")
    given = arguments(__doc__, list(run), *names)
    run[given.command](given, load_space(given.space, given.max_words))
