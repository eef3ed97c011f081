"""benchmarks/speed.py measures every mechanism that has a config, beside the product."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEED = ROOT / "benchmarks" / "speed.py"
pytestmark = pytest.mark.skipif(not SPEED.exists(), reason="the benchmarks are not packed")


@pytest.mark.slow
def test_a_quick_run_measures_every_config_and_both_indexes():
    command = [sys.executable, str(SPEED), "--sizes", "500", "--seconds", "0.05"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "failed" not in done.stdout, done.stdout + done.stderr
    lines = done.stdout.splitlines()[1:]
    sentences = {"path_v2", "clinical", "entities"}  # measured elsewhere
    configs = {path.stem for path in (ROOT / "configs").glob("*.cfg")} - sentences
    assert {line.partition("(")[2].partition(")")[0] for line in lines} - {""} == configs
    exact, faiss = (line.split(" | ") for line in lines if "(laplace)" in line)
    assert (exact[1], faiss[1]) == ("dx.Exact.v1", "dx.Faiss.v1")
    assert exact[-1] == "1" and float(faiss[-1]) > 0.99
