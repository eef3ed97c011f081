"""The rule-based recogniser: what it finds, what it leaves, and what the entity mode then does."""

import re

import pytest
import spacy
from conftest import pipeline_of
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.util import ignore_error
from spacy.vocab import Vocab

from spacy_dxprivacy.entities.ruling import match_words
from spacy_dxprivacy.entities.tables import MATCHED, by_letter, rule_tree
from spacy_dxprivacy.entities.words import WORD_KINDS, builtin_lexicon, listed_names
from spacy_dxprivacy.text.mentions import find_entities

NOTE = (
    "Dr. Maria Gonzalez saw Zorblatt Wimbleford on March 5, 2023 and again last Tuesday. "
    "He was told to rest.\n\nRegards,\nQuentin Ashgrove"
)


@pytest.fixture(scope="module")
def nlp():
    return with_ruler()


def with_ruler(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler", config=config)
    return nlp


def ruler(nlp):
    return nlp.get_pipe("dx_entity_ruler")


def found(doc, *labels):
    return [ent.text for ent in doc.ents if ent.label_ in labels]


# -- what it finds ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "Maria Gonzalez",
        "Maria",
        "John Wimbleford",  # a first name, and a surname that no list holds
        "Zorblatt Wimbleford",  # neither is on a list
        "J. R. Wimbleford",
        "Anne-Marie de la Cruz",
        "Ludwig van Wimbleford",
        "Hassan bin Tariq",
        "Kathleen O'Neil",
        "Robert J. Smith Jr.",
        "Will Smith",  # a plain word beside a surname
        "MARIA GONZALEZ",
    ],
)
@pytest.mark.parametrize("frame", ["I met {} there.", "{} was late.", "Was it {}?", "To: {}\n"])
def test_whole_name_is_a_person(nlp, name, frame):
    assert name.rstrip(".") in " / ".join(found(nlp(frame.format(name)), "PERSON"))


@pytest.mark.parametrize(
    "date",
    """2023-03-05|2023/3/5|3/5/2023|03-05-23|5.3.2023|March 5, 2023|March 5|Mar. 5, 2023|
    5 March 2023|5th of March|the 1990s|March 5th|5-Mar-2023|Jan-2020|March 2023|Tuesday|
    Tuesday, March 5|last Tuesday|next week|three weeks ago|a few days ago|yesterday|2019|
    34-year-old|34 years old|Christmas Eve|summer of 2019|2023-03-05T11:34:35Z|
    2023-03-05 11:34|1998-2003""".split("|"),
)
@pytest.mark.parametrize("frame", ["It began {} or so.", "{}: no change.", "({})"])
def test_whole_date_is_a_date(nlp, date, frame):
    assert found(nlp(frame.format(date.strip())), "DATE") == [date.strip()]


# Labels -> (text, all that is found with these labels).
EXACT = {
    "PERSON": [
        ("BAKER, JOHN M.\nadmitted", ["BAKER, JOHN M."]), ("Hi Ng, it works", ["Ng"]),
        ("I met Young there and thanked Miss Oh", ["Young", "Oh"]),
        ("Summary for Chance Park, seen", ["Chance Park"]),
        ("Ella: What a day.\nDestiny: Yes, Ella.\nDate: none", ["Ella", "Destiny", "Ella"]),
        ("signed: m. kowalczyk", ["m. kowalczyk"]), ("Dear All, you saw the doctor", []),
        ("It was Hyun-woo Park who called", ["Hyun-woo Park"]),
        ("We met Nguyễn Văn An again", ["Nguyễn Văn An"]), ("Walker began late.", ["Walker"]),
        ("Yes, says Hauta-aho.", ["Hauta-aho"]),
        ("See van den Bosch on the left", ["van den Bosch"]), ("MS. IWU: Thank you", ["IWU"]),
        ("Will may return. Who will pay?", ["Will"]),
        ("Next of kin: Qorzu Vexil", ["Qorzu Vexil"]),
        ("He takes Lipitor and Zyrtec.", []), ("May I ask? Will it hurt? Mark the form.", []),
        ("She has Parkinson's disease and a Foley catheter.", []),
        ("We use Kubernetes, Grafana and a Toyota.", []),
        ("Follow-up Visit, Post-op Day 3, X-ray Chest.", []),
    ],
    "DATE": [(f"Seen on {date} again", [date])
             for date in ["٠٣/٠٤/٢٠١٩", "１２/０３/２０１９", "०३-०४-२०१९"]],
    "ORG": [(f"He went to {name} again", [name]) for name in [
        "Acme Widgets Inc.", "Mercy General Hospital", "University of Michigan", "Zorbla GmbH"]],
    "GPE": [
        ("Noted New York here.", ["New York"]), ("Noted France here.", ["France"]),
        ("Town: Bramblewick", ["Bramblewick"]),
        ('{"city": "Bramblewick", "age": 3}', ["Bramblewick"]),
    ],
    "ADDRESS PHONE": [
        ("Postcode: 302", ["302"]), ("What's the weather in 60601 right now?", ["60601"]),
        ("I live in 94117-1234 now", ["94117-1234"]), ("Our office in 8001 Zurich", ["8001"]),
        ("send it to 12-345 Warszawa", ["12-345"]), ("we moved to 2450 last year", ["2450"]),
        ("a house in Springfield 6091 by the sea", ["6091"]), ("Eircode D02 AF30.", ["D02 AF30"]),
        ("Postleitzahl 1010.", ["1010"]), ("FAUSKE nan 8200", ["8200"]),
        ("Her zip code is 90210.", ["90210"]), ("Her Postal code: 1012 AB.", ["1012 AB"]),
        ("Her ZIP: 394 13.", ["394 13"]), ("Her postcode LS1 4AP.", ["LS1 4AP"]),
        ("The count was 11500 and 98000", []), ("over 12345 people", []),
        ("in 2019 it cost $12345", []), ("12500 units", []), ("seen in Room 4112", []),
        ("12345 NOK are due, in parts of 2250", []), ("it shows error 50012", []),
    ],
    "TIME": [(f"Noted {time} here.", [time]) for time in ["10:30", "5pm", "11:15 a.m."]],
    "PHONE": [(f"Noted {one} here.", [one]) for one in ["+44 20 7946 0958", "555-123-4567"]],
    "ID": [(f"Noted {one} here.", [one]) for one in [
        "123-45-6789", "4111 1111 1111 1111", "GB29 NWBK 6016 1331 9268 19", "192.168.10.12",
        "00123456"]],
    "EMAIL": [("Noted jane@example.org here.", ["jane@example.org"])],
    "URL": [("Noted https://example.org/a here.", ["https://example.org/a"])],
    "CARDINAL": [("Noted 17 here.", ["17"])],
    "QUANTITY": [("Noted 500 mg here.", ["500 mg"])],
}  # fmt: skip


@pytest.mark.parametrize(
    ("label", "text", "expected"),
    [(label, *case) for label, cases in EXACT.items() for case in cases],
)
def test_it_finds_these_and_no_others(nlp, label, text, expected):
    assert found(nlp(text), *label.split()) == expected


@pytest.mark.parametrize(("text", "label", "part"), [
    ("Dr. Kowalczyk will see you.", "PERSON", "Kowalczyk"),
    ("Nurse Kowalczyk and Mr. Park left.", "PERSON", "Park"),
    ("my name is lena kowalczyk", "PERSON", "lena kowalczyk"),
    ("hi mark, how are you", "PERSON", "mark"), ("Thanks,\nKowalczyk", "PERSON", "Kowalczyk"),
    ("Patient name: Park, Jane", "PERSON", "Park"),
    ("Yesterday Grace called again.", "PERSON", "Grace"),
    ('Jane:"Where is she?"', "PERSON", "Jane"),  # one token of the tokenizer
    *((f"It says {text}, and so on.", "ID", text.split()[-1]) for text in [
        "MRN: 44-120-9", "Member ID # A12-778", "Username: dark_knight92", "Passport no: X1234567",
        "thanks @maria_l", "by user mlopez77", "MRN 0044-1209"]),
    *((f"It went to {address}.", "ADDRESS", address) for address in [
        "221B Baker Street, London NW1 6XE", "12 Main St, Springfield, IL 62704",
        "45 rue de la Paix, 75002 Paris", "Hauptstraße 12", "PO Box 442, Springfield, IL 62704",
        "PSC 1437, Box 3833\nAPO AA 66791",
        "4844 Søndergade 52\n Apt. 656\n Brønderslev\n\n Denmark 35018",
        "Calle de Alcalá 45", "K1A 0B6"]),
])  # fmt: skip
def test_it_finds_these_among_others(nlp, text, label, part):
    assert part in found(nlp(text), label)


@pytest.mark.parametrize("text", [
    "The results were normal. Please mark the page and bill the client.",
    "We may march in the rain. Will you come? May I ask?",
    "Frankly, the rose smells good. Hope is all we have.",
    "This Review Of Systems Is Negative. However, She Was Well.",
    "i will go there soon and it was grace under fire",
    "Osteoarthritis and Hypertension were found. Rest is advised.", "", "   \n ", "?!… 😀",
])  # fmt: skip
def test_plain_text_holds_no_person_and_no_date(nlp, text):
    doc = nlp(text)
    assert found(doc, "PERSON", "DATE") == []
    assert doc.has_annotation("ENT_IOB")  # nothing found is not the same as nobody looked


def test_guessing_is_an_option():
    text = "They sold it to Zorblatt for nothing."
    assert found(with_ruler(guess=True)(text), "PERSON") == ["Zorblatt"]
    assert found(with_ruler(guess=False)(text), "PERSON") == []


# -- laws of the rules -----------------------------------------------------------------------------


def test_rules_name_kinds_that_exist():
    nodes = [rule_tree(guess=True)]
    for node in nodes:
        nodes += node.children.values()
    words = {word for node in nodes for word in node.children}
    assert words >= {"RELATIVE", "ago"}
    assert all(word == word.lower() for word in words - {*WORD_KINDS})
    assert {label for node in nodes for label, _, _ in node.ends} <= set(MATCHED)


def test_rules_repeat_words_and_leave_their_context_out():
    kinds = [{"TITLE"}, {"BODY", "PART"}, {"BODY"}, {"PART"}, {"x"}]
    people = {match for match in match_words(rule_tree(guess=True), kinds) if match[0] == "PERSON"}
    assert people == {("PERSON", 1, 2), ("PERSON", 1, 4)}


@given(st.lists(st.text("ab.", min_size=1, max_size=4), min_size=1), st.text("ab.", max_size=8))
def test_alternativesby_letter_match_the_same(words, text):
    escaped = [re.escape(word) for word in words]
    flat, tree = (re.compile(f"(?:{p})b?") for p in ("|".join(escaped), by_letter(escaped)))
    assert [m.span() for m in flat.finditer(text)] == [m.span() for m in tree.finditer(text)]


WORDS = [
    *"Maria Zorblatt Smith will May van de - , . : the a in of and is my name hi Dr. J.".split(),
    *"old house went march 5 12 2019 5th week ago last Tuesday ' 98 Paris New York".split(),
    *["lena", "zorbla", "\n", " ", "aged", "MRN", "1234", "2/3", "o'clock", "ten", "years"],
]


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=60) | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_any_text_is_read(nlp, text):
    doc = nlp(text)
    assert all(not (ent[0].is_space or ent[-1].is_space) for ent in doc.ents)


def test_entities_of_other_components_are_found_again(nlp):
    doc = nlp.make_doc("the form of quix; Quix signed.")
    doc.ents = (Span(doc, 3, 4, label="per"),)
    assert [ent.text for ent in ruler(nlp)(doc).ents][-1] == "Quix"


def test_a_part_of_a_name_within_an_entity_that_is_not_asked_for_goes(nlp):
    doc = nlp("Ada Zorblatt runs Zorblatt Plumbing Ltd. Call Zorblatt.")
    assert [e.label_ for e in doc.ents] == ["PERSON", "ORG", "PERSON"]
    for labels in ({"PERSON"}, {"PERSON", "ORG"}):
        hidden = {i for _, start, end in find_entities(doc, labels) for i in range(start, end)}
        assert not [token for token in doc if token.text == "Zorblatt" and token.i not in hidden]


def test_the_list_of_names_holds_no_plain_word():
    listed, lexicon = listed_names(), builtin_lexicon()
    assert len(listed) > 150_000 and not any(word in lexicon.rank for word in list(listed)[::50])


# -- as a component --------------------------------------------------------------------------------


@pytest.mark.parametrize(("overwrite", "expected"), [
    (False, [("Maria", "per"), ("Gonzalez", "PERSON")]), (True, [("Maria Gonzalez", "PERSON")]),
])  # fmt: skip
def test_earlier_entities_stay_and_are_completed_or_give_way(overwrite, expected):
    nlp = with_ruler(overwrite_ents=overwrite)
    doc = nlp.make_doc("I met Maria Gonzalez there.")
    doc.ents = (Span(doc, 2, 3, label="per"),)
    assert [(ent.text, ent.label_) for ent in ruler(nlp)(doc).ents] == expected


def test_own_patterns_come_on_top_and_are_saved(tmp_path):
    nlp = with_ruler()
    ruler(nlp).add_patterns([{"label": "WARD", "pattern": [{"LOWER": "ward"}, {"IS_DIGIT": True}]}])
    nlp.to_disk(tmp_path)
    copies = [spacy.load(tmp_path), with_ruler().from_bytes(nlp.to_bytes())]
    for other in [nlp, *copies]:
        doc = other("Maria is in ward 12 today.")
        ents = [("Maria", "PERSON"), ("ward 12", "WARD"), ("today", "DATE")]
        assert [(e.text, e.label_) for e in doc.ents] == ents
        assert "WARD" in ruler(other).labels
        assert len(ruler(other)) == 1


def test_memory_zone_and_foreign_vocabulary(nlp):
    with nlp.memory_zone():
        assert found(nlp("We met Zorblatt Quimby."), "PERSON") == ["Zorblatt Quimby"]
    foreign = Doc(Vocab(), ["We", "met", "Zorblatt", "Quimby"])
    assert found(ruler(nlp)(foreign), "PERSON") == ["Zorblatt Quimby"]


def test_no_error_handler_swallows_an_error(monkeypatch):
    nlp = with_ruler()
    nlp.set_error_handler(ignore_error)

    def broken(doc, matches):
        raise RuntimeError("broken")

    monkeypatch.setattr(ruler(nlp), "set_annotations", broken)
    with pytest.raises(RuntimeError, match="broken"):
        nlp("Maria")


# -- the entity mode, end to end -------------------------------------------------------------------


def sanitizer(**config):
    nlp = with_ruler()
    low = {"mechanism": {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 0.01}}
    nlp.add_pipe("dx_entity_sanitizer", config={"seed": 1, **low, **config})
    return nlp


def test_names_and_dates_go_and_the_rest_stays():
    doc = sanitizer()(NOTE)
    for secret in "Maria Gonzalez Zorblatt Wimbleford March Tuesday Quentin Ashgrove".split():
        assert secret.lower() not in doc.text.lower()
    for kept in ["Dr. ", " saw ", " and again ", " He was told to rest.\n\nRegards,\n"]:
        assert kept in doc.text
    assert [ent.label_ for ent in doc.ents] == ["PERSON", "PERSON", "DATE", "DATE", "PERSON"]
    assert not any(word in repr(doc._.dx) for word in ["Maria", "Zorblatt", "2023"])


# -- firms, places and columns by where they stand -----------------------------------------------


@pytest.mark.parametrize(("text", "label", "name"), [
    ("The Montijo bridge is closed.", "GPE", "Montijo"),
    ("We drove to Fala in the rain.", "GPE", "Fala"),
    ("He grew up in Shelly Park.", "GPE", "Shelly Park"),
    ("the stock of Panjiva fell", "ORG", "Panjiva"),
    ("He left Morgan Stanley.", "ORG", "Morgan Stanley"),
    ("12 Main Street Suite 5 Montehermoso Valley.", "ADDRESS", "12 Main Street Suite 5"),
])  # fmt: skip
def test_places_and_firms_with_names_of_persons_are_no_persons(text, label, name):
    doc = pipeline_of("dx_entity_ruler", "dx_entity_recognizer")(text)
    assert any(ent.text.startswith(name) for ent in doc.ents if ent.label_ == label)
    assert name not in " ".join(found(doc, "PERSON"))


@pytest.mark.parametrize("mark", ["|", ";", ",", "\t"])
def test_a_head_tells_what_its_column_holds(nlp, mark):
    rows = [["Name", "City", "Zip"], ["Qorzu Vexil", "Bramblewick", "4021"], ["n/a", "", "302"]]
    text = "\n".join(f" {mark} ".join(row) for row in rows)
    doc = nlp(text + "\n\nAn end: 4021 men.")
    assert found(doc, "PERSON") == ["Qorzu Vexil"]
    assert found(doc, "GPE") == ["Bramblewick"]
    assert found(doc, "ADDRESS") == ["4021", "302"]


STAY = [
    "She has HIV.", "He was DOA at the NICU.", "The NICU nurse called.", "Parkinson's since then.",
    "Her Alzheimer's worsened.", "Known Crohn's, Lupus and COVID-19.", "To ICU with COPD.",
    "The Court held, inter alia, that the appeal failed.", "The Regional Court ruled.",
    "The Supreme Court and the European Court of Human Rights agreed.",
    "A de facto ruling, prima facie, mutatis mutandis.", "Habeas corpus and mens rea, per se.",
]  # fmt: skip


@pytest.mark.parametrize("network", [False, True])
def test_no_diagnosis_abbreviation_court_or_latin_phrase_is_an_entity(network):
    nlp = pipeline_of("dx_entity_ruler", *["dx_entity_recognizer"] * network)
    named = {"PERSON", "GPE", "ORG", "ADDRESS"}
    for text in STAY:
        assert [ent for ent in nlp(text).ents if ent.label_ in named] == [], text
    court = nlp("The Olsztyn Regional Court ruled. The Court rose.")
    assert [(ent.text, ent.label_) for ent in court.ents] == [("Olsztyn", "GPE")]
    named_so = nlp("Mr. Parkinson came. Anne Parkinson slept. Parkinson's house burnt.")
    assert sum("Parkinson" in ent.text for ent in named_so.ents) == 3


@pytest.mark.parametrize("name", ["ABBREVIATIONS", "DIAGNOSES", "EPONYMS", "LATIN"])
def test_what_the_public_lists_hold_stays_beside_a_cue_for_names(name):
    from spacy_dxprivacy.entities.tables import expanded, words

    nlp = pipeline_of("dx_entity_ruler")
    listed = expanded(name).split("|") if name == "LATIN" else sorted(words(name, "terms"))
    form = {"EPONYMS": "She has {}'s now.", "LATIN": "It was, {}, met."}.get(name, "He has {} now.")
    for term in listed:
        text = form.format(term.capitalize() if name == "EPONYMS" else term)
        found = [e.text for e in nlp(text).ents if e.label_ in ("PERSON", "GPE", "ORG", "ADDRESS")]
        assert found == [], text


def test_a_health_number_and_a_sort_code_keep_their_form():
    nlp = pipeline_of("dx_entity_ruler")
    for text in ("NHS number 943 476 5919, phone 020 7946 0958", "NHS no. 943-476-5919 is his"):
        (number,) = [e for e in nlp(text).ents if e.label_ == "ID"]
        assert number.text in text and sum(map(str.isdigit, number.text)) == 10
    (code,) = [e for e in nlp("sort code 20-31-88").ents if e.label_ in ("ID", "DATE")]
    assert (code.text, code.label_) == ("20-31-88", "ID")
