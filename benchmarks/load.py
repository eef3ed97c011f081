"""Many minutes of random text through `nlp.pipe`: does a process that lives long grow?

    python benchmarks/load.py [--minutes 12] [--workers 2] [--json FILE]

Every worker sanitises texts whose words are mostly new (random letters), in memory zones and with
trim_vocab between them, as `dx sanitize` does, and notes once a second how much memory it has and
how large its vocabulary is. The first tenth of the time is the warm-up. Exit status 1: resident
memory grew by more than 5 % after it, or the vocabulary grew at all. --no-trim shows what zones
alone do.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import string
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
import spacy
from spacy.language import Language

from spacy_dxprivacy.text.vocabulary import MANY_WORDS, trim_vocab

WARM_UP = 0.1  # of the time
ZONE = 64  # documents
MOST_GROWTH = 0.05
LONGEST_STEP = 5.0  # seconds


@dataclass
class Sample:
    """rss: bytes. strings and lexemes: of the vocabulary, between two zones."""

    seconds: float
    rss: int
    strings: int
    lexemes: int
    documents: int


@dataclass
class Growth:
    """Of one worker, after its warm-up. memory: the highest of the last tenth of the time against
    the highest of the tenth after the warm-up, as a share."""

    documents: int
    words: int
    memory: float
    rss_mb: float
    strings: int
    lexemes: int

    @property
    def flat(self) -> bool:
        return self.memory <= MOST_GROWTH and self.strings <= 0 and self.lexemes <= 0


def texts(rng: random.Random, words: int = 100) -> Iterator[str]:
    """Nine words out of ten are new to any vocabulary."""
    known = ["the", "doctor", "saw", "a", "house", "in", "spring"]
    while True:
        made = (
            rng.choice(known)
            if rng.random() < 0.1
            else "".join(rng.choices(string.ascii_lowercase, k=rng.randint(3, 12)))
            for _ in range(words)
        )
        yield " ".join(made)


def run(
    nlp: Language, seconds: float, seed: int, *, every: float = 1.0, after: int = MANY_WORDS
) -> tuple[list[Sample], int]:
    """Samples, and the number of words that were sanitised. after: as trim_vocab has it."""
    process, stream = psutil.Process(), texts(random.Random(seed))
    vocab: Any = nlp.vocab
    active = noted = 0.0
    samples: list[Sample] = []
    documents = words = 0
    while active < seconds:
        start = time.monotonic()
        with nlp.memory_zone():
            for doc in nlp.pipe(next(stream) for _ in range(ZONE)):
                documents += 1
                words += doc._.dx.perturbed + doc._.dx.unknown
        trim_vocab(nlp, after=after)
        # Where the machine pauses the process for a while, that is no time at work.
        active += min(time.monotonic() - start, LONGEST_STEP)
        if active - noted >= every:
            noted = active
            rss = process.memory_info().rss
            samples.append(Sample(active, rss, *sizes(vocab), documents))
    return samples, words


def sizes(vocab: Any) -> tuple[int, int]:
    """Strings and lexemes. (The length of a vocabulary counts those that zones have dropped.)"""
    return len(vocab.strings), sum(1 for _ in vocab)


def growth(samples: list[Sample], words: int) -> Growth:
    end = samples[-1].seconds
    after = [s for s in samples if s.seconds >= WARM_UP * end]
    first = [s.rss for s in after if s.seconds <= 2 * WARM_UP * end] or [after[0].rss]
    last = [s.rss for s in after if s.seconds >= (1 - WARM_UP) * end]
    return Growth(
        documents=samples[-1].documents,
        words=words,
        memory=max(last) / max(first) - 1,
        rss_mb=max(s.rss for s in after) / 2**20,
        strings=after[-1].strings - after[0].strings,
        lexemes=after[-1].lexemes - after[0].lexemes,
    )


def _work(seed: int, seconds: float, after: int, results: Any) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer")
    nlp("The doctor saw a house in spring.")
    results.put(asdict(growth(*run(nlp, seconds, seed, after=after))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=12.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--no-trim", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    seconds = 60 * options.minutes
    after = sys.maxsize if options.no_trim else MANY_WORDS
    workers = [
        context.Process(target=_work, args=(seed, seconds, after, results), daemon=True)
        for seed in range(options.workers)
    ]
    for worker in workers:
        worker.start()
    found = [Growth(**results.get()) for _ in workers]
    for one in found:
        print(
            f"{one.documents:,} documents, {one.words:,} words: {one.rss_mb:.0f} MB, memory "
            f"{one.memory:+.2%}, strings {one.strings:+d}, lexemes {one.lexemes:+d}"
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=2) + "\n")
    sys.exit(0 if all(one.flat for one in found) else 1)


if __name__ == "__main__":
    main()
