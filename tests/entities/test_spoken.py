"""Numbers that are dictated in words are identifiers and telephone numbers, and stay in words."""

import re

import pytest
from conftest import pipeline_of

from spacy_dxprivacy import Rng, registry
from spacy_dxprivacy.entities.spoken import spoken_number
from spacy_dxprivacy.surrogates import Draws, Mention

# (language, text, what is found, label)
SPOKEN = [
    ("en", "My code is {}, thanks.", "four seven one nine", "ID"),
    ("en", "My number is {}.",
     "oh seven seven double zero, nine two three, four five six", "PHONE"),
    ("en", "It's {}.", "zero two zero, seven nine four six, zero one two three", "PHONE"),
    ("en", "The PIN ends in {}.", "six six two", "ID"),
    ("en", "MRN: {}.", "three three seven four, double two", "ID"),
    ("en", "The pin is {}.", "one two three four", "ID"),
    ("en", "You can reach me on {}.", "five five five one two three four", "PHONE"),
    ("de", "Die Kundennummer lautet {}.", "vier sieben dreiundzwanzig neun", "ID"),
    ("de", "Sie erreichen mich unter {}.", "null eins sieben zwei vier vier fünf sechs", "PHONE"),
    ("fr", "Le code est {}.", "quatre sept un neuf", "ID"),
    ("fr", "Mon numéro est le {}.",
     "zéro six, douze, trente-quatre, cinquante-six, soixante-dix-huit", "PHONE"),
    ("es", "El código es {}.", "cuatro siete uno nueve", "ID"),
    ("es", "Mi teléfono es {}.",
     "seis uno dos treinta y cuatro cincuenta y seis setenta y ocho", "PHONE"),
    ("it", "Il codice è {}.", "quattro sette uno nove", "ID"),
    ("it", "Il mio telefono è {}.", "tre quattro otto uno due tre quattro cinque sei", "PHONE"),
    ("nl", "De code is {}.", "vier zeven een negen", "ID"),
    ("nl", "Mijn nummer is {}.",
     "nul zes twaalf vierendertig zesenvijftig achtenzeventig", "PHONE"),
]  # fmt: skip
PROSE = [
    "One two three, testing.", "The kids are four six and nine.", "Dial nine one one.",
    "Room number two.", "They were aged four, six, nine, eleven.", "Two or three times a day.",
    "I counted one, two, three, four, five, six, seven, eight.",
    "Numbers one, two, three are done.",
    "Take one two times daily, two three days.", "No one two doors down knew.",
]  # fmt: skip


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler")


def found(nlp, text, language):
    doc = nlp.make_doc(text)
    doc.user_data["dx_language"] = language
    for _, pipe in nlp.pipeline:
        doc = pipe(doc)
    return [(ent.text, ent.label_) for ent in doc.ents if ent.label_ in ("ID", "PHONE")]


@pytest.mark.parametrize(("language", "text", "number", "label"), SPOKEN)
def test_a_cue_or_its_length_makes_words_a_number(nlp, language, text, number, label):
    assert found(nlp, text.format(number), language) == [(number, label)]


@pytest.mark.parametrize("text", PROSE)
def test_counts_and_prose_are_no_numbers(nlp, text):
    assert found(nlp, text, "en") == []


@pytest.mark.parametrize(("language", "text", "number", "label"), SPOKEN)
def test_a_number_in_words_becomes_one_of_as_many_digits(language, text, number, label):
    name = "dx.Digits.v1" if label == "ID" else "dx.Contact.v1"
    surrogate = registry.dx_surrogates.get(name)()
    for seed in range(3):
        draws = Draws(Rng(seed), language=language)
        (new,) = surrogate.replace([Mention(number, label)], draws)
        read, old = spoken_number(new, language), spoken_number(number, language)
        assert read is not None and read.language == language
        assert len(read.digits) == len(old.digits) and read.digits != old.digits
        assert re.sub("[^,]", "", new) == re.sub("[^,]", "", number)


PARTLY_SPOKEN = [
    ["07911", "one two three double seven six"],
    ["0117", "four nine six oh six oh two"],
    ["07911", "eight hundred four five six"],
    ["oh seven nine double one", "408 226"],
    ["+44 7911", "two three oh nine one six"],
]


@pytest.mark.parametrize("parts", PARTLY_SPOKEN)
def test_a_telephone_number_is_whole_where_a_part_of_it_is_in_words(nlp, parts):
    for joint in (" ", ", "):
        text = f"Ask for me on {joint.join(parts)} please."
        assert found(nlp, text, "en") == [(part, "PHONE") for part in parts]


@pytest.mark.parametrize("text", [
    "At 0730 two hundred people came.", "At 0930 one hundred twenty five left.",
    "In 2019 one two three four were built.", "Room 14 five six seven eight nine.",
    "Count 10 nine eight seven six five four.",
])  # fmt: skip
def test_digits_beside_counts_are_no_telephone_numbers(nlp, text):
    assert not any(label == "PHONE" for _, label in found(nlp, text, "en"))


def test_a_number_in_words_has_the_surrogate_of_its_digits():
    for name, digits, spoken in (
        ("dx.Digits.v1", "4719", "four seven one nine"),
        (
            "dx.Contact.v1",
            "07700 923456",
            "oh double seven double zero nine two three four five six",
        ),
    ):
        surrogate = registry.dx_surrogates.get(name)()
        mentions = [Mention(digits, "ID"), Mention(spoken, "ID"), Mention(spoken.upper(), "ID")]
        one, other, upper = surrogate.replace(mentions, Draws(Rng(3)))
        assert spoken_number(other, "en").digits == re.sub(r"\D", "", one)
        assert upper == other.upper()


def test_a_telephone_number_in_words_is_one_that_is_kept_for_examples():
    contact = registry.dx_surrogates.get("dx.Contact.v1")()
    spoken = "oh seven seven one two, three four five, six seven eight"
    (new,) = contact.replace([Mention(spoken, "PHONE")], Draws(Rng(1)))
    assert new.startswith("zero seven seven zero zero, nine zero zero, ")


def test_said_twice_stays_said_twice_where_the_digits_are_equal():
    number = spoken_number("four double seven one", "en")
    assert number.digits == "4771"
    assert number.write("3881") == "three double eight one"
    assert number.write("3801") == "three eight zero one"


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "nl"])
def test_all_numbers_of_two_digits_are_written_and_read(language):
    ten = "one zero" if language == "en" else None
    begin = spoken_number(ten or SPOKEN_TEN[language], language)
    for number in range(10, 100):
        words = begin.write(str(number))
        assert spoken_number(words, language).digits == str(number)


SPOKEN_TEN = {
    "de": "eins null", "fr": "un zéro", "es": "uno cero", "it": "uno zero", "nl": "een nul",
}  # fmt: skip


@pytest.mark.parametrize(("text", "day"), [
    ("Date of birth the third of the fifth fifty-eight, hospital number two.",
     "the third of the fifth fifty-eight"),
    ("DOB is the 12th of the 11th, 62. Next.", "the 12th of the 11th, 62"),
    ("Seen on the fourth of the third twenty twenty-one, well.",
     "the fourth of the third twenty twenty-one"),
    ("She was born the second of the ninth, at home.", "the second of the ninth"),
    ("Date of birth twenty-three oh four sixty-one, thanks.", "twenty-three oh four sixty-one"),
    ("Her d.o.b. is five, nine, forty two.", "five, nine, forty two"),
])  # fmt: skip
def test_a_day_whose_month_is_said_as_a_number_goes(nlp, text, day):
    doc = nlp(text)
    assert day in [ent.text for ent in doc.ents if ent.label_ in ("DATE", "ID")]


@pytest.mark.parametrize("text", [
    "It is the third of the five, and the first of the second lot.",
    "He was born second of the three, the fifth of the seventh row.",
    "She was born the second of the third set of twins.",
    "The second of the third 40 mg dose was late.",
])  # fmt: skip
def test_what_ordinals_count_is_no_day(nlp, text):
    doc = nlp(text)
    assert not [ent.text for ent in doc.ents if ent.label_ == "DATE" and " of " in ent.text]


def test_a_number_behind_the_letter_of_its_code_goes(nlp):
    assert "oh four four eight" in [
        ent.text for ent in nlp("Her hospital number B oh four four eight is on it.").ents
    ]
