"""What a user's mistake looks like: one line on stderr and an exit status, never a traceback."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator
from configparser import InterpolationError
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import typer
from thinc.api import ConfigValidationError

from ..config import SETTINGS
from ..errors import DxError, DxWarning, UsageError
from . import log

# Settings of sections that have an option.
HAVE_OPTIONS = {
    "field", "keep_fields", "format", "person_field", "n_process", "receipt", "quiet", "force",
}  # fmt: skip
REMOVED = "What was not complete has been removed."
# Where an option is called otherwise than the argument that it becomes, and settings without one.
OPTIONS = {
    "keep": "--keep-fields",
    "set": "--set",
    **{
        path.rpartition(".")[2]: path
        for path in SETTINGS
        if path.startswith(("run.", "cluster.", "files."))
        and path.rpartition(".")[2] not in HAVE_OPTIONS
    },
    **{name: name for name in ("policy", "prior", "unknown", "scope", "numbers")},
}


@contextmanager
def mistakes_in_a_line(command: str, after: str = "") -> Iterator[None]:
    """Exit status 2 for a mistake in the command, 1 for what went wrong while it ran, 130 for
    Ctrl-C. No traceback: the message of an exception that is not ours may quote a text.

    command: its name, which begins the line. after: what to say of what was not finished.
    """
    after = f" {after}" if after else ""
    try:
        with _warnings_in_a_line(command):
            yield
    except DxError as error:
        _stop(command, with_options(str(error)), 2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        _stop(command, f"stopped.{after}", 130)
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader of stdout has gone: click ends without a word
            raise
        let_go_of_stdout()
        _stop(command, f"{error.strerror or type(error).__name__}.{after}", 1)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        _stop(command, f"failed with {type(error).__name__} in {where}.{after}", 1)


def let_go_of_stdout() -> None:
    """What is left in its buffer has nowhere to go: at the end Python would try again, and exit
    with a status of its own."""
    with suppress(OSError):  # there is none
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _warnings_in_a_line(command: str) -> Iterator[None]:
    """Our own warnings without the line of code that they come from."""
    usual = warnings.formatwarning

    def in_a_line(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> str:
        if issubclass(category, DxWarning):
            return f"dx {command}: {message}\n"
        return usual(message, category, *where, **more)

    warnings.formatwarning = in_a_line
    try:
        yield
    finally:
        warnings.formatwarning = usual


@contextmanager
def settings_that_fail() -> Iterator[None]:
    """What the package refuses is a mistake in the command. A text may have been read: what else
    goes wrong is not quoted."""
    try:
        yield
    except DxError as error:
        raise UsageError(str(error)) from None


def with_options(message: str) -> str:
    """A message for the command line: "`n_process` must be" becomes "--n-process must be"."""

    def option(found: re.Match[str]) -> str:
        return OPTIONS.get(found[1], "--" + found[1].replace("_", "-"))

    return re.sub(r"`(\w+)`", option, message)


@contextmanager
def setting_up() -> Iterator[None]:
    """No text has been read yet: what spaCy says of a config or a model can be shown."""
    with warnings.catch_warnings():
        # The receipt says it, and louder.
        warnings.simplefilter("ignore", DxWarning)
        try:
            yield
        except (ConfigValidationError, InterpolationError, ValueError, OSError) as error:
            raise UsageError(str(error).strip()) from None


def _stop(command: str, message: str, status: int) -> NoReturn:
    # One line, whatever a library puts into its message.
    line = f"dx {command}: {' '.join(message.split())}"
    typer.echo(line, err=True)
    log.write(line)
    raise typer.Exit(status) from None
