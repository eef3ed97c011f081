"""Read and write .docx: a new document with the sanitised texts and a little of their formatting.

Only elements of WordprocessingML on a short list are copied, by their local names, which
transitional and strict documents share. A few values of attributes are copied. All else is dropped.
Headers, footers, notes and comments follow the body, each after a mark that says what it is.
"""

from __future__ import annotations

import io
import re
import zipfile
from functools import partial
from typing import Any

from ..about import DATA
from ..files.limits import ENCRYPTED, MB, check_ratio, too_large
from ..validate import needs
from .formats import zipped
from .pieces import BadDocument, Pieces, word_list, word_map

MAX_PARTS = 512 * MB
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PART = re.compile(rf"{re.escape(_OFFICE)}\.(document\.main|header|footer|\w+notes|comments)\+xml")
# Written before what stands in a part other than the body; no recogniser reads it.
_MARKS = {
    "header": "[Header]",
    "footer": "[Footer]",
    "footnotes": "[Footnote]",
    "endnotes": "[Endnote]",
    "comments": "[Comment]",
}
_CHANGES = re.compile(r"ins|del|move(From|To)|cell(Ins|Del|Merge)|\w+Change")
_VALUE = re.compile(
    r"\d{1,2}|true|false|none|single|double|superscript|subscript|left|center|right|both|start|end|"
    r"page|restart|continue|Title|Heading[1-6]"
)
_GAPS = {"tab": "\t", "br": "\n", "cr": "\n"}
KEPT, DROPPED = word_list("DOCX_KEPT"), word_map("DOCX_DROPPED")
# The other files of the new document: styles of headings, borders of tables, bullets of lists.
_FOLDER = DATA / "formats" / "docx"
TEMPLATE = {
    path.relative_to(_FOLDER).as_posix(): path.read_bytes()
    for path in _FOLDER.rglob("*")
    if path.is_file()
}


def parse(raw: bytes) -> Pieces:
    """Return the pieces of a document: its body, then headers, footers, notes and comments."""
    needs("lxml", ".docx", extra="docx")
    from lxml import etree

    parts = _unzip(raw)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)

    def root_of(name: str) -> Any:
        root = etree.fromstring(parts[name], parser)
        if root.getroottree().docinfo.doctype:
            raise BadDocument("its XML declares entities or a document type.")
        return root

    kinds = {
        part.get("PartName", "").lstrip("/"): kind[1]
        for part in root_of("[Content_Types].xml")
        if (kind := _PART.fullmatch(part.get("ContentType", "")))
    }
    names = sorted(kinds.keys() & parts.keys(), key=lambda n: (kinds[n] != "document.main", n))
    if not names or kinds[names[0]] != "document.main":
        raise BadDocument("it is not a .docx file, or it is damaged.")
    document = etree.Element(f"{{{W}}}document", nsmap={"w": W})
    body = etree.SubElement(document, f"{{{W}}}body")
    copier = _Copier(etree, pieces := Pieces())
    for name in names:
        copier.copy_part(root_of(name), body, _MARKS.get(kinds[name], ""))
    for section in body.findall(f"{{{W}}}sectPr"):
        body.append(section)  # a section must be the last element of the body
    pieces.dropped["images"] += sum("/media/" in name for name in parts)
    pieces.dropped["parts"] += sum(
        name not in names and "/media/" not in name for name in parts.keys() - TEMPLATE.keys()
    )
    pieces.finish = lambda: _zip(
        etree.tostring(document, xml_declaration=True, encoding="UTF-8", standalone=True)
    )
    return pieces


def _unzip(raw: bytes) -> dict[str, bytes]:
    if raw.startswith(ENCRYPTED):
        raise BadDocument("it is encrypted, or from Word before 2007: save it as .docx.")
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        infos = archive.infolist()
        size = sum(info.file_size for info in infos)
        check_ratio("the .docx file", len(raw), size)
        if size > MAX_PARTS:
            raise too_large("what a .docx file holds", size, MAX_PARTS)
        if any(info.flag_bits & 1 for info in infos):
            raise BadDocument("it is encrypted.")
        return {info.filename: archive.read(info) for info in infos if not info.is_dir()}


def _zip(document: bytes) -> bytes:
    """Return the bytes of a .docx file."""
    parts = {**TEMPLATE, "word/document.xml": document}
    return zipped(dict(sorted(parts.items())))  # [Content_Types].xml must be first


class _Copier:
    """Copies elements on the list, and adds a piece for each text."""

    def __init__(self, etree: Any, pieces: Pieces) -> None:
        self.etree, self.pieces = etree, pieces
        self.row: Any = None  # the table row of the last paragraph

    def copy_part(self, root: Any, body: Any, mark: str) -> None:
        """Copy a part; before each note or comment of it, or before a header, write its mark."""
        several = mark in (_MARKS["footnotes"], _MARKS["endnotes"], _MARKS["comments"])
        for block in root if several else [root]:
            before, paragraph = len(self.pieces.marks), self._element(body, "p")
            run = self._element(paragraph, "r")
            _put(self._element(run, "t"), mark)
            if not several:
                self.copy_blocks(block, body)
            elif not self._is_dropped(block):
                self.copy_blocks(block, self._copy(block, body))
            if not mark or len(self.pieces.marks) == before:
                body.remove(paragraph)
            self.pieces.gap("\n\n")

    def copy_blocks(self, element: Any, parent: Any) -> None:
        """Copy paragraphs and tables, but no text outside of paragraphs."""
        for child in element:
            if _name_of(child) == "p":
                self._copy_paragraph(child, parent)
            elif not self._is_dropped(child):
                self.copy_blocks(child, self._copy(child, parent))

    def _copy_paragraph(self, paragraph: Any, parent: Any) -> None:
        """Copy a paragraph, then the paragraphs of text boxes within it."""
        in_cell = _name_of(paragraph.getparent()) == "tc"
        row = paragraph.getparent().getparent() if in_cell else None
        is_same = in_cell and row is self.row
        self.pieces.gap("\t" if is_same else "\n" if in_cell else "\n\n")
        self.row = row
        boxes: list[Any] = []
        self._copy_inline(paragraph, self._element(parent, "p"), boxes)
        for box in boxes:
            self._copy_paragraph(box, parent)

    def _copy_inline(self, element: Any, parent: Any, boxes: list[Any]) -> None:
        for child in element:
            name = _name_of(child)
            if name == "p":
                boxes.append(child)
            elif name in ("t", "noBreakHyphen"):
                if text := "-" if name != "t" else child.text:
                    self.pieces.add(text, partial(_put, self._element(parent, "t")))
            elif not self._is_dropped(child):
                self.pieces.gap(_GAPS.get(name, "") if len(child) == 0 else "")
                self._copy_inline(child, self._copy(child, parent), boxes)

    def _is_dropped(self, element: Any) -> bool:
        name = _name_of(element)
        self.pieces.dropped["link targets"] += name == "hyperlink"
        self.pieces.dropped[DROPPED.get(name, "")] += name in DROPPED
        return name in DROPPED

    def _copy(self, element: Any, parent: Any) -> Any:
        """Return a copy without values that could hold text; `parent` if the element is dropped."""
        name, values = _name_of(element), dict[str, str]()
        for key, value in element.attrib.items():
            local = key.rpartition("}")[2]
            if name == "numId" and value != "0":
                value = "1"  # the list of the template
            is_value = local in ("val", "type") and _VALUE.fullmatch(value)
            self.pieces.dropped["attributes"] += not is_value
            values[local] = value if is_value else ""
        # A property without its value would be invalid, and so would a run within a run.
        if name not in KEPT or values.get("val") == "" or name == _name_of(parent):
            return parent
        copy = self._element(parent, name)
        for local, value in values.items():
            if value:
                copy.set(f"{{{W}}}{local}", value)
        return copy

    def _element(self, parent: Any, name: str) -> Any:
        return self.etree.SubElement(parent, f"{{{W}}}{name}")


def _name_of(element: Any) -> str:
    """Return the local name of an element, "" for XML comments. Raise BadDocument for changes."""
    if not isinstance(element.tag, str):
        return ""
    space, _, name = element.tag.rpartition("}")
    if _CHANGES.fullmatch(name) and "wordprocessingml" in space:
        raise BadDocument("it holds tracked changes: accept or reject them in Word.")
    return str(name)


def _put(element: Any, text: str) -> None:
    element.text = text
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
