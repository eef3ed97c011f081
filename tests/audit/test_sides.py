"""The time of a draw, and words that the space lacks."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from audit_doubles import made
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import Space
from spacy_dxprivacy.lab.audit.sides import MOST_SPREAD, distinguished, sides

CONFIG = Path(__file__).parents[2] / "configs" / "exponential.cfg"


@pytest.fixture(scope="module")
def space():
    X = np.random.default_rng(0).normal(size=(200, 8))
    return Space.from_vectors([f"w{i}" for i in range(200)], X)


def test_a_draw_that_waits_for_its_word_is_beyond_the_limit(space, monkeypatch):
    mechanism = made("dx.Exponential.v1", epsilon=2.0)
    found = sides(mechanism, space, words=10, draws=400)
    assert found.spread <= MOST_SPREAD and len(found.warm) == 3 and found.to_dict()["limits"]
    draw = type(mechanism).sample

    def slow(self, rows, rng, **more):
        end = time.process_time() + 0.003 * (int(np.asarray(rows)[0]) % 2)
        while len(np.asarray(rows)) == 1 and time.process_time() < end:
            pass
        return draw(self, rows, rng, **more)

    monkeypatch.setattr(type(mechanism), "sample", slow)
    worse = sides(mechanism, space, words=10, draws=400)
    assert worse.spread > MOST_SPREAD and not worse.within and "BEYOND" in worse.lines()[-1]


def test_equal_distributions_are_not_told_apart_and_others_are():
    some, other = np.random.default_rng(0).integers(1000, size=(2, 20_000))
    assert abs(distinguished(some, other) - 0.5) < 0.02
    assert distinguished(some // 2, other) == pytest.approx(0.75, abs=0.02)
    assert distinguished(some, other + 1000) == 1


def test_the_command(tmp_path, space):
    space.save(tmp_path / "space")
    given = ["dx", "audit", "sides", str(CONFIG), "--space", str(tmp_path / "space"), "--json"]
    done = CliRunner().invoke(app, given)
    payload = json.loads(done.stdout)
    assert done.exit_code == int(not payload["within"])
    assert payload["mechanism"] == "dx.Exponential.v1"
    assert CliRunner().invoke(app, [*given[:3], str(tmp_path / "none.cfg")]).exit_code == 2
