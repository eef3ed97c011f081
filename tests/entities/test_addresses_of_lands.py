"""Addresses of South Asia, Africa and the Pacific go as a whole; orders and things stay."""

import pytest
from conftest import in_letter, marks_of


@pytest.fixture(scope="module")
def marks():
    return marks_of({"PERSON", "ADDRESS", "GPE"})


@pytest.mark.parametrize("address", [
    "House 9, Road 3", "Plot No. 14, Sector 7", "Holding 212, Ward 6", "House 212/B",
    "Mohalla Rangpura", "RMB 418", "Km 6, Wharf Road", "83 Loxton Chase", "Level 1, 16 Vito Parade",
    "7 Tarn Croft", "Stall 12, 5 Gandhi Chowk", "4 Forge Cottages", "112 Bharathi Salai",
    "9 Ashoka Vihar", "21 Tagore Sarani", "3 Chapel Almshouses", "904 rue Laurier, app. 12",
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


@pytest.mark.parametrize(
    "town", ["May Pen", "Hay-on-Wye", "Half Moon Bay", "Tampines", "Red Bluff"]
)
@pytest.mark.parametrize("text", [
    "Station: {}    Entry: 4", "Ada Lind, 26 years, mason, of {}",
    "Transit {} via the port, sealed",
])  # fmt: skip
def test_towns_of_ordinary_words_go(marks, text, town):
    found = " ".join(marks(text.format(town)))
    assert all(part in found for part in town.split())


@pytest.mark.parametrize("text", [
    "The pen may break.", "A red bluff is near.", "We half expect it.", "Use the app. 12 do.",
    "Two cottages burned, 4 of them old.",
])  # fmt: skip
def test_the_words_of_such_towns_stay(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize("call", ["Tel 090-55 01 42", "Phone: 01422 555 014", "Mob. +46 70 555 01"])
def test_a_telephone_on_the_next_line_is_no_part_of_an_address(marks, call):
    found = marks(f"Nils\nBrandt Bygg AB, Storgatan 4, 903 26 Umeå\n{call}\n")
    assert "Storgatan 4, 903 26 Umeå" in found


@pytest.mark.parametrize(("text", "place"), [
    ("She grew up in Hue, by the sea.", "Hue"), ("He moved from Nice to Split last year.", "Nice"),
    ("We fished the Skjernå and the Klarälven.", "Skjernå"),
    ("They came from Ware, I think.", "Ware"),
])  # fmt: skip
def test_a_town_that_is_a_word_and_a_water_of_the_north_go(marks, text, place):
    assert place in " ".join(marks(text))


@pytest.mark.parametrize("text", [
    "It falls under the Sale of Goods rule.", "We ran in the same order again, in rye and bath.",
])  # fmt: skip
def test_such_a_word_by_itself_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize("text", [
    "Tarnmore, Co. Sligo", "the fair in Co Laois", "12 Lind Street, Tarnmore, Co. Offaly",
    "Mayo and Co. Leitrim", "a house near Co. Durham",
])  # fmt: skip
def test_a_county_in_short_is_a_place(marks, text):
    found = in_letter(marks, f"She drove to {text}.")
    assert text.split()[-1] in " ".join(found) and all(word not in found for word in ("Co", "Co."))


def test_a_firm_with_the_same_short_form_is_none():
    marks = marks_of({"PERSON", "GPE", "ORG"})
    assert "Brown Bros, Co. Ltd" in " ".join(
        in_letter(marks, "We wrote to Brown Bros, Co. Ltd. then.")
    )


@pytest.mark.parametrize("opening", [
    "Leaving", "Near", "Behind", "At", "Yes", "Our", "Passing", "Outside", "Meet", "Avoid",
])  # fmt: skip
@pytest.mark.parametrize("before", ["", "It rained. ", "- ", "Ada Lind: "])
def test_what_opens_a_clause_before_a_street_stays(marks, opening, before):
    found = in_letter(marks, f"{before}{opening} Tolmin Road at noon, then home.")
    assert "Tolmin Road" in found


@pytest.mark.parametrize("street", [
    "All Saints Road", "Little Tarn Lane", "Reading Hill Road", "Old Barn Lane", "Under Lane",
    "First Mill Avenue", "Long Acre Street", "Broken Cross Lane", "Grace Park Road",
])  # fmt: skip
def test_the_first_word_of_a_street_goes_with_it(marks, street):
    assert street in in_letter(marks, f"{street} is shut today.")


@pytest.mark.parametrize("address", [
    "Block 14 Lot 9", "Blk 3, Lot 12, Phase 2", "Lot 7, Block 21", "Tŷ Capel, Lôn Uchaf",
    "At Post Kelmad, Tal. Sorna", "Vill. Tolmad, Post Sorna, Dist. Velur", "Ffordd y Gors",
])  # fmt: skip
def test_blocks_villages_and_lanes_of_other_languages_go(marks, address):
    found = " ".join(in_letter(marks, f"Ms Ada Lind, {address}, said that she is well."))
    assert all(word in found for word in address.replace(",", "").replace(" y ", " ").split())


def test_a_numbered_avenue_goes_and_a_square_of_ordinary_words_stays(marks):
    assert "104 Avenue" in in_letter(marks, "He drove on the 104 Avenue route for years.")
    assert in_letter(marks, "We have a coach from the station square at noon.") == []
    assert in_letter(marks, "Block it, and post lot 9 at noon.") == []


@pytest.mark.parametrize("address", [
    "Tarn House, Dublin 4", "12 Elm Road, Dublin 8", "Tolmin Chambers, Colombo 7",
    "3 Fern Street, Budapest 11",
])  # fmt: skip
def test_the_district_of_a_city_goes_with_its_number(marks, address):
    found = " ".join(in_letter(marks, f"The hearing is at {address}, on the first floor."))
    assert all(word in found.replace(",", "").split() for word in address.replace(",", "").split())


def test_results_beside_a_city_stay(marks):
    found = " ".join(in_letter(marks, "The results are Tolmin Park 3, Dublin 4, and that is that."))
    assert not {"3", "4"} & {*found.split()}


@pytest.mark.parametrize("below", ["P.S. Linden came.", "PS Linden came.", "NB the gate", "cc Bo"])
def test_what_goes_on_below_a_blank_line_is_no_part_of_an_address(marks, below):
    found = marks(f"Yours,\nAda Lind\n14 Tarn Avenue\nLeeds\n\n{below}\n")
    assert "14 Tarn Avenue\nLeeds" in found
    assert not any(below.split()[0] in shown for shown in found)


@pytest.mark.parametrize("address", [
    "14 Tarn Avenue\n\nLeeds\n\nLS1 4DT", "14 Tarn Avenue\n\nBrisbane QLD 4000",
    "14 Tarn Avenue\n\nSaint John NB E2L 4L1\n\nCanada",
])  # fmt: skip
def test_an_address_with_a_blank_line_below_each_goes(marks, address):
    assert marks(f"Ada Lind\n\n{address}\n")[-1] == address


@pytest.mark.parametrize(("text", "address"), [
    ('7,"write to Flat 2, 9 Fish Row, Deal"', "9 Fish Row, Deal"),
    ("She is at 14 Tarn Avenue, Bury.", "14 Tarn Avenue, Bury"),
    ("Addr: 41B Tarn Tce, Diss", "41B Tarn Tce, Diss"),
    ("It's forty-one B Tarn Terrace, please.", "forty-one B Tarn Terrace"),
    ("She is at nine Sandgate Row in town.", "nine Sandgate Row"),
    ("Turn off County Road 14 by the mill.", "County Road 14"),
    ("It is on Highway 61 north of here.", "Highway 61"),
    ("He is at 1200 State Hwy 16, Tarn.", "1200 State Hwy 16"),
    ("She farms on Township Rd. 210 now.", "Township Rd. 210"),
])  # fmt: skip
def test_the_town_and_the_number_of_a_road_belong_to_it(marks, text, address):
    assert any(address in shown for shown in marks(text))


@pytest.mark.parametrize(("text", "address"), [
    ("It is for 14 Tarn Avenue, Deal with it.", "14 Tarn Avenue"),
    ("Re 14 Tarn Avenue, Repairs", "14 Tarn Avenue"),
    ("Two High Court judges and one Crown Court clerk came.", ""),
    ("The state highway 40 tax is due.", ""), ("National Line 3 is late.", ""),
])  # fmt: skip
def test_what_stands_behind_a_street_stays(marks, text, address):
    assert all(shown == address for shown in marks(text))


@pytest.mark.parametrize("flat", ["Flat B-704", "Apt C/12", "Shop AB-3"])
def test_a_flat_with_a_letter_goes(marks, flat):
    assert flat in in_letter(marks, f"The leak is above {flat} since May.")


def test_what_stands_behind_a_temperature_is_no_firm():
    marks = marks_of({"PERSON", "GPE", "ORG"})
    assert in_letter(marks, "It was 18 °C the Healthy Homes rules ask of us.") == []
