"""Terminal output of commands: errors as one line and an exit status, and progress bars."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator
from configparser import InterpolationError
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import typer
from thinc.api import ConfigValidationError
from tqdm import tqdm

from ..errors import DxError, DxWarning, UsageError

REMOVED = "Incomplete outputs were removed."


# -- errors ----------------------------------------------------------------------------------------


@contextmanager
def errors_as_one_line(command: str) -> Iterator[None]:
    """Exit with status 2 for a usage error, 1 for other errors, 130 for Ctrl-C.

    No traceback is printed: messages of exceptions of other packages may quote a text.
    """
    usual = warnings.formatwarning

    def format_warning(
        message: Warning | str, category: type[Warning], *place: Any, **line: Any
    ) -> str:
        """Show DxWarnings without their line of code."""
        if issubclass(category, DxWarning):
            return f"{command}: {message}\n"
        return usual(message, category, *place, **line)

    warnings.formatwarning = format_warning
    try:
        yield
    except typer.Exit:
        raise
    except DxError as error:
        stop(command, name_options(str(error)), 2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        stop(command, f"stopped. {REMOVED}", 130)
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader of stdout has closed it: click exits silently
            raise
        discard_stdout()
        stop(command, f"{error.strerror or type(error).__name__}. {REMOVED}", 1)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        stop(command, f"failed with {type(error).__name__} in {place}. {REMOVED}", 1)
    finally:
        warnings.formatwarning = usual


def stop(command: str, message: str, status: int) -> NoReturn:
    """Print a message as one line on stderr, and exit."""
    typer.echo(f"{command}: {' '.join(message.split())}", err=True)
    raise typer.Exit(status) from None


def discard_stdout() -> None:
    """Discard the buffer of stdout: if Python flushed it at exit, the status would be lost."""
    with suppress(OSError):  # stdout has no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn DxErrors into UsageErrors. Other errors may quote a text, and pass through."""
    try:
        yield
    except DxError as error:
        raise UsageError(str(error)) from None


@contextmanager
def setup_errors() -> Iterator[None]:
    """Show errors of spaCy about a config or a model: before a run, they cannot quote a text."""
    with warnings.catch_warnings():
        # Their content is also in the receipt.
        warnings.simplefilter("ignore", DxWarning)
        try:
            yield
        except (ConfigValidationError, InterpolationError, ValueError, OSError) as error:
            raise UsageError(str(error).strip()) from None


def name_options(message: str) -> str:
    """Replace argument names in a message: "`n_process` must" becomes "--n-process must"."""

    return re.sub(r"`(\w+)`", lambda match: f"--{match[1]}".replace("_", "-"), message)


# -- progress --------------------------------------------------------------------------------------

# Shown only on a terminal (disable=None), and removed at the end.
bar: Any = partial(tqdm, leave=False, disable=None)
bytes_bar: Any = partial(bar, unit="B", unit_scale=True)


def progress(steps: Iterable[Any], label: str) -> Iterable[Any]:
    """Return the steps, with a progress bar after half a second."""
    with_bar: Iterable[Any] = bar(steps, desc=label, delay=0.5)
    return with_bar


def above_bar(line: str) -> None:
    """Write a line on stderr above the progress bars."""
    tqdm.write(line, file=sys.stderr)
