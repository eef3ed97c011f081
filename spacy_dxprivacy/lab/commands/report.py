"""`python -m spacy dx report`: what sanitising did to texts, on one page, for their owner."""

from __future__ import annotations

from pathlib import Path

import typer

from ...cli.options import Code, Force
from ...cli.terminal import mistakes_in_a_line, progress, setting_up
from ...config import FileConfig
from ...editors.opened import open_model
from ...errors import UsageError
from ...io.code import import_code
from ...io.files.atomic import check_new, write_bytes
from ...space.sources import BUILTIN, load
from ...validate import needs
from . import described

PAGE, STATEMENT = Path("report.html"), Path("statement.md")


@described("report")
def report_cli(
    before: Path,
    after: Path,
    output: Path = PAGE,
    receipt: Path | None = None,
    field: str = "text",
    label: str | None = None,
    space: str = BUILTIN,
    documents: int = 20,
    judge: str | None = None,
    code: Code = None,
    measure: bool = False,
    config: Path | None = None,
    statement: bool = False,
    force: Force = False,
) -> None:
    """Write a report on a release, for the owner of its texts.

    It answers what was replaced, what an attacker recovers, what stays and what is to be decided,
    and shows texts side by side. It holds the ORIGINAL text: keep it private. --label needs: pip
    install "spacy-dxprivacy[report]".

    Example: python -m spacy dx report tickets.jsonl clean.jsonl --receipt receipt.json --measure
    """
    from ..report import Request, page_of, read_release, statement_of_files
    from ..report.measure import measure as measured_of

    with mistakes_in_a_line("report"):
        if config is not None and not measure:
            raise UsageError("`config` is of the run that is measured: it needs `measure`.")
        if statement and output == PAGE:
            output = STATEMENT
        check_new(output, force=force)
        with setting_up():
            import_code(code)
            if label is not None:
                needs("scikit-learn", "a classifier of `label`", extra="report")
            table = load(space)
            judging = None if judge is None else open_model(judge)
        settings = {"space": space} if config is None else {"config": config}
        files = FileConfig(field=(field,))
        asked = Request(receipt, files, label, documents, judging, settings, progress)
        if measure or not statement:
            release = read_release(before, after, table, asked)
        measured = measured_of(release) if measure else None
        if statement:
            page = statement_of_files(after, receipt=receipt, measured=measured)
        else:
            page = page_of(release, measured)
        write_bytes(output, page.encode(), force=force)
    if not statement:
        holds = "the original text" if documents else "figures of the original text"
        typer.echo(f"{output} holds {holds}: keep it private.", err=True)
    elif measure:
        typer.echo(f"{output} has figures of the original text: decide who may see them.", err=True)
