"""`df["note"].dx.clean()` and `df.with_columns(pl.col("note").dx.clean())`, for polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from .diff import Diff

WHOLE = ("dx_tokens", "dx_perturbed", "dx_unknown", "dx_kept", "dx_draws")


@pl.api.register_series_namespace("dx")
class SeriesNamespace:
    """The column of a table of polars, sanitised.

    The unit of the guarantee is a row; with by=df["patient"], all rows of one patient. See
    spacy_dxprivacy.clean for what may be set.
    """

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def clean(self, **how: Any) -> pl.Series:
        """The sanitised column, of the same name. Raises DxError as clean does."""
        from .clean import clean

        cleaned: pl.Series = clean(self._series, **{**how, "receipts": False})
        return cleaned

    def receipts(self, **how: Any) -> pl.DataFrame:
        """The sanitised column, and beside it what its receipts say: dx_tokens, dx_perturbed,
        dx_unknown, dx_kept, dx_draws; dx_epsilon of the row, and dx_spent, what its unit spent over
        all rows. One draw: these are the receipts of this very column."""
        from .clean import clean

        done = clean(self._series, **{**how, "receipts": True})
        columns = [
            pl.Series(name, values, dtype=pl.Int64 if name in WHOLE else pl.Float64)
            for name, values in done.columns().items()
        ]
        return pl.DataFrame([pl.Series(self._series.name, done.texts, dtype=pl.String), *columns])

    def diff(self, after: pl.Series) -> Diff:
        """This column before, and `after`: for the eyes of who holds the originals."""
        from .diff import diff

        return diff(self._series, after)


@pl.api.register_expr_namespace("dx")
class ExprNamespace:
    """A column within an expression. The unit of the guarantee is a row. A lazy table that is
    collected twice is drawn twice, and each is a release: collect it once."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def clean(self, **how: Any) -> pl.Expr:
        """The sanitised column, when the expression is worked out. Raises DxError then."""
        from .clean import clean

        given = {**how, "receipts": False}

        def sanitised(series: pl.Series) -> pl.Series:
            cleaned: pl.Series = clean(series, **given)
            return cleaned

        return self._expr.map_batches(sanitised, return_dtype=pl.String)
