"""A run on a folder that was stopped: the next one draws what is missing, and counts everything."""

import json
import os
from itertools import count

import pytest
import srsly
from conftest import PERSONS, ok, run_dx, space_options

from spacy_dxprivacy import DxError
from spacy_dxprivacy.config.options import FileOptions
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.io.jobs import plan_jobs
from spacy_dxprivacy.io.resuming import FinishedFiles, can_resume, parts_folder
from spacy_dxprivacy.io.run import sanitize

FILES, RECORDS = 4, 5
FEW = FileOptions(keep_fields=("id",))


@pytest.fixture(scope="module")
def space(few_words_path):
    return few_words_path


@pytest.fixture(scope="module")
def nlp(space):
    return make_pipeline(space=space, mechanism="exponential", epsilon=3.0)


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    for file in range(FILES):
        rows = [{"id": f"{file}-{i}", "text": "the old cat Zorblatt " * 9} for i in range(RECORDS)]
        srsly.write_jsonl(folder / ("deep" if file == 2 else "") / f"{file}.jsonl", rows)
    return folder


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def run(nlp, source, out, chosen=FEW):
    jobs = plan_jobs(str(source), str(out), force=can_resume(out))
    return sanitize(nlp, jobs, chosen, folder=out)


class Killed(BaseException):
    """A process that stops dead."""


def stopped(nlp, source, out, monkeypatch, point, at):
    """Stop a run at the call number `at` of what makes something last; return whether it did."""
    real, calls = getattr(os, point), count(1)

    def dying(*args, **how):
        if next(calls) >= at:
            raise Killed
        return real(*args, **how)

    with monkeypatch.context() as patch:
        patch.setattr(os, point, dying)
        # A process that is killed cleans up nothing.
        patch.setattr("pathlib.Path.unlink", lambda *_, **__: None)
        patch.setattr("os.unlink", lambda *_, **__: None)
        patch.setattr("spacy_dxprivacy.io.resuming.shutil.rmtree", lambda *_, **__: None)
        try:
            run(nlp, source, out)
        except Killed:
            return True
    return False


def outputs(out):
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*.jsonl")}


def check_complete(tally, out):
    ids = [json.loads(line)["id"] for raw in outputs(out).values() for line in raw.splitlines()]
    assert sorted(ids) == [f"{file}-{i}" for file in range(FILES) for i in range(RECORDS)]
    assert (tally.count.documents, tally.count.tokens) == (FILES * RECORDS, FILES * RECORDS * 36)
    assert tally.count.failed == ((),) * FILES
    assert not parts_folder(out).exists() and not list(out.rglob(".dx-*"))


@pytest.mark.parametrize("point", ["fsync", "replace"])
def test_wherever_it_stops_the_next_run_completes_it(nlp, source, out, monkeypatch, point):
    for at in range(1, 100):
        if not stopped(nlp, source, out, monkeypatch, point, at):
            break
        released = outputs(out)
        parts = [json.loads(p.read_bytes()) for p in parts_folder(out).glob("*.part")]
        assert set(released) <= {part["file"] for part in parts}  # none is uncounted
        tally = run(nlp, source, out)
        assert all(outputs(out)[name] == raw for name, raw in released.items())  # or drawn again
        check_complete(tally, out)
        for path in out.rglob("*.jsonl"):
            path.unlink()
    assert at > FILES


def test_a_run_that_ended_leaves_nothing_and_is_not_resumed(nlp, source, out):
    check_complete(run(nlp, source, out), out)
    with pytest.raises(DxError, match="exists already"):
        run(nlp, source, out)


def test_a_run_that_is_killed_while_it_tidies_up_is_finished(nlp, source, out, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("spacy_dxprivacy.io.resuming.shutil.rmtree", lambda *_, **__: None)
        run(nlp, source, out)
    assert list(parts_folder(out).glob("*.part")) and not can_resume(out)
    for path in out.rglob("*.jsonl"):
        path.unlink()
    check_complete(run(nlp, source, out), out)  # a release of its own


def test_a_source_that_changed_after_its_release_is_named(nlp, source, out, monkeypatch):
    assert stopped(nlp, source, out, monkeypatch, "replace", 6)
    first = source / "0.jsonl"
    before = (out / "0.jsonl").read_bytes()
    old = first.read_text()
    first.write_text(old + '{"id": "new", "text": "the dog"}\n')
    tally = run(nlp, source, out)
    assert tally.count.failed[0] == (0,) and (out / "0.jsonl").read_bytes() == before
    assert parts_folder(out).exists()  # until every file is finished


def test_other_settings_and_two_runs_at_once_are_refused(nlp, source, out, space, monkeypatch):
    assert stopped(nlp, source, out, monkeypatch, "replace", 6)
    other = make_pipeline(space=space, mechanism="exponential", epsilon=2.0)
    for pipeline, chosen in ((other, FEW), (nlp, FileOptions())):
        with pytest.raises(DxError, match="DX077"):
            run(pipeline, source, out, chosen)
    pytest.importorskip("fcntl", reason="Windows has no locks of this kind")
    with FinishedFiles(out, nlp, FEW), pytest.raises(DxError, match="another run"):
        run(nlp, source, out)


@pytest.mark.posix
def test_what_is_kept_for_the_next_run_is_for_its_owner_and_names_nobody(tmp_path, monkeypatch):
    (tmp_path / "c.cfg").write_text(PERSONS + "max_epsilon_per_person = 50\n")
    (tmp_path / "in").mkdir()
    row = json.dumps({"id": 1, "text": "Maria Lopez slept.", "who": "maria@example.org"})
    for name in "abc":
        (tmp_path / "in" / f"{name}.jsonl").write_text(row + "\n")
    nlp, out = make_pipeline(config=tmp_path / "c.cfg"), tmp_path / "out"
    chosen = FileOptions(keep_fields=("id",), person_field="who")
    with monkeypatch.context() as patch:
        real = FinishedFiles.write_part

        def dying(self, job, *rest):
            real(self, job, *rest)
            if job.target.name == "b.jsonl":
                raise Killed

        patch.setattr(FinishedFiles, "write_part", dying)
        with pytest.raises(Killed):
            run(nlp, tmp_path / "in", out, chosen)
    kept = parts_folder(out)
    assert kept.stat().st_mode & 0o077 == 0
    raw = b"".join(path.read_bytes() for path in kept.iterdir())
    assert b"maria" not in raw.lower() and b"Lopez" not in raw
    tally = run(nlp, tmp_path / "in", out, chosen)
    # Two records of a person are within the budget, and the third is not, over both runs.
    assert tally.count.failed == ((), (), (1,)) and tally.count.documents == 2
    assert tally.by_person["persons"] == 1


def test_a_person_has_one_hash_in_a_run_and_another_in_the_next(nlp, tmp_path):
    """Whoever knows a name cannot look for it in parts, as in a plain hash of it."""
    seen = list[str]()
    for out in (tmp_path / "one", tmp_path / "two"):
        with FinishedFiles(out, nlp, FEW) as parts:
            assert parts.hash_person("maria") == parts.hash_person("maria")
            seen += [parts.hash_person("maria"), parts.hash_person("mario")]
    assert len(set(seen)) == 4


@pytest.mark.posix
def test_links_and_forged_parts_are_refused(nlp, source, out, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    parts_folder(out).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DxError, match="symbolic link"):
        run(nlp, source, out)
    parts_folder(out).unlink()
    assert stopped(nlp, source, out, monkeypatch, "replace", 6)
    path = next(parts_folder(out).glob("*.part"))
    for forged in ({"hidden": "../in/0.jsonl"}, {"file": "../evil.jsonl"}):
        part = {**json.loads(path.read_bytes()), **forged}
        path.write_text(json.dumps(part))
        with pytest.raises(DxError, match="is damaged"):
            run(nlp, source, out)


def test_the_command_resumes(space, source, out, monkeypatch):
    settings = [*space_options(space), "-m", "exponential", "-e", "3.0", "--keep-fields", "id"]
    fresh = make_pipeline(space=space, mechanism="exponential", epsilon=3.0)
    assert stopped(fresh, source, out, monkeypatch, "replace", 6)
    before = outputs(out)
    done = ok(run_dx("sanitize", source, out, *settings))
    assert f"{FILES * RECORDS} documents" in done.stderr
    assert before and all(outputs(out)[name] == raw for name, raw in before.items())
    assert not parts_folder(out).exists()
