"""The commands of the pages about them run as they stand, one after another."""

import re
import shlex
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spacy_dxprivacy.batch.build import make_pipeline
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.config import FileConfig, RunConfig

ROOT = Path(__file__).parent.parent
PAGES = {"csv.md": 9, "commands.md": 9, "dataset.md": 5, "prompts.md": 5}  # commands, at least
# Files that commands write, and say nothing on stdout.
MADE = r"(\w+/)?(clean|few|notes|told|visits|out|my|hidden|tickets|prompt|receipt|t|sign)"
pytestmark = pytest.mark.skipif(
    not (ROOT / "docs").exists(), reason="the docs are not beside the tests"
)


def commands(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf8")
    for block in re.findall(r"```bash\n(.*?)```", text, re.S):
        yield from block.strip().splitlines()


def run(line, folder):
    """A command of a page, or a pipe of cat, echo, dx and head. What went to stdout."""
    line, _, out = re.sub(r"\s+#.*", "", line).partition(" > ")
    raw = b""
    for part in line.split(" | "):
        name, *args = shlex.split(part)
        if name == "cat":
            raw = (folder / args[0]).read_bytes()
        elif name == "echo":
            raw = args[0].encode() + b"\n"
        elif name == "head":
            raw = b"".join(raw.splitlines(keepends=True)[: int(args[1])])
        else:
            assert name == "dx", line
            done = CliRunner().invoke(dx_cli, args, input=raw)
            assert done.exit_code == 0, f"{line}\n{done.stderr}"
            raw = done.stdout_bytes
    if out:
        (folder / out.strip()).write_bytes(raw)
    return raw


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_the_page_run(page, tmp_path, monkeypatch):
    for extra in ("openpyxl", "cryptography", "sacrebleu"):
        pytest.importorskip(extra)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    made = {}

    def one_of_each(chosen):
        key = replace(chosen, files=FileConfig(), run=RunConfig())
        made[key] = made[key] if key in made else make_pipeline(chosen)
        return made[key]

    monkeypatch.setattr(
        import_module("spacy_dxprivacy.cli.sanitizing"), "make_pipeline", one_of_each
    )
    outputs = {line: run(line, tmp_path) for line in commands(page)}
    assert len(outputs) >= PAGES[page]
    for line, raw in outputs.items():
        assert raw or re.search(rf" {MADE}\.| > ", line), line
    if page == "csv.md":
        rows = (tmp_path / "clean.csv").read_text().splitlines()
        assert rows[0] == "id,date,note,temperature" and rows[1].startswith("0417,2024-03-05,")
        assert (tmp_path / "few.csv").read_text().startswith("id,note,temperature\n0417,")
        assert (tmp_path / "again.tsv").read_text().splitlines()[0] == "note"
