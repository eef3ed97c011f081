"""Print the lowest versions that setup.cfg allows, as pip constraints: what CI tests beside the
newest ones.

    python scripts/oldest.py [EXTRA ...] > oldest.txt && pip install -c oldest.txt ".[EXTRA]"
"""

from __future__ import annotations

import configparser
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SETUP = Path(__file__).parent.parent / "setup.cfg"
LOWEST = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?\s*>=\s*([0-9][0-9a-zA-Z.]*)")


def lowest(setup: Path = SETUP, extras: tuple[str, ...] = ()) -> dict[str, str]:
    """Name and lowest version of each requirement. Raises ValueError for one without any."""
    config = configparser.ConfigParser()
    config.read(setup, encoding="utf8")
    lines = list(_lines(config["options"]["install_requires"]))
    for extra in extras:
        lines += _lines(config["options.extras_require"][extra])
    found = {}
    for line in lines:
        match = LOWEST.match(line)
        if match is None:
            raise ValueError(f"setup.cfg: {line!r} has no lower bound")
        found[match[1]] = match[2]
    return found


def _lines(block: str) -> Iterator[str]:
    # A requirement that holds on other systems or Pythons alone is not pinned.
    yield from (line.strip() for line in block.splitlines() if line.strip() and ";" not in line)


if __name__ == "__main__":
    for name, version in lowest(extras=tuple(sys.argv[1:])).items():
        print(f"{name}=={version}")
