"""Words and their vectors: where they come from, on disk, and the nearest ones."""

from .space import BUILTIN, Space

__all__ = ["BUILTIN", "Space"]
