"""RAT-Bench (imperial-aisp/rat-bench): add the field that its attackers read.

    python examples/boards/rat_bench.py benchmark/level_1.jsonl out/level_1.jsonl \
        --entities person,date,gpe,address,org,email,phone,url,id --model rules,network

A line of the benchmark has `id`, `text`, `features`, `scenario` and the profile of a person. An
anonymiser of the name NAME adds `text_anon_NAME`, and nothing else is needed of it: run the attack
of their repository with `--data_path out --results_path out --anon_methods dx`. Each option after
the files is one of `dx sanitize`. The file holds the originals too, as the benchmark does: these
persons are invented.

The format is that of pii_benchmark/anonymize.py and attack.py at commit 1a80fe28.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FIELD = "text_anon_dx"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benchmark", type=Path, help="level_N.jsonl")
    parser.add_argument("submission", type=Path, help="the same with text_anon_dx")
    given, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        with given.benchmark.open(encoding="utf8") as lines, rows.open("w", encoding="utf8") as out:
            for row in map(json.loads, filter(str.strip, lines)):
                out.write(json.dumps({**row, FIELD: row["text"]}) + "\n")
        given.submission.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "spacy", "dx", "sanitize", rows, given.submission]
        done = subprocess.run([*command, "--field", FIELD, *options])
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
