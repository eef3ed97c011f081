"""Audits of every mechanism in configs/, one after another: a table of verdicts.

    python benchmarks/audits.py                                  # quick ones, to the terminal
    python benchmarks/audits.py --effort full --out docs/audits/verdicts.json     # an hour or two

With --out each row is written as soon as it is there, in place of that of an earlier run. --effort:
quick, medium (a minute each) or full. --only NAME: one config.
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figures import write_result

from spacy_dxprivacy import registry
from spacy_dxprivacy.lab.audit import Report, audit
from spacy_dxprivacy.lab.audit.mechanism import EFFORTS, mechanism_of
from spacy_dxprivacy.space.sources import load
from spacy_dxprivacy.ty import Mechanism

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
PATH = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 0.9, "prior": {"@dx_priors": "dx.Uniform.v1"}}
COLUMNS = [
    "config", "mechanism", "epsilon", "status", "verdict", "effort",
    "largest exact loss of the promised one, nats", "samples",
]  # fmt: skip
EXACT = ("exact", "closed form", "sentences")  # tiers that state the loss itself
ABOUT = {
    "command": "python benchmarks/audits.py --effort full --out docs/audits/verdicts.json",
    "settings": {"component": {"factory": "dx_sanitizer"}},
    "data": "Vocabularies of 12 words in the plane and of 2,000 in 50 dimensions, and sentences "
    "of the built-in space.",
    "attacker": "sees samples, and exact probabilities where the mechanism states them",
}


@dataclass(frozen=True)
class Case:
    """One row. config: of configs/. settings: in place of those there. space: one more, for exact
    tiers: policies are about English words, and the audit's own words are none."""

    config: str
    settings: dict[str, Any] = field(default_factory=dict)
    space: str | None = None

    @property
    def name(self) -> str:
        told = [f"{name} {value}" for name, value in self.settings.items()]
        return ", ".join([self.config, *told, *([self.space] if self.space else [])])

    def mechanism(self) -> Mechanism:
        if "policy" not in self.settings:
            path = CONFIGS / f"{self.config}.cfg"
            return mechanism_of(path, epsilon=self.settings.get("epsilon"))
        return registry.resolve({"m": {**PATH, **self.settings}})["m"]


def cases() -> list[Case]:
    """Each config; dx.Path.v2 once with words drawn alone, as audits try words one by one, and once
    as it is, whole sentences."""
    path = [
        Case("path_v2", {"policy": "plain"}),
        Case("path_v2", {"policy": "general"}, "builtin"),
        Case("clinical", {"policy": "clinical"}, "builtin"),
    ]
    sentences = [Case("path_v2"), Case("clinical")]  # as they are; entities.cfg: as path_v2.cfg
    apart = {"path_v2", "clinical", "entities"}
    others = [Case(f.stem) for f in sorted(CONFIGS.glob("*.cfg")) if f.stem not in apart]
    # Where the epsilon of the config is too large for draws to tell: the same at a smaller one.
    smaller = [Case(name, {"epsilon": 2.0}) for name in ("clipped_laplace", "gaussian", "nadp")]
    return others + smaller + path + sentences


def row(case: Case, effort: str) -> list[str]:
    mechanism = case.mechanism()
    report = audit(mechanism, effort=effort, space=case.space and load(case.space))
    states, epsilon = mechanism.guarantee.status, mechanism.guarantee.epsilon
    samples = sum(f.draws for f in report.findings)
    cells = [case.name, mechanism.name, f"{epsilon:g}", states, report.verdict]
    return [*cells, effort, _losses(report), f"{samples:,}"]


def _losses(report: Report) -> str:
    """Return the losses that the exact tiers computed, of what is promised."""
    exact = [f for f in report.findings if f.tier in EXACT and f.bound and f.claimed]
    return ", ".join(f"{f.bound:.3g} of {f.claimed:.3g}" for f in exact)


def put(path: Path, row: list[str]) -> None:
    """Write a row into a result file, and into the page that shows it."""
    text = path.read_text(encoding="utf8") if path.exists() else '{"rows": []}'
    rows = {old[0]: old for old in json.loads(text)["rows"]} | {row[0]: row}
    ordered = [rows[case.name] for case in cases() if case.name in rows]
    write_result(path, **ABOUT, columns=COLUMNS, rows=ordered)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", choices=EFFORTS, default="quick")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(line(COLUMNS), line(["---"] * len(COLUMNS)), sep="\n")
    for case in cases():
        if args.only in ("", case.config):
            cells = row(case, args.effort)
            print(line(cells), flush=True)
            if args.out is not None:
                put(args.out, cells)


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
