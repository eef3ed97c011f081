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
    "Tolmere Wheelers", "St Eluned's Old Boys", "Haddow's Camera Exchange", "Birchwell Church Hall",
    "Te Moana Soil Advisory", "Tolland Befriending Project SCIO", "Ngaru Weavers CIC",
    "Halden Lane Mosque", "Tolmere CC", "Upper Kendray RUFC", "Zelena Luka d.o.o",
    "Tolmere Creek Elementary", "Birchwell Elementary", "Red Bluff Public Library",
    "Moose Jaw General Hospital", "Haddow & Sorrel Loss Adjusters", "Tolmere Stonemasons",
    "Kvist Torvik OÜ", "St Orrin's Priory", "Tarnby Gurudwara",
])  # fmt: skip
@pytest.mark.parametrize("text", ["The bill from {} came.", "We wrote to {}, who agreed."])
def test_a_firm_whose_last_word_says_its_kind_goes(marks, text, name):
    assert name in " ".join(in_letter(marks, text.format(name)))


@pytest.mark.parametrize(("text", "firm"), [
    ("Hilsen\nAda\nKvist Maskin AS\nBergen", "Kvist Maskin AS"),
    ("The bill of Kvist Maskin AS, Bergen, came.", "Kvist Maskin AS"),
])  # fmt: skip
def test_a_firm_of_norway_goes(marks, text, firm):
    assert firm in marks(text)


def test_as_and_cc_within_a_line_make_no_firm(marks):
    assert in_letter(marks, "The plan is, AS I said, good. Please CC the office.") == []


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


@pytest.mark.parametrize("name", [
    "Lobben Mill Allotment and Leisure Gardens Society", "Bemish Grain & Hop Lab",
    "Nightjar Lodge for Seafarers", "Tarnbeck Books and Prints Gallery", "Kelso Home for Sailors",
    "Geological Survey of New Tharn", "Taller Quirquén", "Botika ni Aling Rosa",
    "Pension Violetka", "Trattoria da Ginetto", "Faz Sub-County Hospital",
])  # fmt: skip
def test_a_firm_of_several_parts_goes_as_a_whole(marks, name):
    assert name in " ".join(in_letter(marks, f"The bill from {name} came."))


@pytest.mark.parametrize(("text", "names"), [
    ("We wrote to Kestrel Freight Ltd and Marlow Bank.", ["Kestrel Freight Ltd", "Marlow Bank"]),
    ("She left Tarn Trust and City Bank.", ["Tarn Trust"]),
])  # fmt: skip
def test_two_firms_are_two(marks, text, names):
    assert {*names} <= {*in_letter(marks, text)}


@pytest.mark.parametrize(("text", "short", "count"), [
    ('The Waikora Valley Rugby Club ("Valley") won, and Valley has 41 members.', "Valley", 3),
    ("Kestrel Low Haulage Ltd (“Kestrel”) came, and Kestrel paid us.", "Kestrel", 3),
])  # fmt: skip
def test_the_short_form_of_a_firm_in_brackets_goes(marks, text, short, count):
    assert " ".join(in_letter(marks, text)).split().count(short) == count


@pytest.mark.parametrize("host", ["elbfab", "tarnsteel", "kolbruk", "nanyumi"])
def test_the_firm_that_an_address_of_mail_names_goes(marks, host):
    text = f"Cc: rota@{host}.de\n\nHello {host.capitalize()} team, the tool is late. It was dry."
    assert host.capitalize() in marks(text)


@pytest.mark.parametrize("host", ["gmail.com", "post.example", "outlook.com", "orange.fr"])
def test_the_provider_of_an_address_stays(marks, host):
    word = host.split(".")[0].capitalize()
    text = f"Cc: rota@{host}\n\nHello all, send it by {word} then. The tool is late. It was dry."
    assert word not in marks(text)


@pytest.mark.parametrize(("text", "name"), [
    ("Tolmere FM 104.7 is on.", "Tolmere FM"),
    ("#brew, Tolmere Hop Gang Discord\n3 May 2024\n", "Tolmere Hop Gang"),
    ("Join the Tolmere Hop Gang WhatsApp group now.", "Tolmere Hop Gang"),
    ("Ada Lind | Staff Engineer | BrackenHost\n+44 20 7946 0018\n", "BrackenHost"),
])  # fmt: skip
def test_a_radio_a_group_and_the_firm_of_a_signature_go(marks, text, name):
    assert name in " ".join(marks(text))


@pytest.mark.parametrize("text", [
    "Our FM radio is old.", "Join our Discord server.", "Get the WhatsApp app.",
    "We sat in the church hall.", "Three old boys on two wheelers came.", "It was an exchange.",
    "Date | Staff | Hours\n012 | 4 | 5\n",
])  # fmt: skip
def test_the_words_beside_them_stay(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize("owners", [
    "The Owners, Strata Plan KAS 2210", "Owners Corporation SP 8871", "Body Corporate 20713",
    "Condominium Corporation No. 4471",
])  # fmt: skip
def test_the_owners_of_a_building_by_its_plan_are_an_organisation(marks, owners):
    assert owners.split()[-1] in " ".join(marks(f"Lind v. {owners} was heard in May."))


def test_a_family_practice_is_called_by_its_road(marks):
    assert "Tarrant Road Family Practice" in marks("Tarrant Road Family Practice\n12 Tarrant Road")


SIGNED = "Many thanks for this.\n\nAda Lind | {}\n{}\n19 Old Tarn Street, Leeds\n"


@pytest.mark.parametrize(
    "firm", ["Marrowdale Lets", "Fern & Moss", "Lantern Homes", "Kelso Drains"]
)
@pytest.mark.parametrize("post", ["Senior Property Manager", "Director", "Office Manager"])
def test_a_firm_between_who_signs_and_a_street_goes(marks, firm, post):
    found = " ".join(marks(SIGNED.format(post, firm)))
    assert all(word in found for word in firm.replace("& ", "").split())


def test_a_line_below_no_post_is_no_firm(marks):
    assert "Weekly" not in " ".join(marks(SIGNED.format("Notes of the day", "Weekly List")))


@pytest.mark.parametrize("text", [
    "It is run through {} for free, they say.", "He has a job at {} and likes it.",
    "{}, 4 Elm Road, Leeds | www.salt.example",
])  # fmt: skip
@pytest.mark.parametrize("firm", ["Salt Hill Public Library", "Tarn Bridge Neighbour Centre"])
def test_a_firm_of_common_words_goes_where_it_is_one_place(marks, text, firm):
    assert firm in in_letter(marks, text.format(firm))


@pytest.mark.parametrize("text", [
    "She went to the Adult Day Centre by bus.", "It was sent by Parish Finance Committee.",
    "The Public Library, 4 or 5 of us, was shut.",
])  # fmt: skip
def test_those_that_each_place_has_stay(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "place"), [
    ("News of the hall, Surrey BC          Issue 47", "Surrey BC"),
    ("We saw it in Reno NV, and in Leeds.", "Reno NV"),
])  # fmt: skip
def test_a_town_goes_with_its_state(text, place):
    assert place in " | ".join(in_letter(marks_of({"PERSON", "GPE", "ORG"}), text))


@pytest.mark.parametrize("text", ["The Leeds PE teacher left.", "Ask the York PR team."])
def test_abbreviations_behind_a_town_stay(text):
    assert not {"PE", "PR"} & {
        *" ".join(in_letter(marks_of({"PERSON", "GPE", "ORG"}), text)).split()
    }


@pytest.mark.parametrize("text", [
    "The elementary level is for the very young. Elementary, my dear.",
    "Two electricians and the site plumbers came.", "He went to an elementary school.",
])  # fmt: skip
def test_levels_and_trades_by_themselves_stay(marks, text):
    assert in_letter(marks, text) == []


def test_a_firm_of_a_trade_heads_a_letter_in_capitals(marks):
    text = "HADDOW & SORREL LOSS ADJUSTERS\nSuite 4, 210 Queen Street, Tolmere\n\nDear Ada,\n"
    assert "HADDOW & SORREL LOSS ADJUSTERS" in marks(text)


def test_a_town_of_ordinary_words_is_no_firm_by_itself():
    marks = marks_of({"ORG"})
    assert marks("He left Red Bluff for good. The Pine Bluff road is shut.") == []


@pytest.mark.parametrize(("text", "house"), [
    ("He is at, hang on, The Limes, in Tolmere.", "The Limes"),
    ("Send it to The Laurels Surgery, please.", "The Laurels Surgery"),
    ("She lives at The Old Rectory and keeps bees.", "The Old Rectory"),
    ("The Elms\nOak Road\nTolmere\n", "The Elms"),
])  # fmt: skip
def test_a_house_that_is_called_by_its_trees_goes(marks, text, house):
    assert house in marks(text)


@pytest.mark.parametrize("text", [
    "The limes are sour. The elms died, and the old mill too.", "The Willows are wet in June.",
    "The NCR NCR-117 is open, and RFI RFI-22 is not.",
])  # fmt: skip
def test_trees_and_the_keys_of_codes_stay(marks, text):
    assert marks(text) == []
