"""`python -m spacy dx inspect WORD`: its neighbours, and what it becomes."""

from __future__ import annotations

import typer

from ...cli import options
from ...cli.terminal import mistakes_in_a_line, setting_up, settings_that_fail
from ...errors import UsageError
from ...io.code import import_code
from ...space.sources import BUILTIN
from ..mechanisms import load_space, make_mechanism, name_and_epsilon
from ..results import text_table
from ..tuning.inspected import Inspected, look_at
from . import described
from .tune import print_attacker, print_title

BAR = 40


@described("inspect")
def inspect_cli(
    word: str,
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    space: str = BUILTIN,
    max_words: int | None = None,
    top: int = 20,
    k: int = 10,
    draws: int = 2000,
    code: options.Code = None,
) -> None:
    """Show the neighbours and the outputs of a word.

    Example: python -m spacy dx inspect doctor --epsilon 2.0
    """
    with mistakes_in_a_line("inspect"):
        with setting_up():
            import_code(code)
            name, chosen = name_and_epsilon(mechanism, epsilon)
            words = load_space(space, max_words)
        with settings_that_fail():
            row = words.find(word)
            if row < 0:
                raise UsageError("the space does not hold this word: choose another one.")
            fitted = make_mechanism(name, words, chosen)
            found = look_at(words, row, fitted, k=k, draws=draws)
        typer.secho(f"{found.word}: row {row} of {words.name}", bold=True)
        _print_neighbours(found)
        print_title(found.mechanism)
        how = "exact" if found.exact else f"in {draws:,} draws"
        typer.echo(f"Outputs at epsilon = {chosen:g} ({how}):")
        print_attacker(found.mechanism, chosen)
        shares = [
            (f"{out} (unchanged)" if out == found.word else out, p, "█")
            for out, p in found.becomes[:top]
        ]
        if rest := len(found.becomes) - len(shares):
            share = max(0.0, 1 - sum(p for _, p, _ in shares))
            shares.append((f"{rest:,} others", share, "░"))
        rows = [[out, f"{p:.2%}", mark * round(p * BAR)] for out, p, mark in shares]
        typer.echo(text_table(["output", "share", ""], rows, "lrl"))


def _print_neighbours(found: Inspected) -> None:
    rows = [[word, f"{d:.3g}"] for word, d in found.by_euclid]
    header = ["nearest by Euclid", "distance"]
    metric = found.mechanism.guarantee.metric
    if found.by_metric is not None and metric != "euclidean":
        others = [[word, f"{d:.3g}"] for word, d in found.by_metric]
        others += [["", ""]] * (len(rows) - len(others))
        rows = [left + right for left, right in zip(rows, others, strict=False)]
        header += [f"nearest by {metric}", "distance"]
    typer.echo(text_table(header, rows, "lrlr"[: len(header)]) + "\n")
