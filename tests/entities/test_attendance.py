"""Who is listed below a heading of attendance is a person; roles, bodies and other lists stay."""

import pytest
from conftest import pipeline_of

LABELS = ("PERSON", "ORG", "GPE", "ADDRESS")


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler", "dx_entity_recognizer")


def shown(nlp, text):
    """The texts of the entities that name someone or something."""
    return [ent.text for ent in nlp(text).ents if ent.label_ in LABELS]


@pytest.mark.parametrize("heading", [
    "MEMBERS PRESENT", "Present:", "In attendance", "APOLOGIES", "Absent with apology:",
    "2. Attendees", "**Participants**",
])  # fmt: skip
@pytest.mark.parametrize("item", ["1. {} - CHAIR", "- {}", "{}, treasurer", "2. {}    Member"])
@pytest.mark.parametrize("name", ["KESTRIN TARLEV", "Wendo arap Kiplesh"])
def test_who_is_listed_below_a_heading_is_a_person(nlp, heading, item, name):
    text = f"{heading}\n{item.format(name)}\n{item.format('Ada Lind')}\n\nThe roof leaks.\n"
    assert {name, "Ada Lind"} <= {*shown(nlp, text)}


@pytest.mark.parametrize("item", ["Ward Members", "The Area Chief", "Red Cross", "All Staff"])
def test_roles_and_groups_of_such_a_list_stay(nlp, item):
    text = f"PRESENT\n1. Ada Lind\n2. {item}\n3. Bo Rask\n\nThe roof leaks.\n"
    assert [name for name in shown(nlp, text) if name != "Red Cross"] == ["Ada Lind", "Bo Rask"]


@pytest.mark.parametrize("text", [
    "AGENDA\n1. Opening Prayer\n2. Reading Minutes\n", "Members\nAnnual Fee\nJoint Fee\n",
    "Present\nHigh Score\nLow Score\n", "Present simple\nPast Perfect\n",
])  # fmt: skip
def test_other_lists_stay(nlp, text):
    assert shown(nlp, text) == []


@pytest.mark.parametrize("text", [
    "Name       Initials\nKestrin Tarlev    KT\nAda Lind     AL\n\nRain. KT got quotes.\n",
    "| Name | Short |\n|---|---|\n| Kestrin Tarlev | KT |\n| Ada Lind | AL |\n\nKT rang.\n",
    "Kestrin Tarlev – KT\nAda Lind – AL\n\nAsk KT about it.\n",
])  # fmt: skip
def test_initials_in_the_column_behind_a_name_are_those_of_someone(nlp, text):
    assert shown(nlp, text).count("KT") == text.count("KT")


def test_abbreviations_in_the_column_behind_a_name_stay(nlp):
    text = "Present\nPaul Mann    PM\nAda Lind    QA\n\nWe met at 3 PM, and QA was late.\n"
    assert shown(nlp, text) == ["Paul Mann", "Ada Lind"]


def test_a_time_is_no_mention_of_initials(nlp):
    text = "| Name | Initials |\n|---|---|\n| Paul Mann | PM |\n\nPM will come at 3 PM.\n"
    assert shown(nlp, text) == ["Paul Mann", "PM", "PM"]


@pytest.mark.parametrize(("text", "names"), [
    ("PM      Orla    Wendessa  Wafula  -\n", ["Orla", "Wendessa", "Wafula"]),
    ("Bed 3 Tarlev K 71M, NBM. Bed 4 Kiplesh O, 58F.", ["Tarlev K", "Kiplesh O"]),
    ("Plants (the Tarlev girls), and the Kiplesh twins came.", ["Tarlev", "Kiplesh"]),
    ("Results: 1 K Tarlev (unatt) 31:04; 2 W Kiplesh V40 32:01.", ["Tarlev", "Kiplesh"]),
    ("01/03  BGC  K TARLEV RENT            650.00\n", ["K TARLEV"]),
])  # fmt: skip
def test_names_of_rotas_beds_and_families_are_whole_and_apart(nlp, text, names):
    assert [ent.text for ent in nlp(text).ents if ent.label_ in LABELS] == names


@pytest.mark.parametrize("text", [
    "Bed 4 Empty. Bed 5 Closed for the night.", "The Tuesday boys and the Polish lads won.",
    "Heat: 1 K Plus (spare) 31:04; 2 V Battery (old) 12.", "It took 3 V and 5 K in all.",
    "AM      rain\nPM      sun\n", "5/20 Mon   Board meets at 6:30 pm\n",
])  # fmt: skip
def test_other_words_of_rotas_beds_and_groups_stay(nlp, text):
    assert shown(nlp, text) == []


@pytest.mark.parametrize("form", ['("KT")', "(“KT”)", "(KT)", "('KT')", '(the buyer, "KT")'])
def test_initials_in_quotes_within_brackets_stand_for_a_name(nlp, form):
    text = f"The buyer, Kestrin Tarlev {form}, signed it. We did not believe KT's evidence.\n"
    assert shown(nlp, text).count("KT") + shown(nlp, text).count("KT's") == 2


@pytest.mark.parametrize("time", ["", "[00:04] "])
def test_who_speaks_by_turns_with_someone_is_a_person_too(nlp, time):
    said = ("JT: Your name?", "KT: Kestrin Tarlev.", "JT: And then?", "KT: We left.")
    text = "".join(f"{time}{line}\n" for line in said)
    assert shown(nlp, text).count("JT") == 2 == shown(nlp, text).count("KT")


@pytest.mark.parametrize("other", ["IV: And then?", "Q: And then?", "BP: 120/80", "INT: And then?"])
def test_roles_in_short_and_readings_stay_beside_who_speaks(nlp, other):
    text = f"{other}\nKT: Kestrin Tarlev.\n{other}\nKT: We left.\n"
    assert shown(nlp, text) == ["KT", "Kestrin Tarlev", "KT"]


def test_a_family_name_in_capitals_goes_with_the_name_before_it(nlp):
    text = "Question from Kesh.\n\nKESH BHOGAL -- CFO\nSure.\n\nKESH BOILER is late.\n"
    assert "KESH BHOGAL" in shown(nlp, text)
    assert "KESH BOILER" not in shown(nlp, text)


@pytest.mark.parametrize(("text", "names"), [
    ("Vehicle: KDG 318Q  Driver: Wafula  Out: 0610", ["Wafula"]),
    ("Date;Vet;Remark\n14.03.24;Rowe;lame, seen w Kestrin\n", ["Rowe", "Kestrin"]),
    ("Please leave it w. Kestrin at no. 43.", ["Kestrin"]),
    ("Name         A     B\nOrla V       0800  OFF   1400\nBo Rask      AL    0800\n",
     ["Orla V", "Bo Rask"]),
    ("By: KT\n\nW-114  KT  6.8\n(KT = Kestrin Tarlev)\n", ["KT", "KT", "KT", "Kestrin Tarlev"]),
])  # fmt: skip
def test_names_beside_labels_short_words_and_hours_go_alone(nlp, text, names):
    assert shown(nlp, text) == names


def test_a_letter_for_someone_who_is_not_named_stays(nlp):
    text = "Officer B told me that Witness C left. Officer Tarlev agreed with Officer B. Lind."
    assert not {"B", "C"} & {*shown(nlp, text)}
    assert "Tarlev" in shown(nlp, text)
