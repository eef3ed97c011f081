"""The fit of the settings on a space, and the terms of all receipts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from spacy.language import Language

from ..errors import DxError, Errors, PartCall
from ..mechanisms.built import check_fitted
from ..mechanisms.levels import level_of, scale_of
from ..space import Space
from ..space.search.protocols import FindsSettings
from ..surrogates.base import Scope
from ..ty import Mechanism, facts_of
from .carrying import describe_carry
from .name_distances import naming_rate
from .receipt import ReceiptTerms, surrogate_names
from .selectors import AllWords
from .settings import SanitizerSettings

MENTION_COUNTS = (1, 3, 10)  # of a person, for which receipts state the odds


def fit(settings: SanitizerSettings, space: Space, nlp: Language | None) -> ReceiptTerms:
    """Fit the mechanism and the editor on a space, and return the terms of all receipts.

    nlp: the pipeline; None in a worker. Raises DxError for incompatible parts.
    """
    mechanism, editor = settings.mechanism, settings.editor
    projection = facts_of(mechanism).projection
    with PartCall("mechanism", "Mechanism.fit", mechanism, reads_text=False):
        mechanism.fit(space)
    check_fitted(mechanism, space)
    if settings.vectors == "noisy":
        with PartCall("mechanism", "Mechanism.sample", mechanism, reads_text=True):
            empty = mechanism.sample(np.zeros(0, dtype=np.int64), settings.rng)
        if empty.vectors is None or empty.vectors.shape[1:] != space.vectors.shape[1:]:
            raise DxError(Errors.DX035.format(mechanism=mechanism.name))
    if editor is not None:
        with PartCall("editor", "Editor.fit", editor, reads_text=False):
            editor.fit(space, mechanism, settings.space.allowed())
    epsilon, scope = mechanism.guarantee.epsilon, settings.scope
    # Attackers were measured where every word is sampled, and nothing else of the text is visible.
    shown = (type(settings.selector), scope, settings.casing, settings.carry)
    as_measured = shown == (AllWords, "token", "truecase", ())
    measured = level_of(mechanism, epsilon) if as_measured else None
    surrogates = _surrogate_terms(settings) if settings.surrogates else None
    terms = ReceiptTerms(
        mechanism=mechanism.name,
        guarantee=mechanism.guarantee,
        space=f"{space.name} ({space.digest})",
        unknown_policy=type(settings.unknown).__name__,
        scope=scope,
        casing=settings.casing,
        vectors=settings.vectors,
        seeded=settings.rng.seed is not None,
        in_clear=_in_clear(settings, nlp),
        recognisers=_recognisers(nlp),
        attacker=None if measured is None else measured.to_dict(),
        scale=scale_of(mechanism, len(space)),
        odds=_odds(mechanism),
        found=projection.found() if isinstance(projection, FindsSettings) else {},
        numbers=None if settings.numbers is None else settings.numbers.guarantee,
        editor=None if editor is None else editor.name,
        surrogates=surrogates,
    )
    if settings.draws_words:
        return terms
    unused: dict[str, Any] = dict.fromkeys(("attacker", "scale", "odds", "editor"))
    return replace(terms, mechanism=surrogate_names(surrogates), guarantee=None, **unused)


def _recognisers(nlp: Language | None) -> tuple[str, ...]:
    """Return the pipelines that components use without being asked by name."""
    pipes = [] if nlp is None else [pipe for _, pipe in nlp.pipeline]
    return tuple(name for pipe in pipes for name in getattr(pipe, "recognisers", ()))


def _in_clear(settings: SanitizerSettings, nlp: Language | None) -> tuple[str, ...]:
    """Return descriptions of what stays visible of the input, without duplicates."""
    visible = [*settings.selector.in_clear]
    if settings.draws_words:
        visible += [*settings.unknown.in_clear, *facts_of(settings.mechanism).in_clear]
    visible += () if settings.numbers is None else settings.numbers.in_clear
    if settings.scope == "type":
        visible.append("which words of a document are the same")
    if settings.casing == "preserve":
        visible.append("the case of every word")
    visible += map(describe_carry, settings.carry)
    visible += settings.space.in_clear(nlp)
    for surrogate in settings.active_surrogates.values():
        visible += surrogate.in_clear
    if settings.active_surrogates:
        visible.append("how many mentions of each label there are, and where")
    return tuple(dict.fromkeys(visible))


def _odds(mechanism: Mechanism) -> dict[str, Any] | None:
    """Return upper bounds on how often an attacker names a person, for receipts."""
    distances = facts_of(mechanism).near_names
    if not distances:
        return None
    rates = {str(times): naming_rate(mechanism, times) for times in MENTION_COUNTS}
    return {"among": len(distances) + 1, "right": rates}


def _surrogate_terms(settings: SanitizerSettings) -> dict[str, dict[str, Any]]:
    terms: dict[str, dict[str, Any]] = {}
    for label, surrogate in settings.active_surrogates.items():
        terms[label] = {
            "surrogate": surrogate.name,
            "guarantee": surrogate.guarantee.to_dict(),
            "chance": surrogate.chance,
        }
        scope = getattr(surrogate, "scope", None)
        if isinstance(scope, Scope) and scope.key_id is not None:
            terms[label]["key_id"] = scope.key_id
    return terms
