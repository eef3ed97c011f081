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
from common import OPTIONS, PAPERS, arguments, finish, load_space, mechanism, outputs, probes
from drawing import DELTA, INK, N_W, NATS, draw, interval, line, ticks
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
    verdict = (
        f"cannot follow from its formulas: the exact delta is {rows[0][3]} where 10^-180.6 is "
        f"claimed. Formula and package differ by {apart:.3f} at most; no epsilon repairs it, as "
        "the boxes differ."
    )
    columns = ["epsilon", "d of the formulas", "claimed delta", "exact delta", "by the package"]
    columns += [f"outside, of {DRAWS:,} draws", "N_w of the paper"]
    settings = {"@dx_mechanisms": NAME, "calibration": "paper", "d": D}
    finish(args, "truncated-delta", None, columns, rows, verdict, settings=settings)

    def paint(axes, _):
        line(axes, 0, EPSILONS, [float(row[3]) for row in rows], "exact")
        claimed = [-row[1] * np.log10(4) for row in rows]
        line(axes, 1, EPSILONS, [0.0] * len(rows), f"claimed: $10^{{{claimed[0]:.0f}}}$ and less")
        axes.set(xlabel=NATS, ylabel=DELTA, ylim=(-0.05, 1.05))
        ticks(axes, EPSILONS)

    draw(args.out / "truncated-delta", [None], paint, size=(3.4, 2.5))


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
    below = [sum(row[1] < row[i] for row in rows) for i in (3, 4, 5, 6)]
    kind = "reproduced" if below[0] == below[2] == len(rows) else "not reproduced"
    verdict = (
        f"{kind}: at the d of the formulas, the noise is below that of Laplace at {below[0]} and "
        f"below classical Gaussian noise at {below[2]} of {len(rows)} epsilons (below the least "
        f"Gaussian noise at {below[3]}, and below Laplace noise in the {D} dimensions of the "
        f"vectors at {below[1]}). But its delta is refuted. With a delta of {SOUND_DELTA:g} that "
        f"holds, it is {min(shares):.1%} to {max(shares):.1%} of Laplace noise."
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
    finish(args, "truncated-variance", None, columns, rows, verdict, settings=settings)

    def paint(axes, _):
        for i, column in enumerate((1, 3, 4, 5, 6, 7)):
            name = columns[column].replace(" (its integral)", ", as published")
            style = {"linestyle": "--"} if column == 7 else {}
            line(axes, i, EPSILONS, [row[column] for row in rows], name, **style)
        ticks(axes, EPSILONS)
        axes.set(xlabel=NATS, ylabel=r"standard deviation of a coordinate / $C$", yscale="log")

    draw(args.out / "truncated-variance", [None], paint, size=(3.6, 2.8))


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
    shape = all(share["code", "TrLaplace", e] > 0.99 for e in EPSILONS) and all(
        share["code", k, EPSILONS[0]] < 0.1 and share["code", k, EPSILONS[-1]] > 0.99
        for k in KINDS[1:]
    )
    off = max(abs(share["sound", "TrLaplace", e] - share["sound", "Laplace", e]) for e in EPSILONS)
    verdict = (
        f"{'reproduced in kind' if shape else 'not reproduced'}: by public code TrLaplace leaves "
        f"{share['code', 'TrLaplace', EPSILONS[0]]:.0%} of the words unchanged at epsilon "
        f"{EPSILONS[0]:g}, Laplace {share['code', 'Laplace', EPSILONS[0]]:.1%} and Gaussian noise "
        f"{share['code', 'Gaussian', EPSILONS[0]]:.1%}; at {EPSILONS[-1]:g} all leave "
        f"{min(share['code', k, EPSILONS[-1]] for k in KINDS):.0%}. No vector is clipped there, "
        "and nothing is promised. With the sound clip, TrLaplace and Laplace differ by "
        f"{off:.3f} at most. Paper: {printed['no noise']:.3f} without noise, since a network "
        "rewrites the text."
    )
    columns = ["calibration", "epsilon", *KINDS, *(f"{kind} of the paper" for kind in KINDS)]
    settings = {"@dx_mechanisms": NAME, "words": args.words, "draws": args.draws}
    finish(args, "truncated-words", space, columns, rows, verdict, settings=settings)

    def paint(axes, panel):
        for i, kind in enumerate(KINDS):
            if panel in CALIBRATIONS:
                mean, half = np.array([found[panel, kind, e] for e in EPSILONS]).T
                line(axes, i, EPSILONS, mean, kind, low=mean - half, high=mean + half)
            else:
                line(axes, i, EPSILONS, PAPER["N_w"][panel][kind], kind)
        if panel not in CALIBRATIONS:
            axes.axhline(
                PAPER["N_w"][panel]["no noise"], color=INK, lw=0.8, ls=":", label="no noise"
            )
        title = CALIBRATIONS.get(panel, f"paper: {panel}")
        axes.set(title=title, xlabel=NATS, ylabel=f"{N_W} (share of words)", ylim=(-0.04, 1.04))
        ticks(axes, EPSILONS)

    draw(args.out / "truncated-words", [*CALIBRATIONS, *PAPER["N_w"]], paint, columns=3)


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
    verdict = _verdict(rows, curves, len(test[0]))
    columns = ["calibration", "mechanism", "epsilon", "N_w", "ROUGE-1", "BLEU"]
    columns += [f"accuracy, {name}" for name in base]
    settings = {"labels": len(names), "train": len(train[0]), "test": len(test[0])}
    finish(args, "truncated-texts", space, columns, rows, verdict, settings=settings)
    panels = [(c, i) for c in CALIBRATIONS for i in (3, 1, 2)]
    titles = {3: "accuracy, linear model", 1: "ROUGE-1", 2: "BLEU"}

    def paint(axes, panel):
        calibration, which = panel
        for i, kind in enumerate(KINDS):
            line(axes, i, EPSILONS, [curves[calibration, kind, e][which] for e in EPSILONS], kind)
        axes.axhline(rows[0][3 + which], color=INK, lw=0.8, ls=":", label="no noise")
        axes.axhline(rows[1][3 + which], color=INK, lw=0.8, ls="--", label="random words")
        axes.set(title=CALIBRATIONS[calibration], xlabel=NATS, ylabel=titles[which])
        axes.set_ylim(-0.04, 1.04) if which != 3 else None
        ticks(axes, EPSILONS)

    draw(args.out / "truncated-texts", panels, paint, columns=3)


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
    half = 1.96 * np.sqrt(rows[0][6] * (1 - rows[0][6]) / tested)
    low = [curves["code", kind, EPSILONS[0]][3] for kind in KINDS]
    shape = low[0] > rows[0][6] - 2 * half and max(low[1:]) < rows[0][6] - 2 * half
    sound = [curves["sound", kind, EPSILONS[-1]][3] for kind in KINDS]
    return (
        f"{'reproduced in kind' if shape else 'not reproduced'}: of unchanged texts the linear "
        f"model is right on {rows[0][6]:.3f} ± {half:.3f} of {tested:,}; at epsilon "
        f"{EPSILONS[0]:g}, by public code, on {low[0]:.3f} with TrLaplace, {low[1]:.3f} with "
        f"Laplace and {low[2]:.3f} with Gaussian noise, where the paper has the same order. With "
        f"a sound clip it is right on {sound[0]:.3f}, {sound[1]:.3f} and {sound[2]:.3f} at "
        f"epsilon {EPSILONS[-1]:g}; on random words on {rows[1][6]:.3f}."
    )


if __name__ == "__main__":
    run = {"delta": delta, "variance": variance, "words": words, "texts": texts}
    names = ("--space", "--max-words", "--words", "--draws", "--texts", "--train", "--test")
    given = arguments(__doc__, list(run), *names, "--out")
    run[given.command](given, load_space(given.space, given.max_words))
