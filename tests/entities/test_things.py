"""Words in the place of a thing stay: makes before wares, kinds of materials, what is handled, worn
or counted, titles of works. Persons, employers and places in similar places go."""

import pytest
from conftest import in_letter, marks_of


@pytest.fixture(scope="module")
def marks():
    return marks_of({"PERSON", "GPE", "ORG", "ADDRESS"})


@pytest.mark.parametrize("text", [
    "It is kept in a Peters jar by the door.", "Every Peavey amplifier hummed.",
    "We need a Hughes ladder.", "She sold two Marlin guitars.", "It came with no Brennan charger.",
    "The Gorvane software froze again.", "We bled the Dorfmann compressor at dawn.",
])  # fmt: skip
def test_a_make_before_its_ware_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("The Mutasa van is red.", "Mutasa"), ("The Mutasa boiler leaks.", "Mutasa"),
    ("A Wambua can do it.", "Wambua"), ("The Wanjiku file is here.", "Wanjiku"),
    ("She saw a Leeds solicitor.", "Leeds"), ("We took Mutasa's ladder.", "Mutasa"),
])  # fmt: skip
def test_whose_a_ware_is_goes(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    "It was a £190 Rohner with a rip.", "She lost a $45 Casimir there.",
    "It is a 20-quart Vollbeck.", "He brought a 2-litre Denning Pro.",
    "The €1,200 Mathisen is gone.",
])  # fmt: skip
def test_what_has_a_price_or_a_size_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("We gave £190 Mutasa had lent.", "Mutasa"), ("He paid 40 Wambua owed.", "Wambua"),
    ("She is 6 foot, Wanjiku says.", "Wanjiku"), ("For £20, Mehta came.", "Mehta"),
    ("A litre Brennan drank.", "Brennan"),
])  # fmt: skip
def test_who_stands_behind_an_amount_goes(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    "Two bags of Vienna malt came.", "We laid Bradstone slate.", "It has Carrara marble on it.",
    "Two coats, Mehta brand, are on.", "He ate Montreal smoked meat.",
    "| Quantel gel | 4 sheets |", "Use Welsh slate or Bangor slate.",
])  # fmt: skip
def test_the_kind_of_a_material_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("Please give Wambua bread.", "Wambua"), ("The Hale timber yard shut.", "Hale"),
    ("Order: Thabo tea, Kelvin coffee.", "Thabo"), ("It is our Thabo salt mine.", "Thabo"),
    ("Let Okafor butter it.", "Okafor"), ("He sold Wambua sand.", "Wambua"),
    ("We saw Grace Okafor coal in hand.", "Okafor"),
    ("We saw Nurse Okafor, jam in hand.", "Okafor"),
])  # fmt: skip
def test_who_has_a_material_goes(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    "Who borrowed my Pulaski?", "We serviced the Zetor at noon.", "She mended the baby's Gorvane.",
    "He plugged in her Sorvane, I think.", "They parked our Lindqvist by the gate.",
    "Suspect the old Gorvane.", "My spare Zorvin leaks.", "We lost the battered Trelkin there.",
    "The faulty Brunox tripped.", "The rusty Dornal came.",
])  # fmt: skip
def test_what_is_handled_or_worn_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("Our Thabo sings well.", "Thabo"), ("We met my Aoife.", "Aoife"),
    ("Our old Lwazi rang.", "Lwazi"),
    ("It was a young Mbeki who rang.", "Mbeki"), ("We serviced Wambua's.", "Wambua"),
    ("She mended my Ada her coat.", "Ada"), ("He drives the Nkemelu twins.", "Nkemelu"),
])  # fmt: skip
def test_persons_with_an_owner_or_an_adjective_go(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    "We lost the #3 Gorvane there.", "He has two Zorvins left.", "We saw 4 pale Zorvia shells.",
    "They run Gorplex 2.1.4 on it.",
])  # fmt: skip
def test_what_is_counted_or_has_a_release_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("He has two Nkemelu brothers in it.", "Nkemelu"), ("Two Wambuas came.", "Wambuas"),
    ("We asked MaryAnn and JoBeth.", "MaryAnn"), ("The 3 little Wambuas cried.", "Wambuas"),
    ("We wrote to Wambua on 2.11.2024.", "Wambua"),
])  # fmt: skip
def test_persons_who_are_counted_go(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    'They sang "Danny Boy" twice.', 'The film "Annie Hall" was on.', 'I read the novel "Emma".',
    'The encore was "Clair de Lune", as ever.', 'It is from her album "Rosa Mexicana".',
])  # fmt: skip
def test_the_title_of_a_work_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ('A boy called "Kofi" sang the hymn.', "Kofi"), ('We met Leroy "Bunny" Whyte.', "Whyte"),
    ('The song is by "Ada" Mutasa.', "Mutasa"), ('He said "Okafor" twice.', "Okafor"),
    ('The film. "Ada Mutasa" was on the form.', "Ada Mutasa"),
])  # fmt: skip
def test_a_person_in_quotes_goes(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    "All are Hyundai Grace vans.", "It broke the baby's Omron.", "The Fendt Zorvo is hot.",
    "He wants a Kershaw No. 2 saw.", "We lit the Primus No. 4 at six.", "Yale padlocks £5.50 each.",
    "He drew with a Hale Grey Pen.", "We bought a Silver Cross Pram.",
    "Pay by PayPal or Zorvaq.", "Use Brexolub or Loctite.", "Use Trelkin or Dettox on it.",
])  # fmt: skip
def test_a_brand_with_its_model_or_beside_goods_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("The Bosch Foundation paid.", "Bosch Foundation"), ("We saw Mutasa and Okafor.", "Mutasa"),
    ("We saw the Mutasa twins.", "Mutasa"), ("Ask Okafor or Ada on Zoom.", "Okafor"),
    ("The Bosch file is here.", "Bosch"), ("A Yale came to the door.", "Yale"),
    ("We saw the Tilley twins.", "Tilley"), ("Drive the Heiniger girl home.", "Heiniger"),
    ("Ask on WhatsApp or Okwuosa.", "Okwuosa"),
    ("She has two Okwuosas in her class.", "Okwuosas"), ("It is Lwazi or Netflix.", "Lwazi"),
    ("She lives at 12 Stanley Road now.", "12 Stanley Road"), ("Ask Kia Mutasa for it.", "Mutasa"),
])  # fmt: skip
def test_names_beside_brands_and_goods_go(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    "It melts at 300 Kelvin or so.", "It went from Celsius to Fahrenheit.",
    "She is rated 1900 Elo.",
    "It read 4 Pascal there.", "The must was at 90 Oechsle.",
    "The choir and the strings have the Zoltán Suite and the Lindgren Sonata on the programme.",
    "She sang the full Korvanai for us.", "They hummed the old Trelkina at six.",
    "Timekeepers are on the list.", "Doorstoppers cost much.",
    "Mouthpieces are in it.",
    "You can keep the Pulaski.",
])  # fmt: skip
def test_scales_music_compounds_and_tools_stay(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("We met Kelvin at noon.", "Kelvin"), ("It is at 5 Pascal Street now.", "Pascal Street"),
    ("They sang the hymn Okwuosa wrote.", "Okwuosa"), ("She sang the Lwazi song.", "Lwazi"),
    ("She sang with Wambua there.", "Wambua"), ("Ask Ada Lindgren about the sonata.", "Lindgren"),
    ("She lives in my Leeds house.", "Leeds"),
])  # fmt: skip
def test_persons_with_the_names_of_scales_and_music_go(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    "We sowed Musselburgh and Nantes under fleece.",
    "I pricked out Ferrand, Corvel and more Ailsa.",
])  # fmt: skip
def test_what_is_sown_stays(marks, text):
    assert in_letter(marks, text) == []


@pytest.mark.parametrize(("text", "name"), [
    ("Sown by Ida Lind at home.", "Ida Lind"), ("We sowed beans in Nantes.", "Nantes"),
    ("She sows beans. Ferrand Okwuosa waters them.", "Okwuosa"),
])  # fmt: skip
def test_who_sows_and_where_go(marks, text, name):
    assert name in " ".join(in_letter(marks, text))


@pytest.mark.parametrize("text", [
    "A silver Wyandotte pullet won.", "We keep Welsummers, two Marans and a Barnevelder.",
    "The Luas is near and the Gautrain is not.", "Two Romney ewes and the Texels are in.",
])  # fmt: skip
def test_breeds_and_lines_of_transport_stay(marks, text):
    assert in_letter(marks, text) == []
