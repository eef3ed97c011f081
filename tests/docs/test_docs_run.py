"""The commands and Python of the docs run as they stand, page by page, in a folder of their own.

A block of `console` holds commands, after "$ " where it holds output as well. A block of `python`
is run with what the blocks before it on the page defined. A comment before a block says:

    <!-- needs: ray -->          a package, a program or a file; without it the block is skipped,
                                 and the options of its commands are looked up
    <!-- exit: 1 -->             the exit status that the last command of the block ends with
    <!-- varies: numbers -->     of a block of text that shows what the block before it prints: what
                                 differs in each run, numbers or words. A line of … leaves lines out

A block that needs `cluster`, `network` or `minutes` never runs here: nothing has that name.
`pip install` is not run: its extras have to exist. `dx serve` runs in the background, on a free
port, until the page ends.
"""

import configparser
import importlib.util
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import types
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from ports import free_port, wait_for
from typer.testing import CliRunner

from spacy_dxprivacy.cli import dx_cli, split_overrides

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
# A fenced block, or an indented one that begins with a command; the comments before it.
COMMENT = r"(?:<!-- (?:needs|exit): [^>]*-->\n+)*"
FENCED = re.compile(rf"^({COMMENT})```(console|python|text)\n(.*?)^```$", re.M | re.S)
INDENTED = re.compile(
    rf"(?<=\n\n)({COMMENT})((?:    )(?:dx|python|pip|spacy) .*\n(?:    .*\n|\n(?=    ))*)"
)
SHELL = re.compile(r"[|<>&;`]|\$\(")  # what dx in this process does not know
pytestmark = [
    pytest.mark.posix,
    pytest.mark.slow,
    pytest.mark.skipif(not DOCS.exists(), reason="the docs are not beside the tests"),
]


@dataclass
class Block:
    """shown: the lines that the page shows as its output. varies: what of them differs in each run:
    "", "numbers", or "words"."""

    kind: str
    text: str
    needs: tuple[str, ...]
    status: int
    line: int
    shown: tuple[str, ...] = ()
    varies: str = ""

    @property
    def commands(self):
        text = self.text.replace("\\\n", " ")
        shown = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
        lines = shown or [line for line in text.splitlines() if line.strip()]
        return [line for line in lines if not line.startswith("#")]


def blocks(text):
    found, made = [], []
    for one in FENCED.finditer(text):
        found.append((one.start(), one[1], one[2], one[3], one.end()))
    fence = re.compile(r"^```.*?^```$", re.M | re.S)
    unfenced = fence.sub(lambda one: re.sub(r"[^\n]", " ", one[0]), text)
    for one in INDENTED.finditer(unfenced):
        found.append((one.start(), one[1], "console", re.sub(r"^    ", "", one[2], flags=re.M), 0))
    block, ended = None, 0
    for start, comments, kind, code, end in sorted(found):
        if kind == "text":
            if block is not None and not text[ended:start].strip():  # it is its output
                block.shown = tuple(line for line in code.splitlines() if line.strip())
                block.varies = (re.findall(r"varies: (\w+)", comments) or [""])[0]
            continue
        ended = end
        needs = re.findall(r"needs: (.*?) -->", comments)
        names = tuple(name for one in needs for name in re.split(r",\s*", one))
        status = int((re.findall(r"exit: (\d+)", comments) or ["0"])[0])
        block = Block(kind, code, names, status, text.count("\n", 0, start) + 1)
        made.append(block)
    return made


# What a reader may see elsewhere: numbers that depend on draws, and drawn words.
MASKS = {
    "": [],
    "numbers": [(r"\d[\d.,]*", "0"), (r"[ ]{2,}", " ")],
    "words": [(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d[\d.,]*", "w"), (r"w(?:[\s,;:|]+w)*", "w")],
}


def seen(line, varies):
    for pattern, mark in MASKS[varies]:
        line = re.sub(pattern, mark, line)
    return " ".join(line.split())


def assert_shown(block, printed):
    """What the page shows is printed, in this order. A line with … alone leaves lines out."""
    lines = iter([seen(line, block.varies) for line in printed.splitlines()])
    for line in block.shown:
        if line.strip() != "…":
            assert seen(line, block.varies) in lines, (block.line, line, printed[-3000:])


def there(name):
    """Whether a package, a program or a file of that name is here."""
    plain = re.fullmatch(r"\w+", name) is not None
    package = plain and importlib.util.find_spec(name)
    return bool(package or shutil.which(name) or Path(name).exists())


class Reader:
    """Somebody who types what a page shows."""

    def __init__(self, folder):
        self.names = {"__name__": "__main__"}
        self.services = []
        self.port = None
        programs = folder / ".bin"
        programs.mkdir()
        for name, module in (("dx", "-m spacy dx"), ("spacy", "-m spacy"), ("python", "")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
            (programs / name).chmod(0o755)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(folder)}

    def run(self, block, name):
        printed = io.StringIO()
        with redirect_stdout(printed):
            if block.kind == "python":
                code = self.localised(block.text)
                exec(compile("\n" * block.line + code, name, "exec"), self.names)  # noqa: S102
            else:
                *first, last = block.commands
                for line in first:
                    assert self.type(line) == 0, (line, printed.getvalue()[-3000:])
                status = self.type(last)
                assert status == block.status, (last, status, printed.getvalue()[-3000:])
        sys.stdout.write(printed.getvalue())
        assert_shown(block, printed.getvalue())

    def look_up(self, block):
        for line in block.commands if block.kind == "console" else ():
            words = shlex.split(line, comments=True)
            if "dx" not in words[:4]:
                continue
            name, *given = words[words.index("dx") + 1 :]
            done = CliRunner().invoke(dx_cli, [name, "--help"], env={"COLUMNS": "200"})
            options = [word for word in split_overrides(given)[0] if word.startswith("--")]
            plain = re.sub(r"\x1b\[[0-9;]*m", "", done.output)
            assert done.exit_code == 0 and [one for one in options if one not in plain] == [], line

    def type(self, line):
        words = shlex.split(line, comments=True)
        plain = words[3:] if words[:4] == ["python", "-m", "spacy", "dx"] else words
        if plain[0] == "pip":
            return self.install(plain)
        if plain[:2] == ["dx", "serve"] and "--new-token" not in plain:
            return self.serve(plain)
        if plain[0] == "dx" and not SHELL.search(line):
            done = CliRunner().invoke(dx_cli, plain[1:])
            sys.stdout.write(f"{done.output[-3000:]} {done.exception or ''}\n")
            return done.exit_code
        command = ["bash", "-c", self.localised(line)]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True)
        sys.stdout.write(f"{done.stdout[-1000:]}\n{done.stderr[-3000:]}\n")
        return done.returncode

    def install(self, words):
        setup = configparser.ConfigParser()
        setup.read(ROOT / "setup.cfg")
        ours = [word for word in words if word.startswith((".", "spacy-dxprivacy"))]
        groups = [one for word in ours for one in re.findall(r"\[([\w,]+)\]", word)]
        named = {one for group in groups for one in group.split(",")}
        return int(not named <= set(setup["options.extras_require"]))

    def serve(self, words):
        port = free_port()
        if "--port" in words:
            at = words.index("--port")
            del words[at : at + 2]
        words = [word for word in words[1:] if word != "&"]
        command = [sys.executable, "-m", "spacy", "dx", *words, "--port", str(port)]
        service = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=self.env)
        self.services.append(service)
        service.stderr.readline()
        wait_for(port)
        self.port = port
        return 0

    def localised(self, text):
        return text if self.port is None else text.replace(":8000", f":{self.port}")

    def leave(self):
        for service in self.services:
            service.send_signal(signal.SIGTERM)
            service.communicate(timeout=60)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_shows_runs(page, tmp_path, monkeypatch):
    for name in ("examples", "configs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "train_prior.py", tmp_path / "scripts")
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    main = types.ModuleType("__main__")
    main.__dict__.update(reader.names)
    reader.names = main.__dict__
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(sys, "argv", ["page"])
    try:
        for block in blocks(page.read_text(encoding="utf8")):
            if not all(there(name) for name in block.needs):
                reader.look_up(block)
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    reader.run(block, f"{page.name}:{block.line}")
    finally:
        reader.leave()
