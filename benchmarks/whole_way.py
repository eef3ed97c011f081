"""The whole way of a text, from file to file, as shares of the rate of spaCy's tokenizer:

    OMP_NUM_THREADS=1 python benchmarks/whole_way.py [--words 1000000] [--turns 5] [--only NAMES]

Each way is measured in turns with the tokenizer alone, outside of memory zones and with its cache
full, on the same words; set-up is not counted, and words that were never met are met in a turn
before the first. A share is the time that the tokenizer takes for a word over what the way takes;
the table has its middle of all turns, its least and its most, by the clock and by processor
time (of all processes). On a busy machine the shares by processor time are the ones to trust.
Rows of "two processes" are times of one over times of two; by processor time that is what two idle
cores would give at most: time of one process over half of the time that all of two took together.

Texts are words of the built-in space, as often as in English and 200 to a document.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.language import Language

from spacy_dxprivacy import Space
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.io.jobs import plan_jobs
from spacy_dxprivacy.io.run import sanitize
from spacy_dxprivacy.prior.builtin import frequencies

ALONE = Path(__file__).parent.parent / "configs" / "path.cfg"
LENGTH = 200  # words of a document
SLOW = 25  # of the words, one in so many goes the ways that draw whole sentences
Times = tuple[float, float]  # seconds by the clock, and of the processor


@dataclass(frozen=True)
class Way:
    """part: of the words, one in so many."""

    name: str
    work: Callable[[list[str]], None]
    part: int = 1


def corpus(words: int) -> list[str]:
    """Words of the built-in space as often as in English, with the clitics where they belong."""
    space, often = Space.builtin(), frequencies()
    rows = np.random.default_rng(0).choice(len(space), words, p=often / often.sum())
    spoken = [space.words[row] + "." * (i % 20 == 19) for i, row in enumerate(rows.tolist())]
    texts = [" ".join(spoken[start : start + LENGTH]) for start in range(0, words, LENGTH)]
    return [text.replace(" '", "'").replace(" n't", "n't") for text in texts]


def timed(work: Callable[[], Any]) -> Times:
    before, start = processor(), time.perf_counter()
    work()
    return time.perf_counter() - start, processor() - before


def processor() -> float:
    """Seconds of this process and of those of its children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def command(nlp: Language, folder: Path, processes: int = 1) -> Callable[[list[str]], None]:
    """What `dx sanitize in.jsonl out.jsonl` does when it has started."""

    def work(texts: list[str]) -> None:
        source = folder / "in.jsonl"
        srsly.write_jsonl(source, ({"text": text} for text in texts))
        jobs = plan_jobs(str(source), str(folder / "out.jsonl"), force=True)
        sanitize(nlp, jobs, n_process=processes, force=True)

    return work


def piped(nlp: Language, **settings: Any) -> Callable[[list[str]], None]:
    def work(texts: list[str]) -> None:
        with nlp.memory_zone():
            for doc in nlp.pipe(texts, **settings):
                assert doc.text

    return work


def ways(folder: Path, only: set[str]) -> Iterator[Way]:
    """The rows of the table; those of `only` if there are any."""

    def asked(key: str) -> bool:
        return not only or key in only

    if asked("alone"):
        nlp = make_pipeline(config=ALONE)
        yield Way("dx sanitize, words alone", command(nlp, folder))
        yield Way("dx sanitize, words alone, two processes", command(nlp, folder, 2))
    if asked("pipe"):
        nlp = make_pipeline(config=ALONE)
        yield Way("nlp.pipe, default batch", piped(nlp), 5)
        yield Way("nlp.pipe, batches of 128", piped(nlp, batch_size=128), 5)
    if asked("entities"):
        nlp = make_pipeline(entities=["person", "date"])
        yield Way("dx sanitize --entities person,date", command(nlp, folder), 5)
    if asked("sentences"):
        nlp = make_pipeline()
        yield Way("dx sanitize, default (whole sentences)", command(nlp, folder), SLOW)
        yield Way("nlp.pipe, default (whole sentences)", piped(nlp, batch_size=128), SLOW)


def measured(way: Way, texts: list[str], turns: int) -> tuple[list[Times], list[Times]]:
    """For each turn the tokenizer's share, and the seconds."""
    some = texts[:: way.part]
    alone = spacy.blank("en").tokenizer
    way.work(some)
    all(alone.pipe(some))
    shares, seconds = [], []
    for _ in range(turns):
        tokenizer = timed(lambda: all(len(doc) for doc in alone.pipe(some)))
        took = timed(lambda: way.work(some))
        shares.append((tokenizer[0] / took[0], tokenizer[1] / took[1]))
        seconds.append(took)
    return shares, seconds


def line(name: str, shares: list[Times]) -> str:
    """One row: middle, least and most by the clock, and the same by processor time."""
    cells = [f"{statistics.median(some):.3f} ({min(some):.3f} to {max(some):.3f})"
             for some in zip(*shares, strict=True)]  # fmt: skip
    return f"| {name} | {' | '.join(cells)} |"


def two_over_one(one: list[Times], two: list[Times]) -> list[Times]:
    return [(a[0] / b[0], 2 * a[1] / b[1]) for a, b in zip(one, two, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=5)
    names = "alone, pipe, entities, sentences"
    parser.add_argument("--only", default="", help=f"some of {names}; commas between them")
    options = parser.parse_args()
    only = {name for name in options.only.split(",") if name}
    texts, seconds = corpus(options.words), {}
    print("| way | share by the clock | share by processor time |")
    print("| --- | ---: | ---: |")
    with tempfile.TemporaryDirectory() as place:
        for way in ways(Path(place), only):
            shares, seconds[way.name] = measured(way, texts, options.turns)
            print(line(way.name, shares), flush=True)
            if "two processes" in way.name:
                one, two = list(seconds.values())[-2:]
                print(line("two processes over one", two_over_one(one, two)), flush=True)


if __name__ == "__main__":
    main()
