"""Writes docs/reference/mechanisms.md from the code: python scripts/document_mechanisms.py

Each mechanism is documented by its own module; this puts them side by side.
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacy.util import load_config

from spacy_dxprivacy import DxWarning, registry

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "reference" / "mechanisms.md"
CONFIGS = ROOT / "configs"

INTRODUCTION = """\
# The mechanisms, and the guarantee that each really has

<!-- Written by scripts/document_mechanisms.py from the code. Edit the docstrings there. -->

A mechanism takes words of a public space and gives words of it. Those that add noise to the word's
vector then project it with a rule (`@dx_projections`), which is post-processing and free; those
that choose a word know the exact probability of each. [`configs/`](../../configs) has a complete
config for every one.

- **metric-dp**: the probabilities of any output of two words at distance *d* differ by a factor of
  exp(epsilon *d*) at most. Epsilon is nats per unit of the named distance.
- **approx-dp**: they differ by a factor of exp(epsilon) at most, but for outputs of probability
  delta. Epsilon is nats.
- **proven**: there is a proof, and it is right. **computed**: it was computed on the very space.
  **refuted**: what is claimed in print does not hold; such a mechanism warns when it is made, and
  is here to study the papers.
"""


def main() -> None:
    OUT.write_text(page(), encoding="utf8")
    print(f"written: {OUT.relative_to(ROOT)}")


def page() -> str:
    makers = ours(registry.dx_mechanisms)
    rules = ours(registry.dx_projections)
    return "\n".join(
        [
            INTRODUCTION,
            "| mechanism | guarantee | covers | status |",
            "| --- | --- | --- | --- |",
            *(row(name, make) for name, make in makers.items()),
            "\nThe dx.TruncatedLaplace.v1 and dx.NADP.v1 of this table are the sound ones, their "
            'defaults; see below for `calibration = "paper"` and `noise = "paper"`.\n',
            *(section(name, make) for name, make in makers.items()),
            "## Rules from noisy vector to word\n",
            *(section(name, make, level=3) for name, make in rules.items()),
        ]
    )


def ours(some: Any) -> dict[str, Callable[..., Any]]:
    return {name: make for name, make in sorted(some.get_all().items()) if name.startswith("dx.")}


def row(name: str, make: Callable[..., Any]) -> str:
    g = example(name, make).guarantee
    what = f"{g.kind}, {g.metric}" if g.metric not in ("", "discrete") else g.kind
    return f"| [`{name}`](#{anchor(name)}) | {what} | {g.adjacency or 'no pair'} | {g.status} |"


def example(name: str, make: Callable[..., Any]) -> Any:
    """Made with its defaults; what has none is taken from its config."""
    wanted = [p.name for p in inspect.signature(make).parameters.values() if p.default is p.empty]
    given = settings_of(name) if wanted else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        return make(**{name: given[name] for name in wanted})


def settings_of(name: str) -> dict[str, Any]:
    """Of the first config in configs/ that has it, without its parts."""
    for path in sorted(CONFIGS.glob("*.cfg")):
        for component in load_config(path)["components"].values():
            block = component.get("mechanism", {})
            if block.get("@dx_mechanisms") == name:
                plain = block.items()
                return {k: v for k, v in plain if k[0] != "@" and not isinstance(v, dict)}
    return {}


def section(name: str, make: Callable[..., Any], level: int = 2) -> str:
    module = inspect.getdoc(sys.modules[make.__module__]) or ""
    title, _, body = module.partition("\n")
    settings = ", ".join(
        f"{p.name}" if p.default is p.empty else f"{p.name} = {literal(p.default)}"
        for p in inspect.signature(make).parameters.values()
    )
    return (
        f"{'#' * level} {name}\n\n{title}\n\n```text\n{body.strip()}\n```\n\n"
        f"Settings: `{settings or 'none'}`. {prose(inspect.getdoc(make) or '')}\n"
    )


def literal(value: object) -> str:
    return {None: "null", True: "true", False: "false"}.get(value, repr(value))  # type: ignore[call-overload,no-any-return]


def prose(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


def anchor(name: str) -> str:
    return name.lower().replace(".", "")


if __name__ == "__main__":
    main()
