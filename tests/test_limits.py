"""Files that are damaged, or made to do harm: nothing is unpickled, and nothing grows beyond what
is there."""

import ast
import io
import json
import pickle
import time
import tracemalloc
import zlib
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import DocBin

import spacy_dxprivacy
from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.config.options import FileOptions
from spacy_dxprivacy.errors import UsageError
from spacy_dxprivacy.files import limits
from spacy_dxprivacy.files.limits import BadPacked, read_docbin, unpack
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.io.jobs import read
from spacy_dxprivacy.lab.audit.files import BadFile, read_file

PACKAGE = Path(spacy_dxprivacy.__file__).parent
# What runs what a file says, unless it is told not to.
FORBIDDEN = {
    "pickle.load", "pickle.loads", "pickle.Unpickler", "cPickle.loads", "dill.load", "dill.loads",
    "cloudpickle.load", "cloudpickle.loads", "joblib.load", "torch.load", "marshal.loads",
    "shelve.open", "yaml.load", "yaml.unsafe_load", "eval", "exec", "compile", "os.system",
    "pandas.read_pickle", "pd.read_pickle", "link.recv", "srsly.pickle_loads",
}  # fmt: skip


def offences(source):
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            allowed = [k.value for k in node.keywords if k.arg == "allow_pickle"]
            unpickles = name.endswith(("np.load", "numpy.load", "xp.load")) and allowed
            if name in FORBIDDEN or (unpickles and ast.unparse(allowed[0]) != "False"):
                found.append(name)
        module = node.module if isinstance(node, ast.ImportFrom) else ""
        if module in ("pickle", "marshal", "shelve", "dill", "joblib"):
            found.append(f"from {module}")
    return found


def test_no_code_of_the_package_loads_a_pickle_or_runs_a_text():
    files = sorted(PACKAGE.rglob("*.py"))
    names = [f.relative_to(PACKAGE).as_posix() for f in files]
    found = [offences(f.read_text(encoding="utf8")) for f in files]
    assert len(found) > 80
    # What others test their mechanisms with loads the pickle that it has made of one.
    own = {"testing.py": ["pickle.loads"]}
    assert {name: some for name, some in zip(names, found, strict=True) if some} == own


@pytest.mark.parametrize(
    "source",
    ["pickle.loads(x)", "np.load(p, allow_pickle=True)", "eval(x)", "torch.load(p)",
     "from pickle import loads", "link.recv()", "np.load(p, allow_pickle=how)"],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(source):
    assert offences(source)


class Evil:
    """Would write a file if it were unpickled."""

    path = ""

    def __reduce__(self):
        return (Path.touch, (Path(self.path),))


# 500 lists, each in the other, each of which says that it has a million items.
PROMISES = (b"\xdd" + (2**20).to_bytes(4, "big")) * 500 + bytes(2**20)


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xc1", b"\x92\x01", b"\x01\x01", b"\xd4\x05\x00", PROMISES,
     b"\x91" * 5000, b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xa1\xff"],
    ids=["empty", "no type", "short", "two values", "extension", "promises", "nested",
         "large map", "large bytes", "not utf-8"],
)  # fmt: skip
def test_msgpack_that_is_not_whole_is_refused_at_once(raw):
    start = time.process_time()
    tracemalloc.start()
    with pytest.raises(BadPacked, match="DX097"):
        unpack(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * len(raw) + 2**21 and time.process_time() - start < 5


def message(**parts):
    docs = list(spacy.blank("en").pipe(["Hello there, Zorblatt.", "", "More"]))
    told = srsly.msgpack_loads(zlib.decompress(DocBin(docs=docs, store_user_data=True).to_bytes()))
    return zlib.compress(srsly.msgpack_dumps({**told, **parts}))


def test_a_docbin_is_read_as_spacy_reads_it():
    docs = list(spacy.blank("en").pipe(["Hello there,  Zorblatt.\n", "", "More"]))
    docs.append(spacy.tokens.Doc(docs[0].vocab, words=["a", "b"]))
    raw = DocBin(docs=docs).to_bytes()
    theirs = [doc.text for doc in DocBin().from_bytes(raw).get_docs(spacy.blank("en").vocab)]
    ours = read_docbin(raw)
    texts = ["".join(w + " " * s for w, s in zip(*doc, strict=True)) for doc in ours.documents()]
    assert texts == theirs and len(ours) == 4


def records(raw, kind):
    return list(read(io.BytesIO(raw), kind, FileOptions()))


@pytest.mark.parametrize("raw", [
    b"", b"x", zlib.compress(b""), zlib.compress(PROMISES),
    zlib.compress(b"\x81\xa5attrs" + PROMISES), zlib.compress(b"\x81\xa7strings" + PROMISES),
    zlib.compress(b"\x81\xa4cats" + PROMISES),
    message(strings=7), message(strings=[b"x"]), message(attrs=[]), message(attrs=["x"]),
    message(attrs=[65] * 3), message(lengths=b"123"), message(lengths=b"\xff" * 4),
    message(tokens=b"1234567"), message(tokens=[[1]]), message(spaces=None),
    message(flags=[1, 2, 3]), message(flags=[{}]), message(strings=[]), message(user_data=[b"x"]),
])  # fmt: skip
def test_a_docbin_made_to_do_harm_is_an_error_in_one_line(raw, tmp_path):
    start = time.process_time()
    with pytest.raises(UsageError, match=r"\.spacy file") as caught:
        records(raw, "spacy")
    path = tmp_path / "r.spacy"
    path.write_bytes(raw)
    with pytest.raises(BadFile, match="spacy"):
        list(read_file(path, "text"))
    assert "\n" not in str(caught.value) and "Zorblatt" not in str(caught.value)
    assert time.process_time() - start < 5


def test_objects_are_bytes_like_any_other_and_not_unpickled(tmp_path):
    evil, trap = Evil(), tmp_path / "trap"
    evil.path = str(trap)
    array = {b"nd": True, b"type": "|O", b"kind": b"O", b"shape": [1], b"data": pickle.dumps(evil)}
    assert unpack(srsly.msgpack_dumps(array))[b"data"] == array[b"data"]
    user_data = [srsly.msgpack_dumps({"x": array})] * 3
    raw = message(user_data=user_data, cats=[{"x": array}] * 3)
    assert len(records(raw, "spacy")) == 3
    (tmp_path / "r.spacy").write_bytes(raw)
    assert list(read_file(tmp_path / "r.spacy", "text")) and not trap.exists()


def test_a_docbin_that_is_a_bomb_is_not_inflated(monkeypatch):
    monkeypatch.setattr(limits, "RATIO_CHECKED_FROM", 2**16)
    bomb = message(tokens=bytes(10**7))
    with pytest.raises(UsageError, match=r"DX096.*more than 200 times"):
        records(bomb, "spacy")


def test_a_docbin_beyond_the_limits_is_refused(monkeypatch):
    monkeypatch.setattr(limits, "MAX_INFLATED", 2**17)
    with pytest.raises(UsageError, match="DX095"):
        records(message(tokens=bytes(10**6)), "spacy")
    monkeypatch.setattr(limits, "MAX_DOCBIN", 10)
    with pytest.raises(UsageError, match="DX095"):
        records(message(), "spacy")


@pytest.fixture
def short_records(monkeypatch):
    for module in ("io.formats", "io.records", "io.tables", "files.limits"):
        monkeypatch.setattr(f"spacy_dxprivacy.{module}.MAX_RECORD", 100)
    monkeypatch.setattr("spacy_dxprivacy.files.limits.MB", 100)


def test_a_line_without_end_is_a_bad_record(short_records):
    raw = b'{"text": "y"}\n{"text": "%s"}\n{"text": "y"}' % (b"x" * 1000)
    found = records(raw, "jsonl")
    assert [r.texts for r in found[::2]] == [["y"], ["y"]] and "longer than" in found[1].why
    assert [r.number for r in found] == [1, 2, 3] and sum(r.size for r in found) == len(raw)


def test_a_text_and_a_cell_without_end_are_bad_records(short_records):
    assert "longer than" in records(b"x" * 101, "txt")[0].why
    found = records(b'id,text\n1,"' + b"x\n" * 80 + b'"\n2,y\n', "csv")
    assert found[0].why == "it is not valid CSV."
    found = records(b"id,text\n1," + b"x" * 1000 + b"\n2,y\n", "csv")
    assert found[0].why == "it is not valid CSV." and found[-1].texts == ["y"]


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"text": ' + "[" * 100_000, '{"a":' * 100_000])
def test_json_without_end_is_a_bad_record(nested):
    assert records(nested.encode(), "jsonl")[0].why == "it is not valid JSON."


def test_a_description_or_a_config_without_end_is_refused(space, tmp_path, monkeypatch):
    space.save(saved := tmp_path / "space")
    monkeypatch.setattr("spacy_dxprivacy.config.spacy_config.MAX_CONFIG", 10)
    config = tmp_path / "c.cfg"
    config.write_text("[nlp]\nlang = 'en'\n")
    with pytest.raises(UsageError, match=r"DX095.*c\.cfg"):
        make_pipeline(config=config)
    about = json.loads((saved / "space.json").read_text())
    (saved / "space.json").write_text(json.dumps({**about, "pad": "x" * (65 * 2**20)}))
    with pytest.raises(DxError, match="DX095"):
        Space.load(saved)
