"""Documents with markup: whatever a file holds, only its pieces and known markup are written."""

from importlib import import_module

import pytest
from documents import docx, paragraph, part, run

from spacy_dxprivacy.config import FileOptions
from spacy_dxprivacy.io.pieces import MODULES

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
    "md": {
        "key": "---\nHollis: x\ntitle: Hollis\n---\n",
        "numbered": "0780511200. x\n- 0780511200. x\n",
        "fence": "0780511200. ```\nHollis\n```\n~~~ Hollis\nHollis\n",
        "html": "<div title='Hollis'>Hollis</div>\n<a\nhref='hollis'>x\n",
        "comment": "<!-- Hollis\n\n Hollis -->x <!-- Hollis",
        "link": "[Hollis](http://hollis 'Hollis') ![Hollis](hollis.png) [x](a(b(c) Hollis)\n",
        "definition": "[hollis]: http://a/hollis\n  'Hollis'\n[x][hollis] [a]: <hollis> (Hollis)\n",
        "footnote": "[^hollis]: Hollis\nx[^hollis]\n",
        "autolink": "<http://a/hollis> <hollis@hollis.example>\n",
        "attributes": "# Hollis {#hollis .hollis name=Hollis}\n",
        "table": "| Hollis | x |\n|:--|--|\n| `Hollis` | **Hollis** |\n",
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
    module = import_module(f"spacy_dxprivacy.io{MODULES[kind]}")
    pieces = module.parse(raw, FileOptions())
    pieces.text()
    written = pieces.fill("x", [0, 1] * (len(pieces.marks) // 2))
    return written if kind != "docx" else b"".join(members(written).values())


def members(raw):
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_only_pieces_and_known_markup_are_written(kind, name):
    raw = docx(extra=WORD[name]) if kind == "docx" else PLACES[kind][name].encode()
    assert not [secret for secret in SECRETS if secret in emptied(kind, raw).lower()]


def test_footnotes_of_markdown_are_read():
    assert emptied("md", b"Seen[^1].\n\n[^1]: Margarida Hollis\n") == b"x[^x]x\n\n[^x]:x\n"


def test_styles_of_pages_stay():
    style = "body, .note > p { margin: 0 auto; font: 12pt/1.5 serif; color: #FFF }"
    page = f'<style>{style}</style><p align="center" lang="en-US" class="note">x'
    assert emptied("html", page.encode()).decode() == page


def test_drawings_of_word_keep_their_places():
    box = '<wps:bodyPr anchor="ctr"/><wp:posOffset>-120</wp:posOffset><wp:align>left</wp:align>'
    body = emptied("docx", docx([paragraph(f"<w:r><w:drawing>{box}</w:drawing></w:r>")]))
    assert box.encode() in body
