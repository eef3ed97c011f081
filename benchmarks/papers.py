"""Write the result files and figures of docs/reference/figures.md from runs of projects/papers.

    python benchmarks/papers.py FOLDER...

Each folder is the output of a run. Its .json files become docs/papers/NAME.json, with the commit,
and its .svg files docs/papers/NAME.svg; a name in two folders is taken from the last one.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from figures import DOCS, commit, write_pages

TARGET = DOCS / "papers"
LARGEST = 60_000  # bytes of a figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    measured = commit()  # before a file changes
    TARGET.mkdir(exist_ok=True)
    for folder in parser.parse_args().folders:
        for path in sorted(folder.glob("*.json")):
            result = json.loads(path.read_text(encoding="utf8"))
            result["data"] += f" Verdict: {result.pop('verdict')}"
            text = json.dumps({"commit": measured, **result}, indent=1, ensure_ascii=False)
            (TARGET / path.name).write_text(f"{text}\n", encoding="utf8")
        for path in sorted(folder.glob("*.svg")):
            if path.stat().st_size > LARGEST:
                raise SystemExit(f"{path}: larger than {LARGEST:,} bytes.")
            shutil.copy(path, TARGET)
    write_pages()


if __name__ == "__main__":
    main()
