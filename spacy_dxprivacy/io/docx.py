"""Read and write .docx: text is sanitised, formatting is kept, all that may hold more is dropped.

Parts, relations, elements, attributes and values are copied by whitelist (see docx_policy).
Elements are known by their local names, which transitional and strict documents share.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..config import FileOptions
from ..entities.tables import pattern
from .docx_policy import Policy, is_copy
from .files.limits import MB, check_ratio, too_large
from .pieces import BadDocument, Pieces, linked, listed, listed_by, mail_target
from .plain import module_of

MOST_PARTS = 512 * MB
TEXTS, COPIED = listed("DOCX_TEXTS"), listed("DOCX_COPIED")  # ends of content types
PARTS = "application/vnd.openxmlformats-officedocument."
_KIND = re.compile(rf"{re.escape(PARTS)}(wordprocessingml\.)?\w+(\.main)?\+xml|"
                   r"application/vnd\.ms-word\.stylesWithEffects\+xml")  # fmt: skip
_PART = re.compile(
    r"(word/)?(theme/)?(document|styles|stylesWithEffects|settings|webSettings|fontTable|numbering|"
    r"theme|header|footer|footnotes|endnotes|comments)\d{0,3}\.xml"
)
_DEFAULTS = {"rels": "application/vnd.openxmlformats-package.relationships+xml",
             "xml": "application/xml"}  # fmt: skip
_BASES = re.compile(
    r"http://(schemas\.openxmlformats\.org/officeDocument/2006|purl\.oclc\.org/ooxml/officeDocument|"
    r"schemas\.microsoft\.com/office/2007)/relationships"
)
ENCRYPTED = b"\xd0\xcf\x11\xe0"  # how files of Word begin that are encrypted, or from before 2007

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


class _Package:
    """The parts of a document by name, and those among them that changed."""

    def __init__(self, raw: bytes, dropped: Counter[str]) -> None:
        self.etree, self.dropped = module_of("lxml.etree", ".docx", "docx"), dropped
        if raw.startswith(ENCRYPTED):
            raise BadDocument("it is encrypted, or of a Word before 2007: save it as .docx.")
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            infos = archive.infolist()
            size = sum(info.file_size for info in infos)
            check_ratio("the .docx file", len(raw), size)
            if size > MOST_PARTS:
                raise too_large("what a .docx file holds", size, MOST_PARTS)
            if any(info.flag_bits & 1 for info in infos):
                raise BadDocument("it is encrypted.")
            self.parts = {info.filename: archive.read(info) for info in infos if not info.is_dir()}
        self.trees: dict[str, Any] = {}
        self.policy = Policy(self.etree, dropped)

    def parsed(self, name: str) -> Any:
        """Return the root of a part of XML. Raise BadDocument."""
        parser = self.etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        root = self.etree.fromstring(self.parts[name], parser)
        if root.getroottree().docinfo.doctype:
            raise BadDocument("its XML declares entities or a document type.")
        return root

    def tree(self, name: str) -> Any:
        """Return the root of what is kept of a part, which is written in its place."""
        if name not in self.trees:
            root, hidden = self.parsed(name), (self.etree.Comment, self.etree.PI)
            self.dropped["comments"] += sum(1 for _ in root.iter(*hidden))
            self.etree.strip_tags(root, *hidden)
            self.trees[name] = self.policy.rebuilt(root)
        return self.trees[name]

    def written(self, names: list[str]) -> bytes:
        """Return a .docx file of these parts, without the times at which they were changed."""
        out, text_of = io.BytesIO(), self.etree.tostring
        with zipfile.ZipFile(out, "w") as archive:
            for name in names:
                info = zipfile.ZipInfo(name)  # of 1980
                info.compress_type = zipfile.ZIP_DEFLATED
                data, root = self.parts[name], self.trees[name]
                if not is_copy(root, self.parsed(name)):  # else byte for byte
                    data = text_of(root, xml_declaration=True, encoding="UTF-8", standalone=True)
                archive.writestr(info, data)
        return out.getvalue()


def parse(raw: bytes, files: FileOptions) -> Pieces:
    """Return the pieces of a document: its body, then headers, footers, notes and comments."""
    pieces = Pieces()
    package = _Package(raw, pieces.dropped)
    kinds = _content_types(package)
    names = [name for name in package.parts if kinds.get(name) in TEXTS | COPIED]
    mains = [name for name in names if kinds[name] == "main"]
    if len(mains) != 1:
        raise BadDocument("it is not a .docx file, or it is damaged.")
    if not all(map(_PART.fullmatch, names)):
        raise BadDocument("it has parts with unusual names: save it again in Word.")
    ids = {name: _filter_relations(package, name, names, pieces) for name in ("", *names)}
    bookmarks: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (name != mains[0], name)):
        _clean(package.etree, package.tree(name), ids[name], pieces)
        _read(package.tree(name), pieces, bookmarks)
    rels = [_rels_of(name) for name in ids if _rels_of(name) in package.parts]
    pieces.finish = lambda: package.written(["[Content_Types].xml", *rels, *names])
    dropped = [name for name in package.parts if name not in package.trees]
    pieces.dropped["parts"] += sum("/media/" not in n and not n.endswith(".rels") for n in dropped)
    return pieces


# -- parts and relations ---------------------------------------------------------------------------


def _content_types(package: _Package) -> dict[str, str]:
    """Return the kind of each part of WordprocessingML, such as "header"; no others are listed."""
    kinds = {}
    types = package.tree("[Content_Types].xml")
    for part in list(types):
        name, kind = part.get("PartName", "").lstrip("/"), part.get("ContentType", "")
        last = kind.removesuffix("+xml").rpartition(".")[2]
        is_word = _KIND.fullmatch(kind)
        is_main = last != "main" or "wordprocessingml.document" in kind
        if is_word and is_main and last in TEXTS | COPIED and "glossary" not in name:
            kinds[name] = last
        elif part.get("Extension") in _DEFAULTS:
            part.set("ContentType", _DEFAULTS[part.get("Extension")])
        else:
            types.remove(part)
    return kinds


def _rels_of(name: str) -> str:
    folder, file = posixpath.split(name)
    return posixpath.join(folder, "_rels", f"{file}.rels")


def _filter_relations(
    package: _Package, name: str, names: list[str], pieces: Pieces
) -> dict[str, str]:
    """Drop the relations of a part to what is not written. Return new ids by the old ones."""
    rels, ids = _rels_of(name), dict[str, str]()
    if rels not in package.parts:
        return ids
    for relation in list(package.tree(rels)):
        kind, target = relation.get("Type", "").rpartition("/")[2], relation.get("Target", "")
        inside = posixpath.normpath(posixpath.join("/", posixpath.dirname(name), target))[1:]
        external = relation.get("TargetMode") == "External"
        base = _BASES.fullmatch(relation.get("Type", "").rpartition("/")[0])
        is_link = external and kind == "hyperlink"
        if is_link and base and (address := linked(target)):
            put = lambda text, relation=relation: relation.set("Target", mail_target(text))  # noqa: E731
            pieces.add_later(address[0], put, address[1])
        elif external or inside not in names or not base:
            noun = {"hyperlink": "link targets", "image": "images"}.get(kind, "objects")
            pieces.dropped[noun] += external or kind == "image"
            relation.getparent().remove(relation)
            continue
        else:
            relation.set("Target", posixpath.relpath(inside, posixpath.dirname(name) or "."))
            relation.attrib.pop("TargetMode", None)
        ids[relation.get("Id", "")] = f"rId{len(ids) + 1}"
        relation.set("Id", f"rId{len(ids)}")
    return ids


# -- elements: which hold text, and which may hold more than is seen ----------------------------


def _name_of(element: Any) -> str:
    """Return the local name of an element."""
    return str(element.tag).rpartition("}")[2]


def _remove(element: Any) -> None:
    if (parent := element.getparent()) is not None:
        parent.remove(element)


def _clean(etree: Any, root: Any, ids: dict[str, str], pieces: Pieces) -> None:
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


def _read(root: Any, pieces: Pieces, bookmarks: dict[str, str]) -> None:
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
