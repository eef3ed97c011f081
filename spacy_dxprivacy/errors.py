"""Errors and warnings. data/messages.txt holds their messages by code."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import NoReturn

from spacy import util

from .about import DATA


class DxError(ValueError):
    """An error that the user can correct, in a setting, a file or a pipeline."""


class UsageError(DxError):
    """Options or arguments are wrong, or do not fit together.

    Messages name arguments in backticks, `n_process`; the command line shows the option instead.
    """


class DxWarning(UserWarning):
    """A warning that the user should read."""


def warn_always(message: str, *, stacklevel: int) -> None:
    """Show a DxWarning each time, whatever the filters, unless a filter turns it into an error."""
    actions = (action for action, _, kind, *_ in warnings.filters if issubclass(DxWarning, kind))
    with warnings.catch_warnings():
        if next(actions, "default") != "error":
            warnings.simplefilter("always", DxWarning)
        warnings.warn(message, DxWarning, stacklevel=stacklevel)


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore the warnings of mechanisms without a guarantee."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        yield


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the sentence " Did you mean X?" with the most similar name, or "" if none is."""
    nearest = get_close_matches(name, sorted(names), n=1, cutoff=0.5)
    return f" Did you mean {nearest[0]}?" if nearest else ""


class FailsClosed:
    """Base class of components whose errors no handler can skip: that would release plaintext."""

    def set_error_handler(self, error_handler: Callable[..., None]) -> None:
        """Do nothing: a handler that skips errors would release plaintext."""

    def get_error_handler(self) -> Callable[..., NoReturn]:
        """Return the handler that raises all errors."""
        return util.raise_error


class _ByCode:
    """The messages of a section of data/messages.txt, as attributes: Errors.DX001.format(...)."""

    def __init__(self, section: str) -> None:
        text = re.sub(r"\n +", " ", (DATA / "messages.txt").read_text(encoding="utf8"))
        lines = text.partition(f"== {section}\n")[2].partition("\n==")[0]
        for code, sentence in re.findall(r"^(DX\d+) (.*)", lines, re.M):
            setattr(self, code, f"[{code}] {sentence}")

    def __getattr__(self, code: str) -> str:
        raise AttributeError(f"no message has the code {code}")


Errors = _ByCode("Errors")
Warnings = _ByCode("Warnings")
