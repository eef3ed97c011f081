"""`clean` sanitises a text or a container of texts; `prompt` prepares texts for a model.

No text is stored: pipelines read in memory zones, and only pipelines are cached.
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, overload

import numpy as np
from spacy.language import Language

from ..config.options import POLICIES, PROMPT_ENTITIES, PipelineOptions, process_count
from ..errors import DxError, Errors, without_text
from ..io.build import check_limit, get_sanitizer, make_pipeline
from ..io.language_check import with_language
from ..io.records import Failed, Record, Result, make_record
from ..io.results import by_number, results
from ..pipeline.receipt import Receipt
from ..privacy.loss import Loss
from ..prompts.conversation import Conversations, Line, Prompted, Prompter
from ..prompts.restoring import Restorer
from ..text.users import identity, is_nobody
from ..validate import fail, one_of, positive, whole

MAX_PIPELINES = 4  # cached; each has a vocabulary and, with vectors of its own, a space
FILES = ("config", "model", "space", "code", "surrogates", "key")  # settings that may name files
Column = TypeVar("Column")  # a Series of pandas or polars, or an array


# -- cached pipelines ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pipeline:
    """A fitted pipeline. lock: for one thread at a time, because a vocabulary has only one memory
    zone. prompter: for pipelines made by `prompt`."""

    nlp: Language
    lock: threading.Lock = field(default_factory=threading.Lock)
    prompter: Prompter | None = None


_pipelines_lock = threading.Lock()
_pipelines: dict[str, Pipeline] = {}  # by settings, least recently used first


def get_pipeline(settings: Mapping[str, Any], policy: Mapping[str, str] | None = None) -> Pipeline:
    """Return a pipeline from the cache, or make it. It is made anew if a file that the settings
    name has changed. settings: fields of PipelineOptions. policy: for prompts, see Prompter."""
    options = PipelineOptions.of(settings)
    paths = [Path(str(getattr(options, name) or "")).expanduser() for name in FILES]
    changes = [path.stat().st_mtime_ns if path.exists() else 0 for path in paths]
    key = json.dumps([asdict(options), changes, policy], default=str)
    with _pipelines_lock:  # so that two threads do not make the same pipeline
        pipeline = _pipelines.pop(key, None)
        if pipeline is None:
            nlp = make_pipeline(options)
            if get_sanitizer(nlp).settings.rng.seed is not None:
                raise DxError(Errors.DX072)
            pipeline = Pipeline(nlp, prompter=None if policy is None else Prompter(nlp, policy))
        _pipelines[key] = pipeline
        if len(_pipelines) > MAX_PIPELINES:
            del _pipelines[next(iter(_pipelines))]
        return pipeline


# -- texts in, texts out ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Cleaned:
    """Sanitised texts with their receipts.

    Attributes:
        texts: The sanitised texts in order; None for texts that were missing or failed.
        receipts: One receipt for each text; None where the text is None.
        spent: For each text, the epsilon of its unit over all of the unit's texts, nats (at delta =
            1e-6 for zCDP); infinite without a guarantee; None where the text is None.
        failures: Reasons of failures by position (from 0). They hold no text.
    """

    texts: list[str | None] = field(repr=False)
    receipts: list[Receipt | None] = field(repr=False)
    spent: list[float | None]
    failures: dict[int, str] = field(default_factory=dict)


@overload
def clean(texts: str, *, receipts: Literal[False] = ..., **settings: Any) -> str: ...
@overload
def clean(
    texts: Sequence[str], *, receipts: Literal[False] = ..., **settings: Any
) -> list[str]: ...
@overload
def clean(
    texts: Sequence[str | None], *, receipts: Literal[False] = ..., **settings: Any
) -> list[str | None]: ...
@overload
def clean(texts: Column, *, receipts: Literal[False] = ..., **settings: Any) -> Column: ...
@overload
def clean(texts: Any, *, receipts: Literal[True], **settings: Any) -> Cleaned: ...
def clean(
    texts: Any,
    *,
    receipts: bool = False,
    by: Iterable[Any] | None = None,
    max_epsilon: float | None = None,
    on_failure: str = "raise",
    n_process: int = 1,
    batch_size: int | None = None,
    **settings: Any,
) -> Any:
    """Sanitise a text, or the texts of a list, tuple, array, or Series of pandas or polars.

    The unit of the guarantee is a text: the losses of all draws for its words and mentions add up.
    There is no seed. Every call samples anew, so releasing a text twice doubles its loss.

    Args:
        texts: The texts. Missing values (None, NaN) stay missing.
        receipts: Whether to return a Cleaned, with a receipt for each text.
        by: A value for each text, such as its author. The unit of the guarantee is then all texts
            with the same value; a text with None, NaN or "" is a unit of its own.
        max_epsilon: The largest epsilon of a unit, in nats per unit of the metric. If a unit would
            spend more, no text is returned.
        on_failure: "raise", or "null" to return None for texts that cannot be sanitised.
        n_process: Number of processes, -1 for one per core. On systems that spawn processes, a
            script needs `if __name__ == "__main__":`.
        batch_size: Documents per batch; nlp.batch_size if None.
        settings: The fields of PipelineOptions, with the defaults of `dx sanitize`: epsilon,
            level, mechanism, space, entities, config, and so on. Other settings are overrides of
            the config, by path: overrides={"mechanism.policy": "clinical"}.

    Returns:
        A string for a string, a list for a list or a tuple, a Series for a Series, an array for
        an array; or a Cleaned.

    Raises:
        UsageError: If settings do not fit together.
        DxError: If a text cannot be sanitised, or a unit would exceed `max_epsilon`. No message
            holds text.
    """
    rows = rows_of(texts)
    one_of("on_failure", on_failure, ("raise", "null"))
    if max_epsilon is not None:
        positive("max_epsilon", max_epsilon)
    if batch_size is not None:
        whole("batch_size", batch_size, least=1)
    processes, pipeline = process_count(n_process), get_pipeline(settings)
    if max_epsilon is not None:
        check_limit(pipeline.nlp, "max_epsilon")
        if get_sanitizer(pipeline.nlp).settings.numbers is not None:
            expected = "None with numbers, whose epsilon is of another metric"
            raise fail("max_epsilon", expected, max_epsilon)
    outcomes = _results(pipeline, rows, settings.get("language"), processes, batch_size)
    cleaned = _collect(outcomes, len(rows), by)
    if cleaned.failures and on_failure == "raise":
        first = min(cleaned.failures)
        why = f"number {first} (from 0): {cleaned.failures[first]}"
        raise DxError(Errors.DX075.format(count=len(cleaned.failures), why=why))
    largest = max((spent for spent in cleaned.spent if spent is not None), default=0.0)
    if max_epsilon is not None and largest > max_epsilon:
        unit = "text" if by is None else "user"
        raise DxError(Errors.DX142.format(unit=unit, spent=largest, budget=max_epsilon))
    if receipts:
        return cleaned
    return cleaned.texts[0] if isinstance(texts, str) else to_container(texts, cleaned.texts)


def _results(
    pipeline: Pipeline,
    rows: Sequence[Any],
    language: str | None,
    n_process: int,
    batch_size: int | None,
) -> list[Result]:
    records = (make_record(i, 0, [row]) for i, row in enumerate(rows) if not is_missing(row))
    try:
        with pipeline.lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
            in_language = with_language(pipeline.nlp, records, language)
            return list(
                results(pipeline.nlp, in_language, n_process=n_process, batch_size=batch_size)
            )
    except Exception as error:
        failure = without_text(error)  # raised below, since notebooks print the causes of errors
    raise failure


def _collect(outcomes: list[Result], count: int, by: Iterable[Any] | None) -> Cleaned:
    texts, receipts, failures = by_number(outcomes, count)
    names: Sequence[object] = range(count) if by is None else _user_ids(by, count)
    losses: dict[object, Loss] = {}
    for name, receipt in zip(names, receipts, strict=True):
        if receipt is not None:
            losses[name] = losses.get(name, Loss()) + receipt.loss
    epsilons = {name: loss.epsilon() for name, loss in losses.items()}
    spent = [
        None if receipt is None else epsilons[name]
        for name, receipt in zip(names, receipts, strict=True)
    ]
    return Cleaned(texts, receipts, spent, failures)


def _user_ids(by: Iterable[object], count: int) -> list[object]:
    """Return an identifier of the user of each text; texts of nobody get one of their own."""
    users = by.tolist() if hasattr(by, "tolist") else list(by)
    if len(users) != count:
        raise DxError(Errors.DX141.format(given=len(users), expected=count))
    return [i if is_nobody(user) else identity(user) for i, user in enumerate(users)]


# -- prompts ---------------------------------------------------------------------------------------

_conversations = Conversations()


@overload
def prompt(texts: str, **settings: Any) -> tuple[str, Callable[[str], str]]: ...
@overload
def prompt(texts: Sequence[str], **settings: Any) -> tuple[list[str], Callable[[str], str]]: ...
def prompt(
    texts: str | Sequence[str],
    *,
    entities: str | Sequence[str] | None = None,
    policy: Mapping[str, str] | None = None,
    **settings: Any,
) -> tuple[Any, Callable[[str], str]]:
    """Replace names with surrogates for a model, and return a function that restores an answer.

    A conversation is identified by its first text, and keeps its surrogates while this process
    runs. `dx proxy` does the same between a client and its model.

    Args:
        texts: A text, or the texts of a conversation so far, in order.
        entities: Labels to replace. If None and there is no config: person, date, gpe, address,
            org, email, phone, url, id and secret.
        policy: Action by label: "replace" (default), "mask", "block" or "leave".
        settings: The fields of PipelineOptions, as in `clean`.

    Returns:
        The text or texts with surrogates, and a function that replaces surrogates in an answer with
        their originals. It does not change web and mail addresses, HTML and link targets.

    Raises:
        UsageError: If settings do not fit together.
        DxError: If a text cannot be sanitised, or the policy blocks it. No message holds text.
    """
    lines = [("", text) for text in rows_of(texts)]
    record = make_record(0, 0, [text for _, text in lines])
    if isinstance(record, Failed):
        raise DxError(record.why)
    beginning = "".join(text for _, text in lines[:1])
    sent = sanitize_lines(lines, beginning, entities=entities, policy=policy, **settings)
    return sent.texts[0] if isinstance(texts, str) else sent.texts, Restorer(sent.rows).restore


def sanitize_lines(
    lines: Sequence[Line],
    conversation: str,
    *,
    entities: str | Sequence[str] | None = None,
    policy: Mapping[str, str] | None = None,
    **settings: Any,
) -> Prompted:
    """Return the texts of a conversation with surrogates, and rows to restore them. See `prompt`.

    Args:
        lines: Pairs of the context before a text in its document, and the text.
        conversation: The beginning of the conversation, which selects its surrogates.
        entities, policy, settings: As in `prompt`.

    Raises:
        UsageError, DxError: As in `prompt`.
    """
    for way in (policy or {}).values():
        one_of("policy", way, POLICIES)
    if entities or not settings.get("config"):
        settings["entities"] = entities or PROMPT_ENTITIES
    pipeline = get_pipeline(settings, policy or {})
    use = json.dumps([settings, policy], default=str, sort_keys=True)

    def draw(record: Record) -> str:
        (outcome,) = results(pipeline.nlp, [record])
        if isinstance(outcome, Failed):
            raise DxError(outcome.why)
        return outcome.texts[0]

    with pipeline.lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
        held = _conversations.of(use, conversation)
        return cast(Prompter, pipeline.prompter).sanitize(held, lines, {}, draw)


# -- containers ------------------------------------------------------------------------------------


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, pandas.NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def rows_of(texts: Any) -> list[Any]:
    """Return the items of a container, or [text] for a text. Raise DxError for other types."""
    if isinstance(texts, str):
        return [texts]
    no_row = (bytes, bytearray, dict, set, frozenset)
    if isinstance(texts, no_row) or not isinstance(texts, Iterable):
        raise DxError(Errors.DX140.format(given=type(texts).__name__))
    if getattr(texts, "ndim", 1) != 1 or hasattr(texts, "columns"):
        raise DxError(Errors.DX140.format(given=f"{type(texts).__name__} with several columns"))
    return texts.tolist() if hasattr(texts, "tolist") else list(texts)


def to_container(model: Any, texts: list[str | None]) -> Any:
    """Return texts in the container type of `model`: a Series, an array, or else a list."""
    library = type(model).__module__.partition(".")[0]
    if library == "pandas":
        import pandas as pd

        # A categorical dtype lists its values, which are the originals.
        keeps = isinstance(model.dtype, pd.StringDtype) or model.dtype == object
        dtype = model.dtype if keeps else "object"
        return pd.Series(texts, index=model.index, name=model.name, dtype=dtype)
    if library == "polars":
        import polars as pl

        return pl.Series(model.name, texts, dtype=pl.String)
    if library == "numpy":
        return np.array(texts, dtype=object if None in texts else None)
    return texts
