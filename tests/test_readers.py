"""Vectors files: every format gives the same table; a file that is not right gives no table."""

from __future__ import annotations

import gzip
import io
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spacy_dxprivacy.space.tables import readers
from spacy_dxprivacy.space.tables.readers import VectorFileError, read_vectors

WORDS = ["the", "café", "5", "don't", "東京"]
MATRIX = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)


def glove(words, X) -> bytes:
    rows = zip(words, X.tolist(), strict=True)
    return "".join(f"{w} {' '.join(map(repr, x))}\n" for w, x in rows).encode()


def word2vec(words, X) -> bytes:
    return f"{len(words)} {X.shape[1]}\n".encode() + glove(words, X)


def binary(words, X, end=b"") -> bytes:
    records = (w.encode() + b" " + x.tobytes() + end for w, x in zip(words, X, strict=True))
    return f"{len(words)} {X.shape[1]}\n".encode() + b"".join(records)


def zipped(data: bytes, *others: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("vectors.txt", *others):
            archive.writestr(name, data)
    return out.getvalue()


FORMATS: dict[str, Callable[..., bytes]] = {
    "glove": glove,
    "word2vec": word2vec,
    # As word2vec.c and fastText write text.
    "trailing spaces": lambda words, X: word2vec(words, X).replace(b"\n", b" \n"),
    "CRLF and BOM": lambda words, X: b"\xef\xbb\xbf" + glove(words, X).replace(b"\n", b"\r\n"),
    "no last newline": lambda words, X: glove(words, X)[:-1],
    "empty last lines": lambda words, X: glove(words, X) + b"\n\n",
    "binary": binary,
    "binary of word2vec.c": lambda words, X: binary(words, X, end=b"\n"),
}
CONTAINERS: list[Callable[[bytes], bytes]] = [
    bytes,
    lambda data: gzip.compress(data, mtime=0),
    zipped,
    lambda data: zipped(gzip.compress(data, mtime=0)),
]


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Read these bytes as a vectors file. Its name says nothing about its format."""
    path = tmp_path_factory.mktemp("readers") / "file"

    def read_bytes(data: bytes, **options):
        path.write_bytes(data)
        return read_vectors(path, **options)

    return read_bytes


def fails(read, data: bytes, **options) -> str:
    with pytest.raises(VectorFileError) as caught:
        read(data, **options)
    return str(caught.value)


@pytest.mark.parametrize("container", CONTAINERS, ids=["plain", "gzip", "zip", "gzip in zip"])
@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_every_format_in_every_container_gives_the_same_table(read, form, container):
    words, X = read(container(form(WORDS, MATRIX)))
    assert words == WORDS
    assert X.dtype == np.float32 and X.flags.c_contiguous and X.flags.writeable
    np.testing.assert_array_equal(X, MATRIX)


ANY_WORD = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\t\n \ufeff"), min_size=1, max_size=12
)


@st.composite
def tables(draw):
    words = draw(st.lists(ANY_WORD, min_size=1, max_size=30, unique=True))
    finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
    d = draw(st.integers(2, 6))
    return words, draw(arrays(np.float32, (len(words), d), elements=finite))


@settings(
    deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
@given(tables(), st.sampled_from([glove, word2vec, binary, FORMATS["binary of word2vec.c"]]))
def test_what_is_written_is_read_bit_for_bit(read, table, form):
    words, X = read(form(*table))
    assert words == table[0]
    np.testing.assert_array_equal(X, table[1])


@pytest.mark.parametrize("block", [256, 257, 300, 1000])
@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_where_blocks_end_does_not_matter(read, monkeypatch, form, block):
    words = [f"word{i}" for i in range(100)]
    X = np.arange(400, dtype=np.float32).reshape(100, 4)
    monkeypatch.setattr(readers, "BLOCK", block)
    for container in CONTAINERS:
        found, Y = read(container(form(words, X)))
        assert found == words
        np.testing.assert_array_equal(X, Y)


def test_words_of_glove_may_hold_spaces_and_bytes_that_are_not_utf8(read):
    """word2vec.c cuts long words in the middle of a character; no two of them may become one."""
    words = ["the", ". . .", "at name@domain.com", "in"]
    assert read(glove(words, MATRIX[:4]))[0] == words
    assert read(word2vec(words, MATRIX[:4]))[0] == words
    assert read(b"caf\xe9 1 2\ncaf\xe8 3 4\n")[0] == ["caf\\xe9", "caf\\xe8"]


@pytest.mark.parametrize("form", [glove, word2vec, binary])
def test_max_words_reads_the_first_words_and_nothing_behind_them(read, form):
    X = MATRIX.copy()
    X[3] = np.nan
    words, Y = read(form(WORDS, X), max_words=3)
    assert words == WORDS[:3]
    np.testing.assert_array_equal(Y, X[:3])
    assert "expected 4 finite float32 numbers" in fails(read, form(WORDS, X), max_words=4)
    assert read(form(WORDS, MATRIX), max_words=99)[0] == WORDS


def test_a_member_of_an_archive_is_chosen_by_name(tmp_path):
    path = tmp_path / "glove.zip"
    path.write_bytes(zipped(glove(WORDS, MATRIX), "b.txt"))
    with pytest.raises(VectorFileError, match=r"one vectors file, .* b\.txt, vectors\.txt"):
        read_vectors(path)
    assert read_vectors(f"{path}!b.txt")[0] == WORDS
    with pytest.raises(VectorFileError, match=r"a member 'c\.txt', the archive holds: b\.txt"):
        read_vectors(f"{path}!c.txt")


BAD_TEXT = {
    "ragged row, one missing": (b"a 1 2\nb 3\nc 5 6\n", "line 2: expected a word and 2 numbers"),
    "ragged row, one more": (b"a 1 2\nb 3 4 5\n", "line 2: expected a word and 2 numbers"),
    "ragged row under a header": (b"2 2\na 1 2\nb 3\n", "line 3: expected a word and 2 numbers"),
    "only a word": (b"a 1 2\nb\n", "line 2: expected a word and 2 numbers"),
    "two spaces": (b"a 1 2\nb  3 4\n", "line 2: expected a word and 2 numbers"),
    "empty line": (b"a 1 2\n\nb 3 4\n", "line 2: .* an empty line"),
    "no word": (b"a 1 2\n 3 4\n", "line 2: expected a word"),
    "nan": (b"a 1 2\nb 3 nan\n", "line 2: expected 2 finite float32 numbers"),
    "inf": (b"a 1 2\nb inf 3\n", "line 2: expected 2 finite float32 numbers"),
    "beyond float32": (b"a 1 2\nb 1e39 3\n", "line 2: expected 2 finite float32 numbers"),
    "no number": (b"a 1 2\nb 3 4x\n", "line 2: expected 2 finite float32 numbers"),
    "decimal comma": (b"a 1 2\nb 3,5 4\n", "line 2: expected 2 finite float32 numbers"),
    "underscore": (b"a 1 2\nb 1_0 4\n", "line 2: expected 2 finite float32 numbers"),
    "no numbers": (b"some words only\n", "line 1: expected a word and 1 to 65536 numbers"),
    "tabs": (b"a\t1 2\nb\t3 4\n", "line 1: expected a word .* without tab"),
    "duplicate word": (b"a 1 2\nb 3 4\na 5 6\n", "line 3: a duplicate word"),
    "header, too few rows": (b"3 2\na 1 2\nb 3 4\n", "after line 3: .* says 3 words, found 2"),
    "header, too many rows": (b"1 2\na 1 2\nb 3 4\n", "line 3: expected the end, .* 1 words"),
    "header, d too small": (b"2 1\na 1 2\nb 3 4\n", "line 2: expected a word and 1 numbers"),
    "header, d too large": (b"2 3\na 1 2.34\nb 3 4.56\n", "line 2: expected a word and 3 numbers"),
    "header alone": (b"2 3\n", "after line 1: .* says 2 words, found 0"),
    "header of nothing": (b"0 3\n", "line 1: expected a word .*, or a header"),
    "negative header": (b"-1 3\na 1 2 3\n", "line 1: expected a word .*, or a header"),
    "absurd n": (b"999999999999 2\na 1 2\n", "after line 2: .* says 999999999999 words, found 1"),
    "absurd d": (b"1 99999999999999\na 1 2\n", "line 1: expected .* 65536"),
    "absurd n in gzip": (gzip.compress(b"9999999 2\na 1 2\n"), "after line 2: .* says 9999999"),
    "empty": (b"", "line 1: .* the file is empty"),
    "empty gzip": (gzip.compress(b""), "line 1: .* the file is empty"),
    "only newlines": (b"\n\n\n", "line 1: expected a word"),
    "NUL in a word": (b"a 1 2\nb\0c 3 4\n", "line 2: .* NUL"),
    "NUL in a number": (b"a 1 2\nb 3\0 4\n", "line 2: expected 2 finite float32 numbers"),
    "long word": (b"a 1 2\n" + b"b" * 5000 + b" 3 4\n", "line 2: .* 4096 bytes"),
    "long line": (b"a 1 2\n" + b"b" * 5_000_000, "line 2: expected a word and 2 numbers"),
    "one line, perhaps cut": (b"a 1 2", "line 1: expected a newline"),
    "UTF-16": ("a 1 2\n".encode("utf-16"), "line 1: expected a word"),
    "NumPy": (b"\x93NUMPY\1\0v\0{'descr'}\n\0\0\0", "line 1: expected a word"),
    "pickle": (b"\x80\4\x95\0\0\0gensim", "line 1: expected a newline: .* no table"),
    "web page": (b"<!DOCTYPE html>\n<html>\n", "line 1: expected a word"),
}
RECORDS = binary(["the", "of"], MATRIX[:2])  # header 4 bytes, records of 20 and 19 bytes
BAD_BINARY = {
    "cut off": (RECORDS[:-1], r"record 2: the file is cut off after 18 bytes"),
    "one record too many": (RECORDS + b"x 0123456789abcdef", "record 3: expected the end"),
    "a part of a record too many": (RECORDS + b"x 0123", "record 3: the file is cut off"),
    "duplicate word": (RECORDS.replace(b"of", b"the"), r"record 2: a duplicate word"),
    "no space": (b"2 4\nthe" + b"\1" * 9000, r"record 1: expected a space"),
    "d too small": (RECORDS.replace(b"2 4", b"2 3"), r"record 3"),
    "d too large": (RECORDS.replace(b"2 4", b"2 9"), r"record 1: the file is cut off"),
    "header larger than the file": (RECORDS.replace(b"2 4", b"9 4"), "after record 2: .* says 9"),
    "absurd header": (RECORDS.replace(b"2 4", b"99999999 4"), "after record 2: .* says 99999999"),
}


for value in (np.nan, np.inf, -np.inf):
    X = MATRIX.copy()
    X[1, 2] = value
    BAD_BINARY[f"{value}"] = (binary(WORDS, X), "record 2: expected 4 finite float32 numbers")
BAD = {**BAD_TEXT, **{f"binary, {name}": bad for name, bad in BAD_BINARY.items()}}


@pytest.mark.parametrize("data, message", BAD.values(), ids=BAD)
def test_bad_data_is_refused_with_file_and_line_or_record(read, data, message):
    with pytest.raises(VectorFileError, match=rf"file, (.*: )?({message})"):
        read(data)


@pytest.mark.parametrize("row", [1, 2, 57, 99, 100])
@pytest.mark.parametrize("number", ["nan", "x", "1 2", ""])
def test_the_line_is_right_whatever_the_block(read, monkeypatch, row, number):
    monkeypatch.setattr(readers, "BLOCK", 256)
    lines = [f"word{i} 0.5 0.25 1" for i in range(1, 101)]
    lines[row - 1] = f"word{row} 0.5 {number} 1"
    data = "\n".join(["100 3", *lines, ""]).encode()
    assert f"line {row + 1}: " in fails(read, data)


@pytest.mark.parametrize("container", CONTAINERS[1:3], ids=["gzip", "zip"])
def test_damage_in_a_compressed_file_is_found_before_anything_is_returned(read, container):
    data = bytearray(container(glove(WORDS, MATRIX)))
    crc = data.rindex(b"vectors.txt") - 30 if container is zipped else -8  # as the formats say
    data[crc] ^= 1
    fails(read, bytes(data))


def test_truncated_gzip_names_the_last_good_line(read):
    rng = np.random.default_rng(2)
    data = gzip.compress(glove(map(str, range(3000)), rng.standard_normal((3000, 4))), mtime=0)
    message = fails(read, data[: len(data) // 2])
    line = int(message.split("after line ")[1].split(":")[0])
    assert "the file ends or is damaged" in message and 1000 < line < 2000


def test_an_archive_with_a_password_without_vectors_or_that_is_none_is_refused(read, tmp_path):
    data = bytearray(zipped(glove(WORDS, MATRIX)))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    assert "password" in fails(read, bytes(data))
    out = io.BytesIO()
    zipfile.ZipFile(out, "w").close()
    assert "one vectors file, the archive holds: no files" in fails(read, out.getvalue())
    (tmp_path / "a.zip").write_bytes(glove(WORDS, MATRIX))
    with pytest.raises(VectorFileError, match=r"a\.zip: the zip archive is damaged"):
        read_vectors(tmp_path / "a.zip!b")
    with pytest.raises(FileNotFoundError):
        read_vectors(tmp_path / "nowhere.txt")


def test_duplicates_are_dropped_only_on_request(read):
    data = b"4 2\na 1 2\nb 3 4\na 5 6\nc 7 8\n"
    assert "line 4: a duplicate word" in fails(read, data)
    words, X = read(data, duplicates="first")
    assert words == ["a", "b", "c"] and X.tolist() == [[1, 2], [3, 4], [7, 8]]
    assert read(data, duplicates="first", max_words=3)[0] == words


def test_a_message_shows_no_word(read):
    for data in (b"%s 1 2\n%s 3 4\n", b"%s 1 2\nx 1 %s\n", b"%s 1 nan\n%s 1 2\n"):
        assert "abcde" not in fails(read, data.replace(b"%s", b"abcde"))
    for option in ({"max_words": 0}, {"max_words": -3}, {"duplicates": "last"}):
        with pytest.raises(ValueError, match=next(iter(option))):
            read(glove(WORDS, MATRIX), **option)


@pytest.mark.parametrize("form", [word2vec, binary, glove])
@pytest.mark.parametrize("container", CONTAINERS[1:], ids=["gzip", "zip", "gzip in zip"])
def test_a_compressed_file_cut_anywhere_is_refused(read, form, container):
    data = container(form(WORDS, MATRIX))
    for size in range(len(data)):
        fails(read, data[:size])


@pytest.mark.parametrize("form", [word2vec, binary, glove])
def test_a_file_cut_anywhere_is_refused_or_its_own_beginning(read, form):
    """With a header every word is there. Only the last number of a text may have lost digits, and
    nobody can see that."""
    data = form(WORDS, MATRIX)
    for size in range(len(data)):
        try:
            words, X = read(data[:size])
        except VectorFileError:
            continue
        n = len(words)
        assert words == WORDS[:n] and X.shape == (n, 4) and form is not binary
        assert form is glove or n == len(WORDS)
        np.testing.assert_array_equal(X.ravel()[:-1], MATRIX[:n].ravel()[:-1])


@st.composite
def damaged(draw):
    """A good file with a few bytes changed, put in, or taken out."""
    form, container = (draw(st.sampled_from(x)) for x in (list(FORMATS.values()), CONTAINERS))
    data = bytearray(container(form(WORDS, MATRIX)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data) - 1))
        data[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(data)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.binary(max_size=60) | damaged())
def test_any_bytes_give_a_whole_table_or_a_vector_file_error(read, data):
    try:
        words, X = read(data)
    except VectorFileError:
        return
    assert X.shape[0] == len(words) == len(set(words)) > 0
    assert X.shape[1] > 0 and X.dtype == np.float32 and np.isfinite(X).all() and all(words)


@pytest.mark.skipif("DXPRIVACY_DATA" not in os.environ, reason="DXPRIVACY_DATA names no folder")
def test_published_vectors_load_in_under_five_seconds():
    folder = Path(os.environ["DXPRIVACY_DATA"]) / "vectors"
    start = time.process_time()
    words, X = read_vectors(folder / "word2vec-googlenews-300d-10151.w2v.txt.gz")
    assert time.process_time() - start < 5
    assert X.shape == (10151, 300) == (len(set(words)), 300)
