"""From a promise to the strength of a choice that keeps it."""

from __future__ import annotations

from collections.abc import Callable


def solved_beta(exact: Callable[[float], float], epsilon: float) -> float:
    """exact: beta -> the least epsilon of exp(-beta distance), from beta to 2 beta. The beta in
    [epsilon/2, epsilon] of which that is epsilon, within 1e-4 and below."""
    from scipy.optimize import brentq

    def excess(beta: float) -> float:
        return exact(beta) / epsilon - 1 + 5e-5

    if excess(epsilon) <= 0:
        return epsilon
    if excess(epsilon / 2) >= 0:
        return epsilon / 2
    root: float = brentq(excess, epsilon / 2, epsilon, xtol=epsilon * 1e-5)
    # The root may lie on the far side by its tolerance; half of the promise always holds.
    return root if exact(root) <= epsilon else epsilon / 2
