"""Evaluate: attacks, audits, experiments, tuning, reports, the playground, and their commands."""
