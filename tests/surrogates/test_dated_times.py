"""Times with a date: both move over midnight together, in every form, or both stay by days alone;
and what that guarantees."""

import re
from datetime import datetime, timedelta
from math import ceil, exp, log

import pytest
from conftest import pipeline_of
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dxprivacy import Rng
from spacy_dxprivacy.surrogates import Draws, Mention
from spacy_dxprivacy.surrogates.date_shift import WITHOUT_TIMES, Timeline, make_date_shift
from spacy_dxprivacy.surrogates.plain import make_preset
from spacy_dxprivacy.surrogates.replacements import replace_mentions

LABELS = ("DATE", "TIME")


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler")


class Moved:
    """A surrogate that moves a document by a given shift."""

    name, way, in_clear, chance = "test.Moved.v1", "drawn", (), 1.0
    guarantee = make_date_shift().guarantee

    def __init__(self, hours, order="mdy", **settings):
        self.hours, self.order, self.settings = hours, order, settings

    def replace(self, mentions, draws):
        line = Timeline(mentions, self.order, draws.language, **self.settings)
        return line.move(*divmod(self.hours, 24))


def moved(nlp, text, hours, **settings):
    """The text, its dates and times moved by hours."""
    doc = nlp(text)
    parts, at = [], 0
    for item in replace_mentions(doc, dict.fromkeys(LABELS, Moved(hours, **settings)), Rng(0)):
        if item.text is not None:
            span = doc[item.start : item.end]
            parts += [doc.text[at : span.start_char], item.text]
            at = span.end_char
    return "".join(parts) + doc.text[at:]


OVER_MIDNIGHT = {
    "Seen 14 March 2023 at 11:50 pm.": "Seen 15 March 2023 at 12:50 am.",
    "Back Mar 14 11:50 PM again.": "Back March 15 12:50 AM again.",
    "Seen at 23:50 on 14 March 2023.": "Seen at 00:50 on 15 March 2023.",
    "[14/03/2023, 23:50] Ann: hello": "[15/03/2023, 00:50] Ann: hello",
    "[23:50, 14/03/2023] Ann: hello": "[00:50, 15/03/2023] Ann: hello",
    "3/14/23, 11:50 PM - Ann: hi": "3/15/23, 12:50 AM - Ann: hi",
    "It is 2023-03-14T23:50:00Z.": "It is 2023-03-15T00:50:00Z.",
    "at 2023-03-14T23:50:00+01:00 it": "at 2023-03-15T00:50:00+01:00 it",
    "at 2023-03-14T23:50+01:00 it": "at 2023-03-15T00:50+01:00 it",
    "at 2023-03-14T23:50:00.123-0500 it": "at 2023-03-15T00:50:00.123-0500 it",
    "2023-03-14 23:50:01,123 INFO up": "2023-03-15 00:50:01,123 INFO up",
    "2023-03-14 23:50:01.123456 INFO up": "2023-03-15 00:50:01.123456 INFO up",
    "am 14.03.2023 23:50 Uhr hier": "am 15.03.2023 00:50 Uhr hier",
    "am 3. Mai um 23 Uhr": "am 4. Mai um 00 Uhr",
    "BEGIN:VEVENT\nDTSTART:20230314T235000Z": "BEGIN:VEVENT\nDTSTART:20230315T005000Z",
    "Date: Tue, 14 Mar 2023 23:50:00 +0100": "Date: Wed, 15 March 2023 00:50:00 +0100",
    '- [14/Mar/2023:23:50:00 +0100] "GET': '- [15/Mar/2023:00:50:00 +0100] "GET',
    "Mar 14 23:50:01 host sshd: ok": "March 15 00:50:01 host sshd: ok",
    "14 March 2023\n23:50 Ann: hi\n00:20 Ann: bye": "15 March 2023\n00:50 Ann: hi\n01:20 Ann: bye",
    "Tuesday at 11:50 pm and on Wednesday": "Wednesday at 12:50 am and on Thursday",
    "14 March 2023 (Tuesday), 23:50: call": "15 March 2023 (Wednesday), 00:50: call",
    "22:30-23:30 on 14 March 2023": "23:30-00:30 on 14 March 2023",
    "14 March 2023, 22:30 - 23:30": "14 March 2023, 23:30 - 00:30",
    "| 14/3/2023 | 23:50 |\n| 15/3/2023 | 0:20 |": "| 15/03/2023 | 00:50 |\n| 15/03/2023 | 01:20 |",
    "23:50 CET on 14 March 2023": "00:50 CET on 15 March 2023",
    "14 March 2023 24:00": "15 March 2023 01:00",
    "Reported 03/14/2023 2350 hrs. At 03/15/2023 0045.":
        "Reported 03/15/2023 0050 hrs. At 03/15/2023 0145.",
    "3/14/23, 23:50 fell; 3/15/23 06.00 scan": "3/15/23, 00:50 fell; 3/15/23 07.00 scan",
    "Date: 03/14/2023 Time: 23:50": "Date: 03/15/2023 Time: 00:50",
    "Date: 03/14/2023\nTime: 23:50": "Date: 03/15/2023\nTime: 00:50",
    "Time: 23:50\nDate: 03/14/2023\nTime: 0:20\nDate: 03/15/2023":
        "Time: 00:50\nDate: 03/15/2023\nTime: 01:20\nDate: 03/15/2023",
    "Date of birth: 03/14/1950\nTime: 23:50": "Date of birth: 03/14/1950\nTime: 00:50",
    "On watch 14 May 2023 23:30 until 00:10 on 15 May 2023.":
        "On watch 15 May 2023 00:30 until 01:10 on 15 May 2023.",
    "Slept 3/14/2023 23:05 – 00:40 3/15/2023": "Slept 03/15/2023 00:05 – 01:40 03/15/2023",
    "Friday 23:15 to 00:45 on Saturday": "Saturday 00:15 to 01:45 on Saturday",
    "14 May, 22:30 - 23:30, 15 May, 9:00 - 9:30": "14 May, 23:30 - 00:30, 15 May, 10:00 - 10:30",
    "Lunch at 12 noon on 14 March 2023": "Lunch at 1 pm on 14 March 2023",
    "Shut 3/14/2023 12:00 midnight": "Shut 03/14/2023 1:00 am",
    "by 12 midday Friday": "by 1 pm Friday",
    "Bled 14 May 2023 23:07h, again 00:12h": "Bled 15 May 2023 00:07h, again 01:12h",
    "at 22:45h and 23:15 hrs on 14 May": "at 23:45h and 00:15 hrs on 15 May",
    "Pill 11 pm 14/5; next 7 am 15/5": "Pill 12 am 15/5; next 8 am 15/5",
    "Turned 23:10 17/4 and 0600 18/4": "Turned 00:10 18/4 and 0700 18/4",
    "20/4 @2330 slept": "21/4 @0030 slept",
    "Out 17MAY 2350, home 25MAY": "Out 18MAY 0050, home 26MAY",
    "2023:05:14 23:50:12 of a lens": "2023:05:15 00:50:12 of a lens",
    "2023 05 14 23:50 ran": "2023 05 15 00:50 ran",
    "I0514 23:50:00.25 up\nW0515 00:20:00.25 down": "I0515 00:50:00.25 up\nW0515 01:20:00.25 down",
    "15-05 23:05 up, 17-05 08:30 down": "16-05 00:05 up, 17-05 09:30 down",
    "Schluss war um 23.30 28.10.2023 und": "Schluss war um 00.30 29.10.2023 und",
    "Wir kommen am 12.5. um 23 Uhr in die Praxis und bringen die Akte mit.":
        "Wir kommen am 13.5. um 00 Uhr in die Praxis und bringen die Akte mit.",
    "home 03/14/2023 at 23h.": "home 03/15/2023 at 00h.",
    "home on 14 March 2023 at 23h": "home on 15 March 2023 at 00h",
    "14/3 extubated at 23:15": "15/3 extubated at 00:15",
    "On 14 March 2023 he was seen at 23:15": "On 15 March 2023 he was seen at 00:15",
}  # fmt: skip


@pytest.mark.parametrize("text", OVER_MIDNIGHT)
def test_a_time_carries_its_date_over_midnight_in_its_form(nlp, text):
    assert moved(nlp, text, 1) == OVER_MIDNIGHT[text]


@pytest.mark.parametrize("text", [
    "At 04:07h and 08:22 h, out 09:45hrs, back 10:20 hours.",
    "Theatre 0745h, ward 0910 hr, 22:05H.",
])  # fmt: skip
def test_a_time_with_the_word_for_hours_is_one(nlp, text):
    hours = re.sub(r"\d\d(?=:?\d\d)", lambda match: f"{int(match[0]) + 1:02d}", text)
    assert moved(nlp, text, 1) == hours


@pytest.mark.parametrize("text", [
    "On 3/14/2023 1200 units were given", "On 3/14/2023 0450 mg", "at 3/14/2023 at 6h post dose",
    "4/5 strength tested at noon", "8/10 pain, at 4/5 of the dose", "Order 1245 of 03/14/2023",
])  # fmt: skip
def test_an_amount_behind_a_date_is_no_time(nlp, text):
    assert not [e.text for e in nlp(text).ents if e.label_ == "TIME" and e.text != "noon"]


FOREIGN = {
    ("de", "Wir treffen uns den 3. Mai um 23 Uhr hier, bitte kommen Sie mit dem Auto."):
        "Wir treffen uns den 4. Mai um 00 Uhr hier, bitte kommen Sie mit dem Auto.",
    ("de", "Die Aufnahme war am 14.03.2023 um 23:50 Uhr in der Klinik."):
        "Die Aufnahme war am 15.03.2023 um 00:50 Uhr in der Klinik.",
    ("fr", "Le rendez-vous est le 3 mai à 23 h 30 avec le docteur."):
        "Le rendez-vous est le 4 mai à 00 h 30 avec le docteur.",
    ("es", "La cita es el 3 de mayo a las 23:30 con la doctora."):
        "La cita es el 4 de mayo a las 00:30 con la doctora.",
}  # fmt: skip


@pytest.mark.parametrize(("language", "text"), FOREIGN)
def test_a_time_carries_its_date_in_other_languages(language, text):
    assert moved(pipeline_of("dx_entity_ruler", lang=language), text, 1) == FOREIGN[language, text]


def test_the_hour_word_of_a_time_is_no_person(nlp):
    for text in ("den 3. Mai um 14 Uhr", "Am 14.03.2023 23:50 Uhr war es.", "um 9:30 Uhr"):
        doc = nlp(text)
        assert not [ent for ent in doc.ents if ent.label_ == "PERSON"], text


def test_a_time_in_another_sentence_or_beside_a_range_has_no_date():
    texts = ["May 3-5, 2023", "23:50"]
    line = [Mention(texts[0], "DATE", tail=" 23:50"), Mention(texts[1], "TIME")]
    assert Timeline(line, "mdy").move(0, 1) == ["May 3-5, 2023", "00:50"]
    far = [Mention("May 3, 2023", "DATE", tail=". At 23:50 he"), Mention("23:50", "TIME")]
    assert Timeline(far, "mdy").move(0, 1) == ["May 3, 2023", "00:50"]


STAMPS = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


def test_intervals_over_midnight_stay_in_every_shift(nlp):
    text = "admitted 2023-03-14 23:50, intubated 2023-03-15 00:20, out 2023-03-29 12:00"
    shift = make_date_shift()
    for seed in range(48):
        texts = shift.replace([Mention(t, "DATE") for t in STAMPS.findall(text)], Draws(Rng(seed)))
        one, other, last = map(datetime.fromisoformat, texts)
        assert (other - one, last - other) == (timedelta(minutes=30), timedelta(14, 42000))
    for hours in range(-24, 48):
        one, other, _ = map(datetime.fromisoformat, STAMPS.findall(moved(nlp, text, hours)))
        assert other - one == timedelta(minutes=30)
        assert one - datetime(2023, 3, 14, 23, 50) == timedelta(hours=hours)


# -- the guarantee ---------------------------------------------------------------------------------

DAY = datetime(2023, 2, 27, 22, 50)


def document(hours, alone=()):
    """Three times with a date, `hours` later than those of document(0); dates without a time as
    many days from the day of the first; a time alone and a weekday."""
    first = DAY + timedelta(hours=hours)
    times = [first + timedelta(hours=more) for more in (0, 5, 60)]
    days = [first.date() + timedelta(more) for more in alone]
    clock = f"{(first.hour + 7) % 24:02d}:15"
    stamps = [Mention(f"{time:%Y-%m-%d %H:%M}", "DATE") for time in times]
    dates = [Mention(f"{day}", "DATE") for day in days]
    return [*dates[:1], *stamps, *dates[1:], Mention(clock, "TIME")]


@pytest.mark.parametrize("alone", [(), (0, 3, -40)], ids=["dated times", "and dates alone"])
def test_documents_hours_apart_have_the_same_outputs_at_shifts_as_many_hours_apart(alone):
    """All outputs of a document, by the shift: the exact premise of the guarantee."""
    for apart in [*range(-30, 31), 47, 48, 49, 240]:
        one, other = (Timeline(document(hours, alone), "mdy") for hours in (0, apart))
        for shift in range(-60, 60):
            same = other.move(*divmod(shift - apart, 24))
            assert one.move(*divmod(shift, 24)) == same, (apart, shift)
    outputs = {
        tuple(Timeline(document(0, alone), "mdy").move(*divmod(s, 24))) for s in range(-99, 99)
    }
    assert len(outputs) == 198  # each shift shows


@pytest.mark.parametrize("epsilon", [0.01, 0.7])
def test_the_loss_of_a_shift_of_hours_is_epsilon_for_each_day_begun(epsilon):
    """P[S = s] = P[floor(s / 24) days] / 24, so that t hours cost ceil(t / 24) epsilon: not more,
    and not less."""
    rate = exp(-epsilon)

    def probability(shift):
        return (1 - rate) / (1 + rate) * rate ** abs(shift // 24) / 24

    for apart in range(75):
        losses = [log(probability(s) / probability(s - apart)) for s in range(-500, 500)]
        assert max(losses) == pytest.approx(epsilon * ceil(apart / 24))
        assert min(losses) == pytest.approx(-epsilon * ceil(apart / 24))


def test_a_uniform_shift_of_hours_loses_as_much_delta_as_it_has_hours():
    """Of 24 (2 w + 1) shifts, t have no counterpart t hours later."""
    window, apart = 3, 5
    shifts = {24 * days + hours for days in range(-window, window + 1) for hours in range(24)}
    lost = len(shifts - {shift + apart for shift in shifts})
    assert lost / len(shifts) == apart / (24 * (2 * window + 1))


def test_documents_of_one_shift_move_a_date_alone_alike():
    """A date without a time is the same in all texts of a user, with whatever times beside it."""

    def texts(*stamps, **settings):
        line = Timeline([Mention(stamp, "DATE") for stamp in stamps], "mdy", **settings)
        return line.move(3, 2)

    assert texts("2023-03-14", "2023-03-14 23:50") == ["2023-03-18", "2023-03-18 01:50"]
    together = texts("2023-03-14", "2023-03-14 23:50", is_one_shift=True)
    assert together == ["2023-03-17", "2023-03-18 01:50"]
    assert texts("2023-03-14", is_one_shift=True) == ["2023-03-17"]


def test_whole_weeks_keep_the_days_of_the_week_of_times_with_a_date():
    shift = make_date_shift(weeks=True)
    assert any("days of the week" in said and "times" in said for said in shift.in_clear)
    for seed in range(30):
        (text,) = shift.replace([Mention("2023-03-14 23:50", "DATE")], Draws(Rng(seed)))
        assert datetime.fromisoformat(text).strftime("%a %H:%M") == "Tue 23:50"
    clocks = {shift.replace([Mention("23:50", "TIME")], Draws(Rng(seed)))[0] for seed in range(30)}
    assert len(clocks) > 8


def test_the_guarantee_states_hours(key):
    assert "hours" in make_date_shift().guarantee.adjacency
    assert "ceil(t / 24)" in make_date_shift().guarantee.notes
    assert "r / 24" in make_date_shift(scope="corpus", key=key).guarantee.notes


# -- without a label of times ----------------------------------------------------------------------

CHART = (
    "Admitted 2023-03-14 23:50, intubated at 00:20. Seen 15 March 2023 at 1:05 am by the team, and "
    "on 3/16/23, 11:50 PM too. [16/Mar/2023:23:50:00 +0100] up. 2023-03-16T23:50:00Z end."
)
CLOCK = re.compile(r"(?<!\d)\d?\d:\d\d(?::\d\d)?(?: ?[ap]m)?", re.I)


def shift_of(labels, surrogates=None):
    """The shift of DATE in a pipeline that replaces these labels."""
    pipe = pipeline_of("dx_entity_ruler").add_pipe(
        "dx_entity_sanitizer", config={"labels": labels, "surrogates": surrogates or "standard"}
    )
    return pipe.settings.surrogates["DATE"]


@pytest.mark.parametrize("seed", range(4))
def test_times_stay_where_they_are_not_asked_for_and_dates_move_by_whole_days(seed):
    """A time alone is no mention there: one with a date that moved by hours would be at another
    distance from it."""
    nlp = pipeline_of("dx_entity_ruler")
    config = {"labels": ["PERSON", "DATE"], "seed": seed}
    pipe = nlp.add_pipe("dx_entity_sanitizer", config=config)
    doc = nlp(CHART)
    assert CLOCK.findall(doc.text) == CLOCK.findall(CHART)
    assert "2023-03-14" not in doc.text and "Z end" in doc.text
    days = [datetime.fromisoformat(day) for day in re.findall(r"\d{4}-\d\d-\d\d", doc.text)]
    assert days[1] - days[0] == timedelta(2)
    assert WITHOUT_TIMES in doc._.dx.in_clear and not pipe.settings.surrogates["DATE"].times


def test_the_labels_that_share_a_shift_say_whether_times_move():
    dates, keep = {"@dx_surrogates": "dx.DateShift.v1"}, {"@dx_surrogates": "dx.Keep.v1"}
    wider = {**dates, "epsilon": 0.1}
    assert not shift_of(["DATE"]).times and shift_of(["DATE", "TIME"]).times
    assert shift_of(["DATE_TIME"]).times and shift_of(["tim", "DATE"]).times
    assert shift_of(["DATE", "TIME"], {"DATE": dates, "TIME": dates}).times
    assert not shift_of(["DATE"], {"DATE": dates, "TIME": dates}).times
    assert not shift_of(["DATE", "TIME"], {"DATE": dates, "TIME": keep}).times
    assert not shift_of(["DATE", "TIME"], {"DATE": dates, "TIME": wider}).times


def test_dates_move_by_whole_days_in_every_text_of_a_person(key):
    """With one shift for many texts, with times and without, a date alone moves alike."""
    moved = []
    for labels in (["DATE"], ["DATE", "TIME"]):
        shift = make_preset(scope="corpus", key=key)["DATE"].for_labels(labels)
        for texts in (["2023-03-14 23:50", "2023-03-20"], ["2023-03-20"], ["2023-03-14 23:50"]):
            drawn = shift.replace([Mention(text, "DATE") for text in texts], Draws(Rng(0), "ann"))
            moved.append([text if len(text) == 10 else text[11:] for text in drawn])
    whole, hours = moved[:3], moved[3:]
    assert whole[0][0] == whole[2][0] == "23:50"
    assert whole[0][1] == whole[1][0] == hours[0][1] == hours[1][0]


def dated(day, times):
    """Mentions with this day; a time in every form stands beside it, alone, or not at all."""
    clock, *others = times
    texts = [f"{day:%Y-%m-%d} {clock}", f"{day:%d %B %Y} at {others[0]}", f"{day:%Y-%m-%d}"]
    texts += [f"{day:%A}", f"{others[1]} on {day:%m/%d/%Y}", f"{day:%Y%m%d}T235000Z", *others]
    return [Mention(text, "DATE") for text in texts]


TIMES = ["23:50", "00:00", "24:00", "9:05 am", "11:59 PM", "noon", "midnight", "half past nine"]


@settings(max_examples=60, deadline=None)
@given(
    st.dates(datetime(1990, 1, 1).date(), datetime(2060, 12, 31).date()),
    st.lists(st.sampled_from(TIMES), min_size=3, max_size=3),
    st.integers(-400, 400),
    st.integers(-3000, 3000),
    st.sampled_from([{}, {"is_one_shift": True}]),
)
def test_days_come_out_by_their_sum_with_the_shift_whatever_the_times(day, times, apart, k, one):
    """The premise of the guarantee: epsilon for each day, as for dates alone, in both ways."""
    other = Timeline(dated(day + timedelta(apart), times), "mdy", times=False, **one)
    this = Timeline(dated(day, times), "mdy", times=False, **one)
    out = this.move(k, 0)
    assert out == other.move(k - apart, 0) == this.move(k, 23)
    pairs = zip(dated(day, times), out, strict=True)
    shown = [mention.text if text is None else text for mention, text in pairs]
    alone = Timeline([Mention(f"{day:%Y-%m-%d}", "DATE")], "mdy").move(k, 0)
    assert shown[2] == alone[0] and shown[6:] == times[1:]
    assert times[0] in shown[0] and times[1] in shown[1] and times[2] in shown[4]


def test_whole_days_alone_cost_nothing_for_hours(key):
    for settings_ in ({}, {"window": 30}, {"weeks": True}, {"scope": "corpus", "key": key}):
        shift = make_date_shift(**settings_).for_labels(["DATE"])
        guarantee = shift.guarantee
        assert "hours" not in guarantee.adjacency + guarantee.notes
        assert "the same times of day" in guarantee.adjacency
        assert any("days of the week" in s for s in shift.in_clear) == ("weeks" in settings_)
        assert WITHOUT_TIMES in shift.in_clear and not any("minutes" in s for s in shift.in_clear)
        asked = make_date_shift(**settings_).for_labels(["DATE", "TIME"])
        assert asked == make_date_shift(**settings_) and WITHOUT_TIMES not in asked.in_clear
