"""The spaCy component: select, look up, draw, spell, rebuild."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import srsly
from spacy import util
from spacy.attrs import LOWER, NORM, ORTH, SPACY
from spacy.language import Language
from spacy.tokens import Doc

from .arrays import Bools1d, Ids1d, Ints1d
from .doc.editing import Written, edited_texts
from .doc.mentions import Entity, plain_label
from .doc.passages import Context, context_of, passage
from .doc.pieces import Layout
from .doc.receipt import Terms
from .doc.replacement import Replacement, replace_words
from .doc.spelling import like
from .doc.texts import spelled
from .errors import DxError, DxWarning, Errors, Warnings, warn_always
from .files.limits import read_json
from .machine.compute import one_thread_in_workers
from .mechanisms.base.built import check_fitted, check_mechanism
from .priors.builtin import lacked_of
from .privacy.composition import repeat
from .privacy.levels import found_by, scale_of
from .randomness import Rng
from .rebuild import (
    CARRIED,
    CARRIED_IN_CLEAR,
    earlier_receipts,
    install_extensions,
    rebuild,
)
from .selection import AllWords, AnyEntities, Entities, Selector, WordList, entity_labels, words_of
from .space import BUILTIN, Space
from .spaces.hurtful import allowed_by, stand_ins
from .spaces.sources import SpaceSource
from .surrogates.base import Scope, Surrogate
from .surrogates.figures import Figures, NumberDraw, draw_figures, find_figures
from .surrogates.presets import Preset, surrogates_of
from .surrogates.standing import StandIns, stand_in
from .tables import learned
from .ty import (
    Avoids,
    ChoosesIndex,
    DrawsTogether,
    Editor,
    EditsTexts,
    FindsSettings,
    HasIndex,
    HasProjection,
    InContext,
    Mechanism,
    Projection,
    TellsAbout,
    TellsInClear,
    Unknown,
)
from .unknown import Raise
from .validate import fail, one_of, positive

SCOPES = ("token", "type")
CASINGS = ("truecase", "preserve")
VECTORS = ("table", "noisy")
BATCH_TOKENS = 2**15  # what these need stays in the caches of a quiet processor
LACKING, NOT_ENGLISH = 0.03, 0.25  # of the words of English text, that a table of English lacks

DEFAULT_CONFIG: dict[str, Any] = {
    "seed": None,
    "scope": "token",
    "casing": "truecase",
    "vectors": "table",
    "carry": [],
    "max_epsilon_per_doc": None,
    "mechanism": {
        "@dx_mechanisms": "dx.Path.v2",
        "epsilon": 0.9,
        "policy": "general",
        "prior": {"@dx_priors": "dx.WordPairs.v1"},
    },
    "selector": {"@dx_selectors": "dx.AllWords.v1"},
    "space": {"@dx_spaces": "dx.AutoSpace.v1"},
    "unknown": {"@dx_unknowns": "dx.Redact.v1"},
    "numbers": None,
    "editor": None,
    "surrogates": None,
}
ENTITY_CONFIG: dict[str, Any] = deepcopy(DEFAULT_CONFIG)
ENTITY_CONFIG["carry"] = ["ents"]
ENTITY_CONFIG["selector"] = {"@dx_selectors": "dx.Entities.v2", "labels": ["PERSON", "DATE"]}
ENTITY_CONFIG["surrogates"] = "standard"


@Language.factory("dx_sanitizer", default_config=DEFAULT_CONFIG, retokenizes=True)
def make_dx_sanitizer(
    nlp: Language,
    name: str,
    seed: int | None,
    scope: str,
    casing: str,
    vectors: str,
    carry: list[str],
    max_epsilon_per_doc: float | None,
    mechanism: Mechanism,
    selector: Selector,
    space: SpaceSource,
    unknown: Unknown,
    numbers: NumberDraw | None,
    editor: Editor | None,
    surrogates: Any,
) -> DxSanitizer:
    """Replace every word by a randomised mechanism. See DxSanitizer."""
    return DxSanitizer(
        nlp,
        name,
        mechanism=mechanism,
        selector=selector,
        source=space,
        unknown=unknown,
        numbers=numbers,
        editor=editor,
        surrogates=surrogates,
        seed=seed,
        scope=scope,
        casing=casing,
        vectors=vectors,
        carry=carry,
        max_epsilon_per_doc=max_epsilon_per_doc,
    )


# The same, for the words of entities alone: an entity recogniser has to come before it.
make_dx_entity_sanitizer = Language.factory(
    "dx_entity_sanitizer",
    default_config=ENTITY_CONFIG,
    requires=["doc.ents", "token.ent_iob"],
    retokenizes=True,
    func=make_dx_sanitizer,
)

_HAS_NOT_READ = {"_has_read": False, "_has_read_in_zone": False}


class DxSanitizer:
    """Takes Docs, gives new Docs whose selected words were drawn by a mechanism.

    seed: None; a whole number makes the noise repeatable, for tests alone. scope: "token" draws
    every occurrence anew, "type" once for each distinct word of a Doc (then it is visible which
    words are the same). casing: "truecase" from the output alone, "preserve" copies the input's.
    vectors: "table" leaves token.vector to the pipeline's own vectors, if any; "noisy" makes it the
    perturbed vector, see rebuild.attach_vectors. carry: "ents", "sents" or both, kept from the
    input's Doc. max_epsilon_per_doc: Docs whose total epsilon would be above it are
    refused before anything of them is drawn. numbers: None, or what draws numbers by their value;
    its epsilon is of another metric than that of words, so max_epsilon_per_doc is refused with it.
    editor: None, or what goes over the words after they were drawn, by public knowledge alone.
    surrogates: None, the name of a preset ("standard", "clinical"), or label -> what stands for
    mentions that a recogniser gave this label; all other words are drawn as ever. Its promises are
    of their own, and max_epsilon_per_doc is about words alone.

    It fails closed: an exception ends the call, whatever error handler the pipeline has.
    Raises DxError for settings out of range.
    """

    def __init__(
        self,
        nlp: Language,
        name: str,
        *,
        mechanism: Mechanism,
        selector: Selector,
        source: SpaceSource,
        unknown: Unknown,
        numbers: NumberDraw | None = None,
        editor: Editor | None = None,
        surrogates: Any = None,
        seed: int | None = None,
        scope: str = "token",
        casing: str = "truecase",
        vectors: str = "table",
        carry: Iterable[str] = (),
        max_epsilon_per_doc: float | None = None,
    ) -> None:
        install_extensions()
        check_mechanism(mechanism)
        self.name = name
        self.mechanism = mechanism
        self.selector = selector
        self.source = source
        self.unknown = unknown
        self.numbers = numbers
        self.editor = editor
        self.surrogates = surrogates_of(surrogates)
        self._by_default = surrogates == ENTITY_CONFIG["surrogates"]
        self.on_stand_ins: Callable[[Doc, StandIns], None] | None = None
        self.rng = Rng(seed)
        self.scope = one_of("scope", scope, SCOPES)
        self.casing = one_of("casing", casing, CASINGS)
        self.vectors = one_of("vectors", vectors, VECTORS)
        self.carry = tuple(one_of("carry", item, tuple(CARRIED)) for item in carry)
        self.max_epsilon_per_doc = (
            None
            if max_epsilon_per_doc is None
            else positive("max_epsilon_per_doc", max_epsilon_per_doc)
        )
        if numbers is not None and max_epsilon_per_doc is not None:
            expected = "null with numbers, whose epsilon is of another metric"
            raise fail("max_epsilon_per_doc", expected, max_epsilon_per_doc)
        if editor is not None and vectors == "noisy":
            raise fail("vectors", "'table' with an editor, which goes over words alone", vectors)
        self._nlp: Language | None = nlp
        self._labels_known = False
        self._space: Space | None = None
        self._terms: Terms | None = None
        self._expected_digest: str | None = None
        self._names_another_space = False
        self._learned_folder: Path | None = None
        self._saved_editor: dict[str, str] = {}
        self._has_read = False
        self._has_read_in_zone = False

    # -- use -------------------------------------------------------------------------------------

    def __call__(self, doc: Doc) -> Doc:
        self._check_pipeline()
        return self._sanitize_closed([doc])[0]

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """One draw and one search a batch, across its Docs. Without a seed, batches of long Docs
        are smaller: what they hold stays in the caches of the processor."""
        self._check_pipeline()
        most = BATCH_TOKENS if self.rng.seed is None else None
        for docs in _batches(stream, batch_size, most):
            yield from self._sanitize_closed(docs)

    @property
    def takes_parts(self) -> bool:
        """Whether a text may be drawn in parts that end with a sentence, as documents of their own:
        words are selected by themselves, and nothing looks at the text as a whole. With a seed,
        which is for tests, it is drawn at once."""
        plain = type(self) is DxSanitizer and type(self.selector) in (AllWords, WordList)
        more = (self.numbers, self.editor, self.surrogates or None, self.max_epsilon_per_doc)
        alone = self.scope == "token" and not isinstance(self.unknown, Raise)
        text_only = (self.vectors, self.carry) == ("table", ()) and more == (None,) * 4
        return plain and alone and text_only and self.rng.seed is None

    @property
    def space(self) -> Space:
        """The table in use. It is known when the pipeline is complete, not before."""
        space = self._space
        if space is None:
            if self._nlp is None:
                raise DxError(Errors.DX027)
            space = self.source.load(self._nlp)
            if self.source.unasked and self._nlp.lang == "en":
                _warn_of_lacking(space)
            self._use(space)
        return space

    @property
    def terms(self) -> Terms:
        """What every receipt of this component says. The mechanism is fitted to find out."""
        if self._terms is None:
            self._terms = self._make_terms(self.space)
        return self._terms

    def warm_up(self) -> None:
        """Do now what the first text would do: load the space, fit the mechanism, make the tables
        of both. Workers that are forked later share them."""
        self._terms = self.terms
        self.space.find("")
        self.mechanism.sample(np.zeros(1, dtype=np.int64), self.rng)

    def set_error_handler(self, error_handler: Callable[..., None]) -> None:
        """Does nothing: a handler that swallows errors would let the clear text through."""

    def get_error_handler(self) -> Callable[..., NoReturn]:
        """The one that raises: an error never lets a clear text through."""
        return util.raise_error

    # -- the way of a batch ----------------------------------------------------------------------

    def _sanitize_closed(self, docs: list[Doc]) -> list[Doc]:
        """_sanitize, with foreign exceptions replaced: theirs may hold text."""
        try:
            return self._sanitize(docs)
        except Exception as error:
            failure = without_text(error)
        raise failure

    def instead(self, space: Space) -> Mapping[str, str]:
        """What comes out for words of the space that never do."""
        return stand_ins(space) if self.source.spares else {}

    def _replaced(
        self,
        ids: list[Ids1d],
        clear: Callable[[Ints1d], list[str]],
        space: Space,
        context: Context | None = None,
    ) -> list[Replacement]:
        """replace_words, by the settings of this component."""
        return replace_words(
            ids,
            clear,
            space=space,
            mechanism=self.mechanism,
            unknown=self.unknown,
            rng=self.rng,
            once_per_type=self.scope == "type",
            with_vectors=self.vectors == "noisy",
            check=self._check_budget,
            context=context,
            editor=self.editor if self._edits_words else None,
            instead=self.instead(space),
        )

    def _in_use(self) -> tuple[Space, Terms]:
        """Raises DxError where the mechanism was fitted on another space meanwhile."""
        space, terms = self.space, self.terms
        if self.mechanism.guarantee.space not in ("", space.digest):
            raise DxError(Errors.DX041.format(name=self.mechanism.name))
        return space, terms

    def _sanitize(self, docs: list[Doc]) -> list[Doc]:
        self._note_reading(docs)
        space, terms = self._in_use()
        entities, stood = self._stand_ins(docs)
        selected = [self._mask(*parts) for parts in zip(docs, entities, stood, strict=True)]
        pairs = zip(docs, selected, strict=True)
        figures = [find_figures(doc, mask, self.numbers) for doc, mask in pairs]
        masks = [mask & ~numbers for mask, numbers in zip(selected, figures, strict=True)]
        ids = [_ids(doc)[mask] for doc, mask in zip(docs, masks, strict=True)]
        places = [np.flatnonzero(mask) for mask in masks]
        context = self._context(docs, masks, figures, stood) if self._in_context else None
        replacements = self._replaced(ids, partial(_read, docs, places), space, context)
        drawn = [self._draw_figures(*parts) for parts in zip(docs, figures, strict=True)]
        parts_of = list(zip(docs, masks, replacements, drawn, stood, strict=True))
        texts = [self._written(*parts) for parts in parts_of]
        written = spelled(self._edited(texts, docs, space))
        pairs_of = list(zip(parts_of, written, strict=True))
        return [self._rebuild(*parts, text, terms) for parts, text in pairs_of]

    def _stand_ins(
        self, docs: list[Doc]
    ) -> tuple[list[list[Entity] | None], list[StandIns | None]]:
        """For each Doc what stand-ins are for, None with a selector that takes no more than
        doc.ents; and what stands in for it, None without surrogates."""
        if not self.surrogates:
            return [None] * len(docs), [None] * len(docs)
        standing = self._standing
        finder = self._finder(standing)
        found = [None if finder is None else finder.entities(doc) for doc in docs]
        pairs = zip(docs, found, strict=True)
        return found, [self._stand_in(doc, standing, entities) for doc, entities in pairs]

    def _stand_in(
        self, doc: Doc, standing: dict[str, Surrogate], entities: list[Entity] | None
    ) -> StandIns:
        plain = isinstance(self.selector, Entities)  # all but entities are released
        drawn = stand_in(doc, standing, self.rng, entities, rest_is_plain=plain)
        if self.on_stand_ins is not None:
            self.on_stand_ins(doc, drawn)
        return drawn

    def _finder(self, standing: dict[str, Surrogate]) -> AnyEntities | None:
        """What finds each mention that stand-ins are for."""
        if isinstance(self.selector, Entities):
            return self.selector if isinstance(self.selector, AnyEntities) else None
        return AnyEntities(tuple(standing), None, again=True)

    @property
    def _standing(self) -> dict[str, Surrogate]:
        """Those in use: of a preset, those of the labels that the selector takes, if it does."""
        if isinstance(self.surrogates, Preset) and isinstance(self.selector, Entities):
            plain = {plain_label(label) for label in self.selector.labels}
            wanted = plain if isinstance(self.selector, AnyEntities) else set()
            return {
                label: one
                for label, one in self.surrogates.items()
                if label in self.selector.labels or plain_label(label) in wanted
            }
        return self.surrogates

    def _draw_figures(self, doc: Doc, mask: Bools1d) -> Figures:
        once = self.scope == "type"
        return draw_figures(doc, mask, self.numbers, self.rng, once_per_type=once)

    @property
    def _draws_together(self) -> bool:
        """Whether words are drawn with their sentences. A set of distinct words has none."""
        together = isinstance(self.mechanism, DrawsTogether) and self.mechanism.draws_together
        return together and self.scope == "token"

    @property
    def _in_context(self) -> bool:
        """Whether it counts in which sentence a word stands."""
        return self._draws_together or (self._edits_words and self.scope == "token")

    def _context(
        self,
        docs: list[Doc],
        masks: list[Bools1d],
        figures: list[Bools1d],
        stood: list[StandIns | None],
    ) -> Context | None:
        pairs = zip(figures, stood, strict=True)
        aside = [f if s is None else f | s.replaced for f, s in pairs]
        if not any(mask.any() for mask in masks):
            return None  # nothing is drawn: there is no use for context
        # Nor has a document of which nothing is drawn.
        idle = [s is not None and not mask.any() for s, mask in zip(stood, masks, strict=True)]
        aside = [a | i for a, i in zip(aside, idle, strict=True)]
        passages = [passage(*parts) for parts in zip(docs, masks, aside, strict=True)]
        return context_of(passages, self.space) if passages else None

    def _check_budget(self, draws: int) -> None:
        spent = repeat(self.mechanism.guarantee, draws).epsilon
        if self.max_epsilon_per_doc is not None and spent > self.max_epsilon_per_doc:
            message = Errors.DX006.format(spent=spent, budget=self.max_epsilon_per_doc)
            raise DxError(message)

    def _mask(self, doc: Doc, entities: list[Entity] | None, stood: StandIns | None) -> Bools1d:
        if entities is not None and isinstance(self.selector, AnyEntities):
            mask = self.selector.words(doc, entities)  # they need not be looked for twice
        else:
            mask = np.asarray(self.selector.select(doc))
        if mask.shape != (len(doc),) or mask.dtype != np.bool_:
            given = f"{mask.dtype} of shape {mask.shape}"
            raise DxError(Errors.DX037.format(given=given))
        if stood is None:
            return mask
        chosen: Bools1d = (mask | (stood.words & words_of(doc))) & ~(stood.replaced | stood.kept)
        return chosen

    def _written(
        self,
        doc: Doc,
        mask: Bools1d,
        new: Replacement,
        figures: Figures,
        stood: StandIns | None,
    ) -> Written:
        """The words of the new Doc, before they are spelled."""
        words, spaces = _with_new_words(doc, mask, new.words, figures)
        drawn, editable, aside = mask | figures.mask, mask.copy(), figures.mask
        editable[mask] = new.known
        if stood is None:
            return Written(words, spaces, drawn, editable, aside)
        layout = Layout.of(len(doc), stood.pieces)
        words, spaces = layout.expand(words, spaces)
        aside = layout.mask(aside) | layout.placed
        return Written(words, spaces, layout.mask(drawn), layout.mask(editable), aside)

    @property
    def _edits_words(self) -> bool:
        """Whether there is an editor that reads words, and not whole texts after all was drawn."""
        return self.editor is not None and not isinstance(self.editor, EditsTexts)

    def _edited(self, texts: list[Written], docs: list[Doc], space: Space) -> list[Written]:
        if not isinstance(self.editor, EditsTexts) or not texts:
            return texts
        instead = self.instead(space)
        return edited_texts(texts, docs[0].vocab, space, self.mechanism, self.editor, instead)

    def _rebuild(
        self,
        doc: Doc,
        mask: Bools1d,
        new: Replacement,
        figures: Figures,
        stood: StandIns | None,
        written: Written,
        terms: Terms,
    ) -> Doc:
        layout = None if stood is None else Layout.of(len(doc), stood.pieces)
        places = np.flatnonzero(mask if layout is None else layout.mask(mask))
        words = written.words
        if self.casing == "preserve":
            models = np.flatnonzero(mask)[new.known].tolist()
            for place, model in zip(places[new.known].tolist(), models, strict=True):
                words[place] = like(words[place], doc[model].text)
        receipt = terms.receipt(
            earlier=earlier_receipts(doc),
            tokens=len(words),
            perturbed=int(new.known.sum()),
            unknown=int((~new.known).sum()),
            draws=new.draws,
            numbers=(len(figures.words), figures.draws),
            stood_in=0 if layout is None else int(layout.placed.sum()),
            mentions=None if stood is None else stood.counts,
        )
        tensor = self._tensor(doc, mask, new, figures, layout)
        spaces = written.spaces
        return rebuild(doc, words, spaces, receipt, carry=self.carry, vectors=tensor, layout=layout)

    def _tensor(
        self, doc: Doc, mask: Bools1d, new: Replacement, figures: Figures, layout: Layout | None
    ) -> Any:
        """float32 (tokens of the new Doc, d), or None where no vectors were drawn."""
        if new.vectors is None:
            return None
        tensor = self._clear_vectors(doc)
        tensor[mask] = new.vectors
        tensor[figures.mask] = 0
        if layout is None:
            return tensor
        tensor = tensor[layout.source]
        tensor[layout.placed] = 0
        return tensor

    def _clear_vectors(self, doc: Doc) -> Any:
        """float32 (tokens, d): the table's vectors of the words that stay, else zeros."""
        rows = self.space.find_ids(*np.ascontiguousarray(_ids(doc).T))
        tensor = self.space.vectors[rows]
        tensor[rows < 0] = 0
        return tensor

    # -- getting ready ---------------------------------------------------------------------------

    def _check_pipeline(self) -> None:
        install_extensions()
        one_thread_in_workers()
        self.rng.check()
        if self._nlp is not None:
            self.selector.check(self._nlp, self.name)
            self._check_labels(self._nlp)

    def _check_labels(self, nlp: Language) -> None:
        """Each label that is selected has a stand-in; those that nobody predicts are told once."""
        if not self.surrogates or isinstance(self.surrogates, Preset) or self._labels_known:
            return
        selected: tuple[str, ...] = ()
        if isinstance(self.selector, Entities):
            selected = self.selector.labels
        missing = sorted(set(selected) - set(self.surrogates))
        if missing:
            raise DxError(Errors.DX115.format(missing=", ".join(missing)))
        known = entity_labels(nlp, before=self.name)
        unknown = [] if known is None else sorted(set(self.surrogates) - known)
        self._labels_known = True
        if unknown:
            told = ", ".join(sorted(known or ())) or "no label at all"
            message = Warnings.DX121.format(unknown=", ".join(unknown), known=told)
            warnings.warn(message, DxWarning, stacklevel=4)

    def _use(self, space: Space) -> None:
        if self._expected_digest not in (None, space.digest):
            message = Errors.DX025.format(saved=self._expected_digest, found=space.digest)
            raise DxError(message)
        if self._learned_folder and not self._names_another_space:
            learned.read_beside(space, self._learned_folder)
        self._space, self._terms = space, None

    @property
    def attacker(self) -> dict[str, Any] | None:
        """What an attacker found of other texts at these settings; None where nobody measured."""
        found = found_by(self.mechanism, self.mechanism.guarantee.epsilon)
        return None if found is None or self.scope != "token" else found.to_dict()

    def _make_terms(self, space: Space) -> Terms:
        self.mechanism.fit(space)
        if isinstance(self.unknown, InContext) and not self._draws_together:
            raise DxError(Errors.DX066)
        check_fitted(self.mechanism, space)
        if self.vectors == "noisy":
            empty = self.mechanism.sample(np.zeros(0, dtype=np.int64), self.rng)
            if empty.vectors is None or empty.vectors.shape[1:] != space.vectors.shape[1:]:
                raise DxError(Errors.DX035.format(mechanism=self.mechanism.name))
        if self.editor is not None:
            self._fit_editor(self.editor, space)
        in_clear = [*self.selector.in_clear, *self.unknown.in_clear]
        in_clear += self.mechanism.in_clear if isinstance(self.mechanism, TellsInClear) else ()
        in_clear += () if self.numbers is None else self.numbers.in_clear
        if self.scope == "type":
            in_clear.append("which words of a document are the same")
        if self.casing == "preserve":
            in_clear.append("the case of every word")
        in_clear += [CARRIED_IN_CLEAR[item] for item in self.carry]
        in_clear += self.source.in_clear(self._nlp)
        in_clear += [told for one in self._standing.values() for told in one.in_clear]
        if self._standing:
            in_clear.append("how many mentions of each label there are, and where")
        return Terms(
            mechanism=self.mechanism.name,
            guarantee=self.mechanism.guarantee,
            space=f"{space.name} ({space.digest})",
            unknown_policy=type(self.unknown).__name__,
            scope=self.scope,
            casing=self.casing,
            vectors=self.vectors,
            seeded=self.rng.seed is not None,
            in_clear=tuple(dict.fromkeys(in_clear)),
            attacker=self.attacker,
            scale=scale_of(self.mechanism, len(space)),
            found={**self._found(), **self._chosen()},
            numbers=None if self.numbers is None else self.numbers.guarantee,
            **self._told_of_editor(),
            surrogates=self._told_of_surrogates(),
        )

    def _told_of_editor(self) -> dict[str, Any]:
        about: dict[str, str] = self.editor.about if isinstance(self.editor, TellsAbout) else {}
        name = None if self.editor is None else self.editor.name
        return {"editor": name, "editor_model": about.get("digest")}

    def _fit_editor(self, editor: Editor, space: Space) -> None:
        """Raises DxError where its model is another one than when the pipeline was saved."""
        editor.fit(space, self.mechanism)
        if isinstance(editor, Avoids):
            editor.avoid(allowed_by(self.source))
        saved = self._saved_editor
        if isinstance(editor, TellsAbout) and saved.get("model") == editor.about["model"]:
            then, now = saved["digest"], editor.about["digest"]
            if then != now:
                told = {"saved": then[:12], "found": now[:12]}
                raise DxError(Errors.DX156.format(name=editor.about["model"], **told))

    def _told_of_surrogates(self) -> dict[str, dict[str, Any]] | None:
        """What is the same for every document, by label."""
        if not self.surrogates:
            return None
        return {
            label: {
                "stand_in": one.name,
                "guarantee": one.guarantee.to_dict(),
                "chance": one.chance,
                **_key_id(one),
            }
            for label, one in self._standing.items()
        }

    def _note_reading(self, docs: list[Doc]) -> None:
        vocabularies: list[Any] = [doc.vocab for doc in docs]
        self._has_read |= any(not vocab.in_memory_zone for vocab in vocabularies)
        self._has_read_in_zone |= any(vocab.in_memory_zone for vocab in vocabularies)

    # -- keeping it ------------------------------------------------------------------------------

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """The digest of the space; the space itself where nothing else there holds it; and what
        dx.Path.v1 learned from it, which takes a while."""
        self._warn_if_it_read()
        writers = {"dx.json": lambda p: srsly.write_json(p, self._about())}
        if self.source.packed:
            writers["space"] = self.space.save
        elif self.space.path != BUILTIN:
            writers |= learned.writers(self.space)
        util.to_disk(path, writers, exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> DxSanitizer:
        """Load what to_disk wrote. Raises DxError where the space is another one than it was."""
        util.from_disk(path, {"dx.json": lambda p: self._expect(read_json(p))}, exclude)
        if (Path(path) / "space").is_dir():
            self._use_packed(lambda: Space.load(Path(path) / "space", verify=True))
        self._learned_folder = Path(path)
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """What to_disk writes, as bytes. Warns if the vocabulary has read texts."""
        self._warn_if_it_read()
        writers: dict[str, Callable[[], Any]] = {"dx": self._about}
        if self.source.packed:
            writers["space"] = self.space.to_bytes
        return util.to_bytes(writers, exclude)

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> DxSanitizer:
        """Load what to_bytes gave. Raises DxError where the space is another one than it was."""
        readers = {
            "dx": self._expect,
            "space": lambda b: self._use_packed(lambda: Space.from_bytes(b)),
        }
        util.from_bytes(data, readers, exclude)
        return self

    def _about(self) -> dict[str, Any]:
        looks = isinstance(self._projection, FindsSettings)
        found: dict[str, Any] = self.terms.found if looks else {}
        digest, space = self.space.digest, self._space_block()
        told: dict[str, Any] = {"digest": digest, "space": space, "found": found}
        if isinstance(self.editor, TellsAbout):
            told["editor"] = self.editor.about
        return {**told, "surrogates": bool(self.surrogates)}

    @property
    def _projection(self) -> Projection | None:
        return self.mechanism.projection if isinstance(self.mechanism, HasProjection) else None

    def _found(self) -> dict[str, Any]:
        rule = self._projection
        return rule.found() if isinstance(rule, FindsSettings) else {}

    def _chosen(self) -> dict[str, str]:
        rule = self._projection
        index = rule.index if isinstance(rule, HasIndex) else None
        return {"index": index.choice} if isinstance(index, ChoosesIndex) else {}

    def _space_block(self) -> dict[str, Any]:
        """[components.dx_sanitizer.space] of the pipeline's config; {} out of a pipeline."""
        if self._nlp is None or self.name not in self._nlp.component_names:
            return {}
        return dict(self._nlp.get_pipe_config(self.name).get("space", {}))

    def _expect(self, saved: dict[str, Any]) -> None:
        """The space that was saved, unless the config now names another: then it is that one."""
        self._space = self._terms = None
        self._saved_editor = dict(saved.get("editor", {}))
        if self._by_default and not saved.get("surrogates", False):
            self.surrogates = {}  # it was saved before there were any, and does as it did
        now, then = self._space_block(), saved.get("space", {})
        # Settings that came with a later version do not count.
        self._names_another_space = bool(now) and any(now.get(key) != then[key] for key in then)
        self._expected_digest = None if self._names_another_space else saved["digest"]
        rule = self._projection
        if isinstance(rule, FindsSettings) and not self._names_another_space:
            rule.restore(saved.get("found", {}))

    def _use_packed(self, load: Callable[[], Space]) -> None:
        if not self._names_another_space:
            self._use(load())

    def _warn_if_it_read(self) -> None:
        # The words of a memory zone are in the vocabulary until the zone ends.
        vocab: Any = None if self._nlp is None else self._nlp.vocab
        in_zone = vocab is not None and vocab.in_memory_zone
        if self._has_read or (self._has_read_in_zone and in_zone):
            warn_always(Warnings.DX102, stacklevel=4)

    def __getstate__(self) -> dict[str, Any]:
        """For a worker: ready to use, without the pipeline, which the worker has anyway."""
        self._check_pipeline()
        self._space = self.space
        dropped: dict[str, Any] = {"_nlp": None, "on_stand_ins": None}
        return {**self.__dict__, **dropped, "_terms": self.terms, **_HAS_NOT_READ}


def _key_id(surrogate: Surrogate) -> dict[str, str]:
    scope = getattr(surrogate, "scope", None)
    key_id = scope.key_id if isinstance(scope, Scope) else None
    return {} if key_id is None else {"key_id": key_id}


def _warn_of_lacking(space: Space) -> None:
    """Where a table that nobody chose is of English, and the built-in one has more of it. Of one
    that lacks most of English it is not known what it is for."""
    lacked = lacked_of(space)
    if LACKING < lacked < NOT_ENGLISH:
        warnings.warn(Warnings.DX104.format(lacked=lacked), DxWarning, stacklevel=2)


def _batches(stream: Iterable[Doc], size: int, most: int | None) -> Iterator[list[Doc]]:
    """Docs by so many, or by as many as have so many tokens."""
    docs: list[Doc] = []
    tokens = 0
    for doc in stream:
        docs.append(doc)
        tokens += len(doc)
        if len(docs) == size or (most is not None and tokens >= most):
            yield docs
            docs, tokens = [], 0
    if docs:
        yield docs


def _read(docs: list[Doc], places: list[Ints1d], wanted: Ints1d) -> list[str]:
    """The clear words at the wanted places of the batch; places: where they stand in each doc."""
    doc_of = np.repeat(np.arange(len(docs)), [len(some) for some in places])[wanted]
    token_of = np.concatenate(places)[wanted]
    pairs = zip(doc_of.tolist(), token_of.tolist(), strict=True)
    return [docs[number][place].text for number, place in pairs]


def _with_new_words(
    doc: Doc, mask: Bools1d, new: list[str], figures: Figures
) -> tuple[list[str], list[bool]]:
    """The words of the new Doc and whether a blank follows each, before they are spelled."""
    clear: Any = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
    strings = doc.vocab.strings
    words: Any = np.empty(len(doc), dtype=object)
    words[:] = [strings[orth] for orth in clear[:, 0].tolist()]
    words[mask] = new
    words[figures.mask] = figures.words
    return words.tolist(), clear[:, 1].astype(bool).tolist()


def _ids(doc: Doc) -> Any:
    """uint64 (tokens, 3): the string ids by which the space is asked, one after another."""
    return doc.to_array([ORTH, NORM, LOWER])


def without_text(error: Exception) -> DxError:
    """Our own errors hold no text; of others, only the type and the place are told. Neither names
    what led to it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    if isinstance(error, DxError) and Path(last.filename).is_relative_to(Path(__file__).parent):
        error.__cause__ = error.__context__ = None
        return error
    where = f"{Path(last.filename).name}, line {last.lineno}"
    return DxError(Errors.DX033.format(error=type(error).__name__, where=where))
