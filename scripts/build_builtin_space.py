"""Builds the built-in English space. See scripts/README.md for its sources.

PYTHONHASHSEED=0 python scripts/build_builtin_space.py --wordnet FOLDER [--out FOLDER]
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Sequence
from pathlib import Path

import joblib
import numpy as np
from builtin_space import classes, embed, finish, graph, positions, pull, senses, vocabulary
from builtin_space.embed import Matrix
from builtin_space.lexicon import read_lexicon
from builtin_space.vocabulary import Lexicon, Word

DATA = Path(__file__).resolve().parent.parent / "spacy_dxprivacy" / "data"
SIZE = 60000
DIMS = 64
BEGAN = time.perf_counter()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--cache", type=Path, default=None, help="keeps the walks between runs")
    parser.add_argument("--out", type=Path, default=DATA / "en")
    parser.add_argument("--size", type=int, default=SIZE)
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    lexicon = read_lexicon(args.wordnet, DATA / "offensive.txt")
    words = vocabulary.choose(lexicon, args.size)
    say(f"{len(words)} words chosen")
    words, relation, gloss = look(words, lexicon, args.cache)
    write(words, relation, gloss, args.out)
    say(f"written to {args.out}; {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")


def look(
    words: Sequence[Word], lexicon: Lexicon, cache: Path | None
) -> tuple[list[Word], Matrix, Matrix]:
    """The words that have a place in the graphs, and what each graph says of them."""
    edges = (lexicon.net, lexicon.forms, lexicon.anchors, classes.group_anchors(words))
    evidence = senses.fit_senses(lexicon.anchors, lexicon.net, graph.build_graphs(*edges)[1])
    say(f"senses of {len(evidence)} anchored words weighed")
    graphs = graph.build_graphs(*edges, evidence)
    index = graphs[0].index
    start = graph.start_rows(words, lexicon.net, index, lexicon.anchors, evidence)
    placed = np.flatnonzero(np.asarray(start.sum(axis=1)).ravel() > 0).tolist()
    words, start = [words[i] for i in placed], start[placed]
    say(f"{len(words)} words placed in a graph of {len(index)} nodes")
    view = joblib.Memory(cache, verbose=0).cache(embed.view)
    fit = embed.fit_rows(words)
    relation, gloss = (view(part, start, fit) for part in graphs)
    if cache:
        joblib.dump((words, relation, gloss), cache / "views.joblib")
    say("walks done")
    return words, relation, gloss


def write(words: Sequence[Word], relation: Matrix, gloss: Matrix, out: Path) -> None:
    texts, kinds = [word.text for word in words], [word.classes for word in words]
    X = pull.pull(words, embed.combine(relation, gloss, words, DIMS))
    derived = np.array([word.derived for word in words])
    X = finish.part_twins(texts, positions.place(texts, kinds, X), derived)
    finish.write(out, texts, X, classes.class_array(kinds), classes.CLASS_NAMES)


def say(what: str) -> None:
    print(f"{time.perf_counter() - BEGAN:7.1f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
