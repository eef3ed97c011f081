"""Sanitise a corpus shard by shard, on this machine or on a cluster.

A run that ends early is resumed by the next one, and no text is released twice unnoticed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from spacy.language import Language

from ...config import RunConfig, SanitizeConfig
from ...errors import DxError, Errors, UsageError
from ...io.files.atomic import write_bytes
from ...io.files.keys import read_key
from ...io.files.limits import parse_json
from ...io.files.signed import signed, signed_files
from ...io.formats import KINDS
from ...io.jobs import files_in
from ...io.source import ending, pack_of
from ...validate import needs, one_of
from .arrow import Columns
from .journal import NAME as JOURNAL
from .journal import Journal, ShardResult
from .manifest import NAME as MANIFEST
from .manifest import Run, make_manifest, manifest_bytes
from .recipe import Recipe, terms_of
from .work import Shard, Work, about, is_changed

SHARD_KINDS = {**KINDS, ".parquet": "parquet"}
ENGINES = {"local": "", "ray": ".on_ray", "spark": ".on_spark"}  # and the module of each
OnShard = Callable[[Shard, str], Any]


def plan_shards(sources: Sequence[Path], out: Path, *, lines: bool = False) -> list[Shard]:
    """Return a shard for each file, and for each file of a known ending in a folder.

    Args:
        sources: Files and folders.
        out: The folder of the output.
        lines: Whether each line of a .txt file is a document.

    Raises:
        UsageError: A source is missing or of another kind, or two would have one name.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file, and shards need a folder for the output.")
    shards: dict[str, Shard] = {}
    for source in sources:
        if not source.exists():
            raise UsageError(f"{source}: no such file or folder.")
        is_folder = source.is_dir()
        for path in files_in(source, out, SHARD_KINDS) if is_folder else [source]:
            name = path.relative_to(source).as_posix() if is_folder else path.name
            shard = Shard(name, path.resolve(), _kind(path, lines))
            if name in shards:
                raise UsageError(f"{name}: there are two shards of this name.")
            if (out / name).resolve() == shard.source:
                raise UsageError(f"{shard.source}: the output is the input.")
            shards[name] = shard
    if any(shard.kind == "parquet" for shard in shards.values()):
        needs("pyarrow", "Parquet", extra="arrow")
    return list(shards.values())


def _kind(path: Path, lines: bool) -> str:
    kind = SHARD_KINDS.get(ending(path))
    if kind is None:
        raise UsageError(f"{path}: a shard must end in {', '.join(SHARD_KINDS)} (.gz).")
    if kind == "parquet" and pack_of(path):
        raise UsageError(f"{path}: .parquet is packed by itself; unpack it first.")
    return "lines" if kind == "txt" and lines else kind


def sanitize_shards(
    nlp: Language,
    recipe: Recipe,
    shards: Sequence[Shard],
    out: Path,
    on_shard: OnShard = lambda shard, why: None,
) -> Run:
    """Sanitise shards into a folder, which all workers see under the same path.

    Args:
        nlp: The pipeline, from Recipe.load.
        recipe: How a worker makes its pipeline. Of its settings, `files` names the fields (others
            are dropped), `cluster` and `run` say how; `run.sign` signs the manifest.
        shards: From plan_shards.
        out: The folder of the output.
        on_shard: Called with each finished shard, and with what went wrong, or "".

    Returns:
        What the run did, with the manifest of all runs.

    Raises:
        DxError: All shards are finished and `again` is not set, the folder was begun with other
            settings, or another run is writing to it.
        UsageError: A file is in the way.
    """
    chosen = recipe.settings
    again = chosen.cluster.again
    one_of("engine", chosen.cluster.engine or "local", tuple(ENGINES))
    sign = None if chosen.run.sign is None else read_key(chosen.run.sign)
    run = Run(terms_of(nlp))
    with Journal(out.resolve()) as journal:
        for shard in shards:
            path = journal.out / shard.name
            if path.exists() and not (chosen.run.force or shard.name in journal.last):
                raise UsageError(f"{path}: exists already. `force` overwrites it.")
        number = journal.begin(_settings(nlp, chosen), again=again)
        left = {s.name: s for s in shards if not journal.is_done(s.name, number, again=again)}
        for shard in shards:
            if shard.name not in left:
                _skip(shard, journal, run)
                on_shard(shard, run.failures.get(shard.name, ""))
        for result in _results(nlp, recipe, journal, list(left.values())):
            _publish(result, journal, number, again, run)
            on_shard(left[result.name], run.failures.get(result.name, ""))
        if not run.failures:
            journal.end(number)
        _write_manifest(journal, run, sign)
        if not left and not run.failures:
            raise DxError(Errors.DX076.format(count=len(shards)))
    return run


def _columns(chosen: SanitizeConfig) -> Columns:
    return Columns(chosen.files.field[0], chosen.files.keep_fields or ())


def _settings(nlp: Language, chosen: SanitizeConfig) -> dict[str, Any]:
    terms, columns = terms_of(nlp), _columns(chosen)
    kept = list(columns.keep or ())
    in_clear = [*terms.in_clear, *([f"the fields {', '.join(kept)}"] if kept else [])]
    meta = f"{nlp.meta['lang']} {nlp.meta['name']} {nlp.meta['version']}\n"
    return {
        "config": hashlib.sha256((meta + nlp.config.to_str()).encode()).hexdigest(),
        "column": columns.text,
        "keep": kept,
        "user_column": chosen.cluster.user_column,
        **asdict(terms),
        "guarantee": terms.guarantee.to_dict(),
        "in_clear": [*in_clear, "the names and sizes of the shards"],
    }


def _skip(shard: Shard, journal: Journal, run: Run) -> None:
    """Count a finished shard as skipped, or as a failure if its source changed."""
    then = journal.private.input_of(journal.last[shard.name])
    key = journal.private.key
    if is_changed(shard.source, then) and about(shard.source, key)["digest"] != then["digest"]:
        what = "An earlier state of its source was released"
        run.failures[shard.name] = Errors.DX079.format(what=what)
    else:
        run.skipped += 1


def _results(
    nlp: Language, recipe: Recipe, journal: Journal, left: Sequence[Shard]
) -> Iterator[ShardResult]:
    """Return results as shards are done, in any order; a cluster retries one whose worker died."""
    chosen = recipe.settings
    cluster, module = chosen.cluster, ENGINES[chosen.cluster.engine or "local"]
    work = Work(
        recipe, terms_of(nlp).space, _columns(chosen), journal.partial, cluster.user_column,
        journal.private.key, chosen.run if not module else RunConfig(),
    )  # fmt: skip
    if not module or not left:
        return (work.run(nlp, shard) for shard in left)
    engine: Any = import_module(module, __package__)
    results: Iterator[ShardResult] = engine.run_shards(cluster, work, left)
    return results


def _publish(result: ShardResult, journal: Journal, number: int, again: bool, run: Run) -> None:
    other = journal.released_as(result) if result.temporary and not again else None
    if other:
        what = f"The same text was released as {other}"
        run.failures[result.name] = Errors.DX079.format(what=what)
    elif result.temporary:
        run.released.append(journal.publish(result, number))
    else:
        run.failures[result.name] = result.why


def _write_manifest(journal: Journal, run: Run, key: bytes | None) -> None:
    run.manifest = make_manifest(journal)
    path = journal.out / MANIFEST
    if key is not None:
        files = {name: journal.out / name for name in (*run.manifest["shards"], JOURNAL)}
        there = {name: path for name, path in files.items() if path.is_file()}
        new = {JOURNAL, *(event["name"] for event in run.released)}
        known = {n: entry for n, entry in signed_files(path, key).items() if n not in new}
        run.manifest = signed(parse_json(manifest_bytes(run.manifest)), key, there, known)
    write_bytes(path, manifest_bytes(run.manifest), force=True)
