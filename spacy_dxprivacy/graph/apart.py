"""How far words of the built-in space are apart under each preset: looked up, not measured again.

privacy.scale walks from 128 words for it, which is a sixth of the time to the first output.
`python scripts/build_budgets.py` writes the table, and a test measures it again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..space import BUILTIN, Space

FILE = "apart.json"


def known_apart(space: Space, policy: Mapping[str, float]) -> dict[str, float] | None:
    """policy: its fields. As privacy.scale.measured_apart has it, in units of length; None where
    nobody measured it."""
    if not (BUILTIN / FILE).exists():
        return None
    table = _table()
    if space.digest != table["space"]:
        return None
    return next((one["apart"] for one in table["policies"] if one["policy"] == policy), None)


@cache
def _table() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((BUILTIN / FILE).read_text(encoding="utf8"))
    return loaded
