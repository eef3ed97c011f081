"""`df["note"].dx.clean()`, for pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from .diff import Diff

WHOLE = ("dx_tokens", "dx_perturbed", "dx_unknown", "dx_kept", "dx_draws")


@pd.api.extensions.register_series_accessor("dx")
class SeriesAccessor:
    """The column of a table of pandas, sanitised.

    The unit of the guarantee is a row; with by=df["patient"], all rows of one patient. Index and
    name stay, and so does what is missing; attrs do not. See spacy_dxprivacy.clean for what may be
    set.
    """

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def clean(self, **how: Any) -> pd.Series:
        """The sanitised column, of the same index and name. Raises DxError as clean does."""
        from .clean import clean

        cleaned: pd.Series = clean(self._series, **{**how, "receipts": False})
        return cleaned

    def receipts(self, **how: Any) -> pd.DataFrame:
        """The sanitised column, and beside it what its receipts say: dx_tokens, dx_perturbed,
        dx_unknown, dx_kept, dx_draws; dx_epsilon of the row, and dx_spent, what its unit spent over
        all rows. One draw: these are the receipts of this very column."""
        from .clean import clean, pandas_series

        done = clean(self._series, **{**how, "receipts": True})
        texts = pandas_series(self._series, done.texts)
        columns = {
            name: pd.array(values, dtype="Int64" if name in WHOLE else "Float64")
            for name, values in done.columns().items()
        }
        name = "text" if self._series.name is None else self._series.name
        table = pd.DataFrame(columns, index=self._series.index)
        table.insert(0, name, texts)
        return table

    def diff(self, after: pd.Series) -> Diff:
        """This column before, and `after`: for the eyes of who holds the originals."""
        from .diff import diff

        return diff(self._series, after)
