"""The libraries of the extra `report`, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...errors import DxError

# What is imported, and what it is installed as.
NEEDED = {
    "sacrebleu": "sacrebleu",
    "rouge_score": "rouge-score",
    "sklearn": "scikit-learn",
    "matplotlib": "matplotlib",
}


def missing() -> list[str]:
    """The names of those that are not installed."""
    return [name for module, name in NEEDED.items() if find_spec(module) is None]


def check() -> None:
    """Raises DxError with what to type where one is missing."""
    absent = missing()
    if absent:
        raise DxError(
            f"the report needs {', '.join(absent)}, which this Python does not have: "
            'pip install "spacy-dxprivacy[report]"'
        )


def need(module: str) -> Any:
    """The module. Raises DxError as check does."""
    check()
    return import_module(module)
