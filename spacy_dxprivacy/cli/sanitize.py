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
from tqdm import tqdm

from ..batch.build import make_pipeline
from ..batch.jobs import Job, plan_jobs
from ..batch.records import Fields
from ..batch.run import Options, sanitize
from ..batch.tally import Tally
from ..errors import UsageError
from ..files.atomic import check_new, write_bytes
from . import options, shards
from .mistakes import REMOVED, mistakes_in_a_line, setting_up

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
    space: options.Space = None,
    entities: options.Entities = "",
    model: options.Model = None,
    unknown: options.Unknown = None,
    scope: options.Scope = None,
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
    if cluster.is_wanted(paths):
        chosen = shards.Chosen(
            config, model, mechanism, epsilon, space, _split(entities), unknown, scope
        )
        with _interruptible() as interrupted, mistakes_in_a_line("sanitize", REMOVED):
            fields = Fields(field, _split(keep_fields))
            how = Options(fields, batch_size=batch_size, n_process=n_process, force=force)
            more = shards.More(lines, receipt, interrupted)
            run = shards.sanitize_paths(paths, cluster, chosen, how, more)
        return run.close(quiet=quiet)
    with _interruptible() as interrupted, mistakes_in_a_line("sanitize", REMOVED):
        fields = Fields(field, _split(keep_fields))
        source, target = shards.one_or_two(paths)
        how = Options(fields, batch_size=batch_size, n_process=n_process, force=force)
        jobs = plan_jobs(source, target, lines=lines, force=force)
        _check_kept(jobs, fields)
        _check_receipt(receipt, jobs, force=force)
        with setting_up():
            nlp = make_pipeline(
                config=config,
                model=model,
                mechanism=mechanism,
                epsilon=epsilon,
                space=space,
                entities=_split(entities),
                unknown=unknown,
                scope=scope,
            )
        with _bar(jobs) as bar:

            def on_progress(size: int) -> None:
                interrupted()
                bar.update(size)

            tally = sanitize(nlp, jobs, how, on_failure=_print_failure, on_progress=on_progress)
        if receipt is not None:
            write_bytes(receipt, _as_json(tally), force=force)
    _print_receipt(tally, quiet=quiet)
    if tally.failures:
        raise typer.Exit(1)


def _split(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _check_kept(jobs: list[Job], fields: Fields) -> None:
    with_fields = ("jsonl", "csv")
    if fields.keep and not any({job.read_as, job.write_as} <= {*with_fields} for job in jobs):
        raise UsageError("--keep-fields needs .jsonl or .csv, as input and as output.")


def _check_receipt(path: Path | None, jobs: list[Job], *, force: bool) -> None:
    if path is None:
        return
    check_new(path, force=force)
    taken = [p.resolve() for job in jobs for p in (job.source, job.target) if p is not None]
    if path.resolve() in taken:
        raise UsageError(f"{path}: the receipt cannot go where the input or the output is.")


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


def _bar(jobs: list[Job]) -> Any:
    """On a terminal alone (disable=None). It counts bytes, and shows no names."""
    total = sum(job.size for job in jobs) or None
    return tqdm(total=total, unit="B", unit_scale=True, leave=False, disable=None, file=sys.stderr)


def _print_failure(job: Job, number: int, why: str) -> None:
    where = f"{job.name}, {UNITS[job.read_as]} {number}" if number else job.name
    tqdm.write(f"dx sanitize: {where}: {why}", file=sys.stderr)


def _print_receipt(tally: Tally, *, quiet: bool) -> None:
    if not quiet:
        # A blank line where both are on one screen.
        start = "\n\n" if sys.stdout.isatty() and sys.stderr.isatty() else ""
        typer.echo(start + "\n".join(tally.lines()), err=True)
    for alarm in tally.alarms():
        typer.secho(alarm, err=True, fg="red", bold=True)


def _as_json(tally: Tally) -> bytes:
    return (json.dumps(tally.to_dict(), indent=2, ensure_ascii=False) + "\n").encode()
