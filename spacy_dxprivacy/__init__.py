"""Private text for spaCy: words and vectors replaced under metric differential privacy."""

from . import mechanisms, projection, selection, spaces, unknown  # they register themselves
from .about import __version__
from .component import DxSanitizer
from .errors import DxError, DxWarning
from .guarantee import Guarantee, compose
from .randomness import Rng
from .rebuild import assert_sanitized, attach_vectors, release
from .receipt import Receipt
from .registries import registry
from .space import Space
from .ty import Draw
from .vocabulary import trim_vocab

__all__ = [
    "Draw", "DxError", "DxSanitizer", "DxWarning", "Guarantee", "Receipt", "Rng", "Space",
    "__version__", "assert_sanitized", "attach_vectors", "compose", "mechanisms", "projection",
    "registry", "release", "selection", "spaces", "trim_vocab", "unknown",
]  # fmt: skip
