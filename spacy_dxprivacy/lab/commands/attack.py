"""`python -m spacy dx attack`: how often attackers succeed on a text of yours, over epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option
from wasabi import table

from ...batch.build import full_name
from ...batch.code import import_code
from ...cli import options
from ...cli.bars import Steps
from ...cli.mistakes import mistakes_in_a_line, setting_up, settings_that_fail
from ...errors import UsageError
from ...files.atomic import write_bytes
from ...spaces import BUILTIN
from ...validate import one_of
from ..attacks import ATTACKS, AttackFigure, Reader, Scene
from ..attacks.findings import as_csv
from ..attacks.language import language_of
from ..attacks.over_epsilon import attack_over_epsilon, read_corpus
from ..attacks.persons import NAME as PERSONS
from ..attacks.plots import plot_findings
from ..tuning.settings import check_tunable, load_space, parse_epsilons
from .attack_frontier import check_folder, check_frontier
from .attack_persons import attack_persons

ALL, FRONTIER = "all", "frontier"
BY_MODEL = ("guess", "link", "membership")
# fmt: off
Name = Annotated[str, Argument(
    metavar="NAME", show_default=False,
    help=f"One of {', '.join(ATTACKS)}, {ALL}, {FRONTIER} to compare mechanisms, or {PERSONS} (are "
    "documents linked by what stands for names?)",
)]
Text = Annotated[str, Argument(
    metavar="TEXT", show_default=False,
    help="A .txt, .jsonl, .csv or .spacy file, or - for stdin: whose words are sought. None is "
    "printed or written, but the figures are about this text",
)]
Public = Annotated[str | None, Option(
    "--public", "--known", help="What the attacker has read: a file of texts like "
    "these. If left out, every second document of TEXT, which is then not attacked",
)]
Epsilons = Annotated[str | None, Option(
    "--epsilon", "-e", help="LOW:HIGH:STEPS or a list: 1.8,2.2,3. If left out, six from where 2% "
    "of words are unchanged to where 98% are",
)]
At = Annotated[str, Option(
    "--at", help="For frontier: compare where the attacker finds these shares of the words",
)]
Opening = Annotated[int | None, Option(
    "--opening", min=1, help="Take so many words of each document, from the first on",
)]
Words = Annotated[int, Option(
    "--words", "-w", min=1, help="Attack the first documents that have this many words together",
)]
Candidates = Annotated[int, Option(
    "--candidates", min=2, help="How many words the attacker guesses among, the likeliest ones",
)]
Model = Annotated[str | None, Option(
    "--model", show_default=False, help="A causal language model that the attacker has as well: a "
    f"Hugging Face folder, a .gguf file, or a name; for {', '.join(BY_MODEL)} and frontier (needs "
    "the extra lm)",
)]
Prompt = Annotated[str, Option(
    "--prompt", show_default=False, help="What the attacker tells that model of the kind of text",
)]
Out = Annotated[Path | None, Option(
    "--out", help="A folder: write NAME.csv and draw NAME.svg (needs matplotlib)",
)]
# fmt: on


def attack_cli(
    name: Name,
    text: Text,
    public: Public = None,
    mechanism: options.Mechanisms = None,
    epsilon: Epsilons = None,
    space: options.SpaceName = BUILTIN,
    max_words: options.MaxWords = None,
    words: Words = 10_000,
    candidates: Candidates = 8000,
    opening: Opening = None,
    model: Model = None,
    prompt: Prompt = "",
    at: At = ".35,.5,.6",
    field: options.Field = "text",
    lines: options.Lines = False,
    out: Out = None,
    code: options.Code = None,
    force: options.Force = False,
) -> None:
    """Attack a text that is sanitised for the purpose, and count how often that succeeds.

    Example: python -m spacy dx attack context tickets.jsonl -m path -m laplace
    """
    with mistakes_in_a_line("attack"):
        with setting_up():
            import_code(code)
            one_of("NAME", name, (*ATTACKS, ALL, FRONTIER, PERSONS))
            _check_model(name, model, prompt)
            if name == PERSONS:
                attack_persons(text, field, lines, out, force)
                return
            given = mechanism or ["path"]
            chosen = None if epsilon is None else parse_epsilons(epsilon)
            if name == FRONTIER:
                comparison = check_frontier(given, chosen, at, out, force=force)
            else:
                mechanisms = [_registered(some) for some in given]
                names = list(ATTACKS) if name == ALL else [name]
                files = _files(out, names, force=force)
            table_of_words = load_space(space, max_words)
            reader = None if model is None else Reader.of(model, table_of_words, prompt)
        with settings_that_fail():
            read_all = partial(read_corpus, space=table_of_words, field=field, lines=lines)
            corpus = read_all(text)
            corpus = corpus if opening is None else corpus.opening(opening)
            known = None if public is None else read_all(public)
            if name == FRONTIER:
                comparison.run(table_of_words, corpus.first(words), known, reader)
                return
            if known is None:
                corpus, known = corpus.halves()
        with settings_that_fail(), Steps("attacks") as steps:
            language = language_of(table_of_words, known)
            few = corpus.first(words)
            scene = Scene(table_of_words.vectors, few, known, candidates, language, reader)
            found = attack_over_epsilon(
                names, mechanisms, table_of_words, scene, chosen, on_step=steps
            )
        _print(found, scene)
        for path, data in _contents(files, found):
            write_bytes(path, data, force=force)


def _check_model(name: str, model: str | None, prompt: str) -> None:
    """Raises UsageError where a model, or what it is told, would change nothing."""
    if model is not None and name not in (*BY_MODEL, ALL, FRONTIER):
        known = ", ".join((*BY_MODEL, ALL, FRONTIER))
        raise UsageError(f"no model takes part in {name}: `model` is for {known}.")
    if prompt and model is None:
        raise UsageError("there is no model to tell this: give one by `model`, or leave `prompt`.")


def _registered(given: str) -> str:
    name = full_name("dx_mechanisms", given)
    check_tunable(name)
    return name


# -- telling -------------------------------------------------------------------------------------


def _print(findings: list[AttackFigure], scene: Scene) -> None:
    for name in dict.fromkeys(found.attack for found in findings):
        for mechanism in dict.fromkeys(found.mechanism for found in findings):
            some = [f for f in findings if (f.attack, f.mechanism) == (name, mechanism)]
            typer.secho(f"{name}: {mechanism}", bold=True)
            typer.echo(_table(some))
    text, public = scene.text, scene.public
    covered = float((scene.places >= 0).mean())
    read = f"{len(public.rows):,} words" if public else "nothing"
    typer.echo(
        f"{len(text.rows):,} words of {len(text):,} documents were attacked. The attacker has read "
        f"{read}, and guesses among\n{len(scene.words):,} words, which are {covered:.1%} of those "
        "that were attacked. 'Without' is a guess without the output.\nIntervals are in the .csv "
        "file. The figures are about this text: they are not private."
    )
    missing = sorted(set(ATTACKS) - {found.attack for found in findings})
    if 0 < len(missing) < len(ATTACKS) - 1:
        typer.echo(f"The text is too small for {', '.join(missing)}.")


def _table(findings: list[AttackFigure]) -> str:
    epsilons = sorted({found.epsilon for found in findings})
    lines: dict[tuple[str, str, str], dict[float, AttackFigure]] = {}
    for f in findings:
        lines.setdefault((f.measure, f.attacker, f.setting), {})[f.epsilon] = f
    unchanged = {found.epsilon: found.unchanged for found in findings}
    rows = [["words unchanged", *(f"{unchanged[e]:.1%}" for e in epsilons), ""]]
    for (measure, attacker, setting), values in lines.items():
        label = ", ".join(part for part in (measure, attacker, setting) if part)
        cells = [f"{values[e].value:.1%}" if e in values else "-" for e in epsilons]
        rows.append([label, *cells, f"{next(iter(values.values())).baseline:.1%}"])
    header = ["epsilon", *(f"{e:.4g}" for e in epsilons), "without"]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    aligns = ["l", *"r" * (len(epsilons) + 1)]
    lined: str = table(rows, header=header, aligns=aligns, widths=widths, spacing=2)
    return lined.strip("\n") + "\n"


def _files(out: Path | None, names: list[str], *, force: bool) -> dict[str, tuple[Path, Path]]:
    """For each attack its .csv and .svg. Raises as check_folder does."""
    if out is None:
        return {}
    files = {name: (out / f"{name}.csv", out / f"{name}.svg") for name in names}
    check_folder(out, (path.name for pair in files.values() for path in pair), force=force)
    return files


def _contents(
    files: dict[str, tuple[Path, Path]], findings: list[AttackFigure]
) -> Iterator[tuple[Path, bytes]]:  # fmt: skip
    for name, (sheet, picture) in files.items():
        some = [found for found in findings if found.attack == name]
        if some:
            yield sheet, as_csv(some)
            yield picture, plot_findings(some)
