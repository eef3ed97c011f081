"""EuroPriv-Bench (klusai/europriv-bench): tags of a recogniser, and texts with surrogates.

    python examples/boards/europriv.py rows.jsonl predictions.jsonl --model rules,network

A row has `text`, and `spans` with `start`, `end` and `label`, as the board's data sets have them. A
prediction has `tags`, one of BIOES for each word between spaces in the board's labels, and with
--anonymize `anonymized`, the text with surrogates.

The board takes no such file, and no scores: it runs an adapter of its own list, named in a model
card (docs/reference/model-card.md has what a card asks for). `DxAdapter` has the methods of that
list. In a copy of the board, `adapters.BUILDERS["dx"] = DxAdapter` and `europriv run --adapter dx`
score it.

Assumed: numbers of every kind are one label here (ID), and several there. They are sent as
NATIONAL_ID, on which the board's leak rate counts; --id names another. Towns and countries count
as ADDRESS, as in the board's map of AI4Privacy's labels. The format is that of adapters.py,
spans.py and taxonomy.yaml 0.2.0. A text in a language that is not covered has tags, but no
surrogates: an error.
"""

import argparse
import json
import re
from pathlib import Path

from spacy_dxprivacy.io.build import get_sanitizer, make_pipeline
from spacy_dxprivacy.pipeline.preparation import find_mentions, finder_of

LABELS = {
    "PERSON": "PERSON",
    "ADDRESS": "ADDRESS",
    "GPE": "ADDRESS",
    "EMAIL": "EMAIL",
    "PHONE": "PHONE",
    "URL": "URL",
    "DATE": "DATE",
    "TIME": "DATE",
    "SECRET": "SECRET",
    "ORG": "ORG_PARTY",
}


class DxAdapter:
    """What the board calls for each task, with texts in and a list of as many out."""

    name, model_id = "dx", "spacy_dxprivacy"

    def __init__(self, model="rules,network", id_label="NATIONAL_ID"):
        self.labels = {**LABELS, "ID": id_label}
        self.nlp = make_pipeline(entities=list(self.labels), model=model)
        self.sanitizer = get_sanitizer(self.nlp)

    def predict_tags(self, texts):
        """Return the BIOES tags of each text."""
        context = self.sanitizer.fitted.context
        finder = finder_of(context)
        with self.nlp.select_pipes(disable=[self.sanitizer.name]):
            docs = list(self.nlp.pipe(texts))
        tags = []
        for text, doc in zip(texts, docs, strict=True):
            found = find_mentions(doc, finder, context)
            spans = [(label, doc[first:last]) for label, first, last in found]
            places = [(s.start_char, s.end_char, self.labels[label]) for label, s in spans]
            tags.append(bioes(text, places))
        return tags

    def anonymize(self, texts):
        """Return each text with surrogates."""
        return [doc.text for doc in self.nlp.pipe(texts)]


def bioes(text, spans):
    """Return a tag for each word between spaces; a word of two spans is of the first."""
    words = [match.span() for match in re.finditer(r"\S+", text)]
    tags = ["O"] * len(words)
    for start, end, label in spans:
        inside = [i for i, (a, b) in enumerate(words) if a < end and start < b and tags[i] == "O"]
        for i in inside:
            tags[i] = f"I-{label}"
        if len(inside) == 1:
            tags[inside[0]] = f"S-{label}"
        elif inside:
            tags[inside[0]], tags[inside[-1]] = f"B-{label}", f"E-{label}"
    return tags


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=Path, help="a .jsonl file of the board's rows")
    parser.add_argument("predictions", type=Path, help="a .jsonl file, a line for each row")
    parser.add_argument("--model", default="rules,network", help="as for dx sanitize")
    parser.add_argument("--id", default="NATIONAL_ID", help="the board's label for numbers")
    parser.add_argument("--anonymize", action="store_true", help="write the texts as well")
    given = parser.parse_args()
    lines = given.rows.read_text(encoding="utf8").splitlines()
    texts = [json.loads(line)["text"] for line in lines if line.strip()]
    adapter = DxAdapter(given.model, given.id)
    predictions = [{"tags": tags} for tags in adapter.predict_tags(texts)]
    if given.anonymize:
        for prediction, text in zip(predictions, adapter.anonymize(texts), strict=True):
            prediction["anonymized"] = text
    with given.predictions.open("w", encoding="utf8") as out:
        out.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in predictions)


if __name__ == "__main__":
    main()
