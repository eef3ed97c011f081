"""`dx ...` and `python -m spacy dx ...`.

spaCy imports what the entry point group `spacy_cli` names. A command joins spaCy's program by being
added to its Typer app, as spacy-huggingface-hub does. Each command is imported at its first use:
together they take a quarter of a second, which every `python -m spacy` would pay.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from spacy.cli._util import app
from typer.core import TyperGroup

from ..about import __version__, table
from ..errors import did_you_mean

HELP = "Sanitise text under metric differential privacy."
LAB = "..lab.commands."
# By name: the module, relative to this package, and the function or the app there.
COMMANDS = {name: tuple(line.split()) for name, line in table("commands").items()}


class Commands(TyperGroup):
    """A group whose error for an unknown command names the nearest one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return name, command and remaining arguments; exit with status 2 for an unknown one."""
        known = self.list_commands(ctx)
        if args[0] not in known:
            ctx.fail(f"No such command {args[0]!r}.{did_you_mean(args[0], known)}")
        return super().resolve_command(ctx, args)


class DxGroup(Commands):
    """The commands of dx, in two groups: what sanitises, and what evaluates."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; None for a name that is none."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, name = COMMANDS[cmd_name]
        found = getattr(import_module(module, __name__), name)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(cmd_name)(found)
            found = alone
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group of commands."""
        rows: dict[str, list[tuple[str, str]]] = {"Use": [], "Evaluate": []}
        for name, (module, _) in COMMANDS.items():
            about = self.get_command(ctx, name).get_short_help_str(limit=64)
            rows["Evaluate" if module.startswith(LAB) else "Use"].append((name, about))
        for title, some in rows.items():
            with formatter.section(title):
                formatter.write_dl(some)


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
    """A callback keeps it a group."""


app.add_typer(dx_cli, name="dx", help=HELP)
