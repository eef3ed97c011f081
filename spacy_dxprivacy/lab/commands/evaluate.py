"""`dx evaluate`: how well a recogniser does on annotated texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from spacy.language import Language
from typer import Argument, Option

from ...cli import options
from ...cli.options import setup_errors, usage_errors
from ...config.options import PipelineOptions
from ...errors import UsageError
from ...files.atomic import check_new, write_bytes
from ...files.keys import keep_from_git
from ...io.build import get_sanitizer, make_pipeline
from ...pipeline.describe import plural
from ...progress import over
from ...text.mentions import CANONICAL, plain_label
from ..ceilings import (
    ThresholdRow,
    bound_next,
    bound_share,
    choose,
    fewest_documents,
    try_thresholds,
)
from ..decisions import Decisions, check_config, config_with, decisions_of
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
    bound: Annotated[float | None, Option(
        "--bound", metavar="SHARE", min=0.0, max=1.0, show_default=False,
        help="Thresholds for this share of documents with a name left",
    )] = None,
    decisions: Annotated[Path | None, Option(
        "--decisions", help="Config to write: words and thresholds by GOLD"
    )] = None,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Measure a recogniser on annotated texts.

    GOLD is of presidio-research, spaCy, Prodigy, Label Studio or TAB (its mentions to mask, by
    label, and all of them under DIRECT and QUASI). Recall is the share of entities without a word
    left; precision the share of replaced words that are in an entity; clean the share of documents
    without a word of an entity left, and "left at most" bounds the share of others, for documents
    drawn like GOLD. Without --entities or --config, the labels of GOLD are replaced. No text is
    printed without --misses. With --surrogates the entities of GOLD are replaced, and the share of
    relations that stay is measured: the name in a mail address, the state of a city, the days
    between two dates, the gender that the text shows.

    --bound tries thresholds of the network, and names the highest at which the next document keeps
    a readable word with at most this probability. The status is 1 if none does. --decisions writes
    a config for `dx sanitize --config`: what reviewers marked and the recogniser missed is always
    replaced, what they left and it replaced never is, and thresholds are those of --bound.

    Example: dx evaluate gold.jsonl --fail-under recall=.95
    """
    with usage_errors():
        limits = [_threshold(item) for item in fail_under or ()]
        if decisions is not None:
            check_new(decisions, force=force)
            check_config(pipeline.config)
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
        below = [*_below(evaluation, limits)]
    _print(evaluation, len(golds), misses)
    with usage_errors():
        chosen = None
        if bound is not None:
            rows = try_thresholds(partial(make_pipeline, pipeline), golds, over)
            place = choose(np.array([row.left for row in rows]), len(golds), bound)
            chosen = None if place is None else rows[place]
            _print_thresholds(rows, chosen, len(golds), bound)
            below += [] if chosen else [f"no threshold keeps the share at {bound:.3g}."]
        if decisions is not None:
            _write_decisions(decisions, nlp, decisions_of(evaluation, golds), chosen, force=force)
    for message in below:
        typer.echo(f"dx evaluate: {message}", err=True)
    raise typer.Exit(int(bool(below)))


def _below(evaluation: Evaluation, limits: list[tuple[str, str, float]]) -> Iterator[str]:
    """Yield a message for each figure that is below its limit."""
    for figure, label, least in limits:
        share = evaluation.labels[label].figure(figure) if label in evaluation.labels else None
        if share is None or share < least:
            figure_of_label = figure if label == ALL_LABELS else f"{figure}.{label}"
            value = "not known" if share is None else f"{share:.3f}"
            yield f"{figure_of_label} is {value}, below {least:g}."


def _print_thresholds(
    rows: list[ThresholdRow], chosen: ThresholdRow | None, documents: int, ceiling: float
) -> None:
    """Print what each threshold leaves, and the highest one within the ceiling."""
    cells = [
        [f"{row.factor:g}", row.left, f"{bound_next(row.left, documents):.3f}", f"{row.wrong:,}"]
        for row in rows
    ]
    header = ["thresholds times", "documents left", "the next at most", "words replaced wrongly"]
    typer.echo("\n" + text_table(header, cells, "r"))
    if chosen is None:
        remedy = "Add the words that were missed (--decisions), or read the texts."
        if documents < (least := fewest_documents(ceiling)):
            remedy = f"It takes {least:,} clean documents or more."
        typer.echo(f"No threshold reaches {ceiling:.3g}. {remedy}")
        return
    listed = ", ".join(f"{label} {value:.3g}" for label, value in chosen.thresholds.items())
    typer.echo(f"The highest thresholds for {ceiling:.3g}: {listed}.")


def _write_decisions(
    path: Path, nlp: Language, decided: Decisions, row: ThresholdRow | None, *, force: bool
) -> None:
    """Write the config, readable by its owner alone, and print how many words it lists."""
    config = config_with(nlp, decided, None if row is None else row.thresholds)
    write_bytes(path, config.encode(), force=force, private=True)
    keep_from_git(path)
    denied = sum(map(len, decided.deny.values()))
    typer.echo(
        f"{path}: {denied:,} always replaced, {len(decided.allow):,} never. It holds words of the "
        "originals: read it, and keep it private.",
        err=True,
    )


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


def _in_words(evaluation: Evaluation, texts: int) -> str:
    """Return the bound on the share of documents with a readable word, in a sentence."""
    if ALL_LABELS not in evaluation.labels:
        return ""
    left = sum(evaluation.left)
    return (
        f" {left:,} with a readable word of an entity: of documents drawn like these, at most "
        f"{bound_share(left, texts):.1%} have one (95 % confidence)."
    )


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
        most = bound_share(counts.leaving, counts.documents) if counts.documents else None
        cells.append("-" if most is None else f"{most:.3f}")
        rows.append(
            [label, counts.entities, *cells[:2], counts.documents, counts.leaving, *cells[2:]]
        )
    header = [
        "label", "entities", "recall", "precision", "documents", "with any left", "clean",
        "left at most",
    ]  # fmt: skip
    typer.echo(text_table(header, rows, "lr"))
    typer.echo(f"{plural(texts, 'document')}.{_in_words(evaluation, texts)}")
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
