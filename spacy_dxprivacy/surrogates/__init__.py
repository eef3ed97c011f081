"""Surrogates of names, dates, numbers and places, registered as `@dx_surrogates`."""

from .base import Draws, Mention, Scope, Surrogate

__all__ = ["Draws", "Mention", "Scope", "Surrogate"]
