"""What a run over shards did, in plain sentences."""

from __future__ import annotations

from typing import Any

from ..batch.tally import COUNTS, Tally, many, wrapped
from ..doc.receipt import StoodIn
from .shards import Run


class RunTally(Tally):
    """Its speed is another one: workers are started while the clock runs."""

    def _of_documents(self) -> list[tuple[str, str]]:
        speed = f"{self.words_per_second:,.0f} words a second, with the time to start workers"
        return [*super()._of_documents()[:-1], ("Speed", speed)]


def tally_of(run: Run, seconds: float) -> RunTally:
    """Of this run alone. seconds: with the time to start workers."""
    tally = RunTally(run.terms, run.manifest["settings"]["in_clear"], seconds=seconds)
    told = StoodIn()
    for entry in run.released:
        tally.documents += entry["documents"]
        tally.failed.append([0] * entry["failed"])
        tally.most_draws = max(tally.most_draws, entry["most_draws"])
        for name in COUNTS:
            tally.counts[name] += entry[name]
        told.merge(StoodIn.of(entry))
    tally.stood_in, tally.mentions = told.tokens, told.mentions
    return tally


def lines_of(run: Run) -> list[str]:
    """What the lines of the tally leave out: the shards of this run, and what all runs come to."""
    return wrapped("Shards", _of_shards(run)) + wrapped("In all", _in_all(run))


def _of_shards(run: Run) -> str:
    parts = [f"{len(run.released):,} released now"]
    parts += [f"{run.skipped:,} finished before"] if run.skipped else []
    parts += [f"{len(run.failures):,} failed; run again to do them"] if run.failures else []
    return "; ".join(parts)


def _in_all(run: Run) -> str:
    """What all runs come to."""
    m = run.manifest
    text = (
        f"{many(m['corpus']['documents'], 'document')} in "
        f"{many(m['corpus']['shards'], 'shard')}, released {many(m['releases'], 'time')} at "
        f"most. The largest document comes to {_spent(m['by_document'])}"
    )
    if m["by_user"] is not None:
        users = many(m["by_user"]["users"], "user")
        text += f", and the largest of {users} to {_spent(m['by_user'])}"
    return text + ". The rest is in _manifest.json"


def _spent(total: dict[str, Any]) -> str:
    guarantee = total["total"]
    draws = many(total["most_draws"], "draw")
    if isinstance(guarantee, dict) and guarantee["epsilon"] is not None:
        return f"{draws}, epsilon = {guarantee['epsilon']:.6g}"
    return draws
