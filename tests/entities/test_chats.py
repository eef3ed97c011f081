"""Closings, emoji, channels and short forms in chats and notes stay; names beside them go."""

import pytest
from conftest import in_letter, marks_of


@pytest.fixture(scope="module")
def marks():
    return marks_of({"PERSON", "GPE", "ORG", "ADDRESS"})


@pytest.mark.parametrize("closing", [
    "Hilsen", "Vennlig hilsen,", "Med vänlig hälsning", "Z poważaniem", "Lep pozdrav",
    "Atentamente,", "Cordialement", "Met vriendelijke groet,", "Saygılarımla",
    "Ystävällisin terveisin", "Kveðja,", "Groetjes",
])  # fmt: skip
def test_a_closing_of_another_language_stays(marks, closing):
    text = f"Hello Bo,\n\nthe parts came today and all of them fit.\n\n{closing}\nAda Lind\n"
    assert marks(text) == ["Bo", "Ada Lind"]


def test_who_is_greeted_or_signs_beside_a_closing_goes(marks):
    text = "Hello Bo,\n\nthe parts came.\n\nHilsen Solveig Brandvold, who is in the office today\n"
    assert "Solveig Brandvold" in " ".join(marks(text))


@pytest.mark.parametrize("verb", ["skrev", "schrieb", "escribió", "schreef", "napisał"])
def test_the_verb_of_a_quoted_head_is_no_part_of_the_name(marks, verb):
    text = f"> 11.03.2024 kl. 13:05 {verb} S. Brandvold:\n>\n> Hi, the sample is here, thank you!\n"
    assert marks(text) == ["S. Brandvold"]


CHAT = "Ada Lind  9:14 AM\n{}\n\nBo Rask  9:21 AM\nok, see you\n"


@pytest.mark.parametrize("text", [
    "thanks :partying_face: see you", ":tada: large, half sugar?", "did the parvovirus survive?",
    "post it in #brewnight or #lab-general", "the ctrl Ct 19.8 was fine, then the prep failed",
    "bed 7 is on genta, level was 2", "day 2 post hemi, sats fine",
    "Black & white cookies, and Cream and gold ribbon", "the bell is broken so call up",
    "its BD51 SMR, blue astra", "the grey corsa or the white transit is mine",
    "the FBS and the DMEM come in June", "eGFR falls below 50 so stop it", "4 babka and 2 stollen",
])  # fmt: skip
def test_signs_and_short_forms_of_chats_stay(marks, text):
    assert marks(CHAT.format(text)) == ["Ada Lind", "Bo Rask"]


@pytest.mark.parametrize(("text", "name"), [
    ("tell hemi it is done", "hemi"), ("ask Mr Black & white van man", "Black"),
    ("it is in #okwuosa-house", "okwuosa"), ("ask mr grey corso", "corso"),
    ("go to bed Uma Okwuosa", "Uma Okwuosa"),
])  # fmt: skip
def test_names_in_chats_go(marks, text, name):
    assert name in " ".join(marks(CHAT.format(text)))


def test_a_test_of_the_heart_stays_and_a_person_goes(marks):
    assert in_letter(marks, "ECG normal. Echo today: LVEF 55%, no AF.") == []
    assert "Echo" in " ".join(in_letter(marks, "Echo Lind came, with LVEF 40% and no AF."))


@pytest.mark.parametrize(("text", "short"), [
    ("Blessing Okwuosa called. You can go to bed Bless.", "Bless"),
    ("Stephanie Lind is in. I gave it to Steph, who is here.", "Steph"),
])  # fmt: skip
def test_a_given_name_in_short_goes(marks, text, short):
    assert short in marks(text)


@pytest.mark.parametrize("text", [
    "Valerie Lind is home. It lies in the Vale and is dry.", "Christine Lind is in. Thank Christ.",
    "Blessing Okwuosa called. Bless you all.", "Marketa Lind is in. See Step Two of it.",
])  # fmt: skip
def test_a_word_like_a_given_name_stays(marks, text):
    assert len(marks(text)) == 1


def test_a_body_of_a_class_stays_and_a_firm_like_it_goes(marks):
    text = "From: Ada Lind\nTo: {}\n\nThe slips are due on Friday, thank you.\n"
    assert marks(text.format("P6 Parents' Support Group")) == ["Ada Lind"]
    assert "G4 Security" in marks(text.format("G4 Security"))


@pytest.mark.parametrize("text", [
    "He walks to Okwuo parlour each day.", "We met at Rondelle salon, then at Mbeki shop.",
])  # fmt: skip
def test_whose_a_shop_is_goes(marks, text):
    assert in_letter(marks, text)


def test_a_make_of_pianos_stays(marks):
    assert in_letter(marks, "Your Heintzman upright is fine, and so is the Blüthner.") == []


@pytest.mark.parametrize("text", [
    "Gesendet: Montag, 4. März 2024 09:12\nBetreff: AW: the order\n\nThe pallets left.\n",
    "The order came in and all is well.\n\nSkickat från min iPhone\n",
    "Envoyé de mon iPhone\n\nThe order came in and all is well.\n",
])  # fmt: skip
def test_a_label_of_a_mail_in_another_language_stays(marks, text):
    assert marks(text) == []


def test_the_notices_of_a_server_stay():
    text = "[19:34] -!- mode/#allgrain [+o hopcat_7] by ChanServ\n[19:36] <hopcat_7> a netsplit\n"
    assert {*marks_of({"PERSON", "GPE", "ORG"})(text)} == set()


@pytest.mark.parametrize(("line", "names"), [
    ("[19:35] * hopzilla is away: dinner", ["hopzilla"]), ("[19:35] * the list goes", []),
    ("19:36 -!- Netsplit over, joins: yeasty, wortman", ["yeasty", "wortman"]),
    ("19:36 -!- Topic for #brewnight: hops", []), ("Notes 19:35 * hopzilla is away", []),
])  # fmt: skip
def test_user_names_in_the_notices_of_a_chat_go(line, names):
    assert marks_of({"ID"})(f"19:30 <x> hi\n{line}\n")[1:] == names


def test_a_weekday_of_another_language_goes_with_its_day():
    text = "We met on lundi 8 avril and on Montag, 4. März 2024 for the tea.\n"
    assert marks_of({"DATE"})(text) == ["lundi 8 avril", "Montag, 4. März 2024"]


@pytest.mark.parametrize("text", ["Take Vit D and vit B12 daily.", "It got dexdom and torb at 9."])
def test_vitamins_and_drugs_of_vets_stay(marks, text):
    assert in_letter(marks, text) == []


def test_somebody_who_is_called_like_a_vitamin_goes(marks):
    assert "Vit Novak" in " ".join(in_letter(marks, "Vit Novak took the Vit D."))


def test_words_of_a_kitchen_in_small_letters_are_no_names(marks):
    text = (
        "Dear all,\n\nThe feast is on Sunday. We have 14 leaves so far: avial, olan, thoran, "
        "erissery, two payasam. Rekha Menon draws the pookalam. Parking is behind Lindqvist Hall. "
        "Bring your own mundu.\n\nThanks,\nBiju\n"
    )
    assert not [name for name in marks(text) if name.islower()]
    assert "Rekha Menon" in marks(text)


def test_small_names_of_a_chat_go_beside_words_that_no_list_has(marks):
    text = "Tell mandla the umqombothi is chowed. Ask sipho for amagwinya. Then nandi sorts ikota."
    assert "mandla" in marks(text)


@pytest.mark.parametrize(("text", "names"), [
    ("ta Oluchi x. anyone else?", ["Oluchi"]), ("thanks Sunita xx. Ravin, you?", ["Sunita"]),
    ("One case: steelfixer Bijoy Das, cut finger", ["Bijoy Das"]),
    ("There was the groundworker Anil Rao.", ["Anil Rao"]),
    ("RE: Sorin Tarlev, DOB 17/02/1951, of Leeds", ["Sorin Tarlev"]),
    ("RE: Tarlev, Sorin DOB 17/02/1951, of Leeds", ["Tarlev, Sorin"]),
    ("NOK: dtr Sunita, on 07700 900121", ["Sunita"]),
    ("It is by Malcolm X. He wrote it.", ["Malcolm X"]),
])  # fmt: skip
def test_a_kiss_a_trade_and_a_label_are_no_part_of_a_name(marks, text, names):
    assert [shown.rstrip(".") for shown in marks(text)][:1] == names


@pytest.mark.parametrize("closing", ["Brgds", "Krgds,", "Rgrds", "Bst rgds,"])
def test_a_closing_in_short_stays_above_who_signs(marks, closing):
    assert marks(f"We pay you the same day.\n\n{closing}\nAda Lind") == ["Ada Lind"]


@pytest.mark.parametrize("text", ["Yours,\nAda Ng\nBo Lind", "Dear Mrs Krc\nYour bag is here."])
def test_a_name_without_vowels_goes(marks, text):
    assert {"Ng", "Krc"} & {*" ".join(marks(text)).split()}


@pytest.mark.parametrize("closing", ["Best", "Cheers", "Ta", "Love", "Many thanks", "Regards"])
@pytest.mark.parametrize("before", ["See you then.\n", "She has the keys. "])
def test_a_closing_before_the_name_of_who_signs_stays(marks, before, closing):
    assert marks(f"{before}{closing}, Bram") == ["Bram"]


def test_family_names_before_given_ones_go(marks):
    assert marks("We list them.\nTarlev, Bram\nBest, Charles\n")[0] == "Tarlev, Bram"


@pytest.mark.parametrize("text", ["Hosp no. B0448127 is hers.", "Her Lab no B0448127 is here."])
def test_whose_number_follows_is_no_name(marks, text):
    assert not {"Hosp", "Lab"} & {*" ".join(marks(text)).split()}
