"""The protocol of surrogates, and the randomness that they draw from.

A surrogate maps the mentions of one document to one text each. Any object with the attributes of
`Surrogate` satisfies the protocol; @registry.dx_surrogates registers its constructor. Surrogates of
this package are frozen dataclasses: two labels with equal settings share their draws, so that the
dates and the times of a document move by one shift.

Randomness is the package's secure stream, or HMAC-SHA256 in counter mode under a secret key, over
the identity that a mention refers to: the same person has the same surrogate in every document, and
without the key the stream cannot be distinguished from chance.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from ..files.keys import derive_key, read_key
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import WORD, Rng, below
from ..validate import fail, one_of

KEY_ID_DIGITS = 16  # hexadecimal digits
WAYS = ("drawn", "words", "kept")
# The facts about the input that each scope makes visible.
LINKED_BY_SCOPE = {
    "mention": (),
    "document": ("which mentions of a document are of the same person, place or number",),
    "corpus": ("which documents are about the same persons, places and numbers (by design)",),
}
LANGUAGE = "the language of the text, which surrogates are of"

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Keyed:
    """Pseudorandom numbers, a function of a key and words; uniform over keys."""

    def __init__(self, key: bytes, *words: str) -> None:
        framed = b"".join(len(w.encode()).to_bytes(4, "big") + w.encode() for w in words)
        self._words = self._expand(hmac.digest(key, b"dx surrogate" + framed, "sha256"))

    def integers(self, high: int, k: int) -> list[int]:
        """Draw k integers uniformly from 0 to high - 1."""
        # Words beyond the last multiple of `high` would make small numbers more likely.
        fair = (word for word in self._words if word < WORD - WORD % high)
        return [next(fair) % high for _ in range(k)]

    @staticmethod
    def _expand(seed: bytes) -> Iterator[int]:
        for block in count():
            yield from struct.unpack(">8I", hmac.digest(seed, block.to_bytes(8, "big"), "sha256"))


Stream = Rng | Keyed


def draw_from(choices: Sequence[T], stream: Stream) -> T:
    """Draw one of the choices uniformly."""
    return choices[below(len(choices), stream)]


def digits(k: int, stream: Stream) -> str:
    """Draw k decimal digits uniformly."""
    return "".join(map(str, stream.integers(10, k)))


@dataclass
class Draws:
    """The randomness and the context that the surrogates of one document draw from.

    rng: secure stream. user: user of the document, or "". memory: state that the surrogates of the
    document share. caller: caller of the service, or ""; each caller has its own key. plain: words
    in plaintext, outside of mentions; they are not drawn as names. language: language of the
    document. base: language of the pipeline; surrogates by a key are in it. order: order of day and
    month in earlier documents, "mdy", "dmy" or "ymd"; "" if they do not show an order.

    For the receipt, surrogates set here what they read. read_order: the order of day and month of
    the numeric dates; "" without any. persons: the number of the person of each name.
    """

    rng: Rng
    user: str = ""
    memory: dict[object, object] = field(default_factory=dict)
    caller: str = ""
    plain: frozenset[str] = frozenset()
    language: str = "en"
    base: str = "en"
    order: str = ""
    read_order: str = ""
    persons: dict[Mention, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Mention:
    """A mention and its context. before: the word before it. lead: up to six words before it.
    tail: up to forty words after it, up to the next person."""

    text: str
    label: str
    before: str = ""
    lead: str = ""
    tail: str = ""


@runtime_checkable
class Surrogate(Protocol):
    """Draws replacements for the mentions of one document.

    name: registered name. way: "drawn", "words" (the component's mechanism samples the words of the
    mention) or "kept". in_clear: describes what stays visible of the original. chance: largest
    probability that a mention is unchanged; 0 means never, and an unchanged mention then raises.
    guarantee: guarantee of the drawn texts, given what is visible.
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
        """Return a text for each mention, in order; None for a mention in plaintext. Raise DxError
        if the document cannot be released."""
        ...


@runtime_checkable
class ByLabels(Protocol):
    """A surrogate that depends on which labels it replaces. Optional."""

    def for_labels(self, labels: Collection[str]) -> Surrogate:
        """Return the surrogate for mentions with these labels, all that are replaced by it."""
        ...


@dataclass(frozen=True)
class Scope:
    """The texts in which the same original has the same surrogate: a single "mention", a "document"
    or, with a key in a file, a "corpus". Raises DxError for a key that cannot be used.

    A key in memory, as bytes, covers the documents of one user: in the proxy, the requests of a
    conversation."""

    reach: str
    key: str | bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        one_of("scope", self.reach, tuple(LINKED_BY_SCOPE))
        if (self.key is not None) != (self.reach == "corpus"):
            raise fail("key", 'a file with scope = "corpus", and null with all others', self.key)
        self._bytes()

    def _bytes(self) -> bytes | None:
        return read_key(self.key) if isinstance(self.key, str) else self.key

    @property
    def is_one_users(self) -> bool:
        """Whether the key is in memory, so that each user has separate surrogates."""
        return isinstance(self.key, bytes)

    @property
    def key_id(self) -> str | None:
        """Public identifier of a key in a file, the same in all receipts of one key."""
        key = None if self.is_one_users else self._bytes()
        return None if key is None else derive_key(key, "key id").hex()[:KEY_ID_DIGITS]

    def language(self, draws: Draws) -> str:
        """Return the language of surrogates; with a key in a file, that of the pipeline."""
        return draws.base if isinstance(self.key, str) else draws.language

    def draw_once(self, drawn: dict[K, T], identity: K, draw: Callable[[], T]) -> T:
        """Draw once for each identity and return that draw; with reach "mention" draw each time."""
        if self.reach == "mention" or identity not in drawn:
            drawn[identity] = draw()
        return drawn[identity]

    def stream(self, draws: Draws, kind: str, identity: str) -> Stream:
        """Return the key's stream for this identity or, without a key, the secure stream.

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
    """A surrogate drawn independently of the original: epsilon 0.

    traits: describes what is visible of a mention, beyond what its scope makes visible. adjacent:
    describes the mentions that the guarantee covers.
    """

    scope: Scope

    name: ClassVar[str]
    traits: ClassVar[tuple[str, ...]]
    adjacent: ClassVar[str]
    notes: ClassVar[str] = ""
    way = "drawn"

    @cached_property
    def in_clear(self) -> tuple[str, ...]:
        """Descriptions of what is visible of a mention, for the receipt."""
        return LINKED_BY_SCOPE[self.scope.reach] + self.traits

    @cached_property
    def guarantee(self) -> Guarantee:
        """The guarantee of the drawn text, given what is visible."""
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


def is_same(text: str, surrogate: str) -> bool:
    """Return whether two texts are equal, ignoring case and white space."""
    return "".join(text.casefold().split()) == "".join(surrogate.casefold().split())
