"""Conversations with a model: what is sent has surrogates, what comes back is restored."""
