"""Builds the list of words that are no names, for words that the built-in space lacks.

    apt-get download scowl wordnet-base
    for package in scowl_*.deb wordnet-base_*.deb; do dpkg -x $package lists; done
    python scripts/build_words.py lists

SCOWL's words in small letters of American, British, Canadian and Australian spelling up to its size
70, and the genera and families of plants, animals and microbes of WordNet. Left out are words of
the space and of the list of names, and plurals of listed words.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from spacy_dxprivacy.entities.words import ORDINARY_WORDS, builtin_lexicon, listed_names

MAX_SIZE = 70  # above it stand words that few people know, and more names
MIN_LETTERS = 4  # shorter words are names in some language
SPELLINGS = {"english", "american", "british", "british_z", "canadian", "australian"}
SCOWL = "usr/share/dict/scowl"
NOUNS = "usr/share/wordnet/data.noun"
TAXON = re.compile(r"(?:genus|family)_([A-Z][a-z]+)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lists", type=Path, help="the folder with both packages")
    parser.add_argument("--out", type=Path, default=ORDINARY_WORDS)
    args = parser.parse_args()
    rank, names = builtin_lexicon().rank, listed_names()
    found = {*scowl(args.lists / SCOWL), *taxa(args.lists / NOUNS)}
    known = {word for word in found | rank.keys() if word.islower()}
    words = sorted(
        word
        for word in found
        if len(word) >= MIN_LETTERS and word.isalpha() and word not in names
        and word not in rank and not (word.endswith("s") and word[:-1] in known)
    )  # fmt: skip
    args.out.write_bytes(gzip.compress("\n".join(words).encode(), 9, mtime=0))
    print(f"{len(words):,} words, {args.out.stat().st_size:,} bytes")


def scowl(folder: Path) -> Iterator[str]:
    """Yield words that no spelling writes with a capital."""
    for file in sorted(folder.iterdir()):
        spelling, _, kind = file.stem.partition("-")
        if spelling in SPELLINGS and int(file.suffix[1:]) <= MAX_SIZE:
            for word in file.read_text("latin1").split():
                if kind == "words" and word.islower():
                    yield word


def taxa(file: Path) -> Iterator[str]:
    """Yield genera and families, in small letters."""
    yield from (name.lower() for name in TAXON.findall(file.read_text("utf8")))


if __name__ == "__main__":
    main()
