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


@pytest.mark.parametrize("column", ["body", "text", "Quuxington", "nested"])
def test_no_message_quotes_names_of_columns_or_nested_fields(nlp, column):
    nested = pa.array([{"Zorblattovich": 1}], pa.struct([("Zorblattovich", pa.int64())]))
    whole = pa.table({"Maria Zorblattovich": ["a"], "nested": nested, "Quuxington": [1]})
    with pytest.raises(DxError, match=r"DX07[01]") as caught:
        sanitize_table(nlp, whole, column)
    assert "Zorblattovich" not in str(caught.value)
    assert column == "Quuxington" or "Quuxington" not in str(caught.value)


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


# -- what a kept column holds beside the values of the rows that come out --------------------------

HIDDEN = "Quuxington"
BAD = "\ud800"  # a text that fails: half of a surrogate pair


def failing(rows=4, at=2):
    """Return texts in bytes that are declared as text; the one at a place is no UTF-8."""
    raw = [b"the dog"] * rows
    raw[at] = b"\xff\xfe"
    offsets, data = [0], b""
    for text in raw:
        data += text
        offsets.append(len(data))
    buffers = [None, pa.py_buffer(pa.array(offsets, pa.int32()).buffers()[1]), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string(), rows, buffers)


def beneath_null(values, kind):
    """Return an array whose third value is null, with the value still in its buffers."""
    array = pa.array(values, kind)
    mask = pa.array([True, True, False, True]).buffers()[1]
    buffers = [mask, *array.buffers()[1:]]
    return pa.Array.from_buffers(array.type, 4, buffers, null_count=1)


def marked(kind):
    """Return a type whose nested fields have the hidden word in their metadata."""
    note = pa.field("note", kind, metadata={"from": HIDDEN})
    return {
        "struct": pa.struct([note]),
        "list": pa.list_(note),
        "large list": pa.large_list(note),
        "fixed list": pa.list_(note, 1),
        "struct in a list": pa.list_(pa.struct([note])),
        "list in a struct": pa.struct([pa.field("l", pa.list_(note))]),
    }


class Labelled(pa.ExtensionType):
    """An extension type whose parameter is a text."""

    def __init__(self):
        super().__init__(pa.string(), "example.labelled")

    def __arrow_ext_serialize__(self):
        return HIDDEN.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


WORDS = ["one", "two", HIDDEN, "two"]
NESTED = {
    "struct": [{"note": word} for word in WORDS],
    "list": [[word] for word in WORDS],
    "large list": [[word] for word in WORDS],
    "fixed list": [[word] for word in WORDS],
    "struct in a list": [[{"note": word}] for word in WORDS],
    "list in a struct": [{"l": [word]} for word in WORDS],
}
KEPT = {
    "text": lambda: pa.array(WORDS),
    "dictionary": lambda: pa.array(WORDS).dictionary_encode(),
    "ordered dictionary": lambda: pa.array(WORDS).cast(
        pa.dictionary(pa.int8(), pa.string(), ordered=True)
    ),
    "dictionary of bytes": lambda: pa.array([w.encode() for w in WORDS]).dictionary_encode(),
    "dictionary in a struct": lambda: pa.StructArray.from_arrays(
        [pa.array(WORDS).dictionary_encode()], ["note"]
    ),
    "view": lambda: pa.array(WORDS).cast(pa.string_view()),
    "bytes": lambda: pa.array([w.encode() for w in WORDS]),
    "fixed bytes": lambda: pa.array([w.ljust(10).encode() for w in WORDS], pa.binary(10)),
    "text beneath a null": lambda: beneath_null(WORDS, pa.string()),
    "bytes beneath a null": lambda: beneath_null(
        [w.ljust(10).encode() for w in WORDS], pa.binary(10)
    ),
    "slice": lambda: pa.array([HIDDEN, *WORDS, HIDDEN])[1:5],
    "map": lambda: pa.array([[(w, w)] for w in WORDS], pa.map_(pa.string(), pa.string())),
    "extension": lambda: pa.ExtensionArray.from_storage(Labelled(), pa.array(WORDS)),
    **{
        name: lambda name=name: pa.array(NESTED[name], marked(pa.string())[name]) for name in NESTED
    },
}


def raw_of(table, path):
    """Return all bytes of a table: its buffers, its schema, and its files."""
    found = str(table.schema).encode() + table.schema.serialize().to_pybytes()
    for column in table.columns:
        for chunk in getattr(column, "chunks", [column]):
            found += b"".join(buffers_of(chunk))
    pq.write_table(table, path / "t.parquet")
    with pa.ipc.new_file(path / "t.arrow", table.schema) as file:
        file.write_table(table)
    files = (path / "t.parquet").read_bytes() + (path / "t.arrow").read_bytes()
    return found + files + schema_in(path / "t.parquet")


def schema_in(path):
    """Return the schema of a .parquet file, which has it in base64."""
    return pq.read_schema(path).serialize().to_pybytes()


def buffers_of(array):
    yield from (buffer.to_pybytes() for buffer in array.buffers() if buffer is not None)
    if isinstance(array, pa.DictionaryArray):
        yield from buffers_of(array.dictionary)
    if pa.types.is_struct(array.type):
        for i in range(array.type.num_fields):
            yield from buffers_of(array.field(i))
    if hasattr(array, "values") and not isinstance(array, pa.DictionaryArray):
        yield from buffers_of(array.values)


@pytest.mark.parametrize("is_batch", [False, True])
@pytest.mark.parametrize("kind", KEPT)
def test_nothing_of_a_row_that_failed_stays_in_a_kept_column(nlp, tmp_path, kind, is_batch):
    whole = pa.table({"text": failing(), "kept": KEPT[kind]()})
    given = whole.to_batches()[0] if is_batch else whole
    result = sanitize_table(nlp, given, keep=["kept"])
    result = pa.Table.from_batches([result]) if is_batch else result
    expected = whole["kept"].to_pylist()
    assert result["kept"].to_pylist() == [*expected[:2], expected[3]]
    assert HIDDEN.encode() not in raw_of(result, tmp_path)


NUMBERS = {
    "integers": pa.array([1, None, 3, 4], pa.int16()),
    "floats": pa.array([0.5, None, 1.5, float("inf")], pa.float32()),
    "booleans": pa.array([True, None, False, True]),
    "decimals": pa.array(["1.10", None, "2.20", "3.30"], pa.string()).cast(pa.decimal128(9, 2)),
    "nanoseconds": pa.array([1, None, 10**18 + 1, 3], pa.int64()).cast(pa.timestamp("ns", "UTC")),
    "days": pa.array([date(2020, 1, 1), None, date(2020, 1, 3), None]),
    "durations": pa.array([1, None, 2, 3], pa.int64()).cast(pa.duration("ns")),
    "times": pa.array([1, None, 2, 3], pa.int64()).cast(pa.time64("ns")),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_kept_numbers_keep_their_type_and_values(nlp, kind):
    result = sanitize_table(nlp, pa.table({"text": failing(at=0), "kept": NUMBERS[kind]}))
    kept = pa.chunked_array([NUMBERS[kind]])
    assert result["kept"].type == kept.type
    assert result["kept"].equals(kept.take([1, 2, 3]))


@pytest.mark.parametrize("kind", NESTED)
def test_metadata_of_nested_fields_is_in_no_parquet_file(tmp_path, kind):
    from conftest import run_dx

    column = pa.array(NESTED[kind], marked(pa.string())[kind])
    texts = ["the dog", "the dog", None, "the dog"]
    whole = pa.table({"text": texts, "kept": column, "id": [1, 2, 3, 4]})
    pq.write_table(whole.filter(pa.array([True, True, False, True])), tmp_path / "a.parquet")
    assert HIDDEN.encode() in schema_in(tmp_path / "a.parquet")
    args = ["sanitize", tmp_path / "a.parquet", tmp_path / "b.parquet", "-e", "8"]
    done = run_dx(*args, "--keep-fields", "kept")
    assert done.exit_code == 0, done.output
    written = pq.read_table(tmp_path / "b.parquet")
    assert written["kept"].to_pylist() == [NESTED[kind][i] for i in (0, 1, 3)]
    assert HIDDEN.encode() not in schema_in(tmp_path / "b.parquet")


def test_a_column_says_what_it_holds():
    from spacy_dxprivacy.io.build import make_pipeline

    names = pa.table({"surname": ["Reading", "price", "n/a"]})
    found = sanitize_table(make_pipeline(entities="person"), names, "surname")["surname"]
    assert not {"Reading", "price"} & {*found.to_pylist()} and found[2].as_py() == "n/a"
