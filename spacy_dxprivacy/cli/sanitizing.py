"""`python -m spacy dx sanitize`: files of text in, files of sanitised text out."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from spacy.language import Language

from ..about import __version__
from ..batch.build import make_pipeline, the_sanitizer
from ..batch.jobs import Job, check_fields, check_receipt, opened_first, plan_jobs, text_job
from ..batch.run import check_first, sanitize
from ..batch.tally import Tally
from ..batch.trial import reading
from ..config import FileConfig, SanitizeConfig
from ..errors import UsageError
from ..files.atomic import write_bytes
from . import log, options, shards
from .bars import above_bar, bytes_bar
from .dry_run import print_dry_run
from .kept import Kept
from .mistakes import REMOVED, mistakes_in_a_line, setting_up, with_options
from .preview import print_previews

__all__ = ["sanitize", "sanitize_cli"]

Text = Annotated[str | None, typer.Option(
    "--text", show_default=False, help="Sanitise this text; - is INPUT for what nobody may see",
)]  # fmt: skip
UNITS = {
    "txt": "document", "lines": "line", "jsonl": "line", "json": "record", "csv": "record",
    "tsv": "record", "xlsx": "record", "spacy": "document", "": "record",
}  # fmt: skip
MOST_FAILURES = 20  # that are printed one by one


@options.with_settings(
    "sanitize", "files.field", "files.keep_fields", "files.format", *options.PIPELINE,
    "files.person_field", "run.n_process", "run.receipt", "run.quiet", "run.force",
)  # fmt: skip
def sanitize_cli(chosen: SanitizeConfig, paths: shards.Paths = None, text: Text = None) -> None:
    """Replace the words of texts under metric differential privacy.

    Sanitised text goes to OUTPUT or stdout, and a receipt to stderr: which guarantee holds, and
    what stays visible. Records that fail are named by their number and left out; the exit status
    is then 1. The output appears under its name when it is complete. Several INPUTs, .parquet or
    `--set cluster.engine=ray` make shards: dx sanitize corpus/*.parquet out/
    """
    logs = ExitStack()  # closed after the mistake is printed
    with logs, _interruptible() as interrupted, mistakes_in_a_line("sanitize", REMOVED):
        logs.enter_context(log.logging_to(chosen.run.log))
        log.write(f"dx sanitize {__version__}: begins")
        run: Done | shards.Ended | None
        if shards.is_wanted(paths or [], chosen.cluster):
            run = _sanitize_shards(paths or [], chosen, text, interrupted)
        else:
            run = _sanitize_files(paths or [], chosen, text, interrupted)
    if run is not None and run.close(quiet=chosen.run.quiet):
        raise typer.Exit(1)


@dataclass(frozen=True)
class Done:
    """What a run over files did, to be printed."""

    tally: Tally
    files: FileConfig

    def close(self, *, quiet: bool) -> bool:
        """Print the receipt. Return whether a record failed."""
        _print_receipt(self.tally, quiet=quiet)
        clear = [line for line in self.tally.in_clear if line.startswith("the fields")]
        if self.files.keep_fields is None and clear:
            typer.secho(
                f"IN CLEAR: {clear[0]}. --keep-fields names those that may be, --keep-fields none "
                "leaves them out.", err=True, fg="yellow",
            )  # fmt: skip
        return bool(self.tally.failures)


def _sanitize_shards(
    paths: list[str], chosen: SanitizeConfig, text: str | None, interrupted: Callable[[], None]
) -> shards.Ended:
    files = chosen.files
    formats = (files.format not in ("", "lines"), files.output_format, files.encoding)
    if text is not None or any(formats) or chosen.run.dry_run:
        raise UsageError(
            "shards are files, and their names say what they are: leave `text`, `format`, "
            "`output_format`, `encoding` and `dry_run` out."
        )
    if chosen.files.person_field is not None:
        raise UsageError("`person_field` is for files, and not for shards.")
    kept = Kept(chosen)
    kept.check_shards(Path(paths[-1]))
    run = shards.sanitize_paths(paths, chosen, kept.secret, interrupted)
    log.write("dx sanitize: ended; the manifest of the shards has the rest")
    return run


def _planned(paths: list[str], chosen: SanitizeConfig, text: str | None) -> list[Job]:
    """Raises UsageError where there is no input, or a text beside one."""
    files = chosen.files
    if text is not None:
        if paths or files.format or files.output_format or files.encoding:
            raise UsageError("`text` stands for INPUT and is plain text: leave the other out.")
        return [text_job(text)]
    if not paths:
        raise UsageError("name an INPUT, - for stdin, or a `text`.")
    source, target = shards.one_or_two(paths)
    written = not (chosen.run.preview or chosen.run.dry_run)
    return plan_jobs(source, target, files, force=chosen.run.force or not written)


def _sanitize_files(
    paths: list[str], chosen: SanitizeConfig, text: str | None, interrupted: Callable[[], None]
) -> Done | None:
    """What was done; None where the first documents were to be shown and nothing written."""
    receipt = chosen.run.receipt
    check_fields(chosen.files)
    jobs, files = _looked_at(_planned(paths, chosen, text), chosen.files)
    chosen = replace(chosen, files=files)
    check_fields(files, jobs)
    check_receipt(receipt, jobs, force=chosen.run.force)
    kept = Kept(chosen)
    kept.check(jobs[0].target)
    kept.check_signed(jobs[0].target)
    start = time.perf_counter()
    with setting_up():
        nlp = make_pipeline(chosen)
    warn_of_salad(nlp)
    if chosen.run.dry_run:
        print_dry_run(nlp, jobs, files, time.perf_counter() - start)
        return None
    if chosen.run.preview:
        print_previews(nlp, jobs, files, chosen.run.preview)
        return None
    with kept.collecting(nlp) as visible:
        tally = _sanitize(nlp, jobs, chosen, interrupted)
    tally.in_clear += visible
    if receipt is not None:
        told = kept.signed(tally, paths[1] if len(paths) > 1 else None)
        write_bytes(receipt, _as_json(told), force=chosen.run.force)
    for line in tally.lines():
        log.write(line)
    return Done(tally, files)


def warn_of_salad(nlp: Language) -> None:
    """Says where the space, as the mechanism uses it, writes what can hardly be read."""
    found = reading(the_sanitizer(nlp))
    if found is not None and found.is_hard:
        line = (
            f"HARD TO READ: from this space, words come out {found.nats:.1f} nats rarer than they "
            f"went in, and {found.rare:.0%} of them are not in the built-in space. `dx space "
            "VECTORS OUT --join` joins your words to that one; or raise epsilon."
        )
        above_bar(line)
        log.write(line)


def _looked_at(jobs: list[Job], files: FileConfig) -> tuple[list[Job], FileConfig]:
    """The jobs, with what the beginning of the only one says, before the space is loaded."""
    if len(jobs) > 1:
        return jobs, files
    job, files = opened_first(jobs[0], files)
    check_first(job, files)
    return [job], files


def _sanitize(
    nlp: Language, jobs: list[Job], chosen: SanitizeConfig, interrupted: Callable[[], None]
) -> Tally:
    failures = Failures()
    with bytes_bar(sum(job.size for job in jobs) or None) as bar:

        def on_progress(size: int) -> None:
            interrupted()
            bar.update(size)

        tally = sanitize(nlp, jobs, chosen, on_failure=failures, on_progress=on_progress)
    failures.close()
    return tally


class Interrupted(KeyboardInterrupt):
    """Where a KeyboardInterrupt itself goes through code that was a string, as of a dataclass that
    is being made, Python ends by SIGINT, although it is caught: the exit status would be lost."""


@contextmanager
def _interruptible() -> Iterator[Callable[[], None]]:
    """A polite `kill` ends the run as Ctrl-C does, so that it leaves nothing behind.

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


class Failures:
    """Prints the first ones, and how many more there were; the log has them all."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, job: Job, number: int, why: str) -> None:
        """A record that failed, or a whole file (0)."""
        where = f"{job.name}, {UNITS[job.read_as]} {number}" if number else job.name
        why = why.removeprefix(f"{job.name}: ")  # as it is said where there is one file alone
        line = f"dx sanitize: {where}: {with_options(why)}"
        self.count += 1
        log.write(line)
        if self.count <= MOST_FAILURES:
            above_bar(line)

    def close(self) -> None:
        """Says how many were not printed."""
        if self.count > MOST_FAILURES:
            more = self.count - MOST_FAILURES
            above_bar(f"dx sanitize: {more:,} more failed; --receipt has all of them.")


def _print_receipt(tally: Tally, *, quiet: bool) -> None:
    if not quiet:
        # A blank line where both are on one screen.
        start = "\n\n" if sys.stdout.isatty() and sys.stderr.isatty() else ""
        typer.echo(start + "\n".join(tally.lines()), err=True)
    for alarm in tally.alarms():
        typer.secho(alarm, err=True, fg="red", bold=True)


def _as_json(receipt: dict[str, Any]) -> bytes:
    return (json.dumps(receipt, indent=2, ensure_ascii=False) + "\n").encode()
