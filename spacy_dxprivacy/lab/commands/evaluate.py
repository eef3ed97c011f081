"""`python -m spacy dx evaluate`: how well a recogniser does on annotated texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ...cli import options
from ...cli.options import setup_errors, usage_errors
from ...config.options import PipelineOptions
from ...errors import UsageError
from ...io.build import get_sanitizer, make_pipeline
from ...text.mentions import CANONICAL, plain_label
from ..fidelity import FitShare, measure_fit
from ..golden import ALL_LABELS, FIGURES, IDENTIFIER_KINDS, Evaluation, evaluate, read_gold
from ..results import text_table


@options.from_settings("config", "model", "entities", "code")
def evaluate_cli(
    pipeline: PipelineOptions,
    gold: Annotated[Path, Argument(
        metavar="GOLD", show_default=False, help="Annotated texts: .jsonl, or a .json list"
    )],
    misses: Annotated[int, Option(
        "--misses", min=0, help="Print N missed entities, with their text"
    )] = 0,
    surrogates: Annotated[bool, Option(
        "--surrogates", help="Measure instead whether the surrogates of GOLD fit together"
    )] = False,
    fail_under: Annotated[list[str] | None, Option(
        "--fail-under", metavar="FIGURE=SHARE",
        help="Status 1 below it: recall=.95, clean.PERSON=.9",
    )] = None,
) -> None:  # fmt: skip
    """Measure a recogniser on annotated texts.

    GOLD is of presidio-research, spaCy, Prodigy, Label Studio or TAB (its mentions to mask, by
    label, and all of them under DIRECT and QUASI). Recall is the share of entities without a word
    left; precision the share of replaced words that are in an entity; clean the share of documents
    without a word of an entity left. Without --entities or --config, the labels of GOLD are
    replaced. No text is printed without --misses. With --surrogates the entities of GOLD are
    replaced, and the share of relations that stay is measured: the name in a mail address, the
    state of a city, the days between two dates, the gender that the text shows.

    Example: python -m spacy dx evaluate gold.jsonl --fail-under recall=.95
    """
    with usage_errors():
        thresholds = [_threshold(item) for item in fail_under or ()]
        golds = read_gold(gold)
        if pipeline.config is None and not pipeline.entities:
            labels = {plain_label(label) for item in golds for label, *_ in item.entities}
            labels_known = sorted(labels & set(CANONICAL.values()))
            if not labels_known:
                raise UsageError("the labels of GOLD are not known: give `entities`.")
            pipeline = replace(pipeline, entities=",".join(labels_known))
        with setup_errors():
            nlp = make_pipeline(pipeline)
        if surrogates:
            _print_fit(measure_fit(nlp, golds, get_sanitizer(nlp).settings.surrogates))
            return
        evaluation = evaluate(nlp, golds)
        below = []
        for figure, label, least in thresholds:
            share = evaluation.labels[label].figure(figure) if label in evaluation.labels else None
            if share is None or share < least:
                figure_of_label = figure if label == ALL_LABELS else f"{figure}.{label}"
                value = "not known" if share is None else f"{share:.3f}"
                below.append(f"{figure_of_label} is {value}, below {least:g}.")
    _print(evaluation, len(golds), misses)
    for message in below:
        typer.echo(f"dx evaluate: {message}", err=True)
    raise typer.Exit(int(bool(below)))


def _print_fit(shares: dict[str, FitShare]) -> None:
    rows = [
        [name, share.pairs, f"{share.fitting / share.pairs:.3f}" if share.pairs else "-"]
        for name, share in shares.items()
    ]
    typer.echo(text_table(["relation", "of the originals", "of the surrogates"], rows, "lr"))


def _threshold(text: str) -> tuple[str, str, float]:
    name, _, value = text.partition("=")
    figure, _, label = name.strip().partition(".")
    try:
        least = float(value)
    except ValueError:
        least = -1.0
    if figure not in FIGURES or not 0 <= least <= 1:
        names = ", ".join(FIGURES)
        raise UsageError(f"`fail_under` takes FIGURE=SHARE, such as recall=.95, of {names}.")
    return figure, label or ALL_LABELS, least


def _print(evaluation: Evaluation, texts: int, misses: int) -> None:
    ordered = sorted(
        evaluation.labels,
        key=lambda name: (
            name == ALL_LABELS,
            name in IDENTIFIER_KINDS,
            -evaluation.labels[name].entities,
        ),
    )
    rows = []
    for label in ordered:
        counts = evaluation.labels[label]
        shares = [counts.figure(name) for name in FIGURES]
        cells = ["-" if share is None else f"{share:.3f}" for share in shares]
        rows.append(
            [label, counts.entities, *cells[:2], counts.documents, counts.leaving, cells[2]]
        )
    header = ["label", "entities", "recall", "precision", "documents", "with any left", "clean"]
    typer.echo(text_table(header, rows, "lr"))
    typer.echo(f"{texts:,} document{'s' * (texts != 1)}.")
    if evaluation.skipped:
        names = ", ".join(f"{name} ({count:,})" for name, count in evaluation.skipped.most_common())
        but = (
            f" but by {' and '.join(IDENTIFIER_KINDS)}"
            if evaluation.labels.keys() & {*IDENTIFIER_KINDS}
            else ""
        )
        typer.echo(f"Not replaced, and not counted{but}: {names}.")
    for line in evaluation.misses[:misses]:
        typer.echo(line)
