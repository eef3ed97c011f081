"""Without the extras: everything else works, and what does not says which one it wants."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
for name in ("pyarrow", "ray", "pyspark"):
    sys.modules[name] = None
from pathlib import Path
from spacy.cli._util import app
from typer.testing import CliRunner
import spacy_dxprivacy.cli  # adds the commands
import spacy_dxprivacy.integrations.distributed as d

for function in (d.sanitize_dataset, d.sanitize_dataframe):
    try:
        function(None, {})
    except ValueError as error:
        print(error)
Path("a.jsonl").write_text('{"text": "the dog"}')
Path("a.parquet").write_bytes(b"")
for name in ("a.jsonl", "a.parquet"):
    done = CliRunner().invoke(app, ["dx", "sanitize", name, "out", "--set", "cluster.engine=local"])
    print(done.exit_code, done.stderr.splitlines()[-1])
"""


@pytest.mark.slow
def test_each_function_names_the_extra_it_wants(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", CODE]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=240)
    lines = done.stdout.splitlines()
    assert len(lines) == 4, done.stderr
    assert "spacy-dxprivacy[ray]" in lines[0] and "spacy-dxprivacy[spark]" in lines[1]
    assert lines[2].startswith("0 ") and "spacy-dxprivacy[arrow]" in lines[3]
