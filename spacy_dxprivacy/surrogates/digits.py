r"""Numbers that name somebody: records, accounts, cards (dx.Digits.v1).

Law         every digit and letter drawn anew, uniformly, in the form of the mention. What passes
            the check of a card becomes a card number of a test range (4000 00, 5105 10, 3782 82),
            with a right check digit; what passes that of an IBAN, an IBAN of the same country with
            right check digits and a bank code of zeros; a number of social security, one with the
            area 9xx, which is never given out
Guarantee   epsilon 0 for what is drawn. In clear is the form: how many digits and letters, the
            marks between them, words of forms beside them, which kind of check holds, and
            the country of an IBAN
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ..guarantee import Guarantee
from ..registries import registry
from .base import Mention, Scope, independent
from .contact import WRITERS, kind_of
from .streams import Draws, Stream, below, digits

IN_CLEAR = (
    "the form of numbers: how many digits and letters, the marks between them, words of forms "
    "beside them (number, case), capitals, the script, which kind of check digits they have, the "
    "network of a card, the country of an IBAN, and which are addresses of IP and mail",
)
_CARD = re.compile(r"\d(?:[ -]?\d){12,18}", re.ASCII)
_SSN = re.compile(r"\d{3}([- ])\d{2}\1\d{4}", re.ASCII)
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){10,30}", re.ASCII)
_WORD = re.compile(r"[^\W_]+")
# Words of forms stay: "MRN 44", "case no. 7". Any other may be a name, and is drawn like a code.
CUES = frozenset(
    "mrn ssn npi id ids no nr num number numbers account acct policy license licence passport "
    "invoice order ticket case claim card chart record file member patient ref reference serial "
    "code tax vat bank iban swift and or the of for with is".split()
)
_TESTS = {"3": "378282", "4": "400000", "5": "510510"}  # of the networks' own pages for developers


@registry.dx_surrogates("dx.Digits.v1")
def make_digits(scope: str = "document", key: str | None = None) -> Digits:
    """scope: "mention", "document" (the same number has the same stand-in), or "corpus" with the
    file of a key."""
    return Digits(Scope(scope, key))


@dataclass(frozen=True)
class Digits:
    """See make_digits."""

    scope: Scope

    name = "dx.Digits.v1"
    way = "drawn"

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return self.scope.in_clear + IN_CLEAR

    @property
    def chance(self) -> float:
        """Of a single digit; that of k digits is 10 to the power of -k."""
        return 0.1

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        return independent("numbers", self.scope, "k digits stay with a probability of 10^-k.")

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """As many numbers, alike in form. The same digits and letters have the same stand-in, with
        whatever marks between them."""
        known: dict[str, str] = {}
        return [self._one(mention.text, draws, known) for mention in mentions]

    def _one(self, text: str, draws: Draws, known: dict[str, str]) -> str:
        bare = "".join(c for c in text if c.isalnum()).casefold()
        bare = bare if kind_of(text) in ("phone", "user") else text.casefold()
        if self.scope.reach == "mention" or bare not in known:
            known[bare] = alike(text, self.scope.stream(draws, "digits", bare))
        drawn = "".join(c for c in known[bare] if c.isalnum())
        return _in_form(drawn, text) if bare.isalnum() else known[bare]


def _in_form(bare: str, text: str) -> str:
    """Digits and letters in the places of those of a text."""
    left = iter(bare)
    return "".join(next(left, c) if c.isalnum() else c for c in text)


def alike(text: str, stream: Stream) -> str:
    """Another number of the same form, with check digits that are right where those of the text
    are."""
    kind = kind_of(text)
    if kind in ("ip", "ipv6", "mail"):
        return WRITERS[kind](text, stream)
    bare = "".join(c for c in text if c.isalnum())
    if _CARD.fullmatch(text) and luhn(bare) == 0:
        return _in_form(_card(bare, stream), text)
    if _IBAN.fullmatch(text) and _mod97(bare) == 1:
        return _in_form(_iban(bare, stream), text)
    if _SSN.fullmatch(text):
        return _in_form("9" + digits(len(bare) - 1, stream), text)
    return _WORD.sub(lambda found: _word(found[0], stream), text)


def _word(word: str, stream: Stream) -> str:
    return word if word.lower() in CUES else redrawn(word, stream)


def redrawn(text: str, stream: Stream) -> str:
    """Draw every digit and letter anew; digits of other scripts become those of that script."""
    drawn: list[str] = []
    for c in text:
        if c.isdigit():
            drawn.append(_digit_like(c, below(10, stream)))
        elif c.isalpha():
            letter = chr(ord("a") + below(26, stream))
            drawn.append(letter.upper() if c.isupper() else letter)
        else:
            drawn.append(c)
    return "".join(drawn)


def _digit_like(model: str, value: int) -> str:
    now = unicodedata.decimal(model, None)
    return str(value) if now is None else chr(ord(model) - int(now) + value)


def luhn(number: str) -> int:
    """0 where the check digit of a card is right."""
    doubled = [sum(divmod(2 * int(c), 10)) for c in number[-2::-2]]
    return (sum(int(c) for c in number[::-2]) + sum(doubled)) % 10


def _card(number: str, stream: Stream) -> str:
    head = _TESTS.get(number[0], "400000")
    body = head + digits(len(number) - len(head) - 1, stream)
    return body + str(-luhn(body + "0") % 10)


def _mod97(iban: str) -> int:
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(c, 36)) for c in turned)) % 97


def _iban(iban: str, stream: Stream) -> str:
    body = "".join("0" if c.isdigit() else "X" for c in iban[4:8])
    body += redrawn(iban[8:], stream)
    check = 98 - _mod97(iban[:2] + "00" + body)
    return f"{iban[:2]}{check:02d}{body}"
