"""`dx ...` and `python -m spacy dx ...`: one file a command.

spaCy imports what the entry point group `spacy_cli` names, and nothing more; a command joins its
program by being added to its Typer app (as spacy-curated-transformers and spacy-huggingface-hub
do). `x_cli` parses and prints; the plain function beside it is what other code calls. A command is
imported when it is asked for: all of them with all that they work with take a quarter of a second.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from spacy.cli._util import app

from .commands import Commands, Group

HELP = "Private text: words replaced under metric differential privacy (spacy_dxprivacy)."
# By name: its file, and the function or the app there.
COMMANDS = {
    "sanitize": ("sanitizing", "sanitize_cli"),
    "config": ("config", "config_cli"),
    "completion": ("completion", "completion_cli"),
    "edit": ("edit", "edit_cli"),
    "report": ("report", "report_cli"),
    "index": ("index", "index_cli"),
    "space": ("space", "space_cli"),
    "prior": ("prior", "prior_cli"),
    "tune": ("tune", "tune_cli"),
    "inspect": ("inspect", "inspect_cli"),
    "playground": ("playground", "playground_cli"),
    "serve": ("serve", "serve_cli"),
    "key": ("key", "key_cli"),
    "restore": ("key", "restore_cli"),
    "verify": ("verify", "verify_cli"),
    "experiment": ("experiment", "experiment_cli"),
    "attack": ("attack", "attack_cli"),
    "audit": ("audit", "audit_app"),
}
_HOMES = {
    "Options": ("batch.run", "FileOptions"),
    "make_pipeline": ("batch.build", "make_pipeline"),
    "plan_jobs": ("batch.jobs", "plan_jobs"),
    "sanitize": ("batch.run", "sanitize"),
}


class DxGroup(Group):
    """The commands of dx."""

    homes = Commands(__name__, COMMANDS)


dx_cli = typer.Typer(name="dx", cls=DxGroup, help=HELP, no_args_is_help=True)


@dx_cli.callback()
def _group() -> None:
    """A callback keeps it a group."""


app.add_typer(dx_cli, name="dx", help=HELP)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room, called = _HOMES[name]
    return getattr(import_module(f"..{room}", __name__), called)


__all__ = ["COMMANDS", "Options", "dx_cli", "make_pipeline", "plan_jobs", "sanitize"]
