"""An editor over the words of a batch: what it is shown is what is released, and nothing else."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools1d, Ints1d
from ..errors import DxError, Errors
from ..ty import Editor, Mechanism
from .passages import Context


def edited(
    rows: Ints1d, released: Bools1d, context: Context, mechanism: Mechanism, editor: Editor
) -> Ints1d:
    """rows: int64 (k,), all words of the batch as they were drawn. released: bool (k,), those that
    come out: a word that was drawn where [REDACTED] will stand is not shown to the editor."""
    if not released.any():
        return rows
    sentences = np.cumsum(context.starts)[released]
    starts, fixed = np.diff(sentences, prepend=-1) > 0, context.fixed[released]
    shown = rows[released]
    new = rows.copy()
    new[released] = _checked(editor.edit(shown, mechanism, starts, fixed=fixed), shown, fixed)
    return new


def edited_alone(rows: Ints1d, mechanism: Mechanism, editor: Editor) -> Ints1d:
    """rows: int64 (k,), words that were drawn each by itself."""
    return _checked(editor.edit(rows, mechanism), rows, np.zeros(len(rows), dtype=bool))


def _checked(new: Ints1d, rows: Ints1d, fixed: Bools1d) -> Ints1d:
    found = np.asarray(new)
    right = found.shape == rows.shape and found.dtype.kind in "iu"
    if not right or (found[fixed] != rows[fixed]).any():
        given = f"{found.dtype} of shape {found.shape}"
        expected = "as many row numbers, those of words in clear as they were"
        message = Errors.DX038.format(
            part="The editor", given=given, count=len(rows), expected=expected
        )
        raise DxError(message)
    return found
