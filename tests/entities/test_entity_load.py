"""Entity mode under long and many texts: its time grows with their length alone, and its memory
with nothing that they say."""

import io
import json
import sys
import time
import tracemalloc
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import spacy
from conftest import pipeline_of
from spacy.tokens import Doc

from spacy_dxprivacy import Rng
from spacy_dxprivacy.config.options import FileOptions
from spacy_dxprivacy.entities import network
from spacy_dxprivacy.entities.context import Context
from spacy_dxprivacy.entities.extent import Bounds
from spacy_dxprivacy.entities.reasons import is_entity
from spacy_dxprivacy.entities.recogniser import set_entities
from spacy_dxprivacy.entities.words import listed_names
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.io.jobs import read
from spacy_dxprivacy.surrogates.base import Draws, Mention, Scope
from spacy_dxprivacy.surrogates.place import Place
from spacy_dxprivacy.text.mentions import Entity
from spacy_dxprivacy.text.tokens import tokenize

LABELS = "person date time gpe address org email phone url id quantity cardinal".split()
SYLLABLES = "ba de fi go hu ka le mi no pu".split()


@pytest.fixture(scope="module")
def nlp():
    made = make_pipeline(entities=LABELS)
    made("Mary Smith (mary@example.org) saw Bob in Paris on May 5.")  # what the first text pays for
    return made


@pytest.fixture(scope="module")
def timing():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
        yield pytest.importorskip("timing", reason="the benchmarks are not packed")


def name(number):
    """A name that no list has, another one for each number below 10,000."""
    return "".join(SYLLABLES[int(digit)] for digit in f"{number:04d}").capitalize() + "x"


def numbered(form, size):
    """The form with ever new names, up to so many characters."""
    rows = (form.format(name(i)) for i in range(10_000))
    text = ""
    while len(text) < size:
        text += next(rows)
    return text[:size]


def calls(work):
    """How many functions of Python are called: a measure of work that no busy machine changes. The
    second time, so that what is made once for all texts does not count."""
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    work()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(("form", "size"), [
    ("Smith, ", 1_000), ("Smith and ", 1_000), ("Smith - ", 1_000),
    ("name|phone|city\nMary|1|x\n", 1_000), ("Dr. {0} has q{0}q_ ", 3_000),
    ("She left the University of {0} for a university. ", 5_000),
])  # fmt: skip
def test_the_work_for_a_text_doubles_with_its_length(nlp, form, size):
    ruler = nlp.get_pipe("dx_entity_ruler")

    def find(text):
        ruler(tokenize(nlp, text))

    short, long = (calls(partial(find, numbered(form, k * size))) for k in (1, 2))
    assert long < 1.1 * 2 * short


@pytest.mark.parametrize(("label", "words"), [
    ("DATE", "seen 3/4 again"), ("DATE", "open 9 - 5"), ("ORG", "of the house"),
])  # fmt: skip
def test_what_is_read_beside_an_entity_does_not_grow_with_the_text(label, words):
    """A Doc joins its text at each access."""
    words = words.split()
    doc = Doc(spacy.blank("en").vocab, ["Maria", *words * 2_500])
    last = 3 if label == "ORG" else 2  # the fraction, the first hour, or all words
    found = [Entity(label, at + (last == 2), at + last) for at in range(1, len(doc), len(words))]
    first = doc[:9].as_doc()
    set_entities(Bounds(first), found[:2])  # what the first text pays for
    context = Context(
        Bounds(doc), np.ones((len(doc), 1 + 2 * len(network.LABELS)), dtype=np.float32)
    )
    start = time.process_time()
    set_entities(Bounds(doc), [entity for entity in found if is_entity(context, entity)])
    assert time.process_time() - start < 2


def test_the_words_of_a_text_are_counted_once_for_all_its_speakers():
    doc = Doc(spacy.blank("en").vocab, "Clerk : Ngozi Okafor .".split() * 8_000)
    people = [Entity("PERSON", at, at + 1) for at in range(0, len(doc), 5)]
    first = doc[:9].as_doc()
    Bounds(first).split(people[:1])  # what the first text pays for
    start = time.process_time()
    assert len(Bounds(doc).split(people)) == len(people)
    assert time.process_time() - start < 2


def test_the_work_for_places_doubles_with_their_number():
    place, places = Place(Scope("document")), [Mention(name(i), "GPE") for i in range(800)]
    work = (partial(place.replace, some, Draws(Rng())) for some in (places[:400], places))
    short, long = map(calls, work)
    assert long < 1.1 * 2 * short


@pytest.mark.parametrize("text", [
    "=" + "\t" * 12_000, '\n="\t' + " \t'" * 4_000, "mrn-" * 7_000, ("Ji-" * 40 + " ") * 20,
    "1 Main Street, " + "\t" * 20_000, "password:" * 2_500, "/home" * 5_000, "x@" * 10_000,
], ids=lambda text: ascii(text[:12]))  # fmt: skip
def test_no_search_goes_over_the_same_letters_again_and_again(nlp, text):
    start = time.process_time()
    nlp(tokenize(nlp, text))
    assert time.process_time() - start < 2


def named(first, count):
    """Texts with names of the package's list that no other text has."""
    names = [name.capitalize() for name, of in listed_names().items() if of & {"surname"}]
    pairs = (names[2 * i : 2 * i + 2] for i in range(first, first + count))
    return [f"Dr. {one} saw {other} again." for one, other in pairs]


def test_the_recogniser_remembers_no_name_of_a_text():
    nlp = pipeline_of("dx_entity_ruler")
    ours = tracemalloc.Filter(True, "*spacy_dxprivacy*")
    held = []
    tracemalloc.start()
    try:
        for part in range(5):
            with nlp.memory_zone():
                found = sum(len(doc.ents) for doc in nlp.pipe(named(120 * part, 120)))
            assert found > 120
            traces = tracemalloc.take_snapshot().filter_traces([ours]).statistics("filename")
            held.append(sum(trace.size for trace in traces))
    finally:
        tracemalloc.stop()
    # A leak grows in every part; a cache of public words only when its table is made larger.
    assert min(after - before for before, after in pairwise(held)) < 240 * 100  # bytes a name


def test_a_table_of_any_length_is_read_in_the_memory_of_a_row():
    rows = (b'%d,"%s"\r\n' % (i, b"x" * 999) for i in range(4_000))
    table = io.BytesIO(b"id,note\r\n" + b"".join(rows))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read(table, "csv", FileOptions(field=("note",)))) == 4_000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_fields_of_a_table_that_spacy_leaves_in_one_token_are_apart(nlp):
    rows = (
        "id,name,city,salary\nE-1001,Fatoumata Diallo,Conakry,4100\nE-1002,Jan Novak;Oslo,38,500\n"
    )
    ruler = nlp.get_pipe("dx_entity_ruler")
    doc = ruler(nlp.make_doc(rows))
    assert doc.text == rows
    found = {(ent.label_, ent.text) for ent in doc.ents}
    assert {("PERSON", "Fatoumata Diallo"), ("GPE", "Conakry"), ("CARDINAL", "4100")} <= found
    few = make_pipeline(entities=["person", "gpe", "address"])
    cells = few("E-1001,Fatoumata Diallo,Conakry,4100").text.split(",")
    assert cells[0] == "E-1001" and cells[3] == "4100" and "Diallo" not in cells[1]


def test_a_row_goes_on_after_an_address_of_the_web():
    few = make_pipeline(entities=["person"])
    for mark in ",;|":
        text = mark.join(["7", "https://help.x.example/faq", "Open", "Kanoa Makoa", "1h"])
        left = few(f"{text}\nEleanor Whitcombe came.").text
        assert "Makoa" not in left and "Kanoa" not in left and "https://help.x.example/faq" in left
    for text in ("https://x.org/Paris,_Texas?a=1,2", "see https://x.org/a,b;c|d"):
        assert few(text).text == text


def test_names_in_json_and_python_without_blanks_are_found(nlp):
    row = {
        "id": 1, "name": "Eleanor Whitcombe", "mail": "e.whitcombe@x.org", "web": "https://x.org",
        "all": ["Whitcombe", "b"], "by": {"first": "Eleanor"},
    }  # fmt: skip
    sanitizer = make_pipeline(entities=["person", "email"])
    text = json.dumps(row, separators=(",", ":"))
    python = repr(row).replace(" ", "").replace("rW", "r W")
    for raw in (text, json.dumps(text), json.dumps(json.dumps(text)), python):
        if "\\" not in raw:  # strings with escapes are decoded
            assert nlp.get_pipe("dx_entity_ruler")(nlp.make_doc(raw)).text == raw
        left = sanitizer(raw).text.lower()
        assert "eleanor" not in left and "whitcombe" not in left and "https://x.org" in left
    path = "C:\\Users\\whitcombe\\data\\clinic\\leeds\\ward\\notes\\old\\x\\report.docx"
    assert "whitcombe" not in sanitizer(f"Eleanor Whitcombe wrote {path}.").text


def test_what_earlier_recognisers_found_stays_where_fields_are_set_apart():
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "CODE", "pattern": "Zorblatt,77"}])
    nlp.add_pipe("dx_entity_ruler")
    doc, context = next(nlp.pipe([("Seen: Zorblatt,77 and Mary.", 5)], as_tuples=True))
    assert [(e.label_, e.text) for e in doc.ents] == [("CODE", "Zorblatt,77"), ("PERSON", "Mary")]
    assert context == 5


@pytest.mark.parametrize(("text", "persons"), [
    ("Frank was frank.", ["Frank"]),
    ("Frank Miller called. It was a frank talk, and he was very frank.", ["Frank Miller"]),
    ("Frank Miller called. This is frank and i saw frank.", ["Frank Miller", "frank", "frank"]),
    ("Bob Smith saw bob.", ["Bob Smith", "bob"]),
])  # fmt: skip
def test_a_name_that_is_an_adjective_besides_is_one_where_adjectives_stand(nlp, text, persons):
    doc = nlp.get_pipe("dx_entity_ruler")(nlp.make_doc(text))
    assert [ent.text for ent in doc.ents if ent.label_ == "PERSON"] == persons


def test_a_flood_of_names_takes_six_times_the_time_of_a_note_at_most(nlp, timing):
    """Per character; the least of five, as others use this processor."""
    note, size = timing.NOTE, 20_000
    texts = [(note * size)[:size], *(timing.flood(part, size) for part in ("Anna Lee ", "Mary\n"))]
    timing.taken(nlp, note)
    plain, *floods = (min(timing.taken(nlp, text) for _ in range(5)) for text in texts)
    assert max(floods) < 6 * plain


@pytest.fixture(scope="module")
def seconds_of_note(nlp, timing):
    """The processor time for a note of 20,000 characters."""
    note = (timing.NOTE * 20_000)[:20_000]
    return min(timing.taken(nlp, note) for _ in range(3))


@pytest.mark.parametrize("form", [
    "Smith and ", "smith and ", "Smith ", "Dr. Smith, ", "{0}, ", "{0} and ", "{0} or ",
    "Mary {0} & ", "House and ", "Bank of Science and Arts and ", "{0}.smith@example.org, ",
], ids=ascii)  # fmt: skip
def test_a_list_of_names_takes_four_times_the_time_of_a_note_at_most(
    nlp, timing, seconds_of_note, form
):
    names = numbered(form, 20_000)
    assert any(timing.taken(nlp, names) < 4 * seconds_of_note for _ in range(2))
