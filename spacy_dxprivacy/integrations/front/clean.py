"""dx.clean: texts in, sanitised texts out, in the kind of container that they came in."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, overload

import numpy as np

from ...config import RunConfig
from ...errors import DxError, Errors
from ...io.build import the_sanitizer
from ...io.record import checked_record
from ...io.run import outcomes_of
from ...io.stream import Outcome
from ...pipeline.component import without_text
from ...pipeline.receipt import COUNTS, Receipt
from ...privacy.composition import repeat
from ...privacy.guarantee import Guarantee
from ...validate import fail, one_of, positive, whole
from .settings import Ready, ready

ON_FAILURE = ("raise", "null")
Column = TypeVar("Column")  # a Series of pandas or polars, or an array


# -- the unit of the guarantee: whose words add up -------------------------------------------------


@dataclass(frozen=True)
class Units:
    """kind: "text", or "user" where texts were put together by a value. of: the number of the unit
    of each text, None where there is no text. spent: epsilon of each unit, in nats per unit of the
    metric; infinite where nothing is promised."""

    kind: str
    of: list[int | None]
    spent: list[float]

    def __len__(self) -> int:
        return len(self.spent)

    @property
    def most(self) -> float:
        """The largest sum of a unit; 0 without texts."""
        return max(self.spent, default=0.0)

    def of_rows(self) -> list[float | None]:
        """What the unit of each text spent; None where there is no text."""
        return [None if unit is None else self.spent[unit] for unit in self.of]


def units_of(receipts: Sequence[Receipt | None], by: Iterable[object] | None = None) -> Units:
    """receipts: of one pipeline, None where there is no text. by: whose text each is; nobody (None,
    NaN, "") makes a text a unit of its own. Raises DxError for another number of values, and for
    values of which it is unclear when two are one user."""
    names = range(len(receipts)) if by is None else _users(by, len(receipts))
    draws: dict[object, int] = {}
    for name, receipt in zip(names, receipts, strict=True):
        if receipt is not None:
            draws[name] = draws.get(name, 0) + receipt["draws"]
    first = next((receipt for receipt in receipts if receipt is not None), None)
    promise = None if first is None else Guarantee.from_dict(first["guarantee"])
    of_draws = {n: repeat(promise, n).epsilon for n in set(draws.values()) if promise is not None}
    numbers = {name: number for number, name in enumerate(draws)}
    of = [
        None if receipt is None else numbers[name]
        for name, receipt in zip(names, receipts, strict=True)
    ]
    spent = [of_draws[number] for number in draws.values()]
    return Units("text" if by is None else "user", of, spent)


def _users(by: Iterable[object], count: int) -> list[object]:
    """One value for each text, the same for texts of one user."""
    from ..distributed.spending import identity, is_nobody

    users = by.tolist() if hasattr(by, "tolist") else list(by)
    if len(users) != count:
        raise DxError(Errors.DX141.format(given=len(users), expected=count))
    return [i if is_nobody(user) else identity(user) for i, user in enumerate(users)]


# -- texts in, texts out ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Cleaned:
    """What became of texts. texts: in their order; None for what was missing, and for what failed
    where that is allowed. receipts: one for each text, None beside None. units: what each unit of
    the guarantee spent. failures: why, by place; never with text."""

    texts: list[str | None] = field(repr=False)
    receipts: list[Receipt | None] = field(repr=False)
    units: Units
    failures: dict[int, str] = field(default_factory=dict)

    def columns(self) -> dict[str, list[Any]]:
        """The receipts as columns: dx_tokens, dx_perturbed, dx_unknown, dx_kept, dx_draws (whole
        numbers), dx_epsilon (of the text) and dx_spent (of its unit, over all texts here); None
        where there is no text."""
        found: dict[str, list[Any]] = {
            f"dx_{name}": [None if one is None else one[name] for one in self.receipts]
            for name in COUNTS
        }
        found["dx_epsilon"] = [None if r is None else r["total"]["epsilon"] for r in self.receipts]
        found["dx_spent"] = self.units.of_rows()
        return found


@overload
def clean(texts: str, *, receipts: Literal[False] = ..., **how: Any) -> str: ...
@overload
def clean(texts: Sequence[str], *, receipts: Literal[False] = ..., **how: Any) -> list[str]: ...
@overload
def clean(
    texts: Sequence[str | None], *, receipts: Literal[False] = ..., **how: Any
) -> list[str | None]: ...
@overload
def clean(texts: Column, *, receipts: Literal[False] = ..., **how: Any) -> Column: ...
@overload
def clean(texts: Any, *, receipts: Literal[True], **how: Any) -> Cleaned: ...
def clean(
    texts: Any,
    *,
    receipts: bool = False,
    by: Iterable[Any] | None = None,
    max_epsilon: float | None = None,
    on_failure: str = "raise",
    batch_size: int = RunConfig.batch_size,
    n_process: int = RunConfig.n_process,
    **settings: Any,
) -> Any:
    """Sanitised text for text: a string for a string, a list for a list or a tuple, a Series for a
    Series of pandas or polars, an array for an array. What is missing (None, NaN) stays missing.

    settings: those of `dx sanitize`, with its defaults, by name or path (see SanitizeConfig):
    epsilon, level, mechanism, space, entities, config, and so on. There is no seed: every call
    draws anew, and to release a text twice spends its budget twice.

    The unit of the guarantee is a text (an item, a row): what its words spend adds up. by: a value
    for each text, such as its author: then the unit is all texts with one value. max_epsilon: nats
    per unit of the metric; where a unit would spend more, nothing is handed out. receipts: give a
    Cleaned, with a receipt for each text. on_failure: "raise", or None ("null") in the place of
    what cannot be sanitised. n_process: processes, -1 for one a core; a script needs
    `if __name__ == "__main__":` round it where processes are spawned.

    Raises UsageError for settings that do not fit, DxError for what fails; no message holds text.
    """
    one = isinstance(texts, str)
    rows = rows_of(texts)
    how = How(on_failure, batch_size, n_process, max_epsilon)
    chosen: Any = settings
    done = clean_rows(ready(chosen), rows, how, by=by)
    if receipts:
        return done
    return done.texts[0] if one else like(texts, done.texts)


@dataclass(frozen=True)
class How:
    """How texts are worked on; see clean. Raises DxError for values out of range."""

    on_failure: str = "raise"
    batch_size: int = RunConfig.batch_size
    n_process: int = RunConfig.n_process
    max_epsilon: float | None = None

    def __post_init__(self) -> None:
        one_of("on_failure", self.on_failure, ON_FAILURE)
        whole("batch_size", self.batch_size, least=1)
        if self.n_process != -1:
            whole("n_process", self.n_process, least=1)
        if self.max_epsilon is not None:
            positive("max_epsilon", self.max_epsilon)


def clean_rows(
    pipeline: Ready, rows: Sequence[Any], how: How, *, by: Iterable[Any] | None = None
) -> Cleaned:
    """rows: texts, and what stands for none. Raises DxError as clean does."""
    if how.max_epsilon is not None and the_sanitizer(pipeline.nlp).numbers is not None:
        expected = "None with numbers, whose epsilon is of another metric"
        raise fail("max_epsilon", expected, how.max_epsilon)
    records = [checked_record(i, 0, row) for i, row in enumerate(rows) if not is_missing(row)]
    run = RunConfig(batch_size=how.batch_size, n_process=how.n_process)
    try:
        with pipeline.turn, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
            # Without Docs, which die with their zones.
            found = list(outcomes_of(pipeline.nlp, records, run))
    except Exception as error:
        failure = without_text(error)  # notebooks print tracebacks with their causes
    else:
        return _gathered(found, len(rows), how, by)
    raise failure


def _gathered(found: list[Outcome], count: int, how: How, by: Iterable[Any] | None) -> Cleaned:
    texts: list[str | None] = [None] * count
    receipts: list[Receipt | None] = [None] * count
    failures = {}
    for record, outcome in found:
        if isinstance(outcome, str):
            failures[record.number] = outcome
        else:
            texts[record.number], receipts[record.number] = outcome.text, outcome.receipt
    if failures and how.on_failure == "raise":
        first = min(failures)
        why = f"number {first} (from 0): {failures[first]}"
        raise DxError(Errors.DX075.format(count=len(failures), why=why))
    units = units_of(receipts, by)
    if how.max_epsilon is not None and units.most > how.max_epsilon:
        message = Errors.DX142.format(unit=units.kind, spent=units.most, budget=how.max_epsilon)
        raise DxError(message)
    return Cleaned(texts, receipts, units, failures)


# -- what holds texts ------------------------------------------------------------------------------


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
        import pandas as pd

        # Of its type where that is one of texts: a category names all its values, and so would
        # tell the originals.
        keeps = isinstance(model.dtype, pd.StringDtype) or model.dtype == object
        dtype = model.dtype if keeps else "object"
        return pd.Series(texts, index=model.index, name=model.name, dtype=dtype)
    if library == "polars":
        import polars as pl

        return pl.Series(model.name, texts, dtype=pl.String)
    if library == "numpy":
        return np.array(texts, dtype=object if None in texts else None)
    return texts
