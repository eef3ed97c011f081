"""Which mentions of a document are of one person, and which of two."""

import pytest

from spacy_dxprivacy.entities.tables import listed, listed_of
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
        ("<Mia Hart>'s mother <Maria Hart> came. <Mia> slept. <Maria> left.", "0 1 0 1"),
        ("<Mia Hart's> mother <Maria Hart> came.", "0 1"),
        ("Present: <Bob Hale>, <Robert Hale>, <Tim Moss>. <Robert> spoke.", "0 1 2 1"),
        ("<Kev Hart> and <Kevin Hart> came. <Kev> slept.", "0 1 0"),
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
    "two family names": [
        ("<Rosa Martinez Lopez> came. <Rosa Martinez> slept. <Martinez Lopez, R.> left.", "0 0 0"),
        ("<Rosa Martinez Lopez> came. <Martinez Lopez> slept. <Mrs Martinez> left.", "0 0 0"),
        ("<MARTINEZ, ROSA ELENA> came. <Rosa Elena Martinez> slept. <Mrs Martinez> left.", "0 0 0"),
        ("<Martinez Lopez, Rosa> came. <Rosa Martinez> slept. <Mr Lopez>", "0 0 0"),
        ("<Ana García Molina> came. <García Molina> slept. <Ana García> left.", "0 0 0"),
        ("<Pedro Quiroga Lamas> came. <QUIROGA LAMAS> slept. <Quiroga> left.", "0 0 0"),
        ("<Mary Ann Evans> came. Then <Mary Ann> slept.", "0 0"),
        ("<Rosa Martinez Lopez> came. <Luis Martinez> slept. <Mr Martinez> left.", "0 1 1"),
        ("<Rosa Martinez Lopez> met <Rosa Martinez Ruiz>. <Rosa Martinez> left.", "0 1 2"),
        ("<Henry James Moore> met <James Moore>. Then <Ann Moore> left.", "0 1 2"),
        ("<Anna Rose Miller> met <Rose Miller>.", "0 1"),
        ("<Rosa Martinez> and <Rosa Martinez Lopez> came.", "0 1"),
        ("<Rosa Martinez Lopez> saw <Dr Rosa Martinez>. <Dr Martinez> left.", "0 1 1"),
    ],
    "a family name first": [
        ("<KERBRAT Jean-Pierre> came. <Jean-Pierre Kerbrat> left. <Mr Kerbrat>", "0 0 0"),
        ("<Jean Dupuis> came. Signed: <Dupuis Jean>", "0 0"),
        ("<ROSSI MARIA GRAZIA> came. <Maria Grazia Rossi> left.", "0 0"),
        ("<Zeynep Aksoy> came. <aksoy zeynep> wrote.", "0 0"),
        ("<MARTINEZ LOPEZ Rosa> came. <Rosa Martinez Lopez> left.", "0 0"),
        ("<Zorbl Quaxi> came. <Quaxi Zorbl> left.", "0 0"),
        ("<James Thomas> came. <Thomas James> left.", "0 1"),
    ],
    "the beginning of a given name": [
        ("<Kevin Hart> came. <Kev> left. <Kathryn Moss> called. <Kat> slept.", "0 0 2 2"),
        ("<Siddharth Rao> came. <Sid> left. <Kev Hart> called. <Kevin Hart> slept.", "0 0 2 2"),
        ("<Paula Hart> met <Paul>. <Anna Moss> called <Ann>.", "0 1 2 3"),
        ("<Janina Roe> met <Jan>. <Maryann Moss> called <Mary>.", "0 1 2 3"),
        ("<Caroline Hart> met <Carol>. <Markus Weber> saw <Mark>.", "0 1 2 3"),
        ("<Kevin Hart> met <Kev Moss>. <Kev> slept.", "0 1 1"),
        ("<Clemence Hart> met <Clementine Moss>. <Clem> slept.", "0 1 2"),
    ],
    "a misspelt name": [
        ("<Margaret O'Hara> came. <Margret OHara> left. <Mrs O'Hara>", "0 0 0"),
        ("<Kathryn Smyth> came. <Kathrin Smyth> left.", "0 0"),
        ("<Pawel Wozniakowsky> came. <Pawel Wozniakowski> left.", "0 0"),
        ("<Jürgen Mueller> came. <Jürgen Müller> left. <Mr Mueller>", "0 0 0"),
        ("<Jan Smith> met <Jane Smith>. <Ann Smith> met <Ann Smyth>.", "0 1 2 3"),
        ("<Erik Hansen> met <Erik Hanson>. <Marina Roe> met <Mariana Roe>.", "0 1 2 3"),
        ("<Joe Hart> met <Jo Hart>. <Maria Ruiz> met <Mario Ruiz>.", "0 1 2 3"),
        ("<Daniel Hart> met <Daniela Hart>.", "0 1"),
        ("<Kathryn Smyth> and her sister <Kathrin Smyth> came.", "0 1"),
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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Gestern kam Rechtsanwalt <Abel>.", "de"),
        ("Herr Dipl.-Ing. <Jonas> kam.", "de"),
        ("Geachte heer <Daan>,", "nl"),
        ("Ook mevrouw <Iris> is er.", "nl"),
        ("Il dott. <Abele> è qui.", "it"),
        ("Vino la Dra. <Marina>.", "es"),
        ("Voici Mme <Claude>.", "fr"),
    ],
)
def test_one_word_behind_a_title_is_a_family_name(text, language):
    given = {*listed_of(language, "male"), *listed_of(language, "female")}
    names = {drawn(text, language, seed=seed)[0] for seed in range(6)}
    assert names <= {*listed_of(language, "surnames")} and not names <= given


@pytest.mark.parametrize(
    "text",
    [
        "<Fermín Zabaleta Ochoa> y el señor <Zabaleta> con <Amaia Zabaleta Urrutia>.",
        "<Rosa Martínez López> y la señora <Martínez> con <Luis Martínez Ruiz>.",
        "<Ana Martín Ruiz> y la Sra. <Martín> con <Eva Martín Ruiz>.",
        "<José Luis Ortega Gil> y don <Ortega> con <Ana Ortega>.",
    ],
)
def test_persons_share_the_first_of_two_family_names(text):
    whole, short, other = (name.split() for name in drawn(text, "es"))
    assert whole[-2] == short[0] == other[1] != whole[-1]


def test_a_given_name_before_a_family_name_is_no_family_name():
    given = {*listed_of("es", "male"), *listed_of("es", "female")}
    assert drawn("<María José Ortega>.", "es")[0].split()[1] in given


@pytest.mark.parametrize("is_keyed", [False, True])
def test_parts_of_one_name_are_of_one_surrogate_by_a_key_also(is_keyed, key):
    settings = {"scope": "corpus", "key": key} if is_keyed else {}
    text = "<Rosa Martinez Lopez> x <Rosa Martinez> x <Martinez Lopez, R.> x <Mrs Martinez>"
    whole, pair, inverted, titled = drawn(text, "es", **settings)
    first, middle, last = whole.split()
    # Without a key, the first of two family names has a surrogate of its own.
    family = last if is_keyed else middle
    assert pair == f"{first} {family}" and titled == f"Mrs {family}"
    assert inverted == f"{last if is_keyed else f'{middle} {last}'}, {first[0]}."
    text = "<KERBRAT Jean-Pierre> x <Jean-Pierre Kerbrat> x <Mr Kerbrat>"
    inverted, whole, titled = drawn(text, "fr", **settings)
    first, last = whole.split(" ", 1)
    assert inverted.casefold() == f"{last} {first}".casefold() and titled == f"Mr {last}"


def test_a_short_form_has_by_a_key_the_surrogate_of_the_only_name_that_begins_with_it(key):
    settings = {"scope": "corpus", "key": key}
    assert drawn("<Trev>", **settings) == drawn("<Trevor>", **settings)
    assert drawn("<Beth>", **settings) != drawn("<Elizabeth>", **settings)
    assert drawn("<Paul>", **settings) != drawn("<Paula>", **settings)


# Persons, and an address or user name with what it becomes: {a} to {c} are the parts of the
# surrogate.
ADDRESSES = [
    ("David Wilkinson", "dave.wilkinson@x.org", "{a}.{c}@"),
    ("Kevin Hart", "kev.hart@x.org", "{a}.{c}@"),
    ("Margaret O'Hara", "maggie.ohara@x.org", "{a}.{c}@"),
    ("Margaret O'Hara", "maggieohara@x.org", "{a}{c}@"),
    ("Mary Ann Evans", "maryann.evans@x.org", "{a}{b}.{c}@"),
    ("Mohamed Farouk", "mo_farouk", "{a}_{c}"),
    ("Guðrún Jónsdóttir", "gudrun.jonsdottir@x.org", "{a}.{c}@"),
    ("Hans-Peter Boll", "hans-peter.boll@x.org", "{a}.{c}@"),
    ("Jean-Luc Roy", "jl.roy@x.org", "{a0}.{c}@"),
    ("Anja Krüger-Blum", "anja.krueger-blum@x.org", "{a}.{c}@"),
    ("Anja Krüger-Blum", "anja.krueger@x.org", "{a}.{c}@"),
    ("Ana García Molina", "ana.garcia@x.org", "{a}.{c}@"),
    ("Bill Hart", "william.hart@x.org", "{a}.{c}@"),
    ("Bill Hart", "bill-hart@x.org", "{a}-{c}@"),
]
OF_NOBODY = [
    ("Paula Smith", "paul.smith@x.org"), ("Kevin Hart", "kev.moss@x.org"),
    ("David Wilkinson", "team.wilkinson@x.org"), ("Bill Hart", "bob.hart@x.org"),
]  # fmt: skip


def followed(person, address):
    draws = Draws(Rng(2))
    (name,) = registry.dx_surrogates.get("dx.Name.v1")().replace(mentions_in(f"<{person}>"), draws)
    contact = registry.dx_surrogates.get("dx.Contact.v1")()
    (text,) = contact.replace([Mention(address, "EMAIL")], draws)
    return name.lower().split(), text


@pytest.mark.parametrize(("person", "address", "form"), ADDRESSES)
def test_an_address_follows_short_forms_and_parts_of_a_name(person, address, form):
    name, text = followed(person, address)
    assert text.startswith(form.format(a=name[0], a0=name[0][0], b=name[1], c=name[-1])), text


@pytest.mark.parametrize(("person", "address"), OF_NOBODY)
def test_an_address_of_another_person_follows_nobody(person, address):
    name, text = followed(person, address)
    assert not text.partition("@")[0].endswith(name[-1])


def test_an_address_is_of_whoever_has_the_very_name():
    draws = Draws(Rng(2))
    people = mentions_in("<Elizabeth Moore> met <Liz Moore>.")
    people[0] = Mention(people[0].text, "PERSON", tail=" and ")
    one, other = registry.dx_surrogates.get("dx.Name.v1")().replace(people, draws)
    mails = [Mention(f"{name}.moore@x.org", "EMAIL") for name in ("liz", "elizabeth")]
    texts = registry.dx_surrogates.get("dx.Contact.v1")().replace(mails, draws)
    assert [text.partition(".")[0] for text in texts] == [
        name.split()[0].lower() for name in (other, one)
    ]


@pytest.mark.parametrize(
    ("name", "initials", "form"),
    [
        ("Yann Le Goff", "YLG", "{a}L{c}"), ("Lien Van Acker", "LVA", "{a}V{c}"),
        ("Ingrid De Smet", "IDS", "{a}D{c}"), ("Padraig O'Neill", "PON", "{a}{c}"),
        ("Mary Ann Evans", "MAE", "{a}{b}{c}"), ("Ana de la Cruz", "ADLC", "{a}DL{c}"),
        ("Ana de la Cruz", "AC", "{a}{c}"), ("John Kelly", "JK", "{a}{c}"),
    ],
)  # fmt: skip
def test_initials_have_the_letters_of_particles(name, initials, form):
    whole, short = drawn(f"<{name}> (<{initials}>)")
    words = whole.split()
    assert short == form.format(a=words[0][0], b=words[1][0], c=words[-1][0])


def test_a_name_at_marriage_keeps_the_given_name():
    text = "My sister <Blythe> marries. <Blythe Russell> becomes <Blythe Delaney>."
    for seed in range(8):
        one, before, after = drawn(text, seed=seed)
        assert one == before.split()[0] == after.split()[0] and before != after
