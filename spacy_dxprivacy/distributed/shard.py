"""One shard: read it, sanitise it, and write it under a hidden name. Its result says what came of
it; whoever has the journal publishes it."""

from __future__ import annotations

import hashlib
import os
import secrets
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spacy.language import Language

from ..batch.jobs import Job
from ..batch.records import Fields, Record, read
from ..batch.run import opened
from ..batch.source import Packing, pack_of, source_of_file
from ..batch.stream import outcomes
from ..batch.workers import outcomes_of_workers
from ..batch.writers import WRITERS
from ..errors import DxError, UsageError
from ..files.parquet import open_parquet, read_tables
from .arrow import Columns, Pipe, find_column, finish, kept_columns, sanitize_tables
from .private import digest_under
from .recipe import Recipe, pipeline_of_worker
from .sums import Sums

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
class ShardResult:
    """What came of a shard. temporary: the file to publish, "" where there is none. why: what went
    wrong then; never with text. input: keyed digest, size and time of the source, for the private
    folder alone. is_answer: False where
    the worker died, and somebody else reports it."""

    name: str
    temporary: str = ""
    why: str = ""
    input: dict[str, Any] = field(default_factory=dict, repr=False)
    is_answer: bool = True
    sums: Sums = field(default_factory=Sums)


@dataclass(frozen=True)
class Work:
    """What is done to every shard. A worker gets it once. space: what the driver's terms call it.
    partial: the folder for what is not published. key: for digests and users, see private.py."""

    recipe: Recipe
    space: str
    columns: Columns
    partial: Path
    user_column: str | None = None
    key: bytes = field(default=b"", repr=False)
    batch_size: int = 128
    n_process: int = 1

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
        sums = Sums(key=b"" if self.user_column is None else self.key)
        with open(temporary, "xb") as handle:
            write = self._write_parquet if shard.kind == "parquet" else self._write_records
            write(shard, handle, self._pipe(nlp, with_docs=shard.kind == "spacy"), sums)
            handle.flush()
            os.fsync(handle.fileno())
        if is_changed(shard.source, before):
            raise UsageError("it was changed while it was read.")
        return ShardResult(shard.name, temporary.name, input=before, sums=sums)

    def _pipe(self, nlp: Language, *, with_docs: bool) -> Pipe:
        if self.n_process == 1:
            return partial(outcomes, nlp, batch_size=self.batch_size, with_docs=with_docs)
        return partial(
            outcomes_of_workers, nlp, batch_size=self.batch_size, n_process=self.n_process,
            with_docs=with_docs,
        )  # fmt: skip

    # -- formats ---------------------------------------------------------------------------------

    def _write_parquet(self, shard: Shard, handle: IO[bytes], pipe: Pipe, sums: Sums) -> None:
        import pyarrow.parquet as pq

        with open_parquet(shard.source) as file:
            columns = self._to_read(file.schema_arrow)
        results = self._sanitized(read_tables(shard.source, columns), pipe, sums)
        first = next(results)
        with pq.ParquetWriter(handle, first.schema) as writer:
            for group in _grouped(chain([first], results)):
                writer.write_table(group)

    def _to_read(self, schema: pa.Schema) -> list[str]:
        places = set(kept_columns(schema, self.columns))
        if self.user_column is not None:
            places.add(find_column(schema, self.user_column))
        return [schema.names[place] for place in sorted(places)]

    def _sanitized(self, tables: Iterable[pa.Table], pipe: Pipe, sums: Sums) -> Iterator[pa.Table]:
        for done in sanitize_tables(tables, pipe, self.columns.text):
            users = [None] * len(done.texts)
            if self.user_column is not None:
                users = done.table[self.user_column].to_pylist()
            sums.add_rows(done.counts, users, nulls=done.texts.count(None) - len(done.failures))
            sums.failed += len(done.failures)
            sums.told.merge(done.told)
            yield finish(done, self.columns)

    def _write_records(self, shard: Shard, handle: IO[bytes], pipe: Pipe, sums: Sums) -> None:
        keep = self.columns.keep or ()
        pack = pack_of(Path(shard.name))
        packing = Packing(handle, pack) if pack else None
        out: Any = packing or handle
        writer = WRITERS[shard.kind](out, Fields(self.columns.text, keep))
        seen = keep if self.user_column in (None, *keep) else (*keep, str(self.user_column))
        with opened(Job(shard.source, None, shard.kind, shard.kind)) as source:
            for record, outcome in pipe(read(source, shard.kind, Fields(self.columns.text, seen))):
                if isinstance(outcome, str):
                    sums.failed += 1
                    continue
                writer.write(_with_fields(record, keep), outcome)
                user = record.kept.get(self.user_column) if self.user_column else None
                sums.add(outcome.receipt, user)
        writer.finish()
        if packing is not None:
            packing.finish()


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
    return {
        "digest": digest_under(key, hasher.hexdigest()),
        "bytes": status.st_size,
        "changed": status.st_mtime_ns,
    }


def is_changed(path: Path, since: dict[str, Any]) -> bool:
    """By size and time of change."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns] != [since["bytes"], since["changed"]]


def _with_fields(record: Record, keep: tuple[str, ...]) -> Record:
    kept = {name: record.kept[name] for name in keep if name in record.kept}
    return replace(record, kept=kept)


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
