"""Odds of a secret: below the bound, and exactly what an informed attacker succeeds in."""

import itertools
import json
import shlex
from pathlib import Path

import numpy as np
import pytest
import srsly
from conftest import ok, on_space, run_dx, sanitizing, without_progress
from mechanisms.found import names, settings_of
from sampler.distributions import log_q, small_mechanism, starts_of

import spacy_dxprivacy as dx
from spacy_dxprivacy.lab.aligned import aligned_words
from spacy_dxprivacy.lab.informed import InformedAttacker
from spacy_dxprivacy.lab.odds import odds
from spacy_dxprivacy.lab.variants import VariantLikelihood
from spacy_dxprivacy.sampler.sentence_level import InputRows
from spacy_dxprivacy.text.spelling import spell
from spacy_dxprivacy.ty import StatesProbabilities

MISTAKES = srsly.read_yaml(Path(__file__).with_name("mistakes.yaml"))

DRAWS = 100_000
NAMES = ("Maria", "Diana", "Paul")
WORDS = [*NAMES, "met"]
LEVELS = {
    "sentence-level": {"@dx_mechanisms": "dx.Path.v2", "epsilon": 1.2},
    "exponential": {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 0.4},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("odds") / "space"
    dx.Space.builtin().of_words(WORDS).save(path)
    return path


@pytest.mark.parametrize("mechanism", LEVELS.values(), ids=LEVELS)
def test_an_informed_attacker_succeeds_as_the_posteriors_say_and_below_the_bound(folder, mechanism):
    """The secret is mentioned twice in one sentence, and each release is read as a text."""
    nlp = sanitizing(space=on_space(folder), mechanism=mechanism)
    sanitizer = nlp.get_pipe("dx_sanitizer")
    sanitizer.warm_up()
    fitted, space, rng = sanitizer.settings.mechanism, sanitizer.space, np.random.default_rng(5)
    texts = [f"{name} met {name}" for name in NAMES]
    rows = np.stack([space.find_all(text.split()) for text in texts])
    truth = rng.integers(len(NAMES), size=DRAWS)
    starts = np.tile(np.arange(3) == 0, DRAWS)
    drawn = fitted.sample(rows[truth].ravel(), dx.Rng(seed=3), starts).rows.reshape(DRAWS, 3)
    distinct, which = np.unique(drawn, axis=0, return_inverse=True)

    def written(words):
        every = np.ones(3, dtype=bool)
        return " ".join(spell([space.words[row] for row in words], every, every)[0])

    released = [written(words) for words in distinct.tolist()]
    found = {
        (text, name): odds(original, text, name, NAMES, nlp=nlp)
        for text in set(released)
        for original, name in zip(texts, NAMES, strict=True)
    }
    posteriors = np.array([[found[text, name].posterior for name in NAMES] for text in released])
    assert np.allclose(posteriors.sum(axis=1), 1)
    bounds = np.array([found[released[0], name].bound for name in NAMES])
    assert (posteriors <= bounds + 1e-9).all() and bounds.max() < 0.999

    guess, error = posteriors.argmax(axis=1)[which.ravel()], 4 * (0.25 / DRAWS) ** 0.5
    right = guess == truth
    assert 1 / 3 + 0.02 < right.mean() < bounds.max() + error
    assert right.mean() == pytest.approx(posteriors.max(axis=1)[which.ravel()].mean(), abs=error)
    for name, bound in enumerate(bounds):
        named = right[guess == name]
        assert not len(named) or named.mean() < bound + 2 / len(named) ** 0.5


@pytest.mark.parametrize("kind", ["pairs", "pairs of types", "many words a state"])
def test_likelihoods_of_variants_are_those_of_brute_force(kind):
    """With an unknown word, and one that stays, among those that change together."""
    mechanism = small_mechanism(kind)
    chain, n = mechanism.built.chain, len(mechanism.built.kernel.graph)
    rows, fixed = np.array([0, 1, -1, 3, 2]), np.array([False, True, False, False, False])
    outputs = np.array([2, 1, 0, 4, 1])
    variants = np.repeat(rows[:, None], 3, axis=1)
    variants[0], variants[3] = [0, 2, 4], [3, 0, 1]
    text = InputRows(rows, starts_of(5), fixed)
    likelihood = VariantLikelihood(chain, mechanism.built.emissions)
    found = likelihood.of_variants(text, outputs, variants)[0]

    def weight(row, out):
        return 1.0 if row == -1 else mechanism.built.kernel.weights(row, np.array([out]))[0]

    expected = []
    for some in variants.T.tolist():
        total = 0.0
        for words in itertools.product(range(n), repeat=5):
            if words[1] == 1:
                each = [weight(some[i], words[i]) for i in (0, 2, 3, 4)]
                total += np.exp(log_q(chain, words)) * np.prod(each)
        seen = [weight(some[i], outputs[i]) for i in (0, 3)]
        expected.append(np.log(seen).sum() - np.log(total))
    assert np.allclose(found - found[0], np.array(expected) - expected[0], atol=1e-5)


NOTES = [
    {"text": "Maria met Paul, and Maria's doctor met Zorblattovich in Boston."},
    {"text": "The nurse saw Diana on Monday. Diana has a cough."},
    {"text": "Nobody was seen here."},
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odds")
    srsly.write_jsonl(folder / "notes.jsonl", NOTES)
    (folder / "names.txt").write_text("Diana\nPaul\nMaria\nAnna\n")
    (folder / "full.txt").write_text("Diana\nPaul Smith\n")
    (folder / "unknown.txt").write_text("Diana\nZorblattovich\n")
    (folder / "short.jsonl").write_text('{"text": "Maria met Paul."}\n' * 3)
    for name in ("clean.jsonl", "clean.spacy"):
        command = f"sanitize {folder}/notes.jsonl {folder}/{name} --keep-fields none -q"
        ok(run_dx(*command.split(), "--receipt", f"{folder}/{name}.json"))
    return folder


def run(files, options):
    options = options.replace("@", f"{files}/")
    return run_dx("odds", f"{files}/notes.jsonl", *shlex.split(options))


@pytest.mark.parametrize("name", ["clean.jsonl", "clean.spacy"])
def test_the_command_says_what_python_says(files, name):
    texts = [note["text"] for note in NOTES]
    receipt = "" if name.endswith(".spacy") else f"--receipt @{name}.json"
    done = ok(run(files, f"@{name} --secret Maria --among @names.txt {receipt} --json"))
    (found,) = json.loads(done.stdout)["odds"]
    assert (found["mentions"], found["among"]) == (2, 4)
    assert 1 / 4 < found["bound"] < 1 and 0 < found["posterior"] <= found["bound"]
    if name.endswith(".jsonl"):
        release = json.loads((files / name).read_text().splitlines()[0])["text"]
        again = odds(texts[0], release, "Maria", ["Anna", "Paul", "Diana"])
        assert again.posterior == pytest.approx(found["posterior"], rel=1e-6)
        assert again.bound == pytest.approx(found["bound"])
    elsewhere = run(files, "--secret Maria --json").stdout
    assert json.loads(elsewhere)["odds"][0]["posterior"] is None


def test_entities_are_secrets_of_their_records(files):
    done = run(files, "@clean.jsonl --receipt @clean.jsonl.json --secrets entities --json")
    found = json.loads(done.stdout)
    secrets = {one["secret"]: one for one in found["odds"]}
    assert secrets["Diana"]["mentions"] == 2 and secrets["Diana"]["record"] == 2
    assert secrets["Boston"]["among"] == 100


@pytest.mark.parametrize("options, message", MISTAKES["odds"])
def test_a_mistake_is_a_sentence_without_the_secret(files, options, message):
    done = run(files, options)
    assert done.exit_code == 2 and message in done.stderr
    assert not done.stdout and len(without_progress(done.stderr)) == 1
    assert not [word for word in ("Maria", "Walter", "Zorblattovich") if word in done.stderr]


def test_words_of_the_release_are_read_through_its_spelling():
    """Contractions, capitals and words that would run together, in many draws."""
    text = "I don't know; she's said \"we can't\" (Maria-Anna/Paul). An hour... it'll\ngo."
    nlp = sanitizing(seed=0)
    attacker = InformedAttacker(nlp)
    seen = attacker.read(text)
    for released in nlp.pipe([text] * 200):
        tokens = aligned_words(seen.doc, seen.drawn, released.text)
        assert tokens == [token.text for token in released]
        for place in np.flatnonzero(seen.drawn).tolist():
            if tokens[place] != "[REDACTED]":
                assert attacker.spelling_inverse.rows(tokens, place)


@pytest.mark.filterwarnings("ignore:.*DX101")
@pytest.mark.parametrize("name", names())
def test_every_mechanism_states_the_worst_case_and_a_posterior_or_why_not(folder, name):
    mechanism = {"@dx_mechanisms": name, **settings_of(name)}
    nlp = sanitizing(space=on_space(folder), mechanism=mechanism)
    text = "met Maria met Maria"
    guarantee = nlp.get_pipe("dx_sanitizer").terms.guarantee
    found = odds(text, nlp(text), "Maria", NAMES, nlp=nlp)
    assert 1 / 3 - 1e-9 <= found.bound <= 1 and found.mentions == 2
    if guarantee.kind != "metric-dp" and not guarantee.delta:
        assert found.bound > 0.4
    fitted = nlp.get_pipe("dx_sanitizer").settings.mechanism
    assert (found.posterior is not None) == isinstance(fitted, StatesProbabilities)
    if found.posterior is not None and not guarantee.delta:
        assert found.posterior <= found.bound + 1e-9


def test_a_mention_in_plaintext_is_certain(folder):
    block = {"selector": {"@dx_selectors": "dx.WordList.v1", "words": ["met"]}}
    nlp = sanitizing(space=on_space(folder), mechanism=LEVELS["sentence-level"], **block)
    found = odds("Maria met Paul", nlp("Maria met Paul"), "Maria", NAMES, nlp=nlp)
    assert (found.bound, found.posterior) == (1, 1)
