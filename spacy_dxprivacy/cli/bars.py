"""Progress, on a terminal alone (disable=None), and gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm


def bar(items: Iterable[Any] | None = None, **how: Any) -> Any:
    """tqdm on stderr; how: as for tqdm, such as total, unit and desc."""
    return tqdm(items, leave=False, disable=None, file=sys.stderr, **how)


def bytes_bar(total: int | None = None, **how: Any) -> Any:
    """Of bytes; it shows no names."""
    return bar(total=total, unit="B", unit_scale=True, **how)


def above_bar(line: str) -> None:
    """A line on stderr that no bar overwrites."""
    tqdm.write(line, file=sys.stderr)


class Steps:
    """For a `with` block. Called with what is done and out of how many steps, once a step: a bar
    for each thing that is done, one after another."""

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.label = ""
        self.bar: Any = None

    def __call__(self, label: str, total: int | None = None) -> None:
        if label != self.label:
            self.__exit__()
            self.label = label
            self.bar = bar(desc=label, unit=f" {self.unit}", delay=0.5)
        self.bar.total = total
        self.bar.update()

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
