"""Audits: try to refute the guarantee of a mechanism, and search a release for leaks.

    print("\\n".join(audit(mechanism).lines()))

A mechanism: claims -> tiers and contest, on synthetic vocabularies -> a report of findings.
A release: files -> words of the original in them -> leaked, declared, or by chance.
"""

from .claims import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding, Report
from .files import BadFile
from .mechanism import audit
from .release import Leak, ReleaseReport, audit_release

__all__ = [
    "INCONCLUSIVE", "NOT_REFUTED", "REFUTED", "BadFile", "Finding", "Leak", "ReleaseReport",
    "Report", "audit", "audit_release",
]  # fmt: skip
