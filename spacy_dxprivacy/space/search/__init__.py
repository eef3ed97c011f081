"""The nearest rows of vectors: metrics, exact search and faiss."""
