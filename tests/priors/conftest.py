"""What the tests of priors share: a chain by brute force, and small ARPA files."""

from itertools import product

import numpy as np
import pytest

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
AFTER = {
    "<s>": {"a": 0.6, "b": 0.24, "</s>": 0.16},
    "a": {"a": 0.2, "b": 0.5, "</s>": 0.3},
    "b": {"a": 0.5, "b": 0.3, "</s>": 0.2},
}


def move(chain):
    """T (K, K), dense."""
    return chain.delta.toarray() + np.outer(chain.back, chain.u)


def weight(chain, rows):
    """q of a sentence, by its definition: the sum over all hidden states."""
    B = chain.emit.toarray().astype(float)
    ahead = chain.begin * B[rows[0]]
    for row in rows[1:]:
        ahead = (ahead @ move(chain)) * B[row]
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
    """A space of four words, of which a law of a and b lacks two."""
    X = np.array([[0, 0], [5, 0], [0.1, 0], [5.1, 0]], dtype=np.float32)
    return Space.from_vectors(["a", "b", "near-a", "near-b"], X, name="letters")
