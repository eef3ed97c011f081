"""Inflected forms and their bases, as a dictionary attests them (lemminflect, WordNet's *.exc)."""

from __future__ import annotations

from collections import defaultdict

from builtin_space.sources import FLOOR, log_probabilities
from builtin_space.wordnet import WordNet

# Penn tag -> our form bit
TAGS = {
    "NNS": "plural", "VBD": "past", "VBN": "past_participle", "VBG": "gerund",
    "VBZ": "third_person", "JJR": "comparative", "JJS": "superlative", "RBR": "comparative",
    "RBS": "superlative",
}  # fmt: skip
UNIVERSAL = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}

PEOPLE = 18  # WordNet's file of people
ATTESTED = -18.0  # log-probability above which a rule-made form is believed

Forms = dict[str, list[tuple[str, str, str]]]  # form -> [(base, part of speech, form bit)]
Found = dict[str, set[tuple[str, str, str]]]


def read_forms(net: WordNet, new_words: dict[str, set[str]]) -> Forms:
    """Attested inflected forms of WordNet's single-word lemmas and of new words."""
    import lemminflect

    found: Found = defaultdict(set)
    for lemma in sorted(net.senses):
        if not lemma.isalpha():
            continue
        _add_people(found, lemma, net)
        for part in sorted(net.parts(lemma)) if lemma in net.cased[lemma] else []:
            table = lemminflect.getAllInflections(lemma, UNIVERSAL[part])
            for tag, forms in sorted(table.items()):
                _add(found, lemma, part, tag, forms)
            if not table and part in "nv":
                _add_regular(found, lemma, part)
    for word in sorted(new_words):
        for part in sorted(new_words[word] & set("nva")):
            if word not in net.senses and word.isalpha() and not word.isupper():
                _add_regular(found, word, part)
    return {form: sorted(found[form]) for form in sorted(found)}


def _add_regular(found: Found, lemma: str, part: str) -> None:
    """Rule-made forms of a lemma that the dictionary lacks, where running text has them."""
    import lemminflect

    for tag, forms in sorted(lemminflect.getAllInflectionsOOV(lemma, UNIVERSAL[part]).items()):
        attested = [f for f in forms if log_probabilities().get(f, FLOOR) > ATTESTED]
        _add(found, lemma, part, tag, tuple(attested))


def _add_people(found: Found, lemma: str, net: WordNet) -> None:
    """Plurals of the capitalised kinds of people: Americans, Muslims (but no Mesmers)."""
    title = lemma.capitalize()
    form = title + "s"
    if form.lower() in net.cased or log_probabilities().get(form, FLOOR) <= ATTESTED:
        return
    for sense in net.senses[lemma]:
        synset = net.synsets[sense.synset]
        kinds = {symbol for symbol, _ in synset.pointers}
        if title in synset.words and synset.topic == PEOPLE and "@" in kinds:
            found[form].add((title, "n", "plural"))


def _add(found: Found, lemma: str, part: str, tag: str, forms: tuple[str, ...]) -> None:
    for form in forms if tag in TAGS else ():
        if form != lemma and form.isalpha():
            found[form].add((lemma, part, TAGS[tag]))
