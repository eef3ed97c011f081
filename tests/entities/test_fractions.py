"""Fractions are days where one of the document surely is, and scores stay."""

import re

import pytest
from conftest import pipeline_of


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler", "dx_entity_recognizer")


def dates(nlp, text):
    """The texts of the dates of a text, in which bars mark those that are expected."""
    return [ent.text for ent in nlp(text.replace("|", "")).ents if ent.label_ == "DATE"]


SERIES = [
    "Surgery |14/3|. Drain out |16/3|. Home |19/3|.",
    "Admitted |03/14/2023|. Extubated |3/16|. Died |3/21|.",
    "Seen |14/03/2023|. Bloods |14/3|: normal. Last dose |21/3|.",
    "Seen |14/03/2023|. Ceftriaxone |14/3 - 21/3|. Rota w/c |22/5|.",
    "Admitted |03/14/2023|. |3/14| 2350: low.",
    "LP |16/3| normal. Started |14/3|, stopped |21/3|. NGT |17/3|. Sutures out |1/4|.",
    "Extubated (|18/3|), CXR |19/3| clear; |20/3| seen by physio, died |21/3|.",
    "Scan |4/5|. Theatre |5/5|. Home |6/5|.", "Seen on |9/11|. Discharge planned |9/12| with GP.",
    "Kickoff |11/4|; deadline |11/9|; launch |11/20|.",
    "Delivered |5/12|, invoiced |5/14|, paid |6/2|, and a visit on |6/3|.",
    "Surgery |30/3|. Seen on |3/4| by the team. Sutures out |1/2|.",
    "- Clinic |3/7|\n- MRI |3/9|\n- Results |3/12|\n",
    "Vaccine dose |14/3|, booster |12/4|, due |9/5|.", "Seen |4/3|. Review |30/7|, 10 am.",
    "Ward round |14/3|: stable. Mobilised |15/3|, TTOs done |16/3|, home |17/3| with GP.",
    "Mobilised |15/3|. Stopped |16/3|.", "I was in on |12/3|. Bob swaps |16/3| for |18/3|.",
    "Rent paid |1/3|, |1/4|, |1/5|. Late on |1/6|.", "Sprint started |3/4|; demo |3/15|.",
    "Cycle given |12/3|, the next fell on |14/3|.",
    "Dates\n|4/25|  Photos of all\n|4/28|  No school\n|5/3|   Kindergarten round-up, 9:00\n",
    "Tea rota: |3/5| Ada, |10/5| Bo, |17/5| Una and Per.",
    "|25/4| Spring fair\n|28/4| Bins out\n|3/5| Club supper\n",
    "Seen on |3/9|.\n- |4/2| delivery\n- |5/6| launch",
]  # fmt: skip


@pytest.mark.parametrize("text", SERIES)
def test_a_fraction_is_a_day_where_another_is(nlp, text):
    """One that stays beside others that move would tell the shift."""
    assert dates(nlp, text) == text.split("|")[1::2]


FORMS = [
    "Off work |3/8-7/8| with flu.", "Away |2/5 – 9/5| at home.",
    "Back |31May|, out |4Jun| or |5SEPT|.",
    "DOB |12 05 1961|, seen at home.", "D.O.B.: |25041958|.", "Born |03 04 61| in a barn.",
    "Date of birth: |07021949|, well.", "It ran |mid-2018| to |late-2021|, |pre-2015| too.",
    "|2022 11 05|: calm.", "Met |Mar-25, 2023| here.", "|Wed|: rest at home.",
    "|Mon|: swim\n|Thu|: rest\n|Sat|: long run", "|2021:07:04| of a lens.",
    "Left |10SEP 2023| early.",
    "BP 124/78 on |14/5|, 131/82 on |16/5|.", "|Jan-23| 120, |Feb-23| 140, |Mar-23| 95",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_a_day_goes_in_its_form(nlp, text):
    assert dates(nlp, text) == text.split("|")[1::2]


@pytest.mark.parametrize("text", [
    "Pain at 21:00 7/10, power at 9 pm 4/5.", "Took 0600 1/2 tablet and 0900 1/2 tablet.",
    "Power 4/5-5/5, pain 8/10 - 3/10.", "VA 6/6 - 5/6.", "Won 12-03 at home.", "Hb 10-12 at 1:5.",
])  # fmt: skip
def test_a_value_in_the_form_of_a_day_stays(nlp, text):
    assert not dates(nlp, text)


SCORED = [
    "Apgar 8/9. GCS 3/15. Power 4/5. 6/9 acuity. 5/5 strength.", "7/10 pain, 1/2 tablet, T 2/12.",
    "VA 6/12, nodes 3/14, BDI 9/27, PHQ 11/27, PHQ-9 11/27, CURB-65 3/5.",
    "Power was 4/5 in both arms.",
    "Pain went from 8/10 to 3/10, power 4/5-5/5, cut by 1/2.", "Reflexes in both legs 2/4.",
    "Antibiotics for 5/7, review in 2/12, 3/12 history.",
    "Ratio 7/12, page 4/12, vote 7/2, bed 3/4.",
    "Maths 8/10, English 7/10, Hb 10/3, day 5/7.", "Tests 8/10 pass, took it to platform 3/4.",
    "Open 24/7. Care 24/7, staffed 24/7.", "3/5 of them, 2/3 patients, 4/5 stars.",
    "Fill 3/4 full, add 1/2 onion, use a 3/8 socket.",
    "Visual acuity right eye 6/9. Pupils 4/4. Murmur 3/6. Score: 7/10.",
    "Dose 2/3 given, cycle 3/6.",
]  # fmt: skip


@pytest.mark.parametrize(
    "dated", ["", "Died |3/20|. ", "Seen |14/03/2023| at home. ", "Seen on |9/11|.\n"]
)
@pytest.mark.parametrize("text", SCORED)
def test_a_score_stays_also_beside_days(nlp, dated, text):
    found = dates(nlp, dated + text)
    days = [day for day in found if "/" in day]
    assert days == dated.split("|")[1::2]


@pytest.mark.parametrize("text", [
    "3/8  Bolts\n5/8  Bolts\n7/8  Nuts\n", "4/5 Power\n3/5 Tone\n4/4 Reflexes\n",
    "Marks: 3/5 Ada, 4/5 Bo, 5/5 Una.", "Sets: 1/8 Plain, 3/8 Oak, 5/8 Ash.",
    "3/7 Left\n2/7 Right\n5/7 Both\n", "1/2  cup of flour\n2/3  cup of milk\n3/4  tsp of salt\n",
])  # fmt: skip
def test_sizes_and_scores_that_head_lines_stay(nlp, text):
    assert not dates(nlp, text)


@pytest.mark.parametrize("text", [
    "GCS 3/15 at 10:30.", "Pain 7/10 at 09:30.", "Reflexes 2/4 at 10:00.", "BP 12/8 at 10:30.",
    "Visual acuity 6/9 at 10:30.", "Pain now 7/10 at 09:30.", "GCS: 14/15 at 10:30.",
    "Power 4/5, 10:30.",
    "Pain score 8/10 at 3 pm.", "Apgars 8/9 at 10:31.", "Seen at 10:30\nCURB-65 3/5.\nHome.",
])  # fmt: skip
def test_a_time_makes_no_day_of_a_score(nlp, text):
    assert not dates(nlp, text)


def test_a_time_makes_a_day_of_another_fraction(nlp):
    for text in ("It is |8/9| at 10:00.", "GCS fell on |3/5| at 10:30.", "CT |3/5| at 10:30.",
                 "Pain since |7/8| at 9:00.", "Strength returned on |4/5| at 10:30."):  # fmt: skip
        assert dates(nlp, text) == text.split("|")[1::2], text


def test_no_date_runs_over_a_score(nlp):
    found = dates(nlp, "3 May 2023: pupils 4/4, GCS 3/15. 5 May 2023: better.")
    assert found == ["3 May 2023", "5 May 2023"]
    assert dates(nlp, "14/03/2023 4/5 power.") == ["14/03/2023"]
    assert dates(nlp, "On Monday 3/4 of staff were ill.") == ["Monday"]
    assert dates(nlp, "On Monday 3/4 we left.") == ["Monday 3/4"]
    assert not re.search(r"3/15", " ".join(dates(nlp, "GCS 3/15. 12/05/2023 was a Friday.")))


LISTS = [
    "The course runs |12-14/06/2024| in full.", "|Sundays| |3, 10, 17 March 2024| at noon.",
    "Open |June 12-14, 20-22 and July 3|.", "From |12 to 14 and from 20 to 22 June| it is shut.",
    "Seen on |3, 10 and 17/06/2024|.", "Results for |Q3/Q4 2022| and |Q1-Q3 2021|.",
    "Meet on |Mon 3, Tue 4 June 2024|.", "We play |Fri 14, Sat 15, Sun 16 June|.",
    "Visits on |Wed 5, Thu 6 June or Mon 10| at 10:30.", "Closed |Mon 3 / Tue 4 June|.",
    "Clinic |Monday 6/3/23|, theatre |Wednesday 8/3/23|.", "Shut |Weds 5, Thurs 6 June|.",
    "Held |06/12-14/2024| again.", "Due |June 3, 10, 17|.", "On |bank holiday Monday| we met.",
    "It is |Monday 3 May| / |Tuesday 4 May| then.", "Sold |Sat 8 and Sun 9 June|, |Mon| 9-5.",
]  # fmt: skip


@pytest.mark.parametrize("text", LISTS)
def test_a_list_of_days_is_one_date(nlp, text):
    assert dates(nlp, text) == text.split("|")[1::2]


@pytest.mark.parametrize("text", [
    "In |June 3|, 10, 17 people came.", "On |May 5|, 12 kg each.",
    "We saw 5, |17 March 2024| was dry.",
    "Rooms 3, 10, |17 March| on.", "On |May 3-5| and 7 others.",
])  # fmt: skip
def test_what_counts_things_is_no_day_of_a_list(nlp, text):
    assert dates(nlp, text) == text.split("|")[1::2]


HOURS = [
    "Incident at 1910 on |12 May 2022| here.", "Vitals |03/14/2023| 1900: stable.", "Obs 1930.",
    "CT |03/15/2023| 0045 normal.", "On |14 March 2023| at 2010 he fell.",
    "It rang at 2015 on |Monday|.",
    "|14/3/23| 2015: bleeped.", "|2023-03-14| 1955 admitted.", "|March 14, 2023| 2040: calm.",
]  # fmt: skip


@pytest.mark.parametrize("text", HOURS)
def test_four_digits_behind_a_date_are_no_year(nlp, text):
    assert dates(nlp, text) == text.split("|")[1::2]


@pytest.mark.parametrize("text", [
    "In |1930| he moved.", "Revised |12/05/2022| |2019| report.", "Born |1945| on |Monday|.",
    "Seen |12/05/2022|, |2019-2020| and |1998|.", "She left |May 2010|.", "From |1910| to |1920|.",
    "Scans |12/05/2020|, |2021|, |2022|.",
])  # fmt: skip
def test_a_year_beside_a_date_is_one(nlp, text):
    found = " ".join(dates(nlp, text))
    assert all(year in found for year in re.findall(r"(?<!\\d)(?:19|20)\\d\\d", text))


SIZES = [
    "Use a 1/2-13 UNC tap.", "1/4-20 bolt, 5/16-18 screws.", "Tyres 90/90-18 and 120/70-17.",
    "Upgrade from 4.17.20 to 4.17.21.", "We bumped lodash from 4.17.20 to 4.17.21.",
    "Spread fertiliser 12-24-12 here.", "A 10-10-10 fertilizer.", "Applied NPK 12-24-12.",
    "Birth weight 2010 grams, 1980 mls out.",
]  # fmt: skip


@pytest.mark.parametrize("text", SIZES)
def test_sizes_and_versions_are_no_dates(nlp, text):
    assert not dates(nlp, text)


@pytest.mark.parametrize("text", [
    "He lived here from |4.3.20| to |4.5.21|.", "The road was upgraded from |4.3.20| to |4.5.21|.",
    "Fertiliser on |12-04-23| again.", "Fertiliser |12-5-23|: two bags.", "Held |3/5-3/7| again.",
])  # fmt: skip
def test_dates_in_the_form_of_sizes_are_dates(nlp, text):
    assert " ".join(text.split("|")[1::2]) in " ".join(dates(nlp, text))
