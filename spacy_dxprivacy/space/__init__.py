"""Words and their vectors: sources, files, and nearest-neighbour search."""

from .space import BUILTIN, Space

__all__ = ["BUILTIN", "Space"]
