"""Every format, by one contract: what is named is sanitised, all else passes through, and what is
wrong with a file is one sentence, the right status, and nothing written."""

import csv
import errno
import gzip
import importlib.util
import io
import json
import os
import sys
import zipfile
from functools import partial
from importlib import import_module
from unittest.mock import MagicMock

import pytest
import spacy
import srsly
from conftest import leaks, ok, refusal, run_dx
from spacy.tokens import DocBin

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.config.options import FileOptions
from spacy_dxprivacy.files.keys import make_key
from spacy_dxprivacy.files.limits import has_arrived
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.io.formats import find_slots
from spacy_dxprivacy.io.jobs import guess_format, read
from spacy_dxprivacy.io.results import results

SECRETS = ["Zorblatt", "Quixwell"]
NOTES = ['The cat of "Zorblatt" sleeps,\nand runs.', "Quixwell; the dog"]
UNKNOWN = "unknown.@dx_unknowns"
ROWS = [{"id": "007", "note": note, "day": f"2024-01-0{i}"} for i, note in enumerate(NOTES, 1)]


def extra(name, package):
    """A parameter that needs an extra."""
    lacks = importlib.util.find_spec(package) is None
    return pytest.param(name, marks=pytest.mark.skipif(lacks, reason=f"needs the extra {name!r}"))


BINARY = [extra("xlsx", "openpyxl"), extra("parquet", "pyarrow")]
FORMATS = ["csv", "tsv", "jsonl", *BINARY]


@pytest.fixture(scope="module")
def space(few_words_path):
    return few_words_path


@pytest.fixture(scope="module")
def pipelines(space):
    """One for each policy of unknown words: the commands of this file share them."""
    how = {"space": space, "mechanism": "exponential", "epsilon": 3.0}
    policies = ({}, {UNKNOWN: "dx.Redact.v1"}, {UNKNOWN: "dx.Raise.v1"})
    return {o.get(UNKNOWN): make_pipeline(overrides=o, **how) for o in policies}


@pytest.fixture
def dx(pipelines, monkeypatch):
    """Runs the command."""

    def made(settings):
        return pipelines[settings.overrides.get(UNKNOWN)]

    command = import_module("spacy_dxprivacy.cli.sanitizing")
    monkeypatch.setattr(command, "make_pipeline", made)
    return partial(run_dx, "sanitize")


def written(form, rows=ROWS):
    """Rows of text as bytes of a format."""
    if form in ("csv", "tsv"):
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter="\t" if form == "tsv" else ",", lineterminator="\n")
        writer.writerows([list(rows[0]), *(row.values() for row in rows)])
        return out.getvalue().encode()
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), out := io.BytesIO())
        return out.getvalue()
    if form == "spacy":
        return DocBin(docs=map(spacy.blank("en"), [row["note"] for row in rows])).to_bytes()
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in [list(rows[0]), *(list(row.values()) for row in rows)]:
        book.active.append(row)
    book.create_sheet("other").append(["Zorblatt"])
    book.save(out)
    return out.getvalue()


def read_back(form, raw):
    if form in ("csv", "tsv"):
        text = io.StringIO(raw.decode(), newline="")
        return list(csv.DictReader(text, delimiter="\t" if form == "tsv" else ","))
    if form == "jsonl":
        return [json.loads(line) for line in raw.splitlines()]
    if form == "parquet":
        import pyarrow.parquet as pq

        return pq.read_table(io.BytesIO(raw)).to_pylist()
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(raw))
    assert len(book.sheetnames) == 1
    head, *rows = book.active.iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


def no_secret_in(*things):
    assert not [secret for thing in things for secret in leaks(thing, SECRETS)]


def is_one_sentence(result):
    assert refusal(result).startswith("dx sanitize: ")
    no_secret_in(result.stderr)


# -- what passes through -------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_receipt_names_no_field_whose_name_may_be_text(dx, tmp_path, form):
    row = {"note": "It went well.", "id": "7", "Okonkwo": "a", "Priya_Whitcombe": "b", "M83190": ""}
    lines = [json.dumps(row)] if form == "jsonl" else [",".join(row), ",".join(row.values())]
    (tmp_path / f"in.{form}").write_text("\n".join([*lines, ""]))
    paths = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    result = ok(dx(*paths, "--field", "note", "--receipt", tmp_path / "r.json"))
    assert "the fields id and 3 more" in result.stderr
    said = result.stderr + result.stdout + (tmp_path / "r.json").read_text()
    assert not [word for word in ("Okonkwo", "Priya", "Whitcombe", "83190") if word in said]
    kept = ok(dx(*paths, "--field", "note", "--keep-fields", "Okonkwo", "--force"))
    assert "the fields Okonkwo" in kept.stderr


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_named_is_sanitised_and_all_else_passes_through(dx, tmp_path, form):
    (tmp_path / f"in.{form}").write_bytes(written(form))
    paths = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    result = ok(dx(*paths, "--field", "note", f"--{UNKNOWN}", "dx.Redact.v1"))
    assert "IN PLAINTEXT: the fields id, day." in result.stderr
    raw = (tmp_path / f"out.{form}").read_bytes()
    rows = read_back(form, raw)
    assert [list(row) for row in rows] == [["id", "note", "day"]] * 2
    assert [(row["id"], row["day"]) for row in rows] == [(r["id"], r["day"]) for r in ROWS]
    assert [row["note"].count("[REDACTED]") for row in rows] == [1, 1]
    assert rows[0]["note"].count("\n") == 1
    no_secret_in(raw, result.stderr)


NESTED = {
    "id": 7, "ok": True, "f": 1.5, "none": None, "big": 10**30,
    "a": {"b": "The cat", "c": [1, 2]}, "tags": ["old house", "river"], "x.y": "night",
    "items": [{"text": "the dog", "n": 1}, {"text": "a tree", "m": 2}],
}  # fmt: skip


def test_several_and_nested_fields_keep_what_is_around_them(dx):
    ways = "a.b,items[].text,tags[],x.y"
    raw = json.dumps(NESTED) + "\n"
    given = ["--field", ways, "--format", "jsonl", f"--{UNKNOWN}", "dx.Raise.v1"]
    result = ok(dx("-", *given, input=raw))
    assert "items[].n, items[].m." in result.stderr, result.stderr
    found = json.loads(result.stdout)
    for way in ways.split(","):
        pairs = zip(find_slots(found, way), find_slots(NESTED, way), strict=True)
        for (holder, key), (old, _) in pairs:
            assert len(holder[key].split()) == len(old[key].split())
            holder[key] = old[key]
    assert found == NESTED and list(found) == list(NESTED)


def test_a_path_that_is_a_key_as_well_is_both():
    entry = {"a.b": "the cat", "a": {"b": "the dog"}, "c": "x"}
    assert [holder[key] for holder, key in find_slots(entry, "a.b")] == ["the cat", "the dog"]
    assert len(find_slots(entry, "c")) == len(find_slots({"a.b": "the cat", "a": 5}, "a.b")) == 1


OPTIONAL = [  # records of a file of which the first has all, and whether they are written
    ('{"people": [["May Price"], ["Rose"]], "who": {"name": "Hope"}, "note": "x"}', True),
    ('{"people": [], "who": null, "note": "x"}', True),
    ('{"people": null, "who": {}, "note": "x"}', True),
    ('{"people": [null, ["Rose"]], "who": {"name": null}, "note": "x"}', True),
    ('{"note": "x"}', True),
    ('{"people": "May Price", "who": {"name": "Hope"}, "note": "x"}', False),
    ('{"people": [["Rose"]], "who": "Hope", "note": "x"}', False),
    ('{"people": [["Rose"]], "who": {"name": "Hope"}}', False),
]


def test_nested_fields_may_be_null_or_missing(dx):
    given = ["--field", "people[][],who.name,note", "--format", "jsonl", "--entities", "person"]
    result = dx("-", *given, input="".join(f"{line}\n" for line, _ in OPTIONAL))
    written = [json.loads(line) for line, is_written in OPTIONAL if is_written]
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [{*entry} for entry in found] == [{*entry} for entry in written]
    for old, new in zip(written[1:3], found[1:3], strict=True):
        assert {**new, "note": ""} == {**old, "note": ""}
    assert [f"record {n}: " in result.stderr for n in range(1, 9)] == [not w for _, w in OPTIONAL]
    assert "PLAINTEXT" not in result.stderr


def test_a_path_that_no_record_has_is_an_error(dx):
    lines = '{"who": {"name": "Hope"}}\n{"who": {}}\n'
    result = dx("-", "--field", "who.nam", "--format", "jsonl", "--entities", "person", input=lines)
    assert result.exit_code == 2 and "no field 'who.nam'" in result.stderr


def test_only_kept_fields_are_written_where_they_are_named(dx):
    raw = json.dumps({**NESTED, "who": "Zorblatt", "items": [{"text": "a", "who": "Quixwell"}]})
    args = ["-", "--field", "a.b,items[].text", "--keep-fields", "id,a.c", "-q"]
    result = dx(*args, input=raw + "\n")
    found = json.loads(result.stdout)
    assert found["id"] == 7 and found["a"]["c"] == [1, 2]
    assert list(found) == ["id", "a", "items"] and list(found["items"][0]) == ["text"]
    assert not result.stderr
    no_secret_in(result.stdout)


REFUSED = {
    "in.json": "jq -c '.[]' FILE", "in.jsonl.gz": "gunzip -c FILE.gz | dx sanitize -",
    '["the cat", "a dog"]': "jq -c '.[]' FILE", '{\n  "n": "Zorblatt"\n}': "jq -c . FILE",
    gzip.compress(b"Zorblatt", mtime=0): "gunzip -c FILE.gz | dx sanitize -",
}  # fmt: skip


@pytest.mark.parametrize("given", REFUSED)
def test_what_another_program_does_is_refused_with_its_command(dx, tmp_path, given):
    if str(given).startswith("in."):
        (tmp_path / given).write_text("Zorblatt")
        result = dx(tmp_path / given, tmp_path / "out.jsonl")
    else:
        result = dx("-", input=given)
    is_one_sentence(result)
    assert REFUSED[given] in result.stderr


def test_types_of_a_parquet_file_stay(dx, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    from datetime import date

    columns = {
        "id": pa.array([1, None], pa.int32()), "note": pa.array(["the cat", None]),
        "day": [date(2024, 1, 2), None], "list": [[1, 2], []],
        "kind": pa.array(["a", "b"]).dictionary_encode(), "f": [0.5, None],
    }  # fmt: skip
    table = pa.table(columns).replace_schema_metadata({"about": "Zorblatt"})
    pq.write_table(table, tmp_path / "in.parquet")
    ok(dx(tmp_path / "in.parquet", tmp_path / "out.parquet", "--field", "note"))
    found = pq.read_table(tmp_path / "out.parquet")
    others = [name for name in columns if name != "note"]
    assert found.select(others).equals(table.select(others)) and found["note"][1].as_py() is None
    assert found.schema.types == table.schema.types
    no_secret_in((tmp_path / "out.parquet").read_bytes())


def test_parquet_without_rows_and_with_bytes_that_are_no_text(dx, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    raw = pa.array([b"the dog", b"Quixwell \xff\xfe"])
    broken = pa.Array.from_buffers(pa.string(), 2, raw.buffers())
    for texts, status in ((pa.array([], pa.string()), 0), (broken, 1)):
        pq.write_table(pa.table({"text": texts}), tmp_path / "in.parquet")
        result = dx(tmp_path / "in.parquet", tmp_path / "out.parquet", "--force")
        assert result.exit_code == status, result.stderr
        assert pq.read_table(tmp_path / "out.parquet").num_rows == status
        no_secret_in(result.stderr)


def test_types_of_a_sheet_stay(dx, tmp_path):
    pytest.importorskip("openpyxl")
    from datetime import datetime

    from openpyxl import Workbook

    row = [7, "the cat", 1.5, datetime(2024, 1, 2), True, "=1+1"]
    book = Workbook()
    for line in [["id", "note", "f", "day", "ok", "formula"], [*row[:-1], "'text"]]:
        book.active.append(line)
    book.save(tmp_path / "in.xlsx")
    ok(dx(tmp_path / "in.xlsx", tmp_path / "out.xlsx", "--field", "note"))
    raw = (tmp_path / "out.xlsx").read_bytes()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:  # nothing tells when it was made
        assert {info.date_time[0] for info in archive.infolist()} == {1980}
        assert b">1980-" in archive.read("docProps/core.xml")
    (found,) = read_back("xlsx", raw)
    assert [found[name] for name in ("id", "f", "day", "ok")] == [7, 1.5, row[3], True]


def test_columns_by_number_delimiters_quotes_and_ends_of_lines(dx, tmp_path):
    raw = b'"id";"note"\r\n"7";"the cat"\r\n'
    (tmp_path / "in.csv").write_bytes(raw)
    by_name = dx(tmp_path / "in.csv", "--field", "note")
    assert by_name.stdout_bytes.startswith(b"id;note\r\n7;")
    result = dx("-", "--field", "2", "--format", "csv", input=raw.replace(b";", b","))
    lines = result.stdout_bytes.split(b"\r\n")
    assert lines[0] == b"id,note" and lines[1].startswith(b"7,") and not lines[2]


@pytest.mark.parametrize("form", ["csv", "tsv", "stdin"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        (["Zorblatt,Nice,K12,Price slept.", "Hope,Bath,K13,Hope slept."], "1,2,3,4"),
        (["Zorblatt,Price", "Hope,Young"], "1"),
        (["zorblatt,cancer,Reading", "will,flu,Nice"], "1"),
        (["Zorblatt,hospital,mother", "Hope,school,father"], "2,3"),
        (["4471,Zorblatt", "4472,Hope"], "2"),
    ],
)
def test_a_first_row_that_may_be_a_record_is_never_released(dx, tmp_path, form, mark, rows, fields):
    raw = "".join(row.replace(",", mark) + "\n" for row in rows)
    path = tmp_path / f"in.{form}"
    path.write_text(raw)
    args = ["-", "--format", "csv"] if form == "stdin" else [path, tmp_path / f"out.{form}"]
    result = dx(*args, "--field", fields, input=raw)
    assert result.exit_code and not result.stdout and not [*tmp_path.glob("out*")]
    shown = result.stderr.lower()
    assert not any(cell.lower() in shown for cell in rows[0].split(",") if cell != "4471")
    assert "row of names" in " ".join(shown.split())


@pytest.mark.parametrize(
    "head",
    ["id,note", "prénom,n° dossier", "Name,Age", "subject_id,free_text", "1,2"],
)
def test_columns_by_number_below_a_row_of_names(dx, head):
    result = ok(dx("-", "--field", "2", "--format", "csv", input=f"{head}\n7,the cat\n"))
    assert result.stdout.splitlines()[0] == head and result.stdout.splitlines()[1][:2] == "7,"


def test_columns_of_one_name_are_refused_and_those_without_one_have_a_number(dx):
    args = ["-", "--field", "note", "--format", "csv"]
    is_one_sentence(dx(*args, input="note,id,id\nthe cat,7,8\n"))
    result = dx(*args, input="note,,\nthe cat,7,8\n")
    assert result.stdout.splitlines()[0] == "note,2,3"
    assert result.stdout.splitlines()[1].endswith(",7,8")


def test_a_mark_of_utf_8_is_no_part_of_a_name(dx, tmp_path):
    (tmp_path / "in.csv").write_bytes("größe,text\nä,the cat\n".encode("utf-8-sig"))
    result = ok(dx(tmp_path / "in.csv"))
    assert result.stdout_bytes.decode().startswith("größe,text\nä,")


def test_a_text_on_the_command_line(dx):
    result = dx("--text", "The cat of Zorblatt", "-q")
    assert result.exit_code == 0 and len(result.stdout.split()) == 4
    no_secret_in(result.stdout)
    is_one_sentence(dx("a.txt", "--text", "the cat"))
    is_one_sentence(dx("-q"))  # an INPUT was forgotten


# -- what is wrong --------------------------------------------------------------------------------

CUT = {"csv": (0, ""), "tsv": (0, ""), "jsonl": (1, "not valid JSON"),
       "xlsx": (2, "damaged"), "parquet": (2, "damaged")}  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_a_wrong_field_is_one_sentence_that_counts_what_is_there(dx, tmp_path, form):
    (tmp_path / f"in.{form}").write_bytes(written(form))
    result = dx(tmp_path / f"in.{form}", tmp_path / f"out.{form}", "--field", "notes")
    is_one_sentence(result)
    assert "'notes'; " in result.stderr and " has 3 " in result.stderr
    result = dx("-", "--field", "notes", "--format", form, input=written(form))
    is_one_sentence(result)
    assert "'notes'; " in result.stderr and " has 3 " in result.stderr
    assert len(list(tmp_path.iterdir())) == 1


HEADLESS = {  # files whose names of columns, or whose keys, are text
    "a.csv": "Maria Zorblatt,1957,Quixwell\nPeter,1960,Leeds\n",
    "b.csv": "Zorblatt;Quixwell\nPeter;Leeds\n",
    "c.tsv": "Maria Zorblatt\tQuixwell\tLeeds\n",
    "d.csv": "Zorblatt\nPeter\n",
    "e.csv": '"Zorblatt, Maria","Quixwell"\n"a","b"\n',
    "f.jsonl": '{"Maria Zorblatt": "was seen", "Quixwell": 1}\n',
    "g.jsonl": '{"a": {"Zorblatt": "was seen"}, "b": [{"Quixwell": 1}]}\n',
    "h.jsonl": '{"text": {"Zorblatt": "Quixwell"}}\n',
    "i.jsonl": '{"body": "the cat", "Zorblatt": 1}\n{"Quixwell": "the dog"}\n',
}


@pytest.mark.parametrize("field", [None, "notes", "note.text", "9", "0", "text[].note", "1,9"])
@pytest.mark.parametrize("name", HEADLESS)
def test_no_message_quotes_a_first_row_or_a_key(dx, tmp_path, name, field):
    path = tmp_path / name
    path.write_text(HEADLESS[name])
    settings = [] if field is None else ["--field", field]
    for args in (
        (path, tmp_path / f"out{path.suffix}", *settings),
        (path, tmp_path / f"out{path.suffix}", *settings, "--keep-fields", "other"),
        (path, tmp_path / f"out{path.suffix}", *settings, "--person-field", "other"),
    ):
        result = dx(*args)
        assert result.exit_code, result.stderr
        for word in ("Zorblatt", "Quixwell", "Maria", "1957", "Leeds", "Peter"):
            assert word not in result.stderr + result.stdout


@pytest.mark.parametrize("form", BINARY)
def test_no_message_quotes_the_columns_of_a_binary_file(dx, tmp_path, form):
    (tmp_path / "a.csv").write_text("text,Maria Zorblatt,Quixwell\nthe cat,1,2\n")
    ok(dx(tmp_path / "a.csv", tmp_path / f"a.{form}"))
    result = dx(tmp_path / f"a.{form}", tmp_path / f"b.{form}", "--field", "notes")
    is_one_sentence(result)
    assert "Zorblatt" not in result.stderr and "has 3 " in result.stderr


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("bad", ["empty", "cut", "binary"])
def test_bad_files_are_one_sentence_and_nothing_is_written(dx, tmp_path, form, bad):
    raw = {"empty": b"", "cut": written(form)[:-9], "binary": bytes(range(128, 256)) * 9}[bad]
    (tmp_path / f"in.{form}").write_bytes(raw)
    result = dx(tmp_path / f"in.{form}", tmp_path / f"out.{form}", "--field", "note")
    no_secret_in(result.stdout, result.stderr)
    if bad == "cut":
        status, told = CUT[form]
        assert result.exit_code == status and told in result.stderr
    elif bad == "empty" and form == "jsonl":
        assert result.exit_code == 0
    else:
        is_one_sentence(result)
        assert len(list(tmp_path.iterdir())) == 1


def test_a_missing_extra_is_named(dx, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "in.csv").write_text("text\nthe cat\n")
    result = dx(tmp_path / "in.csv", tmp_path / "out.xlsx")
    is_one_sentence(result)
    assert 'pip install "spacy-dxprivacy[xlsx]"' in result.stderr
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("raw", "args", "told"),
    [
        ("Zorblatt sleeps near the old house, says Quixwell.\n", [], "does not look like names"),
        *(
            (f"Zorblatt sleeps near the old house.,1\nQuixwell too,{n}\n", ["--field", n], "names")
            for n in "12"
        ),
        ("text,id\n1\n", ["--field", "text,text"], "twice"),
        ("text,id\n1\n", ["--field", ","], "empty"),
    ],
)
def test_wrong_encodings_delimiters_and_heads(dx, tmp_path, raw, args, told):
    (tmp_path / "in.csv").write_bytes(raw.encode("latin-1"))
    result = dx(tmp_path / "in.csv", tmp_path / "out.csv", *args)
    is_one_sentence(result)
    assert any(one in result.stderr for one in told.split("|")), result.stderr
    assert len(list(tmp_path.iterdir())) == 1


def test_records_that_differ_lose_nothing_silently(dx, tmp_path):
    raw = '{"text": "the cat", "id": 1}\n{"text": "a dog", "id": 2, "who": "Zorblatt"}\n'
    result = dx("-", tmp_path / "out.csv", input=raw)
    assert result.exit_code == 1 and "record 2: it has a field that the first" in result.stderr


def test_a_row_with_one_bad_text_is_not_written(dx):
    raw = '{"a": "the cat", "b": "a dog"}\n{"a": "the cat", "b": ["a"]}\n{"a": "x"}\n'
    result = dx("-", "--field", "a,b", "-q", input=raw)
    assert result.exit_code == 1 and len(result.stdout.splitlines()) == 1
    for message in ("record 2: its text is a list", "record 3: it has no"):
        assert message in result.stderr


def test_many_failures_are_not_many_lines(dx):
    raw = '{"text": "the cat"}\n' + '{"id": 5}\n' * 100
    result = dx("-", "-q", input=raw)
    assert result.exit_code == 1 and "80 more failed" in result.stderr
    assert len(result.stderr.splitlines()) == 21


@pytest.mark.parametrize("form", [*FORMATS, "spacy"])
@pytest.mark.parametrize(
    ("error", "status", "lines"),
    [(OSError(errno.ENOSPC, "No space left on device"), 1, 1), (KeyboardInterrupt(), 130, 1),
     (BrokenPipeError(errno.EPIPE, "Broken pipe"), 1, 0)],
    ids=["full", "stopped", "closed"],
)  # fmt: skip
def test_what_ends_half_way_leaves_nothing(
    dx, tmp_path, monkeypatch, capfd, form, error, status, lines
):
    """A full disk, Ctrl-C, a reader that goes: after the first record was written."""
    (tmp_path / f"in.{form}").write_bytes(written(form))
    bar = MagicMock()
    bar.return_value.__enter__.return_value.update.side_effect = error
    bar.return_value.__exit__.return_value = None
    monkeypatch.setattr("spacy_dxprivacy.cli.sanitizing.bytes_bar", bar)
    target = tmp_path / f"out.{form}"
    field = [] if form == "spacy" else ["--field", "note"]
    result = dx(tmp_path / f"in.{form}", target, *field)
    assert result.exit_code == status and len(result.stderr.splitlines()) == lines
    assert [path.name for path in tmp_path.iterdir()] == [f"in.{form}"]
    no_secret_in(result.stdout, result.stderr, str(capfd.readouterr()))


@pytest.mark.parametrize("form", FORMATS)
def test_cells_that_name_nobody_stay(dx, tmp_path, capfd, form):
    rows = [{"id": "Zorblatt", "note": value} for value in (True, False)]
    (tmp_path / f"in.{form}").write_bytes(written(form, rows))
    result = dx(tmp_path / f"in.{form}", tmp_path / f"out.{form}", "--field", "note")
    assert result.exit_code == 0 and "Traceback" not in result.stderr + capfd.readouterr().err
    if form not in ("csv", "tsv"):  # all that is in them is text
        rows = read_back(form, (tmp_path / f"out.{form}").read_bytes())
        assert [row["note"] for row in rows] == [True, False]
    no_secret_in(result.stderr)


@pytest.mark.posix
@pytest.mark.parametrize("there", ["folder", "link", "loop", "nothing"])
def test_what_is_no_file_is_one_sentence(dx, tmp_path, there):
    path = tmp_path / "in.csv"
    if there == "folder":
        path.mkdir()
    elif there != "nothing":
        path.symlink_to(path if there == "loop" else tmp_path / "nowhere")
    is_one_sentence(dx(path, tmp_path / "out.csv", "--field", "note"))
    assert not (tmp_path / "out.csv").exists()


# -- what stdin is --------------------------------------------------------------------------------

GUESSED = {
    "Dear Maria,\nhow are you, really?\n": "txt", "Yes, thanks": "txt", "": "txt",
    "[Note] She sleeps.\n\nWell.": "txt", '{"text": "a"}\n{"te': "jsonl",
    "id,text\n1,a\n": "csv", "id;text\n1;a\n": "csv", "id\ttext\n1\ta\n": "tsv",
    "id,note\n1,a\n": "txt", "Hello, Bob\nThanks, Al\n": "txt", "PK\x03\x04": "", "x\0": "",
}  # fmt: skip


@pytest.mark.parametrize("raw", GUESSED)
def test_formats_are_guessed_and_binary_ones_named(raw):
    if GUESSED[raw]:
        assert guess_format(raw.encode(), FileOptions()) == GUESSED[raw]
    else:
        with pytest.raises(UsageError, match="its `format`"):
            guess_format(raw.encode(), FileOptions())


@pytest.mark.posix
def test_a_record_is_sanitised_before_the_next_one_comes(pipelines):
    reading, writing = os.pipe()
    line = b'{"text": "the cat"}\n'
    with open(reading, "rb") as source, open(writing, "wb", buffering=0) as sender:
        sender.write(line)
        records = read(source, "jsonl", FileOptions())
        ready = partial(has_arrived, source)
        released = results(pipelines[None], records, batch_size=9, ready=ready)
        for _ in range(3):  # the reader would wait for ever otherwise
            assert next(released).texts
            sender.write(line)


# -- parts ----------------------------------------------------------------------------------------


USERS = [
    (7, 7.0, "7", "007", " 7 ", "7.0"),
    ("Jos\u00e9", "Jose\u0301"),
    ("\u00c5sa", "A\u030asa", "\u212bsa"),
]


@pytest.mark.parametrize("users", USERS)
def test_one_person_is_one_in_every_format_and_spelling(tmp_path, users):
    """Its dates move by one shift, with a key."""
    (tmp_path / "keys").mkdir()
    key, text = tmp_path / "keys" / "key", "She came on March 5, 2021."
    make_key(key)
    srsly.write_jsonl(tmp_path / "a.jsonl", [{"text": text, "user": user} for user in users])
    with open(tmp_path / "a.csv", "w", encoding="utf8", newline="") as handle:
        csv.writer(handle).writerows([["text", "user"], *([text, user] for user in users)])
    for name in ("a.jsonl", "a.csv"):
        args = [*"--entities date --person-field user --keep-fields none --key".split(), key]
        out = tmp_path / "out" / name
        ok(run_dx("sanitize", tmp_path / name, out, *args))
        written = out.read_text("utf8").splitlines()[name == "a.csv" :]
        assert len(written) == len(users) and len(set(written)) == 1, written
    nlp = make_pipeline(entities="date", key=key)
    shifted = set()
    for user in users:
        doc = nlp.make_doc(text)
        doc.user_data["dx_user"] = user
        shifted.add(nlp(doc).text)
    assert len(shifted) == 1


@pytest.mark.posix
def test_links_that_lead_out_of_the_folder_are_counted_and_left_out(tmp_path):
    for name in ("in", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("She was well.")
    (tmp_path / "in" / "b.txt").symlink_to(tmp_path / "in" / "a.txt")
    (tmp_path / "in" / "c.txt").symlink_to(tmp_path / "other" / "a.txt")
    (tmp_path / "in" / "d").symlink_to(tmp_path / "other")
    receipt = tmp_path / "receipt.json"
    args = ["sanitize", tmp_path / "in", tmp_path / "out", "--receipt", receipt]
    ok(run_dx(*args))
    assert sorted(p.name for p in (tmp_path / "out").rglob("*.txt")) == ["a.txt", "b.txt"]
    assert json.loads(receipt.read_text())["count"]["dropped"] == {"other files": 1}
    for name in ("a.txt", "b.txt"):
        (tmp_path / "in" / name).unlink()
    assert run_dx(*args, "--force").exit_code == 2


LETTERS = {
    "csv": "note,day\r\nCafé: Zoë came; £5,Monday\r\n",
    "tsv": "note\tday\nCafé: Zoë came; £5\tMonday\n",
    "txt": "Café: Zoë came; £5\n",
}


@pytest.mark.parametrize("kind", LETTERS)
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig", "utf-8"])
def test_a_file_in_another_encoding_is_read_whole(kind, encoding):
    records = read_all(LETTERS[kind].encode(encoding), kind, field="note")
    assert ["Café: Zoë came; £5" in text for text in texts_of(records)] == [True]


@pytest.mark.parametrize(
    "table",
    [
        "note;day\nGo, now;Monday\n",
        "sep=;\nnote;day\nGo, now;Monday\n",
        "\ufeffsep=;\r\nnote;day\r\nGo, now;Monday\r\n",
        "note\tday\nGo, now\tMonday\n",
        "\n\r\n  \nnote;day\nGo, now;Monday\n",
        "note;day\rGo, now;Monday\r",
        '"note","day"\r"Go, now","Monday"\r',
        'sep=|\nnote|day\n"Go, now"|Monday\n',
    ],
)
def test_the_layouts_of_tables_that_programs_write_are_read(table):
    assert texts_of(read_all(table.encode(), "csv", field="note")) == ["Go, now"]


def read_all(raw, kind, **settings):
    return list(read(io.BytesIO(raw), kind, FileOptions(**settings)))


def texts_of(records):
    return [str(text) for record in records for text in record.texts]


@pytest.mark.parametrize(
    ("header", "body", "encoding"),
    [
        ("", "Zoë schläft wieder gut.", "latin-1"),
        ("Content-Type: text/plain\n", "Zoë schläft wieder gut.", "cp1252"),
        ("Content-Type: text/plain; charset=iso-8859-1\n", "Zoë schläft wieder gut.", "latin-1"),
        ("Content-Type: text/plain; charset=utf-8\n", "Zoë schläft wieder gut.", "utf-8"),
    ],
)
def test_a_mail_that_names_no_encoding_is_read(header, body, encoding):
    raw = f"Subject: Grüße\nFrom: a@b.example\n{header}\n{body}\n".encode(encoding)
    (text,) = texts_of(read_all(raw, "eml"))
    assert body in text and "Grüße" in text


def test_the_summary_names_an_encoding_and_a_given_one_is_used(tmp_path, space):
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_bytes("text,day\nThe cat sleeps,Žižek\n".encode("cp1250"))
    args = ["sanitize", source, out, "--space.@dx_spaces", "dx.FileSpace.v1", "--space.path", space]
    done = ok(run_dx(*args, "--encoding", "cp1250"))
    assert "read as cp1250" in done.stderr
    assert "Žižek" in out.read_text(encoding="utf8")


@pytest.mark.parametrize(("name", "encoding"), [("a.jsonl", "cp1252"), ("a.csv", "klingon")])
def test_an_encoding_that_cannot_be_used_is_an_error(tmp_path, name, encoding):
    (tmp_path / name).write_text('{"text": "a"}\n')
    args = ["sanitize", tmp_path / name, tmp_path / f"out-{name}", "--encoding", encoding]
    assert "`encoding`" in refusal(run_dx(*args)) or "--encoding" in refusal(run_dx(*args))


def test_subtitles_and_logs_keep_their_times_and_structure(tmp_path):
    srt = "1\n00:00:01,000 --> 00:00:04,500\nNgozi Zorblatt: Hello.\n"
    vtt = "WEBVTT\n\n00:01.000 --> 00:04.000 align:start\n<v Ngozi Zorblatt>Hello Ngozi.\n"
    log = "INFO 2024-03-05 10:00:01 user Ngozi Zorblatt logged in\n"
    for name, text in {"a.srt": srt, "b.vtt": vtt, "c.log": log}.items():
        (tmp_path / name).write_text(text)
        target = tmp_path / f"out{name}"
        ok(run_dx("sanitize", tmp_path / name, target, "--entities", "person,date,time"))
        new, old = target.read_text().splitlines(), text.splitlines()
        assert "Ngozi" not in "".join(new) and len(new) == len(old)
        assert [line for line in new if "-->" in line] == [line for line in old if "-->" in line]


def test_a_folder_tells_which_files_were_not_read_and_what_makes_them_text(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Maria Zorblatt came.")
    for name in ("Zorblatt.pdf", "Quixwell.pdf", "b.vcf", "c.Maria Zorblatt"):
        (folder / name).write_bytes(b"%PDF")
    done = run_dx("sanitize", folder, tmp_path / "out", "--entities", "person")
    assert "NOT READ: 2 .pdf files, 1 .vcf file" in ok(done).stderr and "pdftotext" in done.stderr
    no_secret_in(done.stderr)
