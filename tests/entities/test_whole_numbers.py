"""What continues a number or a place is replaced with it, and no word before it shields it."""

import pytest
from conftest import pipeline_of

LABELS = {"PERSON", "DATE", "GPE", "ADDRESS", "ORG", "EMAIL", "PHONE", "ID", "URL", "SECRET"}


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler", "dx_entity_recognizer")


def shown(nlp, text, language="en"):
    """The text without what is replaced by default."""
    doc = nlp.make_doc(text)
    doc.user_data["dx_language"] = language
    for _, pipe in nlp.pipeline:
        doc = pipe(doc)
    for ent in reversed([ent for ent in doc.ents if ent.label_ in LABELS]):
        text = f"{text[: ent.start_char]}_{text[ent.end_char :]}"
    return text


@pytest.mark.parametrize(("text", "rest"), [
    ("Device firmware 4.2.1, MAC 00:1A:2B:3C:4D:5E, IP 10.4.7.23.",
     "Device firmware 4.2.1, MAC _, IP _."),
    ("We run version 2.1, IP 10.4.7.23 and it works.", "We run version 2.1, IP _ and it works."),
    ("Model TS-453D, UUID 550e8400-e29b-41d4-a716-446655440000.", "Model TS-453D, UUID _."),
    ("Part 4225393M1, IMEI 490154203237518.", "Part 4225393M1, IMEI _."),
    ("Firmware 4.2.1 and VIN 1HGCM82633A004352.", "Firmware 4.2.1 and VIN _."),
    ("Router kit 7731, MRN 00418837.", "Router kit 7731, MRN _."),
    ("Inserts CCMT 09T304 were used.", "Inserts CCMT 09T304 were used."),
    ("Faults P0420, P0171 and U1000 were read.", "Faults P0420, P0171 and U1000 were read."),
])  # fmt: skip
def test_a_thing_shields_only_its_own_numbers(nlp, text, rest):
    assert shown(nlp, text) == rest


@pytest.mark.parametrize("place", [
    "Portland, OR", "Boise, ID", "Dover, DE", "Honolulu, HI", "Bangor, ME", "Indianapolis, IN",
    "Toledo, OH", "Salem, MA", "Tulsa, OK",
])  # fmt: skip
def test_a_state_behind_its_town_goes_though_it_is_a_word(nlp, place):
    assert shown(nlp, f"The plant in {place} was closed.") == "The plant in _ was closed."


@pytest.mark.parametrize(("text", "rest"), [
    ("We left Portland, or so she says.", "We left _, or so she says."),
    ("WE LEFT FOR LONDON, OR ELSE.", "WE LEFT FOR _, OR ELSE."),
    ("Tell me, OR I go.", "Tell me, OR I go."),
    ("Bring cake, ID and cash.", "Bring cake, ID and cash."),
    ("We moved to Dover, in Kent.", "We moved to _, in _."),
])  # fmt: skip
def test_a_word_behind_a_town_or_a_thing_is_no_state(nlp, text, rest):
    assert shown(nlp, text) == rest


NUMBERS = [
    "3782-822463-10005", "3782 822463 10005", "010180-1234", "35202-1234567-1", "20-12345678-3",
    "9400 1118 9956 1234 7890 12", "RM 1234 5678 9GB", "HL/CB/2231-4", "28 12345678 40",
    "0044 7812 345678", "00 34 911 234 567", "AB-123-4567/B",
]  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_goes_with_all_of_its_groups(nlp, number):
    assert shown(nlp, f"The number is {number}, I think.") == "The number is _, I think."
    assert shown(nlp, f"It has {number} for a number.") == "It has _ for a number."


@pytest.mark.parametrize(("text", "rest"), [
    ("MRN 445566 3 tablets daily.", "MRN _ 3 tablets daily."),
    ("Order 88123456 20 units of it.", "Order _ 20 units of it."),
    ("Order 88123456 12 May 2024 at noon.", "Order _ _ at noon."),
    ("Account 445566 10:30 and 445566 5%.", "Account _ 10:30 and _ 5%."),
    ("Call 555-0198 24 hours.", "Call _ 24 hours."),
    ("Call 020 7946 0123 10 to 6.", "Call _ 10 to 6."),
    ("Order 445566 OK.", "Order _ OK."),
    ("Rows: 123456 3 5 8 and more.", "Rows: _ 3 5 8 and more."),
    ("Ticket 12345678 90 of them.", "Ticket _ 90 of them."),
    ("Ticket 445566 12.50 each.", "Ticket _ 12.50 each."),
])  # fmt: skip
def test_a_word_an_amount_a_time_or_a_date_continues_no_number(nlp, text, rest):
    assert shown(nlp, text) == rest


@pytest.mark.parametrize(("text", "rest"), [
    ("Sort code 20 40 60, please.", "Sort code _, please."),
    ("The sort code is 204060.", "The sort code is _."),
    ("Exp 04/27 CVV 123.", "Exp _ CVV _."),
    ("CVC: 9982", "CVC: _"),
    ("Our VAT number is GB 123 4567 89 today.", "Our VAT number is _ _."),
    ("The VAT number IE 6388047V is ours.", "The VAT number _ is ours."),
    ("VAT reg. no. 123 4567 89", "VAT reg. no. _"),
    ("PC 4412 and DC 2217 came.", "PC _ and DC _ came."),
    ("Collar number 2291 was on duty.", "Collar number _ was on duty."),
    ("Bleep 2231 if she gets worse.", "Bleep _ if she gets worse."),
    ("Please page 4471 for the surgeon.", "Please page _ for the surgeon."),
    ("Page the on-call team on 4471.", "Page the on-call team on _."),
    ("My case number is two two three one.", "My case number is _."),
    ("The policy number is four four seven one two two.", "The policy number is _."),
    ("His card number: nine nine one two.", "His card number: _."),
    ("On Twitter @maria_lopez88, she wrote.", "On Twitter _, she wrote."),
    ("Add me on Snapchat jsmith92x, please.", "Add me on Snapchat _, please."),
    ("Plate A123 BCD was seen here.", "Plate _ was seen here."),
])  # fmt: skip
def test_a_number_goes_behind_its_word(nlp, text, rest):
    assert shown(nlp, text) == rest


@pytest.mark.parametrize("text", [
    "See page 4471 of the manual.", "Turn to page 300 for the recipe.", "The PC 486 was slow.",
    "It runs at DC 48 V or DC 12 V.", "VAT at 20 per cent is due.", "VAT 1,250,000.00 is due.",
    "The VAT is 12 pounds in all.", "There are two two and three one votes.",
    "A bleep every 300 ms is normal.", "Samples were paged 200 times.",
])  # fmt: skip
def test_a_page_an_amount_or_a_count_behind_such_a_word_stays(nlp, text):
    assert shown(nlp, text) == text


FOREIGN = [
    ("de", "Rufen Sie uns bitte an, Durchwahl {}, wenn Sie noch Fragen haben.", "33"),
    ("fr", "Vous pouvez appeler le standard, poste {}, pour toute question.", "4417"),
    ("es", "Puede llamar al hospital, extensión {}, para pedir la cita.", "4417"),
    ("nl", "Bel het ziekenhuis, toestel {}, voor een afspraak met de arts.", "4417"),
    ("it", "Chiamare l'ospedale, interno {}, per prenotare la visita.", "4417"),
    ("de", "Wir sind unter {} am Nachmittag zu erreichen.", "0211/4560"),
    ("de", "Mein Anwalt schrieb unter Az. {} an das Gericht.", "12 O 417/22"),
    ("de", "Das Kennzeichen {} wurde am Tatort gesehen.", "M XY 99"),
    ("es", "Su documento es la Cédula {} según el registro.", "1.234.567-8"),
    ("es", "El NIG es {} según el juzgado.", "28079 00 2 2023 0012345"),
    ("es", "Mi NUSS es {} y nada más.", "28 12345678 40"),
    ("it", "La pratica {} è stata chiusa.", "4471/B"),
    ("fr", "La voiture immatriculée {} était garée devant la maison.", "1234 AB 75"),
    ("fr", "Nous livrons à {} cette semaine.", "1000 Bruxelles"),
    ("nl", "Wij leveren deze week in {} en daarna niet meer.", "2000 Antwerpen"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "sentence", "number"), FOREIGN)
def test_a_number_goes_behind_its_word_in_other_languages(nlp, language, sentence, number):
    assert shown(nlp, sentence.format(number), language) == sentence.format("_")


@pytest.mark.parametrize(("language", "text"), [
    ("de", "In 1000 Fällen war es anders."), ("fr", "Le poste de 35 heures est à pourvoir."),
    ("it", "Il mercato interno 2,5 per cento."), ("nl", "Het toestel is kapot."),
    ("es", "La extensión es de 12 hectáreas."), ("fr", "Il vit à 1000 mètres de la mer."),
])  # fmt: skip
def test_a_count_behind_such_a_word_stays_in_other_languages(nlp, language, text):
    assert shown(nlp, text, language) == text


@pytest.mark.parametrize("text", [
    "The java.lang. package and java.util.List are here.",
    "Cache-Control: public, max-age=604800",
    "It is s-maxage=86400 or stale-while-revalidate=604800.",
    "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/113.0.0.0 Safari/537.36",
    "npm i lodash@4.17.21 react@18.2.0 left-pad@1.3 @babel/core@7.22.5",
    "CA-125 was 35, CA-15-3 was normal.", "Tested to MIL-STD-810G and MIL-PRF-32432A.",
    "A card of IEEE 802.11ac or IEEE 802.3 will do.",
    "The wine has sulphites (E220) and the preservative E211.",
    "The forms 1099-NEC, 1099-MISC and 1040-ES are due.", "Parts of 6061-T6 and 7075-T651 fit.",
    "Use NPK 10-26-26 or 20-10-10, as told.", "A bag of 10-10-10 fertiliser.",
    "The TP-Link AX3000 router and a D-Link DIR842 hung.", "He has a Wi-Fi AX1800.",
])  # fmt: skip
def test_versions_settings_standards_and_models_stay(nlp, text):
    assert shown(nlp, text) == text


@pytest.mark.parametrize(("text", "rest"), [
    ("Log in as maria@10.4.7.23 or maria@host.example.", "Log in as _ or _."),
    ("See java.smith.com and smith.lang.com now.", "See _ and _ now."),
    ("Sent account=60480011 and more.", "Sent _ and more."),
    ("From host/10.4.7.23 or 113.20.4.17.", "From _ or _."),
    ("Case CA-12577 and MIL-STAR-8104 are his.", "Case _ and _ are his."),
    ("Ticket 6061-TX and 7075-AB651.", "Ticket _ and _."),
    ("It was 10-10-10 when he came.", "It was _ when he came."),
    ("Follow @babel, please.", "Follow _, please."),
])  # fmt: skip
def test_what_resembles_a_version_or_a_standard_goes(nlp, text, rest):
    assert shown(nlp, text) == rest
