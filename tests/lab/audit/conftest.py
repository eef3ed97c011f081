import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def one_thread():
    """Audits make many small products, for which threads on a busy machine cost more than help."""
    with threadpool_limits(1):
        yield
