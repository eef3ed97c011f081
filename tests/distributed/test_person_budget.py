"""max_epsilon_per_person over shards and releases: one more record of a person, and no more."""

import json

import pytest
from conftest import PERSONS
from typer.testing import CliRunner

from spacy_dxprivacy import Guarantee
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.integrations.distributed.spending import (
    UserSpent,
    UserTotals,
    user_id,
    write_users,
)
from spacy_dxprivacy.privacy.concentrated import change

METRIC = Guarantee("metric-dp", 0.8, metric="path", status="proven", loss_range=1.0)
NAME = 2 * 12.5  # how far two names of two words each are apart in a record


@pytest.fixture
def dx(tmp_path):
    """Return a function that sanitises shards, and gives the result and the manifest."""
    (tmp_path / "c.cfg").write_text(PERSONS + "max_epsilon_per_person = 50\n")
    out = tmp_path / "out"
    fixed = [str(out), "-c", str(tmp_path / "c.cfg"), "--keep-fields", "id"]
    engine = ["--set", "cluster.engine=local", "--set", "cluster.user_column=who"]

    def run(*names, again=False):
        more = ["--set", "cluster.again=true"] if again else []
        sources = [str(tmp_path / name) for name in names]
        done = CliRunner().invoke(dx_cli, ["sanitize", *sources, *fixed, *engine, *more])
        assert "Lopez" not in done.output and "maria@" not in done.output
        return done, json.loads((out / "_manifest.json").read_text())

    return run


def write(tmp_path, name, texts, who="maria@example.org"):
    records = [{"id": i, "text": text, "who": who} for i, text in enumerate(texts)]
    (tmp_path / name).write_text("".join(json.dumps(record) + "\n" for record in records))


def test_shards_of_one_person_add_up_and_the_one_beyond_is_not_released(dx, tmp_path):
    for i, name in enumerate(("a.jsonl", "b.jsonl", "c.jsonl")):
        write(tmp_path, name, ["Maria Lopez slept."] + ["It rains."] * i)
    assert dx("a.jsonl", "b.jsonl")[0].exit_code == 0
    done, manifest = dx("a.jsonl", "b.jsonl", "c.jsonl")  # a restart: what it read lies on disk
    assert done.exit_code == 1 and "DX180" in done.stderr and "c.jsonl" in done.stderr
    assert not (tmp_path / "out" / "c.jsonl").exists()
    person = manifest["by_user"]["person"]
    assert person["plain"] == pytest.approx(2 * 0.8 * NAME)
    assert person["rho"] == pytest.approx(change(METRIC, [NAME, NAME]).rho)
    write(tmp_path, "d.jsonl", ["John Smith slept.", "It rains."], who="john@example.org")
    assert dx("d.jsonl")[0].exit_code == 0  # somebody else


def test_a_second_release_of_the_corpus_counts_for_the_person(dx, tmp_path):
    write(tmp_path, "a.jsonl", ["Maria Lopez slept."])
    assert dx("a.jsonl")[0].exit_code == 0
    done, manifest = dx("a.jsonl", again=True)
    assert done.exit_code == 0
    assert manifest["by_user"]["person"]["plain"] == pytest.approx(2 * 0.8 * NAME)
    done, manifest = dx("a.jsonl", again=True)
    assert done.exit_code == 1 and "DX180" in done.stderr
    assert manifest["by_user"]["person"]["plain"] == pytest.approx(2 * 0.8 * NAME)


def test_within_a_shard_the_record_beyond_is_left_out(dx, tmp_path):
    write(tmp_path, "a.jsonl", ["Maria Lopez slept.", "Maria Lopez woke.", "Maria Lopez left."])
    done, manifest = dx("a.jsonl")
    assert done.exit_code == 1 and manifest["corpus"]["failed"] == 1
    assert len((tmp_path / "out" / "a.jsonl").read_text().splitlines()) == 2
    assert manifest["by_user"]["person"]["plain"] == pytest.approx(2 * 0.8 * NAME)


def test_within_a_parquet_shard_too(dx, tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rows = {"id": [1, 2, 3], "text": ["Maria Lopez slept."] * 3, "who": [7, 7, 7]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    done, manifest = dx("a.parquet")
    assert done.exit_code == 1 and manifest["corpus"]["failed"] == 1
    assert pq.read_table(tmp_path / "out" / "a.parquet")["id"].to_pylist() == [1, 2]
    assert manifest["corpus"]["persons"]["count"] == 2


# -- sums on disk ----------------------------------------------------------------------------------


def test_users_are_added_up_over_files(tmp_path):
    everyone = [user_id(bytes(32), name) for name in range(1000)]
    one = change(METRIC, [1.0])
    for file in range(3):
        spent = dict.fromkeys(everyone[file:], UserSpent(file + 1, one))
        write_users(tmp_path, str(file), spent)
    totals = UserTotals(tmp_path, "012")
    assert (len(totals), totals.most_draws) == (1000, 6)
    assert totals.largest.rho == pytest.approx(3 * one.rho)
    first = dict.fromkeys(everyone[:1], UserSpent(1, one))
    assert totals.largest_with(first) == pytest.approx(change(METRIC, [1.0] * 2).epsilon)
    totals.add(first)
    assert totals.largest_with(first) == pytest.approx(change(METRIC, [1.0] * 3).epsilon)
    assert totals.largest_with({}) == 0.0
