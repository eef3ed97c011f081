"""`python -m spacy dx tune`: what each epsilon does to words, and which one meets a target."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ...batch.build import full_name
from ...batch.code import import_code
from ...cli import options
from ...cli.bars import Steps
from ...cli.mistakes import mistakes_in_a_line, setting_up, settings_that_fail
from ...config import names_of
from ...errors import UsageError
from ...files.atomic import check_new, write_bytes
from ...language.model import LanguageModel
from ...language.opened import open_model
from ...spaces import BUILTIN
from ..tuning import Bench, Target
from ..tuning.judging import reading_of
from ..tuning.over_epsilon import tune
from ..tuning.plots import check_plot, plot_curves
from ..tuning.settings import check_tunable, load_space, parse_epsilons
from ..tuning.told import as_dict
from ..tuning.words import probed_words
from .tune_entities import EntityMode, tune_entities
from .tune_output import print_curve, print_notes

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
Judge = Annotated[str | None, Option(
    "--judge", show_default=False,
    help="With --text: how well what is drawn reads, in nats a word over your text, by this causal "
    "language model (a Hugging Face folder, a .gguf file, or a name; extra lm)",
)]
Json = Annotated[Path | None, Option("--json", help="Write all figures, with 95% intervals")]
Plot = Annotated[Path | None, Option(
    "--plot", help="Draw them to a .svg, .png or .pdf file (needs matplotlib)",
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
    judge: Judge = None,
    to_json: Json = None,
    plot: Plot = None,
    entities: options.Entities = "",
    surrogates: options.Surrogates = None,
    code: options.Code = None,
    force: options.Force = False,
) -> None:
    """Show what epsilon does to words, and find the epsilon for a target.

    Example: python -m spacy dx tune --target "unchanged <= 0.3"
    Example: python -m spacy dx tune --entities person,date --text notes.jsonl
    """
    if entities or surrogates:
        with mistakes_in_a_line("tune"):
            _check_alone(mechanism or target or plot or judge, entities)
            import_code(code)
            own = None if space == BUILTIN else space
            given = None if epsilon is None else parse_epsilons(epsilon)
            mode = EntityMode(
                names_of(entities), surrogates, text, field, given, to_json, force, own
            )
            return tune_entities(mode)
    with mistakes_in_a_line("tune"):
        with setting_up():
            import_code(code)
            names = [full_name("dx_mechanisms", name) for name in mechanism or ["path"]]
            for name in names:
                check_tunable(name)
            wanted = None if target is None else Target.parse(target)
            chosen = None if epsilon is None else parse_epsilons(epsilon)
            _check_outputs(to_json, plot, chosen, force=force)
            judging = _judge(judge, text)
            words_of_space = load_space(space, max_words)
        with settings_that_fail(), Steps("epsilons") as steps:
            probes, about = probed_words(words_of_space, words, text, field)
            bench = Bench(words_of_space.vectors, probes, k=k, draws=draws)
            read = reading_of(judging, text, field, words_of_space)
            look = partial(
                tune, space=words_of_space, bench=bench, epsilons=chosen, target=wanted, read=read,
                on_step=steps,
            )  # fmt: skip
            results = [look(name) for name in dict.fromkeys(names)]
        for curve, answer in results:
            print_curve(curve, answer, wanted)
        print_notes(about, bench, results, read)
        if to_json is not None:
            report = as_dict(words_of_space, bench, about, results, wanted)
            write_bytes(to_json, (json.dumps(report, indent=2) + "\n").encode(), force=force)
        if plot is not None:
            curves, answers = zip(*results, strict=True)
            picture = plot_curves(curves, answers, plot.suffix[1:].lower())
            write_bytes(plot, picture, force=force)
    if wanted is not None and not all(answer for _, answer in results):
        raise typer.Exit(1)


def _judge(name: str | None, text: str | None) -> LanguageModel | None:
    if name is not None and text in (None, "-"):
        raise UsageError("`judge` reads a text: give a file by `text`.")
    return None if name is None else open_model(name)


def _check_alone(others: object, entities: str) -> None:
    """Raises UsageError for what entity mode has none of."""
    if not names_of(entities):
        raise UsageError("`surrogates` is for `entities`: name the labels, as in person,date.")
    if others:
        raise UsageError(
            "`entities` shows stand-ins: leave `mechanism`, `target`, `judge` and `plot` out."
        )


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
