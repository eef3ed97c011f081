r"""Gaussian noise on clipped vectors (dx.Gaussian.v1).

Density   f(z) = N(0, sigma^2 I), on vectors clipped to norm C, so any two are 2C apart at most
Guarantee (epsilon, delta) for all pairs of words (approx-dp)
Use       for vectors under an (epsilon, delta) guarantee that adds up well over many words
Papers    Balle, Wang 2018 (arXiv 1805.06530), theorem 8 ("analytic"); Dwork, Roth 2014, theorem A.1
          ("classical", for epsilon < 1 alone: beyond it the formula fails)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from ..arrays import Floats2d, Ints1d
from ..guarantee import Guarantee
from ..privacy.gaussian import analytic_sigma, classical_sigma
from ..randomness import Rng
from ..registries import registry
from ..space import Space
from ..ty import Projection
from ..validate import between, fail, one_of, positive
from .base.noise import Noise, NoiseMechanism, clipped

SIGMAS = {"analytic": analytic_sigma, "classical": classical_sigma}


@registry.dx_mechanisms("dx.Gaussian.v1")
def make_gaussian(
    epsilon: float,
    delta: float = 1e-6,
    clip: float | None = None,
    calibration: str = "analytic",
    projection: Projection | None = None,
) -> NoiseMechanism:
    """epsilon: nats, above 0. delta: between 0 and 1. clip: the largest norm of a vector, longer
    ones are shortened to it; None takes the largest of the space. calibration: "analytic" (the
    least noise that there is) or "classical" (epsilon below 1). projection: dx.Nearest.v1 if None.
    """
    epsilon, delta = positive("epsilon", epsilon), between("delta", delta, 0.0, 1.0)
    clip = None if clip is None else positive("clip", clip)
    one_of("calibration", calibration, tuple(SIGMAS))
    if calibration == "classical" and epsilon >= 1:
        raise fail("epsilon", 'below 1 with calibration = "classical", which fails beyond', epsilon)
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        delta=delta,
        metric="discrete",
        adjacency="all pairs of words of the space",
        status="proven",
        source={
            "analytic": "Balle and Wang 2018, theorem 8",
            "classical": "Dwork and Roth 2014, theorem A.1",
        }[calibration],
        notes="Vectors are clipped before the noise; replacements are sought among clipped ones.",
    )
    unit = SIGMAS[calibration](epsilon, delta)
    return NoiseMechanism(
        "dx.Gaussian.v1", guarantee, partial(_build, unit=unit, clip=clip), projection
    )


def _build(space: Space, guarantee: Guarantee, *, unit: float, clip: float | None) -> Noise:
    centres, bound = clipped(space.vectors, clip)
    sigma = unit * 2 * bound
    noise = IsotropicNormal(centres.shape[1], sigma)
    return Noise(centres, noise, sigma, replace(guarantee, mu=1 / unit))


@dataclass(frozen=True)
class IsotropicNormal:
    """N(0, sigma^2 I) in d dimensions."""

    d: int
    sigma: float

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        return rng.normal((len(rows), self.d)) * self.sigma
