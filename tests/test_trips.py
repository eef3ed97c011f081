"""A text takes few trips between modules: each entry into another module is counted.

A stay begins when a call enters another module than the call before it did. A return is a stay in
a module that was left before.
"""

import sys
from collections import Counter
from pathlib import Path

import pytest
import spacy

import spacy_dxprivacy

HOUSE = str(Path(spacy_dxprivacy.__file__).parent)
TEXT = "Hi there, Maria told her doctor in London that she sleeps badly.\n\nShe is 43."
# Stays and returns of a warm text of 16 words, and of the same text ten times in one document, and
# as many more as caches that other tests have filled may cost.
MOST = {
    ("dx_sanitizer", 1): (88, 56),
    ("dx_sanitizer", 10): (98, 70),
    ("dx_entity_sanitizer", 1): (290, 222),
}


def visits(call):
    """The modules of the package that a call enters, one entry a stay."""
    modules = []

    def entered(frame, event, _):
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(HOUSE):
            module = path.removeprefix(HOUSE)
            if modules[-1:] != [module]:
                modules.append(module)

    sys.setprofile(entered)
    try:
        call()
    finally:
        sys.setprofile(None)
    return modules


@pytest.fixture(scope="module")
def pipelines():
    made = {}
    for factory in ("dx_sanitizer", "dx_entity_sanitizer"):
        nlp = made[factory] = spacy.blank("en")
        if factory == "dx_entity_sanitizer":
            nlp.add_pipe("dx_entity_ruler")
        nlp.add_pipe(factory, config={"seed": 1})  # how often words are looked up is drawn
        list(nlp.pipe([TEXT, " ".join([TEXT] * 10)] * 3))
    return made


@pytest.mark.parametrize(("factory", "times"), MOST)
def test_a_warm_text_takes_few_trips_between_modules(pipelines, factory, times):
    text = " ".join([TEXT] * times)
    modules = visits(lambda: pipelines[factory](text))
    stays, returns = len(modules), len(modules) - len(set(modules))
    listed = "\n".join(f"{n:5} {module}" for module, n in Counter(modules).most_common())
    counts = f"{stays} stays and {returns} returns:\n{listed}"
    most_stays, most_returns = MOST[factory, times]
    assert stays <= most_stays and returns <= most_returns, counts
