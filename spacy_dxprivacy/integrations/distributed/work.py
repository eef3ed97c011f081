"""One shard: read it, sanitise it, and write it under a hidden name. Its result says what came of
it; whoever has the journal publishes it."""

from __future__ import annotations

import hashlib
import os
import secrets
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spacy.language import Language

from ...config import FileConfig, RunConfig
from ...errors import DxError, UsageError
from ...io.files.parquet import open_parquet, read_tables
from ...io.formats import FORMATS, read
from ...io.jobs import Job, opened
from ...io.run import outcomes_of
from ...io.source import Packing, pack_of, source_of_file
from ...pipeline.receipt import COUNTS
from .arrow import Columns, Pipe, find_column, kept_columns, sanitize_tables
from .journal import ShardResult, keyed_digest
from .recipe import Recipe, pipeline_of_worker
from .spending import ShardSums

if TYPE_CHECKING:
    import pyarrow as pa

WRITE_BYTES = 2**26  # about what a row group of Parquet holds


@dataclass(frozen=True)
class Shard:
    """name: of the output, in the output folder. kind: "parquet", or as for a Job."""

    name: str
    source: Path
    kind: str


@dataclass(frozen=True)
class Work:
    """What is done to every shard. A worker gets it once. space: what the driver's terms call it.
    partial: the folder for what is not published. key: for digests and users, see journal.py. run:
    how many processes; only where the engine is this process."""

    recipe: Recipe
    space: str
    columns: Columns
    partial: Path
    user_column: str | None = None
    key: bytes = field(default=b"", repr=False)
    run_config: RunConfig = field(default_factory=RunConfig)

    def __call__(self, shard: Shard) -> ShardResult:
        """In a worker."""
        try:
            return self.run(pipeline_of_worker(self.recipe, self.space), shard)
        except DxError as error:
            return ShardResult(shard.name, why=str(error))

    def run(self, nlp: Language, shard: Shard) -> ShardResult:
        """A result, whatever goes wrong with the shard; it leaves no file then. KeyboardInterrupt
        passes, and OSError of a full disk ends in a result as well."""
        temporary = self.partial / f"{secrets.token_hex(8)}.tmp"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
                return self._write(nlp, shard, temporary)
        except DxError as error:
            why = str(error)
        except OSError as error:
            why = f"{error.strerror or type(error).__name__}."
        except Exception as error:  # the message may quote a text
            why = f"failed with {type(error).__name__}."
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        return ShardResult(shard.name, why=why)

    def _write(self, nlp: Language, shard: Shard, temporary: Path) -> ShardResult:
        before = about(shard.source, self.key)
        sums = ShardSums(key=b"" if self.user_column is None else self.key)
        with open(temporary, "xb") as handle:
            write = self._write_parquet if shard.kind == "parquet" else self._write_records
            how, with_docs = self.run_config, shard.kind == "spacy"
            write(shard, handle, partial(outcomes_of, nlp, run=how, with_docs=with_docs), sums)
            handle.flush()
            os.fsync(handle.fileno())
        if is_changed(shard.source, before):
            raise UsageError("it was changed while it was read.")
        return ShardResult(shard.name, temporary.name, input=before, sums=sums)

    def _write_parquet(self, shard: Shard, handle: IO[bytes], pipe: Pipe, sums: ShardSums) -> None:
        import pyarrow.parquet as pq

        with open_parquet(shard.source) as file:
            schema = file.schema_arrow
        places = set(kept_columns(schema, self.columns))
        if self.user_column is not None:
            places.add(find_column(schema, self.user_column))
        tables = read_tables(shard.source, [schema.names[place] for place in sorted(places)])
        results = self._released(tables, pipe, sums)
        first = next(results)
        with pq.ParquetWriter(handle, first.schema) as writer:
            for group in _grouped(chain([first], results)):
                writer.write_table(group)

    def _released(
        self, tables: Iterable[pa.Table], pipe: Pipe, sums: ShardSums
    ) -> Iterator[pa.Table]:
        for done in sanitize_tables(tables, pipe, self.columns.text):
            users = [None] * len(done.texts)
            if self.user_column is not None:
                users = done.table[self.user_column].to_pylist()
            for counts, user in zip(done.counts, users, strict=True):
                if counts is not None:
                    sums.count(counts, user)
            sums.nulls += done.texts.count(None) - len(done.failures)
            sums.failed += len(done.failures)
            sums.told.merge(done.told)
            yield done.release(self.columns)

    def _write_records(self, shard: Shard, handle: IO[bytes], pipe: Pipe, sums: ShardSums) -> None:
        keep = tuple(self.columns.keep or ())
        packing = Packing(handle) if pack_of(Path(shard.name)) else None
        out: Any = packing or handle
        files = FileConfig(field=(self.columns.text,), keep_fields=keep)
        writer = FORMATS[shard.kind].write(out, files)
        if self.user_column not in (None, *keep):
            files = replace(files, keep_fields=(*keep, str(self.user_column)))
        with opened(Job(shard.source, None, shard.kind, shard.kind), files) as given:
            for record, outcome in pipe(read(given.source, shard.kind, files)):
                if isinstance(outcome, str):
                    sums.failed += 1
                    continue
                writer.write(record, outcome)
                user = record.kept.get(self.user_column) if self.user_column else None
                sums.count({name: outcome.receipt[name] for name in COUNTS}, user)
                sums.told.add(outcome.receipt)
        writer.finish()
        if packing is not None:
            packing.finish()


def result_of(get: Callable[[], Any], shard: Shard) -> ShardResult:
    """Return what a worker of a cluster says of a shard. One that dies is no reason to give up the
    others."""
    try:
        found: ShardResult = get()
        return found
    except Exception as error:
        return ShardResult(shard.name, why=f"its worker failed with {type(error).__name__}.")


def about(path: Path, key: bytes) -> dict[str, Any]:
    """Keyed digest (hexadecimal), size in bytes and time of change (ns) of a file; the digest is of
    what is packed in it, as the same text may be packed in many ways. Raises UsageError where it
    cannot be read."""
    hasher = hashlib.sha256()
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            content = source_of_file(file, pack_of(path), None, text=False)
            while part := content.read(2**20):
                hasher.update(part)
    except OSError as error:
        raise UsageError(f"{error.strerror}.") from None
    digest = keyed_digest(key, hasher.digest())
    return {"digest": digest, "bytes": status.st_size, "changed": status.st_mtime_ns}


def is_changed(path: Path, since: dict[str, Any]) -> bool:
    """By size and time of change."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns] != [since["bytes"], since["changed"]]


def _grouped(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Fewer and larger ones: each is a row group."""
    import pyarrow as pa

    some: list[pa.Table] = []
    for table in tables:
        some.append(table)
        if sum(one.nbytes for one in some) >= WRITE_BYTES:
            yield pa.concat_tables(some)
            some = []
    if some:
        yield pa.concat_tables(some)
