r"""Telephone numbers, mail addresses, web addresses and IP addresses (dx.Contact.v1).

Law         drawn from what is reserved for examples: telephone numbers with 555-01xx, example.com,
            .org and .net (RFC 2606), 192.0.2.0/24, 198.51.100.0/24 and 203.0.113.0/24 (RFC 5737),
            2001:db8::/32 (RFC 3849); user names are a word and four digits
Guarantee   epsilon 0 for what is drawn. In clear is which of these kinds a mention is, and the form
            of a telephone number
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..guarantee import Guarantee
from ..registries import registry
from .base import Mention, Scope, independent
from .lists import STREETS, listed
from .streams import Draws, Stream, below, digits, pick

IN_CLEAR = (
    "which are telephone numbers, mail, web and IP addresses, user names, the form of telephone "
    "numbers, and whether web addresses begin with a scheme or www, and user names with @",
)
DOMAINS = ("example.com", "example.org", "example.net")
NETS = ("192.0.2", "198.51.100", "203.0.113")
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d+|:\d+)?", re.ASCII)
_IPV6 = re.compile(r"[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*", re.I | re.ASCII)
_PHONE = re.compile(r"\+?[\s().x/extn#:-]*(?:\d[\s().x/extn#:-]*){3,20}", re.I)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)


@registry.dx_surrogates("dx.Contact.v1")
def make_contact(scope: str = "document", key: str | None = None) -> Contact:
    """scope: "mention", "document" (the same address has the same stand-in), or "corpus" with the
    file of a key."""
    return Contact(Scope(scope, key))


@dataclass(frozen=True)
class Contact:
    """See make_contact."""

    scope: Scope

    name = "dx.Contact.v1"
    way = "drawn"
    chance = 1e-2  # of an original that is itself of a range for examples

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return self.scope.in_clear + IN_CLEAR

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        return independent("contacts of one kind", self.scope)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """As many contacts of the same kinds."""
        texts = [mention.text for mention in mentions]
        keys = [(text.strip().casefold(), kind_of(text)) for text in texts]
        forms = {key: text for key, text in zip(keys, texts, strict=True)}
        if self.scope.reach == "mention":
            return [WRITERS[kind_of(text)](text, draws.fresh()) for text in texts]
        drawn = {
            key: WRITERS[key[1]](text, self.scope.stream(draws, "contact", key[0]))
            for key, text in forms.items()
        }
        return [drawn[key] for key in keys]


def kind_of(text: str) -> str:
    """ "mail", "ip", "ipv6", "phone", "web" or "user"."""
    text = text.strip()
    if "@" in text[1:] and "://" not in text:
        return "mail"
    if _IPV4.fullmatch(text):
        return "ip"
    if _IPV6.fullmatch(text) and not _PHONE.fullmatch(text):
        return "ipv6"
    if _PHONE.fullmatch(text):
        return "phone"
    return "web" if _SCHEME.match(text) or "." in text.strip(".") or "/" in text else "user"


def _user(text: str, stream: Stream) -> str:
    at = "@" if text.startswith("@") else ""
    return f"{at}{pick(STREETS, stream).lower()}{digits(4, stream)}"


def _mail(text: str, stream: Stream) -> str:
    first = pick(listed("female") + listed("male"), stream)
    last = pick(listed("surnames"), stream)
    return f"{first}.{last}{digits(2, stream)}@{pick(DOMAINS, stream)}".lower()


def _web(text: str, stream: Stream) -> str:
    scheme = _SCHEME.match(text.strip())
    head = "" if scheme is None else "https://"
    www = "www." if "www." in text.lower()[:14] else ""
    return f"{head}{www}{pick(DOMAINS, stream)}/{pick(STREETS, stream).lower()}{digits(3, stream)}"


def _ip(text: str, stream: Stream) -> str:
    return f"{pick(NETS, stream)}.{1 + below(254, stream)}"


def _ipv6(text: str, stream: Stream) -> str:
    return f"2001:db8::{below(2**16, stream):x}:{below(2**16, stream):x}"


def _phone(text: str, stream: Stream) -> str:
    """In the form of the mention: its last seven digits become 555-01xx, those before them an area
    that is drawn; an extension is drawn as well. A country code becomes 1."""
    places = [i for i, c in enumerate(text) if c.isdigit()]
    cut = re.search(r"\s*(?:x|ext\.?|#)", text, re.I)
    main = [i for i in places if cut is None or i < cut.start()] or places
    number = _number(len(main), stream)
    rest = digits(len(places) - len(main), stream)
    new = dict(zip(places, number + rest, strict=True))
    return "".join(new.get(i, c) for i, c in enumerate(text))


def _number(k: int, stream: Stream) -> str:
    """k digits. Country codes of two digits and more that begin with 99 are nobody's."""
    local = "55501" + digits(2, stream)
    area = f"{2 + below(8, stream)}{digits(2, stream)}"
    code = "1" if k == 11 else "9" * max(k - 10, 0)
    return (code + area + local)[-k:]


WRITERS = {
    "user": _user, "mail": _mail, "web": _web, "ip": _ip, "ipv6": _ipv6, "phone": _phone,
}  # fmt: skip
