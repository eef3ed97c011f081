"""Which mentions can still be read after entity mode, in texts that no rule was written for.

    python benchmarks/entity_readable.py

The texts are those of entity_texts/fresh.txt, with marks within, `{P:Maria Lopez}` for a person. A
word is readable where it stands in the output in its own place, because no mention that was
replaced covers it. Titles, particles and words of form ("years", "hours") do not count. A mention
is readable wholly where all of its words are, in part where one is; of the others, those are
restored whose words all come back. Writes docs/entities/fresh.json and the table of
docs/reference/figures.md.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import spacy
from entity_leaks import LABELS, Example, words_in
from figures import DOCS, write_result
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dxprivacy.entities.surrogates.base import is_same
from spacy_dxprivacy.entities.surrogates.name_forms import TITLES
from spacy_dxprivacy.entities.surrogates.replacements import Replacement
from spacy_dxprivacy.entities.surrogates.table import SurrogateTable
from spacy_dxprivacy.lab.golden import PARTICLES

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
MARK = re.compile(r"\{([A-Z]):([^{}]*)\}")
FORM = {
    *TITLES,
    *PARTICLES,
    *"aged year years old hours hrs am pm cet kl um m s t z id sn no mme fr esq ddj deacon".split(),
    *"paramedic approximately this or bis present".split(),
}
SETTINGS = {
    "recogniser": {"factory": "dx_entity_ruler"},
    "component": {"factory": "dx_entity_sanitizer"},
    "selector": {"@dx_selectors": "dx.Entities.v1", "labels": LABELS},
    "surrogates": {"preset": "standard"},
}


def pipeline() -> Language:
    """Return entity mode as SETTINGS has it."""
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_entity_ruler")
    nlp.add_pipe("dx_entity_sanitizer", config={"selector": SETTINGS["selector"], "seed": 1})
    return nlp


def unmarked(marked: str) -> Example:
    """Return the text without its marks, and the spans that were marked."""
    pieces, spans, place, end = [], [], 0, 0
    for mark in MARK.finditer(marked):
        pieces += [marked[end : mark.start()], mark[2]]
        place += mark.start() - end
        spans.append((NAMES[mark[1]], place, place + len(mark[2])))
        place, end = place + len(mark[2]), mark.end()
    return "".join([*pieces, marked[end:]]), spans


def readable_and_restored(nlp: Language, text: str) -> tuple[set[int], set[int]]:
    """Return where the words begin that come out as they went in, and those that come back."""
    _, sanitizer = nlp.pipeline[-1]
    table, covered = SurrogateTable(), set[int]()

    def keep(doc: Doc, drawn: list[Replacement]) -> list[Replacement]:
        table.add_document(doc, drawn, sanitizer.settings.surrogates)
        for item in drawn:
            span = doc[item.start : item.end]
            if item.text is not None and not is_same(item.text, span.text):
                covered.update(range(span.start_char, span.end_char))
        return drawn

    sanitizer.on_replacements = keep
    words, back = words_in(text), words_in(table.restore(nlp(text).text).text)
    same = SequenceMatcher(None, *([w for *_, w in found] for found in (words, back)), False)
    restored = {
        words[place][0]
        for block in same.get_matching_blocks()
        for place in range(block.a, block.a + block.size)
    }
    return {start for start, _, _ in words if start not in covered}, restored


def main() -> None:
    _, *texts = TEXTS.read_text("utf8").split("=====\n")
    nlp = pipeline()
    mentions, whole, part, restored = (Counter[str]() for _ in range(4))
    for text, spans in (unmarked(text.rstrip("\n")) for text in texts):
        readable, back = readable_and_restored(nlp, text)
        for name, start, end in spans:
            words = words_in(text, start, end)
            distinctive_words = [w for w in words if w[2].lower() not in FORM] or words
            open_ = [word for place, _, word in distinctive_words if place in readable]
            mentions[name] += 1
            whole[name] += len(open_) == len(distinctive_words)
            part[name] += bool(open_)
            restored[name] += not open_ and all(place in back for place, *_ in words)
    rows = []
    for name in NAMES.values():
        count = mentions[name]
        shares = whole[name] / count, part[name] / count, restored[name] / (count - part[name])
        rows.append([name, count, *(round(share, 4) for share in shares)])
    write_result(
        DOCS / "entities" / "fresh.json",
        command="python benchmarks/entity_readable.py",
        settings=SETTINGS,
        data=f"{len(texts)} texts written by hand before their writer had read a rule, and no rule "
        "was written for them (benchmarks/entity_texts/fresh.txt).",
        attacker="a reader of the output, who knows nothing else",
        columns=["label", "mentions", "wholly readable", "any part readable",
                 "of the others restored"],
        rows=rows,
    )  # fmt: skip
    print(*rows, sep="\n")


if __name__ == "__main__":
    main()
