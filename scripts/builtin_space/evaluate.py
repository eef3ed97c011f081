"""Figures of a built table: similarity sets, coverage of texts, forms kept, neighbours.

python -m builtin_space.evaluate TABLE --pairs SET... --texts FILE... --words doctor London
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from builtin_space.table import Table, read_table

FORMS = "plural past past_participle gerund third_person comparative superlative".split()
LISTS = (
    "first_name_female first_name_male surname city country state nationality month weekday year "
    "number ordinal preposition pronoun conjunction modal interjection"
).split()


def find(table: Table, word: str) -> int:
    """Row of a word as written, in lower case, capitalised, or in capitals; -1 if there is none."""
    for case in (word, word.lower(), word.capitalize(), word.upper()):
        if case in table.row:
            return table.row[case]
    return -1


def similarity(table: Table, path: Path) -> tuple[float, int, int]:
    """Spearman's rho with the human scores of ``word word ... score`` lines; pairs used, pairs."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(c[0], c[1], float(c[-1])) for c in lines if len(c) > 2 and _is_number(c[-1])]
    used = [(find(table, a), find(table, b), score) for a, b, score in pairs]
    used = [u for u in used if u[0] >= 0 and u[1] >= 0]
    ours = [float(table.vectors[a] @ table.vectors[b]) for a, b, _ in used]
    return float(spearmanr(ours, [u[2] for u in used])[0]), len(used), len(pairs)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", cell) is not None


def coverage(table: Table, text: str) -> tuple[float, float, float]:
    """Share of a text's words that the table holds: exact or lower; any case; same, first 20k."""
    tokens = re.findall(r"[^\W\d_]+", text)
    strict = [w in table.row or w.lower() in table.row for w in tokens]
    rows = np.array([find(table, w) for w in tokens])
    return float(np.mean(strict)), float(np.mean(rows >= 0)), _share(rows, 20000)


def _share(rows: NDArray[np.int64], limit: int) -> float:
    return float(np.mean((rows >= 0) & (rows < limit)))


def neighbours(table: Table, rows: Sequence[int], k: int) -> NDArray[np.int64]:
    cosine = table.vectors[list(rows)] @ table.vectors.T
    cosine[np.arange(len(rows)), list(rows)] = -2
    return np.argsort(-cosine, axis=1, kind="stable")[:, :k]


def purity(table: Table, name: str, k: int = 10, most: int = 300) -> float:
    """Mean share of the k nearest words that have the class too (the commonest words of it)."""
    rows = table.members(name)[:most]
    return float(np.mean(table.has(name)[neighbours(table, rows, k)]))


def form_purity(table: Table, name: str, k: int = 10, most: int = 500) -> float:
    """The same for a form, over words that have this form and no base reading of their own."""
    mask = table.has(name) & ~table.has("proper")
    others = [f for f in FORMS if f != name and {f, name} != {"past", "past_participle"}]
    for other in others:
        mask &= ~table.has(other)
    rows = np.flatnonzero(mask)[:most].tolist()
    return float(np.mean(table.has(name)[neighbours(table, rows, k)]))


def spread(table: Table, sample: int = 3000, frequent: int = 12000) -> NDArray[np.float64]:
    """Distances to the 1st, 10th and 100th neighbour; the 5, 25, 50, 75 and 95 % quantiles."""
    rows = np.random.default_rng(0).choice(frequent, sample, replace=False)
    near = np.sort(table.vectors[rows] @ table.vectors.T, axis=1)[:, [-2, -11, -101]]
    return np.quantile(np.sqrt(np.maximum(0, 2 - 2 * near)), [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)


def kept(table: Table, epsilon: float, sample: int = 3000, frequent: int = 12000) -> float:
    """Share of frequent words that noise of density exp(-epsilon * |z|) leaves as they are."""
    rng = np.random.default_rng(0)
    rows = rng.choice(frequent, sample, replace=False)
    noise = rng.standard_normal((sample, table.vectors.shape[1]))
    noise *= (rng.gamma(noise.shape[1], 1 / epsilon, sample) / np.linalg.norm(noise, axis=1))[
        :, None
    ]
    noisy = (table.vectors[rows] + noise).astype(np.float32)
    half = (table.vectors**2).sum(axis=1) / 2
    return float(np.mean((noisy @ table.vectors.T - half).argmax(axis=1) == rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--pairs", type=Path, nargs="*", default=[])
    parser.add_argument("--texts", type=Path, nargs="*", default=[])
    parser.add_argument("--words", nargs="*", default=[])
    args = parser.parse_args()
    table = read_table(args.table)
    print(f"{len(table.words)} words, {table.vectors.shape[1]} dimensions")
    for path in args.pairs:
        print("similarity {}: {:.3f} ({} of {} pairs)".format(path.name, *similarity(table, path)))
    for path in args.texts:
        text = path.read_text(encoding="utf-8", errors="replace")
        print("coverage {}: strict {:.3f} any {:.3f} 20k {:.3f}".format(
            path.name, *coverage(table, text)))  # fmt: skip
    print("lists", " ".join(f"{n}={purity(table, n):.2f}" for n in LISTS))
    print("forms", " ".join(f"{n}={form_purity(table, n):.2f}" for n in FORMS))
    for name, row in zip(("1st", "10th", "100th"), spread(table).T, strict=True):
        print(f"distance to the {name} neighbour:", " ".join(f"{value:.2f}" for value in row))
    print("kept", " ".join(f"{e}: {kept(table, e):.2f}" for e in (10, 20, 30, 40, 50, 60, 80)))
    for word in args.words:
        row = table.row.get(word, -1)
        near = neighbours(table, [row], 8)[0] if row >= 0 else []
        print(f"{word}: {', '.join(table.words[i] for i in near)}")


if __name__ == "__main__":
    main()
