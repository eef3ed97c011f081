"""Releases, their edits by word pairs, and their rewrites by a language model behind an endpoint.

    python benchmarks/rewriting.py http://127.0.0.1:8080 MODEL notes=FILE,COLUMN \
        posts=FILE,COLUMN,LABEL ... [--size 200] [--unlabelled 40]

FILE is .csv, and a column a name or a number from 1. The default mechanism samples each text, and
the seeds of a row are equal, so that an edit and a rewrite are those of one release. The judge is a
model of three words, learned from the half of each file that is not released. The linear model
behind the F1 is trained on the texts of a row, and tested on unmodified ones of the other half.
With --show, some texts are printed in all forms. Writes docs/experiments/rewriting.json, in which
the rows of texts of other names stay if they are of the same model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from both import Judge
from figures import DOCS, write_result

from spacy_dxprivacy import Space
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.lab.attacks.language import RARE
from spacy_dxprivacy.lab.attacks.whole import link_texts, words_in
from spacy_dxprivacy.lab.corpus import encode_values, linear_model, macro_f1, read_fields
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.prior.builtin import frequency_of

MIN_WORDS, MAX_WORDS, TESTED = 5, 60, 1000
RELEASE, EDIT, REWRITE = "release", "edited by word pairs", "rewritten"
COLUMNS = [
    "texts", "form", "excess nats a word", "cosine", "words unchanged", "rare words there",
    "rare words back", "linked", "F1",
]  # fmt: skip


@dataclass(frozen=True)
class Texts:
    """The texts of a file, and those of its other half, with their classes, if any."""

    name: str
    released: Sequence[str]
    others: Sequence[str]
    classes: Any = None
    other_classes: Any = None


@dataclass
class Forms:
    """The texts of each form, and how many paragraphs the model rewrote and how many stay."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    rewritten: int = 0
    refused: int = 0


def read(given: str, size: int) -> Texts:
    """Return the texts of NAME=FILE,COLUMN or NAME=FILE,COLUMN,LABEL."""
    name, _, rest = given.partition("=")
    path, *columns = rest.split(",")
    rows = [
        (" ".join(text.split()[:MAX_WORDS]), *label)
        for text, *label in read_fields(Path(path), columns)
        if len(text.split()) >= MIN_WORDS
    ]
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    sides = rows[0::2][:size], rows[1::2][:TESTED]
    texts = [[row[0] for row in side] for side in sides]
    if len(columns) == 1:
        return Texts(name, *texts)
    labels = encode_values([row[1] for side in sides for row in side], columns[1])
    return Texts(name, *texts, *np.split(labels, [len(sides[0])]))


def forms_of(texts: Sequence[str], url: str, model: str) -> Forms:
    """Return the texts in each form."""
    forms = Forms({"original": list(texts)})
    editor = {"editor.@dx_editors": "dx.Remap.v1"}
    endpoint = {"rewrite": url, "rewrite_model": model}
    for form, more, settings in ((RELEASE, {}, {}), (EDIT, editor, {}), (REWRITE, {}, endpoint)):
        nlp = make_pipeline(language="en", overrides={"seed": 1, **more}, **settings)
        docs = list(nlp.pipe(texts, batch_size=len(texts)))
        forms.texts[form] = [doc.text for doc in docs]
        counts = [doc._.dx["count"].get("rewrites", {}) for doc in docs]
        forms.rewritten += sum(count.get("rewritten", 0) for count in counts)
        forms.refused += sum(count.get("refused", 0) for count in counts)
    return forms


def cosine(before: Sequence[str], after: Sequence[str], space: Space) -> float:
    """Return the mean cosine of the mean vectors of texts."""
    cosines = []
    for pair in zip(words_in(before), words_in(after), strict=True):
        rows = [[row for row in map(space.find, words) if row >= 0] for words in pair]
        if all(rows):
            u, v = (space.vectors[some].mean(axis=0) for some in rows)
            cosines.append(u @ v / np.linalg.norm(u) / np.linalg.norm(v))
    return float(np.mean(cosines))


def rare_words(before: Sequence[str], after: Sequence[str], space: Space) -> list[bool]:
    """Return for each rare word of the originals whether the new text has it."""
    frequency = frequency_of(space)
    there = []
    for old, new in zip(words_in(before), words_in(after), strict=True):
        rows = {word: space.find(word) for word in set(old)}
        there += [word in new for word, row in sorted(rows.items())
                  if row >= 0 and frequency[row] < RARE]  # fmt: skip
    return there


def rows_of(texts: Texts, forms: Forms, space: Space) -> list[list[str]]:
    original, judge, rows = forms.texts["original"], Judge(texts.others), list[list[str]]()
    released = np.array(rare_words(original, forms.texts[RELEASE], space))
    for form, new in forms.texts.items():
        link, kept, _ = link_texts(original, new, (form, float("nan")))
        there = np.array(rare_words(original, new, space))
        f1 = "–"
        if texts.classes is not None:
            guess = linear_model().fit(new, texts.classes).predict(texts.others)
            value, low, high = macro_f1(texts.other_classes, guess)
            f1 = f"{value:.2f} ({low:.2f} to {high:.2f})"
        is_new = form not in ("original", RELEASE)
        rows.append([
            texts.name, form, f"{judge.excess(new, original):+.2f}",
            f"{cosine(original, new, space):.2f}", f"{kept.value:.2f}", f"{there.mean():.2f}",
            f"{(there & ~released).sum()} of {(~released).sum()}" if is_new else "–",
            f"{link.value:.2f} ({link.low:.2f} to {link.high:.2f})", f1,
        ])  # fmt: skip
        print(*rows[-1], sep=" | ", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("url", help="base URL of an OpenAI-compatible endpoint")
    parser.add_argument("model", help="name of its model")
    parser.add_argument("texts", nargs="+", help="NAME=FILE,COLUMN or NAME=FILE,COLUMN,LABEL")
    parser.add_argument("--size", type=int, default=200, help="released texts of a file")
    parser.add_argument("--unlabelled", type=int, default=40, help="the same without labels")
    parser.add_argument("--show", type=int, default=0, help="number of texts to print in each form")
    options = parser.parse_args()
    space = Space.builtin()
    for given in options.texts:
        texts = read(given, options.size if given.count(",") > 1 else options.unlabelled)
        forms = forms_of(texts.released, options.url, options.model)
        for number in range(options.show):
            print(*(f"{form}: {new[number]}" for form, new in forms.texts.items()), sep="\n")
        write(texts, forms, rows_of(texts, forms, space), options.model)


def write(texts: Texts, forms: Forms, rows: list[list[str]], model: str) -> None:
    """Write the rows of some texts beside those of others."""
    path = DOCS / "experiments" / "rewriting.json"
    saved = json.loads(path.read_text("utf8")) if path.exists() else {"settings": {}}
    others = saved if saved["settings"].get("model") == model else {"settings": {}, "rows": []}
    counts = others["settings"].get("paragraphs", {})
    counts[texts.name] = f"{forms.rewritten} of {forms.rewritten + forms.refused}"
    kept = [row for row in others["rows"] if row[0] != texts.name]
    rewrites = ", ".join(f"{count} {name}" for name, count in counts.items())
    names = " ".join(f"{name}=FILE" for name in counts)
    write_result(
        path,
        command=f"python benchmarks/rewriting.py URL {model} {names}",
        settings={
            "default": DEFAULT_CONFIG["mechanism"],
            "factory": "dx_rewriter",
            "@dx_editors": "dx.Remap.v1",
            "model": model,
            "paragraphs": counts,
        },
        data=f"The first {MAX_WORDS} words of texts of {MIN_WORDS} or more. The model {model} "
        f"rewrote {rewrites}; the other paragraphs stay as released, since no answer was faithful. "
        "Rare words are below 1e-5 in web text; back are those that a form has and the release "
        "lacks.",
        attacker="for linking, TF-IDF with all originals of the row",
        columns=COLUMNS,
        rows=[*kept, *rows],
    )


if __name__ == "__main__":
    main()
