"""Figures of the service, as Prometheus reads them. No caller, no path and no text is a label."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
HELP = {
    "dx_requests_total": "Requests, by route and status.",
    "dx_texts_total": "Texts that were sanitised.",
    "dx_failed_texts_total": "Texts that could not be sanitised.",
    "dx_tokens_total": "Tokens of what was given out.",
    "dx_draws_total": "Draws of what was given out.",
    "dx_workers_replaced_total": "Workers that died, or were killed at a deadline.",
}


class Metrics:
    """Counters, a histogram of seconds by route, and how many requests are under way. It belongs to
    the event loop: no thread changes it."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._seconds: dict[str, list[float]] = {}  # of a route: by bound, then above, then the sum
        self.under_way = 0

    def add(self, name: str, number: float = 1, **labels: str) -> None:
        """Adds to a counter of HELP."""
        self._counts[name, _labels(labels)] += number  # type: ignore[assignment]

    def answered(self, route: str, status: int, seconds: float) -> None:
        """One request more."""
        self.add("dx_requests_total", route=route, status=str(status))
        times = self._seconds.setdefault(route, [0.0] * (len(BOUNDS) + 2))
        times[bisect_left(BOUNDS, seconds)] += 1
        times[-1] += seconds

    def text(self) -> str:
        """In the text format of Prometheus, version 0.0.4."""
        lines: list[str] = []
        for name, told in HELP.items():
            lines += [f"# HELP {name} {told}", f"# TYPE {name} counter"]
            mine = sorted(
                (labels, n) for (counter, labels), n in self._counts.items() if counter == name
            )
            lines += [f"{name}{labels} {number:g}" for labels, number in mine or [("", 0)]]
        lines += ["# HELP dx_requests_under_way Requests that are not answered yet."]
        lines += ["# TYPE dx_requests_under_way gauge", f"dx_requests_under_way {self.under_way}"]
        return "\n".join([*lines, *_histogram(self._seconds), ""])


def _histogram(seconds: dict[str, list[float]]) -> list[str]:
    name = "dx_request_seconds"
    lines = [f"# HELP {name} Seconds until the answer began.", f"# TYPE {name} histogram"]
    for route, times in sorted(seconds.items()):
        so_far = 0.0
        for bound, number in zip([*map(str, BOUNDS), "+Inf"], times[:-1], strict=True):
            so_far += number
            lines.append(f'{name}_bucket{{route="{route}",le="{bound}"}} {so_far:g}')
        lines.append(f'{name}_sum{{route="{route}"}} {times[-1]:.6f}')
        lines.append(f'{name}_count{{route="{route}"}} {so_far:g}')
    return lines


def _labels(labels: dict[str, str]) -> str:
    inside = ",".join(f'{name}="{value}"' for name, value in sorted(labels.items()))
    return f"{{{inside}}}" if inside else ""
