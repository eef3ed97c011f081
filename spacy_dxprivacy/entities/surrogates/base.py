"""What a surrogate is, texts of one document in and as many out, and what it draws from.

Anyone's object with the attributes of `Surrogate` will do; it is registered by
@registry.dx_surrogates. Those of the package are frozen values of their settings: two labels with
equal ones share what is drawn, so that a date and a time of one document move by one shift.

Chance comes from the package's secure stream, or from a secret key: HMAC-SHA256 in counter mode
over what a mention stands for. Without the key it cannot be told from chance, and with it the same
person has the same surrogate in every document.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from ...io.files.keys import derived, read_key
from ...privacy.guarantee import Guarantee
from ...privacy.randomness import Rng
from ...registries import registry
from ...validate import fail, one_of

KEY_ID = 16  # hexadecimal digits
SCOPES = ("mention", "document", "corpus")
WAYS = ("drawn", "words", "kept")
LINKED = {
    "mention": (),
    "document": ("which mentions of a document are of the same person, place or number",),
    "corpus": ("which documents are about the same persons, places and numbers (by design)",),
}
WORD = 2**32

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


# -- where chance comes from -------------------------------------------------------------------


class Keyed:
    """The same numbers for the same key and the same words; uniform over keys."""

    def __init__(self, key: bytes, *words: str) -> None:
        told = b"".join(len(w.encode()).to_bytes(4, "big") + w.encode() for w in words)
        self._key = hmac.new(key, b"dx stand-in" + told, hashlib.sha256).digest()
        self._count = 0
        self._left = b""

    def integers(self, high: int, k: int) -> list[int]:
        """k whole numbers from 0 to high - 1; none is more likely than another."""
        return [self._below(high) for _ in range(k)]

    def _below(self, high: int) -> int:
        whole = WORD - WORD % high  # beyond it, small numbers would be more likely
        while (number := self._next_word()) >= whole:
            pass
        return number % high

    def _next_word(self) -> int:
        if not self._left:
            counted = self._count.to_bytes(8, "big")
            self._left = hmac.new(self._key, counted, hashlib.sha256).digest()
            self._count += 1
        taken, self._left = self._left[:4], self._left[4:]
        return int.from_bytes(taken, "big")


# The package's own randomness, or that of a key.
Stream = Rng | Keyed


def below(high: int, stream: Stream) -> int:
    """A whole number from 0 to high - 1, uniformly; high is 2**32 at most."""
    return int(stream.integers(high, 1)[0])


def pick(choices: Sequence[T], stream: Stream) -> T:
    """One of them, uniformly."""
    return choices[below(len(choices), stream)]


def digits(k: int, stream: Stream) -> str:
    """k digits, uniformly."""
    return "".join(map(str, stream.integers(10, k)))


def geometric(rate: Fraction, stream: Stream) -> int:
    """k with probability proportional to exp(-rate |k|), exactly: no floating point is in it.

    Reference:
        Canonne, Kamath, Steinke 2020, algorithm 2.
    """
    s, t = rate.numerator, rate.denominator
    while True:
        rest = _below_any(t, stream)
        if not _by_exp(rest, t, stream):
            continue
        rounds = 0
        while _by_exp(1, 1, stream):
            rounds += 1
        size, negative = (rest + t * rounds) // s, _below_any(2, stream)
        if size or not negative:
            return -size if negative else size


def _by_exp(a: int, b: int, stream: Stream) -> bool:
    """True with probability exp(-a / b), for a <= b."""
    k = 1
    while _below_any(b * k, stream) < a:
        k += 1
    return k % 2 == 1


def _below_any(n: int, stream: Stream) -> int:
    """A whole number from 0 to n - 1, uniformly, of any size."""
    bits = (n - 1).bit_length()
    while True:
        number = 0
        for part in stream.integers(WORD, -(-bits // 32)):
            number = number << 32 | int(part)
        number >>= -bits % 32
        if number < n:
            return number


@dataclass
class Draws:
    """What the surrogates of one document draw from.

    rng: the package's stream. user: whose document it is, where that is known; shifts of scope
    "corpus" are one for each user. caller: of the service, or "" outside of it; each caller has a
    key of its own. memory: what the surrogates of the document share. plain: the words that are
    released unmodified beside the mentions; names that are among them are not drawn.
    """

    rng: Rng
    user: str = ""
    memory: dict[object, object] = field(default_factory=dict)
    caller: str = ""
    plain: frozenset[str] = frozenset()

    def fresh(self) -> Stream:
        """The secure stream."""
        return self.rng


# -- surrogates --------------------------------------------------------------------------------


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
    """How far a surrogate goes: one for each "mention", one for the same original in a "document",
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

    def each(self, identities: Sequence[K], make: Callable[[K], T]) -> list[T]:
        """What make draws: anew for every mention, or once for each identity."""
        if self.reach == "mention":
            return [make(identity) for identity in identities]
        known = {identity: make(identity) for identity in dict.fromkeys(identities)}
        return [known[identity] for identity in identities]


@dataclass(frozen=True)
class Independent:
    """What surrogates share that draw without a look at the original: epsilon 0.

    traits: what of a mention is visible beside what its scope shows. adjacent: which mentions the
    guarantee covers, in words.
    """

    scope: Scope

    name: ClassVar[str]
    traits: ClassVar[tuple[str, ...]]
    adjacent: ClassVar[str]
    notes: ClassVar[str] = ""
    way = "drawn"

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        return self.scope.in_clear + self.traits

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        return self._promise(self.notes)

    def _promise(self, notes: str) -> Guarantee:
        keyed = self.scope.reach == "corpus"
        told = "To whoever lacks the key; HMAC-SHA256 is taken to be a pseudorandom function. "
        return Guarantee(
            "approx-dp",
            0.0,
            metric="discrete",
            adjacency=f"{self.adjacent} with the same traits in clear",
            status="claimed" if keyed else "proven",
            source="Bellare 2006 (HMAC)" if keyed else "drawn independently of the original",
            notes=(told * keyed + notes).strip(),
        )


def registered(kind: type[Independent]) -> Callable[..., Surrogate]:
    """Register, and return, the constructor of a surrogate that has a scope as its only setting."""

    @registry.dx_surrogates(kind.name)
    def make(scope: str = "document", key: str | None = None) -> Surrogate:
        """scope: "mention", "document" (the same original has the same surrogate), or "corpus" with
        the file of a key."""
        made: Surrogate = kind(Scope(scope, key))  # type: ignore[assignment]
        return made

    make.__module__ = kind.__module__  # registries say where a name comes from
    return make


def is_same(one: str, other: str) -> bool:
    """Whether a reader sees the same, case and blanks aside."""
    return "".join(one.casefold().split()) == "".join(other.casefold().split())
