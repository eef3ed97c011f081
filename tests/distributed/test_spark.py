"""Spark DataFrames, and shards on Spark."""

from __future__ import annotations

import os
import shutil
import signal
import sys

import numpy as np
import pytest
from conftest import EXPONENTIAL, LAPLACE, UNKNOWN_SECRETS, leaks

from spacy_dxprivacy import DxError
from spacy_dxprivacy.integrations.distributed import Recipe, sanitize_dataframe, terms_of

from .corpus import DOCUMENTS, TEXT, check_law, check_survives, pa, pq, processes

pyspark = pytest.importorskip("pyspark", reason="needs the extra 'spark'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

pytestmark = [
    pytest.mark.slow,
    # Of Spark, about the version of pandas and what it leaves open.
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def spark_files(tmp_path_factory):
    """Where Spark puts its events and what it shuffles and spills, as it is."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="module")
def spark(spark_files):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "ui.enabled": False, "log.level": "ERROR", "local.dir": str(spark_files),
        "eventLog.enabled": True, "eventLog.dir": str(spark_files), "eventLog.compress": False,
        "shuffle.compress": False, "shuffle.spill.compress": False,
    }  # fmt: skip
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def config(file_space):
    return {"mechanism": EXPONENTIAL, "space": file_space}


def frame(spark, n, text):
    rows = [(i, text, UNKNOWN_SECRETS[0]) for i in range(n)]
    return spark.createDataFrame(rows, "id long, text string, `odd note` string").repartition(4)


def test_every_document_once_and_the_law_of_one_process(spark, config):
    rows = sanitize_dataframe(frame(spark, DOCUMENTS, TEXT), config).collect()
    check_law([row.asDict() for row in rows], config)


def test_columns_nulls_and_receipts(spark, config):
    result = sanitize_dataframe(
        frame(spark, 3, None), config, keep=["odd note"], receipts=True
    ).toPandas()
    assert result.columns[:2].tolist() == ["text", "odd note"] and len(result.columns) == 7
    assert result["text"].isna().all() and result["dx_draws"].isna().all()


def test_no_two_workers_share_a_noise_vector(spark, file_space):
    recipe = Recipe.of({"mechanism": LAPLACE, "space": file_space, "vectors": "noisy"})
    space = terms_of(recipe.load()).space

    def noise(number):
        """From the pipeline that sanitize_dataframe would use in this worker."""
        import time

        from spacy_dxprivacy.integrations.distributed.recipe import pipeline_of_worker

        time.sleep(0.5)  # so that both workers get some
        return os.getpid(), pipeline_of_worker(recipe, space)("dog " * 20).tensor.tolist()

    found = spark.sparkContext.parallelize(range(16), 16).map(noise).collect()
    Z = np.concatenate([z for _, z in found])
    assert len({pid for pid, _ in found}) > 1 and len(np.unique(Z, axis=0)) == 16 * 20


def test_what_fails_is_not_told(spark, config):
    refusing = {**config, "unknown": {"@dx_unknowns": "dx.Raise.v1"}}
    df = frame(spark, 8, f"the dog {UNKNOWN_SECRETS[0]}")
    assert sanitize_dataframe(df, refusing).count() == 0
    with pytest.raises(Exception, match="DX075") as caught:
        sanitize_dataframe(df, refusing, on_failure="raise").collect()
    # It holds the traceback of the worker, which is what Spark logs.
    assert "Traceback" in str(caught.value)
    assert not leaks(str(caught.getrepr()), UNKNOWN_SECRETS)


def test_events_and_what_is_shuffled_hold_no_text(spark, spark_files, config, tmp_path):
    secret = "Quibblezorn"  # of no other test
    pq.write_table(pa.table({"text": [f"the dog met {secret}"] * 8}), tmp_path / "in.parquet")
    df = spark.read.parquet(str(tmp_path / "in.parquet"))
    assert len(sanitize_dataframe(df, config).repartition(3).collect()) == 8
    refusing = {**config, "unknown": {"@dx_unknowns": "dx.Raise.v1"}}
    with pytest.raises(Exception, match="DX075"):
        sanitize_dataframe(df, refusing, on_failure="raise").repartition(3).collect()

    def written():
        return b"".join(p.read_bytes() for p in spark_files.rglob("*") if p.is_file())

    assert b"in.parquet" in written() and not leaks(written(), (secret,))
    df.repartition(3).collect()  # the control: this is where the clear text would be
    assert leaks(written(), (secret,))


def test_mistakes_are_found_before_anything_runs(spark, config):
    df = frame(spark, 1, "")
    for kwargs, code in [
        ({"column": "body"}, "DX070"),
        ({"keep": ["body"]}, "DX070"),
        ({"config": {**config, "seed": 1}}, "DX072"),
    ]:
        with pytest.raises(DxError, match=code):
            sanitize_dataframe(df, **{"config": config, **kwargs})


# -- shards --------------------------------------------------------------------------------------


def workers_of(driver):
    """The daemon of a session forks them."""
    daemons = {
        pid: parent
        for pid, (parent, title) in processes().items()
        if "pyspark.daemon" in title and os.getsid(pid) == driver
    }
    return [pid for pid, parent in daemons.items() if parent in daemons]


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
@pytest.mark.parametrize("victim", ["worker", "driver"])
def test_whoever_is_killed_every_document_comes_out_once(tmp_path, space_path, victim):
    def kill(driver):
        if victim == "worker":
            os.kill(workers_of(driver.pid)[0], signal.SIGKILL)
        else:
            os.killpg(driver.pid, signal.SIGKILL)

    how = ["--set=cluster.engine=spark", "--set=cluster.address=local[2]", "--space", space_path]
    check_survives(kill, tmp_path, *how)
