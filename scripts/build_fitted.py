"""What the slowest mechanism fits on the built-in space: half a minute of one core.

python scripts/build_fitted.py
"""

from __future__ import annotations

import time

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.space import BUILTIN, learned
from spacy_dxprivacy.space.learned import FITTED

MECHANISMS = ("dx.Diffractor.v1",)


def main() -> None:
    space = Space.builtin()
    for mechanism in MECHANISMS:
        start = time.process_time()
        registry.dx_mechanisms.get(mechanism)(epsilon=1.0).fit(space)
        print(f"{mechanism}: {time.process_time() - start:.1f} s of the processor", flush=True)
        for name, write in learned.writers(space).items():
            if name.startswith(FITTED):
                write(BUILTIN / name)


if __name__ == "__main__":
    main()
