"""Documents with markup: whatever a file holds, only its pieces and known markup are written."""

import io
import re
import time
import zipfile
import zlib
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest
import spacy
import srsly
from conftest import ok, run_dx
from documents import docx, members, paragraph, part, run
from endpoint import serving
from spacy.tokens import DocBin, Span

from spacy_dxprivacy.io import html
from spacy_dxprivacy.io.pieces import BadDocument

SECRETS = (b"hollis", b"0780511200", b"1970")
HIDDEN = srsly.read_yaml(Path(__file__).parent / "hidden.yaml")
CASES = [(kind, name) for kind, some in HIDDEN["places"].items() for name in some]
ROOTS = {"footer1": "ftr", "fontTable": "fonts"}  # of parts of Word that have another name


def whole(name, content):
    """A part of Word by its content, unless it is whole."""
    content, stem = "".join(content), Path(name).stem
    if not name.startswith("word/") or content.startswith("<?xml") or "/" in name[5:]:
        return content
    return part(ROOTS.get(stem, stem), content)


def emptied(kind, raw):
    """Return the parts of a document whose pieces are "x"."""
    if kind == "docx":
        pytest.importorskip("lxml")
    module = import_module(f"spacy_dxprivacy.io.{kind}")
    pieces = module.parse(raw)
    pieces.text()
    written = pieces.fill("x", [0, 1] * (len(pieces.marks) // 2))
    return written if kind != "docx" else b"".join(members(written).values())


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_only_pieces_and_known_markup_are_written(kind, name):
    given = HIDDEN["places"][kind][name]
    if kind == "docx":
        raw = docx(extra={file: whole(file, content) for file, content in given.items()})
    else:
        raw = given.encode()
    assert not [secret for secret in SECRETS if secret in emptied(kind, raw).lower()]


def with_canaries(text, numbers, letters):
    """Return a text with a word of its own in each place."""

    def word(_):
        number = next(numbers)
        name = "".join("bcdfghjklmnpqrstvwxz"[int(i)] for i in f"{number:04d}")
        return f"Qanary{name}" if letters else f"19{number:04d}37"

    return re.sub("@(?!@)|@(?=@)", word, text.replace("@@", "@&#64;")).replace("&#64;", "@")


def docx_with_canaries(letters, text=""):
    """Return a document with a canary in each place, and a text that is read."""
    numbers, extra = count(1000), dict[str, str]()
    word = "http://schemas.microsoft.com/office/word/2010"
    declared = f' xmlns:x="urn:canary" xmlns:w14="{word}/wordml" '
    declared += f'xmlns:wp14="{word}/wordprocessingDrawing">'
    for name, snippets in HIDDEN["canaries"].items():
        content = with_canaries("".join(snippets), numbers, letters)
        if "document" in name:
            content = f"<w:body>{paragraph(run(text))}{content}</w:body>"
        xml = whole(name, content)
        extra[name] = xml.replace(">", declared, 2).replace(declared, ">", 1)
    raw = members(docx(extra=extra))
    office = "application/vnd.openxmlformats-officedocument"
    more = f'<Override PartName="/word/theme/theme1.xml" ContentType="{office}.theme+xml"/>'
    for file in ("fontTable", "numbering"):
        kind = f"{office}.wordprocessingml.{file}+xml"
        more += f'<Override PartName="/word/{file}.xml" ContentType="{kind}"/>'
    more += with_canaries('<Override PartName="/@.xml" ContentType="a/@"/><Default Extension="@" '
                          'ContentType="@"/>', numbers, letters)  # fmt: skip
    types = raw["[Content_Types].xml"].decode().replace("</Types>", f"{more}</Types>")
    rels = raw["word/_rels/document.xml.rels"].decode()
    link = '<Relationship Id="@" Type="http://@/hyperlink" Target="http://a/@" '
    link += 'TargetMode="External"/>'
    link += '<Relationship Id="@" Type="http://a/@/styles" Target="styles.xml"/>'
    rels = rels.replace("</Rel", with_canaries(link, numbers, letters) + "</Rel")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.comment = with_canaries("@", numbers, letters).encode()
        raw |= {"[Content_Types].xml": types, "word/_rels/document.xml.rels": rels}
        raw[with_canaries("word/@.xml", numbers, letters)] = "x"
        for name, data in raw.items():
            info = zipfile.ZipInfo(name)
            info.comment = info.extra = b""
            archive.writestr(info, data)
    return out.getvalue()


CANARY = re.compile(rb"qanary\w*|19\d{4}37", re.I)


@pytest.mark.parametrize("letters", [True, False])
@pytest.mark.parametrize("kind", ["docx", *HIDDEN["files"]])
def test_no_canary_of_a_hidden_place_is_written(kind, letters):
    raw = docx_with_canaries(letters) if kind == "docx" else None
    if raw is None:
        raw = with_canaries("".join(HIDDEN["files"][kind]), count(1000), letters).encode()
    assert len(set(CANARY.findall(raw if kind != "docx" else b"".join(members(raw).values())))) > 20
    written = emptied(kind, raw)
    assert not CANARY.findall(written)
    for encoded in (written.decode("utf-16-le", "ignore"), written.decode("latin1")):
        assert "qanary" not in encoded.lower()


TABLES = ("csv", "jsonl", "xlsx", "parquet", "spacy", "txt")


@pytest.mark.parametrize("kind", TABLES)
def test_no_canary_of_a_table_is_written_beside_its_field(tmp_path, kind):
    """The field that is sanitised, and names of fields that are kept by request, are declared."""
    path, output = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    if kind in WRITTEN:
        path.write_text(WRITTEN[kind])
    else:
        getattr(Made, kind)(path)
    assert CANARY.search(b"".join(_bytes_of(path)))
    options = [] if kind in ("spacy", "txt") else ["--keep-fields", ""]
    ok(run_dx("sanitize", path, output, *options))
    assert not CANARY.findall(b"".join(_bytes_of(output)))


@pytest.mark.parametrize("kind", ["docx", *HIDDEN["files"], *TABLES])
def test_no_canary_reaches_the_model_of_a_rewriter(tmp_path, kind):
    """Neither those in hidden places, nor in fields that are kept, nor in the text and its name."""
    path, output = tmp_path / f"Qanaryz.{kind}", tmp_path / f"out.{kind}"
    if kind == "docx":
        pytest.importorskip("lxml")
        path.write_bytes(docx_with_canaries(True, WELL))
    elif kind in HIDDEN["files"]:
        text = with_canaries("".join(HIDDEN["files"][kind]), count(1000), True)
        path.write_text(text.replace("<p ", f"<p>{WELL}</p><p ", 1))
    elif kind in WRITTEN:
        path.write_text(WRITTEN[kind].replace(WELL, f"{WELL} Qanaryt"))
    else:
        getattr(Made, kind)(path)
    with serving(str) as server:
        options = ["--rewrite", server.url, "--rewrite-model", "small"]
        ok(run_dx("sanitize", path, output, *options))
    assert [path for path, _, _ in server.seen] == ["/v1/chat/completions"] * len(server.seen)
    assert len(server.seen) > 1  # the first one has a public sentence
    assert not CANARY.findall(repr(server.seen).encode())


def _bytes_of(path):
    raw = path.read_bytes()
    yield raw
    if zipfile.is_zipfile(path):
        yield from members(raw).values()
    elif path.suffix == ".spacy":
        yield zlib.decompress(raw)


# Files whose every place but the field `text` has a canary.
# Long enough for a paragraph to be sent to a model, whatever is drawn.
WELL = "She was well at home. They came by train in the rain. We had tea and cake."
WRITTEN = {
    "csv": f"text,Qanarya\n{WELL},Qanaryb\n",
    "jsonl": f'{{"text": "{WELL}", "Qanarya": {{"Qanaryb": "Qanaryc"}}}}\n',
    "txt": f"{WELL} Qanarya Qanaryb and Qanaryc.",  # all of it is text
}


class Made:
    @staticmethod
    def xlsx(path):
        openpyxl = pytest.importorskip("openpyxl")
        from openpyxl.comments import Comment
        from openpyxl.workbook.defined_name import DefinedName

        book = openpyxl.Workbook()
        sheet = book.active
        sheet.append(["text", "Qanarya"])
        sheet.append([WELL, "Qanaryb"])
        sheet["A2"].comment = Comment("Qanaryc", "Qanaryd")
        sheet["A2"].hyperlink = "http://a.example/Qanarye"
        sheet.title, sheet.oddHeader.center.text = "Qanaryf", "Qanaryg"
        book.properties.creator = book.properties.title = "Qanaryh"
        book.defined_names["Qanaryi"] = DefinedName("Qanaryi", attr_text="Qanaryf!$A$1")
        book.save(path)

    @staticmethod
    def parquet(path):
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        table = pa.table({"text": [WELL], "Qanarya": ["Qanaryb"]})
        parquet.write_table(table.replace_schema_metadata({"Qanaryc": "Qanaryd"}), path)

    @staticmethod
    def spacy(path):
        nlp = spacy.blank("en")
        doc = nlp(WELL)
        doc.user_data["Qanarya"] = "Qanaryb"
        doc.spans["Qanaryc"] = [Span(doc, 0, 1, label="Qanaryd")]
        doc.ents = [Span(doc, 0, 1, label="Qanarye", kb_id="Qanaryf")]
        doc[0].lemma_ = doc[0].norm_ = doc[0].tag_ = "Qanaryg"
        doc.cats = {"Qanaryh": 1.0}
        attrs = ["LEMMA", "TAG", "NORM", "ENT_TYPE"]
        DocBin(store_user_data=True, attrs=attrs, docs=[doc]).to_disk(path)


@pytest.mark.parametrize("kind", ["html", "eml"])
@pytest.mark.parametrize("unit", HIDDEN["never ends"])
def test_markup_that_never_ends_is_read_in_linear_time(kind, unit):
    head = "From: a@b.c\nContent-Type: text/html\n\n" if kind == "eml" else ""
    started = time.monotonic()
    for end in ("", ">", "-->", "]]>"):
        try:
            emptied(kind, f"{head}{unit * (100_000 // len(unit))}{end}".encode())
        except BadDocument:
            pass
    assert time.monotonic() - started < 15


def test_markup_has_a_deadline(monkeypatch):
    monkeypatch.setattr(html, "SECONDS", 0.0)
    with pytest.raises(BadDocument, match="too long"):
        emptied("html", b"<p>a</p>" * 100)


def test_attributes_of_html_are_short_values_of_a_list():
    page = '<td style="left: 9px" width="19" id="a" class="c" lang="en" colspan="3" rowspan="195">x'
    assert emptied("html", page.encode()) == b'<td lang="en" colspan="3">x'
