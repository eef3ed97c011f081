"""Audits: try to refute what a mechanism promises, and look for what a release leaks.

from spacy_dxprivacy.lab.audit import audit, audit_release
print("\\n".join(audit(mechanism).lines()))
"""

from .files import BadFile
from .mechanism import audit
from .release import Leak, ReleaseReport, audit_release
from .report import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding, Report

__all__ = [
    "INCONCLUSIVE",
    "NOT_REFUTED",
    "REFUTED",
    "BadFile",
    "Finding",
    "Leak",
    "ReleaseReport",
    "Report",
    "audit",
    "audit_release",
]
