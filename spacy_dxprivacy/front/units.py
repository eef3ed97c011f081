"""The unit of the guarantee: whose words add up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Ints1d
from ..doc.receipt import Receipt
from ..errors import DxError, Errors
from ..guarantee import Guarantee
from ..privacy.composition import repeat


@dataclass(frozen=True)
class Units:
    """kind: "text", or "user" where texts were put together by a value. of: int64 (texts,), the
    number of the unit of each, -1 where there is no text. spent: epsilon of each unit, in nats per
    unit of the metric; infinite where nothing is promised."""

    kind: str
    of: Ints1d
    spent: list[float]

    def __len__(self) -> int:
        return len(self.spent)

    @property
    def most(self) -> float:
        """The largest sum of a unit; 0 without texts."""
        return max(self.spent, default=0.0)

    def check(self, budget: float | None) -> None:
        """Raises DxError where a unit spent more than that."""
        if budget is not None and self.most > budget:
            message = Errors.DX142.format(unit=self.kind, spent=self.most, budget=budget)
            raise DxError(message)

    def of_rows(self) -> list[float | None]:
        """What the unit of each text spent; None where there is no text."""
        return [None if unit < 0 else self.spent[unit] for unit in self.of.tolist()]


def units_of(receipts: Sequence[Receipt | None], by: Iterable[object] | None = None) -> Units:
    """receipts: of one pipeline, None where there is no text. by: whose text each is; nobody (None,
    NaN, "") makes a text a unit of its own. Raises DxError for another number of values, and for
    values of which it is unclear when two are one user."""
    present = np.array([receipt is not None for receipt in receipts], dtype=np.bool_)
    of = np.full(len(receipts), -1, dtype=np.int64)
    of[present] = _numbers(by, len(receipts))[present]
    units, of[present] = np.unique(of[present], return_inverse=True)
    draws = np.zeros(len(units), dtype=np.int64)
    np.add.at(draws, of[present], [receipt["draws"] for receipt in receipts if receipt is not None])
    return Units("text" if by is None else "user", of, _spent(receipts, draws))


def _numbers(by: Iterable[object] | None, count: int) -> Ints1d:
    """int64 (count,): a number for each text, the same for texts of one user."""
    if by is None:
        return np.arange(count, dtype=np.int64)
    from ..distributed.users import identity, is_nobody

    users = by.tolist() if hasattr(by, "tolist") else list(by)
    if len(users) != count:
        raise DxError(Errors.DX141.format(given=len(users), expected=count))
    known: dict[str, int] = {}
    numbers = [
        count + i if is_nobody(user) else known.setdefault(identity(user), i)
        for i, user in enumerate(users)
    ]
    return np.array(numbers, dtype=np.int64)


def _spent(receipts: Sequence[Receipt | None], draws: Ints1d) -> list[float]:
    first = next((receipt for receipt in receipts if receipt is not None), None)
    if first is None:
        return []
    promise = Guarantee.from_dict(first["guarantee"])
    of_draws = {number: repeat(promise, number).epsilon for number in set(draws.tolist())}
    return [of_draws[number] for number in draws.tolist()]
