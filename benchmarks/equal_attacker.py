"""Peers at an equal attacker: what each retains where the attack success rate is the same.

    python benchmarks/equal_attacker.py [--at .6] [-m NAME]... [--out FOLDER]

The attacker is that of spacy_dxprivacy/lab/attacks/frontier.py; it knows the frequencies of words
in the texts, which are made up (benchmarks/public.jsonl). Each peer of benchmarks/peers.json is
measured at TRIES times its usual epsilon, and interpolated where the attacker recovers the share
`--at` of the words. It fills redacted places by the words around them. Of an edited text it has the
release that was edited. Writes frontier.csv and frontier.svg, prints the table, and writes it to
docs/experiments/peers.json unless peers are named.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from figures import DOCS, write_result

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.lab.attacks import AttackTarget, SeenRelease, guesses_of, sample_release
from spacy_dxprivacy.lab.attacks.frontier import panels_of
from spacy_dxprivacy.lab.attacks.reading import filled_guess
from spacy_dxprivacy.lab.corpus import corpus_of, read_texts, tokenizer, words_of
from spacy_dxprivacy.lab.mechanisms import make_mechanism
from spacy_dxprivacy.lab.results import NAN, ResultTable, Row, interpolate, plain, text_table

HERE = Path(__file__).parent
SEED, DOCUMENTS = 1, 12
RULES = {"factory": "dx_entity_ruler"}
TRIES = (0.8, 1.0, 1.2, 1.7)
# Mechanisms of words. usual: an epsilon at which half of the words are recovered on the built-in
# space. config: without epsilon.
WORDS: dict[str, Any] = json.loads((HERE / "peers.json").read_bytes())
EDITED = {"path2-edited": "path2"}  # by dx.Remap.v1, as post-processing of the same release
REDACTION, PRESIDIO = ALONE = ("redaction", "presidio")
NAMES = (*WORDS, *EDITED, *ALONE)
USUAL = ("path2", "path1", "exponential", "laplace", "custext", *EDITED, *ALONE)
NO_PROMISE = "no guarantee: what the recogniser does not find stays in clear"
PAPERS = {
    REDACTION: "dx_entity_ruler with dx.Redact.v1",
    PRESIDIO: "presidio-analyzer with its own rules and ours in place of a model",
}
COLUMNS = ("mechanism", "epsilon", "kept", "found", "rare_kept", "rare_found", "cosine", "nats")


class Comparison:
    """What peers are measured on, and the releases so far."""

    def __init__(self, space: Space, texts: Sequence[str]) -> None:
        self.texts = texts
        self.target = AttackTarget(space, corpus_of(tokenizer().pipe(texts), space))
        self.released: dict[tuple[str, float], Any] = {}

    def rows(self, name: str) -> list[Row]:
        """Return the row of each release of a peer."""
        if name in ALONE:
            return [self._redacted(name)]
        peer = WORDS[EDITED.get(name, name)]
        epsilons = (float(f"{peer['usual'] * times:.3g}") for times in TRIES)
        return [self._row(name, peer, epsilon) for epsilon in epsilons]

    def _row(self, name: str, peer: Any, epsilon: float) -> Row:
        target, key = self.target, (EDITED.get(name, name), epsilon)
        if key not in self.released:
            mechanism = make_mechanism(peer["config"], target.space, epsilon)
            outputs = sample_release(target.text, mechanism, Rng(SEED)).rows
            guesses = guesses_of(target, outputs, mechanism, SEED + 1)
            self.released[key] = mechanism, outputs, guesses
        mechanism, outputs, guesses = self.released[key]
        if name in EDITED:
            editor: Any = registry.dx_editors.get("dx.Remap.v1")()
            editor.fit(target.space, mechanism)
            text = target.text
            parts = (np.split(rows, text.starts[1:-1]) for rows in (outputs, text.sentences))
            pairs = zip(*parts, strict=True)
            outputs = np.concatenate([editor.edit(rows, mechanism, s) for rows, s in pairs])
        g = mechanism.guarantee
        stated = f"{g}; {g.adjacency}" if g.adjacency else str(g)
        point = target.point((name, g.epsilon), outputs, guesses)
        return {**asdict(point), "guarantee": stated, "unit": g.unit, "source": peer["source"]}

    def _redacted(self, name: str) -> Row:
        """Return the row of a recogniser whose entities are redacted: the rest is in plaintext, and
        gaps are guessed by the words around them."""
        target, nlp, covered = self.target, spacy.blank("en"), []
        nlp.add_pipe("dx_entity_ruler" if name == REDACTION else "dx_presidio")
        for doc in nlp.pipe(self.texts):
            tokens = np.zeros(len(doc), dtype=bool)
            for span in [*doc.ents, *doc.spans.get("presidio", [])]:
                tokens[span.start : span.end] = True
            rows, *_, places = words_of(doc, target.space)
            covered.append(tokens[places[rows >= 0]])
        hidden, text = np.concatenate(covered), target.text
        guess = filled_guess(SeenRelease(text.rows, text.sentences), hidden, target.language)
        point = target.point((name, NAN), text.rows, {"word pairs": guess}, ~hidden)
        return {**asdict(point), "guarantee": NO_PROMISE, "unit": "", "source": PAPERS[name]}


def nearest_of(rows: Sequence[Row], share: float) -> dict[str, Row]:
    """Return the row of each peer at which the attacker recovers about this share."""
    nearest: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: -abs(row["found"] - share)):
        nearest[row["mechanism"]] = row
    return nearest


def at_equal_attacker(rows: Sequence[Row], share: float) -> list[Row]:
    """Return each peer where the attacker recovers this share, or nearest to it."""
    nearest, shown = nearest_of(rows, share), []
    for name in dict.fromkeys(row["mechanism"] for row in rows):
        own = [row for row in rows if row["mechanism"] == name]
        shown += interpolate(own, "found", share) or [nearest[name]]
    return shown


def write_peers(rows: Sequence[Row], shown: Sequence[Row], share: float) -> None:
    """Write the result file and its table in the docs."""
    nearest, first = nearest_of(rows, share), rows[0]
    figures = ("found", "rare_found", "kept", "rare_kept", "cosine")
    stated = {n: str(row["guarantee"]).partition("; ")[0] for n, row in nearest.items()}
    stated |= dict.fromkeys(ALONE, "none")
    write_result(
        DOCS / "experiments" / "peers.json",
        command=f"python benchmarks/equal_attacker.py --at {plain(share)}",
        settings={"runs": [*(WORDS[n]["config"] for n in nearest if n in WORDS), RULES]},
        data=f"{DOCUMENTS} texts of the package, made up: {first['words']} words, {first['rare']} "
        f"of them rare. Interpolated between tries where the attacker recovers {share:.0%} of the "
        "words; of those who never meet it, the try nearest to it.",
        attacker="knows the exact channel (estimated for noise), word pairs, and how often each "
        "word comes in the texts",
        columns=["peer", "guarantee at the nearest try", "recovered", "rare recovered",
                 "unchanged", "rare unchanged", "cosine of words"],
        rows=[
            [row["mechanism"], stated[row["mechanism"]], *(float(f"{row[f]:.4g}") for f in figures)]
            for row in shown
        ],
    )  # fmt: skip


def texts_of(path: Path) -> list[str]:
    """Return DOCUMENTS texts, spread over the file."""
    texts = read_texts(str(path), "text")
    return [texts[i] for i in np.linspace(0, len(texts) - 1, DOCUMENTS).astype(int)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=DOCS / "experiments")
    parser.add_argument("--mechanism", "-m", action="append", choices=NAMES)
    parser.add_argument("--at", type=float, default=0.6)
    options = parser.parse_args()
    comparison = Comparison(Space.builtin(), texts_of(HERE / "public.jsonl"))
    rows = [row for name in options.mechanism or USUAL for row in comparison.rows(name)]
    ResultTable(rows, panels_of(rows)).write(options.out, "frontier", force=True)
    shown = at_equal_attacker(rows, options.at)
    print(text_table(COLUMNS, [[plain(row[name], 4) for name in COLUMNS] for row in shown]))
    if options.mechanism is None:
        write_peers(rows, shown, options.at)


if __name__ == "__main__":
    main()
