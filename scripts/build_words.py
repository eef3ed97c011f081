"""Builds the list of words that are no names, for words that the built-in space lacks.

    apt-get download scowl wordnet-base
    for package in scowl_*.deb wordnet-base_*.deb; do dpkg -x $package lists; done
    python scripts/build_words.py lists

SCOWL's words in small letters of American, British, Canadian and Australian spelling up to its size
70, and the longer ones of WordNet, with its genera and families of plants, animals and microbes.
Left out are words of the space and of the list of names, and plurals of listed words.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from spacy_dxprivacy.entities.words import ORDINARY_WORDS, builtin_lexicon, listed_names

MAX_SIZE = 70  # above it stand lists under other licences, and more names
MIN_LETTERS, MIN_RARE_LETTERS = 4, 6  # shorter words, and rare ones, are names in some language
SPELLINGS = {"english", "american", "british", "british_z", "canadian", "australian"}
SCOWL = "usr/share/dict/scowl"
WORDNET = "usr/share/wordnet"
CLASSES = ("noun", "verb", "adj", "adv")
TAXON = re.compile(r"(?:genus|family)_([A-Z][a-z]+)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lists", type=Path, help="the folder with both packages")
    parser.add_argument("--out", type=Path, default=ORDINARY_WORDS)
    args = parser.parse_args()
    rank, names = builtin_lexicon().rank, listed_names()
    wordnet = args.lists / WORDNET
    found = {*scowl(args.lists / SCOWL), *taxa(wordnet)}
    found |= {word for word in lemmas(wordnet) if len(word) >= MIN_RARE_LETTERS}
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


def taxa(wordnet: Path) -> Iterator[str]:
    """Yield genera and families, in small letters."""
    text = (wordnet / "data.noun").read_text("utf8")
    yield from (name.lower() for name in TAXON.findall(text))


def lemmas(wordnet: Path) -> Iterator[str]:
    """Yield words that are written with small letters, whatever their class."""
    for name in CLASSES:
        for line in (wordnet / f"data.{name}").read_text("utf8").splitlines():
            if not line.startswith(" "):  # as the licence does
                _, _, _, count, *fields = line.split(" ")
                for word in fields[: 2 * int(count, 16) : 2]:
                    if word.islower():
                        yield word.partition("(")[0]


if __name__ == "__main__":
    main()
