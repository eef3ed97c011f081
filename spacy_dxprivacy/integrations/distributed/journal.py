"""The journal of releases: a line of JSON for each shard, on disk before the shard has its name.

A worker writes a file in _partial/; the driver adds a line to _journal.jsonl, and from here on the
shard is finished; the driver, or the next run, moves the file to its name. So a run can be killed
at any moment. What else is in _partial/ was never released, and is removed.

Beside the output `out` lies `out.private`, for its owner alone: a key, keyed digests of the
sources, by which a second release of a text is noticed, and draws and losses by user. Whoever has
that folder can test a guessed text, so it is as private as the texts.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import srsly

from ...errors import DxError, Errors
from .spending import ShardSums, UserTotals, for_owner, write_users

JOURNAL, PARTIAL = "_journal.jsonl", "_partial"
FORMAT = 2
KEY_BYTES = 32
HIDDEN = re.compile(r"[0-9a-f]{1,64}(\.tmp)?")
SETTINGS = ("config", "space", "column", "keep", "user_column")


@dataclass(frozen=True)
class ShardResult:
    """What came of a shard: a file to publish, or the reason why there is none."""

    name: str
    temporary: str = ""  # the name of the file in _partial/
    why: str = ""  # without text
    input: dict[str, Any] = field(default_factory=dict, repr=False)  # see work.fingerprint
    sums: ShardSums = field(default_factory=ShardSums)


class Journal:
    """The journal of an output folder, in a `with` block, for one process at a time."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.partial = out / PARTIAL
        self.events: list[dict[str, Any]] = []
        self.last: dict[str, dict[str, Any]] = {}  # the last release of each shard
        self._texts: dict[str, str] = {}  # digest of a source -> name of its text
        self._totals: UserTotals | None = None  # by user, once they are asked for

    def __enter__(self) -> Journal:
        for path in (self.out, self.partial, self.out / JOURNAL):
            _refuse_link(path)
        self.partial.mkdir(parents=True, exist_ok=True)
        self._handle = open(self.out / JOURNAL, "a+b", buffering=0)
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

    # -- rounds: 1, and one more for each time that all is released again ----------------------

    def begin(self, settings: dict[str, Any], *, again: bool) -> int:
        """Begin a round, or resume one that was not ended, and return its number."""
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
        event = {"event": "begin", "format": FORMAT, "round": number, "again": again}
        self._append({**event, **settings})
        return number

    def end(self, number: int) -> None:
        """Record that the round is done: `again` begins another one."""
        if not self._is_ended(number):
            self._append({"event": "end", "round": number})

    def _is_ended(self, number: int) -> bool:
        return {"event": "end", "round": number} in self.events

    # -- releases --------------------------------------------------------------------------------

    def released_as(self, result: ShardResult) -> str | None:
        """Return the name of another released shard with the same text."""
        text = self._texts.get(result.input["digest"])
        known = self.last.get(result.name, {}).get("text")
        return text if result.sums.documents and text not in (None, known) else None

    def over_budget(self, result: ShardResult) -> str:
        """Return why a user of a shard would spend too much over all releases, or ""."""
        sums = result.sums
        if sums.most is None or not sums.key:
            return ""
        if self._totals is None:
            files = [event["users"] for event in self.events if "users" in event]
            self._totals = UserTotals(self.private.folder, files)
        spent = self._totals.largest_with(sums.users)
        return "" if spent <= sums.most else Errors.DX180.format(spent=spent, budget=sums.most)

    def publish(self, result: ShardResult, number: int) -> dict[str, Any]:
        """Record a release on disk, then move the file to its name. Return the line."""
        event = {
            "event": "shard",
            "name": result.name,
            "round": number,
            "text": self.last.get(result.name, {}).get("text") or result.name,
            "temporary": result.temporary,
            **result.sums.to_dict(),
        }
        if result.name not in self.last and result.sums.documents:
            event["text"] = self._texts.get(result.input["digest"], result.name)
        if result.sums.key:
            users = result.temporary.removesuffix(".tmp")
            write_users(self.private.folder, users, result.sums.users)
            if self._totals is not None:
                self._totals.add(result.sums.users)
            event |= {"users": users, "without_user": result.sums.without_user}
        self.private.remember(result.temporary, result.input)
        self._append(event)
        self._move(event)
        return event

    def _append(self, event: dict[str, Any]) -> None:
        """Write an event and wait until it is on the disk."""
        line = srsly.json_dumps(event).encode() + b"\n"
        if self._handle.write(line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(self._handle.fileno())
        self._learn(event)

    def _learn(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        if event["event"] == "shard":
            self.last[event["name"]] = event
            if event["documents"]:
                self._texts.setdefault(self.private.input_of(event)["digest"], event["text"])

    def _tidy(self) -> None:
        """Move recorded files that still lie in _partial/, and remove all others there."""
        path = self.out / JOURNAL
        self._handle.seek(0)  # read anew: a write may have failed half-way
        events = _whole_lines(self._handle, path)
        if any(e["event"] == "begin" and e["format"] != FORMAT for e in events):
            raise _bad(path=path, why=f"is not of format {FORMAT}.")
        shards = [e for e in events if e["event"] == "shard"]
        if not all(map(_stays_inside, shards)):
            raise _bad(path=path, why="names files outside its folder. Restore it from a copy.")
        self.events, self.last, self._texts = [], {}, {}
        for event in events:
            self._learn(event)
        written = {event["temporary"]: event for event in shards}
        for file in sorted(self.partial.iterdir()):
            if file.name in written:
                self._move(written[file.name])
            else:
                file.unlink()

    def _move(self, event: dict[str, Any]) -> None:
        target = self.out / event["name"]
        if not target.parent.resolve().is_relative_to(self.out.resolve()):
            raise _bad(path=self.out, why="a folder in it is a link to another place.")
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(self.partial / event["temporary"], target)
        if os.name == "posix":
            handle = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _stays_inside(event: dict[str, Any]) -> bool:
    """Return whether a line names files as this package does: a journal may be forged."""
    name, hidden = event["name"], (event["temporary"], event.get("users", "0"))
    parts = PurePosixPath(name).parts
    inside = bool(parts) and not {"..", "/", PARTIAL, JOURNAL} & set(parts)
    plain = "\\" not in name and not PureWindowsPath(name).drive
    return inside and plain and all(HIDDEN.fullmatch(part) for part in hidden)


def _whole_lines(handle: Any, path: Path) -> list[dict[str, Any]]:
    """Read lines of JSON; truncate one that was cut off, whose shard was never released."""
    whole, _, rest = handle.read().rpartition(b"\n")
    if rest:
        handle.truncate(len(whole) + 1 if whole else 0)
    try:
        return [srsly.json_loads(line) for line in whole.splitlines()]
    except ValueError:
        raise _bad(path=path, why="is damaged.") from None


def _lock(handle: Any, out: Path) -> None:
    """Lock the journal until this process ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise _bad(path=out, why="another run is writing to it.") from None


class Private:
    """The private folder of an output folder; made if there is none."""

    def __init__(self, out: Path) -> None:
        self.folder = out.with_name(f"{out.name}.private")
        _refuse_link(self.folder)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":  # somebody else could put in a known key
            status = self.folder.stat()
            if status.st_uid != os.getuid():
                raise _bad(path=self.folder, why="belongs to another user.")
            if stat.S_IMODE(status.st_mode) & 0o077:
                self.folder.chmod(0o700)
        path, inputs = self.folder / "key", self.folder / "inputs.jsonl"
        if not path.exists():
            self._append(path, os.urandom(KEY_BYTES))
        _refuse_link(path)
        self.key = path.read_bytes()
        if len(self.key) != KEY_BYTES:
            raise _bad(path=path, why="is damaged.")
        self._append(inputs, b"")
        with open(inputs, "r+b") as file:
            # Temporary name of a shard -> its source, see work.fingerprint.
            self._inputs = {line.pop("temporary"): line for line in _whole_lines(file, inputs)}

    def _append(self, path: Path, data: bytes) -> None:
        _refuse_link(path)
        with open(path, "ab", opener=for_owner) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def remember(self, temporary: str, source: dict[str, Any]) -> None:
        """Record the source of a shard on disk, before the shard is released."""
        line = srsly.json_dumps({"temporary": temporary, **source}).encode() + b"\n"
        self._append(self.folder / "inputs.jsonl", line)
        self._inputs[temporary] = source

    def input_of(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return the source of a release, see work.fingerprint."""
        known = self._inputs.get(event["temporary"])
        if known is None:  # a second release of its text would go unnoticed
            why = "does not belong to this output. Restore that of the earlier runs."
            raise _bad(path=self.folder, why=why)
        return known


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise _bad(path=path, why="is a symbolic link. Replace it by a file.")


def _bad(code: str = "DX078", **about: Any) -> DxError:
    return DxError(getattr(Errors, code).format(**about))
