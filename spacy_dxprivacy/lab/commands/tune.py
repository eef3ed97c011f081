"""`python -m spacy dx tune`: what each epsilon does to words, and which one meets a target."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from typer import Option

from ...cli import options
from ...cli.terminal import progress, setting_up, settings_that_fail
from ...config import import_code
from ...io.files.atomic import check_new, write_bytes
from ...mechanisms.levels import found_by
from ...space.sources import BUILTIN
from ...ty import Mechanism
from ..mechanisms import load_space, parse_epsilons, parse_tunable
from ..results import text_table
from ..tuning import SHARES, Answer, Bench, Study, Target, Tuned, TunedPoint, probed_words

WIDTH, INDENT = 92, 10
# Header of the table, and the figure below it.
COLUMNS = {"unchanged": "unchanged", "cosine": "similarity", "guesser": "guesser", "nats": "loss"}


def tune_cli(
    mechanism: options.Mechanisms = None,
    epsilon: options.Epsilons = None,
    target: Annotated[str | None, Option(
        "--target", "-t", help="Find the epsilon for a target, such as 'unchanged <= 0.3'"
    )] = None,
    space: options.Space = BUILTIN,
    max_words: options.MaxWords = None,
    words: Annotated[int, Option(
        "--words", "-w", min=1, help="Number of words to sample from running text"
    )] = 200,
    text: Annotated[str | None, Option(
        "--text", help="Use the words of this file, or - for stdin"
    )] = None,
    field: options.Field = "text",
    draws: Annotated[int, Option("--draws", min=2, help="Draws per word")] = 20,
    to_json: Annotated[Path | None, Option(
        "--json", help="Write all figures with 95% intervals to this .json file"
    )] = None,
    code: options.Code = None,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Show the effect of epsilon on words, and find one for a target.

    Example: python -m spacy dx tune --target "unchanged <= 0.3"
    """
    with setting_up():
        import_code(code)
        chosen = None if epsilon is None else parse_epsilons(epsilon)
        if to_json is not None:
            check_new(to_json, force=force)
        configs = dict(parse_tunable(setting) for setting in mechanism or ["path"])
        wanted = None if target is None else Target.parse(target)
        table = load_space(space, max_words)
    with settings_that_fail():
        probes, about = probed_words(table, words, text, field)
        bench = Bench(table.vectors, probes, draws=draws)
        study = Study(table, bench, chosen, wanted, progress)
        tuned = {label: study.tune(label, config) for label, config in configs.items()}
    for label, (points, answer) in tuned.items():
        _print_points(label, points, answer, wanted)
    _print_notes(about, study, tuned.values())
    if to_json is not None:
        payload = json.dumps(study.to_dict(about, tuned), indent=2) + "\n"
        write_bytes(to_json, payload.encode(), force=force)
    if wanted is not None and not all(answer for _, answer in tuned.values()):
        raise typer.Exit(1)


def print_title(mechanism: Mechanism, label: str) -> None:
    """Print a mechanism by its label, and in red where it has no guarantee."""
    guarantee = mechanism.guarantee
    typer.secho(f"{label}, epsilon in {guarantee.unit or 'no unit'}", bold=True)
    if not guarantee.holds:
        why = "its published proof does not hold" if guarantee.kind != "none" else guarantee.notes
        typer.secho(f"NO PRIVACY: {why.rstrip('.')}.", fg="red", bold=True)


def print_attacker(mechanism: Mechanism, epsilon: float) -> None:
    """Print the attack success rate on other texts, where it was measured."""
    measured = found_by(mechanism, epsilon)
    unknown = "`dx attack frontier TEXT` measures the attack success rate at this epsilon."
    typer.echo(unknown if measured is None else f"At {measured} (docs/explanation/attacks.md).")


def _print_points(
    label: str, points: list[TunedPoint], answer: Answer | None, target: Target | None
) -> None:
    mechanism = points[-1].mechanism
    print_title(mechanism, label)
    rows = [
        [f"{p.epsilon:.5g}", *(_number(name, p[name]) for name in COLUMNS.values())] for p in points
    ]
    typer.echo(text_table(["epsilon", *COLUMNS], rows, "r"))
    if target is not None:
        typer.secho(_sentence(target, answer), bold=True)
    if answer is not None:
        print_attacker(mechanism, answer.point.epsilon)
    typer.echo()


def _number(name: str, value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.1%}" if name in SHARES else f"{value:.3g}"


def _sentence(target: Target, answer: Answer | None) -> str:
    if answer is None:
        return f"{target}: no epsilon of this range meets it."
    epsilon = f"{answer.point.epsilon:g}"
    reached = f"{target.figure} is {_number(target.figure, answer.point[target.figure])}"
    if not answer.bounded:
        return f"{target}: all of this range meets it. At epsilon = {epsilon}, {reached}."
    return f"{target}: epsilon = {epsilon}. There, {reached}."


def _print_notes(about: dict[str, Any], study: Study, tuned: Iterable[Tuned]) -> None:
    bench, probes = study.bench, study.bench.probes
    points = [point for of_mechanism, _ in tuned for point in of_mechanism]
    widest = max(np.ptp(point.interval("unchanged")) for point in points)
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
        "guesser": "how often the best guess is right, for one who sees an output and knows that "
        f"the word is one of these {len(probes.rows):,}. Without the output it would be "
        f"{probes.weights.max():.1%}.",
    }
    if any(point.loss == point.loss for point in points):
        notes["nats"] = "the guarantee between a word and its nearest one."
    if not all(point.words.exact for point in points):
        notes["simulated"] = f"with {bench.draws} draws a word, where no probabilities are stated."
    for name, note in notes.items():
        label, blank = f"{name:<{INDENT}}", " " * INDENT
        typer.echo(textwrap.fill(note, WIDTH, initial_indent=label, subsequent_indent=blank))
