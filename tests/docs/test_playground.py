"""examples/playground.py: the page shows a release and its receipt, and another one when asked."""

from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "examples" / "playground.py"
testing = pytest.importorskip("streamlit.testing.v1", reason="streamlit is not installed")


@pytest.mark.slow
@pytest.mark.skipif(not PAGE.exists(), reason="the examples are not beside the tests")
def test_the_page_sanitises_what_is_typed_and_shows_the_receipt():
    page = testing.AppTest.from_file(str(PAGE), default_timeout=120).run()
    assert not page.exception
    page.selectbox(key="mechanism").select("dx.Laplace.v1").run()
    page.text_area(key="text").input("Mary <b>saw</b> Zorblattovich.").run()
    assert not page.exception
    shown = " ".join(element.proto.body for element in page.get("html"))
    assert "<b>" not in shown and "Zorblattovich" not in shown
    assert "epsilon 8 nats" in " ".join(element.value for element in page.markdown)
    assert page.metric[0].label == "Tokens"
