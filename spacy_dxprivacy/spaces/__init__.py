"""Where public vectors come from: config functions, saved folders, files, pipelines."""

from .sources import Filter, SpaceSource, read_words

__all__ = ["Filter", "SpaceSource", "read_words"]
