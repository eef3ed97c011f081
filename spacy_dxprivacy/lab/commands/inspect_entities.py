"""`dx inspect --entities`: texts before and after, in the terminal or as a page."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import typer

from ...batch.build import make_pipeline
from ...batch.fields import Fields
from ...batch.jobs import plan_jobs, text_job
from ...cli.mistakes import setting_up, settings_that_fail
from ...cli.preview import print_preview
from ...errors import UsageError
from ...files.atomic import check_new, write_bytes
from ..tuning.entity_mode import SAMPLE, what_is_left
from ..tuning.page import side_by_side


@dataclass(frozen=True)
class Wanted:
    """What `dx inspect` was asked of entity mode. most: how many texts. space: of what is drawn
    word by word."""

    labels: tuple[str, ...]
    surrogates: str | None
    text: str | None
    field: str
    most: int
    page: Path | None
    force: bool
    space: str | None = None


def inspect_entities(wanted: Wanted) -> None:
    """Prints it, or writes the page. Raises UsageError for what cannot be read or does not fit."""
    if not wanted.labels:
        raise UsageError("`entities` is empty: name the labels, as in person,date.")
    if wanted.page is not None:
        check_new(wanted.page, force=wanted.force)
    setting = wanted.surrogates or "standard"
    with setting_up():
        job = text_job(SAMPLE) if wanted.text is None else plan_jobs(wanted.text, None)[0]
        nlp = make_pipeline(entities=wanted.labels, surrogates=setting, space=wanted.space)
    with settings_that_fail():
        left, seen = what_is_left(nlp, setting, job, Fields(wanted.field), wanted.most)
    if wanted.page is None:
        for preview in seen.previews:
            print_preview(preview)
        return
    page = side_by_side(seen.previews, left).encode()
    before = os.umask(0o077)  # for its owner alone, from the first byte
    try:
        write_bytes(wanted.page, page, force=wanted.force)
    finally:
        os.umask(before)
    typer.echo(
        f"{wanted.page}: {left.texts} text(s), with the originals. Keep it as them.", err=True
    )
