"""Elements of WordprocessingML: which hold text, which may hold more than is seen, and changes.

Elements are known by their local names, which transitional and strict documents share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from .pieces import BadDocument, Pieces

_CHANGE = re.compile(r"(ins|del|moveFrom|moveTo|cellIns|cellDel|cellMerge)|\w+Change")
_RANGES = re.compile(r"(move(From|To)|customXml(Ins|Del|MoveFrom|MoveTo))Range(Start|End)")
# Fields whose codes hold no text.
_FIELD = re.compile(
    r"(\s|PAGE\b|NUMPAGES\b|SECTION\b|SECTIONPAGES\b|PAGEREF\b|REF\b|NOTEREF\b|TOC\b|SEQ\b|ARABIC\b|"
    r'FORMTEXT\b|MERGEFORMAT\b|Figure\b|Table\b|_(Toc|Ref)\d+|\\[a-z*#@]|"[\d ,-]*")*'
)
_VALUE = re.compile(r"-?[\d.]+|[a-z]+")  # of elements that place a drawing
_OURS = re.compile(r"_(GoBack|(Toc|Ref|Hlk)\d+)")  # bookmarks that Word makes
_GAPS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n"}
_DROPPED = {
    "Fallback": "copies for old programs", "permStart": "permissions", "permEnd": "permissions",
    "ffData": "form settings", "smartTagPr": "smart tags", "customXmlPr": "smart tags",
    "dataBinding": "links to data", "docVars": "document variables", "mailMerge": "mail merge",
    "attachedTemplate": "template", "object": "objects", "OLEObject": "objects",
    "control": "objects", "delText": "deleted text", "delInstrText": "deleted text",
}  # fmt: skip
_HOLDERS = ("drawing", "object", "pict")
_ATTRIBUTES = {"descr": "", "title": "", "alt": "", "tooltip": "", "string": "", "author": "PERSON"}
_CLEARED = {"initials", "gfxdata", "href", "fullDate", "docLocation", "tgtFrame"}


def name_of(element: Any) -> str:
    """Return the local name of an element; "" for what is none."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def remove(element: Any) -> None:
    """Take an element out of its parent."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _unwrap(element: Any) -> None:
    parent = element.getparent()
    place = parent.index(element)
    parent[place : place + 1] = list(element)


def clean(root: Any, gone: set[str], pieces: Pieces, *, accept: bool) -> None:
    """Drop what may hold text that is not shown, and what leads to dropped parts."""
    for element in list(root.iter()):
        name = name_of(element)
        if "wordprocessingml" in str(element.tag) and (
            _CHANGE.fullmatch(name) or _RANGES.fullmatch(name)
        ):
            if not accept:
                raise BadDocument(
                    "it holds tracked changes: accept or reject them in Word, or set "
                    "`accept_changes`."
                )
            _accept(element, name)
        else:
            _clean_element(element, name, pieces)
        for key, value in element.attrib.items():
            if value in gone and "relationships" in key:
                _remove_reference(element, key)


def _clean_element(element: Any, name: str, pieces: Pieces) -> None:
    if name == "sdtPr":
        kept = [one for one in element if name_of(one) in ("id", "rPr", "docPartObj")]
        pieces.dropped["content controls"] += len(element) > len(kept)
        element[:] = kept
    elif name in ("smartTag", "customXml"):
        _unwrap(element)
    elif name == "blip":  # a linked image has become a part
        for key in [key for key in element.keys() if key.endswith("}link")]:
            element.attrib.setdefault(key.replace("}link", "}embed"), element.attrib.pop(key))
    elif name in _DROPPED:
        pieces.dropped[_DROPPED[name]] += 1
        remove(element)


def _accept(element: Any, name: str) -> None:
    parent = element.getparent()
    if parent is None:
        return
    if name_of(parent) == "trPr" and name == "del":
        remove(parent.getparent())
    elif name in ("ins", "moveTo") and len(element):
        _unwrap(element)
    else:
        parent.remove(element)


def _remove_reference(element: Any, key: str) -> None:
    if name_of(element) == "hyperlink":
        del element.attrib[key]
        return
    holders = (one for one in element.iterancestors() if name_of(one) in _HOLDERS)
    is_click = name_of(element).startswith("hlink")
    remove(element if is_click else next(holders, element))


def read(root: Any, pieces: Pieces, bookmarks: dict[str, str]) -> None:
    """Add the texts of a part in their order; each paragraph is one text over its runs."""
    row, read = None, set[Any]()
    for paragraph in root.iter("{*}p"):
        in_cell = name_of(paragraph.getparent()) == "tc"
        new = paragraph.getparent().getparent() if in_cell else None
        pieces.gap("\t" if in_cell and new is row else "\n" if in_cell else "\n\n")
        row = new
        for element in _of_paragraph(paragraph):
            name = name_of(element)
            if name in _GAPS and len(element) == 0:
                pieces.gap(_GAPS[name])
            elif name == "noBreakHyphen":
                pieces.context("-")
            elif name == "t" and element.text:
                read.add(element)
                pieces.add(element.text, partial(_put, element))
    pieces.gap("\n\n")
    for element in root.iter("{*}*"):
        name, text = name_of(element), (element.text or "").strip()
        element.tail = None
        if text and element not in read and not (name == "instrText" and _FIELD.fullmatch(text)):
            if not (len(text) < 30 and _VALUE.fullmatch(text)) or name == "t":
                pieces.dropped["field codes" if name == "instrText" else "other texts"] += 1
                element.text = ""
        for key in element.keys():
            _read_attribute(element, key, pieces, bookmarks)


def _of_paragraph(paragraph: Any) -> Iterator[Any]:
    """Yield what stands in a paragraph, and not in one of a text box within it."""
    for element in paragraph:
        if name_of(element) != "p":
            yield element
            yield from _of_paragraph(element)


def _put(element: Any, text: str) -> None:
    element.text = text
    if text != text.strip():
        element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _read_attribute(element: Any, key: str, pieces: Pieces, bookmarks: dict[str, str]) -> None:
    name, within, value = key.rpartition("}")[2], name_of(element), element.get(key)
    if name in _CLEARED or (name.startswith("date") and within == "comment"):
        pieces.dropped["attributes"] += 1
        del element.attrib[key]
    elif name == "name" and within in ("docPr", "cNvPr"):
        element.set(key, "Object")
    elif (name == "name" and within == "bookmarkStart") or name == "anchor":
        if not _OURS.fullmatch(value):
            element.set(key, bookmarks.setdefault(value, f"mark{len(bookmarks) + 1}"))
    elif name == "instr" and not _FIELD.fullmatch(value):
        pieces.dropped["field codes"] += 1
        element.set(key, "")
    elif name in _ATTRIBUTES or within in ("tblCaption", "tblDescription"):
        pieces.add_later(value, partial(element.set, key), _ATTRIBUTES.get(name, ""))
