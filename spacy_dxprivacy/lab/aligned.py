"""Word-level alignment of a release with its original, and the words that may have been sampled."""

from __future__ import annotations

import re

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..pipeline.settings import SanitizerSettings
from ..space import Space
from ..space.blocked import substitutes_of
from ..text.spelling import spell

NOT = r"n['\u2019]t\b"
CLITIC = rf"(?=['\u2019]|{NOT})"
WORD = rf"({NOT}|\S+?)"


class SpellingInverse:
    """Maps a released word to rows of a space: spelling and blocked outputs change sampled
    words."""

    def __init__(self, space: Space, settings: SanitizerSettings) -> None:
        self._substitutes = substitutes_of(space) if settings.space.blocks_offensive else {}
        self._preserved = settings.casing == "preserve"
        self._words = space.words
        written = [self._substitutes.get(word, word) for word in space.words]
        self._rows: dict[str, list[int]] = {}
        for row, key in enumerate(self._keys(written)):
            self._rows.setdefault(key, []).append(row)

    def _keys(self, words: list[str]) -> list[str]:
        """Return the lower-case spelling of each word, as a text of its own."""
        n = len(words)
        alone, _ = spell(words, np.zeros(n, dtype=bool), np.ones(n, dtype=bool), np.arange(n))
        return ["a" if word == "An" else word.lower() for word in alone]

    def rows(self, tokens: list[str], place: int) -> list[int]:
        """Return the rows that may have been sampled for a token of a release."""
        token = tokens[place]
        rows = self._rows.get(self._keys([token])[0], [])
        if self._preserved:
            return rows
        drawn = np.arange(len(tokens)) == place
        fixed, written = np.zeros(len(tokens), dtype=bool), []
        for row in rows:
            word = self._words[row]
            words = [*tokens[:place], self._substitutes.get(word, word), *tokens[place + 1 :]]
            if spell(words, fixed, drawn)[0][place] == token:
                written.append(row)
        return written


def aligned_words(doc: Doc, drawn: Bools1d, release: str | Doc) -> list[str] | None:
    """Return the word of the release for each token of the original; None if layouts differ. drawn:
    bool (tokens,), the tokens that were sampled; all others are in plaintext."""
    if isinstance(release, Doc):
        tokens = [token.text for token in release]
    else:
        match = _pattern(doc, drawn.tolist()).fullmatch(release)
        tokens = [] if match is None else list(match.groups())
    if len(tokens) != len(doc):
        return None
    is_plaintext = all(t == old.text for t, old, d in zip(tokens, doc, drawn, strict=True) if not d)
    return tokens if is_plaintext else None


def _pattern(doc: Doc, drawn: list[bool]) -> re.Pattern[str]:
    """Return a pattern with a group for each token. Spelling removes the blank before a clitic, and
    separates words that would run together."""
    parts = []
    for token, free, follows in zip(doc, drawn, [*drawn[1:], False], strict=True):
        parts.append(WORD if free else f"({re.escape(token.text)})")
        blank = " " if token.whitespace_ else ""
        if follows and (free or blank):
            parts.append(f"(?: |{CLITIC})")
        elif free or follows:
            parts.append(blank or " ?")
        else:
            parts.append(blank)
    return re.compile("".join(parts))
