"""The page to sign: from receipts alone, in plain words first, and "not shown" for the rest."""

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
    assert "each of 2 places (of 3 tokens) in 1 document(s)" in text
    assert text.count("| not shown |") == 11 and not leaks(text, UNKNOWN_SECRETS)
    assert len(text) < 9000  # a page or two


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


# -- what was measured -----------------------------------------------------------------------------

SHEET = (
    "attack,mechanism,epsilon,unchanged,attacker,setting,measure,value,low,high,baseline,bound,n\n"
    "guess,dx.Exponential.v1,{epsilon:.4g},.4,Bayes,,words found,.41,.38,.44,.02,nan,2000\n"
    "guess,dx.Exponential.v1,{epsilon:.4g},.4,nearest,,words found,.30,.28,.33,.02,nan,2000\n"
    "link,dx.Exponential.v1,99,.4,Bayes,,linked,.97,.9,1,.02,nan,60\n"
)


def test_a_statement_shows_what_was_measured_at_its_setting(released, tmp_path):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "guess.csv").write_text(SHEET.format(epsilon=EPSILON))
    (tmp_path / "audit.json").write_text('{"verdict": "nothing undeclared was found", "found": []}')
    told = {"verdict": "not refuted", "mechanism": "dx.Exponential.v1", "guarantee": {"epsilon": 2}}
    (tmp_path / "mechanism.json").write_text(json.dumps(told))
    options = ["--attack", tmp_path / "found", "--audit", tmp_path / "audit.json"]
    options += ["--audit", tmp_path / "mechanism.json"]
    done = statement(released, tmp_path / "s.md", *options)
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "s.md").read_text()
    assert "41.0% (words found, Bayes; 38.0% to 44.0%, of 2,000)" in text
    assert "97.0%" not in text  # at another epsilon: of this release, nothing is shown
    assert "nothing undeclared was found" in text and "not refuted, at epsilon 2" in text
    assert text.count("| not shown |") == 8


@pytest.mark.parametrize(
    "content", ["", "attack,mechanism\nguess,dx.Path.v2\n", "\x00\xff", '{"verdict": 3}', "[]", "{"]
)
def test_files_that_are_no_results_end_with_a_line(released, tmp_path, content):
    (tmp_path / "x").write_text(content, encoding="latin1")
    for option in ("--attack", "--audit") if content.startswith("attack") else ("--audit",):
        done = statement(released, tmp_path / "s.md", option, tmp_path / "x")
        assert done.exit_code == 2 and "is not what" in done.stderr
    assert statement(released, tmp_path / "s.md", "--audit", tmp_path / "none").exit_code == 2
    assert not (tmp_path / "s.md").exists()
