"""Full audits, more than an hour together, on request: DXPRIVACY_FULL_AUDIT=1."""

from __future__ import annotations

import os
import time

import pytest
from audit_doubles import LIARS

from spacy_dxprivacy.lab.audit import NOT_REFUTED, REFUTED, audit

from .test_mechanisms import names, of_config

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("DXPRIVACY_FULL_AUDIT"), reason="DXPRIVACY_FULL_AUDIT"),
    pytest.mark.filterwarnings("ignore:.*DX101"),
]

RUNS = 30
LIMIT = 300  # seconds on two cores that do nothing else


@pytest.mark.parametrize("liar", sorted(LIARS))
def test_what_is_false_is_refuted_within_five_minutes(liar):
    start = time.perf_counter()
    report = audit(LIARS[liar]())
    assert report.verdict == REFUTED
    boxes = [f for f in report.findings if f.tier in ("plane", "black box", "independence")]
    assert REFUTED in {f.verdict for f in boxes}
    assert time.perf_counter() - start < LIMIT


@pytest.mark.parametrize("name", names())
def test_what_holds_is_refuted_by_no_full_audit_and_in_none_of_30_runs(name):
    mechanism = of_config(name)
    if mechanism.guarantee.status not in ("proven", "computed"):
        pytest.skip("its guarantee does not hold")
    verdicts = {audit(mechanism, effort="quick").verdict for _ in range(RUNS)}
    assert verdicts == {audit(mechanism).verdict} == {NOT_REFUTED}
