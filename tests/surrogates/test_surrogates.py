"""Surrogates: their protocol, their distributions, keys, and the component that uses them."""

import os
import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import spacy
from conftest import pipeline_of
from scipy import stats

from spacy_dxprivacy import DxError, DxWarning, Rng, registry
from spacy_dxprivacy.entities.tables import STATES, ZIP_HEADS, cities, listed
from spacy_dxprivacy.errors import UsageError
from spacy_dxprivacy.files.keys import check_key_location, make_key, read_key
from spacy_dxprivacy.privacy.guarantee import Guarantee
from spacy_dxprivacy.privacy.randomness import discrete_laplace
from spacy_dxprivacy.surrogates import Draws, Mention, Surrogate
from spacy_dxprivacy.surrogates.base import Keyed, Scope
from spacy_dxprivacy.surrogates.codes import luhn, mod97
from spacy_dxprivacy.surrogates.name_forms import Person, form_of, persons
from spacy_dxprivacy.surrogates.plain import NO_LOSS
from spacy_dxprivacy.surrogates.replacements import replace_mentions

# Nothing of these may come back, and nothing may be quoted.
ODD = [
    "Maria Lopez", "M.", "O'Neill", "李小龙", "١٢٣", "9" * 400, "-", "12/31/9999",
    "30 February 2019", "Dr.", "a@b.example", "::1", "TX", "P.O. Box 1",
    "🙂", "x" * 5000, "\u202e", "'s", "e\u0301",
]  # fmt: skip


def made(name, **settings):
    return registry.resolve({"s": {"@dx_surrogates": name, **settings}})["s"]


def surrogate_names():
    ours = [n for n in registry.dx_surrogates.get_all() if n.startswith("dx.")]
    return [n for n in ours if isinstance(made(n), Surrogate)]


def draw(surrogate, *texts, label="X", seed=0, before="", user=""):
    mentions = [Mention(text, label, before) for text in texts]
    return surrogate.replace(mentions, Draws(Rng(seed), user))


@pytest.mark.parametrize("name", surrogate_names())
def test_a_surrogate_keeps_its_protocol(name):
    one = made(name)
    assert one.name == name
    assert one.way in ("drawn", "words", "kept")
    assert isinstance(one.guarantee, Guarantee) and 0 <= one.chance <= 1
    assert all(isinstance(told, str) for told in one.in_clear)
    assert hash(one) == hash(made(name)) and one == made(name)
    assert draw(one) == []
    drawn = draw(one, *ODD)
    assert len(drawn) == len(ODD)
    assert all(text is None or (isinstance(text, str) and text.strip()) for text in drawn)
    assert drawn == draw(one, *ODD)
    if one.name != "dx.Number.v1":
        drawn = draw(one, "Ann Field 4417", "Bo Marsh 20519", "Ann Field 4417")
        assert drawn[0] == drawn[2]


@pytest.mark.parametrize("in_file", [False, True])
def test_a_stream_of_a_key_is_that_of_a_caller_and_in_memory_of_a_user(tmp_path, in_file):
    """No caller of the service learns how the mentions of another one come out."""
    make_key(tmp_path / "key")
    scope = Scope("corpus", str(tmp_path / "key") if in_file else b"k" * 32)

    def stream(*whose):
        draws = Draws(Rng(), whose[1], caller=whose[0])
        return tuple(scope.stream(draws, "name", "maria").integers(2**32, 4))

    pairs = [(caller, user) for caller in ("ann", "bob") for user in ("x", "y")]
    assert len({stream(*pair) for pair in pairs}) == (2 if in_file else 4)
    assert all(stream(*pair) == stream(*pair) for pair in pairs)


def test_a_title_before_a_name_and_particles_say_what_is_a_family_name():
    name = made("dx.Name.v1", form=True)
    mentions = [Mention("Okonkwo", "P", "Mr."), Mention("van der Berg", "P"), Mention("Berg", "P")]
    one, other, again = name.replace(mentions, Draws(Rng(1)))
    assert {one, again} <= set(listed("surnames")) and other == f"van der {again}" and again != one


def test_particles_are_kept_as_they_are_written():
    name = made("dx.Name.v1")
    mentions = ["Kees van Dijk-Mensah", "van Dijk-Mensah", "Ó Briain", "Ó. Murphy", "DE LA CRUZ"]
    full, bare, irish, initial, spanish = draw(name, *mentions)
    family = full.split(" ", 1)[1]
    assert bare == family and family.startswith("van ") and "-" not in family
    assert re.fullmatch(r"Ó \w+", irish) and re.fullmatch(r"[A-Z]\. \w+", initial)
    assert spanish.startswith("DE LA ") and spanish.isupper()


SHOWN = {
    "male": [
        ("Mr.", "Wendy Kerr", ""), ("husband", "Sonja", ""), ("uncle", "Zyx", ""),
        ("", "Mr. Kerr", ""), ("", "Robin Kerr", "said he slept"),
        ("", "Kim Lee", "came. He slept"),
    ],
    "female": [
        ("Mrs.", "Tom Kerr", ""), ("sister", "Zyx", ""), ("", "Sonja", ", she said"),
        ("daughter", "Peter", ""), ("", "Ms. Robin Kerr", ""), ("Aunt", "Zyx", ""),
    ],
}  # fmt: skip


@pytest.mark.parametrize("gender", SHOWN)
def test_a_given_name_has_the_gender_that_the_text_shows(gender):
    """It is in plaintext beside the name, and the receipt states it; nothing goes by the name."""
    name, firsts = made("dx.Name.v1"), set(listed(gender))
    for before, text, tail in SHOWN[gender]:
        mentions = [Mention(text, "P", before, before, tail), Mention("Casey Moss", "P")]
        drawn = [name.replace(mentions, Draws(Rng(seed))) for seed in range(20)]
        if text != "Mr. Kerr":
            parts = [one.removeprefix("Ms. ").split()[0] for one, _ in drawn]
            assert set(parts) <= firsts, text
        others = {other.split()[0] for _, other in drawn}
        assert others & set(listed("male")) and others & set(listed("female"))
    assert any("titles, words for kin and pronouns" in line for line in name.in_clear)
    other = [Mention("Zorblatt", "P", "friend", "his friend", "")]
    assert name.replace(other, Draws(Rng(1))) == name.replace([Mention("Quux", "P")], Draws(Rng(1)))


def test_a_given_name_becomes_a_given_name():
    name, firsts = made("dx.Name.v1"), {*listed("female"), *listed("male")}
    for kin in ("sister", "brother", "aunt", "husband"):
        for text in ("Wendy", "Zyxo", "Sonja"):
            (one,) = name.replace([Mention(text, "P", kin, f"his {kin}")], Draws(Rng(3)))
            assert one in firsts


def test_the_form_of_a_mention_is_hidden_on_request():
    name = made("dx.Name.v1", form=False)
    assert len(set(draw(name, "Maria Lopez", "Ms. Lopez", "Maria", "M. Lopez"))) == 1
    for one, told in ((name, False), (made("dx.Name.v1"), True)):
        assert any("how a name" in line for line in one.in_clear) == told


def test_persons_of_a_document_share_no_part():
    drawn = draw(made("dx.Name.v1", form=False), *(f"Given{i} Family{i}" for i in range(300)))
    assert len({part for text in drawn for part in text.split()}) == 600


ONE_PERSON = [
    ("María López", "Maria Lopez", "MARÍA", "Ms. Lopez"),
    ("Ana Lopez-Garcia", "Ms. Garcia", "Ms. Lopez-Garcia"),
    ("Frau Dr. Schöller", "Frau Schöller", "Dr. Schöller"),
    ("Dr. Jane Smith", "Jane Smith", "Smith"), ("Robert Lee Jr.", "Robert Lee", "Lee"),
    ("Андрей Петров", "Андреи Петров"), ("Robert Miller", "Bob Miller", "Rob", "Ms. Miller"),
    ("Liz Taylor", "Elizabeth Taylor", "Beth Taylor"), ("Priya Raman", "Priya R.", "Priya"),
    ("Mary Smith, MD", "Dr. Smith"), ("Dr. Mary Smith", "Mary Smith", "Dr. Smith"),
]  # fmt: skip
# Two persons, and the number of parts of a name that they share.
TWO_PERSONS = [
    ("John Smith Jr.", "John Smith Sr.", 2), ("John Smith Sr.", "John Smith III", 2),
    ("Ms. Smith", "Dr. Smith", 1), ("Mr. Okafor", "Mrs. Okafor", 1),
    ("Mary Smith", "John Smith", 1), ("Mary Smith", "John Smith, MD", 1),
    ("Mary Smith", "Dr. Smith", 1), ("Robert Miller", "Tom Miller", 1),
    ("Priya Raman", "Priya S.", 1), ("Bob Miller", "Robert Moss", 0), ("Ana Lopez", "Eve Lang", 0),
]  # fmt: skip


def test_a_person_has_one_name_however_it_is_written():
    for mentions in ONE_PERSON:
        assert len(set(draw(made("dx.Name.v1", form=False), *mentions))) == 1, mentions


def test_persons_that_a_document_names_apart_share_the_parts_of_their_names():
    for *mentions, shared in TWO_PERSONS:
        for some in (mentions, mentions[::-1]):
            one, other = (set(text.split()) for text in draw(made("dx.Name.v1", form=False), *some))
            assert len(one & other) == shared, some
    mentions = ("Mary Smith", "Dr. Smith", "Ms. Smith", "Smith")
    full, doctor, titled, bare = draw(made("dx.Name.v1", form=False), *mentions)
    assert full == titled == bare != doctor


@pytest.mark.parametrize("text", ["Given{} Smith", "Ms. Family{}", "M. Family{}", "Mr. Smith"])
def test_thousands_of_persons_are_not_compared_with_each_other(text, monkeypatch):
    compared, fits = [], Person.fits
    monkeypatch.setattr(Person, "fits", lambda *these: compared.append(1) or fits(*these))
    forms = [form_of(text.format(i)) for i in range(2000)] + [form_of("Smith")] * 2000
    assert len(persons(forms)) == 4000 and len(compared) < 10_000


@pytest.mark.parametrize("original", ["Maria Lopez", "Wei Chen"])
def test_a_name_is_independent_of_the_original(original):
    """Chi-square against the uniform distribution, in 64 bins of first names and of surnames."""
    name, rng = made("dx.Name.v1", form=False), Rng(5)
    drawn = [name.replace([Mention(original, "P")], Draws(rng))[0].split() for _ in range(3000)]
    for column, names in enumerate((listed("female") + listed("male"), listed("surnames"))):
        bins = {name: i % 64 for i, name in enumerate(names)}
        counts = np.bincount([bins[pair[column]] for pair in drawn], minlength=64)
        assert stats.chisquare(counts).pvalue > 1e-4


def test_gender_is_copied_only_if_asked_for():
    women = set(listed("female"))
    same = made("dx.Name.v1", gender="same")
    assert all(draw(same, "Laura Lopez", seed=i)[0].split()[0] in women for i in range(40))
    name = made("dx.Name.v1", form=False)
    anyone = [draw(name, "Laura Lopez", seed=i)[0].split()[0] for i in range(40)]
    assert 5 < sum(first in women for first in anyone) < 35


def follows_two_sided_geometric(drawn, rate):
    k = np.arange(-60, 61)
    expected = len(drawn) * np.tanh(rate / 2) * np.exp(-rate * np.abs(k))
    common = expected >= 5
    seen = np.array([drawn.count(i) for i in k])[common]
    counts = [*seen, len(drawn) - seen.sum()]
    rest = len(drawn) - expected[common].sum()
    return stats.chisquare(counts, [*expected[common], rest]).pvalue > 1e-4


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(5, 2), Fraction(0.3)])
def test_noise_is_two_sided_geometric(rate):
    rng = Rng(seed=3)
    assert follows_two_sided_geometric(
        [discrete_laplace(rate, rng) for _ in range(6000)], float(rate)
    )


def test_a_shift_out_of_range_is_refused():
    for settings in ({"epsilon": 0}, {"epsilon": 1.0, "window": 3}, {"window": 0},
                     {"order": "myd"}, {"scope": "mention"}, {"weeks": True, "window": 6},
                     {"scope": "one-shift"}):  # fmt: skip
        with pytest.raises(DxError):
            made("dx.DateShift.v1", **settings)


RESERVED = r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}"
FORMS = [
    ("dx.Digits.v1", "4111 1111 1111 1111", r"4000 00\d\d( \d{4}){2}"),
    ("dx.Digits.v1", "GB29 NWBK 6016 1331 9268 19", r"GB\d\d XXXX( \d{4}){3} \d\d"),
    ("dx.Digits.v1", "123-45-6789", r"9\d\d-\d\d-\d{4}"),
    ("dx.Digits.v1", "44-120-9", r"\d\d-\d{3}-\d"),
    ("dx.Digits.v1", "Case no. 57734", r"Case no\. \d{5}"),
    ("dx.Digits.v1", "Zorblattovich$57734", r"[A-Z][a-z]{12}\$\d{5}"),
    ("dx.Digits.v1", "٤٤١٢٠٩", r"[٠-٩]{6}"),
    ("dx.Digits.v1", "7" * 400, r"\d{400}"),
    ("dx.Digits.v1", "10.20.30.40", RESERVED),
    ("dx.Contact.v1", "+1 (415) 867-5309", r"\+1 \(\d{3}\) 555-01\d\d"),
    ("dx.Contact.v1", "020 7123 4567", r"020 7946 0\d{3}"),
    ("dx.Contact.v1", "07712 345678", r"07700 900\d{3}"),
    ("dx.Contact.v1", "+44 (0)161 496 1234", r"\+44 \(0\)163 296 0\d{3}"),
    ("dx.Contact.v1", "0044 7712 345678 ext. 12", r"0044 7700 900\d{3} ext\. \d\d"),
    ("dx.Contact.v1", "+33 6 12 34 56 78", r"\+33 6 39 98 \d\d \d\d"),
    ("dx.Contact.v1", "+49 171 2345678", r"\+49 171 39200\d\d"),
    ("dx.Contact.v1", "+61 2 9374 4000", r"\+61 2 5550 \d{4}"),
    ("dx.Contact.v1", "+48 22 123 45 67", r"\+48 00 \d{3} \d\d \d\d"),
    ("dx.Contact.v1", "+34 911 234 567", r"\+34 00\d \d{3} \d{3}"),
    ("dx.Contact.v1", "+31 20 123 4567", r"\+31 00 \d{3} \d{4}"),
    ("dx.Contact.v1", "+39 06 1234 5678", r"\+39 00 \d{4} \d{4}"),
    ("dx.Contact.v1", "+351 21 123 4567", r"\+351 00 \d{3} \d{4}"),
    ("dx.Contact.v1", "0043 1 234 5678", r"0043 0 0\d\d \d{4}"),
    ("dx.Contact.v1", "0044 7812 345678", r"0044 7700 900\d{3}"),
    ("dx.Contact.v1", "0800 123 4567", r"0808 157 0\d{3}"),
    ("dx.Digits.v1", "00:1A:2B:3C:4D:5E", r"02(:[\dA-F]{2}){5}"),
    ("dx.Digits.v1", "00-1a-2b-3c-4d-5e", r"02(-[\da-f]{2}){5}"),
    (
        "dx.Digits.v1",
        "550e8400-e29b-41d4-a716-446655440000",
        r"[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}",
    ),
    ("dx.Digits.v1", "0x742d35Cc6634C0532925a3b844Bc454e4438f44e", r"0x[\da-fA-F]{40}"),
    ("dx.Digits.v1", "9f86d081884c7d659a2feaa0c55ad015", r"[\da-f]{32}"),
    ("dx.Digits.v1", "DE1234567890123456789X", r"[A-Z]{2}\d{19}[A-Z]"),
    ("dx.Contact.v1", "maria@stmary.org", r"\w+\.\w+@example\.(com|org|net)"),
    ("dx.Contact.v1", "https://www.stmary.org/x", r"https://www\.example\.(com|org|net)/\w+"),
    ("dx.Contact.v1", "10.20.30.40", RESERVED),
    ("dx.Contact.v1", "2a02::1ff:fe23", r"2001:db8::[\da-f]+:[\da-f]+"),
    ("dx.Contact.v1", "mlopez77", r"[\w ]+\d{4}"),
    ("dx.Organisation.v1", "St. Mary Hospital", r".+ Hospital"),
    ("dx.Redact.v1", "Ann", r"\[X\]"),
    ("dx.Mask.v1", "Ann-Lee 4", r"\*{3}-\*{3} \*"),
]


@pytest.mark.parametrize(("name", "text", "form"), FORMS)
def test_the_form_of_what_is_drawn(name, text, form):
    (new,) = draw(made(name), text)
    assert new != text and re.fullmatch(form, new)
    bare = new.replace(" ", "")
    assert not form.startswith("4000") or luhn(bare) == 0
    assert not form.startswith("GB") or mod97(bare) == 1


def test_a_telephone_number_is_the_same_with_and_without_the_code_of_its_country():
    for pair in (("07712 345678", "+44 7712 345678"), ("020 7123 4567", "0044 (0)20 7123 4567")):
        bare, coded = (re.sub(r"\D", "", new) for new in draw(made("dx.Contact.v1"), *pair))
        assert bare[1:] == coded[-10:]


def test_places_and_addresses_of_a_document_fit_each_other():
    rng = Rng(2)
    for _ in range(20):
        draws = Draws(rng)
        mentions = [Mention(t, "GPE") for t in ("Austin", "Texas", "TX", "78701", "France")]
        city, state, short, code, country = made("dx.Place.v1").replace(mentions, draws)
        assert (city, short) in cities() and STATES[short].startswith(state)
        assert code[:2] in ZIP_HEADS[short] and country != state
        address = [Mention("12 Main St, Apt 4, Austin, TX 78701-1234", "ADDRESS")]
        (written,) = made("dx.Address.v1").replace(address, draws)
        assert re.search(rf", {re.escape(city)}, {short} \d{{5}}-\d{{4}}$", written)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("flat 3", r"flat \d+"),
        ("Suite 200", r"Suite \d+"),
        ("Unit 4b, Mill Lane", r"Unit \d+, \w+ \w+"),
        ("12 Oak Road, Apt. 4B", r"\d+ \w+ \w+, Apt\. \d+"),
        ("the corner of Mill Lane and High Street", r"the corner of \w+ \w+ and \w+ \w+"),
    ],
)
def test_an_address_keeps_the_words_of_its_unit_and_corner(text, form):
    (written,) = made("dx.Address.v1").replace([Mention(text, "ADDRESS")], Draws(Rng(3)))
    assert re.fullmatch(form, written) and written != text


BRITISH = r"[A-Z]{1,2}[1-9][A-Z\d]? \d[ABD-HJLNP-UW-Z]{2}"
CANADIAN = r"[ABCEGHJ-NPRSTVXY]\d[A-Z] \d[A-Z]\d"
POSTCODES = [
    ("LS1 4AB", BRITISH), ("SW1A 2AA", r"[A-Z]{2}[1-9][A-H] \d[A-Z]{2}"), ("M1 1AE", BRITISH),
    ("K1A 0B1", CANADIAN), ("D02 AF30", r"[AC-FHKNPRTV-Y]\d\d [AC-Y][AC-Y\d]{3}"),
    ("1017 AB", r"[1-9]\d{3} [A-Z]{2}"), ("NL-1017 AB", r"NL-[1-9]\d{3} [A-Z]{2}"),
    ("10115", r"\d{5}"), ("D-10115", r"D-\d{5}"), ("CH-8001", r"CH-\d{4}"), ("1010", r"\d{4}"),
    ("120 00", r"\d{3} \d\d"), ("00-950", r"\d\d-\d{3}"), ("110001", r"\d{6}"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "form"), POSTCODES)
@pytest.mark.parametrize("language", ["en", "de", "fr", "nl"])
@pytest.mark.parametrize("name", ["dx.Address.v1", "dx.Place.v1"])
def test_a_postal_code_keeps_the_form_of_its_country(name, language, code, form):
    for seed in range(6):
        draws = Draws(Rng(seed), language=language)
        (new,) = made(name).replace([Mention(code, "X")], draws)
        assert new != code and re.fullmatch(form, new)


@pytest.mark.parametrize(
    ("language", "address", "form"),
    [
        ("en", "12 High Street, Leeds LS1 4AB", rf"\d+ [^,]+, \D+ {BRITISH}"),
        ("en", "12 High Street\nLeeds\nLS1 4AB", rf"\d+ .+\n\D+\n{BRITISH}"),
        ("en", "350 Sparks Street, Ottawa, ON K1R 7S8", rf"\d+ .+, \D+, [A-Z]{{2}} {CANADIAN}"),
        ("en", "Keizersgracht 12, 1017 AB Amsterdam", r"\D+, \d{4} [A-Z]{2} \D+"),
        ("en", "D-10115 Berlin", r"D-\d{5} \D+"),
        ("en", "12 Main St, Boston, MA 02118", r"\d+ .+, \D+, [A-Z]{2} \d{5}"),
        ("en", "12 Elm St, 10050 Main Street, Boston", r"\d+ [^,]+, \d+ [^,]+, \D+"),
        ("de", "Gartenstraße 12, 50667 Köln", r"\D+ \d+, \d{5} \D+"),
        ("de", "12 High Street, Leeds LS1 4AB", rf"\D+ \d+, \D+ {BRITISH}"),
        ("fr", "12 rue de la Paix, 75002 Paris", r"\d+ \D+, (0[1-9]|[1-8]\d|9[0-5])\d{3} \D+"),
        ("fr", "48 Elm Street, Boston, MA 02118", r"\d+ \D+, \D+ \d{5}"),
        ("nl", "Keizersgracht 12, 1017 AB Amsterdam", r"\D+ \d+, \d{4} [A-Z]{2} \D+"),
    ],
)
def test_the_postal_code_of_an_address_stands_where_it_stood(language, address, form):
    for seed in range(4):
        draws = Draws(Rng(seed), language=language)
        (new,) = made("dx.Address.v1").replace([Mention(address, "X")], draws)
        assert re.fullmatch(form, new)


def test_a_canadian_code_is_of_its_province():
    from_code = {"A": "NL", "B": "NS", "E": "NB", "G": "QC", "M": "ON", "S": "SK", "V": "BC"}
    for seed in range(30):
        (new,) = draw(made("dx.Address.v1"), "350 Sparks Street, Ottawa, ON K1R 7S8", seed=seed)
        province, code = re.fullmatch(r".*, (..) (.)\d. ...", new).groups()
        assert from_code.get(code, province) == province


def test_a_key_makes_the_same_stand_in_in_every_document(key):
    name = made("dx.Name.v1", scope="corpus", key=key)
    assert draw(name, "Maria Lopez", seed=1) == draw(name, "maria  LOPEZ", seed=2)
    assert draw(name, "María Lopez") == draw(name, "Maria Lopez") != draw(name, "Maria Gomez")
    junior, senior = draw(name, "John Smith Jr.", "John Smith Sr.")
    assert junior != senior and draw(name, "John Smith Sr.") == [senior]
    assert any("which documents" in told for told in name.in_clear)
    shift = made("dx.DateShift.v1", scope="corpus", key=key)
    assert draw(shift, "2019-03-01", user="a") == draw(shift, "2019-03-01", user="a", seed=4)
    assert len({draw(shift, "2019-03-01", user=str(u))[0] for u in range(9)}) > 1


def test_dates_move_by_document_where_nobody_says_whose_it_is(key):
    """Nothing of its text decides the shift of a document."""
    shift = made("dx.DateShift.v1", scope="corpus", key=key)
    assert len({draw(shift, "2019-03-01", seed=seed)[0] for seed in range(40)}) > 20
    one, other = draw(shift, "2019-03-01", "2019-03-11", seed=3)
    assert np.datetime64(other) - np.datetime64(one) == np.timedelta64(10, "D")
    preset = made("dx.Preset.v1", scope="corpus", key=key)["DATE"]
    assert len({draw(preset, "2019-03-01", seed=seed)[0] for seed in range(9)}) > 1


def test_one_shift_for_all_documents_is_asked_for_by_name(key):
    shift = made("dx.DateShift.v1", scope="one-shift", key=key)
    drawn = {draw(shift, "2019-03-01", seed=i, user=who)[0] for i in range(5) for who in ("", "a")}
    assert len(drawn) == 1
    assert any("two dates of the corpus" in told for told in shift.in_clear)
    assert shift.guarantee.adjacency.startswith("corpora") and shift.guarantee.status == "claimed"
    by_user = made("dx.DateShift.v1", scope="corpus", key=key)
    assert by_user.guarantee.adjacency.startswith("users")
    assert any("of one user" in told for told in by_user.in_clear)


def test_receipts_name_the_key_and_not_what_it_is(key, tmp_path):
    make_key(tmp_path / "other")
    ids = {made(n, scope="corpus", key=key).scope.key_id for n in ("dx.Name.v1", "dx.DateShift.v1")}
    (public,) = ids
    assert len(public) == 16 and public not in (tmp_path / "key").read_text()
    other = made("dx.Name.v1", scope="corpus", key=str(tmp_path / "other"))
    assert other.scope.key_id != public and made("dx.Name.v1").scope.key_id is None
    nlp = pipeline_of("dx_entity_ruler")
    preset = {"@dx_surrogates": "dx.Preset.v1", "scope": "corpus", "key": key}
    nlp.add_pipe("dx_entity_sanitizer", config={"surrogates": preset})
    told = nlp("Dr. Maria Lopez came on 2019-03-01.")._.dx.surrogates
    assert {one["key_id"] for one in told.values()} == {public}


def test_keyed_streams_are_uniform_over_keys():
    drawn = [Keyed(os.urandom(32), "name", "maria lopez").integers(32, 1)[0] for _ in range(3200)]
    assert stats.chisquare(np.bincount(drawn, minlength=32)).pvalue > 1e-4
    assert Keyed(b"k" * 32, "a", "b").integers(9, 8) != Keyed(b"k" * 32, "ab").integers(9, 8)
    one, again = (discrete_laplace(Fraction(1, 10), Keyed(b"k" * 32, "a")) for _ in range(2))
    assert one == again


@pytest.mark.posix
def test_a_key_that_is_short_public_or_missing_is_refused(tmp_path, key):
    assert len(read_key(key)) == 32 and os.stat(key).st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="exists already"):
        make_key(tmp_path / "key")
    (tmp_path / "short").write_text("dx-key:abcd")
    os.chmod(tmp_path / "short", 0o600)
    (tmp_path / "public").write_text("dx-key:" + "0" * 64)
    os.chmod(tmp_path / "public", 0o644)
    for bad in ("short", "public", "missing"):
        with pytest.raises(DxError, match="DX111"):
            made("dx.Name.v1", scope="corpus", key=str(tmp_path / bad))
    for settings in ({"scope": "corpus"}, {"key": key}):
        with pytest.raises(DxError, match="key"):
            made("dx.Name.v1", **settings)
    with pytest.raises(UsageError, match="folder of the output"):
        check_key_location(tmp_path / "key", tmp_path / "out.txt")
    check_key_location(tmp_path / "key", tmp_path / "deeper" / "out.txt")


@dataclass(frozen=True)
class Bad:
    """Does what a surrogate must not."""

    how: str
    name = "test.Bad"
    way = "drawn"
    chance = 0.0
    in_clear = ()
    guarantee = NO_LOSS

    def replace(self, mentions, draws):
        texts = [mention.text for mention in mentions]
        if self.how == "raises":
            raise RuntimeError(texts[0])
        return {"original": texts, "upper": [t.upper() for t in texts], "short": texts[1:],
                "empty": [" " for _ in texts], "number": [1 for _ in texts]}[self.how]  # fmt: skip


@registry.dx_surrogates("test.Bad.v1")
def make_bad(how: str) -> Bad:
    return Bad(how)


def pipeline(surrogates, *, pipe="dx_entity_sanitizer", **config):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([
        {"label": "PERSON", "pattern": [{"TEXT": {"REGEX": "Zorblatt|Maria|Quimby"}, "OP": "+"}]},
        {"label": "DATE", "pattern": [{"TEXT": {"REGEX": r"^\d+/\d+/\d+$"}}]},
    ])  # fmt: skip
    low = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 0.01}
    nlp.add_pipe(pipe, config={"surrogates": surrogates, "mechanism": low, **config})
    return nlp


NOTE = "Zorblatt Quimby saw Maria on 3/4/2019. Zorblatt left on 3/9/2019."


@pytest.mark.parametrize("how", ["raises", "original", "upper", "short", "empty", "number"])
def test_a_stand_in_that_fails_fails_closed_without_the_text(how):
    bad = {"@dx_surrogates": "test.Bad.v1", "how": how}
    nlp = pipeline({"PERSON": bad, "DATE": {"@dx_surrogates": "dx.Redact.v1"}})
    with pytest.raises(DxError) as caught:
        nlp(NOTE)
    assert not re.search("Zorblatt|Quimby|Maria", str(caught.value))
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_mentions_of_a_document_that_no_recogniser_read_are_not_taken_for_none():
    doc = spacy.blank("en")("Zorblatt saw Maria.")
    with pytest.raises(DxError, match="DX030"):
        replace_mentions(doc, {"PERSON": made("dx.Redact.v1")}, Rng(seed=0))
    doc.set_ents([])
    assert replace_mentions(doc, {"PERSON": made("dx.Redact.v1")}, Rng(seed=0)) == []


def test_a_receipt_has_what_each_surrogate_shows():
    nlp = pipeline("standard")
    surrogates = nlp.get_pipe("dx_entity_sanitizer").settings.active_surrogates.values()
    shown = {line for one in surrogates for line in one.in_clear}
    assert shown and shown <= set(nlp(NOTE)._.dx.in_clear)


def test_labels_without_a_stand_in_and_stand_ins_without_a_label():
    name = {"@dx_surrogates": "dx.Name.v1"}
    with pytest.raises(DxError, match=r"DX115.*DATE"):
        pipeline({"PERSON": name})(NOTE)
    redact = {"@dx_surrogates": "dx.Redact.v1"}
    nlp = pipeline({"PERSON": name, "DATE": redact, "PLANET": redact})
    with pytest.warns(DxWarning, match=r"PLANET.*DATE, PERSON") as told:
        nlp(NOTE)
    assert len(told) == 1 and nlp(NOTE).text.count("[DATE]") == 2


def test_words_and_keep():
    words, keep = {"@dx_surrogates": "dx.Words.v1"}, {"@dx_surrogates": "dx.Keep.v1"}
    doc = pipeline({"PERSON": words, "DATE": keep})(NOTE)
    assert "3/4/2019" in doc.text and "Zorblatt" not in doc.text
    told = doc._.dx.surrogates
    assert told["DATE"]["kept"] == 2 and told["PERSON"]["replaced"] == 3
    assert doc._.dx.perturbed + doc._.dx.unknown == 4


def test_surrogates_change_the_number_of_tokens_and_the_layout_follows():
    nlp = pipeline({"PERSON": {"@dx_surrogates": "dx.Redact.v1", "text": "a b c d"},
                    "DATE": {"@dx_surrogates": "dx.Mask.v1"}}, carry=["ents", "sents"])  # fmt: skip
    nlp.add_pipe("sentencizer", first=True)
    doc = nlp(NOTE)
    assert [e.text for e in doc.ents if e.label_ == "PERSON"] == ["a b c d"] * 3
    assert [s.text[:7] for s in doc.sents] == ["a b c d", "a b c d"]
    assert doc.text.startswith("a b c d saw a b c d on */*/****. a b c d left")


def test_nothing_of_the_original_is_in_the_document():
    text = NOTE.replace("Maria", "Quimby")
    raw = pipeline("standard", seed=1)(text).to_bytes()
    assert not any(part.encode() in raw for part in ("Zorblatt", "Quimby", "3/4/2019", "3/9/2019"))


def test_a_name_and_its_neighbours_are_drawn_apart():
    """What stands for a name is no context of the words that are drawn."""
    nlp = pipeline("clinical", pipe="dx_sanitizer", mechanism={"@dx_mechanisms": "dx.Path.v2",
                   "epsilon": 0.9}, seed=4)  # fmt: skip
    rests = []
    for who in ("Zorblatt", "Maria"):
        nlp.get_pipe("dx_sanitizer").settings.rng = Rng(4)
        rests.append([t.text for t in nlp(f"I think that {who} came home late") if not t.ent_type])
    assert rests[0] == rests[1]
