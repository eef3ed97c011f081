"""Computes the graph of words that dx.Path.v1 uses on the built-in space, and puts it beside it.

    python scripts/build_builtin_graph.py [--out FOLDER]

It takes a minute of one core. Run it again whenever the built-in space changes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from spacy_dxprivacy import Space
from spacy_dxprivacy.metric.word_graph import build
from spacy_dxprivacy.space import BUILTIN, learned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=BUILTIN / "graph")
    out = parser.parse_args().out
    learned.write(build(Space.builtin()), out)


if __name__ == "__main__":
    main()
