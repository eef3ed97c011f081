"""What recognisers leave readable, and what they take besides: one table of all.

    python benchmarks/entity_recognisers.py PRESIDIO_SYNTH_JSON [--ner PIPELINE]

The texts are the generated sentences of presidio-research (synth_dataset_v2.json) and
entity_texts/held_out.jsonl, which was written before the recogniser was trained. Recognisers are
read as `dx_entity_sanitizer` reads it: labels mapped, further mentions of a name included. `--ner`
is a pipeline of spaCy with an `ner`. Figures are those of entity_leaks.py; *places* are towns,
countries and streets, *other words* those of no entity that stand-ins change.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import spacy
from entity_leaks import LABELS, RIGHT, Example, Tally, add, read
from figures import DOCS, write_result
from presidio_analyzer import AnalyzerEngine
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_dxprivacy.entities.surrogates.name_forms import TITLES
from spacy_dxprivacy.entities.tables import LISTED
from spacy_dxprivacy.integrations.presidio.component import SPANS_KEY, DxPresidio
from spacy_dxprivacy.integrations.presidio.plugins import nlp_engine
from spacy_dxprivacy.lab import golden
from spacy_dxprivacy.text.mentions import chosen

HELD_OUT = Path(__file__).parent / "entity_texts" / "held_out.jsonl"
RULES, NETWORK = "dx_entity_ruler", "dx_entity_recognizer"
TIMED = 200_000  # words, in two processes
PLACES = ("GPE", "STREET_ADDRESS")
COLUMNS = [
    "texts",
    "recogniser",
    "PERSON readable",
    "ORG",
    "places",
    "dates",
    "PERSON precision",
    "other words",
    "words/s, two processes",
]


def recognisers(ner: Path | None) -> dict[str, Language]:
    """Return the pipelines by name."""
    made = {name: spacy.blank("en") for name in ("rules", "network", "rules and network")}
    for name in ("rules", "rules and network"):
        made[name].add_pipe(RULES)
    for name in ("network", "rules and network"):
        made[name].add_pipe(NETWORK)
    if ner is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # W095: trained with another version
            made[ner.name] = spacy.load(ner)
    made["presidio's rules"] = spacy.blank("en")
    analyzer = AnalyzerEngine(nlp_engine=nlp_engine(spacy.blank("en")))
    presidio = DxPresidio(analyzer=analyzer)
    Language.component("presidio_rules", func=presidio)
    made["presidio's rules"].add_pipe("presidio_rules")
    return made


def as_replaced(doc: Doc) -> Doc:
    """Return the Doc with the entities that a sanitizer would replace."""
    found = chosen(doc, LABELS, spans_key=SPANS_KEY)
    doc.ents = tuple(Span(doc, start, end, label=label) for label, start, end in found)
    return doc


def measured(nlp: Language, examples: list[Example]) -> list[Any]:
    """Return the figures of a row."""
    texts = [text for text, _ in examples]
    docs = list(nlp.pipe(texts))
    words = sum(map(len, docs))
    many = texts * (1 + TIMED // words)
    began = time.perf_counter()
    list(nlp.pipe(many, n_process=2))
    speed = words * len(many) / len(texts) / (time.perf_counter() - began)
    tally = Tally()
    for (_, spans), doc in zip(examples, docs, strict=True):
        merged = [("GPE" if kind in PLACES else kind, start, end) for kind, start, end in spans]
        add(tally, as_replaced(doc), merged, set(LABELS), "", through=True)
    kinds = ("PERSON", "ORGANIZATION", "GPE", "DATE_TIME")
    shares = [tally.leaking[kind] / tally.documents[kind] for kind in kinds]
    shares += [tally.right["PERSON"] / max(tally.marked["PERSON"], 1)]
    shares += [tally.changed / tally.others]
    return [*(round(share, 4) for share in shares), f"{speed:,.0f}"]


def main() -> None:
    """Measure all, and write the result file and its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--ner", type=Path)
    args = parser.parse_args()
    # "Nurse" names nobody
    golden.PARTICLES |= {*TITLES, *LISTED["TITLE"], *LISTED["ROLE"]}
    RIGHT["DATE"] = RIGHT["TIME"] = {"DATE_TIME", "TIME", "AGE"}
    RIGHT["ADDRESS"] |= {"GPE"}
    sets = {"written": read(HELD_OUT, "all"), "generated": read(args.data, "all")}
    rows = []
    for texts, examples in sets.items():
        for name, nlp in recognisers(args.ner).items():
            rows.append([texts, name, *measured(nlp, examples)])
            print(*rows[-1], sep=" | ", flush=True)
    write_result(
        DOCS / "entities" / "recognisers.json",
        command="python benchmarks/entity_recognisers.py synth_dataset_v2.json --ner PIPELINE",
        settings={"rules": {"factory": RULES}, "network": {"factory": NETWORK}},
        data=f"{len(sets['generated'])} generated sentences of presidio-research; "
        f"{len(sets['written'])} texts written by hand before the network was trained "
        "(benchmarks/entity_texts/held_out.jsonl). Neither was seen in training.",
        attacker="a reader of the output, who knows nothing else",
        columns=COLUMNS,
        rows=rows,
    )


if __name__ == "__main__":
    main()
