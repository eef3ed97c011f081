"""Which mentions of a document are of one person, and which of two."""

import pytest

from spacy_dxprivacy.entities.tables import listed
from spacy_dxprivacy.privacy.randomness import Rng
from spacy_dxprivacy.registries import registry
from spacy_dxprivacy.surrogates import Draws, Mention


def mentions_in(text, language="en"):
    """Return the mentions of a text, which stand in angle brackets, with their contexts."""
    pieces = text.replace(">", "<").split("<")
    mentions = []
    for i in range(1, len(pieces), 2):
        lead = "".join(pieces[:i])
        words = lead.split()
        mentions.append(
            Mention(pieces[i], "PERSON", (words or [""])[-1], " ".join(words[-6:]), pieces[i + 1])
        )
    return mentions


def drawn(text, language="en", seed=1, **settings):
    name = registry.dx_surrogates.get("dx.Name.v1")(**settings)
    return name.replace(mentions_in(text), Draws(Rng(seed), language=language, base=language))


# The persons of a text, by the numbers of their mentions; the full names are compared.
PERSONS = {
    "an exact given name is before a short form": [
        ("<Beth Crane> is the nurse, <Elizabeth Moore> the patient. <Elizabeth> slept.", "0 1 1"),
        ("<Kate Hill> is the nurse, <Katherine Moore> the patient. <Katherine> slept.", "0 1 1"),
        ("<Dan Hill> saw <Daniel Moore>. <Daniel> slept and <Dan> left.", "0 1 1 0"),
        ("<Tom Hill> saw <Thomas Moore>. Later <Thomas> slept. Then <Tom> left.", "0 1 1 0"),
        ("<Bill Hill> met <William Moore>. Then <William> slept, as <Will> said.", "0 1 1 1"),
        ("<Dr. Beth Crane> saw <Elizabeth Moore>. Then <Ms. Elizabeth> slept.", "0 1 1"),
    ],
    "two short forms of one name are of two persons": [
        ("<Bob Marchetti> and his brother <Rob Marchetti> came.", "0 1"),
        ("Sisters <Liz Ahmed> and <Beth Ahmed> came. <Beth> left, then <Liz>.", "0 1 1 0"),
        ("<Peggy Holt> met <Maggie Holt>. Then <Maggie> left.", "0 1 1"),
        ("<Jim Holt> met <Jamie Holt>. Then <Jim> left.", "0 1 0"),
        ("<Bob> met <Rob>.", "0 1"),
        ("<Robert Miller> and <Bob Miller> signed. <Bob> left, then <Robert>.", "0 1 1 0"),
        ("<Thomas Hale>, and his son <Tom Hale> came.", "0 1"),
    ],
    "but a short form and its full name are of one": [
        ("<Robert Miller> came. Later <Bob Miller> left, and <Rob> slept.", "0 0 0"),
        ("<Liz Taylor> came. <Elizabeth Taylor> left. Later <Beth Taylor> slept.", "0 0 0"),
        ("<Dan Hill> came. <Danny> slept.", "0 0"),
        ("<Liz Hill> came. <Lizzie> slept. <Elizabeth> left.", "0 0 0"),
        ("<Beth Crane> came. <Elizabeth> slept.", "0 0"),
        ("<Vicky Crane> came. Then <Vicki Crane> slept.", "0 0"),
    ],
    "a double name has the name of before": [
        ("<Anna Bell> is now <Anna Bell-Moore>. <Mrs Bell-Moore> called.", "0 0 0"),
        ("<Sanne Vermeulen> left. <Sanne Vermeulen-Prins> came. <Sanne Prins> too.", "0 0 0"),
        ("<Anja Krüger-Blum> came. <Mrs Krüger> left. <Mrs Blum> slept.", "0 0 0"),
        ("<Anna Bell-Moore> came. Later <A. Bell> left.", "0 0"),
        ("<Anna Bell-Moore> came. Later <Tom Bell> left.", "0 1"),
        ("<Anna Bell-Moore> came. Later <Anna Bell-Kerr> left.", "0 1"),
        ("<Ms Anna Bell-Moore> came with <Mr Bell>.", "0 1"),
    ],
}  # fmt: skip
CASES = [(kind, *case) for kind, cases in PERSONS.items() for case in cases]


@pytest.mark.parametrize(("kind", "text", "numbers"), CASES)
def test_mentions_are_of_the_persons_that_the_text_means(kind, text, numbers):
    names = drawn(text, form=False)
    first = {name: number for name, number in reversed([*zip(names, numbers.split(), strict=True)])}
    assert [first[name] for name in names] == numbers.split(), names
    assert len(first) == len(set(numbers.split())), names


# The gender that kin and titles show.
GENDERS = [
    ("Dear <Mrs Bellamy>, thanks. Your husband, <Robin Bellamy>, came.", 1, "male"),
    ("Your husband, <Robin Bellamy>, came. Later <Mrs Bellamy> called.", 0, "male"),
    ("Dear <Mr Bellamy>, thanks. Your wife, <Robin Bellamy>, came.", 1, "female"),
    ("Dear <Mr Bellamy>, thanks. <Robin Bellamy> (daughter) came.", 1, "female"),
    ("<Robin Bellamy>, husband of <Mrs Bellamy>, came.", 0, "male"),
    ("She has two sons, <Robin> and <Kim>.", 1, "male"),
    ("Her nephews <Robin> and <Kim> came.", 1, "male"),
    ("Her nieces <Robin>, <Jo> and <Kim> came.", 2, "female"),
    ("His daughters are called <Robin> (12) and <Kim> (9).", 1, "female"),
    ("Her brothers <Robin> & <Kim>.", 1, "male"),
]  # fmt: skip
SHOWING_NOTHING = [
    ("Her son <Robin> and <Kim> came.", 1), ("Her sons <Robin> met <Kim>.", 1),
    ("Her brothers and sisters <Robin> and <Kim> came.", 0),
    ("Her sons <Robin> and <Jo> and their teacher <Kim> came.", 2),
    ("The sons of <Robin> and <Kim> came.", 1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "number", "gender"), GENDERS)
def test_kin_show_the_gender_of_each_person_of_a_list_and_of_no_spouse(text, number, gender):
    names = {drawn(text, seed=seed, form=False)[number].split()[0] for seed in range(6)}
    assert names <= {*listed(gender)}


@pytest.mark.parametrize(("text", "number"), SHOWING_NOTHING)
def test_kin_show_no_gender_of_others(text, number):
    names = {drawn(text, seed=seed, form=False)[number].split()[0] for seed in range(20)}
    assert names & {*listed("female")} and names & {*listed("male")}
