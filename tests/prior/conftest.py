"""What the tests of priors share: a chain by brute force, and small ARPA files."""

from itertools import product

import numpy as np
import pytest
from sampler.distributions import emissions, moves

from spacy_dxprivacy import Space

# By hand: after <s> a .6, b .24, </s> .16; after a: a .2, b .5, </s> .3; after b: as alone.
ARPA = """\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-99 <s> {back_s:.9f}
{end:.9f} </s>
-99 <unk>
{a:.9f} a {back_a:.9f}
{b:.9f} b 0

\\2-grams:
{s_a:.9f} <s> a
{a_b:.9f} a b
{a_end:.9f} a </s>

\\end\\
""".format(
    **{
        name: np.log10(p)
        for name, p in dict(
            end=0.2, a=0.5, b=0.3, back_s=0.8, back_a=0.4, s_a=0.6, a_b=0.5, a_end=0.3
        ).items()
    }
)
# By hand: after <s> a: a .16, b .6, </s> .24; after a b: a 5/14, b .5, </s> 1/7. Else as above.
TRIGRAMS = (
    ARPA.replace("ngram 2=3", "ngram 2=3\nngram 3=2")
    .replace(f"{np.log10(0.6):.9f} <s> a\n", f"{np.log10(0.6):.9f} <s> a {np.log10(0.8):.9f}\n")
    .replace(f"{np.log10(0.5):.9f} a b\n", f"{np.log10(0.5):.9f} a b {np.log10(5 / 7):.9f}\n")
    .replace(
        "\\end\\",
        f"\\3-grams:\n{np.log10(0.5):.9f} a b b\n{np.log10(0.6):.9f} <s> a b\n\n\\end\\",
    )
)
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


@pytest.fixture
def arpa(tmp_path):
    path = tmp_path / "small.arpa"
    path.write_text(ARPA)
    return path


@pytest.fixture
def letters():
    """A space of four words, of which a model of a and b lacks two."""
    X = np.array([[0, 0], [5, 0], [0.1, 0], [5.1, 0]], dtype=np.float32)
    return Space.from_vectors(["a", "b", "near-a", "near-b"], X, name="letters")
