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


def progress(steps: Iterable[Any], label: str) -> Iterable[Any]:
    """Return the steps, with a bar once they take long."""
    steps_with_bar: Iterable[Any] = bar(steps, desc=label, delay=0.5)
    return steps_with_bar
