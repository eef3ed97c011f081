"""Documents as people have them, made of code."""

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OFFICE = "application/vnd.openxmlformats-officedocument"
TYPES = {
    "word/document.xml": f"{OFFICE}.wordprocessingml.document.main+xml",
    "word/styles.xml": f"{OFFICE}.wordprocessingml.styles+xml",
    "word/settings.xml": f"{OFFICE}.wordprocessingml.settings+xml",
    "word/header1.xml": f"{OFFICE}.wordprocessingml.header+xml",
    "word/footer1.xml": f"{OFFICE}.wordprocessingml.footer+xml",
    "word/footnotes.xml": f"{OFFICE}.wordprocessingml.footnotes+xml",
    "word/comments.xml": f"{OFFICE}.wordprocessingml.comments+xml",
    "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
    "docProps/app.xml": f"{OFFICE}.extended-properties+xml",
    "customXml/itemProps1.xml": f"{OFFICE}.customXmlProperties+xml",
}
RELATIONS = {
    "rId1": ("styles", "styles.xml", ""),
    "rId2": ("settings", "settings.xml", ""),
    "rId3": ("header", "header1.xml", ""),
    "rId4": ("footer", "footer1.xml", ""),
    "rId5": ("footnotes", "footnotes.xml", ""),
    "rId6": ("comments", "comments.xml", ""),
    "rId7": ("image", "media/image1.png", ""),
    "rId8": ("hyperlink", "mailto:m.hollis@example.org", "External"),
    "rId9": ("hyperlink", "http://example.org/hollis", "External"),
    "rId10": ("oleObject", "embeddings/hollis.bin", ""),
    "rId11": ("customXml", "../customXml/item1.xml", ""),
}


def relations(some):
    rows = "".join(
        f'<Relationship Id="{id}" Type="{R}/{kind}" Target="{target}"'
        + (f' TargetMode="{mode}"' if mode else "")
        + "/>"
        for id, (kind, target, mode) in some.items()
    )
    about = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'{HEAD}<Relationships xmlns="{about}">{rows}</Relationships>'


def run(text, more=""):
    return f'<w:r><w:rPr>{more}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs):
    return f"<w:p>{''.join(runs)}</w:p>"


def part(name, content):
    return f"{HEAD}<w:{name} {NAMESPACES}>{content}</w:{name}>"


PICTURE = (
    '<w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/>'
    '<wp:docPr id="1" name="hollis.png" descr="Photo of Margarida Hollis"/>'
    '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">'
    '<pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="hollis.png"/><pic:cNvPicPr/></pic:nvPicPr>'
    '<pic:blipFill><a:blip r:embed="rId7"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>'
    '<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm>'
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData>'
    "</a:graphic></wp:inline></w:drawing></w:r>"
)
TEXT_BOX = (
    '<w:r><w:pict><v:shape id="s1" style="width:200pt;height:50pt" alt="Box of Margarida Hollis">'
    f"<v:textbox><w:txbxContent>{paragraph(run('Box: Margarida Hollis'))}</w:txbxContent>"
    "</v:textbox></v:shape></w:pict></w:r>"
)
BODY = [
    paragraph(
        run("Dear Mar", "<w:b/>"), run("garida "), run("Hollis", "<w:i/>"), run(", thank you")
    ),
    paragraph(run("We saw you on "), run("3 May 2021", "<w:b/>"), run(".")),
    paragraph(
        '<w:hyperlink r:id="rId8" w:tooltip="Mail Margarida Hollis">',
        run("m.hollis@example.org"),
        "</w:hyperlink>",
        '<w:hyperlink r:id="rId9">',
        run(" her page"),
        "</w:hyperlink>",
    ),
    "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr><w:tc>"
    + paragraph(run("Name:"))
    + "</w:tc><w:tc>"
    + paragraph(run("Margarida Hollis"))
    + "</w:tc></w:tr></w:tbl>",
    paragraph(
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
        "<w:r><w:instrText> MERGEFIELD Hollis </w:instrText></w:r>",
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>',
        run("Margarida Hollis"),
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
        '<w:bookmarkStart w:id="0" w:name="Hollis"/><w:bookmarkEnd w:id="0"/>',
        '<w:r><w:footnoteReference w:id="1"/></w:r><w:r><w:commentReference w:id="1"/></w:r>',
    ),
    paragraph(PICTURE),
    paragraph(TEXT_BOX),
    paragraph('<w:r><w:object><o:OLEObject r:id="rId10"/></w:object></w:r>'),
]
END = (
    '<w:sectPr><w:headerReference w:type="default" r:id="rId3"/>'
    '<w:footerReference w:type="default" r:id="rId4"/></w:sectPr>'
)


def docx(body=BODY, extra=(), **parts):
    """A document of Word, its parts in place of those that are given."""
    note = paragraph(run("Margarida Hollis again"))
    made = {
        "[Content_Types].xml": HEAD
        + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        + '<Default Extension="rels" '
        + 'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + '<Default Extension="xml" ContentType="application/xml"/>'
        + '<Default Extension="png" ContentType="image/png"/>'
        + '<Default Extension="bin" ContentType="application/vnd.ms-office"/>'
        + "".join(f'<Override PartName="/{k}" ContentType="{v}"/>' for k, v in TYPES.items())
        + "</Types>",
        "_rels/.rels": relations(
            {
                "rId1": ("officeDocument", "word/document.xml", ""),
                "rId2": ("core-properties", "docProps/core.xml", ""),
                "rId3": ("extended-properties", "docProps/app.xml", ""),
            }
        ),
        "word/document.xml": part("document", f"<w:body>{''.join(body)}{END}</w:body>"),
        "word/_rels/document.xml.rels": relations(RELATIONS),
        "word/styles.xml": part(
            "styles", '<w:style w:styleId="Big"><w:name w:val="Big"/></w:style>'
        ),
        "word/settings.xml": part("settings", '<w:zoom w:percent="100"/>'),
        "word/header1.xml": part("hdr", paragraph(run("Record of Margarida Hollis"))),
        "word/footer1.xml": part("ftr", paragraph(run("Hollis, Margarida"))),
        "word/footnotes.xml": part("footnotes", f'<w:footnote w:id="1">{note}</w:footnote>'),
        "word/comments.xml": part(
            "comments",
            '<w:comment w:id="1" w:author="Peter Lundgren" w:initials="PL" '
            f'w:date="2021-05-03T10:00:00Z">{note}</w:comment>',
        ),
        "word/media/image1.png": b"\x89PNG Margarida Hollis",
        "word/embeddings/hollis.bin": b"Margarida Hollis",
        "docProps/core.xml": "<coreProperties>Peter Lundgren</coreProperties>",
        "docProps/app.xml": "<Properties><Company>Hollis Ltd</Company></Properties>",
        "customXml/item1.xml": "<x>Margarida Hollis</x>",
        "customXml/itemProps1.xml": "<x>Margarida Hollis</x>",
        **dict(extra),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in made.items():
            archive.writestr(name, data)
    return out.getvalue()
