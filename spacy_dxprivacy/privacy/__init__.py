"""Guarantees and their composition, noise distributions, and what epsilon means in nats."""
