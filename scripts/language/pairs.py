"""The law of pairs of types, out of a language model of words and pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from language.arpa import Arpa, beyond_back_off
from language.types import YEAR, Floats, Types, tokens
from spacy_dxprivacy import Space
from spacy_dxprivacy.prior.builtin import OF_FREQUENCY, OF_LOG, OF_PAIR
from spacy_dxprivacy.prior.make import pruned as prune

YEARS = 0.6  # share of the spoken "nineteen" that is the beginning of a year
STEPS = 30  # of the power method


@dataclass(frozen=True)
class Model:
    """p: (V,), of words, 0 of <s>. back: (V,). beyond: csr (V, V), what pairs say beyond their
    back-off, never below 0. often: (V,), how common words are in text of the chain."""

    words: list[str]
    p: Floats
    back: Floats
    beyond: Any
    often: Floats


@dataclass(frozen=True)
class Pairs:
    """As Chain has it; the last row of delta and back begins sentences. mass: (K + 1,), how common
    each context is."""

    u: Floats
    back: Floats
    delta: Any
    end: Floats
    mass: Floats


def model_of(arpa: Arpa) -> Model:
    p, back = arpa.p * (np.array(arpa.words) != "<s>"), arpa.back
    beyond = beyond_back_off(arpa)
    begin, end = arpa.words.index("<s>"), arpa.words.index("</s>")
    often = p / p.sum()
    for _ in range(STEPS):
        often[begin], often[end] = often[end], 0
        often = (often * back).sum() * p + beyond.T @ often
        often /= often.sum()
    often[begin] = often[end]
    return Model(arpa.words, p, back, beyond, often)


def mass_of_tokens(model: Model, space: Space) -> dict[str, float]:
    known = {w.lower() for w in space.words}
    mass: dict[str, float] = {}
    for word, often in zip(model.words, model.often.tolist(), strict=True):
        for token in tokens(word, known):
            mass[token] = mass.get(token, 0) + often
    return mass


def pairs_of(model: Model, types: Types, space: Space) -> Pairs:
    k = len(types.names)
    first, last, inner = _spread(model, types, space)
    first = first @ sp.diags_array(np.append(types.growth, [1, 1]))
    context = sp.diags_array(model.often) @ last
    joint = (context.T @ model.beyond @ first).tocsr()
    words, before, after = np.array(inner).T
    joint = joint + sp.csr_array((model.often[words], (before, after)), shape=joint.shape)
    return _normalised(joint.tocsr(), context.T @ model.back, first.T @ model.p, k)


def _spread(model: Model, types: Types, space: Space) -> tuple[Any, Any, list[tuple[int, ...]]]:
    """first, last: (V, K + 2), which type a word begins and ends with; the last two columns are <s>
    and </s>. inner: (word, type, type) within words of several tokens."""
    k = len(types.names)
    index = {w.lower(): int(t) for w, t in zip(space.words[::-1], types.of_row[::-1], strict=True)}
    index |= {"<s>": k, "</s>": k + 1}
    known, first, last, inner = set(index), [], [], []
    for i, word in enumerate(model.words):
        ids = [index[t] for t in tokens(word, known)]
        if ids:
            first.append((i, ids[0], 1.0))
            last.append((i, ids[-1], 1.0))
            inner += [(i, a, b) for a, b in pairwise(ids)]
    first, last = _with_years(model, types, first, last)
    return _matrix(first, model, k), _matrix(last, model, k), inner


def _with_years(model: Model, types: Types, *cells: Any) -> tuple[list[Any], list[Any]]:
    """Years are said as "nineteen ...", and stand where "yesterday" may."""
    year, nineteen = types.names.index(YEAR), model.words.index("nineteen")
    yesterday = model.words.index("yesterday")
    first = [(i, t, 1 - YEARS if i == nineteen else v) for i, t, v in cells[0]]
    return [*first, (nineteen, year, YEARS)], [*cells[1], (yesterday, year, 0.5)]


def _matrix(cells: list[Any], model: Model, k: int) -> Any:
    i, j, values = np.array(cells).T
    shape = (len(model.words), k + 2)
    return sp.csr_array((values, (i.astype(int), j.astype(int))), shape=shape)


def _normalised(joint: Any, back: Floats, u: Floats, k: int) -> Pairs:
    total = _some(back * u.sum() + joint.sum(axis=1))
    end = (back * u[k + 1] + joint[:, [k + 1]].toarray().ravel()) / total
    words = _some(back * u[:k].sum() + joint[:, :k].sum(axis=1))
    delta = (sp.diags_array(1 / words) @ joint[:, :k]).tocsr()[: k + 1]
    share = (back / words * u[:k].sum())[: k + 1]
    share[share + delta.sum(axis=1) < 0.5] = 1  # contexts that were never seen
    mass = total[: k + 1] / total[: k + 1].sum()
    return Pairs(u[:k] / u[:k].sum(), share, delta, np.clip(end[:k], 1e-4, 0.999), mass)


def _some(sums: Floats) -> Floats:
    return np.where(sums == 0, 1, sums)


def pruned(pairs: Pairs, most: int) -> Pairs:
    """The pairs that tell most."""
    delta, back = prune(pairs.delta, pairs.back, pairs.u, pairs.mass, most)
    return replace(pairs, delta=delta, back=back)


def packed(pairs: Pairs, types: Types, frequency: Floats, digest: str) -> dict[str, Any]:
    """The arrays of pairs.npz: see spacy_dxprivacy/prior/builtin.py."""
    k = len(pairs.u)
    logs = {"u": pairs.u, "end": pairs.end, "alone": pairs.mass[:k]}
    logs = {name: np.log(np.maximum(values, 1e-300)) for name, values in logs.items()}
    return {
        "frequency": pack(np.log(frequency), OF_FREQUENCY, np.uint8),
        "type_of_row": types.of_row.astype(np.uint16),
        **{name: pack(log, OF_LOG, np.uint16) for name, log in logs.items()},
        **pack_rows(pairs.delta),
        "digest": np.frombuffer(digest.encode(), dtype=np.uint8),
    }


def pack(log: Floats, steps: int, kind: Any) -> Any:
    """Return natural logarithms, 0 or less, as whole steps below 0, of an unsigned type."""
    return np.clip(np.rint(-log * steps), 0, np.iinfo(kind).max).astype(kind)


def pack_rows(table: Any, before: str = "") -> dict[str, Any]:
    """Return the successors of a csr table of probabilities. Steps are rounded down, so that rows
    stay below 1. before: Of the names of the arrays."""
    counts = np.diff(table.indptr)
    gaps = np.diff(table.indices, prepend=0)
    begins = table.indptr[:-1][counts > 0]
    gaps[begins] = table.indices[begins]
    steps = np.clip(np.ceil(-np.log(np.minimum(table.data, 1)) * OF_PAIR), 0, 255)
    return {
        f"{before}successors": counts.astype(np.uint16),
        f"{before}gap_low": (gaps & 255).astype(np.uint8),
        f"{before}gap_high": (gaps >> 8).astype(np.uint8),
        f"{before}steps": steps.astype(np.uint8),
    }


def pack_contexts(x: Any, y: Any, more: Any) -> dict[str, Any]:
    """Return the arrays of C different contexts.

    Args:
        x: int (C,), their first types, K where the second one begins a sentence.
        y: int (C,), their second types.
        more: csr float (C, K), what follows beyond (1 - its sum) P(z | y); with sorted indices.
    """
    own = {"context_x": x.astype(np.uint16), "context_y": y.astype(np.uint16)}
    return own | pack_rows(more, "context_")
