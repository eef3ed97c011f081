"""Builds the list of the genders of given names: python scripts/build_genders.py [--out FILE]

Two lines, "female" and "male", of the names that the sources have for that gender, folded as mail
addresses write them. Sources (see NOTICE): the 1990 census of the United States (package names
0.3.0) and Faker 40.54.0, whose languages have a vote each. A name that sources have for both
genders is in neither line, unless one gender has it much more often.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import pkgutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from builtin_space.sources import data_path

from spacy_dxprivacy.surrogates.name_forms import fold

HOME = Path(__file__).resolve().parent.parent / "spacy_dxprivacy" / "data"
GENDERS = ("female", "male")
SURE = 3  # how much more often one gender has a name: in votes, and in the census of persons
CENSUS_VOTES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HOME / "genders.txt.gz")
    out = parser.parse_args().out
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for name, gender, count in [*census(), *locales()]:
        folded = fold(name)
        if len(folded) > 1 and folded.isascii():
            votes[folded][gender] += count
    lines = [
        f"{gender}: "
        + " ".join(sorted(n for n, of in votes.items() if of[gender] > SURE * of[other]))
        for gender, other in (GENDERS, GENDERS[::-1])
    ]
    out.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
    print([line.count(" ") for line in lines], f"{out.stat().st_size:,} bytes")


def census() -> Iterator[tuple[str, str, int]]:
    """Yield names, the gender that has them, or both if neither does much more often, and votes."""
    shares: dict[str, dict[str, float]] = {gender: {} for gender in GENDERS}
    for gender in GENDERS:
        for line in data_path("names", f"dist.{gender}.first").read_text().splitlines():
            name, share, *_ = line.split()
            shares[gender][name] = float(share)
    for gender, other in (GENDERS, GENDERS[::-1]):
        for name, share in shares[gender].items():
            if share * SURE > shares[other].get(name, 0.0):
                yield name, gender, CENSUS_VOTES


def locales() -> Iterator[tuple[str, str, int]]:
    """Yield names of all languages with a gender and a vote."""
    for module in pkgutil.iter_modules([str(data_path("faker", "providers", "person"))]):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for gender in GENDERS:
            for name in set(getattr(provider, f"first_names_{gender}", ())):
                yield name, gender, 1


if __name__ == "__main__":
    main()
