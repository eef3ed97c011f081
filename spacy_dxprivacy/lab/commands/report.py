"""`dx report`: what sanitising did to texts, on one page, for their owner."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ...cli import options
from ...cli.options import setup_errors
from ...config.code import import_code
from ...config.options import FileOptions
from ...errors import UsageError
from ...files.atomic import check_new, write_bytes
from ...files.keys import keep_from_git
from ...progress import over
from ...space.sources import BUILTIN, load
from ...validate import needs
from ..causal import open_model

PAGE = Path("report.html")


def report_cli(
    before: Annotated[Path, Argument(
        metavar="BEFORE", show_default=False,
        help="Original: a .txt, .jsonl, .csv or .spacy file, or a folder",
    )],
    after: Annotated[Path, Argument(
        metavar="AFTER", show_default=False, help="Output of `dx sanitize`: a file, or a folder"
    )],
    output: Annotated[Path, Option("--output", "-o", help="File to write")] = PAGE,
    receipt: options.Receipt = None,
    field: options.Field = "text",
    label: Annotated[str | None, Option(
        "--label", help="Field with the class, to compare trained classifiers"
    )] = None,
    space: Annotated[str, Option(
        "--space", help="Space for similarity: builtin, or a saved space"
    )] = BUILTIN,
    documents: Annotated[int, Option(
        "--documents", min=0, help="Number of documents to show; 0 leaves all text out"
    )] = 20,
    judge: Annotated[str | None, Option(
        "--judge", help="Causal language model that scores fluency"
    )] = None,
    measure: Annotated[bool, Option(
        "--measure", help="Attack and audit this release: minutes for 100 documents"
    )] = False,
    config: Annotated[Path | None, Option(
        "--config", "-c", help="Config of the run, to measure other settings by"
    )] = None,
    code: options.Code = None,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Write a report on a release, for the owner of its texts.

    It states what was replaced, what an attacker recovers, what stays and what to decide, and shows
    texts side by side. It holds the ORIGINAL text: keep it private. --label needs: pip
    install "spacy-dxprivacy[report]".

    Example: dx report tickets.jsonl clean.jsonl --receipt receipt.json --measure
    """
    from ..report import Request, page_of, read_release
    from ..report.measure import measure as measured_of

    if config is not None and not measure:
        raise UsageError("`config` is of the run that is measured: it needs `measure`.")
    check_new(output, force=force)
    with setup_errors():
        import_code(code)
        if label is not None:
            needs("scikit-learn", "a classifier of `label`", extra="report")
        table = load(space)
        judging = None if judge is None else open_model(judge)
    settings = {"space": space} if config is None else {"config": config}
    files = FileOptions(field=(field,))
    request = Request(
        receipt=receipt, fields=files, label=label, documents=documents, judge=judging,
        settings=settings, progress=over,
    )  # fmt: skip
    release = read_release(before, after, table, request)
    page = page_of(release, measured_of(release) if measure else None)
    write_bytes(output, page.encode(), force=force)
    keep_from_git(output)
    holds = "the original text" if documents else "figures of the original text"
    typer.echo(f"{output} holds {holds}: keep it private.", err=True)
