"""What goes wrong around a command: what is wrong, where, and the remedy, in one sentence."""

import os

import pytest
from conftest import refusal, run_dx

from spacy_dxprivacy.files.limits import ENCRYPTED

LETTER = "Dear Priya Whitcombe, we met Dr. Okafor on March 5, 2023."


@pytest.fixture
def letter(tmp_path):
    (path := tmp_path / "letter.txt").write_text(LETTER)
    return path


def sanitized(letter, *options):
    run_dx("sanitize", letter, "--entities", "person,date", "-q", "-F", *options)


@pytest.mark.parametrize("ending", ["xlsx", "docx"])
def test_an_encrypted_document(tmp_path, ending):
    pytest.importorskip({"xlsx": "openpyxl", "docx": "lxml"}[ending])
    (path := tmp_path / f"in.{ending}").write_bytes(ENCRYPTED + bytes(2000))
    done = run_dx("sanitize", path, tmp_path / "o" / f"out.{ending}", "--entities", "person")
    assert done.exit_code in (1, 2) and not (tmp_path / "o" / f"out.{ending}").exists()
    assert (
        f"in.{ending}" in done.stderr
        and f"encrypted, or from {'Excel' if ending == 'xlsx' else 'Word'}" in done.stderr
    )
    assert f"save it as .{ending}" in done.stderr


@pytest.mark.parametrize(
    ("given", "meant"), [("persn", "PERSON"), ("DATES", "DATE"), ("gppe", "GPE")]
)
def test_a_wrong_label(letter, given, meant):
    message = refusal(run_dx("sanitize", letter, "--entities", f"{given}"))
    assert f"Did you mean {meant}?" in message and "predict only" in message


def test_a_folder_of_configs(letter, tmp_path):
    (tmp_path / "configs").mkdir()
    message = refusal(run_dx("sanitize", letter, "-c", tmp_path / "configs"))
    assert "is a folder without config.cfg" in message and "name a config file" in message
    (tmp_path / "configs" / "laplace.cfg").write_text("")
    message = refusal(run_dx("sanitize", letter, "-c", tmp_path / "configs"))
    assert f"such as {tmp_path / 'configs' / 'laplace.cfg'}" in message


@pytest.mark.posix
@pytest.mark.parametrize("place", ["output", "receipt"])
def test_a_folder_that_cannot_be_written(letter, tmp_path, monkeypatch, place):
    """Of the superuser, who may write everywhere, by a system that says no."""
    folder = tmp_path / "locked"
    folder.mkdir()
    opened = os.open

    def denied(path, flags, *args, **kwargs):
        if flags & os.O_CREAT:
            raise PermissionError(13, "Permission denied", str(folder / "hidden"))
        return opened(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", denied)
    output = folder / "out.txt" if place == "output" else tmp_path / "o" / "out.txt"
    done = run_dx("sanitize", letter, output, "--entities", "person")
    assert done.exit_code == 1 and not output.exists()
    assert f"{folder}: Permission denied" in done.stderr and "Whitcombe" not in done.stderr


# -- keys and tables -----------------------------------------------------------------------------


@pytest.fixture
def table(letter, tmp_path):
    """table(name, source) -> the options of a table, which is written."""
    pytest.importorskip("cryptography")

    def write(name, source=letter):
        options = ["--table", tmp_path / "k" / name, "--table-key", tmp_path / "k" / "key"]
        sanitized(source, tmp_path / f"{name}.txt", *options)
        return options

    return write


def test_a_new_key_is_to_be_copied_and_a_lost_one_is_named(letter, table, tmp_path):
    done = run_dx("sanitize", letter, "--entities", "person", "--key", tmp_path / "k" / "new")
    assert "new key" in done.stderr and "Keep a copy." in done.stderr
    options = table("t")
    (tmp_path / "k" / "key").unlink()
    message = refusal(run_dx("restore", tmp_path / "t.txt", *options))
    assert f"{tmp_path / 'k' / 'key'} cannot be used as a key: No such file" in message
    assert "get it from a copy" in message


def test_the_table_of_another_document(letter, table, tmp_path):
    (tmp_path / "other.txt").write_text("Mr. Tobias Lindqvist came in on 5 May 2021.")
    options = table("t")
    other = table("of_other", tmp_path / "other.txt")
    right = run_dx("restore", tmp_path / "t.txt", *options)
    assert right.exit_code == 0 and right.stdout == LETTER
    wrong = run_dx("restore", tmp_path / "t.txt", *other)
    assert wrong.exit_code == 1 and "the table of another document" in wrong.stderr
    assert "t.txt" in wrong.stderr
    for answer in ("Yes, I will write to the bank.", "", "See you in May."):
        (tmp_path / "answer.txt").write_text(answer)  # names nobody
        done = run_dx("restore", tmp_path / "answer.txt", *options)
        assert done.exit_code == 0 and done.stdout == answer


def test_an_answer_that_is_no_text(table, tmp_path):
    (path := tmp_path / "answer.docx").write_bytes(b"PK\x03\x04\xff\xfe")
    message = refusal(run_dx("restore", path, *table("t")))
    assert "answer.docx" in message and "into a .txt file" in message
