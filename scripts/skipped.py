"""Print the tests that were skipped, for pytest: what one environment leaves to another.

pytest -o junit_family=xunit1 --junitxml=report.xml
python scripts/skipped.py report.xml
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def skipped(report: Path) -> list[str]:
    """Return node ids of tests, and files that were skipped whole, each once."""
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("skipped") is not None:
            file, name = case.attrib["file"], case.attrib["name"]
            whole = not case.attrib["classname"]  # pytest could not collect the file
            found[file if whole else f"{file}::{name}"] = None
    return list(found)


if __name__ == "__main__":
    print("\n".join(skipped(Path(sys.argv[1]))))
