"""Mechanisms by name, with settings: "laplace projection=RankSampling c=0.04".

Commands and configs name mechanisms in this way, and `DEFAULT` is the block of the default.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from thinc.api import Config

from ..errors import DxError, UsageError, did_you_mean
from ..prior.builtin import DOMAINS
from ..registries import registry
from ..ty import Mechanism
from ..validate import given_twice
from .built import BLOCK, BuiltMechanism, check_mechanism
from .levels import MECHANISM, to_epsilon

DEFAULT: dict[str, Any] = {
    "@dx_mechanisms": MECHANISM,
    "epsilon": 0.8,
    "policy": "general",
    "prior": {"@dx_priors": "dx.WordPairs.v1"},
}
NOUNS = {
    "dx_mechanisms": "mechanism",
    "dx_priors": "prior",
    "dx_projections": "projection",
    "dx_indexes": "index",
}
PARTS = {"projection": "dx_projections", "index": "dx_indexes"}  # registries of nested settings


def parameters_of(registry_name: str, name: str) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a registered constructor, by name."""
    return inspect.signature(getattr(registry, registry_name).get(name)).parameters


def short_names(registry_name: str) -> dict[str, str]:
    """Return full names by short name. Names of this package win, then later versions."""

    def rank(name: str) -> tuple[bool, int]:
        version = name.rpartition(".v")[2]
        return name.startswith("dx."), int(version) if version.isdigit() else 0

    names = sorted(getattr(registry, registry_name).get_all(), key=rank)
    return {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", _base_name(n)).lower(): n for n in names}


def full_name(registry_name: str, given: str, more_names: Sequence[str] = ()) -> str:
    """Return the registered name of a short or full name. Raise UsageError, with all names."""
    if given in getattr(registry, registry_name):
        return given
    shorts = short_names(registry_name)
    plain = {short.replace("-", ""): full for short, full in shorts.items()}
    wanted = given.lower().replace("-", "").replace("_", "")
    if wanted not in plain:
        noun, names = NOUNS[registry_name], sorted([*shorts, *more_names])
        hint = did_you_mean(given, [*names, *shorts.values()])
        raise UsageError(f"no {noun} {given!r}.{hint} There are: {', '.join(names)}.")
    return plain[wanted]


def _base_name(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) == 3 else name


def mechanism_config(mechanism: str | None, epsilon: str | float | None) -> dict[str, Any]:
    """Return the block of a mechanism, which parse_mechanism parses.

    epsilon: a number in the mechanism's unit, or the name of a level of the default mechanism.
    """
    block = {} if mechanism is None else parse_mechanism(mechanism)[1]
    default = DEFAULT
    name = block.get("@dx_mechanisms", default["@dx_mechanisms"])
    if epsilon is not None:
        epsilon = to_epsilon(epsilon, name)
    if mechanism is None:
        return {} if epsilon is None else {"epsilon": epsilon}
    if name == default["@dx_mechanisms"]:
        return {**default, **block, "epsilon": default["epsilon"] if epsilon is None else epsilon}
    parameter = parameters_of("dx_mechanisms", name).get("epsilon")
    if parameter is None and epsilon is not None:
        raise UsageError(f"{name} has no epsilon: leave `epsilon` out.")
    if parameter is not None and parameter.default is parameter.empty and epsilon is None:
        raise UsageError(f"{name} needs `epsilon`, in its own unit: see configs/ for a value.")
    return {**block, **({} if epsilon is None else {"epsilon": epsilon})}


def parse_mechanism(text: str) -> tuple[str, dict[str, Any]]:
    """Parse a mechanism with settings, such as "laplace projection=RankSampling c=0.04".

    Names may be short or full. A prior is a name of @dx_priors, a domain of dx.WordPairs.v1 or a
    folder. A setting that the mechanism lacks is passed to a projection that was named before it.

    Returns:
        The text with the full name, and the block of a config, without epsilon.

    Raises:
        UsageError: For an unknown name or setting, and for epsilon, which is an option.
    """
    name, *settings = text.split() or [""]
    registered, default = full_name("dx_mechanisms", name), DEFAULT
    config: dict[str, Any] = {"@dx_mechanisms": registered}
    if registered == default["@dx_mechanisms"]:
        config["prior"] = default["prior"]
    for setting in settings:
        key, _, value = setting.partition("=")
        if not (key and value):
            raise UsageError(f"settings of a mechanism are NAME=VALUE, got {setting!r}.")
        if key == "epsilon":
            raise UsageError("give epsilon by `epsilon`, not in the settings of a mechanism.")
        _block_with(config, key)[key] = _setting(key, value)
    return " ".join([registered, *settings]), config


def _block_with(config: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the block that has this setting: the mechanism's, or else its projection's."""
    settings: list[str] = []
    for block in (config, config.get("projection", {})):
        for name, registered in block.items():
            if name.startswith("@"):
                settings += (parameters := parameters_of(name[1:], registered))
                if key in parameters:
                    return block
    names = ", ".join(name for name in settings if name != "epsilon") or "none"
    raise UsageError(f"{config['@dx_mechanisms']} has no setting {key!r}. It has: {names}.")


def _setting(key: str, value: str) -> Any:
    """Return the value of a setting: a block for registered parts, else JSON, else text."""
    if key == "prior":
        return prior_config(value)
    if key in PARTS:
        return {f"@{PARTS[key]}": full_name(PARTS[key], value)}
    with suppress(ValueError):
        return json.loads(value)
    return value


def prior_config(given: str) -> dict[str, Any]:
    """Return the block of a prior. given: a name, a domain of dx.WordPairs.v1, or a folder."""
    if given in DOMAINS:
        return {"@dx_priors": "dx.WordPairs.v1", "domain": given}
    if Path(given).is_dir():
        return {"@dx_priors": "dx.WordPairs.v1", "path": given}
    return {"@dx_priors": full_name("dx_priors", given, DOMAINS)}


def mechanism_of(setting: Any, epsilon: float | str | None = None) -> Mechanism:
    """Return the mechanism of a setting, checked.

    Args:
        setting: A mechanism; a text of parse_mechanism that may also have epsilon=NUMBER or
            epsilon=LEVEL; settings of the default mechanism by name; or None for the default.
        epsilon: None, or the epsilon of a mechanism that has none of its own: that of a text, or
            the default.

    Raises:
        DxError: For a setting that makes no mechanism, with a block that does, and for a second
            epsilon.
    """
    if isinstance(setting, str):
        setting, epsilon = _mechanism_named(setting, epsilon), None
    elif setting is None or isinstance(setting, Mapping):
        setting = _default_with(setting or {})
    check_mechanism(setting)
    mechanism: Mechanism = setting
    return mechanism if epsilon is None else _with_epsilon(mechanism, epsilon)


def _default_with(settings: Mapping[str, Any]) -> Mechanism:
    """Return the default mechanism with some other settings."""
    config = {**DEFAULT, **settings}
    if isinstance(prior := config["prior"], Mapping):
        config["prior"] = Config(DEFAULT["prior"]).merge(dict(prior))
    mechanism: Mechanism = registry.resolve({"mechanism": config})["mechanism"]
    return mechanism


def _with_epsilon(mechanism: Mechanism, given: float | str) -> Mechanism:
    """Return the default mechanism with another epsilon. Raise DxError if the mechanism has an
    epsilon of its own."""
    epsilon, own = to_epsilon(given, mechanism.name), mechanism.guarantee.epsilon
    if epsilon == own:
        return mechanism
    is_default = (mechanism.name, own) == (DEFAULT["@dx_mechanisms"], DEFAULT["epsilon"])
    if not (is_default and isinstance(mechanism, BuiltMechanism)):
        raise given_twice("epsilon", given, own, "mechanism")
    return mechanism.with_epsilon(epsilon)


def _mechanism_named(text: str, outer: float | str | None) -> Mechanism:
    """Return the mechanism of a text, with the epsilon of the text or the outer one."""
    name, *settings = text.split() or [""]
    epsilons = [setting for setting in settings if setting.startswith("epsilon=")]
    others = [setting for setting in settings if setting not in epsilons]
    epsilon = epsilons[-1].partition("=")[2] if epsilons else outer
    if epsilons and outer is not None and str(outer) != epsilon:
        raise given_twice("epsilon", outer, epsilon, "mechanism")
    try:
        config = mechanism_config(" ".join([name, *others]), epsilon)
    except UsageError as error:
        example = f'"laplace epsilon=10", or as the block {BLOCK}'
        raise DxError(f"{error} Write the mechanism as {example}.") from None
    mechanism: Mechanism = registry.resolve({"mechanism": config})["mechanism"]
    return mechanism
