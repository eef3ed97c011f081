"""`dx space`, `dx index`, `dx restore`, `dx serve` and `dx proxy`."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..config.options import (
    PROMPT_ENTITIES,
    PROXY_ONLY,
    REWRITING,
    PipelineOptions,
    ServiceOptions,
)
from ..errors import DxError, UsageError
from ..files.atomic import check_replaceable, write_bytes
from ..files.checkpoint import Checkpoint
from ..files.keys import read_key
from ..files.limits import MAX_RECORD, check_size
from ..mechanisms.named import parse_mechanism
from ..metric import graph_of
from ..metric.word_graph import basis_of
from ..prompts.restoring import TableRestorer
from ..prompts.table import read_table
from ..space import Space
from ..space.search.faiss_index import FOLDER, write_index
from ..space.sources import Filter, load
from ..validate import needs, positive
from . import options
from .options import setup_errors, usage_errors

# Others learn nothing, or when they are fitted.
ON_COUNTS, ON_GRAPH = "dx.Path.v1", ("dx.Path.v1", "dx.Path.v2")


def space_cli(
    vectors: Annotated[str, Argument(
        metavar="VECTORS", help="Word vectors: a pipeline, a saved space, or 'builtin'"
    )],
    target: options.Target,
    max_words: Annotated[int | None, Option(
        "--max-words", min=2, help="Use the first N words, the most frequent ones"
    )] = None,
    pattern: Annotated[str | None, Option(
        "--pattern", help="Regular expression that whole words must match"
    )] = None,
    exclude: Annotated[str, Option(
        "--exclude", help="Words never to output: offensive, nothing, or a file"
    )] = "offensive",
    mechanism: Annotated[str | None, Option(
        "--mechanism", "-m",
        help="Mechanism to learn for: path (default), which needs a graph of words, laplace, ...",
    )] = None,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Make a space of word vectors, from which replacements are sampled.

    VECTORS is a pipeline with vectors (a folder or an installed package), a saved space, or
    'builtin'. `python -m spacy init vectors` makes a pipeline from a file of word vectors. What is
    learned is kept in OUT.learning until all is done: after a stop, the same command goes on.

    Example: dx space en_core_web_md my_space --max-words 50000
    """
    start = time.perf_counter()
    with setup_errors():
        check_replaceable(target, "space.json", "space", force=force)
        block = parse_mechanism("path" if mechanism is None else mechanism)[1]
        space = load(vectors, Filter(max_words, pattern, exclude))
        checkpoint = Checkpoint(target.with_name(f"{target.name}.learning"), basis_of(space))
        if block["@dx_mechanisms"] in ON_GRAPH:
            _learn(space, checkpoint, counts=block["@dx_mechanisms"] == ON_COUNTS)
        space.save(target)
        checkpoint.remove()
        n, d = space.vectors.shape
        size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
        typer.echo(
            f"{n} words of {d} dimensions, {size / 2**20:.0f} MB, in "
            f"{time.perf_counter() - start:.0f} s: {target}\ndigest {space.digest}",
            err=True,
        )


def _learn(space: Space, checkpoint: Checkpoint, *, counts: bool) -> None:
    """Learn the graph of a space, and its counts. What is learned is kept after Ctrl-C."""
    try:
        with options.progress_lines():
            graph = graph_of(space, checkpoint)
            if counts:
                graph.count_words(checkpoint)
    except KeyboardInterrupt:
        kept = f"{checkpoint.folder} keeps what was learned: the same command goes on with it."
        typer.echo(kept, err=True)
        raise


def index_cli(
    space: Annotated[Path, Argument(
        metavar="SPACE", show_default=False, help="Folder of a saved space, which takes the index"
    )],
    epsilon: Annotated[float, Option(
        "--epsilon", "-e", min=0.0, help="Epsilon of dx.Laplace.v1 at which recall is measured"
    )] = 10.0,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Build a fast nearest-neighbour index in the folder of a saved space.

    To use it, set this folder as `path` of dx.Faiss.v1, and load the space with dx.FileSpace.v1
    from the same folder, with all of its words.
    """
    with setup_errors():
        table = Space.load(space)
        if (space / FOLDER).exists() and not force:
            raise UsageError(f"{space}: has an index already. `force` builds it again.")
        recall = write_index(table.vectors, space, positive("epsilon", epsilon))
    typer.echo(
        f"{space / FOLDER}: {len(table)} words; the nearest word is found for {recall:.1%} of "
        f"noisy vectors at epsilon {epsilon:g}.",
        err=True,
    )


def restore_cli(
    answer: Annotated[Path, Argument(
        metavar="ANSWER", show_default=False,
        help="Text that mentions surrogates, such as a model's answer",
    )],
    output: Annotated[Path | None, Argument(
        metavar="OUTPUT", show_default=False, help="File to write; stdout if left out"
    )] = None,
    table: Annotated[Path, Option(
        "--table", help="Table of surrogates that `dx sanitize` wrote"
    )] = Path("table.dx"),
    table_key: Annotated[Path, Option("--table-key", help="Key file of the table")] = Path(
        "table.key"
    ),
    force: options.Force = False,
) -> None:  # fmt: skip
    """Replace the surrogates in an answer with their originals.

    Bare numbers, dates without a year, and other text that may not be a surrogate stay unchanged,
    and so do surrogates in web addresses, HTML and link targets. They are listed by label and line.

    Example: dx restore answer.txt --table ~/keys/table.dx --table-key ~/keys/a.key
    """
    with usage_errors():
        saved = read_table(table, read_key(table_key))
        try:
            check_size(answer, MAX_RECORD)
            text = answer.read_bytes().decode("utf8")
        except OSError as error:
            raise UsageError(f"{answer}: {error.strerror}.") from None
        except UnicodeDecodeError:
            why = "is not text in UTF-8. Copy the text of a document into a .txt file first"
            raise UsageError(f"{answer}: {why}.") from None
    restorer = TableRestorer(saved)
    restored = restorer.restore(text)
    if output is None:
        typer.echo(restored, nl=False)
    else:
        write_bytes(output, restored.encode(), force=force)
    rows = len(saved.entries)
    typer.echo(f"{restorer.restored} restored, of {rows} surrogates of the table.", err=True)
    for label, lines_by_label in groupby(sorted(restorer.unrestored), key=lambda pair: pair[0]):
        lines = [line for _, line in lines_by_label]
        listed = ", ".join(map(str, dict.fromkeys(lines)))
        why = "may not be a surrogate, or have several originals, and stay unchanged"
        typer.echo(f"{len(lines)} of {label} {why}: line {listed}.", err=True)
    if restorer.is_of_another(text):
        why = "has names, and none of them is in the table. Is it the table of another document"
        raise DxError(f"{answer}: {why}?")


@options.from_settings(without=(*PROXY_ONLY, *REWRITING))
def serve_cli(
    service: ServiceOptions,
    pipeline: PipelineOptions,
    new_token: Annotated[str | None, Option(
        "--new-token", metavar="NAME",
        help="Add a token for NAME to the tokens file, print it, and exit",
    )] = None,
) -> None:  # fmt: skip
    """Serve sanitising over HTTP, including presidio's /anonymize.

    Routes: POST /sanitize, /anonymize; GET /health, /about, /budget, /openapi.json. No text is
    logged, cached or stored. Other settings of the pipeline are overrides, as in `dx sanitize`.
    Needs: pip install "spacy-dxprivacy[serve]".

    Example: dx serve --tokens callers --budget 5000 --ledger spent.db
    """
    if new_token is not None:
        if service.tokens is None:
            raise UsageError("`new_token` needs `tokens`, the file to add it to.")
        needs("fastapi", "The service", extra="serve")
        from ..serve.service import add_token

        return typer.echo(add_token(service.tokens, new_token))
    _serve(service, pipeline)


@options.from_settings(without=REWRITING)
def proxy_cli(service: ServiceOptions, pipeline: PipelineOptions) -> None:
    """Replace names in prompts to a model with surrogates, and restore them in its answers.

    Set the base URL of a client: http://127.0.0.1:8000/v1 for OpenAI's API, http://127.0.0.1:8000
    for Anthropic's. The upstream reads surrogates of --entities (default: person, date, gpe,
    address, org, email, phone, url, id and secret). Answers, streamed or not, get the originals
    back. A conversation keeps its surrogates: for an hour, sent texts are in memory, but no
    original. Nothing is restored in addresses, markup, or arguments of functions that --tools does
    not name. Images, audio and files are rejected without --images. --policy sets the action for a
    label. Routes: POST /v1/chat/completions, /v1/responses, /v1/messages; GET /v1/models, /health,
    /about, /budget.
    The upstream gets the client's key, or that of the environment variable DX_UPSTREAM_KEY. Each
    request is a line in the log, without text.
    Needs: pip install "spacy-dxprivacy[serve]".

    Example: dx proxy --upstream https://api.openai.com/v1
    """
    if not service.upstream:
        raise UsageError("`upstream` is missing: the URL of an OpenAI-compatible API.")
    if not (pipeline.config or pipeline.entities or pipeline.surrogates):
        pipeline = replace(pipeline, entities=PROMPT_ENTITIES)
    _serve(service, pipeline)


def _serve(service: ServiceOptions, pipeline: PipelineOptions) -> None:
    from ..io.build import make_anonymizer, make_pipeline
    from ..machine import check_port

    with setup_errors():
        for package in ("fastapi", "uvicorn", *(["httpx"] if service.upstream else [])):
            needs(package, "The service", extra="serve")
        from ..serve.app import check, serve

        check_port(service.address, service.port)
        anonymizer = None if service.upstream else make_anonymizer(pipeline)
        guarantees = check(make_pipeline(pipeline), service, anonymizer)

    def ready(url: str) -> None:
        typer.echo(f"{url}/openapi.json describes the API; Ctrl-C stops it.", err=True)

    serve(pipeline, service, guarantees, ready=ready)
