"""A public graph of near words, and path distances on it."""

from .word_graph import STEPS, WordGraph, graph_of, stored_graph

__all__ = ["STEPS", "WordGraph", "graph_of", "stored_graph"]
