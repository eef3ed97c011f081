"""Two-word contexts of the language model: triples of the source and of the teacher, mixed.

The evidence for P(z | x, y) is three counts that are added up: WORDS words of the source's text in
the share of (x, y), what the teacher said after (x, y), and PRIOR words of the pair model. So the
teacher speaks where the source saw little, such as after "patient denies", and hardly elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from language.arpa import Arpa
from language.pairs import Model, Pairs
from language.taught import Cutter, events_of, said_of
from language.types import Floats, Ints, Types
from spacy_dxprivacy.prior.cells import cells_of

WORDS = 1e6
PRIOR = 3.0
SOURCE_CONTEXTS = 60_000  # the commonest of the source are asked for their triples
LEAST_JOINT = 2e-8  # probability of a triple that is asked for
LEAST_RATIO = 1.02  # over its back-off, of a triple that the source lists
LEAST_PLACES = 2.0  # of a context of the teacher
LEAST_SHARE = 1e-3  # of a next word of the teacher


@dataclass(frozen=True)
class Triples:
    """Evidence on contexts. x, y: (C,), types; K + 1 begins sentences. places: (C,), how often each
    was seen. beyond: csr (C, K + 2), how often each type came beyond the back-off."""

    x: Ints
    y: Ints
    places: Floats
    beyond: Any


def of_source(arpa: Arpa, model: Model, types: Types) -> Triples:
    """The triples of pocketsphinx's model, which it gives one by one; see language/sphinx.py."""
    import pocketsphinx

    K = len(types.names)
    index = {name: i for i, name in enumerate(types.names)} | {"<s>": K + 1, "</s>": K + 1}
    of_word = np.array([index.get(word, -1) for word in model.words])
    x, y, back = arpa.pairs.contexts, arpa.pairs.words, arpa.pairs.back
    follows = model.back[x] * model.p[y] + cells_of(model.beyond, x, y)
    often = model.often[x] * follows * ((of_word[x] >= 0) & (of_word[y] >= 0) & (of_word[y] < K))
    often[~(arpa.pairs.back < 1)] = 0  # no triple begins with them
    some = np.argsort(-often, kind="stable")[:SOURCE_CONTEXTS]
    settings, logs = pocketsphinx.Config(), pocketsphinx.LogMath()
    path = pocketsphinx.get_model_path("en-us/en-us.lm.bin")
    ngrams = pocketsphinx.NGramModel(settings, logs, path)
    cells: list[tuple[int, int, float]] = []
    for number, pair in enumerate(some.tolist()):
        first, second = model.words[x[pair]], model.words[y[pair]]
        listed = slice(*model.beyond.indptr[y[pair] : y[pair] + 2])
        after = model.beyond.indices[listed]
        lower = model.back[y[pair]] * model.p[after] + model.beyond.data[listed]
        lower *= back[pair]
        wanted = (often[pair] * lower > LEAST_JOINT * back[pair]) & (of_word[after] >= 0)
        for word, least in zip(after[wanted].tolist(), lower[wanted].tolist(), strict=True):
            p = logs.exp(ngrams.prob([model.words[word], second, first]))
            if LEAST_RATIO * least < p < 1:
                cells.append((number, int(of_word[word]), p - least))
    rows, columns, beyond = np.array(cells).T
    places = WORDS * often[some]
    table = sp.csr_array(
        (beyond, (rows.astype(int), columns.astype(int))), shape=(len(some), K + 2)
    )
    table = (sp.diags_array(places) @ table).tocsr()
    return Triples(of_word[x[some]], of_word[y[some]], places, table)


def of_teacher(files: list[Path], cutter: Cutter) -> Triples:
    """What the teacher said after each context of two words."""
    parts = [_of_file(np.load(path), cutter) for path in files]
    keys = np.concatenate([keys for keys, _ in parts])
    said = sp.vstack([table for _, table in parts]).tocsr()
    distinct, number = np.unique(keys, return_inverse=True)
    places = np.bincount(number)
    kept = np.flatnonzero(places[number] >= LEAST_PLACES)
    often = np.flatnonzero(places >= LEAST_PLACES)
    to = np.searchsorted(often, number[kept])
    spread = sp.csr_array((np.ones(len(kept)), (to, kept)), shape=(len(often), len(keys)))
    x, y = np.divmod(distinct[often], cutter.types + 2)
    return Triples(x, y, places[often].astype(np.float64), (spread @ said).tocsr())


def _of_file(written: Any, cutter: Cutter) -> tuple[Ints, Any]:
    """(places,), the two types before as one number, and csr (places, K + 2), what was said."""
    events, K = list(events_of(written, cutter)), cutter.types
    x, y = (np.array([getattr(one, name) for one in events]) for name in ("two", "before"))
    asked = [one for one in events if one.after is None]
    lanes, places = (np.array([getattr(one, n) for one in asked]) for n in ("lane", "place"))
    said = said_of(written["ids"][lanes, places], written["shares"][lanes, places], cutter)
    said.data[said.data < LEAST_SHARE] = 0
    said.eliminate_zeros()
    is_asked = np.array([one.after is None for one in events])
    after = [one.after for one in events if one.after is not None]
    to_asked = _picked(np.flatnonzero(is_asked), len(events))
    to_known = _picked(np.flatnonzero(~is_asked), len(events))
    known = sp.csr_array((np.ones(len(after)), (np.arange(len(after)), after)), (len(after), K + 2))
    wide = sp.hstack([said, sp.csr_array((said.shape[0], 2))]).tocsr()
    return x * (K + 2) + y, (to_asked @ wide + to_known @ known).tocsr()


def _picked(rows: Ints, n: int) -> Any:
    return sp.csr_array((np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(n, len(rows)))


def contexts_of(
    pairs: Pairs, evidence: list[Triples], most: int, triples: int
) -> tuple[Ints, Ints, Any]:
    """The contexts that gain most in likelihood over the pairs, with the triples that do: as
    pairs.pack_contexts takes them."""
    K = len(pairs.u)
    x, y, places, beyond = _added(evidence, K)
    total = places + PRIOR
    table = (sp.diags_array(1 / total) @ beyond).tocsr()
    words = 1 - table[:, K:].sum(axis=1)
    table = (sp.diags_array(1 / np.maximum(words, 1e-9)) @ table[:, :K]).tocsr()
    context, z = table.tocoo().coords
    lower = np.clip(1 - table.sum(axis=1), 0, 1)
    by_pair = pairs.back[y[context]] * pairs.u[z] + cells_of(pairs.delta, y[context], z)
    by_pair = np.maximum(by_pair, 1e-12)
    now = lower[context] * by_pair + table.data
    mass = total / total.sum()
    gain = np.where(now > by_pair, mass[context] * now * np.log(now / by_pair), 0)
    gain[np.argsort(-gain, kind="stable")[2 * triples :]] = 0
    kept = gain > 0
    # What is not listed falls to the back-off, whose share grows.
    rest = 1 - np.bincount(context[kept], (now - lower[context] * by_pair)[kept], len(x))
    after = (rest[context] * by_pair + table.data) / by_pair
    worth = np.bincount(context[kept], (mass[context] * now * np.log(after))[kept], len(x))
    # No pair that is not listed leads to a context.
    begins = x == K + 1
    from_pair = cells_of(pairs.delta, np.where(begins, K, x), y)
    missed = 1 - np.bincount(context[kept], now[kept], len(x))
    worth += mass * missed * np.log(np.maximum(rest, 1e-9))
    chosen = np.zeros(len(x), dtype=bool)
    worth[~(begins | (from_pair > 0))] = 0
    chosen[np.argsort(-worth, kind="stable")[:most]] = True
    chosen &= worth > 0
    gain[~chosen[context]] = 0
    gain[np.argsort(-gain, kind="stable")[triples:]] = 0
    table.data[gain == 0] = 0
    table.eliminate_zeros()
    more = table[np.flatnonzero(chosen)]
    more.sort_indices()
    return np.where(x == K + 1, K, x)[chosen], y[chosen], more


def _added(evidence: list[Triples], K: int) -> tuple[Ints, Ints, Floats, Any]:
    """The contexts of all evidence, by rising x and y, with what all of it says together."""
    keys = [(one.x * (K + 2) + one.y)[one.y < K] for one in evidence]
    distinct = np.unique(np.concatenate(keys))
    places, beyond = np.zeros(len(distinct)), sp.csr_array((len(distinct), K + 2))
    for one, some in zip(evidence, keys, strict=True):
        which = np.flatnonzero(one.y < K)
        at = np.searchsorted(distinct, some)
        np.add.at(places, at, one.places[which])
        spread = sp.csr_array((np.ones(len(at)), (at, which)), shape=(len(distinct), len(one.x)))
        beyond = beyond + spread @ one.beyond
    x, y = np.divmod(distinct, K + 2)
    return x, y, places, beyond.tocsr()
