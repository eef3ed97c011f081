"""Weekdays, months and seasons that recur stay; weekdays go where their line has a date."""

import pytest
import spacy
from conftest import pipeline_of

WEEKS = {
    "en": [
        "Gym Monday to Saturday, 06:00-22:00.",
        "Desk: Mon-Thu 8-6, Fri 8-4.",
        "Mon.–Fri. 9-5, sat-sun 10-2.",
        "Mondays through Thursdays and every Sunday.",
        "Bins: mon to fri 7-3, also Saturday mornings.",
        "Call mon - sun, 24 hours.",
    ],
    "de": ["Montag bis Donnerstag von 8 bis 16 Uhr, Freitag bis 12 Uhr.", "Montags-samstags auf."],
    "fr": ["Ouvert du lundi au samedi, fermé le dimanche.", "lundi - vendredi, puis samedi"],
    "es": ["Abrimos de lunes a jueves y el sábado.", "lunes-domingo, todo el año"],
    "nl": ["Open van maandag tot en met vrijdag, ook zaterdag.", "maandag t/m zondag open"],
    "it": ["Aperto dal lunedì al sabato, chiuso domenica.", "lunedì-giovedì e venerdì mattina"],
}


def dates(text, language="en"):
    if language == "en":
        doc = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")(text)
    else:
        nlp = spacy.blank(language)
        nlp.add_pipe("dx_entity_ruler")
        doc = nlp(text)
    return [ent.text for ent in doc.ents if ent.label_ == "DATE"]


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in WEEKS.items() for text in texts]
)
def test_the_weekdays_of_a_working_week_stay(language, text):
    assert dates(text, language) == []


@pytest.mark.parametrize("date", [
    "14 June", "June 14th", "the 14th", "14/6", "2024-06-14", "14.6.2024", "the fourteenth of June",
    "20240614", "14-6", "some day of last week",
])  # fmt: skip
def test_weekdays_go_in_a_line_with_a_date(date):
    """One that stayed beside a moved date would tell the shift modulo 7."""
    found = " ".join(dates(f"Open Monday to Friday, shut on Friday, on {date}."))
    assert found.count("Friday") == 2 and "Monday" in found


@pytest.mark.parametrize("text", [
    "|Tuesday| to |Friday| she slept.", "Open Mon-Fri.\nShe came on |Wednesday|.",
    "Seen |Monday| and |Friday|.", "He fell |Monday| to |Tuesday|.",
    "I left on |Monday|. To Friday?",
])  # fmt: skip
def test_other_weekdays_go(text):
    found = " ".join(dates(text.replace("|", "")))
    assert not [day for day in text.split("|")[1::2] if day not in found]


@pytest.mark.parametrize("text", [
    "Fit the winter tyres and sow the spring barley.", "We prune each spring and every autumn.",
    "Mow in spring and autumn, or in the summer and the fall.", "The summer/winter rates differ.",
    "In spring we sow, in summer we water, and by autumn we dig.", "The winters are dry there.",
])  # fmt: skip
def test_a_season_that_recurs_stays(text):
    assert dates(text) == []


@pytest.mark.parametrize(("text", "season"), [
    ("We mow in spring and autumn, and he left last winter.", "last winter"),
    ("Mow in spring and autumn 2021, he said.", "autumn 2021"),
    ("She left in the spring of 1999.", "1999"),
    ("In spring we sow, in summer we water; this autumn we rest.", "this autumn"),
])  # fmt: skip
def test_a_season_of_one_year_goes(text, season):
    assert season in " ".join(dates(text))


def test_somebody_who_is_called_like_a_season_goes():
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    text = "Autumn Lind mows in spring and autumn. We thank Autumn for it."
    assert [ent.text for ent in nlp(text).ents if ent.label_ == "PERSON"] == [
        "Autumn Lind",
        "Autumn",
    ]


@pytest.mark.parametrize("text", [
    "Berths, November to March: $6.10 per metre per month", "Tents (May–Sept): €14 per night",
    "The garden is open March to October, 9am to dusk.", "Sow March to May, harvest June to July.",
    "Pool season: May - August.", "Low season, Nov–Feb: 300 kr per week", "Winter hours (Oct–Feb)",
])  # fmt: skip
def test_the_months_of_each_year_stay(text):
    assert dates(text) == []


@pytest.mark.parametrize("text", [
    "|May to July| he was in hospital.", "Open |March to October 2021|, then shut.",
    "Her wages, |October to March|: £900 per month", "Pool season 2022: |May| - |August|.",
    "Ada stayed |March to June| and left.", "Maternity cover, |May to July|, £90 per day",
])  # fmt: skip
def test_other_months_go(text):
    found = " ".join(dates(text.replace("|", "")))
    assert not [day for day in text.split("|")[1::2] if day not in found]
