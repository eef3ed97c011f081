"""Which mentions can still be read after entity mode, in texts that no rule was written for.

    python benchmarks/entity_readable.py [--show P]

The texts are those of entity_texts/fresh.txt. A word is readable where it stands in the output in
its own place, because no mention that was replaced covers it. Titles, particles and words of form
("years", "hours") do not count. A mention is readable wholly where all of its words are, in part
where one is. Writes docs/entities/fresh.json and the table of docs/how-to/entities.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import spacy
from entity_leaks import LABELS, MARKS, PARTICLES, unmarked, words_in
from figures import DOCS, write_result
from spacy.tokens import Doc

from spacy_dxprivacy import Rng
from spacy_dxprivacy.entities.surrogates.name import TITLES
from spacy_dxprivacy.entities.surrogates.plain import make_preset
from spacy_dxprivacy.entities.surrogates.standing import stand_in
from spacy_dxprivacy.text.mentions import chosen

TEXTS = Path(__file__).parent / "entity_texts" / "fresh.txt"
NAMES = {
    "P": "person",
    "U": "user name",
    "D": "date",
    "T": "time",
    "Y": "age over 89",
    "A": "street",
    "G": "place",
    "O": "organisation",
    "F": "telephone",
    "I": "identifier",
    "C": "IP address, coordinates",
    "Z": "postal code",
    "E": "mail",
}
FORM = {
    *TITLES,
    *PARTICLES,
    *"aged year years old hours hrs am pm cet kl um m s t z id sn no mme fr esq ddj deacon".split(),
    *"paramedic approximately this or bis present".split(),
}
SETTINGS = {
    "recogniser": {"factory": "dx_entity_ruler"},
    "component": {"factory": "dx_entity_sanitizer"},
    "selector": {"@dx_selectors": "dx.Entities.v2", "labels": LABELS},
    "surrogates": {"preset": "standard"},
}


def readable_words(doc: Doc) -> set[int]:
    """Where the words begin that come out as they went in."""
    preset = {label: one for label, one in make_preset("standard").items() if label in LABELS}
    covered: set[int] = set()
    for piece in stand_in(doc, preset, Rng(seed=1), chosen(doc, LABELS)).pieces:
        span = doc[piece.start : piece.end]
        new = "".join(w + " " * b for w, b in zip(piece.words, piece.spaces, strict=True))
        if new.strip().casefold() != span.text.strip().casefold():
            covered |= set(range(span.start_char, span.end_char))
    return {start for start, _, _ in words_in(doc.text) if start not in covered}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", default="", help="a mark: print its mentions that can be read")
    args = parser.parse_args()
    _, *texts = TEXTS.read_text("utf8").split("=====\n")
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    mentions, whole, part = Counter[str](), Counter[str](), Counter[str]()
    MARKS.update(NAMES)
    for text, spans in (unmarked(text.rstrip("\n")) for text in texts):
        readable = readable_words(nlp(text))
        for name, start, end in spans:
            words = words_in(text, start, end)
            telling = [w for w in words if w[2].lower() not in FORM] or words
            open_ = [word for place, _, word in telling if place in readable]
            mentions[name] += 1
            whole[name] += len(open_) == len(telling)
            part[name] += bool(open_)
            if open_ and name == NAMES.get(args.show):
                print(repr(text[start:end]), open_, repr(text[max(0, start - 30) : end + 20]))
    rows = [
        [name, count, round(whole[name] / count, 4), round(part[name] / count, 4)]
        for name, count in ((name, mentions[name]) for name in NAMES.values())
    ]
    write_result(
        DOCS / "entities" / "fresh.json",
        command="python benchmarks/entity_readable.py",
        settings=SETTINGS,
        data=f"{len(texts)} texts written by hand before their writer had read a rule, and no rule "
        "was written for them (benchmarks/entity_texts/fresh.txt).",
        attacker="a reader of the output, who knows nothing else",
        columns=["label", "mentions", "wholly readable", "any part readable"],
        rows=rows,
    )
    print(*rows, sep="\n")


if __name__ == "__main__":
    main()
