"""Organisations that their last word, or the head of a document, shows; goods and bodies stay."""

import pytest
from conftest import in_letter, marks_of


@pytest.fixture(scope="module")
def marks():
    return marks_of({"PERSON", "ORG"})


@pytest.mark.parametrize("name", [
    "Tarn Valley Carriers", "Kestrel & Moor Taproom", "Foxglove Corner Produce",
    "Silver Lantern Wholesale", "Haddow's Costumes", "Birchwell Fire Zone", "Kendray Registry",
    "Malabar Register of Shipping", "Tolland County Sheriff's Office", "Ngaru Reef Field Station",
    "Varmeg Ölçüm Lab", "Kaltepe Höyük Research Project", "Brandvold Kindergarten",
    "Sentinel Amihan Security", "Velmont & Daughter",
    "Tamberlane Footlights", "Orrin Disciplinary Board", "Duskwater Harriers", "Kelso Rugby",
])  # fmt: skip
@pytest.mark.parametrize("text", ["The bill from {} came.", "We wrote to {}, who agreed."])
def test_a_firm_whose_last_word_says_its_kind_goes(marks, text, name):
    assert name in " ".join(in_letter(marks, text.format(name)))


@pytest.mark.parametrize("head", [
    "THARNDALE PLAYERS", "PUERTO VIEJO MUNICIPAL SCHOOLS", "KELLOWAY DENTAL DISCIPLINARY BOARD",
    "COLLEGE OF PHARMACISTS OF NEW BRUNSWICK", "ORMSKIRKE ROWING CLUB", "HADDOW TRUST BANK",
])  # fmt: skip
def test_an_organisation_in_the_capitals_of_a_head_goes(marks, head):
    text = f"{head}\nMinutes of the meeting of 4 May\n\nAda Lind took the chair. It was dry."
    assert head in marks(text)


@pytest.mark.parametrize("text", [
    "He reads of Greek Antiques.", "We use Garden Furniture.", "See the Notice Board.",
    "Get it in the App Store.", "Ask the Parole Board.", "The Emergency Services Board met.",
])  # fmt: skip
def test_goods_and_bodies_of_ordinary_words_stay(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize("head", [
    "TERMS AND CONDITIONS OF HIRE", "HEALTH AND SAFETY BOARD", "WASTE AND RECYCLING",
    "NOTICE OF THE ANNUAL MEETING OF THE CLUB", "WORKPLACE RELATIONS COMMISSION",
])  # fmt: skip
def test_a_head_of_ordinary_words_stays(marks, head):
    text = f"{head}\n\nAda Lind took the chair. It was dry. We read the letter twice."
    assert marks(text) == ["Ada Lind"]
