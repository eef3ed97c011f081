"""The audit of a mechanism: try to refute what it promises."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import DxError, DxWarning
from ...space import Space
from ...ty import Mechanism
from ...validate import one_of
from .black_box import Effort, cloud_pairs, contest, plane_pairs
from .claims import Claim, claim_of
from .exact import closed_form, exact
from .independence import independence
from .law import law
from .report import INCONCLUSIVE, Finding, Report
from .sentences import sentences
from .vocabularies import cloud, plane

ALPHA = 1e-4  # of the whole audit
NOTHING = "It promises nothing, so there is nothing to refute."
EFFORTS = {
    "quick": {"plane": Effort(16_000, 30, 21), "cloud": Effort(8_000, 30, 5), "law": 10_000,
              "sentences": (12, 4)},
    "medium": {"plane": Effort(100_000, 12, 45), "cloud": Effort(1_000_000, 25, 30), "law": 50_000,
               "sentences": (40, 6)},
    "full": {"plane": Effort(400_000, 45, 66), "cloud": Effort(4_000_000, 90, 40), "law": 50_000,
             "sentences": (120, 10)},
}  # fmt: skip
LARGE_QUICK = 500  # words of the large vocabulary in a quick audit


def audit(
    mechanism: Mechanism,
    *,
    effort: str = "full",
    space: Space | None = None,
    seed: int | None = None,
    alpha: float = ALPHA,
) -> Report:
    """Try to refute the guarantee that a mechanism states. It is fitted, as a copy, on vocabularies
    made for the audit.

    effort: "quick" (some seconds), "medium" (about one minute) or "full" (up to five). space: one
    more space for the exact tier, such as your own. seed: repeats the draws, for tests. alpha: the
    probability that a sound mechanism is refuted by chance.

    Raises DxError for another effort. A mechanism that raises DxError on a vocabulary (no solution
    for its settings) makes that tier inconclusive.
    """
    one_of("effort", effort, tuple(EFFORTS))
    guarantee = mechanism.guarantee
    if guarantee.kind == "none" or not math.isfinite(guarantee.epsilon):
        nothing = Finding("promise", INCONCLUSIVE, NOTHING)
        return Report(mechanism.name, guarantee.to_dict(), alpha, [nothing])
    findings = list(_findings(mechanism, effort, space, seed, alpha))
    return Report(mechanism.name, guarantee.to_dict(), alpha, findings)


def _findings(
    mechanism: Mechanism, effort: str, own: Space | None, seed: int | None, alpha: float
) -> Iterator[Finding]:
    how: Any = EFFORTS[effort]
    g = mechanism.guarantee
    unit = 1 / g.epsilon if g.kind == "metric-dp" else 1.0
    small = plane(unit)
    large = cloud(unit, LARGE_QUICK, 20) if effort == "quick" else cloud(unit)

    def on_plane(fitted: Mechanism, claim: Claim) -> Iterator[Finding | None]:
        yield from (exact(fitted, claim, small, seed), closed_form(fitted, claim, small))
        yield independence(fitted, small, how["law"], seed)
        yield contest("plane", fitted, claim, small, plane_pairs, how["plane"], alpha / 2, seed)

    def on_cloud(fitted: Mechanism, claim: Claim) -> Iterator[Finding | None]:
        yield from (exact(fitted, claim, large, seed), closed_form(fitted, claim, large))
        yield law(fitted, large, how["law"], seed)
        yield sentences(fitted, claim, large, how["sentences"], seed)
        yield independence(fitted, large, how["law"], seed)
        yield contest("black box", fitted, claim, large, cloud_pairs, how["cloud"], alpha / 2, seed)

    yield from _on("plane", mechanism, small, on_plane)
    yield from _on("black box", mechanism, large, on_cloud)
    if own is None and hasattr(type(mechanism), "draws_together"):
        # Sentences are of a language, which no made-up vocabulary has.
        english = Space.builtin()

        def on_english(fitted: Mechanism, claim: Claim) -> Iterator[Finding | None]:
            yield sentences(fitted, claim, english, how["sentences"], seed)

        yield from _on("sentences", mechanism, english, on_english)
    if own is not None:
        table = own

        def on_own(fitted: Mechanism, claim: Claim) -> Iterator[Finding | None]:
            yield from (exact(fitted, claim, table, seed), closed_form(fitted, claim, table))
            yield sentences(fitted, claim, table, how["sentences"], seed)

        yield from _on("own space", mechanism, own, on_own)


def _on(
    tier: str,
    mechanism: Mechanism,
    space: Space,
    tiers: Callable[[Mechanism, Claim], Iterator[Finding | None]],
) -> Iterator[Finding]:
    """The tiers of one vocabulary, on a copy of the mechanism that is fitted on it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        fitted = copy.deepcopy(mechanism)
        try:
            fitted.fit(space)
            claim = claim_of(fitted, space)
        except DxError as error:
            yield Finding(tier, INCONCLUSIVE, f"It cannot be fitted on {space.name}: {error}")
            return
        if isinstance(claim, str):
            yield Finding(tier, INCONCLUSIVE, f"On {space.name}: {claim}.")
            return
        yield from (finding for finding in tiers(fitted, claim) if finding is not None)
