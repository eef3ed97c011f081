"""Read and write .docx: text is sanitised, formatting is kept, all that may hold more is dropped.

Parts and relations are copied by whitelist. Elements are known by their local names, which are the
same in transitional and strict documents.
"""

from __future__ import annotations

import base64
import io
import posixpath
import zipfile
from functools import partial
from typing import Any

from ..config import FileConfig
from ..errors import Errors, UsageError
from .files.limits import MB, check_ratio, too_large
from .pieces import BadDocument, Pieces, linked, mail_target
from .wordml import clean, name_of, read, remove

MOST_PARTS = 512 * MB
TEXTS = {"main", "header", "footer", "footnotes", "endnotes", "comments"}  # ends of content types
COPIED = {
    "styles",
    "stylesWithEffects",
    "numbering",
    "fontTable",
    "settings",
    "webSettings",
    "theme",
}
PARTS = "application/vnd.openxmlformats-"
BLANK = "word/media/blank.png"
PNG = base64.b64decode(  # a grey pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGN4AAAA4gDhFXZEAAAAAABJRU5ErkJggg=="
)
ENCRYPTED = b"\xd0\xcf\x11\xe0"  # how files of Word begin that are encrypted, or from before 2007


class _Package:
    """The parts of a document by name, and those among them that changed."""

    def __init__(self, raw: bytes) -> None:
        self.etree = _lxml()
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

    def tree(self, name: str) -> Any:
        """Return the root of a part of XML, which is written anew."""
        if name not in self.trees:
            parser = self.etree.XMLParser(
                resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
                remove_pis=True,
            )  # fmt: skip
            root = self.etree.fromstring(self.parts[name], parser)
            if root.getroottree().docinfo.doctype:
                raise BadDocument("its XML declares entities or a document type.")
            self.trees[name] = root
        return self.trees[name]

    def written(self, names: list[str]) -> bytes:
        """Return a .docx file of these parts, without the times at which they were changed."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                info = zipfile.ZipInfo(name)  # of 1980
                info.compress_type = zipfile.ZIP_DEFLATED
                data = self.parts[name]
                if name in self.trees:
                    about = {"xml_declaration": True, "encoding": "UTF-8", "standalone": True}
                    data = self.etree.tostring(self.trees[name], **about)
                archive.writestr(info, data)
        return out.getvalue()


def _lxml() -> Any:
    try:
        from lxml import etree
    except ImportError:
        missing = Errors.DX074.format(what=".docx", package="lxml", extra="docx")
        raise UsageError(missing) from None
    return etree


def parse(raw: bytes, files: FileConfig) -> Pieces:
    """Return the pieces of a document: its body, then headers, footers, notes and comments."""
    package, pieces = _Package(raw), Pieces()
    kinds = _content_types(package)
    names = [name for name in package.parts if name in kinds and kinds[name] in TEXTS | COPIED]
    mains = [name for name in names if kinds[name] == "main"]
    if len(mains) != 1:
        raise BadDocument("it is not a .docx file, or it is damaged.")
    pieces.dropped["parts"] += _drop_parts(package, names, pieces)
    bookmarks: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (name != mains[0], name)):
        is_text = kinds[name] in TEXTS
        gone = _filter_relations(package, name, names, pieces)
        before = pieces.dropped.total()
        clean(package.tree(name), gone, pieces, accept=files.accept_changes)
        if is_text:
            read(package.tree(name), pieces, bookmarks)
        elif not gone and pieces.dropped.total() == before:
            del package.trees[name]  # as it was
    rels = [_rels_of(name) for name in ("", *names) if _rels_of(name) in package.parts]
    blank = [BLANK] if BLANK in package.parts else []
    pieces.finish = lambda: package.written(["[Content_Types].xml", *rels, *names, *blank])
    return pieces


# -- parts and relations ---------------------------------------------------------------------------


def _content_types(package: _Package) -> dict[str, str]:
    """Return the kind of each part of WordprocessingML, such as "header"."""
    kinds = {}
    for one in package.tree("[Content_Types].xml").iter("{*}Override"):
        kind = one.get("ContentType", "")
        if kind.startswith((f"{PARTS}officedocument.", "application/vnd.ms-word.")):
            name = one.get("PartName", "").lstrip("/")
            last = kind.removesuffix("+xml").rpartition(".")[2]
            if "glossary" not in name and (last != "main" or "wordprocessingml.document" in kind):
                kinds[name] = last
    return kinds


def _rels_of(name: str) -> str:
    folder, file = posixpath.split(name)
    return posixpath.join(folder, "_rels", f"{file}.rels")


def _drop_parts(package: _Package, names: list[str], pieces: Pieces) -> int:
    """Take all other parts out of the list of types, and count those that hold neither images nor
    relations."""
    types = package.tree("[Content_Types].xml")
    for one in list(types):
        if name_of(one) == "Override" and one.get("PartName", "").lstrip("/") not in names:
            types.remove(one)
    known = {*names, "[Content_Types].xml"}
    others = [name for name in package.parts if name not in known and not name.endswith(".rels")]
    _filter_relations(package, "", names, pieces)
    return sum("/media/" not in name for name in others)


def _filter_relations(package: _Package, name: str, names: list[str], pieces: Pieces) -> set[str]:
    """Drop the relations of a part to what is not written, and lead images to a blank one. Return
    the ids of the dropped ones."""
    rels, gone = _rels_of(name), set[str]()
    if rels not in package.parts:
        return gone
    for one in list(package.tree(rels)):
        kind, target = one.get("Type", "").rpartition("/")[2], one.get("Target", "")
        inside = posixpath.normpath(posixpath.join("/", posixpath.dirname(name), target))[1:]
        external = one.get("TargetMode") == "External"
        if kind == "image":
            pieces.dropped["images"] += 1
            one.set("Target", posixpath.relpath(BLANK, posixpath.dirname(name) or "."))
            one.attrib.pop("TargetMode", None)
            _add_blank(package)
        elif external and kind == "hyperlink" and (found := linked(target)):
            pieces.add_later(found[0], partial(_put_target, one), found[1])
        elif external or inside not in names:
            gone.add(one.get("Id"))
            pieces.dropped["link targets" if kind == "hyperlink" else "objects"] += external
            remove(one)
    return gone


def _put_target(relation: Any, text: str) -> None:
    relation.set("Target", mail_target(text))


def _add_blank(package: _Package) -> None:
    if BLANK not in package.parts:
        types = package.tree("[Content_Types].xml")
        if not any(one.get("Extension", "").lower() == "png" for one in types):
            namespace = types.tag.rpartition("}")[0]
            about = {"Extension": "png", "ContentType": "image/png"}
            types.insert(0, types.makeelement(f"{namespace}}}Default", about))
    package.parts[BLANK] = PNG
