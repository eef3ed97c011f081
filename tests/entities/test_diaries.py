"""Days with full stops go where a document is a diary that writes them so; decimals stay."""

import pytest
from conftest import pipeline_of


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler", "dx_entity_recognizer")


def dates(nlp, text):
    """The texts of the dates of a text, without the full stops behind them."""
    return [ent.text.rstrip(".") for ent in nlp(text).ents if ent.label_ == "DATE"]


@pytest.mark.parametrize("text", [
    "|Thu 4.7|.\nDug the trench. 2.4 m deep.\n\n|Fri 5.7|.\nPipes in.\n",
    "|Wednesday 27.11|. – wiring done, 2.5 h.\n|Monday 2.12|. – plaster. Due |9.12|. or |10.12|.\n",
    "|Mon 8.4| - slab, 4.5 m3\n|Tue 9.4| - steels came\n|Fri 12.4| - roof\n",
    "- |8.4|. (|Mon|) walls\n- |9.4|. (|Tue|) roof\n",
    "|14.2|. Left for Oslo.\n|15.2|. Rain all day.\n|17.2|. Home, back on |3.3|. if we can.\n",
    "We met on |Tue 4.6|. by the lake, and on |Fri 7.6|. too.",
    "|Mon 3.6|: slab\n|Tue 4.6|: steels\n", "W/c |3.6|. we pour.",
    "|3/6 Mon|: slab\n|5/6 Wed|: roof\n",
    "|9th|: slab poured.\n|10th|: steels came.\n|13th|: roof on.\n",
    "|Sun 30.6|.\nAll dry. Ring by |4.7|., or on |5.7|.\n",
])  # fmt: skip
def test_the_days_of_a_diary_go(nlp, text):
    found = " ".join(dates(nlp, text.replace("|", "")))
    assert [day for day in text.split("|")[1::2] if day not in found] == []


@pytest.mark.parametrize("text", [
    "Mon 9.30 Arrival\nTue 8.15 Breakfast\nWed 8.10. Bus\n",
    "Run:\nMon 5.2 km\nTue 5.6 km\nWed 6.1 km",
    "1.1. Purpose\n1.2. Scope\n2.1. Terms\n", "Sugar:\nMon 5.6\nTue 6.1\nWed 5.9\n",
    "Sun 30.6.\nThe ratio was 1.4. It rose from 3.1 to 4.2. The gap is 5.4 m.\n",
    "1st: Ada\n2nd: Bob\n3rd: Cy\n",
    "It is 3.6. Then 4.2. Then 5.1. That is all.", "We ran 5.2 on Saturday and on Sunday 3.6.",
])  # fmt: skip
def test_decimals_times_and_sections_stay(nlp, text):
    assert not [day for day in dates(nlp, text) if any(map(str.isdigit, day)) and day != "Sun 30.6"]


@pytest.mark.parametrize("text", [
    "Five nights after |the 17th|, she rang.", "It was the morning of |the 9th| when he fell.",
    "The Monday after |the 22nd|, he left.", "Three days prior to |the 6th|, we met.",
    "Send it no later than |the 20th|.", "The label on it says |5/11| in red.",
])  # fmt: skip
def test_a_day_without_month_goes_behind_a_time(nlp, text):
    day = text.split("|")[1].removeprefix("the ")
    assert any(day in found for found in dates(nlp, text.replace("|", "")))


@pytest.mark.parametrize("text", [
    "Two weeks after the 5th dose she was well.", "The day before the 3rd round he rested.",
    "A year after the 2nd edition came the next.", "The label says 1/2 tab at night.",
])  # fmt: skip
def test_the_order_of_a_thing_behind_a_time_stays(nlp, text):
    assert not [day for day in dates(nlp, text) if day[:1] in "1235"]
