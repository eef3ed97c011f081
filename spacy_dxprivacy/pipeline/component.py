"""The spaCy component: a thin shell around fit, stages and write."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_type_hints

import numpy as np
import srsly
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc

from .. import progress
from ..errors import (
    DxError,
    DxWarning,
    Errors,
    FailsClosed,
    PartCall,
    Warnings,
    warn_always,
    without_text,
)
from ..files.limits import read_json, unpack
from ..machine import one_thread_in_workers
from ..mechanisms.named import DEFAULT
from ..space import BUILTIN, Space, learned
from ..text.language import LANGUAGE, uncovered
from ..text.normal_doc import check_doc, in_normal_form
from ..text.tokens import text_of
from ..ty import Mechanism
from .annotating import annotate_original
from .carrying import dropped_annotations
from .context import OnReplacements, StageContext
from .coverage import Coverage, coverage_of, redact, refusal
from .draft import write
from .fit import fit
from .receipt import ANNOTATIONS, ReceiptTerms, install_extensions
from .selectors import ENTITY_LABELS
from .settings import PARTS, SanitizerSettings, check_labels, check_listeners, warn_missing_words
from .stages import run_stages

P = ParamSpec("P")
R = TypeVar("R")

BATCH_TOKENS = 2**15  # whose working memory fits into processor caches

DEFAULT_CONFIG: dict[str, Any] = {
    "epsilon": None,
    "labels": None,
    "seed": None,
    "scope": "token",
    "casing": "truecase",
    "vectors": "table",
    "carry": [],
    "write": "text",
    "language": None,
    "unknown_language": "refuse",
    "attribute": "dx",
    "max_epsilon_per_doc": None,
    "max_epsilon_per_person": None,
    "mechanism": DEFAULT,
    "selector": {"@dx_selectors": "dx.AllWords.v1"},
    "space": {"@dx_spaces": "dx.AutoSpace.v1"},
    "unknown": {"@dx_unknowns": "dx.Context.v1"},
    "numbers": None,
    "editor": None,
    "surrogates": None,
    "stages": {},
}
ENTITY_CONFIG: dict[str, Any] = deepcopy(DEFAULT_CONFIG)
ENTITY_CONFIG["carry"] = ["ents"]
ENTITY_CONFIG["selector"] = {"@dx_selectors": "dx.Entities.v1", "labels": [*ENTITY_LABELS]}
ENTITY_CONFIG["surrogates"] = "standard"
# Each label has a surrogate, so no word is sampled unless a config says so.
ENTITY_CONFIG["mechanism"] = ENTITY_CONFIG["unknown"] = None


def make_dx_sanitizer(nlp: Language, name: str, **settings: Any) -> DxSanitizer:
    """Make a component that replaces words by a randomised mechanism. See SanitizerSettings."""
    return DxSanitizer(nlp, name, **settings)


# spaCy checks a config by the names and types of arguments: those of SanitizerSettings.
# Parts have checks of their own, which name the protocol and show a block.
_TYPES = {"nlp": Language, "name": str, **get_type_hints(SanitizerSettings)}
_TYPES |= dict.fromkeys(("mechanism", *PARTS, "stages"), Any)
_SETTINGS = (setting.name for setting in fields(SanitizerSettings) if setting.init)
make_dx_sanitizer.__signature__ = Signature(  # type: ignore[attr-defined]
    [
        Parameter(argument, Parameter.KEYWORD_ONLY, annotation=_TYPES[argument])
        for argument in ("nlp", "name", *_SETTINGS)
    ]
)
Language.factory(
    "dx_sanitizer",
    default_config=DEFAULT_CONFIG,
    assigns=["doc.spans"],
    retokenizes=True,
    func=make_dx_sanitizer,
)
# Only for words of entities: an entity recogniser has to run before it.
make_dx_entity_sanitizer = Language.factory(
    "dx_entity_sanitizer",
    default_config=ENTITY_CONFIG,
    assigns=["doc.spans"],
    requires=["doc.ents", "token.ent_iob"],
    retokenizes=True,
    func=make_dx_sanitizer,
)


@dataclass(frozen=True, eq=False, repr=False)
class Fitted:
    """The settings on a space, within a pipeline.

    Attributes:
        terms: The terms of every receipt.
        coverage: The languages that the pipeline covers.
        context: What the stages of all batches share.
    """

    terms: ReceiptTerms
    coverage: Coverage
    context: StageContext


@dataclass(frozen=True)
class SavedSpace:
    """The space that a pipeline was saved with.

    Attributes:
        digest: Its digest.
        folder: The folder of what was learned from it; None for a pipeline of bytes.
    """

    digest: str
    folder: Path | None


def _not_saved(folder: Path | None, why: str) -> DxError:
    path = "This" if folder is None else folder
    return DxError(Errors.DX186.format(path=path, why=why))


def closed(function: Callable[P, R]) -> Callable[P, R]:
    """Replace the exceptions of a function, which may be those of other packages and hold text."""

    @wraps(function)
    def closed_function(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            failure = without_text(error)
        raise failure

    return closed_function


class DxSanitizer(FailsClosed):
    """Make new Docs whose selected words are sampled by a mechanism. See SanitizerSettings.

    It fails closed: an exception ends the call, whatever error handler the pipeline has. Raises
    DxError for settings out of range.
    """

    def __init__(self, nlp: Language, name: str, **settings: Any) -> None:
        self.name = name
        self.settings = SanitizerSettings(**settings)
        install_extensions(self.settings.attribute)
        self.on_replacements: OnReplacements | None = None
        self._nlp: Language | None = nlp
        self._checked_names: list[str] = []
        # A space is loaded without a fit by `to_disk`, which needs its digest only.
        self._space: Space | None = None
        self._fitted: Fitted | None = None
        self._saved: SavedSpace | None = None
        self._has_read = False
        self._has_read_in_zone = False
        self._has_named_dropped = False

    # -- use -------------------------------------------------------------------------------------

    def __call__(self, doc: Doc) -> Doc:
        check_doc(doc)
        self._check_pipeline()
        return self._sanitize([doc])[0]

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Sanitize Docs in batches, each with one call of the mechanism.

        Without a seed, a batch also ends after BATCH_TOKENS.
        """
        self._check_pipeline()
        max_tokens = BATCH_TOKENS if self.settings.rng.seed is None else float("inf")
        docs: list[Doc] = []
        tokens = 0
        for doc in stream:
            check_doc(doc)
            docs.append(doc)
            tokens += len(doc)
            if len(docs) == batch_size or tokens >= max_tokens:
                yield from self._sanitize(docs)
                docs, tokens = [], 0
        if docs:
            yield from self._sanitize(docs)

    @closed
    def _sanitize(self, docs: list[Doc]) -> list[Doc]:
        is_long = max(map(len, docs), default=0) >= progress.LONG
        if is_long:
            progress.step("replacing")
        if not docs:
            return []
        vocabularies: list[Any] = [doc.vocab for doc in docs]
        zones = {vocab.in_memory_zone for vocab in vocabularies}
        self._has_read |= False in zones
        self._has_read_in_zone |= True in zones
        terms, coverage, context = self.fitted.terms, self.fitted.coverage, self.fitted.context
        originals = docs
        docs = [self._covered(in_normal_form(doc, self._nlp, self), coverage) for doc in docs]
        if not self._has_named_dropped and self.settings.write != ANNOTATIONS:
            self._name_dropped(docs)
        context.on_replacements = self.on_replacements
        draft = run_stages(docs, context)
        if is_long:
            progress.step("writing")
        outputs = write(self.settings, draft, terms, context.space)
        if self.settings.write != ANNOTATIONS:
            return outputs
        rows = zip(originals, docs, outputs, draft.replacements, strict=True)
        attribute = self.settings.attribute
        return [
            annotate_original(original, normal, output, items or (), attribute)
            for original, normal, output, items in rows
        ]

    def _name_dropped(self, docs: list[Doc]) -> None:
        """Warn once of annotations of the input that the new Docs lack."""
        names = [name for doc in docs for name in dropped_annotations(doc, self.settings.carry)]
        if names:
            self._has_named_dropped = True
            dropped = list(dict.fromkeys(names))
            carry = [*self.settings.carry, *dropped]
            message = Warnings.DX106.format(dropped=", ".join(dropped), carry=carry, name=self.name)
            warnings.warn(message, DxWarning, stacklevel=4)

    def _covered(self, doc: Doc, coverage: Coverage) -> Doc:
        """Return the Doc with passages in uncovered languages and scripts redacted, or raise
        DxError, as `unknown_language` says."""
        text = text_of(doc)
        languages = coverage.languages if self.settings.language is None else None
        # A short text of a file, or for a pipeline of a language, is assumed to be in it.
        short = LANGUAGE not in doc.user_data and doc.vocab.lang in ("en", "xx", "")
        passages = uncovered(text, languages, scripts=coverage.scripts, short=short)
        if not coverage.own:
            passages = [(0, len(text))] if text.strip() else []
        if not passages:
            return doc
        if self.settings.unknown_language == "refuse":
            raise refusal(text, passages, coverage)
        return redact(doc, passages)

    @closed
    def _check_pipeline(self) -> None:
        if self._nlp is not None and self._checked_names != self._nlp.pipe_names:
            self._check_selector(self._nlp)
            check_listeners(self._nlp, self.name)
            if not self._checked_names:
                check_labels(self.settings, self._nlp, self.name)
            self._checked_names = list(self._nlp.pipe_names)
            if self._fitted is not None:  # a new recogniser may cover other languages
                self._fitted = self._within_pipeline(self._fitted.terms)
        one_thread_in_workers()
        if self.settings.rng.seed is not None:
            self.settings.rng.check()

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the settings."""
        return self.settings.mechanism

    @property
    @closed
    def space(self) -> Space:
        """The space in use, which is loaded once the pipeline is complete."""
        space = self._space
        if space is None:
            nlp = self._pipeline()
            source = self.settings.space
            with PartCall("space", "SpaceSource.load", source, reads_text=False):
                space = source.load(nlp)
            if self.settings.space.is_default and nlp.lang == "en":
                warn_missing_words(space)
            self._use(space)
        return space

    @property
    @closed
    def fitted(self) -> Fitted:
        """The settings on the space. The first use fits the mechanism."""
        if self._fitted is None:
            self._fitted = self._within_pipeline(fit(self.settings, self.space, self._nlp))
        return self._fitted

    @property
    def terms(self) -> ReceiptTerms:
        """The terms of every receipt of this component. The first use fits the mechanism."""
        return self.fitted.terms

    def _within_pipeline(self, terms: ReceiptTerms) -> Fitted:
        space = self.space
        coverage = coverage_of(self.settings, self._pipeline(), self, space)
        return Fitted(terms, coverage, StageContext(self.settings, space, coverage.scripts))

    def _pipeline(self) -> Language:
        """Return the pipeline. Raise DxError in a worker, whose component has none."""
        if self._nlp is None:
            raise DxError(Errors.DX027)
        return self._nlp

    @closed
    def warm_up(self) -> None:
        """Check the pipeline, load the space and fit the mechanism before the first text.

        Workers that are forked later share their memory.
        """
        if self._nlp is not None:
            self._check_selector(self._nlp)
        space = self.fitted.context.space
        space.find("")
        mechanism = self.settings.mechanism
        with PartCall("mechanism", "Mechanism.sample", mechanism, reads_text=True):
            mechanism.sample(np.zeros(1, dtype=np.int64), self.settings.rng)

    def _check_selector(self, nlp: Language) -> None:
        selector = self.settings.selector
        with PartCall("selector", "Selector.check", selector, reads_text=False):
            selector.check(nlp, self.name)

    def _use(self, space: Space) -> None:
        saved = self._saved
        if saved is not None and saved.digest != space.digest:
            raise DxError(Errors.DX025.format(saved=saved.digest, found=space.digest))
        if saved is not None and saved.folder is not None:
            learned.read_beside(space, saved.folder)
        self._space, self._fitted = space, None

    # -- serialization ---------------------------------------------------------------------------

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the digest of the space, its graph, and the space if no other component has it."""
        self._warn_of_read_texts()
        writers = {"dx.json": lambda p: srsly.write_json(p, self._about())}
        if self.settings.space.packed:
            writers["space"] = self.space.save
        elif self.space.path != BUILTIN:
            writers |= learned.writers(self.space)
        util.to_disk(path, writers, exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> DxSanitizer:
        """Load what to_disk wrote. Raise DxError if it is damaged, or the space has changed."""
        folder = Path(path)

        def read_about(path: Path) -> None:
            try:
                saved = read_json(path)
            except (OSError, ValueError) as error:
                why = f"{path.name} is missing or damaged ({type(error).__name__})"
                raise _not_saved(folder, why) from None
            self._expect(saved, folder)

        util.from_disk(path, {"dx.json": read_about}, exclude)
        if self._saved is not None and (folder / "space").is_dir():
            self._use(Space.load(folder / "space", verify=True))
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return what to_disk writes, as bytes. Warn if the vocabulary has read texts."""
        self._warn_of_read_texts()
        writers: dict[str, Callable[[], Any]] = {"dx": self._about}
        if self.settings.space.packed:
            writers["space"] = self.space.to_bytes
        return util.to_bytes(writers, exclude)

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> DxSanitizer:
        """Load what to_bytes returned. Raise DxError if it is damaged, or the space has changed."""

        def read_space(packed: bytes) -> None:
            if self._saved is not None:
                self._use(Space.from_bytes(packed))

        readers: dict[str, Callable[[Any], Any]] = {"dx": self._expect, "space": read_space}
        saved = unpack(data)
        if not isinstance(saved, dict):
            raise _not_saved(None, "it holds something else")
        util.from_dict(saved, readers, exclude)
        return self

    def _about(self) -> dict[str, Any]:
        return {"digest": self.space.digest, "space": self._space_block()}

    def _space_block(self) -> dict[str, Any]:
        """Return [components.dx_sanitizer.space] of the config; {} outside of a pipeline."""
        if self._nlp is None or self.name not in self._nlp.component_names:
            return {}
        return dict(self._nlp.get_pipe_config(self.name).get("space", {}))

    def _expect(self, saved: Any, folder: Path | None = None) -> None:
        """Expect the saved space, unless the config now names another. Raise DxError if it is not
        what to_disk saves."""
        parts = (saved.get("digest"), saved.get("space", {})) if isinstance(saved, dict) else ()
        if tuple(map(type, parts)) != (str, dict):
            raise _not_saved(folder, "it does not name the space")
        config, saved_config = self._space_block(), saved.get("space", {})
        # Settings that a later version added do not count.
        differs = any(config.get(key) != value for key, value in saved_config.items())
        self._saved = None if config and differs else SavedSpace(saved["digest"], folder)
        self._space = self._fitted = None

    def _warn_of_read_texts(self) -> None:
        # The words of a memory zone are in the vocabulary until the zone ends.
        vocab: Any = None if self._nlp is None else self._nlp.vocab
        in_zone = vocab is not None and vocab.in_memory_zone
        if self._has_read or (self._has_read_in_zone and in_zone):
            warn_always(Warnings.DX102, stacklevel=4)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a worker: fitted, without the pipeline, which the worker has."""
        self._check_pipeline()
        dropped: dict[str, Any] = {"_nlp": None, "_fitted": self.fitted, "on_replacements": None}
        has_not_read = {"_has_read": False, "_has_read_in_zone": False}
        return {**self.__dict__, **dropped, **has_not_read}
