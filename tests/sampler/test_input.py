"""What cannot be drawn is refused in one sentence, before anything is drawn."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng

from .distributions import small_mechanism, starts_of

ROWS = np.array([0, 1, 2])


def test_a_text_begins_with_a_sentence():
    with pytest.raises(DxError, match="starts must be True for the first word"):
        small_mechanism("pairs").sample(ROWS, Rng(seed=0), np.array([False, True, False]))


def test_a_word_that_stays_has_to_be_known():
    with pytest.raises(DxError, match="fixed must be False for words that the space lacks"):
        small_mechanism("pairs").sample(
            np.array([0]),
            Rng(seed=0),
            starts_of(1),
            fixed=np.array([True]),
            unknown=np.array([True]),
        )


@pytest.mark.parametrize("candidates", [np.arange(3), np.zeros((2, 2), dtype=int)])
def test_candidates_of_a_wrong_shape(candidates):
    with pytest.raises(DxError, match="candidates must be"):
        small_mechanism("pairs").log_likelihood(ROWS, ROWS, starts_of(3), candidates=candidates)


def test_nothing_is_drawn_for_no_words():
    drawn = small_mechanism("pairs").sample(
        np.zeros(0, dtype=np.int64), Rng(seed=0), np.zeros(0, dtype=bool)
    )
    assert drawn.rows.shape == (0,)
