"""The file of the paths from the commonest words: it saves time, and is never believed."""

import hashlib
import io
import json
import multiprocessing
import os

import numpy as np
import pytest
from conftest import ok, run_dx

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.cli import sanitizing
from spacy_dxprivacy.errors import DxWarning
from spacy_dxprivacy.metric import path_table
from spacy_dxprivacy.metric.path_table import FORMAT, cache_folder, digest_of, write_table
from spacy_dxprivacy.metric.policy import PRESETS, policy_graph
from spacy_dxprivacy.space import learned

N, STORED = 300, 200


def fitted(words=N, seed=0):
    X = np.random.default_rng(seed).normal(size=(words, 6))
    uniform = registry.dx_priors.get("dx.Uniform.v1")()
    made = registry.dx_mechanisms.get("dx.Path.v2")(2.0, policy="plain", prior=uniform)
    space = Space.from_vectors([f"w{i}" for i in range(words)], X)
    learned.forget(space)  # as a new process: equal spaces share a graph and its cache
    return made.fit(space)


def graph_of(mechanism):
    return mechanism.built.kernel.graph


def drawn(mechanism):
    return mechanism.sample(np.arange(N), Rng(seed=3)).rows.tolist()


def ship(monkeypatch, folder, *graphs):
    """Let the package know the tables of these graphs."""
    known = {digest_of(g): hashlib.sha256(write_table(g, io.BytesIO())).hexdigest() for g in graphs}
    (folder / "known.json").write_text(json.dumps(known))
    monkeypatch.setattr(path_table, "DIGESTS", folder / "known.json")


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache. The graph of `fitted` is one that the package knows."""
    monkeypatch.setenv("DX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(path_table, "TABLE_WORDS", STORED)
    ship(monkeypatch, tmp_path, graph_of(fitted()))
    return tmp_path / "cache"


@pytest.fixture
def stored(cache):
    assert fitted().facts.store_paths(lambda count: None)
    (path,) = cache.iterdir()
    return path


def searched(mechanism, rows):
    """Which of the rows are searched for, and not read."""
    graph, missing = graph_of(mechanism), []
    graph.__dict__.pop("_cache", None)  # what the fit has searched
    search = type(graph).search_within
    graph.__dict__["search_within"] = lambda k: missing.extend(k.tolist()) or search(graph, k)
    graph.within(np.asarray(rows))
    return missing


def test_outputs_are_the_same_and_common_words_are_not_searched_for(stored, monkeypatch):
    assert searched(fitted(), [STORED, 5, 5, STORED - 1]) == [STORED]
    with_table = drawn(fitted())
    monkeypatch.setenv("DX_CACHE", "")
    assert searched(fitted(), [5]) == [5]
    assert drawn(fitted()) == with_table
    rows = np.arange(N)
    bare = graph_of(fitted()).within(rows)
    monkeypatch.undo()
    for (a, b), (c, d) in zip(graph_of(fitted()).within(rows), bare, strict=True):
        assert np.array_equal(a, c) and np.array_equal(b, d)
        assert (a.dtype, b.dtype) == (c.dtype, d.dtype)


def forged(data):
    """Another word in the first row, and digests by the format for all of it."""
    k, data = STORED, bytearray(data)
    begin = len(FORMAT) + 36 * k
    end = int.from_bytes(data[len(FORMAT) : len(FORMAT) + 4], "little")
    data[begin] ^= 1
    row = hashlib.sha256(data[begin : begin + 4 * end]).digest()
    data[len(FORMAT) + 4 * k : len(FORMAT) + 4 * k + 32] = row
    return bytes(data)


def flipped(at):
    return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


ENDS, DIGESTS, ROWS = len(FORMAT), len(FORMAT) + 4 * STORED, len(FORMAT) + 36 * STORED
DAMAGE = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: ROWS + 3],
    "cut in its beginning": lambda data: data[:ROWS // 2],
    "format": flipped(0),
    "ends": flipped(ENDS),
    "digests": flipped(DIGESTS),
    "a word": flipped(ROWS),
    "forged": forged,
    "zeros": lambda data: bytes(len(data)),
    "large": lambda data: b"x" * 2**22,
}  # fmt: skip


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_or_forged_file_is_searched_instead_and_written_again(stored, how):
    right = stored.read_bytes()
    expected = drawn(fitted())
    stored.write_bytes(DAMAGE[how](right))
    assert 0 in searched(fitted(), [0])
    assert drawn(fitted()) == expected
    assert fitted().facts.store_paths(lambda count: None)
    assert stored.read_bytes() == right
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]


def test_a_row_that_changes_while_it_is_in_use_is_searched_for(stored):
    mechanism = fitted()
    assert searched(mechanism, [0]) == []
    stored.write_bytes(stored.read_bytes()[: ROWS + 1])
    assert searched(mechanism, [0, 7]) == [0, 7]
    stored.unlink()
    assert searched(mechanism, [0]) == [0]


def test_a_table_of_another_graph_is_refused(stored, monkeypatch, tmp_path):
    other = fitted(seed=1)
    ship(monkeypatch, tmp_path, graph_of(other), graph_of(fitted()))
    assert other.facts.store_paths(lambda count: None)
    (theirs,) = set(stored.parent.iterdir()) - {stored}
    os.replace(theirs, stored)
    assert searched(fitted(), [0]) == [0]


def test_what_does_not_come_out_as_it_ships_is_not_kept(cache, tmp_path):
    known = json.loads((tmp_path / "known.json").read_text())
    (tmp_path / "known.json").write_text(json.dumps(dict.fromkeys(known, "0" * 64)))
    assert not fitted().facts.store_paths(lambda count: None)
    assert not any(cache.iterdir())


@pytest.mark.posix
def test_a_pipe_in_its_place_blocks_nobody(cache):
    cache.mkdir()
    name = path_table._file_of(graph_of(fitted()))[0]
    os.mkfifo(cache / name)
    assert searched(fitted(), [0]) == [0]
    with pytest.warns(DxWarning, match="DX105"):
        assert not fitted().facts.store_paths(lambda count: None)


def store(_):
    return fitted().facts.store_paths(lambda count: None)


@pytest.mark.posix
def test_nobody_else_can_look_which_parts_were_read(stored):
    assert stored.stat().st_mode & 0o077 == 0


def test_two_processes_at_once_leave_one_right_file(cache, forking):
    with multiprocessing.Pool(3) as pool:
        assert all(pool.map(store, range(3)))
    assert len([*cache.iterdir()]) == 1
    assert searched(fitted(), range(STORED)) == []


def test_the_folder_is_the_users_choice(monkeypatch, tmp_path):
    monkeypatch.delenv("DX_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "spacy-dxprivacy"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "spacy-dxprivacy"
    monkeypatch.setenv("DX_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.setenv("DX_CACHE", "")
    assert cache_folder() is None
    assert not fitted().facts.store_paths(lambda count: None)


@pytest.mark.parametrize("policy", PRESETS)
def test_every_policy_of_the_built_in_space_ships_the_digest_of_its_table(policy):
    graph = policy_graph(Space.builtin(), PRESETS[policy], policy)
    assert path_table._file_of(graph)[1], "run scripts/build_fitted.py apart"


@pytest.mark.slow
def test_the_digest_that_ships_is_that_of_the_default_table(tmp_path):
    graph = policy_graph(Space.builtin(), PRESETS["general"], "general")
    with (tmp_path / "table").open("wb") as file:
        begin = write_table(graph, file)
    assert hashlib.sha256(begin).hexdigest() == path_table._file_of(graph)[1]
    assert (tmp_path / "table").stat().st_size < 200e6


def test_a_long_run_stores_them_first_and_a_short_one_does_not(cache, monkeypatch, tmp_path):
    ship(monkeypatch, tmp_path, policy_graph(Space.builtin(), PRESETS["general"], "general"))
    source = tmp_path / "in.txt"
    source.write_text("The doctor saw a house.\n" * 20)
    command = ["sanitize", str(source), str(tmp_path / "out.txt"), "--force"]
    assert run_dx(*command).exit_code == 0
    assert not cache.exists()
    monkeypatch.setattr(sanitizing, "LONG", 100)
    assert run_dx(*command).exit_code == 0
    (path,) = cache.iterdir()
    path.unlink()
    cache.rmdir()
    cache.write_text("a file")
    result = ok(run_dx(*command))
    assert result.stderr.count("DX105") == 1
