"""What a model learns from a release, by the share of the words that an attacker recovers from it.

    python scripts/tasks.py TEXTS --label FIELD [--author FIELD] --out FOLDER

Linear classifiers on words, word pairs and characters are trained and tested on the originals and
on the release, in all combinations: macro F1 on held-out texts. With --author, they also name the
author of a released text: static, trained on originals; adaptive, trained on releases. The attacker
knows the mechanism, word pairs, and how often each word comes in the texts. FOLDER/tasks.csv has
95 % intervals, and rows that are interpolated where the attacker recovers as much of all.
`-m entities` replaces names, dates and identifiers alone, and leaves the other words to the
attacker. The noise is seeded and the figures are about these texts: release neither.
"""

import argparse
from pathlib import Path

import numpy as np

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.io.build import get_sanitizer, make_pipeline
from spacy_dxprivacy.lab.attacks import (
    AttackTarget,
    SeenRelease,
    guesses_of,
    sample_release,
    share_by_document,
)
from spacy_dxprivacy.lab.attacks.reading import filled_guess
from spacy_dxprivacy.lab.corpus import (
    corpus_of,
    encode_values,
    linear_model,
    macro_f1,
    read_fields,
    sanitizer,
    tokenizer,
    words_of,
)
from spacy_dxprivacy.lab.mechanisms import parse_epsilons
from spacy_dxprivacy.lab.results import Panel, ResultTable, interpolate
from spacy_dxprivacy.mechanisms.named import parse_mechanism

SEED = 1
EPSILONS = {
    "path": [1.05, 0.8, 0.55, 1.5],  # the levels, and one above
    "path policy=training": [1.5, 1.9],
    "cus-text": [3.0],  # as much is recovered at any epsilon
    "laplace": [7.0, 8.5, 10.0],
}
CLEAR, ENTITIES = "plaintext", "entities"
REPLACED = "person,date,gpe,org,phone,id"  # by `entities`, as in the README
TESTED = 0.25  # the share of held-out texts
WORDS = 1000  # that are attacked
EQUAL = (0.5, 0.6)  # recovery rates
# The side that is trained on and the side that is tested on: 0 the originals, 1 the release.
TASK = {"clear to release": (0, 1), "release to clear": (1, 0), "release to release": (1, 1)}
AUTHOR = {"author, static": (0, 1), "author, adaptive": (1, 1)}
PANELS = {
    "release to clear": "trained on the release, tested on clear text",
    "release to release": "trained and tested on the release",
    "author, adaptive": "author named, learned of releases",
}


def split(labels):
    """Return the texts to train on and to test on: a share TESTED of each label."""
    order = np.argsort(labels, kind="stable")  # the texts come in an order of chance
    ranks = np.empty(len(labels), dtype=np.int64)
    ranks[order] = np.arange(len(labels)) - np.searchsorted(labels[order], labels[order])
    tested = ranks < np.maximum(1, np.round(TESTED * np.bincount(labels)[labels]))
    return np.flatnonzero(~tested), np.flatnonzero(tested)


class Study:
    """Texts with labels, split, and the attack on words of the held-out ones."""

    def __init__(self, path, options):
        names = [options.field, options.label, *([options.author] if options.author else [])]
        rows = [*read_fields(path, names)]
        order = np.random.default_rng(SEED).permutation(len(rows))[: options.documents]
        self.space = Space.builtin()
        self.texts, *columns = zip(*(rows[i] for i in order), strict=True)
        classes = [
            encode_values(column, name) for column, name in zip(columns, names[1:], strict=True)
        ]
        self.routes = list(zip(classes, (TASK, AUTHOR), strict=False))
        self.train, self.test = split(classes[0])
        self.tested = [*tokenizer().pipe(self.texts[i] for i in self.test)]
        self.target = AttackTarget(self.space, corpus_of(self.tested, self.space).first(WORDS))

    def row(self, name, epsilon=None):
        """Return the figures of a release. name: a mechanism, CLEAR or ENTITIES."""
        release = {CLEAR: self.clear, ENTITIES: self.entities}.get(name)
        texts, outputs, guesses, guarantee = release() if release else self.sampled(name, epsilon)
        figures = {**self.recovered(outputs, guesses), **self.scores(texts)}
        row = {"mechanism": name, "epsilon": epsilon}
        row |= {figure: value for figure, (value, _, _) in figures.items()}
        for figure, (_, low, high) in figures.items():
            row |= {f"{figure} low": low, f"{figure} high": high}
        return {**row, "rare words": int(self.target.rare.sum()), "guarantee": guarantee}

    def clear(self):
        """Return texts, outputs and guesses of the attacked words, and the guarantee."""
        rows = self.target.text.rows
        return self.texts, rows, [rows], "none"

    def sampled(self, name, epsilon):
        """Return the same of texts whose words a mechanism samples."""
        nlp, mechanism = sanitizer(parse_mechanism(name)[1], epsilon, self.space)
        texts = [doc.text for doc in nlp.pipe(self.texts)]
        outputs = sample_release(self.target.text, mechanism, Rng(SEED)).rows
        guesses = guesses_of(self.target, outputs, mechanism, SEED + 1).values()
        return texts, outputs, [*guesses], str(mechanism.guarantee)

    def entities(self):
        """Return the same of texts whose entities surrogates replace. An attacker fills these in by
        the words around them; all other words are recovered."""
        nlp = make_pipeline(entities=REPLACED, language="en", overrides={"seed": SEED})
        hidden = {}

        def note(doc, items):
            spans = (doc[item.start : item.end] for item in items if item.text is not None)
            places = hidden.setdefault(doc.text, set())
            places.update(at for s in spans for at in range(s.start_char, s.end_char))
            return items

        get_sanitizer(nlp).on_replacements = note
        texts, text = [doc.text for doc in nlp.pipe(self.texts)], self.target.text
        gaps = []
        for doc in self.tested:
            rows, _, _, places = words_of(doc, self.space)
            of_doc = hidden.get(doc.text, ())
            gaps += [doc[at].idx in of_doc for at in places[rows >= 0].tolist()]
        gaps = np.array(gaps[: len(text.rows)])
        seen = SeenRelease(text.rows, text.sentences)
        guess = filled_guess(seen, gaps, self.target.language)
        return texts, np.where(gaps, -1, text.rows), [guess], "none"

    def recovered(self, outputs, guesses):
        """Return the recovery rates of the best attacker, and the share of unchanged words."""
        text, rare = self.target.text, self.target.rare
        right = [guess == text.rows for guess in guesses]
        best = max(right, key=lambda hits: hits.sum())
        best_rare = max(right, key=lambda hits: hits[rare].sum())
        of_rare = (np.nan, np.nan, np.nan)
        if rare.any():
            of_rare = share_by_document(best_rare[rare], text.doc_of[rare])[:3]
        unchanged = share_by_document(outputs == text.rows, text.doc_of)[:3]
        recovered = share_by_document(best, text.doc_of)[:3]
        return {"recovered": recovered, "rare recovered": of_rare, "unchanged": unchanged}

    def scores(self, texts):
        """Return the macro F1 of each route of the task and of authorship."""
        sides, scores = (self.texts, texts), {}
        for classes, routes in self.routes:
            models = {}
            for name, (trained, tested) in routes.items():
                if trained not in models:
                    known = [sides[trained][i] for i in self.train]
                    models[trained] = linear_model().fit(known, classes[self.train])
                guess = models[trained].predict([sides[tested][i] for i in self.test])
                scores[name] = macro_f1(classes[self.test], np.asarray(guess))
        return scores


def main(arguments=None):
    """Measure all releases, and write the table and the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path, help="a .csv, .tsv or .jsonl file")
    parser.add_argument("--label", required=True, help="field with the class of a text")
    parser.add_argument("--author", help="field with the author of a text")
    parser.add_argument("--field", default="text", help="field that holds the text")
    parser.add_argument("--documents", type=int, default=4000, help="number of texts")
    parser.add_argument("--mechanism", "-m", action="append", help="in place of those here")
    parser.add_argument("--epsilon", "-e", help="LOW:HIGH:STEPS, or a list 1,2,5")
    shares = "interpolate where these shares of the words are recovered"
    parser.add_argument("--at", type=float, nargs="+", default=EQUAL, help=shares)
    parser.add_argument("--out", type=Path, default=Path("output/tasks"))
    options = parser.parse_args(arguments)
    study = Study(options.texts, options)
    clear, releases = study.row(CLEAR), []
    for name in options.mechanism or [*EPSILONS, ENTITIES]:
        chosen = parse_epsilons(options.epsilon) if options.epsilon else EPSILONS.get(name)
        for epsilon in [None] if name == ENTITIES else chosen or EPSILONS["path"]:
            releases.append(study.row(name, epsilon))
            recovered = releases[-1]["recovered"]
            at = "" if epsilon is None else f", epsilon {epsilon:g}"
            print(f"{name}{at}: {recovered:.0%} recovered", flush=True)
    equal = [
        {**row, "guarantee": f"interpolated at recovered {share:g}"}
        for share in options.at
        for row in interpolate(releases, "recovered", share)
    ]
    ordered = sorted(releases, key=lambda row: row["recovered"])
    lines = [*ordered, *({**clear, "recovered": ordered[i]["recovered"]} for i in (0, -1))]
    label = "words recovered by an attacker"
    panels = [
        Panel(f"macro F1, {title}", lines, ("recovered", column), "mechanism", label)
        for column, title in PANELS.items()
        if column in clear
    ]
    table = ResultTable([clear, *releases, *equal], panels, digits=4)
    table.write(options.out, "tasks", force=True)


if __name__ == "__main__":
    main()
