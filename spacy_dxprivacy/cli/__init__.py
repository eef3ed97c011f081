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
from typer.core import TyperCommand, TyperGroup

from ..about import __version__, table
from ..config import SETTINGS
from ..errors import Errors
from ..registries import RETIRED, retired

HELP = "Sanitise text under metric differential privacy."
LAB = "..lab.commands."
# By name: the module, relative to this package, and the function or the app there.
COMMANDS = {name: tuple(line.split()) for name, line in table("commands").items()}
# Options that went, of commands that take settings, and what to use in their place: --set, but for
REPLACED = {
    f"--{path.rpartition('.')[2]}".replace("_", "-"): f"--set {path}=VALUE" for path in SETTINGS
}
REPLACED |= {
    "--drop-others": "--keep-fields none",
    "--editor": "--edit",
}
VALUES = {"--edit": ("pairs", "lm")}  # of options that may stand without one: the first is meant


class DxCommand(TyperCommand):
    """A command with options whose value may be left out.

    It says what stands in the place of an option that went.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; exit with status 2 and the new option for one that went."""
        args = [
            f"{arg}={VALUES[arg][0]}" if arg in VALUES and after not in VALUES[arg] else arg
            for arg, after in zip(args, [*args[1:], ""], strict=False)
        ]
        try:
            return list(super().parse_args(ctx, args))
        except Exception as error:  # click's, which some versions of typer bring along
            option = getattr(error, "option_name", "")
            takes_settings = any(one.name == "set_" for one in self.params)
            above = ctx.parent.info_name if ctx.parent and ctx.parent.parent else ""
            name = f"{above} {self.name}" if above in COMMANDS else self.name
            instead = RETIRED.get(f"dx {name} {option}")
            if instead is None and takes_settings and option in REPLACED:
                instead = f"use {REPLACED[option]}"
            if instead is None:
                raise
            message = Errors.DX007.format(name=option, instead=instead)
            typer.echo(f"dx {name}: {message}", err=True)
            raise typer.Exit(2) from None


class Commands(TyperGroup):
    """A group that exits with status 2 for a removed command, and names its replacement."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None for a name that is none."""
        group = "dx" if self.name == "dx" else f"dx {self.name}"
        if (name := f"{group} {cmd_name}") in RETIRED:
            typer.echo(f"{group}: {retired(name)}", err=True)
            raise typer.Exit(2)
        return super().get_command(ctx, cmd_name)


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
            alone.command(cmd_name, cls=DxCommand)(found)
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
