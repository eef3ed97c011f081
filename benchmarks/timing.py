"""Does the time of a draw tell the word? Cold and warm, by word, for the default mechanism:

python benchmarks/timing.py [--words 60]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.component import DEFAULT_CONFIG


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=60)
    words = parser.parse_args().words
    space = Space.builtin()
    mechanism = registry.resolve({"m": DEFAULT_CONFIG["mechanism"]})["m"].fit(space)
    mechanism.sample(np.zeros(1, dtype=np.int64), Rng())  # what the first word of all pays for
    some = np.random.default_rng(0).choice(len(space), words, replace=False)
    cold = [seconds(mechanism, row) for row in some]
    warm = [min(seconds(mechanism, row) for _ in range(5)) for row in some]
    for name, found in (("first draw of a word", cold), ("later ones", warm)):
        least, middle, most = np.quantile(found, [0, 0.5, 1]) * 1e3
        print(f"{name}: {least:.2f} ms at least, {middle:.2f} in the middle, {most:.2f} at most")


def seconds(mechanism: object, row: int) -> float:
    """Of the processor, for one draw of one word."""
    start = time.process_time()
    mechanism.sample(np.array([row]), Rng())  # type: ignore[attr-defined]
    return time.process_time() - start


if __name__ == "__main__":
    main()
