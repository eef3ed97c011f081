"""What was found over epsilon as plain values, for json."""

from __future__ import annotations

from typing import Any

from ...about import __version__
from ...space import Space
from . import Answer, Bench, Point, Target


def as_dict(
    space: Space, bench: Bench, about: dict[str, Any], results: list[Any], target: Target | None
) -> dict[str, Any]:
    """results: of tune, one a mechanism. about: of probed_words. No word of a text."""
    replicates = bench.probes.replicates()
    return {
        "spacy_dxprivacy": __version__,
        "space": f"{space.name} ({space.digest})",
        "probed": {**about, "different": len(bench.probes.rows)},
        "k": bench.k,
        "draws": bench.draws,
        "guesser_without_output": float(bench.probes.weights.max()),
        "mechanisms": [
            {
                "mechanism": curve.mechanism.name,
                "exact": curve.exact,
                "kind": curve.mechanism.guarantee.kind,
                "metric": curve.mechanism.guarantee.metric,
                "status": curve.mechanism.guarantee.status,
                "points": [_point(point, replicates) for point in curve.points],
                **({} if target is None else {"target": _answer(target, answer)}),
            }
            for curve, answer in results
        ],
    }


def _point(point: Point, replicates: Any) -> dict[str, Any]:
    names = ("unchanged", "near", "farther", "distinct", "similarity", "guesser")
    return {
        "epsilon": point.epsilon,
        **{name: point[name] for name in names},
        "interval": {name: point.interval(name, replicates) for name in names},
        "loss": point.loss,
        "unchanged_at_most": point.at_most,
        **({} if point.reads is None else {"nats_over_clear": point.reads}),
    }


def _answer(target: Target, answer: Answer | None) -> dict[str, Any]:
    if answer is None:
        return {"target": str(target), "epsilon": None}
    return {
        "target": str(target),
        "epsilon": answer.epsilon,
        "interval": answer.interval,
        "bounded": answer.bounded,
        target.figure: answer.point[target.figure],
    }
