"""Audits: try to refute what a mechanism promises, and look for what a release leaks.

    print("\\n".join(audit(mechanism).lines()))

A mechanism: claims -> tiers and contest, on made-up vocabularies -> a report of findings.
A release: files -> the words of the original in them -> leaks, chance, or declared.
"""

from .files import BadFile
from .mechanism import audit
from .release import Leak, ReleaseReport, audit_release
from .report import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding, Report

__all__ = [
    "INCONCLUSIVE", "NOT_REFUTED", "REFUTED", "BadFile", "Finding", "Leak", "ReleaseReport",
    "Report", "audit", "audit_release",
]  # fmt: skip
