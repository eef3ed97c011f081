"""The nearest rows of vectors: metrics, exact search and faiss; importing it registers them."""

from . import auto_index as auto_index
from . import exact as exact
from . import faiss_index as faiss_index
