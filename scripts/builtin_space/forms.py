"""Inflected forms and their bases, as a dictionary attests them (lemminflect, WordNet's *.exc)."""

from __future__ import annotations

from collections import defaultdict

from builtin_space.wordnet import WordNet

# Penn tag -> our form bit
TAGS = {
    "NNS": "plural",
    "VBD": "past",
    "VBN": "past_participle",
    "VBG": "gerund",
    "VBZ": "third_person",
    "JJR": "comparative",
    "JJS": "superlative",
    "RBR": "comparative",
    "RBS": "superlative",
}
UNIVERSAL = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}

Forms = dict[str, list[tuple[str, str, str]]]  # form -> [(base, part of speech, form bit)]


def read_forms(net: WordNet) -> Forms:
    """Attested inflected forms of WordNet's single-word lemmas."""
    import lemminflect

    found: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for lemma in sorted(net.senses):
        if not lemma.isalpha():
            continue
        for part in sorted(net.parts(lemma)):
            table = lemminflect.getAllInflections(lemma, UNIVERSAL[part])
            for tag, forms in sorted(table.items()):
                _add(found, lemma, part, tag, forms)
    return {form: sorted(found[form]) for form in sorted(found)}


def _add(
    found: dict[str, set[tuple[str, str, str]]],
    lemma: str,
    part: str,
    tag: str,
    forms: tuple[str, ...],
) -> None:
    if tag not in TAGS:
        return
    for form in forms:
        if form != lemma and form.isalpha():
            found[form].add((lemma, part, TAGS[tag]))
