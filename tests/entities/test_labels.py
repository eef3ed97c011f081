"""Labels of first columns, keys of cards, numbers of subtitles and stamps of logs stay, and what
stands beside them is replaced."""

import pytest
from conftest import pipeline_of

from spacy_dxprivacy.entities.cards import values_of_cards
from spacy_dxprivacy.entities.foreign import addresses_in
from spacy_dxprivacy.entities.labels import labels_in
from spacy_dxprivacy.integrations.clean import clean

LABELS = "person date gpe address org phone id url email".split()


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler", "dx_entity_recognizer")


def replaced(nlp, text):
    """What is replaced, as one text."""
    plain = {"CARDINAL", "QUANTITY"}
    return "\0".join(entity.text for entity in nlp(text).ents if entity.label_ not in plain)


TABLES = [
    "| Patient | Hope |\n| --- | --- |\n| DOB | 4 May 1950 |\n| MRN | 4471200 |\n| City | Bath |",
    "| Patient | Hope |\n| DOB | 4 May 1950 |\n| MRN | 4471200 |\n| City | Bath |",
    "Patient\tHope\nAge\t44\nCity\tBath\nDOB\t4 May 1950\nMRN\t4471200",
    "City,Bath\nMRN,4471200\nPatient,Hope\nDOB,4 May 1950\nDoctor,Grace Price",
    "MRN;4471200\nTown;Bath\nPatient;Hope\nDOB;4 May 1950\nMobile;0113 496 0721",
    "Patient | Hope\nDate of birth | 4 May 1950\nHome town | Bath\nMRN | 4471200",
    "Patient    Hope\nDOB        4 May 1950\nHosp no    4471200\nCity       Bath",
    "**Patient:** Hope\n**DOB:** 4 May 1950\n**Hosp no:** 4471200\n**City:** Bath",
    "- Patient: Hope\n- DOB: 4 May 1950\n- MRN: 4471200\n- City: Bath",
]


@pytest.mark.parametrize("table", TABLES)
def test_a_label_of_a_row_stays_and_its_value_does_not(nlp, table):
    gone = replaced(nlp, table)
    assert all(secret in gone for secret in ("Hope", "Bath", "4471200", "4 May 1950"))
    heads = "Patient DOB MRN Hosp City Town Age Doctor Mobile Date Home".split()
    assert not {*heads} & {*gone.split(), *gone.split("\0")}


def test_names_in_a_first_column_are_no_labels(nlp):
    for text in (
        "name,seat\nLand,4\nChild,5\nPrice,6\nMoreau,7",
        "Doctor | Hope\nGrace Price | 5\nWill Young | 6\nMay Land | 7",
        "Patient said, she came\nCity people, they said\nNo",
    ):
        assert labels_in(text) == []
    text = "Patient | Hope\nGrace Price | 3\nMRN | 4471200\nCity | Bath"
    assert [text[a:b] for a, b in labels_in(text)] == ["Patient", "MRN", "City"]


FORMS = {  # language: a form, and what must not be in the release
    "de": ("PLZ: 45127\nOrt: Essen\nTelefon privat: 0201 4471333\n", "45127 Essen 4471333"),
    "fr": ("Code postal : 44000\nVille : Nantes\nDate de visite : 3 mai\n", "44000 Nantes"),
    "es": ("Código postal: 28013\nCiudad: Madrid\nTeléfono: 612 345 678\n", "28013 Madrid 345"),
    "nl": ("Postcode: 1017 AB\nPlaats: Amsterdam\nTelefoon: 020 4567891\n", "1017 4567891"),
    "it": ("CAP: 00185\nComune: Roma\nTelefono: 06 4567891\n", "00185 4567891"),
}


@pytest.mark.parametrize("language", FORMS)
def test_a_postal_code_does_not_swallow_the_label_below_it(language):
    text, secrets = FORMS[language]
    (release,) = clean([text], language=language, entities=LABELS, model="rules")
    keys = [line.partition(":")[0] for line in text.splitlines()]
    assert [line.partition(":")[0] for line in release.splitlines()] == keys
    # A surrogate may be the same town or a code with the same digits by chance, not all of them.
    assert sum(secret in release for secret in secrets.split()) < 2


TOWNS = [
    "45127\nEssen",
    "Weg 5\n45127 Essen",
    "45127\nBad Berleburg, Tel: 02",
    "1017 AB\nAmsterdam",
]


@pytest.mark.parametrize("text", TOWNS)
def test_an_address_goes_on_over_a_line_with_a_town(text):
    assert any("\n" in text[start:end] for _, start, end in addresses_in(text)) or "Weg" in text
    assert all(text[s:e].strip() for _, s, e in addresses_in(text))


STAMPS = [
    "pid=4471\n2023/05/04 00:00:01 started", "uid=1001 gid=1001\n2023/05/04 login",
    "total 4471\n2023-05-04 start", "total 4471\n04.05.2023 start", "size 4471 12\n04/05/23 start",
    "lines 113 496\n00:00:01 start", "port 4471\n04/May/2023 start", "port 4471\n20230504T1012 ok",
]  # fmt: skip


@pytest.mark.parametrize("text", STAMPS)
def test_nothing_goes_on_over_a_line_into_a_stamp(nlp, text):
    assert all("\n" not in part for part in replaced(nlp, text).split("\0"))


def test_a_number_goes_on_over_a_line_that_begins_like_a_stamp(nlp):
    for text in ("Call me on 01 44 12\n23 45 today", "Call 0113 496\n07-21-33 now"):
        gone = replaced(nlp, text)
        assert all(digits in gone for digits in text.split()[-4:-1] if digits[0].isdigit())


@pytest.mark.parametrize("number", ["1", "1006", "2023", "4471200"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_number_of_a_cue_stays(nlp, number, end):
    lines = [number, "00:00:01,000 --> 00:00:04,000", "Grace Price came on 4471200.", ""]
    gone = replaced(nlp, end.join(lines * 2)).split("\0")
    assert number not in gone or (number == "4471200" and gone.count(number) == 2)
    assert "Grace Price" in gone


def test_a_number_before_other_lines_is_no_cue(nlp):
    assert "0113 496 0721" in replaced(nlp, "0113 496 0721\n00:00:01 --> 2\nHello, call me.")
    text = "Her number is\n0113 496 0721\n00:00:01,000 --> 00:00:04,000\nHello"
    assert "0113 496 0721" in replaced(nlp, text)


CARD = """BEGIN:VCARD
VERSION:3.0
N:Price;Grace;May;Dr;
FN:Grace Price
TEL;TYPE=WORK,VOICE:0113 496 0721
EMAIL;TYPE=INTERNET:grace@price.example
ROLE:Nurse
ADR;TYPE=HOME:;;14 Mill Lane;Reading;;RG1 4QS;UK
BDAY:1950-05-04
END:VCARD
"""
EVENT = """BEGIN:VCALENDAR
BEGIN:VEVENT
ATTENDEE;CN=GRACE PRICE;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:grace@price.example
ORGANIZER;CN="Will Young":mailto:will@young.example
DTSTART;TZID=Europe/London:20230504T090000
LOCATION:14 Mill Lane\\, Reading
END:VEVENT
END:VCALENDAR
"""


@pytest.mark.parametrize("text", [CARD, EVENT, CARD.replace("\n", "\r\n")])
def test_keys_of_cards_and_calendars_stay_and_their_values_do_not(nlp, text):
    gone = replaced(nlp, text).split("\0")
    keys = (
        "BEGIN END VCARD VERSION:3.0 N FN TEL EMAIL ROLE VOICE ADR DTSTART TZID LOCATION CN".split()
    )
    assert not {*keys, "VEVENT", "VCALENDAR", "REQ-PARTICIPANT", "INTERNET"} & {*gone}
    assert all(":" not in part and ";" not in part for part in gone)
    secrets = "Grace|Price|0113 496 0721|14 Mill Lane|Reading|grace@price.example|RG1 4QS|UK"
    if "VCARD" in text:
        assert {*secrets.split("|"), "1950-05-04"} <= {*gone}
    else:
        assert {"GRACE PRICE", "Will Young", "20230504T090000"} <= {*gone}
        assert any(part.startswith("14 Mill Lane") for part in gone)


def test_words_in_capitals_before_a_colon_are_keys_only_of_cards(nlp):
    text = "GRACE: I saw WILL YOUNG.\nMARTIN: He lives in Leeds, not BEGIN:VCARD"
    assert "MARTIN" in replaced(nlp, text) and [*values_of_cards(text)] == []


def test_the_frames_of_a_stack_keep_their_form(nlp):
    lines = ["java.lang.IllegalStateException: no visit", "at org.hope.Price.young(Price.java:44)",
             "at org.hope.Main.main(Main.java:12)", "at Price.young(Price.kt:4)"]  # fmt: skip
    gone = replaced(nlp, "\n\t".join(lines)).split("\0")
    assert not any("(" in part or "Price" in part for part in gone)
    assert "Moreau" in replaced(nlp, "We met\n\tat Grace Moreau (Moreau, 44)")


@pytest.mark.parametrize("stamp", ["May  3 10:12:01", "Feb  1 00:00:59", "Dec 24 23:59:01"])
def test_the_day_of_a_line_of_a_log_is_replaced(nlp, stamp):
    day = stamp[:6]
    assert day in replaced(nlp, f"{stamp} web sshd[4471]: Accepted\n{stamp} web cron: end")


def test_an_apostrophe_of_another_form_makes_no_other_person():
    text = "Sean O'Neil met Maria Lopez. Then Sean O’Neil left. O'Neil and O’Neil are one."
    (release,) = clean([text], entities=["person"])
    words = [word.strip(".") for word in release.split()]
    assert words[1] == words[7] == words[9] == words[11] and "Neil" not in release


KEPT = [  # lines whose labels stay, and what of them does not
    ("| Surname | Case |\n| DOB | 3/4/85 |\n| City | Reading |\n| GP | Dr Price |",
     "Surname DOB City GP", "Case 3/4/85 Reading Price"),
    ("Field | Value\n---|---\nSurname | Guest\nFirst name | Mark\nDOB | 3/4/85",
     "Field Surname First DOB", "Guest Mark 3/4/85"),
    ("Last name\tDay\nDate of birth\t3 May 1985\nCity\tNice", "Date City", "Day Nice"),
    ("Prénom : Rose\nRufname: Will\nMother: Joy", "Prénom Rufname Mother", "Rose Will Joy"),
    ("Geb.-Dat.: 03.04.85\nApellidos: Iglesias Leal", "Geb.-Dat Apellidos", "03.04.85 Leal"),
    ('who="Will Young" dob=1985-04-03 seen=03.04.85 done', "who dob seen done",
     "1985-04-03 03.04.85"),
    ("ip=10.2.3.4 ok", "ip ok", "10.2.3.4"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "labels", "values"), KEPT)
def test_labels_in_pairs_forms_and_logs_stay(nlp, text, labels, values):
    found = [ent for ent in nlp(text).ents if ent.label_ not in ("CARDINAL", "QUANTITY")]
    gone = {word for ent in found for word in ent.text.split()}
    assert {*values.split()} <= gone and not {*labels.split()} & gone


@pytest.mark.parametrize("label", ["Ward", "Page", "Price", "Banks", "Field"])
def test_a_word_that_opens_a_line_before_a_number_is_a_label(nlp, label):
    assert label not in replaced(nlp, f"Patient: Ada Lind\n{label}: 7\n")
    assert label in replaced(nlp, f"Mrs {label} said that seven came.\n")
