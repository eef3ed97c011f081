"""`dx odds`: how sure an attacker can be of a secret."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ...cli import options
from ...cli.options import setup_errors, usage_errors
from ...config.options import PipelineOptions
from ...errors import UsageError
from ...files.word_lists import read_words
from ...io.build import make_pipeline
from ...io.statements import times
from ...progress import over
from ..informed import InformedAttacker
from ..odds import Odds, OddsOfTexts, odds_of, settings_of, texts_of_files
from ..report.receipts import Releases, read_receipt, receipts_of
from ..results import text_table

ENTITIES = "entities"
LISTED_SECRETS = 10


@options.from_settings("config", "model", "mechanism", "epsilon")
def odds_cli(
    pipeline: PipelineOptions,
    before: Annotated[Path, Argument(
        metavar="TEXT", show_default=False,
        help="Originals: a .txt, .jsonl, .csv or .spacy file",
    )],
    after: Annotated[Path | None, Argument(
        metavar="RELEASE", show_default=False, help="What `dx sanitize` made of them"
    )] = None,
    secret: Annotated[str | None, Option(
        "--secret", help="The secret of all records; - reads it from stdin"
    )] = None,
    secrets: Annotated[str | None, Option(
        "--secrets", help="entities: the names, places and dates of each record"
    )] = None,
    among: Annotated[Path | None, Option(
        "--among", help="File of alternatives, one a line (default: 99 like it)"
    )] = None,
    receipt: options.Receipt = None,
    field: options.Field = "text",
    as_json: Annotated[bool, Option("--json", help="Print JSON, with every secret")] = False,
) -> None:  # fmt: skip
    """State how sure an attacker can be of a secret.

    The attacker knows everything else, and that the secret is one of some alternatives. The worst
    case is proven for any release; with a RELEASE, the odds after it are exact. The settings are
    those of the receipt; give those that it does not state.

    The output shows secrets: it is for those who may read TEXT.

    Example: dx odds notes.jsonl clean.jsonl --secret Maria
    """
    with usage_errors():
        if (secret is None) == (secrets is None):
            raise UsageError("give one of `secret` and `secrets`.")
        if secrets not in (None, ENTITIES):
            raise UsageError(f"`secrets` must be {ENTITIES}, got {secrets!r}.")
        alternatives = None if among is None else read_words(among)
        secret_text = sys.stdin.readline().strip() if secret == "-" else secret
        account = _account(after, receipt)
        if account is not None and pipeline.config is None and not pipeline.of_component():
            pipeline = replace(pipeline, **settings_of(account.to_dict()))
        with setup_errors():
            nlp = make_pipeline(pipeline)
        attacker = InformedAttacker(nlp)
        if account is not None:
            attacker.check(account.to_dict())
        failed = account.count.failed[0] if account is not None and account.count.failed else ()
        texts = texts_of_files(nlp, before, after, field, failed=failed)
        result = odds_of(attacker, over(texts, "records"), secret_text, alternatives)
        if as_json:
            payload = {**result._asdict(), "odds": [asdict(odds) for odds in result.odds]}
            typer.echo(json.dumps(payload, indent=2, ensure_ascii=False))
        else:
            _print(result, unchecked=after is not None and account is None)


def _account(after: Path | None, receipt: Path | None) -> Releases | None:
    """Return the receipt of a release, or None."""
    if receipt is not None:
        return read_receipt(receipt)
    if after is None or after.suffix != ".spacy":
        return None
    accounts, _ = receipts_of([after])
    return next((account for account in accounts if not account.earlier), None)


def _print(result: OddsOfTexts, *, unchecked: bool) -> None:
    secrets = result.odds
    if len(secrets) == 1:
        typer.echo(_sentence(secrets[0]))
    else:
        typer.secho(f"{len(secrets):,} secrets, by how sure an attacker can be of each", bold=True)
        worst = sorted(secrets, key=lambda odds: (odds.posterior or 0.0, odds.bound), reverse=True)
        rows = [
            [odds.record, odds.secret, odds.mentions, odds.among, times(odds.bound, ""),
             "-" if odds.posterior is None else times(odds.posterior, "")]
            for odds in worst[:LISTED_SECRETS]
        ]  # fmt: skip
        header = ["record", "secret", "mentions", "among", "at most", "after this release"]
        typer.echo(text_table(header, rows, "rlrr"))
    if result.left_out:
        typer.echo(
            f"{result.left_out:,} more have no odds: the space lacks their words, or the "
            "alternatives have another number of words."
        )
    if result.why:
        typer.echo(f"There are no odds after this release: {result.why}.")
    if unchecked:
        typer.echo("No receipt was given: that the release has these settings was not checked.")


def _sentence(odds: Odds) -> str:
    text = (
        f"Mentions: {odds.mentions:,}. An attacker who knows everything else, and that the secret "
        f"is one of {odds.among:,} alternatives, names it correctly {times(odds.bound)}."
    )
    after = "" if odds.posterior is None else times(odds.posterior, "")
    return f"{text}\nAfter this release: {after}." if after else text
