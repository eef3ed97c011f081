"""Who and what is named in a text, by rules and public lists."""

from .ruler import make_dx_entity_ruler

__all__ = ["make_dx_entity_ruler"]
