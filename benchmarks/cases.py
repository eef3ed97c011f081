"""What run.py measures: the list of cases, each of which gets a process of its own.

The rows of a case are measured in turns, next to the machine's matrix product. A case of two rows
is there for their ratio.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from peers import PEERS

from spacy_dxprivacy import registry
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

SIZES = (10_000, 50_000, 400_000, 3_000_000)
BETWEEN = (20_000, 100_000, 200_000)  # for the plot of growth alone
DIMENSIONS = (50, 100, 200, 300, 600)
TEXTS = (1, 10, 100, 1_000, 10_000)  # words in one call
DIMS = 300
EXACT = "dx.Exact.v1"
GRAPH_UP_TO = 100_000  # rows; beyond, the graph of dx.Path.v1 takes many minutes to learn
CHOICE_UP_TO = 400_000  # rows; beyond, a draw from the probabilities of all words takes seconds
SECONDS = {10_000: 2.0, 50_000: 4.0, 400_000: 10.0}  # for each row, and its share of products
FIRST = ("dx.Path.v1", "dx.Laplace.v1", "dx.Laplace.v1, dx.RankSampling.v1", "dx.Exponential.v1")
CHOICE = ("dx.Exponential.v1", "dx.TEM.v1", "dx.SanTextPlus.v1")


@dataclass(frozen=True)
class Row:
    """One line of the table. what: "mechanism", "pipe", "peer", "command" or "experiment".

    block: the mechanism as a config has it. words: in one call; None for as many as take a moment.
    shown: whether it is a line of the table; else it is for a ratio or a plot alone.
    """

    label: str
    what: str = "mechanism"
    block: dict[str, Any] = field(default_factory=dict)
    index: str = ""
    processes: int = 1
    words: int | None = None
    shown: bool = True


@dataclass(frozen=True)
class Case:
    """rows, measured in turns on a synthetic space of n words of d dimensions, for some seconds
    each. n = 0: the built-in space. aim: what the rate of the last row over that of the first is
    called, and what it should be at least."""

    rows: tuple[Row, ...]
    n: int
    d: int
    threads: int
    seconds: float
    aim: tuple[str, float] | None = None

    @property
    def key(self) -> str:
        names = ", ".join(f"{r.label} {r.index} {r.words or ''}" for r in self.rows)
        shown = "" if any(row.shown for row in self.rows) else ", not in the table"
        return f"{names} | {self.n} x {self.d}, {self.threads} threads{shown}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def from_json(fields: dict[str, Any]) -> Case:
    rows = tuple(Row(**row) for row in fields["rows"])
    aim = fields["aim"] and (fields["aim"][0], fields["aim"][1])
    return Case(**{**fields, "rows": rows, "aim": aim})


def cases(sizes: tuple[int, ...], cores: int, *, quick: bool) -> list[Case]:
    """What matters most comes first, so that a run may be stopped."""
    small = [n for n in sizes if n <= max(50_000, min(sizes))]
    found: list[Case] = []
    for n in sizes:
        found += [*_at_size(n, cores, quick=quick), *_ratios(n, cores, quick=quick)]
    if not quick:
        found += _growth(max(small))
    if len(small) < len(sizes):
        found += _between(sizes)

    def later(case: Case) -> int:
        if case.n in small or not case.n:
            return 0
        row = case.rows[0]
        first = row.label in FIRST and len(case.rows) == 1
        return 1 if first and case.n in sizes else 2 if row.shown else 3

    return sorted(found, key=later)


def seconds_at(n: int, *, quick: bool) -> float:
    return 0.5 if quick else next((s for size, s in SECONDS.items() if n <= size), 30.0)


def left_out(case: Case) -> str:
    """Why a case is not measured, or ""."""
    if case.n > CHOICE_UP_TO and any(row.label in CHOICE for row in case.rows):
        return "a draw from so many words takes seconds"
    return ""


# -- mechanisms ------------------------------------------------------------------------------------


def laplace(index: str = EXACT, projection: str = "dx.Nearest.v1", **settings: Any) -> Row:
    label = "dx.Laplace.v1"
    if projection != "dx.Nearest.v1":
        label += f", {projection}"
    return Row(label, block=_noise("dx.Laplace.v1", index, projection, **settings), index=index)


def _noise(
    name: str, index: str = EXACT, projection: str = "dx.Nearest.v1", **settings: Any
) -> dict[str, Any]:
    rule = {"@dx_projections": projection, "index": {"@dx_indexes": index}, **settings}
    return {"@dx_mechanisms": name, "epsilon": 10.0, "projection": rule}


def ranked() -> Row:
    return laplace(projection="dx.RankSampling.v1", c=0.04)


def path() -> Row:
    return Row("dx.Path.v1", block={"@dx_mechanisms": "dx.Path.v1", "epsilon": 2.2})


def choice(name: str, **settings: Any) -> Row:
    return Row(name, block={"@dx_mechanisms": name, "epsilon": 10.0, **settings})


def indexes() -> list[str]:
    """Those that are registered, the exact one first."""
    names = [name for name in registry.dx_indexes.get_all() if name.startswith("dx.")]
    return sorted(names, key=lambda name: (name != EXACT, name))


def _mechanisms(n: int) -> Iterator[Row]:
    yield path()
    yield from (laplace(index) for index in indexes())
    yield ranked()
    for name in ("dx.Gaussian.v1", "dx.Mahalanobis.v1"):
        yield Row(name, block=_noise(name), index=EXACT)
    yield from (choice(name) for name in CHOICE)


def _at_size(n: int, cores: int, *, quick: bool) -> Iterator[Case]:
    """All with one thread, whose figures other work on the machine hardly changes; those that end
    in products with all cores as well."""
    seconds = seconds_at(n, quick=quick)
    for row in _mechanisms(n):
        yield Case((row,), n, DIMS, 1, seconds)
    for name in PEERS:
        yield Case((Row(name, "peer"),), n, DIMS, 1, seconds / 2)
    parallel = [laplace(index) for index in indexes()] + [choice("dx.Exponential.v1")]
    for row in parallel[:1] if quick else parallel:
        if cores > 1:
            yield Case((row,), n, DIMS, cores, seconds)


# -- ratios ----------------------------------------------------------------------------------------


def _ratios(n: int, cores: int, *, quick: bool) -> Iterator[Case]:
    """In turns in one process, so that what else the machine does falls on both."""
    seconds = seconds_at(n, quick=quick)
    if n <= CHOICE_UP_TO:
        yield _pipe(laplace(), n, seconds)
        yield _workers(laplace(), n, seconds)
        rows = (_hidden(laplace()), _hidden(ranked()))
        yield Case(rows, n, DIMS, 1, seconds, ("rank sampling / nearest word", 0.8))
    if n <= GRAPH_UP_TO:
        if not quick:
            yield _pipe(path(), n, seconds)
            yield _workers(path(), n, seconds)
        rows = (
            _hidden(choice("dx.Exponential.v1", cache_mb=0.0)),
            _hidden(choice("dx.Exponential.v1", cache_mb=1500.0)),
        )
        # Longer, since the cache has to fill first.
        yield Case(rows, n, DIMS, 1, 4 * seconds, ("dx.Exponential.v1 / the same, no cache", 20.0))
    if n == 10_000:
        words = 5_000 if quick else 100_000
        default = DEFAULT_CONFIG["mechanism"]
        command = Row(f"dx sanitize, {default['@dx_mechanisms']}", "command", default, words=words)
        yield Case((command,), 0, DIMS, cores, seconds)
    if n == 400_000:
        row = Row("70 epsilons x 5,000 words", "experiment", index=EXACT, shown=False)
        yield Case((row,), n, DIMS, cores, seconds)


def _pipe(row: Row, n: int, seconds: float) -> Case:
    rows = (_hidden(row), _hidden(_piped(row, 1)))
    return Case(rows, n, DIMS, 1, seconds, (f"nlp.pipe / {row.label} alone", 0.9))


def _workers(row: Row, n: int, seconds: float) -> Case:
    rows = (_piped(row, 1), _piped(row, 2))
    name = f"nlp.pipe, {row.label}: 2 workers / 1 of one thread"
    # Longer, so that starting the workers is not what is measured.
    return Case(rows, n, DIMS, 1, 4 * seconds, (name, 1.6))


def _piped(row: Row, processes: int) -> Row:
    return Row(f"nlp.pipe, {row.label}", "pipe", row.block, row.index, processes)


def _hidden(row: Row, words: int | None = None) -> Row:
    return replace(row, words=words, shown=False)


# -- growth ----------------------------------------------------------------------------------------


def _growth(n: int) -> Iterator[Case]:
    """With dimensions, and with the words of a text."""
    seconds = SECONDS[10_000]
    for d in DIMENSIONS:
        for row in (laplace(), choice("dx.Exponential.v1")):
            yield Case((_hidden(row),), n, d, 1, seconds)
    for row in (path(), laplace(), choice("dx.Exponential.v1")):
        rows = tuple(_hidden(row, words) for words in TEXTS)
        yield Case(rows, n, DIMS, 1, seconds / 2)


def _between(sizes: tuple[int, ...]) -> Iterator[Case]:
    rows = [laplace(index) for index in indexes()] + [choice("dx.Exponential.v1")]
    rows.append(Row("one word, cdist", "peer"))
    for n in BETWEEN:
        if n not in sizes:
            for row in rows:
                yield Case((_hidden(row),), n, DIMS, 1, SECONDS[10_000])
