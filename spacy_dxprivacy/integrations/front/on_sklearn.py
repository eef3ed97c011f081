"""A step of a Pipeline of scikit-learn that sanitises texts."""

from __future__ import annotations

import inspect
import sys
from types import FrameType
from typing import Any

import numpy as np

from ...config import RunConfig, SanitizeConfig, settings_of_pipeline, unknown_key
from ...errors import DxError, Errors
from .clean import clean, ready, rows_of

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:
    about = {"what": "Cleaner", "package": "scikit-learn", "extra": "sklearn"}
    raise ImportError(Errors.DX074.format(**about)) from None


NAMES = settings_of_pipeline()
RUN = {"batch_size": RunConfig.batch_size, "n_process": RunConfig.n_process}
DEFAULTS = {**{name: getattr(SanitizeConfig(), name) or None for name in NAMES}, **RUN}


class Cleaner(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Sanitise texts: `make_pipeline(Cleaner(level="strong"), TfidfVectorizer())`.

    The unit of the guarantee is a row of one call of transform. Every call samples anew: a grid
    search or a cross-validation samples each text once a fold, and these epsilons add up. To
    release a text once, sanitise first (spacy_dxprivacy.clean). What later steps learn of the
    released text costs nothing more.

    It learns nothing: a clone, a pickle or a worker of joblib gets the settings, and neither the
    pipeline nor its random stream. A Pipeline with a `memory` is refused: joblib writes its inputs,
    the original texts, beside what it caches.

    Args:
        settings: Those of spacy_dxprivacy.clean, with its defaults; on_failure is always "raise".

    Raises:
        UsageError: There is no such setting.
    """

    def __init__(self, **settings: Any) -> None:
        wrong = sorted(set(settings) - set(DEFAULTS))
        if wrong:
            raise unknown_key(wrong[0], DEFAULTS)
        for name, default in DEFAULTS.items():
            setattr(self, name, settings.get(name, default))

    def fit(self, X: Any, y: Any = None) -> Cleaner:
        """Check the settings, and look at no text. Raise UsageError and DxError for those."""
        RunConfig(**{name: getattr(self, name) for name in RUN})
        ready({name: getattr(self, name) for name in NAMES})
        return self

    def transform(self, X: Any) -> Any:
        """Sanitise texts.

        Args:
            X: A list, Series or array of texts, or a table of one column, shape (n,) or (n, 1).

        Returns:
            An object array of sanitised texts, shape (n,).

        Raises:
            DxError: As clean does, and for what is missing: later steps take text.
        """
        if isinstance(X, str):
            raise DxError(Errors.DX140.format(given="one text alone"))
        # Within a function that joblib caches?
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            called = frame.f_locals.get("self") if frame.f_code.co_name == "_call" else None
            if type(called).__name__ == "MemorizedFunc":
                raise DxError(Errors.DX147)
            frame = frame.f_back
        is_column = hasattr(X, "iloc") and getattr(X, "ndim", 1) == 2 and X.shape[1] == 1
        rows = rows_of(X.iloc[:, 0] if is_column else X)
        # A number is refused; None would be let through.
        texts: Any = [row if isinstance(row, str) else 0 for row in rows]
        done = clean(texts, **{name: getattr(self, name) for name in DEFAULTS})
        return np.array(done, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.non_deterministic = True
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


# scikit-learn reads the names of the settings off the signature.
_self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_named = [
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
    for name, default in DEFAULTS.items()
]
vars(Cleaner)["__init__"].__signature__ = inspect.Signature([_self, *_named])
