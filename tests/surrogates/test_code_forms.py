"""What stays of a code: ports and prefixes, directions, and the letters of a country."""

import re

import pytest

from spacy_dxprivacy import Rng, registry
from spacy_dxprivacy.surrogates import Draws, Mention


def drawn(text, seed, name="dx.Digits.v1"):
    (new,) = registry.dx_surrogates.get(name)().replace([Mention(text, "ID")], Draws(Rng(seed)))
    return new


@pytest.mark.parametrize("name", ["dx.Digits.v1", "dx.Contact.v1"])
@pytest.mark.parametrize(("machine", "rest"), [
    ("198.18.4.7:4414", ":4414"), ("198.18.4.7/22", "/22"), ("198.18.4.7", ""),
    ("2001:db8:4::9/48", "/48"), ("fe80::9%wlan0", "%wlan0"), ("fe80::1ff:fe23%2/64", "%2/64"),
])  # fmt: skip
def test_a_machine_keeps_its_port_its_prefix_and_its_zone(name, machine, rest):
    for seed in range(3):
        new = drawn(machine, seed, name)
        assert new.endswith(rest) and new != machine
        assert new.startswith("fe80::") == machine.startswith("fe80")
        assert re.fullmatch(r"[\d.]+|[\da-f:]+", new.removesuffix(rest))


def test_a_machine_has_one_surrogate_whatever_its_port_and_a_net_stays_one():
    for name in ("dx.Digits.v1", "dx.Contact.v1"):
        surrogate = registry.dx_surrogates.get(name)()
        texts = ["198.18.4.7:22", "198.18.4.7", "198.18.4.7:443", "198.18.4.0/24"]
        new = surrogate.replace([Mention(text, "ID") for text in texts], Draws(Rng(4)))
        assert len({text.partition(":")[0] for text in new[:3]}) == 1
        assert new[3].endswith(".0/24")


@pytest.mark.parametrize("number", ["4.071.223.918", "999.1.1.1"])
def test_a_number_with_points_is_no_machine(number):
    assert not drawn(number, 1).startswith(("192.0.2", "198.51.100", "203.0.113"))


@pytest.mark.parametrize("place", [
    "48°51'24\"N 2°21'08\"E", "33°52'S, 151°12'E", "9.93123, -84.09075", "-33.8688°, 151.2093°",
    "59.9139 lon 10.7522", "47.3769 N, 8.5417 E", "05.12345, 100.33333",
])  # fmt: skip
def test_coordinates_stay_coordinates(place):
    for seed in range(20):
        new = drawn(place, seed)
        assert re.sub(r"\d", "0", new) == re.sub(r"\d", "0", place) and new != place
        latitude, longitude = re.split(r"(?:(?<=[NS])|,|lon)", new, maxsplit=1)
        for angle, most in ((latitude, 90), (longitude, 180)):
            degrees, *parts = re.findall(r"\d+(?:\.\d+)?", angle)
            assert float(degrees) < most and all(float(part) < 60 for part in parts)


@pytest.mark.parametrize(("code", "country"), [
    ("BUKBGB22XXX", slice(4, 6)), ("CRESCHZZ", slice(4, 6)), ("LX473124829DE", slice(-2, None)),
    ("RR 123 456 785 NZ", slice(-2, None)), ("FR 12 303265045", slice(2)),
    ("GB 980 7806 84", slice(2)), ("IE6388047V", slice(2)), ("PL 8567346215", slice(2)),
])  # fmt: skip
def test_a_code_keeps_the_letters_of_its_country(code, country):
    for seed in range(5):
        new = drawn(code, seed)
        assert new[country] == code[country] and new != code
        assert re.sub("[A-Z]", "A", re.sub(r"\d", "0", new)) == re.sub(
            "[A-Z]", "A", re.sub(r"\d", "0", code)
        )


def test_registered_mail_keeps_a_valid_check_digit():
    for seed in range(5):
        numbers = [int(c) for c in drawn("RR473124829DE", seed) if c.isdigit()]
        total = sum(a * b for a, b in zip(numbers, (8, 6, 4, 2, 3, 5, 9, 7), strict=False))
        assert numbers[8] == {10: 0, 11: 5}.get(11 - total % 11, 11 - total % 11)


@pytest.mark.parametrize("code", ["ABCDQQ22", "PX112233D", "QQ473124829ZZ", "MRN4471203"])
def test_other_codes_keep_no_letters_of_a_country(code):
    letters = {re.sub(r"\d", "", drawn(code, seed)) for seed in range(6)}
    assert len(letters) > 1 or code.startswith("MRN")
