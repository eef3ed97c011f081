"""The settings of the component: validation, derived properties, and checks of the pipeline."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any

from spacy.language import Language
from spacy.tokens.underscore import Underscore
from spacy.util import get_lang_class

from ..errors import DxError, DxWarning, Errors, Warnings
from ..mechanisms.named import DEFAULT, mechanism_of
from ..prior.builtin import missing_share
from ..privacy.randomness import Rng
from ..space import Space
from ..space.sources import SpaceSource
from ..surrogates.base import Surrogate
from ..surrogates.plain import Preset, for_replaced_labels, surrogates_of
from ..surrogates.replacements import NumberDraw
from ..text.mentions import plain_label
from ..ty import (
    Editor,
    Mechanism,
    ReleaseStage,
    Unknown,
    facts_of,
)
from ..validate import check_part, fail, one_of, positive
from .carrying import check_carry
from .receipt import ANNOTATIONS
from .selectors import AllWords, Entities, Selector, WordList, entity_labels, selector_of
from .unknown_words import Context, Raise

# Share of English running text that a space lacks; above, it is probably not English.
MIN_MISSING, MAX_MISSING = 0.03, 0.25
# What a part is, its protocol, and how a block of a config names it; by setting.
PARTS: dict[str, tuple[str, type, str]] = {
    "selector": ("selector", Selector, '@dx_selectors = "dx.AllWords.v1"'),
    "space": ("space", SpaceSource, '@dx_spaces = "dx.AutoSpace.v1"'),
    "unknown": ("policy for unknown words", Unknown, '@dx_unknowns = "dx.Context.v1"'),
    "numbers": (
        "mechanism for numbers",
        NumberDraw,
        '@dx_surrogates = "dx.Number.v1" and epsilon = 0.5',
    ),
    "editor": ("editor", Editor, '@dx_editors = "dx.Remap.v1"'),
}
OPTIONAL_PARTS = ("numbers", "editor")


@dataclass(kw_only=True, eq=False, repr=False)
class SanitizerSettings:
    """The settings of the component, checked.

    Args:
        mechanism: Samples words; the default if None. By its name with settings too, such as
            "laplace epsilon=10".
        selector: Chooses the words to sample; all others stay in plaintext.
        space: The source of the space.
        unknown: Replaces words that the space lacks; dx.Context.v1 if None.
        epsilon: None, or the epsilon of the mechanism, if that is the default or by name: a number
            in its unit, or the name of a level of the default, such as "strong".
        labels: None, or the labels of the selector dx.Entities.v1, as a list or as "PERSON,DATE".
        numbers: None, or a mechanism that samples numbers by their value. Its epsilon is in another
            metric than that of words, so it excludes max_epsilon_per_doc.
        editor: None, or an editor of sampled words that uses public knowledge only.
        surrogates: None, the name of a preset ("standard", "clinical"), or a surrogate for each
            label of the recogniser. Each has its own guarantee; the mechanism samples other words.
        stages: Stages of other packages (ty.ReleaseStage), by a name of your choice. They see
            and change the release only.
        seed: None. A whole number makes the noise repeatable, for tests only.
        scope: "token" samples each occurrence; "type" samples each distinct word of a Doc once, so
            it is visible which words are the same.
        casing: "truecase" depends on the output only; "preserve" copies the case of the input.
        vectors: "table" leaves token.vector to the pipeline's own vectors, if any: a sampled word
            has the vector of its row in any case. "noisy" sets it to the perturbed vector. See
            attach_vectors.
        carry: Annotations to copy from the input Doc: "tags" (with parts of speech and morphology),
            "lemmas", "deps" and extension attributes ("_.NAME") of words that stay; "ents", "sents"
            and "spans:KEY" with their places. See pipeline/carrying.py.
        write: "text" makes a new Doc. "annotations" sets doc._.dx_text and span._.dx_replacement of
            the input and leaves it as it is otherwise: it is no release then.
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
    epsilon: float | str | None = None
    labels: str | list[str] | None = None
    numbers: NumberDraw | None = None
    editor: Editor | None = None
    surrogates: Any = None
    stages: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    scope: str = "token"
    casing: str = "truecase"
    vectors: str = "table"
    carry: Sequence[str] = ()
    write: str = "text"
    language: str | None = None
    unknown_language: str = "refuse"
    attribute: str = "dx"
    max_epsilon_per_doc: float | None = None
    max_epsilon_per_person: float | None = None
    rng: Rng = field(init=False)

    def __post_init__(self) -> None:
        self._check_parts()
        surrogates, selector = surrogates_of(self.surrogates), self.selector
        replaced = selector.labels if isinstance(selector, Entities) else tuple(surrogates)
        self.surrogates = for_replaced_labels(surrogates, replaced)
        self.rng = Rng(self.seed)
        one_of("scope", self.scope, ("token", "type"))
        one_of("casing", self.casing, ("truecase", "preserve"))
        one_of("vectors", self.vectors, ("table", "noisy"))
        one_of("write", self.write, ("text", ANNOTATIONS))
        if self.write == ANNOTATIONS and self.vectors == "noisy":
            raise fail("vectors", "'table' with write = 'annotations'", self.vectors)
        one_of("unknown_language", self.unknown_language, ("refuse", "redact"))
        items = [self.carry] if isinstance(self.carry, str) else self.carry
        self.carry = tuple(map(check_carry, items))
        if not _is_attribute(self.attribute):
            raise fail("attribute", "a name of Python, such as 'dx'", self.attribute)
        if self.language is not None and not _is_language(self.language):
            raise fail("language", "the code of a language, such as 'en'", self.language)
        for name in ("max_epsilon_per_doc", "max_epsilon_per_person"):
            if getattr(self, name) is not None:
                setattr(self, name, positive(name, getattr(self, name)))
        if self.numbers is not None and self.max_epsilon_per_doc is not None:
            expected = "null with numbers, whose epsilon is of another metric"
            raise fail("max_epsilon_per_doc", expected, self.max_epsilon_per_doc)
        if self.editor is not None and self.vectors == "noisy":
            expected = "'table' with an editor, which edits sampled words only"
            raise fail("vectors", expected, self.vectors)

        drawn_by = self.mechanism.name, self.mechanism.guarantee.epsilon
        if not self.draws_words and drawn_by != (DEFAULT["@dx_mechanisms"], DEFAULT["epsilon"]):
            message = Warnings.DX107.format(name=drawn_by[0], epsilon=drawn_by[1])
            warnings.warn(message, DxWarning, stacklevel=2)

    def _check_parts(self) -> None:
        """Raise DxError for a part that lacks a member of its protocol."""
        self.mechanism = mechanism_of(self.mechanism, self.epsilon)
        self.selector = selector_of(self.selector, self.labels)
        self.unknown = Context() if self.unknown is None else self.unknown
        for name, (part, protocol, block) in PARTS.items():
            if not (name in OPTIONAL_PARTS and getattr(self, name) is None):
                check_part(
                    part,
                    getattr(self, name),
                    protocol,
                    f"[components.dx_sanitizer.{name}] with {block}",
                )
        if not isinstance(self.stages, Mapping):
            raise fail("stages", "a block with a stage for each name", type(self.stages).__name__)
        for name, stage in self.stages.items():
            block = f'[components.dx_sanitizer.stages.{name}] with @dx_stages = "my.Stage.v1"'
            check_part(f"stage {name}", stage, ReleaseStage, block)

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
        """The surrogates in use; of a preset, only those for the labels of the selector. A label
        with the surrogate of its normalised name is left out, such as PER beside PERSON."""
        surrogates: dict[str, Surrogate] = self.surrogates
        if not (isinstance(surrogates, Preset) and isinstance(self.selector, Entities)):
            return surrogates
        labels = {plain_label(label) for label in self.selector.labels}
        names = {label: plain_label(label) for label in surrogates}
        return {
            label: surrogates[label]
            for label, name in names.items()
            if name in labels and (label == name or surrogates[label] is not surrogates.get(name))
        }

    @property
    def draws_words(self) -> bool:
        """Whether the mechanism may sample a word: not if each selected label has a surrogate of
        its own."""
        if not (isinstance(self.selector, Entities) and self.active_surrogates):
            return True
        covered = {plain_label(name) for name in self.active_surrogates}
        ways = {surrogate.way for surrogate in self.active_surrogates.values()}
        return "words" in ways or not covered.issuperset(map(plain_label, self.selector.labels))


def _is_attribute(name: str) -> bool:
    """Return whether doc._.NAME can be an attribute of this package."""
    return name.isidentifier() and not iskeyword(name) and not hasattr(Underscore, name)


def _is_language(code: str) -> bool:
    try:
        get_lang_class(code)
    except ImportError:
        return False
    return True


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
        warnings.warn(message, DxWarning, stacklevel=6)


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
        warnings.warn(Warnings.DX104.format(share=share), DxWarning, stacklevel=4)
