"""Words of the original in a release: found wherever they are, by chance, declared or leaked."""

import json
import pickle
import warnings
import zlib
from contextlib import nullcontext

import numpy as np
import pytest
import spacy
import srsly
from conftest import ok, on_space, run_dx, sanitizing, space_options, without_progress
from spacy.tokens import Doc, DocBin

from spacy_dxprivacy import Space, release
from spacy_dxprivacy.lab.audit import BadFile, audit_release
from spacy_dxprivacy.lab.audit.files import decode_msgpack

PLAIN = "the a cat dog house garden sleeps runs in and near old small tree river day night london"
TEXTS = [
    "The small cat sleeps near Zorblatt, and the old DOG runs in the garden; the House is OLD.",
    "Quixwell runs in the garden, day and night! A SMALL tree in London (77-4051).",
]
EXPONENTIAL = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 1.0}
KINDS = ["txt", "jsonl", "csv", "spacy"]


@pytest.fixture(scope="session")
def space_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("spaces") / "small"
    words = [w.title() if w == "london" else w for w in PLAIN.split()]
    X = np.random.default_rng(0).normal(size=(len(words), 8))
    Space.from_vectors(words, X, name="small").save(path)
    return path


@pytest.fixture(scope="session")
def space(space_path):
    return Space.load(space_path)


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "o.jsonl"
    srsly.write_jsonl(path, ({"text": text} for text in TEXTS))
    return path


def receipt_of(source, target, space_path, *options):
    """Sanitise, and return the receipt."""
    path = target.parent / "receipt.json"
    where = [*space_options(space_path), "--receipt", path]
    ok(run_dx("sanitize", source, target, *where, *options))
    return srsly.read_json(path)


def showing(receipt, in_clear):
    """Return a receipt that states something else as in plaintext."""
    *stages, released = receipt["stages"]
    return {**receipt, "stages": [*stages, {**released, "in_clear": in_clear}]}


@pytest.fixture
def sanitised(original, space_path, tmp_path):
    """sanitised(kind, *options) -> the release, the original of this kind, the receipt."""

    def make(kind, *options):
        source, target = original.with_suffix(f".{kind}"), tmp_path / f"r.{kind}"
        if kind == "txt":
            source.write_text(" ".join(TEXTS))
        elif kind == "csv":
            source.write_text("text\n" + "".join(f'"{text}"\n' for text in TEXTS))
        else:
            source = original
        return target, source, receipt_of(source, target, space_path, "--epsilon", 1.0, *options)

    return make


def kinds(report, **how):
    """The kinds of leaks; of undeclared ones that are not by chance, if not given."""
    how = how or {"by_chance": False, "declared": False}
    return {f.kind for f in report.leaks if all(getattr(f, k) == v for k, v in how.items())}


def nlp_of(space, **config):
    return sanitizing(mechanism=EXPONENTIAL, space=on_space(space.path), **config)


@pytest.mark.parametrize("kind", KINDS)
def test_what_dx_sanitize_writes_leaks_nothing_undeclared(kind, sanitised, space):
    target, source, receipt = sanitised(kind)
    report = audit_release(target, source, receipt=receipt, space=space)
    assert not report.leaked
    assert kinds(report, declared=True) == {"layout"}
    assert kinds(report, by_chance=True) == {"text"}
    # Without its receipt a text counts as plaintext; a DocBin carries its own.
    expected = set() if kind == "spacy" else {"text without a receipt"}
    assert kinds(audit_release(target, source, space=space)) == expected


@pytest.mark.parametrize(("code", "leaked"), [("7734551209", True), ("40", False)])
def test_a_long_code_does_not_come_back_by_chance(space_path, space, tmp_path, code, leaked):
    source, target = tmp_path / "o.txt", tmp_path / "r.txt"
    source.write_text(f"The small cat sleeps near {code}.")
    receipt = receipt_of(source, target, space_path, "--epsilon", 1.0)
    text = target.read_text()
    assert code == "40" or code not in text
    target.write_text(f"{text.rpartition(' ')[0]} {code}.")
    assert audit_release(target, source, receipt=receipt, space=space).leaked == leaked


def test_a_folder_of_files_is_audited_as_a_whole(tmp_path, space_path, space):
    before = tmp_path / "before"
    before.mkdir()
    for number, text in enumerate(TEXTS):
        (before / f"{number}.txt").write_text(text)
    after = tmp_path / "after"
    receipt = receipt_of(before, after, space_path)
    assert not audit_release(after, before, receipt=receipt, space=space).leaked


@pytest.mark.parametrize("when", ["before", "in a zone", "after"])
def test_a_pipeline_leaks_its_strings_if_saved_after_it_read(when, space, original, tmp_path):
    nlp = nlp_of(space)
    with nlp.memory_zone() if when == "in a zone" else nullcontext():
        list(nlp.pipe(TEXTS if when != "before" else []))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nlp.to_disk(tmp_path / "pipeline")
    report = audit_release(tmp_path / "pipeline", original, space=space)
    assert kinds(report) == ({"strings"} if when == "after" else set())
    if when == "after":
        assert {"zorblatt", "quixwell", "garden"} <= report.leaks[0].words
    else:
        assert not report.leaks


@pytest.mark.parametrize("released", [True, False])
def test_a_pickled_doc_takes_its_vocabulary_along_unless_released(
    released, space, original, tmp_path
):
    vocab = spacy.blank("en").vocab
    # By a seed: of 18 words two neighbours of the original are drawn side by side now and then.
    docs = list(nlp_of(space, seed=1).pipe(TEXTS))
    docs = [release(doc, vocab) for doc in docs] if released else docs
    (tmp_path / "docs.pkl").write_bytes(pickle.dumps(docs))
    report = audit_release(tmp_path / "docs.pkl", original, space=space)
    assert kinds(report) == (set() if released else {"pickle"})
    words = set().union(*(f.words for f in report.leaks))
    assert released or {"zorblatt", "quixwell"} <= words


def test_a_pickle_is_never_loaded(original, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "touched"), "w"))

    (tmp_path / "bomb.pkl").write_bytes(pickle.dumps([Bomb(), "Zorblatt"]))
    report = audit_release(tmp_path / "bomb.pkl", original)
    assert kinds(report) == {"pickle"} and not (tmp_path / "touched").exists()
    held = {b"nd": True, b"type": "O", b"kind": b"O", b"shape": [1], b"data": pickle.dumps([1])}
    assert decode_msgpack(srsly.msgpack_dumps(held))[b"data"] == pickle.dumps([1])


@pytest.mark.parametrize("place", ["user data", "lemma", "cats", "spans", "tensor"])
def test_a_doc_that_kept_something_is_found(place, space, original, tmp_path):
    docs = list(nlp_of(space).pipe(TEXTS))
    for doc, text in zip(docs, TEXTS, strict=True):
        if place == "user data":
            doc.user_data["source"] = text
        elif place == "lemma":
            doc[4].lemma_ = "Zorblatt"
        elif place == "cats":
            doc.cats["Quixwell"] = 1.0
        elif place == "spans":
            doc.spans["garden"] = [doc[0:2]]
        else:
            doc.user_data["x"] = np.ones((len(doc), 3), dtype="f4")
    attrs = ["ORTH", "SPACY", "LEMMA"]
    DocBin(attrs=attrs, docs=docs, store_user_data=True).to_disk(tmp_path / "r.spacy")
    named = place if place in ("user data", "tensor") else "annotations"
    assert named in kinds(audit_release(tmp_path / "r.spacy", original, space=space))


def test_a_docbin_without_receipts_counts_as_plaintext(space, original, tmp_path):
    docs = [spacy.blank("en").make_doc(text) for text in TEXTS]
    DocBin(docs=docs).to_disk(tmp_path / "r.spacy")
    found = kinds(audit_release(tmp_path / "r.spacy", original, space=space))
    assert found == {"text without a receipt"}


def test_the_original_in_another_field_is_found(sanitised, space):
    target, source, receipt = sanitised("jsonl")
    rows = [{**row, "raw": "old DOG"} for row in srsly.read_jsonl(target)]
    srsly.write_jsonl(target, rows)
    report = audit_release(target, source, receipt=receipt, space=space)
    assert kinds(report) == {"field raw"}
    declared = showing(receipt, [*receipt["stages"][-1]["in_clear"], "the fields raw, id"])
    assert not audit_release(target, source, receipt=declared, space=space).leaked


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_words_in_plaintext_are_found(kind, sanitised, space):
    target, source, receipt = sanitised(kind, "--unknown.@dx_unknowns", "dx.Redact.v1")
    if kind == "spacy":
        nlp = spacy.blank("en")
        docs = list(DocBin().from_disk(target).get_docs(nlp.vocab))
        words = [t.text.replace("[REDACTED]", "Zorblatt") for t in docs[0]]
        new = Doc(nlp.vocab, words=words)
        new.user_data.update(docs[0].user_data)
        DocBin(docs=[new, docs[1]], store_user_data=True).to_disk(target)
    else:
        target.write_text(target.read_text().replace("[REDACTED]", "Zorblatt"))
    assert "unknown words" in kinds(audit_release(target, source, receipt=receipt, space=space))


def test_the_case_of_the_original_is_found_and_may_be_declared(space, original, tmp_path):
    docs = list(nlp_of(space, casing="preserve", seed=1).pipe(TEXTS))
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "r.spacy")
    report = audit_release(tmp_path / "r.spacy", original, space=space)
    assert not report.leaked and "casing" in kinds(report, declared=True)
    for doc in docs:
        held = doc.user_data["dx_receipt"]
        shown = [what for what in doc._.dx.in_clear if "case" not in what]
        doc.user_data["dx_receipt"] = showing(held, shown)
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "r.spacy")
    assert kinds(audit_release(tmp_path / "r.spacy", original, space=space)) == {"casing"}


def test_a_receipt_of_the_run_comes_before_one_that_a_file_brings(space, original, tmp_path):
    """Whoever wrote the file could have written its receipt."""
    docs = list(nlp_of(space, casing="preserve", seed=1).pipe(TEXTS))
    true = dict(docs[0].user_data["dx_receipt"])
    silent = showing(true, [what for what in docs[0]._.dx.in_clear if "case" not in what])
    release = tmp_path / "r.spacy"
    for in_file, of_run, declared in ((true, silent, False), (silent, true, True)):
        for doc in docs:
            doc.user_data["dx_receipt"] = in_file
        DocBin(docs=docs, store_user_data=True).to_disk(release)
        report = audit_release(release, original, receipt=of_run, space=space)
        assert ("casing" in kinds(report, declared=True)) == declared
        assert ("casing" in kinds(report)) != declared


def test_layout_and_file_names_are_leaks_unless_declared(sanitised, space):
    target, source, receipt = sanitised("jsonl")
    bare = showing(receipt, [])
    assert "layout" in kinds(audit_release(target, source, receipt=bare, space=space))
    named = target.rename(target.with_name("zorblatt_notes.jsonl"))
    report = audit_release(named, source, receipt=receipt, space=space)
    assert kinds(report) == {"file names"}
    assert "zorblatt" not in "\n".join(report.lines()).lower()


def test_a_text_that_is_unchanged_is_no_chance(sanitised, space):
    target, source, receipt = sanitised("jsonl")
    (unknown,) = (stage for stage in receipt["stages"] if stage["stage"] == "unknown")
    unknown["policy"] = "RandomWord"
    long = " ".join(["the small cat sleeps near the old dog"] * 4)
    for path in (target, source):
        path.write_text(json.dumps({"text": long}))
    report = audit_release(target, source, receipt=receipt, space=space)
    assert kinds(report) == {"unchanged text"}


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_words_are_shown_on_request_alone(form, sanitised, space_path):
    target, source, _ = sanitised("jsonl")
    with target.open("a") as handle:
        handle.write(json.dumps({"text": "Zorblatt", "raw": "Quixwell"}) + "\n")
    common = ["audit", "release", target, "--against", source, "--space", space_path, *form]
    silent, loud = run_dx(*common).output, run_dx(*common, "--show-words").output
    assert "zorblatt" not in silent.lower() and "quixwell" not in silent.lower()
    assert "zorblatt" in loud and "quixwell" in loud
    if form:
        assert json.loads(silent)["verdict"] == "leaked"


BAD = {
    "r.spacy": [b"", b"no zlib", zlib.compress(b"no msgpack"), zlib.compress(b"\x80")],
    "r.jsonl": [b"{", b"[1]", b'{"body": 1}', b"[" * 100_000],
    "r.csv": [b'text\n"open', b"body\nx"],
    "strings.json": [b"[", b"[" * 100_000],
}


@pytest.mark.parametrize(("name", "raw"), [(n, raw) for n, some in BAD.items() for raw in some])
def test_a_damaged_file_is_an_error_in_one_line(name, raw, original, tmp_path):
    (tmp_path / name).write_bytes(raw)
    result = run_dx("audit", "release", tmp_path / name, "--against", original)
    assert result.exit_code == 2
    assert len(without_progress(result.output)) == 1 and "Traceback" not in result.output


def test_what_is_missing_empty_or_compressed_is_an_error(space, original, tmp_path):
    (tmp_path / "empty").mkdir()
    for path, against in [("nowhere", original), ("empty", original), (original, "nowhere")]:
        result = run_dx("audit", "release", tmp_path / path, "--against", tmp_path / against)
        assert result.exit_code == 2
    (tmp_path / "r.zip").write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(BadFile, match="decompress it"):
        audit_release(tmp_path / "r.zip", original)
    (tmp_path / "empty" / "receipt.json").write_text('{"documents": 1}')  # no document
    assert audit_release(tmp_path / "empty", original, space=space).leaks == []


@pytest.mark.parametrize(
    ("ending", "option", "given", "declared"),
    [
        ("jsonl", "--keep-fields", "place,id", "field place"),
        ("spacy", "--entities", "GPE,PERSON", "words outside of entities"),
    ],
)
def test_what_is_kept_is_declared_by_the_receipt(
    ending, option, given, declared, original, space_path, space, tmp_path
):
    rows = [{"text": text, "place": "garden", "id": 7} for text in TEXTS]
    srsly.write_jsonl(original, rows)
    out = tmp_path / f"out.{ending}"
    receipt = receipt_of(original, out, space_path, option, given)
    receipt = receipt if ending == "jsonl" else None
    report = audit_release(out, original, receipt=receipt, space=space)
    assert not report.leaked and declared in kinds(report, declared=True)


def test_the_words_of_a_pipelines_own_vectors_are_public(space, original, tmp_path):
    nlp = spacy.blank("en")
    for word, vector in zip(space.words, space.vectors, strict=True):
        nlp.vocab.set_vector(word, np.array(vector))
    nlp.add_pipe("dx_entity_ruler")
    nlp.add_pipe("dx_sanitizer", config={"mechanism": EXPONENTIAL})
    nlp.to_disk(tmp_path / "pipeline")
    assert not audit_release(tmp_path / "pipeline", original, space=space).leaked


@pytest.mark.parametrize("name", ["meta.json", "patterns.jsonl", "README.md"])
def test_what_stands_in_the_papers_of_a_pipeline_is_found(name, space, original, tmp_path):
    nlp_of(space).to_disk(tmp_path / "pipeline")
    path = tmp_path / "pipeline" / name
    held = json.loads(path.read_text()) if name == "meta.json" else {}
    path.write_text(json.dumps({**held, "description": "made for Zorblatt"}) + "\n")
    assert kinds(audit_release(tmp_path / "pipeline", original, space=space)) == {"metadata"}


# -- every format with fields that dx sanitize writes ----------------------------------------------

SECRET = "Zbigniewicz called Qvarnstrom about her knee; this is a note on items."


def written(kind, text, tmp_path, other="none"):
    path = tmp_path / f"file.{kind}"
    if kind == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in (("id", "note"), (other, text)):
            book.active.append(row)
        book.save(path)
    elif kind == "jsonl":
        path.write_text(json.dumps({"id": other, "items": [{"note": text}]}) + "\n")
    else:
        between = "\t" if kind == "tsv" else ";"
        path.write_text(f'id{between}note\n{other}{between}"{text}"\n')
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "xlsx"])
def test_tables_are_read_as_dx_sanitize_reads_them(kind, space, tmp_path):
    (tmp_path / "a").mkdir()
    original = written(kind, SECRET, tmp_path)
    how = {"space": space, "field": "items[].note" if kind == "jsonl" else "note"}
    clear = audit_release(original, original, **how)
    assert "text without a receipt" in kinds(clear)
    moved = written(kind, "anything", tmp_path / "a", other="Qvarnstrom")
    found = kinds(audit_release(moved, original, **how))
    assert "field id" in found and not any("note" in kind or "items" in kind for kind in found)


def test_another_encoding_is_read_and_a_wrong_field_is_an_error(space, tmp_path):
    original, clean = tmp_path / "original.csv", tmp_path / "clean.csv"
    original.write_bytes("note;id\nJosé Qvarnström;1\n".encode("cp1252"))
    clean.write_text("note;id\nanything;Qvarnström\n")
    assert "field id" in kinds(audit_release(clean, original, space=space, field="note"))
    original.write_text("note;id\nJosé Qvarnström;1\n")
    assert "field id" in kinds(audit_release(clean, original, space=space, field="note"))
    with pytest.raises(BadFile, match="has no column 'text'"):
        audit_release(clean, original, space=space, field="text")
