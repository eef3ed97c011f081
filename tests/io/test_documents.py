"""Documents with markup: one person has one surrogate in all of a file, markup stays, and nothing
that is not sanitised is in the output."""

import json
import re
from email import message_from_bytes
from email.policy import default
from importlib import import_module

import pytest
from conftest import leaks, ok, run_dx
from documents import INPUTS, docx, members, paragraph, part, run, zipped

from spacy_dxprivacy.io.build import make_pipeline

# No list of surrogates holds any of these.
SECRETS = ["Margarida", "Hollis", "Lundgren", "secret"]
HTML = (INPUTS / "letter.html").read_text("utf8")
EML = (INPUTS / "visit.eml").read_bytes()


@pytest.fixture(scope="module")
def pipelines():
    labels = ("person", "date", "email")
    return {labels: make_pipeline(entities=labels), (): make_pipeline()}


@pytest.fixture
def dx(pipelines, monkeypatch):
    command = import_module("spacy_dxprivacy.cli.sanitizing")
    monkeypatch.setattr(command, "make_pipeline", lambda settings: pipelines[settings.entities])

    def invoke(*args, words=False):
        more = [] if words else ["--entities", "person,date,email"]
        return run_dx("sanitize", *args, *more)

    return invoke


@pytest.fixture
def clean(dx, tmp_path):
    """Sanitises the bytes of a file, and returns those of the output and the receipt."""

    def sanitise(name, raw, *args, words=False):
        source, target, receipt = (tmp_path / x for x in (f"in.{name}", f"out.{name}", "r.json"))
        source.write_bytes(raw)
        result = ok(dx(source, target, "--receipt", receipt, "--force", *args, words=words))
        return target.read_bytes(), json.loads(receipt.read_text()), result.stderr

    return sanitise


def texts_of(xml):
    return re.findall(r"<w:t(?: [^>]*)?>([^<]*)</w:t>", xml.decode())


def no_secret_in(raw):
    assert not leaks(raw, SECRETS)


needs_lxml = pytest.mark.skipif(
    import_module("importlib.util").find_spec("lxml") is None, reason="needs the extra 'docx'"
)
GIVEN = {"html": HTML.encode(), "eml": EML, "docx": docx()}
KINDS = [pytest.param(kind, marks=needs_lxml if kind == "docx" else ()) for kind in GIVEN]


@pytest.mark.parametrize("words", [False, True], ids=["entities", "words"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_a_person_is_left_and_what_was_dropped_is_counted(clean, kind, words):
    # Where words are sampled, one may be drawn as itself.
    raw, receipt, stderr = clean(kind, GIVEN[kind], words=words)
    parts = members(raw).values() if kind == "docx" else [raw]
    for one in parts:
        if not words:
            no_secret_in(one)
        assert b"hollis.p" not in one and b"/hollis" not in one
    dropped = receipt["count"]["dropped"]
    assert dropped and all(count > 0 for count in dropped.values())
    assert "left out" in stderr
    no_secret_in(json.dumps(receipt).encode() + stderr.encode())
    assert any(line.startswith("markup") for line in receipt["stages"][-1]["in_clear"])


def test_the_markup_of_a_page_stays_and_inline_elements_make_one_text(clean):
    page = clean("html", HTML.encode())[0].decode()
    for kept in (
        "<!DOCTYPE html>", '<meta charset="utf-8">', "<h1>", "<table><tr><td>Name:</td><td>",
        "this</a>, <a>up</a>", "&lt;b&gt; &amp; more</body></html>",
    ):  # fmt: skip
        assert kept in page
    name = re.search(r"<title>Letter to (.*?)</title>", page)[1]
    assert f'alt="Photo of {name}"' in page and f'value="{name}"' in page
    assert re.search(f"Dear {name}<i></i>, we met on", page)
    user = re.search(r'href="mailto:([^"@]+@)example', page)[1]
    assert f">{user}example" in page
    assert "color" not in page and "http" not in page and "width" not in page


def test_a_label_of_a_page_says_what_stands_beside_it(clean):
    raw = b"""<table><tr><td>Surname</td><td>Price</td></tr></table><dl><dt>Surname<dd>Young</dl>
<form><input name="surname" value="Reading"><input name="first_name" value="Will"></form>
<table><tr><th>Surname<th>Ward</tr><tr><td>Hope<td>A</tr><tr><td>Long<td>B</tr></table>"""
    new = clean("html", raw)[0].decode()
    words = {*re.findall(r"\w+", new)}
    assert not {"Price", "Young", "Reading", "Will", "Hope", "Long"} & words
    assert {"Surname", "Ward"} <= words


def test_blanks_of_pages_are_blanks_to_recognisers(clean):
    given = "<p>Dear Margarida&nbsp;Hol&shy;lis,</p><td>&nbsp;</td><script src=a /><p>end</p>"
    page = clean("html", given.encode())[0].decode()
    assert re.fullmatch(r"<p>Dear \w+ [\w'-]+,</p><td>\xa0</td><p>end</p>", page)
    no_secret_in(page.encode())


@pytest.mark.parametrize("raw", [b"<img><br>", b""])
def test_a_document_without_text_stays(clean, raw):
    assert clean("html", raw)[0] == raw


def test_markdown_is_text(clean):
    page = clean("md", b"# Mr. Lundgren\n\n- [ ] Call Margarida Hollis\n")[0].decode()
    assert re.fullmatch(r"# Mr\. .+\n\n- \[ \] Call .+\n", page)
    no_secret_in(page.encode())


def test_what_stands_above_a_word_is_no_part_of_it(clean):
    page = b"<p>Dear Mr. Lundgren,</p><p>see <ruby>Lundgren<rt>lun</rt></ruby> soon.</p>"
    no_secret_in(clean("html", page)[0])


def test_headers_of_a_mail_may_be_in_utf_8(clean):
    mail = "From: Jürgen Müller <jm@x.de>\nSubject: Is Jürgen Müller here, or Ann?\n\nHi"
    mail = message_from_bytes(clean("eml", mail.encode())[0], policy=default)
    name = mail["From"].addresses[0].display_name
    assert mail["Subject"].startswith(f"Is {name} here, or ") and "Jürgen" not in name


def test_a_mail_has_new_addresses_and_no_other_headers(clean):
    raw, receipt, _ = clean("eml", EML)
    mail = message_from_bytes(raw, policy=default)
    name = mail["Subject"].removeprefix("Visit of ")
    to = mail["To"].addresses[0]
    assert to.display_name == ", ".join(reversed(name.rsplit(" ", 1)))
    assert set(mail.keys()) == {"Subject", "Date", "From", "To", "MIME-Version", "Content-Type"}
    plain = mail.get_body(("plain",)).get_content()
    day = re.search(r"crêpes on (.*?)\.", plain)[1]
    assert plain.startswith(f"Dear {name}, we ate crêpes on ")
    assert mail["Date"].datetime.strftime("%-d %B %Y") == day
    assert f"<b>{name}</b>, we ate on {day}" in mail.get_body(("html",)).get_content()
    dropped = receipt["count"]["dropped"]
    assert dropped["attachments"] == 1 and dropped["headers"] == 2
    assert not list(mail.iter_attachments())


def test_what_is_drawn_for_an_address_is_an_address(clean):
    mail = message_from_bytes(clean("eml", EML, words=True)[0], policy=default)
    assert mail["From"].addresses[0].addr_spec == "redacted@example.invalid"
    assert not mail.defects


@needs_lxml
def test_hyphens_that_do_not_break_are_text(clean):
    hyphen = "<w:noBreakHyphen/>"
    name = run("Dear Mr. Lundgren") + f"<w:r>{hyphen}<w:t>Hollis, a</w:t>{hyphen}</w:r>"
    xml = members(clean("docx", docx([paragraph(name)]))[0])["word/document.xml"].decode()
    first = re.search("<w:p>.*?</w:p>", xml)[0]
    assert re.fullmatch(r"Dear Mr\. \w[\w'-]*\w, a-", re.sub("<.*?>", "", first))


@needs_lxml
def test_runs_of_a_document_are_read_as_one_text_and_keep_their_format(clean):
    xml = members(clean("docx", docx())[0])["word/document.xml"]
    texts, xml = texts_of(xml), xml.decode()
    assert texts[0].startswith("Dear ") and texts[1:4] == ["", "", ", thank you"]
    name = texts[0].removeprefix("Dear ")
    assert texts.count(name) == 2 and f"Box: {name}" in texts
    assert texts[4] == "We saw you on " and texts[6] == "."
    # Comments, a footer, notes and a header, in the order of their names.
    after = [f"{name} again", ", ".join(reversed(name.rsplit(" ", 1))), f"{name} again"]
    marks = ["[Comment]", "[Footer]", "[Footnote]", "[Header]"]
    pairs = zip(marks, [*after, f"Record of {name}"], strict=True)
    assert texts[-8:] == [text for pair in pairs for text in pair]
    assert xml.count("<w:b/>") == 2 and xml.count("<w:i/>") == 1 and "<w:tbl>" in xml
    assert xml.endswith("<w:sectPr/></w:body></w:document>")


@needs_lxml
def test_each_comment_and_note_has_a_mark_and_empty_ones_have_none(clean):
    comment = '<w:comment w:id="{}" w:author="Hollis">{}</w:comment>'
    texts = ["First remark.", "Maria Lundgren came.", ""]
    some = (comment.format(i, paragraph(run(text)) * bool(text)) for i, text in enumerate(texts))
    empty = part("hdr", "<w:p/>")
    extra = {"word/comments.xml": part("comments", "".join(some)), "word/header1.xml": empty}
    raw = clean("docx", docx([paragraph(run("It rained."))], extra))[0]
    found = [text for text in texts_of(members(raw)["word/document.xml"]) if text]
    assert found[:3] == ["It rained.", "[Comment]", "First remark."]
    assert found[3] == "[Comment]" and found[4].endswith(" came.") and "Lundgren" not in found[4]
    assert "[Header]" not in found and found.count("[Comment]") == 2


@needs_lxml
def test_no_recogniser_reads_a_mark(clean):
    """The text of a document is that without marks."""
    docx_module = import_module("spacy_dxprivacy.io.docx")
    text = docx_module.parse(docx()).text()
    assert "Record of" in text and not any(mark in text for mark in docx_module._MARKS.values())


@needs_lxml
def test_a_document_has_one_part_of_its_own(clean):
    raw, receipt, _ = clean("docx", docx())
    after = members(raw)
    template = import_module("spacy_dxprivacy.io.docx").TEMPLATE
    assert after.pop("word/document.xml") and after == dict(template)
    dropped = receipt["count"]["dropped"]
    assert dropped["images"] == 1 and dropped["parts"] == 6 and dropped["link targets"] == 2


@needs_lxml
def test_headings_lists_and_tables_keep_their_kind(clean):
    kept = (
        '<w:p><w:pPr><w:pStyle w:val="Heading2"/><w:numPr><w:ilvl w:val="1"/><w:numId w:val="%s"/>'
        '</w:numPr></w:pPr></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
        "</w:tc>"
        '</w:tr></w:tbl><w:p><w:r><w:rPr><w:u w:val="single"/></w:rPr></w:r></w:p>'
    )
    dropped = '<w:p w:rsidR="1"><w:pPr><w:pStyle w:val="Hollis"/></w:pPr></w:p>'
    xml = members(clean("docx", docx([kept % 417, dropped]))[0])["word/document.xml"].decode()
    assert xml.partition("<w:body>")[2].startswith(kept % 1 + "<w:p><w:pPr/></w:p>")


@needs_lxml
@pytest.mark.parametrize("processes", [1, 2])
def test_surrogates_that_span_runs_go_to_the_first(clean, processes):
    runs = [run(letter) for letter in "Dear Margarida Hollis, hello."]
    raw = clean("docx", docx([paragraph(*runs)]), "--n-process", processes)[0]
    texts = texts_of(members(raw)["word/document.xml"])
    assert "".join(texts[:5]) == "Dear " and "".join(texts[21:29]) == ", hello."
    assert len(texts[5]) > 1 and not any(texts[6:21])


CHANGES = [
    paragraph(
        f'<w:ins w:author="Peter Lundgren">{run("added")}</w:ins>',
        "<w:del><w:r><w:delText>Margarida Hollis</w:delText></w:r></w:del>",
    ),
    '<w:p><w:pPr><w:pPrChange w:author="Lundgren"><w:pPr/></w:pPrChange></w:pPr></w:p>',
]


@needs_lxml
def test_tracked_changes_are_refused(dx, tmp_path):
    (tmp_path / "in.docx").write_bytes(docx(CHANGES))
    result = dx(tmp_path / "in.docx", tmp_path / "new.docx")
    assert result.exit_code == 1 and "accept or reject them" in result.stderr
    assert not (tmp_path / "new.docx").exists()
    no_secret_in(result.stderr.encode())


def test_lock_files_are_not_read(dx, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.html", "b.html", "~$a.html"):
        (folder / name).write_text(HTML)
    done = dx(folder, tmp_path / "out", "-v")
    assert done.exit_code == 0 and json.loads(done.stderr)["count"]["dropped"]["other files"] == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.html", "b.html"]


def test_a_mail_whose_parts_cannot_be_told_apart_has_no_text(clean):
    given = b"From: a@example.org\nContent-Type: multipart/mixed\n\nMargarida Hollis"
    raw, receipt, _ = clean("eml", given)
    no_secret_in(raw)
    assert receipt["count"]["dropped"]["attachments"] == 1


ENTITY = "<!DOCTYPE x [<!ENTITY a 'Hollis'>]>"
MAIL = b"From: a@example.org\nContent-Type: text/plain; charset=%s\n\nJ\xfcrgen Hollis"
BAD = {
    "encrypted.docx": b"\xd0\xcf\x11\xe0" + bytes(600),
    "cut.docx": docx()[:900],
    "other.docx": zipped({"Hollis": "Hollis"}),
    "bomb.docx": zipped({"Hollis": bytes(100_000_000)}),
    "nested.docx": docx(["<w:p>" * 3000 + "</w:p>" * 3000]),
    "entities.docx": docx(extra={"word/header1.xml": ENTITY + "<x>&a;</x>"}),
    "nested.html": b"<div>" * 1_000_000 + b"Hollis",
    "open.html": b"Hollis <svg> Hollis",
    "latin1.html": b'<meta charset="latin1">J\xfcrgen Hollis',
    "utf8.eml": MAIL % b"utf-8",
    "klingon.eml": MAIL % b"klingon",
    "none.eml": b"Hollis",
}


@needs_lxml
def test_bad_files_are_listed_and_the_others_written(dx, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, raw in {**BAD, "good.html": b"Dear Margarida Hollis"}.items():
        (folder / name).write_bytes(raw)
    result = dx(folder, tmp_path / "out", "--quiet")
    assert result.exit_code == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.html"]
    lines = result.stderr.splitlines()
    assert len(lines) == len(BAD) and not [line for line in lines if "Hollis" in line]
    for name in BAD:
        assert [line for line in lines if f"/{name}" in line and " 1: " in line]


def test_another_format_is_written_as_text_and_never_as_a_document(dx, tmp_path):
    (tmp_path / "in.html").write_text(HTML)
    assert dx(tmp_path / "in.html", tmp_path / "out.jsonl").exit_code == 0
    text = json.loads((tmp_path / "out.jsonl").read_text())["text"]
    no_secret_in(text.encode())
    assert text.startswith("Letter to ") and "<" not in text.replace("<b>", "")
    result = dx(tmp_path / "in.html", tmp_path / "out.eml")
    assert result.exit_code == 2 and "from a .eml file alone" in result.stderr
