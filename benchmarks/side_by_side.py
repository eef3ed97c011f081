"""Other tools beside ours, on the same text, as shares of the rate of spaCy's tokenizer:

    OMP_NUM_THREADS=1 python benchmarks/side_by_side.py --python ENV/bin/python [--words 4000]

Each --python is that of an environment with spaCy and some of presidio-analyzer with
presidio-anonymizer, scrubadub and pypantera; what is not there is left out, and told. Shares are of
processor time, in turns with the tokenizer alone in the same process: the middle of five turns, the
least and the most. Set-up is not counted, and the text is read once before the first turn.

presidio has its own rules and no model (the NLP engine is a blank pipeline). pypantera's CMP is the
mechanism of dx.Laplace.v1; it holds words x rows x dimensions numbers at once, so both have the
first 10,000 words of the built-in space, and texts of 20 words.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spacy

Work = Callable[[list[str]], Any]
ROWS, SHORT = 10_000, 20


# -- others: nothing of ours is imported ----------------------------------------------------------


def presidio(folder: Path) -> Work:
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
    from presidio_anonymizer import AnonymizerEngine

    models = [{"lang_code": "en", "model_name": "blank"}]
    engine = SpacyNlpEngine(models, NerModelConfiguration(labels_to_ignore=["O"]))
    engine.nlp = {"en": spacy.blank("en")}
    analyzer, anonymizer = AnalyzerEngine(nlp_engine=engine), AnonymizerEngine()

    def work(texts: list[str]) -> None:
        for text in texts:
            anonymizer.anonymize(text, analyzer.analyze(text, language="en"))

    return work


def scrubadub(folder: Path) -> Work:
    from scrubadub import Scrubber

    scrubber = Scrubber()
    return lambda texts: [scrubber.clean(text) for text in texts]


def pypantera(folder: Path) -> Work:
    import pandas
    from src.EmbeddingPerturbationMechanism.cmp import CMP

    mechanism = CMP({"embPath": str(folder / "vectors.txt"), "epsilon": 10.0})
    return lambda texts: mechanism.obfuscateText(
        pandas.DataFrame({"id": range(len(texts)), "text": texts}), 1
    )


OTHERS = {"presidio": presidio, "scrubadub": scrubadub, "pypantera": pypantera}


def others(folder: Path) -> Iterator[tuple[str, Work]]:
    for name, make in OTHERS.items():
        try:
            yield name, make(folder)
        except ImportError as error:
            print(f"{name} is not in {sys.executable}: {error.name} is missing", file=sys.stderr)


# -- ours -----------------------------------------------------------------------------------------


def ours(folder: Path) -> Iterator[tuple[str, Work]]:
    from whole_way import ALONE, command

    from spacy_dxprivacy.batch.build import make_pipeline

    yield "dx sanitize, words alone", command(make_pipeline(config=ALONE), folder)
    yield "dx sanitize, whole sentences (the default)", command(make_pipeline(), folder)
    yield (
        "dx sanitize --entities person,date",
        command(make_pipeline(entities=["person", "date"]), folder),
    )
    nlp = spacy.blank("en")
    space = {"@dx_spaces": "dx.FileSpace.v1", "path": str(folder / "space")}
    mechanism = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 10.0}
    nlp.add_pipe("dx_sanitizer", config={"space": space, "mechanism": mechanism})
    yield "dx.Laplace.v1, texts of 20 words", command(nlp, folder)


def prepare(folder: Path, words: int) -> None:
    """The text, whole and in short pieces, and the table, as a folder and as text."""
    from whole_way import corpus

    from spacy_dxprivacy import Space

    space = Space.builtin()
    few = Space.from_vectors(space.words[:ROWS], space.vectors[:ROWS])
    few.save(folder / "space")
    rows = (f"{w} {' '.join(map(str, x))}" for w, x in zip(few.words, few.vectors, strict=True))
    (folder / "vectors.txt").write_text("\n".join(rows) + "\n", encoding="utf8")
    texts = corpus(words)
    every = " ".join(texts).split()
    short = [" ".join(every[i : i + SHORT]) for i in range(0, len(every) // 4, SHORT)]
    told = json.dumps({"texts": texts, "short": short})
    (folder / "texts.json").write_text(told, encoding="utf8")


# -- measuring ------------------------------------------------------------------------------------


def shares(work: Work, texts: list[str], turns: int) -> list[float]:
    tokenizer = spacy.blank("en").tokenizer
    all(len(doc) for doc in tokenizer.pipe(texts))
    work(texts)
    found = []
    for _ in range(turns):
        alone = seconds(lambda: all(len(doc) for doc in tokenizer.pipe(texts)))
        found.append(alone / seconds(lambda: work(texts)))
    return found


def seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def show(tools: Iterator[tuple[str, Work]], folder: Path, turns: int) -> None:
    told = json.loads((folder / "texts.json").read_text(encoding="utf8"))
    for name, work in tools:
        short = name == "pypantera" or "20 words" in name
        found = shares(work, told["short" if short else "texts"], turns)
        spread = f"{min(found):.2g} to {max(found):.2g}"
        print(f"| {name} | {statistics.median(found):.2g} ({spread}) |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=4_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--python", action="append", default=[], help="of an environment of others")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder is not None:
        show(others(options.folder), options.folder, options.turns)
        return
    with tempfile.TemporaryDirectory() as place:
        prepare(Path(place), options.words)
        print("| tool | share of the tokenizer's rate |\n| --- | ---: |", flush=True)
        show(ours(Path(place)), Path(place), options.turns)
        for python in options.python:
            turns = ["--turns", str(options.turns), "--folder", place]
            subprocess.run([python, __file__, *turns], check=True)


if __name__ == "__main__":
    main()
