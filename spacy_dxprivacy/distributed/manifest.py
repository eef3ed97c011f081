"""What a run over shards did, and what all releases of a folder add up to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import srsly

from ..about import __version__
from ..batch.tally import Tally, many, wrapped
from ..errors import DxError
from ..guarantee import Guarantee
from ..pipeline.receipt import COUNTS, StoodIn, Terms
from ..privacy.composition import compose, repeat
from .journal import FORMAT, Journal
from .spending import largest

NAME = "_manifest.json"
SUMMED = ("documents", "nulls", "failed", *COUNTS)
Totals = dict[str, Any]


@dataclass
class Run:
    """What a run did. manifest: of all runs. released: the lines of the journal that it added.
    skipped: how many shards were finished before. failures: why, by name of a shard."""

    terms: Terms
    manifest: dict[str, Any] = field(default_factory=dict)
    released: list[dict[str, Any]] = field(default_factory=list)
    skipped: int = 0
    failures: dict[str, str] = field(default_factory=dict)


def make_manifest(journal: Journal) -> dict[str, Any]:
    """Plain values, for json.

    settings: of the last round. corpus: counts of what lies in the folder now, of mentions by label
    where there are stand-ins. by_document and
    by_user: the largest number of draws for one of them over all releases, and the guarantee
    that this comes to. shards: each with its counts, how often it was released, and
    the same for its largest document.
    """
    entries = [event for event in journal.events if event["event"] == "shard"]
    begun = {e["round"]: e for e in journal.events if e["event"] == "begin"}
    guarantees = {n: Guarantee.from_dict(e["guarantee"]) for n, e in begun.items()}
    settings = dict(list(begun.values())[-1])
    for name in ("event", "format", "round", "again"):
        del settings[name]
    releases = Counter(entry["text"] for entry in entries)
    return {
        "format": FORMAT,
        "spacy_dxprivacy": __version__,
        "releases": max(releases.values(), default=0),
        "rounds": max(begun),
        "settings": settings,
        "corpus": {"shards": len(journal.last), **_sum(journal.last.values())},
        "by_document": by_document(entries, guarantees),
        "by_user": by_user(journal, entries, guarantees) if settings["user_column"] else None,
        "shards": {
            name: {
                **{k: last[k] for k in (*SUMMED, "most_draws")},
                **StoodIn.of(last).to_dict(),
                "releases": releases[last["text"]],
                "total": by_document(
                    [e for e in entries if e["text"] == last["text"]] if releases[last["text"]] > 1
                    else [last],
                    guarantees,
                )["total"],
            }
            for name, last in sorted(journal.last.items())
        },
    }  # fmt: skip


def manifest_bytes(manifest: dict[str, Any]) -> bytes:
    """As json."""
    found: bytes = (srsly.json_dumps(manifest, indent=2) + "\n").encode()
    return found


def by_document(entries: list[dict[str, Any]], guarantees: dict[int, Guarantee]) -> Totals:
    """A document may have been drawn as often as the largest of its shard, in every release."""
    draws: dict[str, Counter[Guarantee]] = defaultdict(Counter)
    for entry in entries:
        draws[entry["text"]][guarantees[entry["round"]]] += entry["most_draws"]
    worst = max(draws.values(), key=lambda spent: spent.total(), default=Counter())
    several = {guarantee for spent in draws.values() for guarantee in spent}
    if len(several) > 1:  # which of them is the worst depends on more than the number of draws
        worst = Counter({g: max(spent[g] for spent in draws.values()) for g in several})
    return _total(worst)


def by_user(
    journal: Journal, entries: list[dict[str, Any]], guarantees: dict[int, Guarantee]
) -> Totals:
    """Over all releases and shards. Where guarantees differ, the largest totals of different users
    may be added up: then it is a bound."""
    files: dict[Guarantee, list[str]] = defaultdict(list)
    for entry in entries:
        if "users" in entry:
            files[guarantees[entry["round"]]].append(entry["users"])
    found = {g: largest(journal.private.folder, names) for g, names in files.items()}
    users = [users for users, _ in found.values()]
    most = Counter({g: draws for g, (_, draws) in found.items()})
    without = sum(entry.get("without_user", 0) for entry in entries)
    return {"users": max(users, default=0), "documents_without": without, **_total(most)}


def _total(draws: Counter[Guarantee]) -> Totals:
    """total: the guarantee, or why there is none that can be stated."""
    whole = [repeat(guarantee, number) for guarantee, number in draws.items()]
    try:
        total: Any = (whole[0] if len(whole) == 1 else compose(whole)).to_dict() if whole else None
    except DxError as error:
        total = str(error)
    return {"most_draws": draws.total(), "total": total}


def _sum(entries: Iterable[dict[str, Any]]) -> dict[str, Any]:
    total: Counter[str] = Counter()
    told = StoodIn()
    for entry in entries:
        total.update({name: entry[name] for name in SUMMED})
        told.merge(StoodIn.of(entry))
    return {**{name: total[name] for name in SUMMED}, **told.to_dict()}


# -- in plain sentences ----------------------------------------------------------------------------


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
