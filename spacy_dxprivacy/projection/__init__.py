"""From noisy vectors to rows: rules over indexes. All of it is post-processing."""

from . import exact, nearest, rank_sampling, vickrey

__all__ = ["exact", "nearest", "rank_sampling", "vickrey"]
