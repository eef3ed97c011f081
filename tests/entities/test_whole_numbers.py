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
