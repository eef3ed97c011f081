import pytest

from . import found


@pytest.fixture(scope="session")
def plane():
    return found.plane()


@pytest.fixture
def make():
    def make_mechanism(name, space, **settings):
        return found.made(name, **settings).fit(space)

    return make_mechanism
