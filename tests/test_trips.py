"""A text takes few trips between modules: every call from one module into another is counted."""

import sys
from collections import Counter
from pathlib import Path

import pytest
import spacy

import spacy_dxprivacy

HOUSE = str(Path(spacy_dxprivacy.__file__).parent)
TEXT = "Hi there, Maria told her doctor in London that she sleeps badly.\n\nShe is 43."
# Of a text of 16 words (120 today), and of the same text ten times in one document (206).
MOST, MOST_OF_TEN = 150, 250


def trips(call):
    """Calls whose caller is of another module of the package, or none: by both modules."""
    counts = Counter()

    def entered(frame, event, _):
        if event != "call" or not frame.f_code.co_filename.startswith(HOUSE):
            return
        before = frame.f_back
        while before is not None and not before.f_code.co_filename.startswith(HOUSE):
            before = before.f_back
        source = "" if before is None else before.f_code.co_filename
        if source != frame.f_code.co_filename:
            counts[source.removeprefix(HOUSE), frame.f_code.co_filename.removeprefix(HOUSE)] += 1

    sys.setprofile(entered)
    try:
        call()
    finally:
        sys.setprofile(None)
    return counts


@pytest.fixture(scope="module")
def warm():
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer")
    list(nlp.pipe([TEXT, " ".join([TEXT] * 10)] * 3))
    return nlp


@pytest.mark.parametrize(("times", "most"), [(1, MOST), (10, MOST_OF_TEN)])
def test_a_warm_text_takes_few_trips_between_modules(warm, times, most):
    text = " ".join([TEXT] * times)
    counts = trips(lambda: warm(text))
    listed = "\n".join(f"{n:5} {a} > {b}" for (a, b), n in counts.most_common())
    assert counts.total() <= most, f"{counts.total()} trips:\n{listed}"
