"""Public texts as numbers: read once, cut to sentences by their layout, kept on disk as word ids.

Words are spaCy's tokens that hold a letter or digit, in lower case. A sentence ends at . ! ? ; and
at the end of a line, as in texts that are sanitised; other punctuation is left out.
"""

from __future__ import annotations

import re
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import spacy
from numpy.typing import NDArray

from ..arrays import Ints1d
from ..errors import UsageError
from ..files.limits import MOST_RECORD, parse_json, too_large
from ..tables.readers.source import open_source

ENDINGS = (".txt", ".txt.gz", ".jsonl", ".jsonl.gz")
ENDS = frozenset([".", "!", "?", ";", "...", "\u2026", "?!", "!!", "!!!"])
MOST_WORDS = 2**21  # different ones that are counted; later ones are unknown
HELD_OUT = 10  # every tenth sentence
AT_ONCE = 2**20  # words in memory
STOP = -1  # between sentences
_RUN = re.compile(r"[^\w\s]{33,}")  # spaCy's tokenizer takes them apart one by one, over and over


def read_texts(source: Path, field: str = "text") -> Iterator[str]:
    """Lines of .txt files, and a field of each line of .jsonl files; plain or .gz; of a file or of
    all such files in a folder. Raises UsageError, DxError in one sentence."""
    for path in _files(source):
        json_lines = path.name.removesuffix(".gz").endswith(".jsonl")
        for number, line in _lines(path):
            try:
                text = line.decode("utf-8-sig")
            except UnicodeDecodeError:
                raise UsageError(f"{path}: line {number} is not UTF-8.") from None
            if not json_lines:
                yield text
            elif text.strip():
                yield _field(text, field, f"{path}: line {number}")


def _files(source: Path) -> list[Path]:
    if not source.exists():
        raise UsageError(f"{source}: no such file or folder.")
    if source.is_file():
        if not source.name.endswith(ENDINGS):
            raise UsageError(f"{source}: public texts end in {', '.join(ENDINGS)}.")
        return [source]
    found = sorted(p for p in source.rglob("*") if p.name.endswith(ENDINGS) and p.is_file())
    if not found:
        raise UsageError(f"{source}: holds no file that ends in {', '.join(ENDINGS)}.")
    return found


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with open_source(path) as source:
        number, rest = 0, b""
        for block in source.blocks():
            *lines, rest = (rest + block).split(b"\n")
            if len(rest) > MOST_RECORD:
                raise too_large(f"{path.name}, line {number + 1}", len(rest), MOST_RECORD)
            for line in lines:
                number += 1
                source.place = f"line {number}"
                yield number, line
        yield number + 1, rest


def _field(line: str, field: str, where: str) -> str:
    try:
        entry = parse_json(line)
    except ValueError:
        raise UsageError(f"{where} is not valid JSON.") from None
    if not isinstance(entry, dict) or not isinstance(entry.get(field), str):
        raise UsageError(f"{where} has no text in a field {field!r}.")
    text: str = entry[field]
    return text


@dataclass(frozen=True, eq=False)
class Corpus:
    """words: of which id each is. ids: int32, on disk: the words of each sentence, and STOP."""

    words: list[str]
    ids: NDArray[np.int32]

    def chunks(self) -> Iterator[tuple[Ints1d, bool]]:
        """Ids of whole sentences, each followed by STOP; those that are held out apart (True)."""
        number = 0
        for start, end in self._cuts():
            some = np.array(self.ids[start:end], dtype=np.int64)
            sentence = number + np.concatenate([[0], np.cumsum(some[:-1] == STOP)])
            number = int(sentence[-1]) + 1
            held = sentence % HELD_OUT == HELD_OUT - 1
            yield some[~held], False
            yield some[held], True

    def _cuts(self) -> Iterator[tuple[int, int]]:
        start = 0
        while start < len(self.ids):
            end = min(start + AT_ONCE, len(self.ids))
            while self.ids[end - 1] != STOP:
                end += 1
            yield start, end
            start = end


def collect(texts: Iterable[str], lang: str = "en") -> Corpus:
    """Reads texts once. Memory holds the different words alone."""
    index: dict[str, int] = {"": 0}
    with tempfile.TemporaryFile(prefix="dx-prior-") as file:
        for sentence in _sentences(texts, lang):
            ids = array("i", (_id(word, index) for word in sentence))
            ids.append(STOP)
            file.write(ids.tobytes())
        file.flush()
        if not file.tell():
            return Corpus(list(index), np.zeros(0, dtype=np.int32))
        # The map holds on to the file, which has no name any more and goes with it.
        return Corpus(list(index), np.memmap(file, np.int32, "r"))


def _id(word: str, index: dict[str, int]) -> int:
    found = index.get(word)
    if found is None:
        if len(index) >= MOST_WORDS:
            return 0
        found = index[word] = len(index)
    return found


def _sentences(texts: Iterable[str], lang: str) -> Iterator[list[str]]:
    nlp = spacy.blank(lang)
    for text in texts:
        for line in text.splitlines():
            with nlp.memory_zone():
                tokens = [token.text for token in nlp.tokenizer(_RUN.sub(" ", line))]
            sentence: list[str] = []
            for token in [*tokens, "."]:
                if any(map(str.isalnum, token)):
                    sentence.append(token.lower())
                elif token in ENDS and sentence:
                    yield sentence
                    sentence = []
