"""`python -m spacy dx tune`: what each epsilon does to words, and which one meets a target."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from typer import Option

from ...cli import options
from ...cli.terminal import mistakes_in_a_line, progress, setting_up, settings_that_fail
from ...errors import UsageError
from ...io.build import full_name
from ...io.code import import_code
from ...io.files.atomic import check_new, write_bytes
from ...privacy.levels import found_by
from ...space.sources import BUILTIN
from ...ty import Mechanism
from ..mechanisms import check_tunable, load_space, parse_epsilons
from ..results import check_figure, text_table
from ..tuning.bench import Bench, probed_words
from ..tuning.targets import SHARES, Answer, Curve, Study, Target, Tuned, plot_curves

WIDTH, INDENT = 92, 10
# Header of the table, and the figure below it.
COLUMNS = {
    "unchanged": "unchanged", "near": "near", "farther": "farther", "outputs": "distinct",
    "cosine": "similarity", "guesser": "guesser",
}  # fmt: skip
LOSS_COLUMNS = {"nearest": "nearest", "median": "median", "diameter": "largest"}

# fmt: off
Epsilons = Annotated[str | None, Option(
    "--epsilon", "-e", help="Values of epsilon: LOW:HIGH:STEPS, or a list 1.8,2.2,3",
)]
Words = Annotated[int, Option(
    "--words", "-w", min=1, help="Number of words to sample from running text",
)]
Text = Annotated[str | None, Option(
    "--text", help="Use the words of this file, or - for stdin",
)]
Near = Annotated[int, Option(
    "--k", min=1, help="Number of nearest words (Euclidean) that count as near",
)]
Draws = Annotated[int, Option(
    "--draws", min=2, help="Draws per word",
)]
TargetText = Annotated[str | None, Option(
    "--target", "-t", help="Find the epsilon for a target, such as 'unchanged <= 0.3'",
)]
Json = Annotated[Path | None, Option(
    "--json", help="Write all figures with 95% intervals to this .json file",
)]
Plot = Annotated[Path | None, Option(
    "--plot", help="Draw the figures: .svg, .png or .pdf (needs matplotlib)",
)]
# fmt: on


def tune_cli(
    mechanism: options.Mechanisms = None,
    epsilon: Epsilons = None,
    target: TargetText = None,
    space: options.SpaceName = BUILTIN,
    max_words: options.MaxWords = None,
    words: Words = 200,
    text: Text = None,
    field: options.Field = "text",
    k: Near = 20,
    draws: Draws = 20,
    to_json: Json = None,
    plot: Plot = None,
    code: options.Code = None,
    force: options.Force = False,
) -> None:
    """Show the effect of epsilon on words, and find one for a target.

    Example: python -m spacy dx tune --target "unchanged <= 0.3"
    """
    with mistakes_in_a_line("tune"):
        with setting_up():
            import_code(code)
            chosen = None if epsilon is None else parse_epsilons(epsilon)
            _check_outputs(to_json, plot, chosen, force=force)
            names = [full_name("dx_mechanisms", name) for name in mechanism or ["path"]]
            for name in names:
                check_tunable(name)
            wanted = None if target is None else Target.parse(target)
            found = load_space(space, max_words)
        with settings_that_fail():
            probes, about = probed_words(found, words, text, field)
            bench = Bench(found.vectors, probes, k=k, draws=draws)
            study = Study(found, bench, chosen, wanted, progress)
            tuned = [study.tune(name) for name in dict.fromkeys(names)]
        for curve, answer in tuned:
            _print_curve(curve, answer, wanted)
        _print_notes(about, study, tuned)
        if to_json is not None:
            payload = json.dumps(study.to_dict(about, tuned), indent=2) + "\n"
            write_bytes(to_json, payload.encode(), force=force)
        if plot is not None:
            write_bytes(plot, plot_curves(tuned, plot.suffix[1:].lower()), force=force)
    if wanted is not None and not all(answer for _, answer in tuned):
        raise typer.Exit(1)


def _check_outputs(
    to_json: Path | None, plot: Path | None, epsilons: list[float] | None, *, force: bool
) -> None:
    if plot is not None:
        check_figure(plot.suffix[1:].lower())
        if epsilons is not None and len(epsilons) < 2:
            raise UsageError("`plot` needs two epsilons or more.")
    for path in (to_json, plot):
        if path is not None:
            check_new(path, force=force)


def print_title(mechanism: Mechanism) -> None:
    """Print a mechanism, and in red where it has no guarantee."""
    guarantee = mechanism.guarantee
    typer.secho(f"{mechanism.name}, epsilon in {guarantee.unit or 'no unit'}", bold=True)
    if not guarantee.holds:
        why = "its published proof does not hold" if guarantee.kind != "none" else guarantee.notes
        typer.secho(f"NO PRIVACY: {why.rstrip('.')}.", fg="red", bold=True)


def print_attacker(mechanism: Mechanism, epsilon: float) -> None:
    """Print the attack success rate on other texts, where it was measured."""
    found = found_by(mechanism, epsilon)
    unknown = "`dx attack frontier TEXT` measures the attack success rate at this epsilon."
    typer.echo(unknown if found is None else f"At {found} (docs/explanation/attacks.md).")


def _print_curve(curve: Curve, answer: Answer | None, target: Target | None) -> None:
    print_title(curve.mechanism)
    with_loss = any(point.loss for point in curve.points)
    rows = []
    for point in curve.points:
        losses = [f"{point.loss[name]:.3g}" if point.loss else "-" for name in LOSS_COLUMNS]
        figures = [_number(name, point[name]) for name in COLUMNS.values()]
        rows.append([f"{point.epsilon:.5g}", *figures, *(losses if with_loss else ())])
    header = ["epsilon", *COLUMNS, *(LOSS_COLUMNS.values() if with_loss else ())]
    lines = text_table(header, rows, "r")
    if with_loss:
        typer.echo("nats between words".rjust(len(lines.splitlines()[0])))
    typer.echo(lines)
    if target is not None:
        typer.secho(_sentence(target, answer), bold=True)
    if answer is not None:
        print_attacker(curve.mechanism, answer.epsilon)
    typer.echo()


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


def _print_notes(about: dict[str, Any], study: Study, tuned: Sequence[Tuned]) -> None:
    bench, probes = study.bench, study.bench.probes
    points = [point for curve, _ in tuned for point in curve.points]
    widest = max(np.ptp(p.interval("unchanged", probes.replicates())) for p in points)
    source = f"{probes.size:,} of running text, by Zipf's law."
    if about["source"] != "the space":
        failed = about["records_that_failed"]
        source = (
            f"{probes.size:,} of the {about['words_of_text']:,} of your text, of which the space "
            f"lacks {about['unknown']:,}."
            + (f" {failed:,} record(s) could not be read." if failed else "")
            + " The figures are about this text: they are not private."
        )
    notes = {
        "words": f"{source} Others would move the shares unchanged by {widest / 2:.1%} or less "
        "(95%).",
        "near": f"among the {bench.k} nearest by Euclidean distance.",
        "outputs": f"different ones in {bench.draws} draws, in the mean.",
        "guesser": "how often the best guess is right, for one who sees an output and knows that "
        f"the word is one of these {len(probes.rows):,}. Without the output it would be "
        f"{probes.weights.max():.1%}.",
    }
    if any(point.loss for point in points):
        notes["nats"] = (
            "the guarantee between a word and its nearest one, two words at random, and any two."
        )
    if not all(curve.exact for curve, _ in tuned):
        notes["simulated"] = f"with {bench.draws} draws a word, where no probabilities are stated."
    for name, note in notes.items():
        label, blank = f"{name:<{INDENT}}", " " * INDENT
        typer.echo(textwrap.fill(note, WIDTH, initial_indent=label, subsequent_indent=blank))
