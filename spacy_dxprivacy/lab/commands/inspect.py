"""`dx inspect WORD`: the neighbours and outputs of a word."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, zip_longest
from typing import Annotated

import numpy as np
import typer
from typer import Argument, Option

from ...arrays import Floats1d, Ints1d
from ...cli import options
from ...cli.options import setup_errors, usage_errors
from ...config.code import import_code
from ...errors import DxError, UsageError
from ...mechanisms.levels import level_of
from ...mechanisms.named import mechanism_config
from ...privacy.randomness import Rng
from ...space import Space
from ...space.search.exact import euclidean
from ...space.sources import BUILTIN
from ...ty import HasMetric, Mechanism, StatesProbabilities
from ..mechanisms import load_space, make_mechanism, parse_tunable
from ..report.receipts import sentence
from ..results import text_table

BAR_WIDTH = 40


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

    Example: dx inspect doctor --epsilon 2.0
    """
    with setup_errors():
        import_code(code)
        label, config = parse_tunable(mechanism or "path")
        chosen = float(mechanism_config(label, epsilon)["epsilon"])
        words = load_space(space, max_words)
    with usage_errors():
        row = words.find(word)
        if row < 0:
            raise UsageError("the space does not contain this word: choose another one.")
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
    table = [[out, f"{p:.2%}", mark * round(p * BAR_WIDTH)] for out, p, mark in lines]
    typer.echo(text_table(["output", "share", ""], table, "lrl"))


def outputs_of(row: int, mechanism: Mechanism, draws: int) -> tuple[Ints1d, Floats1d, bool]:
    """Return the outputs of a word, likeliest first, with their shares, and whether these are
    exact. draws: to simulate them."""
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


def nearest(D: Floats1d, row: int, k: int) -> tuple[Ints1d, Floats1d]:
    """Return the k nearest other words at finite distances D (n,), and their distances."""
    D[row] = np.inf
    rows = np.argsort(D, kind="stable")[:k]
    rows = rows[np.isfinite(D[rows])]
    return rows, D[rows]


def _print_neighbours(space: Space, row: int, mechanism: Mechanism, k: int) -> None:
    """Print the nearest words by Euclid, and in the metric of the guarantee if it is another."""
    rows = np.array([row])
    columns, header = [nearest(euclidean(space.vectors, rows)[0], row, k)], ["nearest by Euclid"]
    metric = mechanism.guarantee.metric
    if isinstance(mechanism, HasMetric) and metric != "euclidean":
        with suppress(DxError):  # the guarantee is not in a metric
            columns.append(nearest(mechanism.distances(rows)[0], row, k))
            header.append(f"nearest by {metric}")
    cells = [
        [(space.words[i], f"{d:.3g}") for i, d in zip(rows.tolist(), D, strict=True)]
        for rows, D in columns
    ]
    lines = [[*chain(*line)] for line in zip_longest(*cells, fillvalue=("", ""))]
    titles = [title for name in header for title in (name, "distance")]
    typer.echo(text_table(titles, lines, "lrlr"[: len(titles)]) + "\n")


def _print_title(mechanism: Mechanism, label: str) -> None:
    """Print a mechanism by its label; in red if it has no guarantee."""
    guarantee = mechanism.guarantee
    typer.secho(f"{label}, epsilon in {guarantee.unit or 'no unit'}", bold=True)
    if not guarantee.holds:
        why = "its published proof does not hold" if guarantee.kind != "none" else guarantee.notes
        typer.secho(f"NO PRIVACY: {why.rstrip('.')}.", fg="red", bold=True)


def _print_attacker(mechanism: Mechanism, epsilon: float) -> None:
    """Print the measured attack success rate on other texts, if any."""
    measured = level_of(mechanism, epsilon)
    typer.echo(sentence(None if measured is None else measured.to_dict()))
