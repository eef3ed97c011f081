"""Huang et al. 2024, "Private language models via truncated Laplacian mechanism".

    delta      theorem 3: the claimed delta beside the exact one, at the paper's calibration
    variance   theorem 4: the noise beside that of the Laplace and of the Gaussian mechanism
    words      figures 2 and 5: N_w, the share of words that come out unchanged
    texts      figure 4: classifiers on sanitised text; ROUGE-1 and BLEU of it

Noise fills a box of side 2A around the word. From a word at difference v, a share
1 - prod_i (1 - t(|v_i|)) of it lies outside the other word's box, where t(v) =
(exp(a v) - 1) / (2 (exp(a A) - 1)): no epsilon is enough there. The proof bounds the volume of what
lies outside by (2C)^d, but it is (2A)^d - prod_i (2A - |v_i|).

The paper clips vectors to a norm C, and does not state it. Public code that names the paper takes
C = .005 and does not clip, with d = 300 in all formulas. Both are run: `code`, which promises
nothing, and `sound`, with C the longest vector and the least noise that keeps the promise. The
"Gaussian" of that code has sigma = 2 C sqrt(d) / epsilon, without a delta.

The paper measures texts that a network rewrote; here they are the sanitised texts themselves.
"""

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
    outputs,
    probes,
)
from drawing import DELTA, N_W, NATS, interval, level, line, ticks
from scipy.optimize import brentq
from texts import CLASSIFIERS, bleu, encode, read, rouge1, some

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.privacy.noise import log_delta

PAPER = PAPERS["truncated"]
NAME, D, DRAWS = "dx.TruncatedLaplace.v1", 300, 4000
EPSILONS, DIMS = PAPER["epsilons"], dict(zip(PAPER["epsilons"], PAPER["dims"], strict=True))
KINDS = ("TrLaplace", "Laplace", "Gaussian")
CALIBRATIONS = {"code": "public code, C = .005, no clip", "sound": "sound, C the longest vector"}
SOUND_DELTA = 1e-6
OPTIONS |= {
    "--texts": {"nargs": "*", "default": [], "help": "SST-2: training and test file; or one .csv"},
    "--train": {"type": int, "default": 2000, "help": "number of texts for training"},
    "--test": {"type": int, "default": 1000, "help": "number of texts for testing"},
}


def closed_form(epsilon, dims):
    """Return the exact delta of two words 2C apart that differ as much in all D coordinates."""
    a = epsilon / (2 * np.sqrt(dims))  # C = 1
    A = -np.log1p(-epsilon / (2 * 0.25 * np.sqrt(dims))) / a
    t = np.expm1(a * 2 / np.sqrt(D)) / (2 * np.expm1(a * A))
    return float(-np.expm1(D * np.log1p(-t))), float(A)


def made_of(space, calibration, kind, epsilon):
    """Return TrLaplace, Laplace or Gaussian noise, by public code or sound."""
    d = space.vectors.shape[1]
    if calibration == "sound":
        if kind == "TrLaplace":
            return mechanism(space, NAME, epsilon, delta=SOUND_DELTA)
        if kind == "Laplace":
            return mechanism(space, "dx.ClippedLaplace.v1", epsilon)
        return mechanism(space, "dx.Gaussian.v1", epsilon, delta=SOUND_DELTA)
    C, free = PAPER["C of public code"], {"clip": "none"}
    if kind == "TrLaplace":
        dims = max(d, DIMS.get(epsilon, D))
        return mechanism(space, NAME, epsilon, norm=C, calibration="paper", dims=dims, **free)
    if kind == "Laplace":  # scale 2 sqrt(D) C / epsilon, where the package takes its own d
        norm = C * float(np.sqrt(D / d))
        return mechanism(space, "dx.ClippedLaplace.v1", epsilon, norm=norm, **free)
    delta = float(np.exp(log_delta(epsilon, epsilon / np.sqrt(D))))
    return mechanism(space, "dx.Gaussian.v1", epsilon, delta=delta, norm=C, **free)


def delta(args, _):
    rows = []
    ends = Space.from_vectors(["one end", "other end"], np.outer([1, -1], np.ones(D)) / np.sqrt(D))
    for epsilon, dims in DIMS.items():
        exact, A = closed_form(epsilon, dims)
        made = mechanism(ends, NAME, float(epsilon), calibration="paper", clip=1.0, dims=dims)
        one, other = np.array([0]), np.array([1])
        package = made.facts.delta(one, other, np.array([[float(epsilon)]]))[0, 0]
        drawn = made.sample(np.zeros(DRAWS, int), Rng(seed=0)).vectors
        outside = np.mean((np.abs(drawn - ends.vectors[1]) > A + 1e-3).any(axis=1))
        row = [epsilon, dims, f"10^{-dims * np.log10(4):.1f}"]
        row += [f"{exact:.3f}", f"{package:.3f}", f"{outside:.3f}"]
        rows.append([*row, f"{PAPER['N_w']['Yelp, fastText']['TrLaplace'][len(rows)]:.3f}"])
    apart = max(abs(float(row[3]) - float(row[4])) for row in rows)
    drawn = max(abs(float(row[3]) - float(row[5])) for row in rows)
    found = item(
        "refutation",
        ("exact delta at epsilon .05, claimed 10^-180.6,", float(rows[0][3]), ">=", 0.5),
        ("formula and package differ by", apart, "<=", 0.001),
        ("formula and draws differ by", drawn, "<=", 0.03),
    )
    verdict = "No epsilon repairs it, as the boxes differ."
    columns = ["epsilon", "d of the formulas", "claimed delta", "exact delta", "by the package"]
    columns += [f"outside, of {DRAWS:,} draws", "N_w of the paper"]
    settings = {"@dx_mechanisms": NAME, "calibration": "paper", "d": D}
    items = {"theorem 3": found}
    finish(args, "truncated-delta", None, columns, rows, verdict, settings=settings, items=items)

    def paint(axes, _):
        line(axes, 0, EPSILONS, [float(row[3]) for row in rows], "exact")
        claimed = [-row[1] * np.log10(4) for row in rows]
        line(axes, 1, EPSILONS, [0.0] * len(rows), f"claimed: $10^{{{claimed[0]:.0f}}}$ and less")
        axes.set(xlabel=NATS, ylabel=DELTA, ylim=(-0.05, 1.05))
        ticks(axes, EPSILONS)
        label_lines(axes)

    figure(args.out / "truncated-delta.svg", [None], paint, size=(4.6, 2.5))


def variance(args, _):
    """Theorem 4: the variance of a coordinate is below that of Laplace, and of Gaussian noise."""
    rows, shares = [], []
    origin = Space.from_vectors(["a", "b"], np.outer([1, -1], np.ones(D)) / np.sqrt(D))
    for epsilon, dims in DIMS.items():
        a, A = epsilon / (2 * np.sqrt(dims)), closed_form(epsilon, dims)[1]
        x = np.linspace(0, A, 20001)  # by its integral: equation 6 has a misprint
        exact = float(np.sqrt(np.average(x**2, weights=np.exp(-a * x))))
        made = mechanism(origin, NAME, float(epsilon), calibration="paper", clip=1.0, dims=dims)
        Z = made.sample(np.zeros(DRAWS, int), Rng(seed=1)).vectors - origin.vectors[0]
        drawn = float(np.sqrt(np.mean(Z.astype(float) ** 2)))
        laplace, same = (float(np.sqrt(8 * d) / epsilon) for d in (D, dims))
        log = -dims * np.log(4)  # of delta, which a float cannot hold
        classical = 2 * float(np.sqrt(2 * (np.log(1.25) - log)) / epsilon)
        least = 2 / float(brentq(lambda mu, e=epsilon, x=log: log_delta(e, mu) - x, 1e-6, 50))
        sound = float(np.sqrt(np.mean(_sound(origin, epsilon) ** 2)))
        rows.append([epsilon, exact, drawn, same, laplace, classical, least, sound])
        shares.append(sound / laplace)
    of = {i: max(row[1] / row[i] for row in rows) for i in (3, 4, 5, 6)}
    drawn = max(abs(row[2] / row[1] - 1) for row in rows)
    items = {
        "theorem 1, truncated Laplace noise": item(
            "statement", ("drawn deviation is off by", drawn, "<=", 0.01)
        ),
        "theorem 2, Gaussian and Laplace noise": item(
            "statement", ("least / classical sigma", max(r[6] / r[5] for r in rows), "<=", 1)
        ),
        "theorem 4, against Laplace noise": item("statement", ("noise / Laplace", of[3], "<=", 1)),
        "theorem 4, against Gaussian noise": item(
            "statement",
            ("noise / classical Gaussian", of[5], "<=", 1),
            ("noise / least Gaussian", of[6], "<=", 1),
        ),
    }
    verdict = (
        f"Theorem 4 is about the d of the formulas. Beside Laplace noise in the {D} dimensions of "
        f"the vectors, the noise is up to {of[4]:.2f} times as large. Its delta is refuted; with a "
        f"delta of {SOUND_DELTA:g} that holds, it is {min(shares):.1%} to {max(shares):.1%} of "
        "Laplace noise."
    )
    columns = ["epsilon", "TrLaplace (its integral)", f"drawn, {DRAWS:,} times {D}"]
    columns += [
        "Laplace, d of the formulas",
        f"Laplace, d = {D}",
        "Gaussian, classical",
        "Gaussian, least",
        "TrLaplace, sound",
    ]
    settings = {"@dx_mechanisms": NAME, "d": D, "unit": "standard deviation of a coordinate / C"}
    finish(args, "truncated-variance", None, columns, rows, verdict, settings=settings, items=items)

    def paint(axes, _):
        for i, column in enumerate((1, 3, 4, 5, 6, 7)):
            name = columns[column].replace(" (its integral)", ", as published")
            style = {"linestyle": "--"} if column == 7 else {}
            line(axes, i, EPSILONS, [row[column] for row in rows], name, **style)
        ticks(axes, EPSILONS)
        axes.set(xlabel=NATS, ylabel=r"standard deviation of a coordinate / $C$", yscale="log")
        label_lines(axes)

    figure(args.out / "truncated-variance.svg", [None], paint, size=(4.8, 2.8))


def _sound(space, epsilon):
    made = mechanism(space, NAME, float(epsilon), clip=1.0, delta=SOUND_DELTA)
    return made.sample(np.zeros(DRAWS, int), Rng(seed=2)).vectors - space.vectors[0].astype(float)


def _kept(args, space):
    """Return N_w and half of its interval, by calibration, mechanism and epsilon."""
    picked, found = probes(space, args.words), {}
    for calibration, kind, epsilon in product(CALIBRATIONS, KINDS, EPSILONS):

        def compute(calibration=calibration, kind=kind, epsilon=epsilon):
            made = made_of(space, calibration, kind, float(epsilon))
            return {"same": outputs(made, picked, args.draws) == picked[:, None]}

        key = ["N_w", calibration, kind, epsilon, args.words, args.draws]
        same = cached(args, space, key, compute)["same"]
        found[calibration, kind, epsilon] = interval(same.mean(axis=1))
        share = found[calibration, kind, epsilon][0]
        print(f"{calibration}, {kind}, epsilon {epsilon:g}: {share:.3f}", flush=True)
    return found


def words(args, space):
    found = _kept(args, space)
    printed, rows = PAPER["N_w"]["Yelp, GloVe"], []
    for calibration, (i, epsilon) in product(CALIBRATIONS, enumerate(EPSILONS)):
        ours = ["{:.3f} ± {:.3f}".format(*found[calibration, k, epsilon]) for k in KINDS]
        theirs = [float(printed[kind][i]) for kind in KINDS]
        rows.append([calibration, epsilon, *ours, *theirs])
    share = {key: value for key, (value, _) in found.items()}
    first, last = ([share["code", k, e] for k in KINDS] for e in (EPSILONS[0], EPSILONS[-1]))
    checks = [
        (f"TrLaplace at epsilon {EPSILONS[0]:g}", first[0], ">=", 0.99),
        (f"Laplace at {EPSILONS[0]:g}", first[1], "<=", 0.1),
        (f"Gaussian at {EPSILONS[0]:g}", first[2], "<=", 0.15),
        (f"least of all at {EPSILONS[-1]:g}", min(last), ">=", 0.99),
    ]
    names = ("N_w of tables 1 to 3", "figure 2", "figure 5")
    items = {name: item("claim", *checks) for name in names}
    off = max(abs(share["sound", "TrLaplace", e] - share["sound", "Laplace", e]) for e in EPSILONS)
    verdict = (
        "By public code: no vector is clipped, and nothing is promised. With the sound clip, "
        f"TrLaplace and Laplace differ by {off:.3f} at most. The paper has "
        f"{printed['no noise']:.3f} without noise, since a network rewrites the text."
    )
    columns = ["calibration", "epsilon", *KINDS, *(f"{kind} of the paper" for kind in KINDS)]
    settings = {"@dx_mechanisms": NAME, "words": args.words, "draws": args.draws}
    finish(args, "truncated-words", space, columns, rows, verdict, settings=settings, items=items)

    def paint(axes, panel):
        for i, kind in enumerate(KINDS):
            if panel in CALIBRATIONS:
                mean, half = np.array([found[panel, kind, e] for e in EPSILONS]).T
                line(axes, i, EPSILONS, mean, kind, low=mean - half, high=mean + half)
            else:
                line(axes, i, EPSILONS, PAPER["N_w"][panel][kind], kind)
        title = CALIBRATIONS.get(panel, f"paper: {panel}")
        axes.set(title=title, xlabel=NATS, ylabel=f"{N_W} (share of words)", ylim=(-0.04, 1.04))
        ticks(axes, EPSILONS)
        if panel not in CALIBRATIONS:
            level(axes, PAPER["N_w"][panel]["no noise"], "no noise")
        label_lines(axes)

    panels = [*CALIBRATIONS, *PAPER["N_w"]]
    figure(args.out / "truncated-words.svg", panels, paint, columns=3, size=(3.3, 2.5))


def texts(args, space):
    if not args.texts:
        return print("No texts: give a training and a test file by --vars.texts (README.md).")
    train, test = _halves(args)
    names = sorted({*train[1]})
    # Words that come in no text are not needed: words of the texts are sanitised among these.
    sets = [encode(space, *part) for part in (train, test)]
    rows, curves = [], {}
    base = _judge(sets, [part.rows for part in sets])
    rows.append(["no noise", "", "", 1.0, 1.0, 1.0, *base.values()])
    rng = np.random.default_rng(0)
    chance = [rng.integers(len(space), size=len(part.rows)) for part in sets]
    shares = [*_overlap(sets[1], chance[1]), *_judge(sets, chance).values()]
    rows.append(["random words", "", "", 0.0, *shares])
    for calibration, kind, epsilon in product(CALIBRATIONS, KINDS, EPSILONS):

        def compute(calibration=calibration, kind=kind, epsilon=epsilon):
            made = made_of(space, calibration, kind, float(epsilon))
            released = [outputs(made, part.rows, 1)[:, 0] for part in sets]
            kept = np.mean(released[1] == sets[1].rows)
            return {"all": [kept, *_overlap(sets[1], released[1])], **_judge(sets, released)}

        key = ["texts", *map(str, args.texts), args.train, args.test, calibration, kind]
        result = cached(args, space, [*key, epsilon, sorted(base)], compute)
        shares = [*map(float, result["all"]), *(float(result[name]) for name in base)]
        rows.append([calibration, kind, epsilon, *shares])
        curves[calibration, kind, epsilon] = shares
        print(f"{calibration}, {kind}, epsilon {epsilon:g}: {shares[3]:.3f}", flush=True)
    items, verdict = _verdict(rows, curves, len(test[0]))
    columns = ["calibration", "mechanism", "epsilon", "N_w", "ROUGE-1", "BLEU"]
    columns += [f"accuracy, {name}" for name in base]
    settings = {"labels": len(names), "train": len(train[0]), "test": len(test[0])}
    finish(args, "truncated-texts", space, columns, rows, verdict, settings=settings, items=items)
    panels = [(c, i) for c in CALIBRATIONS for i in (3, 1, 2)]
    titles = {3: "accuracy, linear model", 1: "ROUGE-1", 2: "BLEU"}

    def paint(axes, panel):
        calibration, which = panel
        for i, kind in enumerate(KINDS):
            line(axes, i, EPSILONS, [curves[calibration, kind, e][which] for e in EPSILONS], kind)
        axes.set(title=CALIBRATIONS[calibration], xlabel=NATS, ylabel=titles[which])
        axes.set_ylim(-0.04, 1.04) if which != 3 else None
        ticks(axes, EPSILONS)
        level(axes, rows[0][3 + which], "no noise")
        level(axes, rows[1][3 + which], "random words", "--")
        label_lines(axes)

    figure(args.out / "truncated-texts.svg", panels, paint, columns=3, size=(3.3, 2.5))


def _halves(args):
    """Return texts and labels for training and for testing."""
    first = read(args.texts[0])
    if len(args.texts) > 1:
        second = read(args.texts[1])
        return some(*first, args.train), some(*second, args.test, seed=1)
    texts, labels = some(*first, args.train + args.test)
    n = len(texts) * args.train // (args.train + args.test)
    return (texts[:n], labels[:n]), (texts[n:], labels[n:])


def _overlap(texts, released):
    both = [np.split(rows, texts.ends[:-1]) for rows in (texts.rows, released)]
    return float(rouge1(*both).mean()), bleu(*both)


def _judge(sets, released):
    """Return the accuracy of each classifier, trained and tested on the release."""
    train, test = (part.strings(rows) for part, rows in zip(sets, released, strict=True))
    found = {}
    for name, classify in CLASSIFIERS.items():
        guess = classify(train, sets[0].labels, test)
        if guess is not None:
            found[name] = float(np.mean(guess == sets[1].labels))
    return found


def _verdict(rows, curves, tested):
    """Return the items of the paper, and what else the accuracies say."""
    best, chance = rows[0][6], rows[1][6]
    half = 1.96 * float(np.sqrt(best * (1 - best) / tested))
    low = {kind: curves["code", kind, EPSILONS[0]] for kind in KINDS}
    items = {
        "figure 4": item(
            "claim",
            ("accuracy lost with TrLaplace at epsilon .05", best - low["TrLaplace"][3], "<=", half),
            ("lost with Laplace noise", best - low["Laplace"][3], ">=", 2 * half),
            ("lost with Gaussian noise", best - low["Gaussian"][3], ">=", 2 * half),
        ),
        "ROUGE-1 and BLEU of tables 1 to 3": item(
            "claim",
            ("ROUGE-1 of TrLaplace at epsilon .05", low["TrLaplace"][1], ">=", 0.9),
            ("of Laplace and Gaussian noise", max(low[k][1] for k in KINDS[1:]), "<=", 0.2),
            ("BLEU of all at epsilon 20", min(curves["code", k, 20][2] for k in KINDS), ">=", 0.9),
        ),
    }
    sound = [curves["sound", kind, EPSILONS[-1]][3] for kind in KINDS]
    return items, (
        f"By public code. The linear model is right on {best:.3f} ± {half:.3f} of {tested:,} "
        f"unchanged texts, and on {chance:.3f} with random words. With a sound clip it is right on "
        f"{sound[0]:.3f} (TrLaplace), {sound[1]:.3f} (Laplace) and {sound[2]:.3f} (Gaussian noise) "
        f"at epsilon {EPSILONS[-1]:g}. The paper, whose texts a network rewrote, has "
        f"{PAPER['figure 4, accuracy without noise']['SST-2']['GloVe']} without noise."
    )


if __name__ == "__main__":
    run = {"delta": delta, "variance": variance, "words": words, "texts": texts}
    names = ("--space", "--max-words", "--words", "--draws", "--texts", "--train", "--test")
    given = arguments(__doc__, list(run), *names, "--out")
    run[given.command](given, load_space(given.space, given.max_words))
