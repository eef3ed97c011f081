"""Public lists that surrogates are drawn from; NOTICE says where they come from."""

from __future__ import annotations

from functools import cache

from ...about import DATA
from ..tables import sections


@cache
def listed(name: str) -> tuple[str, ...]:
    """Return the lines of a file: "female", "male" (512 first names each), "surnames" (1,024),
    "streets", "countries"."""
    return tuple((DATA / "surrogates" / f"{name}.txt").read_text(encoding="utf8").splitlines())


@cache
def listed_of(language: str, name: str) -> tuple[str, ...]:
    """Return a list of a language: "female", "male", "surnames", "towns", "streets", "countries",
    "houses" (word:kind of an organisation), "ends" (of companies); the first three of English too.
    """
    if language == "en":
        return listed(name)
    if name in ("female", "male", "surnames"):
        return tuple(sections(f"surrogates/names-{language}")[name])
    return tuple("".join(sections("surrogates/places")[f"{language} {name}"]).split("|"))


def is_first_name(word: str) -> bool:
    """Return whether a list of first names has the word."""
    return word.title() in listed("female") or word.title() in listed("male")


_ROWS = [line.split("\t") for line in listed("states")]
STATES = {short: name for short, name, _ in _ROWS}
# The first two digits that postal codes of a state may have.
ZIP_HEADS = {short: heads.split() for short, _, heads in _ROWS}
# A word of an organisation's name -> its kind.
HOUSES = dict(line.split(":") for line in listed("houses"))
STREET_KINDS = ("Street", "Avenue", "Road", "Lane", "Drive", "Court", "Place", "Way")
COMPANY_ENDS = ("Inc.", "LLC", "Group", "Partners", "Company", "Associates", "Services", "Holdings")


@cache
def cities() -> tuple[tuple[str, str], ...]:
    """Return (city, short name of its state) of 1,024 cities of the United States."""
    pairs = (line.split("\t") for line in listed("cities"))
    return tuple((city, state) for city, state in pairs if state in STATES)
