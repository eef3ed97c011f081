"""What holds texts: how to look into it, and how to make one like it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import DxError, Errors

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def is_missing(value: Any) -> bool:
    """None, NaN, pandas.NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def rows_of(texts: Any) -> list[Any]:
    """[text] of a text; the items of what holds several. Raises DxError for what does neither, such
    as a dictionary, or a table of several columns."""
    if isinstance(texts, str):
        return [texts]
    no_row = (bytes, bytearray, dict, set, frozenset)
    if isinstance(texts, no_row) or not isinstance(texts, Iterable):
        raise DxError(Errors.DX140.format(given=type(texts).__name__))
    if getattr(texts, "ndim", 1) != 1 or hasattr(texts, "columns"):
        raise DxError(Errors.DX140.format(given=f"{type(texts).__name__} with several columns"))
    return texts.tolist() if hasattr(texts, "tolist") else list(texts)


def like(model: Any, texts: list[str | None]) -> Any:
    """The texts in a Series (pandas, polars) or an array, where the model is one; else a list."""
    library = type(model).__module__.partition(".")[0]
    if library == "pandas":
        return pandas_series(model, texts)
    if library == "polars":
        return polars_series(model, texts)
    if library == "numpy":
        import numpy as np

        return np.array(texts, dtype=object if None in texts else None)
    return texts


def pandas_series(model: pd.Series, texts: list[str | None]) -> pd.Series:
    """The texts in a Series of that index and name, and of its type where that is one of texts
    (a category names all its values, and so would tell the originals)."""
    import pandas as pd

    keeps = isinstance(model.dtype, pd.StringDtype) or model.dtype == object
    dtype = model.dtype if keeps else "object"
    return pd.Series(texts, index=model.index, name=model.name, dtype=dtype)


def polars_series(model: pl.Series, texts: list[str | None]) -> pl.Series:
    """The texts in a Series of that name."""
    import polars as pl

    return pl.Series(model.name, texts, dtype=pl.String)
