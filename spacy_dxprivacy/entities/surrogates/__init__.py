"""Surrogates of names, dates, numbers and places; `@dx_surrogates`, one for each label."""

from .base import Draws, Mention, Scope, Surrogate

__all__ = ["Draws", "Mention", "Scope", "Surrogate"]
