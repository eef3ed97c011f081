"""Priors: public language models, which never see the input.

chain.py has the model and carries it to the words of any space; registered.py has what configs name
(@dx_priors); make.py makes a prior from public texts.
"""

from .chain import PairModel, carry
from .make import Made, Recipe, make_prior
from .registered import make_uniform, make_word_frequency, make_word_pairs

__all__ = [
    "Made",
    "PairModel",
    "Recipe",
    "carry",
    "make_prior",
    "make_uniform",
    "make_word_frequency",
    "make_word_pairs",
]  # fmt: skip
