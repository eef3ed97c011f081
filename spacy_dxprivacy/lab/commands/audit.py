"""`dx audit ...`: try to refute a mechanism, and look for leaks in a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy import util
from spacy.language import Language
from typer import Argument, Option

from ...cli import Commands, DxCommand, options
from ...cli.options import setup_errors
from ...config.options import to_names
from ...errors import UsageError
from ...space import Space
from ...space.sources import BUILTIN, load

audit_app = typer.Typer(
    name="audit", cls=Commands, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    help="Audit a mechanism, or what a release gives away.",
)  # fmt: skip


@audit_app.command("mechanism", cls=DxCommand)
def audit_mechanism_cli(
    config: Annotated[Path | None, Argument(
        metavar="CONFIG", show_default=False, help="Config file with a mechanism block"
    )] = None,
    mechanism: Annotated[str | None, Option(
        "--mechanism", "-m", help="In place of CONFIG: a name with settings, and --epsilon"
    )] = None,
    code: Annotated[Path | None, Option(
        "--code", "-c", help="Python file to run first, which registers your mechanisms"
    )] = None,
    epsilon: Annotated[float | None, Option(
        "--epsilon", "-e", help="Epsilon to audit at, instead of the one in CONFIG"
    )] = None,
    quick: Annotated[bool, Option(
        "--quick", help="Run for seconds instead of minutes, with less power"
    )] = False,
    space: Annotated[str | None, Option(
        "--space", help="Another space for exact probabilities"
    )] = None,
    as_json: options.AsJson = False,
) -> None:  # fmt: skip
    """Try to refute the guarantee of a mechanism.

    The verdict is "refuted" (exit status 1), "not refuted" or "inconclusive" (exit status 0):
    no audit can prove a guarantee.

    Example: dx audit mechanism configs/laplace.cfg --epsilon 2 --quick
    """
    from ..audit import REFUTED, audit
    from ..audit.mechanism import mechanism_named, mechanism_of

    with setup_errors():
        if (config is None) == (mechanism is None):
            raise UsageError("give CONFIG or `mechanism`, one of the two.")
        audited = (
            mechanism_named(str(mechanism), code=code, epsilon=epsilon)
            if config is None
            else mechanism_of(config, code=code, epsilon=epsilon)
        )
        table = None if space is None else load(space)
    report = audit(audited, effort="quick" if quick else "full", space=table)
    _print(report, as_json)
    raise typer.Exit(int(report.verdict == REFUTED))


@audit_app.command("release", cls=DxCommand)
def audit_release_cli(
    path: Annotated[Path, Argument(
        metavar="PATH", show_default=False,
        help="Release to check: a file, a pickle, a pipeline, a folder",
    )],
    against: Annotated[Path, Option(
        "--against", show_default=False, help="Original texts: a file or a folder"
    )],
    field: options.Field = "text",
    receipt: options.Receipt = None,
    space: Annotated[str, Option(
        "--space", help="Space of the replacements: builtin, or a saved space"
    )] = BUILTIN,
    as_json: options.AsJson = False,
    show_words: Annotated[bool, Option(
        "--show-words", help="Print the leaked words, which are confidential"
    )] = False,
    entities: Annotated[str | None, Option(
        "--entities", help="Report every visible part of these entities: PERSON,GPE"
    )] = None,
    model: Annotated[str | None, Option(
        "--model", help="Pipeline whose recogniser reads the originals"
    )] = None,
) -> None:  # fmt: skip
    """Check a release for words of the original.

    Where words were sampled, those that the mechanism can sample are there by chance; all others
    leaked. Where only entities were replaced, the audit searches each form of what was replaced in
    one place (genitive, initials, user name, a letter wrong) in all others, and counts words that
    may be names and were nowhere replaced. The exit status is 1 if there is a leak that the receipt
    does not declare, and 0 otherwise. All formats of `dx sanitize` are read; pickles are never
    loaded.

    Example: dx audit release clean.jsonl --against tickets.jsonl --receipt r.json
    """
    from ..audit import BadFile, audit_release
    from ..report.receipts import read_receipt

    try:
        account = None if receipt is None else read_receipt(receipt).to_dict()
        with setup_errors():
            table: Space = load(space)
            nlp = None if model is None else _load_model(model)
        report = audit_release(
            path, against, field=field, receipt=account, space=table,
            entities=to_names(entities or ()), nlp=nlp,
        )  # fmt: skip
    except BadFile as error:
        raise UsageError(str(error)) from None
    _print(report, as_json, show_words=show_words)
    raise typer.Exit(int(report.leaked))


def _print(report: Any, as_json: bool, **settings: bool) -> None:
    plain = json.dumps(report.to_dict(**settings), indent=2, ensure_ascii=False) if as_json else ""
    typer.echo(plain or "\n".join(report.lines(**settings)))


def _load_model(model: str) -> Language:
    """Load a pipeline with a recogniser. Raise UsageError without one."""
    try:
        nlp = util.load_model(model)
    except (OSError, ValueError):
        raise UsageError(
            "the model cannot be loaded: give a folder or a package of a spaCy pipeline."
        ) from None
    if not any("doc.ents" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names):
        raise UsageError("the model has no entity recogniser: give one that has.")
    return nlp
