"""Any text: no crash without a coded error, no text in an error, each document once or named.

`DXPRIVACY_FUZZ=100 pytest tests/test_fuzz.py` makes a hundred times the examples, others each
time; a failure is printed with what repeats it.
"""

import csv
import io
import json
import os
import zlib
from importlib import import_module
from importlib.util import find_spec

import pytest
import spacy
import srsly
from confection import ConfigValidationError
from conftest import (
    CONSTANT,
    COVER,
    LAPLACE,
    REDACT,
    UNKNOWN_SECRETS,
    blank_with_vectors,
    leaks,
    run_dx,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import DocBin

from spacy_dxprivacy import DxError, UsageError, assert_sanitized
from spacy_dxprivacy.config.options import FileOptions
from spacy_dxprivacy.io.jobs import read
from spacy_dxprivacy.io.records import Failed
from spacy_dxprivacy.lab.audit.files import BadFile, read_file
from spacy_dxprivacy.text.normal import normal_form

# Generated configs name mechanisms without a guarantee, which say so.
pytestmark = pytest.mark.filterwarnings("ignore:.*DX10:UserWarning", "ignore:.*W109")
TIMES = int(os.environ.get("DXPRIVACY_FUZZ", "1"))


def examples(count):
    return settings(
        max_examples=count * TIMES, deadline=None, derandomize=TIMES == 1, print_blob=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


WORDS = (
    "the doctor saw a house in London and she didn't know why you'd go there Monday ok u.s. e.g. "
    "$5 10:30 #tag @you http://example.org/a?b=c :-) can't John's re-read 3.14"
).split()
ODD = [
    "\0", "\x01\x02", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u200b", "\ufeff", "\ufffd", "\u202e",
    "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "\u4e1c\u4eac", "e\u0301" * 5,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\U0010ffff", "\ufdfa",
    "\t", "\r\n", "\n\n \n", "   ", "\u00a0", "\u3000", "'" * 7, "-" * 50, "(((", ")", '"', "\\",
    "\\u0000", "%s%n", "${HOME}", "<b>", "</script>", "NaN", "1e999", "A" * 3000, "9" * 500,
    "a." * 200, "\u0130\u0131\u1e9e\u00df\ufb01", "[REDACTED]", "n't", "'s", "\u0663\u0664\u0665",
]  # fmt: skip
PARTS = (
    st.sampled_from(WORDS) | st.sampled_from(UNKNOWN_SECRETS) | st.sampled_from(ODD)
    | st.text(st.characters(codec="utf-8"), max_size=8)
)  # fmt: skip
TEXTS = st.lists(
    st.tuples(PARTS, st.sampled_from(["", " ", " ", "\n", ", "])).map("".join), max_size=16
).map("".join)
# Of a broken pair no file but one of JSON can tell.
ODD_TEXTS = TEXTS | TEXTS.map(lambda text: f"{text}\ud800")
PATH = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 1.0, "policy": "plain"}
STANDARD = {"@dx_surrogates": "dx.Preset.v1", "name": "standard"}
PIPELINES = {
    "constant": {"mechanism": CONSTANT, "unknown": REDACT},
    "laplace": {"mechanism": LAPLACE, "vectors": "noisy"},
    "edited": {"mechanism": PATH, "editor": {"@dx_editors": "dx.Remap.v1"}},
    "surrogates": {"mechanism": LAPLACE, "surrogates": STANDARD},
}


@pytest.fixture(scope="module")
def make(space):
    def made(name):
        nlp = blank_with_vectors(space, "en")
        if name == "surrogates":
            nlp.add_pipe("dx_entity_ruler")
        nlp.add_pipe("dx_sanitizer", config=PIPELINES[name])
        return nlp

    return made


@pytest.fixture(scope="module", params=PIPELINES)
def nlp(request, make):
    return make(request.param)


@pytest.fixture(scope="module")
def dx(make):
    """Runs `dx sanitize` in this process, with one pipeline for all calls."""
    nlp, command = make("laplace"), import_module("spacy_dxprivacy.cli.sanitizing")

    def run(*args):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(command, "make_pipeline", lambda settings: nlp)
            done = run_dx("sanitize", *args, "--force")
        assert done.exit_code in (0, 1, 2) and isinstance(done.exception, SystemExit | None)
        assert not leaks(done.output, UNKNOWN_SECRETS)
        return done

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@examples(25)
@given(texts=st.lists(TEXTS, max_size=3))
def test_every_text_comes_out_without_its_unknown_words(nlp, texts):
    config = nlp.config["components"]["dx_sanitizer"]
    docs = list(nlp.pipe(texts))
    assert len(docs) == len(texts)
    for text, doc in zip(texts, docs, strict=True):
        assert_sanitized(doc)
        assert not leaks(doc.to_bytes(), UNKNOWN_SECRETS)
        if config["mechanism"] == CONSTANT:
            for old, new in zip(nlp.make_doc(normal_form(text)), doc, strict=True):
                assert old.is_space or old.is_punct or new.lower_ in (COVER, "[redacted]")


TABLES = ["jsonl", "csv", "tsv", *(["parquet"] if find_spec("pyarrow") else [])]
DOCUMENTS = ["txt", "html", "md", "eml"]


def written(form, texts):
    """Rows of an id and a text, as bytes of a format."""
    rows = [{"id": number, "text": text} for number, text in enumerate(texts)]
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    plain = [text.encode("utf8", "replace").decode().replace("\0", "") for text in texts]
    if form == "parquet":
        pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
        pq.write_table(pa.table({"id": range(len(plain)), "text": plain}), out := io.BytesIO())
        return out.getvalue()
    if form == "spacy":
        return DocBin(docs=map(spacy.blank("en"), plain)).to_bytes()
    table = io.StringIO(newline="")
    lines = csv.writer(table, delimiter="\t" if form == "tsv" else ",")
    lines.writerows([("id", "text"), *enumerate(plain)])
    return table.getvalue().encode()


def ids_of(path):
    raw = path.read_bytes()
    assert not leaks(raw, UNKNOWN_SECRETS)
    form = path.suffix[1:]
    if form == "jsonl":
        return [int(json.loads(line)["id"]) for line in raw.decode().split("\n") if line]
    if form == "parquet":
        return import_module("pyarrow.parquet").read_table(path)["id"].cast("int64").to_pylist()
    table = io.StringIO(raw.decode(), newline="")
    rows = csv.reader(table, delimiter="\t" if form == "tsv" else ",")
    return [int(row[0]) for row in list(rows)[1:]]


@pytest.mark.parametrize("form", TABLES)
@examples(15)
@given(texts=st.lists(ODD_TEXTS, max_size=6), to=st.sampled_from(TABLES))
def test_every_row_of_a_file_is_written_once_or_named(dx, folder, form, texts, to):
    texts = ["the dog", *texts]  # a first record that cannot be read stops a run
    source, target, receipt = folder / f"in.{form}", folder / f"out.{to}", folder / "r.json"
    source.write_bytes(written(form, texts))
    done = dx(source, target, "--keep-fields", "id", "--receipt", receipt)
    ids = ids_of(target)
    assert len(set(ids)) == len(ids) and ids == sorted(ids)
    (failed,) = json.loads(receipt.read_text())["count"].get("failed") or [[]]
    assert len(failed) == done.stderr.count("not valid Unicode")
    assert sorted([*ids, *(number - 1 for number in failed)]) == list(range(len(texts)))


@examples(15)
@given(texts=st.dictionaries(st.integers(0, 99), TEXTS, min_size=1, max_size=6))
def test_every_document_of_a_folder_is_written_or_named(dx, folder, texts):
    source, target = folder / "in d\u00e9", folder / "out"
    for place in (source, target):
        place.mkdir(exist_ok=True)
        for old in place.iterdir():
            old.unlink()
    for number, text in texts.items():
        form = DOCUMENTS[number % len(DOCUMENTS)]
        head = "Subject: Zorblattovich\n\n" if form == "eml" else ""
        (source / f"{number}.{form}").write_bytes((head + text).encode())
    done = dx(source, target)
    names = {path.name for path in target.iterdir()}
    for path in source.iterdir():
        assert (path.name in names) != (f"{path.name}, record 1: " in done.stderr)
    assert not any(leaks(path.read_bytes(), UNKNOWN_SECRETS) for path in target.iterdir())


@st.composite
def damaged(draw, raw):
    """Cut, doubled in part, or with some bytes changed."""
    at = draw(st.integers(0, len(raw)))
    how = draw(st.sampled_from(["whole", "cut", "doubled", "changed"]))
    if how == "whole":
        return raw
    if how == "changed":
        some = draw(st.binary(min_size=1, max_size=5))
        return raw[:at] + some + raw[at + len(some) :]
    return raw[:at] if how == "cut" else raw[:at] + raw[at : at + 40] * 2 + raw[at + 40 :]


def tampered(raw):
    """A DocBin with fields of other types and sizes, and bytes that no msgpack has."""
    fields = srsly.msgpack_loads(zlib.decompress(raw))
    wrong = st.sampled_from([[], {}, 7, b"123", "x", [[1]], None, [b"\xc1"], [10**6], b"\xff" * 4])
    changes = st.dictionaries(st.sampled_from(list(fields)), wrong, max_size=3)
    made = changes.map(lambda new: srsly.msgpack_dumps({**fields, **new})).flatmap(damaged)
    return made.map(lambda packed: zlib.compress(packed, 1))


FILES = {form: written(form, ["Zorblattovich saw\nQuuxington", "the dog"])
         for form in ("jsonl", "csv", "spacy")}  # fmt: skip
DAMAGED = {form: damaged(raw) for form, raw in FILES.items()}
DAMAGED["spacy"] = DAMAGED["spacy"] | tampered(FILES["spacy"])


@pytest.mark.parametrize("form", FILES)
@examples(100)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_without_its_text(folder, form, data):
    """By the reader of the command line, and that of the audit."""
    raw = data.draw(DAMAGED[form])
    try:
        records = read(io.BytesIO(raw), form, FileOptions())
        problems = [record.why for record in records if isinstance(record, Failed)]
        assert not leaks(" ".join(problems), UNKNOWN_SECRETS)
    except UsageError as error:
        assert "\n" not in str(error) and not leaks(str(error), UNKNOWN_SECRETS)
    (folder / f"r.{form}").write_bytes(raw)
    try:
        list(read_file(folder / f"r.{form}", "text"))
    except BadFile as error:
        assert "\n" not in str(error) and not leaks(str(error), UNKNOWN_SECRETS)


VALUES = st.sampled_from([
    None, True, 0, 1, -1, 2**63, 1e-320, 1e308, -1.5, 2.2, float("inf"), float("nan"), "", "nan",
    "token", "type", "preserve", "/dev/null", "\0", [], {}, [1, 2], ["PERSON"], {"a": 1},
    {"@dx_mechanisms": "dx.Nope.v1"},
])  # fmt: skip
BLOCKS = {
    "mechanism": ["dx.Laplace.v1", "dx.Exponential.v1", "dx.Path.v1", "dx.Gaussian.v1"],
    "selector": ["dx.AllWords.v1", "dx.Entities.v1"],
    "unknown": ["dx.Redact.v1", "dx.RandomWord.v1", "dx.RandomDigits.v1", "dx.Raise.v1"],
}
INNER = st.dictionaries(
    st.sampled_from(["epsilon", "delta", "labels", "projection", "k", "none"]), VALUES, max_size=2
)
CONFIGS = st.fixed_dictionaries({}, optional={
    **{block: st.tuples(st.sampled_from(names), INNER).map(
        lambda pair, block=block: {f"@dx_{block}s": pair[0], **pair[1]}) | VALUES
       for block, names in BLOCKS.items()},
    **dict.fromkeys(["seed", "scope", "casing", "vectors", "carry", "epsilonn", "x y"], VALUES),
})  # fmt: skip


@pytest.fixture(scope="module")
def blank():
    return spacy.blank("xx")


@examples(100)
@given(config=CONFIGS)
def test_a_config_works_or_is_refused_without_the_text(blank, file_space, config):
    if blank.has_pipe("dx_sanitizer"):
        blank.remove_pipe("dx_sanitizer")
    try:
        blank.add_pipe("dx_sanitizer", config={"space": file_space, **config})
    except (ConfigValidationError, ValueError) as error:  # DxError is one
        assert str(error)
        return
    try:
        doc = blank("The doctor saw Zorblattovich in London.")
    except DxError as error:
        assert str(error).startswith("[DX") and not leaks(str(error), UNKNOWN_SECRETS)
        return
    assert_sanitized(doc)
    assert not leaks(doc.text, UNKNOWN_SECRETS)
