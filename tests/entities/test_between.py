"""What stands between two mentions comes out as it went in: no word or mark is swallowed."""

import random
import re

import pytest
from conftest import pipeline_of

from spacy_dxprivacy.entities.tables import cities, listed

LABELS = "PERSON DATE TIME GPE ADDRESS ORG EMAIL URL PHONE ID".split()
SELECTOR = {"@dx_selectors": "dx.Entities.v1", "labels": LABELS}
FIRMS = (
    "Chase", "Nestlé S.A.", "Northgate Holdings Inc.", "Fernbrook Clinic", "Google", "Siemens AG",
    "Bank of America", "University of Leeds", "Acme Ltd", "Acme Ltd.", "Mercy Hospital",
)  # fmt: skip
PLACES = ("Paris", "Boston", "Leeds", "Vevey", "Kraków", "Texas", "France", "New York", "Nairobi")
DATES = (
    "March 5", "14 March 2019", "03/16/2019", "2021-05-04", "Monday", "June 2020", "May 3, 2022",
    "the 4th of May", "last Tuesday",
)  # fmt: skip
BEGINNINGS = ("", "Yesterday ", "It says: ", "We saw ", "Intern, ", "- ", "\n")
BETWEEN = (
    " was in ", " with ", " from ", " on ", ", ", " and ", " met ", " at ", "; ", " (", ") ",
    " - ", ":\n", "\n", "\n\n", ". Then ", " or ", " to ", " by ", " v. ", " vs ", " visited ",
    " left ", " before ", " for ", " called ", ".\n", " / ", ", who saw ", " near ",
    " has been at ", " because ",
)  # fmt: skip
ENDS = (".", "\n", "", " today.", " again", "!")
RANGES = {" - ", " and ", " to ", " or ", " / ", "\n", ", ", " on ", " by ", " from ", " before "}


@pytest.fixture(scope="module")
def nlp():
    nlp = pipeline_of("dx_entity_ruler")
    nlp.add_pipe("dx_entity_sanitizer", config={"selector": SELECTOR, "seed": 1})
    return nlp


def drawn(rng, kind):
    if kind == "person":
        first = rng.choice(listed(rng.choice(("female", "male"))))
        last = rng.choice(listed("surnames"))
        return rng.choice((f"{first} {last}", f"Dr. {last}", f"Ms. {first} {last}", first))
    town = rng.choice(cities())[0]
    firm = f"{rng.choice(listed('surnames'))} {rng.choice(('Ltd', 'Clinic', 'Group', 'Bank'))}"
    choices = {"place": (*PLACES, town), "firm": (*FIRMS, firm), "date": DATES}
    return rng.choice(choices[kind])


def generated(rng):
    """Return the mentions of a text and what stands around them, in turn."""
    kinds = [rng.choice(("person", "place", "firm", "date")) for _ in range(rng.randint(2, 6))]
    parts = [rng.choice(BEGINNINGS)]
    for i, kind in enumerate(kinds):
        parts.append(drawn(rng, kind))
        two_dates = kinds[i : i + 2] == ["date", "date"]
        marks = [mark for mark in BETWEEN if not (two_dates and mark in RANGES)]
        parts.append(rng.choice(marks if i < len(kinds) - 1 else ENDS))
    return parts


def swallowed(nlp, count, seed):
    """Return the texts in whose release not all that stands between mentions is left, in turn."""
    rng = random.Random(seed)
    texts = [generated(rng) for _ in range(count)]
    lost = []
    for parts, doc in zip(texts, nlp.pipe("".join(parts) for parts in texts), strict=True):
        form = "".join(".+?" if i % 2 else re.escape(part) for i, part in enumerate(parts))
        if re.fullmatch(form, doc.text, re.DOTALL) is None:
            lost.append(("".join(parts), doc.text))
    return lost


def test_what_stands_between_mentions_stays_in_2000_texts(nlp):
    assert swallowed(nlp, 2000, seed=1) == []


@pytest.mark.slow
def test_what_stands_between_mentions_stays_in_20000_texts(nlp):
    assert swallowed(nlp, 20_000, seed=2) == []


SEEN = {
    "Paris was in Paris with Chase from Chase": " was in | with | from ",
    "Intern, Nestlé S.A., Vevey": "Intern, |, ",
    "He was in Boston on March 5": "He was in | on ",
    "Mary v. Jones": " v. ",
    "Peter Okafor vs Maria Lopez": " vs ",
    "Leeds for Fernbrook Clinic": " for ",
    "San Diego - March 5": " - ",
    "We joined the Bank of America": "We joined the ",
    "Dear Sir,\n\n12 Main Street\nBoston, MA 02118": "Dear Sir,\n\n|\n|, ",
    "Maria Lopez\n12 Main Street\nBoston": "\n|\n",
}


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("text", SEEN)
def test_words_and_marks_that_were_swallowed(text, network):
    nlp = pipeline_of("dx_entity_ruler", *["dx_entity_recognizer"] * network)
    nlp.add_pipe("dx_entity_sanitizer", config={"selector": SELECTOR, "seed": 1})
    parts = map(re.escape, SEEN[text].split("|"))
    assert re.search(".+?".join(parts), nlp(text).text)


def test_a_mention_of_a_firm_keeps_its_last_stop(nlp):
    assert nlp("She left Acme Ltd. Then she slept.").text.endswith(". Then she slept.")
    health = nlp("The Kestrel Institute of Health and Human Services called.").text
    assert not re.search("Health|Human|Services", health)


@pytest.mark.parametrize(("text", "persons", "firms"), [
    ("Signed: Ada Lindqvist, Lindqvist & Moss LLP.", ["Ada Lindqvist"], ["Lindqvist & Moss LLP"]),
    ("We saw Leo Marsh, Marsh & Holt LLP, today.", ["Leo Marsh"], ["Marsh & Holt LLP"]),
    ("Then Grace Obi, Obi, Bell & Co came.", ["Grace Obi"], ["Obi, Bell & Co"]),
    ("We asked Marsh, Holt & Moss LLP.", [], ["Marsh, Holt & Moss LLP"]),
    ("We asked Hart Moss, Bell & Holt LLP.", [], ["Hart Moss, Bell & Holt LLP"]),
])  # fmt: skip
def test_a_person_before_the_comma_of_a_firm_of_their_name_is_no_part_of_it(text, persons, firms):
    doc = pipeline_of("dx_entity_ruler")(text)
    found = {label: [e.text for e in doc.ents if e.label_ == label] for label in ("PERSON", "ORG")}
    assert found == {"PERSON": persons, "ORG": firms}
