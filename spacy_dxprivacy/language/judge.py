"""How surprised a causal model is by texts: nats a word, of one that did not write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .model import LanguageModel


@dataclass(frozen=True)
class Judged:
    """model: its name. before, after: nats of texts as they were and as they became, both divided
    by the number of words (between blanks) that they had."""

    model: str
    before: float
    after: float


def judged(model: LanguageModel, before: Sequence[str], after: Sequence[str]) -> Judged | None:
    """None of texts without a word. The texts are read here and go nowhere."""
    words = sum(len(text.split()) for text in before)
    if not words:
        return None
    nats = [float(model.nats(model.encode(texts)).sum()) / words for texts in (before, after)]
    return Judged(model.name, *nats)
