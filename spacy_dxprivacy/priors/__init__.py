"""Public language: laws of sentences that never see the input.

law.py carries a law to the words of any space; words.py, sentences_of.py and ngrams.py are what
configs name (@dx_priors); make.py makes one from public texts.
"""

from .law import Law, carry
from .make import Made, Recipe, make_prior
from .ngrams import make_ngrams
from .sentences_of import make_hidden_markov, make_word_pairs
from .words import make_uniform, make_word_frequency

__all__ = [
    "Law",
    "Made",
    "Recipe",
    "carry",
    "make_hidden_markov",
    "make_ngrams",
    "make_prior",
    "make_uniform",
    "make_word_frequency",
    "make_word_pairs",
]
