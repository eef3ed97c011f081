"""Nats a word of public language models, on texts that took no part in their making.

    python benchmarks/prior_nats.py notes=notes.jsonl talks=talks.jsonl

-ln q(sentence) over its words, by the sums that sampling uses, for the words that the built-in
space has. The first 6,000 words of each file count. Writes docs/experiments/priors.json.
"""

from __future__ import annotations

import argparse

import numpy as np
from figures import DOCS, write_result

from spacy_dxprivacy import Space
from spacy_dxprivacy.io.build import prior_config
from spacy_dxprivacy.lab.corpus import read_corpus
from spacy_dxprivacy.registries import registry
from spacy_dxprivacy.sampler.draw import InputRows

PRIORS = ("dx.WordPairs.v1", "clinical", "dialogues")
WORDS = 6_000


def nats(prior: str, texts: dict[str, str]) -> list[float]:
    """The nats a word of a prior on each file."""
    space = Space.builtin()
    block = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 1.0, "prior": prior_config(prior)}
    mechanism = registry.resolve({"made": block})["made"]
    mechanism.fit(space)
    found = []
    for path in texts.values():
        corpus = read_corpus(path, space)
        rows, starts = corpus.rows[:WORDS], corpus.sentences[:WORDS]
        text = InputRows(rows, starts, np.ones(len(rows), dtype=bool))
        found.append(float(-mechanism.built.likelihood.log_sums(text).sum() / len(rows)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", nargs="+", help="NAME=FILE, .jsonl with a field text")
    texts = dict(one.split("=", 1) for one in parser.parse_args().texts)
    rows = [[prior, *(f"{one:.2f}" for one in nats(prior, texts))] for prior in PRIORS]
    write_result(
        DOCS / "experiments" / "priors.json",
        command=f"python benchmarks/prior_nats.py {' '.join(f'{name}=FILE' for name in texts)}",
        settings={"priors": [prior_config(prior) for prior in PRIORS]},
        data=f"The first {WORDS:,} words of each that the built-in space has.",
        attacker="none: nats a word, lower is better",
        columns=["prior", *texts],
        rows=rows,
    )


if __name__ == "__main__":
    main()
