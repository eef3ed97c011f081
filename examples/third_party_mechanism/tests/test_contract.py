"""All that a mechanism owes to those who use it, in one line."""

from spacy_dxprivacy.testing import mechanism_contract

test_contract = mechanism_contract("example.RandomizedResponse.v1", {"epsilon": 4.0})
