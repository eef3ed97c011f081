"""Record what configurations release now:  python -m tests.golden.record [NAME ...]

Without a name, all of them. It prints which sections of which records changed. What is recorded
changes in a commit of its own, whose message says why.
"""

import sys

import spacy_dxprivacy.pipeline.component  # noqa: F401  (its factories)

from .configurations import CONFIGURATIONS
from .harness import RECORDED, differences, path_of, read, run, write


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(names):
    unknown = sorted(set(names) - set(CONFIGURATIONS))
    if unknown:
        sys.exit(f"no configuration {', '.join(unknown)}")
    RECORDED.mkdir(exist_ok=True)
    for name in names or CONFIGURATIONS:
        record = run(name)
        changed = differences(read(name), record)
        if changed:
            new = not path_of(name).exists()
            write(name, record)
            say(f"{name}: {'new' if new else changed[0]}")
    if not names:
        for path in RECORDED.glob("*.json"):
            if path.stem not in CONFIGURATIONS:
                path.unlink()
                say(f"{path.stem}: removed")


if __name__ == "__main__":
    main(sys.argv[1:])
