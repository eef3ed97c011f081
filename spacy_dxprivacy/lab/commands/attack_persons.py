"""`python -m spacy dx attack persons`: are documents about one person linked by stand-ins?"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import spacy
import typer
from wasabi import table

from ...batch.jobs import plan_jobs
from ...batch.records import Fields, read
from ...batch.run import opened
from ...errors import UsageError
from ...files.atomic import check_new, write_bytes
from ..attacks.findings import AttackFigure, as_csv
from ..attacks.persons import NAME, link_persons

MOST = 20_000  # documents


def attack_persons(text: str, field: str, lines: bool, out: Path | None, force: bool) -> None:
    """Prints a table, and writes persons.csv. Raises UsageError where no two documents name the
    same person."""
    sheet = None if out is None else out / f"{NAME}.csv"
    if sheet is not None:
        check_new(sheet, force=force)
    (job,) = plan_jobs(text, None, lines=lines, force=True)[:1]
    with opened(job) as handle:
        records = list(islice(read(handle, job.read_as, Fields(field)), MOST))
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    texts = [r.text or " ".join(r.words or ()) for r in records if not r.problem]
    found = list(link_persons(nlp, texts))
    if not any("found" in figure.measure for figure in found):
        raise UsageError(f"{text}: no two documents name the same person in full.")
    _print(found, len(texts))
    if sheet is not None:
        write_bytes(sheet, as_csv(found), force=force)


def _print(found: list[AttackFigure], documents: int) -> None:
    rows = [
        [f.setting, f.measure, f"{f.value:.2%}", f"{f.low:.2%} to {f.high:.2%}", f"{f.n:,}"]
        for f in found
    ]
    header = ["stand-ins", "measure", "share", "95 %", "pairs"]
    typer.secho(f"{NAME}: {documents:,} documents, dx.Name.v1", bold=True)
    typer.echo(str(table(rows, header=header, aligns=("l", "l", "r", "r", "r"))).strip("\n"))
    typer.echo(
        "Of names that the rules find. With scope corpus (--key) linking is possible by design; "
        "otherwise\na name is in two documents by chance alone, or where it was not found."
    )
