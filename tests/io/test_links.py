"""A run writes below its output folder and nowhere else, and what it keeps is for its owner."""

import json
import os

import pytest
import srsly

from spacy_dxprivacy import DxError
from spacy_dxprivacy.errors import UsageError
from spacy_dxprivacy.files.atomic import Output
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.io.jobs import plan_jobs
from spacy_dxprivacy.io.resuming import parts_folder
from spacy_dxprivacy.io.run import sanitize

pytestmark = pytest.mark.posix


@pytest.fixture(scope="module")
def nlp(few_words_path):
    return make_pipeline(space=few_words_path, mechanism="exponential", epsilon=3.0)


@pytest.fixture
def source(tmp_path):
    for name in ("a.txt", "sub/b.txt", "sub/deep/er/c.txt", "other/d.jsonl"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        row = '{"text": "the old cat"}\n' if name.endswith("jsonl") else "the old cat\n"
        path.write_text(row)
    return tmp_path / "in"


LINKS = {  # the place of a link in the output folder, and what it leads to
    "a folder": ("sub", "elsewhere"),
    "a folder below a folder": ("sub/deep", "elsewhere"),
    "the last folder": ("sub/deep/er", "elsewhere"),
    "a relative link": ("sub", "../elsewhere"),
    "a folder that is missing": ("sub", "nowhere"),
    "a folder of the output": ("sub", "real"),
    "a file": ("a.txt", "elsewhere/a.txt"),
    "a file below": ("sub/b.txt", "elsewhere/b.txt"),
    "a file that is missing": ("sub/deep/er/c.txt", "elsewhere/none.txt"),
}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("link", LINKS)
def test_no_link_in_the_output_folder_is_written_through(nlp, source, tmp_path, link, force):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (elsewhere / name).write_text("kept")
    (out / "real").mkdir(parents=True)
    place, target = LINKS[link]
    (out / place).parent.mkdir(parents=True, exist_ok=True)
    given = {"real": out / "real"}.get(target, tmp_path / target)
    (out / place).symlink_to(target if target.startswith("..") else given)
    with pytest.raises(UsageError, match="symbolic link"):
        sanitize(nlp, plan_jobs(str(source), str(out), force=force), folder=out, force=force)
    assert {path.name for path in elsewhere.rglob("*")} == {"a.txt", "b.txt", "c.txt"}
    assert {path.read_text() for path in elsewhere.iterdir()} == {"kept"}
    assert not list((out / "real").iterdir()) and not (tmp_path / "nowhere").exists()


def test_a_link_that_is_set_after_the_plan_is_not_written_through(nlp, source, tmp_path):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    jobs = plan_jobs(str(source), str(out))
    out.mkdir()
    (out / "sub").symlink_to(elsewhere)
    tally = sanitize(nlp, jobs, folder=out)
    assert tally.count.failed.count((0,)) == 2  # those below the link, each as a file
    assert not list(elsewhere.iterdir()) and (out / "a.txt").exists()


def test_a_folder_that_becomes_a_link_while_it_is_written_to_stays_the_folder(tmp_path):
    root, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()

    def swap(*_):
        (root / "sub").rename(root / "moved")
        (root / "sub").symlink_to(elsewhere)

    with pytest.raises(UsageError, match="symbolic link"):
        with Output(root / "sub" / "a.txt", root=root) as output:
            output.handle.write(b"text")
            swap()
    assert not list(elsewhere.iterdir()) and not list((root / "moved").iterdir())
    (root / "sub").unlink()
    (root / "moved").rmdir()
    with Output(root / "sub" / "a.txt", root=root) as output:
        output.handle.write(b"text")
        output.on_complete = swap  # the last moment
    assert not list(elsewhere.iterdir())
    assert (root / "moved" / "a.txt").read_bytes() == b"text"


def test_the_folder_that_is_named_may_be_a_link_and_files_in_it_replace_files(
    nlp, source, tmp_path
):
    (tmp_path / "real").mkdir()
    out = tmp_path / "out"
    out.symlink_to(tmp_path / "real")
    sanitize(nlp, plan_jobs(str(source), str(out)), folder=out)
    first = (tmp_path / "real" / "sub" / "b.txt").read_bytes()
    sanitize(nlp, plan_jobs(str(source), str(out), force=True), folder=out, force=True)
    assert first and (tmp_path / "real" / "sub" / "deep" / "er" / "c.txt").exists()


# -- what is kept for the next run -----------------------------------------------------------------


class Killed(BaseException):
    """A process that stops dead."""


def kill(nlp, jobs, out, monkeypatch):
    """Stop a run after its first file."""
    with monkeypatch.context() as patch:
        patch.setattr("spacy_dxprivacy.io.resuming.shutil.rmtree", lambda *_, **__: None)

        def dying(job, number, why):
            raise Killed

        broken = jobs[-1].source
        broken.write_text("{\n")
        with pytest.raises(Killed):
            sanitize(nlp, jobs, folder=out, on_failure=dying)
        broken.write_text('{"text": "the old cat"}\n')


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o711, 0o705, 0o700, 0o500 | 0o200])
def test_parts_are_for_their_owner_whatever_the_folder_was(
    nlp, source, tmp_path, monkeypatch, mode
):
    out = tmp_path / "out"
    parts = parts_folder(out)
    parts.mkdir()
    parts.chmod(mode)
    before = os.umask(0)
    try:
        jobs = sorted(plan_jobs(str(source), str(out)), key=lambda job: job.read_as, reverse=True)
        kill(nlp, jobs, out, monkeypatch)
    finally:
        os.umask(before)
    assert parts.stat().st_mode & 0o777 == 0o700
    kept = [path for path in parts.iterdir() if path.name != "lock"]
    assert "run.json" in {path.name for path in kept} and len(kept) > 1
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in parts.iterdir())


@pytest.mark.parametrize(
    ("name", "mode"),
    [("run.json", 0o644), ("run.json", 0o660), ("part", 0o644), ("part", 0o602), ("", 0o777)],
)
def test_parts_that_others_could_read_or_write_are_refused(
    nlp, source, tmp_path, monkeypatch, name, mode
):
    out = tmp_path / "out"
    jobs = sorted(plan_jobs(str(source), str(out)), key=lambda job: job.read_as, reverse=True)
    kill(nlp, jobs, out, monkeypatch)
    parts = parts_folder(out)
    path = next(parts.glob("*.part")) if name == "part" else parts / name
    path.chmod(mode)
    with pytest.raises(DxError, match="other users"):
        sanitize(nlp, plan_jobs(str(source), str(out), force=True), folder=out)


@pytest.mark.parametrize("name", ["run.json", "lock"])
def test_a_link_among_the_parts_is_refused(nlp, source, tmp_path, name):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere.json"
    parts = parts_folder(out)
    parts.mkdir(mode=0o700)
    if name == "run.json":
        elsewhere.write_text(json.dumps({"settings": "", "key": "00"}))
    (parts / name).symlink_to(elsewhere)
    with pytest.raises(DxError, match="DX078"):
        sanitize(nlp, plan_jobs(str(source), str(out)), folder=out)
    assert name == "run.json" or not elsewhere.exists()


def test_outputs_keep_the_mode_that_the_umask_sets(nlp, tmp_path):
    srsly.write_jsonl(tmp_path / "a.jsonl", [{"text": "the old cat"}])
    before = os.umask(0o027)
    try:
        sanitize(nlp, plan_jobs(str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")))
    finally:
        os.umask(before)
    assert (tmp_path / "b.jsonl").stat().st_mode & 0o777 == 0o640
