"""An editor over the words of a batch: what it is shown is what is released, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from spacy.attrs import LIKE_NUM, LOWER, NORM, ORTH
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..arrays import Bools1d, Ints1d
from ..errors import DxError, Errors
from ..space import Space
from ..ty import Editor, EditsTexts, Mechanism, ReleasedText
from .passages import Context, clear_before, passage


@dataclass(frozen=True, eq=False, repr=False)
class Written:
    """The words of one document as they will be released, but for their spelling.

    spaces: whether a blank follows each. drawn: bool (m,), words that may be spelled otherwise.
    editable: bool (m,), those that a mechanism drew from the space: an editor may put others in
    their place. aside: bool (m,), numbers and stand-ins, which are no context of a mechanism's.
    """

    words: list[str]
    spaces: list[bool]
    drawn: Bools1d
    editable: Bools1d
    aside: Bools1d


def edited_texts(
    texts: Sequence[Written],
    vocab: Vocab,
    space: Space,
    mechanism: Mechanism,
    editor: EditsTexts,
    instead: Mapping[str, str],
) -> list[Written]:
    """Each text with the words that an editor of texts chose. vocab: for the words that are read,
    all of which are released. instead: what comes out for words that never do."""
    placed = [_shown(text, vocab, space) for text in texts]
    found = editor.edit_texts([shown for shown, _ in placed], mechanism)
    new = []
    for text, (shown, places), rows in zip(texts, placed, found, strict=True):
        words = list(text.words)
        checked = _checked(rows, shown.rows, shown.fixed)
        for place in np.flatnonzero(checked != shown.rows).tolist():
            chosen = space.words[checked[place]]
            words[places[place]] = instead.get(chosen, chosen)
        new.append(replace(text, words=words))
    return new


def _shown(text: Written, vocab: Vocab, space: Space) -> tuple[ReleasedText, Ints1d]:
    """What the editor sees, and which tokens its words are. Numbers stay as they were drawn."""
    doc = Doc(vocab, words=text.words, spaces=text.spaces)
    table: Any = doc.to_array([ORTH, NORM, LOWER, LIKE_NUM])
    rows = space.find_ids(*np.ascontiguousarray(table[:, :3].T))
    editable = text.editable & (rows >= 0) & (table[:, 3] == 0)
    words = passage(doc, editable, text.aside)
    there = rows[words.places] >= 0
    places = words.places[there]
    sentences = np.cumsum(words.starts)[there]
    starts = np.diff(sentences, prepend=-1) > 0
    before = clear_before(doc, places)
    return ReleasedText(rows[places], starts, ~editable[places], before), places


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
