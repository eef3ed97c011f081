"""The table of scripts/mutants.py fits the code: each text once, with a change that compiles."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
if not (ROOT / "scripts").is_dir():
    pytest.skip("the scripts are not here", allow_module_level=True)
sys.path.insert(0, str(ROOT / "scripts"))

import mutants  # noqa: E402
from mutants import MOST, MUTANTS, OTHERS, Mutant, by_turn, chosen, joined, mutated  # noqa: E402


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_the_code_and_names_its_tests(mutant):
    compile(mutated(mutant, ROOT), mutant.file, "exec")
    files = [part for part in shlex.split(mutant.tests) if part.endswith(".py")]
    assert files and all((ROOT / file).is_file() for file in files)


def test_there_are_many_of_different_names():
    assert len(chosen([])) >= 40


def test_the_page_has_each_of_them():
    page = (ROOT / "docs/reference/mutants.md").read_text(encoding="utf8")
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert listed == [mutant.name for mutant in MUTANTS]


class Repository:
    """A repository in a folder, with a table of mutants."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.monkeypatch = folder, monkeypatch
        (folder / "scripts").mkdir()
        monkeypatch.setattr(mutants, "ROOT", folder)
        monkeypatch.setattr(mutants, "TABLE", folder / "scripts" / "mutants.json")
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments):
        who = ("-c", "user.name=N", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        command = ["git", *who, *arguments]
        done = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, file, text):
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def tabulate(self, *rows):
        self.monkeypatch.setattr(mutants, "MUTANTS", list(rows))
        self.write("scripts/mutants.json", json.dumps([row._asdict() for row in rows]))

    def commit(self, message="A change"):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    if shutil.which("git") is None:
        pytest.skip("no git")
    return Repository(tmp_path, monkeypatch)


def row(name, file, test):
    return Mutant(name, "What it breaks", file, "1", "2", f"tests/{test} -k word")


def test_what_changed_is_the_row_the_file_or_a_test_and_no_file_that_only_moved(repository):
    rows = [row(name, f"{name}.py", f"test_{name}.py") for name in ("a", "b", "c", "d")]
    for one in rows:
        repository.write(f"spacy_dxprivacy/{one.file}", f"{one.name} = 1\n" * 20)
        repository.write(one.tests.split()[0], f"assert {one.name}\n" * 20)
    repository.tabulate(*rows)
    before = repository.commit()
    assert mutants.changed_mutants(before) == {}
    repository.write("spacy_dxprivacy/a.py", "a = 1\n" * 21)
    repository.write("tests/test_b.py", "assert b\n" * 21)
    (repository.folder / "spacy_dxprivacy" / "room").mkdir()
    repository.git("mv", "spacy_dxprivacy/c.py", "spacy_dxprivacy/room/c.py")
    repository.tabulate(*rows[:2], row("c", "room/c.py", "test_c.py"), rows[3]._replace(new="3"))
    repository.commit()
    reasons = {"a": "spacy_dxprivacy/a.py", "b": "tests/test_b.py", "d": "its row"}
    assert mutants.changed_mutants(before) == reasons
    with pytest.raises(mutants.TableError, match="no commit"):
        mutants.changed_mutants("none-of-that-name")


def test_changes_count_since_the_last_merge(repository, monkeypatch):
    monkeypatch.setattr(mutants, "BACK", 3)
    repository.tabulate(row("a", "a.py", "test_a.py"))
    first = repository.commit()
    assert mutants.changed_mutants(mutants.last_merge()) == {"a": "its row"}
    commits = [first, *(repository.commit() for _ in range(4))]
    assert mutants.last_merge() == commits[-1 - 3]
    repository.git("checkout", "-q", "-b", "branch", commits[1])
    repository.commit("Another change")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "branch")
    merge = repository.git("rev-parse", "HEAD")
    assert repository.git("rev-parse", mutants.last_merge()) == commits[-1]  # all that it brought
    repository.commit()
    assert mutants.last_merge() == merge
    repository.git("update-ref", "refs/remotes/origin/main", commits[2])
    assert mutants.last_merge() == commits[2]
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert mutants.last_merge() == merge


def test_one_commit_always_has_the_same_and_all_have_their_turn():
    seen = [by_turn(f"commit {number}", {}) for number in range(100)]
    assert {len(names) for names in seen} == {OTHERS}
    assert {name for names in seen for name in names} == set(MUTANTS)
    assert by_turn("commit 1", {}) == seen[1]
    changed = {mutant.name: "its row" for mutant in MUTANTS}
    three = dict(list(changed.items())[:3])
    assert set(MUTANTS[:3]) < set(by_turn("a commit", three))
    assert len(by_turn("a commit", three)) == 3 + OTHERS
    assert len(by_turn("a commit", changed)) == MOST


def test_tests_without_a_change_are_one_run_for_each_file():
    tests = ["a.py -k 'x or y'", "a.py -k z", "b.py -k x", "b.py", "a.py -k z"]
    assert joined(tests) == [["a.py", "-k", "(x or y) or (z)"], ["b.py"]]
