"""Forged files beside the vectors of a space: refused, or the guarantee is "claimed"."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
import spacy
from conftest import on_space, sanitizing

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.metric import graph_of, stored_graph
from spacy_dxprivacy.metric.word_graph import WordGraph
from spacy_dxprivacy.sampler import calibration
from spacy_dxprivacy.space import learned
from spacy_dxprivacy.space.space import _load_builtin

N = 80
WORDS = Space.builtin().words[1000 : 1000 + N]
TEXT = " ".join(WORDS[:2])
ROWS = np.arange(N)
SAYS = "As trusted as the files of this space"


def making(name, **settings):
    return lambda: registry.dx_mechanisms.get(f"dx.{name}")(1.6, **settings)


UNIFORM = registry.dx_priors.get("dx.Uniform.v1")()
path, on_a_line = making("Path.v1"), making("Diffractor.v1")
sentences = making("Path.v2", policy="plain")
alone = making("Path.v2", policy="plain", prior=UNIFORM)
MECHANISMS = {"graph": path, "alone": alone, "fitted": on_a_line}


@pytest.fixture
def many(monkeypatch):
    """As if the words were too many to learn anything again."""
    monkeypatch.setattr(learned, "RELEARNED_UP_TO", 0)
    monkeypatch.setattr(calibration, "STORED_FROM", 0)


@pytest.fixture
def folder(tmp_path, many):
    """A space with all that was learned from it."""
    # Of unequal density, so that the sums Z differ.
    X = np.random.default_rng(0).normal(size=(N, 4)) * np.linspace(0.1, 3, N)[:, None]
    space = Space.from_vectors(WORDS, X)
    for make in MECHANISMS.values():
        make().fit(space)
    space.save(tmp_path / "space")
    learned.forget(space)
    return tmp_path / "space"


def forging(change, kind=None):
    """Change numbers in a file of this kind, or else of the graph, with checksums that fit."""

    def forge(folder, words):
        at = slice(None) if words == "all" else [int(Rng().integers(N, 1)[0])]
        digest = Space.load(folder).digest
        if kind is None:
            graph = copy.deepcopy(
                learned.read(folder / "graph", digest).read(WordGraph.from_fields)
            )
            learned.write(change(graph, at), folder / "graph")
            return
        read = {
            place: learned.read(place, digest).read(learned.Fitted.from_fields)
            for place in folder.glob("fitted-*")
        }
        (place,) = (place for place, some in read.items() if len(some.numbers) == kind)
        forged = change(np.array(read[place].numbers), at)
        learned.write(replace(read[place], numbers=forged), place)

    return forge


def nobody_near(graph, at):
    """Words that have no word near them stay."""
    counts = np.array(graph.counts)
    counts[at, 1:] = 0
    return replace(graph, counts=counts)


def farther(graph, at):
    """Longer edges are worth less protection. The counts fit them."""
    owner = np.repeat(ROWS, np.diff(graph.starts))
    mine = np.isin(owner, ROWS[at]) | np.isin(graph.ends, ROWS[at])
    steps = np.where(mine, graph.reach - 1, graph.steps).astype(np.uint8)
    changed = replace(graph, steps=steps)
    walks = [w.counts(graph.reach) for _, w in changed.search(ROWS)]
    return replace(changed, counts=np.concatenate(walks).astype(graph.counts.dtype))


def all_lose_beta_alone(epsilons, at):
    """The larger beta, the less is hidden."""
    return calibration.BETAS


def all_lose_less_than_they_do(epsilons, at):
    """Every beta hides more than it does: a quarter of what sums Z add to it is left out."""
    return calibration.BETAS + 0.75 * (epsilons - calibration.BETAS)


def other_order(order, at):
    """A list that does not go on to the nearest, or two of its words in each other's place."""
    if at == slice(None):
        return np.sort(order)
    order[[0, *at]] = order[[*at, 0]]
    return order


FORGERIES = {
    "counts": (path, forging(nobody_near)),
    "edges": (path, forging(farther)),
    "edges of sentences": (sentences, forging(farther)),
    "calibration": (alone, forging(all_lose_beta_alone, len(calibration.BETAS))),
    "calibration by a quarter": (
        alone, forging(all_lose_less_than_they_do, len(calibration.BETAS))
    ),
    "order": (on_a_line, forging(other_order, N)),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_of_all_words_is_refused_and_of_one_word_refused_or_claimed(folder, name):
    make, forge = FORGERIES[name]
    make().fit(Space.load(folder))  # it passes unchanged
    forge(folder, "one")
    try:
        promise = make().fit(Space.load(folder)).guarantee
    except DxError:
        pass
    else:
        assert promise.status == "claimed" and SAYS in promise.notes
        assert str(promise).endswith("(claimed)")
    forge(folder, "all")
    with pytest.raises(DxError, match=r"DX024|DX067"):
        make().fit(Space.load(folder))


@pytest.mark.parametrize("name", FORGERIES)
@pytest.mark.parametrize("words", ["all", "one"])
def test_of_few_words_all_is_made_again(folder, monkeypatch, name, words):
    monkeypatch.setattr(learned, "RELEARNED_UP_TO", N)
    make, forge = FORGERIES[name]
    before = make().fit(Space.load(folder, relearn=True))
    forge(folder, words)
    try:
        after = make().fit(Space.load(folder))
    except DxError:
        return
    same = np.array_equal(after.distribution(ROWS), before.distribution(ROWS))
    assert same or after.guarantee.status == "claimed"


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_was_not_forged_has_the_same_promise_and_says_what_it_rests_on(folder, name):
    make = MECHANISMS[name]
    claimed = make().fit(Space.load(folder))
    learned_again = make().fit(Space.load(folder, relearn=True))
    assert learned_again.guarantee.status in ("proven", "computed")
    assert claimed.guarantee == learned_again.guarantee.as_claimed()
    assert claimed.guarantee.epsilon == learned_again.guarantee.epsilon == 1.6
    draws = [m.sample(ROWS, Rng(seed=1)).rows for m in (claimed, learned_again)]
    assert np.array_equal(*draws)


def test_a_small_folder_and_what_uses_no_such_file_keep_their_status(folder, monkeypatch):
    monkeypatch.setattr(learned, "RELEARNED_UP_TO", N)
    for make, status in ((path, "computed"), (alone, "computed"), (making("Laplace.v1"), "proven")):
        assert make().fit(Space.load(folder)).guarantee.status == status


def pipeline_of(folder, **more):
    mechanism = {"@dx_mechanisms": "dx.Path.v1", "epsilon": 1.6}
    return sanitizing(mechanism=mechanism, space=on_space(folder, **more))


def test_the_receipt_says_so_and_how_to_be_sure(folder, tmp_path):
    nlp = pipeline_of(folder)
    nlp.to_disk(tmp_path / "pipeline")
    promise = nlp(TEXT)._.dx.guarantee
    assert (promise["status"], promise["epsilon"]) == ("claimed", 1.6)
    assert SAYS in promise["notes"] and "`relearn`" in promise["notes"]
    assert spacy.load(tmp_path / "pipeline")(TEXT)._.dx.guarantee == promise
    forging(nobody_near)(tmp_path / "pipeline" / "dx_sanitizer" / "space", "all")
    with pytest.raises(DxError, match="DX024"):
        spacy.load(tmp_path / "pipeline")(TEXT)
    sure = pipeline_of(folder, relearn=True)
    assert sure(TEXT)._.dx.guarantee["status"] == "computed"


def test_bytes_are_files_too_and_a_copy_of_what_was_made_here_is_not(folder):
    space = Space.load(folder, relearn=True)
    made = path().fit(space)
    pickled, data = pickle.dumps(made), space.to_bytes()
    learned.forget(space)
    assert pickle.loads(pickled).guarantee == made.guarantee  # noqa: S301
    assert path().fit(Space.from_bytes(data)).guarantee == made.guarantee.as_claimed()


def test_what_was_read_is_not_taken_for_what_was_learned_of_an_equal_table(folder):
    forging(nobody_near)(folder, "one")
    forged = Space.load(folder)
    honest = Space.from_vectors(forged.words, forged.vectors)
    assert honest.digest == forged.digest and stored_graph(honest) is None
    assert path().fit(honest).guarantee.status == "computed"


@pytest.mark.parametrize("first", ["honest", "pretender"])
def test_nothing_is_shared_with_a_table_whose_digest_nobody_compared(tmp_path, many, first):
    """A pretender has other vectors, and the digest of the honest table."""
    rng = np.random.default_rng(0)
    honest = Space.from_vectors(WORDS, rng.normal(size=(N, 4)))
    other = Space.from_vectors(WORDS, rng.normal(size=(N, 4)))
    other.save(tmp_path / "space")
    about = tmp_path / "space" / "space.json"
    about.write_text(about.read_text().replace(other.digest, honest.digest))
    pretender = Space.load(tmp_path / "space", verify=False)
    assert pretender.digest == honest.digest and not pretender.verified
    both = {"honest": honest, "pretender": pretender}
    fitted = {name: path().fit(both[name]) for name in sorted(both, key=lambda name: name != first)}
    assert fitted["honest"].guarantee.status == "computed"
    assert fitted["pretender"].guarantee.status == "claimed"
    # Each has what was learned from its own vectors, as in a process that has no other.
    found = {name: graph_of(space).steps for name, space in both.items()}
    for space in both.values():
        learned.forget(space)
    assert np.array_equal(
        found["honest"], graph_of(Space.from_vectors(WORDS, honest.vectors)).steps
    )
    assert np.array_equal(found["pretender"], graph_of(other).steps)
    assert not np.array_equal(found["honest"], found["pretender"])


def test_equal_vectors_with_other_classes_share_no_graph(many):
    X = np.random.default_rng(0).normal(size=(N, 4))
    one, other = (
        Space.from_vectors(WORDS, X, classes=classes.astype(np.uint64), class_names=("month",))
        for classes in (ROWS < 40, ROWS % 2)
    )
    ends = [graph_of(space).ends for space in (one, other)]
    assert one.digest == other.digest and not np.array_equal(*ends)


def test_a_copy_of_the_built_in_space_draws_on_what_the_package_ships(tmp_path):
    Space.builtin().save(tmp_path / "copy")
    graph = stored_graph(Space.builtin())
    learned.write(replace(graph, counts=np.ones_like(graph.counts)), tmp_path / "copy" / "graph")
    learned.forget(Space.builtin())
    _load_builtin.cache_clear()  # as in a process that has not asked for it
    copied = Space.load(tmp_path / "copy")
    with learned.track_use() as read:
        assert np.array_equal(stored_graph(copied).counts, graph.counts)
    assert not read


def test_a_digest_that_nobody_compared_is_claimed_and_never_that_of_the_built_in_space(folder):
    promise = making("Laplace.v1")().fit(Space.load(folder, verify=False)).guarantee
    assert promise.status == "claimed" and SAYS in promise.notes
    about = (folder / "space.json").read_text()
    told = Space.load(folder).digest
    (folder / "space.json").write_text(about.replace(told, Space.builtin().digest))
    with pytest.raises(DxError, match="DX024"):
        Space.load(folder, verify=False)
