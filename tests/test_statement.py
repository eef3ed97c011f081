"""The page to sign: plain words first, and one line for what was not measured."""

import json

import pytest
import spacy
from conftest import EPSILON, UNKNOWN_SECRETS, leaks
from spacy.cli._util import app
from typer.testing import CliRunner

pytest.importorskip("jinja2", reason="needs the extra 'report'")


def dx(*args):
    return CliRunner().invoke(app, ["dx", *map(str, args)])


def statement(released, page, *options):
    given = ["--receipt", released / "r.json", "--statement", "-o", page]
    return dx("report", released / "in.jsonl", released / "out.jsonl", *given, *options)


@pytest.fixture(scope="module")
def released(tmp_path_factory, space_path):
    folder = tmp_path_factory.mktemp("released")
    (folder / "in.jsonl").write_text(json.dumps({"text": f"the dog {UNKNOWN_SECRETS[0]}"}))
    options = ["--space", space_path, "-m", "exponential", "-e", EPSILON]
    files = [folder / "in.jsonl", folder / "out.jsonl", "--receipt", folder / "r.json"]
    done = dx("sanitize", *files, *options)
    assert done.exit_code == 0, done.stderr
    return folder


def test_a_statement_is_of_the_receipt_and_holds_no_text(released, tmp_path):
    done = statement(released, tmp_path / "s.md")
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "s.md").read_text()
    titles = [line for line in text.splitlines() if line.startswith("#")]
    assert titles[0] == "# Statement on a sanitised release" and titles[-1] == "## Signed"
    assert text.index("What was released") < text.index("epsilon =")  # plain words come first
    assert "dx.Exponential.v1" in text and f"epsilon = {EPSILON:.4g}" in text
    assert "2 words of 1 document(s) (3 tokens)" in text
    assert text.count("Not measured") == 1 and "not shown" not in text
    assert not leaks(text, UNKNOWN_SECRETS) and len(text) < 4000  # a page


def test_without_a_receipt_nothing_is_shown(released, tmp_path):
    page = tmp_path / "s.md"
    dx("report", released / "in.jsonl", released / "out.jsonl", "--statement", "-o", page)
    assert "cannot say that anything was protected" in page.read_text()


@pytest.mark.slow
def test_a_default_run_tells_what_was_found_elsewhere_as_such(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer")
    spacy.tokens.DocBin(docs=[nlp("a doctor")], store_user_data=True).to_disk(tmp_path / "a.spacy")
    assert dx("report", tmp_path / "a.spacy", tmp_path / "a.spacy", "--statement", "-o",
              tmp_path / "s.md").exit_code == 0  # fmt: skip
    text = (tmp_path / "s.md").read_text()
    assert "On other texts (clinical notes)" in text and "rare words" in text
