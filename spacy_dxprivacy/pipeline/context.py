"""What the stages of all batches share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from spacy.tokens import Doc

from ..space import Space
from ..space.blocked import blocked_words
from ..surrogates.base import Surrogate
from ..surrogates.replacements import Replacement
from ..ty import facts_of
from .name_distances import max_name_distance
from .settings import SanitizerSettings

OnReplacements = Callable[[Doc, list[Replacement]], list[Replacement]]


@dataclass(eq=False, repr=False)
class StageContext:
    """What the stages of all batches share: the settings, whose mechanism is fitted on the space.

    latin_only: whether a word of another script is a name. on_replacements: called with each
    document and its surrogates, for the table of originals; it returns the surrogates to write.
    """

    settings: SanitizerSettings
    space: Space
    latin_only: bool = True
    on_replacements: OnReplacements | None = None

    @cached_property
    def surrogates(self) -> dict[str, Surrogate]:
        """The surrogates in use, by label."""
        return self.settings.active_surrogates

    @cached_property
    def blocked(self) -> frozenset[str]:
        """The words of the space that are never released."""
        return blocked_words(self.space) if self.settings.space.blocks_offensive else frozenset()

    @cached_property
    def name_distances(self) -> tuple[float, tuple[float, ...]]:
        """The largest distance of two names, and the distance from a typical name to its nearest if
        it is known."""
        mechanism = self.settings.mechanism
        return max_name_distance(mechanism, self.space), tuple(facts_of(mechanism).near_names[:1])

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields for a worker: without the listener, and without what is computed."""
        kept = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**kept, "on_replacements": None}
