"""How surprised a causal model is by texts: nats a word, of one that did not write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...language.model import LanguageModel


@dataclass(frozen=True)
class Judged:
    """model: its name. before, after: nats of texts as they were and as they became, both divided
    by the number of words (between blanks) that they had. is_editor: whether it is the model that
    the texts were edited by, which judges its own work."""

    model: str
    before: float
    after: float
    is_editor: bool = False


def judged(model: LanguageModel, before: Sequence[str], after: Sequence[str]) -> Judged | None:
    """None of texts without a word. The texts are read here and go nowhere."""
    words = sum(len(text.split()) for text in before)
    if not words:
        return None
    nats = [nats_a_word(model, texts, words) for texts in (before, after)]
    return Judged(model.name, nats[0], nats[1])


def nats_a_word(model: LanguageModel, texts: Sequence[str], words: int) -> float:
    """Of all texts together, divided by a number of words."""
    return float(model.nats(model.encode(texts)).sum()) / words
