"""What all mechanisms share that are made in two steps: settings first, then a space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ...arrays import Bools1d, Ints1d
from ...guarantee import Guarantee
from ...randomness import Rng
from ...space import Space
from ...tables import learned
from ...ty import Draw
from .alone import checked_layout, with_fixed
from .checks import fitted, warn_if_void

if TYPE_CHECKING:
    from typing_extensions import Self


class OnASpace(Protocol):
    """A mechanism on one space."""

    @property
    def guarantee(self) -> Guarantee: ...


T = TypeVar("T", bound=OnASpace)
Made = TypeVar("Made", bound=OnASpace, covariant=True)


class Settings(Protocol[Made]):
    """What a mechanism was given, checked: a frozen dataclass, which compares and pickles."""

    def on(self, space: Space, guarantee: Guarantee) -> Made:
        """What the space makes of it. Raises DxError where there is no solution on this space."""
        ...


class BuiltMechanism(Generic[T]):
    """guarantee: what can be said before a space is known. settings: all else that changes what is
    drawn. in_clear: what of the input the mechanism lets through, for the receipt."""

    def __init__(
        self,
        name: str,
        guarantee: Guarantee,
        settings: Settings[T],
        in_clear: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.in_clear = in_clear
        self.guarantee = self._promise = guarantee
        self.settings = settings
        self._space: Space | None = None
        self._built: T | None = None
        warn_if_void(name, guarantee)

    def fit(self, space: Space) -> Self:
        """Learn what there is to learn from a public space. Raises DxError where the settings have
        no solution on it."""
        with learned.noting_use() as read:
            self._built = self.settings.on(space, self._promise)
        promise = self._built.guarantee.named(space.digest)
        self.guarantee = promise.as_trusted_as_files() if read or not space.verified else promise
        self._space = space
        return self

    def sample(
        self,
        rows: Ints1d,
        rng: Rng,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
    ) -> Draw:
        """rows: int64 (k,) -> replacements (k,), and noisy vectors, float32 (k, d), where there are
        such. Every word is drawn alone: starts, bool (k,), and between, k texts, change nothing.
        fixed: bool (k,), rows that stay as they are.

        Raises DxError before fit, for rows that the space does not have, and for other shapes.
        """
        draw = self._sample(rows, rng)
        _, stays = checked_layout(len(draw.rows), starts, fixed, between)
        return with_fixed(draw, rows, stays)

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        raise NotImplementedError

    @property
    def built(self) -> T:
        """Raises DxError before fit."""
        return fitted(self._built, self.name)

    # A worker maps the table of the space and fits again: cheaper than a copy through a pipe.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_built": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        promised = self.guarantee
        if self._space is not None:
            self.fit(self._space)
        if self.guarantee == promised.as_trusted_as_files():
            self.guarantee = promised  # what was learned there came along, or was verified there
