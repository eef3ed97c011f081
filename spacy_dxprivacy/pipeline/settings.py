"""The settings of the component: validation, derived properties, and the fit on a space."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from spacy.language import Language

from ..arrays import Bools1d, Ints1d
from ..errors import DxError, DxWarning, Errors, Warnings
from ..mechanisms.built import check_fitted, check_mechanism
from ..mechanisms.levels import level_of, scale_of
from ..prior.builtin import missing_share
from ..privacy.guarantee import STATUSES, Guarantee
from ..privacy.loss import best_guess
from ..privacy.randomness import Rng
from ..space import Space
from ..space.search.protocols import FindsSettings
from ..space.sources import SpaceSource
from ..surrogates.base import Scope, Surrogate
from ..surrogates.plain import Preset, surrogates_of
from ..surrogates.replacements import NumberDraw
from ..text.mentions import plain_label
from ..ty import (
    Editor,
    HasMetric,
    Mechanism,
    Unknown,
    facts_of,
)
from ..validate import fail, one_of, positive
from .carrying import check_carry, describe_carry
from .receipt import ReceiptTerms, surrogate_names
from .selectors import AllWords, Entities, Selector, WordList, entity_labels
from .unknown_words import Raise

MENTION_COUNTS = (1, 3, 10)  # of a person, for which receipts state the odds
NAMES, NAMES_PROBED = ("first_name", "surname"), 4
# Share of English running text that a space lacks; above, it is probably not English.
MIN_MISSING, MAX_MISSING = 0.03, 0.25


@dataclass(kw_only=True, eq=False, repr=False)
class SanitizerSettings:
    """The settings of the component, checked.

    Args:
        mechanism: Samples words.
        selector: Chooses the words to sample; all others stay in plaintext.
        space: The source of the space.
        unknown: Replaces words that the space lacks.
        numbers: None, or a mechanism that samples numbers by their value. Its epsilon is in another
            metric than that of words, so it excludes max_epsilon_per_doc.
        editor: None, or an editor of sampled words that uses public knowledge only.
        surrogates: None, the name of a preset ("standard", "clinical"), or a surrogate for each
            label of the recogniser. Each has its own guarantee; the mechanism samples other words.
        stages: Stages of other packages (draft.ReleaseStage), by a name of your choice. They see
            and change the release only.
        seed: None. A whole number makes the noise repeatable, for tests only.
        scope: "token" samples each occurrence; "type" samples each distinct word of a Doc once, so
            it is visible which words are the same.
        casing: "truecase" depends on the output only; "preserve" copies the case of the input.
        vectors: "table" leaves token.vector to the pipeline's own vectors, if any; "noisy" sets it
            to the perturbed vector, see receipt.attach_vectors.
        carry: Annotations to copy from the input Doc: "tags" (with parts of speech and morphology),
            "lemmas", "deps" and extension attributes ("_.NAME") of words that stay; "ents", "sents"
            and "spans:KEY" with their places. See pipeline/carrying.py.
        language: The language of all texts, which are then checked for other scripts only; detected
            for each text and passage if None.
        unknown_language: "refuse" raises an error for a text with a passage in an uncovered
            language or script; "redact" replaces the passage.
        attribute: Name of the extension attribute of Docs, tokens and spans (doc._.dx).
        max_epsilon_per_doc: Raise, before sampling, for a Doc with a larger total epsilon. It
            counts words only, not surrogates.
        max_epsilon_per_person: Raise, before sampling, for a Doc in which all mentions of a
            recognised person together have a larger epsilon.

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
        items = [self.carry] if isinstance(self.carry, str) else self.carry
        self.carry = tuple(map(check_carry, items))
        if not (isinstance(self.attribute, str) and self.attribute.isidentifier()):
            raise fail("attribute", "a name of Python, such as 'dx'", self.attribute)
        for name, stage in self.stages.items():
            if not callable(stage):
                raise fail(f"stages.{name}", "a stage of @dx_stages", type(stage))
        for name in ("max_epsilon_per_doc", "max_epsilon_per_person"):
            if getattr(self, name) is not None:
                setattr(self, name, positive(name, getattr(self, name)))
        if self.numbers is not None and self.max_epsilon_per_doc is not None:
            expected = "null with numbers, whose epsilon is of another metric"
            raise fail("max_epsilon_per_doc", expected, self.max_epsilon_per_doc)
        if self.editor is not None and self.vectors == "noisy":
            expected = "'table' with an editor, which edits sampled words only"
            raise fail("vectors", expected, self.vectors)

    @property
    def takes_parts(self) -> bool:
        """Whether a long text may be sanitised in parts that end with a sentence.

        That is where no setting needs the whole text. With a seed, which is for tests, it is
        sanitised as a whole.
        """
        plain = type(self.selector) in (AllWords, WordList)
        options = (self.numbers, self.editor, self.surrogates or None, self.stages or None)
        local = self.scope == "token" and not isinstance(self.unknown, Raise)
        text_only = (self.vectors, self.carry) == ("table", ()) and options == (None,) * 4
        budgets = (self.max_epsilon_per_doc, self.max_epsilon_per_person)
        return plain and local and text_only and budgets == (None, None) and self.rng.seed is None

    @property
    def draws_together(self) -> bool:
        """Whether sampling is sentence-level. Distinct words (scope "type") have no sentences."""
        return facts_of(self.mechanism).draws_sentences and self.scope == "token"

    @property
    def active_surrogates(self) -> dict[str, Surrogate]:
        """The surrogates in use; of a preset, only those for the labels of the selector."""
        surrogates: dict[str, Surrogate] = self.surrogates
        if not (isinstance(surrogates, Preset) and isinstance(self.selector, Entities)):
            return surrogates
        labels = {plain_label(label) for label in self.selector.labels}
        return {label: s for label, s in surrogates.items() if plain_label(label) in labels}

    @property
    def draws_words(self) -> bool:
        """Whether the mechanism may sample a word: not if each selected label has a surrogate of
        its own."""
        if not (isinstance(self.selector, Entities) and self.active_surrogates):
            return True
        covered = {plain_label(name) for name in self.active_surrogates}
        ways = {surrogate.way for surrogate in self.active_surrogates.values()}
        return "words" in ways or not covered.issuperset(map(plain_label, self.selector.labels))


# -- fit -------------------------------------------------------------------------------------------


def fit(settings: SanitizerSettings, space: Space, nlp: Language | None) -> ReceiptTerms:
    """Fit the mechanism and the editor on a space, and return the terms of all receipts.

    nlp: the pipeline; None in a worker. Raises DxError for incompatible parts.
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
    guarantee = _surrogate_guarantee(settings.active_surrogates)
    return replace(terms, mechanism=surrogate_names(surrogates), guarantee=guarantee, **unused)


def _surrogate_guarantee(surrogates: Mapping[str, Surrogate]) -> Guarantee:
    """Return the guarantee of a document in which only mentions are replaced: the weakest of its
    surrogates, each mention in the metric of its own."""
    guarantees = [s.guarantee for s in surrogates.values() if s.way == "drawn"]
    if not guarantees or any(guarantee.kind == "none" for guarantee in guarantees):
        return Guarantee("none", notes="A label stays as it is, or its surrogate has no guarantee.")
    in_metric = [guarantee for guarantee in guarantees if guarantee.kind == "metric-dp"]
    worst = max(guarantees, key=lambda guarantee: STATUSES.index(guarantee.status))
    metrics = dict.fromkeys(guarantee.metric for guarantee in in_metric or guarantees)
    labels = ", ".join(dict.fromkeys(map(plain_label, surrogates)))
    return Guarantee(
        "metric-dp" if in_metric else "approx-dp",
        max(guarantee.epsilon for guarantee in guarantees),
        max(guarantee.delta for guarantee in guarantees) if not in_metric else 0.0,
        metric=" or ".join(metrics),
        adjacency=f"mentions of {labels}, as `surrogates` states for each",
        status=worst.status,
        notes="Of surrogates: no word was drawn by a mechanism.",
    )


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


def naming_rate(mechanism: Mechanism, words: int) -> float | None:
    """Return an upper bound on the probability that an attacker names a typical person who is
    mentioned in `words` words. The attacker knows everything else, and that the name is one of 100
    near names. None without known distances of near names."""
    distances = facts_of(mechanism).near_names
    if not distances:
        return None
    per_unit = mechanism.guarantee.epsilon * words
    return best_guess([per_unit * distance for distance in distances])


def name_rows(space: Space) -> Ints1d:
    """Return the rows of names of a space; all rows if the space has no classes of names."""
    flags: Bools1d = np.any([space.with_class(name) for name in NAMES], axis=0)
    return np.flatnonzero(flags if flags.sum() > 1 else ~flags | True)


def max_name_distance(mechanism: Mechanism, space: Space) -> float:
    """Return an upper bound on the distance of two names, in the metric of the guarantee: twice the
    least, over probed names, of the distance to the farthest name (triangle inequality). Infinity
    if the guarantee does not cover all pairs.
    """
    guarantee, rows = mechanism.guarantee, name_rows(space)
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


def check_labels(settings: SanitizerSettings, nlp: Language, name: str) -> None:
    """Warn of surrogates for labels that no recogniser predicts. Raise DxError for a selected label
    without a surrogate."""
    if not settings.surrogates or isinstance(settings.surrogates, Preset):
        return
    selected = settings.selector.labels if isinstance(settings.selector, Entities) else ()
    missing: list[str] = sorted(set(selected) - set(settings.surrogates))
    if missing:
        raise DxError(Errors.DX115.format(missing=", ".join(missing)))
    labels = entity_labels(nlp, before=name)
    denied = settings.selector.deny.keys() if isinstance(settings.selector, Entities) else ()
    unknown = [] if labels is None else sorted({*settings.surrogates} - {*labels, *denied})
    if unknown:
        predicted = ", ".join(sorted(labels or ())) or "no label at all"
        message = Warnings.DX121.format(unknown=", ".join(unknown), known=predicted)
        warnings.warn(message, DxWarning, stacklevel=5)


def check_listeners(nlp: Language, name: str) -> None:
    """Raise DxError for components after the sanitizer that listen to a tok2vec or transformer
    before it: these computed vectors of the input's words, which the new Doc lacks."""
    if name not in nlp.pipe_names:
        return
    place = nlp.pipe_names.index(name)
    listeners = [set(getattr(pipe, "listening_components", ())) for _, pipe in nlp.pipeline]
    served = set[str]().union(*listeners[place + 1 :])  # by a component after the sanitizer
    for upstream, names in zip(nlp.pipe_names[:place], listeners, strict=False):
        stranded = ", ".join(n for n in nlp.pipe_names[place + 1 :] if n in names - served)
        if stranded:
            raise DxError(Errors.DX182.format(listeners=stranded, name=name, upstream=upstream))


def warn_missing_words(space: Space) -> None:
    """Warn if a space that was not chosen explicitly lacks English words of the built-in space. One
    that lacks most of them may be of another language."""
    share = missing_share(space)
    if MIN_MISSING < share < MAX_MISSING:
        warnings.warn(Warnings.DX104.format(share=share), DxWarning, stacklevel=3)
