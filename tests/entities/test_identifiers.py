"""Plates, national identifiers and their check digits, in the language of the text."""

import pytest
from conftest import pipeline_of

from spacy_dxprivacy import Rng, registry
from spacy_dxprivacy.entities.national import is_surely_national, kind_of_number
from spacy_dxprivacy.surrogates import Draws, Mention


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler")


def found(nlp, text, language, *labels):
    doc = nlp.make_doc(text)
    doc.user_data["dx_language"] = language
    for _, pipe in nlp.pipeline:
        doc = pipe(doc)
    return [ent.text for ent in doc.ents if ent.label_ in (labels or ("ID",))]


PLATES = {
    "de": ["B-MW 1234", "HH-AB 123E", "M-XY 99"],
    "fr": ["AB-123-CD", "AB 123 CD"],
    "it": ["AB 123 CD", "AB123CD"],
    "es": ["1234 BCD", "1234BCD"],
    "nl": ["12-ABC-3", "AB-12-34"],
    "en": ["AB12 CDE", "AB12CDE", "B-MW 1234"],
}
SENTENCES = {
    "de": "Das Auto {} stand dort.", "fr": "La voiture {} est partie.",
    "nl": "De auto {} stond er.", "it": "L'auto {} è partita.", "es": "El coche {} estaba allí.",
    "en": "The car {} was seen.",
}  # fmt: skip


@pytest.mark.parametrize("language", list(PLATES))
def test_plates_are_identifiers_in_texts_of_each_language(nlp, language):
    for plate in PLATES[language]:
        assert found(nlp, SENTENCES[language].format(plate), language) == [plate]


@pytest.mark.parametrize(
    "text",
    ["It cost 1500 CHF then.", "He paid 1200 GBP for it.", "Plates were at 1200 degrees.",
     "The reg number is on 12 cars.", "An IL12 assay was run.", "ISO 9001 holds."],
)  # fmt: skip
def test_amounts_and_terms_are_no_plates(nlp, text):
    assert found(nlp, text, "en") == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The SIRET is 732 829 320 00074.", "732 829 320 00074"),
        ("Her tax number 86 095 742 719 is here.", "86 095 742 719"),
        ("ABN 51 824 753 556", "51 824 753 556"),
        ("AHV 756.9217.0769.85", "756.9217.0769.85"),
        ("national insurance number: 12 345 678 901", "12 345 678 901"),
    ],
)
def test_a_number_of_groups_with_its_key_is_no_telephone_number(nlp, text, number):
    assert found(nlp, text, "en") == [number] and not found(nlp, text, "en", "PHONE")


def test_a_dotted_number_with_its_letter_is_whole(nlp):
    assert found(nlp, "Su documento 54.362.315-K consta.", "es") == ["54.362.315-K"]


BEHIND_A_KEY = [
    ("Her national insurance number: {} now", ["jw 40 61 73 b", "JW 40 61 73 B", "jw406173b"]),
    ("NI no. {} on file", ["QQ 40 61 73 A", "jw 40 61 73"]), ("NINO: {};", ["PX 11 22 33 D"]),
    ("Sort {} a/c 40817733", ["40-17-22"]), ("s/c {}, please", ["08-99-61"]),
    ("Tel {} for the office", ["6120", "20417"]), ("DDI {}; ask for me", ["7714"]),
    ("Fax no. {}.", ["3381"]), ("Dial {} from inside", ["6120"]),
    ("The gate is at grid ref {}.", ["SK 412 886", "SK412886", "H 123 456", "412 886"]),
    ("NGR {}, north bank", ["NT 25100 73400"]),
    ("Tail number {} taxied.", ["G-WXYZ", "N731XP", "HB-LQR"]), ("aircraft {} left", ["PH-BQK"]),
    ("cédula {} del titular", ["4.071.223.918", "12.345.678-5"]), ("NISS {}.", ["71.08.23-114.36"]),
    ("My rego is {}.", ["2KD 7WX"]), ("The van with plate {} left.", ["KL MW 77"]),
]  # fmt: skip


@pytest.mark.parametrize(("form", "numbers"), BEHIND_A_KEY)
def test_short_and_spaced_numbers_behind_their_key_are_identifiers(nlp, form, numbers):
    for number in numbers:
        assert found(nlp, form.format(number), "en")[0] == number


@pytest.mark.parametrize("number", ["G-WXYZ", "C-GQRT", "D-EKLM", "F-HPQR", "71.08.23-114.36"])
def test_aircraft_and_dotted_numbers_of_persons_need_no_key(nlp, number):
    assert found(nlp, f"They saw {number} there.", "en") == [number]


@pytest.mark.parametrize(
    "text",
    ["We sold 6120 phones.", "The phone 2019 model sold.", "Tel 6120 people came.", "Dial 999 now.",
     "A G-CODE and a D-TYPE connector.", "The grid was 640 480.", "Fax 3.5 pages.",
     "A C-SPAN clip ran.", "Sort 12 then 14.", "PC and DC 12 were on."],
)  # fmt: skip
def test_what_only_looks_like_a_short_number_of_someone_stays(nlp, text):
    assert found(nlp, text, "en") == []


@pytest.mark.parametrize("joint", [" and ", " und ", ", ", " or ", " & "])
@pytest.mark.parametrize(
    ("first", "second"),
    [("HH-AB 123", "HH-XY 1234"), ("KCX 418J", "KDA 22B"), ("AB12 CDE", "X9 YZW")],
)  # fmt: skip
def test_a_list_of_codes_is_whole(nlp, joint, first, second):
    assert found(nlp, f"The van {first}{joint}{second} left.", "en") == [first, second]


@pytest.mark.parametrize("machine", ["198.18.4.0/22", "198.18.4.7:4414", "198.18.4.7/32"])
def test_the_address_of_a_machine_behind_the_word_for_its_net_is_one(nlp, machine):
    for form in ("The subnet {} is ours.", "subnet: {}", "on subnet {}, too"):
        assert found(nlp, form.format(machine), "en", "ID", "URL") == [machine]


# -- with python-stdnum ----------------------------------------------------------------------------

NUMBERS = {
    "732 829 320 00074": "fr.siret", "86 095 742 719": "de.idnr", "86095742719": "de.idnr",
    "943 476 5919": "gb.nhs", "111222333": "nl.bsn", "1112.22.333": "nl.bsn",
    "RCCMNL83S18D969H": "it.codicefiscale", "54362315K": "es.dni", "54.362.315-K": "es.dni",
    "X-2482300W": "es.nie", "2 95 10 99 126 111 93": "fr.nir", "756.9217.0769.85": "ch.ssn",
    "51 824 753 556": "au.abn", "DE136695976": "de.vat", "390.533.447-05": "br.cpf",
}  # fmt: skip


@pytest.mark.parametrize("number", list(NUMBERS))
def test_a_national_identifier_becomes_one_of_its_kind(number):
    pytest.importorskip("stdnum")
    digits = registry.dx_surrogates.get("dx.Digits.v1")()
    kind = kind_of_number(number)
    assert kind is not None and kind.module == NUMBERS[number]
    for seed in range(3):
        (new,) = digits.replace([Mention(number, "ID")], Draws(Rng(seed)))
        assert new != number and kind.has(new)
        shape = [c if not c.isalnum() else c.isalpha() for c in number]
        assert [c if not c.isalnum() else c.isalpha() for c in new] == shape
        assert NUMBERS[number] != "gb.nhs" or new.startswith("999")


def test_one_number_has_one_surrogate_however_it_is_written():
    pytest.importorskip("stdnum")
    digits = registry.dx_surrogates.get("dx.Digits.v1")()
    forms = [Mention(text, "ID") for text in ("86 095 742 719", "86095742719")]
    one, other = digits.replace(forms, Draws(Rng(1)))
    assert one.replace(" ", "") == other


@pytest.mark.parametrize("number", ["732 829 320 00075", "86 095 742 718", "12345", "AB-1234567"])
def test_other_numbers_have_no_kind(number):
    assert kind_of_number(number) is None and not is_surely_national(number)


@pytest.mark.parametrize(
    "text", ["reach 732 829 320 00074", "at 756.9217.0769.85", "on 86 095 742 719"]
)
def test_check_digits_tell_identifiers_from_telephone_numbers(nlp, text):
    pytest.importorskip("stdnum")
    assert found(nlp, text, "en") and not found(nlp, text, "en", "PHONE")


def test_telephone_numbers_stay_telephone_numbers(nlp):
    """One in eleven numbers of ten digits has the check digits of the NHS."""
    for number in ("943 476 5919", "415 476 5919", "020 7946 0018", "+49 171 3920012"):
        assert found(nlp, f"Call {number} now.", "en", "PHONE") == [number]


# -- opaque identifiers of systems -----------------------------------------------------------------

OPAQUE = [
    "doc_20240315_9876543210", "pat_ABC123DEF456", "cus_NffrFeUfNV2Hib",
    "ch_3MqLiJLkdIwHu7ix0snN0B0Y", "pi_3MtwBwLkdIwHu7ix28a3tqPa", "evt_1NG8Du2eZvKYlo2CUI79vXWy",
    "backup_2023_03_14", "user_8842", "rec_00012-b", "550e8400-e29b-41d4-a716-446655440000",
    "2001:db8::1", "fe80::1ff:fe23:4567:890a", "2001:0db8:85a3::8a2e:0370:7334",
    "ab:cd:ef:ab:cd:ef", "ORD_2024_77",
]  # fmt: skip
AROUND = ["The file {} was sent.", "see {}, please", "**Reference:** {} and more", "({})", "{}"]


@pytest.mark.parametrize("code", OPAQUE)
def test_a_code_of_a_system_is_whole_wherever_it_stands(nlp, code):
    for around in AROUND:
        assert found(nlp, around.format(code), "en") == [code], around


@pytest.mark.parametrize(
    "text",
    ["It runs on x86_64 with SHA256.", "utf8_general_ci is the collation", "RFC2119, ISO8601",
     "std::vector and a::b::c", "at 12::", "my_function_2 calls get_user_by_id", "ISO-8859-1",
     "base64_encode", "AES256 and RSA2048", "MAX_LENGTH_255", "the IEEE802 family"],
)  # fmt: skip
def test_terms_of_programs_and_standards_are_no_codes(nlp, text):
    assert found(nlp, text, "en") == []


KEYED = {
    "The card ending in 4471 was charged.": "4471", "the one that ends with 0098": "0098",
    "Last four digits of her SSN are 6620.": "6620", "last 4: 1182": "1182",
    "account ****9982 is closed": "9982", "card xxxx xxxx xxxx 1234.": "1234",
    "Please pay PO 4471.": "4471", "Our customer 77120 called.": "77120",
    "employee 00471 left": "00471", "warrant 22/1187 was served": "22/1187",
    "specimen 8812-44, ward 7": "8812-44", "accession 2023:CH4471": "2023:CH4471",
    "HN 12-3345 seen": "12-3345", "Order 114-3941689-8772232 shipped": "114-3941689-8772232",
    "claim 004-81-22871 is open": "004-81-22871", "ref 123/AB45678": "123/AB45678",
}  # fmt: skip


@pytest.mark.parametrize(("text", "number"), KEYED.items())
def test_a_number_after_its_key_needs_no_colon(nlp, text, number):
    assert found(nlp, text, "en") == [number]


@pytest.mark.parametrize(
    "text",
    ["The order of 2023-03-14 stands.", "The case of 3/4/2021 ended.", "group 2019-2020",
     "season 2019/20, file 2019/20", "record 10:45", "ending in 5 minutes", "ending in 2024.",
     "the last three 500 m", "last 4 weeks", "they ended on 12 March", "an order 5000 units large",
     "customer service is open", "the last four 2,000 m races"],
)  # fmt: skip
def test_dates_times_and_amounts_after_such_words_are_no_numbers(nlp, text):
    assert found(nlp, text, "en") == []


@pytest.mark.parametrize("text", ["PIN 0417", "the gate code 4471", "her PIN: 0417", "otp 8812."])
def test_four_digits_after_the_word_for_a_secret_are_one(nlp, text):
    assert len(found(nlp, text, "en", "SECRET")) == 1


@pytest.mark.parametrize("text", ["the pin 12 of it", "pin 2.5000", "a key code 12:30"])
def test_other_numbers_after_such_a_word_are_no_secret(nlp, text):
    assert not found(nlp, text, "en", "SECRET")


@pytest.mark.parametrize(("text", "dates"), [
    ("DOB 19580612; admitted 20230314.", ["19580612", "20230314"]),
    ("Stamped 20230314235012 and 20230314T2350.", ["20230314235012", "20230314T2350"]),
    ("DTSTART;VALUE=DATE:20230503\nBDAY:19580612", ["20230503", "19580612"]),
    ("Scan dated 20230314_235012.dcm came.", ["20230314_235012"]),
    ("See IMG_20230314_235959.jpg and scan_20230314.pdf.", ["20230314_235959", "20230314"]),
    ("Seen 14MAR2023, 14Mar23 and 2023-W16-2.", ["14MAR2023", "14Mar23", "2023-W16-2"]),
    ("a,20230314,b\nc,20230315,d", ["20230314", "20230315"]),
    # of an account or a telephone, of a longer code, no day of a month
    ("account 20230314, ref 20230401, order no. 20230101, call me on 20230314", []),
    ("INV-20230314-001, SMITH:20230503, Smith_20230314.pdf, 20230314-aaaa-4bbb", []),
    ("Rechnung 20230314 und Kundennummer: 20230401", []),
    ("PID|1||12345||DOE^JANE||19580612|F", []), ("It is 20231399 or 120230314.", []),
])  # fmt: skip
def test_a_day_without_marks_is_a_date_unless_it_is_a_code(nlp, text, dates):
    assert found(nlp, text, "en", "DATE") == dates
    codes = [code for code in ("20230314", "20230503", "JANE") if code in text and not dates]
    entities = found(nlp, text, "en", "ID", "PHONE", "PERSON")
    assert all(any(code in entity for entity in entities) for code in codes)


def test_the_ending_of_a_named_file_stays(nlp):
    assert found(nlp, "See IMG_20230314_235959.jpg.", "en", "ID") == []
    assert found(nlp, "Siehe Scan_20230314.pdf hier.", "de", "DATE") == ["20230314"]


@pytest.mark.parametrize(("text", "plate"), [
    ("The lorry KCX 417M is in the yard.", "KCX 417M"),
    ("We hit his bakkie, reg. ND 418-306.", "ND 418-306"),
    ("The truck (GT 6631-22) was stopped.", "GT 6631-22"),
    ("His plate NPS 48127 was seen.", "NPS 48127"),
    ("It is a white van JKL 472 FS with a dent.", "JKL 472 FS"),
    ("A car, PDB 7714, plate PDB 7714.", "PDB 7714"),
    ("We saw UAX 123A at the gate.", "UAX 123A"), ("The aircraft was VH-KQZ then.", "VH-KQZ"),
    ("The heifer is IE 271094 30618 now.", "IE 271094 30618"),
    ("Her car, K12 ABC, was towed.", "K12 ABC"), ("A Fiesta, reg. N7 JRD, left.", "N7 JRD"),
])  # fmt: skip
def test_a_plate_with_blanks_is_an_identifier(nlp, text, plate):
    assert plate in found(nlp, text, "en")


@pytest.mark.parametrize(("text", "code"), [
    ("Pay it to SWIFT: KMBKGHAC today.", "KMBKGHAC"),
    ("Cause No. E0114 of 2023 is listed.", "E0114 of 2023"),
    ("It has ref WRFA/DC/24/09 in it.", "WRFA/DC/24/09"), ("I bleeped 5173 twice.", "5173"),
])  # fmt: skip
def test_a_code_of_a_bank_a_cause_a_letter_and_a_pager_is_an_identifier(nlp, text, code):
    assert code in found(nlp, text, "en")


@pytest.mark.parametrize("text", [
    "The bus is no 12 of 40.", "The van did 140 000 km in all.", "We take the car ISO 9001 mark.",
    "The truck was on time at 12.", "A lorry MON 12 is no plate.",
])  # fmt: skip
def test_other_numbers_behind_a_vehicle_are_no_plate(nlp, text):
    assert found(nlp, text, "en") == []


@pytest.mark.parametrize(("text", "code"), [
    ("CRIMINAL CASE NO. 412 OF 2022", "412 OF 2022"), ("CAUSE NO. 5 OF 2021", "5 OF 2021"),
    ("Ref: ABT/kjl/88213", "ABT/kjl/88213"), ("Our ref: ov/kjl/24-118", "ov/kjl/24-118"),
    ("The tractor, KTCB 318Q, left.", "KTCB 318Q"),
    ("Vehicle: KDG 318Q  Out: early", "KDG 318Q"),
    ("It was KMDL 412X that hit it.", "KMDL 412X"),
])  # fmt: skip
def test_a_cause_in_capitals_a_reference_in_letters_and_a_plate_of_four_go(nlp, text, code):
    doc = nlp(text)
    assert [(ent.text, ent.label_) for ent in doc.ents if ent.label_ != "DATE"] == [(code, "ID")]


@pytest.mark.parametrize("text", [
    "See ref: a/b testing.", "It is in file: src/main.", "KTCB is a code, 318Q is none.",
])  # fmt: skip
def test_other_strokes_and_letters_stay(nlp, text):
    assert found(nlp, text, "en") == []
