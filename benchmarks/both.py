"""Surrogates and sampling together against words alone, at an equal attacker.

    python benchmarks/both.py notes=FILE talks=FILE ... [--labels NAME=TRAIN,TEST]

"Both" gives the mentions that the recogniser marks surrogates, and samples all other words; "words"
samples every word. Texts are .jsonl with a field `text`, and a field `names` (character spans of
persons) where these are known. The attacker has word pairs, the word frequencies of these texts,
and the mechanism; a mention that got a surrogate is filled in by what follows the words before it,
since its surrogate was drawn without a look at it, and a mention in plaintext counts as recovered.
The judge is a model of three words that was learned from texts of the same kind, half of each
file, which are neither released nor used by the prior or the editor. Writes
docs/experiments/both.json.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import spacy
import srsly
from figures import DOCS, write_result
from spacy.tokens import Doc

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.lab.attacks.frontier import AttackTarget, guesses_of
from spacy_dxprivacy.lab.attacks.reading import SeenRelease, filled_guess
from spacy_dxprivacy.lab.corpus import (
    EncodedCorpus,
    encode_values,
    linear_model,
    macro_f1,
    read_fields,
    sample_release,
    words_of,
)
from spacy_dxprivacy.lab.mechanisms import make_mechanism
from spacy_dxprivacy.lab.results import share_by_document
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

TOKENIZER = spacy.blank("en").tokenizer
WORDS, TOKENS = 1000, 60
EPSILON, EPSILONS = 0.8, (0.8, 0.85)
FILLED, KEPT = 1, 2  # of each word in both: a surrogate stands there, it is in plaintext
COLUMNS = [
    "texts", "mode", "epsilon", "recovered", "rare recovered", "names recovered",
    "excess nats a word", "words a second",
]  # fmt: skip


class Judge:
    """An interpolated model of three words (Witten and Bell 1991)."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.after: dict[tuple[str, ...], Counter[str]] = {}
        for text in texts:
            words = self.words(text)
            for i, word in enumerate(words):
                for length in range(3):
                    before = tuple(words[max(0, i - length) : i])
                    self.after.setdefault(before, Counter())[word] += 1

    @staticmethod
    def words(text: str) -> list[str]:
        return [token.lower_ for token in TOKENIZER(text) if not token.is_space]

    def nats(self, text: str) -> tuple[float, int]:
        """The negative log-likelihood of a text, and its words."""
        words, types = self.words(text), len(self.after[()]) + 1
        total = 0.0
        for i, word in enumerate(words):
            p = 1 / types
            for length in range(3):
                counts = self.after.get(tuple(words[max(0, i - length) : i]))
                if counts:
                    n, kinds = counts.total(), len(counts)
                    p = (counts[word] + kinds * p) / (n + kinds)
            total -= float(np.log(p))
        return total, len(words)

    def excess(self, releases: Sequence[str], texts: Sequence[str]) -> float:
        """Nats a word of releases beyond their originals."""
        sums = [np.sum([self.nats(text) for text in side], axis=0) for side in (releases, texts)]
        return float(sums[0][0] / sums[0][1] - sums[1][0] / sums[1][1])


@dataclass(frozen=True)
class Case:
    """Texts as words of the space. mode, is_name: (t,), FILLED or KEPT in both, gold persons."""

    texts: list[str]
    corpus: EncodedCorpus
    mode: Any
    is_name: Any


def case_of(rows: Sequence[dict[str, Any]], space: Space) -> Case:
    """Mark the mentions of each text as the pipeline of both treats them."""
    nlp = make_pipeline(surrogates="standard", overrides={"unknown_language": "redact"})
    marked: list[tuple[Doc, list[Any]]] = []

    def note(doc: Doc, items: list[Any]) -> list[Any]:
        marked.append((doc, items))
        return items

    nlp.get_pipe("dx_sanitizer").on_replacements = note
    parts, modes, names, texts = [], [], [], []
    for row in rows:
        if sum(map(len, modes)) >= WORDS:
            break
        text = spacy.blank("en").tokenizer(row["text"])[:TOKENS].text
        marked.clear()
        nlp(text)
        if not marked or marked[0][0].text != text:
            continue
        doc, items = marked[0]
        mode = np.zeros(len(doc), dtype=int)
        for item in items:
            mode[item.start : item.end] = KEPT if item.text is None else FILLED
        named = [any(a <= t.idx < b for a, b in row.get("names", ())) for t in doc]
        encoded, starts, before, places = words_of(doc, space)
        if not (encoded >= 0).any():
            continue
        known = encoded >= 0
        parts.append((encoded, starts, before))
        modes.append(mode[places][known])
        names.append(np.array(named, dtype=bool)[places][known])
        texts.append(text)
    corpus = EncodedCorpus.of(*zip(*parts, strict=True))
    return Case(texts, corpus, np.concatenate(modes), np.concatenate(names))


def reconstructed(case: Case, target: AttackTarget, epsilon: float, *, both: bool) -> Any:
    """The guess of the strongest attacker at each word, (t,)."""
    mechanism = make_mechanism(DEFAULT_CONFIG["mechanism"], target.space, epsilon)
    text = case.corpus
    if not both:
        out = sample_release(text, mechanism, Rng(1)).rows
        return strongest(guesses_of(target, out, mechanism, 2), text.rows)
    rows = np.where(case.mode > 0, -1, text.rows)
    cuts = text.starts[1:-1]
    drawn = EncodedCorpus.of(np.split(rows, cuts), np.split(text.sentences, cuts))
    of_drawn = AttackTarget(target.space, drawn, text, candidates=target.candidates)
    out = sample_release(drawn, mechanism, Rng(1)).rows
    guess = text.rows.copy()
    guess[case.mode == 0] = strongest(guesses_of(of_drawn, out, mechanism, 2), drawn.rows)
    seen = SeenRelease(guess, text.sentences)
    return filled_guess(seen, case.mode == FILLED, target.language)


def strongest(guesses: dict[str, Any], rows: Any) -> Any:
    return max(guesses.values(), key=lambda guess: (guess == rows).sum())


def interval(measured: tuple[float, float, float, int]) -> str:
    value, low, high, _ = measured
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def release(texts: Sequence[str], epsilon: float, *, both: bool) -> tuple[list[str], float]:
    """The texts of a release, and words a second."""
    how = {"surrogates": "standard" if both else "none", "overrides": {"seed": 1}}
    nlp = make_pipeline(epsilon=epsilon, language="en", **how)
    list(nlp.pipe(texts[:20]))
    start = time.perf_counter()
    docs = list(nlp.pipe(texts))
    return [doc.text for doc in docs], sum(map(len, docs)) / (time.perf_counter() - start)


def rows_of(name: str, case: Case, judge: Judge) -> list[list[str]]:
    target = AttackTarget(Space.builtin(), case.corpus)
    doc_of, rows, true = case.corpus.doc_of, list[list[str]](), case.corpus.rows
    words = reconstructed(case, target, EPSILON, both=False)
    tries = {e: reconstructed(case, target, e, both=True) for e in EPSILONS}
    recovered = (words == true).mean()
    equal = next((e for e in EPSILONS if (tries[e] == true).mean() >= recovered), EPSILONS[-1])
    modes = [("words", EPSILON, words), ("both", EPSILON, tries[EPSILON])]
    modes += [] if equal == EPSILON else [("both", equal, tries[equal])]
    for mode, epsilon, guess in modes:
        right = guess == true
        texts, speed = release(case.texts, epsilon, both=mode == "both")
        every = np.ones(len(true), dtype=bool)
        shares = [
            interval(share_by_document(right[some], doc_of[some])) if some.any() else ""
            for some in (every, target.rare, case.is_name)
        ]
        excess = f"{judge.excess(texts, case.texts):+.2f}"
        rows.append([name, mode, f"{epsilon:g}", *shares, excess, f"{speed:,.0f}"])
        print(*rows[-1], sep=" | ", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="+", help="NAME=FILE, .jsonl with a field text")
    parser.add_argument("--labels", default=[], action="append", help="NAME=TRAIN,TEST with label")
    options = parser.parse_args()
    rows: list[list[str]] = []
    for pair in options.texts:
        name, _, path = pair.partition("=")
        texts = list(srsly.read_jsonl(path))
        judge = Judge(row["text"] for row in texts[1::2])
        rows += rows_of(name, case_of(texts[::2], Space.builtin()), judge)
    scores: list[list[str]] = []
    for pair in options.labels:
        name, _, paths = pair.partition("=")
        (train, labels), (test, truth) = (
            zip(*read_fields(path, ("text", "label")), strict=True) for path in paths.split(",")
        )
        classes = encode_values([*labels, *truth], "label")
        y, gold = classes[: len(labels)], classes[len(labels) :]
        for mode, epsilon in (("before", 0.0), ("words", EPSILON), ("both", EPSILON)):
            texts = train if not epsilon else release(train, epsilon, both=mode == "both")[0]
            model = linear_model().fit(texts, y)
            value, low, high = macro_f1(gold, model.predict(test))
            scores.append([name, mode, f"{epsilon:g}", f"{value:.2f} ({low:.2f} to {high:.2f})"])
            print(*scores[-1], sep=" | ", flush=True)
    write_result(
        DOCS / "experiments" / "both.json",
        command="python benchmarks/both.py "
        + " ".join(f"{pair.partition('=')[0]}=FILE" for pair in options.texts),
        settings={"default": DEFAULT_CONFIG["mechanism"], "epsilons": list(EPSILONS)},
        data=f"The first {TOKENS} tokens of documents, {WORDS:,} words of each file. F1 of a "
        "linear model trained on a release and tested on unmodified texts: "
        + "; ".join(f"{name}, {mode} {value}" for name, mode, _, value in scores)
        + ".",
        attacker="word pairs of English, of the domain and of the prior, with the word frequencies "
        "of these texts; knows which words are surrogates, and fills these in",
        columns=COLUMNS,
        rows=rows,
    )


if __name__ == "__main__":
    main()
