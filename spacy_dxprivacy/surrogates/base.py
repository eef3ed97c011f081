"""What a stand-in is: texts of one document in, as many texts out.

Anyone's object with these attributes will do; it is registered by @registry.dx_surrogates. Those of
the package are frozen values of their settings: two labels with equal ones share what is drawn, so
that a date and a time of one document move by one shift.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from ..files.keys import derived, read_key
from ..guarantee import Guarantee
from ..validate import fail, one_of
from .streams import Draws, Keyed, Stream

KEY_ID = 16  # hexadecimal digits
SCOPES = ("mention", "document", "corpus")
WAYS = ("drawn", "words", "kept")
LINKED = {
    "mention": (),
    "document": ("which mentions of a document are of the same person, place or number",),
    "corpus": ("which documents are about the same persons, places and numbers (by design)",),
}

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(frozen=True)
class Mention:
    """What was found: its text as it stands in the document, its label, the word before it, and
    what stands before it, of four words at the most."""

    text: str
    label: str
    before: str = ""
    lead: str = ""


@runtime_checkable
class Surrogate(Protocol):
    """Draws what stands for the mentions of one document.

    name: as it is registered. way: "drawn"; "words" (the words of the mention go through the
    mechanism of the component) or "kept". in_clear: what of the original is visible, in words.
    chance: the largest probability that a mention comes out as it was; 0 means never, and then one
    that does is refused.
    """

    @property
    def name(self) -> str: ...

    @property
    def way(self) -> str: ...

    @property
    def in_clear(self) -> tuple[str, ...]: ...

    @property
    def chance(self) -> float: ...

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        ...

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """As many texts, in the same order; None for a mention that stays as it is, as in_clear
        says. Raises DxError to refuse the document."""
        ...


@dataclass(frozen=True)
class Scope:
    """How far a stand-in goes: one for each "mention", one for the same original in a "document",
    or, by the key in a file, in a "corpus". Raises DxError for a key that cannot be used."""

    reach: str
    key: str | None = None

    def __post_init__(self) -> None:
        one_of("scope", self.reach, SCOPES)
        if (self.key is not None) != (self.reach == "corpus"):
            raise fail("key", 'a file with scope = "corpus", and null with all others', self.key)
        if self.key is not None:
            read_key(self.key)

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of the input is visible by it."""
        return LINKED[self.reach]

    @property
    def key_id(self) -> str | None:
        """A public name of the key: receipts with the same one were made with the same key."""
        return None if self.key is None else derived(read_key(self.key), "key id").hex()[:KEY_ID]

    def stream(self, draws: Draws, kind: str, identity: str) -> Stream:
        """That of the key for this identity, or the secure one. A caller of the service has a key
        derived for it alone: what it is given says nothing of a corpus or of other callers."""
        if self.key is None:
            return draws.fresh()
        key = read_key(self.key)
        return Keyed(derived(key, "caller", draws.caller) if draws.caller else key, kind, identity)

    def each(
        self,
        identities: Sequence[K],
        draws: Draws,
        kind: str,
        make: Callable[[Stream], T],
    ) -> list[T]:
        """What make draws: anew for every mention, or once for each identity."""
        if self.reach == "mention":
            return [make(draws.fresh()) for _ in identities]
        known: dict[object, T] = {}
        for identity in identities:
            if identity not in known:
                known[identity] = make(self.stream(draws, kind, str(identity)))
        return [known[identity] for identity in identities]


def independent(what: str, scope: Scope, notes: str = "") -> Guarantee:
    """The promise of what is drawn without a look at the original: epsilon 0."""
    keyed = scope.reach == "corpus"
    told = "To whoever lacks the key; HMAC-SHA256 is taken to be a pseudorandom function. "
    return Guarantee(
        "approx-dp",
        0.0,
        metric="discrete",
        adjacency=f"{what} with the same traits in clear",
        status="claimed" if keyed else "proven",
        source="Bellare 2006 (HMAC)" if keyed else "drawn independently of the original",
        notes=(told * keyed + notes).strip(),
    )


NOTHING = Guarantee("none", notes="The original stays, or what stands for it is always the same.")


def is_same(one: str, other: str) -> bool:
    """Whether a reader sees the same, case and blanks aside."""
    return "".join(one.casefold().split()) == "".join(other.casefold().split())
