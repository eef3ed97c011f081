"""What the tests of priors share: a chain by brute force, and small ARPA files."""

from itertools import product
from pathlib import Path

from sampler.distributions import emissions, moves

ARPA = Path(__file__).with_name("small.arpa")
TRIPLES = Path(__file__).with_name("triples.arpa")
# What they state, by hand. Contexts of two words that are not listed are as the last word is.
AFTER = {
    "<s>": {"a": 0.6, "b": 0.24, "</s>": 0.16},
    "a": {"a": 0.2, "b": 0.5, "</s>": 0.3},
    "b": {"a": 0.5, "b": 0.3, "</s>": 0.2},
}
AFTER_TWO = {
    ("<s>", "a"): {"a": 0.16, "b": 0.6, "</s>": 0.24},
    ("a", "b"): {"a": 5 / 14, "b": 0.5, "</s>": 1 / 7},
}


def weight(chain, rows):
    """q of a sentence, by its definition: the sum over all hidden states."""
    B, T = emissions(chain), moves(chain)
    ahead = chain.begin * B[rows[0]]
    for row in rows[1:]:
        ahead = (ahead @ T) * B[row]
    return float(ahead @ chain.end)


def sentences(words, length):
    return [list(s) for n in range(1, length + 1) for s in product(range(words), repeat=n)]
