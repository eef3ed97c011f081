"""Audits: try to refute what a mechanism promises, and look for what a release leaks.

    print("\\n".join(audit(mechanism).lines()))

A mechanism: claims -> tiers and contest, on made-up vocabularies -> a report of findings.
A release: files -> the words of the original in them -> leaks, chance, or declared.
"""

from .claims import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding, Report
from .files import BadFile
from .mechanism import audit
from .release import Leak, ReleaseReport, audit_release

__all__ = [
    "INCONCLUSIVE", "NOT_REFUTED", "REFUTED", "BadFile", "Finding", "Leak", "ReleaseReport",
    "Report", "audit", "audit_release",
]  # fmt: skip
