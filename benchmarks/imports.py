"""How long `import spacy_dxprivacy` takes after spaCy, which every spacy.blank() pays for.

    python benchmarks/imports.py [--times 20]

Processor time of fresh processes in turns, with compiled files at hand: the median of the import,
of that of spaCy, and their ratio, which can be compared between machines. The aim is 50 ms.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

TIMED = """
import time
start = time.process_time()
import spacy
middle = time.process_time()
import spacy_dxprivacy
print(middle - start, time.process_time() - middle)
"""


def measured(folder: str) -> tuple[float, float]:
    """Seconds for spaCy and for the package. folder: for compiled files."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-W", "ignore", "-c", TIMED]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    of_spacy, of_package = map(float, done.stdout.split())
    return of_spacy, of_package


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        measured(folder)  # compiles
        found = [measured(folder) for _ in range(times)]
    of_spacy, of_package = map(statistics.median, zip(*found, strict=True))
    print(f"spacy {1000 * of_spacy:.0f} ms, spacy_dxprivacy {1000 * of_package:.0f} ms more:")
    print(f"{of_package / of_spacy:.1%} of spaCy's time")


if __name__ == "__main__":
    main()
