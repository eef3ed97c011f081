"""What the README shows is what happens."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from thinc.api import Config

from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"

if not README.exists():
    pytest.skip("the README is not beside the tests here", allow_module_level=True)
TEXT = README.read_text(encoding="utf8")


@pytest.mark.slow
def test_the_python_examples_run_one_after_another(tmp_path):
    code = "\n".join(re.findall(r"```python\n(.*?)```", TEXT, re.S))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_config_example_is_part_of_a_config():
    (block,) = re.findall(r"```ini\n(.*?)```", TEXT, re.S)
    config = Config().from_str("[components]\n" + block)["components"]["dx_sanitizer"]
    assert config.pop("factory") == "dx_sanitizer"
    spacy.blank("en").add_pipe("dx_sanitizer", config=config)


def test_the_default_epsilon_is_that_of_the_readme():
    assert f"{DEFAULT_CONFIG['mechanism']['epsilon']} nats per unit" in TEXT


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target
