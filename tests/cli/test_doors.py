"""The command line is a door: rooms know nothing of it, and speak to Python as well as to it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest
from typer import Typer

import spacy_dxprivacy
from spacy_dxprivacy import UsageError, cli
from spacy_dxprivacy.cli import COMMANDS
from spacy_dxprivacy.cli.terminal import with_options
from spacy_dxprivacy.config import FileOptions, process_count
from spacy_dxprivacy.errors import Errors, Warnings
from spacy_dxprivacy.lab.mechanisms import parse_epsilons

PACKAGE = Path(spacy_dxprivacy.__file__).parent
DOORS = (PACKAGE / "cli", PACKAGE / "lab" / "commands")
ROOMS = [path for path in PACKAGE.rglob("*.py") if path.parent not in DOORS]
WORKER = """
import sys, spacy
before = set(sys.modules)
from spacy_dxprivacy.io import results
from spacy_dxprivacy.integrations import table
print(*(set(sys.modules) - before))
"""


@pytest.mark.slow
def test_a_worker_loads_what_it_works_with_and_no_more():
    command = [sys.executable, "-W", "ignore", "-c", WORKER]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    loaded = done.stdout.split()
    rooms = {name.split(".")[1] for name in loaded if name.startswith("spacy_dxprivacy.")}
    assert "integrations" in rooms and not rooms & {"cli", "lab"}
    heavy = {"faiss", "scipy", "pandas", "pyarrow", "ray", "pyspark", "matplotlib"}
    assert not heavy & {name.split(".")[0] for name in loaded}


@pytest.mark.parametrize(
    "raising, python, command",
    [
        (lambda: process_count(0), "`n_process` must be 1 or more", "--n-process must be"),
        (
            lambda: FileOptions(field=("a",), keep_fields=("a",)),
            "`keep_fields` cannot keep 'a'",
            "--keep-fields cannot keep 'a'",
        ),
        (lambda: parse_epsilons("x"), "`epsilon` must be LOW:HIGH", "--epsilon must be LOW:HIGH"),
    ],
)
def test_a_mistake_names_the_argument_and_the_option(raising, python, command):
    with pytest.raises(UsageError) as caught:
        raising()
    assert str(caught.value).startswith(python)
    assert with_options(str(caught.value)).startswith(command)


@cache
def messages():
    return tuple(texts_of_errors())


def texts_of_errors():
    for table in (Errors, Warnings):
        yield from vars(table).values()
    for path in ROOMS:
        tree = ast.parse(path.read_text(encoding="utf8"))
        for top in [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]:
            nodes = (n for n in ast.walk(top) if isinstance(n, ast.Constant))
            yield from (n.value for n in nodes if isinstance(n.value, str) and "\n" not in n.value)


def parameters_of_commands():
    commands = []
    for module, name in COMMANDS.values():
        found = getattr(import_module(module, cli.__name__), name)
        is_app = isinstance(found, Typer)
        commands += [c.callback for c in found.registered_commands] if is_app else [found]
    for command in filter(None, commands):
        for name, hint in get_type_hints(command, include_extras=True).items():
            for parameter in getattr(hint, "__metadata__", ()):
                yield name, parameter


def options_of_commands():
    for name, option in parameters_of_commands():
        # typer keeps the first name of an option where its default would be.
        yield from (f"--{name}", str(option.default), *(option.param_decls or ()))


def test_messages_name_arguments_that_are_options_too():
    named = {name for text in messages() for name in re.findall(r"`(\w+)`", text)}
    assert {"force", "n_process"} <= named
    known = {*options_of_commands()}
    unknown = {name for name in named if with_options(f"`{name}`") not in known}
    assert not unknown


def test_messages_name_no_option_of_the_command_line():
    quoted = re.compile(r"`dx [^`]*`|python -m spacy .*")
    assert not [text for text in messages() if re.search("--[a-z]", quoted.sub("", text))]
