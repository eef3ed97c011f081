"""Builds the built-in English space: a table of words, vectors and classes (see scripts/README.md)."""
