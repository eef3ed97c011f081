"""Shards in, shards out, on this machine or on a cluster, so that a run that ends early is taken up
by the next one, and no text is released twice without a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..batch.jobs import KINDS
from ..batch.source import ending, pack_of
from ..doc.receipt import Terms
from ..errors import DxError, Errors, UsageError
from ..files.atomic import write_bytes
from ..files.limits import parse_json
from ..files.signed import signed, signed_files
from ..validate import needs
from .arrow import Columns
from .engines import Engine
from .journal import NAME as JOURNAL
from .journal import Journal
from .manifest import NAME as MANIFEST
from .manifest import make_manifest, manifest_bytes
from .recipe import Recipe, config_digest, terms_of
from .shard import Shard, ShardResult, Work, about, is_changed

SHARD_KINDS = {**KINDS, ".parquet": "parquet"}
OnShard = Callable[[Shard, str], Any]


@dataclass(frozen=True)
class How:
    """columns: what becomes of them, with `keep` as a list, not None. user_column: adds up by
    user as well. again: release what has been released a further time. force: replace files that
    no run before wrote. batch_size, n_process: of the engine "local", as in nlp.pipe.
    sign: a key to sign the manifest with, and the files that it is about."""

    columns: Columns = field(default_factory=lambda: Columns(keep=()))
    engine: Engine = field(default_factory=Engine)
    user_column: str | None = None
    again: bool = False
    force: bool = False
    batch_size: int = 128
    n_process: int = 1
    sign: bytes | None = field(default=None, repr=False)


@dataclass
class Run:
    """What a run did. manifest: of all runs. released: the lines of the journal that it added.
    skipped: how many shards were finished before. failures: why, by name of a shard."""

    terms: Terms
    manifest: dict[str, Any] = field(default_factory=dict)
    released: list[dict[str, Any]] = field(default_factory=list)
    skipped: int = 0
    failures: dict[str, str] = field(default_factory=dict)


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
        raise UsageError(f"{path}: a shard must end in {', '.join(SHARD_KINDS)} (.gz, .zst).")
    if kind == "parquet" and pack_of(path):
        raise UsageError(f"{path}: .parquet is packed by itself; unpack it first.")
    return "lines" if kind == "txt" and lines else kind


def sanitize_shards(
    nlp: Language,
    recipe: Recipe,
    shards: Sequence[Shard],
    out: Path,
    how: How | None = None,
    *,
    on_shard: OnShard | None = None,
) -> Run:
    """Sanitise shards into a folder, which all workers see under the same path.

    nlp: what the recipe makes, see Recipe.load. on_shard: called with each shard that is done, and
    with what went wrong, or "".

    Raises DxError where all shards are finished and `again` is not set, where the folder was begun
    with other settings, or another run is writing to it; UsageError where a file is in the way.
    """
    how = how or How()
    run = Run(terms_of(nlp))
    tell = on_shard or (lambda shard, why: None)
    with Journal(out.resolve()) as journal:
        settings = _settings(nlp, run.terms, how)
        _check_free(journal, shards, how)
        number = journal.begin(settings, again=how.again)
        left = _left(journal, shards, number, how, run, tell)
        if not left and not run.failures:
            _close(journal, number, run, how.sign)
            raise DxError(Errors.DX076.format(count=len(shards)))
        for result in how.engine.run(_work(run.terms, recipe, journal, how), nlp, left):
            _take(result, journal, number, how, run)
            tell(_named(left, result.name), run.failures.get(result.name, ""))
        _close(journal, number, run, how.sign)
    return run


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


def _named(shards: Sequence[Shard], name: str) -> Shard:
    return next(shard for shard in shards if shard.name == name)


def _settings(nlp: Language, terms: Terms, how: How) -> dict[str, Any]:
    kept = list(how.columns.keep or ())
    in_clear = [*terms.in_clear, *([f"the fields {', '.join(kept)}"] if kept else [])]
    return {
        "config": config_digest(nlp),
        "column": how.columns.text,
        "keep": kept,
        "user_column": how.user_column,
        **asdict(terms),
        "guarantee": terms.guarantee.to_dict(),
        "in_clear": [*in_clear, "the names and sizes of the shards"],
    }


def _work(terms: Terms, recipe: Recipe, journal: Journal, how: How) -> Work:
    n_process = how.n_process if how.engine.name == "local" else 1
    return Work(
        recipe, terms.space, how.columns, journal.partial, how.user_column, journal.private.key,
        how.batch_size, n_process,
    )  # fmt: skip


def _check_free(journal: Journal, shards: Sequence[Shard], how: How) -> None:
    for shard in shards:
        path = journal.out / shard.name
        if path.exists() and not (how.force or shard.name in journal.last):
            raise UsageError(f"{path}: exists already. `force` overwrites it.")


def _left(
    journal: Journal, shards: Sequence[Shard], number: int, how: How, run: Run, tell: OnShard
) -> list[Shard]:
    """Those to do."""
    left = []
    for shard in shards:
        if not journal.is_done(shard.name, number, again=how.again):
            left.append(shard)
        elif _is_another(shard, journal):
            what = "An earlier state of its source was released"
            run.failures[shard.name] = Errors.DX079.format(what=what)
            tell(shard, run.failures[shard.name])
        else:
            run.skipped += 1
            tell(shard, "")
    return left


def _is_another(shard: Shard, journal: Journal) -> bool:
    then = journal.input_of(journal.last[shard.name])
    if not is_changed(shard.source, then):
        return False
    return bool(about(shard.source, journal.private.key)["digest"] != then["digest"])


def _take(result: ShardResult, journal: Journal, number: int, how: How, run: Run) -> None:
    if result.temporary and not how.again and (other := journal.released_as(result)):
        why = Errors.DX079.format(what=f"The same text was released as {other}")
        run.failures[result.name] = why
    elif result.temporary:
        run.released.append(journal.publish(result, number))
    else:
        run.failures[result.name] = result.why
