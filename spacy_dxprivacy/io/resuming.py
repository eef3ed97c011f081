"""Resume a run on a folder: files that an earlier run finished are counted, not sampled again.

Until a run has finished every file, the folder OUT.parts (mode 700) stands beside the output OUT.
It holds a part for each finished file: the sums of its receipts, the losses of its persons, and the
hidden name of its output. The part is on disk before the output is renamed, so a run can be killed
at any time. Without a part, nothing of a file was released. With a part, the next run renames the
output and counts it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..config.options import FileOptions
from ..errors import DxError, Errors, UsageError
from ..files.atomic import write_bytes
from ..files.limits import read_json
from .build import terms_of
from .jobs import Job

RUN_FILE, KEY_BYTES = "run.json", 32
HIDDEN = re.compile(r"\.dx-[0-9a-f]{16}\.tmp")  # see files.atomic.Output


def can_resume(out: Path) -> bool:
    """Return whether the output folder has an unfinished run."""
    return (parts_folder(out) / RUN_FILE).exists()


def parts_folder(out: Path) -> Path:
    """Return the folder that holds the parts of an output folder."""
    return out.resolve().with_name(f"{out.resolve().name}.parts")


class FinishedFiles:
    """Context manager: the finished files of a run on a folder, locked by one process."""

    def __init__(self, out: Path, nlp: Language, files: FileOptions) -> None:
        self._given, self.out, self.folder = out, out.resolve(), parts_folder(out)
        meta = [nlp.meta[name] for name in ("lang", "name", "version")]
        settings = [*meta, nlp.config, asdict(terms_of(nlp)), asdict(files)]
        text = json.dumps(settings, default=str, sort_keys=True)
        self._settings = hashlib.sha256(text.encode()).hexdigest()
        self.parts: dict[str, dict[str, Any]] = {}  # by the path of the output in its folder
        self.complete = False  # whether every file is finished

    def __enter__(self) -> FinishedFiles:
        if self.folder.is_symlink():
            raise _bad_part(self.folder, "is a symbolic link.")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_owned(self.folder, others=stat.S_IWGRP | stat.S_IWOTH)
        self.folder.chmod(0o700)  # it may have existed
        for path in self.folder.iterdir():
            _check_owned(path, others=stat.S_IRWXG | stat.S_IRWXO)
        self._lock = os.open(self.folder / "lock", os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            _lock_file(self._lock, self.out)
            self._read()
        except BaseException:
            os.close(self._lock)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)  # before rmtree: Windows does not delete open files
        if self.complete or not self.parts:
            (self.folder / RUN_FILE).unlink(missing_ok=True)  # first: parts without it are stale
            shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self) -> None:
        """Read the parts, rename their hidden outputs, and delete unfinished outputs."""
        begun = self.folder / RUN_FILE
        if not begun.exists():
            for stale in self.folder.glob("*.part"):  # the run was finished, see __exit__
                stale.unlink()
            run = {"settings": self._settings, "key": os.urandom(KEY_BYTES).hex()}
            write_bytes(begun, json.dumps(run).encode(), private=True)
        run = read_json(begun)
        if run["settings"] != self._settings:
            raise DxError(Errors.DX077.format(path=self.out, parts=self.folder))
        self._key = bytes.fromhex(run["key"])
        for path in sorted(self.folder.glob("*.part")):
            part = read_json(path)
            if path.name != _file_name(part["file"]) or not HIDDEN.fullmatch(part["hidden"]):
                raise _bad_part(path, "is damaged.")
            self.parts[part["file"]] = part
        outputs = {part["hidden"]: self.out / name for name, part in self.parts.items()}
        for hidden in self.out.rglob(".dx-*.tmp"):
            target = outputs.get(hidden.name)
            if target is not None and target.parent == hidden.parent:
                os.replace(hidden, target)
            else:
                hidden.unlink()

    def find_part(self, job: Job) -> dict[str, Any] | None:
        """Return the part of a file, or None. Raise UsageError if the source changed since."""
        part = self.parts.get(self._name(job))
        if part is not None and part["source"] != _source_state(job):
            raise UsageError("it changed after it was sanitised and released. Rename it.")
        return part

    def write_part(self, job: Job, hidden: str, sums: Mapping[str, Any]) -> None:
        """Write the part of a file whose output is complete. hidden: the output's hidden name."""
        about = {"file": self._name(job), "hidden": hidden, "source": _source_state(job)}
        part = {**about, **sums}
        path = self.folder / _file_name(part["file"])
        write_bytes(path, json.dumps(part).encode(), private=True)
        self.parts[part["file"]] = part

    def hash_person(self, name: str) -> str:
        """Return the keyed hash that stands for a person in parts."""
        raw = name.encode("utf8", "surrogatepass")
        return hashlib.blake2b(raw, key=self._key, digest_size=16).hexdigest()

    def _name(self, job: Job) -> str:
        return Path(str(job.target)).relative_to(self._given).as_posix()


def _bad_part(path: Path, why: str) -> DxError:
    return DxError(Errors.DX078.format(path=path, why=why))


def _check_owned(path: Path, *, others: int) -> None:
    """Raise DxError for a link, a file of another user, or one with these modes of other users."""
    about = path.lstat()
    if stat.S_ISLNK(about.st_mode):
        raise _bad_part(path, "is a symbolic link.")
    if os.name == "posix" and (about.st_mode & others or about.st_uid != os.geteuid()):
        raise _bad_part(path, "other users could change or read it. Delete it, or its folder.")


def _file_name(name: str) -> str:
    return f"{hashlib.sha256(name.encode('utf8', 'surrogateescape')).hexdigest()[:32]}.part"


def _source_state(job: Job) -> list[int]:
    about = Path(str(job.source)).stat()
    return [about.st_size, about.st_mtime_ns]


def _lock_file(handle: int, out: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise _bad_part(out, "another run is writing to it.") from None
