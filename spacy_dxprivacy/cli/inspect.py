"""`python -m spacy dx inspect WORD`: its neighbours, what it becomes, and how often it stays."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from typer import Argument, Option
from wasabi import table

from ..about import __version__
from ..arrays import Floats1d, Ints1d
from ..batch.build import mechanism_config
from ..errors import UsageError
from ..files.atomic import check_new, write_bytes
from ..space import Space
from ..spaces import BUILTIN
from ..tuning import Bench, Outputs, Probes, epsilon_range, evenly, nearest_by, outputs_of
from ..tuning.settings import (
    MaxWords,
    SpaceName,
    check_tunable,
    load_space,
    make_mechanism,
    parse_epsilons,
    progress,
    settings_that_fail,
    short,
)
from ..ty import Mechanism
from . import options
from .mistakes import mistakes_in_a_line, setting_up
from .tune_output import print_title

STEPS = 10
STAY_DRAWS = 200  # for each epsilon, where nothing is exact
BAR = 40

# fmt: off
Word = Annotated[str, Argument(metavar="WORD", show_default=False, help="A word of the space")]
Top = Annotated[int, Option("--top", min=1, help="How many outputs to show")]
K = Annotated[int, Option("--k", min=1, help="How many neighbours to show")]
Draws = Annotated[int, Option("--draws", min=2, help="In simulations")]
Over = Annotated[str | None, Option(
    "--over", help="Epsilons to show how often the word stays: LOW:HIGH:STEPS or 1.8,2.2; if left "
    "out, from where it stays in 2% of draws to where it does in 98%",
)]
Json = Annotated[Path | None, Option("--json", help="Write all of it to a .json file")]
# fmt: on


def inspect_cli(
    word: Word,
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    space: SpaceName = BUILTIN,
    max_words: MaxWords = None,
    top: Top = 20,
    k: K = 10,
    draws: Draws = 2000,
    over: Over = None,
    to_json: Json = None,
    force: options.Force = False,
) -> None:
    """Show what a word becomes: its neighbours, its outputs, and how often it stays.

    Example: python -m spacy dx inspect doctor --epsilon 2.0
    """
    with mistakes_in_a_line("inspect"):
        with setting_up():
            name, chosen = _settings(mechanism, epsilon)
            epsilons = None if over is None else parse_epsilons(over)
            if to_json is not None:
                check_new(to_json, force=force)
            words = load_space(space, max_words)
        row = words.find(word)
        if row < 0:
            raise UsageError("the space does not hold this word.")
        with settings_that_fail():
            make = partial(make_mechanism, name, words)
            fitted = make(chosen)
            # What is told of a word is told of its row: other spellings lead to it as well.
            euclid = Bench(words.vectors, _one(row), k=k).near[0]
            own = nearest_by(fitted, row, k)
            outputs = outputs_of(fitted, row, draws=draws)
            stays = _stays(make, name, words, row, epsilons, min(draws, STAY_DRAWS))
        typer.secho(f"{words.words[row]}: row {row} of {words.name}", bold=True)
        _print_neighbours(words, row, euclid, own, fitted)
        _print_outputs(words, row, outputs, fitted, chosen, top, draws)
        _print_stays(stays)
        if to_json is not None:
            report = _report(words, row, fitted, chosen, euclid, own, outputs, stays)
            data = (json.dumps(report, indent=2, ensure_ascii=False) + "\n").encode()
            write_bytes(to_json, data, force=force)


def _settings(mechanism: str | None, epsilon: float | None) -> tuple[str, float]:
    """The registered name and the epsilon. Raises UsageError where there is no default for it."""
    config = mechanism_config(mechanism or "path", epsilon)
    name = config["@dx_mechanisms"]
    check_tunable(name)
    if "epsilon" not in config:
        raise UsageError(f"{name} needs --epsilon.")
    return name, float(config["epsilon"])


def _one(row: int) -> Probes:
    return Probes(np.array([row], dtype=np.int64), np.ones(1, dtype=np.int64))


def _stays(
    make: Any, name: str, space: Space, row: int, epsilons: list[float] | None, draws: int
) -> list[tuple[float, float]]:
    """(epsilon, how often the word comes out as itself)."""
    bench = Bench(space.vectors, _one(row), k=1, draws=draws)
    with progress(f"{short(name)}: over epsilon") as bar:

        def unchanged(epsilon: float) -> float:
            bar.update()
            return bench.unchanged(make(epsilon))

        if epsilons is None:
            epsilons = evenly(*epsilon_range(unchanged), STEPS)
        return [(epsilon, unchanged(epsilon)) for epsilon in epsilons]


# -- what comes out ------------------------------------------------------------------------------


def _print_neighbours(
    space: Space,
    row: int,
    euclid: Ints1d,
    own: tuple[Ints1d, Floats1d] | None,
    mechanism: Mechanism,
) -> None:
    apart = _apart(space, row, euclid)
    rows = [[space.words[y], f"{d:.3g}"] for y, d in zip(euclid.tolist(), apart, strict=True)]
    header = ["nearest by Euclid", "distance"]
    aligns: Any = ("l", "r", "l", "r")
    metric = mechanism.guarantee.metric
    if own is not None and metric != "euclidean":
        others = [[space.words[y], f"{d:.3g}"] for y, d in zip(*own, strict=True)]
        others += [["", ""]] * (len(rows) - len(others))
        rows = [left + right for left, right in zip(rows, others, strict=False)]
        header += [f"nearest by {metric}", "distance"]
    typer.echo(table(rows, header=header, aligns=aligns[: len(header)]))


def _apart(space: Space, row: int, others: Ints1d) -> list[float]:
    gaps = space.vectors[others].astype(np.float64) - space.vectors[row]
    return [float(d) for d in np.linalg.norm(gaps, axis=1)]


def _print_outputs(
    space: Space,
    row: int,
    outputs: Outputs,
    mechanism: Mechanism,
    epsilon: float,
    top: int,
    draws: int,
) -> None:
    print_title(mechanism)
    how = "exact" if outputs.exact else f"in {draws:,} draws"
    typer.echo(f"What it becomes at epsilon = {epsilon:g} ({how}):")
    first, shares = outputs.rows[:top].tolist(), outputs.shares[:top].tolist()
    lines = [
        [space.words[y] + (" (as it is)" if y == row else ""), f"{p:.2%}", "█" * round(p * BAR)]
        for y, p in zip(first, shares, strict=True)
    ]
    rest = len(outputs.rows) - len(first)
    if rest:
        share = max(0.0, 1 - sum(shares))
        lines.append([f"{rest:,} others", f"{share:.2%}", "░" * round(share * BAR)])
    typer.echo(table(lines, header=["output", "share", ""], aligns=("l", "r", "l")))


def _print_stays(stays: list[tuple[float, float]]) -> None:
    typer.echo("How often it comes out as it is:")
    rows = [[f"{e:g}", f"{p:.1%}", "█" * round(p * BAR)] for e, p in stays]
    typer.echo(table(rows, header=["epsilon", "share", ""], aligns=("r", "r", "l")))


def _report(
    space: Space,
    row: int,
    mechanism: Mechanism,
    epsilon: float,
    euclid: Ints1d,
    own: tuple[Ints1d, Floats1d] | None,
    outputs: Outputs,
    stays: list[tuple[float, float]],
) -> dict[str, Any]:
    """Plain values, for json. It names the word."""
    near = zip(euclid.tolist(), _apart(space, row, euclid), strict=True)
    metric = zip(*(some.tolist() for some in own), strict=True) if own is not None else ()
    shares = zip(outputs.rows.tolist(), outputs.shares.tolist(), strict=True)
    return {
        "spacy_dxprivacy": __version__,
        "space": f"{space.name} ({space.digest})",
        "word": space.words[row],
        "mechanism": mechanism.name,
        "epsilon": epsilon,
        "exact": outputs.exact,
        "metric": mechanism.guarantee.metric,
        "nearest_by_euclid": [[space.words[y], d] for y, d in near],
        "nearest_by_metric": [[space.words[y], d] for y, d in metric],
        "outputs": [[space.words[y], p] for y, p in shares],
        "stays": [list(pair) for pair in stays],
    }
