"""An Arrow batch in, an Arrow batch out; and Parquet that unpacks to what no memory holds."""

from datetime import date

import pytest
from conftest import CONSTANT, SECRET_TEXT, UNKNOWN_SECRETS, leaks

from spacy_dxprivacy import DxError
from spacy_dxprivacy.files.limits import TooLarge
from spacy_dxprivacy.integrations.table import sanitize_table
from spacy_dxprivacy.io import parquet

pa = pytest.importorskip("pyarrow", reason="needs the extra 'arrow'")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'arrow'")

TEXTS = ["the dog", None, "", "a Zorblattovich\n  cat"]
COVERED = ["Blue blue", None, "", "Blue [REDACTED]\n  blue"]


@pytest.fixture
def nlp(make_nlp):
    return make_nlp(mechanism=CONSTANT)


def table(texts=TEXTS, kind=None, **others):
    return pa.table({"id": range(len(texts)), "text": pa.array(texts, kind), **others})


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_every_kind_of_text_becomes_text_and_nulls_stay(nlp, kind):
    text = pa.array(TEXTS, pa.string())
    text = text.dictionary_encode() if kind == "dictionary" else text.cast(getattr(pa, kind)())
    result = sanitize_table(nlp, table(text))
    assert result["text"].to_pylist() == COVERED and result["id"].to_pylist() == [0, 1, 2, 3]
    assert result.schema.field("text").type in (pa.string(), pa.large_string())


def test_a_record_batch_gives_a_record_batch(nlp):
    (batch,) = table().to_batches()
    result = sanitize_table(nlp, batch)
    assert isinstance(result, pa.RecordBatch) and result["text"].to_pylist() == COVERED
    empty = sanitize_table(nlp, batch.slice(0, 0))
    assert isinstance(empty, pa.RecordBatch) and empty.schema == result.schema


@pytest.mark.parametrize("texts", [[], [None, None], pa.nulls(3)])
def test_without_a_text_there_is_nothing_to_do(nlp, texts):
    result = sanitize_table(nlp, table(texts, None if len(texts) == 3 else pa.string()))
    assert result["text"].to_pylist() == [None] * len(texts)


def test_columns_that_can_hold_text_are_dropped_unless_named(nlp):
    secrets = {"note": [SECRET_TEXT] * 4, "list": [[SECRET_TEXT]] * 4, "raw": [b"Quuxington"] * 4}
    numbers = {"day": [date(2020, 1, 1)] * 4, "score": [0.5] * 4, "flag": [True] * 4}
    whole = table(**secrets, **numbers)
    assert sanitize_table(nlp, whole).column_names == ["id", "text", *numbers]
    assert sanitize_table(nlp, whole, keep=[]).column_names == ["text"]
    assert sanitize_table(nlp, whole, keep=["note", "id"]).column_names == ["id", "text", "note"]


def test_metadata_of_the_schema_does_not_come_along(nlp):
    fields = [pa.field("text", pa.string(), metadata={"about": SECRET_TEXT})]
    schema = pa.schema(fields, metadata={"pandas": SECRET_TEXT})
    result = sanitize_table(nlp, pa.table({"text": ["the dog"]}, schema=schema))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, result.schema) as writer:
        writer.write_table(result)
    assert not leaks(sink.getvalue().to_pybytes(), UNKNOWN_SECRETS)


def test_receipts_are_counts_a_row(nlp):
    result = sanitize_table(nlp, table(), receipts=True)
    assert result["dx_draws"].to_pylist() == [2, None, 0, 2]
    assert result["dx_unknown"].to_pylist() == [0, None, 0, 1]


TOO_LONG = "=" * 1_000_001 + " Zorblattovich"  # than spaCy takes by default


@pytest.mark.parametrize("on_failure, expected", [("drop", [0, 2]), ("null", [0, 1, 2])])
def test_a_document_that_fails_never_comes_out(nlp, on_failure, expected):
    whole = table(["the dog", TOO_LONG, "a cat"])
    result = sanitize_table(nlp, whole, on_failure=on_failure, receipts=True)
    assert result["id"].to_pylist() == expected
    assert [text for text in result["text"].to_pylist() if text] == ["Blue blue"] * 2


def test_bytes_that_are_no_unicode_fail_alone(nlp):
    raw = pa.array([b"the dog", b"Quuxington \xff\xfe", b"a cat"])
    broken = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    result = sanitize_table(nlp, table(broken))
    assert result["text"].to_pylist() == ["Blue blue"] * 2


def message_of(nlp, whole, **kwargs):
    with pytest.raises(DxError) as caught:
        sanitize_table(nlp, whole, **kwargs)
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert not leaks(str(caught.value))
    return str(caught.value)


def test_failures_are_raised_on_request_without_a_word_of_text(nlp):
    message = message_of(nlp, table(["the dog", TOO_LONG]), on_failure="raise")
    assert "DX075" in message and "1,000,000 characters" in message
    assert not leaks(message, UNKNOWN_SECRETS)


@pytest.mark.parametrize("error", ["value", "key", "dx", "chained", "ours"])
def test_a_mechanism_that_quotes_texts_is_not_quoted(make_nlp, error):
    nlp = make_nlp(mechanism={"@dx_mechanisms": "test.Failing.v1", "error": error})
    assert "DX075" in message_of(nlp, table(["asthma"]), on_failure="raise")
    assert sanitize_table(nlp, table(["asthma"])).num_rows == 0


@pytest.mark.parametrize(
    "kwargs, code",
    [
        ({"column": "body"}, "DX070"), ({"column": "id"}, "DX071"), ({"keep": ["x"]}, "DX070"),
        ({"keep": ["text"]}, "DX001"), ({"on_failure": "keep"}, "DX001"),
    ],
)  # fmt: skip
def test_mistakes_are_named(nlp, kwargs, code):
    with pytest.raises(DxError, match=code):
        sanitize_table(nlp, table(), **kwargs)


def test_a_seeded_sanitizer_is_refused(make_nlp):
    assert "DX072" in message_of(make_nlp(mechanism=CONSTANT, seed=1), table())


def test_a_pipe_that_drops_documents_loses_none(nlp, monkeypatch):
    whole = nlp.pipe
    monkeypatch.setattr(nlp, "pipe", lambda *given, **how: list(whole(*given, **how))[1:])
    assert sanitize_table(nlp, table())["text"].to_pylist() == COVERED


KINDS = [pa.string(), pa.large_string(), pa.string_view()]


def written(path, table, **how):
    pq.write_table(table, path, **how)
    return path


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    column = pa.array(["a" * 2**20 + str(i) for i in range(70)])
    bomb = written(tmp_path / "a.parquet", pa.table({"text": column}), compression="zstd")
    assert bomb.stat().st_size < 2**20 / 10
    tables = parquet.read_columns(bomb, ["text"])
    before = pa.total_allocated_bytes()
    with pytest.raises(TooLarge, match="DX096"):
        next(tables)
    assert pa.total_allocated_bytes() - before < 2**20


def test_a_row_group_that_does_not_fit_is_refused(tmp_path, monkeypatch):
    path = written(tmp_path / "a.parquet", pa.table({"text": ["abc" * 999], "other": ["x"]}))
    monkeypatch.setattr(parquet, "MAX_GROUP", 1000)
    assert list(parquet.read_columns(path, ["other"])) == [[["x"]]]  # what is not read may be large
    with pytest.raises(TooLarge, match="row group 1"):
        next(parquet.read_columns(path, ["text"]))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_text_of_many_rows_is_in_memory_once(tmp_path, kind):
    texts = ["x" * 5000] * 1000 + [None, "", "é"]
    table = pa.table({"id": range(len(texts)), "text": pa.array(texts, kind)})
    path = written(tmp_path / "a.parquet", table)
    assert path.stat().st_size < 20_000
    ((ids, read),) = parquet.read_columns(path, ["id", "text"])
    assert ids == list(range(len(texts))) and read == texts
    assert len(set(map(id, read[:1000]))) == 1
