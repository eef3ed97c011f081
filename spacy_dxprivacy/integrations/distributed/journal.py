"""What was released, in the order in which it was: a line of json for each shard, on disk before
the shard appears under its name. A run that is killed at any moment can be resumed:

    a worker writes a file in _partial/ and reports it
    the driver adds a line to _journal.jsonl                 the shard is finished from here on
    the driver moves the file to its name                    done by the next run, if need be

Whatever else is in _partial/ was never released, and is removed. What tells of the plaintext lies
apart, in `out.private` beside the output `out`, open to its owner alone: a key, keyed digests of
the sources, by which a second release of one text is noticed, and draws by user. Who has that
folder can hold a guessed text against it; it is as private as the texts.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import srsly

from ...errors import DxError, Errors
from .spending import ShardSums, for_owner, write_users

NAME, PARTIAL = "_journal.jsonl", "_partial"
FORMAT = 2
KEY_BYTES = 32
HIDDEN = re.compile(r"[0-9a-f]{1,64}(\.tmp)?")
SETTINGS = ("config", "space", "column", "keep", "user_column")


@dataclass(frozen=True)
class ShardResult:
    """What came of a shard. temporary: the file to publish, "" where there is none. why: what went
    wrong then; never with text. input: keyed digest, size and time of the source, for the private
    folder alone."""

    name: str
    temporary: str = ""
    why: str = ""
    input: dict[str, Any] = field(default_factory=dict, repr=False)
    sums: ShardSums = field(default_factory=ShardSums)


class Journal:
    """For a `with` block, in one process at a time. Raises DxError where another one has it, or
    where it is damaged.

    events: all lines. last: by name, the line of the last release of a shard. private: what is
    remembered of the sources, apart from this folder.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.partial = out / PARTIAL
        self.events: list[dict[str, Any]] = []
        self.last: dict[str, dict[str, Any]] = {}
        self.texts: dict[str, str] = {}  # by digest of a source, what its text is called

    def __enter__(self) -> Journal:
        for path in (self.out, self.partial, self.out / NAME):
            refuse_link(path)
        self.partial.mkdir(parents=True, exist_ok=True)
        self._handle = open(self.out / NAME, "a+b", buffering=0)
        try:
            _lock(self._handle, self.out)
            self.private = Private(self.out)
            self._tidy()
        except BaseException:
            self._handle.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._tidy()
            with suppress(OSError):  # a worker that was given up may still write
                self.partial.rmdir()
        finally:
            self._handle.close()

    # -- rounds ----------------------------------------------------------------------------------

    def begin(self, settings: dict[str, Any], *, again: bool) -> int:
        """The number of the round: 1, or one more for each time that all is released again. A
        round that was not ended goes on.

        Raises DxError where the settings are others than before, unless this is a new round.
        """
        begun = [event for event in self.events if event["event"] == "begin"]
        number = 1
        if begun and self.last:
            number = int(begun[-1]["round"])
            others = [name for name in SETTINGS if begun[-1][name] != settings[name]]
            anew = again and (self._is_ended(number) or others or not begun[-1]["again"])
            if others and not anew:
                raise _bad("DX077", path=self.out, names=", ".join(others))
            if not anew:
                return number
            number += 1
        about = {"event": "begin", "format": FORMAT, "round": number, "again": again}
        self.append({**about, **settings})
        return number

    def end(self, number: int) -> None:
        """All that was asked for is done: --again begins another round."""
        if not self._is_ended(number):
            self.append({"event": "end", "round": number})

    def _is_ended(self, number: int) -> bool:
        return {"event": "end", "round": number} in self.events

    def is_done(self, name: str, number: int, *, again: bool) -> bool:
        """Whether a shard was released; with `again`, in this round."""
        entry = self.last.get(name)
        return entry is not None and (not again or entry["round"] == number)

    # -- releases --------------------------------------------------------------------------------

    def released_as(self, result: ShardResult) -> str | None:
        """The name of another shard with the same text that has been released."""
        text = self.texts.get(result.input["digest"])
        known = self.last.get(result.name, {}).get("text")
        return text if result.sums.documents and text not in (None, known) else None

    def publish(self, result: ShardResult, number: int) -> dict[str, Any]:
        """Write down a release, and then release it."""
        event = {
            "event": "shard",
            "name": result.name,
            "round": number,
            "text": self.last.get(result.name, {}).get("text") or result.name,
            "temporary": result.temporary,
            **result.sums.to_dict(),
        }
        if result.name not in self.last and result.sums.documents:
            event["text"] = self.texts.get(result.input["digest"], result.name)
        if result.sums.key:
            users = result.temporary.removesuffix(".tmp")
            write_users(self.private.folder, users, result.sums.users)
            event |= {"users": users, "without_user": result.sums.without_user}
        self.private.remember(result.temporary, result.input)
        self.append(event)
        self._move(event)
        return event

    def append(self, event: dict[str, Any]) -> None:
        """Writes an event and waits until it is on the disk. Raises OSError where it is not."""
        line = srsly.json_dumps(event).encode() + b"\n"
        if self._handle.write(line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(self._handle.fileno())
        self._learn(event)

    def _tidy(self) -> None:
        """Move what has been written down and not yet been moved, and remove all else. What has
        been written down is asked of the file: writing may have failed half-way."""
        self.events, self.last, self.texts = [], {}, {}
        for event in self._read():
            self._learn(event)
        written = {e["temporary"]: e for e in self.events if e["event"] == "shard"}
        for path in sorted(self.partial.iterdir()):
            if path.name in written:
                self._move(written[path.name])
            else:
                path.unlink()

    def _move(self, event: dict[str, Any]) -> None:
        target = self.out / event["name"]
        if not target.parent.resolve().is_relative_to(self.out.resolve()):
            raise _bad(path=self.out, why="a folder in it leads elsewhere.")
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(self.partial / event["temporary"], target)
        if os.name == "posix":
            handle = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def _read(self) -> Iterable[dict[str, Any]]:
        self._handle.seek(0)
        events = whole_lines(self._handle, self.out / NAME)
        path = self.out / NAME
        if any(e["event"] == "begin" and e["format"] != FORMAT for e in events):
            raise _bad(path=path, why=f"is not of format {FORMAT}.")
        if not all(_stays_inside(e) for e in events if e["event"] == "shard"):
            raise _bad(path=path, why="names files outside of its folder. It was tampered with.")
        return events

    def _learn(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        if event["event"] == "shard":
            self.last[event["name"]] = event
            if event["documents"]:
                self.texts.setdefault(self.private.input_of(event)["digest"], event["text"])


def whole_lines(handle: Any, path: Path) -> list[dict[str, Any]]:
    """Read lines of json. One that was cut off goes: what it is about has not been released. Raise
    DxError for what is damaged."""
    whole, _, rest = handle.read().rpartition(b"\n")
    if rest:
        handle.truncate(len(whole) + 1 if whole else 0)
    try:
        return [srsly.json_loads(line) for line in whole.splitlines()]
    except ValueError:
        raise _bad(path=path, why="is damaged.") from None


def _stays_inside(event: dict[str, Any]) -> bool:
    """Whether the files of a line are what this package names so: a journal may be forged."""
    name, hidden = event["name"], (event["temporary"], event.get("users", "0"))
    parts = PurePosixPath(name).parts
    inside = bool(parts) and not {"..", "/", PARTIAL, NAME} & set(parts)
    plain = "\\" not in name and not PureWindowsPath(name).drive
    return inside and plain and all(HIDDEN.fullmatch(part) for part in hidden)


def _lock(handle: Any, out: Path) -> None:
    """Gone with the process, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise _bad(path=out, why="another run is writing to it.") from None


class Private:
    """The folder of an output folder; made where there is none. inputs: by the hidden name under
    which a shard was written, the keyed digest, size and time of its source.

    Raises DxError where it is a link or belongs to somebody else.
    """

    def __init__(self, out: Path) -> None:
        self.folder = out.with_name(f"{out.name}.private")
        refuse_link(self.folder)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":  # somebody who may write here could put a key of theirs
            status = self.folder.stat()
            if status.st_uid != os.getuid():
                raise _bad(path=self.folder, why="belongs to somebody else.")
            if stat.S_IMODE(status.st_mode) & 0o077:
                self.folder.chmod(0o700)
        path = self.folder / "key"
        if not path.exists():
            self._append("key", os.urandom(KEY_BYTES))
        refuse_link(path)
        self.key = path.read_bytes()
        if len(self.key) != KEY_BYTES:
            raise _bad(path=path, why="is damaged.")
        self._append("inputs.jsonl", b"")
        with open(self.folder / "inputs.jsonl", "r+b") as file:
            lines = whole_lines(file, self.folder / "inputs.jsonl")
        self.inputs = {line.pop("temporary"): line for line in lines}

    def _append(self, name: str, data: bytes) -> None:
        refuse_link(self.folder / name)
        with open(self.folder / name, "ab", opener=for_owner) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def remember(self, temporary: str, source: dict[str, Any]) -> None:
        """Write down the source of a shard, before the shard is released. Raise OSError where that
        fails."""
        line = srsly.json_dumps({"temporary": temporary, **source}).encode() + b"\n"
        self._append("inputs.jsonl", line)
        self.inputs[temporary] = source

    def input_of(self, event: dict[str, Any]) -> dict[str, Any]:
        """Keyed digest, size and time of the source of a release. Raise DxError where this folder
        does not know of it: whether a text is released twice could not be seen."""
        known = self.inputs.get(event["temporary"])
        if known is None:
            why = "does not belong to this output: put back the one of the runs before."
            raise _bad(path=self.folder, why=why)
        return known


def keyed_digest(key: bytes, sha256: bytes) -> str:
    """The keyed digest (BLAKE2b, hexadecimal) of what has this SHA-256."""
    return hashlib.blake2b(sha256, key=key, digest_size=32, person=b"dx source").hexdigest()


def refuse_link(path: Path) -> None:
    """A link would lead what is written there to another place. Raises DxError."""
    if path.is_symlink():
        raise _bad(path=path, why="is a link, which is not followed.")


def _bad(code: str = "DX078", **about: Any) -> DxError:
    return DxError(getattr(Errors, code).format(**about))
