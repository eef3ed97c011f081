"""Private text for spaCy: words and vectors replaced under metric differential privacy.

Receipts (`doc._.dx`) are imported with the package, all other names at their first use. Modules of
registered parts are imported when a registry is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .about import __version__, table
from .pipeline.receipt import assert_sanitized, attach_vectors, release
from .registries import registry

if TYPE_CHECKING:
    from .errors import DxError, DxWarning, UsageError
    from .integrations.clean import Cleaned, clean, prompt
    from .pipeline.component import DxSanitizer
    from .pipeline.receipt import Receipt
    from .privacy.composition import compose
    from .privacy.guarantee import Guarantee
    from .privacy.randomness import Rng
    from .space import Space
    from .text.tokens import trim_vocab
    from .ty import Draw

__all__ = [
    "Cleaned", "Draw", "DxError", "DxSanitizer", "DxWarning", "Guarantee", "Receipt", "Rng",
    "Space", "UsageError", "__version__", "assert_sanitized", "attach_vectors", "clean",
    "compose", "prompt", "registry", "release", "trim_vocab",
]  # fmt: skip

_HOMES = table("exports")


def __getattr__(name: str) -> Any:
    """Import a name of data/exports.txt at its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
