"""Sanitise a corpus of .parquet files with Spark: each partition loads the pipeline once.

    python examples/spark_map_in_pandas.py corpus/ clean/ [--text text] [--keep id]

Needs: pip install "spacy-dxprivacy[arrow]" pyspark pandas, and Java. The corpus lies under the same
path on all nodes. Spark's executors hold the original texts, and may spill them: protect both.
"""

import argparse

import pyarrow as pa
import spacy
from pyspark.sql import SparkSession

from spacy_dxprivacy.integrations.table import sanitize_table


def pipeline():
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer")  # or spacy.load(...) of a pipeline of yours
    return nlp


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--text", default="text", help="the column to sanitise")
    parser.add_argument("--keep", nargs="*", default=[], help="columns to release in plaintext")
    given = parser.parse_args()
    text, keep = given.text, given.keep

    def sanitize(frames):
        nlp = pipeline()
        for frame in frames:
            table = pa.Table.from_pandas(frame, preserve_index=False)
            yield sanitize_table(nlp, table, text, keep=keep).to_pandas()

    spark = SparkSession.builder.appName("sanitize").getOrCreate()
    frame = spark.read.parquet(given.source).select(text, *keep)  # nothing else is sent to workers
    clean = frame.mapInPandas(sanitize, frame.schema)
    clean.write.parquet(given.target)  # once: each action on a lazy result is a further release
    spark.stop()


if __name__ == "__main__":
    main()
