"""What stays readable in court cases of other languages: persons, organisations, places.

    python benchmarks/languages.py fr=echr_fr_dev.tsv es=echr_es_dev.tsv

Files have a token and its label a line, as those of
mariasierro/automatic-anonymization-ECHR-French-Spanish; sentences are joined to
documents of SIZE. The rules were written with the training parts.
Where a pipeline of the language is installed, it is measured beside rules and network. A mention is
readable if a word of it with a capital, that is no title, is left. A wrong name is a span marked
PERSON without a letter of an annotated entity.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from figures import DOCS, write_result
from spacy.tokens import Doc

from spacy_dxprivacy.entities.foreign import is_title
from spacy_dxprivacy.io.build import installed_pipelines, make_pipeline
from spacy_dxprivacy.lab.results import lower, upper
from spacy_dxprivacy.text.language import NAMES
from spacy_dxprivacy.text.mentions import Entity, find_entities

SIZE = 25  # sentences of a document
LABELS = {"PER": "PERSON", "LEGAL_PROFESSIONAL": "PERSON", "ORG": "ORG", "LOC": "GPE"}
COLUMNS = ("texts", "recogniser", "persons", "PERSON readable", "ORG", "places", "wrong names")
_TIGHT_BEFORE = frozenset(",.)]…’'/")
_TIGHT_AFTER = frozenset("([’'/")


def sentences(path: Path) -> Iterator[list[tuple[str, str]]]:
    """Yield sentences of (token, label)."""
    sentence: list[tuple[str, str]] = []
    for line in path.read_text(encoding="utf8").splitlines():
        token, _, label = line.strip().rpartition(" ")
        if token:
            sentence.append((token, label))
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def joined(sentence: list[tuple[str, str]]) -> tuple[str, list[Entity]]:
    """Return a sentence as it was written, and its entities in characters."""
    text, entities = "", list[Entity]()
    for i, (token, label) in enumerate(sentence):
        before = sentence[i - 1][0] if i else ""
        hyphen = "-" in (token, before) and label != "O"
        tight = token[0] in _TIGHT_BEFORE or before[-1:] in _TIGHT_AFTER or hyphen
        text += "" if not i or tight else " "
        if label[2:] in LABELS:
            goes_on = label.startswith("I-") and entities and sentence[i - 1][1] != "O"
            start = entities.pop().start if goes_on else len(text)
            entities.append(Entity(LABELS[label[2:]], start, len(text) + len(token)))
        text += token
    return text, entities


def documents(path: Path) -> list[tuple[str, list[Entity]]]:
    """Return (text, entities) of each SIZE sentences."""
    read = [joined(sentence) for sentence in sentences(path)]
    found = []
    for k in range(0, len(read), SIZE):
        text, entities = "", list[Entity]()
        for part, of_part in read[k : k + SIZE]:
            text += "\n" * bool(text)
            entities += [Entity(e.label, e.start + len(text), e.end + len(text)) for e in of_part]
            text += part
        found.append((text, entities))
    return found


def hidden_in(doc: Doc) -> dict[int, str]:
    """Return place -> label of each character that is recognised."""
    found = find_entities(doc, [*{*LABELS.values()}, "DATE", "ID", "ADDRESS"])
    spans = ((doc[e.start : e.end], e.label) for e in found)
    return {at: label for span, label in spans for at in range(span.start_char, span.end_char)}


def is_readable(text: str, entity: Entity, hidden: dict[int, str]) -> bool:
    """Return whether a word of an entity that names is left."""
    for match in re.finditer(r"[^\W\d_][\w'’-]+\.?", text[entity.start : entity.end]):
        places = range(entity.start + match.start(), entity.start + match.end())
        if match[0][0].isupper() and not is_title(match[0]) and hidden.keys().isdisjoint(places):
            return True
    return False


def measure(language: str, path: Path, model: str | None) -> list[object]:
    """Return the row of a recogniser; model: None for what is used without being named."""
    nlp = make_pipeline(entities="person,org,gpe,date,id,address", model=model)
    texts = documents(path)
    mentions, readable, wrong = Counter[str](), Counter[str](), 0
    with nlp.select_pipes(disable=nlp.pipe_names[-1:]):
        for (text, entities), doc in zip(texts, nlp.pipe(text for text, _ in texts), strict=True):
            hidden = hidden_in(doc)
            for entity in entities:
                mentions[entity.label] += 1
                readable[entity.label] += is_readable(text, entity, hidden)
            inside = {at for e in entities for at in range(e.start, e.end)}
            persons = [doc[e.start : e.end] for e in find_entities(doc, ["PERSON"])]
            wrong += sum(inside.isdisjoint(range(s.start_char, s.end_char)) for s in persons)
    words = sum(len(text.split()) for text, _ in texts)
    name = "rules and network" if model else f"and {installed_pipelines()[language]}"
    shares = [_share(readable[label], mentions[label]) for label in ("PERSON", "ORG", "GPE")]
    part = f"{NAMES[language]}, {path.stem.rpartition('_')[2]}"
    return [part, name, mentions["PERSON"], *shares, f"{1000 * wrong / words:.1f} in 1,000"]


def _share(found: int, of: int) -> str:
    low, high = lower(found, of, 0.025), upper(found, of, 0.025)
    return f"{found / of:.2f} ({low:.2f} to {high:.2f})".replace("0.", ".")


def _bare(item: str) -> str:
    language, _, path = item.partition("=")
    return f"{language}={Path(path).name}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", metavar="LANGUAGE=FILE")
    args = parser.parse_args()
    rows = list[list[object]]()
    for language, _, path in (item.partition("=") for item in args.files):
        models = ["rules,network", None] if language in installed_pipelines() else ["rules,network"]
        rows += [measure(language, Path(path), model) for model in models]
    write_result(
        DOCS / "entities" / "languages.json",
        command="python benchmarks/languages.py " + " ".join(map(_bare, args.files)),
        settings={"rules": {"factory": "dx_entity_ruler"}},
        data="Judgments of the European Court of Human Rights with manual labels (development and "
        "training parts); the rules were written with the training parts.",
        attacker="a reader of the output, who knows nothing else",
        columns=COLUMNS,
        rows=rows,
    )


if __name__ == "__main__":
    main()
