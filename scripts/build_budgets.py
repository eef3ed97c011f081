"""The epsilon-beta tables of words drawn alone on the built-in space, for each preset and prior:
minutes each. And how far its words are apart under each preset: seconds (`--apart` does that
alone).

python scripts/build_budgets.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.metric.policy import APART, PRESETS, policy_graph
from spacy_dxprivacy.privacy.levels import measured_apart
from spacy_dxprivacy.sampler.calibration import CALIBRATION, learn
from spacy_dxprivacy.space import BUILTIN
from spacy_dxprivacy.space.tables import learned

PRIORS = ("dx.WordFrequency.v1", "dx.Uniform.v1")


def main() -> None:
    space = Space.builtin()
    table = {"space": space.digest, "policies": [*measured(space)]}
    (BUILTIN / APART).write_text(json.dumps(table, indent=2) + "\n", encoding="utf8")
    if "--apart" in sys.argv:
        return
    for policy in PRESETS:
        graph = policy_graph(space, PRESETS[policy], policy)
        for prior in PRIORS:
            learn(space, graph, registry.dx_priors.get(prior)().fit(space))
            for name, write in learned.writers(space).items():
                if name.startswith(CALIBRATION.kind):
                    write(BUILTIN / name)
            print(policy, prior, flush=True)


def measured(space: Space) -> Iterator[dict[str, Any]]:
    for policy in PRESETS:
        mechanism = registry.dx_mechanisms.get("dx.Path.v2")(0.5, policy=policy).fit(space)
        apart = measured_apart(mechanism, len(space))
        yield {"policy": asdict(PRESETS[policy]), "apart": apart}


if __name__ == "__main__":
    main()
