"""Identifiers that a provider drew pass, and those in which somebody wrote a name do not."""

import random
import string

import pytest

from spacy_dxprivacy.entities.tables import listed
from spacy_dxprivacy.prompts.issued import is_drawn

SIGNS = string.ascii_letters + string.digits
FORMS = [("call_", 24), ("toolu_01", 22), ("chatcmpl-", 29), ("msg_01", 22)]
WAYS = "{a}{b}{d} {d}{b}{a} {a}{d}{b} {b}{a}{d} {i}{b}{d}{a}".split()
CASES = (str.upper, str.title, str.lower)


def drawn(rng, size):
    return "".join(rng.choice(SIGNS) for _ in range(size))


def glued(rng):
    """Return two listed names and a number in one word."""
    first, last = rng.choice(listed(rng.choice(("female", "male")))), rng.choice(listed("surnames"))
    case, digits = rng.choice(CASES), str(rng.randrange(10 ** rng.choice((1, 2, 4))))
    word = rng.choice(WAYS).format(a=case(first), b=case(last), i=first[0].upper(), d=digits)
    return "".join(filter(str.isalnum, word)) if word.isascii() else glued(rng)


@pytest.mark.parametrize(("prefix", "size"), FORMS)
def test_few_identifiers_of_providers_look_written(prefix, size):
    rng = random.Random(1)
    ids = [prefix + drawn(rng, size) for _ in range(2000)]
    assert sum(map(is_drawn, ids)) > 0.96 * len(ids)


@pytest.mark.parametrize(("prefix", "size"), FORMS)
def test_hardly_any_name_passes_as_drawn(prefix, size):
    rng, ids = random.Random(2), list[str]()
    while len(ids) < 2000:
        word = glued(rng)
        if len(word) <= size:
            start = rng.randint(0, size - len(word))
            ids.append(f"{prefix}{drawn(rng, start)}{word}{drawn(rng, size - start - len(word))}")
    assert sum(map(is_drawn, ids)) < 0.005 * len(ids)


@pytest.mark.parametrize("name", [
    "call_PRIYAWHITCOMBE1", "call_PRIYAWHITCOMBE1234567890", "call_x9PRIYA7WHITCOMBE03q4Zk2",
    "call_abcdefgh", "toolu_PRIYA", "chatcmpl-1983030919830309198303091", "call_", "PRIYA", "",
    "call_123456789012345678901234", "fc_123456789012345678901234",
])  # fmt: skip
def test_what_is_not_of_the_form_of_a_provider_is_not_drawn(name):
    assert not is_drawn(name)


@pytest.mark.parametrize("name", [
    "toolu_01A09q90qw90lq917835lq9", "call_AbcLee9xq0k2jd8sk20smQ3k",
    "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    "chatcmpl-tool-8f14e45fceea167a5a36dedd4bea2543", "rs_6876cf02e0bc8192b74af0fb64b715ff",
    "call_12345xyz9QwErTyUiOp3Zk0m", "fc_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b",
])  # fmt: skip
def test_documented_identifiers_are_drawn(name):
    assert is_drawn(name)
