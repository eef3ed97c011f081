"""`python -m spacy dx sanitize`: files of text in, files of sanitised text out."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from spacy.language import Language

from ..batch.build import make_pipeline
from ..batch.jobs import Job, check_kept, check_receipt, plan_jobs
from ..batch.records import Fields
from ..batch.run import FileOptions, sanitize
from ..batch.tally import Tally
from ..files.atomic import write_bytes
from . import options, shards
from .bars import above_bar, bytes_bar
from .kept import Kept, check_user_field
from .mistakes import REMOVED, mistakes_in_a_line, setting_up, with_options
from .preview import print_previews

__all__ = ["sanitize", "sanitize_cli"]

UNITS = {"txt": "document", "lines": "line", "jsonl": "line", "csv": "record", "spacy": "document"}


def sanitize_cli(
    paths: shards.Paths,
    lines: options.Lines = False,
    field: options.Field = "text",
    keep_fields: options.KeepFields = "",
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
    preview: options.Preview = 0,
    table: options.Table = None,
    table_key: options.TableKey = None,
    n_process: options.NProcess = 1,
    batch_size: options.BatchSize = 128,
    receipt: options.ReceiptFile = None,
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
        "entities": _split(entities),
        "unknown": unknown,
        "scope": scope,
        "numbers": numbers,
        "code": code,
        "surrogates": surrogates,
        "key": None if key is None else str(key),
    }
    kept = Kept(table, table_key, key, force=force)
    with _interruptible() as interrupted, mistakes_in_a_line("sanitize", REMOVED):
        check_user_field(user_field, key, sharded=cluster.is_wanted(paths))
        fields = Fields(field, _split(keep_fields), user_field)
        how = FileOptions(fields, batch_size=batch_size, n_process=n_process, force=force)
        more = shards.More(lines, receipt, interrupted)
        if cluster.is_wanted(paths):
            kept.check_shards(Path(paths[-1]), preview)
            run = shards.sanitize_paths(paths, cluster, chosen, how, more)
        else:
            tally = _sanitize_files(paths, chosen, how, more, kept, preview)
    if cluster.is_wanted(paths):
        return run.close(quiet=quiet)
    if tally is None:
        return
    _print_receipt(tally, quiet=quiet)
    if tally.failures:
        raise typer.Exit(1)


def _sanitize_files(
    paths: list[str],
    chosen: dict[str, Any],
    how: FileOptions,
    more: shards.More,
    kept: Kept,
    preview: int,
) -> Tally | None:
    """What was done; None where the first documents were to be shown and nothing written."""
    source, target = shards.one_or_two(paths)
    jobs = plan_jobs(source, target, lines=more.lines, force=how.force or bool(preview))
    check_kept(jobs, how.fields)
    check_receipt(more.receipt, jobs, force=how.force)
    kept.check(None if target is None else Path(target), how.n_process)
    with setting_up():
        nlp = make_pipeline(**chosen)
    if preview:
        print_previews(nlp, jobs, how.fields, preview)
        return None
    with kept.collecting(nlp) as told:
        tally = _sanitize(nlp, jobs, how, more.interrupted)
    tally.in_clear += told
    if more.receipt is not None:
        write_bytes(more.receipt, _as_json(tally), force=how.force)
    return tally


def _sanitize(
    nlp: Language, jobs: list[Job], how: FileOptions, interrupted: Callable[[], None]
) -> Tally:
    with bytes_bar(sum(job.size for job in jobs) or None) as bar:

        def on_progress(size: int) -> None:
            interrupted()
            bar.update(size)

        return sanitize(nlp, jobs, how, on_failure=_print_failure, on_progress=on_progress)


def _split(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


@contextmanager
def _interruptible() -> Iterator[Callable[[], None]]:
    """A polite `kill` ends the run as Ctrl-C does, so that it leaves nothing behind.

    Gives a function that interrupts again: Python drops what is raised in some callbacks.
    """
    came: list[int] = []

    def interrupt(number: int, frame: object) -> NoReturn:
        came.append(number)
        raise KeyboardInterrupt

    def again() -> None:
        if came:
            raise KeyboardInterrupt

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


def _print_failure(job: Job, number: int, why: str) -> None:
    where = f"{job.name}, {UNITS[job.read_as]} {number}" if number else job.name
    above_bar(f"dx sanitize: {where}: {with_options(why)}")


def _print_receipt(tally: Tally, *, quiet: bool) -> None:
    if not quiet:
        # A blank line where both are on one screen.
        start = "\n\n" if sys.stdout.isatty() and sys.stderr.isatty() else ""
        typer.echo(start + "\n".join(tally.lines()), err=True)
    for alarm in tally.alarms():
        typer.secho(alarm, err=True, fg="red", bold=True)


def _as_json(tally: Tally) -> bytes:
    return (json.dumps(tally.to_dict(), indent=2, ensure_ascii=False) + "\n").encode()
