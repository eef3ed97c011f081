"""dx.clean: texts in, sanitised texts out, in the kind of container that they came in."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, overload

from ..batch.build import the_sanitizer
from ..batch.records import Record, checked_record
from ..batch.run import FileOptions
from ..batch.stream import Outcome, outcomes
from ..component import without_text
from ..config import RunConfig
from ..doc.receipt import COUNTS, Receipt
from ..errors import DxError, Errors
from ..validate import fail, one_of, positive, whole
from .containers import is_missing, like, rows_of
from .settings import Ready, ready
from .units import Units, units_of

ON_FAILURE = ("raise", "null")
Column = TypeVar("Column")  # a Series of pandas or polars, or an array


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
    missing = [is_missing(row) for row in rows]
    records = [checked_record(i, 0, row) for i, row in enumerate(rows) if not missing[i]]
    try:
        found = _outcomes(pipeline, records, how)
    except Exception as error:
        failure = without_text(error)  # notebooks print tracebacks with their causes
    else:
        return _gathered(found, len(rows), how, by)
    raise failure


def _outcomes(pipeline: Ready, records: list[Record], how: How) -> list[Outcome]:
    """Without Docs, which die with their zones; in the order in which they came."""
    with pipeline.turn, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
        if how.n_process == 1:
            size = how.batch_size
            return list(outcomes(pipeline.nlp, records, batch_size=size, with_docs=False))
        from ..batch.workers import outcomes_of_workers

        processes = FileOptions(n_process=how.n_process).processes
        stream = outcomes_of_workers(
            pipeline.nlp, records, batch_size=how.batch_size, n_process=processes, with_docs=False
        )
        return list(stream)


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
    units.check(how.max_epsilon)
    return Cleaned(texts, receipts, units, failures)
