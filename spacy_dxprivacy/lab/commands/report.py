"""`python -m spacy dx report`: what sanitising did to texts, on one page, for their owner."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ...cli.options import Code, Field, Force, Lines, SignedBy, check_signature
from ...cli.terminal import bar, mistakes_in_a_line, setting_up
from ...config import FileConfig
from ...editors.opened import open_model
from ...errors import UsageError
from ...io.code import import_code
from ...io.files.atomic import check_new, write_bytes
from ...space.sources import BUILTIN, load
from ..audit.files import receipt_beside

# fmt: off
Before = Annotated[Path, Argument(
    metavar="BEFORE", show_default=False,
    help="The original: a .txt, .jsonl, .csv or .spacy file, or a folder of such files",
)]
After = Annotated[Path, Argument(
    metavar="AFTER", show_default=False,
    help="What `dx sanitize` made of it: a file of any of these kinds, or a folder",
)]
Page = Annotated[Path, Option("--output", "-o", help="The .html file to write")]
Receipt = Annotated[Path | None, Option(
    "--receipt", help="The receipt of `dx sanitize --receipt`. A .spacy file carries its own",
)]
Label = Annotated[str | None, Option(
    "--label", help="The field of BEFORE (.jsonl, .csv) with the class of a document: how well can "
    "a classifier learn it, before and after?",
)]
Table = Annotated[str, Option(
    "--space", help="In whose vectors similarity is taken: 'builtin', a saved Space, or a file of "
    "word vectors",
)]
Documents = Annotated[int, Option(
    "--documents", min=0, help="How many documents to show; 0 leaves all text out",
)]
Judge = Annotated[str | None, Option(
    "--judge", show_default=False,
    help="A causal language model that says how well the texts read before and after: another one "
    "than they were edited by (a Hugging Face folder, a .gguf file, or a name; extra lm)",
)]
Statement = Annotated[bool, Option(
    "--statement", help="Write a page to sign in place of the report: from receipts alone, with "
    "\"not shown\" where nothing was measured (statement.md; no text, not even of BEFORE)",
)]
Attacked = Annotated[list[Path] | None, Option(
    "--attack", show_default=False,
    help="With --statement: a folder of `dx attack --out`, or a .csv of it: the figures to show",
)]
Audited = Annotated[list[Path] | None, Option(
    "--audit", show_default=False,
    help="With --statement: what `dx audit release --json` or `dx audit mechanism --json` told",
)]
# fmt: on
PAGE, STATEMENT = Path("report.html"), Path("statement.md")


def report_cli(
    before: Before,
    after: After,
    output: Page = PAGE,
    receipt: Receipt = None,
    key: SignedBy = None,
    lines: Lines = False,
    field: Field = "text",
    label: Label = None,
    space: Table = BUILTIN,
    documents: Documents = 20,
    judge: Judge = None,
    code: Code = None,
    statement: Statement = False,
    attack: Attacked = None,
    audit: Audited = None,
    force: Force = False,
) -> None:
    """Show what sanitising did: texts side by side, privacy and utility in figures, the guarantee
    in plain words, and what it does not cover.

    The page holds the ORIGINAL text, and is as private. It takes pip install
    "spacy-dxprivacy[report]".

    Example: python -m spacy dx report tickets.jsonl clean.jsonl --receipt receipt.json
    """
    from ..report import Request, page_of_files, statement_of_files
    from ..report.metrics import check_extra

    with mistakes_in_a_line("report"):
        check_signature(receipt or receipt_beside(after), key, after)
        if not statement and (attack or audit):
            raise UsageError("--attack and --audit go with --statement.")
        if statement and output == PAGE:
            output = STATEMENT
        check_new(output, force=force)
        if statement:
            page = statement_of_files(
                after, receipt=receipt, lines=lines, attacks=attack or (), audits=audit or ()
            )
        else:
            with setting_up():
                import_code(code)
                check_extra()
                table = load(space)
                judging = None if judge is None else open_model(judge)
            asked = Request(
                receipt, lines, FileConfig(field=(field,)), label, documents, judging,
                partial(bar, unit="doc"),
            )  # fmt: skip
            page = page_of_files(before, after, table, asked)
        write_bytes(output, page.encode(), force=force)
    if not statement:
        holds = "the original text" if documents else "figures of the original text"
        typer.echo(f"{output} holds {holds}: keep it private.", err=True)
