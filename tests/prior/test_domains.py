"""Pairs of the package for domains: each knows text of its domain better than the others do."""

import numpy as np
import pytest

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.errors import DxError, UsageError
from spacy_dxprivacy.mechanisms.named import prior_config
from spacy_dxprivacy.prior.builtin import DOMAINS, builtin_model
from spacy_dxprivacy.prior.make import nats_of_pairs

STOP = -1
TEXTS = {
    "clinical": [
        "The patient is a young woman with a history of asthma and high blood pressure",
        "She denies any chest pain , shortness of breath or fever",
        "He was given antibiotics and will return for a follow-up visit in two weeks",
        "There is no family history of heart disease or cancer",
    ],
    "dialogues": [
        "I have a headache and I can not sleep , what should I do",
        "How long have you had it",
        "Can you help me with a letter to my landlord",
        "Yes , that sounds good , I will see you on Friday then",
    ],
}


def types_of(sentences):
    space = Space.builtin()
    types, _ = builtin_model().chain.one_state
    rows = [[space.find(word.lower()) for word in text.split()] for text in sentences]
    return np.concatenate([[*types[[r for r in some if r >= 0]], STOP] for some in rows])


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_domain_knows_its_text_better(domain):
    types = types_of(TEXTS[domain])
    nats = {k: nats_of_pairs(builtin_model(k).chain, types).mean() for k in (None, *DOMAINS)}
    assert min(nats, key=nats.get) == domain
    assert nats[None] - nats[domain] > 0.3


def test_a_space_of_ones_own_has_the_pairs_of_the_domain_that_was_asked_for():
    """Also where another domain was mapped to the same space before."""
    X = np.random.default_rng(0).normal(size=(40, 4))
    space = Space.from_vectors(Space.builtin().words[1000:1040], X)
    make = registry.dx_priors.get("dx.WordPairs.v1")
    first, again = ([make(domain=k).fit(space).digest for k in (None, *DOMAINS)] for _ in range(2))
    assert len(set(first)) == 1 + len(DOMAINS) and first == again


def test_an_error_names_all_domains():
    make = registry.dx_priors.get("dx.WordPairs.v1")
    with pytest.raises(DxError, match="clinical"):
        make(domain="klinical")
    with pytest.raises(DxError, match="left out where a path is given"):
        make(path="folder", domain="clinical")
    with pytest.raises(UsageError, match=r"clinical, .*dialogues, .*word-pairs"):
        prior_config("klinical")
