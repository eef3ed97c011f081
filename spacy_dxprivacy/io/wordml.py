"""Elements of WordprocessingML: which hold text, and which may hold more than is seen.

Elements are known by their local names, which transitional and strict documents share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..entities.tables import pattern
from .pieces import Pieces, listed, listed_by

# Fields whose codes hold no text.
_FIELD = pattern("DOCX_FIELD", "formats/lists")
_VALUE = re.compile(r"-?\d{1,8}|left|right|center|inside|outside|top|bottom")
_OURS = re.compile(r"_(GoBack|(Toc|Ref|Hlk)\d+)|_x0000_[a-z]{1,2}\d+")  # that Word makes
_GAPS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n"}
_PLACES, _SETTINGS = listed("DOCX_PLACES"), listed("DOCX_SETTINGS")
_DROPPED = listed_by("DOCX_DROPPED")
_MAY_BE_EMPTY = {"hyperlink", "blip", "svgBlip", "imagedata", "fill", "stroke"}  # of a relation
_HOLDERS = ("drawing", "object", "pict")
_ATTRIBUTES = {"descr": "", "title": "", "alt": "", "tooltip": "", "string": "", "author": "PERSON"}
_CLEARED = {"initials", "gfxdata", "href", "fullDate", "docLocation", "tgtFrame"}


def _name_of(element: Any) -> str:
    """Return the local name of an element."""
    return str(element.tag).rpartition("}")[2]


def _remove(element: Any) -> None:
    if (parent := element.getparent()) is not None:
        parent.remove(element)


def clean(etree: Any, root: Any, ids: dict[str, str], pieces: Pieces) -> None:
    """Drop what may hold text that is not shown, and what leads to dropped parts. ids: of the
    relations that are left, by the old ones."""
    for element in list(root.iter(*(f"{{*}}{name}" for name in _DROPPED))):
        pieces.dropped[_DROPPED[_name_of(element)]] += 1
        _remove(element)
    etree.strip_tags(root, "{*}smartTag", "{*}customXml")
    for element in root.iter("{*}sdtPr", "{*}settings"):
        allowed = _SETTINGS if element is root else frozenset(("id", "rPr", "docPartObj"))
        noun = "settings" if element is root else "content controls"
        kept = [child for child in element if _name_of(child) in allowed]
        pieces.dropped[noun] += len(element) - len(kept)
        element[:] = kept
    for element in list(root.iter("{*}*")):
        for key, value in element.attrib.items():
            if "relationships" in key and value in ids:
                element.set(key, ids[value])
            elif "relationships" in key:
                _remove_reference(element, key)


def _remove_reference(element: Any, key: str) -> None:
    if _name_of(element) in _MAY_BE_EMPTY:
        del element.attrib[key]
        return
    holders = (ancestor for ancestor in element.iterancestors() if _name_of(ancestor) in _HOLDERS)
    is_click = _name_of(element).startswith("hlink")
    _remove(element if is_click else next(holders, element))


def read(root: Any, pieces: Pieces, bookmarks: dict[str, str]) -> None:
    """Add the texts of a part in their order; each paragraph is one text over its runs."""
    row, read = None, set[Any]()
    for paragraph in root.iter("{*}p"):
        in_cell = _name_of(paragraph.getparent()) == "tc"
        new_row = paragraph.getparent().getparent() if in_cell else None
        pieces.gap("\t" if in_cell and new_row is row else "\n" if in_cell else "\n\n")
        row = new_row
        for element in _of_paragraph(paragraph):
            name = _name_of(element)
            if name in _GAPS and len(element) == 0:
                pieces.gap(_GAPS[name])
            elif name == "noBreakHyphen":
                pieces.add("-", partial(_put_hyphen, element))
            elif name == "t" and element.text:
                read.add(element)
                pieces.add(element.text, partial(_put, element))
    pieces.gap("\n\n")
    for element in root.iter("{*}*"):
        name, text = _name_of(element), (element.text or "").strip()
        patterns = {"instrText": _FIELD, **dict.fromkeys(_PLACES, _VALUE)}.get(name)
        if text and element not in read and not (patterns and patterns.fullmatch(text)):
            pieces.dropped["field codes" if name == "instrText" else "other texts"] += 1
            element.text = ""
        if (element.tail or "").strip():
            element.tail = None
        for key in element.keys():
            _read_attribute(element, key, pieces, bookmarks)


def _of_paragraph(paragraph: Any) -> Iterator[Any]:
    """Yield what stands in a paragraph, and not in one of a text box within it."""
    for element in paragraph:
        if _name_of(element) != "p":
            yield element
            yield from _of_paragraph(element)


def _put(element: Any, text: str) -> None:
    element.text = text
    if text != text.strip():
        element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _put_hyphen(element: Any, text: str) -> None:
    if text != "-":  # it is part of a surrogate
        element.tag = element.tag.replace("noBreakHyphen", "t")
        _put(element, text)


def _is_mark(element: Any, name: str, value: str) -> bool:
    """Whether an attribute is the name of a bookmark or a shape, or refers to one."""
    if element.tag.startswith("{urn:schemas-microsoft-com:vml}"):
        return name in ("id", "spid") or (name == "type" and value.startswith("#"))
    return (_name_of(element), name) in (("bookmarkStart", "name"), ("hyperlink", "anchor"))


def _read_attribute(element: Any, key: str, pieces: Pieces, bookmarks: dict[str, str]) -> None:
    name, within, value = key.rpartition("}")[2], _name_of(element), element.get(key)
    if name in _CLEARED or (name.startswith("date") and within == "comment"):
        pieces.dropped["attributes"] += 1
        del element.attrib[key]
    elif name == "name" and within in ("docPr", "cNvPr"):
        element.set(key, "Object")
    elif _is_mark(element, name, value):
        sign = "#" * value.startswith("#")
        if not _OURS.fullmatch(bare := value.removeprefix("#")):
            element.set(key, sign + bookmarks.setdefault(bare, f"mark{len(bookmarks) + 1}"))
    elif name == "instr" and not _FIELD.fullmatch(value):
        pieces.dropped["field codes"] += 1
        element.set(key, "")
    elif name in _ATTRIBUTES or (
        within in ("tblCaption", "tblDescription", "lvlText") and re.search(r"[^\W\d]{2}", value)
    ):
        pieces.add_later(value, partial(element.set, key), _ATTRIBUTES.get(name, ""))
