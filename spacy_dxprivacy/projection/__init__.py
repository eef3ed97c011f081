"""From noisy vectors to rows: rules (nearest) over indexes (exact). It is post-processing."""

from . import exact, nearest

__all__ = ["exact", "nearest"]
