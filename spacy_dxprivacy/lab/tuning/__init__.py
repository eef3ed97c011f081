"""Measure what epsilon does to words, on probed words of a public space.

Figures are exact where a mechanism states its probabilities, else simulated with a fixed seed.
Every figure is a mean over probed words.
"""
