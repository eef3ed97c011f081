"""`dx restore`: what comes back as it was is restored; what an answer has of its own never is."""

import random
import re
from collections import Counter

import pytest
import spacy
from conftest import ok, run_dx
from spacy.tokens import Span

from spacy_dxprivacy import Rng
from spacy_dxprivacy.entities.tables import PEOPLES, PLACES, listed
from spacy_dxprivacy.entities.words import builtin_lexicon
from spacy_dxprivacy.prompts.restoring import (
    Restorer,
    TableRestorer,
    mark_ambiguous,
    rows_of,
)
from spacy_dxprivacy.prompts.table import SurrogateTable
from spacy_dxprivacy.surrogates import Mention
from spacy_dxprivacy.surrogates.name_forms import form_of
from spacy_dxprivacy.surrogates.plain import NO_LOSS, surrogates_of
from spacy_dxprivacy.surrogates.replacements import replace_mentions

PERSONS = ["Maria Lopez", "Ms. Lopez", "Lopez", "Maria", "Lopez's", "Maria’s", "MARIA LOPEZ",
           "Lopez, Maria", "M. Lopez", "Dr. Wei Chen", "Chen", "Okonkwo",
           "Dr. Okonkwo's"]  # fmt: skip
CERTAIN = {
    "PERSON": PERSONS,
    "DATE": ["March 5, 2023", "03/12/2023", "2023-04-07", "12 May 2021", "5.6.2020", "31-JAN-2020"],
    "PHONE": ["(415) 867-5309", "+1 415 867 5309", "867-5309"],
    "ID": ["44-120-9", "881203", "A-77123-B", "4111 1111 1111 1111"],
    "EMAIL": ["maria@stmary.org", "m.lopez@acme.io"],
    "URL": ["https://portal.stmary.org/u/17"],
    "ADDRESS": ["12 Main Street, Austin, TX 78701"],
    "ORG": ["Zorblatt Hospital"],
}
UNCERTAIN = {
    "QUANTITY": ["97", "120/97", "97 days", "98.6", "1,050"],
    "CARDINAL": ["7", "two", "2,000,000"],
    "DATE": ["May", "March 9", "2019", "Monday", "9 am", "the 3rd of May"],
    "GPE": ["Texas", "France"],
    "ID": ["B12", "417"],
}
NLP = spacy.blank("en")
PLAIN = ["The patient", "took", "and left", "with", "later on,", "said that", "at home by"]


def made(pieces, seed):
    """(text, released text, table, surrogates drawn) of a document of (text, label or None)."""
    doc, ents, start = NLP(" ".join(text for text, _ in pieces)), [], 0
    for text, label in pieces:
        if label:
            ents.append(doc.char_span(start, start + len(text), label, alignment_mode="expand"))
        start += len(text) + 1
    doc.ents = ents
    surrogates = surrogates_of("standard")
    drawn = replace_mentions(doc, surrogates, Rng(seed), rest_is_plain=True)
    table = SurrogateTable()
    table.add_document(doc, drawn, surrogates)
    parts, at = [], 0
    drawn = [item for item in drawn if item.text is not None]
    for item in drawn:
        span = doc[item.start : item.end]
        parts += [doc.text[at : span.start_char], item.text]
        at = span.end_char
    return doc.text, "".join(parts) + doc.text[at:], table, drawn


def restored(table, answer):
    """(answer with originals, the restorer, which counts)."""
    restorer = TableRestorer(table)
    return restorer.restore(answer), restorer


def document(choice, seed, kinds):
    """A text of one to five mentions, each between plain words."""
    pieces = []
    for _ in range(choice.randint(1, 5)):
        label = choice.choice(sorted(kinds))
        pieces += [(choice.choice(PLAIN), None), (choice.choice(kinds[label]), label)]
    return made([*pieces, (".", None)], seed)


def test_the_lists_of_names_hold_nothing_that_an_answer_has_of_its_own():
    lexicon = builtin_lexicon()
    for name in (*listed("female"), *listed("male"), *listed("surnames")):
        assert name.lower() not in lexicon.rank and not lexicon.of(name) & (PLACES | PEOPLES)
    assert [len(listed(which)) for which in ("female", "male", "surnames")] == [512, 512, 1024]


def test_what_comes_back_as_it_was_is_restored():
    choice = random.Random(1)
    for seed in range(300):
        text, sent, table, _ = document(choice, seed, CERTAIN)
        back, done = restored(table, sent)
        assert back == text and done.unrestored == []


@pytest.fixture
def table():
    one = SurrogateTable()
    one.add(Mention("Maria Lopez", "PERSON"), "Ilene Cartwright", "dx.Name.v1")
    one.add(Mention("Austin", "GPE"), "Ashburn", "dx.Place.v1")
    one.add(Mention("97", "QUANTITY"), "90", "dx.Number.v1")
    one.add(Mention("June", "DATE"), "March", "dx.DateShift.v1")
    return one


ANSWERS = [
    ("Ms. Cartwright (Ilene Cartwright's)", "Ms. Lopez (Maria Lopez's)"),
    ("Dear Ilene, dear ILENE,", "Dear Maria, dear MARIA,"),
    ("ilene cartwright said", "Maria Lopez said"), ("Cartwright, Ilene", "Lopez, Maria"),
    ("Then Cartwright’s son", "Then Lopez’s son"), ("* Cartwright (Ashburn)", "* Lopez (Austin)"),
]  # fmt: skip


def test_a_name_is_restored_however_an_answer_writes_it_and_its_own_words_stay(table):
    for answer, expected in ANSWERS:
        text, done = restored(table, answer)
        assert text == expected and done.unrestored == []
    for answer in (
        "Give 90 mg; BP 120/90; repeat in 90 days", "You may march on in March",
        "Ilene Wells and Norbert Cartwright", "J. Cartwright", "Cartwright Street",
        "the Cartwright syndrome", "Cartwright's disease", "Ilene-Ann", "Ashburn, Ohio",
        "cartwright@x.example", "www.cartwright.example", "Cartwrights",
    ):  # fmt: skip
        text, done = restored(table, answer)
        assert text == answer and done.restored == 0


def test_letters_that_have_two_forms_are_restored(table):
    table.add(Mention("Hauptweg 3", "ADDRESS"), "Südstraße 55, Gotha", "dx.Address.v1")
    text, _ = restored(table, "Südstraße 55, Gotha, Ilene, ılene")
    assert text == "Hauptweg 3, Maria, ılene"


def test_what_stays_is_listed_by_label_and_line(table):
    table.add(Mention("Dallas", "GPE"), "Ashburn", "dx.Place.v1")
    text, done = restored(table, "Ilene, give 90 mg.\nIn March or\nMarch: Ashburn.")
    assert text == "Maria, give 90 mg.\nIn March or\nMarch: Ashburn."
    assert done.unrestored == [("QUANTITY", 1), ("DATE", 2), ("DATE", 3), ("GPE", 3)]
    assert "Maria" not in repr(done) and "Maria" not in repr(table)


def test_a_surrogate_that_is_elsewhere_in_the_documents_is_not_restored():
    pieces = [("Zorblatt met", None), ("Maria", "PERSON"), ("and", None), ("417-2233", "PHONE")]
    _, _, table, drawn = made(pieces, 1)
    name, phone = (item.text for item in drawn)
    assert restored(table, f"{name} at {phone}.")[1].restored == 2
    other = NLP(f"{name} met a man at {phone}.")
    table.add_document(other, [], {})
    _, done = restored(table, f"{name} at {phone}.")
    assert done.restored == 0 and done.unrestored == [("PERSON", 1), ("PHONE", 1)]


def test_a_name_that_a_document_releases_is_not_drawn():
    firsts = " ".join((*listed("female")[5:], *listed("male")))
    drawn = {made([(firsts, None), ("Maria", "PERSON")], seed)[3][0].text for seed in range(60)}
    assert drawn <= set(listed("female")[:5]) and len(drawn) > 1


TRAPS = [
    "Give {n} mg", "BP 120/{n}", "repeat in {n} days", "{n} %", "page {n}", "{n}", "$ {n}.50",
    "You may march on", "In May 5 people left", "She will mark it", "an august May in March",
    "on Monday", "in Texas and France", "Dated [DATE], [PERSON]", "** and ***",
    "{first} Wells wrote", "Norbert {last} wrote", "{other}. {last}", "{last} Street",
    "{last} Hospital", "the {last} catheter", "{last}'s disease", "{first}-Ann", "{last}s",
    "x{mail}", "{mail}.uk", "(212) {phone}", "9{code}", "{code},000", "{code}.5", "{code}-7",
    "{state}, {country}",
]  # fmt: skip


def traps_of(drawn, choice):
    """What an answer says of its own, with the words and numbers of the surrogates."""
    initials = {item.text[0] for item in drawn if item.mention.label == "PERSON"}
    other = next(c for c in "JQVXZKY" if c not in initials)
    of = {"other": other, "n": "90", "first": "Ilene", "last": "Cartwright", "mail": "a@b.example",
          "phone": "555", "code": "44", "state": "Ohio", "country": "Peru"}  # fmt: skip
    keys = {"EMAIL": "mail", "PHONE": "phone", "ID": "code", "GPE": "state"}
    for mention, text in ((item.mention, item.text) for item in drawn):
        number = re.search(r"\d+", text)
        if mention.label == "PERSON":
            parts = [part for part in form_of(text).parts if len(part) > 2]
            of |= {"first": parts[0].title(), "last": parts[-1].title()} if parts else {}
        elif mention.label in keys:
            of[keys[mention.label]] = text
        elif number and mention.label in ("QUANTITY", "CARDINAL"):
            of["n"] = number[0]
    return [trap.format(**of) for trap in choice.sample(TRAPS, 4)]


@pytest.mark.parametrize("count", [pytest.param(10_000, marks=pytest.mark.slow), 500])
def test_no_answer_is_changed_wrongly(count):
    """Answers of surrogates, which are restored, and of traps made of them, which all stay."""
    choice, wrong, changed = random.Random(2), Counter(), 0
    kinds = {label: CERTAIN.get(label, []) + UNCERTAIN.get(label, [])
             for label in CERTAIN | UNCERTAIN}  # fmt: skip
    for seed in range(count // 10):
        _, _, table, drawn = document(choice, seed, kinds)
        sure = [(item.mention.text, item.text) for item in drawn
                if item.mention.text in CERTAIN.get(item.mention.label, ())]  # fmt: skip
        for _ in range(10):
            parts = [(trap, trap) for trap in traps_of(drawn, choice)]
            parts += choice.sample(sure, choice.randint(0, len(sure)))
            choice.shuffle(parts)
            answer = ".\nwe told ".join(text for _, text in parts) + "."
            expected = ".\nwe told ".join(original for original, _ in parts) + "."
            back, _ = restored(table, answer)
            lines = zip(*(t.split("\n") for t in (back, expected, answer)), strict=True)
            for line, right, was in lines:
                wrong[was] += line != right
                changed += line != was
    assert sum(wrong.values()) == 0, [text for text in wrong if wrong[text]][:9]
    assert changed > count / 2


class Fixed:
    """A surrogate that gives each original the one that a test names."""

    name, way, chance, in_clear, guarantee = "test.Fixed", "drawn", 0.0, (), NO_LOSS

    def __init__(self, **texts):
        self.texts = texts

    def replace(self, mentions, draws):
        return [self.texts[mention.text] for mention in mentions]


def sent(text, label="PERSON", **texts):
    """What is sent in place of each mention, and a restorer of answers to it."""
    doc = NLP(text)
    doc.ents = [Span(doc, token.i, token.i + 1, label) for token in doc if token.text in texts]
    surrogates = {label: Fixed(**texts)}
    drawn, table = replace_mentions(doc, surrogates, Rng(seed=0)), SurrogateTable()
    drawn = mark_ambiguous(doc, drawn, surrogates, table, {})
    table.add_document(doc, drawn, surrogates)
    pairs = [(item.mention, item.text) for item in drawn if item.text is not None]
    rows = rows_of(pairs, surrogates, table)
    return [item.text for item in drawn if item.text is not None], Restorer(rows)


def test_a_surrogate_that_is_a_word_of_the_text_is_sent_as_a_mark():
    """An answer may have the word as its own."""
    (mark,), restorer = sent("Zorblatt bought a rose for himself.", Zorblatt="Rose")
    assert mark == "[PERSON 1]"
    assert restorer.restore(f"{mark} likes his rose.") == "Zorblatt likes his rose."
    (name,), restorer = sent("Zorblatt bought a plant for himself.", Zorblatt="Rose")
    assert name == "Rose" and restorer.restore("Rose likes it.") == "Zorblatt likes it."


def test_a_surrogate_of_two_places_is_sent_as_a_mark_for_each():
    """Names of persons are drawn apart."""
    text = "Zorbville is near Quimbytown."
    marks, restorer = sent(text, "GPE", Zorbville="Springfield", Quimbytown="Springfield")
    assert len(set(marks)) == 2 and all(mark.startswith("[") for mark in marks)
    answer = f"{marks[1]} is far from {marks[0]}, not from Springfield."
    assert restorer.restore(answer) == "Quimbytown is far from Zorbville, not from Springfield."


def test_all_dates_of_a_document_come_back_from_a_table(tmp_path):
    """Each surrogate of a date stands for one original, whatever was drawn, also in a folder."""
    pytest.importorskip("cryptography")
    texts = [
        "I ordered it on 3 November. It came last Friday, in May, on a Friday, at 14:30, on "
        "March 5, 2021.",
        "May 3 and 3 May are one day; Monday, Tuesday and May 2022 are not. She came in 2019, in "
        "March.",
    ]
    (tmp_path / "in").mkdir()
    for i, text in enumerate(texts):
        (tmp_path / "in" / f"{i}.txt").write_text(text)
    for run in range(5):
        table = ["--table", tmp_path / "t" / f"{run}.dx", "--table-key", tmp_path / "k" / "key"]
        out = tmp_path / f"out{run}"
        ok(run_dx("sanitize", tmp_path / "in", out, "--entities", "date", *table))
        for i, text in enumerate(texts):
            back = run_dx("restore", out / f"{i}.txt", *table)
            assert back.stdout.rstrip() == text, (out / f"{i}.txt").read_text()
