"""`python -m spacy dx audit ...`: try to refute a mechanism, and look for leaks in a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer
from spacy import util
from spacy.language import Language

from ...cli import Commands, options
from ...cli.terminal import mistakes_in_a_line, setting_up
from ...errors import UsageError
from ...space import Space
from ...space.sources import BUILTIN, load
from . import described

audit_app = typer.Typer(
    name="audit", cls=Commands, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    help="Audit the guarantee of a mechanism, or a release for leaks.",
)  # fmt: skip


@audit_app.command("mechanism")
@described("audit mechanism")
def audit_mechanism_cli(
    config: Path,
    code: Path | None = None,
    epsilon: float | None = None,
    quick: bool = False,
    space: str | None = None,
    as_json: bool = False,
) -> None:
    """Try to refute the guarantee of a mechanism.

    The verdict is "refuted" (exit status 1), "not refuted" or "inconclusive" (exit status 0):
    no audit can prove a guarantee.

    Example: python -m spacy dx audit mechanism configs/laplace.cfg --epsilon 2 --quick
    """
    from ..audit import REFUTED, audit
    from ..audit.mechanism import mechanism_of

    with mistakes_in_a_line("audit mechanism"):
        with setting_up():
            mechanism = mechanism_of(config, code=code, epsilon=epsilon)
            table = None if space is None else load(space)
        report = audit(mechanism, effort="quick" if quick else "full", space=table)
    _print(report, as_json)
    raise typer.Exit(int(report.verdict == REFUTED))


@audit_app.command("release")
@described("audit release")
def audit_release_cli(
    path: Path,
    against: Path,
    field: str = "text",
    receipt: Path | None = None,
    space: str = BUILTIN,
    as_json: bool = False,
    show_words: bool = False,
    entities: str = "",
    model: str | None = None,
    delimiter: options.Delimiter = None,
    encoding: str | None = None,
) -> None:
    """Check a release for words of the original.

    Words that the mechanism can draw are there by chance; all others leaked. The exit status is 1
    where something leaked that the receipt does not declare, and 0 otherwise. Pickles are never
    loaded.

    Example: python -m spacy dx audit release clean.jsonl --against tickets.jsonl --receipt r.json
    """
    from ..audit import BadFile, audit_release
    from ..report.receipts import read_receipt

    with mistakes_in_a_line("audit release"):
        try:
            account = None if receipt is None else read_receipt(receipt).raw
            with setting_up():
                table: Space = load(space)
                nlp = None if model is None else _load_model(model)
            labels = [label.strip() for label in entities.split(",") if label.strip()]
            report = audit_release(
                path, against, field=field, receipt=account, space=table, entities=labels, nlp=nlp,
                delimiter=delimiter, encoding=encoding,
            )  # fmt: skip
        except BadFile as error:
            raise UsageError(str(error)) from None
    _print(report, as_json, show_words=show_words)
    raise typer.Exit(int(report.leaked))


def _print(report: Any, as_json: bool, **how: bool) -> None:
    plain = json.dumps(report.to_dict(**how), indent=2, ensure_ascii=False) if as_json else ""
    typer.echo(plain or "\n".join(report.lines(**how)))


def _load_model(model: str) -> Language:
    """Load a pipeline with a recogniser. Raise UsageError where there is none."""
    try:
        nlp = util.load_model(model)
    except (OSError, ValueError):
        raise UsageError(
            "the model cannot be loaded: give a folder or a package of a spaCy pipeline."
        ) from None
    if not any("doc.ents" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names):
        raise UsageError("the model has no entity recogniser: give one that has.")
    return nlp
