"""How many requests a second the service takes, how late its answers are, and whether it grows:

python benchmarks/serve.py [--seconds 20] [--rate 1000] [--words 50] [--mechanism exponential]
python benchmarks/serve.py --beside 900000 [--mechanism path]

It starts `dx serve`, asks for each text once (the first draw of a word makes its tables), then
at a fixed rate over kept connections (an open loop: a late answer does not put off the next one;
times count from when a request was due), and prints what came of it. The client takes a share of
the same cores, which is printed too, as is what else the machine does. 1,000 requests a second of
50 words on 2 cores, 99 % below 50 ms, was asked for.

python benchmarks/serve.py --conversation [--words 8000] [--turns 12]

With --beside, small requests are sent one after another, in turns with nothing else under way and
with one of three loads: a request of so many bytes, 256 bodies that never end, and 60 callers who
each ask for 20 texts of 1,000 characters again and again. Printed are the times and their ratios:
they should be below 2.

With --conversation, it starts `dx proxy` before an upstream of its own, and sends a conversation
each turn of which adds so many words; then its last turn alone, in another conversation; then 20
such conversations at once, of a tenth of the words. Printed are words and milliseconds a turn, and
what all turns cost by the last turn alone: it should be below 2.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from flat import family, memory_of

from spacy_dxprivacy import Space

ROOT = Path(__file__).parent.parent
CONNECTIONS = 64


@dataclass
class Run:
    """late: seconds from when a request was due to its answer. refused: by status. memory: bytes,
    of the service and its workers, with the second."""

    late: list[float] = field(default_factory=list)
    refused: dict[int, int] = field(default_factory=dict)
    memory: list[tuple[float, int]] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=float, default=1000)
    parser.add_argument("--words", type=int, default=50)
    parser.add_argument("--mechanism", default="exponential")
    parser.add_argument("--beside", type=int, default=0)
    parser.add_argument("--conversation", action="store_true")
    parser.add_argument("--turns", type=int, default=12)
    given = parser.parse_args()
    port = free_port()
    if given.conversation:
        given.words = 8000 if given.words == 50 else given.words
        return converse(given, port)
    epsilon = [] if given.mechanism == "path" else ["--epsilon", "3"]  # only path has a default
    command = [
        sys.executable, "-m", "spacy", "dx", "serve", "--port", str(port), "--mechanism",
        given.mechanism, *epsilon, "--max-requests", "4000",
    ]  # fmt: skip
    service = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        service.stderr.readline()  # type: ignore[union-attr]
        asyncio.run(wait_for(port))
        if given.beside:
            asyncio.run(beside(given, port))
        else:
            tell(given, *asyncio.run(load(given, port, service.pid)))
    finally:
        service.terminate()
        service.wait(60)


async def load(given: argparse.Namespace, port: int, pid: int) -> tuple[Run, float, float, float]:
    """The run, its seconds, and the seconds of the processor of service and client."""
    bodies = requests(given.words)
    await warm(bodies, port)
    run, due = Run(), asyncio.Queue[float]()
    start = time.perf_counter()
    before, mine = seconds_of(pid), time.process_time()
    workers = [asyncio.create_task(ask(due, bodies, port, run)) for _ in range(CONNECTIONS)]
    total = int(given.rate * given.seconds)
    for number in range(total):
        moment = start + number / given.rate
        if moment > time.perf_counter():
            await asyncio.sleep(moment - time.perf_counter())
        due.put_nowait(moment)
        if number % max(1, int(given.rate)) == 0:
            run.memory.append((time.perf_counter() - start, memory_of(pid)))
    await asyncio.wait_for(due.join(), 30 + given.seconds)
    took = time.perf_counter() - start
    for worker in workers:
        worker.cancel()
    return run, took, seconds_of(pid) - before, time.process_time() - mine


def requests(words: int, count: int = 200) -> list[bytes]:
    """Whole requests of HTTP, of frequent words: half of the 5,000 first ones, as text has them."""
    draw, known = random.Random(0), Space.builtin().words[:5000]
    weights = 1 / np.arange(10, len(known) + 10)
    found = []
    for _ in range(count):
        text = " ".join(draw.choices(known, weights.tolist(), k=words)) + "."
        body = json.dumps({"text": text}).encode()
        found.append(head_of(len(body)) + body)
    return found


def head_of(size: int) -> bytes:
    return (
        "POST /sanitize HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"content-length: {size}\r\n\r\n"
    ).encode()


async def ask(due: asyncio.Queue[float], bodies: list[bytes], port: int, run: Run) -> None:
    """One connection: the next request that is due, one after another. The service closes one that
    was idle for ten seconds, and then it is opened anew."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        moment = await due.get()
        if reader.at_eof():
            writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        status = await answer_of(reader, writer, random.choice(bodies))
        if status == 200:
            run.late.append(time.perf_counter() - moment)
        else:
            run.refused[status] = run.refused.get(status, 0) + 1
        due.task_done()


async def answer_of(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> int:
    """The status; the body is read."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    size = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(size))
    return int(head[9:12])


async def beside(given: argparse.Namespace, port: int) -> None:
    """Times of small requests, quiet and beside each load, in turns: the machine may be busy."""
    bodies = requests(given.words)
    await warm(bodies[:20], port)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    loads = {
        f"a body of {given.beside:,} bytes": lambda: [ask_for_much(given, port)],
        "256 slow bodies": lambda: [ask_slowly(port) for _ in range(256)],
        "60 callers": lambda: [ask_again(port) for _ in range(60)],
    }
    print(f"{given.mechanism}, {given.words} words, load of the machine {os.getloadavg()[0]:.1f}")
    for name, load in loads.items():
        times: dict[bool, list[float]] = {False: [], True: []}
        for turn in range(6):
            crowded = bool(turn % 2)
            tasks = [asyncio.ensure_future(one) for one in load()] if crowded else []
            await asyncio.sleep(1)
            until = time.perf_counter() + given.seconds / 6
            while time.perf_counter() < until:
                start = time.perf_counter()
                status = await answer_of(reader, writer, random.choice(bodies))
                if status != 200 or any(task.done() for task in tasks):
                    raise SystemExit(f"{status}, or the load has ended")
                times[crowded].append(time.perf_counter() - start)
            for task in tasks:
                task.cancel()
            await asyncio.sleep(3)  # what a worker began with is finished
        quiet, busy = (np.quantile(times[key], [0.5, 0.95]) * 1e3 for key in (False, True))
        print(f"  beside {name}: {busy[0]:.1f} ms in the middle, {busy[1]:.1f} at 95 %")
        ratios = f"{busy[0] / quiet[0]:.2f} and {busy[1] / quiet[1]:.2f}"
        counts = f"{len(times[False])} and {len(times[True])} requests"
        print(f"    quiet {quiet[0]:.1f} and {quiet[1]:.1f}: ratios {ratios}, of {counts}")


async def ask_slowly(port: int) -> None:
    """Send a body that never ends, and begin anew at its deadline."""
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head_of(1000))
        while not reader.at_eof() and not reader._buffer:  # type: ignore[attr-defined]
            writer.write(b" ")
            await asyncio.sleep(1)
        writer.close()


async def ask_again(port: int) -> None:
    known = Space.builtin().words[:5000]
    texts = [" ".join(random.choices(known, k=170)) for _ in range(20)]
    body = json.dumps({"texts": texts}).encode()
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await answer_of(reader, writer, head_of(len(body)) + body)
        writer.close()


# -- a conversation with a model -------------------------------------------------------------------


class Echo(BaseHTTPRequestHandler):
    """An upstream that says a word."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        message = {"role": "assistant", "content": "Well."}
        raw = json.dumps({"choices": [{"index": 0, "message": message}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        pass


def converse(given: argparse.Namespace, port: int) -> None:
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    command = [
        sys.executable, "-m", "spacy", "dx", "proxy", "--port", str(port), "--max-bytes", "9000000",
        "--max-seconds", "120", "--upstream", f"http://127.0.0.1:{upstream.server_port}",
    ]  # fmt: skip
    proxy = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=ROOT)
    try:
        asyncio.run(wait_for(port))
        asyncio.run(turns_of(given, port))
    finally:
        proxy.terminate()
        proxy.wait(60)


async def turns_of(given: argparse.Namespace, port: int) -> None:
    await turn(port, turns(2, 100, 0))
    messages = turns(given.turns, given.words, 1)
    times = [await turn(port, messages[: 2 * i + 1]) for i in range(given.turns)]
    for i, seconds in enumerate(times):
        words = sum(len(message["content"].split()) for message in messages[: 2 * i + 1])
        print(f"  turn {i + 1}: {words:,} words, {1e3 * seconds:,.0f} ms")
    alone = await turn(port, [{"role": "user", "content": "Another."}, *messages])
    ratio = sum(times) / alone
    print(f"  all turns {sum(times):.1f} s, the last one alone {alone:.1f} s: {ratio:.2f} of it")
    several = [turns(given.turns, given.words // 10, seed) for seed in range(2, 22)]
    for name, count in (("quiet", 1), ("20 at once", 20)):
        medians = []
        for i in range(given.turns):
            begin = [{"role": "user", "content": f"{name}."}]
            asks = [turn(port, begin + messages[: 2 * i + 1]) for messages in several[:count]]
            medians.append(1e3 * float(np.median(await asyncio.gather(*asks))))
        first, later = medians[0], float(np.median(medians[1:]))
        print(f"  {name}, turns of {given.words // 10:,} words: {first:,.0f} ms the first one,")
        print(f"    {later:,.0f} each later one, {medians[-1]:,.0f} the last one")


def turns(count: int, words: int, seed: int) -> list[dict[str, str]]:
    """A conversation: sentences of frequent words, each with a name, a date and a place."""
    draw, known = random.Random(seed), Space.builtin().words[:5000]
    first, last = "Priya Wei Ulla Maria John Anna", "Whitcombe Okafor Zorblatt Novak"
    names = [f"{a} {b}" for a in first.split() for b in last.split()]
    messages = []
    for _ in range(count):
        text = f"{seed}."
        while len(text) < 6 * words:
            day = f"March {draw.randint(1, 28)}, {draw.randint(1990, 2024)}"
            said = " ".join(draw.choices(known, k=40))
            text += f" {said}. Ms. {draw.choice(names)} came on {day}."
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "Well."}]
    return messages


async def turn(port: int, messages: list[dict[str, str]]) -> float:
    """Seconds of one request."""
    body = json.dumps({"model": "gpt-4o", "messages": messages}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = head_of(len(body)).replace(b"/sanitize", b"/v1/chat/completions")
    start = time.perf_counter()
    status = await answer_of(reader, writer, head + body)
    writer.close()
    if status != 200:
        raise SystemExit(f"the proxy answered {status}")
    return time.perf_counter() - start


async def ask_for_much(given: argparse.Namespace, port: int) -> None:
    known = Space.builtin().words[:5000]
    text = " ".join(random.choices(known, k=given.beside // 6))
    body = json.dumps({"texts": [text[i : i + 3000] for i in range(0, len(text), 3000)]}).encode()
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(head_of(len(body)) + body)
        await asyncio.sleep(600)
    finally:
        writer.close()


async def warm(bodies: list[bytes], port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for body in bodies:
        await answer_of(reader, writer, body)
    writer.close()


async def wait_for(port: int) -> None:
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        except OSError:
            await asyncio.sleep(0.1)
    raise SystemExit("the service did not start")


def seconds_of(pid: int) -> float:
    """Of the processor."""
    return sum(sum(process.cpu_times()[:2]) for process in family(pid))


def tell(given: argparse.Namespace, run: Run, took: float, theirs: float, mine: float) -> None:
    middle, most, worst = np.quantile(run.late, [0.5, 0.99, 1]) * 1e3
    done = len(run.late)
    asked = f"{given.words} words, {given.rate:g} requests/s for {given.seconds:g} s"
    print(f"{given.mechanism}, {asked}, load of the machine {os.getloadavg()[0]:.1f}")
    print(f"  answered {done:,} ({done / took:,.0f} a second), refused {run.refused or 'none'}")
    print(f"  {middle:.1f} ms in the middle, {most:.1f} at 99 %, {worst:.1f} at most")
    each = f"service {1e3 * theirs / done:.2f} ms a request"
    print(f"  processor: {each}, client {mine / took:.0%} of a core")
    half, last = run.memory[len(run.memory) // 2][1], run.memory[-1][1]
    grown = f"{half / 2**20:,.0f} MB half-way, {last / 2**20:,.0f} at the end"
    print(f"  memory: {grown} ({last / half - 1:+.1%})")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
