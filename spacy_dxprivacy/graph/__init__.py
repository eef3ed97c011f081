"""A public graph of near words, and how far words are apart on it."""

from .edges import STEPS
from .store import graph_of, kept_graph
from .word_graph import WordGraph

__all__ = ["STEPS", "WordGraph", "graph_of", "kept_graph"]
