"""spaCy's registry, extended with the registries of this package.

Other packages add mechanisms by the entry point group "spacy_dx_mechanisms". A part of this package
is registered when its module is imported, which happens at its first look-up: data/registered.txt
has the module of each name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

import catalogue
from spacy import util

from .about import table
from .errors import DxError, Errors, did_you_mean

REGISTERED: dict[str, dict[str, str]] = {}  # the module of each name, by registry
for _key, _module in table("registered").items():
    _registry, _, _name = _key.partition(" ")
    REGISTERED.setdefault(_registry, {})[_name] = f"{__package__}.{_module}"

F = TypeVar("F", bound=Callable[..., Any])


class Named(Protocol):
    """Type of a registry of constructors by name; catalogue.Registry has no types."""

    def __call__(self, name: str) -> Callable[[F], F]: ...
    def get(self, name: str) -> Callable[..., Any]: ...
    def __contains__(self, name: object) -> bool: ...
    def get_all(self) -> dict[str, Callable[..., Any]]: ...


class Registries(Protocol):
    """Type of spaCy's registry with the registries of this package."""

    dx_mechanisms: Named
    dx_projections: Named
    dx_indexes: Named
    dx_selectors: Named
    dx_spaces: Named
    dx_unknowns: Named
    dx_priors: Named
    dx_editors: Named
    dx_surrogates: Named
    dx_stages: Named
    augmenters: Named

    def resolve(self, config: dict[str, Any]) -> dict[str, Any]: ...


class OnDemand(catalogue.Registry):  # type: ignore[misc]  # catalogue has no types
    """A registry that imports the module of a name at its first look-up."""

    def __init__(self, name: str, modules: Mapping[str, str]) -> None:
        super().__init__(("spacy", name), entry_points=True)
        self.modules = modules

    def get(self, name: str) -> Any:
        """Return the constructor of a name. Raise DxError for an unknown name."""
        if name in self.modules:
            import_module(self.modules[name])
        try:
            return super().get(name)
        except catalogue.RegistryError:
            names = sorted({*self.modules, *super().get_all()})
            about = {"registry": self.namespace[-1], "name": name, "known": ", ".join(names)}
            message = Errors.DX007.format(**about, hint=did_you_mean(name, names))
            raise DxError(message) from None

    def get_all(self) -> dict[str, Any]:
        for module in self.modules.values():
            import_module(module)
        return dict(super().get_all())

    def __contains__(self, name: object) -> bool:
        return name in self.modules or bool(super().__contains__(name))


registry = cast(Registries, util.registry)

for _registry, _modules in (REGISTERED | {"dx_stages": {}}).items():
    if not hasattr(registry, _registry):
        setattr(registry, _registry, OnDemand(_registry, _modules))
