r"""Return texts in normal form, for recognition, lookup and release.

Files from macOS separate letters and accents (NFD), chats put direction marks around names, and
letters of other fonts are other characters: a rule for "José" would match none of these. The normal
form is NFC

- without invisible characters: categories Cf and Cc (but white space), colours of terminals,
  variation selectors, fillers, except those of emoji;
- without strokes through letters, and without stacked accents;
- with plain letters for those of other fonts (full-width, mathematical, circled, small capitals),
  for ligatures, and for Cyrillic and Greek look-alikes within a Latin word.

The original characters are not restored. `normal_doc` has the normal form of a Doc.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_INVISIBLE = (
    f"{_CONTROLS}\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_STROKES = "\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e2\u20e4-\u20f0"
_ACCENTS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
MAX_ACCENTS = 2  # on a letter, besides those that NFC composes
# Full-width, superscript, circled, mathematical and squared letters, and small capitals.
_SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
_STYLED = (
    "\u02b0-\u02b8\u1d2c-\u1d2e\u1d30-\u1d3a\u1d3c-\u1d43\u1d47-\u1d49\u1d4d\u1d4f\u1d50\u1d52"
    "\u1d56-\u1d58\u1d5b\u1d62-\u1d65\u1d9c\u1da0\u1dbb\u2071\u207f\u2090-\u209c\u2102\u210a-\u2113"
    "\u2115\u2119-\u211d\u2124\u2128\u212c\u212d\u212f-\u2131\u2133\u2134\u249c-\u24e9\uff01-\uff0f\uff1a-\uff5e"
    "\U0001d400-\U0001d7ff\U0001f110-\U0001f129\U0001f130-\U0001f149\U0001f150-\U0001f169"
    "\U0001f170-\U0001f189" + "".join(_SMALL_CAPITALS)
)
# Cyrillic and Greek letters that look like Latin letters.
_ALIKE = str.maketrans(
    "авеіјкмнорсѕтухһԁԛԝАВЕІЈКМНОРСЅТУХҺҮΑΒΕΖΗΙΚΜΝΟΡΤΥΧοικν",
    "aBeijkMHopcsTyxhdqwABEIJKMHOPCSTYXHYABEZHIKMNOPTYXoikv",
)
_LOOKS = "".join(map(chr, _ALIKE))

# Rare in texts; a text with these may still be normal, such as emoji.
_SUSPECT = re.compile(
    f"[{_INVISIBLE}{_ACCENTS}{_STYLED}\ufb00-\ufb06]|[A-Za-z][{_LOOKS}]|[{_LOOKS}][A-Za-z]"
)
_DROPPED = re.compile(
    r"\x1b\[[\d;]*m|"  # a colour of a terminal
    r"(?<![\ufe0f\u2600-\u27bf\U0001f000-\U0001faff])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])|"
    r"(?<![#*0-9\xa9\xae\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]|"
    r"(?<=[#*0-9])[\ufe0e\ufe0f](?!\u20e3)|"
    f"(?![\u200d\ufe0e\ufe0f])[{_INVISIBLE}]"
)
_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")  # NFC composes nothing across its ends
_MARKED = re.compile(rf"(?<=[^\W_])[{_ACCENTS}]+")
_STROKE = re.compile(f"[{_STROKES}]")
_FONT = re.compile(rf"[{_STYLED}](?:[ .\-_]?[{_STYLED}])+|[\ufb00-\ufb06]")
_MIXED = re.compile(f"[A-Za-z][{_LOOKS}]|[{_LOOKS}][A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")
_CONTROL = re.compile(f"[{_CONTROLS}]")
TextMapper = Callable[[str], str]


def is_normal(text: str) -> bool:
    """Return whether a text is in normal form."""
    if text.isascii():
        return _CONTROL.search(text) is None
    if _SUSPECT.search(text) is None and unicodedata.is_normalized("NFC", text):
        return True
    return normal_form(text) == text


def normal_form(text: str) -> str:
    """Return a text in normal form."""
    return _changed(text, ())[0]


def normalised(text: str, places: Iterable[int]) -> tuple[str, list[int]]:
    """Return a text in normal form, and the new places of these places, in characters."""
    unsorted = list(places)
    order = sorted(range(len(unsorted)), key=unsorted.__getitem__)
    normal, moved = _changed(text, [unsorted[i] for i in order])
    placed = [0] * len(unsorted)
    for i, place in zip(order, moved, strict=True):
        placed[i] = place
    return normal, placed


def _changed(text: str, places: Sequence[int]) -> tuple[str, Sequence[int]]:
    before = ""
    while text != before:  # a plain letter may compose with the accent after it, and so on
        before = text
        for pattern, change in _STEPS:
            text, places = replaced(pattern, change, text, places)
    return text, places


def replaced(
    pattern: re.Pattern[str], change: TextMapper, text: str, places: Sequence[int]
) -> tuple[str, Sequence[int]]:
    """Replace all matches of a pattern; return the text, and the new places of rising places. A
    place within a match moves by the length of the NFC before it, at most to the end."""
    parts, moved, last, size, i = list[str](), list[int](), 0, 0, 0
    for match in pattern.finditer(text):
        replacement, (start, end) = change(match[0]), match.span()
        if replacement == match[0]:
            continue
        size += start - last
        while i < len(places) and places[i] <= start:
            moved.append(size - start + places[i])
            i += 1
        before, within = start, 0
        while i < len(places) and places[i] < end:
            within += len(_nfc(text[before : places[i]]))
            before = places[i]
            moved.append(size + min(within, len(replacement)))
            i += 1
        parts += text[last:start], replacement
        size, last = size + len(replacement), end
    parts.append(text[last:])
    moved += (size - last + place for place in places[i:])
    return "".join(parts), moved


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _few_accents(marks: str) -> str:
    few = _STROKE.sub("", marks)
    return few if len(few) <= MAX_ACCENTS else ""


def _plain_font(text: str) -> str:
    return "".join(map(_plain_letter, text))


def _plain_letter(letter: str) -> str:
    squared = next((s for s in (0x1F150, 0x1F170) if s <= ord(letter) < s + 26), None)
    if squared is not None:
        return chr(ord("A") + ord(letter) - squared)
    return _SMALL_CAPITALS.get(letter) or unicodedata.normalize("NFKC", letter).strip("()")


def _plain_script(word: str) -> str:
    if word.isascii() or not _MIXED.search(word):
        return word
    plain = word.translate(_ALIKE)
    latin = all("LATIN" in unicodedata.name(letter, "") for letter in plain)
    greek = sum("\u0370" <= letter < "\u0400" for letter in word)
    # A Greek letter with one or two other letters is a symbol.
    return plain if latin and (not greek or len(word) - greek > 2) else word


_STEPS: tuple[tuple[re.Pattern[str], TextMapper], ...] = (
    (_DROPPED, lambda _: ""),
    (_RUN, _nfc),
    (_MARKED, _few_accents),
    (_RUN, _nfc),
    (_FONT, _plain_font),
    (_RUN, _nfc),
    (_WORD, _plain_script),
)
