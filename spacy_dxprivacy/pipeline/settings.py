"""The settings of the component: their checks, what follows from them, and their fit on a space."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from spacy.language import Language

from ..arrays import Bools1d, Ints1d
from ..entities.surrogates.base import Scope, Surrogate
from ..entities.surrogates.plain import Preset, surrogates_of
from ..entities.surrogates.replacements import NumberDraw
from ..errors import DxError, DxWarning, Errors, Warnings
from ..mechanisms.built import check_fitted, check_mechanism
from ..mechanisms.levels import found_by, scale_of
from ..prior.pairs import lacked_of
from ..privacy.composition import best_guess
from ..privacy.guarantee import STATUSES, Guarantee
from ..privacy.randomness import Rng
from ..space import Space
from ..space.sources import SpaceSource, allowed_by, substitutes_of
from ..text.mentions import plain_label
from ..ty import (
    Editor,
    FindsSettings,
    HasMetric,
    Mechanism,
    Unknown,
    facts_of,
)
from ..validate import fail, one_of, positive
from .receipt import Terms, surrogate_names
from .select import AllWords, Entities, Selector, WordList, entity_labels
from .unknown import Raise

CARRIED_IN_CLEAR = {
    "ents": "the places and labels of the input's entities",
    "sents": "where the input's sentences begin",
}
MENTIONED = (1, 3, 10)
NAMES, NAMES_PROBED = ("first_name", "surname"), 4
LACKING, NOT_ENGLISH = 0.03, 0.25  # shares of the words of English text that a table lacks


@dataclass(kw_only=True, eq=False, repr=False)
class SanitizerSettings:
    """The settings of the component, checked.

    Args:
        mechanism: Draws words.
        selector: Which words are drawn; all others stay in plaintext.
        space: Where the space comes from.
        unknown: What takes the place of words that the space lacks.
        numbers: None, or what draws numbers by their value. Its epsilon is of another metric than
            that of words, so max_epsilon_per_doc raises with it.
        editor: None, or what edits words after they were drawn, by public knowledge alone.
        surrogates: None, the name of a preset ("standard", "clinical"), or a surrogate by label of
            the recogniser. Each has its own guarantee; all other words are drawn by the mechanism.
        stages: Of other packages (draft.ReleaseStage), by a name of your own: they change the
            release, and see nothing else.
        seed: None. A whole number makes the noise repeatable, for tests alone.
        scope: "token" draws every occurrence anew, "type" once for each distinct word of a Doc; it
            is then visible which words are the same.
        casing: "truecase" goes by the output alone, "preserve" copies the input's.
        vectors: "table" leaves token.vector to the pipeline's own vectors, if any; "noisy" makes it
            the perturbed vector, see receipt.attach_vectors.
        carry: "ents", "sents" or both, taken over from the input's Doc.
        language: Of all texts, in whose words nothing is then looked for but other scripts; that of
            each text and passage is detected by its words if None.
        unknown_language: "refuse" a text with a passage in a language or script that is not
            covered, or "redact" the passage as a whole.
        attribute: Of Docs, tokens and spans (doc._.dx), for their receipt and how they were made.
        max_epsilon_per_doc: A Doc whose total epsilon would be above it raises before anything of
            it is drawn. It counts words only, not surrogates.
        max_epsilon_per_person: A Doc in which all mentions of a recognised person together would
            be above it raises before it is drawn.

    Raises:
        DxError: For settings out of range.
    """

    mechanism: Mechanism
    selector: Selector
    space: SpaceSource
    unknown: Unknown
    numbers: NumberDraw | None = None
    editor: Editor | None = None
    surrogates: Any = None
    stages: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    scope: str = "token"
    casing: str = "truecase"
    vectors: str = "table"
    carry: Sequence[str] = ()
    language: str | None = None
    unknown_language: str = "refuse"
    attribute: str = "dx"
    max_epsilon_per_doc: float | None = None
    max_epsilon_per_person: float | None = None
    rng: Rng = field(init=False)

    def __post_init__(self) -> None:
        check_mechanism(self.mechanism)
        self.surrogates = surrogates_of(self.surrogates)
        self.rng = Rng(self.seed)
        one_of("scope", self.scope, ("token", "type"))
        one_of("casing", self.casing, ("truecase", "preserve"))
        one_of("vectors", self.vectors, ("table", "noisy"))
        one_of("unknown_language", self.unknown_language, ("refuse", "redact"))
        self.carry = tuple(one_of("carry", item, tuple(CARRIED_IN_CLEAR)) for item in self.carry)
        if not (isinstance(self.attribute, str) and self.attribute.isidentifier()):
            raise fail("attribute", "a name of Python, such as 'dx'", self.attribute)
        for name, stage in self.stages.items():
            if not callable(stage):
                raise fail(f"stages.{name}", "a stage of @dx_stages", type(stage))
        most = self.max_epsilon_per_doc
        for name in ("max_epsilon_per_doc", "max_epsilon_per_person"):
            if getattr(self, name) is not None:
                setattr(self, name, positive(name, getattr(self, name)))
        if self.numbers is not None and most is not None:
            expected = "null with numbers, whose epsilon is of another metric"
            raise fail("max_epsilon_per_doc", expected, most)
        if self.editor is not None and self.vectors == "noisy":
            expected = "'table' with an editor, which edits sampled words only"
            raise fail("vectors", expected, self.vectors)

    @property
    def takes_parts(self) -> bool:
        """Whether a text may be drawn in parts that end with a sentence, as documents of their own.

        Nothing then looks at the text as a whole. With a seed, which is for tests, it is drawn at
        once.
        """
        plain = type(self.selector) in (AllWords, WordList)
        more = (self.numbers, self.editor, self.surrogates or None, self.stages or None)
        alone = self.scope == "token" and not isinstance(self.unknown, Raise)
        text_only = (self.vectors, self.carry) == ("table", ()) and more == (None,) * 4
        budgets = (self.max_epsilon_per_doc, self.max_epsilon_per_person)
        return plain and alone and text_only and budgets == (None, None) and self.rng.seed is None

    @property
    def draws_together(self) -> bool:
        """Whether words are drawn with their sentences. A set of distinct words has none."""
        return facts_of(self.mechanism).draws_sentences and self.scope == "token"

    @property
    def active_surrogates(self) -> dict[str, Surrogate]:
        """The surrogates in use: of a preset, those for the labels of the selector."""
        all_of_them: dict[str, Surrogate] = self.surrogates
        if not (isinstance(self.surrogates, Preset) and isinstance(self.selector, Entities)):
            return all_of_them
        wanted = {plain_label(label) for label in self.selector.labels}
        return {label: one for label, one in all_of_them.items() if plain_label(label) in wanted}

    @property
    def draws_words(self) -> bool:
        """Whether the mechanism may draw a word: not where each selected mention gets a surrogate
        of its own."""
        if not (isinstance(self.selector, Entities) and self.active_surrogates):
            return True
        covered = {plain_label(name) for name in self.active_surrogates}
        ways = {one.way for one in self.active_surrogates.values()}
        return "words" in ways or not covered.issuperset(map(plain_label, self.selector.labels))

    def blocked(self, space: Space) -> tuple[frozenset[str], Mapping[str, str]]:
        """Return the words of a space that are never released, and the substitute of each."""
        substitutes = substitutes_of(space) if self.space.spares else {}
        return frozenset(substitutes), substitutes


# -- fit -------------------------------------------------------------------------------------------


def fit(settings: SanitizerSettings, space: Space, nlp: Language | None) -> Terms:
    """Fit the mechanism and the editor on a space, and return the terms of all receipts.

    nlp: the pipeline; None in a worker. Raises DxError for parts that do not fit together.
    """
    mechanism, editor = settings.mechanism, settings.editor
    projection = facts_of(mechanism).projection
    mechanism.fit(space)
    check_fitted(mechanism, space)
    if settings.vectors == "noisy":
        empty = mechanism.sample(np.zeros(0, dtype=np.int64), settings.rng)
        if empty.vectors is None or empty.vectors.shape[1:] != space.vectors.shape[1:]:
            raise DxError(Errors.DX035.format(mechanism=mechanism.name))
    if editor is not None:
        editor.fit(space, mechanism, allowed_by(settings.space))
    epsilon, scope = mechanism.guarantee.epsilon, settings.scope
    measured = found_by(mechanism, epsilon) if scope == "token" else None
    surrogates = _surrogate_terms(settings) if settings.surrogates else None
    terms = Terms(
        mechanism=mechanism.name,
        guarantee=mechanism.guarantee,
        space=f"{space.name} ({space.digest})",
        unknown_policy=type(settings.unknown).__name__,
        scope=scope,
        casing=settings.casing,
        vectors=settings.vectors,
        seeded=settings.rng.seed is not None,
        in_clear=_in_clear(settings, nlp),
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
    guarantee = _of_surrogates(settings.active_surrogates)
    return replace(terms, mechanism=surrogate_names(surrogates), guarantee=guarantee, **unused)


def _of_surrogates(surrogates: Mapping[str, Surrogate]) -> Guarantee:
    """Return the guarantee of a document whose mentions alone are replaced: the weakest one, each
    mention by the metric of its own surrogate."""
    every = [one.guarantee for one in surrogates.values() if one.way == "drawn"]
    if not every or any(one.kind == "none" for one in every):
        return Guarantee("none", notes="A label stays as it is, or its surrogate has no guarantee.")
    near = [one for one in every if one.kind == "metric-dp"]
    worst = max(every, key=lambda one: STATUSES.index(one.status))
    metrics = dict.fromkeys(one.metric for one in near or every)
    labels = ", ".join(dict.fromkeys(map(plain_label, surrogates)))
    return Guarantee(
        "metric-dp" if near else "approx-dp",
        max(one.epsilon for one in every),
        max(one.delta for one in every) if not near else 0.0,
        metric=" or ".join(metrics),
        adjacency=f"mentions of {labels}, as `surrogates` states for each",
        status=worst.status,
        notes="Of surrogates: no word was drawn by a mechanism.",
    )


def _in_clear(settings: SanitizerSettings, nlp: Language | None) -> tuple[str, ...]:
    """What of the input stays visible, in words, each once."""
    visible = [*settings.selector.in_clear]
    if settings.draws_words:
        visible += [*settings.unknown.in_clear, *facts_of(settings.mechanism).in_clear]
    visible += () if settings.numbers is None else settings.numbers.in_clear
    if settings.scope == "type":
        visible.append("which words of a document are the same")
    if settings.casing == "preserve":
        visible.append("the case of every word")
    visible += [CARRIED_IN_CLEAR[item] for item in settings.carry]
    visible += settings.space.in_clear(nlp)
    for surrogate in settings.active_surrogates.values():
        visible += surrogate.in_clear
    if settings.active_surrogates:
        visible.append("how many mentions of each label there are, and where")
    return tuple(dict.fromkeys(visible))


def _odds(mechanism: Mechanism) -> dict[str, Any] | None:
    """How often an attacker names a person at most; see Receipt."""
    near = facts_of(mechanism).near_names
    if not near:
        return None
    right = {str(times): right_of(mechanism, times) for times in MENTIONED}
    return {"among": len(near) + 1, "right": right}


def right_of(mechanism: Mechanism, words: int) -> float | None:
    """Return how often whoever knows all else, and that a name is one of 100 near names, names it
    at most, for a name like most in so many words. None where near names are unknown."""
    near = facts_of(mechanism).near_names
    if not near:
        return None
    per_unit = mechanism.guarantee.epsilon * words
    return best_guess([per_unit * distance for distance in near])


def names_of(space: Space) -> Ints1d:
    """Return the rows of names of a space; all rows where it does not know its names."""
    flags: Bools1d = np.any([space.with_class(name) for name in NAMES], axis=0)
    return np.flatnonzero(flags if flags.sum() > 1 else ~flags | True)


def names_apart(mechanism: Mechanism, space: Space) -> float:
    """Return an upper bound of the distance between two names, in the metric of the guarantee;
    infinity where it covers too few pairs.

    Reference:
        Twice the eccentricity of any name bounds the diameter.
    """
    guarantee, rows = mechanism.guarantee, names_of(space)
    if guarantee.kind == "approx-dp" and guarantee.covers == "all":
        return 1.0
    if guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric):
        return math.inf
    facts = facts_of(mechanism)
    if (bound := facts.farthest(rows)) is not None:
        return bound
    probes = np.unique(rows[np.linspace(0, len(rows) - 1, NAMES_PROBED).astype(np.int64)])
    try:
        D = np.asarray(mechanism.distances(probes))[:, rows]
    except DxError:
        return math.inf
    longest = facts.longest or math.inf
    return min(2 * float(D.max(axis=1).min()), longest)


def _surrogate_terms(settings: SanitizerSettings) -> dict[str, dict[str, Any]]:
    terms: dict[str, dict[str, Any]] = {}
    for label, one in settings.active_surrogates.items():
        terms[label] = {
            "surrogate": one.name,
            "guarantee": one.guarantee.to_dict(),
            "chance": one.chance,
        }
        scope = getattr(one, "scope", None)
        if isinstance(scope, Scope) and scope.key_id is not None:
            terms[label]["key_id"] = scope.key_id
    return terms


def check_labels(settings: SanitizerSettings, nlp: Language, name: str) -> None:
    """Warn of surrogates whose label no recogniser predicts; raise DxError for a selected label
    without a surrogate."""
    if not settings.surrogates or isinstance(settings.surrogates, Preset):
        return
    selected = settings.selector.labels if isinstance(settings.selector, Entities) else ()
    missing: list[str] = sorted(set(selected) - set(settings.surrogates))
    if missing:
        raise DxError(Errors.DX115.format(missing=", ".join(missing)))
    known = entity_labels(nlp, before=name)
    denied = settings.selector.deny.keys() if isinstance(settings.selector, Entities) else ()
    unknown = [] if known is None else sorted({*settings.surrogates} - {*known, *denied})
    if unknown:
        predicted = ", ".join(sorted(known or ())) or "no label at all"
        message = Warnings.DX121.format(unknown=", ".join(unknown), known=predicted)
        warnings.warn(message, DxWarning, stacklevel=5)


def check_listeners(nlp: Language, name: str) -> None:
    """Raise DxError for components behind the sanitizer that listen to a tok2vec or transformer
    before it: what these computed is of other words, and is not in the new Doc."""
    if name not in nlp.pipe_names:
        return
    place = nlp.pipe_names.index(name)
    listeners = [set(getattr(pipe, "listening_components", ())) for _, pipe in nlp.pipeline]
    near = set[str]().union(*listeners[place + 1 :])  # to one behind the sanitizer
    for upstream, some in zip(nlp.pipe_names[:place], listeners, strict=False):
        stranded = [one for one in nlp.pipe_names[place + 1 :] if one in some - near]
        if stranded:
            named = ", ".join(stranded)
            raise DxError(Errors.DX182.format(listeners=named, name=name, upstream=upstream))


def warn_of_lacking(space: Space) -> None:
    """Warn where a table that nobody chose lacks English words that the built-in one has. One that
    lacks most of English may be for anything."""
    lacked = lacked_of(space)
    if LACKING < lacked < NOT_ENGLISH:
        warnings.warn(Warnings.DX104.format(lacked=lacked), DxWarning, stacklevel=3)
