"""Xu, Aggarwal, Feyisetan, Teissier 2020, "... using a regularized Mahalanobis metric".

    table   tables 1 to 4: N_w and S_w over epsilon and lambda, with standard deviations

N_w counts how often a word comes out as itself in 100 draws, S_w how many different words come out.
At the same epsilon, lambda above 0 promises less in Euclidean distance: epsilon divided by
sqrt(lambda lambda_min + 1 - lambda). So the table is made twice: at the paper's epsilon, and at one
that promises the same per unit of Euclidean distance for every lambda.
"""

import re

import numpy as np
from common import PAPERS, arguments, figure, finish, load_space, mechanism, outputs, probes

PAPER = PAPERS["ellipse"]
LAMBDAS = (0.0, 0.25, 0.5, 0.75, 1.0)
SAME = ("epsilon", "Euclidean epsilon")


def euclidean(made):
    """Return epsilon per unit of Euclidean distance, which the guarantee states."""
    return float(re.search(r"this is (\S+) nats", made.guarantee.notes)[1])


def table(args, space):
    picked, cells = probes(space, args.words), {}
    for lam in LAMBDAS:
        shrink = 1 / euclidean(mechanism(space, "dx.Mahalanobis.v1", 1.0, lam=lam))
        for same, epsilon in [(same, float(e)) for same in SAME for e in PAPER["epsilons"]]:
            own = epsilon if same == SAME[0] else epsilon * shrink
            made = mechanism(space, "dx.Mahalanobis.v1", own, lam=lam)
            drawn = outputs(made, picked, args.draws)
            kept = np.sum(drawn == picked[:, None], axis=1) * (100 / args.draws)
            distinct = np.array([len({*row}) for row in drawn.tolist()])
            cells[same, lam, epsilon] = [kept.mean(), kept.std(), distinct.mean(), distinct.std()]
    rows = []
    for (same, lam, epsilon), (kept, kept_sd, distinct, distinct_sd) in cells.items():
        row = [
            same,
            f"{lam:g}",
            f"{epsilon:g}",
            f"{kept:.1f} ± {kept_sd:.1f}",
            f"{distinct:.1f} ± {distinct_sd:.1f}",
        ]
        at = PAPER["epsilons"].index(epsilon)
        of_paper = [f"{PAPER[what][f'{lam:g}'][at]:.1f}" for what in ("N_w, GloVe", "S_w, GloVe")]
        rows.append(row + (of_paper if same == SAME[0] else ["", ""]))

    def order(same, epsilon):
        """Whether N_w falls and S_w rises with lambda, within 1 of 100."""
        steps = np.diff([cells[same, lam, float(epsilon)] for lam in LAMBDAS], axis=0)
        return bool((steps[:, 0] <= 1).all() and (steps[:, 2] >= -1).all())

    told = [sum(order(same, e) for e in PAPER["epsilons"]) for same in SAME]
    all_of = len(PAPER["epsilons"])
    kind = "reproduced in kind" if told[0] == all_of else "not reproduced"
    verdict = (
        f"{kind}: N_w falls and S_w rises with lambda at {told[0]} of {all_of} epsilons. A larger "
        "lambda promises less per unit of Euclidean distance, and needs more noise for an equal "
        f"promise: at a Euclidean epsilon of 20, N_w is {cells[SAME[1], 0.0, 20.0][0]:.1f} for "
        f"lambda 0 and {cells[SAME[1], 1.0, 20.0][0]:.1f} for lambda 1."
    )
    columns = [
        "the same",
        "lambda",
        "epsilon",
        "N_w",
        f"S_w, of {args.draws} draws",
        "N_w of the paper (GloVe)",
        "S_w of the paper (GloVe)",
    ]
    settings = {"@dx_mechanisms": "dx.Mahalanobis.v1", "words": args.words, "draws": args.draws}
    finish(args, "ellipse-table", space, columns, rows, verdict, settings=settings)

    def draw(axes, panel):
        same, which, title = panel
        for lam in LAMBDAS:
            axes.plot(
                PAPER["epsilons"],
                [cells[same, lam, float(e)][which] for e in PAPER["epsilons"]],
                "-",
                label=f"lambda {lam:g}",
            )
        axes.set(title=f"{title}, equal {same}", xlabel="epsilon", xscale="log")
        if panel == panels[0]:
            axes.legend(frameon=False, fontsize=6)

    panels = [(same, which, title) for same in SAME for which, title in ((0, "N_w"), (2, "S_w"))]
    figure(args.out / "ellipse-table.svg", panels, draw)


if __name__ == "__main__":
    given = arguments(__doc__, ["table"], "--space", "--max-words", "--words", "--draws", "--out")
    table(given, load_space(given.space, given.max_words))
