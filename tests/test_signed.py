"""`dx sanitize --sign`: receipts and files that are as they were signed, and those that are not."""

import json
import os
import shutil

import pytest
import spacy
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, assert_sanitized
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.io.files.keys import make_key, read_key
from spacy_dxprivacy.io.files.signed import check_signed, signed


def dx(*arguments):
    return CliRunner().invoke(dx_cli, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path):
    for name in ("key", "other"):
        make_key(tmp_path / "keys" / name)
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        text = f"the dog and the old house {name}"
        (tmp_path / "in" / f"{name}.jsonl").write_text(json.dumps({"text": text}))
    return tmp_path


@pytest.fixture
def made(folder, space_path):
    sign = f"run.sign={folder / 'keys' / 'key'}"
    fast = ["-m", "laplace", "-e", "1", "--space", space_path, "--set", sign]

    def make(*paths, receipt=None, more=(), status=0):
        given = [] if receipt is None else ["--receipt", receipt]
        done = dx("sanitize", *paths, *given, *fast, *more)
        assert done.exit_code == status, done.output

    return make


@pytest.fixture
def audit(folder, space_path):
    def run(release, receipt, key="key"):
        given = [] if receipt is None else ["--receipt", receipt]
        given += ["--key", folder / "keys" / key, "--space", space_path]
        return dx("audit", "release", release, "--against", folder / "in", *given)

    return run


def test_a_signed_receipt_is_told_from_a_forged_one(folder, made, audit):
    receipt, out = folder / "r.json", folder / "out" / "a.jsonl"
    made(folder / "in" / "a.jsonl", out, receipt=receipt)
    assert "1 file(s) match it" in audit(out, receipt).stderr
    wrong = audit(out, receipt, "other")
    assert wrong.exit_code == 1 and "DX176" in wrong.stderr and wrong.stderr.count("\n") == 1
    told = json.loads(receipt.read_text())
    receipt.write_text(json.dumps({**told, "in_clear": []}))
    assert "DX176" in audit(out, receipt).stderr
    receipt.write_text(json.dumps({k: v for k, v in told.items() if k != "signed"}))
    assert "DX176" in audit(out, receipt).stderr


def test_files_that_changed_came_or_went(folder, made):
    receipt, out = folder / "r.json", folder / "out"
    made(folder / "in", out, receipt=receipt)
    key = folder / "keys" / "key"
    assert check_signed(receipt, read_key(key), out) == 2
    with (out / "a.jsonl").open("a") as file:
        file.write('{"text": "and more"}\n')
    given = ["--receipt", receipt, "--key", key, "-o", folder / "s.html"]
    done = dx("report", folder / "in", out, *given)
    assert done.exit_code == 1 and "DX177" in done.stderr and not (folder / "s.html").exists()
    made(folder / "in", out, receipt=receipt, more=["--force"])
    (out / "c.txt").write_text("Zorblatt")
    with pytest.raises(DxError, match=r"DX177.*added.*c\.txt"):
        check_signed(receipt, read_key(key), out)


def test_docs_of_a_signed_run_carry_their_signature(folder, made):
    out, key = folder / "out" / "a.spacy", folder / "keys" / "key"
    made(folder / "in" / "a.jsonl", out, receipt=folder / "r.json")
    (doc,) = DocBin().from_disk(out).get_docs(spacy.blank("en").vocab)
    assert_sanitized(doc, key=key)
    with pytest.raises(DxError, match="DX132"):
        assert_sanitized(doc, key=folder / "keys" / "other")


def test_what_cannot_be_signed_or_checked_is_said_in_a_line(folder, space_path):
    source, key = folder / "in" / "a.jsonl", folder / "keys" / "key"
    clean, bad = folder / "out" / "c.jsonl", folder / "bad"
    bad.write_text("x")
    sign = ["--set", f"run.sign={key}"]
    cases = [
        (["sanitize", source, *sign], "needs an OUTPUT and a --receipt"),
        (["sanitize", source, clean, *sign], "needs an OUTPUT and a --receipt"),
        (["sanitize", source, clean, "--receipt", folder / "r", "--set", f"run.sign={bad}"],
         "DX111"),
        (["sanitize", source, folder / "keys" / "c.jsonl", "--receipt", folder / "r",
          "--set", f"run.sign={key}"], "in the folder of the output"),
        (["report", folder / "in", folder / "in", "--key", key], "give the --receipt too"),
        (["report", folder / "in", folder / "in", "--key", bad, "--receipt", bad], "DX111"),
        (["report", folder / "in", folder / "in", "--key", key, "--receipt", bad], "not a receipt"),
    ]  # fmt: skip
    bad.chmod(0o644)
    for arguments, said in cases:
        done = dx(*arguments)
        assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1, said
    assert not clean.exists()


def test_receipts_that_somebody_made_up(tmp_path):
    make_key(tmp_path / "key")
    told, file, receipt = {"documents": 1}, tmp_path / "file", tmp_path / "receipt"
    file.write_text("x")
    for forged in ([], 5, {"signed": 5}, {"signed": {"files": [], "hmac": "é"}}, {"signed": {}}):
        receipt.write_text(json.dumps(forged))
        with pytest.raises(DxError, match="DX176"):
            check_signed(receipt, read_key(tmp_path / "key"), file)
    whole = signed(told, bytes(32), {"file": file})
    assert set(whole) == {"documents", "signed"} and whole["signed"]["count"] == 1
    assert whole["signed"]["files"]["file"]["size"] == 1


# -- a release that is not what was signed ---------------------------------------------------------


def swapped(out):
    (out / "a.jsonl").rename(out / "x")
    (out / "sub" / "b.jsonl").rename(out / "a.jsonl")
    (out / "x").rename(out / "sub" / "b.jsonl")


def linked(out):
    (out / "a.jsonl").rename(out.parent / "a.jsonl")
    (out / "a.jsonl").symlink_to(out.parent / "a.jsonl")


def linked_folder(out):
    (out / "sub").rename(out.parent / "elsewhere")
    (out / "sub").symlink_to(out.parent / "elsewhere")


def added(name, text="Zorblatt"):
    def add(out):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)

    return add


ATTACKS = {
    "two files swapped": swapped,
    "a file copied": lambda out: shutil.copy(out / "a.jsonl", out / "copy.jsonl"),
    "a file copied over another": lambda out: shutil.copy(out / "a.jsonl", out / "sub/b.jsonl"),
    "a file renamed": lambda out: (out / "a.jsonl").rename(out / "c.jsonl"),
    "a file moved": lambda out: (out / "a.jsonl").rename(out / "sub" / "a.jsonl"),
    "a file removed": lambda out: (out / "a.jsonl").unlink(),
    "an equal file removed": lambda out: (out / "c.jsonl").unlink(),
    "a folder removed": lambda out: shutil.rmtree(out / "sub"),
    "a folder renamed": lambda out: (out / "sub").rename(out / "other"),
    "a file emptied": lambda out: (out / "a.jsonl").write_text(""),
    "a file longer": added("a.jsonl", "more"),
    "a file added": added("new.txt"),
    "a hidden file added": added(".new"),
    "a file of a hidden folder": added(".git/deep/config"),
    "a manifest in a folder": added("sub/_manifest.json", "{}"),
    "a manifest at the top": added("_manifest.json", "any text"),
    "a journal in a folder": added("sub/_journal.jsonl"),
    "a journal at the top": added("_journal.jsonl"),
    "another receipt": added("sub/r.json", "{}"),
    "a file replaced by a link to it": linked,
    "a folder replaced by a link to it": linked_folder,
    "a link added": lambda out: (out / "new").symlink_to(out / "a.jsonl"),
    "a dead link added": lambda out: (out / "new").symlink_to(out / "nowhere"),
    "a linked folder added": lambda out: (out / "new").symlink_to(out / "sub"),
    "a pipe added": lambda out: os.mkfifo(out / "pipe"),
    "a file replaced by a pipe": lambda out: ((out / "a.jsonl").unlink(),
                                              os.mkfifo(out / "a.jsonl")),
}  # fmt: skip


@pytest.fixture
def release(tmp_path):
    """A folder with three files, two of them equal, its key and its receipt."""
    make_key(tmp_path / "key")
    key, out = read_key(tmp_path / "key"), tmp_path / "out"
    (out / "sub").mkdir(parents=True)
    for name in ("a.jsonl", "c.jsonl"):
        (out / name).write_text('{"text": "the dog"}')
    (out / "sub" / "b.jsonl").write_text('{"text": "the cat"}')
    files = {p.relative_to(out).as_posix(): p for p in out.rglob("*.jsonl")}
    receipt = tmp_path / "r.json"
    receipt.write_text(json.dumps(signed({"documents": 3}, key, files)))
    return out, key, receipt


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_release_that_was_tampered_with_is_refused(release, attack):
    out, key, receipt = release
    assert check_signed(receipt, key, out) == 3
    ATTACKS[attack](out)
    with pytest.raises(DxError, match="DX177"):
        check_signed(receipt, key, out)


def test_the_receipt_itself_may_lie_in_the_release(release):
    out, key, receipt = release
    inside = receipt.rename(out / "receipt.json")
    assert check_signed(inside, key, out) == 3
    shutil.copy(inside, out / "sub" / "receipt.json")
    with pytest.raises(DxError, match=r"DX177.*sub/receipt\.json"):
        check_signed(inside, key, out)


def test_a_name_that_a_terminal_would_obey_is_escaped(release):
    out, key, receipt = release
    (out / "\x1b[2J").write_text("x")
    with pytest.raises(DxError, match="DX177") as raised:
        check_signed(receipt, key, out)
    assert "\x1b" not in str(raised.value)


def test_a_folder_is_signed_by_paths_and_one_file_by_its_name(folder, made, audit):
    (folder / "in" / "sub").mkdir()
    (folder / "in" / "a.jsonl").rename(folder / "in" / "sub" / "a.jsonl")
    (folder / "in" / "b.jsonl").rename(folder / "in" / "sub" / "b.jsonl")
    receipt, out = folder / "r.json", folder / "out"
    made(folder / "in", out, receipt=receipt)
    told = json.loads(receipt.read_text())["signed"]
    assert set(told["files"]) == {"sub/a.jsonl", "sub/b.jsonl"} and told["count"] == 2
    assert audit(out, receipt).exit_code == 0
    one = folder / "one" / "a.jsonl"
    made(folder / "in" / "sub" / "a.jsonl", one, receipt=receipt, more=["--force"])
    other = one.rename(one.parent / "other.jsonl")
    assert "DX177" in audit(other, receipt).stderr


def test_a_file_of_an_earlier_run_is_not_signed_with_those_of_this_one(folder, made):
    receipt, out, bad = folder / "r.json", folder / "out", folder / "in" / "c.jsonl"
    bad.write_text("no json")
    out.mkdir()
    (out / "c.jsonl").write_text("of an earlier run")
    made(folder / "in", out, receipt=receipt, more=["--force"], status=1)
    assert set(json.loads(receipt.read_text())["signed"]["files"]) == {"a.jsonl", "b.jsonl"}


def test_all_files_of_shards_and_their_manifest_are_signed(folder, made, audit):
    out = folder / "out"
    made(*sorted((folder / "in").iterdir()), out)
    assert audit(out, None).exit_code == 0
    for name in ("a.jsonl", "_journal.jsonl", "sub/_manifest.json", ".hidden", "_partial/x"):
        path = out / name
        before = path.read_bytes() if path.exists() else b""
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(before + b"Zorblatt\n")
        assert "DX177" in audit(out, None).stderr
        if before:
            path.write_bytes(before)
        else:
            path.unlink()
    assert audit(out, None).exit_code == 0
    manifest = json.loads((out / "_manifest.json").read_text())
    (out / "_manifest.json").write_text(json.dumps({**manifest, "releases": 0}))
    assert "DX176" in audit(out, None).stderr


def test_a_shard_that_was_changed_between_two_runs_is_not_signed_again(folder, made, audit):
    out, sources = folder / "out", sorted((folder / "in").iterdir())
    made(*sources, out)
    with (out / "a.jsonl").open("a") as file:
        file.write('{"text": "and more"}\n')
    (folder / "in" / "c.jsonl").write_text('{"text": "the third"}')
    made(*sorted((folder / "in").iterdir()), out)
    refused = audit(out, None)
    assert refused.exit_code == 1 and "DX177" in refused.stderr and "a.jsonl" in refused.stderr
