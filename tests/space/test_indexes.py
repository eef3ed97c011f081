"""Fast indexes find what the exact one finds, nearly always; a miss costs meaning, no privacy."""

import multiprocessing
import pickle
import shutil
from functools import partial

import faiss
import numpy as np
import pytest
import srsly
from conftest import ok, run_dx

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.files.limits import file_digests
from spacy_dxprivacy.privacy.noise import laplace_noise
from spacy_dxprivacy.space.search import faiss_index
from spacy_dxprivacy.space.search.protocols import Index

# Python 3.12 and later warn wherever a process with threads forks; OpenMP has threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

N, D = 2000, 16
X = np.random.default_rng(0).standard_normal((N, D)).astype(np.float32)
EVERY = ["dx.Exact.v1", "dx.Faiss.v1", "dx.AutoIndex.v1"]


def make(name="dx.Faiss.v1", **settings):
    return registry.resolve({"index": {"@dx_indexes": name, **settings}})["index"]


def noisy(table, epsilon, k=500):
    rows = np.random.default_rng(1).integers(len(table), size=k)
    noise = laplace_noise(k, table.shape[1], Rng(seed=2), epsilon=epsilon)
    return (table[rows] + noise).astype(np.float32)


def brute(Z, table):
    table = table.astype(np.float64)
    return np.array([np.square(table - z).sum(axis=1).argmin() for z in Z])


def recall(index, Z, table=X):
    return (index.fit(table).nearest(Z) == brute(Z, table)).mean()


@pytest.mark.parametrize(("n", "d", "least"), [
    (2000, 1, 0.99), (2000, 3, 0.99), (2000, 9, 0.99), (2000, 25, 0.99), (1, D, 1), (40, D, 1),
])  # fmt: skip
def test_any_number_of_rows_and_dimensions_will_do(n, d, least):
    table = np.random.default_rng(d).standard_normal((n, d)).astype(np.float32)
    assert recall(make(), noisy(table, 5.0, 200), table) >= least


def test_of_equal_rows_the_lowest_wins():
    table = np.concatenate([X[:1500], X[:1500]])
    assert (make().fit(table).nearest(noisy(X[:1500], 5.0)) < 1500).all()


def test_fits_and_batches_change_nothing(monkeypatch):
    monkeypatch.setattr(faiss_index, "REFINE", 4)
    index, Z = make().fit(X), noisy(X, 2.0, 64)
    batch = index.nearest(Z)
    assert np.array_equal(make().fit(X).nearest(Z), batch)
    assert batch.tolist() == [int(index.nearest(z[None])[0]) for z in Z]
    monkeypatch.setattr(faiss_index, "PAIRS_AT_ONCE", 10)
    assert np.array_equal(index.nearest(Z), batch)
    assert index.nearest(Z[:0]).shape == (0,)


def test_auto_index_chooses_by_size_and_anew_for_another_table(monkeypatch):
    small, large = make("dx.AutoIndex.v1"), make("dx.AutoIndex.v1")
    assert small.fit(X).choice == "dx.Exact.v1"
    monkeypatch.setattr(faiss_index, "EXACT_UP_TO", N * D - 1)
    assert large.fit(X).choice == "dx.Faiss.v1(PQ8x4fs, refine=512)"
    Z = noisy(X, 5.0)
    assert (small.nearest(Z) == large.nearest(Z)).mean() >= 0.999
    assert large.fit(X[:10]).choice == "dx.Exact.v1"


def _found(index, Z, link):
    link.send(index.nearest(Z))


@pytest.mark.parametrize("name", EVERY)
def test_a_forked_child_searches_after_its_parent(name, forking, monkeypatch):
    """OpenMP's threads are lost in a fork: without care the child waits for them for ever."""
    monkeypatch.setattr(faiss_index, "EXACT_UP_TO", 0)
    index, Z = make(name).fit(X), noisy(X, 3.0)
    expected = index.nearest(Z)
    link, far_end = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_found, args=(index, Z, far_end))
    child.start()
    try:
        assert link.poll(60), "the child hangs"
        assert np.array_equal(link.recv(), expected)
    finally:
        child.kill()
        child.join()
    assert np.array_equal(index.nearest(Z), expected)


@pytest.mark.parametrize("name", EVERY)
def test_a_pickle_holds_settings_alone(name):
    index = make(name)
    assert isinstance(index, Index)
    with pytest.raises(DxError, match="DX003"):
        index.nearest(X)
    data = pickle.dumps(index.fit(X))
    copy = pickle.loads(data)  # noqa: S301
    assert len(data) < 1000
    with pytest.raises(DxError, match="DX003"):
        copy.nearest(X)
    assert np.array_equal(copy.fit(X).nearest(X[:9]), index.nearest(X[:9]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30, 1e-30])
def test_tables_that_float32_cannot_square_are_refused(bad):
    table = np.zeros((50, 3), dtype=np.float32)
    table[7, 1] = bad
    with pytest.raises(DxError, match=r"DX020.*dx\.Exact\.v1"):
        make().fit(table)


WORDS = [f"w{i}" for i in range(N)]


run = partial(run_dx, "index")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A saved space with its index, which the command built."""
    space = tmp_path_factory.mktemp("indexes") / "space"
    Space.from_vectors(WORDS, X, name="small").save(space)
    ok(run(space))
    return space


def test_the_index_in_the_folder_finds_what_a_new_one_finds(folder):
    loaded = Space.load(folder, verify=True)
    assert isinstance(loaded.vectors, np.memmap)
    index = make(path=str(folder)).fit(loaded.vectors)
    assert index.choice == "dx.Faiss.v1(PQ8x4fs, refine=512)"
    Z = noisy(X, 3.0)
    assert np.array_equal(index.nearest(Z), make().fit(X).nearest(Z))


def test_an_index_that_no_config_names_is_not_read(folder, monkeypatch):
    """faiss trusts its files like code: a space is data."""
    monkeypatch.setattr(faiss_index, "read_index", None)
    monkeypatch.setattr(faiss_index, "EXACT_UP_TO", 0)
    vectors = Space.load(folder).vectors
    for name in EVERY:
        make(name).fit(vectors)


def test_recall_is_measured_at_an_epsilon_and_stated(folder, monkeypatch):
    about = srsly.read_json(folder / "index" / "index.json")
    stated = about["recall"]
    assert about["epsilon"] == 10.0
    assert 0.9 <= stated <= 1 and stated == faiss_index.recall_of(make().fit(X), X, 10.0)
    monkeypatch.setattr(faiss_index, "REFINE", 1)
    light, heavy = (faiss_index.recall_of(make().fit(X), X, epsilon) for epsilon in (20.0, 1.0))
    assert heavy < light <= 1


def test_the_command_says_at_which_epsilon_recall_was_measured(tmp_path):
    Space.from_vectors(WORDS[:300], X[:300]).save(tmp_path / "space")
    done = run(tmp_path / "space", "--epsilon", "2.5")
    assert done.exit_code == 0 and "of noisy vectors at epsilon 2.5" in done.stderr
    assert srsly.read_json(tmp_path / "space" / "index" / "index.json")["epsilon"] == 2.5
    assert run(tmp_path / "space", "--force", "--epsilon", "0").exit_code == 2


def test_a_pipeline_that_leaves_words_out_is_refused_an_index_of_all(tmp_path):
    Space.from_vectors(["bitch", *WORDS[1:300]], X[:300]).save(tmp_path / "space")
    assert run(tmp_path / "space").exit_code == 0
    path, source = str(tmp_path / "space"), registry.dx_spaces.get("dx.FileSpace.v1")
    make(path=path).fit(source(path, exclude=[]).load(None).vectors)
    with pytest.raises(DxError, match=r"DX051.*all of its words"):
        make(path=path).fit(source(path).load(None).vectors)


def test_a_space_that_is_saved_again_has_no_index(folder, tmp_path):
    """Nor has a copy of one: the index is of the table that it was built for."""
    shutil.copytree(folder, tmp_path / "space")
    Space.load(tmp_path / "space").filtered(max_words=300).save(tmp_path / "space")
    assert not (tmp_path / "space" / "index").exists()
    Space.load(folder).save(tmp_path / "copy")
    with pytest.raises(DxError, match="DX050"):
        make(path=str(tmp_path / "copy")).fit(X)


def test_an_index_of_another_table_is_refused(folder):
    other = X.copy()
    other[17, 3] += 1e-3
    for table in (other, X[:-1], X[:, :-1]):
        with pytest.raises(DxError, match=r"DX051.*built for a table of 2000 x 16"):
            make(path=str(folder)).fit(table)


def about(**changes):
    def damage(folder):
        path = folder / "index.json"
        srsly.write_json(path, {**srsly.read_json(path), **changes})

    return damage


def codes(change):
    return lambda f: (f / "index.faiss").write_bytes(change((f / "index.faiss").read_bytes()))


def of_other_vectors(folder):
    """A whole index, of as many rows, in the place of the right one."""
    index = make().fit(X[::-1].copy())
    faiss.write_index(index.codes, str(folder / "index.faiss"))


def resealed(damage):
    """Whoever can write one file can write the other, with its checksum."""

    def forge(folder):
        damage(folder)
        about(files=file_digests(folder, ["index.faiss"]))(folder)

    return forge


DAMAGES = {
    "another faiss": about(faiss="0.1"),
    "no digests": about(files=None),
    "missing": lambda f: (f / "index.faiss").unlink(),
    "one byte": codes(lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]),
    "other vectors": of_other_vectors,
    "other shape": resealed(
        lambda f: faiss.write_index(faiss.IndexFlatL2(3), str(f / "index.faiss"))
    ),
    "cut and sealed": resealed(codes(lambda data: data[: len(data) // 2])),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_index_is_refused(folder, tmp_path, name):
    shutil.copytree(folder / "index", tmp_path / "index")
    DAMAGES[name](tmp_path / "index")
    message = r"DX052.*faiss 0\.1.*dx index" if name == "another faiss" else r"DX050.*dx index"
    with pytest.raises(DxError, match=message):
        make(path=str(tmp_path)).fit(X)


def test_the_command_overwrites_an_index_on_request_and_nothing_else(tmp_path):
    Space.from_vectors(WORDS[:300], X[:300]).save(tmp_path / "space")
    ok(run(tmp_path / "space"))
    assert run(tmp_path / "space").exit_code == 2
    assert "300 words" in ok(run(tmp_path / "space", "--force")).output
    (tmp_path / "notes").mkdir()
    for other in (tmp_path / "notes", "builtin", tmp_path / "nowhere"):
        refused = run(other, "--force")
        assert refused.exit_code != 0 and "DX024" in refused.output
        assert "Traceback" not in refused.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes", "space"]
    assert not list((tmp_path / "notes").iterdir())
