"""Audits of every mechanism in configs/, one after another: a table of verdicts.

    python benchmarks/audits.py                                  # quick ones, to the terminal
    python benchmarks/audits.py --effort full --page docs/audits.md     # an hour or two

With --page each row is written as soon as it is there, and those that the page has at that effort
or a larger one are not made again (--again), so that a run that was stopped goes on. --effort:
quick, medium (a minute each) or full. --only NAME: one config.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spacy_dxprivacy import registry
from spacy_dxprivacy.lab.audit import NOT_REFUTED, audit
from spacy_dxprivacy.lab.audit.mechanism import EFFORTS, mechanism_of
from spacy_dxprivacy.lab.audit.report import Report
from spacy_dxprivacy.spaces import load
from spacy_dxprivacy.ty import Mechanism

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
PATH = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 0.9, "prior": {"@dx_priors": "dx.Uniform.v1"}}
HEAD = (
    "| config | mechanism | epsilon | states | verdict | effort | by tier | sees to | draws |\n"
    "| --- | --- | --: | --- | --- | --- | --- | --: | --: |"
)
EXACT = ("exact", "closed form", "sentences")  # tiers that state the loss itself
BEGIN, END = "<!-- rows: benchmarks/audits.py -->", "<!-- end of rows -->"


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
            return mechanism_of(
                CONFIGS / f"{self.config}.cfg", epsilon=self.settings.get("epsilon")
            )
        made: Mechanism = registry.resolve({"m": {**PATH, **self.settings}})["m"]
        return made


def cases() -> list[Case]:
    """Each config; dx.Path.v2 once with words drawn alone, as audits try words one by one, and once
    as it is, whole sentences."""
    path = [
        Case("path_v2", {"policy": "plain"}),
        Case("path_v2", {"policy": "plain", "even": True, "epsilon": 1.6}),
        Case("path_v2", {"policy": "general"}, "builtin"),
        Case("clinical", {"policy": "clinical"}, "builtin"),
    ]
    sentences = [Case("path_v2"), Case("clinical")]  # as they are; entities.cfg: as path_v2.cfg
    apart = {"path_v2", "path_v2_even", "clinical", "entities"}
    others = [Case(f.stem) for f in sorted(CONFIGS.glob("*.cfg")) if f.stem not in apart]
    # Where the epsilon of the config is too large for draws to tell: the same at a smaller one.
    smaller = [Case(name, {"epsilon": 2.0}) for name in ("clipped_laplace", "gaussian", "nadp")]
    return others + smaller + path + sentences


def row(case: Case, effort: str) -> str:
    mechanism = case.mechanism()
    report = audit(mechanism, effort=effort, space=case.space and load(case.space))
    states, epsilon = mechanism.guarantee.status, mechanism.guarantee.epsilon
    draws = sum(f.draws for f in report.findings)
    cells = [case.name, mechanism.name, f"{epsilon:g}", states, f"**{report.verdict}**"]
    cells += [effort, _tiers(report), _sees(report), f"{draws:,}"]
    return f"| {' | '.join(cells)} |"


def _tiers(report: Report) -> str:
    """Those that said something, with what the exact ones found of what is promised."""
    told = []
    for finding in report.findings:
        share = ""
        if (
            finding.tier in ("exact", "closed form", "sentences")
            and finding.bound
            and finding.claimed
        ):
            share = f" {finding.bound:.3g} of {finding.claimed:.3g}"
        said = "" if finding.verdict == NOT_REFUTED else f" ({finding.verdict})"
        told.append(f"{finding.tier}{share}{said}")
    return ", ".join(told)


def _sees(report: Report) -> str:
    """The largest loss, in nats, that the black boxes can see with their draws."""
    found = [re.search(r"Losses above ([\d.]+) nats", f.what) for f in report.findings]
    return max((match[1] for match in found if match), default="")


class Page:
    """A page of the docs with rows between two marks. Raises SystemExit where there are none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = path.read_text(encoding="utf8")
        self.before, mark, rest = text.partition(BEGIN)
        middle, end, self.after = rest.partition(END)
        if not mark or not end:
            raise SystemExit(f"{path}: the marks {BEGIN} and {END} are not there.")
        found = [line for line in middle.splitlines() if line.startswith("| ")][2:]
        self.rows = {line.split(" | ")[0].removeprefix("| "): line for line in found}

    def put(self, name: str, line: str) -> None:
        self.rows[name] = line
        order = {case.name: place for place, case in enumerate(cases())}
        kept = sorted((n for n in self.rows if n in order), key=lambda n: order[n])
        table = "\n".join([HEAD, *(self.rows[n] for n in kept)])
        text = f"{self.before}{BEGIN}\n\n{table}\n\n{END}{self.after}"
        self.path.write_text(text, encoding="utf8")


def wanted(only: str, page: Page | None, least: str) -> Iterator[Case]:
    """least: the effort that a row of the page has to have, to be left as it is; "" for none."""
    efforts = list(EFFORTS)
    for case in cases():
        line = page.rows.get(case.name, "") if page is not None and least else ""
        reached = next((place for place, e in enumerate(efforts) if f" | {e} | " in line), -1)
        if only in ("", case.config) and (not least or reached < efforts.index(least)):
            yield case


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", choices=EFFORTS, default="quick")
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--again", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    page = None if args.page is None else Page(args.page)
    print(HEAD)
    for case in wanted(args.only, page, "" if args.again else args.effort):
        line = row(case, args.effort)
        print(line, flush=True)
        if page is not None:
            page.put(case.name, line)


if __name__ == "__main__":
    main()
