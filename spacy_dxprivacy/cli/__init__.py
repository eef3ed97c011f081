"""The command groups `dx` and `python -m spacy dx`.

spaCy imports this module by the entry point group `spacy_cli`, and the group is added to spaCy's
Typer app, as spacy-huggingface-hub does. Each command is imported at its first use: together they
take a quarter of a second, which would slow down every `python -m spacy`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from spacy.cli._util import app
from typer.core import TyperCommand, TyperGroup

from ..about import __version__
from ..errors import did_you_mean
from ..registries import registry
from .options import errors_as_one_line, stop

HELP = "Sanitise text under metric differential privacy."


def _sanitize() -> Any:
    from .sanitizing import sanitize_cli

    return sanitize_cli


def _serve() -> Any:
    from .commands import serve_cli

    return serve_cli


def _proxy() -> Any:
    from .commands import proxy_cli

    return proxy_cli


def _restore() -> Any:
    from .commands import restore_cli

    return restore_cli


def _space() -> Any:
    from .commands import space_cli

    return space_cli


def _index() -> Any:
    from .commands import index_cli

    return index_cli


# Functions that import a command, by its name: a function, or an app with commands of its own.
COMMANDS: dict[str, Callable[[], Any]] = {
    "sanitize": _sanitize,
    "serve": _serve,
    "proxy": _proxy,
    "restore": _restore,
    "space": _space,
    "index": _index,
}


def load_commands() -> dict[str, Callable[[], Any]]:
    """Return our commands, and those that other rooms and packages register (dx_commands)."""
    commands = dict(COMMANDS)
    for package in registry.dx_commands.names():
        commands |= registry.dx_commands.get(package)
    return commands


@contextmanager
def _typer_errors(ctx: Any) -> Iterator[None]:
    """Exit with status 2 and a line on stderr for errors of typer."""
    try:
        yield
    except Exception as error:
        # Errors of click are known by this method, since some versions of typer bundle click.
        format_message = getattr(error, "format_message", None)
        if format_message is None or type(error).__name__ == "NoArgsIsHelpError":
            raise
        message = " ".join(format_message().split())
        option = getattr(error, "option_name", "")
        options = [name for parameter in ctx.command.params for name in parameter.opts]
        if option and option not in options:
            message = f"No such option {option}.{did_you_mean(option, options)}"
        if message.startswith("Got unexpected extra argument"):  # may quote words of a text
            message = "Too many arguments. Put quotes around an argument that has spaces."
        _stop(ctx, message)


def command_of(ctx: Any) -> str:
    """Return the full name of a command, such as "dx audit release"."""
    return f"dx{ctx.command_path.rpartition('dx')[2]}"


def _stop(ctx: Any, message: str) -> NoReturn:
    message = f"{message[:1].lower()}{message[1:]}"
    message += "" if message.endswith((".", "?")) else "."
    stop(command_of(ctx), f"{message} `{command_of(ctx)} --help` lists all.", 2)


class DxCommand(TyperCommand):
    """A command that reports errors as one line and an exit status.

    `ctx.args` are overrides of a config, `--dotted.path value`. They are removed before typer
    parses the others, because typer would read the value of an unknown option as an argument.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Exit with status 2 and a line for errors."""
        overrides = list[str]()
        if ctx.allow_extra_args:
            args, overrides = split_overrides(args)
        with _typer_errors(ctx):
            super().parse_args(ctx, args)
            if ctx.args:
                ctx.fail("Got unexpected extra arguments.")
        ctx.args = overrides
        return overrides

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Exit with a line for errors."""
        with errors_as_one_line(command_of(ctx)):
            return super().invoke(ctx)


def split_overrides(args: list[str]) -> tuple[list[str], list[str]]:
    """Split arguments into those of the command and overrides of a config.

    An override is `--dotted.path value`, `--dotted.path=value`, or `--dotted.path` alone for true.
    """
    arguments, overrides = list[str](), list[str]()
    unread = list(args)
    while unread:
        arg = unread.pop(0)
        if arg == "--":
            return [*arguments, arg, *unread], overrides
        if not (arg.startswith("--") and "." in arg.partition("=")[0]):
            arguments.append(arg)
            continue
        overrides.append(arg)
        if "=" not in arg and unread and not unread[0].startswith("--"):
            overrides.append(unread.pop(0))
    return arguments, overrides


class Commands(TyperGroup):
    """A command group that exits with status 2 and a line for errors."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments up to the name of the command."""
        with _typer_errors(ctx):
            return list(super().parse_args(ctx, args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command. Exit with the nearest name if there is no such command."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            hint = did_you_mean(args[0], self.list_commands(ctx))
            _stop(ctx, f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


class DxGroup(Commands):
    """The commands of dx, in the sections "Use" and "Evaluate"."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names: ours, then those of others."""
        return list(load_commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command. Return None for an unknown name."""
        commands = load_commands() if cmd_name not in COMMANDS else COMMANDS
        if cmd_name not in commands:
            return None
        member = commands[cmd_name]()
        if not isinstance(member, typer.Typer):
            extra = {"allow_extra_args": "ctx" in inspect.signature(member).parameters}
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(cmd_name, cls=DxCommand, context_settings=extra)(member)
            member = alone
        command = typer.main.get_command(member)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group of commands."""
        rows: dict[str, list[tuple[str, str]]] = {"Use": [], "Evaluate": []}
        for name in load_commands():
            about = self.get_command(ctx, name).get_short_help_str(limit=64)
            rows["Use" if name in COMMANDS else "Evaluate"].append((name, about))
        for title, lines in rows.items():
            with formatter.section(title):
                formatter.write_dl(lines)


dx_cli = typer.Typer(name="dx", cls=DxGroup, help=HELP, no_args_is_help=True, rich_markup_mode=None)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"dx {__version__}")
        raise typer.Exit


@dx_cli.callback()
def _group(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version"),
    ] = False,
) -> None:
    """Hold the option --version."""


app.add_typer(dx_cli, name="dx", help=HELP)


def main() -> None:
    """Run `dx` as a program, and exit with its status."""
    dx_cli(prog_name="dx")
