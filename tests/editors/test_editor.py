"""dx.Remap.v1 with a model: the best text by brute force, and that it sees the release alone."""

import pickle
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from conftest import EXPONENTIAL, SECRET_TEXT, UNKNOWN_SECRETS
from sentences.distributions import BETA, N, all_sentences, small_mechanism, small_space, starts_of
from test_attacks_language import likelihoods

from spacy_dxprivacy import Draw, DxError, registry
from spacy_dxprivacy.editors import opened
from spacy_dxprivacy.errors import DxWarning
from spacy_dxprivacy.space import offensive
from spacy_dxprivacy.space.sources import SpaceSource
from spacy_dxprivacy.space.space import Allowed

from .fakes import FakeModel, small_law


@pytest.fixture
def fake(monkeypatch):
    T, first = small_law(N)
    model = FakeModel(T, first)
    monkeypatch.setitem(opened.OPENERS, "fake", lambda: model)
    return model


def remap(mechanism, **more):
    made = registry.dx_editors.get("dx.Remap.v1")
    return made(model="fake", **{"beam": 30, **more}).fit(small_space(), mechanism)


def test_it_is_the_best_text_by_the_channel_and_the_model(fake):
    mechanism, released = small_mechanism("pairs"), np.array([2, 0, 4])
    editor = remap(mechanism)
    found = editor.edit(released, mechanism, starts_of(3))
    logs = -BETA * mechanism.distances(released)
    P = np.exp(fake.logs[2:, 2:]) * 0.98 + 0.02 * editor._how.known
    first = np.exp(fake.logs[1, 2:]) * 0.98 + 0.02 * editor._how.known
    S = np.stack(np.meshgrid(*[np.arange(N)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    score = np.log(first)[S[:, 0]] + np.log(P)[S[:, :-1], S[:, 1:]].sum(axis=1)
    score += logs[np.arange(3), S].sum(axis=1)
    weights = np.exp(score - score.max())
    top = np.argsort(-weights)[:30]
    wanted = [int(np.bincount(column[top], weights[top], N).argmax()) for column in S.T]
    assert found.tolist() == wanted


def test_words_that_stay_are_read_and_stay(fake):
    mechanism, rows = small_mechanism("pairs"), np.array([1, 2, 3, 4])
    fixed = np.array([False, True, False, True])
    found = remap(mechanism).edit(rows, mechanism, starts_of(4), fixed)
    assert found[fixed].tolist() == [2, 4]
    assert remap(mechanism).edit(rows, mechanism, starts_of(4), ~np.zeros(4, bool)).tolist() == [
        1, 2, 3, 4,
    ]  # fmt: skip


def test_words_that_never_come_out_are_no_candidates(fake):
    mechanism, rows = small_mechanism("pairs"), np.array([2, 0, 4])
    for editor in (remap(mechanism), registry.dx_editors.get("dx.Remap.v1")()):
        editor.fit(small_space(), mechanism)
        free = editor.edit(rows, mechanism, starts_of(3))
        banned = {f"w{row}" for row in free.tolist()}
        editor.avoid(lambda word, banned=banned: word not in banned)
        found = editor.edit(rows, mechanism, starts_of(3))
        assert not set(found.tolist()) & set(free.tolist())
        editor.avoid(lambda word: False)  # then what was released stays
        assert editor.edit(rows, mechanism, starts_of(3)).tolist() == rows.tolist()
        assert editor.fit(small_space(), mechanism).edit(
            rows, mechanism, starts_of(3)
        ).tolist() == free.tolist()  # fmt: skip


def test_settings_out_of_range_are_refused_and_a_model_that_fails_changes_nothing(fake):
    made = registry.dx_editors.get("dx.Remap.v1")
    for wrong in ({"prompt": "Notes."}, {"model": "fake", "beam": 0}):
        with pytest.raises(DxError, match="DX001"):
            made(**wrong)
    with pytest.raises(DxError, match="DX151"):
        remap(small_mechanism("pairs"), prompt="w1 " * 40)
    with pytest.raises(DxError, match="DX153"):
        made(model="no-such-model").fit(small_space(), small_mechanism("pairs"))
    unfitted = made(model="fake")
    with pytest.raises(DxError, match="fitted"):
        unfitted.edit(np.array([1]), small_mechanism("pairs"), starts_of(1))
    mechanism, rows = small_mechanism("pairs"), np.array([1, 2, 3])
    editor = remap(mechanism)
    fake.room = 0
    with pytest.warns(DxWarning, match="DX159.*DX152"):
        assert editor.edit(rows, mechanism, starts_of(3)).tolist() == [1, 2, 3]


LENGTH, TEXTS = 3, 600


@pytest.mark.parametrize("named", [{}, {"model": "fake", "beam": 2}])
def test_the_attack_on_an_edited_release_finds_no_more_than_on_the_release(fake, named):
    """By one who takes the edited text for the release, and by one with its exact posterior. An
    editor that had seen the input would be found out."""
    mechanism, S = small_mechanism("pairs", beta=1.0), all_sentences(N, LENGTH)
    editor = registry.dx_editors.get("dx.Remap.v1")(**named).fit(small_space(), mechanism)
    T, first = small_law(N)
    prior = first[S[:, 0]] * T[S[:, :-1], S[:, 1:]].prod(axis=1)
    joint = prior[:, None] * np.exp(likelihoods(mechanism, S))
    texts = [editor.edit(some, mechanism, starts_of(LENGTH)) for some in S]
    becomes = np.stack(texts) @ N ** np.arange(LENGTH)[::-1]
    rng = np.random.default_rng(0)
    drawn = rng.choice(joint.size, TEXTS, p=joint.ravel() / joint.sum())
    clear, out = S[drawn // len(S)], drawn % len(S)
    by_edited = np.zeros_like(joint)
    np.add.at(by_edited.T, becomes, joint.T)

    def found(law, seen):
        held = np.stack([[law[S[:, i] == w].sum(0) for w in range(N)] for i in range(LENGTH)])
        return float((held.argmax(axis=1)[:, seen].T == clear).mean())

    of_release = found(joint, out)
    assert found(joint, becomes[out]) <= of_release + 0.02
    assert found(by_edited, becomes[out]) <= of_release + 0.02
    saw_the_input = clear @ N ** np.arange(LENGTH)[::-1]
    assert found(joint, saw_the_input) > of_release + 0.1


REMAP = {"@dx_editors": "dx.Remap.v1", "model": "fake", "beam": 2}
SEEDED = {"mechanism": EXPONENTIAL, "seed": 3, "editor": REMAP}


class Reads:
    """Keeps all that it is shown, and is its own lanes."""

    name, window = "fake", 64

    def __init__(self):
        self.digest, self.shown, self.known, self.lanes = "d1", [], {}, 0

    def encode(self, texts):
        self.shown += texts
        return [[self.known.setdefault(p, len(self.known)) for p in t.split()] for t in texts]

    def fits(self, tokens):
        return 100

    def read(self, prompts):
        self.lanes = len(prompts)
        return self

    def feed(self, tokens):
        pass

    def logs(self, tokens):
        return np.broadcast_to(-(tokens * 7 % 23.0), (self.lanes, tokens.shape[1]))

    def keep(self, order):
        self.lanes = len(order)


@pytest.fixture
def reader(monkeypatch):
    model = Reads()
    monkeypatch.setitem(opened.OPENERS, "fake", lambda: model)
    return model


def test_the_model_is_shown_nothing_of_the_input(reader, make_nlp):
    nlp = make_nlp(**SEEDED)
    nlp.get_pipe("dx_sanitizer").warm_up()
    reader.shown.clear()
    doc = nlp(SECRET_TEXT)
    shown = " ".join(reader.shown)
    assert shown and not [secret for secret in UNKNOWN_SECRETS if secret in shown]
    assert doc.text != make_nlp(**{**SEEDED, "editor": None})(SECRET_TEXT).text


def test_one_release_is_edited_alike_whatever_the_input_was(reader, make_nlp, monkeypatch):
    nlp = make_nlp(**SEEDED)
    sanitizer = nlp.get_pipe("dx_sanitizer")
    sanitizer.warm_up()
    rows = np.array([sanitizer.space.find(word) for word in "fish tea bread milk".split()])
    monkeypatch.setattr(
        type(sanitizer.mechanism), "sample", lambda self, r, rng, *a, **k: Draw(rows[: len(r)])
    )
    assert nlp("My brother was sad.").text == nlp("Her doctor saw cancer.").text


def test_stand_ins_and_numbers_are_those_that_were_drawn(reader, make_nlp):
    numbers = {"@dx_surrogates": "dx.Number.v1", "epsilon": 1.0}
    more = {**SEEDED, "surrogates": "standard", "numbers": numbers}
    text = "Mr. John Smith drank 12 cups of tea with his sad brother in Boston."
    edited = make_nlp(before=["dx_entity_ruler"], **more)(text)
    nlp = make_nlp(before=["dx_entity_ruler"], **{**more, "editor": None})
    released, space = nlp(text), nlp.get_pipe("dx_sanitizer").space
    assert edited.text != released.text and len(edited) == len(released)
    for new, old in zip(edited, released, strict=True):
        assert new.text == old.text or space.find(old.lower_) >= 0


@pytest.mark.parametrize("exclude", ["offensive", []])
def test_whatever_an_editor_of_texts_chooses_what_never_comes_out_does_not(
    make_nlp, monkeypatch, exclude
):
    monkeypatch.setattr(offensive, "_allowed", lambda: Allowed(None, ["fish"]))
    monkeypatch.setattr(offensive, "_substitutes", WeakKeyDictionary())

    class Stubborn:
        name = "my.Editor.v1"

        def fit(self, space, mechanism):
            return self

        def edit(self, rows, *more):
            return rows

        def edit_texts(self, texts, mechanism):
            return [np.where(text.fixed, text.rows, bad) for text in texts]

    source = {"@dx_spaces": "dx.AutoSpace.v1", "exclude": exclude}
    nlp = make_nlp(mechanism=EXPONENTIAL, space=source)
    nlp.get_pipe("dx_sanitizer").editor = Stubborn()
    bad = nlp.get_pipe("dx_sanitizer").space.find("fish")
    words = {token.lower_ for token in nlp("the dog saw the cat")}
    assert ("fish" in words) == (not exclude) and len(words) == 1
    assert offensive.allowed_by(SpaceSource(None, excluded=lambda: ["fish"]))("Fish") is False


def test_a_saved_pipeline_knows_its_model_again_and_a_copy_holds_none(reader, make_nlp):
    nlp = make_nlp(**SEEDED)
    sanitizer = nlp.get_pipe("dx_sanitizer")
    sanitizer.warm_up()
    assert sanitizer.editor._search is not None
    copy = pickle.loads(pickle.dumps(sanitizer.editor))  # noqa: S301
    assert copy._search is None
    saved = nlp.get_pipe("dx_sanitizer").to_bytes()
    nlp.get_pipe("dx_sanitizer").from_bytes(saved)
    assert nlp("tea")._.dx.editor == "dx.Remap.v1"
    reader.digest = "another"
    nlp.get_pipe("dx_sanitizer").from_bytes(saved)
    with pytest.raises(DxError, match="DX156"):
        nlp("tea")
