"""A worker keeps a memory zone open over its tasks, up to the limits of one process."""

import pytest
import spacy

from spacy_dxprivacy.io import results
from spacy_dxprivacy.io.records import make_record

WORDS = ("zorblatt", "quimby", "florp", "glarn")


@pytest.mark.parametrize(("limit", "most"), [("ZONE_CHARACTERS", 20), ("ZONE_DOCUMENTS", 2)])
def test_a_zone_holds_the_words_of_its_tasks_until_it_is_full(monkeypatch, limit, most):
    monkeypatch.setattr(results, limit, most)
    nlp = spacy.blank("en")
    zone, held = results.LongZone(nlp), []
    for word in WORDS:
        text = f"the {word} sleeps"
        zone.enter([make_record(0, 0, [text])])(text)
        held.append([known for known in WORDS if known in nlp.vocab.strings])
    assert held == [["zorblatt"], ["zorblatt", "quimby"], ["florp"], ["florp", "glarn"]]
