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
    """What a run did. manifest: of all runs. released: the lines of the journal that it added.
    skipped: how many shards were finished before. failures: why, by name of a shard."""

    terms: Terms
    manifest: dict[str, Any] = field(default_factory=dict)
    released: list[Event] = field(default_factory=list)
    skipped: int = 0
    failures: dict[str, str] = field(default_factory=dict)


def make_manifest(journal: Journal) -> dict[str, Any]:
    """Return plain values, for json.

    settings: of the last round. corpus: counts of what lies in the folder now, of mentions by label
    where there are stand-ins. by_document and by_user: the largest number of draws for one of them
    over all releases, and the guarantee that this comes to. shards: each with its counts, how often
    it was released, and the same for its largest document.
    """
    begun = {e["round"]: e for e in journal.events if e["event"] == "begin"}
    guarantees = {n: Guarantee.from_dict(e["guarantee"]) for n, e in begun.items()}
    settings = dict(list(begun.values())[-1])
    for name in ("event", "format", "round", "again"):
        del settings[name]
    entries = [event for event in journal.events if event["event"] == "shard"]
    of_text: dict[str, list[Event]] = defaultdict(list)
    for entry in entries:
        of_text[entry["text"]].append(entry)
    corpus = _sums(journal.last.values()).to_dict()
    del corpus["most_draws"]
    return {
        "format": FORMAT,
        "spacy_dxprivacy": __version__,
        "releases": max(map(len, of_text.values()), default=0),
        "rounds": max(begun),
        "settings": settings,
        "corpus": {"shards": len(journal.last), **corpus},
        "by_document": _by_document(entries, guarantees),
        "by_user": _by_user(journal, entries, guarantees) if settings["user_column"] else None,
        "shards": {
            name: {
                **_sums([last]).to_dict(),
                "releases": len(of_text[last["text"]]),
                "total": _by_document(of_text[last["text"]], guarantees)["total"],
            }
            for name, last in sorted(journal.last.items())
        },
    }


def manifest_bytes(manifest: dict[str, Any]) -> bytes:
    """As json."""
    found: bytes = (srsly.json_dumps(manifest, indent=2) + "\n").encode()
    return found


def _sums(entries: Iterable[Event]) -> ShardSums:
    sums = ShardSums()
    for entry in entries:
        sums.merge(entry)
        sums.failed += entry["failed"]
    return sums


def _by_document(entries: list[Event], guarantees: dict[int, Guarantee]) -> Event:
    """A document may have been drawn as often as the largest of its shard, in every release."""
    draws: dict[str, Counter[Guarantee]] = defaultdict(Counter)
    for entry in entries:
        draws[entry["text"]][guarantees[entry["round"]]] += entry["most_draws"]
    worst = max(draws.values(), key=lambda spent: spent.total(), default=Counter())
    several = {guarantee for spent in draws.values() for guarantee in spent}
    if len(several) > 1:  # which of them is the worst depends on more than the number of draws
        worst = Counter({g: max(spent[g] for spent in draws.values()) for g in several})
    return _total(worst)


def _by_user(journal: Journal, entries: list[Event], guarantees: dict[int, Guarantee]) -> Event:
    """Over all releases and shards. Where guarantees differ, the largest totals of different users
    may be added up: then it is a bound."""
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
    """total: the guarantee, or why there is none that can be stated."""
    whole = [repeat(guarantee, number) for guarantee, number in draws.items()]
    try:
        total: Any = (whole[0] if len(whole) == 1 else compose(whole)).to_dict() if whole else None
    except DxError as error:
        total = str(error)
    return {"most_draws": draws.total(), "total": total}


# -- in plain sentences ----------------------------------------------------------------------------


def tally_of(run: Run, seconds: float) -> Tally:
    """Of this run alone. seconds: with the time to start workers."""
    told = run.manifest["settings"]["in_clear"]
    tally = Tally(run.terms, told, seconds=seconds, speed="with the time to start workers")
    for entry in run.released:
        tally.merge(entry)
        tally.failed.append([0] * entry["failed"])
    return tally


def lines_of(run: Run) -> list[str]:
    """What the lines of the tally leave out: the shards of this run, and what all runs come to."""
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
