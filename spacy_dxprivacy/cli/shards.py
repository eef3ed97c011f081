"""`python -m spacy dx sanitize corpus/*.parquet out/`: what is about shards in the command."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument

from ..batch.jobs import check_fields, size_of
from ..config import ClusterConfig, SanitizeConfig
from ..errors import UsageError
from ..files.atomic import check_new, write_bytes
from .bars import above_bar, bytes_bar
from .mistakes import setting_up, with_options

if TYPE_CHECKING:
    from ..distributed.manifest import Run
    from ..distributed.shard import Shard

# fmt: off
Paths = Annotated[list[str] | None, Argument(
    metavar="INPUT... [OUTPUT]", show_default=False,
    help="INPUT: a .txt, .jsonl, .json, .csv, .tsv, .xlsx or .spacy file, compressed (.gz) or "
    "not, a folder of such files, or - for stdin. OUTPUT: a file, whose ending says the format, or "
    "a folder if INPUT is one; stdout if left out. Several INPUTs, or .parquet, are shards, and "
    "OUTPUT is a folder then. Files in a folder keep their names: check that these identify nobody",
)]
# fmt: on


def is_wanted(paths: Sequence[str], cluster: ClusterConfig) -> bool:
    """Whether the paths, or settings of a cluster, make shards."""
    parquet = any(path.lower().endswith(".parquet") for path in paths)
    return cluster != ClusterConfig() or parquet or len(paths) > 2


def one_or_two(paths: Sequence[str]) -> tuple[str, str | None]:
    return paths[0], (paths[1] if len(paths) > 1 else None)


def sanitize_paths(
    paths: Sequence[str],
    chosen: SanitizeConfig,
    sign: bytes | None,
    interrupted: Callable[[], None],
) -> Ended:
    """paths: the last one is the folder of the output. interrupted: raises KeyboardInterrupt where
    a signal came. Raises what plan_shards and sanitize_shards do."""
    from ..distributed import Recipe, plan_shards, sanitize_shards
    from ..distributed.manifest import manifest_bytes

    if len(paths) < 2:
        raise UsageError("name a folder for the shards of the output.")
    check_fields(chosen.files)
    if len(chosen.files.field) > 1 or chosen.files.receipt_field:
        raise UsageError("shards have one `field` to sanitise, and no `receipt_field`.")
    out = Path(paths[-1])
    receipt = chosen.run.receipt
    lines = chosen.files.format == "lines"
    shards = plan_shards([Path(path) for path in paths[:-1]], out, lines=lines)
    if receipt is not None:
        check_new(receipt, force=chosen.run.force)
    with setting_up():
        recipe = Recipe.of_settings(chosen)
        nlp = recipe.load()
    start = time.perf_counter()
    with bytes_bar(sum(size_of(shard.source) for shard in shards)) as bar:

        def on_shard(shard: Shard, why: str) -> None:
            interrupted()
            bar.update(size_of(shard.source))
            if why:
                above_bar(f"dx sanitize: {shard.name}: {with_options(why)}")

        run = sanitize_shards(
            nlp, recipe, shards, out, _with_workers(chosen), sign=sign, on_shard=on_shard
        )
    if receipt is not None:
        write_bytes(receipt, manifest_bytes(run.manifest), force=chosen.run.force)
    return Ended(run, time.perf_counter() - start)


@dataclass(frozen=True)
class Ended:
    """A run, to be told."""

    run: Run
    seconds: float

    def close(self, *, quiet: bool) -> bool:
        """Print what it did. Whether a shard or a record failed."""
        from ..distributed.manifest import lines_of, tally_of

        tally = tally_of(self.run, self.seconds)
        if not quiet:
            typer.echo("\n".join([*tally.lines(), *lines_of(self.run)]), err=True)
        for alarm in tally.alarms():
            typer.secho(alarm, err=True, fg="red", bold=True)
        return bool(self.run.failures or tally.failures)


def _with_workers(chosen: SanitizeConfig) -> SanitizeConfig:
    """-n means the workers of the cluster where nothing else does."""
    n = chosen.run.processes
    return (
        chosen if chosen.cluster.workers or n == 1 else chosen.with_settings({"cluster.workers": n})
    )
