"""WordNet 3.0's database files (wndb(5WN)) as plain Python values."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


@dataclass(frozen=True)
class Synset:
    """One synset; ``pointers`` are (symbol, target key) and ``key`` is part of speech + offset."""

    key: str
    part: str
    topic: int
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str], ...]
    definition: str
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Sense:
    """A lemma's sense: the synset's key, its rank (1 is the commonest) and its SemCor count."""

    synset: str
    part: str
    rank: int
    count: int


@dataclass
class WordNet:
    """``senses`` is keyed by the lower-case lemma, in which a space is an underscore."""

    synsets: dict[str, Synset] = field(default_factory=dict)
    senses: dict[str, list[Sense]] = field(default_factory=dict)
    exceptions: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    cased: dict[str, set[str]] = field(default_factory=dict)

    def parts(self, lemma: str) -> set[str]:
        return {sense.part for sense in self.senses.get(lemma, ())}


def read_wordnet(folder: Path) -> WordNet:
    """Reads data.*, index.sense and *.exc of ``folder`` (Debian: /usr/share/wordnet)."""
    net = WordNet()
    for name, part in PARTS.items():
        _read_data(folder / f"data.{name}", part, net)
        _read_exceptions(folder / f"{name}.exc", part, net)
    _read_senses(folder / "index.sense", net)
    for synset in net.synsets.values():
        for word in synset.words:
            net.cased.setdefault(word.lower(), set()).add(word)
    return net


def _read_data(path: Path, part: str, net: WordNet) -> None:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith(" "):
                synset = _parse_synset(line, part)
                net.synsets[synset.key] = synset


def _parse_synset(line: str, part: str) -> Synset:
    data, _, gloss = line.partition(" | ")
    cells = data.split()
    n_words = int(cells[3], 16)
    words = tuple(re.sub(r"\((a|p|ip)\)$", "", w) for w in cells[4 : 4 + 2 * n_words : 2])
    start = 5 + 2 * n_words
    pointers = tuple(
        (cells[i], _part(cells[i + 2]) + cells[i + 1])
        for i in range(start, start + 4 * int(cells[start - 1]), 4)
    )
    examples = tuple(re.findall(r'"([^"]+)"', gloss))
    definition = re.sub(r'"[^"]*"?', " ", gloss)
    return Synset(part + cells[0], part, int(cells[1]), words, pointers, definition, examples)


def _part(letter: str) -> str:
    return "a" if letter == "s" else letter


def _read_exceptions(path: Path, part: str, net: WordNet) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        form, *bases = line.split()
        for base in bases:
            if base != form:
                net.exceptions.setdefault(form, set()).add((base, part))


def _read_senses(path: Path, net: WordNet) -> None:
    senses: dict[str, list[Sense]] = defaultdict(list)
    kinds = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, offset, rank, count = line.split()
        lemma, _, code = key.partition("%")
        part = kinds[code[0]]
        senses[lemma].append(Sense(part + offset, part, int(rank), int(count)))
    for lemma in sorted(senses):
        net.senses[lemma] = sorted(senses[lemma], key=lambda s: (s.part, s.rank))
