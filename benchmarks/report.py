"""What run.py measured, as a result file with its table, and as plots.

    python benchmarks/report.py [docs]

writes the table again from the cases of the last run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import DOCS, commit, write_pages

Figures = dict[str, Any]
Series = dict[str, list[tuple[float, float]]]

COLUMNS = [
    "mechanism or other implementation",
    "index",
    "words",
    "threads",
    "words/s",
    "of the product",
    "fit, s",
    "memory, MB",
    "recall",
]
EXACT = "dx.Exact.v1"
GROWTH = (
    "dx.Path.v1",
    "dx.Laplace.v1",
    "dx.Exponential.v1",
    "one word, cdist",
    "one word, heap",
    "probability matrix",
)
ABOUT = {
    "command": "python benchmarks/run.py --out docs",
    "settings": {"component": {"factory": "dx_sanitizer"}},
    "data": "Synthetic spaces of 300 dimensions and synthetic texts (benchmarks/synthetic.py).",
    "attacker": "none: this is about speed and memory",
}


def write(out: Path, about: Figures, results: list[Figures]) -> None:
    """Write OUT/performance/results.json, and the page that shows it where OUT is docs/."""
    folder = out / "performance"
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "results.json", {"commit": commit(), **ABOUT, "machine": about}, results)
    if out.resolve() == DOCS:
        write_pages()


def rewrite(out: Path) -> None:
    """Write the table of a result file again, by its cases."""
    file = out / "performance" / "results.json"
    found = json.loads(file.read_text(encoding="utf8"))
    results = found.pop("cases")
    kept = {name: found[name] for name in ("commit", *ABOUT, "machine")}
    _write(file, kept, results)


def _write(file: Path, about: Figures, results: list[Figures]) -> None:
    """One line for each row and case, so that versions can be compared."""
    head = json.dumps({**about, "columns": COLUMNS}, ensure_ascii=False)[:-1]
    rows, cases = (
        ",\n".join(json.dumps(one, ensure_ascii=False) for one in some)
        for some in (table_rows(results), results)
    )
    text = f'{head},\n"rows": [\n{rows}\n],\n"cases": [\n{cases}\n]}}\n'
    file.write_text(text, encoding="utf8")


def table_rows(results: list[Figures]) -> list[list[str]]:
    ordered = sorted(results, key=lambda result: result["n"])
    return [row for result in ordered for row in result_rows(result)]


def result_rows(result: Figures) -> Iterator[list[str]]:
    """Yield the rows of a case, whether it was measured or not."""
    for number, row in enumerate(result["rows"]):
        if row["shown"]:
            workers = f"{row['processes']} x " if row["processes"] > 1 else ""
            figures = result["figures"] and result["figures"]["rows"][number]
            cells = [row["label"], index_of(row, figures), size_of(result)]
            yield [*cells, f"{workers}{result['threads']}", *row_cells(figures, result["why"])]


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def index_of(row: Figures, figures: Figures | None) -> str:
    """The name, and what it says that it searches with where that is something else."""
    name = row["index"] or "–"
    choice = figures["note"] if figures else ""
    inner = choice
    if choice.startswith(f"{name}("):
        inner = choice[len(name) + 1 : -1]
    return f"{name} ({inner})" if inner and inner != name else name


def size_of(result: Figures) -> str:
    return f"{result['n']:,}" if result["n"] else "built-in"


def row_cells(row: Figures | None, why: str) -> list[str]:
    if row is None:
        return [f"not measured: {why}", "", "", "", ""]
    lowest = min(row["recall"].values()) if row.get("recall") else None
    return [
        number_of(row["words_s"]),
        f"{row['share']:.3g}" if row["share"] < 100 else f"{row['share']:,.0f}",
        "–" if row["fit_s"] is None else seconds_of(row["fit_s"]),
        f"{row['peak_mb']:,.0f}",
        "–" if lowest is None else f"{lowest:.4g}",
    ]


def seconds_of(seconds: float) -> str:
    return "< 0.01" if seconds < 0.01 else f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"


def number_of(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2g}"


# -- plots -----------------------------------------------------------------------------------------


def plots(out: Path, results: list[Figures]) -> None:
    """Draw the plots; none without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "dx", "font.size": 9, "svg.fonttype": "none"})
    done = [result for result in results if result["figures"]]
    wanted = {
        "vocabulary": (by_size(done), "words of the space", "milliseconds for a word"),
        "dimensions": (by_dimensions(done), "dimensions", "milliseconds for a word"),
        "text": (by_text(done), "words in one call", "milliseconds for the call"),
    }
    drawn = {
        name: plot for name, plot in wanted.items() if any(len(p) > 1 for p in plot[0].values())
    }
    for name, (series, x, y) in drawn.items():
        draw(out / "performance" / f"{name}.svg", series, x, y)


def by_size(results: list[Figures]) -> Series:
    found: dict[str, dict[float, float]] = {}
    for result in results:
        row, first = result["rows"][0], result["figures"]["rows"][0]
        wanted = row["label"] in GROWTH and result["threads"] == 1 and result["d"] == 300
        if not wanted or not grows(result):
            continue
        # Where a size was measured more than once, the first is the one of the table.
        found.setdefault(name_of(row), {}).setdefault(result["n"], 1e3 / first["words_s"])
        if row["index"] == EXACT:
            product = found.setdefault("the product alone", {})
            product.setdefault(result["n"], 1e3 / first["product_words_s"])
    return {name: sorted(points.items()) for name, points in sorted(found.items())}


def grows(result: Figures) -> bool:
    """Whether it is of one mechanism or way, with as many words in a call as it likes."""
    row = result["rows"][0]
    alone = len(result["rows"]) == 1 and not row["words"]
    return alone and row["what"] in ("mechanism", "peer")


def name_of(row: Figures) -> str:
    return f"{row['label']} {row['index']}".strip()


def by_dimensions(results: list[Figures]) -> Series:
    """Of the size that was measured with most dimensions."""
    found: Series = {}
    n = max(((result["d"], result["n"]) for result in results), default=(0, 0))[1]
    for result in results:
        row, first = result["rows"][0], result["figures"]["rows"][0]
        if not grows(result) or row["shown"] or row["what"] == "peer" or result["n"] != n:
            continue
        found.setdefault(name_of(row), []).append((result["d"], 1e3 / first["words_s"]))
        if row["index"]:
            product = (result["d"], 1e3 / first["product_words_s"])
            found.setdefault("the product alone", []).append(product)
    return found


def by_text(results: list[Figures]) -> Series:
    found: Series = {}
    for result in results:
        for row, figures in zip(result["rows"], result["figures"]["rows"], strict=True):
            if row["what"] == "mechanism" and row["words"]:
                name = name_of(row)
                found.setdefault(name, []).append(
                    (row["words"], 1e3 * row["words"] / figures["words_s"])
                )
    return found


def draw(file: Path, series: Series, x: str, y: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for name, points in series.items():
        style: dict[str, Any] = {"color": "black", "linestyle": "--"} if "product" in name else {}
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name, **style)
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    rewrite(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
