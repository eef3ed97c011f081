"""What was released, in the order in which it was: a line of json for each shard, on disk before
the shard appears under its name. A run that is killed at any moment can be taken up again:

    a worker writes a file in _partial/ and reports it
    the driver adds a line to _journal.jsonl                 the shard is finished from here on
    the driver moves the file to its name                    done by the next run, if need be

Whatever else is in _partial/ was never released, and is removed. What tells of the clear texts, as
do the digests by which a second release of one text is noticed, lies apart: see private.py.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import TracebackType
from typing import Any

import srsly

from ..errors import DxError, Errors
from .private import NAME as HIDDEN
from .private import Private, digest_under, refuse_link
from .shard import ShardResult
from .users import write_users

NAME, PARTIAL = "_journal.jsonl", "_partial"
FORMAT = 2
READABLE = (1, 2)  # that of 0.1.0 has the SHA-256 of each source in its lines
SETTINGS = ("config", "space", "column", "keep", "user_column")


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
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
        if not begun or not self.last:
            return self._begin(1, settings, again)
        before = begun[-1]
        ended = self._is_ended(before["round"])
        others = [name for name in SETTINGS if before[name] != settings[name]]
        if again and (ended or others or not before["again"]):
            return self._begin(before["round"] + 1, settings, again)
        if others:
            names = ", ".join(others)
            raise DxError(Errors.DX077.format(path=self.out, names=names))
        return int(before["round"])

    def _begin(self, number: int, settings: dict[str, Any], again: bool) -> int:
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
        """Whether a shard is finished; with again: in this round."""
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
        users = result.temporary.removesuffix(".tmp") if result.sums.key else None
        if users is not None:
            write_users(self.private.folder, users, result.sums.users)
        self.private.remember(result.temporary, result.input)
        known = self.last.get(result.name)
        same = self.texts.get(result.input["digest"]) if result.sums.documents else None
        event = {
            "event": "shard",
            "name": result.name,
            "round": number,
            "text": known["text"] if known else same or result.name,
            "temporary": result.temporary,
            **result.sums.to_dict(),
            **({} if users is None else {"users": users, "without_user": result.sums.without_user}),
        }
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
            raise DxError(Errors.DX078.format(path=self.out, why="a folder in it leads elsewhere."))
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(self.partial / event["temporary"], target)
        _sync_folder(target.parent)

    # -- reading ---------------------------------------------------------------------------------

    def _read(self) -> Iterable[dict[str, Any]]:
        self._handle.seek(0)
        lines = self._handle.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            # Killed while it was written: what it was about has not been released.
            self._handle.truncate(sum(map(len, lines[:-1])))
            lines.pop()
        try:
            events = [srsly.json_loads(line) for line in lines]
        except ValueError:
            raise self._bad("is damaged.") from None
        if any(e["event"] == "begin" and e["format"] not in READABLE for e in events):
            raise self._bad(f"is not of format {FORMAT}.")
        if not all(_stays_inside(e) for e in events if e["event"] == "shard"):
            raise self._bad("names files outside of its folder. It was tampered with.")
        return events

    def _bad(self, why: str) -> DxError:
        return DxError(Errors.DX078.format(path=self.out / NAME, why=why))

    def input_of(self, event: dict[str, Any]) -> dict[str, Any]:
        """Keyed digest, size and time of the source of a release. Raises DxError where the private
        folder does not know of it: whether a text is released twice could not be seen."""
        if "input" in event:  # written by 0.1.0
            then = event["input"]
            return {**then, "digest": digest_under(self.private.key, then["sha256"])}
        known = self.private.inputs.get(event["temporary"])
        if known is None:
            why = "does not belong to this output: put back the one of the runs before."
            raise DxError(Errors.DX078.format(path=self.private.folder, why=why))
        return known

    def _learn(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        if event["event"] == "shard":
            self.last[event["name"]] = event
            if event["documents"]:
                self.texts.setdefault(self.input_of(event)["digest"], event["text"])


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
        why = "another run is writing to it."
        raise DxError(Errors.DX078.format(path=out, why=why)) from None


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
