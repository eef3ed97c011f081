"""Fast indexes find what the exact one finds, nearly always, and say what they are.

They see the noisy vector alone: whatever they miss costs meaning and no privacy.
"""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def make(name: str, **settings: Any) -> Any:
    return registry.resolve({"index": {"@dx_indexes": name, **settings}})["index"]


def noisy(table: Any, epsilon: float, k: int = 500) -> Any:
    rows = np.random.default_rng(1).integers(len(table), size=k)
    noise = laplace_noise(k, table.shape[1], Rng(seed=2), epsilon=epsilon)
    return (table[rows] + noise).astype(np.float32)


def brute(Z: Any, table: Any) -> Any:
    table = table.astype(np.float64)
    return np.array([np.square(table - z).sum(axis=1).argmin() for z in Z])


# -- what is found -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 3.0, 10.0, 30.0])
def test_the_nearest_row_is_found_at_every_strength_of_noise(epsilon: float) -> None:
    Z = noisy(X, epsilon)
    assert (make("dx.Faiss.v1").fit(X).nearest(Z) == brute(Z, X)).mean() >= 0.999


@pytest.mark.parametrize("d", [1, 3, 9, 25])
def test_any_number_of_dimensions_will_do(d: int) -> None:
    table = np.random.default_rng(d).standard_normal((2000, d)).astype(np.float32)
    Z = noisy(table, 5.0, 200)
    assert (make("dx.Faiss.v1").fit(table).nearest(Z) == brute(Z, table)).mean() >= 0.99


@pytest.mark.parametrize("n", [1, 2, 40])
def test_all_rows_of_a_small_table_are_compared(n: int) -> None:
    Z = noisy(X[:n], 1.0, 50)
    assert np.array_equal(make("dx.Faiss.v1").fit(X[:n]).nearest(Z), brute(Z, X[:n]))


@pytest.mark.parametrize(
    "factory",
    [
        "Flat",
        "SQ8",
        "PQ8x4",
        pytest.param("OPQ8,PQ8x4fs", marks=pytest.mark.slow),
        "HNSW16",
        "IVF16,Flat",
    ],
)
def test_any_factory_of_faiss_will_do(factory: str) -> None:
    Z = noisy(X, 10.0, 200)
    index = make("dx.Faiss.v1", factory=factory, refine=N if factory[0] != "I" else 64)
    assert (index.fit(X).nearest(Z) == brute(Z, X)).mean() >= 0.5
    assert factory in index.choice


def test_search_parameters_reach_faiss() -> None:
    Z = noisy(X, 3.0, 300)
    few, all_lists = (
        make("dx.Faiss.v1", factory="IVF16,Flat", parameters=f"nprobe={n}").fit(X) for n in (1, 16)
    )
    assert np.array_equal(all_lists.nearest(Z), brute(Z, X))
    assert (few.nearest(Z) == brute(Z, X)).mean() < 0.9


def test_of_equal_rows_the_lowest_wins() -> None:
    table = np.concatenate([X[:1500], X[:1500]])
    assert (make("dx.Faiss.v1").fit(table).nearest(noisy(X[:1500], 5.0)) < 1500).all()


def test_candidates_are_compared_in_float64_where_float32_cannot_tell() -> None:
    """Queries so far out that their float32 distances to all rows are alike."""
    Z = X[:50].astype(np.float64) * 1e9
    index = make("dx.Faiss.v1", refine=N).fit(X)
    assert np.array_equal(index.nearest(Z), brute(Z, X))


def test_a_query_without_candidates_is_compared_with_all() -> None:
    none = np.full((3, 4), -1)
    Z = noisy(X, 3.0, 3)
    assert np.array_equal(faiss_index.rerank(Z.astype(float), X, none), brute(Z, X))


def test_two_fits_find_the_same() -> None:
    Z = noisy(X, 1.0)
    first, again = (make("dx.Faiss.v1", refine=4).fit(X).nearest(Z) for _ in range(2))
    assert np.array_equal(first, again)


def test_queries_one_by_one_find_what_a_batch_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    index, Z = make("dx.Faiss.v1").fit(X), noisy(X, 2.0, 64)
    batch = index.nearest(Z)
    assert batch.tolist() == [int(index.nearest(z[None])[0]) for z in Z]
    monkeypatch.setattr(faiss_index, "PAIRS_AT_ONCE", 1000)
    assert np.array_equal(index.nearest(Z), batch)
    assert index.nearest(Z[:0]).shape == (0,)


# -- the choice ----------------------------------------------------------------------------------


def test_auto_index_says_what_it_chose() -> None:
    small, large = make("dx.AutoIndex.v1"), make("dx.AutoIndex.v1", exact_up_to=N * D - 1)
    assert small.fit(X).choice == "dx.Exact.v1"
    assert large.fit(X).choice == "dx.Faiss.v1(PQ8x4fs, refine=512)"
    Z = noisy(X, 5.0)
    assert (small.nearest(Z) == large.nearest(Z)).mean() >= 0.999


def test_auto_index_chooses_anew_for_another_table() -> None:
    index = make("dx.AutoIndex.v1", exact_up_to=2000 * D)
    assert [index.fit(X[:n]).choice[:8] for n in (2000, 2001, 10)] == [
        "dx.Exact", "dx.Faiss", "dx.Exact",
    ]  # fmt: skip


# -- processes -----------------------------------------------------------------------------------


def _found(index: Any, Z: Any, link: Any) -> None:
    link.send(index.nearest(Z))


@pytest.mark.parametrize("name", ["dx.Faiss.v1", "dx.AutoIndex.v1"])
def test_a_forked_child_searches_after_its_parent(name: str, forking: str) -> None:
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


@pytest.mark.parametrize("name", ["dx.Faiss.v1", "dx.AutoIndex.v1"])
def test_a_pickle_holds_settings_alone(name: str) -> None:
    index = make(name).fit(X)
    data = pickle.dumps(index)
    copy = pickle.loads(data)  # noqa: S301
    assert len(data) < 1000
    with pytest.raises(DxError, match="DX003"):
        copy.nearest(X)
    assert np.array_equal(copy.fit(X).nearest(X[:9]), index.nearest(X[:9]))


def test_the_package_is_imported_without_faiss() -> None:
    code = "import spacy_dxprivacy, sys; sys.exit('faiss' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


# -- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dx.Faiss.v1", "dx.AutoIndex.v1"])
def test_before_fit_there_is_no_search(name: str) -> None:
    assert isinstance(make(name), Index)
    with pytest.raises(DxError, match="DX003"):
        make(name).nearest(X)


@pytest.mark.parametrize(
    "Z", [X[:2, :3], X[0], X[:2].astype(int), np.full((1, D), np.nan), np.full((1, D), np.inf)]
)
def test_odd_queries_are_refused(Z: Any) -> None:
    with pytest.raises(DxError, match="DX001"):
        make("dx.Faiss.v1").fit(X[:50]).nearest(Z)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30, 1e-30])
def test_tables_that_float32_cannot_square_are_refused(bad: float) -> None:
    table = np.zeros((50, 3), dtype=np.float32)
    table[7, 1] = bad
    with pytest.raises(DxError, match=r"DX020.*dx\.Exact\.v1"):
        make("dx.Faiss.v1").fit(table)


@pytest.mark.parametrize("factory", ["rubbish", "PQ7x4fs", "IVF100000,Flat"])
def test_what_faiss_cannot_build_is_said(factory: str) -> None:
    with pytest.raises(DxError, match=f"DX053.*{factory}.*{N} vectors of {D}"):
        make("dx.Faiss.v1", factory=factory).fit(X)


@pytest.mark.parametrize(
    "settings",
    [{"refine": 0}, {"refine": 1.5}, {"factory": 3}, {"factory": "SQ8", "path": "x"}],
)
def test_odd_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(DxError, match="DX001"):
        registry.dx_indexes.get("dx.Faiss.v1")(**settings)


def test_odd_search_parameters_are_refused() -> None:
    with pytest.raises(DxError, match=r"DX001.*parameters"):
        make("dx.Faiss.v1", parameters="rubbish=3").fit(X)


def test_too_little_memory_is_said_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faiss_index, "available_bytes", lambda: 1000)
    with pytest.raises(DxError, match="DX054"):
        make("dx.Faiss.v1").fit(X)


# -- on disk -------------------------------------------------------------------------------------


WORDS = [f"w{i}" for i in range(N)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A saved space, and the folder that the command made of it."""
    parent = tmp_path_factory.mktemp("indexes")
    space, out = parent / "space", parent / "out"
    Space.from_vectors(WORDS, X, name="small").save(space)
    done = run(space, out, "--refine", "99")
    assert done.exit_code == 0, done.output
    return space, out


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(dx_cli, ["index", *map(str, arguments)])


def test_the_folder_is_a_space_and_its_index(folders: tuple[Path, Path]) -> None:
    space, out = folders
    loaded = Space.load(out, verify=True)
    assert loaded.digest == Space.load(space).digest
    index = make("dx.Faiss.v1", path=str(out)).fit(loaded.vectors)
    assert index.choice == "dx.Faiss.v1(PQ8x4fs, refine=99)"
    Z = noisy(X, 3.0)
    built = make("dx.Faiss.v1", refine=99).fit(X)
    assert np.array_equal(index.nearest(Z), built.nearest(Z))
    assert make("dx.Faiss.v1", path=str(out), refine=7).fit(X).choice.endswith("refine=7)")


def test_vectors_are_linked_and_mapped(folders: tuple[Path, Path]) -> None:
    space, out = folders
    assert (space / "vectors.npy").samefile(out / "vectors.npy")
    assert isinstance(Space.load(out).vectors, np.memmap)


def test_words_that_are_never_output_are_not_indexed(tmp_path: Path) -> None:
    """A pipeline filters the space that it loads; the index has to fit what is left."""
    words = ["bitch", *WORDS[1:300]]
    Space.from_vectors(words, X[:300]).save(tmp_path / "space")
    assert run(tmp_path / "space", tmp_path / "out").exit_code == 0
    source = registry.dx_spaces.get("dx.FileSpace.v1")(str(tmp_path / "out"))
    loaded = source.load(None)
    assert len(loaded) == 299 and loaded.path == tmp_path / "out"
    make("dx.Faiss.v1", path=str(tmp_path / "out")).fit(loaded.vectors)


def test_pages_of_a_large_table_are_let_go(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the search finds the same; tables that may be written to keep their pages."""
    mapped, Z = Space.load(folders[1]).vectors, noisy(X, 3.0)
    expected = make("dx.Faiss.v1").fit(X).nearest(Z)
    monkeypatch.setattr(pages, "LARGE", X.nbytes - 1)
    assert pages.large_map(mapped) is not None and pages.large_map(X) is None
    copy_on_write = np.load(folders[1] / "vectors.npy", mmap_mode="c")
    assert pages.large_map(copy_on_write) is None
    assert np.array_equal(make("dx.Faiss.v1").fit(mapped).nearest(Z), expected)


def test_an_index_of_another_table_is_refused(folders: tuple[Path, Path]) -> None:
    other = X.copy()
    other[17, 3] += 1e-3
    for table in (other, X[:-1], X[:, :-1]):
        with pytest.raises(DxError, match=r"DX051.*built for a table of 4000 x 16"):
            make("dx.Faiss.v1", path=str(folders[1])).fit(table)


def damaged(folders: tuple[Path, Path], target: Path, **changes: Any) -> Any:
    """A copy of the index with other statements about it, ready to be fitted."""
    target.mkdir()
    (target / "index.faiss").write_bytes((folders[1] / "index.faiss").read_bytes())
    about = srsly.read_json(folders[1] / "index.json")
    srsly.write_json(target / "index.json", {**about, **changes})
    return make("dx.Faiss.v1", path=str(target))


def test_an_index_of_another_faiss_is_refused_and_says_how_to_rebuild(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(DxError, match=r"DX052.*faiss 0\.1.*dx index"):
        damaged(folders, tmp_path / "a", faiss="0.1").fit(X)


@pytest.mark.parametrize("changes", [{"format": 99}, {"refine": None}, {"table": 3}])
def test_a_foreign_description_is_refused(
    folders: tuple[Path, Path], tmp_path: Path, changes: dict[str, Any]
) -> None:
    with pytest.raises(DxError, match=r"DX050.*dx index"):
        damaged(folders, tmp_path / "a", **changes).fit(X)


@pytest.mark.parametrize("damage", ["cut", "foreign", "missing", "other", "empty"])
def test_a_damaged_index_is_refused(
    folders: tuple[Path, Path], tmp_path: Path, damage: str
) -> None:
    index = damaged(folders, tmp_path / "a")
    codes = tmp_path / "a" / "index.faiss"
    data = codes.read_bytes()
    if damage == "missing":
        codes.unlink()
    elif damage == "other":
        import faiss

        faiss.write_index(faiss.IndexFlatL2(3), str(codes))
    else:
        codes.write_bytes(
            {"cut": data[: len(data) // 2], "foreign": b"x" * 999, "empty": b""}[damage]
        )
    with pytest.raises(DxError, match=r"DX050.*dx index"):
        index.fit(X)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DxError, match="DX050"):
        make("dx.Faiss.v1", path=str(tmp_path / "none")).fit(X)


def test_the_command_overwrites_an_index_on_request_and_nothing_else(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
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
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("arguments", [("--factory", "rubbish"), ("--refine", "0")])
def test_a_command_that_fails_leaves_nothing(
    folders: tuple[Path, Path], tmp_path: Path, arguments: tuple[str, str]
) -> None:
    done = run(folders[0], tmp_path / "out", *arguments)
    assert done.exit_code == 1 and "[DX0" in done.output and "Traceback" not in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_an_index_serves_a_pipeline(folders: tuple[Path, Path], make_nlp: Any) -> None:
    out = str(folders[1])
    nlp = make_nlp(
        space={"@dx_spaces": "dx.FileSpace.v1", "path": out},
        mechanism={
            "@dx_mechanisms": "dx.Laplace.v1",
            "epsilon": 1e4,
            "projection": {
                "@dx_projections": "dx.Nearest.v1",
                "index": {"@dx_indexes": "dx.Faiss.v1", "path": out},
            },
        },
    )
    assert [t.lower_ for t in nlp("w17 w3999 w0")] == ["w17", "w3999", "w0"]


def test_a_digest_is_of_the_shape_and_every_number() -> None:
    changed = X.copy()
    changed[-1, -1] += 1
    digests = {digest_of([], t) for t in (X, X.reshape(-1, 2 * D), changed)}
    assert len(digests) == 3 and digest_of([], X) == digest_of([], X.astype(np.float64))
