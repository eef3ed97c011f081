"""A Space: what may be output, what finds what, and what comes back from disk."""

import pickle

import numpy as np
import pytest
import spacy
import srsly
from spacy.vectors import Vectors

from spacy_dxprivacy import DxError, Space, registry
from spacy_dxprivacy.files.word_lists import read_words
from spacy_dxprivacy.space.sources import Filter

WORDS = ["doctor", "May", "may", "ICU", "the", "naïve"]
# A header that promises more numbers than any machine has room for.
WILD = b"\x93NUMPY\x01\x00\x76\x00" + (
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 300), }".ljust(117) + b"\n"
)
MATRIX = np.arange(24, dtype=np.float32).reshape(6, 4) + 1


@pytest.fixture
def space():
    return Space.from_vectors(WORDS, MATRIX)


def load(name, nlp=None, **settings):
    source = registry.resolve({"s": {"@dx_spaces": name, **settings}})["s"]
    return source.load(nlp or spacy.blank("en"))


@pytest.mark.parametrize(
    ("word", "row"),
    [
        ("doctor", 0), ("Doctor", 0), ("DOCTOR", 0), ("May", 1), ("may", 2), ("MAY", 2),
        ("icu", 3), ("Icu", 3), ("unheard", -1), ("", -1), ("naïve", 5), ("NAÏVE", 5),
    ],
)  # fmt: skip
def test_a_word_is_found_by_its_exact_case_and_else_in_any(space, word, row):
    assert space.find(word) == row


def test_the_table_is_a_read_only_copy_with_a_digest(space):
    other = MATRIX.copy()
    copied = Space.from_vectors(WORDS, other)
    other[5, 3] += 1e-5
    assert np.array_equal(copied.vectors, space.vectors) and copied.digest == space.digest
    with pytest.raises(ValueError):
        space.vectors[0, 0] = 1
    tables = (WORDS, MATRIX), (WORDS, other), (WORDS[::-1], MATRIX)
    assert len({Space.from_vectors(*table).digest for table in tables}) == 3


@pytest.mark.parametrize(
    ("words", "matrix"),
    [
        (["a", "b"], [[1.0, 2.0]]), (["a"], [1.0]), ([], np.zeros((0, 3))),
        (["a"], np.zeros((1, 0))), (["a", "a"], [[1.0], [2.0]]), (["a", ""], [[1.0], [2.0]]),
        (["a", 3], [[1.0], [2.0]]), (["a\nb"], [[1.0]]), (["\ud800"], [[1.0]]),
        (["a"], [[float("nan")]]), (["a"], [[1e300]]), (["a"], [["x"]]),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:overflow")
def test_a_table_that_makes_no_sense_is_refused(words, matrix):
    with pytest.raises(DxError, match="DX020"):
        Space.from_vectors(words, matrix)


def test_filters_leave_the_first_rows_that_may_be_output(space, tmp_path):
    assert space.filtered(max_words=2).words == ["doctor", "May"]
    assert space.filtered(pattern="[a-z]+").words == ["doctor", "may", "the"]
    assert space.filtered(pattern="[a-z]+", max_words=2).words == ["doctor", "may"]
    assert space.filtered(exclude=["MAY", "do*"]).words == ["ICU", "the", "naïve"]
    assert space.filtered() is space
    assert space.filtered(exclude=["icu"]).find("ICU") == -1
    with pytest.raises(DxError, match="DX023"):
        space.filtered(pattern="x{99}")
    assert Filter().excluded() and Filter(exclude=[]).excluded() == ()
    (tmp_path / "list.txt").write_text("# ours\n\nfoo\n bar* \n", encoding="utf8")
    assert read_words(tmp_path / "list.txt") == ("foo", "bar*")
    with pytest.raises(DxError, match="DX026"):
        read_words(tmp_path / "none.txt")


def test_a_row_goes_on_under_the_next_of_its_keys_that_may_be_output():
    odd = ["a", "b c", "d\te", "f\x00", "g\u200b", "zero"]
    table = Space.from_vectors(odd, [[1.0], [2.0], [3.0], [4.0], [5.0], [0.0]])
    assert table.filtered().words == ["a"]
    shared = Space.from_vectors(["damn", "b"], [[1.0], [2.0]], aliases={"dang": 0, "c": 1})
    clean = shared.filtered(exclude=["damn"])
    assert clean.words == ["dang", "b"]
    assert (clean.find("dang"), clean.find("damn"), clean.find("c")) == (0, 0, 1)


def same(one, other):
    assert one.words == other.words and one.aliases == other.aliases
    assert np.array_equal(one.vectors, other.vectors) and one.digest == other.digest
    assert one.class_names == other.class_names
    assert (one.classes is None) == (other.classes is None)


@pytest.fixture
def rich():
    classes = np.array([0, 1, 0, 2, 3, 0], dtype=np.uint64)
    return Space.from_vectors(
        WORDS, MATRIX, aliases={"physician": 0}, classes=classes, class_names=["x", "y"], name="r"
    )


def test_a_saved_space_comes_back_mapped_and_saving_replaces_nothing_else(rich, space, tmp_path):
    rich.save(tmp_path / "space")
    loaded = Space.load(tmp_path / "space")
    same(rich, loaded)
    assert isinstance(loaded.vectors, np.memmap)
    assert loaded.find("physician") == 0
    assert loaded.with_class("y").tolist() == [False, False, False, True, True, False]
    assert not loaded.with_class("no such class").any()
    space.save(tmp_path / "space")
    same(space, Space.load(tmp_path / "space"))
    (tmp_path / "mine").mkdir()
    with pytest.raises(DxError, match="DX024"):
        space.save(tmp_path / "mine")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine", "space"]


def test_bytes_and_pickles_bring_it_back(rich, tmp_path):
    """A pickle of a loaded space holds the path alone."""
    same(rich, Space.from_bytes(rich.to_bytes()))
    same(rich, pickle.loads(pickle.dumps(rich)))  # noqa: S301
    rich.save(tmp_path / "space")
    data = pickle.dumps(Space.load(tmp_path / "space"))
    assert len(data) < 500
    same(rich, pickle.loads(data))  # noqa: S301


def about(**changes):
    def damage(folder):
        told = srsly.read_json(folder / "space.json")
        srsly.write_json(folder / "space.json", {**told, **changes})

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        about(rows=7),
        about(format=99),
        lambda f: (f / "space.json").write_text("{"),
        lambda f: (f / "space.json").unlink(),
        lambda f: (f / "vectors.npy").unlink(),
        lambda f: (f / "vectors.npy").write_bytes((f / "vectors.npy").read_bytes()[:100]),
        lambda f: (f / "vectors.npy").write_bytes(b""),
        lambda f: (f / "vectors.npy").write_bytes(WILD),
        lambda f: (f / "classes.npy").write_bytes(b"PK\x03\x04"),
        lambda f: np.save(f / "vectors.npy", MATRIX.astype(object), allow_pickle=True),
        lambda f: np.save(f / "classes.npy", np.array([{}] * 6), allow_pickle=True),
        lambda f: np.save(f / "vectors.npy", MATRIX.astype(np.float64)),
        lambda f: (f / "words.txt").write_text("doctor\n"),
        lambda f: (f / "words.txt").write_bytes(b"\xff\n" * 6),
    ],
)
def test_a_damaged_folder_is_refused_with_its_path(rich, tmp_path, damage):
    rich.save(tmp_path / "space")
    damage(tmp_path / "space")
    with pytest.raises(DxError, match="DX024") as caught:
        Space.load(tmp_path / "space")
    assert str(tmp_path / "space") in str(caught.value)


def test_a_changed_table_is_refused_without_being_asked_for(rich, tmp_path, monkeypatch):
    rich.save(tmp_path / "space")
    same(rich, Space.load(tmp_path / "space"))
    np.save(tmp_path / "space" / "vectors.npy", MATRIX + 1)
    with pytest.raises(DxError, match=r"DX024.*digest"):
        Space.load(tmp_path / "space")
    assert Space.load(tmp_path / "space", verify=False).vectors[0, 0] == MATRIX[0, 0] + 1
    # A large one only if asked for.
    monkeypatch.setattr("spacy_dxprivacy.space.folder.MAX_HASHED", 1)
    assert Space.load(tmp_path / "space").vectors[0, 0] == MATRIX[0, 0] + 1
    with pytest.raises(DxError, match=r"DX024.*digest"):
        Space.load(tmp_path / "space", verify=True)


@pytest.mark.parametrize("name", ["classes.npy", "aliases.json"])
@pytest.mark.parametrize("change", ["changed", "gone", "added"])
def test_changed_classes_and_aliases_are_refused(rich, tmp_path, name, change):
    file = tmp_path / "space" / name
    space = Space.from_vectors(rich.words, rich.vectors) if change == "added" else rich
    space.save(tmp_path / "space")
    assert file.exists() == (change != "added")
    if change == "gone":
        file.unlink()
    elif name == "classes.npy":
        np.save(file, np.arange(len(space), dtype=np.uint64) + 9)
    else:
        srsly.write_json(file, {"medic": 1})
    with pytest.raises(DxError, match="DX024"):
        Space.load(tmp_path / "space")


@pytest.fixture
def nlp():
    """Four rows: two keys on one row, one row without a string, one of zeros."""
    nlp = spacy.blank("en")
    data = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], dtype=np.float32)
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, shape=(4, 2))
    nlp.vocab.vectors.data = data
    for word, row in [("king", 0), ("King", 0), ("queen", 1), ("nil", 3)]:
        nlp.vocab.strings.add(word)
        nlp.vocab.vectors.add(word, row=row)
    nlp.vocab.vectors.add(1234567890123456789, row=2)
    return nlp


def test_pipeline_vectors_give_one_candidate_a_row(nlp):
    before = nlp.vocab.vectors.data.copy()
    space = load("dx.PipelineVectors.v1", nlp)
    assert space.words == ["king", "queen"]
    assert [space.find(w) for w in ("king", "King", "queen", "nil")] == [0, 0, 1, -1]
    np.testing.assert_array_equal(space.vectors, [[1, 0], [0, 1]])
    assert np.array_equal(nlp.vocab.vectors.data, before) and nlp.vocab.vectors.data.flags.writeable
    assert load("dx.AutoSpace.v1", nlp).words == ["king", "queen"]
    assert load("dx.AutoSpace.v1") is Space.builtin()
    with pytest.raises(DxError, match=r"DX021.*BuiltinSpace"):
        load("dx.PipelineVectors.v1")


def test_floret_vectors_need_a_word_list(tmp_path):
    nlp = spacy.blank("en")
    data = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    nlp.vocab.vectors = Vectors(
        data=data, mode="floret", hash_count=2, minn=2, maxn=3, strings=nlp.vocab.strings
    )
    for name in ("dx.PipelineVectors.v1", "dx.AutoSpace.v1"):
        with pytest.raises(DxError, match=r"DX022.*words"):
            load(name, nlp)
    (tmp_path / "words.txt").write_text("apple\npear\n", encoding="utf8")
    space = load("dx.PipelineVectors.v1", nlp, words=str(tmp_path / "words.txt"))
    assert space.words == ["apple", "pear"] and space.vectors.shape == (2, 8)


def test_a_file_space_reads_a_saved_folder_and_a_pipeline_with_vectors(rich, tmp_path):
    rich.save(tmp_path / "space")
    same(rich, load("dx.FileSpace.v1", path=str(tmp_path / "space")))
    nlp = spacy.blank("en")
    nlp.vocab.set_vector("cat", np.array([1, 2], dtype=np.float32))
    nlp.vocab.set_vector("dog", np.array([3, 4], dtype=np.float32))
    nlp.to_disk(tmp_path / "pipeline")
    assert load("dx.FileSpace.v1", path=str(tmp_path / "pipeline")).words == ["cat", "dog"]
    with pytest.raises(DxError, match=r"DX026.*nowhere"):
        load("dx.FileSpace.v1", path="nowhere.txt")


@pytest.mark.parametrize(("name", "value"), [("max_words", 0), ("max_words", -3), ("pattern", "[")])
def test_settings_out_of_range_are_refused(name, value):
    with pytest.raises(ValueError, match=name):
        load("dx.BuiltinSpace.v1", **{name: value})


# -- norms -----------------------------------------------------------------------------------------

LARGE = {  # factors, by row, of vectors that are finite in float32
    "every row": np.full(30, 1e20),
    "the first row": np.where(np.arange(30) == 0, 1e19, 1.0),
    "the last row": np.where(np.arange(30) == 29, 3e38, 1.0),
    "a square that fits, whose distance does not": np.where(np.arange(30) == 7, 1.5e19, 1.0),
    "rows of opposite signs": np.where(np.arange(30) % 2, 9e18, -9e18),
}


def through_bytes(words, X):
    small = Space.from_vectors(words, np.ones((30, 3)))
    data = srsly.msgpack_loads(small.to_bytes())
    return Space.from_bytes(srsly.msgpack_dumps({**data, "vectors": X}))


def through_folder(words, X, path):
    from spacy_dxprivacy.space.folder import digest_of

    Space.from_vectors(words, np.ones((30, 3))).save(path)
    np.save(path / "vectors.npy", X)
    about = srsly.read_json(path / "space.json")
    srsly.write_json(path / "space.json", {**about, "digest": digest_of(words, X)})
    return Space.load(path, verify=False)


def through_pipeline(words, X):
    nlp = spacy.blank("en")
    nlp.vocab.vectors = Vectors(data=X, keys=[nlp.vocab.strings.add(word) for word in words])
    return Space.from_nlp(nlp)


@pytest.mark.parametrize("rows", LARGE)
def test_vectors_whose_squares_overflow_are_refused_wherever_they_come_from(rows, tmp_path):
    words = [f"w{i}" for i in range(30)]
    X = np.ones((30, 3), dtype=np.float32) * LARGE[rows][:, None].astype(np.float32)
    X = np.ascontiguousarray(X / 2, dtype=np.float32)
    ways = (
        lambda: Space.from_vectors(words, X),
        lambda: through_bytes(words, X),
        lambda: through_folder(words, X, tmp_path / "space"),
        lambda: through_pipeline(words, X),
    )
    for way in ways:
        with pytest.raises(DxError, match=r"DX020.*norm below 1e\+18"):
            way()
    assert len(Space.from_vectors(words, X / abs(X).max())) == 30
