"""Where the space of a pipeline comes from: one way to load it, and the functions of configs."""

from .sources import BUILTIN, Filter, SpaceSource, load, read_words

__all__ = ["BUILTIN", "Filter", "SpaceSource", "load", "read_words"]
