"""What `dx sanitize` keeps for who holds the originals: a table of stand-ins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..batch.build import the_sanitizer
from ..batch.tally import Tally
from ..config import SanitizeConfig
from ..errors import UsageError
from ..files.atomic import check_new
from ..files.keys import check_apart, read_key
from ..files.signed import signed
from ..surrogates.standing import StandIns
from ..surrogates.table import Table, check_cipher, write_table
from .mistakes import settings_that_fail

TOLD = "nothing more by the table of stand-ins, which whoever has it and its key can read"


@dataclass(frozen=True)
class Kept:
    """The settings about tables and keys. Its checks raise UsageError, and DxError for a key that
    cannot be used."""

    chosen: SanitizeConfig

    @property
    def table(self) -> tuple[Path, Path] | None:
        """The file of the table and that of its key."""
        run = self.chosen.run
        if (run.table is None) != (run.table_key is None):
            raise UsageError("`table` and `table_key` go together: `dx key FILE` makes a key.")
        return None if run.table is None or run.table_key is None else (run.table, run.table_key)

    def check(self, output: Path | None) -> None:
        """Before anything is read."""
        if self.chosen.files.person_field is not None and self.chosen.key is None:
            raise UsageError("`person_field` needs `key`: without one, dates move by document.")
        self._check_apart(output)
        if self.table is None:
            return
        if self.chosen.run.n_process != 1:
            raise UsageError("`table` is kept by one process: leave `n_process` out.")
        with settings_that_fail():
            check_cipher()
            read_key(self.table[1])
        check_new(self.table[0], force=self.chosen.run.force)

    def check_shards(self, output: Path) -> None:
        """The same, where workers sanitise."""
        if self.chosen.run.preview:
            raise UsageError("`preview` shows one file: name one INPUT.")
        if self.table is not None:
            raise UsageError("`table` is kept by one process: sanitise one file at a time.")
        self._check_apart(output / "any")
        self.secret  # noqa: B018  refused before anything is read

    def _check_apart(self, output: Path | None) -> None:
        run = self.chosen.run
        for secret in (self.chosen.key, run.table_key, run.table, run.sign):
            if secret is not None:
                check_apart(secret, output)

    @cached_property
    def secret(self) -> bytes | None:
        """The key that signs receipts."""
        if self.chosen.run.sign is None:
            return None
        with settings_that_fail():
            return read_key(self.chosen.run.sign)

    def check_signed(self, output: Path | None) -> None:
        """Before anything is read: what is signed are files."""
        if self.chosen.run.sign is None:
            return
        if self.chosen.run.receipt is None or output is None:
            raise UsageError("`sign` takes an OUTPUT and a `receipt`: those are what is signed.")
        self.secret  # noqa: B018

    def signed(self, tally: Tally, output: str | None) -> dict[str, Any]:
        """The receipt of a run into this output, with a signature where there is a key."""
        if self.secret is None or output is None:
            return tally.to_dict()
        top = Path(output) if Path(output).is_dir() else Path(output).parent
        files = {path.relative_to(top).as_posix(): path for path in tally.written}
        return signed(tally.to_dict(), self.secret, files)

    @contextmanager
    def collecting(self, nlp: Language) -> Iterator[list[str]]:
        """Keeps what stands for whom in this block, and writes the table after it. Gives what the
        receipt is to say of it."""
        if self.table is None:
            yield []
            return
        path, key = self.table
        sanitizer, table = the_sanitizer(nlp), Table()

        def keep(doc: Doc, drawn: StandIns) -> None:
            table.add_document(doc, drawn, sanitizer.surrogates)

        sanitizer.on_stand_ins = keep
        try:
            yield [TOLD]
        finally:
            sanitizer.on_stand_ins = None
        write_table(table, path, read_key(key), force=self.chosen.run.force)
