"""What a run over shards did, and what all releases of a folder add up to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import srsly

from ...about import __version__
from ...errors import DxError
from ...io.tally import Tally, many, wrapped
from ...pipeline.receipt import Terms
from ...privacy.composition import compose, repeat
from ...privacy.guarantee import Guarantee
from .journal import FORMAT, Journal
from .spending import ShardSums, largest

NAME = "_manifest.json"
Event = dict[str, Any]


@dataclass
class Run:
    """The result of a run."""

    terms: Terms
    manifest: dict[str, Any] = field(default_factory=dict)  # of all runs
    released: list[Event] = field(default_factory=list)  # lines that were added to the journal
    skipped: int = 0  # shards that were finished before
    failures: dict[str, str] = field(default_factory=dict)  # reasons, by name of a shard


def make_manifest(journal: Journal) -> dict[str, Any]:
    """Return plain values, for JSON.

    settings: of the last round. corpus: counts of what lies in the folder now. by_document and
    by_user: the largest number of draws of one of them over all releases, and the guarantee that
    they add up to. shards: counts and releases of each, and the same for its largest document.
    """
    begun = {e["round"]: e for e in journal.events if e["event"] == "begin"}
    guarantees = {n: Guarantee.from_dict(e["guarantee"]) for n, e in begun.items()}
    settings = dict(list(begun.values())[-1])
    for name in ("event", "format", "round", "again"):
        del settings[name]
    entries = [event for event in journal.events if event["event"] == "shard"]
    by_text: dict[str, list[Event]] = defaultdict(list)
    for entry in entries:
        by_text[entry["text"]].append(entry)
    corpus = _sums(journal.last.values())
    del corpus["most_draws"]
    return {
        "format": FORMAT,
        "spacy_dxprivacy": __version__,
        "releases": max(map(len, by_text.values()), default=0),
        "rounds": max(begun),
        "settings": settings,
        "corpus": {"shards": len(journal.last), **corpus},
        "by_document": _by_document(entries, guarantees),
        "by_user": _by_user(journal, entries, guarantees) if settings["user_column"] else None,
        "shards": {
            name: {
                **_sums([last]),
                "releases": len(by_text[last["text"]]),
                "total": _by_document(by_text[last["text"]], guarantees)["total"],
            }
            for name, last in sorted(journal.last.items())
        },
    }


def manifest_bytes(manifest: dict[str, Any]) -> bytes:
    """Return a manifest as JSON."""
    written: bytes = (srsly.json_dumps(manifest, indent=2) + "\n").encode()
    return written


def _sums(entries: Iterable[Event]) -> dict[str, Any]:
    sums = ShardSums()
    for entry in entries:
        sums.merge(entry)
        sums.failed += entry["failed"]
    return sums.to_dict()


def _by_document(entries: list[Event], guarantees: dict[int, Guarantee]) -> Event:
    """Bound a document's draws by those of the largest one of its shard, in every release."""
    draws: dict[str, Counter[Guarantee]] = defaultdict(Counter)
    for entry in entries:
        draws[entry["text"]][guarantees[entry["round"]]] += entry["most_draws"]
    worst = max(draws.values(), key=lambda spent: spent.total(), default=Counter())
    several = {guarantee for spent in draws.values() for guarantee in spent}
    if len(several) > 1:  # which text is the worst depends on more than the number of draws
        worst = Counter({g: max(spent[g] for spent in draws.values()) for g in several})
    return _total(worst)


def _by_user(journal: Journal, entries: list[Event], guarantees: dict[int, Guarantee]) -> Event:
    """Add up over all releases and shards.

    With several guarantees, the sum of the largest totals is a bound: they may be of different
    users.
    """
    files: dict[Guarantee, list[str]] = defaultdict(list)
    for entry in entries:
        if "users" in entry:
            files[guarantees[entry["round"]]].append(entry["users"])
    found = {g: largest(journal.private.folder, names) for g, names in files.items()}
    most = Counter({g: draws for g, (_, draws) in found.items()})
    users = max((users for users, _ in found.values()), default=0)
    without = sum(entry.get("without_user", 0) for entry in entries)
    return {"users": users, "documents_without": without, **_total(most)}


def _total(draws: Counter[Guarantee]) -> Event:
    """Return the draws and their guarantee, or the reason why none can be stated."""
    whole = [repeat(guarantee, number) for guarantee, number in draws.items()]
    try:
        total: Any = (whole[0] if len(whole) == 1 else compose(whole)).to_dict() if whole else None
    except DxError as error:
        total = str(error)
    return {"most_draws": draws.total(), "total": total}


# -- in sentences ----------------------------------------------------------------------------------


def tally_of(run: Run, seconds: float) -> Tally:
    """Return the tally of this run alone. seconds: with the time to start workers."""
    in_clear = run.manifest["settings"]["in_clear"]
    tally = Tally(run.terms, in_clear, seconds=seconds, speed="with the time to start workers")
    for entry in run.released:
        tally.merge(entry)
        tally.failed.append([0] * entry["failed"])
    return tally


def lines_of(run: Run) -> list[str]:
    """Return what the tally leaves out: the shards of this run, and the sum of all runs."""
    parts = [f"{len(run.released):,} released now"]
    parts += [f"{run.skipped:,} finished before"] if run.skipped else []
    parts += [f"{len(run.failures):,} failed; run again to do them"] if run.failures else []
    m = run.manifest
    text = (
        f"{many(m['corpus']['documents'], 'document')} in "
        f"{many(m['corpus']['shards'], 'shard')}, released {many(m['releases'], 'time')} at "
        f"most. The largest document comes to {_spent(m['by_document'])}"
    )
    if m["by_user"] is not None:
        users = many(m["by_user"]["users"], "user")
        text += f", and the largest of {users} to {_spent(m['by_user'])}"
    in_all = f"{text}. The rest is in _manifest.json"
    return wrapped("Shards", "; ".join(parts)) + wrapped("In all", in_all)


def _spent(total: Event) -> str:
    guarantee = total["total"]
    draws = many(total["most_draws"], "draw")
    if isinstance(guarantee, dict) and guarantee["epsilon"] is not None:
        return f"{draws}, epsilon = {guarantee['epsilon']:.6g}"
    return draws
