"""From noisy vectors to rows: rules over indexes. All of it is post-processing."""

from ..search import auto_index, exact, faiss_index
from . import nearest, rank_sampling, vickrey

__all__ = ["auto_index", "exact", "faiss_index", "nearest", "rank_sampling", "vickrey"]
