"""What is learned of a table and is small, as a file of JSON with a checksum."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import srsly

from ..errors import DxError, Errors
from ..files.limits import read_json
from . import learned


class Lawful(Protocol):
    """digest: of the table. law: of all that the numbers come of."""

    @property
    def digest(self) -> str: ...

    @property
    def law(self) -> str: ...


@dataclass(frozen=True)
class JsonFile:
    """kind: what it is called; file: its name. to_fields, from_fields: to plain values and back;
    the latter raises ValueError for numbers that no law has."""

    kind: str
    file: str
    to_fields: Callable[[Any], dict[str, Any]]
    from_fields: Callable[[dict[str, Any]], Any]

    def register(self) -> None:
        """Lets tables keep it beside them."""
        codec = learned.Codec(
            name=lambda some: self.name(some.law),
            write=self.write,
            read=self.read,
            to_fields=self.to_fields,
            from_fields=self.from_fields,
        )
        learned.register(self.kind, codec)

    def name(self, law: str) -> str:
        """Of the folder, and of the entry beside a table."""
        return f"{self.kind}-{law[:12]}"

    def write(self, some: Lawful, folder: Path) -> None:
        """Into a folder that is made where there is none."""
        folder.mkdir(parents=True, exist_ok=True)
        told = self.to_fields(some)
        srsly.write_json(folder / self.file, {**told, "sha256": _checksum(told)})

    def read(self, folder: Path, digest: str) -> Any:
        """Raises DxError for a file that is damaged, changed, or of another table."""
        path = folder / self.file
        try:
            told = read_json(path)
            expected = told.pop("sha256")
            some = self.from_fields(told)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DxError(Errors.DX067.format(path=path, why="it is damaged")) from error
        if _checksum(told) != expected:
            raise DxError(Errors.DX067.format(path=path, why="it was changed"))
        if some.digest != digest:
            raise DxError(Errors.DX067.format(path=path, why="it belongs to another table"))
        return some


def _checksum(told: dict[str, Any]) -> str:
    return hashlib.sha256(srsly.json_dumps(told, sort_keys=True).encode()).hexdigest()
