"""Fit a component on its space: check what fits together, and state the terms of all receipts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from spacy.language import Language

from ..errors import DxError, DxWarning, Errors, Warnings
from ..mechanisms.base.built import check_fitted
from ..priors.builtin import lacked_of
from ..privacy.levels import found_by, scale_of
from ..space import Space
from ..spaces.hurtful import allowed_by
from ..surrogates.base import Scope, Surrogate
from ..surrogates.presets import Preset
from ..ty import (
    Avoids,
    ChoosesIndex,
    Editor,
    FindsSettings,
    HasIndex,
    HasProjection,
    InContext,
    Projection,
    TellsAbout,
    TellsInClear,
)
from .parts import Parts
from .receipt import Terms
from .release import CARRIED_IN_CLEAR
from .select import Entities, entity_labels

LACKING, NOT_ENGLISH = 0.03, 0.25  # of the words of English text, that a table of English lacks


def fit(parts: Parts, space: Space, nlp: Language | None, saved_editor: dict[str, str]) -> Terms:
    """Fit the mechanism and the editor of a component on a space.

    Args:
        parts: The component's settings.
        space: The table of words.
        nlp: The pipeline; None in a worker.
        saved_editor: Model and digest of the editor when the pipeline was saved; {} for none.

    Returns:
        What every receipt of the component says.

    Raises:
        DxError: For parts that do not fit together, and for another model than was saved.
    """
    parts.mechanism.fit(space)
    if isinstance(parts.unknown, InContext) and not parts.draws_together:
        raise DxError(Errors.DX066)
    check_fitted(parts.mechanism, space)
    if parts.vectors == "noisy":
        empty = parts.mechanism.sample(np.zeros(0, dtype=np.int64), parts.rng)
        if empty.vectors is None or empty.vectors.shape[1:] != space.vectors.shape[1:]:
            raise DxError(Errors.DX035.format(mechanism=parts.mechanism.name))
    if parts.editor is not None:
        _fit_editor(parts, parts.editor, space, saved_editor)
    about: dict[str, str] = parts.editor.about if isinstance(parts.editor, TellsAbout) else {}
    return Terms(
        mechanism=parts.mechanism.name,
        guarantee=parts.mechanism.guarantee,
        space=f"{space.name} ({space.digest})",
        unknown_policy=type(parts.unknown).__name__,
        scope=parts.scope,
        casing=parts.casing,
        vectors=parts.vectors,
        seeded=parts.rng.seed is not None,
        in_clear=_in_clear(parts, nlp),
        attacker=attacker_of(parts),
        scale=scale_of(parts.mechanism, len(space)),
        found={**found_of(parts), **_index_of(parts)},
        numbers=None if parts.numbers is None else parts.numbers.guarantee,
        editor=None if parts.editor is None else parts.editor.name,
        editor_model=about.get("digest"),
        surrogates=_surrogates_of(parts),
    )


def attacker_of(parts: Parts) -> dict[str, Any] | None:
    """Return what an attacker found of other texts at these settings; None where not measured."""
    found = found_by(parts.mechanism, parts.mechanism.guarantee.epsilon)
    return None if found is None or parts.scope != "token" else found.to_dict()


def projection_of(parts: Parts) -> Projection | None:
    """Return the rule from noisy vectors to rows, where the mechanism has one."""
    return parts.mechanism.projection if isinstance(parts.mechanism, HasProjection) else None


def found_of(parts: Parts) -> dict[str, Any]:
    """Return the settings that were looked for on the space."""
    rule = projection_of(parts)
    return rule.found() if isinstance(rule, FindsSettings) else {}


def _index_of(parts: Parts) -> dict[str, str]:
    rule = projection_of(parts)
    index = rule.index if isinstance(rule, HasIndex) else None
    return {"index": index.choice} if isinstance(index, ChoosesIndex) else {}


def _in_clear(parts: Parts, nlp: Language | None) -> tuple[str, ...]:
    """What of the input stays visible, in words."""
    found = [*parts.selector.in_clear, *parts.unknown.in_clear]
    found += parts.mechanism.in_clear if isinstance(parts.mechanism, TellsInClear) else ()
    found += () if parts.numbers is None else parts.numbers.in_clear
    if parts.scope == "type":
        found.append("which words of a document are the same")
    if parts.casing == "preserve":
        found.append("the case of every word")
    found += [CARRIED_IN_CLEAR[item] for item in parts.carry]
    found += parts.source.in_clear(nlp)
    found += [told for one in parts.standing.values() for told in one.in_clear]
    if parts.standing:
        found.append("how many mentions of each label there are, and where")
    return tuple(dict.fromkeys(found))


def _fit_editor(parts: Parts, editor: Editor, space: Space, saved: dict[str, str]) -> None:
    editor.fit(space, parts.mechanism)
    if isinstance(editor, Avoids):
        editor.avoid(allowed_by(parts.source))
    if isinstance(editor, TellsAbout) and saved.get("model") == editor.about["model"]:
        then, now = saved["digest"], editor.about["digest"]
        if then != now:
            name = editor.about["model"]
            raise DxError(Errors.DX156.format(name=name, saved=then[:12], found=now[:12]))


def _surrogates_of(parts: Parts) -> dict[str, dict[str, Any]] | None:
    """What is the same for every document, by label."""
    if not parts.surrogates:
        return None
    return {
        label: {
            "stand_in": one.name,
            "guarantee": one.guarantee.to_dict(),
            "chance": one.chance,
            **_key_id(one),
        }
        for label, one in parts.standing.items()
    }


def _key_id(surrogate: Surrogate) -> dict[str, str]:
    scope = getattr(surrogate, "scope", None)
    key_id = scope.key_id if isinstance(scope, Scope) else None
    return {} if key_id is None else {"key_id": key_id}


def check_labels(parts: Parts, nlp: Language, name: str) -> None:
    """Warn of labels that have a surrogate and that no recogniser predicts.

    Raises:
        DxError: Where a label that is selected has no surrogate.
    """
    if not parts.surrogates or isinstance(parts.surrogates, Preset):
        return
    selected: tuple[str, ...] = ()
    if isinstance(parts.selector, Entities):
        selected = parts.selector.labels
    missing = sorted(set(selected) - set(parts.surrogates))
    if missing:
        raise DxError(Errors.DX115.format(missing=", ".join(missing)))
    known = entity_labels(nlp, before=name)
    unknown = [] if known is None else sorted(set(parts.surrogates) - known)
    if unknown:
        told = ", ".join(sorted(known or ())) or "no label at all"
        message = Warnings.DX121.format(unknown=", ".join(unknown), known=told)
        warnings.warn(message, DxWarning, stacklevel=5)


def warn_of_lacking(space: Space) -> None:
    """Warn where a table that nobody chose is of English, and the built-in one has more of it. One
    that lacks most of English may be for anything."""
    lacked = lacked_of(space)
    if LACKING < lacked < NOT_ENGLISH:
        warnings.warn(Warnings.DX104.format(lacked=lacked), DxWarning, stacklevel=3)
