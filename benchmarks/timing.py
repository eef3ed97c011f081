"""Does the time of a draw tell the word? Cold and warm, by word, for the default mechanism; and
how often an output tells at even odds whether dx.RandomWord.v1 drew it for an unknown word:

    python benchmarks/timing.py

tests/entities/test_entity_load.py takes the time of texts that repeat one cue of the rules.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from spacy.language import Language

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.text.tokens import tokenize

WORDS = 60
SYLLABLES = "ba de fi go hu ka le mi no pu ra se ti vo za lu me ri so ta".split()
NOTE = (
    "Mr. Peter Okafor came on March 5 with his wife Mary Hollis from Leeds. She said that it was "
    "well. "
)


def main() -> None:
    space = Space.builtin()
    mechanism = registry.resolve({"m": DEFAULT_CONFIG["mechanism"]})["m"].fit(space)
    mechanism.sample(np.zeros(1, dtype=np.int64), Rng())  # what the first word of all pays for
    some = np.random.default_rng(0).choice(len(space), WORDS, replace=False)
    cold = [seconds(mechanism, row) for row in some]
    warm = [min(seconds(mechanism, row) for _ in range(5)) for row in some]
    for name, found in (("first draw of a word", cold), ("later ones", warm)):
        least, middle, most = np.quantile(found, [0, 0.5, 1]) * 1e3
        print(f"{name}: {least:.2f} ms at least, {middle:.2f} in the middle, {most:.2f} at most")
    rng, draws = Rng(), 4000
    weights = 1 / (np.arange(len(space)) + 20)  # about the frequencies of words, by their rank
    known = np.searchsorted(np.cumsum(weights / weights.sum()), rng.uniform(draws))
    outputs = mechanism.sample(np.minimum(known, len(space) - 1), rng).rows
    told = distinguished(outputs, rng.integers(len(space), draws))
    print(f"unknown words: {told:.1%} of guesses are right")


def distinguished(known: Any, unknown: Any) -> float:
    """Return how often a threshold on the rank of an output tells the two at even odds: the best
    threshold of every second output, on the others."""
    places = np.unique(np.concatenate([known[::2], unknown[::2]]))
    below = np.searchsorted(np.sort(known[::2]), places, "right") / len(known[::2])
    below = below - np.searchsorted(np.sort(unknown[::2]), places, "right") / len(unknown[::2])
    best = int(np.argmax(np.abs(below)))
    side = np.sign(below[best])
    right = np.mean(known[1::2] <= places[best]) - np.mean(unknown[1::2] <= places[best])
    return float((1 + side * right) / 2)


def seconds(mechanism: object, row: int) -> float:
    """Of the processor, for one draw of one word."""
    start = time.process_time()
    mechanism.sample(np.array([row]), Rng())  # type: ignore[attr-defined]
    return time.process_time() - start


def flood(part: str, size: int) -> str:
    """A text of that many characters that repeats a part, {} being a name that no other place has.
    Marks of triggers come first, as rules may wait for one."""
    filled = (part.format(*map(invented, range(3 * i, 3 * i + 3))) for i in range(size))
    text, length = ["Seen at: = @ 5 pm\n"], 0
    while length < size:
        text.append(next(filled))
        length += len(text[-1])
    return "".join(text)[:size]


def invented(number: int) -> str:
    """A name that no list has; others for other numbers."""
    made = ""
    while number or len(made) < 6:
        number, syllable = divmod(number, len(SYLLABLES))
        made += SYLLABLES[syllable]
    return made.capitalize() + "x"


def taken(nlp: Language, text: str) -> float:
    """Seconds of the processor for a text."""
    start = time.process_time()
    nlp(tokenize(nlp, text))
    return time.process_time() - start


if __name__ == "__main__":
    main()
