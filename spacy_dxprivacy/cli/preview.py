"""`dx sanitize --preview N`: before and after side by side; nothing is written."""

from __future__ import annotations

import shutil
import sys

import typer
from spacy.language import Language

from ..batch.jobs import Job
from ..batch.trial import Preview, previews
from ..config import FileConfig
from .mistakes import with_options

LEAST = 24  # characters of a column


def print_previews(nlp: Language, jobs: list[Job], files: FileConfig, most: int) -> None:
    """The first documents of the first file. In a terminal what was changed is in colour; elsewhere
    a bar stands beside lines with a change."""
    for preview in previews(nlp, jobs[0], files, most):
        print_preview(preview)


def print_preview(preview: Preview) -> None:
    """One document, before and after."""
    width = max((shutil.get_terminal_size((100, 24)).columns - 7) // 2, LEAST)
    typer.echo(f"--- {preview.number}")
    if preview.why:
        typer.echo(with_options(preview.why))
    for line in _lines(preview, width, colour=sys.stdout.isatty()):
        typer.echo(line)


def _lines(preview: Preview, width: int, *, colour: bool) -> list[str]:
    left, right = _wrapped(preview.before, width), _wrapped(preview.after, width)
    rows = []
    for i in range(max(len(left), len(right))):
        one = left[i] if i < len(left) else []
        other = right[i] if i < len(right) else []
        mark = "|" if any(changed for _, changed in [*one, *other]) else " "
        gap = " " * (width - sum(len(piece) for piece, _ in one))
        rows.append(
            f"{_painted(one, 'red', colour)}{gap} {mark} {_painted(other, 'green', colour)}"
        )
    return [row.rstrip() for row in rows]


def _painted(pieces: list[tuple[str, bool]], fg: str, colour: bool) -> str:
    return "".join(
        typer.style(piece, fg=fg, bold=True) if changed and colour else piece
        for piece, changed in pieces
    )


def _wrapped(pieces: list[tuple[str, bool]], width: int) -> list[list[tuple[str, bool]]]:
    """Lines of pieces, each at most so wide."""
    lines: list[list[tuple[str, bool]]] = [[]]
    used = 0
    for piece, changed in pieces:
        if "\n" in piece:
            lines += [[]] * piece.count("\n")
            lines[-1], used = [], 0
            continue
        shown = piece[:width]
        if used + len(shown) > width:
            lines.append([])
            used = 0
        if not (used == 0 and shown.isspace()):
            lines[-1].append((shown, changed and not shown.isspace()))
            used += len(shown)
    return lines
