"""Read words, pairs and triples of an ARPA file, as SRILM, KenLM and CMU Sphinx write them.

Nothing here checks that probabilities add up, or counts the n-grams.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from spacy_dxprivacy.arrays import Floats1d, Ints1d
from spacy_dxprivacy.prior.cells import places_in

LN10 = float(np.log(10.0))


class Ngrams(NamedTuple):
    """m n-grams by rising context and word: numbers of their contexts (of words, or of pairs) and
    words, probabilities, and back-off weights."""

    contexts: Ints1d
    words: Ints1d
    p: Floats1d
    back: Floats1d


class Arpa(NamedTuple):
    """p, back: float64 (V,), of the V words. triples: their contexts are places in pairs."""

    words: list[str]
    p: Floats1d
    back: Floats1d
    pairs: Ngrams
    triples: Ngrams


def read_arpa(path: Path, order: int) -> Arpa:
    """Raises KeyError, IndexError or ValueError for a line that is no n-gram of listed words, and a
    file that is cut off."""
    index: dict[str, int] = {}
    rows: list[list[tuple[float, ...]]] = [[] for _ in range(4)]
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf8") as file:
        n, ended = 0, False
        for line in file:
            cells = line.split()
            if line.startswith("\\"):
                n, ended = int(line[1]) if "-grams:" in line else 0, line.startswith("\\end\\")
            elif cells and 1 <= n <= order:
                if n == 1:
                    index.setdefault(cells[1], len(index))
                back = float(cells[n + 1]) if len(cells) > n + 1 and order > 1 else 0.0
                ids = (index[word] for word in cells[1 : n + 1])
                rows[n].append((*ids, float(cells[0]), back))
    one, two, three = (np.array(sorted(rows[n])).reshape(-1, n + 2).T for n in (1, 2, 3))
    x, y, V = two[0].astype(int), two[1].astype(int), len(index)
    places = places_in(x * V + y, (three[0] * V + three[1]).astype(int))
    if not ended or len(one[0]) != V or (places < 0).any():
        raise ValueError("cut off, or a word is repeated, or a triple begins with no listed pair")
    triples = Ngrams(places, three[2].astype(int), *np.exp(LN10 * three[3:]))
    pairs = Ngrams(x, y, *np.exp(LN10 * two[2:]))
    return Arpa(list(index), *np.exp(LN10 * one[1:]), pairs, triples)


def beyond_back_off(arpa: Arpa) -> Any:
    """Return the probabilities of pairs beyond their back-off, csr (V, V), not negative."""
    x, y, p, _ = arpa.pairs
    extra = np.maximum(p - arpa.back[x] * arpa.p[y], 0.0)
    return csr_array((extra, (x, y)), shape=(len(arpa.words), len(arpa.words)))
