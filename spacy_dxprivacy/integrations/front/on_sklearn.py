"""A step of a Pipeline of scikit-learn that sanitises texts."""

from __future__ import annotations

import inspect
import sys
from types import FrameType
from typing import Any

from ...config import RunConfig, SanitizeConfig, settings_of_pipeline, unknown_key
from ...errors import DxError, Errors
from .clean import How, clean_rows, rows_of
from .settings import ready

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:
    told = {"what": "Cleaner", "package": "scikit-learn", "extra": "sklearn"}
    raise ImportError(Errors.DX074.format(**told)) from None


NAMES = settings_of_pipeline()
DEFAULTS = {
    **{name: getattr(SanitizeConfig(), name) or None for name in NAMES},
    "batch_size": RunConfig().batch_size,
    "n_process": RunConfig().n_process,
}


class Cleaner(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts in, sanitised texts out: `make_pipeline(Cleaner(level="strong"), TfidfVectorizer())`.

    The unit of the guarantee is a row of one call of transform. Every call draws anew: a search
    over a grid or a cross-validation draws each text once a fold, and all that is shown of these
    adds up. Sanitise first (spacy_dxprivacy.clean) where a text should be released once. What the
    steps behind it learn, they learn of released text alone, at no further cost.

    It learns nothing, so fit is free; a clone, a pickle or a worker of joblib has the settings,
    and neither the pipeline nor its stream of noise. A Pipeline with a `memory` is refused: joblib
    writes its inputs, the clear text, beside what it caches. The settings are those of
    spacy_dxprivacy.clean, with its defaults; on_failure is always "raise".
    """

    def __init__(self, **settings: Any) -> None:
        wrong = sorted(set(settings) - set(DEFAULTS))
        if wrong:
            raise unknown_key(wrong[0], DEFAULTS)
        for name, default in DEFAULTS.items():
            setattr(self, name, settings.get(name, default))

    def fit(self, X: Any, y: Any = None) -> Cleaner:
        """Checks the settings, and looks at no text. Raises UsageError and DxError for those."""
        self._how()
        ready(self._settings())
        return self

    def transform(self, X: Any) -> Any:
        """A list, Series or array of texts, or a table of one column; object array (n,) of
        sanitised ones. What is missing is refused: the steps behind take text. Raises DxError."""
        import numpy as np

        if isinstance(X, str):
            raise DxError(Errors.DX140.format(given="one text alone"))
        _check_not_cached()
        is_column = hasattr(X, "iloc") and getattr(X, "ndim", 1) == 2 and X.shape[1] == 1
        # What is no text goes on as a number, which is refused; None would be let through.
        rows = [
            row if isinstance(row, str) else 0 for row in rows_of(X.iloc[:, 0] if is_column else X)
        ]
        done = clean_rows(ready(self._settings()), rows, self._how())
        return np.array(done.texts, dtype=object)

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in NAMES}

    def _how(self) -> How:
        return How(batch_size=self.batch_size, n_process=self.n_process)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.non_deterministic = True
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


def _check_not_cached() -> None:
    """Raises DxError within a function that joblib caches."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        called = frame.f_locals.get("self") if frame.f_code.co_name == "_call" else None
        if type(called).__name__ == "MemorizedFunc":
            raise DxError(Errors.DX147)
        frame = frame.f_back


# scikit-learn reads the names of the settings off the signature.
_self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_named = [
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
    for name, default in DEFAULTS.items()
]
vars(Cleaner)["__init__"].__signature__ = inspect.Signature([_self, *_named])
