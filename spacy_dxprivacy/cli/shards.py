"""`python -m spacy dx sanitize corpus/*.parquet out/`: what is about shards in the command."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from tqdm import tqdm
from typer import Argument, Option

from ..batch.run import Options
from ..batch.tally import COUNTS, Tally, many, wrapped
from ..errors import UsageError
from ..files.atomic import check_new, write_bytes
from ..spaces import BUILTIN
from .mistakes import setting_up

if TYPE_CHECKING:
    from ..distributed import How, Recipe
    from ..distributed.shards import Run, Shard

# fmt: off
Paths = Annotated[list[str], Argument(
    metavar="INPUT... [OUTPUT]", show_default=False,
    help="INPUT: a .txt, .jsonl, .csv or .spacy file, a folder of such files, or - for text on "
    "stdin. OUTPUT: a file, whose ending says the format, or a folder if INPUT is one; stdout if "
    "left out. Several INPUTs, or .parquet, are shards, and OUTPUT is a folder then. Files in a "
    "folder keep their names: check that these identify nobody",
)]
EngineName = Annotated[str | None, Option(
    "--engine", show_default=False, help="Who works on shards: local, ray or spark",
)]
Address = Annotated[str | None, Option(
    "--address", show_default=False, help="Of a Ray cluster (auto), or the master of Spark "
    "(spark://...); one is started on this machine if left out",
)]
Workers = Annotated[int | None, Option(
    "--workers", min=1, show_default=False,
    help="How many workers of the cluster; one a core if left out",
)]
Again = Annotated[bool, Option(
    "--again", help="Sanitise finished shards once more: a further release of the same texts, "
    "which spends the budget again, and is counted",
)]
UserColumn = Annotated[str | None, Option(
    "--user-column", show_default=False,
    help="Shards: add up by the user that this field names, as well as by document",
)]
# fmt: on


@dataclass(frozen=True)
class Cluster:
    """What the options about shards say."""

    engine: str | None
    address: str | None
    workers: int | None
    again: bool
    user_column: str | None

    def is_wanted(self, paths: Sequence[str]) -> bool:
        asked = self.engine or self.address or self.workers or self.again or self.user_column
        parquet = any(path.lower().endswith(".parquet") for path in paths)
        return bool(asked) or parquet or len(paths) > 2


@dataclass(frozen=True)
class Chosen:
    """What the options from --config to --scope say."""

    config: Path | None
    model: str | None
    mechanism: str | None
    epsilon: float | None
    space: str | None
    entities: tuple[str, ...]
    unknown: str | None
    scope: str | None

    def recipe(self) -> Recipe:
        """Paths are made absolute: workers have other working folders."""
        from ..distributed import Recipe

        if self.config is not None:
            if self.model is not None or any([*self.__dict__.values()][2:]):
                raise UsageError("--config holds all settings: give them there, or leave it out.")
            return Recipe.of(self.config)
        given = dict(self.__dict__)
        for name in ("model", "space"):
            value = given[name]
            if value not in (None, BUILTIN) and Path(value).exists():
                given[name] = str(Path(value).resolve())
        return Recipe(options=tuple(given.items()))


@dataclass(frozen=True)
class More:
    """interrupted: raises KeyboardInterrupt where a signal came."""

    lines: bool
    receipt: Path | None
    interrupted: Callable[[], None]


def one_or_two(paths: Sequence[str]) -> tuple[str, str | None]:
    return paths[0], (paths[1] if len(paths) > 1 else None)


def sanitize_paths(
    paths: Sequence[str], cluster: Cluster, chosen: Chosen, options: Options, more: More
) -> Ended:
    """The last path is the folder of the output. Raises what plan_shards and sanitize_shards do."""
    from ..distributed import plan_shards, sanitize_shards
    from ..distributed.manifest import manifest_bytes

    if len(paths) < 2:
        raise UsageError("name a folder for the shards of the output.")
    out = Path(paths[-1])
    how = _how(cluster, options)
    shards = plan_shards([Path(path) for path in paths[:-1]], out, lines=more.lines)
    if more.receipt is not None:
        check_new(more.receipt, force=options.force)
    with setting_up():
        recipe = chosen.recipe()
        nlp = recipe.load()
    start = time.perf_counter()
    with _bar(shards) as bar:

        def on_shard(shard: Shard, why: str) -> None:
            more.interrupted()
            bar.update(shard.source.stat().st_size)
            if why:
                bar.write(f"dx sanitize: {shard.name}: {why}", file=sys.stderr)

        run = sanitize_shards(nlp, recipe, shards, out, how, on_shard=on_shard)
    if more.receipt is not None:
        write_bytes(more.receipt, manifest_bytes(run.manifest), force=options.force)
    return Ended(run, time.perf_counter() - start)


@dataclass(frozen=True)
class Ended:
    """A run, to be told."""

    run: Run
    seconds: float

    def close(self, *, quiet: bool) -> None:
        """Print what it did. Raises typer.Exit(1) where a shard or a record failed."""
        tally = _tally(self.run, self.seconds)
        if not quiet:
            rows = wrapped("Shards", _of_shards(self.run)) + wrapped("In all", _in_all(self.run))
            typer.echo("\n".join([*tally.lines(), *rows]), err=True)
        for alarm in tally.alarms():
            typer.secho(alarm, err=True, fg="red", bold=True)
        if self.run.failures or tally.failures:
            raise typer.Exit(1)


def _how(cluster: Cluster, options: Options) -> How:
    from ..distributed import Engine, How
    from ..distributed.arrow import Columns

    # -n means the workers of the cluster where nothing else does.
    workers = cluster.workers or (options.processes if options.processes > 1 else None)
    engine = Engine(cluster.engine or "local", cluster.address, workers)
    return How(
        Columns(options.fields.text, options.fields.keep),
        engine,
        cluster.user_column,
        cluster.again,
        options.force,
        options.batch_size,
        options.processes,
    )


def _bar(shards: Sequence[Shard]) -> Any:
    """On a terminal alone (disable=None). It counts bytes, and shows no names."""
    total = sum(shard.source.stat().st_size for shard in shards)
    return tqdm(total=total, unit="B", unit_scale=True, leave=False, disable=None, file=sys.stderr)


class _Tally(Tally):
    def _of_documents(self) -> list[tuple[str, str]]:
        speed = f"{self.words_per_second:,.0f} words a second, with the time to start workers"
        return [*super()._of_documents()[:-1], ("Speed", speed)]


def _tally(run: Run, seconds: float) -> Tally:
    """Of this run alone."""
    tally = _Tally(run.terms, run.manifest["settings"]["in_clear"], seconds=seconds)
    for entry in run.released:
        tally.documents += entry["documents"]
        tally.failed.append([0] * entry["failed"])
        tally.most_draws = max(tally.most_draws, entry["most_draws"])
        for name in COUNTS:
            tally.counts[name] += entry[name]
    return tally


def _of_shards(run: Run) -> str:
    parts = [f"{len(run.released):,} released now"]
    parts += [f"{run.skipped:,} finished before"] if run.skipped else []
    parts += [f"{len(run.failures):,} failed; run again to do them"] if run.failures else []
    return "; ".join(parts)


def _in_all(run: Run) -> str:
    """What all runs come to."""
    m = run.manifest
    text = (
        f"{many(m['corpus']['documents'], 'document')} in "
        f"{many(m['corpus']['shards'], 'shard')}, released {many(m['releases'], 'time')} at "
        f"most. The largest document comes to {_spent(m['by_document'])}"
    )
    if m["by_user"] is not None:
        users = many(m["by_user"]["users"], "user")
        text += f", and the largest of {users} to {_spent(m['by_user'])}"
    return text + ". The rest is in _manifest.json"


def _spent(total: dict[str, Any]) -> str:
    guarantee = total["total"]
    draws = many(total["most_draws"], "draw")
    if isinstance(guarantee, dict) and guarantee["epsilon"] is not None:
        return f"{draws}, epsilon = {guarantee['epsilon']:.6g}"
    return draws
