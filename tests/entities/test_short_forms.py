"""Short forms, languages, units, greetings, works, files and openings of sentences stay."""

import pytest
from conftest import marks_of


@pytest.fixture(scope="module")
def marks():
    return marks_of({"PERSON", "GPE", "ORG", "ADDRESS", "ID"})


@pytest.mark.parametrize("text", [
    "We gave ORS and RUTF, did the MUAC, and wrote the VDRL in the ANC card.",
    "The AWB and the GRN are with the LPO; the MTOW was in the LDM.",
    "Please send the MSDS before the HIRA, and the NCR with the CAPA.",
    "It went through GC-MS, then ICP-OES and LC-MS/MS.",
    "It is a BI-RADS 2, then a TI-RADS 4.",
    "The KMnO4 and the CaCl2 are on the shelf with NaHCO3.",
    "She wrote to HMRC, and the NSSF wants the form.", "The TPMS light is on, and the TCU is dead.",
    "It is VLSFO, ETB on the tide, SHINC.", "Three TTOs are due, and two RIDDORs, and the MSDSs.",
    "The fee is 900 Kshs, or 30 Tshs a day.",
])  # fmt: skip
def test_short_forms_methods_and_formulas_stay(marks, text):
    assert marks(text) == []


@pytest.mark.parametrize("text", [
    "He translates from Tigrinya, Uzbek and Amharic for us.",
    "It is an old Parthian coin with Aramaic on it.",
    "It goes from Pascal to Torr, and from Rankine to Kelvin.",
    "They hold MD licences and read the MS symptoms with care.",
    "The text is under the MIT licence, the scripts too.",
    "As in policy GBEA, cell phones stay home.",
])  # fmt: skip
def test_languages_units_and_codes_stay(marks, text):
    assert marks(text) == []


@pytest.mark.parametrize(("text", "names"), [
    ("Merhaba Aylin,\nthe pump works now.", ["Aylin"]),
    ("The pump works.\n\nLiebe Grüße\nMirjam", ["Mirjam"]),
    ("The pump works.\n\nTatenda,\nFarai Moyo", ["Farai Moyo"]),
    ("The pump works again, hvala.\nAda Lind", ["Ada Lind"]),
    ("We met Tatenda Moyo at the well.", ["Tatenda Moyo"]),
    ("Rahmat is away, so I asked Asante.", ["Rahmat", "Asante"]),
])  # fmt: skip
def test_thanks_and_greetings_stay_and_names_go(marks, text, names):
    assert marks(text) == names


@pytest.mark.parametrize("text", [
    'They sang the hymn "Abide with Ruth" again.', 'The encore, "Sweet Caroline", was long.',
    'It is from the album "Tapestry of Ana", side two.', 'The film "Thelma" was on at eight.',
    'A phone rang, ringing "Lara" in the hall.',
])  # fmt: skip
def test_the_name_of_a_work_stays(marks, text):
    assert marks(text) == []


@pytest.mark.parametrize("text", [
    "See deed_recto.pdf and deed_verso.pdf.", "It is called torvid_FINAL2 on the disk.",
    "Send lease_signed.docx and lease_scan.tiff.", "Open vertrag_entwurf.odt first.",
])  # fmt: skip
def test_names_of_files_stay(marks, text):
    assert marks(text) == []


def test_a_name_within_the_name_of_a_file_goes(marks):
    assert any("okafor" in mark for mark in marks("See okafor_FINAL2.pdf and plan_v2.pdf."))


@pytest.mark.parametrize("line", [
    "We'll send the ticket soon.", "They're open late.", "Case No. 4 of this year", "Don't ring.",
])  # fmt: skip
def test_an_address_ends_before_the_next_paragraph(marks, line):
    found = marks(f"Send it to 5 Mill Lane, Stromness, KW16 3BY\n\n{line}")
    assert found == ["5 Mill Lane, Stromness, KW16 3BY"]


def test_heads_over_cells_with_commas_in_quotes_stay(marks):
    text = (
        'role,stand,asic_expiry,qty\nloader,2,30/09/2024,"4, or 5"\ndriver,3,14/02/2025,"6, more"\n'
    )
    assert marks(text) == []


def test_roles_with_strokes_stay(marks):
    assert marks("Complainant: Zbigniew Harasim, Plater/Welder") == ["Zbigniew Harasim"]


@pytest.mark.parametrize("text", [
    "We close early.\n\nPrice of diesel is up again.", "Bill of lading is at the desk.",
    "Sung with a drone below it, twice.", "Doorstops are in the shed.",
    "Shinpads are to be worn.", "Eggcups go on the top shelf.",
    "Tractor, pit 2. Max. load is two tons.",
    "He may bring max 4 people.", "As in policies JFCG and KDB, they stay home.",
    "It is Munsell 10YR 5/3, with ash.", "On the old Lenovo T480 in the hall it runs.",
])  # fmt: skip
def test_openings_of_sentences_limits_and_policies_stay(marks, text):
    assert marks(text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("Mr Price of Lind Road came by.", "Price"), ("Ada of reception came by.", "Ada"),
    ("Sung Min came to the door.", "Sung Min"), ("I saw Max. He was fine.", "Max"),
    ("Brooks are a family in our street, like the Woods.", "Brooks"),
])  # fmt: skip
def test_names_that_open_a_sentence_go(marks, text, name):
    assert any(name in mark for mark in marks(text))


def test_what_was_given_is_nobody(marks):
    rows = "".join(f"| {name} | 22 | ORT 1, FA ×60, ITN | ok |\n" for name in ("Ana Lim", "Jo Ray"))
    text = f"| Name | Age | Given | Note |\n|---|---|---|---|\n{rows}"
    assert marks(text) == ["Ana Lim", "Jo Ray"]


def test_a_given_name_beside_a_family_name_goes(marks):
    text = "| Given | Family | Note |\n|---|---|---|\n| Tor | Egg | ok |\n| Bay | Leaf | no |\n"
    assert {"Tor", "Egg", "Bay", "Leaf"} <= {word for mark in marks(text) for word in mark.split()}


def test_a_title_before_a_saint_is_no_address(marks):
    assert "Mrs" not in " ".join(marks("PRESENT\nMrs Philomène St. Clair, chair"))
