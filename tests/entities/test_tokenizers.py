"""Names are found beside marks whatever tokenizer a pipeline has, or the tokenizer is refused."""

import pytest
import spacy
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

from spacy_dxprivacy import DxError

NAME = "Priya Whitcombe"
FORMS = [
    'She said "{}" twice.', "She said '{}' twice.", "She said “{}” twice.", "She said «{}» twice.",
    "The nurse ({}) called.", "The nurse [{}] called.", "Seen: {}, at noon.", "Was it {}?",
    "It was {}!", "It was {}; she left.", "By {}: a note.", 'He wrote ("{}").', "Call {}.",
    "She is **{}** here.", "It says <{}> here.", 'The end is "{}."', "‘{}’ was here",
    "She said '{}', and left.", "Hello, {}... how are you?",
]  # fmt: skip


def by_blanks(*pipes):
    nlp = spacy.blank("en")
    nlp.tokenizer = Tokenizer(nlp.vocab)
    for pipe in pipes:
        nlp.add_pipe(pipe)
    return nlp


@pytest.fixture(scope="module", params=[("dx_entity_ruler",),
                                        ("dx_entity_ruler", "dx_entity_recognizer")])  # fmt: skip
def sanitize(request):
    nlp = by_blanks(*request.param, "dx_entity_sanitizer")
    return lambda text: nlp(text).text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [NAME, "Dr. Okafor", "Anna Müller-Lüdenscheidt"])
def test_a_name_beside_a_mark_is_found_with_a_tokenizer_that_splits_at_blanks(sanitize, form, name):
    text = form.format(name)
    released = sanitize(text)
    assert not any(word in released for word in name.split() if word != "Dr.")
    before, _, after = text.partition(name)
    assert released.startswith(before) and released.endswith(after.lstrip("."))


@pytest.mark.parametrize("form", FORMS[:8])
def test_a_name_beside_a_mark_is_found_in_a_doc_of_given_words(form):
    nlp = by_blanks("dx_entity_ruler", "dx_entity_sanitizer")
    words = form.format(NAME).split(" ")
    (doc,) = nlp.pipe([Doc(nlp.vocab, words=words)])
    assert "Priya" not in doc.text and "Whitcombe" not in doc.text


@pytest.mark.parametrize("first", ["dx_entity_ruler", "dx_entity_recognizer"])
@pytest.mark.parametrize("form", ['She said "{}", twice.', "The ({}) nurse.", "[{}], {}."])
def test_words_with_marks_that_are_annotated_already_are_refused(first, form):
    nlp = by_blanks("sentencizer", first, "dx_entity_sanitizer")
    with pytest.raises(DxError, match="DX185") as caught:
        nlp(form.format(NAME, NAME))
    assert "Whitcombe" not in str(caught.value)


@pytest.mark.parametrize("text", [
    "They're John's, and 'tis o'clock: \"rock 'n' roll\" (e.g. U.S. or a.m.), isn't it?",
    "See https://x.org/a_(b), mail a.b@x.org, and #tag @user :-) C++ $5,000 -- 50%!",
])  # fmt: skip
def test_tokens_of_spacy_stay_as_they_are(text):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    assert [token.text for token in nlp(text)] == [token.text for token in nlp.make_doc(text)]
    tagged = spacy.blank("en")
    tagged.add_pipe("sentencizer")
    tagged.add_pipe("dx_entity_ruler")
    assert [token.text for token in tagged(text)] == [token.text for token in nlp.make_doc(text)]


@pytest.mark.parametrize("row", [
    "Ines;;Gdynia;-;12", "Ines,,Gdynia", "|Ines|Gdynia|", '"Ines";"";"Gdynia"', "Ines|-|Gdynia",
    'Hose 3/4";Ines;Gdynia', "Ines,-,Gdynia", "12;;;Ines;;Gdynia;;",
])  # fmt: skip
def test_fields_beside_empty_ones_have_tokens_of_their_own(row):
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    doc = nlp(f"A row: {row}")
    assert {"Ines", "Gdynia"} <= {token.text for token in doc}
    assert doc.text == f"A row: {row}"
