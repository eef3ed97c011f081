"""Audit a mechanism: try to refute its guarantee, tier by tier."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ...config.code import import_code
from ...config.spacy_config import read_config
from ...errors import DxError, UsageError, quiet
from ...mechanisms.named import mechanism_config
from ...space import Space
from ...ty import Mechanism, facts_of
from ...validate import one_of
from ..mechanisms import make_unfitted
from .claims import INCONCLUSIVE, Finding, Report, claim_of
from .contest import cloud, contest_on_cloud, contest_on_plane, plane
from .tiers import AuditTrial, Effort, closed_form, exact, independence, noise_radius, sentences

ALPHA = 1e-4  # of the whole audit
NO_PROMISE = "It promises nothing, so there is nothing to refute."
EFFORTS = {
    "quick": Effort((16_000, 30, 21), (8_000, 30, 5), 10_000, (12, 4), (500, 20)),
    "medium": Effort((100_000, 12, 45), (1_000_000, 25, 30), 50_000, (40, 6)),
    "full": Effort((400_000, 45, 66), (4_000_000, 90, 40), 50_000, (120, 10)),
}
Tier = Callable[[AuditTrial], Finding | None]


def audit(
    mechanism: Mechanism,
    *,
    effort: str = "full",
    space: Space | None = None,
    seed: int | None = None,
    alpha: float = ALPHA,
) -> Report:
    """Try to refute the guarantee that a mechanism states.

    Args:
        mechanism: A copy of it is fitted on synthetic vocabularies.
        effort: "quick" (some seconds), "medium" (about one minute) or "full" (up to five).
        space: A further space for the exact tier, such as your own.
        seed: Repeats the draws, for tests.
        alpha: The probability that a sound mechanism is refuted by chance.

    Raises:
        DxError: For another effort. A tier is inconclusive if fit raises DxError.
    """
    one_of("effort", effort, tuple(EFFORTS))
    size, g = EFFORTS[effort], mechanism.guarantee
    if g.kind == "none" or not math.isfinite(g.epsilon):
        nothing = Finding("promise", INCONCLUSIVE, NO_PROMISE)
        return Report(mechanism.name, g.to_dict(), alpha, [nothing])
    unit = 1 / g.epsilon if g.kind == "metric-dp" else 1.0
    large = cloud(unit, *size.large)
    plan: list[tuple[str, Space, tuple[Tier, ...]]] = [
        ("plane", plane(unit), (exact, closed_form, independence, contest_on_plane)),
        (
            "black box",
            large,
            (exact, closed_form, noise_radius, sentences, independence, contest_on_cloud),
        ),
    ]
    if space is not None:
        plan.append(("own space", space, (exact, closed_form, sentences)))
    elif facts_of(mechanism).draws_sentences:
        # Sentences need a language, which synthetic vocabularies lack.
        plan.append(("sentences", Space.builtin(), (sentences,)))
    findings: list[Finding] = []
    for name, vocabulary, tiers in plan:
        with quiet():
            fitted = copy.deepcopy(mechanism)
            try:
                fitted.fit(vocabulary)
                claim = claim_of(fitted, vocabulary)
                problem = f"On {vocabulary.name}: {claim}."
            except DxError as error:
                problem = claim = f"It cannot be fitted on {vocabulary.name}: {error}"
            if isinstance(claim, str):
                findings.append(Finding(name, INCONCLUSIVE, problem))
                continue
            trial = AuditTrial(fitted, claim, vocabulary, size, seed, alpha / 2)
            for tier in tiers:
                start = time.perf_counter()
                finding = tier(trial)
                if finding is not None:
                    findings.append(replace(finding, seconds=time.perf_counter() - start))
    return Report(mechanism.name, g.to_dict(), alpha, findings)


def mechanism_of(
    config: Path, *, code: Path | None = None, epsilon: float | None = None
) -> Mechanism:
    """Make the mechanism of a config with one [mechanism] block, not fitted.

    code: a Python file that registers mechanisms, which is run. epsilon: replaces that of the
    config. Raise UsageError for no or several mechanisms, or code that fails; and what the
    mechanism and spaCy raise for wrong settings.
    """
    import_code(code)
    content = read_config(config)
    parts = [content, *(content.get("components") or {}).values()]
    blocks = [part["mechanism"] for part in parts if isinstance(part.get("mechanism"), dict)]
    if len(blocks) != 1:
        count = "no [mechanism] block" if not blocks else f"{len(blocks)} [mechanism] blocks"
        raise UsageError(f"{config}: it has {count}; expected one.")
    return make_unfitted(blocks[0], epsilon)


def mechanism_named(text: str, *, code: Path | None = None, epsilon: float | None) -> Mechanism:
    """Make an unfitted mechanism of a text of parse_mechanism. Raise as mechanism_of does."""
    import_code(code)
    return make_unfitted(mechanism_config(text, epsilon))
