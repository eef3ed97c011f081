"""`dx report`: the page tells what was done, and cannot be broken by a text."""

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import spacy
import srsly
from conftest import FEW_WORDS, few_words_space, ok, run_dx, space_options, without_progress
from spacy.tokens import DocBin

from spacy_dxprivacy import Guarantee, registry
from spacy_dxprivacy.io.statements import QUESTIONS
from spacy_dxprivacy.lab.corpus import tokenizer
from spacy_dxprivacy.lab.report import (
    Measured,
    Release,
    Request,
    make_pair,
)
from spacy_dxprivacy.lab.report.page import worst_first
from spacy_dxprivacy.lab.report.receipts import CLAIMED, CLAIMED_BY, Releases, answers
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.pipeline.count import Count, Persons
from spacy_dxprivacy.pipeline.receipt import ReceiptTerms
from spacy_dxprivacy.privacy.loss import Loss

MISTAKES = srsly.read_yaml(Path(__file__).with_name("mistakes.yaml"))

TEXTS = [
    "The small cat sleeps near Zorblatt.",
    "<script>alert(1)</script> & <b>the dog</b> runs in the garden",
    "</td></table>{{ 7 * 7 }}{% raw %} The old dog sleeps\nin the house, day and night!",
    "A tree near the river &amp; a house",
]
NLP = tokenizer()
SPACE = few_words_space()
needs_sklearn = pytest.mark.skipif(find_spec("sklearn") is None, reason="needs the extra 'report'")

EPSILON = DEFAULT_CONFIG["mechanism"]["epsilon"]


@pytest.fixture(scope="session")
def space(few_words_path):
    return few_words_path


MADE = {}  # what was sanitised for another test already


@pytest.fixture
def sanitised(tmp_path, space):
    """sanitised(suffix): the paths of a file of TEXTS, of its release, and of the receipt."""

    def make(suffix, to=None, texts=TEXTS, **fields):
        paths = [tmp_path / f"before{suffix}", tmp_path / f"after{to or suffix}"]
        paths.append(tmp_path / "receipt.json")
        case = suffix, to, *texts, str(fields)
        if case not in MADE:
            write(paths[0], texts, **fields)
            options = ["--receipt", paths[2], "--quiet", "--force", *space_options(space)]
            done = run_dx("sanitize", *paths[:2], *options)
            assert done.exit_code == any("\ud800" in text for text in texts), done.stderr
            MADE[case] = [path.read_bytes() for path in paths]
        for path, data in zip(paths, MADE[case], strict=True):
            path.write_bytes(data)
        return tuple(paths)

    return make


def write(path, texts, **fields):
    rows = [{"text": text, **{k: v[i] for k, v in fields.items()}} for i, text in enumerate(texts)]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    else:
        DocBin(docs=list(spacy.blank("en").pipe(texts))).to_disk(path)


class Reader(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.references = [], [], []
        self.feed(page)
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        names = ("href", "src", "xlink:href", "action")
        self.references += [value for name, value in attrs if name in names]

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def page(tmp_path, space):
    """page(before, after, *options): the page that the command writes, read."""

    def make(before, after, *options):
        output = tmp_path / "report.html"
        ok(run_dx("report", before, after, "-o", output, "--force", "--space", space, *options))
        return Reader(output.read_text(encoding="utf8"))

    return make


def pair(before, after):
    return make_pair(NLP.make_doc(before), NLP.make_doc(after))


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".spacy"])
def test_it_reads_what_sanitize_reads_and_says_that_it_is_private(sanitised, page, suffix):
    before, after, receipt = sanitised(suffix)
    read = page(before, after, "--receipt", receipt)
    first = read.text.split("What sanitising did to")[0]
    assert "THIS PAGE HOLDS THE ORIGINAL TEXT" in first
    assert "4 documents" in read.text
    assert all(question in read.text for question in QUESTIONS)


@pytest.mark.parametrize("suffix", [".jsonl", ".spacy"])
def test_markup_in_a_text_is_text(sanitised, page, suffix):
    read = page(*sanitised(suffix)[:2])
    assert "script" not in read.tags and "b" not in read.tags
    harmless = page(*sanitised(suffix, texts=["a dog"] * 4)[:2])
    assert read.tags.count("table") == harmless.tags.count("table")
    assert "<script>alert(1)</script>" in "".join(read.texts).replace("\n", " ")
    assert "{{ 7 * 7 }}{% raw %}" in "".join(read.texts)


@needs_sklearn
def test_markup_in_a_label_is_text_and_the_page_asks_nobody_for_anything(sanitised, page):
    *files, receipt = sanitised(".jsonl", texts=TEXTS * 3, **{"<i>kind": ["<u>x", "<u>y"] * 6})
    read = page(*files, "--label", "<i>kind", "--receipt", receipt)
    assert "i" not in read.tags and "u" not in read.tags
    assert "Macro F1" in read.text
    assert all(where.startswith(("#", "data:")) for where in read.references)
    assert {"script", "iframe", "object", "embed", "form", "img"}.isdisjoint(read.tags)


def test_documents_0_leaves_every_text_out_and_texts_need_no_words(sanitised, page, tmp_path):
    assert "0 words" in page(*sanitised(".jsonl", texts=["", "..."])[:2]).text
    page(*sanitised(".jsonl")[:2], "--documents", 0)
    text = (tmp_path / "report.html").read_text()
    assert "Zorblatt" not in text and "alert(1)" not in text
    assert "COMPUTED FROM THE ORIGINAL TEXT" in text


def test_the_receipt_is_that_of_the_file_or_of_the_documents(sanitised, page):
    before, after, receipt = sanitised(".jsonl", to=".spacy")
    carried = page(before, after).text
    given = page(before, after, "--receipt", receipt).text
    answers = "What was found and replaced(.*?)worst document"
    # That of the documents is a claim of the file: nobody signed it.
    claims = f"{CLAIMED_BY} ", f" {CLAIMED}"
    for claim in claims:
        assert claim in carried and claim not in given
        carried = carried.replace(claim, "")
    assert re.findall(answers, carried) == re.findall(answers, given)
    assert re.findall(answers, given) and f"epsilon = {EPSILON:g} for each unit" in carried
    # Documents without a receipt among others raise an alarm.
    vocab = spacy.blank("en").vocab
    docs = list(DocBin(store_user_data=True).from_disk(after).get_docs(vocab))
    docs[0].user_data.clear()
    DocBin(docs=docs, store_user_data=True).to_disk(after)
    assert "1 document(s) carry no receipt" in page(before, after).text


def test_without_a_receipt_it_promises_nothing_and_the_same_file_twice_is_noticed(sanitised, page):
    before, after, _ = sanitised(".jsonl")
    read = page(before, after)
    assert "cannot say that anything was protected" in read.text
    assert "epsilon =" not in read.text
    assert "NO WORD IS ANOTHER ONE" in page(before, before).text


@pytest.mark.parametrize(
    "settings, alarm",
    [
        (["--mechanism", "identity"], "gives no guarantee"),
        (["--mechanism", "exponential", "--epsilon", "100"], "A WEAK GUARANTEE"),
        (["--mechanism", "exponential", "--epsilon", "0.1"], None),
    ],
)
def test_what_gives_little_or_no_privacy_is_said_loudly(tmp_path, space, page, settings, alarm):
    before, after = tmp_path / "b.jsonl", tmp_path / "a.spacy"
    write(before, TEXTS)
    assert run_dx("sanitize", before, after, *space_options(space), *settings).exit_code == 0
    read = page(before, after)
    loud = "NO PRIVACY" in read.text or "A WEAK GUARANTEE" in read.text
    assert loud == (alarm is not None)
    assert alarm is None or alarm in read.text


def test_records_that_failed_are_left_out_by_the_receipt(sanitised, page):
    texts = [*TEXTS[:2], "half of a pair: \ud800", *TEXTS[2:]]
    before, after, receipt = sanitised(".jsonl", texts=texts)
    assert "4 documents" in page(before, after, "--receipt", receipt).text


def test_folders_are_read_file_by_file(tmp_path, space, page):
    (tmp_path / "in").mkdir()
    write(tmp_path / "in" / "one.jsonl", TEXTS)
    (tmp_path / "in" / "two.txt").write_text("the cat sleeps\n")
    receipt = tmp_path / "r.json"
    where = [tmp_path / "in", tmp_path / "out", "--receipt", receipt]
    ok(run_dx("sanitize", *where, *space_options(space)))
    read = page(tmp_path / "in", tmp_path / "out", "--receipt", receipt)
    assert "5 documents" in read.text and "the names of the files" in read.text


# -- four answers ----------------------------------------------------------------------------------


def test_a_run_on_entities_states_its_surrogates_and_no_mechanism_that_did_nothing(tmp_path, page):
    before, after = tmp_path / "b.jsonl", tmp_path / "a.jsonl"
    write(before, ["Dr. Maria Lopez saw Zorblatt in Boston on March 3, 2019.", "We slept."])
    receipt = tmp_path / "r.json"
    options = ["--entities", "person,place,date", "--receipt", receipt, "--quiet"]
    assert run_dx("sanitize", before, after, *options).exit_code == 0
    text = page(before, after, "--receipt", receipt, "--space", "builtin").text
    assert re.search(r"Names of persons: (\d) of \1, by other names, drawn without", text)
    first = text.split("Everything else")[0]
    assert not any(what in first for what in ("epsilon", "0 places", " 0 words", "dx.Path"))
    assert "a month apart" in first and "All else stays readable" in first
    assert "approx-dp" not in text.split("The receipt, in full")[0]
    # What no recogniser found stays: the document that holds it is the first, with a mark.
    shown = re.search(r"number of rare words that stay.*?Sanitised (\d) ", text)
    assert shown and shown[1] == "1"


def test_the_worst_documents_come_first():
    texts = [("the cat sleeps", "the dog runs"), ("a cat", "a cat"), ("a cat runs", "a dog runs")]
    pairs = [pair(*some) for some in texts]
    given = Release(("", ""), SPACE, Request(), pairs, [], 0)
    found = worst_first(given, None)
    assert [row.number for row in found.rows] == [2, 3, 1]
    assert [row.score for row in found.rows] == ["100%", "67%", "33%"]
    # By what the attacker recovers, once that was measured.
    tried = [({0, 1}, {0, 1, 2}), (set(), {0}), ({0}, {0, 2})]
    found = worst_first(given, Measured(recovered=tried))
    assert [row.number for row in found.rows] == [1, 3, 2]
    assert [p.text for p in found.rows[0].before if p.mark == "got"] == ["the", "cat"]


@pytest.mark.slow
def test_measuring_fills_the_page(tmp_path, space, page):
    rng = np.random.default_rng(0)
    before, after, receipt = (tmp_path / name for name in ("b.jsonl", "a.jsonl", "r.json"))
    write(before, [" ".join(rng.choice(FEW_WORDS, 30)) + "." for _ in range(20)])
    options = [*space_options(space), "-m", "exponential", "-e", "60", "--receipt", receipt]
    assert run_dx("sanitize", before, after, *options).exit_code == 0
    given = ["--receipt", receipt, "--measure"]
    text = page(before, after, *given).text
    assert "Not measured" not in text and "links 100% of 20 documents" in text
    # Next to nothing changed, and the attacker knows it.
    assert float(re.search(r"(\d+)% of the words of these texts", text)[1]) > 90
    measured = text.split("All that was measured")[1]
    for what in ("an attacker recovers", "linked", "holds a word", "the files", "refute"):
        assert what in measured, what


@pytest.mark.parametrize("before, after, options, says", MISTAKES["report"])
def test_a_mistake_is_one_line_and_leaves_no_page(
    sanitised, tmp_path, monkeypatch, before, after, options, says
):
    monkeypatch.chdir(tmp_path)
    sanitised(".jsonl")
    write(tmp_path / "short.jsonl", TEXTS[:2])
    (tmp_path / "broken.spacy").write_bytes(b"no")
    done = run_dx("report", before, after, *options)
    assert done.exit_code == 2, done.output
    assert says in done.stderr and len(without_progress(done.stderr)) == 1
    assert not (tmp_path / "report.html").exists()
    assert not any(word in done.stderr for word in ("Zorblatt", "alert", "Traceback"))


def account_of(guarantee, **terms):
    common = {
        "mechanism": "dx.Path.v1", "space": "builtin (abc)", "unknown_policy": "Redact",
        "scope": "token", "casing": "truecase", "vectors": "table", "seeded": False,
    }  # fmt: skip
    terms = ReceiptTerms(guarantee=guarantee, in_clear=(), **{**common, **terms})
    return Releases(terms, count=Count(perturbed=1))


@pytest.mark.parametrize(
    ("name", "stated"), [("Path", False), ("CusText", True)], ids=["all pairs", "within a group"]
)
def test_words_that_a_promise_leaves_out_are_stated(name, stated):
    guarantee = registry.dx_mechanisms.get(f"dx.{name}.v1")(epsilon=2.0).guarantee
    lines = answers(account_of(guarantee)).guarantee
    assert any("words that are not covered" in line for line in lines) == stated
    assert any("pairs of words of one group" in line for line in lines) == stated


def test_the_person_of_whom_most_is_learned_is_stated_as_odds():
    account = account_of(Guarantee("metric-dp", 0.9, metric="path", status="proven"))
    for epsilon, delta in ((2.5, 0.0), (3.0, 1e-6), (1.0, 0.0)):
        row = {"mentions": 6, "rho": 0.2, "plain": 5.4, "epsilon": epsilon, "delta": delta}
        persons = Persons(1, 1.0, (row,), Loss(0.2, 5.4))
        account.add(account.terms.receipt(Count(1, 1, 1, draws=1, persons=persons)))
    answered = answers(account)
    linked = " ".join(answered.statements.linked.sentences)
    assert "most is learned is named 6 times" in linked and "21 times in 22" in linked
    assert any("epsilon 3 nats at delta 1e-06 (zCDP)" in line for line in answered.guarantee)
    worst = max(account.count.persons.listed, key=lambda row: row["epsilon"])
    worst["right"] = 0.2
    account.terms = replace(account.terms, odds={"among": 100, "right": {}})
    linked = " ".join(answers(account).statements.linked.sentences)
    assert "one of 100 near ones" in linked and "1 time in 5" in linked
