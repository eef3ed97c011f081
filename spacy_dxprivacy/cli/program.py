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
        return status if isinstance(status, int) else 0
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        let_go_of_stdout()  # its reader has seen enough
        return 1
    except (KeyboardInterrupt, Exception) as error:
        # click's, by their names: some versions of typer bring click along.
        kind, format_message = type(error).__name__, getattr(error, "format_message", None)
        if isinstance(error, KeyboardInterrupt) or kind == "Abort":
            typer.echo("dx: stopped.", err=True)
            return 130
        if format_message is None:
            raise
        if kind == "NoArgsIsHelpError":
            typer.echo(format_message(), err=True)
            return 2
        context = getattr(error, "ctx", None)
        path = "dx" if context is None else context.command_path
        message = " ".join(format_message().split())
        message = f"{message[:1].lower()}{message[1:]}"
        typer.echo(f"{path}: {message} `{path} --help` lists all.", err=True)
        return int(getattr(error, "exit_code", 2))
