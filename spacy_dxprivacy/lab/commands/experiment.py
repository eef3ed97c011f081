"""`python -m spacy dx experiment`: the experiments of the papers, on any space."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option
from wasabi import table

from ...batch.code import import_code
from ...cli import options
from ...cli.bars import bar
from ...cli.mistakes import mistakes_in_a_line, setting_up, settings_that_fail
from ...errors import UsageError
from ...files.atomic import check_new, write_bytes
from ...spaces import BUILTIN
from ...validate import between, one_of, positive
from ..experiments import EXPERIMENTS, Result, Tasks, as_csv, as_figure, check_figure
from ..experiments.choice import names_of, options_of
from ..experiments.optimum import LOSSES
from ..experiments.result import plain
from ..tuning.settings import load_space, parse_epsilons

MOST_ROWS, MOST_COLUMNS = 24, 8  # of a table that is printed
INDEXES = ("auto", "exact", "faiss")
# fmt: off
Name = Annotated[str, Argument(
    metavar="NAME", show_default=False, help=", ".join([*EXPERIMENTS, "or all of them with 'all'"]),
)]
Spaces = Annotated[list[str] | None, Option(
    "--space", help="'builtin', a file of vectors, or a saved Space; several times for margins",
)]
Out = Annotated[Path, Option("--out", "-o", help="The folder to write NAME.csv and NAME.svg to")]
MaxWords = Annotated[int | None, Option("--max-words", min=2, help="Take the first N of the space")]
Words = Annotated[int | None, Option("--words", "-w", min=2, help="How many words to look at")]
Steps = Annotated[int | None, Option(
    "--epsilons", min=2, help="How many values of epsilon, in a range that is found",
)]
Epsilon = Annotated[str | None, Option(
    "--epsilon", "-e", help="These values in its place: LOW:HIGH:STEPS or 1,2,5",
)]
Draws = Annotated[int | None, Option(
    "--draws", min=1, help="How often noise is drawn for each word",
)]
Mechanisms = Annotated[list[str] | None, Option(
    "--mechanism", "-m", help="Only this one of the experiment; a wrong name lists them all",
)]
Index = Annotated[str | None, Option("--index", help="Nearest words by: auto, exact or faiss")]
RankC = Annotated[float | None, Option("--c", help="Of rank sampling; fitted to the space if none")]
Documents = Annotated[int | None, Option("--documents", min=10, help="How many texts")]
Text = Annotated[Path | None, Option(
    "--text", help="Texts of yours: .csv, .tsv or .jsonl, with --field and --label. If left out, "
    "texts are made from the space",
)]
Label = Annotated[str | None, Option("--label", help="The field with the class of a text")]
WordPairs = Annotated[Path | None, Option(
    "--word-pairs", help="word1, word2, score: how alike people hold them to be",
)]
SentencePairs = Annotated[Path | None, Option("--sentence-pairs", help="text1, text2, score")]
Odd = Annotated[Path | None, Option("--odd", help="words (with blanks between), odd")]
Group = Annotated[str | None, Option(
    "--group", help="Of optimum, sentences: words with commas, or one, and those nearest to it",
)]
Prior = Annotated[str | None, Option(
    "--prior", help="Of optimum, sentences: how likely words are: word-frequency, uniform, "
    "word-pairs, a folder, a file",
)]
Loss = Annotated[str | None, Option("--loss", help="Of optimum: path, changed or vectors")]
Seconds = Annotated[float | None, Option("--seconds", help="Of optimum: stop its solver then")]
Model = Annotated[str | None, Option(
    "--model", help="Of frontier: a causal language model, for DP-Prompt, the editor and a "
    "stronger attacker: a Hugging Face folder, a .gguf file, or a name (needs the extra lm)",
)]
Prompt = Annotated[str | None, Option(
    "--prompt", help="Of frontier: what that model is told of the kind of text, in public words",
)]
At = Annotated[float | None, Option(
    "--at", help="Of frontier: compare where the attacker finds this share of the words",
)]
Format = Annotated[str, Option("--format", help="Of the figure: svg or png")]
Quick = Annotated[bool, Option(
    "--quick", help="Fewer words, draws and epsilons than the small defaults: a look",
)]
# fmt: on


def experiment_cli(
    name: Name,
    space: Spaces = None,
    out: Out = Path("experiments"),
    max_words: MaxWords = None,
    words: Words = None,
    epsilons: Steps = None,
    epsilon: Epsilon = None,
    draws: Draws = None,
    mechanism: Mechanisms = None,
    index: Index = None,
    c: RankC = None,
    documents: Documents = None,
    text: Text = None,
    field: options.Field = "text",
    label: Label = None,
    word_pairs: WordPairs = None,
    sentence_pairs: SentencePairs = None,
    odd: Odd = None,
    group: Group = None,
    prior: Prior = None,
    loss: Loss = None,
    seconds: Seconds = None,
    model: Model = None,
    prompt: Prompt = None,
    at: At = None,
    format: Format = "svg",
    quick: Quick = False,
    code: options.Code = None,
    force: options.Force = False,
) -> None:
    """Repeat an experiment of the papers: a table, a figure, and what they ran on.

    Its mechanisms are there to be studied: some give no privacy, and noise is seeded.

    Example: python -m spacy dx experiment outputs --out experiments
    """
    with mistakes_in_a_line("experiment"):
        with setting_up(), settings_that_fail():
            import_code(code)
            names = names_of(name)
            check_figure(format)
            check_files(out, names, format, force=force)
            check_given(text, word_pairs, sentence_pairs, odd)
            given = {
                "max_words": max_words,
                "words": words,
                "steps": epsilons,
                "epsilons": None if epsilon is None else tuple(parse_epsilons(epsilon)),
                "draws": draws,
                "mechanisms": None if mechanism is None else tuple(mechanism),
                "index": None if index is None else one_of("--index", index, INDEXES),
                "c": None if c is None else positive("--c", c),
                "documents": documents,
                "group": None if group is None else tuple(w.strip() for w in group.split(",")),
                "prior": prior,
                "loss": None if loss is None else one_of("--loss", loss, LOSSES),
                "seconds": None if seconds is None else positive("--seconds", seconds),
                "model": model,
                "prompt": prompt,
                "at": None if at is None else between("--at", at, 0.0, 1.0),
                "tasks": Tasks(text, field, label, word_pairs, sentence_pairs, odd),
            }
            first, *others = [load_space(each) for each in space or [BUILTIN]]
            if others and names != ["margins"]:
                raise UsageError("only margins compares spaces: give --space once.")
        for each in names:
            start = time.perf_counter()
            with settings_that_fail():
                settings = options_of(each, given, quick=quick)
                run = EXPERIMENTS[each].run
                result = run(first, replace(settings, others=tuple(others), progress=progress))
            write(result, out, each, format, force=force)
            show(each, result, out, time.perf_counter() - start)


def check_files(out: Path, names: list[str], kind: str, *, force: bool) -> None:
    """Raises UsageError where a file of these would be written over."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is not a folder.")
    for name in names:
        for ending in ("csv", kind):
            check_new(out / f"{name}.{ending}", force=force)


def check_given(*paths: Path | None) -> None:
    """Raises UsageError for a path at which there is no file."""
    for path in paths:
        if path is not None and not path.is_file():
            raise UsageError(f"{path}: no such file.")


def progress(steps: Iterable[Any], label: str) -> Iterable[Any]:
    bars: Iterable[Any] = bar(steps, desc=label, delay=0.5)
    return bars


def write(result: Result, out: Path, name: str, kind: str, *, force: bool) -> None:
    """Writes the table and the figure of an experiment."""
    write_bytes(out / f"{name}.csv", as_csv(result.rows), force=force)
    write_bytes(out / f"{name}.{kind}", as_figure(result, kind), force=force)


def show(name: str, result: Result, out: Path, seconds: float) -> None:
    """As much of the table as is read easily; all of it is in the file."""
    about = EXPERIMENTS[name]
    typer.secho(f"{name}: {about.about}", bold=True)
    rows = result.rows if result.shown is None else result.shown
    columns = list(rows[0])[:MOST_COLUMNS]
    every = -(-len(rows) // MOST_ROWS)
    lines = [[plain(row[column], 4) for column in columns] for row in rows[::every]]
    typer.echo(table(lines, header=columns, spacing=2).strip("\n"))
    if every > 1:
        typer.echo(f"(every {every}th row of {len(rows)})")
    for note in [*result.notes, f"after {about.paper}"]:
        typer.echo(f"- {note}")
    typer.echo(f"{out / name}.csv and the figure beside it, in {seconds:.0f} s.\n", err=True)
