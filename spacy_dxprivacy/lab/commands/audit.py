"""`python -m spacy dx audit ...`: try to refute a mechanism, and look for leaks in a release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy import util
from spacy.language import Language
from typer import Argument, Option

from ...cli import DxCommand, options
from ...cli.options import SignedBy, check_signature
from ...cli.terminal import mistakes_in_a_line, setting_up
from ...errors import UsageError
from ...io.files.limits import MB, TooLarge, read_json
from ...space import Space
from ...space.sources import BUILTIN, load
from ..audit.files import as_receipt, receipt_beside

MOST_RECEIPT = 16 * MB

audit_app = typer.Typer(
    name="audit", no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    help="Try to refute what a mechanism promises, and look for what a release leaks.",
)  # fmt: skip

# fmt: off
Config = Annotated[Path, Argument(
    metavar="CONFIG", show_default=False,
    help="A config with a [components.*.mechanism] block, as for `spacy assemble`, or one with a "
    "[mechanism] block alone",
)]
Code = Annotated[Path | None, Option(
    "--code", "-c", help="A Python file that registers mechanisms of yours. It is run",
)]
Epsilon = Annotated[float | None, Option(
    "--epsilon", "-e", help="In place of the one in CONFIG: an audit sees more at a small one",
)]
Quick = Annotated[bool, Option("--quick", help="Some seconds in place of minutes; it sees less")]
OwnSpace = Annotated[str | None, Option(
    "--space", help="One more space for exact probabilities: 'builtin', a saved Space, or a file "
    "of word vectors",
)]
Json = Annotated[bool, Option("--json", help="Print json")]
Release = Annotated[Path, Argument(
    metavar="PATH", show_default=False,
    help="What is to be let out: a file that `dx sanitize` writes, a pickle, a saved pipeline, or "
    "a folder of such. A pickle is never loaded",
)]
Against = Annotated[Path, Option(
    "--against", show_default=False, help="The original: a file or a folder of texts",
)]
OriginalEncoding = Annotated[str | None, Option(
    "--encoding", show_default=False,
    help="Of the original, such as latin-1 or cp1252, where it is not UTF-8",
)]
ReceiptFile = Annotated[Path | None, Option(
    "--receipt", help="What `dx sanitize --receipt` wrote, or the _manifest.json of shards, which "
    "is found in PATH; a .spacy file carries its own",
)]
Replacements = Annotated[str, Option(
    "--space", help="Where replacements came from: 'builtin', a saved Space, or a file of vectors",
)]
Survivors = Annotated[str, Option(
    "--entities", show_default=False,
    help="Look for parts of entities of these labels that can still be read, and put none down to "
    "chance: PERSON,GPE. If left out: those that a receipt of entity mode names",
)]
Recogniser = Annotated[str | None, Option(
    "--model", show_default=False,
    help="A pipeline (name or path) whose recogniser reads the originals; the rules if left out",
)]
ShowWords = Annotated[bool, Option(
    "--show-words", help="Print the words that were found. They are the secret",
)]
# fmt: on


@audit_app.command("mechanism", cls=DxCommand)
def audit_mechanism_cli(
    config: Config,
    code: Code = None,
    epsilon: Epsilon = None,
    quick: Quick = False,
    space: OwnSpace = None,
    as_json: Json = False,
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


@audit_app.command("sides")
def audit_sides_cli(
    config: Config,
    code: Code = None,
    epsilon: Epsilon = None,
    space: Replacements = BUILTIN,
    as_json: Json = False,
) -> None:
    """Measure what no guarantee covers: the time of a draw, and whether unknown words show.

    Each has a limit; the exit status is 1 beyond it, and 0 otherwise. Measure on a quiet machine.

    Example: python -m spacy dx audit sides configs/path_v2.cfg
    """
    from ..audit.mechanism import mechanism_of
    from ..audit.sides import sides

    with mistakes_in_a_line("audit sides"):
        with setting_up():
            mechanism = mechanism_of(config, code=code, epsilon=epsilon)
            table: Space = load(space)
        report = sides(mechanism, table)
    _print(report, as_json)
    raise typer.Exit(int(not report.within))


@audit_app.command("release")
def audit_release_cli(
    path: Release,
    against: Against,
    field: options.Field = "text",
    receipt: ReceiptFile = None,
    key: SignedBy = None,
    space: Replacements = BUILTIN,
    as_json: Json = False,
    show_words: ShowWords = False,
    entities: Survivors = "",
    model: Recogniser = None,
    delimiter: options.Delimiter = None,
    encoding: OriginalEncoding = None,
) -> None:
    """Look for words of the original in what is to be let out.

    What a mechanism can draw is there by chance; all else leaked. The exit status is 1 where
    something leaked that the receipt does not declare, and 0 otherwise.

    Example: python -m spacy dx audit release clean.jsonl --against tickets.jsonl --receipt r.json
    """
    from ..audit import BadFile, audit_release

    with mistakes_in_a_line("audit release"):
        try:
            receipt = receipt or receipt_beside(path)
            account = None if receipt is None else _read_receipt(receipt)
            check_signature(receipt, key, path)
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
            "the model cannot be loaded: a folder or a package of spaCy's is expected."
        ) from None
    if not any("doc.ents" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names):
        raise UsageError("the model has no entity recogniser.")
    return nlp


def _read_receipt(path: Path) -> dict[str, Any]:
    """Read a receipt of `dx sanitize`, or the manifest of its shards. Raise UsageError for
    anything else."""
    try:
        receipt = as_receipt(read_json(path, MOST_RECEIPT))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except TooLarge:
        raise UsageError(f"{path}: this is too large for a receipt.") from None
    except (ValueError, KeyError, TypeError):
        receipt = None
    if not isinstance(receipt, dict) or "in_clear" not in receipt:
        raise UsageError(f"{path}: this is not a receipt of `dx sanitize`.")
    return receipt
