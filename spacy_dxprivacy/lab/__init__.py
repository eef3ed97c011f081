"""Evaluate: attacks, audits, tuning, reports, and their commands."""
