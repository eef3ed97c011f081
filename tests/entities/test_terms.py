"""What is no name, and what is an identifier, an age, a time or a secret.

The texts of benchmarks/entity_texts/rules.txt were written before the rules that they test.
"""

import gzip
import re
from pathlib import Path

import pytest
import spacy
from conftest import pipeline_of

from spacy_dxprivacy.entities.tables import words
from spacy_dxprivacy.entities.words import ORDINARY_WORDS, is_ordinary, listed_names
from spacy_dxprivacy.errors import DxError
from spacy_dxprivacy.pipeline.selectors import Entities

TEXTS = Path(__file__).parents[2] / "benchmarks" / "entity_texts" / "rules.txt"
MARK = re.compile(r"\{([A-Z]):([^{}]*)\}")
NAMED = ("PERSON", "GPE", "ORG", "ADDRESS")
TOKENS = [
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "glpat-a1B2c3D4e5F6g7H8i9J0",
    "xoxb-123456789012-1234567890123-AbCdEfGhIjKl",
    "sk-proj-Zx8kQ1mN7vT3bR5yW2uP9aL4cD6eF0gH",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
    "postgres://app:Tr0ub4dor@db.internal:5432/orders",
]


@pytest.fixture(scope="module")
def nlp():
    return pipeline_of("dx_entity_ruler")


@pytest.fixture(scope="module")
def both():
    """The rules and the network."""
    return pipeline_of("dx_entity_ruler", "dx_entity_recognizer")


def named(doc, *labels):
    return [ent.text for ent in doc.ents if ent.label_ in labels]


def unmarked(marked):
    """A text with marks -> the text, and the (kind, start, end) of its marks."""
    pieces, spans, end = [], [], 0
    for match in MARK.finditer(marked):
        pieces += [marked[end : match.start()], match[2]]
        start = sum(map(len, pieces[:-1]))
        spans.append((match[1], start, start + len(match[2])))
        end = match.end()
    return "".join([*pieces, marked[end:]]), spans


@pytest.fixture(scope="module")
def read_texts(nlp):
    texts = [unmarked(text) for text in TEXTS.read_text("utf8").split("=====\n")]
    docs = nlp.pipe(text for text, _ in texts)
    return [(doc, spans) for doc, (_, spans) in zip(docs, texts, strict=True)]


NO_NAMES = """
Sats 98% RA, afebrile.| AL amyloidosis with renal involvement.| PA and lateral views of the chest.
Given under GA; AK ruled out, AR mild, CO 4.5, NC 2 L.| MR and TR trivial; LA dilated, RA normal.
Set in Arial or Helvetica, 12 pt.| Her swab grew Candida albicans.| The swab grew Moraxella. Twice.
Ask about the Haversack.| The Piecrust is new.| Read the Anagrammatic part.| No Borrelia was seen.
Moraxella catarrhalis grew.| Klebsiella oxytoca and Morganella morganii grew on day two.
Neutrophils 4.2 and rising.| Prescriber: see chart. The Prescriber was told.
Please give your International Bank Account Number.| The Annual General Meeting Minutes follow.
She came to the Emergency Department, then to Radiology Department.| Ask Human Resources.
They met the Finance Committee.| The Customer Service Team answers.
It was pure déjà vu, and a crème brûlée.| wir danken Ihnen für Ihre Geduld.
Grandma's recipe, Auntie's house and Mum's car.
"""
NAMES = {
    "She lives in Portland, OR, and was born in Reading, PA.": {"Portland", "PA"},
    "Austin, TX 78701": {"TX"},
    "They moved to NY from Leeds.": {"NY", "Leeds"},
    "Chidi's mobile is off.": {"Chidi"},
    "Lloyds Bank Account Number 4471": {"Lloyds"},
    "Seen at the Okafor Department of Neurology.": {"Okafor"},
}


@pytest.mark.parametrize("text", [t.strip() for t in re.split(r"[|\n]", NO_NAMES) if t.strip()])
def test_codes_departments_and_species_are_no_names(both, text):
    assert not named(both(text), *NAMED)


@pytest.mark.parametrize(("text", "expected"), NAMES.items())
def test_states_owners_and_firms_beside_them_are_names(both, text, expected):
    assert expected <= set(re.findall(r"\w+", " ".join(named(both(text), *NAMED))))


@pytest.mark.parametrize(
    "text",
    ["Mr {} came.", "Ask Anele {}.", "Dear {},", "Hi {}, we", "my name is {}", "I am {}."],
)
def test_a_rare_word_is_a_name_beside_a_cue(both, text):
    for word in ("Haversack", "Piecrust", "Gravedigger"):
        assert word in " ".join(named(both(text.format(word, word)), "PERSON"))


def test_no_ordinary_word_is_a_listed_name():
    ordinary = gzip.decompress(ORDINARY_WORDS.read_bytes()).decode("utf8").split("\n")
    assert len(ordinary) > 50_000 and all(map(str.islower, ordinary))
    assert listed_names().keys().isdisjoint(ordinary)
    assert is_ordinary("haversacks") and not is_ordinary("okonkwo")


@pytest.mark.parametrize("word", ["Awwww", "Hmmmm", "Havin", "Bollocks"])
def test_slang_is_no_name_and_an_unknown_name_in_its_place_is(nlp, word):
    assert not named(nlp(f"{word}, she is late"), *NAMED)
    assert named(nlp("Thistlewickova, she is late"), "PERSON")


def characters(doc, labels):
    return {i for e in doc.ents if e.label_ in labels for i in range(e.start_char, e.end_char)}


def test_courts_notes_tickets_and_forms_have_few_words_that_are_taken_for_persons(read_texts):
    n_words = wrong = 0
    for doc, spans in read_texts:
        owned = {i for _, start, end in spans for i in range(start, end)}
        taken = characters(doc, ["PERSON"])
        n_words += sum(token.is_alpha for token in doc)
        wrong += sum(token.is_alpha and token.idx in taken - owned for token in doc)
    assert n_words > 1500
    assert wrong / n_words < 0.02


@pytest.mark.parametrize(
    ("kind", "labels", "share"),
    [
        ("P", ["PERSON"], 0.75),
        ("S", ["SECRET"], 1.0),
        ("I", ["ID", "PHONE", "URL", "SECRET"], 0.9),
        ("D", ["DATE", "TIME", "CARDINAL"], 0.9),
    ],
)
def test_most_of_what_they_name_is_recognised(read_texts, kind, labels, share):
    found = []
    for doc, spans in read_texts:
        taken = characters(doc, labels)
        found += [taken.issuperset(range(s, e)) for label, s, e in spans if label == kind]
    assert sum(found) >= share * len(found)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("PRODUCTS", "He takes {} now."),
        ("EPONYMS_ALONE", "{} was negative."),
        ("LAW", "The {} was heard."),
        ("INSTITUTIONS", "The {} did not reply."),
        ("SCORES", "{} 14 today."),
    ],
)
def test_no_word_of_a_list_is_a_name_by_itself(nlp, name, form):
    for term in sorted(words(name, "terms")):
        text = form.format(term.capitalize())
        assert named(nlp(text), *NAMED) == [], text


@pytest.mark.parametrize("stem", "vasta pra zolmi clari ixeki tanezu".split())
@pytest.mark.parametrize("end", "statin sartan prazole cillin mycin zumab tinib gliptin".split())
def test_a_drug_of_no_list_is_known_by_its_stem(nlp, stem, end):
    assert named(nlp(f"He was given {(stem + end).capitalize()} twice."), *NAMED) == []


@pytest.mark.parametrize("network", [False, True])
def test_an_illness_is_no_name_even_if_called_after_a_person(network):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    if network:
        nlp.add_pipe("dx_entity_recognizer")
    for illness in (
        "Huntington Disease", "Sturge-Weber Syndrome", "Exotropia", "Choledocholithiasis",
        "osteochondromas", "orthopnea",
    ):  # fmt: skip
        assert named(nlp(f"She was treated for {illness} last year."), *NAMED) == [], illness


@pytest.mark.parametrize("body", ["Directorate", "Tribunal", "Commission", "Ministry", "Court"])
def test_the_head_of_a_body_is_not_spread(nlp, body):
    doc = nlp(f"The Enforcement {body} opposed bail. The {body} replied. Later the {body} left.")
    assert named(doc, "PERSON") == []


@pytest.mark.parametrize("network", [False, True])
def test_courts_offices_and_phrases_of_a_judgment_are_no_persons(network):
    nlp = pipeline_of("dx_entity_ruler", *["dx_entity_recognizer"] * network)
    for text in (
        "On 12 June officers of the Gendarmerie Command came. The Command replied.",
        "The Forensic Medicine Institute reported; the Institute stood by it.",
        "The maxim ut res magis valeat quam pereat applied, and audi alteram partem.",
        "Miranda warnings were given, and a Terry stop had preceded the arrest.",
        "The Cour de Cassation quashed it, the Sejm amended the law, and the Tingsrätt sat.",
        "Bolam negligence was not made out; a Newton hearing was required.",
        "The Parole Board gave reasons. The Board of Immigration Appeals affirmed.",
        "It relied on Regina v. Secretary of State.",
    ):
        assert named(nlp(text), "PERSON") == [], text


@pytest.mark.parametrize("term", ["Weber", "Clark", "Barlow", "Hamilton", "Parkinson"])
@pytest.mark.parametrize(
    "form", ["Mr. {} came. {} slept.", "Dr. {} agreed.", "{} said so.", "Anne {} left. {} ate."]
)
def test_a_term_is_a_name_where_the_words_beside_it_say_so(nlp, term, form):
    doc = nlp(form.format(term, term))
    assert " ".join(named(doc, "PERSON")).count(term) == form.count("{}")


@pytest.mark.parametrize("title", ["Dr.", "Mrs.", "Prof.", "Nurse"])
def test_a_title_is_no_name(title):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")
    doc = nlp(f"I've asked {title} Okafor in cardiology to see her.")
    assert named(doc, "PERSON") == ["Okafor"]


@pytest.mark.parametrize("name", ["Grace", "Rose", "Faith", "Bill", "Joy"])
def test_a_name_that_is_a_word_is_known_by_its_verb_title_and_second_mention(nlp, name):
    doc = nlp(f"We met Ms. {name} there. The bus came, and {name} waved. It was late.")
    assert named(doc, "PERSON") == [name, name]
    assert name in named(nlp(f"Then {name} said no."), "PERSON")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The van LB07 XYZ was seen.", "LB07 XYZ"),
        ("The van B-MW 4821 was seen.", "B-MW 4821"),
        ("The van AB-123-CD was seen.", "AB-123-CD"),
        ("Booking reference: JX49TL please.", "JX49TL"),
        ("Please quote PNR R5TN8C there.", "R5TN8C"),
        ("Container CSQU 305438 3 arrived.", "CSQU 305438 3"),
        ("Met at 51.5074, -0.1278 then.", "51.5074, -0.1278"),
        ("At 48.8566° N, 2.3522° E now.", "48.8566° N, 2.3522° E"),
        ("Application No. 36022/97 was lodged.", "36022/97"),
        ("The court joined 36110/97 to it.", "36110/97"),
        ("The court joined 5136/98.", "5136/98"),
        ("Our ref ND/TRE/0417 applies.", "ND/TRE/0417"),
        ("Our ref HR/2/00451 applies.", "HR/2/00451"),
        ("Ask for ext. 4471 please.", "4471"),
        ("Ask for extension 204 please.", "204"),
        ("The MAC is aa:bb:cc:dd:ee:ff there.", "aa:bb:cc:dd:ee:ff"),
        ("Writ Petition (Civil) No. 494 of 2012 fails.", "494 of 2012"),
        ("DM u/throwaway_8812 there.", "u/throwaway_8812"),
        ("Her number is 1 84 12 76 451 089 46 there.", "1 84 12 76 451 089 46"),
    ],
)
def test_identifiers_are_known_by_their_form(nlp, text, expected):
    (entity,) = [e for e in nlp(text).ents if e.label_ == "ID"]
    assert expected in entity.text and len(entity.text) < len(expected) + 3


@pytest.mark.parametrize(
    "text",
    [
        "It was 05-MAR-21 then.",
        "In 2020 NFL teams met.",
        "The ratio was 0.0123, 0.0456 then.",
        "On 12 MAY 2019 he left.",
        "The appeal 3/10 was light.",
        "BP 120/80 then 140/90, power 5/5, GCS 8/9.",
        "The season 2019/20 and the year 1998/99.",
        "Take 1001/25 mg and 12345/50 ml.",
        "Knee extension 120 degrees, ext. 10%.",
        "The CC/BY/SA licence, AND/OR/NOT.",
        "Password policy: long ones.",
        "The secret is out.",
        "Rates rose 24/7 in cases 10-12.",
    ],
)
def test_what_looks_like_one_is_none(nlp, text):
    assert named(nlp(text), "ID", "SECRET") == []


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        ("Alan Smith (43) was there.", "DATE", "43"),
        ("Their son (7) was unhurt.", "DATE", "7"),
        ("Lucas Meyer, 29, filmed it.", "DATE", "29"),
        ("She is 58.", "DATE", "58"),
        ("name | age | sex\nOmar Haddad | 93 | M\n", "DATE", "93"),
        ("Dinner at 7.", "TIME", "7"),
        ("Pump replaced at 1430 by her.", "TIME", "1430"),
        ("Shift 0700-1900 was quiet.", "TIME", "0700-1900"),
        ("Back by half six.", "TIME", "half six"),
    ],
)
def test_bare_ages_and_times_are_known_by_what_is_beside_them(nlp, text, label, expected):
    assert expected in named(nlp(text), label)


@pytest.mark.parametrize("secret", TOKENS)
@pytest.mark.parametrize("frame", ["The key {} leaked.", "KEY={}\n", "({})", '"{}"'])
def test_keys_and_tokens_are_secrets_as_a_whole(nlp, secret, frame):
    assert secret in " ".join(named(nlp(frame.format(secret)), "SECRET"))


def test_a_private_key_is_one_secret_and_a_password_keeps_no_sign(nlp):
    block = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nuZx1lV\n-----END RSA PRIVATE KEY-----"
    assert named(nlp(f"See\n{block}\nthere."), "SECRET") == [block]
    assert named(nlp("password: correct-horse-9!\n"), "SECRET") == ["correct-horse-9!"]


@pytest.mark.parametrize("secret", TOKENS)
def test_the_presets_write_a_fixed_text_for_a_secret(secret):
    nlp = pipeline_of("dx_entity_ruler")
    selector = {"@dx_selectors": "dx.Entities.v1", "labels": ["SECRET"]}
    nlp.add_pipe("dx_entity_sanitizer", config={"selector": selector})
    assert nlp(f"The key {secret} leaked.").text == "The key [SECRET] leaked."


def with_lists(**lists):
    nlp = pipeline_of("dx_entity_ruler")
    labels = sorted({"PERSON", "ORG", *lists.get("deny", ())})
    selector = {"@dx_selectors": "dx.Entities.v1", "labels": labels, **lists}
    redact = {"@dx_surrogates": "dx.Redact.v1"}
    config = {"selector": selector, "surrogates": dict.fromkeys(labels, redact)}
    nlp.add_pipe("dx_entity_sanitizer", config=config)
    return nlp


def test_what_is_allowed_stays_and_what_is_denied_goes_in_any_case():
    nlp = with_lists(allow=["Maria", "Acme Widgets Ltd"], deny={"PROJECT": ["blue bird", "Zeta-9"]})
    doc = nlp("MARIA asked Peter at Acme Widgets Ltd of Blue  Bird and ZETA-9; maria left.")
    assert doc.text.replace("  ", " ") == (
        "MARIA asked [PERSON] at Acme Widgets Ltd of [PROJECT] and [PROJECT]; maria left."
    )


def test_a_longer_name_than_what_is_allowed_goes():
    assert "Maria" not in with_lists(allow=["Maria"])("Then Maria Gonzalez left.").text


def test_what_is_denied_goes_though_it_is_allowed():
    nlp = with_lists(allow=["Maria"], deny={"PERSON": ["maria"]})
    assert nlp("Then Maria left.").text == "Then [PERSON] left."


def test_the_lists_are_part_of_the_config(tmp_path):
    nlp = with_lists(allow=["Maria"], deny={"PROJECT": ["Zeta"]})
    nlp.to_disk(tmp_path)
    released = spacy.load(tmp_path)("Maria met Peter at Zeta.").text
    assert released == "Maria met [PERSON] at [PROJECT]."


@pytest.mark.parametrize(
    "lists",
    [{"allow": "Maria"}, {"allow": [""]}, {"deny": {"GPE": ["x"]}}, {"deny": {"PERSON": "Maria"}}],
)
def test_wrong_lists_are_refused_without_their_text(lists):
    with pytest.raises(DxError) as caught:
        Entities(["PERSON"], **lists)
    assert "Maria" not in str(caught.value)


# -- published cases -------------------------------------------------------------------------------

CASES = [
    "Donoghue v Stevenson [1932] AC 562", "Carlill v Carbolic Smoke Ball Co [1893] 1 QB 256 (CA)",
    "Roe v. Wade, 410 U.S. 113 (1973)", "R v Brown [1994] 1 AC 212",
    "Brown v. Board of Education of Topeka, 347 U.S. 483", "Osman v UK (1998) 29 EHRR 245",
    "Miranda v. Arizona, 384 US 436", "Marbury v Madison [2020] EWHC 12 (Ch)",
    "Re Harcourt [2001] Fam 147",
]  # fmt: skip


def of_cases(**lists):
    nlp = pipeline_of("dx_entity_ruler")
    labels = ["PERSON", "ORG", "GPE", "DATE", "ADDRESS", "CARDINAL"]
    selector = {"@dx_selectors": "dx.Entities.v1", "labels": labels, **lists}
    redact = {"@dx_surrogates": "dx.Redact.v1"}
    config = {"selector": selector, "surrogates": dict.fromkeys(labels, redact)}
    nlp.add_pipe("dx_entity_sanitizer", config=config)
    return nlp


@pytest.fixture(scope="module")
def allowing():
    return of_cases(allow=["<case citations>", "Tuesday"])


@pytest.fixture(scope="module")
def replacing():
    return of_cases()


@pytest.mark.parametrize("case", CASES)
def test_a_published_case_stays_where_the_selector_allows_it(allowing, replacing, case):
    text = f"We follow {case}, and Mr. Alan Stevenson met Peter Brown on Tuesday."
    doc = allowing(text)
    assert doc.text == f"We follow {case}, and Mr. [PERSON] met [PERSON] on Tuesday."
    assert any("published cases" in line for line in doc._.dx.in_clear)
    plain = replacing(text)
    assert case not in plain.text
    assert not any("published cases" in line for line in plain._.dx.in_clear)


@pytest.mark.parametrize(
    "text",
    ["Smith v Jones is pending.", "Maria Kelly v Health Board, no. 36022/97, was heard.",
     "In Smith v Jones the judge fined Peter [1932].", "Peter Brown has 3 US dollars."],
)  # fmt: skip
def test_a_case_without_a_law_report_is_replaced_all_the_same(allowing, replacing, text):
    assert allowing(text).text == replacing(text).text


def test_a_name_in_brackets_that_is_not_known_is_refused():
    with pytest.raises(DxError, match="allow"):
        of_cases(allow=["<cases>"])
