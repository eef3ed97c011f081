"""Return one identifier for all spellings of a user, and recognise values that are no user."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from numbers import Real
from typing import Any
from uuid import UUID

from ..errors import DxError, Errors

_WHOLE_NUMBER = re.compile(r"-?\d{1,30}(\.0*)?", re.ASCII)


def is_nobody(user: Any) -> bool:
    """Return whether a value is no user: None, NaN, or an empty text."""
    is_nan = isinstance(user, Real | Decimal) and user != user
    return user is None or is_nan or (isinstance(user, str | bytes) and not user.strip())


def identity(user: Any) -> str:
    """Return one text for all spellings of a user.

    7, 7.0, "7" and "007" are one user: tables with gaps have numbers as 7.0, files as "7". Raises
    DxError, without the value, for other types (fractions, booleans, times, lists).
    """
    if isinstance(user, bytes):
        try:
            user = user.decode("utf8")
        except UnicodeDecodeError:
            return str(user.hex())
    if isinstance(user, str):
        name = unicodedata.normalize("NFC", user.strip())
        return str(int(name.partition(".")[0])) if _WHOLE_NUMBER.fullmatch(name) else name
    if isinstance(user, UUID):
        return str(user)
    if isinstance(user, Real | Decimal) and not isinstance(user, bool):
        number: Any = user
        if number == number // 1:  # infinity // 1 is NaN
            return str(int(number))
    raise DxError(Errors.DX110.format(given=type(user).__name__))
