"""Settings of mechanisms that are looked at over epsilon, and mechanisms made of them."""

from __future__ import annotations

import inspect
import re
import warnings
from typing import Any

import numpy as np

from ...batch.build import full_name, mechanism_config, prior_config
from ...errors import DxWarning, UsageError
from ...registries import registry
from ...space import Space
from ...spaces import Filter, load
from ...ty import Mechanism
from ...validate import positive, whole

MOST_STEPS = 1000


def parse_epsilons(text: str) -> list[float]:
    """ "1:4:7" or "1.8,2.2". Raises UsageError for anything else."""
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
        raise UsageError(f"`epsilon` must rise, in {MOST_STEPS} steps at most, got {text!r}.")
    return sorted({float(f"{epsilon:.6g}") for epsilon in np.geomspace(*ends, number)})


def check_tunable(name: str) -> None:
    """Raises UsageError for a mechanism that epsilon alone does not make."""
    parameters = inspect.signature(registry.dx_mechanisms.get(name)).parameters
    if "epsilon" not in parameters:
        raise UsageError(f"{name} has no epsilon.")
    required = [p.name for p in parameters.values() if p.default is p.empty and p.name != "epsilon"]
    if required:
        raise UsageError(f"{name} has no default for {', '.join(required)}.")


def name_and_epsilon(mechanism: str | None, epsilon: float | None) -> tuple[str, float]:
    """The registered name of a short or a full one, and the epsilon; None for the defaults.
    Raises UsageError where there is no default, or no such mechanism."""
    config = mechanism_config(mechanism or "path", epsilon)
    name = config["@dx_mechanisms"]
    check_tunable(name)
    if "epsilon" not in config:
        raise UsageError(f"{name} needs `epsilon`.")
    return name, float(config["epsilon"])


def make_mechanism(name: str, space: Space, epsilon: float) -> Mechanism:
    """Fitted on the space. Its warnings are left out: what they say is printed."""
    return make_of_config({"@dx_mechanisms": name}, space, epsilon)


def parse_mechanism(text: str) -> tuple[str, dict[str, Any]]:
    """ "path prior=WordFrequency policy=clinical": what it is called, and its config without
    epsilon. Names may be short or full, such as dx.Path.v1; a prior is one of @dx_priors.

    Raises UsageError for names that there are not.
    """
    name, *given = text.split() or [""]
    config: dict[str, Any] = {"@dx_mechanisms": full_name("dx_mechanisms", name)}
    for setting in given:
        key, sign, value = setting.partition("=")
        if not (key and sign and value):
            raise UsageError(f"settings of a mechanism are NAME=VALUE, got {setting!r}.")
        config[key] = prior_config(value) if key == "prior" else _value(value)
    _check_settings(config)
    return " ".join([config["@dx_mechanisms"], *given]), config


def _value(given: str) -> Any:
    if given in ("true", "false"):
        return given == "true"
    try:
        return float(given)
    except ValueError:
        return given


def _check_settings(config: dict[str, Any]) -> None:
    name = config["@dx_mechanisms"]
    check_tunable(name)
    known = inspect.signature(registry.dx_mechanisms.get(name)).parameters
    strange = [key for key in config if key not in known and not key.startswith("@")]
    if strange:
        raise UsageError(f"{name} has no setting {strange[0]!r}. It has: {', '.join(known)}.")


def make_of_config(config: dict[str, Any], space: Space, epsilon: float) -> Mechanism:
    """A mechanism of parse_mechanism at an epsilon, fitted on the space."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        given = {"mechanism": {**config, "epsilon": epsilon}}
        mechanism: Mechanism = registry.resolve(given)["mechanism"]
        mechanism.fit(space)
    return mechanism


def load_space(given: str, max_words: int | None = None) -> Space:
    """'builtin', a saved space or a file of vectors, as a pipeline loads it."""
    space = load(given, Filter(max_words=max_words))
    if len(space) < 2:
        raise UsageError("the space holds one word alone.")
    return space


def short(name: str) -> str:
    """ "path" of "dx.Path.v1"."""
    parts = name.split(".")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", parts[1]).lower() if len(parts) == 3 else name
