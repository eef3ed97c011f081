"""`python -m spacy dx report`: what sanitising did to texts, on one page, for their owner."""

from __future__ import annotations

from pathlib import Path

import typer

from ...cli.options import Code, Force
from ...cli.terminal import mistakes_in_a_line, progress, setting_up
from ...config import FileConfig
from ...errors import UsageError
from ...io.code import import_code
from ...io.files.atomic import check_new, write_bytes
from ...space.sources import BUILTIN, load
from ...validate import needs
from ..causal import open_model
from . import described

PAGE = Path("report.html")


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
    force: Force = False,
) -> None:
    """Write a report on a release, for the owner of its texts.

    It answers what was replaced, what an attacker recovers, what stays and what is to be decided,
    and shows texts side by side. It holds the ORIGINAL text: keep it private. --label needs: pip
    install "spacy-dxprivacy[report]".

    Example: python -m spacy dx report tickets.jsonl clean.jsonl --receipt receipt.json --measure
    """
    from ..report import Request, page_of, read_release
    from ..report.measure import measure as measured_of

    with mistakes_in_a_line("report"):
        if config is not None and not measure:
            raise UsageError("`config` is of the run that is measured: it needs `measure`.")
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
        release = read_release(before, after, table, asked)
        page = page_of(release, measured_of(release) if measure else None)
        write_bytes(output, page.encode(), force=force)
    holds = "the original text" if documents else "figures of the original text"
    typer.echo(f"{output} holds {holds}: keep it private.", err=True)
