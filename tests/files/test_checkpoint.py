"""Rows that are kept on disk: what a stopped computation had done is there for the next one."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError
from spacy_dxprivacy.files.checkpoint import ABOUT, Checkpoint

SHAPE = (10, 3)


def started(folder, basis="one", done=4):
    rows = Checkpoint(folder, basis).rows("lists", SHAPE, np.int32)
    rows.array[:done] = 7
    rows.mark(done)
    rows.array[done:] = -1  # not marked: a stop may have come in the middle


@pytest.mark.posix
def test_the_marked_rows_are_there_again(tmp_path):
    started(tmp_path / "kept")
    rows = Checkpoint(tmp_path / "kept", "one").rows("lists", SHAPE, np.int32)
    assert rows.done == 4 and (rows.array[:4] == 7).all()


@pytest.mark.posix
@pytest.mark.parametrize(
    ("basis", "shape", "dtype"),
    [("other", SHAPE, np.int32), ("one", (10, 4), np.int32), ("one", SHAPE, np.int64)],
)
def test_rows_of_anything_else_begin_again(tmp_path, basis, shape, dtype):
    started(tmp_path / "kept")
    rows = Checkpoint(tmp_path / "kept", basis).rows("lists", shape, dtype)
    assert rows.done == 0 and rows.array.shape == shape


@pytest.mark.posix
@pytest.mark.parametrize("damage", [b"", b"{", b'{"basis": "one", "done": 5}'])
def test_a_damaged_account_begins_again(tmp_path, damage):
    started(tmp_path / "kept")
    (tmp_path / "kept" / ABOUT).write_bytes(damage)
    assert Checkpoint(tmp_path / "kept", "one").rows("lists", SHAPE, np.int32).done == 0


def test_a_folder_of_something_else_is_no_checkpoint(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("mine")
    with pytest.raises(DxError, match="no checkpoint"):
        Checkpoint(tmp_path / "mine", "one")
    assert (tmp_path / "mine" / "letter.txt").exists()


def test_a_file_appears_when_it_is_whole(tmp_path):
    kept = Checkpoint(tmp_path / "kept", "one")

    def half(path):
        with open(path, "w") as file:
            file.write("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.file("index", half)
    assert kept.find("index") is None
    kept.file("index", lambda path: open(path, "w").close())
    assert Checkpoint(tmp_path / "kept", "one").find("index") is not None
    kept.remove()
    assert not (tmp_path / "kept").exists()


def test_without_a_folder_rows_are_in_memory():
    kept = Checkpoint()
    rows = kept.rows("lists", SHAPE, np.int32)
    rows.mark(3)
    kept.file("index", lambda path: 1 / 0)
    assert rows.done == 3 and kept.find("index") is None
