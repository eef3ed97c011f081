"""Priors: public language models, which never see the input.

chain.py has the model and carries it to the words of any space; registered.py has what configs name
(@dx_priors); make.py makes one from public texts, and is imported when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .chain import Law, carry
from .registered import make_ngrams, make_uniform, make_word_frequency, make_word_pairs

if TYPE_CHECKING:
    from .make import Made, Recipe, make_prior

__all__ = [
    "Law", "Made", "Recipe", "carry", "make_ngrams", "make_prior", "make_uniform",
    "make_word_frequency", "make_word_pairs",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Made, Recipe and make_prior."""
    if name not in ("Made", "Recipe", "make_prior"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.make"), name)
