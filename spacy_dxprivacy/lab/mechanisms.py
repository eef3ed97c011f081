"""Mechanisms that are evaluated: by their names and settings, over epsilon, on a public space."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DxWarning, UsageError
from ..io.build import full_name
from ..pipeline.component import DEFAULT_CONFIG
from ..prior.pairs import KINDS
from ..registries import registry
from ..space import Space
from ..space.sources import Filter, load
from ..ty import Mechanism
from ..validate import positive, whole

MOST_STEPS = 1000


def load_space(given: str, max_words: int | None = None) -> Space:
    """Load 'builtin', a saved space or a file of vectors, as a pipeline loads it."""
    space = load(given, Filter(max_words=max_words))
    if len(space) < 2:
        raise UsageError("the space holds a single word; give it more.")
    return space


def parse_epsilons(text: str) -> list[float]:
    """Parse "1:4:7" or "1.8,2.2"; raise UsageError for anything else."""
    try:
        if ":" not in text:
            return sorted({positive("epsilon", float(part)) for part in text.split(",")})
        low, high, steps = text.split(":")
        ends = positive("epsilon", float(low)), positive("epsilon", float(high))
        number = whole("steps", int(steps), least=2)
    except ValueError:
        raise UsageError(
            f"`epsilon` must be LOW:HIGH:STEPS or numbers above 0 with commas, got {text!r}."
        ) from None
    if ends[0] >= ends[1] or number > MOST_STEPS:
        raise UsageError(f"`epsilon` must increase, in {MOST_STEPS} steps at most, got {text!r}.")
    return sorted({float(f"{epsilon:.6g}") for epsilon in np.geomspace(*ends, number)})


def check_tunable(name: str, settings: dict[str, Any] | None = None) -> None:
    """Raise UsageError where epsilon alone does not make a mechanism, or it lacks a setting."""
    known = inspect.signature(registry.dx_mechanisms.get(name)).parameters
    if "epsilon" not in known:
        raise UsageError(f"{name} has no epsilon.")
    required = [p.name for p in known.values() if p.default is p.empty and p.name != "epsilon"]
    if required:
        raise UsageError(f"{name} has no default for {', '.join(required)}.")
    strange = [key for key in settings or () if key not in known]
    if strange:
        raise UsageError(f"{name} has no setting {strange[0]!r}. It has: {', '.join(known)}.")


def parse_mechanism(text: str) -> tuple[str, dict[str, Any]]:
    """Parse "path prior=WordFrequency policy=clinical" into its full name and a config.

    The config has no epsilon. Names may be short or full; a prior is one of @dx_priors.
    """
    name, *given = text.split() or [""]
    registered = full_name("dx_mechanisms", name)
    default = DEFAULT_CONFIG["mechanism"]
    is_default = registered == default["@dx_mechanisms"]
    settings: dict[str, Any] = {"prior": default["prior"]} if is_default else {}
    for setting in given:
        key, _, value = setting.partition("=")
        if not (key and value):
            raise UsageError(f"settings of a mechanism are NAME=VALUE, got {setting!r}.")
        settings[key] = prior_config(value) if key == "prior" else value
        with suppress(ValueError, TypeError):
            settings[key] = json.loads(settings[key])
    check_tunable(registered, settings)
    return " ".join([registered, *given]), {"@dx_mechanisms": registered, **settings}


def prior_config(given: str) -> dict[str, Any]:
    """Return the block of a prior: a short name, a domain of ours, a folder of `dx prior`."""
    if given in KINDS:
        return {"@dx_priors": "dx.WordPairs.v1", "domain": given}
    if Path(given).is_dir():
        return {"@dx_priors": "dx.WordPairs.v1", "path": given}
    return {"@dx_priors": full_name("dx_priors", given, KINDS)}


def make_mechanism(given: str | dict[str, Any], space: Space, epsilon: float) -> Mechanism:
    """Return a mechanism that is fitted on the space. given: see unfitted."""
    with quiet():
        made = unfitted(given, epsilon)
        made.fit(space)
    return made


def unfitted(given: str | dict[str, Any], epsilon: float) -> Mechanism:
    """Return a mechanism without a space, and without its warning of a missing guarantee. given: a
    registered name, or a config as of parse_mechanism."""
    config = {"@dx_mechanisms": given} if isinstance(given, str) else given
    with quiet():
        made: Mechanism = registry.resolve({"made": {**config, "epsilon": epsilon}})["made"]
    return made


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore the warnings of mechanisms without a guarantee."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        yield
