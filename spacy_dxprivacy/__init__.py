"""Private text for spaCy: words and vectors replaced under metric differential privacy."""

from . import (  # they register themselves
    editors,
    mechanisms,
    projection,
    selection,
    spaces,
    unknown,
)
from .about import __version__
from .component import DxSanitizer
from .doc import numbers  # it registers itself
from .doc.receipt import Receipt
from .doc.vocabulary import trim_vocab
from .errors import DxError, DxWarning, UsageError
from .guarantee import Guarantee
from .privacy.composition import compose
from .randomness import Rng
from .rebuild import assert_sanitized, attach_vectors, release
from .registries import registry
from .space import Space
from .ty import Draw

__all__ = [
    "Draw", "DxError", "DxSanitizer", "DxWarning", "Guarantee", "Receipt", "Rng", "Space",
    "UsageError", "__version__", "assert_sanitized", "attach_vectors", "compose", "editors",
    "mechanisms", "numbers", "projection", "registry", "release", "selection", "spaces",
    "trim_vocab", "unknown",
]  # fmt: skip
