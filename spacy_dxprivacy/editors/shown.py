"""What an editor is shown of a text: the release, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools1d, Ints1d

_ENDS = re.compile(r"[.!?\u2026][\"')\]\u201d\u2019]*\s*$|\n\s*\n\s*$")


@dataclass(frozen=True, eq=False)
class Shown:
    """The k words of one text that was released. rows: int64 (k,). starts: bool (k,), where
    sentences begin. fixed: bool (k,), words that stay. before: k strings, what stands between each
    word and the one before: blanks, marks, numbers, stand-ins."""

    rows: Ints1d
    starts: Bools1d
    fixed: Bools1d
    before: Sequence[str]

    @classmethod
    def of(
        cls,
        rows: Ints1d,
        starts: Bools1d,
        fixed: Bools1d | None = None,
        between: Sequence[str] | None = None,
    ) -> Shown:
        """Without `between`, sentences end with a stop and words with a blank."""
        stays = np.zeros(len(rows), dtype=bool) if fixed is None else fixed
        if between is None:
            between = [". " if start else " " for start in starts.tolist()]
            between[:1] = [""] * len(between[:1])
        return cls(rows, starts, stays, between)

    @property
    def begins(self) -> Bools1d:
        """bool (k,): words that a full stop or an empty line stands before, and the first."""
        begins = [i == 0 or _ENDS.search(clear) is not None for i, clear in enumerate(self.before)]
        return np.array(begins, dtype=bool)

    def clear_before(self, words: Sequence[str]) -> list[str]:
        """For each word that does not stay, all that stands between it and the last such word.
        words: of the space."""
        found, so_far = [], ""
        for row, stays, clear in zip(
            self.rows.tolist(), self.fixed.tolist(), self.before, strict=True
        ):
            so_far += clear
            if stays:
                so_far += words[row]
            else:
                found.append(so_far)
                so_far = ""
        return found
