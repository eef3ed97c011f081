"""The examples for Ray and Spark, as they stand: each row once, and nothing of a text beside it.

And the one that joins spaces.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import module_of, with_package

from spacy_dxprivacy import Space

EXAMPLES = Path(__file__).parents[2] / "examples"
SECRET = "Zorblatt"
ROWS = 40
TIMEOUT = 300  # seconds, for a cluster to start on a busy machine


def there(package):
    return importlib.util.find_spec(package) is not None


has_java = shutil.which("java") is not None or "JAVA_HOME" in os.environ
has_spark = there("pyspark") and there("pandas") and has_java
PROGRAMS = [
    pytest.param(name, marks=pytest.mark.skipif(not runs, reason="no Ray, Spark or Java"))
    for name, runs in (("ray_map_batches.py", there("ray")), ("spark_map_in_pandas.py", has_spark))
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
    env = with_package(PYSPARK_PYTHON=sys.executable, RAY_USAGE_STATS_ENABLED="0")
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr[-3000:]
    assert SECRET not in done.stdout + done.stderr
    clean = pa.concat_tables(pq.read_table(p) for p in sorted((tmp_path / "out").glob("*.parquet")))
    assert sorted(clean.column_names) == ["id", "text"]
    assert sorted(clean["id"].to_pylist()) == list(range(ROWS))
    assert len(set(clean["text"].to_pylist())) > ROWS // 2  # drawn anew for each row
    assert not any(SECRET in text for text in clean["text"].to_pylist())


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not beside the tests")
def test_own_words_are_joined_to_the_built_in_space():
    example = module_of(EXAMPLES / "join_spaces.py")
    builtin, rng = Space.builtin(), np.random.default_rng(0)
    # A part of the built-in space, turned and blurred, with 500 words beside it.
    d = builtin.vectors.shape[1]
    X = builtin.vectors[:3000] @ rng.normal(size=(d, 40)).astype(np.float32)
    new = X[1000:1500] + 0.1 * X.std() * rng.normal(size=(500, 40))
    words = [*builtin.words[:3000], *(f"zork{i}" for i in range(500))]
    space, found = example.join(Space.from_vectors(words, np.vstack([X, new]), name="own"))
    assert len(space) == len(builtin) + 500 and found > 0.5
    assert space.class_names == builtin.class_names and space.find("zork7") == len(builtin) + 7
    np.testing.assert_array_equal(space.vectors[: len(builtin)], builtin.vectors)
    nearest = ((space.vectors[:3000] - space.vectors[len(builtin)]) ** 2).sum(axis=1).argmin()
    assert abs(int(nearest) - 1000) < 2000
    with pytest.raises(SystemExit, match="0 shared"):
        example.join(Space.from_vectors([f"zork{i}" for i in range(9)], np.eye(9)))
