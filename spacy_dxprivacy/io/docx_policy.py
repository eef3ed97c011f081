"""What of .docx is kept: elements, attributes and values by lists; all others are left out.

A part is built anew from its elements on the list, under prefixes of our own. No number has more
than four digits that count, and none of editing is kept: who changed what in which session.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import zip_longest
from typing import Any

from ..entities.tables import pattern, sections
from ..entities.words import is_plain
from .html import declarations
from .pieces import BadDocument, listed, listed_by

XML = "http://www.w3.org/XML/1998/namespace"
VML = "urn:schemas-microsoft-com:vml"
ELEMENTS, ATTRIBUTES, VALUES, SYMBOLS, URIS, COMPAT = (
    listed(f"DOCX_{name}") for name in "ELEMENTS ATTRIBUTES VALUES SYMBOLS URIS COMPAT".split()
)
DROPPED = listed_by("DOCX_DROPPED")
_LISTS = sections("formats/lists")
PREFIXES = {row.split(": ")[1]: row.split(": ")[0] for row in _LISTS["DOCX_NAMESPACES"]}
FONTS, STYLES = (
    {style.strip().lower() for style in " ".join(_LISTS[name]).split(",")}
    for name in ("DOCX_FONTS", "DOCX_STYLES")
)
_CHANGE = pattern("DOCX_CHANGE", "formats/lists")
_NUMBER = re.compile(r"([+-]?)(\d*)(\.\d+)?(%|[a-z]{2})?", re.ASCII)
_COLOUR = re.compile(r"#?[0-9A-Fa-f]{6}")
_WORDS = re.compile(r"[\s,;:()/@*+~-]+")
_LANGUAGE = re.compile(r"[a-z]{2}(-[A-Z]{2})?")
_FORMULA = {"val", "sum", "prod", "mid", "abs", "min", "max", "if", "mod", "atan2", "sin", "cos",
            "tan", "sqrt", "sumangle", "ellipse", "pin", "width", "height", "xcenter",
            "ycenter"}  # fmt: skip
_STYLE_IDS = {"pStyle", "rStyle", "tblStyle", "basedOn", "next", "link", "styleLink",
              "numStyleLink"}  # fmt: skip
_FONT_NAMES = {"ascii", "hAnsi", "cs", "eastAsia", "typeface", "font"}
_REQUIRED = ("wps", "wpg", "wpc")
_IDS = {"id", "numId", "abstractNumId"}
_OURS = {"docPr": "Object", "cNvPr": "Object", "theme": "Theme", "clrScheme": "Theme",
         "fontScheme": "Theme", "fmtScheme": "Theme"}  # fmt: skip
_HOLDERS = {"settings": "settings", "sdtPr": "content controls"}  # of which nothing is opened
# Of texts, and of what is renamed or checked by those who read a part.
_OF_TEXT = {"lvlText", "tblCaption", "tblDescription"}
_READ = {"descr", "title", "alt", "tooltip", "string", "author", "instr", "anchor"}


class Policy:
    """The lists, with the names that ids of one document were given."""

    def __init__(self, etree: Any, dropped: Counter[str]) -> None:
        self.etree, self.dropped = etree, dropped
        self._styles: dict[str, str] = {}
        self._ids: dict[str, str] = {}

    def rebuilt(self, root: Any) -> Any:
        """Return a copy of a part of what is on the lists. Raise BadDocument for changes."""
        if any(
            _CHANGE.fullmatch(_local(element))
            for element in root.iter("{*}*")
            if _is_text_of(element)
        ):
            raise BadDocument("it holds tracked changes: accept or reject them in Word.")
        keys = (key for element in root.iter("{*}*") for key in (element.tag, *element.attrib))
        used = {key[1:].partition("}")[0] for key in keys if "}" in key}
        namespaces = {PREFIXES[uri]: uri for uri in used if uri in PREFIXES}
        if "mc" in namespaces:  # a Choice requires them
            namespaces |= {prefix: uri for uri, prefix in PREFIXES.items() if prefix in _REQUIRED}
        for prefix in ("ct", "rel"):
            if prefix in namespaces:
                namespaces = {None: namespaces[prefix]}  # type: ignore[dict-item]
        copy = self.etree.Element(root.tag, nsmap=namespaces)
        if not self._is_known(root):
            raise BadDocument("it is not a .docx file, or it is damaged.")
        self._copy(root, copy)
        return copy

    def _is_known(self, element: Any) -> bool:
        local = _local(element)
        return _space(element) in PREFIXES and (local in ELEMENTS or local in DROPPED)

    def _copy(self, element: Any, new: Any) -> None:
        """Copy attributes, texts and what an element holds; elements unknown here are opened."""
        new.text = element.text
        for key, value in element.attrib.items():
            kept = self._attribute(element, key, value)
            if kept is None:
                self.dropped["attributes"] += 1
            else:
                new.set(key, kept)
        self._copy_children(element, new)

    def _copy_children(self, element: Any, new: Any) -> None:
        holder = _HOLDERS.get(_local(element), "")
        for child in element:
            if self._is_left_out(child):
                self.dropped["other elements"] += 1
            elif self._is_known(child):
                self._copy(child, self.etree.SubElement(new, child.tag))
            elif holder:
                self.dropped[holder] += 1
            else:
                self.dropped["other elements"] += 1
                self._copy_children(child, new)

    def _is_left_out(self, element: Any) -> bool:
        """Whether an element is left out with all that it holds."""
        if not isinstance(element.tag, str):
            return True
        local = _local(element)
        if local == "sym":
            return _value(element, "char").upper() not in SYMBOLS
        if local == "compatSetting":
            return _value(element, "name") not in COMPAT
        if local == "font":  # of a theme, those for other scripts
            return _value(element, "name").lower() not in FONTS
        return local == "extLst"

    def _attribute(self, element: Any, key: str, value: str) -> str | None:
        """Return the value of an attribute that is kept, or None."""
        space, _, name = key.rpartition("}")
        within, space = _local(element), space[1:]
        if space == XML:
            return value if name == "space" and value in ("preserve", "default") else None
        if space and space not in PREFIXES:
            return None
        if PREFIXES.get(space) == "r" or PREFIXES.get(_space(element)) in ("ct", "rel"):
            return value  # those who read relations rename them
        if PREFIXES.get(space) == "mc" or within in ("Choice", "AlternateContent"):
            return value if name == "Requires" and value in _REQUIRED else None
        special = self._named(element, within, name, value)
        if special is not None:
            return special or None
        return _plain(value) if name in ATTRIBUTES else None

    def _named(self, element: Any, within: str, name: str, value: str) -> str | None:
        """Return the value of an attribute that is a name: "" if it is dropped, None for others."""
        if name in _READ or (within in _OF_TEXT and name == "val"):
            return value
        if name in _FONT_NAMES or (name == "name" and within == "font"):
            is_theme = name == "cs" and value in VALUES
            return value if value.lower() in FONTS or is_theme else ""
        if (name == "val" and within in _STYLE_IDS) or name == "styleId":
            return self._style(value)
        if name == "val" and within == "name":
            return self._style(value) if _local(element.getparent()) == "style" else ""
        if _space(element) == VML and name in ("id", "spid", "type"):
            return value  # a reader renames it
        if name in _IDS or (name == "val" and within in _IDS):
            return value if re.fullmatch(r"-?\d{1,4}", value) else self._id(value)
        return _special(within, name, value)

    def _style(self, value: str) -> str:
        bare = re.sub(r"[\d\s]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value)).strip().lower()
        digits = sum(map(str.isdigit, value))
        if digits < 2 and (bare in STYLES or bare.replace(" ", "") in _JOINED):
            return value
        if digits < 2 and all(map(is_plain, re.findall(r"[^\W\d_]+", bare))):
            return value
        return self._styles.setdefault(value, f"Style{len(self._styles) + 1}")

    def _id(self, value: str) -> str:
        return self._ids.setdefault(value, str(9000 + len(self._ids)))


_JOINED = {name.replace(" ", "") for name in STYLES}


def _special(within: str, name: str, value: str) -> str | None:
    """Return the value of an attribute with a form of its own; "" if it is dropped."""
    if name == "name":
        fixed = {"bookmarkStart": value, "gd": value if value in VALUES else "adj",
                 "compatSetting": value}  # fmt: skip
        return _OURS.get(within) or fixed.get(within, "")
    if name == "uri":
        return value if value in URIS else ""
    if name == "char":
        return value
    if within in ("lang", "themeFontLang", "lid"):
        return value if _LANGUAGE.fullmatch(value) else ""
    if name == "style":
        return declarations(value)
    if name in ("fmla", "eqn"):
        return value if all(map(_is_term, value.split())) else ""
    if name == "val" and within in ("begChr", "endChr", "chr", "decimalSymbol", "listSeparator"):
        return value if len(value) < 2 and not value.isalnum() else ""
    return None


def _is_term(word: str) -> bool:
    """Return whether a word of a formula of a shape is a function, a number or a place."""
    short = re.fullmatch(r"[a-z@#]{1,3}\d?", word) is not None
    return word in _FORMULA or _plain(word) == word or short


def _plain(value: str) -> str | None:
    """Return a value of words on the list and of numbers, cut to four digits; None for others."""
    if _COLOUR.fullmatch(value):
        bare = value[-6:]
        if bare.isdecimal():  # it might be any number: each part of the colour by one digit
            return value[:-6] + "".join(bare[i] * 2 for i in (0, 2, 4))
        return value
    parts = []
    for part in re.split(r"([\s,;:()/@*+~-]+)", value):
        number = _NUMBER.fullmatch(part)
        if part in VALUES or _WORDS.fullmatch(part) or not part:
            parts.append(part)
        elif number is not None:
            sign, digits, fraction, unit = (group or "" for group in number.groups())
            cut = digits if len(digits) < 5 else digits[:4] + "0" * (len(digits) - 4)
            if len(digits) > 10 or (unit and not unit.isascii()):
                return None
            parts.append(f"{sign}{cut}{fraction[:3]}{unit}")
        elif re.fullmatch(r"[0-9A-Fa-f]{2,4}", part) and not part.isalpha():
            parts.append(part)
        else:
            return None
    if sum(_NUMBER.fullmatch(group) is not None for group in parts if group.strip()) > 4:
        return None  # digits of a number, one by one
    return "".join(parts)


def is_copy(new: Any, old: Any) -> bool:
    """Return whether a part holds nothing but what is kept of it, under the usual prefixes."""
    pairs = zip_longest(new.iter(), old.iter())
    alike = all(
        element is not None and original is not None
        and (element.tag, element.text, element.tail, dict(element.attrib)) == (
            original.tag, original.text, original.tail, dict(original.attrib))
        for element, original in pairs
    )  # fmt: skip
    spaces = {item for element in old.iter("{*}*") for item in element.nsmap.items()}
    usual = all(prefix in (PREFIXES.get(uri), None) and uri in PREFIXES for prefix, uri in spaces)
    return alike and usual and old.getnext() is None and old.getprevious() is None


def _is_text_of(element: Any) -> bool:
    return PREFIXES.get(_space(element)) == "w"


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _space(element: Any) -> str:
    return str(element.tag)[1:].partition("}")[0] if str(element.tag)[:1] == "{" else ""


def _value(element: Any, name: str) -> str:
    """Return an attribute by its local name."""
    return next((v for k, v in element.attrib.items() if k.rpartition("}")[2] == name), "")
