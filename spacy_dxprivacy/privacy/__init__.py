"""Guarantees, their composition, privacy losses, noise distributions and randomness."""
