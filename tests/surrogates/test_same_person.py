"""One person, one surrogate over all documents of a key; none without."""

import gc
import re
import tracemalloc
from collections import Counter

import pytest

from spacy_dxprivacy.entities.tables import LANGUAGES, listed, listed_of
from spacy_dxprivacy.files.keys import make_key
from spacy_dxprivacy.privacy.randomness import Rng
from spacy_dxprivacy.registries import registry
from spacy_dxprivacy.surrogates import Draws, Mention
from spacy_dxprivacy.surrogates.codes import shared_initials
from spacy_dxprivacy.surrogates.name import MIN_LISTED_NAMES
from spacy_dxprivacy.surrogates.name_forms import fold, in_plain_letters

# (given, family, as a mail address has them), of many origins
PEOPLE = [
    ("Maria", "Lopez", "maria", "lopez"), ("John", "Smith", "john", "smith"),
    ("Jürgen", "Müller", "juergen", "mueller"), ("Zoë", "van der Berg", "zoe", "vanderberg"),
    ("Kate", "O'Brien", "kate", "obrien"), ("Ngozi", "Okafor", "ngozi", "okafor"),
    ("Søren", "Østergaard", "soren", "ostergaard"), ("Priya", "Sharma", "priya", "sharma"),
    ("José", "García", "jose", "garcia"), ("Łukasz", "Kowalski", "lukasz", "kowalski"),
    ("Anna-Lena", "Schäfer", "annalena", "schaefer"), ("Yuki", "Tanaka", "yuki", "tanaka"),
]  # fmt: skip


def made(name, key=None, **settings):
    keyed = {"scope": "corpus", "key": key} if key else {}
    return registry.dx_surrogates.get(name)(**keyed, **settings)


def drawn(surrogate, *mentions, draws=None, label="PERSON"):
    some = [m if isinstance(m, Mention) else Mention(m, label) for m in mentions]
    return surrogate.replace(some, draws or Draws(Rng()))


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person[1])
def test_each_form_of_a_person_alone_in_a_document_has_the_surrogate_of_the_full_name(person, key):
    given, last, *_ = person
    name = made("dx.Name.v1", key)
    first, family = drawn(name, f"{given} {last}")[0].split(" ", 1)
    assert drawn(name, f"{given} {last}") == [f"{first} {family}"]
    assert drawn(name, Mention(last, "PERSON", before="Ms.")) == [family]
    assert drawn(name, f"Dr. {given} {last}") == [f"Dr. {first} {family}"]
    assert drawn(name, f"{given[0]}. {last}") == [f"{first[0]}. {family}"]
    assert drawn(name, f"{last}, {given}") == [f"{family}, {first}"]
    assert drawn(name, f"{given} {last}".upper()) == [f"{first} {family}".upper()]
    assert drawn(name, f"{given} {last}'s") == [f"{first} {family}'s"]


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person[1])
def test_user_names_and_mail_addresses_are_those_of_the_surrogate(person, key):
    given, last, a, b = person
    forms = (f"{a}.{b}@x.org", f"{a[0]}{b}@x.org", f"{b}.{a[0]}@x.org", f"{a}_{b}", f"{a[0]}{b}")
    for of_key in (key, None):
        draws = Draws(Rng())
        new = drawn(made("dx.Name.v1", of_key), f"{given} {last}", draws=draws)[0].lower()
        first, family = new.split(" ", 1)
        family = family.removeprefix("van der ")  # an address has the particles of no surrogate
        contacts = drawn(made("dx.Contact.v1", of_key), *forms, draws=draws, label="EMAIL")
        names = [contact.partition("@")[0] for contact in contacts]
        short = first[0] + family
        dotted = [f"{first}.{family}", short, f"{family}.{first[0]}"]
        assert names == [*dotted, f"{first}_{family}", short]
        assert all(contact.partition("@")[2].startswith("example.") for contact in contacts[:3])


@pytest.mark.parametrize("user", ["a.lindqvist", "ada.lindqvist", "A.Lindqvist"])
def test_a_user_name_that_looks_like_a_host_is_that_of_the_surrogate(user, key):
    for of_key in (key, None):
        draws = Draws(Rng())
        first, family = drawn(made("dx.Name.v1", of_key), "Ada Lindqvist", draws=draws)[0].split()
        new = drawn(made("dx.Contact.v1", of_key), user, "lindqvist.se", draws=draws, label="URL")
        given = first if len(user) > 12 else first[0]
        assert new[0].lower() == f"{given}.{family}".lower() and new[1].startswith("example.")


def test_digits_of_a_user_name_are_drawn_and_a_code_stays_a_code(key):
    draws = Draws(Rng())
    drawn(made("dx.Name.v1", key), "John Smith", draws=draws)
    digits = made("dx.Digits.v1", key)
    some = {drawn(digits, f"jsmith{i}0417", draws=draws, label="ID")[0] for i in range(9)}
    assert len(some) > 1 and not any("smith" in one or one.endswith("0417") for one in some)
    code = drawn(digits, "AB-1234567", draws=draws, label="ID")[0]
    assert code != "AB-1234567" and len(code) == len("AB-1234567")


def test_each_mention_of_an_address_or_number_has_the_same_surrogate(key):
    forms = ("(415) 867-5309", "415.867.5309", "+1 415 867 5309", "14158675309")
    addresses = ("john.smith42@corp.biz", "John.Smith42@corp.biz", "x77@corp.biz", "X77@corp.biz")
    for of_key in (key, None):
        draws, contact = Draws(Rng()), made("dx.Contact.v1", of_key)
        drawn(made("dx.Name.v1", of_key), "John Smith", draws=draws)
        for _ in range(5):
            numbers = drawn(contact, *forms, draws=draws, label="PHONE")
            assert len({re.sub(r"\D", "", number)[-10:] for number in numbers}) == 1
            for new, form in zip(numbers, forms, strict=True):
                assert re.sub(r"\d", "0", new) == re.sub(r"\d", "0", form)
            mails = drawn(contact, *addresses, draws=draws, label="EMAIL")
            mails = [mail.lower() for mail in mails]
            assert mails[0] == mails[1] and mails[2] == mails[3] and not mails[0].startswith("john")


# Of six languages, with accents, short forms and letters of their own.
WOMEN = ["Maria", "Zoë", "Petra", "Giulia", "Anneke", "Inès", "Liz"]
MEN = ["John", "Jürgen", "José", "Giovanni", "Joost", "Trev", "Lukas"]
BOTH = ["Jean", "Kim", "Casey", "Zorblatt", "J."]  # lists do not have them, or have them for both
SHOWING = [
    {}, {"before": "Herrn", "lead": "Wir sahen Herrn"}, {"before": "Doña", "lead": "Doña"},
    {"before": "husband", "lead": "her husband"}, {"before": "Missus", "lead": "Missus"},
    {"tail": " left. She slept."},
]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_by_a_key_a_given_name_has_the_gender_for_which_lists_hold_it(tmp_path, language):
    genders = {name: "female" for name in WOMEN} | {name: "male" for name in MEN}
    for number in range(6):
        make_key(tmp_path / str(number))
        name = made("dx.Name.v1", str(tmp_path / str(number)))
        draws = Draws(Rng(), base=language)
        for given, gender in genders.items():
            first = drawn(name, f"{given} Okafor", draws=draws)[0].rsplit(" ", 1)[0]
            assert first in listed_of(language, gender), given


@pytest.mark.parametrize("given", [*WOMEN, *MEN, *BOTH])
def test_no_text_makes_two_surrogates_of_one_person_of_a_key(key, given):
    name = made("dx.Name.v1", key)
    whole = {drawn(name, Mention(f"{given} Okafor", "PERSON", **some))[0] for some in SHOWING}
    assert len(whole) == 1
    first, last = whole.pop().rsplit(" ", 1)
    assert drawn(name, f"Mr. {given[0]}. Okafor") == [f"Mr. {first[0]}. {last}"]
    if len(given) > 2:
        address = f"{fold(given)}.okafor@x.org"
        (mail,) = drawn(made("dx.Contact.v1", key), address, label="EMAIL")
        assert mail.startswith(f"{in_plain_letters(first)}.{last.lower()}@")


def test_a_gender_that_is_hidden_shows_in_no_name_of_a_key(tmp_path):
    firsts = set()
    for number in range(24):
        make_key(tmp_path / str(number))
        name = made("dx.Name.v1", str(tmp_path / str(number)), gender="any")
        firsts.add(drawn(name, "Maria Okafor")[0].split()[0])
        assert not any("gender" in line for line in name.in_clear)
    assert firsts & {*listed("female")} and firsts & {*listed("male")}


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_the_chance_of_a_name_of_a_key_is_that_of_its_initial(language):
    """A name is drawn with P(initial) / names of the gender with it."""
    initials = shared_initials(language)
    assert len(initials) >= MIN_LISTED_NAMES["keyed"]
    for gender in ("female", "male"):
        of_initial = Counter(name[0] for name in listed_of(language, gender))
        most = max(initials.count(c) / len(initials) / of_initial[c] for c in set(initials))
        assert most <= 1 / MIN_LISTED_NAMES["keyed"] + 1e-9


def test_a_mail_address_of_nobody_known_never_stays():
    name = made("dx.Name.v1")
    for text in ("qwx.zzt@corp.example", "user_77", "x@y.org", "qwx.zzt"):
        assert text not in drawn(name, text)


def test_without_a_key_nothing_links():
    for name in ("dx.Name.v1", "dx.Contact.v1"):
        mention = "Maria Lopez" if name == "dx.Name.v1" else "maria.lopez@x.org"
        assert len({drawn(made(name), mention)[0] for _ in range(12)}) > 6


def test_the_receipt_says_what_a_key_links(key):
    visible = " ".join(made("dx.Name.v1", key).in_clear)
    assert "same given name" in visible and "family name" in visible
    assert "same given name" not in " ".join(made("dx.Name.v1").in_clear)


def test_no_map_grows_with_the_persons_of_a_key(key):
    name, contact = made("dx.Name.v1", key), made("dx.Contact.v1", key)
    letters = "bcdfghklmnprstvz"

    def some(first, last):
        for i in range(first, last):
            odd = "".join(letters[i >> 4 * k & 15] + "ae"[k & 1] for k in range(4))
            draws = Draws(Rng())
            drawn(name, f"Maria {odd.title()}", draws=draws)
            drawn(contact, f"m{odd}@x.org", draws=draws, label="EMAIL")

    some(0, 150)
    gc.collect()
    tracemalloc.start()
    some(150, 300)
    before, _ = tracemalloc.get_traced_memory()
    some(300, 1300)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 25_000  # bytes, for 1,000 further persons
