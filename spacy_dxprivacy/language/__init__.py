"""Causal language models, at a distance: what they are asked, and nothing of how they are made.

The models come with the extra `lm`, and are imported when one is opened (opened.py). All else here
asks the two Protocols of model.py, which any object with these methods meets.
"""
