"""Ray Data, and shards on a Ray cluster of two nodes."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import EXPONENTIAL, LAPLACE, UNKNOWN_SECRETS, leaks

from spacy_dxprivacy import DxError
from spacy_dxprivacy.integrations.distributed import Recipe, sanitize_dataset, terms_of

from .corpus import DOCUMENTS, TEXT, check_law, check_survives, pa, processes

ray = pytest.importorskip("ray", reason="needs the extra 'ray'")
pytest.importorskip("ray.data", reason="needs the extra 'ray'")

pytestmark = [
    pytest.mark.slow,
    # Of Ray, which leaves pipes and files to the end of the process.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
NODE = {"num_cpus": 2, "object_store_memory": 10**8}


@pytest.fixture(scope="module")
def cluster():
    """Two nodes. Actors that take all cores leave none to repartition a dataset with."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    cluster.add_node(**NODE)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def config(file_space):
    return {"mechanism": EXPONENTIAL, "space": file_space}


def dataset(n, text, blocks=8):
    rows = {"id": np.arange(n), "text": [text] * n, "note": [UNKNOWN_SECRETS[0]] * n}
    return ray.data.from_arrow(pa.table(rows)).repartition(blocks)


def test_every_document_once_and_the_law_of_one_process(cluster, config):
    result = sanitize_dataset(dataset(DOCUMENTS, TEXT), config, workers=2, batch_size=32)
    check_law(result.materialize().take_all(), config)


def test_no_two_workers_share_a_noise_vector(cluster, file_space):
    recipe = Recipe.of({"mechanism": LAPLACE, "space": file_space, "vectors": "noisy"})
    space = terms_of(recipe.load()).space

    class Noisy:
        """What the actors of sanitize_dataset load, with their noise shown."""

        def __init__(self):
            from spacy_dxprivacy.integrations.distributed.recipe import pipeline_of_worker

            self.nlp = pipeline_of_worker(recipe, space)

        def __call__(self, batch):
            time.sleep(0.5)  # so that both get some
            docs = list(self.nlp.pipe(["dog " * 10] * len(batch["id"])))
            return {"pid": [os.getpid()] * len(docs), "z": [doc.tensor.ravel() for doc in docs]}

    pool = ray.data.ActorPoolStrategy(size=2)
    rows = dataset(64, "").map_batches(Noisy, compute=pool, batch_size=4).take_all()
    Z = np.concatenate([row["z"] for row in rows])
    assert len({row["pid"] for row in rows}) == 2
    assert len(np.unique(Z.reshape(64 * 10, -1), axis=0)) == 64 * 10


def test_what_fails_is_in_no_log(cluster, config):
    refusing = {**config, "unknown": {"@dx_unknowns": "dx.Raise.v1"}}
    ds = dataset(8, f"the dog {UNKNOWN_SECRETS[0]}", blocks=2)
    assert sanitize_dataset(ds, refusing).count() == 0
    with pytest.raises(Exception, match="DX075") as caught:
        sanitize_dataset(ds, refusing, workers=1, on_failure="raise").take_all()
    assert not leaks(str(caught.getrepr()), UNKNOWN_SECRETS)
    logs = Path(ray._private.worker._global_node.get_logs_dir_path())
    told = b"".join(path.read_bytes() for path in logs.rglob("*") if path.is_file())
    assert b"DX075" in told and not leaks(told, UNKNOWN_SECRETS)


def test_a_seed_is_refused_before_anything_runs(config):
    with pytest.raises(DxError, match="DX072"):
        sanitize_dataset(None, {**config, "seed": 1})


# -- shards --------------------------------------------------------------------------------------


def workers_of(cluster):
    nodes = [cluster.head_node, *cluster.worker_nodes]
    raylets = {info.process.pid for node in nodes for info in node.all_processes["raylet"]}
    return [
        pid
        for pid, (parent, title) in processes().items()
        if parent in raylets and title.startswith("ray::_sanitize_shard")
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
@pytest.mark.parametrize("victim", ["worker", "node", "driver"])
def test_whoever_is_killed_every_document_comes_out_once(cluster, tmp_path, space_path, victim):
    def kill(driver):
        if victim == "worker":
            os.kill(workers_of(cluster)[0], signal.SIGKILL)
        elif victim == "node":
            cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)
            cluster.add_node(**NODE)
        else:
            driver.kill()

    names = {"engine": "ray", "address": cluster.address, "workers": 2}
    how = [f"--set=cluster.{name}={value}" for name, value in names.items()]
    check_survives(kill, tmp_path, *how, "--space", space_path)
