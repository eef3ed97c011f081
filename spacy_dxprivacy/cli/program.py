"""`dx` as a program: the commands, and one line for a mistake that typer finds."""

from __future__ import annotations

import errno
import sys

import typer

from . import dx_cli
from .terminal import let_go_of_stdout


def main() -> None:
    """Run `dx` and exit with its status."""
    sys.exit(run())


def run() -> int:
    """Run what the arguments name, and return the exit status."""
    try:
        status = dx_cli(prog_name="dx", standalone_mode=False)
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        let_go_of_stdout()  # its reader has seen enough
        return 1
    except (KeyboardInterrupt, Exception) as error:
        # click's, by their names: some versions of typer bring click along.
        if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
            typer.echo("dx: stopped.", err=True)
            return 130
        return _explained(error)
    return status if isinstance(status, int) else 0


def _explained(error: Exception) -> int:
    """Print what click says of options and arguments, in the voice of the commands. Raise what is
    not of click."""
    say = getattr(error, "format_message", None)
    if say is None:
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(say(), err=True)
        return 2
    context = getattr(error, "ctx", None)
    path = "dx" if context is None else context.command_path
    message = " ".join(say().split())
    typer.echo(f"{path}: {message[:1].lower()}{message[1:]} `{path} --help` lists all.", err=True)
    return int(getattr(error, "exit_code", 2))
