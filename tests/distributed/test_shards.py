"""Shards in, shards out: what is finished, what is resumed, and what all adds up to."""

from __future__ import annotations

import json
import os
import signal
from itertools import count

import pytest
import spacy
from conftest import EPSILON, UNKNOWN_SECRETS, leaks
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import DxError
from spacy_dxprivacy.config import FileConfig, SanitizeConfig
from spacy_dxprivacy.integrations.distributed import Recipe, plan_shards, sanitize_shards

from .corpus import check_complete, check_survives, finish, pq, write_corpus

AGAIN = ["--set", "cluster.again=true"]
LENGTH = 37  # words of a document, one of them unknown
SHARDS, DOCUMENTS = 3, 10


@pytest.fixture
def sources(tmp_path):
    return write_corpus(tmp_path / "in", shards=SHARDS, documents=DOCUMENTS)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def options(space_path):
    return ["--space", space_path, "-m", "exponential", "-e", EPSILON, "--keep-fields", "id"]


@pytest.fixture
def dx(options):
    """Runs the command in this process; `other` takes the place of the options."""

    def run(*args, other=None):
        chosen = options if other is None else other
        return CliRunner().invoke(app, ["dx", "sanitize", *map(str, [*args, *chosen])])

    return run


def manifest(out):
    return dict(json.loads((out / "_manifest.json").read_text()))


# -- a run ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [[], ["-n", 2]])
def test_every_document_comes_out_once(dx, sources, out, more):
    result = dx(*sources, out, *more)
    assert result.exit_code == 0, result.stderr
    check_complete(sources, out)
    assert "the fields id" in result.stderr and not leaks(result.stderr, UNKNOWN_SECRETS)
    counts = manifest(out)["corpus"]
    assert counts["documents"] == SHARDS * DOCUMENTS and counts["failed"] == 0
    assert counts["tokens"] == SHARDS * DOCUMENTS * LENGTH


def test_receipts_add_up(dx, sources, out):
    dx(*sources, out)
    m = manifest(out)
    assert m["settings"]["guarantee"]["epsilon"] == EPSILON
    assert m["by_document"]["most_draws"] == LENGTH - 1
    assert m["by_document"]["total"]["epsilon"] == pytest.approx(EPSILON * (LENGTH - 1))
    assert m["by_user"] is None
    for shard in m["shards"].values():
        assert shard["releases"] == 1 and "input" not in shard
        assert shard["total"] == m["by_document"]["total"]
    assert sum(s["draws"] for s in m["shards"].values()) == m["corpus"]["draws"]


def test_users_are_added_up_over_shards_and_named_nowhere(dx, sources, out):
    assert dx(*sources, out, "--set", "cluster.user_column=who").exit_code == 0
    by_user = manifest(out)["by_user"]
    assert by_user["users"] == 5 and by_user["documents_without"] == 0
    assert by_user["most_draws"] == SHARDS * DOCUMENTS // 5 * (LENGTH - 1)
    assert by_user["total"]["epsilon"] == pytest.approx(EPSILON * by_user["most_draws"])
    check_complete(sources, out)  # with a look for names
    assert out.with_name("out.private").stat().st_mode & 0o077 == 0


def test_jsonl_csv_and_text_are_shards_too(dx, tmp_path, out, space_path):
    folder = tmp_path / "in"
    folder.mkdir()
    who = UNKNOWN_SECRETS[0]
    (folder / "a.jsonl").write_text(f'{{"id": 1, "text": "the dog {who}", "who": "{who}"}}\n')
    (folder / "b.csv").write_text(f"id,text,who\n2,a cat {who},{who}\n3,the sun,{who}\n")
    for name in ("a.jsonl", "b.csv"):
        result = dx(
            folder / name, out, "--set", "cluster.engine=local", "--set", "cluster.user_column=who"
        )
        assert result.exit_code == 0, result.stderr
    assert json.loads((out / "a.jsonl").read_text())["id"] == 1
    assert len((out / "b.csv").read_text().splitlines()) == 3
    assert manifest(out)["by_user"]["users"] == 1 and manifest(out)["corpus"]["documents"] == 3
    (folder / "c.txt").write_text(f"the dog\n{who}\n")
    other = ["--set", "cluster.engine=local", "--format", "lines", "--space", space_path]
    assert dx(folder / "c.txt", tmp_path / "lines", other=other).exit_code == 0
    assert len((tmp_path / "lines" / "c.txt").read_text().splitlines()) == 2


def test_a_folder_becomes_a_folder(dx, sources, tmp_path, out):
    (tmp_path / "in" / "deep").mkdir()
    os.replace(sources[0], tmp_path / "in" / "deep" / "x.parquet")
    assert dx(tmp_path / "in", out, "--set", "cluster.engine=local").exit_code == 0
    assert (out / "deep" / "x.parquet").exists()


def test_documents_that_fail_are_counted_and_left_out(dx, tmp_path, out, options):
    (source,) = write_corpus(tmp_path / "in", shards=1, documents=4)
    result = dx(source, out, "--set", "unknown=raise")
    assert result.exit_code == 1 and "Failed     4 records" in result.stderr
    assert manifest(out)["corpus"]["failed"] == 4
    assert pq.read_table(out / source.name).num_rows == 0
    assert not leaks(result.stderr, UNKNOWN_SECRETS)


def test_a_shard_that_cannot_be_read_keeps_none_back(dx, sources, out):
    good = sources[1].read_bytes()
    sources[1].write_bytes(b"PAR1 Zorblattovich PAR1")
    result = dx(*sources, out)
    assert result.exit_code == 1 and f"{sources[1].name}: it is not a .parquet" in result.stderr
    assert not leaks(result.stderr, UNKNOWN_SECRETS) and not (out / sources[1].name).exists()
    sources[1].write_bytes(good)
    assert dx(*sources, out).exit_code == 0
    check_complete(sources, out)


# -- a second run --------------------------------------------------------------------------------


def test_a_finished_corpus_is_refused_and_again_is_counted(dx, sources, out):
    by_user = [*sources, out, "--set", "cluster.user_column=who"]
    dx(*by_user)
    before = {path: path.read_bytes() for path in out.glob("*.parquet")}
    refused = dx(*by_user)
    assert refused.exit_code != 0 and len(refused.stderr.splitlines()) == 1
    assert before == {path: path.read_bytes() for path in out.glob("*.parquet")}
    once = manifest(out)
    assert dx(*by_user, *AGAIN).exit_code == 0
    twice = manifest(out)
    assert all(path.read_bytes() != old for path, old in before.items())
    assert (once["releases"], twice["releases"]) == (1, 2)
    for total in ("by_document", "by_user"):
        spent = [m[total]["total"]["epsilon"] for m in (once, twice)]
        assert spent[1] == pytest.approx(2 * spent[0])
    assert {s["releases"] for s in twice["shards"].values()} == {2}


def test_new_shards_are_done_and_finished_ones_are_not(dx, sources, out):
    assert dx(*sources[:2], out).exit_code == 0
    before = (out / sources[0].name).read_bytes()
    result = dx(*sources, out)
    assert result.exit_code == 0 and "1 released now; 2 finished before" in result.stderr
    assert (out / sources[0].name).read_bytes() == before
    check_complete(sources, out)


def test_a_shard_that_is_gone_or_was_touched_was_released_and_one_that_changed_fails(
    dx, sources, out
):
    dx(*sources, out)
    (out / sources[0].name).unlink()
    os.utime(sources[0])
    assert "DX076" in dx(*sources, out).stderr
    pq.write_table(pq.read_table(sources[0]).slice(1), sources[0])
    result = dx(*sources, out)
    assert result.exit_code == 1 and f"{sources[0].name}: [DX079]" in result.stderr


def test_the_same_text_under_another_name_is_a_second_release(dx, sources, out):
    dx(*sources, out)
    copy = sources[0].with_name("copy.parquet")
    copy.write_bytes(sources[0].read_bytes())
    result = dx(copy, out)
    assert result.exit_code == 1 and "DX079" in result.stderr and not (out / copy.name).exists()
    assert dx(copy, out, *AGAIN).exit_code == 0
    assert manifest(out)["releases"] == 2
    assert manifest(out)["by_document"]["most_draws"] == 2 * (LENGTH - 1)


@pytest.mark.slow
def test_another_mechanism_needs_another_folder_or_another_release(dx, sources, out, space_path):
    assert dx(*sources[:1], out).exit_code == 0
    other = ["--space", space_path, "-m", "laplace", "-e", EPSILON, "--keep-fields", "id"]
    refused = dx(*sources, out, other=other)
    assert refused.exit_code != 0 and "DX077" in refused.stderr and "config" in refused.stderr
    assert dx(*sources, out, *AGAIN, other=other).exit_code == 0
    # Both are epsilon times Euclidean distance, and add up.
    epsilon = manifest(out)["by_document"]["total"]["epsilon"]
    assert epsilon == pytest.approx(2 * EPSILON * (LENGTH - 1))
    other[3:4] = ["path"]
    assert dx(*sources, out, *AGAIN, other=other).exit_code == 0
    assert "cannot be composed" in manifest(out)["by_document"]["total"]


def test_an_again_that_was_cut_short_goes_on_where_it_was(dx, sources, out):
    dx(*sources, out)
    good = sources[2].read_bytes()
    sources[2].write_bytes(b"")
    assert dx(*sources, out, *AGAIN).exit_code == 1
    after = (out / sources[0].name).read_bytes()
    sources[2].write_bytes(good)
    assert dx(*sources, out, *AGAIN).exit_code == 0
    assert (out / sources[0].name).read_bytes() == after
    assert {s["releases"] for s in manifest(out)["shards"].values()} == {2}


# -- what may happen to a run --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("point", ["fsync", "replace"])
def test_wherever_it_stops_the_next_run_completes_it(options, sources, out, monkeypatch, point):
    """At each call in turn that makes something last, a process that stops dead."""
    chosen = {"space": options[1], "mechanism": "exponential", "epsilon": EPSILON}
    files = FileConfig(keep_fields=("id",))
    recipe = Recipe.of_settings(SanitizeConfig(**chosen, files=files))
    nlp, real = recipe.load(), getattr(os, point)

    class Killed(BaseException):
        pass

    for at in range(1, 100):
        calls = count(1)

        def dying(*args, at=at, calls=calls):
            if next(calls) >= at:
                raise Killed
            return real(*args)

        monkeypatch.setattr(os, point, dying)
        try:
            sanitize_shards(nlp, recipe, plan_shards(sources, out), out)
            break
        except Killed:
            pass
        except DxError as error:
            assert "DX076" in str(error)
            break
    monkeypatch.setattr(os, point, real)
    assert at > 3
    finish(*sources, out, *options)
    check_complete(sources, out)


def test_a_line_of_the_journal_that_was_cut_off_was_never_written(dx, sources, out):
    dx(*sources, out)
    journal = out / "_journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-2]) + lines[-2][:50])
    (out / sources[-1].name).unlink()
    assert dx(*sources, out).exit_code == 0
    check_complete(sources, out)


def test_two_runs_at_once_are_refused(dx, sources, out):
    fcntl = pytest.importorskip("fcntl", reason="Windows has no locks of this kind")
    dx(*sources[:1], out)
    with open(out / "_journal.jsonl", "ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        result = dx(*sources, out)
    assert result.exit_code == 1 and "another run" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("n_process", [1, 2])
def test_a_driver_that_is_killed_is_resumed(tmp_path, space_path, n_process):
    def kill(driver):
        os.killpg(driver.pid, signal.SIGKILL)

    check_survives(kill, tmp_path, "--space", space_path, "-n", n_process)


# -- mistakes ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_mistakes_are_answered_in_one_line(dx, sources, tmp_path):
    seeded, out = tmp_path / "seeded.cfg", tmp_path / "o"
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config={"seed": 1})
    nlp.config.to_disk(seeded)
    (tmp_path / "file").write_text("")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / sources[0].name).write_text("mine")
    for args, message in [
        ([sources[0], sources[1]], "is a file"),
        ([sources[0]], "name a folder"),
        ([tmp_path / "gone.parquet", out], "no such file"),
        ([sources[0], sources[0], out], "two shards have this name"),
        ([sources[0], sources[0].parent], "the output is the input"),
        ([sources[0], tmp_path / "taken"], "--force"),
        ([*sources, tmp_path / "file"], "is a file"),
        ([*sources, out, "--set", "cluster.engine=dask"], "'local', 'ray', 'spark'"),
        ([*sources, out, "--field", "body"], "DX070"),
        ([*sources, out, "--set", "cluster.user_column=nobody"], "DX070"),
        ([*sources, out, "--config", seeded], "DX072"),
    ]:
        result = dx(*args, other=[] if seeded in args else None)
        assert result.exit_code != 0 and message in result.stderr, (args, result.stderr)
        assert "Traceback" not in result.stderr
