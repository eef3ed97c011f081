"""Builds the built-in English space: words, vectors, classes (see scripts/README.md)."""
