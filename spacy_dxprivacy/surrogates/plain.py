r"""Stand-ins that draw no value: dx.Mask.v1, dx.Redact.v1, dx.Keep.v1, dx.Words.v1.

dx.Mask.v1    a mark for every letter and digit: its length is in clear, or not (length)
dx.Redact.v1  one text for all, such as [PERSON]: nothing is in clear but that there was one
dx.Keep.v1    the mention as it is, in clear
dx.Words.v1   each word of the mention through the mechanism of the component, by its guarantee
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..guarantee import Guarantee
from ..registries import registry
from ..validate import fail, whole
from .base import NOTHING, Mention, is_same
from .streams import Draws

CONSTANT = Guarantee(
    "approx-dp",
    0.0,
    metric="discrete",
    adjacency="mentions with the same traits in clear, but for those that are the mark already",
    status="proven",
    source="it does not depend on the original",
)
OF_WORDS = Guarantee("none", notes="That of the mechanism of the component, word by word.")


@registry.dx_surrogates("dx.Mask.v1")
def make_mask(mark: str = "*", length: int | None = None) -> Mask:
    """mark: one character that stands for each letter and digit. length: how many marks stand for
    every mention; null shows where letters and digits were."""
    if not isinstance(mark, str) or len(mark) != 1 or mark.isspace() or mark.isalnum():
        raise fail("mark", "one character that is no letter, digit or white space", mark)
    return Mask(mark, None if length is None else whole("length", length, least=1))


@registry.dx_surrogates("dx.Redact.v1")
def make_redact(text: str | None = None) -> Redact:
    """text: what stands for every mention; null is the label in brackets."""
    if text is not None and (not isinstance(text, str) or not text.strip()):
        raise fail("text", "a text, or null for the label", text)
    return Redact(text)


@registry.dx_surrogates("dx.Keep.v1")
def make_keep() -> Keep:
    """Mentions stay as they are."""
    return Keep()


@registry.dx_surrogates("dx.Words.v1")
def make_words() -> Words:
    """The words of mentions go through the mechanism of the component."""
    return Words()


@dataclass(frozen=True)
class Mask:
    """See make_mask."""

    mark: str
    length: int | None

    name = "dx.Mask.v1"
    way = "drawn"
    chance = 0.0
    guarantee = CONSTANT

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return ("the length of masked mentions, and what is no letter or digit in them",) * (
            self.length is None
        )

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Marks for each; what is marks already stays."""
        pairs = [(mention.text, self._marks(mention.text)) for mention in mentions]
        return [None if is_same(text, marks) else marks for text, marks in pairs]

    def _marks(self, text: str) -> str:
        if self.length is not None:
            return self.mark * self.length
        return "".join(c if c.isspace() or c in "-/.,()" else self.mark for c in text)


@dataclass(frozen=True)
class Redact:
    """See make_redact."""

    text: str | None

    name = "dx.Redact.v1"
    way = "drawn"
    chance = 0.0
    in_clear = ()
    guarantee = CONSTANT

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """The same text for each of a label; what is that text already stays."""
        pairs = [(mention, self.text or f"[{mention.label}]") for mention in mentions]
        return [None if is_same(mention.text, text) else text for mention, text in pairs]


@dataclass(frozen=True)
class Keep:
    """See make_keep."""

    name = "dx.Keep.v1"
    way = "kept"
    chance = 1.0
    in_clear = ("mentions that are kept, as they are",)
    guarantee = NOTHING

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """None for each: it stays."""
        return [None] * len(mentions)


@dataclass(frozen=True)
class Words:
    """See make_words."""

    name = "dx.Words.v1"
    way = "words"
    chance = 1.0
    in_clear = ()
    guarantee = OF_WORDS

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """None for each: the mechanism of the component draws its words."""
        return [None] * len(mentions)
