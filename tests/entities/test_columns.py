"""The values of columns are mentions in the other texts of their record, whatever lists say."""

import pytest

from spacy_dxprivacy.entities.columns import mentions_in, mentions_of
from spacy_dxprivacy.entities.heads import head_of


def mentions(cells, text):
    """Return the mentions in a text beside cells: "patient: May Summers; city: Nice"."""
    pairs = (cell.split(": ") for cell in cells.split("; "))
    forms = mentions_of([(head_of(head), value) for head, value in pairs])
    return [text[start:end] for _, start, end in mentions_in(text, forms)]


@pytest.mark.parametrize(
    ("cells", "text", "expected"),
    [
        ("patient: May Summers", "May was well. May slept.", ["May", "May"]),
        ("patient: Will Young", "Will came. We saw Will.", ["Will", "Will"]),
        ("first name: Will; last name: Young", "Will Young asked", ["Will Young"]),
        ("surname: Reading", "Reading sleeps well. Long reads.", ["Reading"]),
        ("name: Al", "Al asked", ["Al"]),
        ("name: Ng", "Ng slept", ["Ng"]),
        ("name: An", "An came", ["An"]),
        ("name: Mary Reading", "Reading's bed", ["Reading"]),
        ("name: WILL YOUNG", "Young slept. YOUNG left.", ["Young", "YOUNG"]),
        ("name: will young", "Will slept. She will.", ["Will"]),
        ("name: Mei-Ling O'Hara", "O'Hara called Ling.", ["O'Hara", "Ling"]),
        ("name: Dr. Hope Long (GP)", "Dr Long came. The GP, Hope", ["Long", "Hope"]),
        ("name: June Price", "June is better.", ["June"]),
        ("name: Sunday Okafor", "Sunday sang.", ["Sunday"]),
        ("name: Van Long; city: Nice", "Van der Long. In Nice.", ["Long", "Nice"]),
        ("city: Nice", "Born in Nice", ["Nice"]),
        ("city: Reading, Berks", "Reading is home.", ["Reading"]),
        ("mrn: K12", "Patient K12 slept (K12).", ["K12", "K12"]),
        ("mrn: AX-55-Q", "AX-55-Q slept. Chart AX-55-Q.", ["AX-55-Q", "AX-55-Q"]),
        ("mrn: 4471", "It is 4471", ["4471"]),
        ("username: wyo77", "wyo77 posted", ["wyo77"]),
        ("company: Price Long", "At Price Long today", ["Price Long"]),
        ("surname: Reading; city: Reading", "Reading came", ["Reading"]),
        ("name: Mark Bury", "in bed 12 Bury slept", ["Bury"]),
        ("initials: JW", "Seen by JW", ["JW"]),
    ],
)
def test_a_value_of_a_column_is_a_mention_in_the_other_texts(cells, text, expected):
    assert mentions(cells, text) == expected


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ("name: Will Young", "She will go. A young man. Will be seen. Will she come?"),
        ("name: May Summers", "Seen in May. 3 May 2023, May 4. May have tea. Two summers."),
        ("name: Sunday Okafor", "Seen on Sunday."),
        ("name: Crisis Team", "The Team has a Crisis."),
        ("name: Hope Long", "Hopeful, Longer, Hope_2 and hope@x.org"),
        ("name: van der Berg", "Van, Der"),
        ("name: Mark Bury", "12 Bury Street, 4b Mark Lane"),
        ("name: n/a", "N/A"),
        ("surname: Reading", "He likes reading."),
        ("city: Nice", "A nice day"),
        ("city: unknown", "Unknown"),
        ("mrn: 7", "7 tablets"),
        ("mrn: K12", "K123, XK12"),
        ("employer: Target", "Target weight 70 kg"),
        ("age: 44", "44 mg"),
        ("user name: hope", "We hope so"),
    ],
)
def test_other_words_are_no_mentions(cells, text):
    assert not mentions(cells, text)


def test_the_search_is_linear():
    forms = mentions_of([(head_of("name"), "Will Young"), (head_of("mrn"), "K12")])
    assert len(mentions_in("Will said K12, " * 20_000, forms)) == 40_000
