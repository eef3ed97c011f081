# ruff: noqa: E501  snippets of markup
"""Documents with markup: whatever a file holds, only its pieces and known markup are written."""

import io
import re
import time
import zipfile
import zlib
from importlib import import_module
from itertools import count

import pytest
import spacy
from conftest import run_dx
from documents import docx, paragraph, part, run
from spacy.tokens import DocBin, Span

from spacy_dxprivacy.config import FileOptions
from spacy_dxprivacy.io import html
from spacy_dxprivacy.io.pieces import BadDocument

SECRETS = (b"hollis", b"0780511200", b"1970")
PLACES = {
    "html": {
        "doctype": '<!DOCTYPE html PUBLIC "-//W3C//DTD Hollis//EN"><p>x',
        "title": "<title>Hollis</title>",
        "style": "<style>Hollis</style>",
        "empty style": "<style/>Hollis<p>x",
        "style comment": "<style>p { color: red /* Hollis */ }</style>",
        "font": '<style>p { font-family: "Hollis" }</style>',
        "escaped content": r'<style>a::after { c\6fntent: "Hollis" }</style>',
        "custom property": '<p style="--name: Hollis; color: red">x',
        "selector": '<style>[title="Hollis"] { color: red } #hollis { margin: 0 }</style>',
        "at rule": '<style>@namespace "Hollis"; @media hollis { p { color: red } }</style>',
        "url": '<p style="background: url(http://a/hollis)">x',
        "language": '<p lang="Hollis" xml:lang="hollis">x',
        "face": '<font face="Hollis" color="hollis" size="0780511200">x</font>',
        "numbers": '<input type="date" min="1970-01-01" max="0780511200">',
        "list": '<li value="0780511200">x',
        "viewport": '<meta name="viewport" content="width=0780511200">',
        "data": '<p data-name="Hollis" hollis="x" onclick="hollis">x',
        "aria": '<p aria-label="Hollis" aria-hidden="hollis" role="hollis">x',
        "svg": "<svg><title>Hollis</title><text>Hollis</text></svg>",
        "template": "<template><p>Hollis</template>",
        "noscript": "<noscript>Hollis</noscript>",
        "cdata": "<![CDATA[Hollis]]><p>x",
        "conditional": "<!--[if IE]>Hollis<![endif]--><![if hollis]>x<![endif]><?php Hollis ?>x",
        "broken tag": '<p>x<a title="Hollis',
        "element": "<hollis hollis=Hollis>x</hollis>",
        "options": '<select><option value="Hollis" label="Hollis">Hollis</select>',
    },
    "eml": {
        "nested": "Content-Type: message/rfc822\n\nSubject: Hollis\n\nHollis",
        "folded": "Subject: x\n Hollis\n =?utf-8?b?SG9sbGlz?=\nX-Hollis: Hollis\n\nx",
        "comments": 'From: "Hollis" <hollis@a.example> (Hollis)\nTo: Hollis: b@hollis.a;\n\nx',
        "broken": "From: Hollis\nReply-To: <hollis>\nDate: Hollis\n\nx",
        "file name": "From: a@b.c\nContent-Type: text/plain; name*=utf-8''hollis.txt\n\nHollis",
        "around": "From: a@b.c\nContent-Type: multipart/mixed; boundary=hollis\n\nHollis\n"
        "--hollis\nContent-Description: Hollis\n\nHollis\n--hollis--\nHollis",
        "text": "From: a@b.c\nContent-Type: text/enriched\n\nHollis",
        "page": "From: a@b.c\nContent-Type: text/html\n\n<style>Hollis</style><p lang=hollis>x",
    },
}
WORD = {
    "comments": {"word/styles.xml": "<!-- Hollis -->" + part("styles", "<!-- Hollis -->")[56:]},
    "texts": {"word/styles.xml": part("styles", "<w:x>Hollis<w:y/>Hollis</w:x><?a Hollis?>")},
    "settings": {
        "word/settings.xml": part(
            "settings", '<w:rsids w:a="hollis"/><w15:docId w:val="Hollis" xmlns:w15="w15"/>'
        )
    },
    "label": {
        "word/footer1.xml": part("ftr", '<w:lvl><w:lvlText w:val="Hollis %1"/></w:lvl>'),
    },
    "body": {
        "word/document.xml": part(
            "document",
            "<w:body><w:x>hollis</w:x><w:y>0780511200</w:y><w:t>Hollis</w:t>"
            + paragraph("<w:r><w:t>a<!-- Hollis -->b<w:z>Hollis</w:z>Hollis</w:t></w:r>")
            + paragraph('<w:r><w:instrText>TOC "0780511200"</w:instrText></w:r>')
            + f"<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>{paragraph(run('Hollis'))}</w:tc></w:tr>"
            + "</w:tbl></w:tc></w:tr></w:tbl></w:body>",
        )
    },
    "hidden": {
        "word/document.xml": part(
            "document",
            '<w:body><w:sdt><w:sdtPr><w:alias w:val="Hollis"/></w:sdtPr></w:sdt>'
            '<w:smartTag w:element="Hollis"/><w:permStart w:id="1" w:ed="hollis@example.org"/>'
            + paragraph('<w:fldSimple w:instr=" AUTHOR Hollis ">', run("field"), "</w:fldSimple>")
            + "<mc:AlternateContent><mc:Fallback><w:t>Hollis</w:t></mc:Fallback>"
            '</mc:AlternateContent><w:p><w:r><w:pict><v:shape o:gfxdata="Hollis"/></w:pict></w:r>'
            "</w:p></w:body>",
        )
    },
    "parts": {"word/glossary/document.xml": "Hollis", "docProps/custom.xml": "Hollis"},
}
CASES = [(kind, name) for kind, some in {**PLACES, "docx": WORD}.items() for name in some]


def emptied(kind, raw):
    """Return the parts of a document whose pieces are "x"."""
    if kind == "docx":
        pytest.importorskip("lxml")
    module = import_module(f"spacy_dxprivacy.io.{kind}")
    pieces = module.parse(raw, FileOptions())
    pieces.text()
    written = pieces.fill("x", [0, 1] * (len(pieces.marks) // 2))
    return written if kind != "docx" else b"".join(members(written).values())


def members(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_only_pieces_and_known_markup_are_written(kind, name):
    raw = docx(extra=WORD[name]) if kind == "docx" else PLACES[kind][name].encode()
    assert not [secret for secret in SECRETS if secret in emptied(kind, raw).lower()]


# -- canaries: a word of its own in each place, and a search of all bytes that are written ----------

# @ is the canary of a place: letters in the first round, digits in the second.
W_ATTRIBUTES = "w:rsidR w:rsidRDefault w:rsidP w:rsidTr w14:paraId w14:textId w:unknown x:any x:val w:val w:type"
DOCX_PLACES = {
    "word/document.xml": [
        *(f'<w:p {name}="@"/>' for name in W_ATTRIBUTES.split()),
        '<w:p><w:r><w:rPr><w:rFonts w:ascii="@" w:hAnsi="@" w:cs="@" w:eastAsia="@"/>'
        '<w:lang w:val="@" w:eastAsia="@"/><w:color w:val="@"/><w:sz w:val="@"/><w:rStyle w:val="@"/>'
        "</w:rPr><w:t>x</w:t></w:r></w:p>",
        '<w:p><w:pPr><w:pStyle w:val="@"/><w:cnfStyle w:val="@"/><w:divId w:val="@"/></w:pPr></w:p>',
        '<w:p><w:r><w:sym w:font="@" w:char="F048"/><w:sym w:font="Symbol" w:char="@"/></w:r></w:p>',
        '<x:any x:a="@">@<w:p><x:b>@</x:b></w:p>@</x:any><w:unknown w:b="@">@</w:unknown>',
        '<w:p><w:bookmarkStart w:id="@" w:name="@"/><w:bookmarkEnd w:id="@"/></w:p>',
        '<w:p><w:hyperlink r:id="@" w:anchor="@" w:docLocation="@" w:tgtFrame="@"/></w:p>',
        '<w:p><w:fldSimple w:instr=" DOCPROPERTY @ "/><w:r><w:instrText>@</w:instrText></w:r></w:p>',
        '<w:sdt><w:sdtPr><w:alias w:val="@"/><w:tag w:val="@"/><w:id w:val="@"/></w:sdtPr></w:sdt>',
        '<w:p><w:r><w:pict><v:shape id="@" o:spid="@" style="width:1pt;mso-x:@;left:@" type="#@"'
        ' path="@" coordsize="@" fillcolor="@" o:title="x" o:gfxdata="@" class="@" adj="@"/></w:pict>'
        "</w:r></w:p>",
        '<w:p><w:r><w:drawing><wp:inline wp14:anchorId="@" wp14:editId="@"><wp:extent cx="@" cy="1"/>'
        '<wp:docPr id="@" name="@"/><a:graphic><a:graphicData uri="@"><pic:pic><pic:nvPicPr>'
        '<pic:cNvPr id="@" name="@"/></pic:nvPicPr><pic:blipFill><a:blip r:embed="@" cstate="@"/>'
        '</pic:blipFill><a:extLst><a:ext uri="@"><x:id val="@"/></a:ext></a:extLst></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>",
        '<mc:AlternateContent><mc:Choice Requires="@"/><mc:Fallback>@</mc:Fallback>'
        "</mc:AlternateContent><!-- @ --><?a @?>",
        '<w:permStart w:id="1" w:ed="@"/><w:customXml w:uri="@" w:element="@"/><w:proofErr w:type="@"/>',
        '<w:sectPr w:rsidR="@"><w:headerReference w:type="@" r:id="@"/><w:pgSz w:w="@" w:code="@"/>'
        "</w:sectPr>",
    ],
    "word/styles.xml": [
        '<w:docDefaults x:a="@"/><w:latentStyles><w:lsdException w:name="@"/></w:latentStyles>',
        '<w:style w:styleId="@" w:type="@"><w:name w:val="@"/><w:aliases w:val="@"/><w:next w:val="@"/>'
        '<w:rsid w:val="@"/><w:basedOn w:val="@"/></w:style>',
    ],
    "word/settings.xml": [
        '<w:rsids><w:rsidRoot w:val="@"/><w:rsid w:val="@"/></w:rsids><w:docVars><w:docVar w:val="@"/>'
        '</w:docVars><w:compat><w:compatSetting w:name="@" w:uri="@" w:val="@"/></w:compat>'
        '<w:attachedTemplate r:id="@"/><w:documentProtection w:hash="@" w:salt="@"/>'
        '<w:clrSchemeMapping w:bg1="@"/><w:themeFontLang w:val="@"/><w:decimalSymbol w:val="@"/>',
    ],
    "word/footnotes.xml": ['<w:footnote w:id="@" w:type="@"/>'],
    "word/comments.xml": ['<w:comment w:id="@" w:initials="@" w:date="@"/>'],
}
THEME = (
    '<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="@"><a:themeElements>'
    '<a:clrScheme name="@"><a:dk1><a:srgbClr val="@"/></a:dk1></a:clrScheme><a:fontScheme name="@">'
    '<a:majorFont><a:latin typeface="@" panose="@"/><a:font script="@" typeface="@"/></a:majorFont>'
    '</a:fontScheme><a:fmtScheme name="@"/></a:themeElements><a:extLst><a:ext uri="@"/></a:extLst>'
    "</a:theme>"
)
FONTS = (
    '<w:font w:name="@"><w:altName w:val="@"/><w:panose1 w:val="@"/><w:sig w:usb0="@"/></w:font>'
)
NUMBERING = (
    '<w:abstractNum w:abstractNumId="@"><w:nsid w:val="@"/><w:tmpl w:val="@"/><w:name w:val="@"/>'
    '<w:lvl w:ilvl="0" w:tplc="@"><w:pStyle w:val="@"/></w:lvl></w:abstractNum>'
)
# Of each format, and after it what is declared to stay of it (docs/reference/robustness.md).
FILES = {
    "html": '<!DOCTYPE @><html lang="@" data-@="@"><head><title>@</title><base href="@"><meta name="@"'
    ' content="@"><link rel="@" href="@"><style>@{color:red} p{order:@;--a:@;color:red;left:@}'
    ' #@{left:1px} @media @{p{top:1px}} p::after{content:"@"} /* @ */</style><script>@</script></head>'
    '<body onload="@" id="@"><!-- @ --><p title="@" style="order:@;font-family:@;margin:@" width="@"'
    ' height="@" align="@" @="@" class="x">@</p><a href="http://a/@" name="@" target="@">@</a>'
    '<img src="@" alt="@" srcset="@"><input value="@" pattern="@" min="@"><ol start="@"><li value="@">'
    '<td colspan="@" axis="@" headers="@"><font color="@" face="@" size="@"><@>@</@><svg><text>@</text>'
    "</svg><iframe srcdoc='@'></iframe><template>@</template><?a @?><![CDATA[@]]></body></html>",
    "eml": "From: @ <@@a.example>\nTo: @ <@@b.example>\nSubject: @\nMessage-ID: <@@c.example>\n"
    "X-@: @\nReceived: from @\nReferences: <@>\nDKIM-Signature: @\nUser-Agent: @\nDate: @\n"
    "MIME-Version: 1.0 (@)\nContent-Type: multipart/mixed; boundary=bound; x=@\n\n@\n--bound\n"
    "Content-Type: text/plain; name=@; charset=utf-8\nContent-ID: <@>\n\n@\n--bound\nContent-Type: "
    "text/html\nContent-Description: @\n\n<p title='@' data-a='@' width='@'>@<!-- @ -->\n--bound\n"
    "Content-Type: application/pdf; name=@.pdf\nContent-Disposition: attachment; filename=@.pdf\n\n@\n"
    "--bound--\n@\n",
}


def with_canaries(text, numbers, letters):
    """Return a text with a word of its own in each place."""

    def word(_):
        number = next(numbers)
        name = "".join("bcdfghjklmnpqrstvwxz"[int(i)] for i in f"{number:04d}")
        return f"Qanary{name}" if letters else f"19{number:04d}37"

    return re.sub("@(?!@)|@(?=@)", word, text.replace("@@", "@&#64;")).replace("&#64;", "@")


def docx_with_canaries(letters):
    numbers, extra = count(1000), dict[str, str]()
    bodies = dict(DOCX_PLACES)
    declared = (
        ' xmlns:x="urn:canary" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    )
    declared += 'xmlns:wp14="http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing">'
    kinds = {"document": "document", "styles": "styles", "settings": "settings",
             "footnotes": "footnotes", "comments": "comments"}  # fmt: skip
    for name, snippets in bodies.items():
        content = "".join(snippets)
        content = f"<w:body>{content}</w:body>" if "document" in name else content
        xml = part(kinds[name[5:-4]], with_canaries(content, numbers, letters))
        extra[name] = xml.replace(">", declared, 2).replace(declared, ">", 1)
    extra["word/theme/theme1.xml"] = with_canaries(THEME, numbers, letters)
    for name, content in (("fonts", FONTS), ("numbering", NUMBERING)):
        file = {"fonts": "fontTable"}.get(name, name)
        extra[f"word/{file}.xml"] = part(name, with_canaries(content, numbers, letters))
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
    link = (
        '<Relationship Id="@" Type="http://@/hyperlink" Target="http://a/@" TargetMode="External"/>'
    )
    link += '<Relationship Id="@" Type="http://a/@/styles" Target="styles.xml"/>'
    rels = rels.replace("</Rel", with_canaries(link, numbers, letters) + "</Rel")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.comment = with_canaries("@", numbers, letters).encode()
        for name, data in {**raw, "[Content_Types].xml": types, "word/_rels/document.xml.rels": rels,
                           with_canaries("word/@.xml", numbers, letters): "x"}.items():  # fmt: skip
            info = zipfile.ZipInfo(name)
            info.comment = info.extra = b""
            archive.writestr(info, data)
    return out.getvalue()


CANARY = re.compile(rb"qanary\w*|19\d{4}37", re.I)


@pytest.mark.parametrize("letters", [True, False])
@pytest.mark.parametrize("kind", ["docx", *FILES])
def test_no_canary_of_a_hidden_place_is_written(kind, letters):
    raw = docx_with_canaries(letters) if kind == "docx" else None
    if raw is None:
        raw = with_canaries(FILES[kind], count(1000), letters).encode()
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
    getattr(Made, kind)(path)
    assert CANARY.search(b"".join(_bytes_of(path)))
    options = [] if kind in ("spacy", "txt") else ["--keep-fields", ""]
    done = run_dx("sanitize", path, output, *options)
    assert done.exit_code == 0, done.stderr
    assert not CANARY.findall(b"".join(_bytes_of(output)))


def _bytes_of(path):
    raw = path.read_bytes()
    yield raw
    if zipfile.is_zipfile(path):
        yield from members(raw).values()
    elif path.suffix == ".spacy":
        yield zlib.decompress(raw)


class Made:
    """Files whose every place but the field `text` has a canary."""

    TEXT = "She was well."

    @staticmethod
    def csv(path):
        path.write_text(f"text,Qanarya\n{Made.TEXT},Qanaryb\n", "utf8")

    @staticmethod
    def jsonl(path):
        path.write_text(f'{{"text": "{Made.TEXT}", "Qanarya": {{"Qanaryb": "Qanaryc"}}}}\n', "utf8")

    @staticmethod
    def txt(path):
        path.write_bytes(b"Qanarya Qanaryb and Qanaryc.")  # all of it is text

    @staticmethod
    def xlsx(path):
        openpyxl = pytest.importorskip("openpyxl")
        from openpyxl.comments import Comment
        from openpyxl.workbook.defined_name import DefinedName

        book = openpyxl.Workbook()
        sheet = book.active
        sheet.append(["text", "Qanarya"])
        sheet.append([Made.TEXT, "Qanaryb"])
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

        table = pa.table({"text": [Made.TEXT], "Qanarya": ["Qanaryb"]})
        parquet.write_table(table.replace_schema_metadata({"Qanaryc": "Qanaryd"}), path)

    @staticmethod
    def spacy(path):
        nlp = spacy.blank("en")
        doc = nlp(Made.TEXT)
        doc.user_data["Qanarya"] = "Qanaryb"
        doc.spans["Qanaryc"] = [Span(doc, 0, 1, label="Qanaryd")]
        doc.ents = [Span(doc, 0, 1, label="Qanarye", kb_id="Qanaryf")]
        doc[0].lemma_ = doc[0].norm_ = doc[0].tag_ = "Qanaryg"
        doc.cats = {"Qanaryh": 1.0}
        DocBin(
            store_user_data=True, attrs=["LEMMA", "TAG", "NORM", "ENT_TYPE"], docs=[doc]
        ).to_disk(path)


HOSTILE = [
    "<p ",
    "</",
    "<a",
    "<!--",
    "<![CDATA[",
    "<?",
    "<!x",
    '<p a="',
    "<style>",
    "<b",
    "&",
    "</p",
]


@pytest.mark.parametrize("kind", ["html", "eml"])
@pytest.mark.parametrize("unit", HOSTILE)
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
    page = (
        '<td style="left: 617px" width="19" id="a" class="c" lang="en" colspan="3" rowspan="195">x'
    )
    assert emptied("html", page.encode()) == b'<td lang="en" colspan="3">x'
