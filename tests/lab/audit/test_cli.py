"""`dx audit mechanism`: configs in, verdicts out, mistakes in one line."""

import json
from functools import partial
from pathlib import Path

import pytest
from conftest import ok, run_dx

from spacy_dxprivacy.errors import UsageError
from spacy_dxprivacy.lab.audit.mechanism import mechanism_of

CONFIGS = Path(__file__).parents[3] / "configs"
LIAR = """
from lab.audit.doubles import ExcludesInput
from spacy_dxprivacy import registry

registry.dx_mechanisms("test.Excludes.v1", func=lambda epsilon: ExcludesInput(epsilon))
"""


run = partial(run_dx, "audit", "mechanism")


def test_a_sound_mechanism_ends_with_0_and_a_json():
    result = ok(run(CONFIGS / "tem.cfg", "--quick", "--epsilon", 2.0, "--json"))
    assert json.loads(result.output)["verdict"] == "not refuted"


def test_a_mechanism_of_ones_own_is_refuted_with_1(tmp_path):
    (tmp_path / "liar.py").write_text(LIAR)
    config = '[mechanism]\n@dx_mechanisms = "test.Excludes.v1"\nepsilon = 2.0\n'
    (tmp_path / "liar.cfg").write_text(config)
    result = run(tmp_path / "liar.cfg", "--code", tmp_path / "liar.py", "--quick")
    assert result.exit_code == 1, result.output
    assert result.output.startswith("test.Audited.v1: refuted")
    assert "pair:" in result.output and "event:" in result.output


def test_a_mistake_is_told_without_a_traceback(tmp_path):
    path = tmp_path / "x.cfg"
    mechanism = '[mechanism]\n@dx_mechanisms = "dx.Laplace.v1"\n'
    for text in (
        "no config",
        "[nlp]\nlang = 'en'",
        mechanism.replace("Laplace", "Nothing"),
        mechanism + "epsilon = -1",
        mechanism + "epsilonn = 1",
        mechanism + "epsilon = ${a.b}",
    ):
        path.write_text(text)
        result = run(path)
        assert result.exit_code == 2
        assert result.output.startswith("dx audit mechanism: ") and "Traceback" not in result.output
    assert run(tmp_path / "none.cfg").exit_code == 2
    for option in ("--code", "--space"):
        assert run(CONFIGS / "tem.cfg", option, tmp_path / "none").exit_code == 2
    (tmp_path / "bad.py").write_text("1/0")
    with pytest.raises(UsageError, match="ZeroDivisionError"):
        mechanism_of(CONFIGS / "tem.cfg", code=tmp_path / "bad.py")
