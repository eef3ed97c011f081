"""What is handed on tells nothing of the clear texts but what was drawn for them; what a run has to
remember of them lies apart."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import count
from uuid import UUID

import numpy as np
import pytest
import spacy

from spacy_dxprivacy import DxError
from spacy_dxprivacy.integrations.distributed import Recipe, plan_shards, sanitize_shards
from spacy_dxprivacy.integrations.distributed.spending import is_nobody, user_id
from spacy_dxprivacy.io.jobs import plan_jobs
from spacy_dxprivacy.io.run import sanitize
from spacy_dxprivacy.privacy.guarantee import Guarantee
from spacy_dxprivacy.registries import registry
from spacy_dxprivacy.ty import Draw

pa = pytest.importorskip("pyarrow", reason="needs the extra 'arrow'")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'arrow'")

ENDINGS = ["txt", "jsonl", "csv", "spacy", "parquet", "jsonl.gz"]
OF_FILES = [ending for ending in ENDINGS if ending != "parquet"] + ["json", "tsv", "xlsx"]
NOTE = "the dog saw the {} by the river"
# Of other lengths, and how often each is used differs.
TWO = ("cat", "teacher")


class OneWord:
    """Draws one word, whatever came in: two inputs have to come out as one."""

    name = "test.OneWord.v1"
    guarantee = Guarantee(
        kind="metric-dp", epsilon=1.0, metric="discrete", covers="all", status="proven", source="-"
    )

    def fit(self, space):
        self.row = space.find("house")

    def sample(self, rows, rng):
        return Draw(np.full(len(rows), self.row, dtype=np.int64))


@pytest.fixture(scope="module", autouse=True)
def registered():
    registry.dx_mechanisms.register("test.OneWord.v1", func=OneWord)


@pytest.fixture(scope="module")
def recipe(space_path, registered):
    config = {
        "mechanism": {"@dx_mechanisms": "test.OneWord.v1"},
        "space": {"@dx_spaces": "dx.FileSpace.v1", "path": space_path},
    }
    return Recipe.of(config)


@lru_cache(maxsize=1)
def loaded(recipe):
    return recipe.load()


def write(path, text):
    """A file of one document, in Parquet two, of one user."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = path.suffixes[0]
    if kind == ".xlsx":
        book = pytest.importorskip("openpyxl").Workbook()
        for row in (("text", "who"), (text, 7)):
            book.active.append(row)
        book.save(path)
    elif kind == ".parquet":
        pq.write_table(pa.table({"text": [text, text], "who": [7, 8]}), path)
    elif kind == ".spacy":
        path.write_bytes(spacy.tokens.DocBin(docs=[spacy.blank("en")(text)]).to_bytes())
    else:
        entry = {"text": text, "who": 7}
        raw = {
            ".json": json.dumps([entry]), ".jsonl": json.dumps(entry) + "\n", ".txt": text,
            ".csv": f"text,who\n{text},7\n", ".tsv": f"text\twho\n{text}\t7\n",
        }[kind].encode()  # fmt: skip
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def counted(monkeypatch):
    """Call it before a run: the names of hidden files are counted, and not random."""

    def restart():
        numbers = count()
        path = "spacy_dxprivacy.integrations.distributed.work.secrets.token_hex"
        monkeypatch.setattr(path, lambda _: f"{next(numbers):016x}")

    return restart


@pytest.fixture
def source(tmp_path):
    return write(tmp_path / "in" / "a.txt", NOTE.format("cat"))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def shards(recipe, source, out, **how):
    plan = plan_shards([source], out)
    settings = recipe.settings.with_settings({f"cluster.{k}": v for k, v in how.items()})
    return sanitize_shards(loaded(recipe), replace(recipe, settings=settings), plan, out)


@pytest.mark.parametrize("ending", ENDINGS)
def test_shards_of_two_inputs_that_differ_in_a_word_are_alike_byte_for_byte(
    recipe, tmp_path, counted, ending
):
    users = None if ending in ("txt", "spacy") else "who"
    for word in TWO:
        source = write(tmp_path / word / "in" / f"a.{ending}", NOTE.format(word))
        counted()
        shards(recipe, source, tmp_path / word / "out", user_column=users)
    first, second = (contents(tmp_path / word / "out") for word in TWO)
    assert first == second and {"_journal.jsonl", "_manifest.json"} < set(first)
    private = list((tmp_path / TWO[0] / "out.private").iterdir())
    assert any(path.suffix == ".npy" for path in private) == (users is not None)
    assert not any(path.stat().st_mode & 0o077 for path in private)


@pytest.mark.parametrize("ending", OF_FILES)
def test_files_and_receipts_of_two_such_inputs_are_alike(recipe, tmp_path, ending):
    found = []
    for word in TWO:
        source = write(tmp_path / word / f"a.{ending}", NOTE.format(word))
        jobs = plan_jobs(str(source), str(tmp_path / word / f"out.{ending}"))
        tally = sanitize(loaded(recipe), jobs)
        assert tally.documents == 1 and tally.seconds > 0
        found.append((jobs[0].target.read_bytes(), tally.to_dict()))  # type: ignore[union-attr]
    assert found[0] == found[1]


def test_no_file_holds_a_digest_by_which_a_guess_is_confirmed(recipe, source, out, tmp_path):
    shards(recipe, source, out)
    digests = [f(source.read_bytes()).hexdigest() for f in (hashlib.sha256, hashlib.blake2b)]
    private = contents(tmp_path / "out.private")
    for raw in [*contents(out).values(), *private.values()]:
        assert not any(digest.encode() in raw for digest in digests)
    assert set(private) == {"key", "inputs.jsonl"}
    assert not any(path.stat().st_mode & 0o077 for path in (tmp_path / "out.private").iterdir())
    shutil.rmtree(tmp_path / "out.private")  # without it, a second release would go unnoticed
    with pytest.raises(DxError, match="does not belong"):
        shards(recipe, write(tmp_path / "in" / "b.txt", "the river"), out)


# -- what somebody else put there ----------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize("name", ["_partial", "_journal.jsonl", "../out.private", "in"])
def test_links_are_not_followed(recipe, source, out, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(), out.mkdir()
    (elsewhere / "precious").write_text("mine")
    os.symlink(elsewhere / ("precious" if "journal" in name else ""), out / name)
    write(tmp_path / "in" / "in" / "a.txt", NOTE.format("teacher"))
    with pytest.raises(DxError, match="to another place" if name == "in" else "is a symbolic link"):
        shards(recipe, source.parent, out)
    assert contents(elsewhere) == {"precious": b"mine"}


@pytest.mark.parametrize(
    "forged",
    [
        *[{"name": name} for name in ("../../evil.txt", "/tmp/evil.txt", "deep/../../evil.txt",
                                      "..\\evil.txt", "_journal.jsonl")],
        {"temporary": "../../in/a.txt"}, {"users": "../key"},
    ],
)  # fmt: skip
def test_a_journal_that_names_other_folders_is_refused(recipe, source, out, tmp_path, forged):
    shards(recipe, source, out)
    journal = out / "_journal.jsonl"
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    for event in events:
        event.update(forged if event["event"] == "shard" else {})
    journal.write_text("".join(json.dumps(event) + "\n" for event in events))
    with pytest.raises(DxError, match="outside its folder"):
        shards(recipe, write(tmp_path / "in" / "b.txt", "the river"), out)
    assert source.exists()


# -- users ---------------------------------------------------------------------------------------

KEY = bytes(32)


def test_one_user_is_one_in_whatever_way_it_is_written():
    for ways in [
        (7, 7.0, "7", "7.0", " 7", "007", b"7", np.int64(7), np.float32(7), Decimal(7)),
        ("é", "é", "é "),
        (UUID(int=7), str(UUID(int=7))),
        (-7, "-7", -7.0),
    ]:
        assert len({user_id(KEY, way) for way in ways}) == 1
    some = [7, 8, -7, "a", "A", "7a", UUID(int=7), 2**70, "7.5"]
    assert len({user_id(KEY, user) for user in some}) == len(some)


@pytest.mark.parametrize("user", [None, float("nan"), Decimal("nan"), "", "  ", b""])
def test_who_is_not_named_is_nobody(user):
    assert is_nobody(user) and not is_nobody(0)


@pytest.mark.parametrize("user", [True, np.True_, 7.5, float("inf"), [7], {"a": 7}, Decimal("7.5")])
def test_what_may_or_may_not_be_one_user_is_refused_unsaid(user):
    with pytest.raises(DxError, match="DX110") as raised:
        user_id(KEY, user)
    assert "7" not in str(raised.value).replace("DX110", "")
