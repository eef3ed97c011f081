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
    monkeypatch.setattr(learned, "FEW", 2)


@pytest.mark.filterwarnings("ignore:.*DX101")
@pytest.mark.parametrize("name", ["dx.Diffractor.v1", "dx.Jaccard.v1"])
def test_what_was_fitted_goes_with_the_space_and_is_not_made_again(
    space, tmp_path, monkeypatch, name
):
    mechanism = registry.dx_mechanisms.get(name)(epsilon=0.5)
    rows = np.arange(60)
    mechanism.fit(space)
    first = mechanism.sample(rows, Rng(seed=1)).rows
    space.save(tmp_path / "space")
    learned.forget(space)
    for made_again in (
        f"{diffractor.__name__}.chain",
        "spacy_dxprivacy.mechanisms.jaccard.nearest_of_all",
    ):
        monkeypatch.setattr(made_again, lambda *_: pytest.fail("made again"))
    again = registry.dx_mechanisms.get(name)(epsilon=0.5)
    again.fit(Space.load(tmp_path / "space"))
    assert (again.sample(rows, Rng(seed=1)).rows == first).all()


@pytest.mark.parametrize("change", [lambda X: X.astype("<f4"), lambda X: X[::-1], lambda X: X[:3]])
def test_a_file_that_was_changed_is_refused(space, tmp_path, change):
    registry.dx_mechanisms.get("dx.Diffractor.v1")(epsilon=0.5).fit(space)
    space.save(tmp_path / "space")
    (path,) = (tmp_path / "space").glob("fitted-*/numbers.npy")
    whole = np.load(path)
    np.save(path, change(whole))
    with pytest.raises(DxError, match="DX024"):
        Space.load(tmp_path / "space")
    path.unlink()
    with pytest.raises(DxError, match="DX024"):
        Space.load(tmp_path / "space")
    np.save(path, whole)
    about = path.with_name("fitted.json")
    about.write_text(about.read_text().replace(space.digest, "0"))
    with pytest.raises(DxError, match="DX045"):
        Space.load(tmp_path / "space")


def test_the_builtin_space_brings_the_list():
    assert (BUILTIN / f"fitted-{learned.basis_of(diffractor.LIST)[:12]}").is_dir()
    space = Space.builtin()
    order = learned.once(space, diffractor.LIST, lambda: np.zeros(0), lambda some: True)
    assert sorted(order.tolist()) == list(range(len(space)))
    for place in (0, 10_000):  # always on to the nearest that is left
        squares = np.square(space.vectors[order[place + 1 :]] - space.vectors[order[place]]).sum(1)
        assert squares[0] <= squares.min() + 1e-4
