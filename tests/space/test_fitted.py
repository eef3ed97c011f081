"""What takes long to fit: made once, kept beside the space."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.mechanisms import diffractor
from spacy_dxprivacy.space import BUILTIN, learned


@pytest.fixture
def space():
    vectors = np.random.default_rng(0).normal(size=(60, 3))
    return Space.from_vectors([f"w{i}" for i in range(60)], vectors)


@pytest.fixture(autouse=True)
def every_table_is_read(monkeypatch):
    monkeypatch.setattr(learned, "RELEARNED_UP_TO", 2)


# What fits each, and would be called again.
SLOW = {
    "dx.Diffractor.v1": f"{diffractor.__name__}.nearest_order",
    "dx.Jaccard.v1": "spacy_dxprivacy.mechanisms.jaccard.nearest_of_all",
    "dx.Path.v1": "spacy_dxprivacy.metric.word_graph.build",
    "dx.Path.v2": "spacy_dxprivacy.sampler.calibration.exact_epsilon",
}
ALONE = {"policy": "plain", "prior": registry.dx_priors.get("dx.Uniform.v1")()}


@pytest.mark.filterwarnings("ignore:.*DX101")
@pytest.mark.parametrize("name", SLOW)
@pytest.mark.parametrize("by", ["folder", "bytes"])
def test_what_was_fitted_goes_with_the_space_and_is_not_made_again(
    space, tmp_path, monkeypatch, name, by
):
    monkeypatch.setattr("spacy_dxprivacy.sampler.calibration.STORED_FROM", 0)
    settings = ALONE if name == "dx.Path.v2" else {}
    mechanism, again = (registry.dx_mechanisms.get(name)(epsilon=0.5, **settings) for _ in "12")
    rows = np.arange(60)
    mechanism.fit(space)
    first = mechanism.sample(rows, Rng(seed=1)).rows
    space.save(tmp_path / "space")
    data = space.to_bytes()
    learned.forget(space)
    monkeypatch.setattr(SLOW[name], lambda *_: pytest.fail("made again"))
    again.fit(Space.load(tmp_path / "space") if by == "folder" else Space.from_bytes(data))
    assert (again.sample(rows, Rng(seed=1)).rows == first).all()


CHANGES = [lambda X: X.astype("<f2"), lambda X: X[::-1] + 1, lambda X: X[:3]]
FILES = [
    ("dx.Diffractor.v1", "fitted-*/numbers.npy"), ("dx.Path.v1", "graph/counts.npy"),
    ("dx.Path.v1", "graph/ends.npy"), ("dx.Path.v1", "graph/steps.npy"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file"), FILES)
def test_a_file_that_was_changed_cut_lost_or_is_of_another_space_is_refused(
    space, tmp_path, name, file
):
    registry.dx_mechanisms.get(name)(epsilon=0.5).fit(space)
    space.save(tmp_path / "space")
    (path,) = (tmp_path / "space").glob(file)
    raw, whole = path.read_bytes(), np.load(path)

    def refused(code):
        with pytest.raises(DxError, match=code):
            Space.load(tmp_path / "space")

    for change in CHANGES:
        np.save(path, change(whole))
        refused("DX024")
    path.write_bytes(raw[:-40])
    refused("DX024")
    path.unlink()
    refused("DX024")
    path.write_bytes(raw)
    (about,) = path.parent.glob("*.json")
    text = about.read_text()
    about.write_text(text[:-40])
    refused("DX024")
    about.write_text(text.replace(space.digest, "0"))
    refused("DX045.*Remove that folder")


def test_the_builtin_space_brings_the_list():
    assert (BUILTIN / f"fitted-{learned.basis_of(diffractor.LIST)[:12]}").is_dir()
    space = Space.builtin()
    order = learned.once(space, diffractor.LIST, lambda: np.zeros(0), lambda some: True)
    assert sorted(order.tolist()) == list(range(len(space)))
    for place in (0, 10_000):  # always on to the nearest that is left
        squares = np.square(space.vectors[order[place + 1 :]] - space.vectors[order[place]]).sum(1)
        assert squares[0] <= squares.min() + 1e-4
