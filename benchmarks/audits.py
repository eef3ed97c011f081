"""Audits of every registered mechanism, one after another: a table of verdicts.

    python benchmarks/audits.py [--full] [--only dx.Laplace.v1] > verdicts.md

Each is made from its file in configs/. A full audit takes minutes; all of them take hours.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

from spacy_dxprivacy import DxError
from spacy_dxprivacy.audit import audit
from spacy_dxprivacy.audit.given import mechanism_of
from spacy_dxprivacy.errors import UsageError
from spacy_dxprivacy.ty import Mechanism

CONFIGS = Path(__file__).resolve().parent.parent / "configs"


def mechanisms() -> dict[str, Mechanism]:
    """By registered name, as the first config that has one makes it."""
    found: dict[str, Mechanism] = {}
    for path in sorted(CONFIGS.glob("*.cfg")):
        try:
            mechanism = mechanism_of(path)
        except (UsageError, DxError):
            continue
        found.setdefault(mechanism.name, mechanism)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| mechanism | epsilon | states | verdict | by tier | seconds |")
    print("| --- | --: | --- | --- | --- | --: |")
    for name, mechanism in sorted(mechanisms().items()):
        if args.only not in ("", name):
            continue
        start = time.perf_counter()
        report = audit(mechanism, effort="full" if args.full else "quick")
        tiers = ", ".join(f"{f.tier}: {f.verdict}" for f in report.findings)
        states, epsilon = mechanism.guarantee.status, mechanism.guarantee.epsilon
        seconds = time.perf_counter() - start
        row = [name, f"{epsilon:g}", states, f"**{report.verdict}**", tiers, f"{seconds:.0f}"]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
