"""spaCy's registry with ours on it.

catalogue.create("spacy", "dx_mechanisms") gives the entry point group "spacy_dx_mechanisms", by
which other packages can add mechanisms of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

import catalogue
from spacy import util

NAMES = (
    "dx_mechanisms",
    "dx_projections",
    "dx_indexes",
    "dx_selectors",
    "dx_spaces",
    "dx_unknowns",
    "dx_priors",
    "dx_editors",
    "dx_surrogates",
)

F = TypeVar("F", bound=Callable[..., Any])


class Named(Protocol):
    """Constructors by name; catalogue.Registry, which has no types of its own."""

    def __call__(self, name: str) -> Callable[[F], F]:
        """@registry.dx_mechanisms("my.Mechanism.v1") registers a constructor as it is."""
        ...

    def get(self, name: str) -> Callable[..., Any]:
        """The constructor. Raises catalogue.RegistryError for a name that is not there."""
        ...

    def get_all(self) -> dict[str, Callable[..., Any]]:
        """Those of this process and of all entry points."""
        ...


class Registries(Protocol):
    """spaCy's own registry, as type checkers are to see it."""

    dx_mechanisms: Named
    dx_projections: Named
    dx_indexes: Named
    dx_selectors: Named
    dx_spaces: Named
    dx_unknowns: Named
    dx_priors: Named
    dx_editors: Named
    dx_surrogates: Named
    augmenters: Named

    def resolve(self, config: dict[str, Any]) -> dict[str, Any]:
        """Every block with an @name in place of what its constructor makes."""
        ...


registry = cast(Registries, util.registry)

for _name in NAMES:
    if not hasattr(registry, _name):
        setattr(registry, _name, catalogue.create("spacy", _name, entry_points=True))

__all__ = ["registry"]
