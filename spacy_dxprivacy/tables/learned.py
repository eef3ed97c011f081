"""What is learned from a table of words and vectors, kept beside it: by digest, never on it.

A graph of 60,000 words takes a minute to learn. It is public, as the table is, so every mechanism
on the table shares it, it is saved with the table, and it goes where the table goes. A kind of
such things has a codec, registered by the file that learns it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary


class Table(Protocol):
    """What things are learned from. digest: of its words and vectors."""

    @property
    def digest(self) -> str: ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True, eq=False, repr=False)
class Codec:
    """How things of one kind are kept. name: of its folder, for one thing; kinds begin it.

    write(thing, folder); read(folder, digest) -> thing, which raises DxError for another digest;
    to_fields(thing) and from_fields(fields), for msgpack.
    """

    name: Callable[[Any], str]
    write: Callable[[Any, Path], None]
    read: Callable[[Path, str], Any]
    to_fields: Callable[[Any], dict[str, Any]]
    from_fields: Callable[[dict[str, Any]], Any]


# Who reads what a table brings along: imported when such a thing is there, since a table may be
# loaded before anybody asks for what was learned of it.
HOMES = {
    "graph": "graph.store",
    "alone": "sentences.calibration",
    "even": "sentences.calibration",
    "fitted": "tables.fitted",
}
_codecs: dict[str, Codec] = {}
_kept: WeakKeyDictionary[Table, dict[str, Any]] = WeakKeyDictionary()


def register(kind: str, codec: Codec) -> None:
    """kind: a word, with which the names of its things begin."""
    _codecs[kind] = codec


def keep(table: Table, name: str, thing: Any) -> None:
    """For as long as this table, or another with its digest that is asked for it, is in use."""
    _kept.setdefault(table, {})[name] = thing


def find(table: Table, name: str) -> Any | None:
    """The thing of this name that was learned from the table, or from another of its digest."""
    mine = _kept.get(table, {})
    if name not in mine:
        for other, things in list(_kept.items()):
            if name in things and other.digest == table.digest:
                keep(table, name, things[name])
                break
    return _kept.get(table, {}).get(name)


def forget(table: Table) -> None:
    """Let go of all that was learned from this table and from others of its digest."""
    for other in [t for t in list(_kept) if t.digest == table.digest]:
        del _kept[other]


def writers(table: Table) -> dict[str, Callable[[Path], None]]:
    """By name, what writes a thing into a folder of its own."""
    things = _kept.get(table, {})
    return {name: partial(_codec(name).write, thing) for name, thing in things.items()}


def write_beside(table: Table, folder: Path, digest: str) -> None:
    """Into the folder of a saved table, unless that was rounded, and so has another digest."""
    if digest == table.digest:
        for name, write in writers(table).items():
            write(folder / name)


def read_beside(table: Table, folder: Path) -> None:
    """What lies in the folder of a saved table. Raises DxError where it is damaged, or belongs to
    another table."""
    for part in sorted(folder.iterdir()):
        if part.is_dir() and _is_known(part.name):
            thing = _codec(part.name).read(part, table.digest)
            keep(table, _codec(part.name).name(thing), thing)


def to_fields(table: Table) -> dict[str, Any]:
    """All of it by name, for msgpack."""
    return {name: _codec(name).to_fields(t) for name, t in _kept.get(table, {}).items()}


def from_fields(table: Table, fields: dict[str, Any]) -> None:
    for name, some in fields.items():
        keep(table, name, _codec(name).from_fields(some))


def _kind(name: str) -> str:
    return name.partition("-")[0]


def _is_known(name: str) -> bool:
    return _kind(name) in HOMES or _kind(name) in _codecs


def _codec(name: str) -> Codec:
    kind = _kind(name)
    if kind not in _codecs and kind in HOMES:
        import_module(f"spacy_dxprivacy.{HOMES[kind]}")
    return _codecs[kind]
