"""Sanitise strings, lists, Series, data sets, steps of scikit-learn (clean; on_* by library)."""
