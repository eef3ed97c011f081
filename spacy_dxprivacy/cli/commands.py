"""Commands that are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


class Commands(MutableMapping[str, Any]):
    """By name, click's command. homes: its module below a package, and the function or the app
    there that makes it."""

    def __init__(self, package: str, homes: dict[str, tuple[str, str]]) -> None:
        self.package = package
        self.homes = homes
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = typer.main.get_command(self.app(name))
        return self._made[name]

    def app(self, name: str) -> typer.Typer:
        """What typer makes the command of. Raises KeyError for a name that there is not."""
        module, called = self.homes[name]
        found = getattr(import_module(f"{self.package}.{module}"), called)
        if isinstance(found, typer.Typer):
            return found
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        return alone

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.homes, *self._made]))

    def __len__(self) -> int:
        return len({*self.homes, *self._made})


class Group(TyperGroup):
    """A group whose commands are `homes`."""

    homes: Commands

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = self.homes
