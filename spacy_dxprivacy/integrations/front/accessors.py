"""`df["note"].dx.clean()` for pandas and polars, neither of which is imported for it."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from ...pipeline.receipt import COUNTS


class SeriesAccessor:
    """A column of a table of pandas or polars, sanitised.

    The unit of the guarantee is a row; with by=df["patient"], all rows of one patient. Index and
    name stay, and so does what is missing; attrs do not. The settings are those of
    spacy_dxprivacy.clean.
    """

    def __init__(self, series: Any) -> None:
        self._series = series

    def clean(self, **how: Any) -> Any:
        """Return the sanitised column, of the same index and name. Raise DxError as clean does."""
        from .clean import clean

        return clean(self._series, **{**how, "receipts": False})

    def receipts(self, **how: Any) -> Any:
        """Sanitise the column, and return a table of it and its receipts.

        These are dx_tokens, dx_perturbed, dx_unknown, dx_kept, dx_draws, dx_epsilon (of the row)
        and dx_spent (of its unit, over all rows).
        """
        from .clean import clean, like

        done = clean(self._series, **{**how, "receipts": True})
        texts, columns = like(self._series, done.texts), done.columns()
        whole = {f"dx_{name}" for name in COUNTS}
        if "polars" in type(self._series).__module__:
            import polars as pl

            kinds = {True: pl.Int64, False: pl.Float64}
            return pl.DataFrame([texts, *(pl.Series(n, v, kinds[n in whole])
                                          for n, v in columns.items())])  # fmt: skip
        import pandas as pd

        arrays = {
            n: pd.array(values, dtype="Int64" if n in whole else "Float64")
            for n, values in columns.items()
        }
        table = pd.DataFrame(arrays, index=self._series.index)
        table.insert(0, "text" if self._series.name is None else self._series.name, texts)
        return table


class ExprAccessor:
    """A column in an expression of polars. The unit of the guarantee is a row. A lazy table that is
    collected twice is sampled twice, and each is a release: collect it once."""

    def __init__(self, expr: Any) -> None:
        self._expr = expr

    def clean(self, **how: Any) -> Any:
        """Return the sanitised column, evaluated on collect; it raises DxError as clean does."""
        import polars as pl

        def sanitize(series: Any) -> Any:
            return SeriesAccessor(series).clean(**how)

        return self._expr.map_batches(sanitize, return_dtype=pl.String)


def accessors(*, imported: bool = False) -> list[str]:
    """Give Series of pandas and polars their `.dx`.

    This happens by itself for libraries that are imported before spacy_dxprivacy; call it after
    the import of others.

    Args:
        imported: Only for libraries that this process has imported already.

    Returns:
        The names of the libraries that have it now.
    """
    done = []
    for library in ("pandas", "polars"):
        loaded: Any = sys.modules.get(library)
        # One that is only half imported is importing this package, and has to wait.
        if loaded is not None and not hasattr(loaded, "Series"):
            continue
        if loaded is None and (imported or importlib.util.find_spec(library) is None):
            continue
        loaded = importlib.import_module(library)
        if not hasattr(loaded.Series, "dx") and library == "pandas":
            loaded.api.extensions.register_series_accessor("dx")(SeriesAccessor)
        elif not hasattr(loaded.Series, "dx"):
            loaded.api.register_series_namespace("dx")(SeriesAccessor)
            loaded.api.register_expr_namespace("dx")(ExprAccessor)
        done.append(library)
    return done
