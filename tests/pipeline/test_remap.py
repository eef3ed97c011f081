"""dx.Remap.v1: the most likely original by brute force, and that it sees the release alone."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from conftest import leaks
from sampler.distributions import (
    BETA,
    KINDS,
    N,
    all_sentences,
    emissions,
    log_law,
    moves,
    small_mechanism,
    small_space,
    starts_of,
)

from spacy_dxprivacy import DxError, registry

ONE_STATE = ("pairs", "pairs of types", "alone")


def remap(mechanism, prior=None):
    return registry.dx_editors.get("dx.Remap.v1")(prior).fit(small_space(), mechanism)


def scores(mechanism, released):
    """ln q(w) - beta path(w, y) of all sentences w."""
    D = mechanism.distances(np.arange(N))
    sentences = all_sentences(N, len(released))
    q = log_law(mechanism.built.chain, sentences)
    return sentences, q - BETA * D[sentences, released].sum(axis=1)


@pytest.mark.parametrize("kind", ONE_STATE)
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_most_likely_of_all_sentences(kind, seed):
    mechanism = small_mechanism(kind)
    editor = remap(mechanism)
    released = np.random.default_rng(seed).integers(0, N, 4)
    found = editor.edit(released, mechanism, starts_of(4))
    sentences, logs = scores(mechanism, released)
    mine = logs[(sentences == found).all(axis=1)][0]
    assert mine == pytest.approx(logs.max(), abs=1e-5)


@pytest.mark.parametrize("kind", ["many words a state", "contexts"])
@pytest.mark.parametrize("released", [[2, 0, 4], [1, 1, 3]])
def test_of_hidden_states_it_is_the_best_words_and_states_together(kind, released):
    mechanism = small_mechanism(kind)
    chain, released = mechanism.built.chain, np.array(released)
    found = remap(mechanism).edit(released, mechanism, starts_of(3))
    T, B = moves(chain), emissions(chain)
    # After a context, the better of what follows its base and what follows it alone.
    alone = chain.context_delta.toarray()
    T[chain.types :] = np.maximum(T[chain.types :] - alone, alone)
    D, best = mechanism.distances(np.arange(N)), (-np.inf, None)
    for states in np.ndindex(*[chain.states] * 3):
        words = []
        with np.errstate(divide="ignore"):
            log = np.log(chain.begin[states[0]]) + np.log(chain.end[states[-1]])
            log += sum(np.log(T[a, b]) for a, b in pairwise(states))
            for state, out in zip(states, released, strict=True):
                one = np.log(B[:, state]) - BETA * D[:, out]
                words.append(int(one.argmax()))
                log += one.max()
        best = max(best, (float(log), words))
    assert found.tolist() == best[1]


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_of_a_batch_are_edited_each_by_itself(kind):
    mechanism = small_mechanism(kind)
    editor = remap(mechanism)
    rows = np.random.default_rng(0).integers(0, N, 12)
    together = editor.edit(rows, mechanism, starts_of(3, 1, 6, 2))
    parts = [rows[:3], rows[3:4], rows[4:10], rows[10:]]
    each = [editor.edit(part, mechanism, starts_of(len(part))) for part in parts]
    assert together.tolist() == np.concatenate(each).tolist()


def test_other_mechanisms_and_other_priors_are_refused():
    mechanism = registry.dx_mechanisms.get("dx.Laplace.v1")(epsilon=2.0)
    with pytest.raises(DxError, match="other than dx"):
        remap(mechanism)
    with pytest.raises(DxError, match="prior"):
        registry.dx_editors.get("dx.Remap.v1")("dx.WordPairs.v1")
    unfitted = registry.dx_editors.get("dx.Remap.v1")()
    with pytest.raises(DxError, match="fitted"):
        unfitted.edit(np.zeros(1, dtype=int), small_mechanism("pairs"))


def test_words_that_never_come_out_are_no_candidates():
    mechanism, rows = small_mechanism("pairs"), np.array([2, 0, 4])
    editor = registry.dx_editors.get("dx.Remap.v1")()
    editor.fit(small_space(), mechanism)
    free = editor.edit(rows, mechanism, starts_of(3))
    banned = {f"w{row}" for row in free.tolist()}
    editor.fit(small_space(), mechanism, lambda word: word not in banned)
    found = editor.edit(rows, mechanism, starts_of(3))
    assert not set(found.tolist()) & set(free.tolist())
    editor.fit(small_space(), mechanism, lambda word: False)  # then what was released stays
    assert editor.edit(rows, mechanism, starts_of(3)).tolist() == rows.tolist()
    editor.fit(small_space(), mechanism)
    assert editor.edit(rows, mechanism, starts_of(3)).tolist() == free.tolist()


UNIFORM = {"@dx_priors": "dx.Uniform.v1"}
WORD_LEVEL = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 1.0, "policy": "plain", "prior": UNIFORM}
REMAP = {"@dx_editors": "dx.Remap.v1", "prior": UNIFORM}


def test_an_edit_is_a_function_of_the_release_alone(make_nlp):
    """The same draws without the editor, edited afterwards from the text that came out, where the
    input is known no more."""
    text = "The doctor saw Zorblattovich. My mother ran to the house, and she sat down"
    plain = make_nlp(mechanism=WORD_LEVEL, seed=5)(text)
    nlp = make_nlp(mechanism=WORD_LEVEL, seed=5, editor=REMAP)
    component = nlp.get_pipe("dx_sanitizer")
    edited = nlp(text)
    rows = np.array([component.space.find(token.lower_) for token in plain])
    rows = np.where(rows < 0, [component.space.find(token.text) for token in plain], rows)
    known = rows >= 0
    rows[known] = component.settings.editor.edit(rows[known], component.settings.mechanism)
    expected = [
        component.space.words[row].lower() if row >= 0 else token.lower_
        for row, token in zip(rows, plain, strict=True)
    ]
    assert [token.lower_ for token in edited] == expected
    assert not leaks(pickle.dumps(component), ("Zorblattovich",))


@pytest.mark.parametrize("scope", ["token", "type"])
def test_receipts_name_the_editor_and_promise_the_same(make_nlp, scope):
    plain = make_nlp(mechanism=WORD_LEVEL, scope=scope)("the dog saw the cat")._.dx
    told = make_nlp(mechanism=WORD_LEVEL, scope=scope, editor=REMAP)("the dog saw the cat")._.dx
    assert plain.editor is None and told.editor == "dx.Remap.v1"
    told["stages"].remove(told.stage("editor"))
    assert told == plain


def test_words_in_clear_stay(make_nlp):
    words = {"@dx_selectors": "dx.WordList.v1", "words": ["dog"]}
    nlp = make_nlp(mechanism=WORD_LEVEL, editor=REMAP, selector=words)
    for _ in range(5):
        doc = nlp("the dog saw Zorblattovich")
        assert (doc[0].text, doc[2].text, doc[3].text) == ("the", "saw", "Zorblattovich")


def test_an_editor_that_changes_a_word_in_clear_is_refused(make_nlp):
    words = {"@dx_selectors": "dx.WordList.v1", "words": ["dog"]}
    nlp = make_nlp(mechanism=WORD_LEVEL, editor=REMAP, selector=words)
    component = nlp.get_pipe("dx_sanitizer")
    component.warm_up()

    def edit(rows, mechanism, starts=None, *, fixed):
        return np.where(fixed == changes_fixed, (rows + 1) % len(component.space), rows)

    component.settings.editor.edit = edit
    for changes_fixed in (False, True):  # read by edit
        if changes_fixed:
            with pytest.raises(DxError, match=r"DX038.*editor"):
                nlp("the dog saw the cat")
        else:
            assert nlp("the dog saw the cat")[2].text == "saw"


def test_what_an_editor_gives_back_is_checked(make_nlp):
    nlp = make_nlp(mechanism=WORD_LEVEL, editor=REMAP)
    component = nlp.get_pipe("dx_sanitizer")
    component.warm_up()
    for wrong in (lambda rows, *a, **k: rows[1:], lambda rows, *a, **k: rows * 1.0):
        component.settings.editor.edit = wrong
        with pytest.raises(DxError, match=r"DX038.*editor"):
            nlp("the dog saw the cat")
