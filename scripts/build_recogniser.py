"""Trains the recogniser: python scripts/build_recogniser.py --wordnet FOLDER [--out FOLDER].

The network learns from documents that recogniser/generate.py makes while it learns; it sees none
twice. The same seed and steps give the same network on the same machine. See README.md.
"""

from __future__ import annotations

import argparse
import gzip
import re
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from recogniser.generate import DATA, HERE, Lists, Writer
from spacy.tokens import Doc
from thinc.api import Adam, fix_random_seed, warmup_linear

from spacy_dxprivacy.entities import network
from spacy_dxprivacy.entities.words import features

EXAMPLE = re.compile(r'"([^"]+)"')
MID_CAPITAL = re.compile(r"(?<![.!?] )(?<!^)\b(?!I\b|I')[A-Z]\w")


def save(model: network.Network, folder: Path) -> None:
    """Write the parameters as float16."""
    folder.mkdir(exist_ok=True, parents=True)
    arrays: dict[str, Any] = {name: now.astype(np.float16) for name, now in network.named(model)}
    np.savez_compressed(folder / network.FILE, **arrays)


def carriers(wordnet: Path) -> list[str]:
    """Return sentences without names: WordNet's examples, and what the language model wrote."""
    found = []
    for file in sorted(wordnet.glob("data.*")):
        for line in file.read_text("latin-1").splitlines():
            found += [one for one in EXAMPLE.findall(line) if " " in one]
    with gzip.open(HERE / "carriers.txt.gz", "rt", encoding="utf8") as lines:
        found += lines.read().splitlines()
    return [line for line in found if 3 < len(line) < 300 and not MID_CAPITAL.search(line)]


def tags(doc: Doc, spans: list[tuple[str, int, int]]) -> list[int]:
    """Return the tag of each token: where an entity begins, goes on, or none is."""
    found = [0] * len(doc)
    for label, start, end in spans:
        span = doc.char_span(start, end, alignment_mode="expand")
        for place in range(span.start, span.end):
            found[place] = network.tag(label, begins=place == span.start)
    return found


def batches(writer: Writer, words: int) -> Iterator[tuple[list[Doc], np.ndarray]]:
    """Yield Docs of about so many words, and the tags of their tokens."""
    nlp = spacy.blank("en")
    docs, gold, size = [], [], 0
    for text, spans in writer.documents():
        doc = nlp.make_doc(text)
        if not 0 < len(doc) < 1000:
            continue
        docs.append(doc)
        gold += tags(doc, spans)
        size += len(doc)
        if size >= words:
            yield docs, np.array(gold)
            docs, gold, size = [], [], 0


def main() -> None:
    """Train, and write the model where the package has it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=DATA / "ner-en")
    parser.add_argument("--steps", type=int, default=9000)
    parser.add_argument("--words", type=int, default=1500, help="of a batch")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    fix_random_seed(args.seed)
    writer = Writer(Lists(), carriers(args.wordnet), args.seed)
    model = network.make()
    model.initialize()
    optimizer = Adam(warmup_linear(0.002, 100, args.steps), L2=1e-6, grad_clip=1.0)
    began, seen, losses = time.monotonic(), 0, 0.0
    some = islice(batches(writer, args.words), args.steps)
    for step, (docs, gold) in enumerate(some, 1):
        by_doc, backprop = model.begin_update(features(docs))
        guesses = np.concatenate(by_doc)
        error = guesses.copy()
        error[np.arange(len(gold)), gold] -= 1.0
        backprop(np.split(error, np.cumsum([len(one) for one in by_doc])[:-1]))
        model.finish_update(optimizer)
        optimizer.step_schedules()
        losses -= float(np.log(guesses[np.arange(len(gold)), gold] + 1e-9).mean())
        seen += len(gold)
        if step % 100 == 0:
            rate = seen / (time.monotonic() - began)
            print(f"{step} loss {losses / 100:.4f}, {rate:,.0f} words/s", flush=True)
            losses = 0.0
            save(model, args.out)
    save(model, args.out)


if __name__ == "__main__":
    main()
