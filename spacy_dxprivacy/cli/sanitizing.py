"""`dx sanitize`: sanitise files, folders and stdin."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from spacy.language import Language
from spacy.tokens import Doc
from typer import Argument, Option

from .. import progress
from ..config.options import FileOptions, PipelineOptions, process_count
from ..errors import UsageError
from ..files.atomic import check_new, write_bytes
from ..files.keys import check_key_location, make_key, read_key
from ..io.build import get_sanitizer, make_pipeline
from ..io.jobs import FORMAT_OF_ENDING, Job, check_fields, check_receipt, plan_jobs
from ..io.receipt_page import receipt_page
from ..io.resuming import can_resume
from ..io.run import sanitize
from ..io.statements import alarms
from ..io.summary import summary
from ..io.tally import BARE_FILES, FIELDS, TABLE, Tally
from ..pipeline.count import Count
from ..prompts.restoring import mark_ambiguous_dates
from ..prompts.table import SurrogateTable, check_cipher, write_table
from ..surrogates.replacements import Replacement
from ..ty import facts_of
from . import options
from .options import (
    above_bar,
    bytes_bar,
    name_options,
    progress_lines,
    setup_errors,
    usage_errors,
)

MAX_FAILURES = 20  # printed one by one
LONG = 2**20  # bytes of a run that probably needs most of the stored paths
ENDING = re.compile(r"\.[a-z]{1,8}", re.ASCII)
NOTE = (
    "Mrs. Eleanor Whitcombe is a 67-year-old retired teacher from Leeds. I've asked Dr. Okafor to "
    "see her on 14 March 2023."
)
MODES = {
    "--entities person,date,gpe": PipelineOptions(entities="person,date,gpe"),
    "every word sampled anew": PipelineOptions(),
}
# The other arguments where none is given. With one, an INPUT was forgotten.
ALONE = (FileOptions(), PipelineOptions(), None, None, None, None, None, None, False, 1)


@options.from_settings()
def sanitize_cli(
    files: FileOptions,
    pipeline: PipelineOptions,
    source: Annotated[str, Argument(
        metavar="INPUT", show_default=False, help="File or folder to read, or - for stdin"
    )] = "",
    target: Annotated[str | None, Argument(
        metavar="OUTPUT", show_default=False, help="File or folder to write; stdout if left out"
    )] = None,
    text: Annotated[str | None, Option(
        "--text", help="Text to sanitise; give confidential text by stdin (-)"
    )] = None,
    table: Annotated[Path | None, Option(
        "--table", help="Table of surrogates to write, encrypted"
    )] = None,
    table_key: Annotated[Path | None, Option(
        "--table-key", help="Key that encrypts the table"
    )] = None,
    receipt: Annotated[list[Path] | None, Option(
        "--receipt", help="Receipt to write: .json in full, .html a page to sign"
    )] = None,
    n_process: Annotated[int, Option(
        "--n-process", "-n", help="Worker processes; -1 for one per core. One process samples "
        "sentences, the default, on all cores; else it uses one, and more pay from 50,000 words on"
    )] = 1,
    verbose: Annotated[bool | None, Option(
        "--verbose/--quiet", "-v/-q", help="Print the receipt as JSON, or none", show_default=False
    )] = None,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Sanitise texts under metric differential privacy.

    INPUT is a .txt, .jsonl, .csv, .tsv, .xlsx, .parquet, .spacy, .docx, .html, .md or .eml file, a
    folder of such files, or - for stdin. OUTPUT is a file, whose ending sets the format, or a
    folder if INPUT is a folder. Files of a folder keep their names: check that the names identify
    nobody.

    Any other setting of the pipeline is an override, as in `spacy train`: --nlp.batch_size 64,
    --components.dx_sanitizer.scope type, or, for a block of the sanitizer, shorter:
    --mechanism.policy clinical --unknown.@dx_unknowns dx.Redact.v1

    A missing key file is created. Do not store it with the output.

    A summary of the receipt is printed on stderr; with -v, the whole receipt as JSON. Records that
    fail are left out and listed by number, and the exit status is 1. The output appears under its
    name when it is complete. If a run on a folder was stopped, the same command resumes it.

    Without any argument, an example note is shown in two modes.

    Example: dx sanitize notes.jsonl clean.jsonl --entities person,date
    """
    others = (files, pipeline, target, text, table, table_key, receipt, verbose, force, n_process)
    if not source and others == ALONE and not _is_fed():
        return _show_modes()
    with _interruptible() as interrupted:
        processes = process_count(n_process)
        resumed = target is not None and can_resume(Path(target))
        jobs = plan_jobs(source, target, files, text=text, force=force or resumed)
        check_fields(files, jobs)
        for path in receipt or ():
            check_receipt(path, jobs, force=force)
        _check_table(table, table_key, processes, force=force)
        is_folder = bool(source) and Path(source).is_dir()
        for secret in filter(None, (pipeline.key, table, table_key)):
            output = Path(str(target)) if is_folder else jobs[0].target
            check_key_location(Path(str(secret)), output, is_folder=is_folder)
        _make_keys(pipeline.key, table_key)
        with setup_errors():
            nlp = make_pipeline(pipeline)
        _check_person(nlp, files.person_field, pipeline.key)
        _store_paths(nlp, sum(job.size for job in jobs))
        with (
            _table_of_surrogates(nlp, table, table_key, force=force),
            _report_progress(jobs, interrupted) as (on_failure, on_progress),
        ):
            tally = sanitize(
                nlp, jobs, files, n_process=processes, language=pipeline.language, force=force,
                folder=Path(str(target)) if is_folder else None,
                on_failure=on_failure, on_progress=on_progress,
            )  # fmt: skip
        tally.in_clear += [] if table is None else [TABLE]
        if is_folder:
            _count_other_files(tally, Path(source), jobs)
        for path in receipt or ():
            is_page = path.suffix.lower() == ".html"
            text = receipt_page(tally) if is_page else f"{_as_json(tally)}\n"
            write_bytes(path, text.encode(), force=force)
    _print_receipt(tally, files, verbose=verbose)
    if tally.failures:
        raise typer.Exit(1)


def _is_fed() -> bool:
    """Return whether a pipe or a file is on stdin, so that `-` was forgotten."""
    with suppress(OSError, ValueError):  # there is no stdin
        mode = os.fstat(sys.stdin.fileno()).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)
    return False


def _show_modes() -> None:
    """Print a note, and its releases with a summary of each."""
    typer.secho("A note", bold=True)
    typer.echo(NOTE)
    for title, options_of_mode in MODES.items():
        typer.echo()
        typer.secho(title, bold=True)
        tally = sanitize(make_pipeline(options_of_mode), plan_jobs("", None, text=NOTE))
        typer.echo("\n".join(summary(tally)[1:-1]))
    typer.echo("\nName a file for a release of your own, or --help for all options.")


def _print_receipt(tally: Tally, files: FileOptions, *, verbose: bool | None) -> None:
    """Print the receipt of a run, and its warnings.

    verbose: True for the whole receipt, None for its summary, False for warnings only.
    """
    if verbose:
        typer.echo(_as_json(tally), err=True)
    elif verbose is None:
        # Separate it from the output if both are on the terminal.
        start = "\n\n" if sys.stdout.isatty() and sys.stderr.isatty() else ""
        typer.echo(start + "\n".join(summary(tally)), err=True)
    for alarm in alarms(tally):
        typer.secho(alarm, err=True, fg="red", bold=True)
    fields = [line for line in tally.in_clear if line.startswith(FIELDS)]
    if fields and files.keep_fields is None:
        remedy = "List those to keep with --keep-fields, or drop all with --keep-fields none."
        typer.secho(f"IN PLAINTEXT: {fields[0]}. {remedy}", err=True, fg="yellow")


def _as_json(tally: Tally) -> str:
    return json.dumps(tally.to_dict(), indent=2, ensure_ascii=False)


# -- the run ---------------------------------------------------------------------------------------


def _make_keys(*paths: Path | str | None) -> None:
    """Create missing key files. Raise UsageError for files that cannot be used as keys."""
    with usage_errors():
        for path in [Path(path) for path in paths if path is not None]:
            if not path.exists():
                make_key(path)
                about = "Anyone who has it can link surrogates to originals. Keep a copy."
                typer.echo(f"{path}: new key. {about}", err=True)
            read_key(path)


def _check_person(nlp: Language, person_field: str | None, key: object) -> None:
    limited = get_sanitizer(nlp).settings.max_epsilon_per_person is not None
    if person_field is not None and not limited and key is None:
        raise UsageError("`person_field` needs `key`, for dates, or max_epsilon_per_person.")


@contextmanager
def _report_progress(
    jobs: list[Job], interrupted: Callable[[], None]
) -> Iterator[tuple[Callable[[Job, int, str], None], Callable[[int], None]]]:
    """Yield on_failure, which prints a line on stderr, and on_progress, which moves a bar."""
    failures = 0

    def on_failure(job: Job, number: int, why: str) -> None:
        nonlocal failures
        failures += 1
        place = f"{job.name}, record {number}" if number else job.name
        why = why.removeprefix(f"{job.name}: ")
        if failures <= MAX_FAILURES:
            above_bar(f"dx sanitize: {place}: {name_options(why)}")

    with progress_lines(), bytes_bar(total=sum(job.size for job in jobs) or None) as bar:

        def on_progress(size: int) -> None:
            interrupted()
            bar.update(size)

        yield on_failure, on_progress
    if failures > MAX_FAILURES:
        unprinted = failures - MAX_FAILURES
        above_bar(f"dx sanitize: {unprinted:,} more failed; --receipt has all of them.")


def _count_other_files(tally: Tally, folder: Path, jobs: list[Job]) -> None:
    """Count the files of a folder that were left out, by ending: those of unknown formats, and of
    none. Hidden ones and links out of the folder are "other files"."""
    read_files = {job.source for job in jobs}
    left_out = Counter[str]()
    for path in folder.rglob("*"):
        if path.is_file() and path not in read_files:
            ending = path.suffix.lower()
            known = ENDING.fullmatch(ending) and ending not in FORMAT_OF_ENDING
            is_bare = not ending and not path.name.startswith(".")
            kind = f"{ending} files" if known else "other files"
            left_out[BARE_FILES if is_bare else kind] += 1
    if left_out:
        tally.count += Count(dropped=left_out)


def _store_paths(nlp: Language, size: int) -> None:
    """Store the paths of common words before a long run, for all of its processes."""
    store = facts_of(get_sanitizer(nlp).settings.mechanism).store_paths
    if size < LONG or store is None:
        return
    with (
        warnings.catch_warnings(record=True) as caught,
        progress.bar(None, "paths, once a machine") as shown,
    ):
        warnings.simplefilter("always")
        store(shown.update)
    for warning in caught:
        above_bar(f"dx sanitize: {warning.message}")


# -- the table of surrogates -----------------------------------------------------------------------


def _check_table(
    table: Path | None, table_key: Path | None, processes: int, *, force: bool
) -> None:
    """Raise UsageError if a table of surrogates cannot be written."""
    if (table is None) != (table_key is None):
        raise UsageError("`table` and `table_key` go together; a missing key is created.")
    if table is None or table_key is None:
        return
    if processes != 1:
        raise UsageError("`table` needs a single process: leave `n_process` out.")
    with usage_errors():
        check_cipher()
    check_new(table, force=force)


@contextmanager
def _table_of_surrogates(
    nlp: Language, path: Path | None, key: Path | None, *, force: bool
) -> Iterator[None]:
    """Collect the surrogates drawn in this block, and write their table at its end."""
    if path is None or key is None:
        yield
        return
    sanitizer, table = get_sanitizer(nlp), SurrogateTable()
    surrogates = sanitizer.settings.surrogates

    def add(doc: Doc, drawn: list[Replacement]) -> list[Replacement]:
        drawn = mark_ambiguous_dates(doc, drawn, surrogates, table)
        table.add_document(doc, drawn, surrogates)
        return drawn

    sanitizer.on_replacements = add
    try:
        yield
    finally:
        sanitizer.on_replacements = None
    write_table(table, path, read_key(key), force=force)


# -- signals ---------------------------------------------------------------------------------------


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM.

    A plain KeyboardInterrupt that is raised in generated code, such as a dataclass's, ends Python
    by SIGINT even if it is caught, and the exit status is lost.
    """


@contextmanager
def _interruptible() -> Iterator[Callable[[], None]]:
    """Let SIGTERM interrupt the run like Ctrl-C, so that partial outputs are removed.

    Yields a function that raises again after a signal: Python drops exceptions in some callbacks.
    """
    received: list[int] = []

    def interrupt(number: int, frame: object) -> NoReturn:
        received.append(number)
        raise Interrupted

    def raise_again() -> None:
        if received:
            raise Interrupted

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        signals = (signal.SIGINT, signal.SIGTERM)
        handled = [number for number in signals if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, interrupt) for number in handled}
    try:
        yield raise_again
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
