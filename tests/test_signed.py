"""`dx sanitize --sign`: receipts and files that are as they were signed, and those that are not."""

import json

import pytest
import spacy
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, assert_sanitized
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.files.keys import make_key, read_key
from spacy_dxprivacy.files.signed import check_signed, signed


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
    """Sanitises, and gives the receipt and what it says of it by a key."""
    fast = ["-m", "laplace", "-e", "1", "--space", space_path, "--sign", folder / "keys" / "key"]

    def make(*paths, receipt=None, more=()):
        told = [] if receipt is None else ["--receipt", receipt]
        done = dx("sanitize", *paths, *told, *fast, *more)
        assert done.exit_code == 0, done.output

    return make


@pytest.fixture
def audit(folder, space_path):
    def told(release, receipt, key="key"):
        given = [] if receipt is None else ["--receipt", receipt]
        return dx("audit", "release", release, "--against", folder / "in", *given,
                  "--key", folder / "keys" / key, "--space", space_path)  # fmt: skip

    return told


def test_a_signed_receipt_is_told_from_a_forged_one(folder, made, audit):
    receipt, out = folder / "r.json", folder / "out" / "a.jsonl"
    made(folder / "in" / "a.jsonl", out, receipt=receipt)
    assert "1 file(s) are as it says" in audit(out, receipt).stderr
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
    done = dx("report", folder / "in", out, "--receipt", receipt, "--key", key, "--statement",
              "-o", folder / "s.md")  # fmt: skip
    assert done.exit_code == 1 and "DX177" in done.stderr and not (folder / "s.md").exists()
    made(folder / "in", out, receipt=receipt, more=["--force"])
    (out / "c.txt").write_text("Zorblatt")
    with pytest.raises(DxError, match=r"DX177.*changed or added"):
        check_signed(receipt, read_key(key), out)


def test_shards_are_signed_with_their_manifest(folder, made, audit):
    out = folder / "out"
    made(*sorted((folder / "in").iterdir()), out)
    manifest = out / "_manifest.json"
    assert audit(out, None).exit_code == 0
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**told, "releases": 0}))
    assert "DX176" in audit(out, None).stderr


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
    cases = [
        (["sanitize", source, "--sign", key], "takes an OUTPUT and a --receipt"),
        (["sanitize", source, clean, "--sign", key], "takes an OUTPUT and a --receipt"),
        (["sanitize", source, clean, "--receipt", folder / "r", "--sign", bad], "DX111"),
        (["sanitize", source, folder / "keys" / "c.jsonl", "--receipt", folder / "r",
          "--sign", key], "not kept beside the output"),
        (["report", folder / "in", folder / "in", "--key", key], "name one by --receipt"),
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
    assert set(whole) == {"documents", "signed"} and "x" not in whole["signed"]["files"].values()
