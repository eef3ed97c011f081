"""The nearest rows of vectors: metrics, exact search and faiss."""

# The module of each registered name; it is imported when the name is asked for.
MODULES = {
    "dx.AutoIndex.v1": "faiss_index",
    "dx.Exact.v1": "exact",
    "dx.Faiss.v1": "faiss_index",
}
