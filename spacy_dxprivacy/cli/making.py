"""`dx config`, `dx space`, `dx index` and `dx prior`: configs, and the public data of pipelines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..config import FileOptions, PipelineOptions
from ..errors import UsageError
from ..io.build import config_text, make_pipeline, the_sanitizer
from ..io.files.atomic import write_bytes
from ..io.jobs import Job, begun, files_in, opened, read
from ..io.records import Failed, Input, checked
from ..io.source import Source, decode, numbered_lines
from ..metric import graph_of
from ..prior.make import PAIRS, TYPES, make_prior
from ..prior.pairs import check_target
from ..space import Space
from ..space.search.faiss_index import FOLDER, write_index
from ..space.sources import BUILTIN, Filter, check_space_folder, load
from . import options
from .terminal import setting_up

PUBLIC = (".txt", ".jsonl")


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
    graph: Annotated[bool, Option(
        "--graph/--no-graph", help="Learn the word graph that dx.Path.v2 draws on"
    )] = True,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Make a space of word vectors, from which replacements are drawn.

    VECTORS is a pipeline with vectors (a folder or an installed package), a saved space, or
    'builtin'. `python -m spacy init vectors` makes a pipeline of a file of word vectors.

    Example: python -m spacy dx space en_core_web_md my_space --max-words 50000
    """
    start = time.perf_counter()
    with setting_up():
        check_space_folder(target, force=force)
        chosen = Filter(max_words, pattern, [] if exclude == "nothing" else exclude)
        space = load(vectors, chosen)
        if graph:
            graph_of(space)
        space.save(target)
        n, d = space.vectors.shape
        size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
        typer.echo(
            f"{n} words of {d} dimensions, {size / 2**20:.0f} MB, in "
            f"{time.perf_counter() - start:.0f} s: {target}\ndigest {space.digest}",
            err=True,
        )


def index_cli(
    space: Annotated[Path, Argument(
        metavar="SPACE", show_default=False, help="Folder of a saved space, which takes the index"
    )],
    force: options.Force = False,
) -> None:  # fmt: skip
    """Build a fast nearest-neighbour index into the folder of a saved space.

    dx.Faiss.v1 with this folder as `path` uses it, on a space that dx.FileSpace.v1 loads from the
    folder with all of its words.
    """
    with setting_up():
        table = Space.load(space)
        if (space / FOLDER).exists() and not force:
            raise UsageError(f"{space}: has an index already. `force` builds it again.")
        recall = write_index(table.vectors, space)
    typer.echo(
        f"{space / FOLDER}: {len(table)} words; the nearest word is found for {recall:.1%} of "
        "noisy vectors.",
        err=True,
    )


def prior_cli(
    texts: Annotated[Path, Argument(
        metavar="PUBLIC_TEXTS", show_default=False,
        help="Public texts: a .txt or .jsonl file, or a folder of them",
    )],
    target: options.Target,
    types: Annotated[int, Option(
        "--types", min=2, help="Number of word types in the model, the most frequent ones"
    )] = TYPES,
    pairs: Annotated[int, Option(
        "--pairs", min=0, help="Number of word pairs in the model, the most informative"
    )] = PAIRS,
    field: Annotated[str, Option("--field", help="Field of .jsonl that holds the text")] = "text",
    lang: Annotated[str, Option("--lang", help="Language of the tokenizer")] = "en",
    space: Annotated[str, Option("--space", help="Space to report coverage of")] = BUILTIN,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Train a prior (a language model) on public texts, for dx.Path.v2.

    Anyone can read out of the prior what its texts hold. Give public texts only, never those to be
    sanitised.

    Example: python -m spacy dx prior wikipedia.txt medicine --types 20000
    """
    with setting_up():
        check_target(target, force=force)
        words = load(space)
    lines = _public_texts(texts, target, field)
    say = partial(typer.echo, err=True)
    prior = make_prior(
        lines, types=types, pairs=pairs, lang=lang, name=target.name, space=words, say=say
    )
    prior.save(target, force=force)
    typer.echo(
        f"{target}: {len(prior.model.words):,} types, of which the space holds "
        f"{prior.in_space:.1%}\n"
        f"held-out text ({prior.held_out_words:,} words): perplexity {prior.perplexity:.1f} on the "
        f"{prior.coverage:.1%} of words that it knows",
        err=True,
    )


def _public_texts(source: Path, target: Path, field: str) -> Iterator[str]:
    """Yield lines of .txt files, and a field of each line of .jsonl files."""
    if not source.exists():
        raise UsageError(f"{source}: no such file or folder.")
    files = FileOptions(field=(field,))
    for path in files_in(source, target, PUBLIC) if source.is_dir() else [source]:
        if path.suffix.lower() not in PUBLIC:
            raise UsageError(f"{path}: public texts end in {', '.join(PUBLIC)}.")
        try:
            with opened(Job(path, None, "jsonl", "jsonl")) as handle:
                is_json = path.suffix.lower() == ".jsonl"
                for record in begun(read(handle, "jsonl", files)) if is_json else _lines(handle):
                    if isinstance(record, Failed):
                        raise UsageError(f"record {record.number}: {record.why}")
                    yield from map(str, record.texts)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None


def _lines(source: Source) -> Iterator[Input]:
    for number, raw, size in numbered_lines(source):
        if not raw:
            raise UsageError(f"line {number} is too long.")
        yield checked(number, size, [decode(raw).rstrip("\r\n")])


@options.from_settings(
    "model", "mechanism", "epsilon", "entities", "surrogates", "key", "language", "code"
)
def config_cli(
    pipeline: PipelineOptions,
    output: Annotated[Path | None, Argument(
        metavar="OUT", show_default=False, help="Config file to write; stdout if left out"
    )] = None,
    check: Annotated[Path | None, Option(
        "--check", help="Load and fit what this config names, and report problems"
    )] = None,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Write a full spaCy config from options, or check one.

    Example: dx config my.cfg --mechanism laplace --epsilon 10
    """
    with setting_up():
        if check is not None:
            if output is not None or pipeline != PipelineOptions(code=pipeline.code):
                raise UsageError("`check` takes a config as it is: leave the other options out.")
            terms = the_sanitizer(make_pipeline(config=check, code=pipeline.code)).terms
            description = f"{terms.mechanism} on the space {terms.space}: {terms.guarantee}"
            return typer.echo(f"{check}: valid. {description}")
        text = config_text(pipeline)
        if output is None:
            return typer.echo(text, nl=False)
        write_bytes(output, text.encode(), force=force)
        typer.echo(f"{output}: written. `dx config --check {output}` checks it.", err=True)
