r"""Contacts and identifying numbers (dx.Contact.v1, dx.Digits.v1).

Persons     a mail address or user name made of a person's name ("jdoe", "john.doe7", "doe.j@...")
            becomes that of the person's surrogate: with a key wherever public lists recognise a
            name in it, otherwise if the document names the person. All other mentions are drawn as
            follows
Contact     drawn from ranges reserved for examples: telephone numbers of the regulator of their
            country (Ofcom, ARCEP, Bundesnetzagentur, ACMA), 00 behind the code of another country,
            with which no number begins, others with 555-01xx, example.com, .org and .net (RFC
            2606), 192.0.2.0/24, 198.51.100.0/24 and 203.0.113.0/24 (RFC 5737), 2001:db8::/32 (RFC
            3849); a user name is a word and four digits. Visible are the kind of each mention,
            among these, the form of a telephone number, with its country and whether it is of a
            mobile, of a large town or free, and of an IP address its port, prefix or zone, and
            whether it is of a net or local
Digits      records, accounts, cards: every digit and letter is sampled uniformly, in the form of
            the mention. A valid card number becomes a card number of a test range (4000 00,
            5105 10, 3782 82) with a valid check digit; a valid IBAN becomes an IBAN of the same
            country with valid check digits and a bank code of zeros; a social security number
            becomes one with the area 9xx, which is never issued; the address of a device becomes
            one of local administration; where python-stdnum is installed, a national identifier
            with valid check digits (SIRET, NHS, BSN, ...) becomes one (entities/national), of the
            NHS one of its test range 999. Visible is the form: how many digits and letters, of a
            hexadecimal number only its length, the marks between them, words of forms beside them,
            which kind of check digits is valid, the country of an IBAN, of a tax number and of the
            code of a bank or of registered mail, and the directions of coordinates
Words       a number in words ("four seven one nine", "double seven") is drawn as its digits are,
            and written in words. Visible is that it is in words, and of which form they are
Guarantee   epsilon 0 for the drawn text
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import ClassVar

from ..entities.national import NumberKind, kind_of_number
from ..entities.spoken import spoken_number
from ..entities.tables import expanded, listed, listed_of, words
from ..entities.words import builtin_lexicon
from ..privacy.randomness import below
from ..registries import registry
from .base import Draws, Independent, Mention, Scope, Stream, digits, draw_from
from .code_forms import coordinates, kept_country, parts_of_machine, with_check_digit
from .name_forms import (
    DrawnName,
    UserNames,
    bare_word,
    family_of,
    fold,
    listed_gender,
    name_classes,
    user_words,
    whole_name,
)
from .phones import number_in, reserved

DOMAINS = ("example.com", "example.org", "example.net")
MIN_NAMING = 3  # letters of the longest word of a user name that names a person
PERSONS_KEY = "persons"  # key in Draws.memory of UserNames
MAX_NAME_PLAINNESS = (
    0.5  # a word above this Lexicon.plainness is more often something else than a name
)
OF_PERSONS = (
    "which mail addresses and user names are made of a name of a person of the document (with a "
    "key of any name), and of which parts of it"
)
OF_LISTS = "the gender for which public lists hold a given name in a mail address or user name"
MAX_DRAWS = 10_000  # of a number until its check digits are right; of a German tax number about 300
IN_WORDS = "which numbers are in words, and which words of them are of two digits or said twice"
NETS = ("192.0.2", "198.51.100", "203.0.113")
FORM_WORDS = words("FORM_WORDS")
_IPV4 = re.compile(rf"{expanded('OCTET')}(?:\.{expanded('OCTET')}){{3}}(?:/\d+|:\d+)?", re.ASCII)
_IPV6 = re.compile(
    r"[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*(?:%[\w.-]{1,16})?(?:/\d{1,3})?", re.I | re.ASCII
)
_DOTTED = re.compile(r"[^\W\d_]{1,20}\.([^\W\d_]{4,20})")
_MAC = re.compile(
    r"[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}",
    re.I | re.ASCII,
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I | re.ASCII)
_HEX = re.compile(
    r"0x[0-9a-f]{6,}|(?![a-z]{2}\d{12})(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{16,}", re.I | re.ASCII
)
_PHONE = re.compile(r"\+?[\s().x/extn#:>|-]*(?:\d[\s().x/extn#:>|-]*){3,20}", re.I)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
_CARD = re.compile(r"\d(?:[ -]?\d){12,18}", re.ASCII)
_SSN = re.compile(r"\d{3}([- ])\d{2}\1\d{4}", re.ASCII)
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]){10,30}", re.ASCII)
_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"[^\W\d_]+|\d+|[\W_]+")
_HYPHENED_PIECE = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+|[\W_]+")
_GLUED = re.compile(r"\A(?:van(?:der|den|de)?|von(?:der)?|dela|del|della)(?=[a-z]{4})")
_TESTS = {"3": "378282", "4": "400000", "5": "510510"}  # card networks' developer documentation


class Contact(Independent):
    """Draws contacts from ranges reserved for examples; see the module docstring."""

    name = "dx.Contact.v1"
    chance = 1e-2  # for an original that is itself in a range for examples
    adjacent = "contacts of one kind"
    kinds: ClassVar[tuple[str, ...]] = (
        "which are telephone numbers, mail, web and IP addresses, user names, the form of "
        "telephone numbers, their country and whether they are of a mobile or free, the port or "
        "prefix of an IP address and whether it is of a net or local, and whether web addresses "
        "begin with a scheme or www, and user names with @",
        OF_PERSONS,
        IN_WORDS,
    )

    @property
    def traits(self) -> tuple[str, ...]:  # type: ignore[override]
        """Descriptions of what is visible of a mention, beyond what its scope makes visible."""
        return self.kinds + (OF_LISTS,) * (self.scope.key is not None)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return a contact of the same kind for each mention, in words if the mention is."""
        return replace_spoken(self._replace, mentions, draws)

    def _replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        kinds = [kind_of(mention.text) for mention in mentions]
        drawn: dict[tuple[str, str], str] = {}
        contacts: list[str | None] = []
        for mention, kind in zip(mentions, kinds, strict=True):
            # Mentions of one contact share it.
            language = self.scope.language(draws)
            text, rest = parts_of_machine(kind, mention.text.strip())
            bare = _own_digits(mention.text, language) if kind == "phone" else ""
            identity = bare or text.casefold()
            draw = partial(self._draw, kind, text, identity, draws)
            surrogate = self.scope.draw_once(drawn, (identity, kind), draw) + rest
            is_phone = kind == "phone"
            contacts.append(
                _write_digits(surrogate, mention.text, language) if is_phone else surrogate
            )
        # Last, so that the draws do not depend on which mentions are made of a person's name.
        for i, kind in enumerate(kinds):
            if kind in ("mail", "user") or _is_dotted_name(mentions[i].text):
                contacts[i] = contact_of_person(mentions[i].text, draws, self.scope) or contacts[i]
        return contacts

    def _draw(self, kind: str, text: str, identity: str, draws: Draws) -> str:
        stream = self.scope.stream(draws, "contact", identity)
        return contact(kind, text, stream, self.scope.language(draws))


@registry.dx_surrogates("dx.Contact.v1")
def make_contact(scope: str = "document", key: str | None = None) -> Contact:
    """Make surrogates of contacts.

    Args:
        scope: "mention", "document" (the same original has one surrogate), or "corpus".
        key: Path of the key file, required with scope "corpus".
    """
    return Contact(Scope(scope, key))


def kind_of(text: str) -> str:
    """Return the kind of a contact: "mail", "ip", "ipv6", "mac", "phone", "web" or "user"."""
    text = text.strip()
    if "@" in text[1:] and "://" not in text:
        return "mail"
    if _IPV4.fullmatch(text):
        return "ip"
    if _MAC.fullmatch(text):
        return "mac"
    if _IPV6.fullmatch(text) and not _PHONE.fullmatch(text):
        return "ipv6"
    if _PHONE.fullmatch(text):
        return "phone"
    return "web" if _SCHEME.match(text) or "." in text.strip(".") or "/" in text else "user"


def _is_dotted_name(text: str) -> bool:
    """Return whether what looks like the address of a host may be a user name: k.mensah."""
    dotted = _DOTTED.fullmatch(text)
    return dotted is not None and "surname" in name_classes(dotted[1])


def contact(kind: str, text: str, stream: Stream, language: str = "en") -> str:
    """Draw a contact of this kind, in the form of the text. language: That of the document."""
    if kind == "mail":
        first = draw_from(listed("female") + listed("male"), stream)
        last = draw_from(listed("surnames"), stream)
        return f"{first}.{last}{digits(2, stream)}@{draw_from(DOMAINS, stream)}".lower()
    if kind in ("ip", "ipv6"):
        address, rest = parts_of_machine(kind, text)
        return _machine(kind, address, stream) + rest
    if kind == "mac":
        return _hexadecimal(text, stream)
    if kind == "phone":
        number = number_in(text, language)
        drawn = _phone(text, stream) if number is None else reserved(number, stream)
        return _write_digits(drawn, text, language)
    if kind == "user":
        at = "@" * text.startswith("@")
        return f"{at}{draw_from(listed('streets'), stream).lower()}{digits(4, stream)}"
    head = "https://" if _SCHEME.match(text.strip()) else ""
    www = "www." if "www." in text.lower()[:14] else ""
    host, page = draw_from(DOMAINS, stream), draw_from(listed("streets"), stream).lower()
    return f"{head}{www}{host}/{page}{digits(3, stream)}"


def _machine(kind: str, text: str, stream: Stream) -> str:
    """Draw the address of a machine or, if its last number is 0, of a net; a local one of IPv6
    stays local."""
    if kind == "ip":
        last = 0 if text.endswith(".0") else 1 + below(254, stream)
        return f"{draw_from(NETS, stream)}.{last}"
    net = "fe80" if text.lower().startswith("fe80:") else "2001:db8"
    return f"{net}::{below(2**16, stream):x}:{below(2**16, stream):x}"


def _phone(text: str, stream: Stream) -> str:
    """Draw a telephone number: a country code of 1, or of 99..., which no country has, a drawn area
    code, the seven digits 555-01xx, and a drawn extension."""
    places = [i for i, c in enumerate(text) if c.isdigit()]
    cut = re.search(r"\s*(?:x|ext\.?|#)", text, re.I)
    k = len([i for i in places if cut is None or i < cut.start()]) or len(places)
    local = "55501" + digits(2, stream)
    area = f"{2 + below(8, stream)}{digits(2, stream)}"
    return (_country(k) + area + local)[-k:] + digits(len(places) - k, stream)


def _country(k: int) -> str:
    return "1" if k == 11 else "9" * max(k - 10, 0)


def _own_digits(text: str, language: str) -> str:
    """Return the digits that all mentions of a telephone number share."""
    number = number_in(text, language)
    return "".join(filter(str.isdigit, text))[-10:] if number is None else number.own


def _write_digits(number: str, text: str, language: str) -> str:
    """Replace the digits of a text, in place, by the digits of a drawn number. The code of its
    country stays."""
    drawn, k = "".join(filter(str.isdigit, number)), sum(map(str.isdigit, text))
    written = number_in(text, language)
    if written is not None:
        drawn = written.prefix + drawn[-(len(written.own) + written.extension) :]
    if len(drawn) != k:
        drawn = (_country(k) + drawn[-10:])[-k:]
    numerals = iter(drawn)
    return "".join(next(numerals) if c.isdigit() else c for c in text)


class Digits(Independent):
    """Draws numbers of records, accounts and cards; see the module docstring."""

    name = "dx.Digits.v1"
    chance = 0.1  # for a single digit; for k digits, 10 to the power of -k
    adjacent = "numbers"
    notes = "k digits are unchanged with probability 10^-k."
    kinds: ClassVar[tuple[str, ...]] = (
        "the form of numbers: how many digits and letters, the marks between them, words of forms "
        "beside them (number, case), capitals, the script, which kind of check digits they have, "
        "the network of a card, the country of an IBAN, of a tax number and of the code of a bank "
        "or of registered mail, the directions of coordinates, which are hexadecimal, and which "
        "are addresses of IP, with port or prefix, of devices and mail",
        OF_PERSONS,
        IN_WORDS,
    )

    @property
    def traits(self) -> tuple[str, ...]:  # type: ignore[override]
        """Descriptions of what is visible of a mention, beyond what its scope makes visible."""
        return self.kinds + (OF_LISTS,) * (self.scope.key is not None)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return a number of the same form for each mention. Mentions with the same digits and
        letters have the same surrogate, regardless of the marks between them, and in words."""
        return replace_spoken(self._replace, mentions, draws)

    def _replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        drawn: dict[str, str] = {}
        codes: list[str] = []
        for text in (mention.text for mention in mentions):
            kind = kind_of(text)
            text, rest = parts_of_machine(kind, text)
            bare = text.casefold()
            if kind in ("phone", "user", "mac"):
                bare = _bare(text).casefold()
            code = self.scope.draw_once(drawn, bare, partial(self._draw, text, bare, draws))
            codes.append(_in_form(_bare(code), text) if bare.isalnum() else code + rest)
        # Last, so that the draws do not depend on which mentions are made of a person's name.
        persons = (contact_of_person(mention.text, draws, self.scope) for mention in mentions)
        return [person or code for person, code in zip(persons, codes, strict=True)]

    def _draw(self, text: str, identity: str, draws: Draws) -> str:
        return alike(text, self.scope.stream(draws, "digits", identity))


@registry.dx_surrogates("dx.Digits.v1")
def make_digits(scope: str = "document", key: str | None = None) -> Digits:
    """Make surrogates of numbers of records, accounts and cards.

    Args:
        scope: "mention", "document" (the same original has one surrogate), or "corpus".
        key: Path of the key file, required with scope "corpus".
    """
    return Digits(Scope(scope, key))


def replace_spoken(
    replace_digits: Callable[[Sequence[Mention], Draws], list[str | None]],
    mentions: Sequence[Mention],
    draws: Draws,
) -> list[str | None]:
    """Replace numbers in words as those of the same digits, and write them in words again."""
    spoken = [spoken_number(mention.text, draws.language) for mention in mentions]
    pairs = list(zip(mentions, spoken, strict=True))
    drawn = replace_digits(
        [replace(mention, text=number.digits) if number else mention for mention, number in pairs],
        draws,
    )
    return [
        number.write(text) if number and text else text
        for number, text in zip(spoken, drawn, strict=True)
    ]


def _bare(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def _in_form(bare: str, text: str) -> str:
    """Replace the digits and letters of a text, in place, by drawn ones."""
    characters = iter(bare)
    return "".join(next(characters, c) if c.isalnum() else c for c in text)


def alike(text: str, stream: Stream) -> str:
    """Draw a number of the same form; its check digits are valid if those of the text are."""
    kind, bare = kind_of(text), _bare(text)
    if kind in ("ip", "ipv6", "mac", "mail"):
        return contact(kind, text, stream)
    if (national := kind_of_number(text)) is not None:
        return _national(text, national, stream)
    if _CARD.fullmatch(text) and luhn(bare) == 0:
        head = _TESTS.get(bare[0], "400000")
        body = head + digits(len(bare) - len(head) - 1, stream)
        return _in_form(body + str(-luhn(body + "0") % 10), text)
    if _IBAN.fullmatch(text) and mod97(bare) == 1:
        body = "".join("0" if c.isdigit() else "X" for c in bare[4:8]) + redraw(bare[8:], stream)
        return _in_form(f"{bare[:2]}{98 - mod97(bare[:2] + '00' + body):02d}{body}", text)
    if _UUID.fullmatch(text) or _HEX.fullmatch(text):
        return _hexadecimal(text, stream)
    if _SSN.fullmatch(text):
        return _in_form("9" + digits(len(bare) - 1, stream), text)
    if (place := coordinates(text, stream)) is not None:
        return place
    if (kept := kept_country(text)) is not None:
        start, end = kept
        drawn = redraw(text[:start], stream) + text[start:end] + redraw(text[end:], stream)
        return with_check_digit(drawn, text)
    return _WORD.sub(lambda m: m[0] if m[0].lower() in FORM_WORDS else redraw(m[0], stream), text)


def _hexadecimal(text: str, stream: Stream) -> str:
    """Draw a hexadecimal number: of a device an address of local administration, which no maker
    gives, and a UUID of version 4."""
    head = text[: 2 * text.lower().startswith("0x")]
    bare = _bare(text[len(head) :])
    drawn = "".join(f"{below(16, stream):x}" for _ in bare)
    if _MAC.fullmatch(text):
        drawn = f"02{drawn[2:]}"
    elif _UUID.fullmatch(text):
        drawn = f"{drawn[:12]}4{drawn[13:16]}{'89ab'[below(4, stream)]}{drawn[17:]}"
    if bare != bare.lower():
        is_mixed = bare != bare.upper()
        drawn = "".join(c if is_mixed and below(2, stream) else c.upper() for c in drawn)
    return _in_form(head + drawn, text)


def _national(text: str, kind: NumberKind, stream: Stream) -> str:
    """Draw a number of the kind uniformly: numbers of the form until the check digits are right."""
    written = kind.form.fullmatch(text.strip().upper())
    keep = written.groupdict().get("keep") or "" if written else ""
    bare = _bare(text.strip())[len(keep) + len(kind.head) :]
    for _ in range(MAX_DRAWS):
        number = _in_form(keep + kind.head + redraw(bare.upper(), stream), text.strip().upper())
        if kind.has(number):
            break
    return number.lower() if text.islower() else number


def redraw(text: str, stream: Stream) -> str:
    """Draw every digit and letter anew; a digit of another script stays in that script."""
    drawn: list[str] = []
    for c in text:
        if c.isdigit():
            zero, value = unicodedata.decimal(c, None), below(10, stream)
            drawn.append(str(value) if zero is None else chr(ord(c) - int(zero) + value))
        elif c.isalpha():
            letter = chr(ord("a") + below(26, stream))
            drawn.append(letter.upper() if c.isupper() else letter)
        else:
            drawn.append(c)
    return "".join(drawn)


def luhn(number: str) -> int:
    """Return the Luhn checksum of a card number: 0 if its check digit is valid."""
    doubled = [sum(divmod(2 * int(c), 10)) for c in number[-2::-2]]
    return (sum(int(c) for c in number[::-2]) + sum(doubled)) % 10


def mod97(iban: str) -> int:
    """Return the checksum of an IBAN: 1 if its check digits are valid."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97


# -- user names made of names of persons -----------------------------------------------------------


def firsts_of(language: str, gender: str) -> tuple[str, ...]:
    """Return the first names of a language and a gender; all of them if gender is ""."""
    if gender:
        return listed_of(language, gender)
    return listed_of(language, "female") + listed_of(language, "male")


def keyed_name(
    scope: Scope, draws: Draws, first_name: str, last: str, *, any_gender: bool = False
) -> DrawnName:
    """Return the surrogate of a given and a family name by the key, each part drawn separately.

    Nothing beside a name has an effect, so that a name has one surrogate in all documents: its
    gender is that of public lists, which depends on the name alone.

    Args:
        scope: The scope, with a key.
        draws: Randomness and language of the document.
        first_name: The given name, or "".
        last: The family name, or "".
        any_gender: Whether the surrogate may have any gender.
    """
    language = scope.language(draws)
    first_name = whole_name(bare_word(first_name))
    gender = "" if any_gender else listed_gender(first_name, language)
    first_name, last = fold(first_name), family_of(last)
    initial = draw_from(shared_initials(language), scope.stream(draws, "initial", first_name[:1]))
    alike = tuple(first for first in firsts_of(language, gender) if first[0] == initial)
    stream = scope.stream(draws, "given name", first_name)
    surname = draw_from(listed_of(language, "surnames"), scope.stream(draws, "family name", last))
    first = draw_from(alike, stream)
    return first, first, surname


@cache
def shared_initials(language: str) -> str:
    """Return the initials of given names, each as often as the lists of both genders have it.

    A name of either gender is then drawn with a probability of at most 1 in their number.
    """
    counts = (Counter(name[0] for name in listed_of(language, g)) for g in ("female", "male"))
    women, men = counts
    return "".join(sorted((women & men).elements()))


def contact_of_person(text: str, draws: Draws, scope: Scope) -> str | None:
    """Return the surrogate of a mail address or user name; None if it names no person."""
    local, at, domain = text.strip().partition("@") if text[:1] != "@" else (text.strip(), "", "")
    names = draws.memory.get(PERSONS_KEY)
    named = names if isinstance(names, UserNames) else UserNames((), {})
    becomes, pieces = next(
        ((some, split) for split in _splits(local) if (some := _person_of_pieces(named, split))),
        (_guessed(local, draws, scope), _PIECE.findall(local)),
    )
    if not becomes:
        return None

    def draw_once(kind: str, identity: str, draw: Callable[[Stream], str]) -> str:
        key = kind, scope, text.strip().casefold()  # the same address has one surrogate
        stream = partial(scope.stream, draws, kind, identity)
        return str(scope.draw_once(draws.memory, key, lambda: draw(stream())))

    count = sum(map(str.isdigit, local))
    numbers = iter(draw_once("digits", local.casefold(), lambda stream: digits(count, stream)))
    written = ""
    for piece in pieces:
        if piece.isdigit():
            written += "".join(next(numbers) for _ in piece)
        elif piece[0].isalpha():
            word = becomes[fold(piece)]
            title = word.title() if piece[0].isupper() else word
            written += word.upper() if piece.isupper() else title
        else:
            written += piece
    if not at:
        return written
    return f"{written}@{draw_once('domain', domain.casefold(), partial(draw_from, DOMAINS))}"


def _splits(local: str) -> Iterator[list[str]]:
    """Yield the pieces of a user name: words, digits and marks; then also with hyphens
    within words: hans-peter."""
    yield _PIECE.findall(local)
    if "-" in local:
        yield _HYPHENED_PIECE.findall(local)


def _person_of_pieces(names: UserNames, pieces: Sequence[str]) -> Mapping[str, str]:
    """Return the user words of the person whose words the pieces are; none if of nobody."""
    words = [fold(piece) for piece in pieces if piece[0].isalpha()]
    longest = max(words, key=len, default="")
    people = names.by_word.get(longest, ()) if len(longest) >= MIN_NAMING else ()
    return next((person for person in people if _names(person, words)), {})


def _guessed(local: str, draws: Draws, scope: Scope) -> Mapping[str, str]:
    """Return by a key the user words of a name that public lists recognise in a user name."""
    raw = [piece.casefold() for piece in _PIECE.findall(local) if piece.isalpha()]
    guess = guess_name(raw) if scope.key is not None else None
    if guess is None:
        return {}
    last = guess[1] if name_classes(guess[1]) else _GLUED.sub("", guess[1])
    name = keyed_name(scope, draws, guess[0], last)
    becomes = user_words(fold(guess[0]), fold(guess[1]), name)
    return becomes if _names(becomes, [fold(piece) for piece in raw]) else {}


def _names(person: Mapping[str, str], words: Sequence[str]) -> bool:
    """Return whether all words are user words of the person, and one has three letters or more. Two
    words of one part, as in krueger-blum, are none."""
    if not (
        any(len(word) >= MIN_NAMING for word in words) and all(word in person for word in words)
    ):
        return False
    return len({person[word] for word in words}) == len(set(words))


def guess_name(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the (given, family) name that public lists recognise in a user name, or None."""
    if len(words) == 1:
        return None if _is_plain(words[0]) else next(_name_readings(words[0]), None)
    if len(words) != 2:
        return None
    first, last = words
    short = min(len(first), len(last)) == 1
    names = [word for word in words if name_classes(word) and (short or not _is_plain(word))]
    if not names and not (name_classes(first) and name_classes(last)):
        return None
    inverted = name_classes(first) == {"surname"} and name_classes(last) == {"first_name"}
    return (last, first) if inverted or len(last) == 1 else (first, last)


def _name_readings(word: str) -> Iterator[tuple[str, str]]:
    """Yield (given, family) readings of a word, likeliest first: doe, john, johndoe, jdoe, doej."""
    classes = name_classes(word)
    if classes:
        yield ("", word) if "first_name" not in classes else (word, "")
    for i in range(3, len(word) - 2):
        if "first_name" in name_classes(word[:i]) and "surname" in name_classes(word[i:]):
            yield word[:i], word[i:]
    if "surname" in name_classes(word[1:]):
        yield word[0], word[1:]
    if "surname" in name_classes(word[:-1]):
        yield word[-1], word[:-1]


def _is_plain(word: str) -> bool:
    return builtin_lexicon().plainness(word.capitalize()) > MAX_NAME_PLAINNESS
