"""dx evaluate --surrogates: surrogates fit together as the originals did, and it says where not."""

import re
from dataclasses import dataclass

import pytest
import spacy
import srsly
from conftest import ok, run_dx

from spacy_dxprivacy.lab.fidelity import RELATIONS, measure_fit
from spacy_dxprivacy.lab.golden import Gold
from spacy_dxprivacy.surrogates.plain import NO_LOSS, make_preset
from spacy_dxprivacy.text.mentions import Entity

from .fidelity_texts import documents


def test_surrogates_fit_together_in_a_thousand_documents():
    nlp, surrogates = spacy.blank("en"), make_preset()
    shares = measure_fit(nlp, documents(1000), surrogates)
    assert all(share.pairs >= 250 for share in shares.values()), shares
    assert all(share.fitting == share.pairs for share in shares.values()), shares
    one, again = (measure_fit(nlp, documents(20), surrogates) for _ in range(2))
    assert one == again


@dataclass(frozen=True)
class Shuffled:
    """The other mentions of a document in the place of each."""

    name = "test.Shuffled.v1"
    way = "drawn"
    in_clear = ()
    chance = 1.0
    guarantee = NO_LOSS

    def replace(self, mentions, draws):
        texts = [mention.text for mention in mentions]
        return [re.sub("[$€£]", "¥", text) for text in texts[1:] + texts[:1]]


def test_surrogates_that_do_not_fit_are_counted():
    shuffled = dict.fromkeys(make_preset(), Shuffled())
    shares = measure_fit(spacy.blank("en"), documents(200), shuffled)
    for name in set(RELATIONS) - {"one person, one name"}:
        assert shares[name].fitting < 0.6 * shares[name].pairs, name


@pytest.mark.parametrize(("text", "regions"), [
    ("Ann Erwin, aerwin@mail.example", [("Ann Erwin", "PERSON"), ("aerwin@mail.example", "EMAIL")]),
    ("He is in Buffalo, New York.", [("Buffalo", "GPE"), ("New York", "GPE")]),
    ("To 480 Oak Street, Flint, MI 48502", [("480 Oak Street, Flint, MI 48502", "ADDRESS")]),
])  # fmt: skip
def test_what_once_did_not_fit_does(text, regions):
    spans = [
        Entity(label, text.index(part), text.index(part) + len(part)) for part, label in regions
    ]
    shares = measure_fit(spacy.blank("en"), [Gold(text, spans)] * 20, make_preset())
    counted = [share for share in shares.values() if share.pairs]
    assert counted and all(share.pairs == share.fitting for share in counted)


def test_the_command_prints_relations_and_no_text(tmp_path):
    rows = [
        {"text": gold.text, "ents": [(start, end, label) for label, start, end in gold.entities]}
        for gold in documents(40)
    ]
    gold = tmp_path / "gold.jsonl"
    srsly.write_jsonl(gold, rows)
    done = ok(run_dx("evaluate", str(gold), "--surrogates"))
    assert "city, state, postal code" in done.output and "1.000" in done.output
    assert "@" not in done.output
