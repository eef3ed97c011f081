"""Documents, packed files and configs, made at random and mostly nasty."""

from __future__ import annotations

import json
import math
import struct
import zlib
from random import Random
from typing import Any

import srsly

# None of these stands in any space: none may come out, nor be in a message.
SECRETS = ("Zorblattovich", "Quuxington", "7734551209", "Ærøskøbing")
WORDS = (
    "the doctor saw a house in London and she didn't know why you'd go there Monday ok u.s. e.g. "
    "$5 10:30 #tag @you http://quux.example/a?b=c :-) can't John's re-read 3.14"
).split()
ODD = [
    "\0", "\x01\x02", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u200b", "\ufeff", "\ufffd", "\u202e",
    "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "\u4e1c\u4eac", "e\u0301" * 5,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\U0010ffff", "\ufdfa",
    "\ud800", "\udcff", "\t", "\r\n", "\n\n \n", "   ", "\u00a0", "\u3000", "'" * 7, "-" * 50,
    "(((" , ")", '"', "\\", "\\u0000", "%s%n", "${HOME}", "<b>", "</script>", "NaN", "1e999",
    "A" * 3000, "9" * 500, "a." * 200, "\u0130\u0131\u1e9e\u00df\ufb01", "[REDACTED]", "n't", "'s",
]  # fmt: skip


def text(rng: Random, most: int = 24) -> str:
    parts = []
    for _ in range(rng.randrange(most + 1)):
        kind = rng.random()
        if kind < 0.6:
            parts.append(rng.choice(WORDS))
        elif kind < 0.75:
            parts.append(rng.choice(SECRETS))
        elif kind < 0.92:
            parts.append(rng.choice(ODD))
        else:
            most = rng.choice((32, 0x250, 0x110000))
            parts.append("".join(chr(rng.randrange(most)) for _ in range(rng.randrange(1, 9))))
    return "".join(part + rng.choice(("", " ", " ", " ", "\n", ", ")) for part in parts)


def value(rng: Random, depth: int = 0) -> Any:
    kinds = [
        None, True, False, 0, 1, -1, 2**31, 2**63, -(2**70), 0.0, -0.0, 1e-320, 1e308, -1.5, 2.2,
        math.inf, -math.inf, math.nan, "", "1", "nan", "token", "type", "preserve", "builtin",
        "/dev/null", "\0", [], {}, [1, 2], ["PERSON"], {"a": 1}, {"@dx_mechanisms": "dx.Nope.v1"},
    ]  # fmt: skip
    if depth < 3 and rng.random() < 0.15:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return rng.choice(kinds)


NAMES = {
    "mechanism": ("@dx_mechanisms", ["dx.Laplace.v1", "dx.Exponential.v1", "dx.Path.v1",
                                     "dx.TEM.v1", "dx.Identity.v1", "dx.Gaussian.v1"]),
    "selector": ("@dx_selectors", ["dx.AllWords.v1", "dx.Entities.v1"]),
    "unknown": ("@dx_unknowns", ["dx.Redact.v1", "dx.RandomWord.v1", "dx.RandomDigits.v1",
                                 "dx.Raise.v1", "dx.Context.v1"]),
}  # fmt: skip
KEYS = ["seed", "scope", "casing", "vectors", "carry", "max_epsilon_per_doc", "epsilonn", "x y"]
INNER = ["epsilon", "delta", "labels", "projection", "keep", "k", "nonsense"]


def config(rng: Random) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for block, (at, names) in NAMES.items():
        if rng.random() < 0.5:
            made[block] = {at: rng.choice(names)} if rng.random() < 0.9 else value(rng)
            if isinstance(made[block], dict):
                for _ in range(rng.randrange(3)):
                    made[block][rng.choice(INNER)] = value(rng)
    for _ in range(rng.randrange(3)):
        made[rng.choice(KEYS)] = value(rng)
    return made


def damaged(rng: Random, raw: bytes) -> bytes:
    """Cut, doubled, or with some bytes changed."""
    data = bytearray(raw)
    how = rng.randrange(4)
    if how == 0 or not data:
        return bytes(data)
    if how == 1:
        return bytes(data[: rng.randrange(len(data) + 1)])
    if how == 2:
        at = rng.randrange(len(data) + 1)
        return bytes(data[:at] + data[at : at + rng.randrange(1, 40)] * 2 + data[at:])
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def packed(rng: Random, depth: int = 0) -> bytes:
    """msgpack, with headers that promise too much and types that nobody uses."""
    kind = rng.randrange(8 if depth < 6 else 4)
    if kind == 0:
        return bytes([rng.randrange(256)])
    if kind == 1:
        return srsly.msgpack_dumps(text(rng, 2).encode("utf8", "replace").decode())
    if kind == 2:
        return rng.choice((b"\xc6", b"\xdd", b"\xdf", b"\xc9", b"\xdb")) + struct.pack(
            ">I", rng.choice((0, 1, 2**20, 2**32 - 1))
        )
    if kind == 3:
        return srsly.msgpack_dumps(
            {b"nd": True, b"type": "|O", b"shape": [1], b"data": b"\x80\x04N."}
        )
    items = [packed(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 6:
        return bytes([0x90 + len(items)]) + b"".join(items)
    return bytes([0x80 + len(items) // 2]) + b"".join(items[: len(items) // 2 * 2])


def docbin(rng: Random) -> bytes:
    n = rng.randrange(3)
    told: dict[str, Any] = {
        "version": "0.1", "attrs": [65], "tokens": struct.pack(f"<{n}Q", *range(n)),
        "spaces": b"\1" * n, "lengths": struct.pack("<1i", n), "strings": list(SECRETS),
        "cats": [{}], "flags": [{}], "span_groups": [b""], "user_data": [b"\x80"],
    }  # fmt: skip
    for _ in range(rng.randrange(3)):
        told[rng.choice(list(told))] = rng.choice(([], {}, 7, b"123", "x", [[1]], None, [b"\xc1"]))
    raw = srsly.msgpack_dumps(told) if rng.random() < 0.7 else packed(rng)
    return damaged(rng, zlib.compress(damaged(rng, raw), 1))


def lines(rng: Random) -> bytes:
    """A .jsonl or .csv file."""
    rows = [{"text": text(rng, 6), "id": value(rng)} for _ in range(rng.randrange(4))]
    raw = "\n".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) for row in rows)
    if rng.random() < 0.4:
        raw = "id,text\n" + "\n".join(f'{i},"{row["text"]}"' for i, row in enumerate(rows))
    return damaged(rng, raw.encode("utf8", "surrogatepass"))
