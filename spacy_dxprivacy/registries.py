"""spaCy's registry with the registries of this package on it.

Other packages add mechanisms of their own by the entry point group "spacy_dx_mechanisms". Ours are
registered when their module is imported, which happens when a registry is first asked for them. A
folder of several modules says in its table MODULES which of them holds which name.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

import catalogue
from spacy import util

from .about import table
from .errors import DxError, Errors

# Each registry, and the folder whose modules fill it.
PACKAGES = {
    "dx_mechanisms": "mechanisms",
    "dx_projections": "mechanisms.projection",
    "dx_indexes": "space.search",
    "dx_selectors": "pipeline.select",
    "dx_spaces": "space.sources",
    "dx_unknowns": "pipeline.unknown",
    "dx_priors": "prior",
    "dx_editors": "editors",
    "dx_surrogates": "entities.surrogates",
}
RETIRED = table("retired")  # removed names and options, and what to use instead

F = TypeVar("F", bound=Callable[..., Any])


class Named(Protocol):
    """Constructors by name: the types that catalogue.Registry lacks."""

    def __call__(self, name: str) -> Callable[[F], F]: ...
    def get(self, name: str) -> Callable[..., Any]: ...
    def __contains__(self, name: object) -> bool: ...
    def get_all(self) -> dict[str, Callable[..., Any]]: ...


class Registries(Protocol):
    """The types of spaCy's registry with ours on it."""

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

    def resolve(self, config: dict[str, Any]) -> dict[str, Any]: ...


def retired(name: str) -> DxError:
    """Return the error for a key of RETIRED."""
    return DxError(Errors.DX007.format(name=name, instead=RETIRED[name]))


class OnDemand(catalogue.Registry):  # type: ignore[misc]  # catalogue has no types
    """A registry that imports the module of a name when it is asked for the name."""

    def __init__(self, name: str, package: str) -> None:
        super().__init__(("spacy", name), entry_points=True)
        self.package = f"{__package__}.{package}"

    def _modules(self) -> dict[str, str]:
        """Return the module of each name; {} for a folder whose import registers all."""
        return getattr(import_module(self.package), "MODULES", {})

    def get(self, name: str) -> Any:
        if name in RETIRED:
            raise retired(name)
        if name in (modules := self._modules()):
            import_module(f"{self.package}.{modules[name]}")
        return super().get(name)

    def get_all(self) -> dict[str, Any]:
        for module in self._modules().values():
            import_module(f"{self.package}.{module}")
        return dict(super().get_all())

    def __contains__(self, name: object) -> bool:
        return name in self._modules() or bool(super().__contains__(name))


registry = cast(Registries, util.registry)

for _name, _package in PACKAGES.items():
    if not hasattr(registry, _name):
        setattr(registry, _name, OnDemand(_name, _package))
