"""The protocol of surrogates, and the randomness that they draw from.

A surrogate maps the mentions of one document to as many texts. Any object with the attributes of
`Surrogate` is one; @registry.dx_surrogates registers its constructor. The package's own are frozen
values: two labels with equal settings share what is drawn, so that the dates and the times of a
document move by one shift.

Randomness is the package's secure stream, or HMAC-SHA256 in counter mode under a secret key, over
what a mention refers to: the same person has the same surrogate in every document, and without the
key the stream cannot be distinguished from chance.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from ...io.files.keys import derive_key, read_key
from ...privacy.guarantee import Guarantee
from ...privacy.randomness import WORD, Rng, below
from ...registries import registry
from ...validate import fail, one_of

KEY_ID = 16  # hexadecimal digits
WAYS = ("drawn", "words", "kept")
# What of the input each scope makes visible.
LINKED = {
    "mention": (),
    "document": ("which mentions of a document are of the same person, place or number",),
    "corpus": ("which documents are about the same persons, places and numbers (by design)",),
}
LANGUAGE = "the language of the text, which surrogates are of"

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Kind = TypeVar("Kind", bound="Independent")


class Keyed:
    """Pseudorandom numbers by a key and words; uniform over keys."""

    def __init__(self, key: bytes, *words: str) -> None:
        framed = b"".join(len(w.encode()).to_bytes(4, "big") + w.encode() for w in words)
        self._words = self._expand(hmac.digest(key, b"dx stand-in" + framed, "sha256"))

    def integers(self, high: int, k: int) -> list[int]:
        """Return k integers from 0 to high - 1, uniformly."""
        # Beyond the last multiple of `high`, small numbers would be more likely.
        fair = (word for word in self._words if word < WORD - WORD % high)
        return [next(fair) % high for _ in range(k)]

    @staticmethod
    def _expand(seed: bytes) -> Iterator[int]:
        for block in count():
            yield from struct.unpack(">8I", hmac.digest(seed, block.to_bytes(8, "big"), "sha256"))


Stream = Rng | Keyed


def pick(choices: Sequence[T], stream: Stream) -> T:
    """Draw one of the choices, uniformly."""
    return choices[below(len(choices), stream)]


def digits(k: int, stream: Stream) -> str:
    """Draw k decimal digits, uniformly."""
    return "".join(map(str, stream.integers(10, k)))


@dataclass
class Draws:
    """What the surrogates of one document draw from.

    rng: secure stream. user: whose document it is, where that is known. memory: shared by the
    surrogates of the document. caller: of the service, or ""; each caller has a key of its own.
    plain: words released unmodified beside the mentions, which are not drawn as names. language:
    of the document. base: of the pipeline, in which a key draws. order: of day and month, "mdy" or
    "dmy", in the documents before it; "" where they show none.
    """

    rng: Rng
    user: str = ""
    memory: dict[object, object] = field(default_factory=dict)
    caller: str = ""
    plain: frozenset[str] = frozenset()
    language: str = "en"
    base: str = "en"
    order: str = ""


@dataclass(frozen=True)
class Mention:
    """A mention: its text and label, the word before it, up to four words before it, and up to
    forty after it, as far as the next person."""

    text: str
    label: str
    before: str = ""
    lead: str = ""
    tail: str = ""


@runtime_checkable
class Surrogate(Protocol):
    """Draws replacements for the mentions of one document.

    name: as it is registered. way: "drawn", "words" (the component's mechanism draws the words of
    the mention) or "kept". in_clear: what of the original is visible, in words. chance: the largest
    probability that a mention comes out as it was; 0 means never, and an output that does raises.
    guarantee: of what is drawn, given what is in plaintext.
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
    def guarantee(self) -> Guarantee: ...

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Return as many texts, in the same order; None for a mention that stays as it is. Raise
        DxError if the document cannot be released."""
        ...


@dataclass(frozen=True)
class Scope:
    """How far a surrogate goes: one for each "mention", one for the same original in a "document",
    or, by the key in a file, in a "corpus". Raises DxError for a key that cannot be used.

    A key in memory, as bytes, goes as far as the documents of one user: in the proxy, the requests
    of a conversation."""

    reach: str
    key: str | bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        one_of("scope", self.reach, tuple(LINKED))
        if (self.key is not None) != (self.reach == "corpus"):
            raise fail("key", 'a file with scope = "corpus", and null with all others', self.key)
        self._bytes()

    def _bytes(self) -> bytes | None:
        return read_key(self.key) if isinstance(self.key, str) else self.key

    @property
    def is_one_users(self) -> bool:
        """Whether the key is in memory, and each user has its own surrogates."""
        return isinstance(self.key, bytes)

    @property
    def key_id(self) -> str | None:
        """Public name of a key in a file: receipts of one key have the same."""
        key = None if self.is_one_users else self._bytes()
        return None if key is None else derive_key(key, "key id").hex()[:KEY_ID]

    def language(self, draws: Draws) -> str:
        """Return the language that surrogates are of: with a key in a file the same for all."""
        return draws.base if isinstance(self.key, str) else draws.language

    def draw_once(self, drawn: dict[K, T], identity: K, draw: Callable[[], T]) -> T:
        """Return what was drawn for an identity; with reach "mention" draw each time."""
        if self.reach == "mention" or identity not in drawn:
            drawn[identity] = draw()
        return drawn[identity]

    def stream(self, draws: Draws, kind: str, identity: str) -> Stream:
        """Return the key's stream for this identity, or the secure one.

        A caller of the service has a derived key: it learns nothing of a corpus or other callers.
        """
        if (key := self._bytes()) is None:
            return draws.rng
        if self.is_one_users:
            key = derive_key(key, "user", draws.caller, draws.user)
        elif draws.caller:
            key = derive_key(key, "caller", draws.caller)
        return Keyed(key, kind, identity)


@dataclass(frozen=True)
class Independent:
    """A surrogate that is drawn without a look at the original: epsilon 0.

    traits: what of a mention is visible beside what its scope shows. adjacent: which mentions the
    guarantee covers, in words.
    """

    scope: Scope

    name: ClassVar[str]
    traits: ClassVar[tuple[str, ...]]
    adjacent: ClassVar[str]
    notes: ClassVar[str] = ""
    way = "drawn"

    @cached_property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return LINKED[self.scope.reach] + self.traits

    @cached_property
    def guarantee(self) -> Guarantee:
        """The guarantee of what is drawn, given what is in plaintext."""
        keyed = self.scope.reach == "corpus"
        premise = "To whoever lacks the key; HMAC-SHA256 is taken to be a pseudorandom function. "
        return Guarantee(
            "approx-dp",
            0.0,
            metric="discrete",
            adjacency=f"{self.adjacent} with the same visible traits",
            status="claimed" if keyed else "proven",
            source="Bellare 2006 (HMAC)" if keyed else "drawn independently of the original",
            notes=(premise * keyed + self.notes).strip(),
        )


def registered(kind: type[Kind]) -> type[Kind]:
    """Register a constructor of a surrogate whose only setting is its scope."""

    def make(scope: str = "document", key: str | None = None) -> Kind:
        """Make the surrogate.

        Args:
            scope: "mention", "document" (one surrogate for the same original), or "corpus".
            key: File of the key, with scope "corpus".
        """
        return kind(Scope(scope, key))

    make.__module__ = kind.__module__  # registries say where a name comes from
    registry.dx_surrogates(kind.name)(make)
    return kind


def is_same(text: str, surrogate: str) -> bool:
    """Return whether two texts are the same to a reader, case and white space aside."""
    return "".join(text.casefold().split()) == "".join(surrogate.casefold().split())
