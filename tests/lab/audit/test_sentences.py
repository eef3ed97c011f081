"""Audits of long sentences: honest mechanisms stand, others are refuted or inconclusive."""

from dataclasses import replace

import pytest
from sampler.distributions import KINDS, small_mechanism, small_space

from spacy_dxprivacy.lab.audit import INCONCLUSIVE, NOT_REFUTED, REFUTED
from spacy_dxprivacy.lab.audit.claims import Claim, claim_of
from spacy_dxprivacy.lab.audit.tiers import SENTENCE_WORDS, AuditTrial, Effort, sentences
from spacy_dxprivacy.ty import Facts

WORDS_OF_SPACE = 12


def audited(mechanism, *, share=1.0, seed=1, pairs=8, repeats=5):
    space = small_space(WORDS_OF_SPACE)
    claim = claim_of(mechanism, space)
    less = Claim(0.0, lambda rows: share * claim.of_rows(rows))
    effort = Effort((0, 0, 0), (0, 0, 0), 0, (pairs, repeats))
    return sentences(AuditTrial(mechanism, less, space, effort, seed))


class DrawsAnother:
    facts = Facts(draws_sentences=True)

    def __init__(self, stated, drawn):
        self.sample, self.log_likelihood = drawn.sample, stated.log_likelihood
        self.distances, self.guarantee = stated.distances, stated.guarantee


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "alone"])
def test_a_law_that_keeps_its_promise_is_not_refuted(kind):
    mechanism = small_mechanism(kind, WORDS_OF_SPACE)
    found = audited(mechanism)
    assert found.verdict == NOT_REFUTED and found.bound <= found.claimed
    assert found.draws == 2 * 8 * 5 and f"{SENTENCE_WORDS} words" in found.what


def test_less_than_what_is_lost_is_refuted():
    mechanism = small_mechanism("pairs", WORDS_OF_SPACE)
    found = audited(mechanism, share=0.25)
    assert found.verdict == REFUTED and found.bound > found.claimed
    alone = DrawsAnother(mechanism, mechanism)
    alone.facts = Facts()
    assert audited(alone) is None


def test_a_range_of_sentences_that_is_stated_too_small_is_refuted():
    mechanism = small_mechanism("pairs", WORDS_OF_SPACE)
    mechanism.guarantee = replace(mechanism.guarantee, loss_range=0.25)
    found = audited(mechanism, repeats=40)
    assert found.verdict == REFUTED and "loss_range" in found.what and found.bound > found.claimed
    mechanism.guarantee = replace(mechanism.guarantee, loss_range=1.0)
    assert audited(mechanism, repeats=40).verdict == NOT_REFUTED


@pytest.mark.slow
@pytest.mark.parametrize("beta", [0.3, 1.2])
def test_draws_of_another_law_than_the_stated_one_are_told(beta):
    stated, drawn = (small_mechanism("pairs", WORDS_OF_SPACE, b) for b in (0.7, beta))
    found = audited(DrawsAnother(stated, drawn), repeats=120)
    assert found.verdict == INCONCLUSIVE and "do not follow" in found.what
