"""From noisy vectors to rows: rules (nearest) over indexes (exact). All of it is post-processing."""

from . import exact, nearest

__all__ = ["exact", "nearest"]
