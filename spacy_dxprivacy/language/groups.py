"""Texts side by side: as many as there is room for, and fewer where the memory is too short."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ..errors import DxError, DxWarning, Errors, Warnings
from .model import OutOfRoom

T = TypeVar("T")


def grouped(numbers: Iterable[int], most_with: Callable[[int], int]) -> Iterator[list[int]]:
    """numbers: of texts, the shortest first. most_with: of a text, how many of its length there is
    room for. The longest come last."""
    group: list[int] = []
    for number in numbers:
        if group and len(group) >= most_with(number):
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def in_groups(
    groups: Iterable[list[int]],
    work: Callable[[list[int]], Sequence[T]],
    on_text: Callable[[], object] = lambda: None,
) -> Iterator[tuple[int, T]]:
    """The number of each text, with what work made of it; the last group first. on_text: called
    once a text. Raises DxError where the memory is too short for one text alone."""
    left = list(groups)
    while left:
        group = left.pop()
        try:
            done = work(group)
        except OutOfRoom:
            if len(group) == 1:
                raise DxError(Errors.DX152) from None
            half = len(group) // 2
            warnings.warn(Warnings.DX157.format(texts=half), DxWarning, stacklevel=2)
            left += [group[:half], group[half:]]
            continue
        for pair in zip(group, done, strict=True):
            yield pair
            on_text()
