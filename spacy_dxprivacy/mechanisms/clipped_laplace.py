r"""Independent Laplace noise on clipped vectors (dx.ClippedLaplace.v1).

Density   f(z) = prod_i exp(-|z_i| / b) / 2b, b = 2 sqrt(d) C / epsilon, on vectors clipped to norm
          C: any two are 2 sqrt(d) C apart at most in the sum of their coordinates
Guarantee epsilon for all pairs of words (approx-dp with delta = 0)
Use       as a baseline; dx.Laplace.v1 does the same with less noise
Paper     Dwork, McSherry, Nissim, Smith 2006, theorem 1; the baseline of Huang et al. 2024

dx.Laplace.v1 at epsilon / 2C gives the same promise with sqrt(2) times less noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..guarantee import Guarantee
from ..randomness import Rng
from ..registries import registry
from ..space import Space
from ..ty import Projection
from ..validate import positive
from .base.noise import Noise, NoiseMechanism, clipped


@registry.dx_mechanisms("dx.ClippedLaplace.v1")
def make_clipped_laplace(
    epsilon: float, clip: float | None = None, projection: Projection | None = None
) -> NoiseMechanism:
    """epsilon: nats, above 0. clip: the largest norm of a vector; None takes the largest of the
    space. projection: dx.Nearest.v1 if None."""
    epsilon = positive("epsilon", epsilon)
    clip = None if clip is None else positive("clip", clip)
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        metric="discrete",
        adjacency="all pairs of words of the space",
        status="proven",
        source="Dwork et al. 2006, the Laplace mechanism, with L1 sensitivity 2 sqrt(d) clip",
        notes="Vectors are clipped before the noise; replacements are sought among clipped ones.",
    )
    build = partial(_build, epsilon=epsilon, clip=clip)
    return NoiseMechanism("dx.ClippedLaplace.v1", guarantee, build, projection)


def _build(space: Space, guarantee: Guarantee, *, epsilon: float, clip: float | None) -> Noise:
    centres, bound = clipped(space.vectors, clip)
    d = centres.shape[1]
    scale = float(2 * np.sqrt(d) * bound / epsilon)
    return Noise(centres, _Laplace(d, scale), scale * np.sqrt(2), guarantee)


@dataclass(frozen=True)
class _Laplace:
    d: int
    scale: float

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        return rng.laplace((len(rows), self.d)) * self.scale
