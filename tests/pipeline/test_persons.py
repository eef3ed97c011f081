"""What a receipt says of each recognised person, and budgets by person."""

import json
import math

import pytest
import spacy
import srsly
from conftest import PERSONS, run_dx, sanitizing

from spacy_dxprivacy import DxError, Guarantee, Space, registry
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.pipeline.name_distances import max_name_distance, name_rows
from spacy_dxprivacy.pipeline.receipt import PERSONS_SHOWN, Receipt
from spacy_dxprivacy.privacy.loss import Loss, best_guess

PATTERNS = [
    {"label": "PERSON", "pattern": name}
    for name in ("Maria Lopez", "Maria", "Lopez", "John Smith", "Smith", "Zorblatt")
]
TEXT = "Maria Lopez saw John Smith. Maria slept, said Smith. Mr. Smith and Smith met Smith."


def make(patterns=PATTERNS, factory="dx_sanitizer", **settings):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    nlp.add_pipe(factory, config=settings)
    return nlp


@pytest.fixture(scope="module")
def nlp():
    return make()


def test_a_receipt_has_each_person_by_mentions_without_names(nlp):
    receipt = nlp(TEXT)._.dx
    persons = receipt.persons
    assert persons["count"] == 2 and [one["mentions"] for one in persons["most"]] == [5, 2]
    assert receipt.in_clear[-1] == PERSONS_SHOWN
    written = json.dumps(receipt)
    assert not any(name in written for name in ("Maria", "Lopez", "Smith", "John"))


def test_words_of_a_sentence_add_up_and_sentences_as_zcdp(nlp):
    persons = nlp(TEXT)._.dx.persons
    mechanism = nlp.get_pipe("dx_sanitizer").settings.mechanism
    apart, g, near = persons["apart"], mechanism.guarantee, mechanism.facts.near_names[0]
    smith, maria = persons["most"]
    # John Smith, Smith, and three times Smith in the last sentence; Maria Lopez, Maria.
    for row, words in ((smith, [2, 1, 3]), (maria, [2, 1])):
        expected = Loss.of(g, [apart * many for many in words])
        assert row["rho"] == pytest.approx(expected.rho)
        assert row["plain"] == pytest.approx(0.8 * apart * sum(words)) == expected.plain
        assert row["near"] == Loss.of(g, [near * many for many in words]).to_dict()
        assert row["near"]["epsilon"] < row["epsilon"] / 10
    assert persons["largest"]["epsilon"] == max(row["epsilon"] for row in persons["most"])


def test_a_receipt_is_the_same_for_other_names_of_the_same_layout(nlp):
    other = TEXT.replace("Maria", "John1").replace("Smith", "Maria").replace("John1", "Smith")
    names = ("Smith Lopez", "John Maria", "Maria", "Smith")
    named = [{"label": "PERSON", "pattern": name} for name in names]
    one, two = nlp(TEXT)._.dx.persons, make(named)(other)._.dx.persons
    assert {row["mentions"] for row in one["most"]} == {row["mentions"] for row in two["most"]}
    assert one["apart"] == two["apart"] and one["largest"] == two["largest"]


def test_the_distance_is_that_of_the_two_names_that_are_farthest_apart():
    space = Space.builtin()
    mechanism = registry.dx_mechanisms.get("dx.Path.v2")(0.8).fit(space)
    rows = name_rows(space)
    assert len(rows) == (space.with_class("first_name") | space.with_class("surname")).sum()
    found = mechanism.distances(rows[:8])[:, rows].max()
    assert found == max_name_distance(mechanism, space) == 12.5  # so far that no path is shorter


def test_other_mechanisms_bound_the_distance_by_public_words():
    points = [[0.0], [1.0], [5.0]]
    space = Space.from_vectors(["a", "b", "c"], points)  # it knows no names: any words
    for name in ("dx.Laplace.v1", "dx.Exponential.v1", "dx.Path.v1"):
        mechanism = registry.dx_mechanisms.get(name)(epsilon=1.0).fit(space)
        apart = mechanism.distances(name_rows(space)).max()
        assert apart <= max_name_distance(mechanism, space) <= 2 * apart
    gaussian = registry.dx_mechanisms.get("dx.Gaussian.v1")(epsilon=1.0).fit(space)
    assert max_name_distance(gaussian, space) == 1.0
    groups = registry.dx_mechanisms.get("dx.CusText.v1")(epsilon=1.0, k=2).fit(space)
    assert math.isinf(max_name_distance(groups, space))


def test_names_by_surrogates_cost_nothing():
    receipt = make(factory="dx_entity_sanitizer", selector={
        "@dx_selectors": "dx.Entities.v1", "labels": ["PERSON"]})(TEXT)._.dx  # fmt: skip
    assert [row["mentions"] for row in receipt.persons["most"]] == [5, 2]
    assert all(row["epsilon"] == row["delta"] == 0 for row in receipt.persons["most"])


def test_a_receipt_counts_the_persons_whom_the_surrogates_tell_apart():
    nlp = make_pipeline(entities="person", model="rules,network")
    for text, persons in {
        "Yann Le Goff (YLG) came. Action: YLG to call.": 1,
        "Beth Hale and Elizabeth Hale came.": 2,
        "Dr Ada Lind saw Bo Rask. Bo slept, said Lind.": 2,
    }.items():
        assert nlp(text)._.dx.persons["count"] == persons, text


def test_surrogates_that_hide_who_is_whom_keep_it_hidden():
    redact = {"PERSON": {"@dx_surrogates": "dx.Redact.v1"}}
    persons = make(surrogates=redact)(TEXT)._.dx.persons
    assert persons["count"] == 7 and {row["mentions"] for row in persons["most"]} == {1}


def test_a_name_in_plaintext_has_no_guarantee():
    only = {"@dx_selectors": "dx.WordList.v1", "words": ["slept", "Smith"]}
    persons = make(selector=only)(TEXT)._.dx.persons
    assert persons["most"][1]["epsilon"] is None  # Maria
    assert persons["largest"]["epsilon"] is None
    with pytest.raises(DxError, match=r"DX178.*epsilon = inf"):
        make(selector=only, max_epsilon_per_person=1e6)(TEXT)


def test_persons_that_a_selector_of_other_labels_passes_over_stay_in_plaintext():
    dates = {"@dx_selectors": "dx.Entities.v1", "labels": ["DATE"]}
    patterns = [*PATTERNS, {"label": "DATE", "pattern": "today"}]
    text = "Maria slept today."
    receipt = make(patterns, "dx_entity_sanitizer", selector=dates)(text)._.dx
    assert receipt.persons["count"] == 1 and receipt.persons["largest"]["epsilon"] is None
    nlp = make(patterns, "dx_entity_sanitizer", selector=dates, max_epsilon_per_person=1e9)
    with pytest.raises(DxError, match="DX178"):
        nlp(text)
    assert nlp("It rains today.")._.dx.persons is None


def test_a_word_drawn_once_for_a_document_counts_once():
    row = make(scope="type")("Smith slept. Smith woke. Smith left.")._.dx.persons["most"][0]
    assert row["mentions"] == 3 and row["plain"] == pytest.approx(0.8 * 12.5)


def test_any_two_texts_and_odds_are_stated(nlp):
    receipt = nlp("It rains.")._.dx
    assert receipt.any_two_texts == pytest.approx(0.8 * 26)
    right = receipt.odds["right"]
    assert receipt.odds["among"] == 100 and 0.01 < right["1"] < right["3"] < right["10"] <= 1
    near = nlp.get_pipe("dx_sanitizer").settings.mechanism.facts.near_names
    assert right["3"] == pytest.approx(best_guess([2.4 * distance for distance in near]))
    row = nlp(TEXT)._.dx.persons["most"][1]
    assert row["right"] == pytest.approx(right["3"])  # three words


@pytest.mark.parametrize("budget, fits", [(30.0, False), (70.0, True)])
def test_a_document_over_the_budget_of_a_person_is_refused_before_it_is_drawn(budget, fits):
    nlp = make(max_epsilon_per_person=budget)
    nlp.get_pipe("dx_sanitizer").warm_up()
    if fits:
        assert nlp(TEXT)._.dx.persons["largest"]["epsilon"] <= budget
        return
    nlp.get_pipe("dx_sanitizer").settings.mechanism.sample = None  # drawing would fail otherwise
    with pytest.raises(DxError, match=r"DX178.*max_epsilon_per_person") as caught:
        nlp(TEXT)
    assert "Smith" not in str(caught.value)


def test_a_budget_by_person_needs_a_recogniser():
    nlp = sanitizing(max_epsilon_per_person=5.0)
    with pytest.raises(DxError, match="DX030"):
        nlp("Maria slept.")


RECORDS = [
    {"text": "Maria Lopez slept. Maria woke.", "who": "a"},
    {"text": "Maria Lopez slept.", "who": 7},
    {"text": "John Smith slept.", "who": "7"},
    {"text": "Maria Lopez left.", "who": "a"},
    {"text": "It rains.", "who": "a"},
]


@pytest.fixture
def run(tmp_path):
    """Return a function that sanitises RECORDS, and gives the result, its texts and its receipt."""
    (tmp_path / "c.cfg").write_text(PERSONS)
    srsly.write_jsonl(tmp_path / "in.jsonl", RECORDS)

    def sanitize(*options):
        out, receipt = tmp_path / "out.jsonl", tmp_path / "receipt.json"
        files = [str(tmp_path / "in.jsonl"), str(out)]
        more = ["-c", str(tmp_path / "c.cfg"), "--receipt", str(receipt), "-F", *options]
        done = run_dx("sanitize", *files, *more)
        if not receipt.exists():
            return done, [], {}
        return done, [row["who"] for row in srsly.read_jsonl(out)], srsly.read_json(receipt)

    return sanitize


LIMIT = "--components.dx_sanitizer.max_epsilon_per_person"
BUDGET = (LIMIT, "45")


@pytest.mark.parametrize("processes", ["1", "2"])
def test_records_of_one_person_add_up_and_those_beyond_the_budget_fail(run, processes):
    done, kept, receipt = run("--person-field", "who", *BUDGET, "--n-process", processes)
    assert done.exit_code == 1 and "DX179" in done.stderr and "record 4" in done.stderr
    assert "Maria" not in done.stderr
    assert kept == ["a", 7, "7", "a"] and receipt["count"]["failed"] == [[4]]
    # Two records of 7 with a first and a family name each: 2 * 2 * 12.5 * .8.
    by_person = receipt["loss"]["by_person"]
    largest = by_person["largest"]
    assert by_person["persons"] == 2 and largest["plain"] == pytest.approx(40.0)
    guarantee = Guarantee.from_dict(Receipt(receipt).guarantee)
    assert largest["rho"] == pytest.approx(Loss.of(guarantee, [25.0, 25.0]).rho)


def test_without_a_person_field_each_document_has_its_budget(run):
    done, kept, receipt = run(*BUDGET)
    assert done.exit_code == 0 and len(kept) == 5 and "by_person" not in receipt["loss"]
    assert receipt["count"]["persons"]["count"] == 4
    done, kept, receipt = run(LIMIT, "27")
    assert done.exit_code == 1 and receipt["count"]["failed"] == [[1]] and "DX178" in done.stderr
