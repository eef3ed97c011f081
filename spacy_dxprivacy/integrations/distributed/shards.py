"""Shards in, shards out, on this machine or on a cluster, so that a run that ends early is resumed
by the next one, and no text is released twice without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from spacy.language import Language

from ...config import RunConfig, SanitizeConfig
from ...errors import DxError, Errors, UsageError
from ...io.files.atomic import write_bytes
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
from .recipe import Recipe, config_digest, terms_of
from .work import Shard, Work, about, is_changed

SHARD_KINDS = {**KINDS, ".parquet": "parquet"}
ENGINES = {"local": "", "ray": ".on_ray", "spark": ".on_spark"}  # and the module of each
OnShard = Callable[[Shard, str], Any]


def plan_shards(sources: Sequence[Path], out: Path, *, lines: bool = False) -> list[Shard]:
    """A shard for each file, and for each file in a folder that has a known ending.

    Raises UsageError where there is none, or of another kind, or two would have one name.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file, and shards need a folder for the output.")
    shards = [shard for source in sources for shard in _shards_of(source, out, lines)]
    names: set[str] = set()
    for shard in shards:
        if shard.name in names:
            raise UsageError(f"{shard.name}: there are two shards of this name.")
        names.add(shard.name)
        if (out / shard.name).resolve() == shard.source.resolve():
            raise UsageError(f"{shard.source}: the output is the input.")
    if any(shard.kind == "parquet" for shard in shards):
        needs("pyarrow", "Parquet", extra="arrow")
    return shards


def _shards_of(source: Path, out: Path, lines: bool) -> list[Shard]:
    if not source.exists():
        raise UsageError(f"{source}: no such file or folder.")
    if not source.is_dir():
        return [Shard(source.name, source.resolve(), _kind(source, lines))]
    return [
        Shard(path.relative_to(source).as_posix(), path.resolve(), _kind(path, lines))
        for path in files_in(source, out, SHARD_KINDS)
    ]


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
    chosen: SanitizeConfig | None = None,
    *,
    sign: bytes | None = None,
    on_shard: OnShard | None = None,
) -> Run:
    """Sanitise shards into a folder, which all workers see under the same path.

    Args:
        nlp: What the recipe makes, see Recipe.load.
        recipe: How a worker makes its pipeline.
        shards: See plan_shards.
        out: The folder of the output.
        chosen: Its settings `files` (the fields; others are dropped), `cluster` and `run`.
        sign: A key to sign the manifest with, and the files that it is about.
        on_shard: Called with each shard that is done, and with what went wrong, or "".

    Raises:
        DxError: All shards are finished and `again` is not set, the folder was begun with other
            settings, or another run is writing to it.
        UsageError: A file is in the way.
    """
    chosen = chosen or SanitizeConfig()
    again = chosen.cluster.again
    one_of("engine", chosen.cluster.engine or "local", tuple(ENGINES))
    run = Run(terms_of(nlp))
    tell = on_shard or (lambda shard, why: None)
    with Journal(out.resolve()) as journal:
        for shard in shards:
            path = journal.out / shard.name
            if path.exists() and not (chosen.run.force or shard.name in journal.last):
                raise UsageError(f"{path}: exists already. `force` overwrites it.")
        number = journal.begin(_settings(nlp, chosen), again=again)
        left = {s.name: s for s in shards if not journal.is_done(s.name, number, again=again)}
        for shard in shards:
            if shard.name not in left:
                if _is_another(shard, journal):
                    what = "An earlier state of its source was released"
                    run.failures[shard.name] = Errors.DX079.format(what=what)
                else:
                    run.skipped += 1
                tell(shard, run.failures.get(shard.name, ""))
        for result in _results(nlp, recipe, journal, chosen, list(left.values())):
            _take(result, journal, number, again, run)
            tell(left[result.name], run.failures.get(result.name, ""))
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
    return {
        "config": config_digest(nlp),
        "column": columns.text,
        "keep": kept,
        "user_column": chosen.cluster.user_column,
        **asdict(terms),
        "guarantee": terms.guarantee.to_dict(),
        "in_clear": [*in_clear, "the names and sizes of the shards"],
    }


def _is_another(shard: Shard, journal: Journal) -> bool:
    then = journal.private.input_of(journal.last[shard.name])
    if not is_changed(shard.source, then):
        return False
    return bool(about(shard.source, journal.private.key)["digest"] != then["digest"])


def _results(
    nlp: Language, recipe: Recipe, journal: Journal, chosen: SanitizeConfig, left: Sequence[Shard]
) -> Iterator[ShardResult]:
    """Results come as shards are done, in any order; a shard whose worker dies is tried again, or
    its result says so."""
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


def _take(result: ShardResult, journal: Journal, number: int, again: bool, run: Run) -> None:
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
        known = {n: told for n, told in signed_files(path, key).items() if n not in new}
        run.manifest = signed(parse_json(manifest_bytes(run.manifest)), key, there, known)
    write_bytes(path, manifest_bytes(run.manifest), force=True)
