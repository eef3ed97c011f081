"""The statements on a run: one set for the terminal, the page of the receipt and the report."""

import json
import re
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ok, run_dx, space_options

from spacy_dxprivacy.io.statements import QUESTIONS, times
from spacy_dxprivacy.lab.report import read_receipt
from spacy_dxprivacy.lab.report.receipts import answers

GLOSSARY = Path(__file__).parents[2] / "docs" / "reference" / "glossary.md"
# Terms of the glossary that mean on the page what they mean to everybody.
EVERYDAY = {
    "document", "kind", "original", "person", "receipt", "record", "release", "row", "unknown word",
    "visible", "mark", "conversation",
}  # fmt: skip
NOTE = (
    "Dr. Maria Lopez saw John Smith, a 67-year-old teacher, on March 5, 2023. Ms. Lopez called "
    "617-555-0142 next week about record 4471234."
)
TABLE = 'surname,visit,note\nZorblatt,2024-03-05,"Ms Zorblatt sleeps well."\nReading,,It hurts.\n'


class Page(HTMLParser):
    """The questions of a page, each with its sentences; and the warnings."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.questions, self.warnings, self.inside = [], {}, [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "li":
            [*self.questions.values()][-1].append("")
        if tag == "code":
            return
        self.inside = "alarm" if dict(attrs).get("class") == "alarm" else tag

    def handle_endtag(self, tag):
        self.inside = "" if tag != "code" else self.inside

    def handle_data(self, data):
        if self.inside == "h2":
            self.questions[data] = []
        elif self.inside == "li":
            [*self.questions.values()][-1][-1] += data.strip("\n")
        elif self.inside == "alarm":
            self.warnings.append(data)

    @property
    def sentences(self):
        return [sentence for listed in self.questions.values() for sentence in listed]


@pytest.fixture
def release(tmp_path, space_path):
    """release(source, *options): the page and the JSON of a run, and what it printed."""
    where = space_options(space_path)

    def run(source, *options, text=NOTE, target="out.txt"):
        path = tmp_path / source
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        source = path.parent if path.parent != tmp_path else path
        page, full = tmp_path / "r.html", tmp_path / "r.json"
        given = ["--receipt", page, "--receipt", full, "--force", *where, *options]
        done = ok(run_dx("sanitize", source, tmp_path / target, *given))
        return Page(page.read_text(encoding="utf8")), full, done

    return run


FOLDER = {"source": "in/note.txt", "target": "out"}
CSV = {"source": "t.csv", "text": TABLE, "target": "out.csv"}
RUNS = {
    "entities": (["--entities", "person,date,phone,id"], {"source": "n.txt"}),
    "words": ([], {"source": "n.txt"}),
    "both": (["--surrogates", "clinical"], {"source": "n.txt"}),
    "table": (["--entities", "person,date", "--field", "surname,note"], CSV),
    "folder": (["--entities", "person"], FOLDER),
    "no guarantee": (["--mechanism", "identity"], {"source": "n.txt"}),
    "seeded": (["--components.dx_sanitizer.seed", "1"], {"source": "n.txt"}),
}


@pytest.fixture(params=RUNS)
def read(request, release, tmp_path):
    options, how = RUNS[request.param]
    if request.param == "folder":
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "scan.pdf").write_text("x")
    return release(how["source"], *options, **{k: v for k, v in how.items() if k != "source"})


def glossary():
    rows = re.findall(r"^\| ([a-zA-Z][^|]*?) \|", GLOSSARY.read_text(encoding="utf8"), re.M)
    terms = {term.strip() for row in rows for term in row.split(",")} - {"term"}
    return terms - EVERYDAY


def test_the_page_answers_five_questions_without_a_word_of_the_glossary(read):
    page, _, _ = read
    assert [*page.questions] == [*QUESTIONS] and all(page.questions.values())
    # Commands and names of keys are what the reader hands on to a technician.
    plain = re.sub(
        r"dx (evaluate|report --measure|audit release)|in_clear", "", " ".join(page.sentences)
    ).lower()
    terms = glossary()
    assert len(terms) > 30
    assert not [term for term in terms if re.search(rf"\b{re.escape(term)}s?\b", plain)]
    assert not re.search(
        r"approx|epsilon|\brho\b|delta|\bdx\.", plain.replace("dx.identity.v1", "")
    )


def test_no_sentence_and_no_kind_stands_twice_and_the_page_is_one_page(read):
    page, _, _ = read
    assert len(page.sentences) == len(set(page.sentences)) <= 32
    kinds = [line.partition(":")[0] for line in page.questions[QUESTIONS.replaced] if ":" in line]
    assert len(kinds) == len(set(kinds))
    words = " ".join(page.sentences).split()
    assert len(words) < 520  # of a page of A4 at 9 points
    for sentence in re.split(r"(?<=[.:;]) ", " ".join(page.sentences)):
        assert len(sentence.split()) <= 40, sentence


def test_the_report_uses_the_same_sentences(read):
    page, full, _ = read
    stated = answers(read_receipt(full)).statements
    as_text = [[line.replace("`", "") for line in answer.sentences] for answer in stated]
    assert as_text == [*page.questions.values()]


def test_the_page_loads_nothing_and_holds_no_text_and_no_name_of_a_file(read):
    page, _, done = read
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img", "link", "iframe", "a"})
    text = " ".join([*page.sentences, *page.warnings, done.stderr])
    assert not any(word in text for word in ("Lopez", "Zorblatt", "4471234", "n.txt", "note.txt"))


def test_a_run_is_stated_with_its_numbers(release):
    page, full, done = release("n.txt", "--entities", "person,date,phone,id")
    count = json.loads(full.read_text())["count"]
    replaced, stays, unchecked, linked, actions = map(" ".join, page.questions.values())
    assert "Times of day stay" in stays
    for label, noun in {"PERSON": "Names of persons", "DATE": "Dates and ages"}.items():
        mentions = count["mentions"][label]
        assert f"{noun}: {mentions['replaced']} of {mentions['found']}, by " in replaced
    assert replaced.count("drawn without looking at the original") == 3
    assert f"{count['kept']:,} of {count['tokens']:,} words and signs" in done.stderr
    assert "Not looked for: postal addresses" in unchecked and "telephone" not in unchecked
    assert "random numbers behind them are not kept" in linked
    assert "not anonymous" in actions


def test_who_holds_a_key_a_seed_or_a_table_is_named(release, tmp_path):
    page, full, _ = release("n.txt", "--entities", "person", "--key", tmp_path / "keys" / "a.key")
    labels = json.loads(full.read_text())["stages"][0]["labels"]
    linked = " ".join(page.questions[QUESTIONS.linked])
    assert f"Whoever has the key (its public number is {labels['PERSON']['key_id']})" in linked
    assert "which documents name the same person" in linked and "not kept" not in linked
    assert "Keep the key apart" in " ".join(page.questions[QUESTIONS.actions])
    secrets = ["--table", tmp_path / "keys" / "t.dxt", "--table-key", tmp_path / "keys" / "t.key"]
    if find_spec("cryptography") is not None:
        page, _, _ = release("n.txt", "--entities", "person", *secrets)
        stated = "Whoever has the table and its key can turn the replacements back."
        assert stated in page.questions[QUESTIONS.linked]
    page, _, _ = release("n.txt", "--components.dx_sanitizer.seed", "1")
    assert "Whoever has the seed can undo all of it." in page.questions[QUESTIONS.linked]
    assert page.questions[QUESTIONS.actions][0].startswith("Do not release this")
    assert page.warnings[0].startswith("NO PRIVACY")


def test_what_was_not_read_is_named_and_to_do(release, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "scan.pdf").write_text("x")
    page, _, done = release(FOLDER["source"], "--entities", "person", target="out")
    unchecked, actions = (page.questions[q] for q in (QUESTIONS.unchecked, QUESTIONS.actions))
    assert any(line.startswith("Not read: 1 .pdf file.") for line in unchecked)
    assert actions[0].startswith("Convert what was not read (1 .pdf file)")
    assert "1 .pdf file" in next(line for line in done.stderr.splitlines() if "Unchecked" in line)


def test_cells_that_stayed_and_records_that_failed_are_named_and_to_do(tmp_path, space_path):
    rows = [{"surname": "Zorblatt", "city": "Leeds", "note": "Ms Zorblatt slept."}, {"note": True}]
    (tmp_path / "t.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    page = tmp_path / "r.html"
    given = ["--entities", "person", "--field", "surname,city,note", "--receipt", page]
    done = run_dx("sanitize", tmp_path / "t.jsonl", tmp_path / "o.jsonl", *given)
    assert done.exit_code == 1
    read = Page(page.read_text(encoding="utf8"))
    assert "Column surname: 1 of 1 cell replaced." in read.questions[QUESTIONS.replaced]
    unchecked, actions = (read.questions[q] for q in (QUESTIONS.unchecked, QUESTIONS.actions))
    assert "Failed records: 1. The output has none of them." in unchecked
    assert actions[0].startswith("Look at the failed records (1)")
    assert any(line.startswith("Cells that stayed: city (1).") for line in unchecked)
    assert "Look at the cells that stayed." in actions


def test_a_receipt_has_one_of_two_endings(tmp_path):
    source = tmp_path / "n.txt"
    source.write_text(NOTE)
    done = run_dx("sanitize", source, tmp_path / "o.txt", "--receipt", tmp_path / "r.txt")
    assert done.exit_code == 2 and "a page to sign, .html" in done.stderr
    assert not (tmp_path / "o.txt").exists()


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (0.1429, "at most 1 time in 6"),
        (1 / 7, "at most 1 time in 7"),
        (0.999, "practically always"),
    ],
)
def test_odds_are_rounded_up(chance, words):
    assert times(chance) == words
