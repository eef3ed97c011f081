"""Words that demean never come out, and the guarantee holds for what does."""

from pathlib import Path

import numpy as np
import pytest
import srsly
from conftest import on_space, sanitizing

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.about import DATA
from spacy_dxprivacy.space import blocked
from spacy_dxprivacy.space.blocked import substitutes_of

EXAMPLES = Path(__file__).parents[2] / "examples"
BAD = ["wench", "morons", "Infidels", "imbecile"]
WORDS = ["woman", "people", "believers", "patient", "the", "house", *BAD]
NOISE = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 1e-3}  # nearly uniform


@pytest.fixture(scope="module")
def space():
    return Space.from_vectors(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 4)))


@pytest.fixture(scope="module")
def make(space, tmp_path_factory):
    path = tmp_path_factory.mktemp("offensive") / "space"
    space.save(path)

    def make(unknown="dx.RandomWord.v1", **settings):
        block = {"@dx_unknowns": unknown}
        return sanitizing(mechanism=NOISE, space=on_space(path, **settings), unknown=block)

    return make


def test_whatever_came_in_none_of_them_comes_out(make):
    for word in ("wench", "house", "Zorblattovich"):  # the last is unknown: a random word
        out = {token.lower_ for token in make()(f"{word} " * 2000) if token.is_alpha}
        assert len(out) == len(WORDS) - len(BAD) and not out & {bad.lower() for bad in BAD}
    out = {token.lower_ for token in make(exclude=["house"])("the " * 2000) if token.is_alpha}
    assert "wench" in out and "house" not in out  # a list of one's own is the only one
    assert make("dx.Redact.v1")("wench")._.dx.perturbed == 1  # not told apart as unknown


def test_the_guarantee_holds_for_what_comes_out(space):
    mechanism = registry.resolve({"m": {**NOISE, "epsilon": 3.0}})["m"]
    mechanism.fit(space)
    rows = np.arange(len(space))
    P, D = mechanism.distribution(rows), mechanism.distances(rows)
    instead = substitutes_of(space)
    become = np.array([space.find(instead.get(word, word)) for word in space.words])
    Q = np.zeros_like(P)
    np.add.at(Q.T, become, P.T)
    out = [space.find(word) for word in WORDS if word not in BAD]
    assert not Q[:, [space.find(word) for word in BAD]].any()
    losses = np.abs(np.log(Q[:, None, out] / Q[None, :, out])).max(axis=2)
    assert (losses <= 3.0 * D + 1e-9).all()


@pytest.mark.parametrize("most", [2**25, 0])
def test_what_comes_out_in_their_place_is_none(space, monkeypatch, most):
    monkeypatch.setattr(blocked, "MAX_NUMBERS", most)
    found = dict(substitutes_of(space))
    assert set(found) == set(BAD) and not set(found.values()) & set(BAD)


def test_indecent_words_never_come_out_and_those_of_medicine_and_law_do():
    instead = substitutes_of(Space.builtin())
    for word in ["sexy", "scum", "nude", "pimp", "poop", "vulgar", "fetish"]:
        assert word in instead and instead[word] not in instead
    assert not instead.keys() & {"breast", "Essex", "suck", "peel", "lay", "arrest", "attack"}


KINDS = {
    "violence": "kill killed murder stabbed shooting gun bomb terrorist suicide torture",
    "sex": "rape raped sex sexual heterosexual gay prostitute penis orgasm",
    "crime": "criminal thief theft stole robbery fraud cocaine heroin prison kidnapped",
    "insult": "stupid liar fool idiot ugly pathetic crazy disgusting coward racist",
}


@pytest.mark.parametrize("kind", KINDS)
def test_words_of_violence_sex_crime_and_insult_never_come_out(kind):
    instead = substitutes_of(Space.builtin())
    assert set(KINDS[kind].split()) <= instead.keys()
    assert not set(instead.values()) & instead.keys()
    sections = (DATA / "harmful.txt").read_text(encoding="utf8").split("\n\n")
    assert any(section.startswith(f"# {kind}") for section in sections)


def releases_of_the_examples(nlp, count):
    """Yield the words of releases of the texts of the examples."""
    texts = [path.read_text(encoding="utf8") for path in sorted(EXAMPLES.glob("*.txt"))]
    texts += [row["text"] for row in srsly.read_jsonl(EXAMPLES / "tickets.jsonl")]
    for doc in nlp.pipe(texts[i % len(texts)] for i in range(count)):
        yield {token.text for token in doc}


@pytest.mark.parametrize(
    "count", [40, pytest.param(1000, marks=pytest.mark.slow)], ids=["quick", "slow"]
)
def test_releases_of_the_examples_hold_none(count):
    nlp = sanitizing()
    blocked = set(substitutes_of(Space.builtin()))
    for words in releases_of_the_examples(nlp, count):
        assert not words & blocked
