"""A report for the owner of the texts: pairs (aligned tokens), receipts -> measure -> page."""

from .measure import Measured, Release, Request
from .page import page_of, read_release
from .pairs import Pair, make_pair, utility_of
from .receipts import Releases, read_receipt

__all__ = [
    "Measured",
    "Pair",
    "Release",
    "Releases",
    "Request",
    "make_pair",
    "page_of",
    "read_receipt",
    "read_release",
    "utility_of",
]  # fmt: skip
