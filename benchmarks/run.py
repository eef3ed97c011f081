"""Words a second, memory, build time and recall of the mechanisms, next to the matrix product.

    python benchmarks/run.py [--sizes 10000 50000 400000 3000000] [--quick] [--out FOLDER]
                             [--spaces FOLDER]

Prints a table as it goes, and writes OUT/performance/results.json and, where matplotlib is there,
plots (benchmarks/requirements.txt). It writes after each case, so it may be
stopped: what was not measured says so. --quick takes 10,000 words alone and a moment for each
case: it shows that all of it runs, not how fast. --out docs writes the files of docs/.

Every case has a process of its own, so that its peak of memory is its own, and measures in turns
with the product of queries and rows alone, which is the limit of brute force: shares of it can be
compared between cases, machines and moments. cases.py lists them, measure.py measures one, peers.py
has the other tools' ways, report.py writes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from cases import SIZES, Case, Row, cases, left_out
from peers import needed
from report import COLUMNS, line, plots, result_rows, write

GIB = 2**30
MEASURE = Path(__file__).parent / "measure.py"
SIZE_QUICK = 10_000
LIMIT, LIMIT_QUICK = 900, 120  # seconds for one case
Figures = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", help=f"words; {SIZES} if not given")
    parser.add_argument("--quick", action="store_true", help="about two minutes")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"))
    parser.add_argument(
        "--spaces",
        type=Path,
        help="where to keep the synthetic spaces between runs; a graph of dx.Path.v1 that is "
        "saved with one is used where learning it would take long",
    )
    options = parser.parse_args()
    sizes = tuple(sorted(options.sizes or ([SIZE_QUICK] if options.quick else SIZES)))
    with kept_or_temporary(options.spaces) as spaces:
        return run(sizes, spaces, options.out, quick=options.quick)


def run(sizes: tuple[int, ...], spaces: Path, out: Path, *, quick: bool) -> int:
    found = [Result(case) for case in cases(sizes, os.cpu_count() or 1, quick=quick)]
    about = machine(quick=quick)
    start = time.time()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stopped)
    print(line(COLUMNS), line(["---"] * len(COLUMNS)), sep="\n")
    try:
        for result in found:
            result.figures, result.why = measured(result.case, spaces, quick=quick)
            for cells in result_rows(result.to_json()):
                print(line(cells), flush=True)
            about["minutes"] = round((time.time() - start) / 60, 1)
            write(out, about, [r.to_json() for r in found])
    except KeyboardInterrupt:
        print("stopped: what was not measured says so", file=sys.stderr)
    write(out, about, [result.to_json() for result in found])
    plots(out, [result.to_json() for result in found])
    failed = [result for result in found if result.failed]
    for result in failed:
        print(f"failed: {result.case.key}: {result.why}", file=sys.stderr)
    return 1 if failed else 0


def stopped(*signal_and_frame: Any) -> NoReturn:
    raise KeyboardInterrupt


class Result:
    """A case with its figures, or with why there are none."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.figures: Figures | None = None
        self.why = "the run was stopped before"

    @property
    def failed(self) -> bool:
        return self.figures is None and self.why.startswith("failed")

    def to_json(self) -> Figures:
        return {
            **self.case.to_json(),
            "key": self.case.key,
            "figures": self.figures,
            "why": self.why,
        }


def measured(case: Case, spaces: Path, *, quick: bool) -> tuple[Figures | None, str]:
    why = left_out(case) or shortage(case, spaces)
    if why:
        return None, why
    limit = LIMIT_QUICK if quick else LIMIT
    folder = space_folder(case, spaces, limit)
    order = {"case": case.to_json(), "folder": folder}
    code, output, errors = in_a_process(order, case.threads, limit)
    if code == 0:
        return json.loads(output.splitlines()[-1]), ""
    last = (errors.strip().splitlines() or ["no message"])[-1]
    if last.startswith("no saved graph"):
        return None, last
    return None, f"took more than {limit} s" if code is None else f"failed: {last}"


def space_folder(case: Case, spaces: Path, limit: float) -> str:
    if not case.n:
        return ""
    folder = spaces / f"{case.n}x{case.d}"
    if not folder.exists():
        code, _, errors = in_a_process({"make": [case.n, case.d], "folder": str(folder)}, 2, limit)
        if code != 0:
            raise RuntimeError(f"the space of {case.n} words could not be made: {errors}")
    return str(folder)


def in_a_process(order: Figures, threads: int, limit: float) -> tuple[int | None, str, str]:
    """Exit code (None: it took too long), output and errors."""
    names = ("OPENBLAS", "OMP", "MKL", "BLIS")
    held = {f"{name}_NUM_THREADS": str(threads) for name in names}
    process = subprocess.Popen(
        [sys.executable, str(MEASURE), json.dumps(order)],
        env={**os.environ, **held},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # workers that hang are ended with it
    )
    try:
        output, errors = process.communicate(timeout=limit)
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        return None, "", ""
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


# -- the machine -----------------------------------------------------------------------------------


def shortage(case: Case, spaces: Path) -> str:
    """Why the case would not fit, or "": an estimate, made before anything is."""
    most = max(needs(row, case) for row in case.rows) / GIB
    free = available()
    if most > 0.9 * free:
        return f"needs {most:.0f} GiB of memory, {free:.0f} are free"
    new = case.n and not (spaces / f"{case.n}x{case.d}").exists()
    disk = shutil.disk_usage(spaces).free / GIB
    if new and 8 * case.n * case.d / GIB > disk:
        return f"needs {8 * case.n * case.d / GIB:.0f} GiB of disk, {disk:.0f} are free"
    return ""


def needs(row: Row, case: Case) -> float:
    table = 4.0 * case.n * case.d
    peer = needed(row.label, case.n, case.d) if row.what == "peer" else 0.0
    return 0.5 * GIB + table + peer


def available() -> float:
    """GiB that can be had without swapping; infinite where the system does not tell."""
    lines = lines_of("/proc/meminfo")
    return next(
        (int(x.split()[1]) / 2**20 for x in lines if x.startswith("MemAvail")), float("inf")
    )


def machine(*, quick: bool) -> Figures:
    total = next((int(x.split()[1]) for x in lines_of("/proc/meminfo") if "MemTotal" in x), 0)
    model = next(
        (x.split(":")[1].strip() for x in lines_of("/proc/cpuinfo") if "model name" in x), ""
    )
    flags = next((x for x in lines_of("/proc/cpuinfo") if x.startswith("flags")), "")
    return {
        "quick": quick,
        "processor": model or platform.machine(),
        "vectors of the processor": next((s for s in ("avx512f", "avx2") if s in flags), "unknown"),
        "cores": os.cpu_count(),
        "memory, GiB": round(total / 2**20),
        "system": platform.system(),
        "Python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "faiss-cpu", "spacy")},
        "load average at the start": round(os.getloadavg()[0], 1),
    }


def lines_of(file: str) -> list[str]:
    try:
        return Path(file).read_text().splitlines()
    except OSError:
        return []


@contextmanager
def kept_or_temporary(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary)


if __name__ == "__main__":
    sys.exit(main())
