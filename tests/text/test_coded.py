"""Text in escapes is read decoded and written encoded; tags and keys stay, values are text."""

import json
import re
from urllib.parse import parse_qs, quote, quote_plus, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dxprivacy.integrations.clean import clean, prompt
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.text.coded import decoded, encode

LABELS = ["person", "date", "gpe"]
NAMES = ("Zoë Müller", "Łukasz Wójcik", "Renée O'Connor", "José García")


def rows(name):
    note = f'{name} came on 5 March 2023.\nShe saw Dr. "Bob" Okafor\tin Zürich; C:\\notes\\new.'
    return {"name": name, "note": note, "all": [{"by": name, "id": 7, "ok": True}], "x": None}


def shape(value):
    """The structure of a value, without its strings."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return "" if isinstance(value, str) else value


STYLES = {
    "ascii": json.dumps,
    "unicode": lambda value: json.dumps(value, ensure_ascii=False),
    "indented": lambda value: json.dumps(value, indent=2),
    "compact": lambda value: json.dumps(value, separators=(",", ":")),
    "lines": lambda value: "\n".join(json.dumps(value) for _ in range(3)),
    "in a string": lambda value: json.dumps(json.dumps(value)),
    "in a string of strings": lambda value: json.dumps([{"arguments": json.dumps(value)}]),
}
AROUND = {
    "alone": "{}",
    "fenced": "Sum up:\n\n```json\n{}\n```\nThanks!",
    "inline": "The tool answered {} and stopped.",
    "after a stray quote": 'A 5" pipe, as in {}',
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", NAMES)
def test_json_is_read_decoded_and_stays_json(name, style, around):
    raw = STYLES[style](rows(name))
    text = AROUND[around].format(raw)
    head, tail = AROUND[around].split("{}")
    for released in (clean(text, entities=LABELS), prompt(text, entities=LABELS)[0]):
        assert released.startswith(head) and released.endswith(tail)
        block = released[len(head) : len(released) - len(tail)]
        values = [json.loads(line) for line in block.split("\n")] if style == "lines" else None
        for value in values or [json.loads(block)]:
            if isinstance(value, str):
                value = json.loads(value)
            if isinstance(value, list):
                value = json.loads(value[0]["arguments"])
            assert shape(value) == shape(rows(name))
            assert value["note"].count("\n") == 1 and value["note"].count("\t") == 1
            assert "C:\\notes\\new" in value["note"] and '"' in value["note"]
            written = json.dumps(value, ensure_ascii=False)
            assert not any(word in written for word in [*name.split(), "Okafor"])
            assert value["name"] == value["all"][0]["by"]  # one person
            assert value["note"].startswith(value["name"])
        assert block.isascii() or style == "unicode"


def test_escapes_outside_of_strings_and_other_scripts():
    released = clean("Name: Zo\\u00eb M\\u00fcller, seen today.", entities=LABELS)
    assert re.fullmatch(r"Name: [\x00-\x7f]+, seen today\.", released)
    assert "u00" not in released and "ller" not in released
    emoji = '{"a": "\\ud83d\\ude00 Zo\\u00eb M\\u00fcller", "b": "\\ud83d", "c": "x\\\\u0041"}'
    released = json.loads(clean(emoji, entities=LABELS))
    assert released["a"][0] == "😀" and "Müller" not in released["a"]
    assert released["b"] == "\ud83d" and released["c"] == "x\\u0041"


FORMS = {
    "plain": {"first_name": "Tomasz", "last_name": "Eze"},
    "blanks": {"name": "Eleanor Whitcombe", "city": "Leeds"},
    "accents": {"first_name": "Zoë", "last_name": "Müller", "note": "seen by Dr. Okafor, today"},
    "marks": {"patient": "Priya Raman", "note": "50% & more = fine; see Mary Smith."},
    "numbers": {"id": "7", "name": "Peter Okafor", "next": "Mary Hollis"},
}


@pytest.mark.parametrize("way", [quote, quote_plus])
@pytest.mark.parametrize("form", FORMS)
def test_values_of_forms_are_read_decoded_and_stay_encoded(form, way):
    text = urlencode(FORMS[form], quote_via=way)
    for whole in (text, f"The body was {text} as sent."):
        released = clean(whole, entities=LABELS)
        body = released if whole == text else released[13:-9]
        values = {key: value for key, (value,) in parse_qs(body).items()}
        assert values.keys() == FORMS[form].keys() and " " not in body
        for word in "Tomasz Eze Eleanor Whitcombe Zoë Müller Okafor Raman Smith Hollis".split():
            assert word not in " ".join(values.values())
        for key in ("id",):
            assert values.get(key) == FORMS[form].get(key)


@pytest.mark.parametrize("text", [
    "C:\\Users\\new\\table and \"C:\\new\\table\" 50% of a=b & c=d", 'print("a\\nb"); x = "%d%%"',
    "https://x.org/?a=b&c=d%20e", "LIKE '%smithy%' AND x=1&y=2", r"\u12 and \uzzzz, 100%25",
    r'{"path": "C:\\tmp\\n", "re": "\\d+\\s", "q": "say \"so\"\n"}', 'a "b\\n',
])  # fmt: skip
def test_text_without_mentions_comes_back_as_it_was(text):
    assert clean(text, entities=["person"]) == text


@settings(max_examples=200, deadline=None)
@given(st.text(), st.booleans())
def test_what_is_decoded_is_encoded_as_it_was(text, ascii_only):
    raw = json.dumps({"a": text, "é": [text]}, ensure_ascii=ascii_only)
    if any("\ud800" <= letter <= "\udfff" for letter in raw):
        return
    plain, places, levels = decoded(raw, [0, len(raw)])
    assert places == [0, len(plain)]
    words, _ = encode(levels, range(len(plain)), list(plain), [False] * len(plain))
    assert json.loads("".join(words)) == json.loads(raw)


# -- markup ----------------------------------------------------------------------------------------

MARKUP = {  # text -> what must not be in the release
    '<patient last="Abiodun" first="Tunde"/>': "Abiodun Tunde",
    '<name><family value="Okafor"/><given value="Priya"/></name>': "Okafor Priya",
    "<table><tr><td>Okafor</td><td>Leeds</td></tr></table>": "Okafor Leeds",
    "<patient>Silas was seen on 3 May 2023</patient>": "Silas",
    "<patient>Silas Marner 3 May 2023</patient>": "Silas Marner",
    "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Eleanor Whitcombe>Hello Dr. Okafor.</v>": "Whitcombe",
    "# Visit\n\n<b>Eleanor</b> <i>Whitcombe</i> came.": "Eleanor Whitcombe",
    '<div class="row" title="Eleanor Whitcombe">note</div>': "Eleanor Whitcombe",
    "<person name='Zoe Fowler' kind='x y'>": "Zoe Fowler",
    '<Patient id="x"><text><div>Seen by Dr. Amara Obi</div></text></Patient>': "Amara Obi",
    "<note>\n  <to>Peter</to>\n  <body>Call Mary Smith</body>\n</note>": "Peter Mary Smith",
    "&lt;b&gt;Mary&lt;/b&gt; Smith": "Mary Smith",
    '<ns:author xml:lang="en">Okafor, Priya</ns:author>': "Okafor Priya",
    '<a href="x">Priya Whitcombe</a><br/>Leeds': "Priya Whitcombe Leeds",
}
TAGS = re.compile(r'<v |<[^<>"\']+|="|=\'|["\']?\s?/?>|&\w+;')


@pytest.mark.parametrize("text", MARKUP)
def test_tags_stay_and_what_stands_between_them_is_text(text):
    for release in (clean, lambda text, **settings: prompt(text, **settings)[0]):
        # A surrogate is its original once in thousands of draws, so a word stays if it does twice.
        released, again = (release(text + end, entities=LABELS) for end in ("", "\n"))
        assert not any(word in released and word in again for word in MARKUP[text].split())
        assert [t for t in TAGS.findall(released)] == [
            t for t in TAGS.findall(text)
        ] or "<v" in text
        for tag in re.findall(r"</?[\w:]+", text):
            assert released.count(tag) == text.count(tag)


@pytest.mark.parametrize("text", [
    "<instructions>Summarise the text</instructions>", "if a < b and c > d: return", "<br/>",
    "x <- y; List<String> items", '<img src="a.png" alt="A red car"/>', "a <3 b",
])  # fmt: skip
def test_markup_without_mentions_stays(text):
    assert clean(text, entities=["person", "gpe"]) == text


def test_a_name_in_angle_brackets_is_no_tag():
    text = "Anna Schmidt <anna.schmidt@x.org>, <Priya Whitcombe> and <Okafor> called."
    released = clean(text, entities=["person", "email"])
    assert not any(word in released for word in ("Schmidt", "Priya", "Whitcombe", "anna.s"))


def test_a_file_of_text_that_is_json_stays_json(tmp_path):
    from conftest import ok, run_dx

    (tmp_path / "a.txt").write_text(json.dumps(rows("Zoë Müller"), indent=1))
    ok(run_dx("sanitize", tmp_path / "a.txt", tmp_path / "b.txt", "--entities", "person"))
    value = json.loads((tmp_path / "b.txt").read_text())
    assert shape(value) == shape(rows("Zoë Müller")) and "Müller" not in str(value)


def test_a_recogniser_alone_keeps_no_zone_and_marks_follow():
    nlp = make_pipeline(entities=LABELS)
    for _ in range(3):
        with nlp.memory_zone():
            doc = nlp(json.dumps(rows("Zoë Müller")))
            json.loads(doc.text)


@pytest.mark.parametrize("text", [
    r'{"a": "{\"name\": \"Priya Whitcombe\"}"}', r'{"a": "She is \"Priya Whitcombe\", he said."}',
    r'{"a": "{\"b\": \"{\\\"name\\\": \\\"Priya Whitcombe\\\"}\"}"}',
])  # fmt: skip
def test_a_name_beside_escaped_quotes_is_replaced_and_the_quotes_stay(text):
    released = prompt(text)[0]
    assert "Priya" not in released and "Whitcombe" not in released
    assert list(json.loads(released)) == ["a"] and released.count("\\") == text.count("\\")
