"""`dx tune --entities` and `dx inspect --entities`: what is left, and what an epsilon is there."""

import json
import math

import pytest
from typer.testing import CliRunner

from spacy_dxprivacy import Rng
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.lab.tuning.entity_mode import (
    date_laws,
    names_in,
    number_laws,
)
from spacy_dxprivacy.surrogates.date_shift import make_date_shift
from spacy_dxprivacy.surrogates.streams import Secure

NOTE = "Dr. Maria Lopez <saw> Mr. John Smith on March 5, 2023. Smith left on 03/12/2023.\n"


def dx(*arguments):
    return CliRunner().invoke(dx_cli, [str(argument) for argument in arguments])


@pytest.fixture
def note(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text(NOTE)
    return path


@pytest.mark.parametrize(("law", "how"), [
    (next(date_laws([0.1], [])), {"epsilon": 0.1}),
    (next(date_laws([], [30])), {"window": 30}),
])  # fmt: skip
def test_the_figures_of_dates_are_those_of_what_is_drawn(law, how):
    surrogate, stream = make_date_shift(**how), Secure(Rng(seed=1))
    days = [abs(surrogate.shift(stream)) for _ in range(4000)]
    assert law.stays == pytest.approx(surrogate.days_stay)
    assert sum(days) / len(days) == pytest.approx(law.mean, rel=0.1)
    assert sum(d <= 7 for d in days) / len(days) == pytest.approx(law.in_a_week, abs=0.04)
    assert 0.93 < sum(d <= law.most for d in days) / len(days) <= 1
    assert sum(d < law.most for d in days) / len(days) < 0.96


def test_numbers_keep_closer_with_more_epsilon():
    laws = list(number_laws(Rng(seed=1)))
    widths = [law.high - law.low for law in laws]
    assert widths == sorted(widths, reverse=True) and laws[-1].stays > laws[0].stays
    assert not math.isnan(laws[0].low)


def test_tuning_entities_prints_figures_and_no_word(note, tmp_path, space_path):
    out = tmp_path / "left.json"
    labels = ["--entities", "person,date", "--text", note]
    done = dx("tune", *labels, "-e", "0.01,0.1", "--json", out, "--space", space_path)
    assert done.exit_code == 0, done.output
    assert not any(word in done.output for word in ("Maria", "Lopez", "Smith", "March"))
    for told in ("0 of 1 texts", "epsilon 0.01", "nats per day", "What is left"):
        assert told in done.output
    told = json.loads(out.read_text())
    assert [left["setting"] for left in told["left"]] == ["standard", "none"]
    assert told["left"][0]["readable"] == 0 and told["left"][0]["counts"]["PERSON"]["found"] == 3
    assert "Lopez" not in out.read_text()


def test_what_showed_originals_is_named_by_what_there_is_instead(note):
    done = dx("inspect", "--entities", "person", "--text", note)
    assert done.exit_code == 2 and "run.preview=5" in done.stderr
    assert names_in([]) == frozenset()
