"""Which files of a folder were edited, so that a run that ends early is taken up by the next one.

A line says that a file is begun, and one that it is done. A file that is not done is edited once
more, in place of what may be there; nobody's other files are written over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ..errors import UsageError
from ..files.atomic import check_new, write_bytes
from ..files.digests import digest_of
from .jobs import Form, Job, plan_jobs
from .manifests import MANIFEST, is_manifest

NAME = "_edits.jsonl"


class Edits:
    """The journal of a folder for a `with` block; settings: what all of its files are edited by.
    begun: the files that a run began; done: the SHA-256 of the source of each that was finished.

    Raises UsageError where the folder was begun by other settings, or the journal is damaged.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, force: bool = False) -> None:
        self.folder, self.settings, self.force = folder, dict(settings), force
        self.begun: set[str] = set()
        self.done: dict[str, str] = {}
        self._handle: IO[str] | None = None

    def __enter__(self) -> Edits:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / NAME
        if self.force:
            path.unlink(missing_ok=True)
        begins = not (path.exists() and self._read(path))
        self._handle = path.open("a", encoding="utf8")
        if begins:
            self._write(json.dumps({"settings": self.settings}))
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.close()

    def _read(self, path: Path) -> bool:
        """Whether there is a line. One that was cut off when a run was killed goes."""
        data = path.read_bytes()
        if not data.endswith(b"\n"):
            data = data[: data.rfind(b"\n") + 1]
            write_bytes(path, data, force=True)
        try:
            whole = data.decode().splitlines()
            told = [json.loads(line) for line in whole]
            settings = told[0]["settings"] if told else self.settings
            for entry in told[1:]:
                self.begun.add(entry["file"])
                if "source" in entry:
                    self.done[entry["file"]] = entry["source"]
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{path}: is damaged. `force` begins anew.") from None
        if settings != self.settings:
            others = sorted(k for k in self.settings if settings.get(k) != self.settings[k])
            raise UsageError(
                f"{self.folder}: was begun with another {' and '.join(others)}. Name another "
                "folder, or `force` to begin anew."
            )
        return bool(whole)

    def _write(self, line: str) -> None:
        if self._handle is not None:
            self._handle.write(line + "\n")
            self._handle.flush()

    def left(self, jobs: Sequence[Job]) -> list[Job]:
        """Those to do. Raises UsageError where a file is in the way that no run wrote."""
        left = []
        for job in jobs:
            if job.target is None or job.source is None:
                continue
            name = self._name(job.target)
            check_new(job.target, force=self.force or name in self.begun)
            there = job.target.exists() and self.done.get(name) == digest_of(job.source)
            left += [] if there else [job]
        return left

    def begin(self, job: Job) -> None:
        """The file of a job will be written."""
        if job.target is not None:
            self._write(json.dumps({"file": self._name(job.target)}))

    def end(self, job: Job) -> None:
        """It was, with all of its records."""
        if job.target is not None and job.source is not None:
            entry = {"file": self._name(job.target), "source": digest_of(job.source)}
            self._write(json.dumps(entry))

    def _name(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


def plan_edits(
    released: str, output: str | None, *, force: bool, form: Form
) -> tuple[list[Job], Path | None]:
    """The jobs, and the folder that they write into where `released` is one. Raises UsageError as
    plan_jobs does, and where a folder holds shards in Parquet."""
    folder = Path(released)
    if released == "-" or output is None or not folder.is_dir():
        return plan_jobs(released, output, force=force, form=form), None
    if next(folder.rglob("*.parquet"), None) is not None:
        raise UsageError(f"{folder}: holds .parquet files, which edit does not read.")
    jobs = plan_jobs(released, output, force=True, form=form)
    texts = [job for job in jobs if job.source is not None and job.source.name[0] != "_"]
    if not texts:
        raise UsageError(f"{folder}: holds no text, only what is told of texts.")
    return texts, Path(output)


def pass_manifest(released: Path, folder: Path, editor: str, model: str = "") -> None:
    """The manifest of shards that were edited names the editor and the digest of its model, and is
    else as it was."""
    path = released / MANIFEST
    if not path.is_file():
        return
    try:
        told = json.loads(path.read_text(encoding="utf8"))
    except ValueError:
        return
    if is_manifest(told):
        told["settings"] = {**told["settings"], "editor": editor, "editor_model": model}
        write_bytes(folder / MANIFEST, (json.dumps(told, indent=2) + "\n").encode(), force=True)
