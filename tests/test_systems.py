"""Where the suite runs: tests that need a POSIX system are marked, and Windows skips them."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# What Windows lacks: modes of files, links without a privilege, signals of groups, pipes by name.
POSIX = re.compile(
    r"\bst_mode\b|\bchmod\(|symlink_to\(|\bmkfifo\b|killpg|SIGKILL|SIGTERM|setrlimit|preexec_fn"
    r"|\"bash\", |\bstarted\("
)
MARK = "pytest.mark.posix"
FILES = sorted(path for path in TESTS.rglob("test_*.py") if path != Path(__file__))


def is_marked(text, node, lines):
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return MARK in "\n".join(lines[first - 1 : node.body[0].lineno])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(TESTS).as_posix())
def test_a_test_that_needs_posix_is_marked(path):
    text = path.read_text(encoding="utf8")
    module, lines = ast.parse(text), text.splitlines()
    if MARK in text.partition("\npytestmark = ")[2].partition("\n\n")[0]:
        return
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            source = ast.get_source_segment(text, node) or ""
            needs = POSIX.search(source)
            assert not needs or is_marked(text, node, lines), (node.name, needs[0])


def test_files_of_tests_have_different_names():
    """pytest imports them by name, without a folder that is no package."""
    names = [path.name for path in FILES if not (path.parent / "__init__.py").exists()]
    assert len(names) == len(set(names))
