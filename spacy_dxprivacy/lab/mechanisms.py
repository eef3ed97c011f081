"""Mechanisms to evaluate: by name and settings, over epsilon, on a public space."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from ..errors import DxError, UsageError, quiet
from ..mechanisms.named import parse_mechanism
from ..registries import registry
from ..space import Space
from ..space.sources import Filter, load
from ..ty import Mechanism, StatesProbabilities, facts_of
from ..validate import positive, whole

MAX_STEPS = 1000
LAPLACE, NEAREST = "dx.Laplace.v1", "dx.Nearest.v1"
Make = Callable[[float], Mechanism]  # epsilon -> a mechanism fitted on a space


def load_space(name: str, max_words: int | None = None) -> Space:
    """Load 'builtin', a saved space or a pipeline with vectors, without offensive words."""
    space = load(name, Filter(max_words=max_words))
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
    if ends[0] >= ends[1] or number > MAX_STEPS:
        raise UsageError(f"`epsilon` must increase, in {MAX_STEPS} steps at most, got {text!r}.")
    return sorted({float(f"{epsilon:.6g}") for epsilon in np.geomspace(*ends, number)})


def parse_tunable(text: str) -> tuple[str, dict[str, Any]]:
    """Return the result of parse_mechanism. Raise UsageError if epsilon and these settings do not
    make a mechanism."""
    label, config = parse_mechanism(text)
    name = config["@dx_mechanisms"]
    parameters = inspect.signature(registry.dx_mechanisms.get(name)).parameters
    if "epsilon" not in parameters:
        raise UsageError(f"{name} has no epsilon.")
    required = [
        p.name for p in parameters.values() if p.default is p.empty and p.name not in config
    ]
    if required := [key for key in required if key != "epsilon"]:
        raise UsageError(f"{name} has no default for {', '.join(required)}.")
    if label != name:
        make_unfitted(config, 1.0)
    return label, config


def all_tunable() -> dict[str, dict[str, Any]]:
    """Return the configs of all registered mechanisms with an epsilon and no other setting that is
    required, by label; dx.Laplace.v1 with each projection."""
    configs = dict[str, dict[str, Any]]()
    for name in sorted(registry.dx_mechanisms.get_all()):
        with suppress(UsageError):
            configs |= [parse_tunable(name)]
    for projection in sorted(registry.dx_projections.get_all()):
        if projection != NEAREST and LAPLACE in configs:
            label, config = parse_tunable(f"{LAPLACE} projection={projection}")
            configs[label] = config
    return configs


def longest_first(configs: Mapping[str, dict[str, Any]]) -> list[str]:
    """Return the labels of configs, those first whose attacks take longest: on sentences, then by
    paths, which are searched from every word, and then of noise, whose probabilities are estimated
    from draws."""

    def turn(label: str) -> int:
        try:
            mechanism = make_unfitted(configs[label], 1.0)
        except DxError:  # it takes other epsilons
            return 2
        if facts_of(mechanism).draws_sentences:
            return 0
        if mechanism.guarantee.metric == "path":
            return 1
        return 2 + isinstance(mechanism, StatesProbabilities)

    return sorted(configs, key=turn)


def make_mechanism(setting: str | dict[str, Any], space: Space, epsilon: float) -> Mechanism:
    """Return a mechanism that is fitted on the space. setting: as of `unfitted`."""
    with quiet():
        mechanism = make_unfitted(setting, epsilon)
        mechanism.fit(space)
    return mechanism


def make_unfitted(setting: str | dict[str, Any], epsilon: float | None = None) -> Mechanism:
    """Return an unfitted mechanism, without a warning of a missing guarantee. setting: a registered
    name, or a config of parse_mechanism. epsilon: replaces that of the config."""
    config = {"@dx_mechanisms": setting} if isinstance(setting, str) else setting
    config = config if epsilon is None else {**config, "epsilon": epsilon}
    with quiet():
        mechanism: Mechanism = registry.resolve({"mechanism": config})["mechanism"]
    return mechanism
