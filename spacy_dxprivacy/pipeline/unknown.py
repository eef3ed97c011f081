"""What stands in for a selected word that the space does not hold. Never the word itself.

Names, numbers, addresses and misspellings end here, the very words that a reader would look for.
That a word was unknown is visible with all of these but dx.RandomWord.v1 and
dx.Context.v1, with which it can be guessed, as their law is not that of known words; which word it
was is not.
"""

from __future__ import annotations

import re

from ..errors import DxError, Errors
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..validate import fail

REDACTED = "[REDACTED]"
_NUMBER = re.compile(r"[+#]?\d(?:[\d.,:/-]*\d)?%?", re.ASCII)


class Redact:
    """One public text for every unknown word."""

    in_clear: tuple[str, ...] = ("which words the space does not hold",)

    def __init__(self, text: str) -> None:
        self.text = text

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """The same text for each."""
        return [self.text] * len(words)


_BY_LAW = "to some degree, which: what stands for them is drawn by a law of its own"


class RandomWord:
    """A word drawn uniformly from the space. A reader who knows how words are distributed sees that
    uniform ones are rarer: which words were unknown shows to some degree."""

    in_clear: tuple[str, ...] = (
        f"how many words the space does not hold (in the receipt), and {_BY_LAW}",
    )

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Words of the space, drawn uniformly."""
        return [space.words[row] for row in rng.integers(len(space), len(words))]


class Context:
    """A word that fits its sentence, drawn with it as a word that says nothing: its law is the same
    for every unknown word. Where words are drawn alone, a word of the public law."""

    in_context = True
    in_clear: tuple[str, ...] = (
        f"how many words the space does not hold (in the receipt), and {_BY_LAW}",
    )

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        raise DxError(Errors.DX066)


class RandomDigits:
    """Every digit of a number drawn anew, uniformly; all else redacted."""

    in_clear: tuple[str, ...] = (
        "which words the space does not hold",
        "the number of digits and the separators of numbers that the space does not hold",
    )

    def __init__(self, text: str) -> None:
        self.text = text

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Numbers with other digits; the text for all else."""
        return [self._redrawn(w, rng) if _NUMBER.fullmatch(w) else self.text for w in words]

    def _redrawn(self, number: str, rng: Rng) -> str:
        digits = iter(rng.integers(10, len(number)))
        return "".join(str(next(digits)) if c.isdigit() else c for c in number)


class Raise:
    """Refuse documents with an unknown word."""

    in_clear: tuple[str, ...] = ()

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Raises DxError with how many there are, never which."""
        if words:
            raise DxError(Errors.DX036.format(count=len(words)))
        return []


@registry.dx_unknowns("dx.Redact.v1")
def make_redact(text: str = REDACTED) -> Redact:
    """text: what stands for an unknown word; it must not be empty or hold white space."""
    return Redact(_checked(text))


@registry.dx_unknowns("dx.RandomWord.v1")
def make_random_word() -> RandomWord:
    """A uniform draw from the words of the space."""
    return RandomWord()


@registry.dx_unknowns("dx.Context.v1")
def make_context() -> Context:
    """A word drawn in context from the public law of dx.Path.v2, whatever the unknown word was."""
    return Context()


@registry.dx_unknowns("dx.RandomDigits.v1")
def make_random_digits(text: str = REDACTED) -> RandomDigits:
    """text: what stands for an unknown word that is not a number."""
    return RandomDigits(_checked(text))


@registry.dx_unknowns("dx.Raise.v1")
def make_raise() -> Raise:
    """Refuse documents that hold an unknown word, with an error that does not name it."""
    return Raise()


def _checked(text: str) -> str:
    if not isinstance(text, str) or not text or re.search(r"\s", text):
        raise fail("text", "a text without white space", text)
    return text
