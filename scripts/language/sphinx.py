"""Words and pairs of pocketsphinx's en-us.lm.bin (BSD) as an ARPA file.

pocketsphinx 5.1.1 dies while it writes triples, and the last bytes of its buffer are lost with it:
36 of 2,051,547 pairs, all of them with words from "zulu" on.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# Config and LogMath must outlive the model: without them every probability is read as 1 or 0.
WRITE = """
import sys
import pocketsphinx
config, logmath = pocketsphinx.Config(), pocketsphinx.LogMath()
model = pocketsphinx.get_model_path("en-us/en-us.lm.bin")
pocketsphinx.NGramModel(config, logmath, model).write(sys.argv[1], 1)
"""
LEAST_PAIRS = 2_051_000


def write_arpa(path: Path) -> None:
    """Raises RuntimeError where pocketsphinx wrote less than it should."""
    cut = path.with_suffix(".cut")
    subprocess.run([sys.executable, "-c", WRITE, str(cut)], check=False, stderr=subprocess.DEVNULL)
    lines = cut.read_bytes().split(b"\n")
    one, two = lines.index(b"\\1-grams:"), lines.index(b"\\2-grams:")
    words = [line for line in lines[one + 1 : two] if line]
    ends = lines.index(b"\\3-grams:") if b"\\3-grams:" in lines else len(lines) - 1
    pairs = [line for line in lines[two + 1 : ends] if line]
    if len(pairs) < LEAST_PAIRS:
        raise RuntimeError(f"{len(pairs)} pairs of pocketsphinx's model, too few")
    counts = b"ngram 1=%d\nngram 2=%d" % (len(words), len(pairs))
    parts = [b"\\data\\", counts, b"", b"\\1-grams:", *words, b"", b"\\2-grams:", *pairs, b""]
    path.write_bytes(b"\n".join([*parts, b"\\end\\", b""]))
    cut.unlink()
