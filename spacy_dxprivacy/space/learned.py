"""Results learned from a space: shared by its digest, and saved beside it.

A graph of 60,000 words takes a minute. It is public, like the space, so all mechanisms on the space
share it.

Results from files are trusted less than results of this process or the package: anybody who can
write the files can replace them and their checksums. They are compared with samples of the space at
their first use, and every use is recorded for the guarantee.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
import srsly
from numpy.typing import NDArray

from ..arrays import Numbers1d
from ..errors import DxError, Errors
from ..io.files.limits import SMALL, check_digests, file_digests, read_array, read_json

FEW = 1_000  # words, up to which results are recomputed, within a second, and never saved


class PublicTable(Protocol):
    """A public table to learn from. digest: of its words and vectors. identity: of all of its
    content. verified: whether the digest was compared with words and vectors."""

    @property
    def digest(self) -> str: ...
    @property
    def identity(self) -> Any: ...
    @property
    def verified(self) -> bool: ...
    def __len__(self) -> int: ...
    def __hash__(self) -> int: ...


# The class of each kind of result, imported at its first use. A result has a `name`, which is its
# folder and begins with the kind, and `to_fields()`: "about" (plain values with the digest of the
# table) and "arrays" (by name). The class has `from_fields(fields)`, which raises ValueError for
# invalid fields.
KINDS = {"graph": ("metric.word_graph", "WordGraph"), "fitted": ("space.learned", "Fitted")}
# Results of this process, or of the package.
_trusted: WeakKeyDictionary[PublicTable, dict[str, Any]] = WeakKeyDictionary()
_read: WeakKeyDictionary[PublicTable, dict[str, Any]] = WeakKeyDictionary()  # from other files
_checked: WeakSet[Any] = WeakSet()  # results from files
_uses: ContextVar[set[str] | None] = ContextVar("uses", default=None)


def keep(table: PublicTable, name: str, thing: Any) -> None:
    """Keep a result while this table, or an equal one that shares it, is in use."""
    _trusted.setdefault(table, {})[name] = thing


def find(table: PublicTable, name: str, check: Callable[[Any], object]) -> Any | None:
    """Return the result of this name of the table, of an equal table, or from files; else None.
    check: called at the first use of one from files; raises DxError if samples differ."""
    if name not in _trusted.get(table, {}) and table.verified:
        for equal, things in list(_trusted.items()):
            if name in things and equal.verified and equal.identity == table.identity:
                keep(table, name, things[name])
                break
    if name in (results := _trusted.get(table, {})):
        return results[name]
    thing = _read.get(table, {}).get(name)
    if thing is not None and thing not in _checked:
        check(thing)
        _checked.add(thing)
    if thing is not None and (used := _uses.get()) is not None:
        used.add(name)
    return thing


@contextmanager
def track_use() -> Iterator[set[str]]:
    """Collect the names of results from files that are used within the context."""
    used: set[str] = set()
    token = _uses.set(used)
    try:
        yield used
    finally:
        _uses.reset(token)


def forget(table: PublicTable) -> None:
    """Drop all results of this table and of others with its digest."""
    for store in (_trusted, _read):
        for equal in [t for t in list(store) if t.digest == table.digest]:
            del store[equal]


def _to_save(table: PublicTable) -> dict[str, Any]:
    few = len(table) <= FEW
    return {} if few else {**_read.get(table, {}), **_trusted.get(table, {})}


def writers(table: PublicTable) -> dict[str, Callable[[Path], None]]:
    """Return by name a function that writes the result into a folder."""
    return {name: partial(write, thing) for name, thing in _to_save(table).items()}


def write(thing: Any, folder: Path) -> None:
    """Write a result into a folder of its name, and remove earlier arrays."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.npy"):
        old.unlink()
    fields = thing.to_fields()
    names = [f"{name}.npy" for name in fields["arrays"]]
    for file, array in zip(names, fields["arrays"].values(), strict=True):
        np.save(folder / file, array)
    srsly.write_json(_about(folder), {**fields["about"], "files": file_digests(folder, names)})


def read(folder: Path, digest: str) -> Any:
    """Read a result of the table with this digest; arrays are mapped into memory.

    Raises DxError if it is of another table, damaged or changed (large files are not compared).
    """
    try:
        about = read_json(_about(folder))
        files = sorted(folder.glob("*.npy"))
        if about["digest"] == digest:
            names = {*(about.get("files") or ()), *(file.name for file in files)}
            check_digests(folder, about.get("files"), names, SMALL)
        # As plain arrays: slices of a memmap are ten times as slow to make.
        arrays = {file.stem: read_array(file).view(np.ndarray) for file in files}
        thing = _class_of(folder.name).from_fields({"about": about, "arrays": arrays})
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        why = f"what was learned from it is incomplete or damaged ({type(error).__name__})."
        raise DxError(Errors.DX024.format(path=folder, why=why)) from None
    if about["digest"] != digest:
        raise DxError(Errors.DX045.format(path=folder, found=about["digest"], expected=digest))
    return thing


def _about(folder: Path) -> Path:
    return folder / f"{folder.name.partition('-')[0]}.json"


def read_beside(table: PublicTable, folder: Path, *, shipped: bool = False) -> None:
    """Read the results in the folder of a saved table. shipped: whether it is the package's. Raise
    DxError if a result is damaged, or belongs to another table."""
    if len(table) <= FEW:
        return
    for part in sorted(folder.iterdir()):
        if part.is_dir() and part.name.partition("-")[0] in KINDS:
            thing = read(part, table.digest)
            # Under its own name: its folder may have any name.
            (_trusted if shipped else _read).setdefault(table, {})[thing.name] = thing


def to_fields(table: PublicTable) -> dict[str, Any]:
    """Return all saved results by name, for msgpack."""
    return {name: thing.to_fields() for name, thing in _to_save(table).items()}


def from_fields(table: PublicTable, fields: dict[str, Any]) -> None:
    """Add the results of to_fields, as results from files."""
    for name, saved in fields.items() if len(table) > FEW else ():
        thing = _class_of(name).from_fields(saved)
        _read.setdefault(table, {})[thing.name] = thing


def _class_of(name: str) -> Any:
    module, kind = KINDS[name.partition("-")[0]]
    return getattr(import_module(f"spacy_dxprivacy.{module}"), kind)


FITTED = "fitted"


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """Numbers computed from all rows. digest: of the table. basis: digest of the method."""

    digest: str
    basis: str
    numbers: Numbers1d

    @property
    def name(self) -> str:
        """The name of the folder, and of the entry beside a table."""
        return f"{FITTED}-{self.basis[:12]}"

    def to_fields(self) -> dict[str, Any]:
        """Return "about" and "arrays"."""
        integral = self.numbers.dtype.kind in "iu"
        narrow = np.min_scalar_type(int(self.numbers.max())) if integral else np.dtype(np.float64)
        about = {"digest": self.digest, "basis": self.basis}
        return {"about": about, "arrays": {"numbers": self.numbers.astype(narrow)}}

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Fitted:
        """Return the result of to_fields. Raise ValueError for other arrays."""
        about, numbers = fields["about"], fields["arrays"]["numbers"]
        if numbers.ndim != 1 or numbers.dtype.kind not in "uf":
            raise ValueError("not numbers")
        kind = np.float64 if numbers.dtype.kind == "f" else np.int64
        return cls(str(about["digest"]), str(about["basis"]), numbers.astype(kind))


def once(
    table: PublicTable,
    basis: str,
    make: Callable[[], Numbers1d],
    are_valid: Callable[[NDArray[Any]], bool],
) -> Numbers1d:
    """Return the numbers of make() for a table, computed at the first call and saved beside it.

    basis: the method and its settings. make: returns whole numbers, 0 or more, or float64, (m,).
    are_valid: whether samples of stored numbers are correct; if not, DxError is raised.
    """

    def check(fitted: Fitted) -> None:
        if not are_valid(fitted.numbers):
            why = f"it does not hold {basis.partition(',')[0]}"
            raise DxError(Errors.DX067.format(path=fitted.name, why=why))

    empty = Fitted(table.digest, basis_of(basis), np.zeros(0))
    fitted: Fitted | None = find(table, empty.name, check)
    if fitted is None:
        fitted = replace(empty, numbers=make())
        keep(table, fitted.name, fitted)
    return fitted.numbers


def basis_of(text: str) -> str:
    """Return the digest of a method."""
    return hashlib.sha256(text.encode()).hexdigest()
