"""`dx sanitize --preview`: the first documents before and after; nothing is written."""

from __future__ import annotations

from itertools import islice

import typer
from spacy.language import Language

from ..config import FileOptions
from ..io.jobs import Job, opened
from ..io.languages import with_language
from ..io.stream import outcomes
from .terminal import with_options


def print_previews(
    nlp: Language, job: Job, files: FileOptions, count: int, language: str | None
) -> None:
    """Print the first documents before and after."""
    with opened(job, files) as given:
        read = islice(given.records(), count)
        records = list(with_language(nlp, read, language))
    for record, outcome in outcomes(nlp, records, batch_size=count):
        if isinstance(outcome, str):
            shown = with_options(outcome)
        else:
            tokens = zip(record.words or (), record.spaces or (), strict=True)
            before = record.text or "".join(word + " " * space for word, space in tokens)
            shown = f"- {_printable(before)}\n+ {_printable(outcome.text)}"
        typer.echo(f"--- {record.number}\n{shown}")


def _printable(text: str) -> str:
    # Control characters move the cursor, and worse.
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
