"""A public graph of near words, and how far words are apart on it."""

from .edges import STEPS
from .files import from_fields, read_graph, to_fields, write_graph
from .word_graph import WordGraph, build

__all__ = ["STEPS", "WordGraph", "build", "from_fields", "read_graph", "to_fields", "write_graph"]
