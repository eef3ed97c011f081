"""What a fit works out of all rows of a table and takes long: made once, kept beside it by digest.

Numbers, one or more for a row, that any public table may have: a list of words, groups of them, a
class of each. What was read from files is looked at by `good` alone, and a promise that rests on it
says so (see learned.py). The noise of dx.Jaccard.v1, whose promise is refuted, is as strong as the
mean distance that stands here.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Numbers1d
from ..validate import fail
from . import learned
from .kept_json import JsonFile

KIND = "fitted"
MANY = 5_000  # words, from which on a fit takes a second
WIDTHS = ("<u1", "<u2", "<u4", "<f8")


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """digest: of the table. law: of what was worked out, with its settings. numbers: (m,)."""

    digest: str
    law: str
    numbers: Numbers1d


def once(
    table: learned.Table,
    what: str,
    make: Callable[[], Numbers1d],
    good: Callable[[NDArray[Any]], bool],
) -> Numbers1d:
    """What make gives for a table, or gave when it was first asked.

    what: says how it is made, settings included. make: whole numbers from 0 on, or float64, (m,).
    good: whether numbers that were read may be such. Raises DxError where they may not.
    """
    law = law_of(what)
    found: Fitted | None = learned.find(table, FILE.name(law), lambda some: False)
    if found is None:
        numbers = make()
        if len(numbers) >= MANY:
            learned.keep(table, FILE.name(law), Fitted(table.digest, law, numbers))
        return numbers
    if not good(found.numbers):
        raise fail(KIND, f"numbers of {what.split(',')[0]}", "others")
    return found.numbers


def law_of(what: str) -> str:
    """A digest of how something is made."""
    return hashlib.sha256(what.encode()).hexdigest()


def _to_fields(some: Fitted) -> dict[str, Any]:
    whole = some.numbers.dtype.kind in "iu"
    narrow = np.min_scalar_type(int(some.numbers.max())) if whole else np.dtype(np.float64)
    numbers = some.numbers.astype(narrow.newbyteorder("<"))
    text = base64.b64encode(numbers.tobytes()).decode()
    width = f"<{numbers.dtype.kind}{numbers.dtype.itemsize}"
    return {"digest": some.digest, "law": some.law, "width": width, "numbers": text}


def _from_fields(fields: dict[str, Any]) -> Fitted:
    if fields["width"] not in WIDTHS:
        raise ValueError("numbers of another width")
    data = base64.b64decode(fields["numbers"], validate=True)
    numbers = np.frombuffer(data, dtype=fields["width"])
    kind = np.float64 if numbers.dtype.kind == "f" else np.int64
    return Fitted(str(fields["digest"]), str(fields["law"]), numbers.astype(kind))


FILE = JsonFile(KIND, "numbers.json", _to_fields, _from_fields)
FILE.register()
