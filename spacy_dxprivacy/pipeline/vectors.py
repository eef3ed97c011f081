"""Vectors of released tokens: noisy ones, and those of the rows of the pipeline's own vectors.

spaCy looks up static vectors by the exact word. A sampled word is written as a person would, such
as "The" at the start of a sentence, and then may have no key of its own. Hooks of the Doc give it
the vector of its row. Both kinds are functions of the release only.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from spacy.attrs import ORTH
from spacy.strings import get_string_id
from spacy.tokens import Doc, Token

from ..arrays import Bools1d, Floats2d
from ..errors import DxError, Errors

if TYPE_CHECKING:
    from ..space import Space

VECTORS_KEY = "dx_vectors"  # in user data: noisy vectors, float32 (tokens, d)
ROWS_KEY = "dx_vector_keys"  # in user data: ids of words and of the keys of their rows, (m, 2)


def set_noisy_vectors(doc: Doc, vectors: Floats2d) -> None:
    """Attach noisy vectors to a new Doc. vectors: float32 (tokens, d)."""
    doc.tensor = vectors
    doc.user_data[VECTORS_KEY] = vectors  # DocBin keeps user data and no tensor
    _attach_here(doc)


def _attach_here(doc: Doc) -> None:
    # Here, so that a process that reads receipts alone does not load them.
    from ..machine import in_worker

    # spaCy would drop the hooks of a worker's Doc, with the warning W109.
    if not in_worker():
        attach_vectors(doc)


def set_row_vectors(doc: Doc, drawn: Bools1d, space: Space) -> None:
    """Give drawn words that the vectors of the vocabulary lack in their case those of their row.

    Args:
        doc: The new Doc.
        drawn: The sampled words, bool (tokens,).
        space: The space, which finds a word in any case.
    """
    from ..space.space import has_static_vectors

    vectors = doc.vocab.vectors
    if not has_static_vectors(doc.vocab) or vectors.mode == "floret" or vectors.attr != ORTH:
        return
    words = {token.orth: token.text for token, is_drawn in zip(doc, drawn, strict=True) if is_drawn}
    missing = [(orth, word) for orth, word in words.items() if orth not in vectors.key2row]
    rows = space.find_all([word for _, word in missing]).tolist()
    keys = [get_string_id(space.words[row]) if row >= 0 else 0 for row in rows]
    pairs = [(orth, key) for (orth, _), key in zip(missing, keys, strict=True)]
    found = [pair for pair in pairs if pair[1] in vectors.key2row]
    if found:
        doc.user_data[ROWS_KEY] = np.array(found, dtype=np.uint64)
        _attach_here(doc)


def attach_vectors(doc: Doc) -> Doc:
    """Make token.vector return the noisy vector, or that of the row of a word in another case.

    spaCy drops these hooks in to_bytes, DocBin and n_process, and DocBin drops the tensor: call it
    again on loaded Docs (saved with store_user_data=True).

    Raises:
        DxError: For a Doc without such vectors, which are not in JSON.
    """
    if ROWS_KEY in doc.user_data:
        keys = dict(np.asarray(doc.user_data[ROWS_KEY], dtype=np.uint64).tolist())
        doc.user_token_hooks["vector"] = partial(row_vector, keys)
        doc.user_token_hooks["has_vector"] = partial(has_row_vector, keys)
        return doc
    if not doc.tensor.size and VECTORS_KEY in doc.user_data:
        doc.tensor = doc.user_data[VECTORS_KEY]
    if len(doc) and not doc.tensor.size:
        raise DxError(Errors.DX028)
    doc.user_token_hooks["vector"] = token_vector
    doc.user_token_hooks["has_vector"] = has_vector
    return doc


def token_vector(token: Token) -> Any:
    """Return the row of doc.tensor, (d,), of the token."""
    return token.doc.tensor[token.i]


def has_vector(token: Token) -> bool:
    """Return True: every token of a sanitised Doc has a noisy vector."""
    return True


def row_vector(keys: dict[int, int], token: Token) -> Any:
    """Return the static vector of a token, (d,). keys: id of a word -> key of its row."""
    vectors = token.vocab.vectors
    row = vectors.key2row.get(keys.get(token.orth, token.orth))
    return token.vocab.get_vector(token.orth) if row is None else vectors.data[row]


def has_row_vector(keys: dict[int, int], token: Token) -> bool:
    """Return whether a token has a static vector. keys: see row_vector."""
    return keys.get(token.orth, token.orth) in token.vocab.vectors.key2row
