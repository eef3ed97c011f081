"""Policies replace selected words that the space lacks.

Words that the space lacks are names, numbers, addresses and misspellings: what an attacker looks
for. No policy releases the word itself. All but dx.RandomWord.v1 and dx.Context.v1 show which words
were unknown. With these two it can be guessed, since replacements have a distribution of their own;
the word itself cannot.
"""

from __future__ import annotations

import re

from ..errors import DxError, Errors
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..validate import fail

REDACTED = "[REDACTED]"
UNKNOWN_SHOWN = "which words the space does not contain"
_NUMBER = re.compile(r"[+#]?\d(?:[\d.,:/-]*\d)?%?", re.ASCII)
# At most 40 characters, a digit, no four letters in a row (a word) and no two marks (an emoticon).
_CODE = re.compile(
    r"(?!.{41})(?=\D*\d)(?!.*[a-z]{4}|.*[^a-z0-9]{2})[a-z0-9+#.,:;/_%*()\-]+", re.A | re.I
)
_CLOCK = re.compile(r"[\d:.]+[ap]m", re.A | re.I)
_UNKNOWN_GUESSED = (
    "how many words the space does not contain (in the receipt), and to some degree which: their "
    "replacements have a distribution of their own"
)


@registry.dx_unknowns("dx.Redact.v1")
class Redact:
    """Replace every unknown word by one text.

    Args:
        text: The replacement, not empty and without white space.
    """

    in_clear: tuple[str, ...] = (UNKNOWN_SHOWN,)

    def __init__(self, text: str = REDACTED) -> None:
        if not isinstance(text, str) or not text or re.search(r"\s", text):
            raise fail("text", "a text without white space", text)
        self.text = text

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return the same text for each word."""
        return [self.text] * len(words)


@registry.dx_unknowns("dx.RandomWord.v1")
class RandomWord:
    """Sample a word uniformly from the space.

    Uniform words are rarer than those of a text, so a reader can partly infer which were unknown.
    """

    in_clear: tuple[str, ...] = (_UNKNOWN_GUESSED,)

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return words of the space, drawn uniformly."""
        return [space.words[row] for row in rng.integers(len(space), len(words))]


@registry.dx_unknowns("dx.Context.v1")
class Context(RandomWord):
    """Sample words that fit their sentence, and each digit and letter of codes uniformly.

    A code has a digit, no four letters in a row and no two marks in a row (0142, 12/31/2024,
    A1234567). The output depends on the form of a code, and on nothing else of an unknown word.
    Word-level sampling has no sentence, and draws words uniformly from the space.
    """

    in_context = True
    in_clear: tuple[str, ...] = (
        _UNKNOWN_GUESSED,
        "the form of numbers and codes that the space does not contain: digits, letters, capitals, "
        "marks, and times of day",
    )

    def keeps_form(self, word: str) -> bool:
        """Return whether a word is a number or code, whose form `replace` keeps."""
        return _CODE.fullmatch(word) is not None

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return codes of the same form for codes, and uniform words of the space for others."""
        drawn = super().replace(words, space, rng)
        for i, word in enumerate(words):
            if self.keeps_form(word):
                # Uniform below 260 is uniform below 10 and below 26.
                numbers = rng.integers(260, len(word)).tolist()
                drawn[i] = "".join(map(_redrawn, word, numbers))
                if _CLOCK.fullmatch(word):
                    drawn[i] = drawn[i][:-2] + ("am", "pm")[numbers[-1] % 2]
        return drawn


def _redrawn(character: str, number: int) -> str:
    if character.isdigit():
        return str(number % 10)
    if not character.isalpha():
        return character
    letter = chr(ord("a") + number % 26)
    return letter.upper() if character.isupper() else letter


@registry.dx_unknowns("dx.RandomDigits.v1")
class RandomDigits(Redact):
    """Sample the digits of unknown numbers uniformly; replace all other unknown words by one text.

    Args:
        text: The replacement, not empty and without white space.
    """

    in_clear: tuple[str, ...] = (
        UNKNOWN_SHOWN,
        "the number of digits and the separators of numbers that the space does not contain",
    )

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return numbers with other digits, and the text for other words."""
        replaced = super().replace(words, space, rng)
        for i, word in enumerate(words):
            if _NUMBER.fullmatch(word):
                digits = map(str, rng.integers(10, len(word)))
                replaced[i] = "".join(next(digits) if c.isdigit() else c for c in word)
        return replaced


@registry.dx_unknowns("dx.Raise.v1")
class Raise:
    """Raise an error for documents with unknown words, without naming these."""

    in_clear: tuple[str, ...] = ()

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Raise DxError with the number of unknown words."""
        if words:
            raise DxError(Errors.DX036.format(count=len(words)))
        return []
