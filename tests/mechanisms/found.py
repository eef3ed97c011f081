"""Every registered mechanism, with settings to try: those of its config.

A new mechanism comes under the contract by its import line and its config in configs/.
"""

import inspect
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from spacy.util import load_config

from spacy_dxprivacy import DxError, DxWarning, Space, registry

CONFIGS = Path(__file__).parent.parent.parent / "configs"
EPSILON = 2.0  # those of the configs suit the built-in space, where words are farther apart

# Those of language, on words that are none.
ON_ANY_WORDS = {"dx.Path.v2": {"policy": "plain", "prior": {"@dx_priors": "dx.Uniform.v1"}}}


def names():
    return sorted(name for name in registry.dx_mechanisms.get_all() if name.startswith("dx."))


def takes_epsilon(name):
    return "epsilon" in inspect.signature(registry.dx_mechanisms.get(name)).parameters


@cache
def plane():
    """40 words in the plane: small enough for all pairs."""
    points = np.random.default_rng(1).normal(size=(40, 2))
    return Space.from_vectors([f"word{i}" for i in range(40)], points)


def settings_of(name):
    """Those of its config, at EPSILON unless it has no solution there; {} for one without any."""
    if not takes_epsilon(name):
        return {}
    given = {k: v for k, v in _block(name).items() if not isinstance(v, dict) and k[0] != "@"}
    given |= ON_ANY_WORDS.get(name, {})
    return {**given, "epsilon": EPSILON} if _has_solution(name, given) else given


@cache
def _block(name):
    """The mechanism of the first config that has it."""
    for path in sorted(CONFIGS.glob("*.cfg")):
        for component in load_config(path)["components"].values():
            block = component.get("mechanism") or {}
            if block.get("@dx_mechanisms") == name:
                return dict(block)
    return {"epsilon": EPSILON}  # test_configs.py asks for the config


def _has_solution(name, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        try:
            made(name, **{**given, "epsilon": EPSILON}).fit(plane())
        except DxError:
            return False
    return True


def made(name, **settings):
    """Not fitted."""
    return registry.resolve({"mechanism": {"@dx_mechanisms": name, **settings}})["mechanism"]
