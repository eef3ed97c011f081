"""The words of medicine: what lies below illness, anatomy and treatment in WordNet."""

from __future__ import annotations

from builtin_space.wordnet import WordNet

ROOTS = (
    "ill_health", "symptom", "body_part", "medical_procedure", "medicine", "drug_of_abuse",
    "medical_science", "medical_instrument", "diagnostic_procedure", "health_professional",
    "pathology", "body_substance", "hospital", "medical_building", "therapy",
)  # fmt: skip


def medical_words(net: WordNet) -> set[str]:
    """Single words of the synsets below ROOTS, and the adjectives made of them."""
    below: set[str] = set()
    open_list = sorted(s.synset for root in ROOTS for s in net.senses[root] if s.part == "n")
    while open_list:
        key = open_list.pop()
        if key not in below:
            below.add(key)
            open_list += _related(net, key, ("~",))
    below |= {key for noun in sorted(below) for key in _related(net, noun, ("+", "\\"))}
    return {word for key in below for word in net.synsets[key].words if word.islower()}


def _related(net: WordNet, key: str, symbols: tuple[str, ...]) -> list[str]:
    return [target for symbol, target in net.synsets[key].pointers if symbol in symbols]
