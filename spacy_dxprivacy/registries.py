"""spaCy's registry, extended with the registries of this package.

Parts are registered by entry points: ours in setup.cfg, those of other packages in theirs, in
groups such as "spacy_dx_mechanisms". The module of a part is imported when its name is looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from importlib.util import find_spec
from inspect import Signature, signature
from typing import Any, Protocol, TypeVar, cast, get_type_hints

import catalogue
from spacy import util

from .errors import DxError, Errors, did_you_mean

REGISTRIES = (
    "dx_mechanisms", "dx_projections", "dx_indexes", "dx_selectors", "dx_spaces", "dx_unknowns",
    "dx_priors", "dx_editors", "dx_surrogates", "dx_stages", "dx_commands",
    "llm_models",  # of spacy-llm, which takes this one over
)  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])


class Named(Protocol):
    """Type of a registry of constructors by name; catalogue.Registry has no types."""

    def __call__(self, name: str) -> Callable[[F], F]: ...
    def get(self, name: str) -> Callable[..., Any]: ...
    def __contains__(self, name: object) -> bool: ...
    def get_all(self) -> dict[str, Callable[..., Any]]: ...
    def names(self) -> list[str]: ...


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
    dx_commands: Any  # mappings of commands, by the name of their package
    llm_models: Named
    augmenters: Named

    def resolve(self, config: dict[str, Any]) -> dict[str, Any]: ...


class PartRegistry(catalogue.Registry):  # type: ignore[misc]  # catalogue has no types
    """A registry whose error for an unknown name imports no part."""

    hint = ""  # a further sentence of that error

    def __init__(self, name: str) -> None:
        super().__init__(("spacy", name), entry_points=True)

    def get(self, name: str) -> Any:
        """Return the constructor of a name. Raise DxError for an unknown name."""
        if name not in self.names():
            about = {"registry": self.namespace[-1], "name": name, "known": ", ".join(self.names())}
            hint = did_you_mean(name, self.names()) + self.hint
            raise DxError(Errors.DX007.format(**about, hint=hint))
        return _with_types(super().get(name))

    def find(self, name: str) -> dict[str, Any]:
        """Return where a part is defined. Raise catalogue.RegistryError for an unknown name, as
        `spacy package` expects: it asks for `en.NAME` before NAME."""
        if name not in self:
            raise catalogue.RegistryError(name)
        return dict(super().find(name))

    def names(self) -> list[str]:
        """Return all names: of entry points, and of parts registered in this process."""
        entry_points = {entry_point.name for entry_point in self._get_entry_points()}
        here = {keys[-1] for keys in catalogue.REGISTRY if keys[:-1] == self.namespace}
        return sorted(entry_points | here)

    def __contains__(self, name: object) -> bool:
        return name in self.names()


class ModelRegistry(PartRegistry):
    """Language models as in spacy-llm: that of this package, and its own where it is installed."""

    hint = ' Models of spacy-llm need it: pip install "spacy-dxprivacy[llm]".'

    def get(self, name: str) -> Any:
        """Return the constructor of a name; spacy-llm is imported for a name that is not known."""
        if name not in self and find_spec("spacy_llm") is not None:
            import spacy_llm  # noqa: F401  # it registers its models
        return super().get(name)


def _with_types(constructor: Callable[..., Any]) -> Callable[..., Any]:
    """Return a constructor by whose types spaCy checks a config, which it does for functions only:
    for a class, a function that makes its object."""
    if not isinstance(constructor, type):
        return constructor
    try:
        types = get_type_hints(constructor.__init__)  # type: ignore[misc]
    except (AttributeError, NameError, TypeError):  # names that are imported for a type checker
        return constructor
    parameters = signature(constructor).parameters.values()

    def make(*arguments: Any, **settings: Any) -> Any:
        return constructor(*arguments, **settings)

    update_wrapper(make, constructor, assigned=("__module__", "__name__", "__doc__"), updated=())
    make.__annotations__ = types
    make.__signature__ = Signature(  # type: ignore[attr-defined]
        [p.replace(annotation=types.get(p.name, p.annotation)) for p in parameters]
    )
    return make


registry = cast(Registries, util.registry)

for _name in REGISTRIES:
    if not hasattr(registry, _name):
        kind = ModelRegistry if _name == "llm_models" else PartRegistry
        setattr(registry, _name, kind(_name))
