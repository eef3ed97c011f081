"""What commands write to the terminal: mistakes as one line and an exit status, and progress."""

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

REMOVED = "What was not complete has been removed."


# -- mistakes --------------------------------------------------------------------------------------


@contextmanager
def mistakes_in_a_line(command: str) -> Iterator[None]:
    """Exit with status 2 for a mistake in the command, 1 for a failure, 130 for Ctrl-C.

    There is no traceback: the message of an exception that is not ours may quote a text.
    """
    usual = warnings.formatwarning

    def format_warning(
        message: Warning | str, category: type[Warning], *place: Any, **line: Any
    ) -> str:
        """Show our own warnings without the line of code that they come from."""
        if issubclass(category, DxWarning):
            return f"{command}: {message}\n"
        return usual(message, category, *place, **line)

    warnings.formatwarning = format_warning
    try:
        yield
    except typer.Exit:
        raise
    except DxError as error:
        stop(command, with_options(str(error)), 2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        stop(command, f"stopped. {REMOVED}", 130)
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader of stdout has gone: click ends without a word
            raise
        let_go_of_stdout()
        stop(command, f"{error.strerror or type(error).__name__}. {REMOVED}", 1)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        stop(command, f"failed with {type(error).__name__} in {place}. {REMOVED}", 1)
    finally:
        warnings.formatwarning = usual


def stop(command: str, message: str, status: int) -> NoReturn:
    """Print one line, whatever a library writes into its message, and exit."""
    typer.echo(f"{command}: {' '.join(message.split())}", err=True)
    raise typer.Exit(status) from None


def let_go_of_stdout() -> None:
    """Drop the buffer of stdout: Python would write it at the end, and exit with its own status."""
    with suppress(OSError):  # there is none
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def settings_that_fail() -> Iterator[None]:
    """Turn each DxError into a mistake in the command. Others may quote a text, and pass."""
    try:
        yield
    except DxError as error:
        raise UsageError(str(error)) from None


@contextmanager
def setting_up() -> Iterator[None]:
    """Quote what spaCy says of a config or a model: no text has been read yet."""
    with warnings.catch_warnings():
        # The receipt has them.
        warnings.simplefilter("ignore", DxWarning)
        try:
            yield
        except (ConfigValidationError, InterpolationError, ValueError, OSError) as error:
            raise UsageError(str(error).strip()) from None


def with_options(message: str) -> str:
    """Return a message for the command line: "`n_process` must" becomes "--n-process must"."""

    return re.sub(r"`(\w+)`", lambda match: f"--{match[1]}".replace("_", "-"), message)


# -- progress --------------------------------------------------------------------------------------

# On a terminal alone (disable=None), and gone when it is done.
bar: Any = partial(tqdm, leave=False, disable=None)
bytes_bar: Any = partial(bar, unit="B", unit_scale=True)


def progress(steps: Iterable[Any], label: str) -> Iterable[Any]:
    """Return the steps, with a bar once they take long."""
    with_bar: Iterable[Any] = bar(steps, desc=label, delay=0.5)
    return with_bar


def above_bar(line: str) -> None:
    """Write a line on stderr that no bar overwrites."""
    tqdm.write(line, file=sys.stderr)
