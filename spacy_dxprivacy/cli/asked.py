"""What the options of a command say about fields."""

from __future__ import annotations

from dataclasses import dataclass

from ..batch.fields import Fields, delimiter_of
from ..errors import UsageError


@dataclass(frozen=True)
class Asked:
    """The options about fields."""

    field: list[str] | None
    keep: str | None
    drop: bool
    delimiter: str | None
    receipt: str | None = None
    user: str | None = None

    def fields(self) -> Fields:
        """Raises UsageError where they do not fit together."""
        if self.drop and self.keep:
            raise UsageError("`drop_others` drops all: leave `keep` out.")
        given = [name for one in self.field or ["text"] for name in split(one)]
        if not given:
            raise UsageError("`field` is empty: name what is to be sanitised.")
        keep = () if self.drop else None if self.keep is None else split(self.keep)
        between = delimiter_of(self.delimiter)
        more = tuple(given[1:])
        return Fields(given[0], keep, more, self.receipt or "", between, self.user)


def split(names: str) -> tuple[str, ...]:
    """ "a, b" as a tuple."""
    return tuple(name.strip() for name in names.split(",") if name.strip())
