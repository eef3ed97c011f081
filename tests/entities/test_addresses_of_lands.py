"""Addresses of South Asia, Africa and the Pacific go as a whole; orders and things stay."""

import pytest
from conftest import in_letter, marks_of


@pytest.fixture(scope="module")
def marks():
    return marks_of({"PERSON", "ADDRESS", "GPE"})


@pytest.mark.parametrize("address", [
    "House 9, Road 3", "Plot No. 14, Sector 7", "Holding 212, Ward 6", "House 212/B",
    "Mohalla Rangpura", "RMB 418", "Km 6, Wharf Road", "83 Loxton Chase", "Level 1, 16 Vito Parade",
    "7 Tarn Croft", "Stall 12, 5 Gandhi Chowk",
])  # fmt: skip
def test_such_an_address_goes(marks, address):
    found = " ".join(in_letter(marks, f"She lives at {address}, Lautoka, and works there."))
    assert all(word in found for word in address.replace(",", "").split())


@pytest.mark.parametrize("text", [
    "See House rule 9, then road 3.", "It is in the house 9 days.", "The shop 4 sector was dry.",
    "The chase took 83 long minutes.", "A parade of 16 floats came.",
])  # fmt: skip
def test_numbers_of_other_things_stay(marks, text):
    assert in_letter(marks, text) == []
