"""`dx ...` and `python -m spacy dx ...`: one file a command.

spaCy imports what the entry point group `spacy_cli` names, and nothing more; a command joins its
program by being added to its Typer app (as spacy-curated-transformers and spacy-huggingface-hub
do). `x_cli` parses and prints; the plain function beside it is what other code calls.
"""

from __future__ import annotations

import typer
from spacy.cli._util import app

from ..batch.build import make_pipeline
from ..batch.jobs import plan_jobs
from ..batch.run import FileOptions as Options
from .attack import attack_cli
from .audit import audit_app
from .completion import completion_cli
from .config import config_cli
from .edit import edit_cli
from .experiment import experiment_cli
from .index import index_cli
from .inspect import inspect_cli
from .key import key_cli, restore_cli
from .playground import playground_cli
from .prior import prior_cli
from .report import report_cli
from .sanitize import sanitize, sanitize_cli
from .serve import serve_cli
from .space import space_cli
from .tune import tune_cli
from .verify import verify_cli

HELP = "Private text: words replaced under metric differential privacy (spacy_dxprivacy)."

dx_cli = typer.Typer(name="dx", help=HELP, no_args_is_help=True)
dx_cli.command("sanitize")(sanitize_cli)
dx_cli.command("config")(config_cli)
dx_cli.command("completion")(completion_cli)
dx_cli.command("edit")(edit_cli)
dx_cli.command("report")(report_cli)
dx_cli.command("index")(index_cli)
dx_cli.command("space")(space_cli)
dx_cli.command("prior")(prior_cli)
dx_cli.command("tune")(tune_cli)
dx_cli.command("inspect")(inspect_cli)
dx_cli.command("playground")(playground_cli)
dx_cli.command("serve")(serve_cli)
dx_cli.command("key")(key_cli)
dx_cli.command("restore")(restore_cli)
dx_cli.command("verify")(verify_cli)
dx_cli.command("experiment")(experiment_cli)
dx_cli.command("attack")(attack_cli)
dx_cli.add_typer(audit_app, name="audit")


@dx_cli.callback()
def _group() -> None:
    """A callback keeps a group of one command a group."""


app.add_typer(dx_cli, name="dx", help=HELP)

__all__ = ["Options", "dx_cli", "make_pipeline", "plan_jobs", "sanitize"]
