"""Adjacent mentions have the same outputs, or outputs within the guarantee, for every surrogate.

With epsilon 0, the same seed must give the same output for any two documents with the same traits
in plaintext (`in_clear`). A surrogate that adds noise to a value must write the noisy value alone:
one original and one noise come out as any other original with the noise that leads to the same sum.
With the distribution of the noise (test_numbers.py, test_surrogates.py) that is the guarantee.
"""

import math
import re
from collections import namedtuple
from datetime import date, timedelta
from fractions import Fraction
from string import ascii_lowercase, ascii_uppercase, digits

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spacy_dxprivacy import Rng, registry
from spacy_dxprivacy.entities.tables import HOUSES, STATES, cities, listed
from spacy_dxprivacy.surrogates import Draws, Mention, Surrogate, number
from spacy_dxprivacy.surrogates.code_forms import parts_of_machine, with_check_digit
from spacy_dxprivacy.surrogates.codes import kind_of, luhn, mod97
from spacy_dxprivacy.surrogates.date_shift import Timeline
from spacy_dxprivacy.surrogates.phones import number_in, reserved

# Pairs of documents that are adjacent by the guarantee of a surrogate, and what holds of them.
Case = namedtuple("Case", "pairs setting holds")


def mentions(texts, label="X"):
    return [Mention(text, label) for text in texts]


@st.composite
def of_form(draw, patterns):
    """Two texts of one form: 9 stands for any digit, Q for a capital, q for a small letter."""
    pattern = draw(st.sampled_from(patterns))
    kinds = {"9": digits, "Q": ascii_uppercase, "q": ascii_lowercase}
    return tuple(
        "".join(draw(st.sampled_from(kinds[c])) if c in kinds else c for c in pattern)
        for _ in range(2)
    )


@st.composite
def documents(draw, texts, identity=lambda text: text):
    """Two documents whose mentions are of one form each, and are the same or not alike."""
    ones = draw(st.lists(texts, min_size=1, max_size=5))
    again = draw(st.lists(st.integers(0, len(ones) - 1), max_size=2))
    ones += [ones[i] for i in again]
    one, other = [a for a, _ in ones], [b for _, b in ones]
    bare = [
        ["".join(filter(str.isalnum, identity(t).casefold())) for t in texts]
        for texts in (one, other)
    ]
    places = [(i, j) for i in range(len(one)) for j in range(i)]
    assume(all((bare[0][i] == bare[0][j]) == (bare[1][i] == bare[1][j]) for i, j in places))
    return mentions(one), mentions(other)


WOMEN, MEN, FAMILIES = (set(listed(which)) for which in ("female", "male", "surnames"))
FIRSTS = [*sorted((WOMEN ^ MEN) - FAMILIES)[::40], "Zyx", "Anne-Marie", "Ngozi", "Georgia"]
LASTS = [*sorted(FAMILIES - WOMEN - MEN)[::60], "Zorblatt", "O'Neill", "Picard-Dubois", "Dallas"]
ONE_GENDER = sorted(WOMEN - MEN - FAMILIES)[::20]
NAME_FORMS = [
    "{f} {l}", "Ms. {l}", "Dr. {f} {l}", "{f} {l}'s", "{l}, {f}", "{f} {l} Jr.", "{f[0]}. {l}",
    "{f}", "{l}'s",
]  # fmt: skip


@st.composite
def persons_of(draw, firsts=FIRSTS):
    """Two documents of the same persons but for their names. Each is named in full once."""

    def four(values):
        return draw(st.permutations(values))[:4]

    names = [list(zip(four(firsts), four(LASTS), strict=True)) for _ in range(2)]
    for drawn in names:
        assume(len({first[0] for first, _ in drawn}) == 4)
    each = st.tuples(st.integers(0, 3), st.sampled_from(NAME_FORMS))
    said = draw(st.lists(each, min_size=1, max_size=6))
    said = [(i, "{f} {l}") for i in sorted({i for i, _ in said})] + said
    texts = ([form.format(f=drawn[i][0], l=drawn[i][1]) for i, form in said] for drawn in names)
    return tuple(mentions(t, "PERSON") for t in texts)


def with_check(text, check):
    """The last digits of a number such that its check holds."""
    return next(t for t in (text[:-1] + str(i) for i in range(10)) if check(t) == 0)


def iban(text):
    return f"{text[:2]}{98 - mod97(text[:2] + '00' + text[4:]):02d}{text[4:]}"


CARDS = of_form(["4999999999999999", "5999999999999999", "379999999999999"]).map(
    lambda pair: tuple(with_check(text, luhn) for text in pair)
)
IBANS = of_form(["GB00QQQQ99999999999999", "DE00999999999999999999"]).map(
    lambda pair: tuple(map(iban, pair))
)
CODES = of_form(
    ["9", "99999", "999-99-9", "999-99-9999", "MRN 999999", "case no. 99", "Q9999999", "qq99-99",
     "+1 (999) 999-9999", "999.999.9.9", "qqqqqqqq", "QQQ999qq", "QQ999999999NZ", "QQQQCH99",
     "GB999 9999 99", "19.9999, -19.9999", "19°19'19\"N 9°9'9.9\"W"]
).filter(
    lambda pair: all(luhn(t) for t in pair if t.isdigit() and len(t) > 12)
    and len(set(map(machine_of, pair))) == 1
    and len(set(map(has_check, pair))) == 1
)  # fmt: skip


def machine_of(text):
    """What is visible of the address of a machine: whether it is one, of a net, and its port."""
    kind = kind_of(text)
    address, rest = parts_of_machine(kind, text)
    return kind, rest, kind == "ip" and address.endswith(".0")


def has_check(text):
    """Whether a number is one of registered mail with a valid check digit, which is visible."""
    return text.endswith("NZ") and with_check_digit("AA000000001NZ", text) != "AA000000001NZ"


class Zeros:
    """A stream of zeros."""

    def integers(self, high, count):
        return [0] * count


def plan_of(text):
    """The country and the kind of a telephone number, which are visible; None without a code."""
    number = number_in(text, "en")
    return number and (number.prefix, reserved(number, Zeros()))


CONTACTS = of_form(
    ["+1 (999) 999-9999", "999-9999", "9999999999", "1-999-999-9999 x99", "qqq.qqqq@qqqq.qqq",
     "q9@qq.qq", "https://qqq.qqq/qq", "http://www.qqq.qq", "www.qqqq.qqq/9", "qqqq.qqq/qq99",
     "99.99.99.9", "199.99.9.9:8080", "qqqqq99", "@qqqqq", "qqqqqqqq"]
).filter(
    lambda pair: plan_of(pair[0]) == plan_of(pair[1]) and machine_of(pair[0]) == machine_of(pair[1])
)  # fmt: skip
TOWNS = [city for city, _ in cities()[::100]]
STATE_NAMES = [STATES[short] for short in STATES if short != "NY"]


def two_of(values):
    return st.tuples(st.sampled_from(values), st.sampled_from(values))


PLACES = st.one_of(
    two_of(["Lyon", "Zorblattville", "Springfield", "San Zyx", *TOWNS]),
    two_of(STATE_NAMES), two_of(list(STATES)), two_of(listed("countries")),
    two_of(["LYON", "KARACHI", "AUSTIN"]), two_of(["lyon", "karachi"]),
    of_form(["99999", "99999-9999"]),
)  # fmt: skip


def place_of(text):
    """Texas and TX are one."""
    return STATES[text] if text in STATES else text


def firm_of(text):
    return text.casefold().removeprefix("the ").removesuffix("'s").removesuffix(" inc.")


@st.composite
def addresses(draw):
    """Two with the same parts."""
    form = draw(st.sampled_from(
        ["{n} {s} Street, {c}, {short} {zip}", "{n} {s} Ave, Apt {u}, {c}", "{n} {s} St", "{zip}",
         "PO Box {n}, {c}, {short} {zip}-{n4}", "{n} {s} Road, {c}, {state}"]
    ))  # fmt: skip
    value = st.integers(1, 99_999)
    return tuple(
        form.format(
            n=draw(value), u=draw(st.integers(1, 500)), zip=f"{draw(value):05}",
            s=draw(st.sampled_from(["Main", "Elm", "Zorblatt", "Old Mill"])),
            c=draw(st.sampled_from(TOWNS)), short=draw(st.sampled_from(list(STATES))),
            state=draw(st.sampled_from(STATE_NAMES)), n4=f"{draw(value) % 9999:04}",
        )
        for _ in range(2)
    )  # fmt: skip


@st.composite
def organisations(draw):
    end = draw(st.sampled_from(["", *(HOUSES[word] for word in HOUSES), "Inc."]))
    owner = draw(st.sampled_from(["", "'s"]))
    heads = st.sampled_from(["Zorblatt", "St. Mary", "Acme", "The Lopez", "Smith & Wesson", "IBM"])
    upper = draw(st.booleans())
    texts = [f"{draw(heads)} {end}".strip() + owner for _ in range(2)]
    assume(not upper or all(len(text) > 3 for text in texts))
    return tuple(text.upper() if upper else text for text in texts)


MARKED = of_form(["qqq-Qq 9", "9999", "Qqqq", "(999) 99.9", "q/q, q"])
ANYTHING = st.tuples(st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))


BORDERS = [0, 1, 9, 10, 99, 100, 999, 1000, 1499, 1500, 2099, 2100, 9999, 10**6, 10**15 - 1]
NUMBER_FORMS = ["{}", "{} mg", "{}%", "-{}", "${}", "{}/{}", "from {} to {}"]


@st.composite
def number_texts(draw):
    """Two texts with numbers of the same decimals, in any way of writing them."""
    decimals = draw(st.integers(0, 3))
    form = draw(st.sampled_from(NUMBER_FORMS))
    steps = st.sampled_from(BORDERS).flatmap(lambda b: st.integers(max(0, b - 2), b + 2))
    steps = st.one_of(steps, st.integers(0, 10**17))
    return tuple(
        form.format(*(written(draw, draw(steps), decimals) for _ in range(form.count("{}"))))
        for _ in range(2)
    )


def written(draw, steps, decimals):
    whole, part = divmod(steps, 10**decimals)
    way = draw(st.sampled_from(["{}", "{:,}", "0{}", "00{}"]))
    if decimals and not whole and draw(st.booleans()):
        way = ""
    return way.format(whole) + (f".{part:0{decimals}d}" if decimals else "")


def ordinals():
    texts = st.integers(1, 130).map(lambda v: f"the {v}{ordinal(v)}")
    return st.tuples(texts, texts)


@st.composite
def dates(draw):
    """Two documents of one layout: dates apart by one number of days, times by one of hours."""
    days = st.dates(date(2000, 1, 1), date(2060, 12, 31))
    said = draw(st.lists(st.tuples(days, st.sampled_from(DATE_FORMS)), min_size=1, max_size=4))
    clock = draw(st.lists(st.tuples(st.integers(0, 23), st.sampled_from(TIME_FORMS)), max_size=2))
    days, hours = timedelta(draw(st.integers(-400, 400))), draw(st.integers(0, 23))
    both = []
    for by, more in ((timedelta(0), 0), (days, hours)):
        moved = [(day + by, form) for day, form in said]
        texts = [day.strftime(form.replace("th", ordinal(day.day))).format(day.month, day.day)
                 for day, form in moved]  # fmt: skip
        turned = [((hour + more) % 24, form) for hour, form in clock]
        texts += [form.format(hour, (hour - 1) % 12 + 1, "am" if hour < 12 else "pm")
                  for hour, form in turned]  # fmt: skip
        both.append(mentions(texts, "DATE"))
    return both[0], (both[1], days.days, hours)


DATE_FORMS = [
    "%Y-%m-%d", "%m/%d/%Y", "{0}/{1}/%Y", "%m-%d-%Y", "%B {1}, %Y", "%b {1}, %Y", "{1} %B %Y",
    "%b %d, %Y", "%B {1}th, %Y", "%Y%m%d",
]  # fmt: skip
TIME_FORMS = ["{0:02}:59", "{0}:30", "{1}:59 {2}", "{1} {2}", "{1:02}:05 {2}"]


def ordinal(value):
    return {1: "st", 2: "nd", 3: "rd"}.get(value % 10 * (value // 10 % 10 != 1), "th")


# Numbers side by side that are written in another way, or were of another class: years, thousands,
# widths, zeros and points in front, ordinals.
SIDE_BY_SIDE = [
    ("1499", "1500"), ("1999", "2000"), ("2099", "2100"), ("999", "1,000"), ("999", "1000"),
    ("9,999", "10,000"), ("999,999", "1,000,000"), ("099", "100"), ("9", "010"), (".9", "1.0"),
    (".99", "01.00"), ("9.9", "10.0"), ("-9", "-10"), ("99%", "100%"), ("2nd", "3rd"),
    ("19th", "21st"), ("9TH", "11TH"), ("$999", "$1,000"),
]  # fmt: skip
NO_NUMBERS = of_form(["9.9.9", "99,9", "9,99,999 mg", "9.9999999999999999"])


def of_numbers(pairs):
    return pairs.map(lambda pair: tuple(mentions([text]) for text in pair))


def same_output(surrogate, one, other, data):
    """Epsilon 0: the output does not depend on which of the two it is."""
    assert surrogate.guarantee.epsilon == surrogate.guarantee.delta == 0
    drawn_alike(surrogate, one, other, data)


def drawn_alike(surrogate, one, other, data):
    """Also what dx.Number.v1 draws anew: digits that are no number by their form."""
    seed = data.draw(st.integers(0, 3))
    drawn = [shown(surrogate, each, seed) for each in (one, other)]
    assert drawn[0] == drawn[1]


def shown(surrogate, mentions, seed=0):
    """What a reader sees: None stands for the mention itself."""
    drawn = surrogate.replace(mentions, Draws(Rng(seed)))
    return [m.text if text is None else text for m, text in zip(mentions, drawn, strict=True)]


def nothing_promised(surrogate, one, other, data):
    assert not surrogate.guarantee.holds and set(surrogate.replace(one, Draws(Rng(0)))) <= {None}


def noisy_value_alone(surrogate, one, other, data):
    """dx.Number.v1: value and noise come out by their sum alone."""
    values = [values_of(surrogate, each) for each in (one, other)]
    far = st.integers(-(10**18), 10**18) | st.integers(-5, 5)
    noises = [data.draw(far) for _ in values[0]]
    moved = [k + a - b for k, a, b in zip(noises, *values, strict=True)]
    assert with_noise(surrogate, one, noises) == with_noise(surrogate, other, moved)


def values_of(surrogate, mentions):
    """What the noise is added to, in steps of it."""
    texts = " ".join(mention.text.replace(",", "") for mention in mentions)
    found = re.findall(r"\d*\.\d+|\d+", texts)
    sizes = [10 ** len(text.partition(".")[2]) for text in found]
    values = [min(Fraction(f"0{text}"), number.MAX_NUMBER) for text in found]
    if surrogate.scale == "absolute":
        return [int(value * size) for value, size in zip(values, sizes, strict=True)]
    return [round(math.log1p(float(value)) * number.LOG_STEPS) for value in values]


def with_noise(surrogate, mentions, noises):
    left = iter(noises)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number, "discrete_laplace", lambda rate, stream: next(left))
        return shown(surrogate, mentions)


def moved_day_alone(surrogate, one, other, data):
    """dx.DateShift.v1: day and shift come out by their sum alone, and so do hours."""
    other, days, hours = other
    shift, turn = data.draw(st.integers(-3000, 3000)), data.draw(st.integers(0, 23))
    drawn = Timeline(one, surrogate.order).move(shift, turn)
    assert drawn == Timeline(other, surrogate.order).move(shift - days, (turn - hours) % 24)
    assert "[DATE]" not in drawn and None not in drawn


def cases(pairs, holds, *settings):
    return tuple(Case(pairs, setting, holds) for setting in settings or ({},))


BOUNDS = ({}, {"low": 2, "high": 1500})
NUMBERS = tuple(
    case
    for pairs in map(of_numbers, (number_texts(), ordinals(), st.sampled_from(SIDE_BY_SIDE)))
    for scale in number.SCALES
    for more in BOUNDS
    for case in cases(pairs, noisy_value_alone, {"epsilon": 1.0, "scale": scale, **more})
)
CASES = {
    "dx.Name.v1": (
        *cases(persons_of(), same_output, {}, {"form": False}, {"scope": "mention"}),
        *cases(persons_of(ONE_GENDER), same_output, {"gender": "same"}),
    ),
    "dx.DateShift.v1": cases(dates(), moved_day_alone, {}, {"window": 30}),
    "dx.Number.v1": (*NUMBERS, *cases(documents(NO_NUMBERS), drawn_alike)),
    "dx.Digits.v1": cases(documents(st.one_of(CODES, CARDS, IBANS)), same_output),
    "dx.Contact.v1": cases(documents(CONTACTS), same_output),
    "dx.Address.v1": cases(documents(addresses()), same_output),
    "dx.Place.v1": cases(documents(PLACES, place_of), same_output),
    "dx.Organisation.v1": cases(documents(organisations(), firm_of), same_output),
    "dx.Mask.v1": cases(documents(MARKED), same_output),
    "dx.Redact.v1": cases(documents(ANYTHING), same_output, {}, {"text": "NN"}),
    "dx.Keep.v1": cases(documents(ANYTHING), nothing_promised),
    "dx.Words.v1": cases(documents(ANYTHING), nothing_promised),
}
# Presets are maps of the others.
PRESETS = {"dx.Preset.v1"}


def test_every_registered_surrogate_has_a_case():
    names = {name for name in registry.dx_surrogates.get_all() if name.startswith("dx.")}
    missing = names - CASES.keys() - PRESETS
    assert not missing, f"add documents that are adjacent for {sorted(missing)} to CASES"
    for preset in ("standard", "clinical"):
        for version in PRESETS:
            made = registry.dx_surrogates.get(version)(name=preset)
            assert {one.name for one in made.values()} <= CASES.keys()


every_case = pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(name, case, id=name) for name, cases in CASES.items() for case in cases],
)


def check(name, case, data):
    surrogate = registry.dx_surrogates.get(name)(**case.setting)
    assert isinstance(surrogate, Surrogate)
    one, other = data.draw(case.pairs)
    case.holds(surrogate, one, other, data)


@every_case
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_adjacent_mentions_cannot_be_told_apart(name, case, data):
    check(name, case, data)
