"""In a document that gives capitals to ordinary words, a capital alone makes no name."""

from collections import Counter

import pytest
import spacy
from conftest import pipeline_of

from spacy_dxprivacy.entities.capitals import MANY_CAPITALS, capital_share, least_odds

LABELS = {"PERSON", "GPE", "ORG"}
MANY = (
    "Notes of the Kitchen Team\n\nThe Team wants a Deep Clean of the Cold Store and a new Back "
    "Door. We need the Green Folders, a Pencil and the Spare Keys. The Status Page shows a Red "
    "Light when the Main Pump stops, so press the Save Button and call the Help Desk. {} Then "
    "Lunch is in the Staff Room, with Tea and Biscuits, and the Quiet Hours begin after the Fire "
    "Drill.\n"
)
FEW = MANY[:5] + MANY[5:].lower().replace(". t", ". T").replace(". w", ". W")


@pytest.fixture(scope="module")
def marks():
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    return lambda text: [ent.text for ent in nlp(text).ents if ent.label_ in LABELS]


@pytest.mark.parametrize("text", [
    "We had Tea, Brack and Raffle after the Meeting.",
    "The Budget is Amber, but the Scope is Red.",
    "Learn why Helvetica, Baskerville and Frutiger look as they do.",
    "We had Bread, Haddock and Beans.",
    "Mine swore by Guinness.",
    "We use Terbutaline.",
    "Scatter it with Sage, Basil or Rosemary.",
    "Two of them play Ouds, the odd Drum and a Harp.",
])  # fmt: skip
def test_a_capital_alone_makes_no_person(marks, text):
    assert marks(MANY.format(text)) == []


@pytest.mark.parametrize("text", [
    "We stopped the Google Ads in May.",
    "The YouTube film is fine.", "It came over Zoom, of course.", "Meet at the Car Park North.",
    "The Jubilee Party is on.", "The Women's Group meets.",
    "The Money came from Church Gate Collections and a Duck Race.",
    "Mother and Baby Group meets in the Hall.",
])  # fmt: skip
def test_capitals_alone_make_no_firm(marks, text):
    assert marks(MANY.format(text)) == []


@pytest.mark.parametrize("name", [
    "Summer School", "Tuesday Group", "Autumn Press", "Friday Club", "Spring Trust",
])  # fmt: skip
def test_the_noun_of_a_firm_alone_makes_none(marks, name):
    assert marks(MANY.format(f"The Guests of the {name} rate it well.")) == []


@pytest.mark.parametrize(("text", "name"), [
    ("Her daughter, Grace, drives the Bus.", "Grace"),
    ("Food: Amarjit brings the Samosas.", "Amarjit"),
    ("Could the Team lend us Tomasz until the Fair?", "Tomasz"),
    ("Bintou's samples are in the Cold Store.", "Bintou"),
    ("The Expert, known as Hettie Quill, was not called.", "Hettie Quill"),
    ("They cited Kapito v. Press.", "Kapito"),
    ("The Keys are with Shabnam (Front Desk).", "Shabnam"),
    ("Nobody told Nurse Okonjo of the Drill.", "Okonjo"),
    ("The Seeds come from Moorland Bakeries in the Valley.", "Moorland Bakeries"),
    ("We asked Rosemary. Rosemary was late.", "Rosemary"),
])  # fmt: skip
def test_what_is_placed_or_used_as_a_name_goes(marks, text, name):
    assert name in marks(MANY.format(text))


@pytest.mark.parametrize("text", [
    "we asked Basil or Rosemary.", "we met Haddock and Amber.", "she knows Baskerville and Gill.",
    "this is from Guinness.", "it is for Dowland and that.",
])  # fmt: skip
def test_where_ordinary_words_have_none_a_capital_makes_a_name(marks, text):
    assert marks(FEW.format(text))


def share_of(text):
    texts = [token.text for token in spacy.blank("en")(text)]
    return capital_share(texts, Counter(texts))


def test_the_share_of_capitals_is_that_of_ordinary_words_within_sentences():
    few, many = share_of(FEW), share_of(MANY)
    assert few < 0.1 < MANY_CAPITALS < 0.4 < many
    assert not least_odds(few) and least_odds(many) > least_odds(MANY_CAPITALS) == 1.0


@pytest.mark.parametrize("text", [
    "Well. Then. Tea. More. Good. Cold. Back. Door." * 5,
    "On Monday we saw Paris, London, Rome, May, French people and Doctor Lee." * 5,
    "Tea", "", "WE SHOUT ALL DAY AND WRITE IN CAPITALS " * 9,
])  # fmt: skip
def test_openings_days_places_and_shouts_are_no_capitals(text):
    assert share_of(text) < 0.1


@pytest.mark.parametrize("thing", [
    "Belfast Sink", "Stockholm Office", "Google Form", "Georgia Vase", "Montreal Assessment",
    "Amber Candle",
])  # fmt: skip
def test_a_name_before_a_noun_with_a_capital_is_that_of_a_thing(marks, thing):
    assert marks(MANY.format(f"We saw the new {thing} today.")) == []


@pytest.mark.parametrize(("text", "name"), [
    ("He is from Belfast. Sinks are dear.", "Belfast"), ("Our Nurse Georgia Vass came.", "Georgia"),
    ("She flew to Stockholm on Monday.", "Stockholm"), ("Mrs Amber Candell is here.", "Candell"),
    ("We saw Montreal, Turin and Lagos.", "Montreal"),
])  # fmt: skip
def test_a_name_before_another_word_goes(marks, text, name):
    assert any(name in mark for mark in marks(MANY.format(text)))


@pytest.mark.parametrize("firm", ["Tarn Poultry Ltd", "Northland Timber Ltd", "Kestrel Foods LLC"])
@pytest.mark.parametrize("word", ["Respondent", "Claimant", "Landlord", "Supplier", "Payment"])
def test_a_common_word_behind_a_legal_form_stays(marks, firm, word):
    assert marks(f"Notes\n\nThe sums of the year are here.\n{firm} {word}\n") == [firm]


LETTER = (
    "Dear Ms Kettle,\n\nThank you for the letter. We read it twice. It was a dry week. {} We "
    "hope to see you soon. Do write again.\n\nYours,\nAda Lind"
)


@pytest.mark.parametrize("text", [
    "My ORCID is on file.", "It hung on ZFS.", "The OOM killer struck.", "The BVN was lost.",
    "He saw the SLT yesterday.", "She took NAC and IVIG there.",
])  # fmt: skip
def test_a_few_capitals_make_no_firm(marks, text):
    assert marks(LETTER.format(text))[1:-1] == []


@pytest.mark.parametrize(("text", "name"), [
    ("She works for the BBC in Leeds.", "BBC"), ("He was hired by IBM then.", "IBM"),
    ("They work at NASA now.", "NASA"), ("She flew to the UK in May.", "UK"),
    ("He is employed by KPMG.", "KPMG"),
])  # fmt: skip
def test_capitals_of_a_known_or_sure_name_go(marks, text, name):
    assert name in marks(LETTER.format(text))


@pytest.mark.parametrize("text", [
    "Thanks for Philips machines.", "It was given by Pritchard regimen.",
    "They drew Staffordshire dogs.", "We saw Steinway pianos.", "Then Brooker class was given.",
])  # fmt: skip
def test_a_word_before_a_noun_in_small_letters_tells_its_kind(marks, text):
    assert marks(LETTER.format(text))[1:-1] == []


@pytest.mark.parametrize(("text", "name"), [
    ("Then Pritchard slept.", "Pritchard"), ("We met Julia today.", "Julia"),
    ("The Lind file is here.", "Lind"), ("It was Mr Chaudhry indeed.", "Chaudhry"),
    ("Call Phindile back about it.", "Phindile"),
])  # fmt: skip
def test_a_name_before_another_word_in_small_letters_goes(marks, text, name):
    assert name in " ".join(marks(LETTER.format(text))[1:-1])


@pytest.mark.parametrize("rank", ["DC", "DS", "SN", "PC", "CRNA", "DCI"])
@pytest.mark.parametrize("name", ["Shaunagh Tilley", "T. Lindgren", "Liezl Botha", "McKay"])
def test_a_rank_in_capitals_before_a_name_stays(marks, rank, name):
    assert marks(LETTER.format(f"We wrote to {rank} {name} twice."))[1:-1] == [name]


@pytest.mark.parametrize("name", ["LI Wei", "ZHAO Yuxin", "J. Okafor", "LEE Mingi", "MARY Okafor"])
def test_a_name_in_capitals_before_another_goes(marks, name):
    assert name in marks(LETTER.format(f"We wrote to {name} twice."))
