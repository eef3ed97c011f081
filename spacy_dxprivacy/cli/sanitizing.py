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
from typing import Any, NoReturn

import typer
from spacy.language import Language

from ..about import __version__
from ..batch.build import make_pipeline, the_sanitizer
from ..batch.fields import Fields
from ..batch.jobs import (
    Form,
    Job,
    check_kept,
    check_receipt,
    opened_first,
    plan_jobs,
    text_job,
)
from ..batch.readable import reading
from ..batch.run import FileOptions, check_first, sanitize
from ..batch.tally import Tally
from ..errors import UsageError
from ..files.atomic import write_bytes
from . import log, options, shards
from .asked import Asked, split
from .bars import above_bar, bytes_bar
from .dry_run import print_dry_run
from .kept import Kept, check_user_field
from .mistakes import REMOVED, mistakes_in_a_line, setting_up, with_options
from .preview import print_previews

__all__ = ["sanitize", "sanitize_cli"]

UNITS = {
    "txt": "document", "lines": "line", "jsonl": "line", "json": "record", "csv": "record",
    "tsv": "record", "xlsx": "record", "spacy": "document", "": "record",
}  # fmt: skip
MOST_FAILURES = 20  # that are printed one by one


def sanitize_cli(
    paths: shards.Paths = None,
    text: options.Text = None,
    lines: options.Lines = False,
    field: options.Fields = None,
    keep_fields: options.PassFields = None,
    drop_others: options.DropOthers = False,
    format: options.Format = None,
    output_format: options.OutputFormat = None,
    encoding: options.Encoding = None,
    delimiter: options.Delimiter = None,
    receipt_field: options.ReceiptField = None,
    config: options.Config = None,
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    level: options.Level = None,
    policy: options.Policy = None,
    prior: options.Prior = None,
    space: options.Space = None,
    entities: options.Entities = "",
    model: options.Model = None,
    unknown: options.Unknown = None,
    scope: options.Scope = None,
    numbers: options.Numbers = None,
    code: options.Code = None,
    surrogates: options.Surrogates = None,
    key: options.Key = None,
    user_field: options.UserField = None,
    editor: options.Editor = None,
    lm: options.LanguageModel = None,
    prompt: options.Prompt = None,
    preview: options.Preview = 0,
    dry_run: options.DryRun = False,
    table: options.Table = None,
    table_key: options.TableKey = None,
    n_process: options.NProcess = 1,
    batch_size: options.BatchSize = 128,
    receipt: options.ReceiptFile = None,
    sign: options.Sign = None,
    log_file: options.LogFile = None,
    quiet: options.Quiet = False,
    force: options.Force = False,
    engine: shards.EngineName = None,
    address: shards.Address = None,
    workers: shards.Workers = None,
    again: shards.Again = False,
    user_column: shards.UserColumn = None,
) -> None:
    """Replace the words of texts under metric differential privacy.

    Sanitised text goes to OUTPUT or stdout, and a receipt to stderr: which guarantee holds, and
    what stays visible. Records that fail are named by their number and left out; the exit status
    is then 1. The output appears under its name when it is complete. Several INPUTs, .parquet or
    an --engine make shards: dx sanitize corpus/*.parquet out/ --engine ray
    """
    cluster = shards.Cluster(engine, address, workers, again, user_column)
    chosen: dict[str, Any] = {
        "config": config,
        "model": model,
        "mechanism": mechanism,
        "epsilon": epsilon,
        "level": level,
        "policy": policy,
        "prior": prior,
        "space": space,
        "entities": split(entities),
        "unknown": unknown,
        "scope": scope,
        "numbers": numbers,
        "code": code,
        "surrogates": surrogates,
        "key": None if key is None else str(key),
        "editor": editor,
        "lm": lm,
        "prompt": prompt,
    }
    asked = Asked(field, keep_fields, drop_others, delimiter, receipt_field, user_field)
    kept = Kept(table, table_key, key, sign, force=force)
    logs = ExitStack()  # closed after the mistake is said
    with logs, _interruptible() as interrupted, mistakes_in_a_line("sanitize", REMOVED):
        logs.enter_context(log.logging_to(log_file))
        check_user_field(user_field, key, sharded=cluster.is_wanted(paths or []))
        how = FileOptions(asked.fields(), batch_size, n_process, force=force)
        form = Form.of(format, output_format, encoding)
        shown = Shown(preview, dry_run)
        more = More(lines, receipt, interrupted, text, form, shown)
        run = _run(paths or [], cluster, chosen, how, more, kept)
    if run is not None and run.close(quiet=quiet):
        raise typer.Exit(1)


@dataclass(frozen=True)
class Shown:
    """What is shown, and not done."""

    preview: int
    dry_run: bool

    @property
    def nothing_written(self) -> bool:
        return bool(self.preview) or self.dry_run


@dataclass(frozen=True)
class More(shards.More):
    """text: in place of an input. form: what is said of formats."""

    text: str | None
    form: Form
    shown: Shown


@dataclass(frozen=True)
class Done:
    """What a run over files did, to be told."""

    tally: Tally
    fields: Fields

    def close(self, *, quiet: bool) -> bool:
        """Prints the receipt. Whether a record failed."""
        _print_receipt(self.tally, quiet=quiet)
        clear = [told for told in self.tally.in_clear if told.startswith("the fields")]
        if self.fields.keep is None and clear:
            typer.secho(
                f"IN CLEAR: {clear[0]}. --keep-fields names those that may be, --drop-others "
                "leaves them out.", err=True, fg="yellow",
            )  # fmt: skip
        return bool(self.tally.failures)


def _run(
    paths: list[str],
    cluster: shards.Cluster,
    chosen: dict[str, Any],
    how: FileOptions,
    more: More,
    kept: Kept,
) -> Done | shards.Ended | None:
    """What was done; None where nothing was to be written."""
    log.write(f"dx sanitize {__version__}: begins")
    if not cluster.is_wanted(paths):
        return _sanitize_files(paths, chosen, how, more, kept)
    if more.text is not None or more.form != Form() or more.shown.dry_run:
        raise UsageError(
            "shards are files, and their names say what they are: leave `text`, `format`, "
            "`output_format`, `encoding` and `dry_run` out."
        )
    kept.check_shards(Path(paths[-1]), more.shown.preview)
    how = replace(how, sign=kept.secret)
    run = shards.sanitize_paths(paths, cluster, chosen, how, more)
    log.write("dx sanitize: ended; the manifest of the shards has the rest")
    return run


def _planned(paths: list[str], how: FileOptions, more: More) -> list[Job]:
    """Raises UsageError where there is no input, or a text beside one."""
    if more.text is not None:
        if paths or more.form != Form():
            raise UsageError("`text` stands for INPUT and is plain text: leave the other out.")
        return [text_job(more.text)]
    if not paths:
        raise UsageError("name an INPUT, - for stdin, or a `text`.")
    source, target = shards.one_or_two(paths)
    force = how.force or more.shown.nothing_written
    return plan_jobs(source, target, lines=more.lines, force=force, form=more.form)


def _sanitize_files(
    paths: list[str], chosen: dict[str, Any], how: FileOptions, more: More, kept: Kept
) -> Done | None:
    """What was done; None where the first documents were to be shown and nothing written."""
    jobs = _planned(paths, how, more)
    jobs, how = _looked_at(jobs, how)
    check_kept(jobs, how.fields)
    check_receipt(more.receipt, jobs, force=how.force)
    kept.check(jobs[0].target, how.n_process)
    kept.check_signed(more.receipt, jobs[0].target)
    start = time.perf_counter()
    with setting_up():
        nlp = make_pipeline(**chosen)
    warn_of_salad(nlp)
    if more.shown.dry_run:
        print_dry_run(nlp, jobs, how.fields, time.perf_counter() - start)
        return None
    if more.shown.preview:
        print_previews(nlp, jobs, how.fields, more.shown.preview)
        return None
    with kept.collecting(nlp) as told:
        how = replace(how, sign=kept.secret)
        tally = _sanitize(nlp, jobs, how, more.interrupted)
    tally.in_clear += told
    if more.receipt is not None:
        receipt = kept.signed(tally, shards.one_or_two(paths)[1])
        write_bytes(more.receipt, _as_json(receipt), force=how.force)
    for line in tally.lines():
        log.write(line)
    return Done(tally, how.fields)


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


def _looked_at(jobs: list[Job], how: FileOptions) -> tuple[list[Job], FileOptions]:
    """The jobs, with what the beginning of the only one says, before the space is loaded."""
    if len(jobs) > 1:
        return jobs, how
    job, fields = opened_first(jobs[0], how.fields)
    check_first(job, fields)
    return [job], replace(how, fields=fields)


def _sanitize(
    nlp: Language, jobs: list[Job], how: FileOptions, interrupted: Callable[[], None]
) -> Tally:
    failures = Failures()
    with bytes_bar(sum(job.size for job in jobs) or None) as bar:

        def on_progress(size: int) -> None:
            interrupted()
            bar.update(size)

        tally = sanitize(nlp, jobs, how, on_failure=failures, on_progress=on_progress)
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
            above_bar(f"dx sanitize: {more:,} more failed; --receipt or --log has all of them.")


def _print_receipt(tally: Tally, *, quiet: bool) -> None:
    if not quiet:
        # A blank line where both are on one screen.
        start = "\n\n" if sys.stdout.isatty() and sys.stderr.isatty() else ""
        typer.echo(start + "\n".join(tally.lines()), err=True)
    for alarm in tally.alarms():
        typer.secho(alarm, err=True, fg="red", bold=True)


def _as_json(receipt: dict[str, Any]) -> bytes:
    return (json.dumps(receipt, indent=2, ensure_ascii=False) + "\n").encode()
