"""Sanitise one shard and write it under a temporary name; who holds the journal publishes it."""

from __future__ import annotations

import hashlib
import os
import secrets
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spacy.language import Language

from ...config import FileConfig, RunConfig
from ...errors import DxError, UsageError
from ...io.build import the_sanitizer
from ...io.files.parquet import open_parquet, read_tables
from ...io.formats import FORMATS, read
from ...io.jobs import Job, opened
from ...io.run import outcomes_of
from ...io.source import pack_of, packed, source_of_file
from .arrow import Columns, Pipe, carried_columns, find_column, sanitize_tables
from .journal import ShardResult
from .recipe import Recipe, pipeline_of_worker
from .spending import ShardSums

if TYPE_CHECKING:
    import pyarrow as pa

WRITE_BYTES = 2**26  # about what a row group of Parquet holds


@dataclass(frozen=True)
class Shard:
    """An input file. name: of the output, in the output folder. kind: "parquet", or as of a Job."""

    name: str
    source: Path
    kind: str


@dataclass(frozen=True)
class ShardSanitizer:
    """What is done to every shard; each worker receives it once."""

    recipe: Recipe
    space: str  # of the driver, as receipts name it
    columns: Columns
    partial: Path  # the folder of temporary files
    user_column: str | None = None
    key: bytes = field(default=b"", repr=False)  # for digests and users, see journal.py
    run_config: RunConfig = field(default_factory=RunConfig)  # where this process is the engine

    def __call__(self, shard: Shard) -> ShardResult:
        """Sanitise a shard in a worker."""
        try:
            return self.run(pipeline_of_worker(self.recipe, self.space), shard)
        except DxError as error:
            return ShardResult(shard.name, why=str(error))

    def run(self, nlp: Language, shard: Shard) -> ShardResult:
        """Return a result whatever goes wrong, with no file left; KeyboardInterrupt passes."""
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
        before = fingerprint(shard.source, self.key)
        most = the_sanitizer(nlp).max_epsilon_per_person
        sums = ShardSums(key=b"" if self.user_column is None else self.key, most=most)
        with_docs = shard.kind == "spacy"
        pipe = partial(outcomes_of, nlp, run=self.run_config, with_docs=with_docs)
        with open(temporary, "xb") as handle:
            write = self._write_parquet if shard.kind == "parquet" else self._write_records
            write(shard, handle, pipe, sums)
            handle.flush()
            os.fsync(handle.fileno())
        if is_changed(shard.source, before):
            raise UsageError("it changed while it was read. Sanitise it again.")
        return ShardResult(shard.name, temporary.name, input=before, sums=sums)

    def _write_parquet(self, shard: Shard, handle: IO[bytes], pipe: Pipe, sums: ShardSums) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with open_parquet(shard.source) as file:
            schema = file.schema_arrow
        places = set(carried_columns(schema, self.columns))
        if self.user_column is not None:
            places.add(find_column(schema, self.user_column))
        tables = read_tables(shard.source, [schema.names[place] for place in sorted(places)])
        results = self._sanitized(tables, pipe, sums)
        group = [next(results)]
        with pq.ParquetWriter(handle, group[0].schema) as writer:
            for table in results:
                if sum(one.nbytes for one in group) >= WRITE_BYTES:
                    writer.write_table(pa.concat_tables(group))
                    group = []
                group.append(table)
            writer.write_table(pa.concat_tables(group))

    def _sanitized(
        self, tables: Iterable[pa.Table], pipe: Pipe, sums: ShardSums
    ) -> Iterator[pa.Table]:
        for done in sanitize_tables(tables, pipe, self.columns.text):
            users = [None] * len(done.texts)
            if self.user_column is not None:
                users = done.table[self.user_column].to_pylist()
            for row, (counts, user) in enumerate(zip(done.counts, users, strict=True)):
                if counts is None:
                    continue
                if why := sums.charge(counts, user):
                    done.refuse(row, why)
                else:
                    sums.add(counts)
            sums.nulls += done.texts.count(None) - len(done.failures)
            sums.failed += len(done.failures)
            yield done.release(self.columns)

    def _write_records(self, shard: Shard, handle: IO[bytes], pipe: Pipe, sums: ShardSums) -> None:
        keep = tuple(self.columns.keep or ())
        packing = packed(handle) if pack_of(Path(shard.name)) else None
        out: Any = packing or handle
        files = FileConfig(field=(self.columns.text,), keep_fields=keep)
        writer = FORMATS[shard.kind].write(out, files)
        if self.user_column not in (None, *keep):
            files = replace(files, keep_fields=(*keep, str(self.user_column)))
        with opened(Job(shard.source, None, shard.kind, shard.kind), files) as given:
            for record, outcome in pipe(read(given.source, shard.kind, files)):
                user = record.kept.get(self.user_column) if self.user_column else None
                if isinstance(outcome, str) or sums.charge(outcome.receipt, user):
                    sums.failed += 1
                    continue
                writer.write(record, outcome)
                sums.add(outcome.receipt)
        writer.finish()
        if packing is not None:
            packing.close()


def result_of(get: Callable[[], Any], shard: Shard) -> ShardResult:
    """Return a result from a worker of a cluster. If the worker dies, the others go on."""
    try:
        result: ShardResult = get()
        return result
    except Exception as error:
        return ShardResult(shard.name, why=f"its worker failed with {type(error).__name__}.")


def fingerprint(path: Path, key: bytes) -> dict[str, Any]:
    """Return keyed digest of the decompressed content, size (bytes) and modification time (ns)."""
    hasher = hashlib.sha256()
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            content = source_of_file(file, pack_of(path), None, text=False)
            while part := content.read(2**20):
                hasher.update(part)
    except OSError as error:
        raise UsageError(f"{error.strerror}.") from None
    keyed = hashlib.blake2b(hasher.digest(), key=key, digest_size=32, person=b"dx source")
    return {"digest": keyed.hexdigest(), "bytes": status.st_size, "changed": status.st_mtime_ns}


def is_changed(path: Path, since: dict[str, Any]) -> bool:
    """Return whether size or modification time changed."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns] != [since["bytes"], since["changed"]]
