"""A page that shows what sanitising did to texts: for the one who holds the originals.

files (reading) -> pairs (which word became which) -> metrics, labels -> plots, plain -> page
"""

from .accounts import Account, read_receipt, receipts_of
from .files import Source, plan_sources, read_pairs
from .metrics import Utility, utility_of
from .page import Contents, make_report, render
from .pairs import Pair, Token, make_pair

Report = Contents  # as it was called first; the report of an audit is another

__all__ = [
    "Account", "Contents", "Pair", "Report", "Source", "Token", "Utility", "make_pair",
    "make_report", "plan_sources", "read_pairs", "read_receipt", "receipts_of", "render",
    "utility_of",
]  # fmt: skip
