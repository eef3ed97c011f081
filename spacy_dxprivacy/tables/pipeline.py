"""The static vectors of a spaCy vocabulary, as words and rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from spacy.vocab import Vocab

from ..arrays import Floats2d
from ..errors import DxError, Errors
from ..machine.compute import to_host


def has_static_vectors(vocab: Vocab) -> bool:
    """Whether the vocabulary has a table of vectors with anything in it."""
    return bool(vocab.vectors.data.shape[0] > 0 and vocab.vectors.data.shape[1] > 0)


def table_of_vocab(
    vocab: Vocab, *, words: Iterable[str] | None
) -> tuple[list[str], Floats2d, dict[str, int]]:
    """Words, float32 (n, d) and aliases. One candidate a row: the first key of the row whose string
    is known; further keys are aliases.

    Raises DxError without static vectors, for floret vectors without words, or where no key has
    a string.
    """
    if not has_static_vectors(vocab):
        raise DxError(Errors.DX021.format(hint=""))
    if vocab.vectors.mode == "floret":
        return _floret_table(vocab, words)
    firsts, aliases = _keys_by_row(vocab)
    if not firsts:
        raise DxError(Errors.DX021.format(hint=": none of their keys has a string"))
    rows = sorted(firsts)
    new_row = {row: i for i, row in enumerate(rows)}
    matrix = _to_numpy(vocab.vectors.data)[rows]
    return (
        [firsts[row] for row in rows],
        matrix,
        {key: new_row[row] for key, row in aliases.items()},
    )


def _keys_by_row(vocab: Vocab) -> tuple[dict[int, str], dict[str, int]]:
    firsts: dict[int, str] = {}
    aliases: dict[str, int] = {}
    for key, row in vocab.vectors.key2row.items():
        # A key may have no string; asking for it would raise an error that names it.
        word = vocab.strings[key] if key in vocab.strings else ""
        if word and row not in firsts:
            firsts[row] = word
        elif word:
            aliases[word] = row
    return firsts, aliases


def _floret_table(
    vocab: Vocab, words: Iterable[str] | None
) -> tuple[list[str], Floats2d, dict[str, int]]:
    if words is None:
        raise DxError(Errors.DX022)
    candidates = list(dict.fromkeys(words))
    matrix = vocab.vectors.get_batch(candidates)
    return candidates, _to_numpy(matrix), {}


def _to_numpy(X: Floats2d) -> Floats2d:
    array: Floats2d = to_host(X)
    return np.asarray(array)
