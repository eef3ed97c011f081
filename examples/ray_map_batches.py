"""Sanitise a corpus of .parquet files with Ray: each actor loads the pipeline once.

    python examples/ray_map_batches.py corpus/ clean/ [--text text] [--keep id]

Needs: pip install "spacy-dxprivacy[arrow]" "ray[data]". The corpus lies under the same path on all
nodes. Ray's object store holds the original texts, and spills them to /tmp/ray: protect both.
"""

import argparse

import ray
import spacy

from spacy_dxprivacy.integrations.table import sanitize_table


class Sanitizer:
    """What an actor does with each batch, which is an Arrow table."""

    def __init__(self, text, keep):
        self.nlp = spacy.blank("en")
        self.nlp.add_pipe("dx_sanitizer")  # or spacy.load(...) of a pipeline of yours
        self.text, self.keep = text, keep

    def __call__(self, table):
        return sanitize_table(self.nlp, table, self.text, keep=self.keep)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--text", default="text", help="the column to sanitise")
    parser.add_argument("--keep", nargs="*", default=[], help="columns to release in plaintext")
    # Fewer than there are cores: tasks that read and write need one as well, or all wait for ever.
    parser.add_argument("--workers", type=int, default=1, help="actors; leave a core without one")
    given = parser.parse_args()
    clean = ray.data.read_parquet(given.source).map_batches(
        Sanitizer,
        fn_constructor_args=(given.text, given.keep),
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=given.workers),
    )
    clean.write_parquet(given.target)  # once: each run of a lazy data set is a further release


if __name__ == "__main__":
    main()
