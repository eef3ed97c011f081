"""Sanitise a corpus shard by shard, on this machine or on a cluster.

A run that ends early is resumed by the next one, and no text is released twice unnoticed.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import srsly
from spacy.language import Language

from ...about import __version__
from ...config import RunConfig, SanitizeConfig
from ...errors import DxError, Errors, UsageError
from ...io.files.atomic import write_bytes
from ...io.formats import FORMATS, KINDS
from ...io.jobs import files_in
from ...io.source import ending, pack_of
from ...io.tally import Tally, wrapped
from ...pipeline.receipt import Terms
from ...privacy.composition import compose, repeat
from ...privacy.concentrated import together
from ...privacy.guarantee import Guarantee
from ...validate import needs, one_of
from .arrow import Columns
from .journal import FORMAT, Journal, ShardResult
from .recipe import Recipe, terms_of
from .spending import ShardSums, UserTotals
from .work import Shard, ShardSanitizer, fingerprint, is_changed

# Documents with markup are sanitised one by one: a manifest does not say what was dropped.
SHARD_KINDS = {end: kind for end, kind in KINDS.items() if not FORMATS[kind].has_markup}
SHARD_KINDS[".parquet"] = "parquet"
ENGINES = {"local": "", "ray": ".on_ray", "spark": ".on_spark"}  # and the module of each
MANIFEST = "_manifest.json"
OnShard = Callable[[Shard, str], Any]
Event = dict[str, Any]  # a line of the journal


@dataclass
class RunResult:
    """The result of a run."""

    terms: Terms
    manifest: dict[str, Any] = field(default_factory=dict)  # of all runs
    released: list[Event] = field(default_factory=list)  # lines that were added to the journal
    skipped: int = 0  # shards that were finished before
    failures: dict[str, str] = field(default_factory=dict)  # reasons, by name of a shard


def plan_shards(sources: Sequence[Path], out: Path, *, lines: bool = False) -> list[Shard]:
    """Return a shard for each file, and for each file of a known ending in a folder.

    lines: whether each line of a .txt file is a document. Raises UsageError for a source that is
    missing or of another kind, and for two of one name.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file. Give a folder for the shards of the output.")
    shards: dict[str, Shard] = {}
    for source in sources:
        if not source.exists():
            raise UsageError(f"{source}: no such file or folder.")
        is_folder = source.is_dir()
        for path in files_in(source, out, SHARD_KINDS) if is_folder else [source]:
            name = path.relative_to(source).as_posix() if is_folder else path.name
            shard = Shard(name, path.resolve(), _kind(path, lines))
            if name in shards:
                raise UsageError(f"{name}: two shards have this name. Rename one.")
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
        raise UsageError(f"{path}: .parquet has its own compression. Decompress the file first.")
    return "lines" if kind == "txt" and lines else kind


def sanitize_shards(
    nlp: Language,
    recipe: Recipe,
    shards: Sequence[Shard],
    out: Path,
    on_shard: OnShard = lambda shard, why: None,
) -> RunResult:
    """Sanitise shards into a folder, which all workers see under the same path.

    Args:
        nlp: The pipeline, from Recipe.load.
        recipe: How a worker makes its pipeline. Of its settings, `files` names the fields (others
            are dropped), `cluster` and `run` say how.
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
    run = RunResult(terms_of(nlp))
    with Journal(out.resolve()) as journal:
        for shard in shards:
            path = journal.out / shard.name
            if path.exists() and not (chosen.run.force or shard.name in journal.last):
                raise UsageError(f"{path}: exists already. `force` overwrites it.")
        number = journal.begin(_settings(nlp, chosen), again=again)
        left = {}
        for shard in shards:
            before = journal.last.get(shard.name)
            if before is None or (again and before["round"] != number):
                left[shard.name] = shard
                continue
            _skip(shard, journal, run)
            on_shard(shard, run.failures.get(shard.name, ""))
        for result in _results(nlp, recipe, journal, list(left.values())):
            _publish(result, journal, number, again, run)
            on_shard(left[result.name], run.failures.get(result.name, ""))
        if not run.failures:
            journal.end(number)
        _write_manifest(journal, run)
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


def _skip(shard: Shard, journal: Journal, run: RunResult) -> None:
    """Count a finished shard as skipped, or as a failure if its source changed."""
    then = journal.private.input_of(journal.last[shard.name])
    key = journal.private.key
    if (
        is_changed(shard.source, then)
        and fingerprint(shard.source, key)["digest"] != then["digest"]
    ):
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
    work = ShardSanitizer(
        recipe, terms_of(nlp).space, _columns(chosen), journal.partial, cluster.user_column,
        journal.private.key, chosen.run if not module else RunConfig(language=chosen.run.language),
    )  # fmt: skip
    if not module or not left:
        return (work.run(nlp, shard) for shard in left)
    engine: Any = import_module(module, __package__)
    results: Iterator[ShardResult] = engine.run_shards(cluster, work, left)
    return results


def _publish(
    result: ShardResult, journal: Journal, number: int, again: bool, run: RunResult
) -> None:
    why = result.why
    if result.temporary:
        other = None if again else journal.released_as(result)
        what = f"The same text was released as {other}"
        why = Errors.DX079.format(what=what) if other else journal.over_budget(result)
    if why:
        run.failures[result.name] = why
    else:
        run.released.append(journal.publish(result, number))


def _write_manifest(journal: Journal, run: RunResult) -> None:
    run.manifest = make_manifest(journal)
    write_bytes(journal.out / MANIFEST, manifest_bytes(run.manifest), force=True)


# -- the manifest: what all runs add up to ---------------------------------------------------------


def make_manifest(journal: Journal) -> dict[str, Any]:
    """Return plain values, for JSON.

    settings: of the last round. corpus: counts of what lies in the folder now. by_document and
    by_user: the largest number of draws of one of them over all releases, and the guarantee that
    they add up to. shards: counts and releases of each, and the same for its largest document.
    """
    begun = {e["round"]: e for e in journal.events if e["event"] == "begin"}
    guarantees = {n: Guarantee.from_dict(e["guarantee"]) for n, e in begun.items()}
    settings = dict(list(begun.values())[-1])
    for name in ("event", "format", "round", "again"):
        del settings[name]
    entries = [event for event in journal.events if event["event"] == "shard"]
    by_text: dict[str, list[Event]] = defaultdict(list)
    for entry in entries:
        by_text[entry["text"]].append(entry)
    corpus = _sums(journal.last.values())
    del corpus["most_draws"]
    return {
        "format": FORMAT,
        "spacy_dxprivacy": __version__,
        "releases": max(map(len, by_text.values()), default=0),
        "rounds": max(begun),
        "settings": settings,
        "corpus": {"shards": len(journal.last), **corpus},
        "by_document": _by_document(entries, guarantees),
        "by_user": _by_user(journal, entries, guarantees) if settings["user_column"] else None,
        "shards": {
            name: {
                **_sums([last]),
                "releases": len(by_text[last["text"]]),
                "total": _by_document(by_text[last["text"]], guarantees)["total"],
            }
            for name, last in sorted(journal.last.items())
        },
    }


def manifest_bytes(manifest: dict[str, Any]) -> bytes:
    """Return a manifest as JSON."""
    written: bytes = (srsly.json_dumps(manifest, indent=2) + "\n").encode()
    return written


def _sums(entries: Iterable[Event]) -> dict[str, Any]:
    sums = ShardSums()
    for entry in entries:
        sums.merge(entry)
        sums.failed += entry["failed"]
    return sums.to_dict()


def _by_document(entries: list[Event], guarantees: dict[int, Guarantee]) -> Event:
    """Bound a document's draws by those of the largest one of its shard, in every release.

    With several guarantees, a bound: the largest draws of each may be of different texts.
    """
    draws: dict[str, Counter[Guarantee]] = defaultdict(Counter)
    for entry in entries:
        draws[entry["text"]][guarantees[entry["round"]]] += entry["most_draws"]
    several = {guarantee for spent in draws.values() for guarantee in spent}
    return _total(Counter({g: max(spent[g] for spent in draws.values()) for g in several}))


def _by_user(journal: Journal, entries: list[Event], guarantees: dict[int, Guarantee]) -> Event:
    """Add up over all releases and shards; with several guarantees, a bound: the largest totals
    may be of different users."""
    files: dict[Guarantee, list[str]] = defaultdict(list)
    for entry in entries:
        if "users" in entry:
            files[guarantees[entry["round"]]].append(entry["users"])
    found = {g: UserTotals(journal.private.folder, names) for g, names in files.items()}
    most = Counter({g: totals.most_draws for g, totals in found.items()})
    users = max(map(len, found.values()), default=0)
    without = sum(entry.get("without_user", 0) for entry in entries)
    person = together(totals.largest for totals in found.values()).to_dict()
    return {"users": users, "documents_without": without, **_total(most), "person": person}


def _total(draws: Counter[Guarantee]) -> Event:
    """Return the draws and their guarantee, or the reason why none can be stated."""
    whole = [repeat(guarantee, number) for guarantee, number in draws.items()]
    try:
        total: Any = (whole[0] if len(whole) == 1 else compose(whole)).to_dict() if whole else None
    except DxError as error:
        total = str(error)
    return {"most_draws": draws.total(), "total": total}


# -- in sentences ----------------------------------------------------------------------------------


def tally_of(run: RunResult, seconds: float) -> Tally:
    """Return the tally of this run alone. seconds: with the time to start workers."""
    in_clear = run.manifest["settings"]["in_clear"]
    tally = Tally(run.terms, in_clear, seconds=seconds, speed="with the time to start workers")
    for entry in run.released:
        tally.merge(entry)
        tally.failed.append([0] * entry["failed"])
    return tally


def lines_of(run: RunResult) -> list[str]:
    """Return what the tally leaves out: the shards of this run."""
    parts = [f"{len(run.released):,} released now"]
    parts += [f"{run.skipped:,} finished before"] if run.skipped else []
    parts += [f"{len(run.failures):,} failed; run again to do them"] if run.failures else []
    return wrapped("Shards", f"{'; '.join(parts)}. {MANIFEST} adds up all runs")
