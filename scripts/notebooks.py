"""Run the notebooks of docs/notebooks from their first cell to their last, each in a new kernel.

    python scripts/notebooks.py [--write] [NAME ...]

--write keeps what comes out in them; without it they are only checked, which CI does. It takes
pip install ".[notebooks]".
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "notebooks"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not given.names or path.stem in given.names:
            start = time.time()
            done = run(path)
            if given.write:
                write(done, path)
            print(f"{path.name}: {len(done.cells)} cells, {time.time() - start:.0f} s")


def run(path: Path) -> Any:
    """The notebook as it is after all cells. Raises CellExecutionError where one fails."""
    import nbformat
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    book = nbformat.read(path, as_version=4)
    # Not over TCP, which others on this machine could listen to.
    kernel = AsyncKernelManager(kernel_name="python3", transport="ipc")
    where = {"metadata": {"path": str(ROOT)}}
    return NotebookClient(book, km=kernel, timeout=600, resources=where).execute()


def write(book: Any, path: Path) -> None:
    """Without times, and without the name of this Python: two runs differ by their draws alone."""
    import nbformat

    book.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(book.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
    nbformat.write(book, path)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
