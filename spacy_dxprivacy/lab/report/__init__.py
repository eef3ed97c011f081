"""A page for the owner of the texts that shows what sanitising did to them.

pairs (aligned tokens) and receipts (in plain words) -> metrics, measure -> page
"""

from .measure import Measured
from .metrics import Utility, utility_of
from .page import Request, measure_files, page_of_files, statement_of_files
from .pairs import Pair, Source, Token, make_pair, plan_sources, read_pairs
from .receipts import Account, read_receipt, receipts_of

__all__ = [
    "Account", "Measured", "Pair", "Request", "Source", "Token", "Utility", "make_pair",
    "measure_files", "page_of_files", "plan_sources", "read_pairs", "read_receipt", "receipts_of",
    "statement_of_files", "utility_of",
]  # fmt: skip
