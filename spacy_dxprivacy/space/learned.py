"""Results learned from a space: shared by its digest, and saved beside it.

A graph of 60,000 words takes a minute. It is public, like the space, so all mechanisms on the space
share it.

Results from files are trusted less than results of this process or the package: anybody who can
write the files can replace them and their checksums. They are compared with samples of the space at
their first use, and every use is recorded for the guarantee.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
import srsly
from numpy.typing import NDArray

from ..arrays import Numbers1d
from ..errors import DxError, Errors
from ..files.limits import MAX_HASHED, check_digests, file_digests, read_array, read_json

RELEARNED_UP_TO = 1_000  # words: within a second, so results for fewer are never saved
GRAPH, FITTED = "graph", "fitted"  # kinds of results


class PublicTable(Protocol):
    """A public table to learn from.

    Attributes:
        digest: The digest of its words and vectors.
        identity: The digest of all of its content.
        verified: Whether the digest was compared with words and vectors.
    """

    @property
    def digest(self) -> str: ...
    @property
    def identity(self) -> Any: ...
    @property
    def verified(self) -> bool: ...
    def __len__(self) -> int: ...
    def __hash__(self) -> int: ...


class Learned(Protocol):
    """A result: its name begins with its kind, GRAPH or FITTED."""

    @property
    def name(self) -> str: ...

    def to_fields(self) -> dict[str, Any]:
        """Return "about", plain values with the digest of the table, and "arrays", by name."""
        ...


L = TypeVar("L", bound=Learned)
T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Stored:
    """The fields of a result from a file or from bytes, before its user has read them.

    place: its folder or name, for messages.
    """

    name: str
    fields: dict[str, Any]
    place: Path | str

    def to_fields(self) -> dict[str, Any]:
        """Return the fields as they are."""
        return self.fields

    def read(self, from_fields: Callable[[dict[str, Any]], L]) -> L:
        """Return the result. Raise DxError if its fields do not fit together."""
        try:
            return from_fields(self.fields)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise _damaged(self.place, error) from None


# Results of this process, or of the package.
_trusted: WeakKeyDictionary[PublicTable, dict[str, Learned]] = WeakKeyDictionary()
_read: WeakKeyDictionary[PublicTable, dict[str, Learned]] = WeakKeyDictionary()  # other files
_shared: WeakKeyDictionary[PublicTable, dict[Hashable, Any]] = WeakKeyDictionary()  # never saved
_checked: WeakSet[Any] = WeakSet()  # results from files
_uses: ContextVar[set[str] | None] = ContextVar("uses", default=None)


def keep(table: PublicTable, result: Learned) -> None:
    """Keep a result while this table, or an equal one that shares it, is in use."""
    _trusted.setdefault(table, {})[result.name] = result


def find(
    table: PublicTable,
    name: str,
    from_fields: Callable[[dict[str, Any]], L],
    check: Callable[[L], object],
) -> L | None:
    """Return the result of this name of the table, of an equal table, or from files; else None.

    Args:
        table: The table that it was learned from.
        name: The name of the result.
        from_fields: Makes the result of the fields of a stored one; raises ValueError for others.
        check: Called at the first use of one from files; raises DxError if samples differ.
    """
    if name not in _trusted.get(table, {}) and table.verified:
        for equal, results in list(_trusted.items()):
            if name in results and equal.verified and equal.identity == table.identity:
                keep(table, _parsed(results, name, from_fields))
                break
    if name in (results := _trusted.get(table, {})):
        return _parsed(results, name, from_fields)
    if name not in (results := _read.get(table, {})):
        return None
    result = _parsed(results, name, from_fields)
    if result not in _checked:
        check(result)
        _checked.add(result)
    if (used := _uses.get()) is not None:
        used.add(name)
    return result


def _parsed(
    results: dict[str, Learned], name: str, from_fields: Callable[[dict[str, Any]], L]
) -> L:
    """Return a result, whose fields are read at its first use."""
    if isinstance(stored := results[name], Stored):
        results[name] = stored.read(from_fields)
    return cast(L, results[name])


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
    for store in (_trusted, _read, _shared):
        for equal in [t for t in list(store) if t.digest == table.digest]:
            del store[equal]


def _to_save(table: PublicTable) -> dict[str, Learned]:
    is_relearned = len(table) <= RELEARNED_UP_TO
    return {} if is_relearned else {**_read.get(table, {}), **_trusted.get(table, {})}


def writers(table: PublicTable) -> dict[str, Callable[[Path], None]]:
    """Return by name a function that writes the result into a folder."""
    return {name: partial(write, result) for name, result in _to_save(table).items()}


def write(result: Learned, folder: Path) -> None:
    """Write a result into a folder of its name, and remove earlier arrays."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.npy"):
        old.unlink()
    fields = result.to_fields()
    names = [f"{name}.npy" for name in fields["arrays"]]
    for file, array in zip(names, fields["arrays"].values(), strict=True):
        np.save(folder / file, array)
    srsly.write_json(_about(folder), {**fields["about"], "files": file_digests(folder, names)})


def read(folder: Path, digest: str) -> Stored:
    """Read a result of the table with this digest; arrays are mapped into memory.

    Raises DxError if it is of another table, damaged or changed (large files are not compared).
    """
    kind = folder.name.partition("-")[0]
    try:
        about = read_json(_about(folder))
        basis = f"-{about['basis'][:12]}" if kind == FITTED else ""
        files = sorted(folder.glob("*.npy"))
        if about["digest"] == digest:
            names = {*(about.get("files") or ()), *(file.name for file in files)}
            check_digests(folder, about.get("files"), names, MAX_HASHED)
        # As plain arrays: slices of a memmap are ten times as slow to make.
        arrays = {file.stem: read_array(file).view(np.ndarray) for file in files}
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise _damaged(folder, error) from None
    if about["digest"] != digest:
        raise DxError(Errors.DX045.format(path=folder, found=about["digest"], expected=digest))
    # Under its own name: its folder may have any name.
    return Stored(f"{kind}{basis}", {"about": about, "arrays": arrays}, folder)


def _damaged(place: Path | str, error: Exception) -> DxError:
    why = f"what was learned from it is incomplete or damaged ({type(error).__name__})."
    return DxError(Errors.DX024.format(path=place, why=why))


def _about(folder: Path) -> Path:
    return folder / f"{folder.name.partition('-')[0]}.json"


def read_beside(table: PublicTable, folder: Path, *, shipped: bool = False) -> None:
    """Read the results in the folder of a saved table. shipped: whether it is the package's. Raise
    DxError if a result is damaged, or belongs to another table."""
    if len(table) <= RELEARNED_UP_TO:
        return
    for part in sorted(folder.iterdir()):
        if part.is_dir() and part.name.partition("-")[0] in (GRAPH, FITTED):
            result = read(part, table.digest)
            (_trusted if shipped else _read).setdefault(table, {})[result.name] = result


def to_fields(table: PublicTable) -> dict[str, Any]:
    """Return all saved results by name, for msgpack."""
    return {name: result.to_fields() for name, result in _to_save(table).items()}


def from_fields(table: PublicTable, fields: dict[str, Any]) -> None:
    """Add the results of to_fields, as results from files."""
    for name, saved in fields.items() if len(table) > RELEARNED_UP_TO else ():
        _read.setdefault(table, {})[name] = Stored(name, saved, name)


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """Numbers computed from all rows of a table, with digests of the table and the method."""

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
    fitted = find(table, empty.name, Fitted.from_fields, check)
    if fitted is None:
        fitted = replace(empty, numbers=make())
        keep(table, fitted)
    return fitted.numbers


def shared(table: PublicTable, key: tuple[Hashable, ...], make: Callable[[], T]) -> T:
    """Return make() of a table, computed at the first call for this key, and never saved: for what
    mechanisms share at all epsilons, and a file could not prove.

    key: the method and its settings. make: returns what does not refer to the table.
    """
    results = _shared.setdefault(table, {})
    if key not in results:
        results[key] = make()
    return cast(T, results[key])


def basis_of(text: str) -> str:
    """Return the digest of a method."""
    return hashlib.sha256(text.encode()).hexdigest()
