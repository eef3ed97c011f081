"""Small tables of generate.py: what carriers have replaced, what OCR confuses."""

from __future__ import annotations

import re
import unicodedata

MONTHS = (
    "January February March April May June July August September October November December"
).split()
OCR = {
    "l": "lll1", "m": ["m"] * 9 + ["rn"], "1": "111l", "0": "00O", "O": "OOO0", "e": "eeeeeeec",
    "h": "hhhhhhhb", "i": "iiiiiiil", "s": "ssssssss5", "c": "ccccccce",
}  # fmt: skip
PLAIN = {
    chr(code): unicodedata.normalize("NFD", chr(code))[0]
    for code in range(0xC0, 0x250)
    if chr(code).isalpha()
}
SOFTWARE_ENDS = ("ify", "ly", "io", "DB", "JS", "SQL", "OS", "Hub")
_SOME = (
    (r"\b(?:[Hh]e|[Ss]he|[Ii]t)\b(?=[^.]*\b(?:said|told|went|was|is|had|has|came|made)\b)", "FPLS"),
    (r"\b(?:[Hh]e|[Ss]he|[Tt]he (?:man|woman|boy|girl|teacher|doctor|child))\b", "FPLSN"),
    (r"\b(?:[Tt]he (?:patient|male|female|lady|gentleman|defendant|plaintiff))\b", "SLN"),
    (r"\b(?:him|them)\b", "FPLSN"),
    (r"\b(?:our|their) (?:friend|neighbor|boss|teacher)\b", "FN"),
    (r"\b[Tt]he (?:company|firm|bank|store|team|agency|committee|club|union)\b", "O"),
    (r"\b[Tt]he hospital\b", "H"),
    (r"\b[Tt]he (?:school|university|college)\b", "U"),
    (r"\b[Tt]he (?:city|town|village|country|region|island|coast|area|state)\b", "G"),
    (r"\b(?:here|there)(?=[.,])", ["G"]),
    (r"\b(?:yesterday|today|tomorrow|last (?:week|night|month|year))\b", "D"),
)
REPLACED = [(re.compile(pattern), slots) for pattern, slots in _SOME]


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th."""
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number < 14 else last}"
