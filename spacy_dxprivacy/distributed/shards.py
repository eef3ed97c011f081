"""Shards in, shards out, on this machine or on a cluster, so that a run that ends early is taken up
by the next one, and no text is released twice without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..batch.formats import KINDS
from ..batch.source import ending, pack_of
from ..config import RunConfig, SanitizeConfig
from ..errors import DxError, Errors, UsageError
from ..files.atomic import write_bytes
from ..files.limits import parse_json
from ..files.signed import signed, signed_files
from ..pipeline.receipt import Terms
from ..validate import needs, one_of
from .arrow import Columns
from .journal import NAME as JOURNAL
from .journal import Journal, ShardResult
from .manifest import NAME as MANIFEST
from .manifest import Run, make_manifest, manifest_bytes
from .recipe import Recipe, config_digest, terms_of
from .shard import Shard, Work, about, is_changed

SHARD_KINDS = {**KINDS, ".parquet": "parquet"}
ENGINES = {"local": "", "ray": ".on_ray", "spark": ".on_spark"}  # and the module of each
OnShard = Callable[[Shard, str], Any]


def plan_shards(sources: Sequence[Path], out: Path, *, lines: bool = False) -> list[Shard]:
    """A shard for each file, and for each file in a folder that has a known ending.

    Raises UsageError where there is none, or of another kind, or two would have one name.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file, and shards need a folder for the output.")
    if any(
        source.is_dir() and out.resolve().is_relative_to(source.resolve()) for source in sources
    ):
        raise UsageError("the output folder must not be the input folder or inside it.")
    shards = [shard for source in sources for shard in _shards_of(source, lines)]
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


def _shards_of(source: Path, lines: bool) -> list[Shard]:
    if not source.exists():
        raise UsageError(f"{source}: no such file or folder.")
    if not source.is_dir():
        return [Shard(source.name, source.resolve(), _kind(source, lines))]
    found = [
        Shard(path.relative_to(source).as_posix(), path.resolve(), _kind(path, lines))
        for path in sorted(source.rglob("*"))
        if path.is_file()
        and ending(path) in SHARD_KINDS
        and not any(part[0] in "._" for part in path.relative_to(source).parts)
    ]
    if not found:
        raise UsageError(f"{source}: holds no file that ends in {', '.join(SHARD_KINDS)}.")
    return found


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
    one_of("engine", chosen.cluster.engine or "local", tuple(ENGINES))
    run = Run(terms_of(nlp))
    tell = on_shard or (lambda shard, why: None)
    with Journal(out.resolve()) as journal:
        for shard in shards:
            path = journal.out / shard.name
            if path.exists() and not (chosen.run.force or shard.name in journal.last):
                raise UsageError(f"{path}: exists already. `force` overwrites it.")
        number = journal.begin(_settings(nlp, run.terms, chosen), again=chosen.cluster.again)
        left = _left(journal, shards, number, chosen, run)
        for shard in shards:
            if shard not in left:
                tell(shard, run.failures.get(shard.name, ""))
        if not left and not run.failures:
            _close(journal, number, run, sign)
            raise DxError(Errors.DX076.format(count=len(shards)))
        for result in _results(nlp, recipe, journal, chosen, left):
            _take(result, journal, number, chosen, run)
            shard = next(shard for shard in left if shard.name == result.name)
            tell(shard, run.failures.get(result.name, ""))
        _close(journal, number, run, sign)
    return run


def _results(
    nlp: Language, recipe: Recipe, journal: Journal, chosen: SanitizeConfig, left: Sequence[Shard]
) -> Iterator[ShardResult]:
    """Results come as shards are done, in any order; a shard whose worker dies is tried again, or
    its result says so."""
    cluster = chosen.cluster
    module = ENGINES[cluster.engine or "local"]
    work = Work(
        recipe, terms_of(nlp).space, _columns(chosen), journal.partial, cluster.user_column,
        journal.private.key, chosen.run if not module else RunConfig(),
    )  # fmt: skip
    if not module:
        return (work.run(nlp, shard) for shard in left)
    results: Iterator[ShardResult] = import_module(module, __package__).run_shards(
        cluster, work, left
    )
    return results


def _columns(chosen: SanitizeConfig) -> Columns:
    return Columns(chosen.files.field[0], chosen.files.keep_fields or ())


def _close(journal: Journal, number: int, run: Run, key: bytes | None) -> None:
    if not run.failures:
        journal.end(number)
    run.manifest = make_manifest(journal)
    if key is not None:
        manifest = parse_json(manifest_bytes(run.manifest))
        files = {name: journal.out / name for name in (*run.manifest["shards"], JOURNAL)}
        there = {name: path for name, path in files.items() if path.is_file()}
        new = {JOURNAL, *(event["name"] for event in run.released)}
        before = signed_files(journal.out / MANIFEST, key)
        known = {name: about for name, about in before.items() if name not in new}
        run.manifest = signed(manifest, key, there, known)
    write_bytes(journal.out / MANIFEST, manifest_bytes(run.manifest), force=True)


def _settings(nlp: Language, terms: Terms, chosen: SanitizeConfig) -> dict[str, Any]:
    columns = _columns(chosen)
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


def _left(
    journal: Journal, shards: Sequence[Shard], number: int, chosen: SanitizeConfig, run: Run
) -> list[Shard]:
    """Those to do; the others are counted."""
    left = []
    for shard in shards:
        if not journal.is_done(shard.name, number, again=chosen.cluster.again):
            left.append(shard)
        elif _is_another(shard, journal):
            what = "An earlier state of its source was released"
            run.failures[shard.name] = Errors.DX079.format(what=what)
        else:
            run.skipped += 1
    return left


def _is_another(shard: Shard, journal: Journal) -> bool:
    then = journal.input_of(journal.last[shard.name])
    if not is_changed(shard.source, then):
        return False
    return bool(about(shard.source, journal.private.key)["digest"] != then["digest"])


def _take(
    result: ShardResult, journal: Journal, number: int, chosen: SanitizeConfig, run: Run
) -> None:
    other = journal.released_as(result) if result.temporary and not chosen.cluster.again else None
    if other:
        why = Errors.DX079.format(what=f"The same text was released as {other}")
        run.failures[result.name] = why
    elif result.temporary:
        run.released.append(journal.publish(result, number))
    else:
        run.failures[result.name] = result.why
