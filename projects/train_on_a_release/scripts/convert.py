"""Write the texts of a .jsonl file to a .spacy file, with their label as a category. With a second
file, every eighth text goes there: a model is chosen on it, so it has to be of the release too.

    python scripts/convert.py SOURCE TARGET FIELD LABEL [DEV]
"""

import sys
from pathlib import Path

import spacy
import srsly
from spacy.tokens import DocBin

DEV = 8  # every so many texts


def convert(source: Path, target: Path, field: str, label: str, dev: Path | None = None) -> None:
    rows = list(srsly.read_jsonl(source))
    labels = sorted({row[label] for row in rows})
    nlp = spacy.blank("en")
    parts = {target: DocBin(), dev or target: DocBin()}
    for number, (doc, row) in enumerate(
        nlp.pipe(((row[field], row) for row in rows), as_tuples=True)
    ):
        doc.cats = {name: float(name == row[label]) for name in labels}
        parts[dev if dev is not None and number % DEV == 0 else target].add(doc)
    for path, docs in parts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        docs.to_disk(path)


if __name__ == "__main__":
    more = [Path(path) for path in sys.argv[5:]]
    convert(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:5], *more)
