"""Tests (pytest) that every mechanism has to pass, for authors of mechanisms.

from spacy_dxprivacy.testing import mechanism_contract

test_contract = mechanism_contract("my.Mechanism.v1", {"epsilon": 2.0})
"""

from .contract import CLAUSES, Case, mechanism_contract, small_space

__all__ = ["CLAUSES", "Case", "mechanism_contract", "small_space"]
