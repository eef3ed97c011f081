"""Kinds of tokens are compared by membership in sets, never by the order of their values."""

import numpy as np
import pytest

from spacy_dxprivacy.pipeline import kinds
from spacy_dxprivacy.pipeline.kinds import Kind, of_kind

SETS = [value for value in vars(kinds).values() if isinstance(value, frozenset)]


@pytest.mark.parametrize("wanted", [*Kind, *SETS], ids=str)
def test_tokens_of_a_kind_are_those_whose_kind_is_a_member(wanted):
    members = wanted if isinstance(wanted, frozenset) else {wanted}
    tokens = np.array([*Kind, *reversed(Kind)])
    assert of_kind(tokens, wanted).tolist() == [kind in members for kind in tokens.tolist()]
    assert of_kind(tokens[:0], wanted).dtype == np.bool_
