"""Training a prior: counts by hand, files, and what users read."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import srsly
from sampler.distributions import moves

from spacy_dxprivacy import DxError, UsageError
from spacy_dxprivacy.prior.make import (
    STOP,
    collect,
    count_pairs,
    discounts,
    make_prior,
    nats_of_pairs,
    pairs_model,
    pruned,
    vocabulary,
)
from spacy_dxprivacy.prior.registered import make_word_frequency, make_word_pairs

from .conftest import weight

SCRIPT = Path(__file__).parents[2] / "scripts" / "train_prior.py"
LINES = ["The dog ran.", "The dog sat; the cat ran!", "The cat, the dog (ran)?"]
D = (0.5, 0.5, 2.0)  # of pairs seen once, twice, more often: four, two and three of them


@pytest.fixture(scope="module")
def text():
    """A thousand sentences of a model of pairs."""
    rng = np.random.default_rng(3)
    nouns, verbs = ["dog", "cat", "doctor", "nurse", "man"], ["ran", "sat", "slept", "spoke"]
    return [
        f"the {nouns[a]} {verbs[b]}." for a, b in zip(
            rng.choice(5, 1000, p=[0.4, 0.3, 0.1, 0.1, 0.1]), rng.choice(4, 1000), strict=True
        )
    ]  # fmt: skip


def test_texts_are_cut_by_their_layout():
    corpus = collect([*LINES, "don't\nstop", "...", "— !?", ""])
    ids = corpus.ids.tolist()
    words = " ".join("|" if i == STOP else corpus.words[i] for i in ids)
    assert words == (
        "the dog ran | the dog sat | the cat ran | the cat the dog ran | do n't | stop |"
    )


def counted():
    corpus = collect(LINES)
    vocab = vocabulary(corpus, 10)
    return vocab, count_pairs(corpus, vocab)


def test_probabilities_are_those_of_kneser_ney_by_hand():
    vocab, counts = counted()
    assert discounts(counts.count) == pytest.approx(D)
    assert discounts(np.array([1, 1, 2])) == pytest.approx([0.75] * 3)  # too few to tell
    chain = pairs_model(counts, vocab.types, 100, "hand").chain
    the, dog, ran, cat = (vocab.types.index(w) for w in ("the", "dog", "ran", "cat"))
    # Of 9 different pairs, dog follows 1 kind of word, ran 2, the 2, cat 1, sat 1, ends 2.
    back = (D[1] + D[0]) / 3
    goes_on = 1 - back * 2 / 9  # no end was seen, it comes by back-off
    expected = (2 - D[1]) / 3 + back * 2 / 9
    assert moves(chain)[dog, ran] == pytest.approx(expected / goes_on, rel=1e-5)
    assert chain.end[dog] == pytest.approx((back * 2 / 9) / goes_on, rel=1e-5)
    back = (D[2] + D[1]) / 5
    expected = (2 - D[1]) / 5 + back / 9
    assert moves(chain)[the, cat] == pytest.approx(expected / (1 - back * 2 / 9), rel=1e-5)
    back = D[2] / 4
    expected = (4 - D[2]) / 4 + back * 2 / 9
    assert chain.begin[the] == pytest.approx(expected / (1 - back * 2 / 9), rel=1e-5)
    assert chain.unigram[the] / chain.unigram[cat] == pytest.approx(5 / 2, rel=1e-5)


def test_pruning_keeps_what_tells_most_and_all_sums():
    vocab, counts = counted()
    whole = pairs_model(counts, vocab.types, 100, "x").chain
    for most in (0, 1, 3):
        chain = pairs_model(counts, vocab.types, most, "x").chain
        assert chain.delta.nnz <= most
        assert moves(chain).sum(axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    dog = vocab.types.index("dog")
    assert pairs_model(counts, vocab.types, 1, "x").chain.delta[[dog]].nnz == 1
    left, back = pruned(whole.delta, whole.back, whole.u, np.ones(5), 10**6)
    assert abs(left - whole.delta).max() == 0 and back == pytest.approx(whole.back, abs=1e-6)


def test_nats_of_held_out_text_are_those_of_the_definition():
    vocab, counts = counted()
    chain = pairs_model(counts, vocab.types, 3, "x").chain
    T, K = moves(chain), 5
    types = np.array([0, 1, K, 2, STOP, 3, 0, STOP])
    expected = [chain.begin[0], T[0, 1], chain.alone[2], chain.begin[3], T[3, 0]]
    assert nats_of_pairs(chain, types) == pytest.approx(-np.log(expected), rel=1e-5)


def test_a_prior_is_made_saved_and_carried(text, space, tmp_path):
    made = make_prior(text, space=space)
    assert made.coverage == 1.0 and made.words == 2700 and made.held_out_words == 300
    # exp of a third of ln 4 and of the entropy of the nouns, 1.419
    assert made.perplexity == pytest.approx(2.547, rel=0.03)
    made.save(tmp_path / "p")
    chain = make_word_pairs(path=str(tmp_path / "p")).fit(space)
    the, dog, ran = (space.find(w) for w in ("the", "dog", "ran"))
    assert weight(chain, [the, dog, ran]) > 5 * weight(chain, [dog, the, ran])
    assert (np.diff(chain.emit.indptr) > 0).all() and (chain.totals <= 1 + 1e-5).all()
    frequency = make_word_frequency(path=str(tmp_path / "p")).fit(space)
    ratio = frequency.unigram[the] / frequency.unigram[dog]
    assert ratio == pytest.approx(1 / 0.4, rel=0.15)


@pytest.fixture(scope="module")
def saved_prior(text, space, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prior") / "p"
    make_prior(text, name="small", space=space).save(folder)
    return folder


@pytest.fixture
def folder(saved_prior, tmp_path):
    return Path(shutil.copytree(saved_prior, tmp_path / "p"))


def change(folder, **entries):
    about = srsly.read_json(folder / "prior.json")
    srsly.write_json(folder / "prior.json", {**about, **entries})


def arrays(folder, **changes):
    with np.load(folder / "chain.npz") as file:
        fields = dict(file)
    changed = {name: change(fields[name]) for name, change in changes.items()}
    np.savez(folder / "chain.npz", **{**fields, **changed})


def zero(X):
    return 0 * X


def less(X):
    return X * np.float32(1 - 1e-5)


DAMAGE = {
    "another format": (lambda f: change(f, format=9), "its format is 9"),
    "another kind": (lambda f: change(f, kind="triples"), "its kind is 'triples'"),
    "another digest": (lambda f: change(f, digest="0"), "does not match its digest"),
    "changed numbers": (lambda f: arrays(f, delta_data=less), "does not match its digest"),
    "states that lead nowhere": (lambda f: arrays(f, back=zero, delta_data=zero), "leads nowhere"),
    "numbers out of range": (lambda f: arrays(f, delta_indices=lambda X: X + 10**6), "damaged"),
    "no json": (lambda f: (f / "prior.json").write_text("["), "damaged"),
    "a list": (lambda f: (f / "prior.json").write_text("[]"), "damaged"),
    "no chain": (lambda f: (f / "chain.npz").unlink(), "damaged"),
    "no archive": (lambda f: (f / "chain.npz").write_bytes(b"no"), "damaged"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_prior_is_told_in_a_sentence(name, folder, space):
    damage, why = DAMAGE[name]
    damage(folder)
    with pytest.raises(DxError) as error:
        make_word_pairs(path=str(folder)).fit(space)
    assert why in str(error.value) and "\n" not in str(error.value)


def test_a_folder_that_is_none_is_told(tmp_path, space):
    with pytest.raises(DxError, match="DX026"):
        make_word_pairs(path=str(tmp_path / "nowhere")).fit(space)


def test_the_script_reads_folders_of_texts(text, tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("\n".join(text[:300]) + "\n")
    (corpus / "b.txt").write_text("\n".join(text[300:600]) + "\n")
    srsly.write_jsonl(corpus / "c.jsonl", [{"body": line} for line in text[600:]])

    def run(*options):
        args = [corpus, tmp_path / "out", "--field", "body", "--types", 20, *options]
        command = [sys.executable, SCRIPT, *map(str, args)]
        return subprocess.run(command, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0, done.stderr
    assert "perplexity" in done.stdout and "100.0% of words that it knows" in done.stdout
    about = json.loads((tmp_path / "out" / "prior.json").read_text())
    assert about["words"] == 2700 and about["types"] == 10
    again = run()
    assert again.returncode != 0 and "force" in again.stderr
    assert run("--force").returncode == 0


def test_texts_that_cannot_train_are_told(text, tmp_path, space):
    cases = {"3 words": ["Too few words."], "none of their words": ["λόγος μῦθος. "] * 1000}
    for why, texts in cases.items():
        with pytest.raises(UsageError, match=why):
            make_prior(texts, space=space)
    made = make_prior(text, space=space)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="is not a prior"):
        made.save(tmp_path / "empty")
