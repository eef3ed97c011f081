"""Private text for spaCy: words and vectors replaced under metric differential privacy.

Receipts (`doc._.dx`) are imported with the package, all other names at their first use. Modules of
registered parts are imported when a registry is first used.
"""

from types import ModuleType
from typing import TYPE_CHECKING, Any

from .about import __version__
from .errors import DxError, DxWarning, UsageError
from .pipeline.receipt import Receipt, assert_sanitized, release
from .pipeline.vectors import attach_vectors
from .privacy.composition import compose
from .privacy.guarantee import Guarantee
from .registries import registry

if TYPE_CHECKING:
    from .integrations.clean import Cleaned, clean, prompt
    from .lab.odds import odds as odds
    from .pipeline.component import DxSanitizer
    from .privacy.randomness import Rng
    from .space import Space
    from .text.tokens import trim_vocab
    from .ty import Draw

__all__ = [
    "Cleaned", "Draw", "DxError", "DxSanitizer", "DxWarning", "Guarantee", "Receipt", "Rng",
    "Space", "UsageError", "__version__", "assert_sanitized", "attach_vectors", "clean",
    "compose", "prompt", "registry", "release", "trim_vocab",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the home of a name at its first use: together they take a second."""
    home: ModuleType
    match name:
        case "Cleaned" | "clean" | "prompt":
            from .integrations import clean as home
        case "DxSanitizer":
            from .pipeline import component as home
        case "Rng":
            from .privacy import randomness as home
        case "Space":
            from .space import space as home
        case "trim_vocab":
            from .text import tokens as home
        case "Draw":
            from . import ty as home
        case "odds":  # not in __all__: it needs an extra
            from .lab import odds as home
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
