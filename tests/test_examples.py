"""The examples for Ray and Spark, as they stand: each row once, and nothing of a text beside it."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SECRET = "Zorblatt"
ROWS = 40
TIMEOUT = 300  # seconds, for a cluster to start on a busy machine


def there(package):
    return importlib.util.find_spec(package) is not None


has_java = shutil.which("java") is not None or "JAVA_HOME" in os.environ
PROGRAMS = [
    pytest.param("ray_map_batches.py", marks=pytest.mark.skipif(not there("ray"), reason="no Ray")),
    pytest.param(
        "spark_map_in_pandas.py",
        marks=pytest.mark.skipif(
            not (there("pyspark") and there("pandas") and has_java), reason="no Spark, or no Java"
        ),
    ),
]


@pytest.mark.slow
@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not beside the tests")
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_row_comes_out_once_and_no_secret(program, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (tmp_path / "in").mkdir()
    texts = [f"She slept well near {SECRET}."] * ROWS
    table = pa.table({"id": range(ROWS), "text": texts, "note": texts})
    for part in range(2):
        half = table.slice(part * ROWS // 2, ROWS // 2)
        pq.write_table(half, tmp_path / "in" / f"{part}.parquet")
    paths = [str(tmp_path / "in"), str(tmp_path / "out")]
    command = [sys.executable, str(EXAMPLES / program), *paths, "--keep", "id"]
    root = str(EXAMPLES.parent)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    env = {**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable,
           "RAY_USAGE_STATS_ENABLED": "0"}  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr[-3000:]
    assert SECRET not in done.stdout + done.stderr
    clean = pa.concat_tables(pq.read_table(p) for p in sorted((tmp_path / "out").glob("*.parquet")))
    assert sorted(clean.column_names) == ["id", "text"]
    assert sorted(clean["id"].to_pylist()) == list(range(ROWS))
    assert len(set(clean["text"].to_pylist())) > ROWS // 2  # drawn anew for each row
    assert not any(SECRET in text for text in clean["text"].to_pylist())
