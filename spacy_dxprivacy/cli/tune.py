"""`python -m spacy dx tune`: what each epsilon does to words, and which one meets a target."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from ..batch.build import full_name
from ..errors import UsageError
from ..files.atomic import check_new, write_bytes
from ..space import Space
from ..spaces import BUILTIN
from ..tuning import (
    SEARCH_WORDS,
    Answer,
    Bench,
    Curve,
    Losses,
    Make,
    Point,
    Target,
    Tuner,
    epsilon_range_on,
    evenly,
    sampled,
    solve,
)
from ..tuning.plots import check_plot, plot_curves
from ..tuning.settings import (
    MaxWords,
    Mechanisms,
    SpaceName,
    check_tunable,
    load_space,
    make_mechanism,
    parse_epsilons,
    progress,
    settings_that_fail,
    short,
)
from ..tuning.words import probed_words
from ..ty import Mechanism
from . import options
from .mistakes import mistakes_in_a_line, setting_up
from .tune_output import as_report, print_curve, print_notes

STEPS = 12
# fmt: off
Epsilons = Annotated[str | None, Option(
    "--epsilon", "-e", help="LOW:HIGH:STEPS or a list: 1.8,2.2,3. If left out, from where 2% of "
    "words are unchanged to where 98% are",
)]
Words = Annotated[int, Option(
    "--words", "-w", min=1, help="How many words to look at: a sample of running text",
)]
Text = Annotated[str | None, Option(
    "--text", help="A .txt, .jsonl, .csv or .spacy file of yours, or - for stdin: look at its "
    "words, as often as they come. None is printed or written, but the figures are about this text",
)]
Near = Annotated[int, Option(
    "--k", min=1, help="How many words count as near, by Euclidean distance",
)]
Draws = Annotated[int, Option(
    "--draws", min=2, help="For each word: in simulations, and to count its different outputs",
)]
TargetText = Annotated[str | None, Option(
    "--target", "-t", help="Find the epsilon for 'unchanged <= 0.3', or another of near, farther, "
    "distinct, similarity, guesser and loss (that between nearest words, in nats), with <= or >=",
)]
Json = Annotated[Path | None, Option("--json", help="Write all figures, with 95% intervals")]
Plot = Annotated[Path | None, Option(
    "--plot", help="Draw them to a .svg, .png or .pdf file (needs matplotlib)",
)]
# fmt: on


def tune_cli(
    mechanism: Mechanisms = None,
    epsilon: Epsilons = None,
    target: TargetText = None,
    space: SpaceName = BUILTIN,
    max_words: MaxWords = None,
    words: Words = 200,
    text: Text = None,
    field: options.Field = "text",
    k: Near = 20,
    draws: Draws = 20,
    to_json: Json = None,
    plot: Plot = None,
    force: options.Force = False,
) -> None:
    """Show what epsilon does to words, and find the epsilon for a target.

    Example: python -m spacy dx tune --target "unchanged <= 0.3"
    """
    with mistakes_in_a_line("tune"):
        with setting_up():
            names = [full_name("dx_mechanisms", name) for name in mechanism or ["path"]]
            for name in names:
                check_tunable(name)
            wanted = None if target is None else Target.parse(target)
            chosen = None if epsilon is None else parse_epsilons(epsilon)
            _check_outputs(to_json, plot, chosen, force=force)
            words_of_space = load_space(space, max_words)
        with settings_that_fail():
            probes, about = probed_words(words_of_space, words, text, field)
            bench = Bench(words_of_space.vectors, probes, k=k, draws=draws)
            results = [
                tune(name, words_of_space, bench, epsilons=chosen, target=wanted)
                for name in dict.fromkeys(names)
            ]
        for curve, answer in results:
            print_curve(curve, answer, wanted)
        print_notes(about, bench, results)
        if to_json is not None:
            report = as_report(words_of_space, bench, about, results, wanted)
            write_bytes(to_json, (json.dumps(report, indent=2) + "\n").encode(), force=force)
        if plot is not None:
            curves, answers = zip(*results, strict=True)
            picture = plot_curves(curves, answers, plot.suffix[1:].lower())
            write_bytes(plot, picture, force=force)
    if wanted is not None and not all(answer for _, answer in results):
        raise typer.Exit(1)


def tune(
    name: str,
    space: Space,
    bench: Bench,
    *,
    epsilons: list[float] | None = None,
    target: Target | None = None,
) -> tuple[Curve, Answer | None]:
    """name: of a registered mechanism. epsilons: None for a range that is found. Shows its progress
    on a terminal. Raises DxError where an epsilon does not work on this space."""
    make = partial(make_mechanism, name, space)
    tuner = Tuner(make, bench, Losses(len(space)))
    label = f"{short(name)}: "
    with progress(label + "looking for a range") as bar:
        if epsilons is None:
            epsilons = evenly(*_range(make, space, bench, bar), STEPS)
        bar.set_description(label + "measuring")
        for epsilon in epsilons:
            tuner(epsilon)
            bar.update()
        curve = tuner.curve(epsilons)
        bar.set_description(label + "looking for the target")
        answer = solve(target, curve, _counting(tuner, bar), bench.probes) if target else None
    return curve, answer


def _counting(tuner: Tuner, bar: Any) -> Any:
    def measure(epsilon: float) -> Point:
        bar.update()
        return tuner(epsilon)

    return measure


def _range(make: Make, space: Space, bench: Bench, bar: Any) -> tuple[float, float]:
    """On fewer words: the ends of a range need not be exact."""
    probes = bench.probes

    def counted(epsilon: float) -> Mechanism:
        bar.update()
        return make(epsilon)

    few = sampled(probes.rows, probes.counts, min(SEARCH_WORDS, probes.size))
    return epsilon_range_on(space.vectors, few, counted)


def _check_outputs(
    to_json: Path | None, plot: Path | None, epsilons: list[float] | None, *, force: bool
) -> None:
    if plot is not None:
        check_plot(plot)
        if epsilons is not None and len(epsilons) < 2:
            raise UsageError("--plot needs two epsilons or more.")
    for path in (to_json, plot):
        if path is not None:
            check_new(path, force=force)
