"""Input files of every format, made of code, the same bytes each time."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Doc, DocBin

from .configurations import TEXTS

GERMAN, NOTE, TALK, TICKET = (TEXTS[name] for name in ("GERMAN", "NOTE", "TALK", "TICKET"))
MADE = (2020, 1, 2, 3, 4, 6)  # the time of the parts of zip files
ROWS = (
    {"id": 1, "patient": "p1", "text": NOTE, "note": "Paid by Tobias Quigleyham"},
    {"id": 2, "patient": "p2", "text": TICKET, "note": 'a, b; "c"'},
    {"id": 3, "patient": "p1", "text": "Tobias Quigleyham came back on 20 March 2019.", "note": ""},
)
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
P = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
OFFICE = "application/vnd.openxmlformats-officedocument"


def write_inputs(folder: Path) -> None:
    """Write all files into an existing folder."""
    files: dict[str, bytes] = {
        "note.txt": f"{NOTE}\n\n{TICKET}\n".encode(),
        "tickets.jsonl": lines(ROWS),
        "nested.jsonl": lines(
            [{"a": {"b": TALK}, "items": [{"text": "A cat."}, {"text": TICKET}]}]
        ),
        "rows.csv": table(","),
        "rows.tsv": table("\t"),
        "rows.xlsx": sheet(),
        "letter.docx": letter(),
        "page.html": PAGE.encode(),
        "page.md": MARKDOWN.encode(),
        "mail.eml": mail(),
        "docs.spacy": docs(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)


def lines(rows: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def table(delimiter: str) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["id", "text", "note"])
    writer.writerows([row["id"], row["text"], row["note"]] for row in ROWS)
    return file.getvalue().encode()


def zipped(parts: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, MADE), HEAD + content)
    return file.getvalue()


def types(**overrides: str) -> str:
    return (
        f'<Types xmlns="{P}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        + "".join(
            f'<Override PartName="/{name.replace("__", "/")}.xml" '
            f'ContentType="{OFFICE}.{kind}+xml"/>'
            for name, kind in overrides.items()
        )
        + "</Types>"
    )


def relations(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{P}/relationships"><Relationship Id="rId1" Type="{R}/{kind}" '
        f'Target="{target}"/></Relationships>'
    )


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def sheet() -> bytes:
    """Return a workbook with text in cells."""
    rows = [["id", "text", "note"], *([str(r["id"]), r["text"], r["note"]] for r in ROWS)]
    cells = "".join(
        f'<row r="{number}">'
        + "".join(
            f'<c r="{column}{number}" t="inlineStr"><is><t xml:space="preserve">'
            f"{escaped(str(value))}</t></is></c>"
            for column, value in zip("ABC", row, strict=True)
        )
        + "</row>"
        for number, row in enumerate(rows, 1)
    )
    return zipped(
        {
            "[Content_Types].xml": types(
                xl__workbook="spreadsheetml.sheet.main", xl__sheet1="spreadsheetml.worksheet"
            ),
            "_rels/.rels": relations("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{R}"><sheets><sheet name="Notes" '
            'sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations("worksheet", "sheet1.xml"),
            "xl/sheet1.xml": f'<worksheet xmlns="{S}"><sheetData>{cells}</sheetData></worksheet>',
        }
    )


def run(text: str, style: str = "") -> str:
    return f'<w:r><w:rPr>{style}</w:rPr><w:t xml:space="preserve">{escaped(text)}</w:t></w:r>'


def paragraph(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


def letter() -> bytes:
    """Return a letter with runs inside a name, a table and bold words."""
    first, second = NOTE.split("\n\n")
    cells = "".join(f"<w:tc>{paragraph(run(text))}</w:tc>" for text in ("Name:", "Ana Marsh"))
    body = (
        paragraph(run("Dear Mr. Quig", "<w:b/>"), run("leyham,"))
        + paragraph(run(first[:30]), run(first[30:90], "<w:i/>"), run(first[90:]))
        + f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{cells}</w:tr>"
        "</w:tbl>" + paragraph(run(second)) + "<w:sectPr/>"
    )
    return zipped(
        {
            "[Content_Types].xml": types(word__document="wordprocessingml.document.main"),
            "_rels/.rels": relations("officeDocument", "word/document.xml"),
            "word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
        }
    )


PAGE = f"""<!DOCTYPE html>
<html lang="en"><head><title>Visit of Tobias Quigleyham</title>
<style>p {{ color: red }}</style><script>var name = "Tobias";</script></head>
<body><h1>Visit &amp; plan</h1><p>Dr. <b>Helen</b> Marsh saw <i>Tobias</i> Quig<b>leyham</b> on
14&nbsp;March 2019.</p><ul><li>{TALK}</li><li>Call <a href="mailto:t@mail.example">him</a></li></ul>
<table><tr><th>Name</th><td>Ana Marsh-Oduya</td></tr></table><!-- Tobias --></body></html>
"""
MARKDOWN = f"""# Visit of Tobias Quigleyham

Dr. **Helen Marsh** saw *Tobias* on 14 March 2019, see [his page](http://mail.example/t).

- {TALK}
- `code = 1`

| name | age |
| ---- | --- |
| Ana Marsh-Oduya | 47 |

> He was happy.

```python
name = "Tobias"
```
"""


def mail() -> bytes:
    """Return a mail of two parts in plain text and HTML."""
    message = EmailMessage()
    message["From"] = "Helen Marsh <helen.marsh@clinic.example>"
    message["To"] = "Tobias Quigleyham <t.quigleyham@mail.example>"
    message["Subject"] = "Your visit on 14 March 2019"
    message["Date"] = "Thu, 14 Mar 2019 10:00:00 +0000"
    message["Message-ID"] = "<1@clinic.example>"
    message.set_content(f"{NOTE}\n\n> {TALK}\n")
    message.add_alternative(PAGE, subtype="html")
    message.set_boundary("golden")
    return message.as_bytes()


def docs() -> bytes:
    """Return a DocBin of three Docs, with entities and sentences."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    made: list[Doc] = [nlp(text) for text in (NOTE, TALK, GERMAN)]
    made[0].set_ents([made[0].char_span(4, 15, label="PERSON")])
    return DocBin(docs=made, store_user_data=True).to_bytes()
