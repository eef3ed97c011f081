"""`python -m spacy dx sanitize`: files of text in, files of sanitised text out."""

from __future__ import annotations

import errno
import json
import multiprocessing
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from configparser import InterpolationError
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Any, NoReturn

import click
import typer
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import ConfigValidationError
from tqdm import tqdm

from ..errors import DxError, DxWarning
from ..rebuild import get_receipt
from .output import Output, write_bytes
from .pipeline import make_pipeline, the_sanitizer
from .plan import Job, UsageError, check_new, plan
from .records import Fields, read
from .stream import outcomes
from .tally import Tally
from .writers import WRITERS

OnFailure = Callable[[Job, int, str], None]
OnProgress = Callable[[int], Any]

UNITS = {"txt": "document", "lines": "line", "jsonl": "line", "csv": "record", "spacy": "document"}
INPUT_HELP = "A .txt, .jsonl, .csv or .spacy file, a folder of such files, or - for text on stdin"
OUTPUT_HELP = (
    "A file (its ending says the format), or a folder if INPUT is one; stdout if left out. Files in "
    "a folder keep their names: look whether these identify anybody"
)


def sanitize_cli(
    # fmt: off
    source: Annotated[str, typer.Argument(metavar="INPUT", help=INPUT_HELP, show_default=False)],
    target: Annotated[str | None, typer.Argument(metavar="[OUTPUT]", help=OUTPUT_HELP, show_default=False)] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Every line of a .txt file is a document")] = False,
    field: Annotated[str, typer.Option("--field", help="The field of .jsonl and .csv to sanitise")] = "text",
    keep_fields: Annotated[str, typer.Option("--keep-fields", help="Other fields to write, as they are, in clear: a,b. All others are dropped")] = "",
    config: Annotated[Path | None, typer.Option("--config", "-c", help="A complete pipeline, as for `spacy assemble`")] = None,
    mechanism: Annotated[str | None, typer.Option("--mechanism", "-m", help="laplace, exponential, ...", show_default=False)] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="How much a word may tell: less is more private", show_default=False)] = None,
    space: Annotated[str | None, typer.Option("--space", help="Where replacements come from: 'builtin', a file of word vectors, or a saved space")] = None,
    entities: Annotated[str, typer.Option("--entities", help="Replace the words of these entities alone: PERSON,DATE")] = "",
    model: Annotated[str | None, typer.Option("--model", help="A pipeline, for its vectors and its entity recogniser")] = None,
    unknown: Annotated[str | None, typer.Option("--unknown", help="For words that the space does not hold: redact, random-word, random-digits or raise", show_default="redact")] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="A draw for every occurrence (token), or for every distinct word of a document (type)", show_default="token")] = None,
    n_process: Annotated[int, typer.Option("--n-process", "-n", help="Processes; -1 for one a core")] = 1,
    batch_size: Annotated[int, typer.Option("--batch-size", "-b", min=1, help="Documents in a batch")] = 128,
    receipt: Annotated[Path | None, typer.Option("--receipt", help="Write the receipt to this .json file")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no receipt")] = False,
    force: Annotated[bool, typer.Option("--force", "-F", help="Overwrite files that exist")] = False,
    # fmt: on
) -> None:
    """Replace the words of texts under metric differential privacy.

    Sanitised text goes to OUTPUT or stdout, and a receipt to stderr: which guarantee holds, and
    what stays visible. Records that fail are named by their number and left out; the exit status
    is then 1. The output appears under its name when it is complete.
    """
    with _interruptible(), _mistakes_in_a_line():
        fields = Fields(field, _split(keep_fields))
        options = Options(fields, batch_size=batch_size, n_process=n_process, force=force)
        jobs = plan(source, target, lines=lines, force=force)
        _check_kept(jobs, fields)
        _check_receipt(receipt, jobs, force=force)
        with warnings.catch_warnings():
            # The receipt says it, and louder.
            warnings.simplefilter("ignore", DxWarning)
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
            tally = sanitize(
                nlp, jobs, options, on_failure=_print_failure, on_progress=bar.update
            )
        if receipt is not None:
            write_bytes(receipt, _as_json(tally), force=force)
    _print_receipt(tally, quiet=quiet)
    if tally.failures:
        raise typer.Exit(1)


@dataclass(frozen=True)
class Options:
    """How files are read and written. n_process: -1 for one a core. force: overwrite files."""

    fields: Fields = Fields()
    batch_size: int = 128
    n_process: int = 1
    force: bool = False

    def __post_init__(self) -> None:
        if self.n_process < 1 and self.n_process != -1:
            raise UsageError(f"--n-process must be 1 or more, or -1, got {self.n_process}.")

    @property
    def processes(self) -> int:
        return multiprocessing.cpu_count() if self.n_process == -1 else self.n_process


def sanitize(
    nlp: Language,
    jobs: list[Job],
    options: Options = Options(),
    *,
    on_failure: OnFailure | None = None,
    on_progress: OnProgress | None = None,
) -> Tally:
    """Sanitise files, and give the sum of the receipts.

    nlp: a pipeline with a sanitizer, see make_pipeline. jobs: see plan. on_failure: called with a
    job, the number of a record (0 for the whole file) and the reason. on_progress: called with
    numbers of bytes, as they are done.

    Raises UsageError where the pipeline does not sanitise, where it is seeded and should run in
    several processes, or where the only file cannot be read; OSError where an output cannot be
    written, and then it is not there.
    """
    tally = Tally(the_sanitizer(nlp).terms, in_clear=_more_in_clear(jobs, options.fields))
    if options.processes > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer runs in one process alone: leave --n-process out.")
    start = time.perf_counter()
    for job in jobs:
        failures = _Failures(job, on_failure)
        tally.failed.append(failures.numbers)
        try:
            _run(nlp, job, options, tally, failures, on_progress)
        except UsageError as error:
            if len(jobs) == 1:
                raise
            failures.add(0, str(error))
    tally.seconds = time.perf_counter() - start
    return tally


class _Failures:
    def __init__(self, job: Job, tell: OnFailure | None) -> None:
        self.job = job
        self.tell = tell
        self.numbers: list[int] = []

    def add(self, number: int, why: str) -> None:
        self.numbers.append(number)
        if self.tell is not None:
            self.tell(self.job, number, why)


def _run(
    nlp: Language,
    job: Job,
    options: Options,
    tally: Tally,
    failures: _Failures,
    on_progress: OnProgress | None,
) -> None:
    before = tally.documents
    with ExitStack() as stack:
        # spaCy and others quote tokens in some of their warnings.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        handle = stack.enter_context(_opened(job.source))
        output = stack.enter_context(Output(job.target, force=options.force))
        writer = WRITERS[job.write_as](output.handle, options.fields)
        records = read(handle, job.read_as, options.fields)
        pairs = outcomes(
            nlp, records, batch_size=options.batch_size, n_process=options.processes
        )
        for record, outcome in stack.enter_context(closing(pairs)):
            if isinstance(outcome, Doc):
                writer.write(record, outcome)
                tally.add(get_receipt(outcome))
            else:
                failures.add(record.number, outcome)
            if on_progress is not None:
                on_progress(record.size)
        if failures.numbers and tally.documents == before:
            output.discard()
        else:
            writer.finish()


def _opened(source: Path | None) -> AbstractContextManager[IO[bytes]]:
    if source is None:
        return nullcontext(click.get_binary_stream("stdin"))
    try:
        return source.open("rb")
    except OSError as error:
        raise UsageError(f"{source}: {error.strerror}.") from None


def _more_in_clear(jobs: list[Job], fields: Fields) -> list[str]:
    """What is visible besides what the sanitizer lets through."""
    more = [f"the fields {', '.join(fields.keep)}"] if fields.keep else []
    return [*more, "the names of the files"] if len(jobs) > 1 else more


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


# -- what a person sees ------------------------------------------------------------------------------


@contextmanager
def _mistakes_in_a_line() -> Iterator[None]:
    """Exit status 2 for a mistake in the command, 1 for a file that cannot be written, 130 for
    Ctrl-C; a line for each, and no traceback."""
    try:
        yield
    except (ConfigValidationError, InterpolationError, DxError, ValueError, ImportError) as error:
        _stop(str(error).strip(), 2)
    except KeyboardInterrupt:
        _stop("stopped; what was not complete has been removed.", 130)
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        _stop(f"{error.strerror or error}. What was not complete has been removed.", 1)


def _stop(message: str, status: int) -> NoReturn:
    typer.echo(f"dx sanitize: {message}", err=True)
    raise typer.Exit(status) from None


@contextmanager
def _interruptible() -> Iterator[None]:
    """A polite `kill` ends the run as Ctrl-C does, so that it leaves nothing behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _bar(jobs: list[Job]) -> Any:
    """On a terminal alone (disable=None). It counts bytes, and shows no names."""
    total = sum(job.size for job in jobs) or None
    return tqdm(
        total=total, unit="B", unit_scale=True, leave=False, disable=None, file=sys.stderr
    )


def _print_failure(job: Job, number: int, why: str) -> None:
    where = f"{job.name}, {UNITS[job.read_as]} {number}" if number else job.name
    tqdm.write(f"dx sanitize: {where}: {why}", file=sys.stderr)


def _print_receipt(tally: Tally, *, quiet: bool) -> None:
    if not quiet:
        typer.echo("\n".join(tally.lines()), err=True)
    for alarm in tally.alarms():
        typer.secho(alarm, err=True, fg="red", bold=True)


def _as_json(tally: Tally) -> bytes:
    return (json.dumps(tally.to_dict(), indent=2, ensure_ascii=False) + "\n").encode()
