"""Evaluate: attacks, audits, experiments, tuning, reports, and their commands."""
