"""A public graph of near words, and how far words are apart on it."""

from .store import graph_of, stored_graph
from .word_graph import STEPS, WordGraph

__all__ = ["STEPS", "WordGraph", "graph_of", "stored_graph"]
