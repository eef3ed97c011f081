"""`python -m spacy dx attack`: how often attackers succeed on a text of yours, over epsilon."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from tqdm import tqdm
from typer import Argument, Option
from wasabi import table

from ..attacks import ATTACKS, Corpus, Finding, Scene, Trial
from ..attacks import attack as findings_of
from ..attacks.plots import plot_findings
from ..batch.build import full_name
from ..batch.rows import rows_of_file
from ..errors import DxError, UsageError
from ..files.atomic import check_new, write_bytes
from ..space import Space
from ..spaces import BUILTIN
from ..tuning import SEARCH_WORDS, Make, epsilon_range_on, evenly, sampled
from ..tuning.settings import (
    MaxWords,
    Mechanisms,
    SpaceName,
    check_tunable,
    load_space,
    make_mechanism,
    parse_epsilons,
    settings_that_fail,
)
from ..validate import one_of
from . import options
from .mistakes import mistakes_in_a_line, setting_up

ALL = "all"
STEPS = 6
# fmt: off
Name = Annotated[str, Argument(
    metavar="NAME", show_default=False,
    help=f"One of {', '.join(ATTACKS)}, or {ALL}",
)]
Text = Annotated[str, Argument(
    metavar="TEXT", show_default=False,
    help="A .txt, .jsonl, .csv or .spacy file, or - for stdin: whose words are sought. None is "
    "printed or written, but the figures are about this text",
)]
Public = Annotated[str | None, Option(
    "--public", help="What the attacker has read: a file of texts like these. If left out, every "
    "second document of TEXT, which is then not attacked",
)]
Epsilons = Annotated[str | None, Option(
    "--epsilon", "-e", help="LOW:HIGH:STEPS or a list: 1.8,2.2,3. If left out, six from where 2% "
    "of words are unchanged to where 98% are",
)]
Words = Annotated[int, Option(
    "--words", "-w", min=1, help="Attack the first documents that have this many words together",
)]
Candidates = Annotated[int, Option(
    "--candidates", min=2, help="How many words the attacker guesses among, the likeliest ones",
)]
Out = Annotated[Path | None, Option(
    "--out", help="A folder: write NAME.csv and draw NAME.svg (needs matplotlib)",
)]
# fmt: on


def attack_cli(
    name: Name,
    text: Text,
    public: Public = None,
    mechanism: Mechanisms = None,
    epsilon: Epsilons = None,
    space: SpaceName = BUILTIN,
    max_words: MaxWords = None,
    words: Words = 10_000,
    candidates: Candidates = 8000,
    field: options.Field = "text",
    lines: options.Lines = False,
    out: Out = None,
    force: options.Force = False,
) -> None:
    """Attack a text that is sanitised for the purpose, and count how often that succeeds.

    Example: python -m spacy dx attack context tickets.jsonl -m path -m laplace
    """
    with mistakes_in_a_line("attack"):
        with setting_up():
            names = list(ATTACKS) if name == ALL else [one_of("NAME", name, (*ATTACKS, ALL))]
            mechanisms = [full_name("dx_mechanisms", some) for some in mechanism or ["path"]]
            for some in mechanisms:
                check_tunable(some)
            chosen = None if epsilon is None else parse_epsilons(epsilon)
            files = _files(out, names, force=force)
            table_of_words = load_space(space, max_words)
        with settings_that_fail():
            read_all = partial(_corpus, field=field, lines=lines, space=table_of_words)
            corpus = read_all(text)
            known = None if public is None else read_all(public)
            if known is None:
                corpus, known = corpus.halves()
            scene = Scene(table_of_words.vectors, corpus.first(words), known, candidates)
            found = attacks(names, mechanisms, table_of_words, scene, chosen)
        _print(found, scene)
        for path, data in _contents(files, found):
            write_bytes(path, data, force=force)


def _corpus(source: str, *, field: str, lines: bool, space: Space) -> Corpus:
    parts = rows_of_file(source, "dx attack", field=field, lines=lines, space=space)
    return Corpus.of([rows for documents, _ in parts for rows in documents])


def attacks(
    names: list[str],
    mechanisms: list[str],
    space: Space,
    scene: Scene,
    epsilons: list[float] | None,
) -> list[Finding]:
    """Each attack on each mechanism at each epsilon; None for epsilons that are found. Shows its
    progress on a terminal. Raises DxError where the text is too small for the one attack."""
    found = []
    for name in dict.fromkeys(mechanisms):
        make = partial(make_mechanism, name, space)
        with _progress(name) as bar:
            some = epsilons or evenly(*_range(make, scene), STEPS)
            bar.total = len(some) * len(names)
            for epsilon in some:
                trial = Trial(scene, make(epsilon))
                for which in names:
                    found += _tried(which, trial, alone=len(names) == 1)
                    bar.update()
    return found


def _tried(name: str, trial: Trial, *, alone: bool) -> list[Finding]:
    try:
        return findings_of(name, trial)
    except DxError:
        if alone:
            raise
        return []  # there are others; _print says which had nothing to work on


def _range(make: Make, scene: Scene) -> tuple[float, float]:
    words, counts = np.unique(scene.text.rows, return_counts=True)
    few = sampled(words, counts, min(SEARCH_WORDS, len(scene.text.rows)))
    return epsilon_range_on(scene.X, few, make)


@contextmanager
def _progress(label: str) -> Iterator[Any]:
    """On a terminal alone (disable=None)."""
    with tqdm(desc=label, unit=" attacks", leave=False, disable=None, file=sys.stderr) as bar:
        yield bar


# -- telling -------------------------------------------------------------------------------------


def _print(findings: list[Finding], scene: Scene) -> None:
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


def _table(findings: list[Finding]) -> str:
    epsilons = sorted({found.epsilon for found in findings})
    lines: dict[tuple[str, str, str], dict[float, Finding]] = {}
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
    """For each attack its .csv and .svg. Raises UsageError where they cannot be written."""
    if out is None:
        return {}
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file; --out names a folder.")
    files = {name: (out / f"{name}.csv", out / f"{name}.svg") for name in names}
    for path in (path for pair in files.values() for path in pair):
        check_new(path, force=force)
    return files


def _contents(
    files: dict[str, tuple[Path, Path]], findings: list[Finding]
) -> Iterator[tuple[Path, bytes]]:  # fmt: skip
    for name, (sheet, picture) in files.items():
        some = [found for found in findings if found.attack == name]
        if some:
            yield sheet, _as_csv(some)
            yield picture, plot_findings(some)


def _as_csv(findings: list[Finding]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(findings[0].as_dict()), lineterminator="\n")
    writer.writeheader()
    for found in findings:
        values = found.as_dict().items()
        writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in values})
    return text.getvalue().encode()
