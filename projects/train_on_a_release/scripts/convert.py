"""Write the texts of a .jsonl file to a .spacy file, with their label as a category."""

import sys
from pathlib import Path

import spacy
import srsly
from spacy.tokens import DocBin


def convert(source: Path, target: Path, field: str, label: str) -> None:
    rows = list(srsly.read_jsonl(source))
    labels = sorted({row[label] for row in rows})
    nlp = spacy.blank("en")
    docs = DocBin()
    for doc, row in nlp.pipe(((row[field], row) for row in rows), as_tuples=True):
        doc.cats = {name: float(name == row[label]) for name in labels}
        docs.add(doc)
    target.parent.mkdir(parents=True, exist_ok=True)
    docs.to_disk(target)


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
