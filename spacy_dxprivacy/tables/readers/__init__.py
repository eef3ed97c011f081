"""Read published word vectors: words and a float32 matrix, or an error that says where and why."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path

from .formats import looks_binary, read_binary, read_text
from .source import Duplicates, Floats2d, Progress, VectorFileError, find_header, open_source

__all__ = ["Duplicates", "Progress", "VectorFileError", "read_vectors"]

_BOM = b"\xef\xbb\xbf"


def read_vectors(
    path: str | os.PathLike[str],
    *,
    max_words: int | None = None,
    duplicates: Duplicates = "error",
    progress: Progress | None = None,
) -> tuple[list[str], Floats2d]:
    """Read a vectors file.

    The format is found from the content: GloVe text (no header), word2vec or fastText text (first
    line "n d"), or word2vec binary; each plain, in gzip, or in a zip archive. An archive with
    several vectors files needs the name of one: `glove.6B.zip!glove.6B.50d.txt`.

    A first line of two whole numbers is a header. Lines may end in spaces and in CRLF, and the last
    newline may be missing. Words are UTF-8; a byte that is not stays visible as \\xNN, so that
    two different words of the file never become one. A file without a header cannot tell that whole
    rows at its end are missing.

    max_words: stop after this many words (files are sorted by frequency). What follows is not
        looked at, nor checked.
    duplicates: "error", or "first" to keep the first row of a word and drop the others. Some
        published files need it: GloVe 840B has been reported to hold a damaged word twice
        (clulab/eidos issue 388).
    progress: called after every block with the bytes read so far and their total.

    Returns n unique words in file order, and their vectors, float32 (n, d), C-contiguous.
    Memory: 9/8 of the matrix at most while it grows, and a few blocks of 4 MiB.
    Raises VectorFileError for a file that is not right in every row read, with the line (text) or
    the record and byte offset (binary); ValueError for a wrong argument; OSError as open does.
    """
    if max_words is not None and max_words < 1:
        raise ValueError(f"max_words: expected a whole number of at least 1 or None, {max_words!r}")
    if duplicates not in ("error", "first"):
        raise ValueError(f"duplicates: expected 'error' or 'first', {duplicates!r}")
    with open_source(Path(path), progress) as source:
        blocks = source.blocks()
        head = next(blocks, b"").removeprefix(_BOM)
        if not head:
            source.fail("line 1", "expected words and vectors, the file is empty")
        header = find_header(head)
        everything = chain([head], blocks)
        if header is not None and looks_binary(head, header):
            return read_binary(source, everything, header, max_words, duplicates).finish()
        return read_text(source, everything, header, max_words, duplicates).finish()
