"""Titles of many languages and roles stay beside the names, which go."""

import pytest
from conftest import marks_of

from spacy_dxprivacy.entities.senders import senders_in
from spacy_dxprivacy.entities.titles import is_also_title, is_title_behind


@pytest.fixture(scope="module")
def marks():
    return marks_of({"PERSON", "GPE", "ORG"})


@pytest.mark.parametrize(("text", "name"), [
    ("We walked home with Mkhulu Sipho after church.", "Sipho"),
    ("The goat belongs to Ntate Thabo and his brother.", "Thabo"),
    ("Ask Khun Somchai for the key, please.", "Somchai"),
    ("She learned it from Mooshum Albert in the spring.", "Albert"),
    ("The form is with Bapak Suharto at the desk.", "Suharto"),
    ("Midwife Adwoa came at six with the kit.", "Adwoa"),
    ("They wrote to Arch. Camila Torres about it.", "Camila Torres"),
    ("Our guest was Don Evaristo, who sang.", "Evaristo"),
])  # fmt: skip
def test_a_title_before_a_name_stays(marks, text, name):
    assert marks(text) == [name]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I asked Suresh bhai about the pump.", "Suresh"),
        ("It was Mehmet abi who paid for it.", "Mehmet"),
        ("Ayşe Hanım has the second key.", "Ayşe"),
        ("The cake is from Ilona néni next door.", "Ilona"),
        ("We met Nurlan agai at the school.", "Nurlan"),
    ],
)
def test_a_title_behind_a_name_stays(marks, text, name):
    assert marks(text) == [name]


@pytest.mark.parametrize(("word", "behind"), [
    ("Don", "Henry"), ("Don", "Rickles is"), ("Arch", "Zinck"), ("Pa", "Houa Vang"),
    ("Datu", "Salleh Omar"), ("Bishop", "Lane"), ("Sheikh", "Tauqeer"), ("Haji", "Ismail"),
    ("Pandit", "Ravi"),
])  # fmt: skip
def test_a_name_before_a_name_is_no_title(word, behind):
    assert not is_also_title(word, behind)


@pytest.mark.parametrize("word", ["Bey", "Chan", "Jan", "Kaka", "Lind"])
def test_a_family_name_is_no_title_behind_a_name(word):
    assert not is_title_behind(word, "Aylin")


@pytest.mark.parametrize("title", ["Pastor", "Daktari", "Student", "Sheriff", "Electrician"])
def test_a_title_alone_is_no_name(marks, title):
    assert marks(f"I think we must ask {title}, who has the key to the hall.") == []


@pytest.mark.parametrize(("sender", "name"), [
    ("Nurse Efua", "Efua"), ("Baraka Electrician", "Baraka"), ("Chipo Salon", "Chipo"),
    ("Trainee Tendai", "Tendai"), ("Anil Taxi", "Anil"), ("Mama Aisha Shop", "Aisha"),
    ("Auntie Mercy", "Mercy"), ("Uncle Bright", "Bright"),
])  # fmt: skip
def test_roles_and_places_beside_a_sender_stay(sender, name):
    text = f"02/11/2023, 20:07 - {sender}: yes I am there\n02/11/2023, 20:09 - Grace: ok"
    assert [text[entity.start : entity.end] for entity in senders_in(text)] == [name, "Grace"]


@pytest.mark.parametrize("sender", [
    "Boon Kiat", "Grace Baker", "Night Shop", "Rose Taylor", "Sheikh Tauqeer", "Bishop Amos",
    "Prince Eze",
])  # fmt: skip
def test_a_sender_of_names_goes_whole(sender):
    text = "".join(
        f"02/11/2023, 20:0{i} - {sender}: yes\n02/11/2023, 20:09 - Ada: ok\n" for i in "12"
    )
    assert sender in [text[entity.start : entity.end] for entity in senders_in(text)]


@pytest.mark.parametrize(("text", "names"), [
    ("Seen by Ada Lind SpR on the ward.", ["Ada Lind"]),
    ("Reviewed with Holbrook SpR and Mwale StR here.", ["Holbrook", "Mwale"]),
    ("The note is by M Nolte FY2.", ["M Nolte"]), ("She rang Duma CNS about it.", ["Duma"]),
    ("Then the SpR came at nine.", []),
])  # fmt: skip
def test_the_grade_of_a_doctor_or_nurse_stays(marks, text, names):
    assert marks(text) == names
