"""One case, measured in this process: run.py starts one for each. Prints its figures as JSON."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import synthetic
from cases import EXACT, GRAPH_UP_TO, Case, Row, from_json
from numpy.typing import NDArray
from peers import PEERS

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.metric import stored_graph
from spacy_dxprivacy.privacy.noise import laplace_noise
from spacy_dxprivacy.space.search.metric import in_blocks
from spacy_dxprivacy.space.tables import learned

FEW, QUERIES, PAIRS = 1024, 2048, 10**9  # words in one call: so many pairs with rows, in bounds
PRODUCT_ROWS = 400_000  # for larger spaces the product of the first rows stands for all
TILE = 1024
LEAST_TURNS = 3
PAUSE = 0.1  # seconds; threads of one library wait busily for a while and slow those of the next
LONGER = 60.0  # seconds beyond which there are no more turns
DOC_WORDS, DOCS_AT_ONCE = 200, 64
AT_ONCE = DOC_WORDS * DOCS_AT_ONCE  # words in the longest call of a mechanism
TEXT_WORDS = 400_000  # the natural text, which is read again from its beginning
NOISE = (5.0, 10.0, 15.0, 20.0, 30.0)  # epsilons at which recall is looked at, heavy noise first
EXPERIMENT = (1.0, 10.0, 20.0, 30.0, 40.0, 50.0, 70.0)
Figures = dict[str, Any]
Rows = NDArray[np.int64]
Call = Callable[[], Any]


# -- spaces ----------------------------------------------------------------------------------------


def make_space(folder: Path, n: int, d: int) -> None:
    # The constructor takes the table as it is; from_vectors would copy it.
    words, X = synthetic.words(n), synthetic.glove_like(n, d)
    Space.from_vectors(words, X, name="synthetic").save(folder)


class Work:
    """What the rows of a case share: the space, a text, and how many words of it a call takes."""

    def __init__(self, case: Case, folder: str) -> None:
        """folder: the saved space; "" for the built-in one."""
        self.case, self.folder = case, folder
        self.space = Space.load(folder) if folder else Space.builtin()
        self.text = synthetic.zipf_rows(len(self.space), TEXT_WORDS)
        self._words: int | None = None

    @property
    def piped(self) -> bool:
        return any(row.what == "pipe" for row in self.case.rows)

    def words(self, run: Callable[[int], Any], trial: int) -> int:
        """As many as take a moment by a trial of the first row; at least those of the trial."""
        if self._words is None:
            seconds, most = self.case.seconds / 4, queries(len(self.space))
            if self.piped:
                trial, seconds, most = 8 * DOC_WORDS, max(2 * seconds, 2.0), len(self.text)
            rate = trial / seconds_of(lambda: run(trial))
            words = int(np.clip(rate * seconds, trial, most))
            self._words = words // DOC_WORDS * DOC_WORDS if self.piped else words
        return self._words


# -- one case --------------------------------------------------------------------------------------


def measure(work: Work) -> Figures:
    case, space = work.case, work.space
    Z = noisy(space, queries(len(space)), 10.0)
    readies = [MAKERS[row.what](row, work) for row in case.rows]
    for ready in readies:
        ready.warm_up(case.seconds)
    some = space.vectors[:PRODUCT_ROWS]
    calls = [lambda: product(some, Z), *(ready.turn for ready in readies)]
    with others_share() as others:
        times = in_turns(calls, case.seconds * len(calls))
    rates = [len(Z) * len(some) / len(space) / times[0]] + [
        ready.words / t for ready, t in zip(readies, times[1:], strict=True)
    ]
    own = own_peak()
    rows = [
        {
            "fit_s": ready.fit_seconds,
            "words": ready.words,
            "words_s": statistics.median(rate),
            "product_words_s": statistics.median(rates[0]),
            "share": statistics.median(rate / rates[0]),
            "peak_mb": ready.watched_peak or own,
            "note": ready.note,
        }
        for ready, rate in zip(readies, rates[1:], strict=True)
    ]
    figures: Figures = {"rows": rows, "ratio": statistics.median(rates[-1] / rates[1])}
    figures["others"] = others[0]
    mechanism = readies[0].mechanism
    if len(rows) == 1 and hasattr(mechanism, "projection") and case.rows[0].shown:
        rows[0]["recall"] = recall(space, mechanism.projection.index, case.rows[0].index)
    return figures


def queries(n: int) -> int:
    return int(np.clip(PAIRS // n, FEW, QUERIES))


def noisy(space: Space, k: int, epsilon: float) -> NDArray[np.float32]:
    X, rng = space.vectors, np.random.default_rng(2)
    Z = X[rng.integers(len(X), size=k)] + laplace_noise(k, X.shape[1], Rng(), epsilon=epsilon)
    return Z.astype(np.float32)


def product(X: NDArray[np.float32], Z: NDArray[np.float32]) -> None:
    """All scalar products of rows and queries, each tile over the last: brute force's limit."""
    P = np.ascontiguousarray(Z.T)
    tile = np.empty((TILE, len(Z)), dtype=np.float32)
    for start in range(0, len(X), TILE):
        part = X[start : start + TILE]
        np.matmul(part, P, out=tile[: len(part)])


def in_turns(calls: list[Call], seconds: float) -> list[NDArray[np.float64]]:
    """Times of each, one after the other: a few turns, or one where that takes long."""
    times: list[list[float]] = [[] for _ in calls]
    end = time.perf_counter() + seconds
    while True:
        for call, found in zip(calls, times, strict=True):
            time.sleep(PAUSE)
            found.append(seconds_of(call))
        over = time.perf_counter() - end
        if over > LONGER or (over > 0 and len(times[0]) >= LEAST_TURNS):
            return [np.array(found) for found in times]


def seconds_of(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def recall(space: Space, index: Any, name: str) -> dict[str, float]:
    """The share of noisy vectors for which it finds the row that is nearest, at each epsilon.

    The exact index is held against a brute force in float64, and others against the exact one.
    """
    k = 100 if name == EXACT else min(1000, queries(len(space)))
    exact = None if name == EXACT else resolve("dx_indexes", {"@dx_indexes": EXACT})
    if exact is not None:
        exact.fit(space.vectors)
    found = {}
    for epsilon in NOISE:
        Z = noisy(space, k, epsilon)
        truth = brute_force(Z, space.vectors) if exact is None else exact.nearest(Z)
        found[f"{epsilon:g}"] = float(np.mean(index.nearest(Z) == truth))
    return found


def brute_force(Z: NDArray[np.float32], X: NDArray[np.float32]) -> Rows:
    return np.concatenate([D.argmin(axis=1) for _, D in in_blocks(Z, X)])


# -- what is called --------------------------------------------------------------------------------


class Ready:
    """call: handles so many words. mechanism: where there is one."""

    def __init__(
        self,
        call: Callable[[], Any],
        words: int,
        fit_seconds: float | None = None,
        *,
        mechanism: Any = None,
        watched: Callable[[], list[int]] | None = None,
        warm: bool = True,
        learns: bool = False,
    ) -> None:
        """fit_seconds: what it took to make. watched: the processes whose memory counts, if not
        this one alone. warm: whether to call it before it counts. learns: whether it gets faster
        with the words that it has seen."""
        self.call, self.words, self.fit_seconds = call, words, fit_seconds
        self.mechanism, self.watched, self.warm, self.learns = mechanism, watched, warm, learns
        self.watched_peak = 0.0

    def warm_up(self, seconds: float) -> None:
        """Once, and where tables are kept for words that come often, for a while."""
        end = time.perf_counter() + (seconds if self.learns else 0)
        if self.warm:
            self.call()
        while time.perf_counter() < end:
            self.call()

    def turn(self) -> None:
        if self.watched is None:
            self.call()
            return
        with sampled(self.watched) as memory:
            self.call()
        self.watched_peak = max(self.watched_peak, *memory)

    @property
    def note(self) -> str:
        """What an index says that it searches with."""
        index = getattr(getattr(self.mechanism, "projection", None), "index", None)
        return str(getattr(index, "choice", ""))


def ready_mechanism(row: Row, work: Work) -> Ready:
    space, rng = work.space, Rng()
    if row.block["@dx_mechanisms"] == "dx.Path.v1":
        check_graph(space, forget=row.shown)
    mechanism = resolve("dx_mechanisms", row.block)
    fit_seconds = seconds_of(lambda: mechanism.fit(space))
    if row.shown and stored_graph(space) is not None:
        space.save(work.folder)  # for the cases that come after

    def sample(rows: Rows) -> None:
        for start in range(0, len(rows), AT_ONCE):
            mechanism.sample(rows[start : start + AT_ONCE], rng)

    sample(work.text[:1])
    words = row.words or work.words(lambda k: sample(work.text[:k]), 64)
    parts = cycle(in_parts(work.text, words))
    # Where a pipeline is in the same case, both get the same words.
    call = partial(sample, work.text[:words]) if work.piped else lambda: sample(next(parts))
    learns = "projection" not in row.block and row.words is None
    return Ready(call, words, fit_seconds, mechanism=mechanism, learns=learns)


def check_graph(space: Space, *, forget: bool) -> None:
    """Where learning it is what the case is about, a graph that was saved is not used."""
    if len(space) > GRAPH_UP_TO and stored_graph(space) is None:
        raise SystemExit("no saved graph for this space (learning one takes many minutes)")
    if forget and len(space) <= GRAPH_UP_TO:
        learned.forget(space)


def ready_peer(row: Row, work: Work) -> Ready:
    made: list[Any] = []
    fit_seconds = seconds_of(lambda: made.append(PEERS[row.label](work.space.vectors, 10.0)))
    words = work.words(lambda k: made[0](work.text[:k]), 2)
    parts = cycle(in_parts(work.text, words))
    return Ready(lambda: made[0](next(parts)), words, fit_seconds)


def ready_pipe(row: Row, work: Work) -> Ready:
    nlp = spacy.blank("en")
    source = {"@dx_spaces": "dx.FileSpace.v1", "path": work.folder}
    sanitizer: Any = nlp.add_pipe("dx_sanitizer", config={"mechanism": row.block, "space": source})
    fit_seconds = seconds_of(sanitizer.warm_up)
    workers = max(other.processes for other in work.case.rows)

    def texts(words: int) -> list[str]:
        return synthetic.texts(work.space.words, work.text[:words], DOC_WORDS)

    def run(texts: list[str], processes: int = 1) -> int:
        # Every worker gets several batches.
        batch = DOCS_AT_ONCE if workers == 1 else max(1, len(texts) // (4 * workers))
        docs = nlp.pipe(texts, n_process=processes, batch_size=min(batch, DOCS_AT_ONCE))
        return sum(doc._.dx.perturbed for doc in docs)

    words = work.words(lambda k: run(texts(k)), 64)
    call = partial(run, texts(words), row.processes)
    if call() != words:
        raise RuntimeError("not every word was perturbed")
    watched = None if row.processes == 1 else this_and_others
    return Ready(call, words, fit_seconds, watched=watched, warm=False)


def ready_command(row: Row, work: Work) -> Ready:
    """The command line with its defaults, from a file to a file, start-up included."""
    words = row.words or DOC_WORDS
    vocabulary = [word for word in work.space.words if word.isalpha()]
    texts = synthetic.texts(vocabulary, synthetic.zipf_rows(len(vocabulary), words), DOC_WORDS)
    place = Path(tempfile.mkdtemp())
    lines = (json.dumps({"text": text}) + "\n" for text in texts)
    (place / "in.jsonl").write_text("".join(lines), encoding="utf8")
    command = [sys.executable, "-m", "spacy", "dx", "sanitize"]
    command += [str(place / "in.jsonl"), str(place / "out.jsonl"), "--force"]

    def call() -> None:
        subprocess.run(command, check=True, capture_output=True)

    return Ready(call, words, watched=lambda: descendants(os.getpid()), warm=False)


def ready_experiment(row: Row, work: Work) -> Ready:
    """A sample of Asghar et al.'s experiment: 7 of its 70 epsilons, and 250 of its 5,000 words."""
    mechanisms = []
    for epsilon in EXPERIMENT:
        rule = {"@dx_projections": "dx.RankSampling.v1", "c": 0.04}
        block = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": epsilon, "projection": rule}
        mechanisms.append(resolve("dx_mechanisms", block))
    fit_seconds = seconds_of(lambda: [mechanism.fit(work.space) for mechanism in mechanisms])
    rows = np.random.default_rng(3).integers(len(work.space), size=250)
    rng = Rng()

    def call() -> None:
        for mechanism in mechanisms:
            mechanism.sample(rows, rng)

    return Ready(call, len(rows) * len(mechanisms), fit_seconds)


MAKERS: dict[str, Callable[[Row, Work], Ready]] = {
    "mechanism": ready_mechanism,
    "peer": ready_peer,
    "pipe": ready_pipe,
    "command": ready_command,
    "experiment": ready_experiment,
}


def in_parts(text: Rows, words: int) -> list[Rows]:
    """Parts of so many words; the rest at the end is left out."""
    return [text[i : i + words] for i in range(0, len(text) - words + 1, words)]


def resolve(where: str, block: dict[str, Any]) -> Any:
    return registry.resolve({"part": block})["part"]


# -- memory ----------------------------------------------------------------------------------------


@contextmanager
def sampled(watched: Callable[[], list[int]], every: float = 0.2) -> Iterator[list[float]]:
    """MB of these processes together, time and again; what they share counts once."""
    memory: list[float] = [0.0]
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(every):
            memory.append(sum(proportional(pid) for pid in watched()))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield memory
    finally:
        stop.set()
        watcher.join()


def proportional(pid: int) -> float:
    """MB, of which each process that shares a page has its part; 0 where that is not told."""
    return field_of(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")


def this_and_others() -> list[int]:
    return [os.getpid(), *descendants(os.getpid())]


def descendants(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        found = [int(c) for task in tasks for c in (task / "children").read_text().split()]
    except OSError:
        return []
    return found + [other for child in found for other in descendants(child)]


def own_peak() -> float:
    """MB. The other way to ask also counts what the parent had when it made this process."""
    told = field_of(Path("/proc/self/status"), "VmHWM:")
    return told or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def others_share() -> Iterator[list[float]]:
    """The share of the machine's time that processes other than this and its children had."""
    start, ours, busy = time.perf_counter(), sum(os.times()[:4]), busy_seconds()
    found = [0.0]
    yield found
    seconds = (time.perf_counter() - start) * (os.cpu_count() or 1)
    found[0] = max(0.0, busy_seconds() - busy - sum(os.times()[:4]) + ours) / seconds


def busy_seconds() -> float:
    try:
        numbers = [int(x) for x in Path("/proc/stat").read_text().splitlines()[0].split()[1:8]]
    except OSError:
        return 0.0
    user, nice, system, _, _, hard, soft = numbers
    return (user + nice + system + hard + soft) / os.sysconf("SC_CLK_TCK")


def field_of(file: Path, name: str) -> float:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)


def main() -> None:
    order = json.loads(sys.argv[1])
    if "make" in order:
        make_space(Path(order["folder"]), *order["make"])
        return
    print(json.dumps(measure(Work(from_json(order["case"]), order["folder"]))))


if __name__ == "__main__":
    main()
