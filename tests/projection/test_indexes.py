"""Fast indexes find what the exact one finds, nearly always; a miss costs meaning, no privacy."""

import multiprocessing
import pickle
import subprocess
import sys

import faiss
import numpy as np
import pytest
import srsly
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.machine import compute as pages
from spacy_dxprivacy.privacy.noise import laplace_noise
from spacy_dxprivacy.space.search import faiss_index
from spacy_dxprivacy.space.tables.folder import digest_of
from spacy_dxprivacy.ty import Index

# Python 3.12 and later warn wherever a process with threads forks; OpenMP has threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

N, D = 4000, 16
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


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 3.0, 10.0, 30.0])
def test_the_nearest_row_is_found_at_every_strength_of_noise(epsilon):
    assert recall(make(), noisy(X, epsilon)) >= 0.999


@pytest.mark.parametrize(("n", "d", "least"), [
    (2000, 1, 0.99), (2000, 3, 0.99), (2000, 9, 0.99), (2000, 25, 0.99), (1, D, 1), (40, D, 1),
])  # fmt: skip
def test_any_number_of_rows_and_dimensions_will_do(n, d, least):
    table = np.random.default_rng(d).standard_normal((n, d)).astype(np.float32)
    assert recall(make(), noisy(table, 5.0, 200), table) >= least


SLOW = pytest.param("OPQ8,PQ8x4fs", marks=pytest.mark.slow)


@pytest.mark.parametrize("factory", ["Flat", "SQ8", "PQ8x4", SLOW, "HNSW16", "IVF16,Flat"])
def test_any_factory_of_faiss_will_do(factory):
    index = make(factory=factory, refine=N if factory[0] != "I" else 64)
    assert recall(index, noisy(X, 10.0, 200)) >= 0.5
    assert factory in index.choice


def test_search_parameters_reach_faiss():
    few, every = (recall(make(factory="IVF16,Flat", parameters=f"nprobe={n}"), noisy(X, 3.0, 300))
                  for n in (1, 16))  # fmt: skip
    assert few < 0.9 and every == 1


def test_of_equal_rows_the_lowest_wins():
    table = np.concatenate([X[:1500], X[:1500]])
    assert (make().fit(table).nearest(noisy(X[:1500], 5.0)) < 1500).all()


def test_candidates_are_compared_in_float64_and_without_any_all_rows():
    """Queries so far out that their float32 distances to all rows are alike."""
    assert recall(make(refine=N), X[:50].astype(np.float64) * 1e9) == 1
    Z = noisy(X, 3.0, 3)
    found = faiss_index.rerank(Z.astype(float), X, np.full((3, 4), -1))
    assert np.array_equal(found, brute(Z, X))


def test_fits_and_batches_change_nothing(monkeypatch):
    index, Z = make(refine=4).fit(X), noisy(X, 2.0, 64)
    batch = index.nearest(Z)
    assert np.array_equal(make(refine=4).fit(X).nearest(Z), batch)
    assert batch.tolist() == [int(index.nearest(z[None])[0]) for z in Z]
    monkeypatch.setattr(faiss_index, "PAIRS_AT_ONCE", 10)
    assert np.array_equal(index.nearest(Z), batch)
    assert index.nearest(Z[:0]).shape == (0,)


def test_auto_index_chooses_by_size_and_anew_for_another_table():
    small, large = make("dx.AutoIndex.v1"), make("dx.AutoIndex.v1", exact_up_to=N * D - 1)
    assert small.fit(X).choice == "dx.Exact.v1"
    assert large.fit(X).choice == "dx.Faiss.v1(PQ8x4fs, refine=512)"
    Z = noisy(X, 5.0)
    assert (small.nearest(Z) == large.nearest(Z)).mean() >= 0.999
    assert large.fit(X[:10]).choice == "dx.Exact.v1"


def _found(index, Z, link):
    link.send(index.nearest(Z))


@pytest.mark.parametrize("name", EVERY)
def test_a_forked_child_searches_after_its_parent(name, forking):
    """OpenMP's threads are lost in a fork: without care the child waits for them for ever."""
    index, Z = make(name, **({"exact_up_to": 0} if "Auto" in name else {})).fit(X), noisy(X, 3.0)
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


def test_the_package_is_imported_without_faiss():
    code = "import spacy_dxprivacy, sys; sys.exit('faiss' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


@pytest.mark.parametrize(
    "Z", [X[:2, :3], X[0], X[:2].astype(int), np.full((1, D), np.nan), np.full((1, D), np.inf)]
)
def test_odd_queries_are_refused(Z):
    with pytest.raises(DxError, match="DX001"):
        make().fit(X[:50]).nearest(Z)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30, 1e-30])
def test_tables_that_float32_cannot_square_are_refused(bad):
    table = np.zeros((50, 3), dtype=np.float32)
    table[7, 1] = bad
    with pytest.raises(DxError, match=r"DX020.*dx\.Exact\.v1"):
        make().fit(table)


@pytest.mark.parametrize("settings, message", [
    *[({"factory": f}, f"DX053.*{f}.*{N} vectors of {D}")
      for f in ("rubbish", "PQ7x4fs", "IVF100000,Flat")],
    *[(s, "DX001") for s in ({"refine": 0}, {"refine": 1.5}, {"factory": 3},
                             {"factory": "SQ8", "path": "x"})],
    ({"parameters": "rubbish=3"}, "DX001.*parameters"),
    ({"path": "/no/such/folder"}, "DX050"),
])  # fmt: skip
def test_odd_settings_are_refused(settings, message):
    with pytest.raises(DxError, match=message):
        registry.dx_indexes.get("dx.Faiss.v1")(**settings).fit(X)


WORDS = [f"w{i}" for i in range(N)]


def run(*arguments):
    return CliRunner().invoke(dx_cli, ["index", *map(str, arguments)])


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A saved space, and the folder that the command made of it."""
    parent = tmp_path_factory.mktemp("indexes")
    space, out = parent / "space", parent / "out"
    Space.from_vectors(WORDS, X, name="small").save(space)
    done = run(space, out, "--refine", "99")
    assert done.exit_code == 0, done.output
    return space, out


def test_the_folder_is_a_space_and_its_index(folders):
    space, out = folders
    loaded = Space.load(out, verify=True)
    assert loaded.digest == Space.load(space).digest
    assert isinstance(loaded.vectors, np.memmap)
    assert (space / "vectors.npy").samefile(out / "vectors.npy")
    index = make(path=str(out)).fit(loaded.vectors)
    assert index.choice == "dx.Faiss.v1(PQ8x4fs, refine=99)"
    Z = noisy(X, 3.0)
    assert np.array_equal(index.nearest(Z), make(refine=99).fit(X).nearest(Z))
    assert make(path=str(out), refine=7).fit(X).choice.endswith("refine=7)")


def test_words_that_are_never_output_are_not_indexed(tmp_path):
    """A pipeline filters the space that it loads; the index has to fit what is left."""
    Space.from_vectors(["bitch", *WORDS[1:300]], X[:300]).save(tmp_path / "space")
    assert run(tmp_path / "space", tmp_path / "out").exit_code == 0
    loaded = registry.dx_spaces.get("dx.FileSpace.v1")(str(tmp_path / "out")).load(None)
    assert len(loaded) == 299 and loaded.path == tmp_path / "out"
    make(path=str(tmp_path / "out")).fit(loaded.vectors)


def test_pages_of_a_large_table_are_let_go(folders, monkeypatch):
    """And the search finds the same; tables that may be written to keep their pages."""
    mapped, Z = Space.load(folders[1]).vectors, noisy(X, 3.0)
    expected = make().fit(X).nearest(Z)
    monkeypatch.setattr(pages, "LARGE", X.nbytes - 1)
    assert pages.large_map(mapped) is not None and pages.large_map(X) is None
    copy_on_write = np.load(folders[1] / "vectors.npy", mmap_mode="c")
    assert pages.large_map(copy_on_write) is None
    assert np.array_equal(make().fit(mapped).nearest(Z), expected)


def test_an_index_of_another_table_is_refused(folders):
    other = X.copy()
    other[17, 3] += 1e-3
    for table in (other, X[:-1], X[:, :-1]):
        with pytest.raises(DxError, match=r"DX051.*built for a table of 4000 x 16"):
            make(path=str(folders[1])).fit(table)


def about(**changes):
    def damage(folder):
        path = folder / "index.json"
        srsly.write_json(path, {**srsly.read_json(path), **changes})

    return damage


def codes(change):
    return lambda f: (f / "index.faiss").write_bytes(change((f / "index.faiss").read_bytes()))


DAMAGES = {
    "another faiss": about(faiss="0.1"),
    "format": about(format=99),
    "no refine": about(refine=None),
    "missing": lambda f: (f / "index.faiss").unlink(),
    "empty": codes(lambda data: b""),
    "foreign": codes(lambda data: b"x" * 999),
    "cut": codes(lambda data: data[: len(data) // 2]),
    "other": lambda f: faiss.write_index(faiss.IndexFlatL2(3), str(f / "index.faiss")),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_index_is_refused(folders, tmp_path, name):
    for file in ("index.faiss", "index.json"):
        (tmp_path / file).write_bytes((folders[1] / file).read_bytes())
    DAMAGES[name](tmp_path)
    message = r"DX052.*faiss 0\.1.*dx index" if name == "another faiss" else r"DX050.*dx index"
    with pytest.raises(DxError, match=message):
        make(path=str(tmp_path)).fit(X)


def test_the_command_overwrites_an_index_on_request_and_nothing_else(folders, tmp_path):
    space, out = folders[0], tmp_path / "out"
    assert run(space, out).exit_code == 0
    assert run(space, out).exit_code == 2
    assert run(space, out, "--force", "--factory", "SQ8").exit_code == 0
    assert srsly.read_json(out / "index.json")["factory"] == "SQ8"
    assert run(space, space, "--force").exit_code == 2
    assert run(out, tmp_path / "again").exit_code == 0
    (tmp_path / "notes").mkdir()
    refused = run(space, tmp_path / "notes", "--force")
    assert refused.exit_code == 1 and "DX050" in refused.output
    for arguments in (("--factory", "rubbish"), ("--refine", "0")):
        failed = run(space, tmp_path / "failed", *arguments)
        assert failed.exit_code == 1 and "[DX0" in failed.output
        assert "Traceback" not in failed.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again", "notes", "out"]


@pytest.mark.slow
def test_an_index_serves_a_pipeline(folders, make_nlp):
    out = str(folders[1])
    index = {"@dx_indexes": "dx.Faiss.v1", "path": out}
    projection = {"@dx_projections": "dx.Nearest.v1", "index": index}
    mechanism = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 1e4, "projection": projection}
    nlp = make_nlp(space={"@dx_spaces": "dx.FileSpace.v1", "path": out}, mechanism=mechanism)
    assert [t.lower_ for t in nlp("w17 w3999 w0")] == ["w17", "w3999", "w0"]


def test_a_digest_is_of_the_shape_and_every_number():
    changed = X.copy()
    changed[-1, -1] += 1
    digests = {digest_of([], t) for t in (X, X.reshape(-1, 2 * D), changed)}
    assert len(digests) == 3 and digest_of([], X) == digest_of([], X.astype(np.float64))
