"""`dx sanitize`: files of text in, files of sanitised text out."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from spacy.language import Language

from ..config import SanitizeConfig
from ..entities.surrogates.table import Table, check_cipher, write_table
from ..errors import UsageError
from ..io.build import make_pipeline, the_sanitizer
from ..io.files.atomic import check_new, write_bytes
from ..io.files.keys import check_apart, read_key
from ..io.jobs import Job, check_fields, check_receipt, plan_jobs, text_job
from ..io.pieces import MODULES
from ..io.resume import is_begun
from ..io.run import Reports, sanitize
from ..io.tally import Tally
from . import options
from .terminal import (
    REMOVED,
    SANITIZE,
    above_bar,
    bar,
    bytes_bar,
    mistakes_in_a_line,
    setting_up,
    settings_that_fail,
    with_options,
)
from .trial import print_dry_run, print_previews

UNITS = {"txt": "document", "spacy": "document", "jsonl": "line"}
UNITS |= dict.fromkeys(MODULES, "document")
MOST_FAILURES = 20  # that are printed one by one
LONG = 2**20  # bytes of text, which has most of the words whose paths are stored
TABLE = "nothing more by the table of surrogates, which only its key decrypts"


@options.with_settings("sanitize", *SANITIZE)
@options.described("sanitize")
def sanitize_cli(
    chosen: SanitizeConfig, paths: list[str] | None = None, text: str | None = None
) -> None:
    """Sanitise files under metric differential privacy.

    INPUT is a .txt, .jsonl, .csv, .tsv, .xlsx, .parquet, .spacy, .docx, .html, .md or .eml file, a
    folder of such files, or - for stdin. OUTPUT is a file, whose ending gives the format, or a
    folder if INPUT is one; stdout if left out. Check that the names of files identify nobody: the
    files of a folder keep their names.

    The receipt on stderr states the guarantee and what stays visible. Records that fail are left
    out and listed by number; the exit status is then 1. The output appears under its name when it
    is complete. A run on a folder that was stopped is resumed by the same command.
    """
    with _interruptible() as interrupted, mistakes_in_a_line("sanitize", REMOVED):
        tally = _sanitize_files(paths or [], chosen, text, interrupted)
    if tally is None:
        return
    if not chosen.run.quiet:
        # A blank line where both are on one screen.
        start = "\n\n" if sys.stdout.isatty() and sys.stderr.isatty() else ""
        typer.echo(start + "\n".join(tally.lines()), err=True)
    for alarm in tally.alarms():
        typer.secho(alarm, err=True, fg="red", bold=True)
    clear = [line for line in tally.in_clear if line.startswith("the fields")]
    if clear and chosen.files.keep_fields is None:
        how = "List those to keep with --keep-fields, or drop all with --keep-fields none."
        typer.secho(f"UNMODIFIED: {clear[0]}. {how}", err=True, fg="yellow")
    if tally.failures:
        raise typer.Exit(1)


# -- files -----------------------------------------------------------------------------------------


def _sanitize_files(
    paths: list[str], chosen: SanitizeConfig, text: str | None, interrupted: Callable[[], None]
) -> Tally | None:
    """Return None for a preview, which writes nothing."""
    run, start = chosen.run, time.perf_counter()
    check_fields(chosen.files)
    jobs = _plan(paths, chosen, text)
    check_fields(chosen.files, jobs)
    check_receipt(run.receipt, jobs, force=run.force)
    _check_table(chosen)
    _check_keys(chosen, jobs[0].target)
    with setting_up():
        nlp = make_pipeline(chosen)
    by_person = the_sanitizer(nlp).max_epsilon_per_person is not None or chosen.key is not None
    if chosen.files.person_field is not None and not by_person:
        raise UsageError("`person_field` needs `key`, for dates, or max_epsilon_per_person.")
    if run.dry_run:
        print_dry_run(nlp, jobs, chosen.files, time.perf_counter() - start)
    elif run.preview:
        print_previews(nlp, jobs[0], chosen.files, run)
    if run.dry_run or run.preview:
        return None
    source = Path(paths[0]) if paths and Path(paths[0]).is_dir() else None
    with _table_of_surrogates(nlp, chosen):
        out = None if source is None else Path(paths[1])
        tally = _sanitize(nlp, jobs, chosen, interrupted, out)
    tally.in_clear += [] if run.table is None else [TABLE]
    if source is not None:
        others = sum(path.is_file() for path in source.rglob("*")) - len(jobs)
        tally.dropped.update({"other files": others} if others else {})
    if run.receipt is not None:
        raw = (json.dumps(tally.to_dict(), indent=2, ensure_ascii=False) + "\n").encode()
        write_bytes(run.receipt, raw, force=run.force)
    return tally


def _plan(paths: list[str], chosen: SanitizeConfig, text: str | None) -> list[Job]:
    files, run = chosen.files, chosen.run
    if text is not None:
        if paths or files.format or files.output_format or files.encoding:
            raise UsageError("`text` replaces INPUT and its format: leave INPUT and formats out.")
        return [text_job(text)]
    if not paths:
        raise UsageError("name an INPUT, - for stdin, or a `text`.")
    if len(paths) > 2:
        raise UsageError("name one INPUT and one OUTPUT: a folder for several files.")
    shown = bool(run.preview or run.dry_run)
    target = paths[1] if len(paths) > 1 else None
    resumed = target is not None and is_begun(Path(target))
    return plan_jobs(paths[0], target, files, force=run.force or shown or resumed)


def _sanitize(
    nlp: Language,
    jobs: list[Job],
    chosen: SanitizeConfig,
    interrupted: Callable[[], None],
    folder: Path | None,
) -> Tally:
    failures = 0

    def on_failure(job: Job, number: int, why: str) -> None:
        nonlocal failures
        failures += 1
        where = f"{job.name}, {UNITS.get(job.read_as, 'record')} {number}" if number else job.name
        why = why.removeprefix(f"{job.name}: ")  # begins so for one file alone
        if failures <= MOST_FAILURES:
            above_bar(f"dx sanitize: {where}: {with_options(why)}")

    _store_paths(nlp, sum(job.size for job in jobs))
    with bytes_bar(total=sum(job.size for job in jobs) or None) as bar:

        def on_progress(size: int) -> None:
            interrupted()
            bar.update(size)

        tally = sanitize(nlp, jobs, chosen, Reports(on_failure, on_progress), folder)
    if failures > MOST_FAILURES:
        more = failures - MOST_FAILURES
        above_bar(f"dx sanitize: {more:,} more failed; --receipt has all of them.")
    return tally


def _store_paths(nlp: Language, size: int) -> None:
    """Store the paths from common words before a long run, whose processes all need them."""
    store = getattr(the_sanitizer(nlp).mechanism, "store_paths", None)
    if size < LONG or store is None:
        return
    with warnings.catch_warnings(record=True) as caught, bar(desc="paths, once a machine") as some:
        warnings.simplefilter("always")
        store(some.update)
    for one in caught:
        above_bar(f"dx sanitize: {one.message}")


# -- keys and tables -------------------------------------------------------------------------------


def _check_keys(chosen: SanitizeConfig, output: Path | None) -> None:
    """Raise UsageError for a secret beside the output."""
    for secret in (chosen.key, chosen.run.table_key, chosen.run.table):
        if secret is not None:
            check_apart(secret, output)


def _check_table(chosen: SanitizeConfig) -> None:
    """Raise UsageError, before anything is read, if a table of surrogates cannot be kept."""
    run = chosen.run
    if (run.table is None) != (run.table_key is None):
        raise UsageError("`table` and `table_key` go together: `dx key FILE` makes a key.")
    if run.table is None or run.table_key is None:
        return
    if run.n_process != 1:
        raise UsageError("`table` needs a single process: leave `n_process` out.")
    with settings_that_fail():
        read_key(run.table_key)
        check_cipher()
    check_new(run.table, force=run.force)


@contextmanager
def _table_of_surrogates(nlp: Language, chosen: SanitizeConfig) -> Iterator[None]:
    """Collect the surrogates that are drawn in this block, and write their table after it."""
    run = chosen.run
    if run.table is None or run.table_key is None:
        yield
        return
    sanitizer, table = the_sanitizer(nlp), Table()
    surrogates = sanitizer.surrogates
    sanitizer.on_replacements = lambda doc, drawn: table.add_document(doc, drawn, surrogates)
    try:
        yield
    finally:
        sanitizer.on_replacements = None
    write_table(table, run.table, read_key(run.table_key), force=run.force)


# -- signals ---------------------------------------------------------------------------------------


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with a type of its own.

    Raised in code that was a string, as that of a dataclass, a KeyboardInterrupt itself ends Python
    by SIGINT although it is caught: the exit status would be lost.
    """


@contextmanager
def _interruptible() -> Iterator[Callable[[], None]]:
    """Let SIGTERM end the run as Ctrl-C does, so that it leaves nothing behind.

    Gives a function that interrupts again: Python drops what is raised in some callbacks.
    """
    came: list[int] = []

    def interrupt(number: int, frame: object) -> NoReturn:
        came.append(number)
        raise Interrupted

    def again() -> None:
        if came:
            raise Interrupted

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        both = (signal.SIGINT, signal.SIGTERM)
        heard = [number for number in both if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, interrupt) for number in heard}
    try:
        yield again
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
