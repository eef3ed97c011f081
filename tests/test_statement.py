"""The page to sign: from receipts alone, in plain words first, and "not shown" for the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from conftest import EPSILON, UNKNOWN_SECRETS, leaks
from spacy.cli._util import app
from typer.testing import CliRunner

pytest.importorskip("jinja2", reason="needs the extra 'report'")


def dx(*args: Any) -> Any:
    return CliRunner().invoke(app, ["dx", *map(str, args)])


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory, space_path: str) -> Path:
    folder = tmp_path_factory.mktemp("released")
    (folder / "in.jsonl").write_text(json.dumps({"text": f"the dog {UNKNOWN_SECRETS[0]}"}))
    done = dx(
        "sanitize", folder / "in.jsonl", folder / "out.jsonl", "--receipt", folder / "r.json",
        "--space", space_path, "-m", "exponential", "-e", EPSILON,
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    return folder


def test_a_statement_is_of_the_receipt_and_holds_no_text(released: Path, tmp_path: Path) -> None:
    done = dx(
        "report", released / "in.jsonl", released / "out.jsonl", "--receipt", released / "r.json",
        "--statement", "-o", tmp_path / "s.md",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "s.md").read_text()
    titles = [line for line in text.splitlines() if line.startswith("#")]
    assert titles[0] == "# Statement on a sanitised release" and titles[-1] == "## Signed"
    assert text.index("What was released") < text.index("epsilon =")  # plain words come first
    assert "dx.Exponential.v1" in text and f"epsilon = {EPSILON:.4g}" in text
    assert "each of 2 places (of 3 tokens) in 1 document(s)" in text
    assert text.count("| not shown |") == 12 and not leaks(text, UNKNOWN_SECRETS)
    assert len(text) < 9000  # a page or two


def test_without_a_receipt_nothing_is_shown(released: Path, tmp_path: Path) -> None:
    page = tmp_path / "s.md"
    dx("report", released / "in.jsonl", released / "out.jsonl", "--statement", "-o", page)
    assert "cannot say that anything was protected" in page.read_text()


def test_a_default_run_tells_what_was_found_elsewhere_as_such(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer")
    spacy.tokens.DocBin(docs=[nlp("a doctor")], store_user_data=True).to_disk(tmp_path / "a.spacy")
    assert dx("report", tmp_path / "a.spacy", tmp_path / "a.spacy", "--statement", "-o",
              tmp_path / "s.md").exit_code == 0  # fmt: skip
    text = (tmp_path / "s.md").read_text()
    assert "On other texts (docs/attacks.md)" in text and "rare ones" in text
