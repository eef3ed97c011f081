"""spaCy's registry with the registries of this package on it.

Other packages add mechanisms of their own by the entry point group "spacy_dx_mechanisms". Ours are
registered when their module is imported, which happens when a registry is first asked for them:
data/registered.txt says which module holds which name.
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


class OnDemand(catalogue.Registry):  # type: ignore[misc]  # catalogue has no types
    """A registry that imports the module of a name when it is asked for the name."""

    def __init__(self, name: str, modules: Mapping[str, str]) -> None:
        super().__init__(("spacy", name), entry_points=True)
        self.modules = modules

    def get(self, name: str) -> Any:
        """Return the constructor of a name. Raise DxError, with the nearest name, if unknown."""
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

for _registry, _modules in REGISTERED.items():
    if not hasattr(registry, _registry):
        setattr(registry, _registry, OnDemand(_registry, _modules))
