import numpy as np
import pytest

from spacy_dxprivacy import Space, registry


@pytest.fixture(scope="session")
def plane():
    """40 words in the plane: small enough for all pairs."""
    points = np.random.default_rng(1).normal(size=(40, 2))
    return Space.from_vectors([f"word{i}" for i in range(40)], points)


@pytest.fixture
def make():
    def make_mechanism(name, space, **settings):
        settings = {"@dx_mechanisms": name, **settings}
        return registry.resolve({"mechanism": settings})["mechanism"].fit(space)

    return make_mechanism
