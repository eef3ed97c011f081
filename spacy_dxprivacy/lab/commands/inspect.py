"""`python -m spacy dx inspect WORD`: its neighbours, what it becomes, and how often it stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ...cli import options
from ...cli.terminal import mistakes_in_a_line, progress, setting_up, settings_that_fail
from ...errors import UsageError
from ...io.code import import_code
from ...io.files.atomic import check_new, write_bytes
from ...space.sources import BUILTIN
from ..mechanisms import load_space, make_mechanism, name_and_epsilon, parse_epsilons, short
from ..results import counted, text_table
from ..tuning.inspected import Inspected, look_at
from .tune import print_attacker, print_title

BAR = 40

# fmt: off
Word = Annotated[str, Argument(metavar="WORD", show_default=False, help="Word of the space")]
Top = Annotated[int, Option("--top", min=1, help="Number of outputs to show")]
K = Annotated[int, Option("--k", min=1, help="Number of neighbours to show")]
Draws = Annotated[int, Option(
    "--draws", min=2, help="Number of draws, where probabilities are simulated",
)]
Over = Annotated[str | None, Option(
    "--over", help="Epsilons for the retention rate: LOW:HIGH:STEPS or 1.8,2.2",
)]
Json = Annotated[Path | None, Option("--json", help="Write all results to this .json file")]
# fmt: on


def inspect_cli(
    word: Word,
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    space: options.SpaceName = BUILTIN,
    max_words: options.MaxWords = None,
    top: Top = 20,
    k: K = 10,
    draws: Draws = 2000,
    over: Over = None,
    to_json: Json = None,
    code: options.Code = None,
    force: options.Force = False,
) -> None:
    """Show the neighbours, outputs and retention rate of a word.

    Example: python -m spacy dx inspect doctor --epsilon 2.0
    """
    with mistakes_in_a_line("inspect"):
        with setting_up():
            import_code(code)
            name, chosen = name_and_epsilon(mechanism, epsilon)
            epsilons = None if over is None else parse_epsilons(over)
            if to_json is not None:
                check_new(to_json, force=force)
            words = load_space(space, max_words)
        with settings_that_fail():
            row = words.find(word)
            if row < 0:
                raise UsageError("the space does not hold this word: choose another one.")
            fitted = make_mechanism(name, words, chosen)
            found = look_at(words, row, fitted, k=k, draws=draws)
            make = counted(
                lambda at: make_mechanism(name, words, at), f"{short(name)}: over epsilon", progress
            )
            found = found.over_epsilon(make, epsilons, draws)
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
        typer.echo(text_table(["output", "share", ""], rows, "lrl") + "\n")
        typer.echo("Retention rate (how often the word is unchanged):")
        rows = [[f"{e:g}", f"{p:.1%}", "█" * round(p * BAR)] for e, p in found.stays]
        typer.echo(text_table(["epsilon", "share", ""], rows, "rrl"))
        if to_json is not None:
            payload = found.to_dict() | {"epsilon": chosen}
            data = (json.dumps(payload, indent=2, ensure_ascii=False) + "\n").encode()
            write_bytes(to_json, data, force=force)


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
