"""`python -m spacy dx inspect WORD`: its neighbours, and what it becomes."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, zip_longest
from typing import Annotated

import numpy as np
import typer
from typer import Argument, Option

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ...cli import options
from ...cli.terminal import setting_up, settings_that_fail
from ...config import import_code
from ...errors import DxError, UsageError
from ...io.build import mechanism_config
from ...mechanisms.levels import found_by
from ...privacy.randomness import Rng
from ...space import Space
from ...space.search.exact import neighbours
from ...space.sources import BUILTIN
from ...ty import HasMetric, Mechanism, StatesProbabilities
from ..mechanisms import load_space, make_mechanism, parse_tunable
from ..results import text_table

BAR = 40


def inspect_cli(
    word: Annotated[str, Argument(
        metavar="WORD", show_default=False, help="Word of the space"
    )],
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    space: options.Space = BUILTIN,
    max_words: options.MaxWords = None,
    top: Annotated[int, Option("--top", min=1, help="Number of outputs to show")] = 20,
    k: Annotated[int, Option("--k", min=1, help="Number of neighbours to show")] = 10,
    draws: Annotated[int, Option(
        "--draws", min=2, help="Number of draws, where probabilities are simulated"
    )] = 2000,
    code: options.Code = None,
) -> None:  # fmt: skip
    """Show the neighbours and the outputs of a word.

    Example: python -m spacy dx inspect doctor --epsilon 2.0
    """
    with setting_up():
        import_code(code)
        label, config = parse_tunable(mechanism or "path")
        chosen = float(mechanism_config(label, epsilon)["epsilon"])
        words = load_space(space, max_words)
    with settings_that_fail():
        row = words.find(word)
        if row < 0:
            raise UsageError("the space does not hold this word: choose another one.")
        fitted = make_mechanism(config, words, chosen)
        rows, shares, exact = outputs_of(row, fitted, draws)
    typer.secho(f"{words.words[row]}: row {row} of {words.name}", bold=True)
    _print_neighbours(words, row, fitted, k)
    _print_title(fitted, label)
    source = "exact" if exact else f"in {draws:,} draws"
    typer.echo(f"Outputs at epsilon = {chosen:g} ({source}):")
    _print_attacker(fitted, chosen)
    names = [words.words[i] + " (unchanged)" * (i == row) for i in rows[:top].tolist()]
    lines = [*zip(names, shares[:top].tolist(), "█" * top, strict=False)]
    if n_hidden := len(rows) - len(lines):
        lines.append((f"{n_hidden:,} others", max(0.0, 1 - shares[:top].sum()), "░"))
    table = [[out, f"{p:.2%}", mark * round(p * BAR)] for out, p, mark in lines]
    typer.echo(text_table(["output", "share", ""], table, "lrl"))


def outputs_of(row: int, mechanism: Mechanism, draws: int) -> tuple[Ints1d, Floats1d, bool]:
    """Return what a word becomes, the likeliest first, with shares; and whether these are exact.
    draws: to count where they are not."""
    if exact := isinstance(mechanism, StatesProbabilities):
        P = mechanism.distribution(np.array([row]))[0]
        rows = np.flatnonzero(P > 0)
        shares = P[rows]
    else:
        drawn = mechanism.sample(np.full(draws, row), Rng(seed=0)).rows
        rows, counts = np.unique(drawn, return_counts=True)
        shares = counts / draws
    order = np.argsort(-shares, kind="stable")
    return rows[order], shares[order], exact


def nearest_others(X: Floats2d, rows: Ints1d, k: int) -> Ints2d:
    """Return the k other words nearest to each row by Euclidean distance, int64 (len(rows), k)."""
    if k < 1:
        return np.empty((len(rows), 0), dtype=np.int64)
    rows_near = neighbours(X[rows], X, k + 1)[0]
    itself = rows_near == rows[:, None]
    itself[~itself.any(axis=1), -1] = True  # crowded out by others at the same point
    return np.asarray(rows_near[~itself].reshape(len(rows), k))


def _print_neighbours(space: Space, row: int, mechanism: Mechanism, k: int) -> None:
    """Print the nearest words by Euclid, and in the metric of the guarantee if it is another."""
    nearest = nearest_others(space.vectors, np.array([row]), min(k, len(space) - 1))[0]
    distances = np.linalg.norm(
        space.vectors[nearest].astype(np.float64) - space.vectors[row], axis=1
    )
    columns, header = [(nearest, distances)], ["nearest by Euclid", "distance"]
    metric = mechanism.guarantee.metric
    if isinstance(mechanism, HasMetric) and metric != "euclidean":
        with suppress(DxError):  # a guarantee that is in no metric of the space
            D = mechanism.distances(np.array([row]))[0]
            D[row] = np.inf
            close = np.argsort(D, kind="stable")[:k]
            close = close[np.isfinite(D[close])]
            columns.append((close, D[close]))
            header += [f"nearest by {metric}", "distance"]
    cells = [
        [(space.words[i], f"{d:.3g}") for i, d in zip(rows.tolist(), D, strict=False)]
        for rows, D in columns
    ]
    lines = [[*chain(*line)] for line in zip_longest(*cells, fillvalue=("", ""))]
    typer.echo(text_table(header, lines, "lrlr"[: len(header)]) + "\n")


def _print_title(mechanism: Mechanism, label: str) -> None:
    """Print a mechanism by its label, and in red where it has no guarantee."""
    guarantee = mechanism.guarantee
    typer.secho(f"{label}, epsilon in {guarantee.unit or 'no unit'}", bold=True)
    if not guarantee.holds:
        why = "its published proof does not hold" if guarantee.kind != "none" else guarantee.notes
        typer.secho(f"NO PRIVACY: {why.rstrip('.')}.", fg="red", bold=True)


def _print_attacker(mechanism: Mechanism, epsilon: float) -> None:
    """Print the attack success rate on other texts, where it was measured."""
    measured = found_by(mechanism, epsilon)
    unknown = "`dx attack frontier TEXT` measures the attack success rate at this epsilon."
    typer.echo(unknown if measured is None else f"At {measured} (docs/explanation/attacks.md).")
