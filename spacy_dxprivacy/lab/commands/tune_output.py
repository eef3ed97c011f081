"""What `dx tune` prints. No word of a text."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import typer
from wasabi import table

from ...privacy.levels import found_by
from ...ty import Mechanism
from ..tuning import SHARES, Answer, Bench, Curve, Point, Probes, Target
from ..tuning.judging import Reading

WIDTH, INDENT = 92, 10
# Header of the table, and the figure below it.
COLUMNS = {
    "unchanged": "unchanged", "near": "near", "farther": "farther", "outputs": "distinct",
    "cosine": "similarity", "guesser": "guesser",
}  # fmt: skip
LOSS_COLUMNS = {"nearest": "nearest", "median": "median", "diameter": "largest"}


def print_curve(curve: Curve, answer: Answer | None, target: Target | None) -> None:
    print_title(curve.mechanism)
    with_loss = any(point.loss for point in curve.points)
    header = ["epsilon", *COLUMNS, *(LOSS_COLUMNS.values() if with_loss else ())]
    header += ["reads"] if curve.points[0].reads is not None else []
    widths = [max(len(name), 7) for name in header]
    if with_loss:
        typer.echo("nats between words".rjust(sum(widths) + len(widths) - 1))
    rows = [_row(point, with_loss) for point in curve.points]
    lines = table(rows, header=header, aligns="r", widths=widths, spacing=1)
    typer.echo(lines.strip("\n"))
    if target is not None:
        typer.secho(_sentence(target, answer), bold=True)
    if answer is not None:
        print_attacker(curve.mechanism, answer.epsilon)
    typer.echo()


def print_title(mechanism: Mechanism) -> None:
    guarantee = mechanism.guarantee
    typer.secho(f"{mechanism.name}, epsilon in {guarantee.unit or 'no unit'}", bold=True)
    if not guarantee.holds:
        why = "its published proof does not hold" if guarantee.kind != "none" else guarantee.notes
        typer.secho(f"NO PRIVACY: {why.rstrip('.')}.", fg="red", bold=True)


def print_attacker(mechanism: Mechanism, epsilon: float) -> None:
    """What an attacker found of other texts, where that was measured."""
    found = found_by(mechanism, epsilon)
    unknown = "What an attacker finds at it: `dx attack frontier TEXT` measures it."
    typer.echo(unknown if found is None else f"At {found} (docs/attacks.md).")


def _row(point: Point, with_loss: bool) -> list[str]:
    figures = [_number(name, point[name]) for name in COLUMNS.values()]
    losses = [f"{point.loss[name]:.3g}" if point.loss else "-" for name in LOSS_COLUMNS]
    reads = [] if point.reads is None else [f"{point.reads:+.2f}"]
    return [f"{point.epsilon:.5g}", *figures, *(losses if with_loss else ()), *reads]


def _number(name: str, value: float) -> str:
    return f"{value:.1%}" if name in SHARES else f"{value:.3g}"


def _sentence(target: Target, answer: Answer | None) -> str:
    if answer is None:
        return f"{target}: no epsilon of this range meets it."
    reached = f"{target.figure} is {_number(target.figure, answer.point[target.figure])}"
    if not answer.bounded:
        return f"{target}: all of this range meets it. At epsilon = {answer.epsilon:g}, {reached}."
    spread = ""
    if answer.interval is not None:
        spread = " (95%% interval %.4g to %.4g)" % answer.interval  # noqa: UP031
    return f"{target}: epsilon = {answer.epsilon:g}{spread}. There, {reached}."


def print_notes(
    about: dict[str, Any], bench: Bench, results: list[Any], read: Reading | None = None
) -> None:
    probes = bench.probes
    widest = max(
        np.ptp(point.interval("unchanged", probes.replicates()))
        for curve, _ in results
        for point in curve.points
    )
    notes = {
        "words": f"{_source(about, probes)} Others would move the shares unchanged by "
        f"{widest / 2:.1%} or less (95%).",
        "near": f"among the {bench.k} nearest by Euclidean distance.",
        "outputs": f"different ones in {bench.draws} draws, in the mean.",
        "guesser": "how often the best guess is right, for one who sees an output and knows that "
        f"the word is one of these {len(probes.rows):,}. Without the output it would be "
        f"{probes.weights.max():.1%}.",
    }
    if any(point.loss for curve, _ in results for point in curve.points):
        notes["nats"] = (
            "the guarantee between a word and its nearest one, two words at random, and any two."
        )
    if not all(curve.exact for curve, _ in results):
        notes["simulated"] = f"with {bench.draws} draws a word, where no probabilities are stated."
    if read is not None:
        notes["reads"] = (
            f"nats a word over the {read.clear:.2f} of your text ({read.words:,} words, without "
            f"case), by the language model {read.model.name}; less reads better."
        )
    for name, note in notes.items():
        label, blank = f"{name:<{INDENT}}", " " * INDENT
        typer.echo(textwrap.fill(note, WIDTH, initial_indent=label, subsequent_indent=blank))


def _source(about: dict[str, Any], probes: Probes) -> str:
    if about["source"] == "the space":
        return f"{probes.size:,} of running text, by Zipf's law."
    failed = about["records_that_failed"]
    return (
        f"{probes.size:,} of the {about['words_of_text']:,} of your text, of which the space lacks "
        f"{about['unknown']:,}."
        + (f" {failed:,} record(s) could not be read." if failed else "")
        + " The figures are about this text: they are not private."
    )
