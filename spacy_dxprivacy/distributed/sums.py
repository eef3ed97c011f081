"""What the receipts of a shard add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import Ints2d
from ..doc.receipt import Receipt, StoodIn
from .arrow import COUNTS
from .users import is_nobody, user_id


@dataclass
class Sums:
    """documents: how many were written. nulls: rows without a text. failed: documents of which
    nothing was written. most_draws: of a single document. users: draws by user, see users.user_id,
    where there is a key; without_user: documents that name none. told: what stands in, by label.
    """

    key: bytes = field(default=b"", repr=False)
    documents: int = 0
    nulls: int = 0
    failed: int = 0
    without_user: int = 0
    most_draws: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    users: dict[int, int] = field(default_factory=dict, repr=False)
    told: StoodIn = field(default_factory=StoodIn)

    def add(self, receipt: Receipt, user: Any = None) -> None:
        """Adds the counts of one document, of this user."""
        self.add_rows(np.array([[receipt[name] for name in COUNTS]]), [user])
        self.told.add(receipt)

    def add_rows(self, counts: Ints2d, users: Sequence[Any], *, nulls: int = 0) -> None:
        """counts: int64 (rows, 5), negative where there is no document. users: one a row."""
        good = np.flatnonzero(counts[:, 0] >= 0)
        draws = counts[:, COUNTS.index("draws")]
        self.documents += len(good)
        self.nulls += nulls
        self.most_draws = max(self.most_draws, int(draws[good].max(initial=0)))
        for name, number in zip(COUNTS, counts[good].sum(axis=0).tolist(), strict=True):
            self.counts[name] += number
        if self.key:
            for row in good.tolist():
                self._add_user(users[row], int(draws[row]))

    def _add_user(self, user: Any, draws: int) -> None:
        if is_nobody(user):
            self.without_user += 1
            return
        number = user_id(self.key, user)
        self.users[number] = self.users.get(number, 0) + draws

    def to_dict(self) -> dict[str, Any]:
        """Plain values for json."""
        return {
            "documents": self.documents,
            "nulls": self.nulls,
            "failed": self.failed,
            **self.counts,
            "most_draws": self.most_draws,
            **self.told.to_dict(),
        }
