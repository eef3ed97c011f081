r"""Truncated Laplace noise on clipped vectors (dx.TruncatedLaplace.v1).

Density   f(z) = prod_i exp(-a |z_i|) / B on [-A, A]^d, B = 2 (1 - exp(-a A)) / a,
          a = epsilon / Delta_1, Delta_1 = 2 sqrt(d) C, on vectors clipped to norm C
Guarantee "sound": (epsilon, delta) for all pairs of words (approx-dp), met with equality.
          "paper": refuted. The published proof bounds the volume of S_2 \ S_1, two boxes that are
          shifted against each other, by that of a small cube; leaving through one coordinate is
          enough. The true delta is computed below, for the user's own d, clip and epsilon.
          clip "none": refuted, as the public code runs it (C = .005): no word reaches another's box
Use       to study the paper; sound or not, it gains nothing over dx.Laplace.v1
Paper     Huang et al. 2024 (EMNLP, arXiv 2410.08027), theorem 3; in one dimension Geng et al. 2020

Noisy vectors go to the nearest of the clipped vectors, where the paper's equation 2 has the
unclipped ones: that is post-processing, and changes no guarantee.

Within both supports the ratio of densities is at most exp(a ||v||_1) <= exp(epsilon), so delta is
the probability of leaving the other support: 1 - prod_i (1 - t(|v_i|)), with
t(v) = (exp(a v) - 1) / (2 (exp(a A) - 1)), at the worst v with ||v||_2 <= 2C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.search.faiss_index import l1_distances
from ..ty import LogDensities, Projection
from ..validate import between, one_of, positive, whole
from .noise import Clip, Noise, NoiseMechanism, make_clip

ANGLES = 2001
ROUNDED = 2.0**-9  # share of the bound by which rounding to the grid may exceed it
LESS = "dx.Laplace.v1 at epsilon / (2 clip) needs no delta, and mostly less noise."
PAPER = "The published proof is wrong: the volume that it bounds is that of a shell, not of a cube."


@registry.dx_mechanisms("dx.TruncatedLaplace.v1")
def make_truncated_laplace(
    epsilon: float,
    delta: float | None = None,
    clip: float | str | None = None,
    norm: float | None = None,
    calibration: str = "sound",
    dims: int | None = None,
    projection: Projection | None = None,
) -> NoiseMechanism:
    """Create truncated Laplace noise on clipped vectors.

    With "paper", fit raises DxError if epsilon >= 2 delta^(1/dims) sqrt(dims): then the formula
    has no solution.

    Args:
        epsilon: Nats, above 0.
        delta: Between 0 and 1; None is 1e-6 for "sound" and 4^-dims for "paper".
        clip: Norm to which longer vectors are shortened; None is the largest of the space.
            "none" shortens nothing, and refutes the guarantee.
        norm: With clip "none" alone: the norm C that the noise is calibrated to, above 0.
        calibration: "sound" or "paper".
        dims: The dummy dimensions of the paper, at least d; None is d itself.
        projection: From noisy vectors to words; dx.Nearest.v1 if None.
    """
    epsilon = positive("epsilon", epsilon)
    delta = None if delta is None else between("delta", delta, 0.0, 1.0)
    bounded = make_clip(clip, norm)
    one_of("calibration", calibration, ("sound", "paper"))
    dims = None if dims is None else whole("dims", dims, least=1)
    sound = calibration == "sound"
    by_default = 1e-6 if sound else 0.0
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        delta=by_default if delta is None else delta,
        metric="discrete",
        covers="all",
        status="proven" if sound else "refuted",
        source="Overlap of the two supports, computed for the worst shift; d = 1: Geng 2020"
        if sound
        else "Huang et al. 2024, theorem 3",
        notes=LESS if sound else PAPER,
    )
    builder = partial(build, delta=delta, clip=bounded, calibration=calibration, dims=dims)
    guarantee = bounded.restrict(guarantee)
    return NoiseMechanism("dx.TruncatedLaplace.v1", guarantee, builder, projection=projection)


def build(
    space: Space,
    guarantee: Guarantee,
    *,
    delta: float | None,
    clip: Clip,
    calibration: str,
    dims: int | None,
) -> Noise:
    centres, bound = clip(space.vectors)
    d, epsilon = centres.shape[1], guarantee.epsilon
    if calibration == "sound":
        rate = float(epsilon / (2 * np.sqrt(d) * bound))
        width = sound_width(epsilon, guarantee.delta, d)
        noise = TruncatedLaplaceNoise(d, rate, float(width / rate))
        spread = float(np.sqrt(noise.variance()))
        share = spread * rate / np.sqrt(2)
        notes = f"This is {share:.1%} of the noise of dx.ClippedLaplace.v1, which has no delta."
        guarantee = replace(guarantee, notes=f"{notes} {guarantee.notes}")
        return _noise_about(centres, noise, spread, guarantee)
    dims = d if dims is None else dims
    if dims < d:
        why = f"dims must be at least the {d} dimensions of the space, and it is {dims}"
        raise DxError(Errors.DX005.format(name="dx.TruncatedLaplace.v1", why=why))
    log_delta = -dims * np.log(4) if delta is None else float(np.log(delta))
    width = paper_width(epsilon, log_delta, dims)
    rate = float(epsilon / (2 * np.sqrt(dims) * bound))
    true = np.exp(log_worst_delta(epsilon, width, d, dims))
    notes = (
        f"{guarantee.notes} It claims delta = 10^{log_delta / np.log(10):.1f}; for these {d} "
        f"dimensions and this epsilon the true delta is {true:.2g} at the worst pair of vectors up "
        "to C long, for every epsilon, since the supports differ."
    )
    noise = TruncatedLaplaceNoise(d, rate, float(width / rate))
    guarantee = replace(guarantee, delta=float(np.exp(log_delta)), notes=notes)
    spread = float(np.sqrt(noise.variance()))
    return _noise_about(centres, noise, spread, guarantee)


def _noise_about(
    centres: Floats2d, noise: TruncatedLaplaceNoise, spread: float, guarantee: Guarantee
) -> Noise:
    densities = noise.log_densities
    return Noise(centres, noise, spread, guarantee, delta=noise.delta, log_densities=densities)


@dataclass(frozen=True)
class TruncatedLaplaceNoise:
    """Independent coordinates with density exp(-rate |z|) / B on [-bound, bound]."""

    d: int
    rate: float
    bound: float

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        """Sample by inverse CDF: the time of rejection sampling would depend on the settings."""
        Z, signs = rng.uniform(2 * len(rows) * self.d).reshape(2, len(rows), self.d)
        Z *= np.expm1(-self.rate * self.bound)
        np.log1p(Z, out=Z)
        signs -= 0.5
        np.copysign(Z, signs, out=Z)
        Z /= -self.rate
        return Z

    def delta(self, X: Floats2d, Y: Floats2d, outputs: Ints1d, epsilons: Floats2d) -> Floats2d:
        """Return 1 - prod_i (1 - t(|v_i|)), float64 (k, m), for centres X (k, d) and Y (m, d): the
        probability of leaving the other support; equal at all epsilons from rate ||v||_1 on, and
        a bound from below before, where only vectors that are not clipped come."""
        width = self.rate * self.bound
        with np.errstate(divide="ignore"):
            stay = [np.log1p(-_leave(self.rate * np.abs(Y - x), width)).sum(axis=1) for x in X]
        deltas: Floats2d = -np.expm1(np.stack(stay))
        return deltas

    def log_densities(self, X: Floats2d, rows: Ints1d) -> LogDensities:
        """Return a function of vectors Z (k, d): ln of their densities about centres X (m, d), up
        to a constant, float32 (k, m)."""
        columns, bound = X.T.astype(np.float64), self.bound * (1 + ROUNDED)

        def logs(Z: Floats2d) -> Floats2d:
            densities = l1_distances(Z, X, factor=-self.rate)
            # Few vectors are beyond the bound of any centre, and in few coordinates.
            for column, z in zip(columns, Z.T.astype(np.float64), strict=True):
                low, high = z - bound, z + bound
                some = np.flatnonzero((column.min() < low) | (column.max() > high))
                beyond = (column < low[some, None]) | (column > high[some, None])
                vectors, centres = np.nonzero(beyond)
                densities[some[vectors], centres] = -np.inf
            return densities

        return logs

    def variance(self) -> float:
        """Return the variance of a coordinate (Huang et al. 2024, equation 6, corrected)."""
        from scipy.special import gammainc

        # The published form loses digits for small a A; this is the same integral.
        width = self.rate * self.bound
        return float(2 * gammainc(3, width) / -np.expm1(-width) / self.rate**2)


def paper_width(epsilon: float, log_delta: float, dims: int) -> float:
    """Return a A of the paper: -ln(1 - epsilon / (2 delta^(1/dims) sqrt(dims)))."""
    share = epsilon / (2 * np.exp(log_delta / dims) * np.sqrt(dims))
    if share >= 1:
        why = (
            f"epsilon must be below 2 delta^(1/dims) sqrt(dims) = {epsilon / share:.6g}, "
            f"and it is {epsilon:g}. Raise dims, as the paper does, or use calibration = 'sound'."
        )
        raise DxError(Errors.DX005.format(name="dx.TruncatedLaplace.v1", why=why))
    return float(-np.log1p(-share))


def sound_width(epsilon: float, delta: float, d: int) -> float:
    """Return the least a A whose worst delta is delta. For epsilon <= sqrt(d) it is
    ln(1 + (exp(epsilon/d) - 1) / (2 (1 - (1 - delta)^(1/d))))."""
    from scipy.optimize import brentq

    # From 1/2 on, the worst shift may have another form; a smaller delta is valid as well.
    delta = min(delta, 0.499)

    def excess(log_width: float) -> float:
        return log_worst_delta(epsilon, float(np.exp(log_width)), d, d) - float(np.log(delta))

    low, high = np.log(epsilon / d) - 50.0, np.log(epsilon + np.log(d / delta) + 10.0)
    return float(np.exp(brentq(excess, low, high, xtol=1e-13, rtol=1e-13)))


def log_worst_delta(epsilon: float, width: float, d: int, dims: int) -> float:
    """Return ln of the true delta of noise on d coordinates with a A = width and
    a = epsilon / (2 sqrt(dims) C), at the worst pair of vectors clipped to C.

    With s_i = v_i^2, -ln(1 - t) is first concave in s and then convex, as far as v = A: the worst
    shift has one large coordinate at most, and the others equal. The large one is searched on a
    grid of its angle, then on a finer one around the best. (Shifts beyond A have a delta above 1/2;
    there this is the delta of one such pair, and may not be the largest.)
    """
    angles = np.linspace(np.arcsin(np.sqrt(1 / d)), np.pi / 2, ANGLES if d > 1 else 1)
    reach = epsilon / np.sqrt(dims)  # a ||v||_2 at the worst
    log_stay = _log_stay(angles, reach, width, d)
    best = int(np.argmin(log_stay))
    around = np.linspace(angles[max(best - 1, 0)], angles[min(best + 1, len(angles) - 1)], ANGLES)
    worst = min(float(log_stay[best]), float(_log_stay(around, reach, width, d).min()))
    with np.errstate(divide="ignore"):
        return float(np.log(-np.expm1(worst)))


def _log_stay(angles: Floats1d, reach: float, width: float, d: int) -> Floats1d:
    """Return ln prod_i (1 - t(v_i)), one coordinate being reach sin(angle) and d - 1 equal."""
    large = _leave(reach * np.sin(angles), width)
    equal = _leave(reach * np.cos(angles) / np.sqrt(max(d - 1, 1)), width)
    with np.errstate(divide="ignore"):
        stay: Floats1d = np.log1p(-large)
        return stay + (d - 1) * np.log1p(-equal) if d > 1 else stay


def _leave(shift: Floats1d, width: float) -> Floats1d:
    """Return t: the probability that a coordinate leaves the other support, for a v = shift."""
    inside = np.minimum(shift, width)
    within = np.exp(inside - width) * np.expm1(-inside) / (2 * np.expm1(-width))
    # Beyond a v = a A the other support lacks the centre; beyond 2 a A the two are disjoint.
    past = np.clip(shift - width, 0, width)
    out: Floats1d = np.minimum(within + np.expm1(-past) / (2 * np.expm1(-width)), 1.0)
    return out
