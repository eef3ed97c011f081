"""What the scripts share: word vectors, mechanisms by name, tables, figures and result files."""

import argparse
import csv
import hashlib
import sys
import warnings
from pathlib import Path

import faiss
import numpy as np
import spacy
import srsly

from spacy_dxprivacy import DxWarning, Rng, Space, registry

PAPERS = srsly.read_json(Path(__file__).resolve().parent.parent / "papers.json")
OPTIONS = {
    "--space": {
        "default": "auto",
        "help": "a saved space, a pipeline with vectors, builtin, or auto: assets/glove50, where "
        "it is there, else builtin",
    },
    "--max-words": {"type": int, "help": "use the first N words of the space"},
    "--words": {"type": int, "default": 200, "help": "number of words to sample, uniformly"},
    "--draws": {"type": int, "default": 20, "help": "draws a word, where they are simulated"},
    "--pairs": {
        "nargs": "*",
        "type": Path,
        "default": [],
        "help": "further files of: word, word, human score",
    },
    "--data": {"type": Path, "default": Path("assets"), "help": "folder with data of the tasks"},
    "--out": {
        "type": Path,
        "default": Path("output"),
        "help": "folder for tables and figures",
    },
}
AUTO = Path("assets/glove50")
MISSING = """{path}: no such vectors. `python -m spacy project run glove50` makes whole GloVe 50d,
`python -m spacy project run glove300` 33,860 words of GloVe 840B in 300 dimensions;
`python -m spacy project assets --extra` downloads the other tables, and
`python -m spacy project run vectors . --vars.file FILE` makes assets/vectors of one of them."""
BLOCK = 2**25  # distances at a time


def arguments(doc, commands, *names):
    """Parse a command and the options of these names."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("command", choices=commands)
    for name in names:
        parser.add_argument(name, **OPTIONS[name])
    return parser.parse_args()


def load_space(path, max_words=None):
    """Load all vectors of a space: no word is excluded."""
    if path == "auto":
        path = str(AUTO) if (AUTO / "space.json").is_file() else "builtin"
    if path == "builtin":
        space = Space.builtin()
    elif (Path(path) / "space.json").is_file():
        space = Space.load(path)
    elif (Path(path) / "meta.json").is_file():
        space = Space.from_nlp(spacy.load(path))
    else:
        sys.exit(MISSING.format(path=path))
    whole = max_words is None or max_words >= len(space)
    return space if whole else space.filtered(max_words=max_words)


def table_of(space):
    """Return the table of vectors of the paper that has this shape; None for others."""
    for name, (words, dims) in PAPERS["tables"].items():
        if space.vectors.shape[1] == dims and abs(len(space) - words) <= words // 1000:
            return name
    return None


def about(space):
    """Describe the vectors, and whether a paper has the same."""
    n, d = space.vectors.shape
    table = table_of(space)
    same = (
        f"the same vectors as {table} of the papers" if table else "other vectors than the papers"
    )
    return f"{space.name}, {n:,} words, {d} dimensions ({same})."


def probes(space, count):
    """Return rows of the space, drawn uniformly."""
    return np.sort(np.random.default_rng(0).choice(len(space), min(count, len(space)), False))


def nearest(space, rows, depth):
    """Return the nearest rows of each row, itself first, and their distances: (k, depth) each. They
    are kept in output/cache for other commands."""
    X, depth = space.vectors, min(depth, len(space))
    rows = np.asarray(rows)
    key = hashlib.sha256(f"{space.digest} {depth} ".encode() + rows.astype("<i8").tobytes())
    cache = Path("output/cache") / f"{key.hexdigest()[:24]}.npz"
    if cache.is_file():
        with np.load(cache) as kept:
            return kept["found"], kept["apart"]
    found, apart = [], []
    for part in np.array_split(rows, max(1, len(rows) // 1024)):
        few = faiss.knn(X[part], X, min(depth + 20, len(X)))[1]
        exact = np.linalg.norm(X[few].astype(float) - X[part][:, None], axis=2)
        exact[few == part[:, None]] = -1
        order = np.argsort(exact, axis=1, kind="stable")[:, :depth]
        found.append(np.take_along_axis(few, order, axis=1))
        apart.append(np.maximum(np.take_along_axis(exact, order, axis=1), 0))
    result = {"found": np.concatenate(found), "apart": np.concatenate(apart)}
    cache.parent.mkdir(parents=True, exist_ok=True)
    np.savez(cache, **result)
    return result["found"], result["apart"]


def mechanism(space, name, epsilon, **settings):
    """Return a mechanism that is fitted on the space."""
    config = {"@dx_mechanisms": name, "epsilon": epsilon, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        return registry.resolve({"made": config})["made"].fit(space)


def outputs(made, rows, draws):
    """Return the outputs of each row in some draws, (k, draws), by seed."""
    repeated, rng = np.repeat(rows, draws), Rng(seed=0)
    parts = np.array_split(repeated, max(1, len(repeated) // 4096))
    return np.concatenate([made.sample(part, rng).rows for part in parts]).reshape(-1, draws)


def shares(made, rows, close, draws):
    """Return the shares of outputs that are the word, close to it, and neither; and whether these
    are exact. close: (k, c), the word first."""
    if hasattr(made, "distribution"):
        kept = np.zeros(2)
        for i in np.array_split(np.arange(len(rows)), max(1, len(rows) * len(made.space) // BLOCK)):
            P = np.take_along_axis(made.distribution(rows[i]), close[i], axis=1)
            kept += P[:, 0].sum(), P[:, 1:].sum()
        original, near = kept / len(rows)
    else:
        drawn = outputs(made, rows, draws)
        original = np.mean(drawn == rows[:, None])
        near = np.mean((drawn[:, :, None] == close[:, None, 1:]).any(axis=2))
    distant = max(0.0, round(1 - original - near, 9))
    return [float(original), float(near), distant], hasattr(made, "distribution")


def skewness(p):
    """Return n / ((n - 1)(n - 2)) sum(((p - mean) / s)^3), s with n - 1; nan if all are alike."""
    p, n = np.asarray(p, dtype=float), len(p)
    if n < 3 or np.ptp(p) == 0:
        return float("nan")
    return float(n / ((n - 1) * (n - 2)) * np.sum(((p - p.mean()) / p.std(ddof=1)) ** 3))


# What an item of a paper is, and its verdict where all of its checks hold, and where one does not.
VERDICTS = {
    "statement": ("holds", "does not hold"),
    "numbers": ("reproduced", "not reproduced"),  # printed numbers, on the same vectors
    "claim": ("reproduced in kind", "not reproduced"),  # an order or a shape, on any vectors
    "refutation": ("refuted", "not refuted"),
}


def item(sort, *checks):
    """Return an item of a paper with its verdict. checks: (what, measured, "<=" or ">=", limit)."""
    rows = [[what, float(measured), sign, float(limit)] for what, measured, sign, limit in checks]
    held = [m <= limit if sign == "<=" else m >= limit for _, m, sign, limit in rows]
    return {"sort": sort, "verdict": VERDICTS[sort][not all(held)], "checks": rows}


def sentence(name, found):
    """Return the verdict on an item, with its checks, for readers."""
    checks = [f"{what} {m:.3g} {sign} {limit:.3g}" for what, m, sign, limit in found["checks"]]
    return f"{name}: {found['verdict']} ({'; '.join(checks)})."


def finish(
    args,
    name,
    space,
    columns,
    rows,
    verdict="",
    *,
    settings,
    items=None,
    attacker="none: no attack",
):
    """Print a table and the verdicts on items, and write them as .csv and .json. Floats keep three
    digits."""
    cells = [[f"{c:.3g}" if isinstance(c, float) else str(c) for c in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    data = about(space) if space is not None else "No vectors."
    print(f"\n{name}. {data}\n")
    for line in [columns, *cells]:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
    items = items or {}
    verdict = " ".join([*([verdict] if verdict else []), *map(sentence, items, items.values())])
    print(f"\nVerdict: {verdict}")
    args.out.mkdir(parents=True, exist_ok=True)
    with (args.out / f"{name}.csv").open("w", encoding="utf8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])
    about_run = {"settings": settings, "data": data, "attacker": attacker, "verdict": verdict}
    script, given = f"projects/papers/scripts/{Path(sys.argv[0]).name}", sys.argv[1:]
    if "--out" in given:
        given = given[: given.index("--out")] + given[given.index("--out") + 2 :]
    # Where the vectors lie is nobody's business.
    command = " ".join(
        ["python", script, *(Path(a).name if Path(a).is_absolute() else a for a in given)]
    )
    vectors = {True: "same", False: "other"}[bool(table_of(space))] if space is not None else "none"
    result = {"command": command, **about_run, "vectors": vectors, "items": items}
    result = {**result, "columns": columns, "rows": cells}
    srsly.write_json(args.out / f"{name}.json", result)


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#999999", "#e69f00", "#56b4e9", "#8c564b")
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "dx",
    "font.size": 8,
    "font.family": "sans-serif",
    "mathtext.fontset": "dejavusans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": "#444444",
    "axes.labelcolor": "#222222",
    "axes.titlecolor": "#222222",
    "text.color": "#222222",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "lines.linewidth": 1.4,
    "lines.markersize": 3,
    "savefig.transparent": True,
}
# Where the reader's page is dark, what is drawn in the two dark greys of STYLE becomes light.
DARK = """<style>@media (prefers-color-scheme: dark) {
[style*="fill: #222222"], [style*="fill: #444444"] {fill: #dddddd !important}
[style*="stroke: #222222"], [style*="stroke: #444444"] {stroke: #bbbbbb !important}
}</style>"""


def figure(path, panels, draw, *, size=(2.9, 2.7), columns=None):
    """Write a figure as .svg and .pdf: draw(axes, panel) for each of the panels, in rows of some
    columns, one row if None. None without matplotlib."""
    try:
        import matplotlib
        from cycler import cycler
        from matplotlib.figure import Figure
    except ImportError:
        return print("No figure: matplotlib is not installed.")
    columns = columns or len(panels)
    rows = -(-len(panels) // columns)
    style = {**STYLE, "axes.prop_cycle": cycler(color=COLOURS)}
    with matplotlib.rc_context(style):
        drawing = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
        cells = drawing.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(cells, panels, strict=False):
            draw(axes, panel)
        for axes in cells[len(panels) :]:
            axes.set_axis_off()
        drawing.savefig(path, format="svg", metadata={"Date": None})
        drawing.savefig(path.with_suffix(".pdf"), format="pdf", metadata={"CreationDate": None})
    text = path.read_text(encoding="utf8")
    path.write_text(text.replace("<defs>", f"{DARK}\n <defs>", 1), encoding="utf8")
    print(f"Figure: {path} and .pdf")


def label_lines(axes, *, gap=0.075):
    """Write the label of each line to the right of its end, in its colour and apart from others."""
    axes.figure.draw_without_rendering()  # which sets the limits of the axes
    to_axes = axes.transData + axes.transAxes.inverted()
    ends = []
    for line in axes.get_lines():
        x, y = (np.asarray(values, dtype=float) for values in line.get_data())
        there = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        if not line.get_label().startswith("_") and len(there):
            height = to_axes.transform((x[there[-1]], y[there[-1]]))[1]
            ends.append((float(np.clip(height, 0, 1)), line))
    ends.sort(key=lambda end: end[0])
    heights = np.array([height for height, _ in ends])
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    for i in range(len(heights) - 1, -1, -1):  # what was pushed above the frame goes down again
        heights[i] = min(heights[i], 1 - gap * (len(heights) - 1 - i))
    for height, (_, line) in zip(heights, ends, strict=True):
        place = {"transform": axes.transAxes, "va": "center", "fontsize": 7}
        axes.text(1.02, height, line.get_label(), color=line.get_color(), **place)
