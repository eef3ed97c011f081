"""Figures of a built table: similarity sets, coverage of texts, forms and classes kept.

python -m builtin_space.evaluate TABLE --pairs SET... --texts FILE...

`dx inspect WORD --space TABLE` shows neighbours.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from spacy_dxprivacy import Space

FORMS = "plural past past_participle gerund third_person comparative superlative".split()
LISTS = (
    "first_name_female first_name_male surname city country state nationality month weekday year "
    "number ordinal preposition pronoun conjunction modal interjection"
).split()


def similarity(space: Space, path: Path) -> tuple[float, int, int]:
    """Spearman's rho with the human scores of ``word word ... score`` lines; pairs used, pairs."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(c[0], c[1], float(c[-1])) for c in lines if len(c) > 2 and _is_number(c[-1])]
    used = [(space.find(a), space.find(b), score) for a, b, score in pairs]
    used = [u for u in used if u[0] >= 0 and u[1] >= 0]
    ours = [float(space.vectors[a] @ space.vectors[b]) for a, b, _ in used]
    return float(spearmanr(ours, [u[2] for u in used])[0]), len(used), len(pairs)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", cell) is not None


def coverage(space: Space, text: str) -> tuple[float, float]:
    """Share of a text's words that the table holds: exact or lower; any case."""
    tokens, known = re.findall(r"[^\W\d_]+", text), set(space.words)
    strict = [w in known or w.lower() in known for w in tokens]
    rows = np.array([space.find(w) for w in tokens])
    return float(np.mean(strict)), float(np.mean(rows >= 0))


def neighbours(space: Space, rows: Sequence[int], k: int) -> NDArray[np.int64]:
    cosine = space.vectors[list(rows)] @ space.vectors.T
    cosine[np.arange(len(rows)), list(rows)] = -2
    return np.argsort(-cosine, axis=1, kind="stable")[:, :k]


def purity(space: Space, name: str, k: int = 10, most: int = 300) -> float:
    """Mean share of the k nearest words that have the class too (the commonest words of it)."""
    rows = np.flatnonzero(space.with_class(name))[:most].tolist()
    return float(np.mean(space.with_class(name)[neighbours(space, rows, k)]))


def form_purity(space: Space, name: str, k: int = 10, most: int = 500) -> float:
    """The same for a form, over words that have this form and no base reading of their own."""
    mask = space.with_class(name) & ~space.with_class("proper")
    others = [f for f in FORMS if f != name and {f, name} != {"past", "past_participle"}]
    for other in others:
        mask &= ~space.with_class(other)
    rows = np.flatnonzero(mask)[:most].tolist()
    return float(np.mean(space.with_class(name)[neighbours(space, rows, k)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--pairs", type=Path, nargs="*", default=[])
    parser.add_argument("--texts", type=Path, nargs="*", default=[])
    args = parser.parse_args()
    space = Space.load(args.table)
    print(f"{len(space.words)} words, {space.vectors.shape[1]} dimensions")
    for path in args.pairs:
        print("similarity {}: {:.3f} ({} of {} pairs)".format(path.name, *similarity(space, path)))
    for path in args.texts:
        text = path.read_text(encoding="utf-8", errors="replace")
        print("coverage {}: strict {:.3f} any {:.3f}".format(path.name, *coverage(space, text)))
    print("lists", " ".join(f"{n}={purity(space, n):.2f}" for n in LISTS))
    print("forms", " ".join(f"{n}={form_purity(space, n):.2f}" for n in FORMS))


if __name__ == "__main__":
    main()
