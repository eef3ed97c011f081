"""Unpack the archives of tasks in a folder: python scripts/unpack.py assets"""

import shutil
import sys
from pathlib import Path

folder = Path(sys.argv[1])
for path in sorted([*folder.glob("*.tar.gz"), *folder.glob("SimLex*.zip")]):
    shutil.unpack_archive(path, folder, **({"filter": "data"} if path.suffix == ".gz" else {}))
    print(f"{path}: unpacked")
