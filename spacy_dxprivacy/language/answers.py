"""What a model answers, many requests side by side: the likeliest token each time, to the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from .groups import grouped, in_groups
from .model import LanguageModel

SIDE_BY_SIDE = 64


def answers(
    model: LanguageModel,
    requests: Sequence[Sequence[int]],
    most: Sequence[int],
    on_text: Callable[[], object] = lambda: None,
) -> list[str | None]:
    """requests: tokens, as model.asked has them. most: of each, how many tokens its answer may
    have; None for one that had not ended by then. Raises DxError for a model that fails."""
    found: list[str | None] = [None] * len(requests)
    sizes = [len(r) + m for r, m in zip(requests, most, strict=True)]
    numbers = np.argsort(sizes, kind="stable").tolist()
    groups = grouped(numbers, lambda i: min(SIDE_BY_SIDE, model.fits(sizes[i])))
    work = partial(_side_by_side, model, requests, most)
    for number, answer in in_groups(groups, work, on_text):
        found[number] = answer
    return found


def _side_by_side(
    model: LanguageModel, requests: Sequence[Sequence[int]], most: Sequence[int], group: list[int]
) -> list[str | None]:
    said: list[list[int]] = [[] for _ in group]
    ended = np.zeros(len(group), dtype=bool)
    lanes = model.read([requests[number] for number in group])
    there = np.arange(len(group))  # of the group, who has a lane
    while True:
        tokens = lanes.likeliest()
        ended[there] = np.isin(tokens, list(model.ends))
        full = np.array([len(said[i]) >= most[group[i]] for i in there.tolist()], dtype=bool)
        goes_on = ~(ended[there] | full)
        if not goes_on.any():
            break
        there, tokens = there[goes_on], tokens[goes_on]
        if not goes_on.all():
            lanes.keep(np.flatnonzero(goes_on))
        for i, token in zip(there.tolist(), tokens.tolist(), strict=True):
            said[i].append(token)
        lanes.feed(tokens)
    return [model.decode(s) if e else None for s, e in zip(said, ended.tolist(), strict=True)]
