"""Builds the built-in English space. See scripts/README.md for its sources.

    PYTHONHASHSEED=0 python scripts/build_builtin_space.py --wordnet /usr/share/wordnet --out OUT
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import joblib
import numpy as np
from builtin_space import authored, classes, embed, finish, forms, graph
from builtin_space import origins, positions, sources, vocabulary
from builtin_space.vocabulary import Lexicon, Word
from builtin_space.wordnet import read_wordnet

ROOT = Path(__file__).resolve().parent.parent
SIZE = 48000
DIMS = 64


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--cache", type=Path, default=None, help="keeps the walks between runs")
    parser.add_argument("--out", type=Path, default=ROOT / "spacy_dxprivacy" / "data" / "en")
    parser.add_argument("--size", type=int, default=SIZE)
    return parser.parse_args()


def read_lexicon(wordnet: Path) -> Lexicon:
    """All sources, read into memory."""
    net = read_wordnet(wordnet)
    names = sources.read_names()
    for sex, listed in authored.read_groups("given_names.txt").items():
        table = names.female if sex == "female" else names.male
        for name in listed:
            table[name] = max(table.get(name, 0.0), 1e-5)
    origins.guess_regions(names)
    cities = sources.read_cities()
    listed = authored.read_new_words("modern_words.txt")
    new_words: dict[str, set[str]] = {}
    for word, part in sorted(listed):
        new_words.setdefault(word, set()).add(part)
    found = forms.read_forms(net, new_words)
    anchors = authored.read_anchors("sense_overrides.txt")
    anchors |= {word: targets for (word, _), targets in sorted(listed.items())}
    anchors = graph.resolve_anchors(anchors, net, found)
    deny = authored.read_deny_list(ROOT / "spacy_dxprivacy" / "data" / "offensive.txt")
    members = classes.collect(names, cities)
    return Lexicon(net, found, names, cities, members, anchors, new_words, deny)


def group_anchors(words: Sequence[Word]) -> dict[str, list[str]]:
    """Fine group -> lemmas that its pseudo-node leads to (authored for the coarse class)."""
    coarse = authored.read_anchors("class_anchors.txt")
    groups = sorted({group for word in words for group in word.groups})
    return {g: [graph.lemma_node(a) for a in coarse[g.split("/")[0]]] + parents(g) for g in groups}


def parents(group: str) -> list[str]:
    """Pseudo-nodes that the members of a fine group share with their near groups."""
    parts = group.split("/")
    return ["g:" + "/".join(parts[:depth]) for depth in range(1, len(parts))]


def main() -> None:
    args = parse_arguments()
    began = time.perf_counter()
    lexicon = read_lexicon(args.wordnet)
    words = vocabulary.choose(lexicon, args.size)
    say(began, f"{len(words)} words chosen")
    groups = group_anchors(words)
    graphs = graph.build_graphs(lexicon.net, lexicon.forms, lexicon.anchors, groups)
    start = graph.start_rows(words, lexicon.net, graphs[0].index, lexicon.anchors)
    placed = np.flatnonzero(np.asarray(start.sum(axis=1)).ravel() > 0)
    words, start = [words[i] for i in placed], start[placed]
    say(began, f"{len(words)} words placed in a graph of {len(graphs[0].index)} nodes")
    memory = joblib.Memory(args.cache, verbose=0)
    fit = embed.fit_rows(words)
    relation, gloss = (memory.cache(embed.view)(part, start, fit) for part in graphs)
    say(began, "walks done")
    if args.cache:
        joblib.dump((words, relation, gloss), args.cache / "views.joblib")
    X = embed.combine(relation, gloss, words, DIMS)
    texts, kinds = [word.text for word in words], [word.classes for word in words]
    X = finish.part_twins(texts, positions.place(texts, kinds, X))
    masks = classes.class_array(kinds)
    finish.write(args.out, texts, X, masks, classes.CLASS_NAMES)
    say(began, f"written to {args.out}")


def say(began: float, what: str) -> None:
    print(f"{time.perf_counter() - began:7.1f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
