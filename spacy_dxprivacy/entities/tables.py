"""Word lists, token rules and regular expressions of the recogniser, and lists of surrogates.

A section of a file in data/entities is a line `== NAME` and the lines below it; a line that begins
with "# " is a comment. `words.txt` holds word lists, `rules.txt` token rules, which `rule_tree`
joins into a tree of token kinds, `forms.txt` regular expressions, and `calendars.txt` names of
months and days and date formats of each language. NOTICE states the sources of surrogate lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, groupby, product

from ..about import DATA

_REFERENCE = re.compile(r"\{([<>*]?)([A-Z_]+|[a-z ]+)\}")
_LIST = re.compile(r"(?:(?:[^\W_]|[ '’&/-]|\\\.)+(?:\||\Z)){5,}")  # alternatives of plain words
_NAMED = re.compile(r"([a-zA-Z]\w*): (.*)")
_NAME_OF_GROUP = re.compile(r"\(\?P<\w+>")


@cache
def sections(file: str) -> dict[str, list[str]]:
    """Return section -> lines of a file in data/entities, or in data if it is a path "a/b"."""
    named: dict[str, list[str]] = {}
    lines: list[str] = []
    path = DATA / (f"{file}.txt" if "/" in file else f"entities/{file}.txt")
    for line in path.read_text(encoding="utf8").splitlines():
        if line.startswith("== "):
            lines = named.setdefault(line[3:], [])
        elif line and not line.startswith("# "):
            lines.append(line)
    return named


def words(name: str, file: str = "words") -> frozenset[str]:
    """Return the set of words of a section, in which white space separates words."""
    return frozenset(" ".join(sections(file)[name]).split())


def by_word(name: str, file: str) -> dict[str, str]:
    """Return word -> kind for a section whose lines are `kind: words`."""
    rows = (line.partition(": ") for line in sections(file)[name])
    return {word: kind for kind, _, listed_words in rows for word in listed_words.split()}


@cache
def pattern(name: str, file: str = "forms") -> re.Pattern[str]:
    """Return the regular expression of a section, compiled at its first use."""
    return re.compile(_expanded("".join(sections(file)[name])))


def expanded(name: str) -> str:
    """Return a section of forms.txt as one regular expression, with its references replaced."""
    return _expanded("".join(sections("forms")[name]))


def forms(name: str, file: str = "forms") -> list[tuple[str, str]]:
    """Return (name or "", regular expression) of each line of a table, which is a section."""
    rows = [_NAMED.fullmatch(line) or ("", "", line) for line in sections(file)[name]]
    return [(row[1], _expanded(row[2])) for row in rows]


def alternatives(text: str) -> list[str]:
    """Return the alternatives of a regular expression: what "|" separates outside its groups."""
    parts, depth = [""], 0
    for piece in re.findall(r"\\.|\[(?:\\.|[^]\\])+\]|.", text):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def kind_of(match: re.Match[str]) -> str:
    """Return the name of the table line that matched."""
    return str(match.lastgroup).partition("_")[0]


def _expanded(text: str) -> str:
    return _REFERENCE.sub(lambda match: _referred(match[1], match[2]), text)


def _referred(marker: str, name: str) -> str:
    """Return a section as a regular expression: with marker "<" a look-behind for its phrases, with
    "*" the alternatives of a table, in which each named line is a group, with ">" a look-ahead for
    the characters with which it begins, which spares most words the search."""
    if marker == ">":
        starts = "".join(sections("starts").get(name, ()))
        return f"(?={by_letter(starts.split('|'))})" if starts else ""
    if marker == "*":
        table = name.replace(" ", "_")
        groups = [
            f"?P<{kind}_{table}_{i}>" if kind else "?:" for i, (kind, _) in enumerate(forms(name))
        ]
        return "|".join(f"({g}{row})" for g, (_, row) in zip(groups, forms(name), strict=True))
    text = "".join(sections("forms").get(name) or sections("foreign")[name])
    if marker == "<":
        cues = text.split("|")
        behind = "|".join(rf"(?<=\b{re.escape(cue)} )" for cue in cues)
        ends = "".join(sorted({cue[-1] for cue in cues}))
        return f"(?<=[{re.escape(ends)}] )(?:{behind})"  # the last letter first: most have another
    return by_letter(text.split("|")) if _LIST.fullmatch(text) else _expanded(text)


def by_letter(words: Iterable[str]) -> str:
    """Return an equivalent regular expression that compares each shared first letter once."""
    parts: list[str] = []
    # A word that ends here keeps its place: it and a longer word after it match at the same place.
    for _, run in groupby(dict.fromkeys(words), key=bool):
        rests: dict[str, list[str]] = {}
        for word in run:
            size = word.index("]") + 1 if word.startswith("[") else 1 + word.startswith("\\")
            rests.setdefault(word[:size], []).append(word[size:])
        parts += [
            first + (f"(?:{by_letter(rest)})" if len(rest) > 1 else rest[0])
            for first, rest in rests.items()
        ]
    return "|".join(parts)


NONE: frozenset[str] = frozenset()
# LISTED: kinds of words, looked up in lower case without a final full stop. FOLLOWING: kinds that
# only follow another word in a rule.
LISTED = {
    kind: words(kind)
    for kind in "TITLE ROLE PARTICLE GREETING SIGNOFF FIELD IN_PLACE ORDINAL RELATIVE AMOUNT "
    "SEASON IN_TIME ID_WORD PLACE_HEAD".split()
}
# Titles, offices and kin: before a name, and by themselves no name.
PERSON_WORDS = LISTED["TITLE"] | LISTED["ROLE"] | frozenset(expanded("KIN").split("|"))
# Words that describe the person behind them.
DESCRIBING = frozenset(
    "young little poor old big wee late dear certain elderly frail famous".split()
)
TOP_AGE = 90  # ages from here on are released as this age
FOLLOWING = {
    kind: words(kind) for kind in "CUE AUX HUMAN MODAL DATE_UNIT TIME_UNIT DAYPART UNIT".split()
}
# Word classes of the built-in space.
NAMES = frozenset({"first_name", "surname"})
PEOPLES = frozenset({"nationality", "religion", "language", "region"})
LANDS = frozenset({"country", "state", "region"})
PLACES = LANDS | {"city"}
TERM_NOUNS = words("TERM_NOUNS", "terms")
GOODS, MAKERS = words("GOODS", "terms"), words("MAKERS", "terms")
# Drugs, wares and microbes: in no text persons, although some are given names.
PRODUCTS = frozenset().union(
    *(words(name, "terms") for name in ("PRODUCTS", "WARES", "GENERA", "RITES"))
)
FIRMS = frozenset(name.strip() for name in " ".join(sections("words")["FIRMS"]).split(","))
# Names of users that are no persons, in lower case.
SYSTEM_ACCOUNTS = words("SYSTEM_ACCOUNTS")

# Labels by priority: if two matches have the same extent, the first label wins. Some are persons.
MATCHED = (
    "SECRET USERNAME DATE TIME EMAIL URL PHONE ID ADDRESS ORG GPE DISGUISED CUED PERSON GUESSED "
    "QUANTITY CARDINAL"
).split()
_PERSONS = frozenset({"USERNAME", "DISGUISED", "CUED", "GUESSED"})
LABELS = tuple(label for label in MATCHED if label not in _PERSONS)
_RULE = re.compile(r"(?:\((.*?)\) )?(.+?)(?: \((.*?)\))?")
_REPEATED = re.compile(r"(.+?)(?:\{(\d),(\d)\}|\?)?")


@dataclass(frozen=True, slots=True)
class RuleNode:
    """A node of the tree of token rules.

    children: nodes by the kind, or the literal word, of the next token. ends: (label, number of
    context tokens before, and after) of each rule that ends here.
    """

    children: dict[str, RuleNode]
    ends: set[tuple[str, int, int]]


@cache
def rule_tree(*, guess: bool) -> RuleNode:
    """Return the tree of all token rules. guess: Include GUESSED rules, for persons whose own words
    are the only evidence."""
    root = RuleNode({}, set())
    for label, lines in sections("rules").items():
        for line in lines if guess or label != "GUESSED" else ():
            parts = [(part or "").split() for part in _fields(_RULE, line)]
            for path in product(*map(_repeated, chain(*parts))):
                node = root
                for word in chain(*path):
                    node = node.children.setdefault(word, RuleNode({}, set()))
                node.ends.add((label, len(parts[0]), len(parts[2])))
    return root


def _repeated(word: str) -> list[list[str]]:
    """Return a word with each count that its quantifier allows: "NAME{1,2}" once and twice."""
    base, least, most = _fields(_REPEATED, word)
    if least is None:
        return [[], [word[:-1]]] if base != word else [[word]]
    return [[str(base)] * count for count in range(int(least), int(most or 0) + 1)]


def _fields(form: re.Pattern[str], text: str) -> Sequence[str | None]:
    match = form.fullmatch(text)
    if match is None:
        raise ValueError(f"not of the form of a rule: {text!r}")
    return match.groups()


@cache
def rule_words() -> frozenset[str]:
    """Return the lower-case words that rules name literally or by a list of FOLLOWING."""
    nodes, literals = [rule_tree(guess=True)], set[str]()
    for node in nodes:
        literals.update(word for word in node.children if not word.isupper())
        nodes += node.children.values()
    return frozenset(literals).union(*FOLLOWING.values())


@cache
def listed(name: str) -> tuple[str, ...]:
    """Return the lines of a surrogate list, such as "female", "male" (512 first names each),
    "surnames" (1,024), "streets" and "countries"."""
    return tuple((DATA / "surrogates" / f"{name}.txt").read_text(encoding="utf8").splitlines())


@cache
def listed_of(language: str, name: str) -> tuple[str, ...]:
    """Return a surrogate list of a language: "female", "male", "surnames" (English has these, too),
    "towns", "streets", "countries", "houses" (word:kind of an organisation), "ends" (of companies).
    """
    if language == "en":
        return listed(name)
    if name in ("female", "male", "surnames"):
        return tuple(sections(f"surrogates/names-{language}")[name])
    return tuple("".join(sections("surrogates/places")[f"{language} {name}"]).split("|"))


def is_first_name(word: str) -> bool:
    """Return whether a list of English first names contains the word."""
    return word.title() in listed("female") or word.title() in listed("male")


_ROWS = [line.split("\t") for line in listed("states")]
STATES = {short: name for short, name, _ in _ROWS}
# State -> pairs of digits with which its postal codes may begin.
ZIP_HEADS = {short: heads.split() for short, _, heads in _ROWS}
# Word in an organisation's name -> kind of the organisation.
HOUSES = dict(line.split(":") for line in listed("houses"))
STREET_KINDS = ("Street", "Avenue", "Road", "Lane", "Drive", "Court", "Place", "Way")
COMPANY_ENDS = ("Inc.", "LLC", "Group", "Partners", "Company", "Associates", "Services", "Holdings")


@cache
def cities() -> tuple[tuple[str, str], ...]:
    """Return (city, abbreviation of its state) for 1,024 cities of the United States."""
    pairs = (line.split("\t") for line in listed("cities"))
    return tuple((city, state) for city, state in pairs if state in STATES)


LANGUAGES = ("de", "fr", "es", "nl", "it")
DAY = r"(?:0?[1-9]|[12]\d|3[01])(?!\d)"
MARK = r"(?:er|[eº°ª]|ste)?(?!\w)"  # 1er, 5e, 5º
YEAR = r"(?:(?:1[5-9]|20)\d\d|['’]\d\d)(?!\d)"


@dataclass(frozen=True)
class DateWords:
    """The words for dates of a language, in lower case.

    spellings: Spelling of a month -> its number. beside: Words that may stand beside a date. The
    fields of type `str` are regular expressions from calendars.txt.
    """

    months: tuple[str, ...]
    spellings: dict[str, int]
    weekdays: tuple[str, ...]
    beside: frozenset[str]
    holiday: str
    earlier: str
    join: str = ""
    to: str = ""
    conjunction: str = ""
    article: str = ""
    short: str = ""
    over: str = "(?!)"
    hyphenated: str = "(?!)"
    age: str = ""
    hour: str = ""
    on: str = ""
    holidays: str = ""

    def number(self, month: str) -> int:
        """Return the number of a month, from 1 to 12."""
        return self.spellings[month.lower().rstrip(".")]

    @property
    def size_of_short(self) -> int:
        """The number of letters of a weekday in short."""
        return self.short.index("|")

    def patterns(self) -> list[tuple[str, str]]:
        """Return (kind, regular expression) of each date format, longest first; not for English."""
        rows = (row.partition(": ") for row in sections("calendars")["forms"])
        return [(kind, form % self._terms) for kind, _, form in rows]

    @cached_property
    def day_of_list(self) -> re.Pattern[str]:
        """The pattern of a day of a list of days, of which one names the month; not for English."""
        form = "{named}(?:{dated})?".format_map(self._named_terms)
        return re.compile(form, re.IGNORECASE)

    @cached_property
    def _terms(self) -> dict[str, str]:
        """What stands for %(name)s in a date format: without names of groups, in a part of it."""
        terms = {name: _NAME_OF_GROUP.sub("(?:", part) for name, part in self._named_terms.items()}
        some = "{named}(?:{dated})?".format_map(terms)
        return {**terms, "some": some, "last": "{named}{dated}".format_map(terms)}

    @cached_property
    def _named_terms(self) -> dict[str, str]:
        months = "|".join(sorted(self.spellings, key=len, reverse=True))
        fields = {name: part for name, part in vars(self).items() if isinstance(part, str)}
        terms = {**fields, "months": months, "weekdays": "|".join(self.weekdays)}
        terms["initials"] = "0-9" + "".join({day[0] for day in self.weekdays})
        terms |= {"day": DAY, "mark": MARK, "year": YEAR}
        for row in sections("calendars")["parts"]:
            name, _, part = row.partition(": ")
            terms[name] = part % terms
        return terms


@cache
def date_words(language: str) -> DateWords:
    """Return the words for dates of English or of a language in LANGUAGES."""
    rows = dict(line.split(": ", 1) for line in sections("calendars")[language])
    months = tuple(rows.pop("months").split("|"))
    spellings = {name: i for i, name in enumerate(months, 1)}
    for spelling in rows.pop("spellings").split("|"):
        name, _, number = spelling.partition("=")
        spellings[name] = int(number)
    weekdays = tuple(rows.pop("weekdays").split("|"))
    beside = frozenset(rows.pop("beside").split())
    return DateWords(months, spellings, weekdays, beside, **rows)
