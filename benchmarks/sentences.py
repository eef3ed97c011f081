"""Words a second of dx.Path.v2 on the built-in space, next to spaCy's tokenizer.

    python benchmarks/sentences.py [--documents 512] [--turns 3]

Texts are sentences of 5 to 35 words that come as often as on the web, one a document. "first" is
the first time that a process meets the words, which have to be walked from; "again" a later text of
the same words. The tokenizer is measured in turns with it: shares of its rate can be compared
between machines and moments. CPU milliseconds are those of all threads. OMP_NUM_THREADS=1 gives
one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import spacy

from spacy_dxprivacy import Space
from spacy_dxprivacy.prior.pairs import frequencies


def texts(documents: int, seed: int = 0) -> list[str]:
    rng, often = np.random.default_rng(seed), frequencies()
    words = np.array(Space.builtin().words, dtype=object)
    shares = often / often.sum()
    return [
        " ".join(rng.choice(words, int(rng.integers(5, 36)), p=shares)) + "."
        for _ in range(documents)
    ]


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock, and of all threads of this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=int, default=512)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    some = texts(options.documents)
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer")
    nlp("The doctor saw a house.")
    tokens = sum(map(len, nlp.tokenizer.pipe(some)))
    print(f"{tokens:,} tokens in {len(some)} documents")
    print("| texts | tokens/s | of the tokenizer | CPU ms a token |")
    print("| --- | ---: | ---: | ---: |")
    for turn in range(1 + options.turns):
        wall, cpu = timed(lambda: list(nlp.pipe(some, batch_size=128)))
        alone, _ = timed(lambda: list(nlp.tokenizer.pipe(some)))
        name, rate = "again" if turn else "first", tokens / wall
        print(f"| {name} | {rate:,.0f} | {alone / wall:.4f} | {1000 * cpu / tokens:.3f} |")


if __name__ == "__main__":
    main()
