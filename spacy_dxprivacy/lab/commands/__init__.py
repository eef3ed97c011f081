"""The commands of the lab, one file each. An entry point of setup.cfg adds them to those of cli."""

from collections.abc import Callable
from typing import Any


def _report() -> Any:
    from .report import report_cli

    return report_cli


def _evaluate() -> Any:
    from .evaluate import evaluate_cli

    return evaluate_cli


def _inspect() -> Any:
    from .inspect import inspect_cli

    return inspect_cli


def _audit() -> Any:
    from .audit import audit_app

    return audit_app


def _attack() -> Any:
    from .attack import attack_cli

    return attack_cli


def _odds() -> Any:
    from .odds import odds_cli

    return odds_cli


# Functions that import a command, by its name.
COMMANDS: dict[str, Callable[[], Any]] = {
    "report": _report,
    "evaluate": _evaluate,
    "inspect": _inspect,
    "audit": _audit,
    "attack": _attack,
    "odds": _odds,
}
