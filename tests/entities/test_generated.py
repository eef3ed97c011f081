"""The marked text that the recogniser learns from, as its training makes it."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
WORDS = "Mira called the harbour office while the north office sent the report over to Mira".split()
TEXT = " ".join(WORDS)
NAMED, BESIDE = {0, 1, 7, 8, 14}, {2, 6, 9, 13}  # words of names, and those beside them
SPANS = [
    ("PERSON", 0, len("Mira called")),
    ("ORG", TEXT.index("north"), TEXT.index("north office") + len("north office")),
    ("PERSON", TEXT.rindex("Mira"), len(TEXT)),
]


@pytest.fixture
def generate(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    import recogniser.generate as module

    yield module
    for name in [n for n in sys.modules if n.split(".")[0] in ("recogniser", "builtin_space")]:
        del sys.modules[name]


@pytest.fixture
def writer(generate):
    words = {n: generate._items(lines) for n, lines in generate.sections("words.txt").items()}
    plain = frozenset(TEXT.lower().split())
    lists = SimpleNamespace(
        plain=plain, words=words, common=["harbour"], rare=["waybill"], peoples=["Dane"]
    )
    return generate.Writer(lists, [], 1)


def test_capitals_are_put_on_words_away_from_names_alone(writer):
    changed = set()
    for _ in range(60):
        text, spans = writer.with_capitals((TEXT, SPANS))
        assert spans == SPANS
        assert text.lower() == TEXT.lower()
        changed |= {i for i, word in enumerate(text.split()) if word != WORDS[i]}
    assert changed == set(range(len(WORDS))) - NAMED - BESIDE


def test_every_slot_of_every_template_can_be_filled(generate, writer):
    lines = [line for lines in writer.registers.values() for line in lines]
    slots = {found for line in lines for found in re.findall(r"\{(#|\w+)\}", line)}
    names = {slot if len(slot) > 1 else slot.upper() for slot in slots}
    assert names <= writer.slots.keys()
    assert all(len(slot) == 1 for slot in generate.LABELS)


@pytest.mark.parametrize("slot", ["thing", "software", "degrees", "status", "key", "goods"])
def test_what_has_capitals_and_is_no_name_has_no_label(writer, slot):
    text, spans = writer.fill(f"Ask {{{slot}}} about {{{slot}}}.")
    assert spans == []
    assert "{" not in text
    assert "<" not in text
