"""Run the cells of examples/tour.ipynb, and write what they print into it.

    python scripts/notebook.py

A test runs them, too, and compares. The seeds in the cells make that possible.
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any
from unittest import mock

PATH = Path(__file__).parents[1] / "examples" / "tour.ipynb"


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the outputs of each cell of code: what it prints, and what displaCy shows."""
    from spacy import displacy

    names, outputs = {"__name__": "__main__"}, []
    render = displacy.render
    for number, cell in enumerate(cells(notebook), 1):
        printed, shown = io.StringIO(), list[str]()

        def keep(doc: Any, shown: list[str] = shown, **settings: Any) -> None:
            shown.append(render(doc, **settings, jupyter=False))

        code = compile("".join(cell["source"]), f"cell {number}", "exec")
        with contextlib.redirect_stdout(printed), mock.patch.object(displacy, "render", keep):
            exec(code, names)  # noqa: S102
        streams = [printed.getvalue()] if printed.getvalue() else []
        outputs.append(
            [
                *({"name": "stdout", "output_type": "stream", "text": lines(text)}
                  for text in streams),
                *({"output_type": "display_data", "metadata": {},
                   "data": {"text/html": lines(html), "text/plain": ["<HTML>"]}} for html in shown),
            ]
        )  # fmt: skip
    return outputs


def cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells of code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def lines(text: str) -> list[str]:
    """Return a text as a notebook keeps it."""
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    notebook = json.loads(PATH.read_text(encoding="utf8"))
    for number, (cell, outputs) in enumerate(zip(cells(notebook), run(notebook), strict=True), 1):
        cell |= {"outputs": outputs, "execution_count": number}
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    PATH.write_text(f"{text}\n", encoding="utf8")
