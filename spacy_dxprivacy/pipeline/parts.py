"""The settings of the component, checked, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spacy.tokens import Doc

from ..mechanisms.base.built import check_mechanism
from ..randomness import Rng
from ..space import Space
from ..spaces.hurtful import stand_ins
from ..spaces.sources import SpaceSource
from ..surrogates.base import Surrogate
from ..surrogates.figures import NumberDraw
from ..surrogates.presets import Preset, surrogates_of
from ..surrogates.standing import StandIns
from ..text.mentions import plain_label
from ..ty import DrawsTogether, Editor, EditsTexts, Mechanism, Unknown
from ..validate import fail, one_of, positive
from .release import CARRIED
from .select import AllWords, AnyEntities, Entities, Selector, WordList
from .unknown import Raise

SCOPES = ("token", "type")
CASINGS = ("truecase", "preserve")
VECTORS = ("table", "noisy")


class Parts:
    """What a component is made of.

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

    Raises DxError for settings out of range.
    """

    def __init__(
        self,
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
        check_mechanism(mechanism)
        self.mechanism = mechanism
        self.selector = selector
        self.source = source
        self.unknown = unknown
        self.numbers = numbers
        self.editor = editor
        self.surrogates = surrogates_of(surrogates)
        self.on_stand_ins: Callable[[Doc, StandIns], None] | None = None
        self.rng = Rng(seed)
        self.scope = one_of("scope", scope, SCOPES)
        self.casing = one_of("casing", casing, CASINGS)
        self.vectors = one_of("vectors", vectors, VECTORS)
        self.carry = tuple(one_of("carry", item, tuple(CARRIED)) for item in carry)
        self.max_epsilon_per_doc: float | None = None
        if max_epsilon_per_doc is not None:
            self.max_epsilon_per_doc = positive("max_epsilon_per_doc", max_epsilon_per_doc)
        if numbers is not None and max_epsilon_per_doc is not None:
            expected = "null with numbers, whose epsilon is of another metric"
            raise fail("max_epsilon_per_doc", expected, max_epsilon_per_doc)
        if editor is not None and vectors == "noisy":
            raise fail("vectors", "'table' with an editor, which goes over words alone", vectors)

    @property
    def takes_parts(self) -> bool:
        """Whether a text may be drawn in parts that end with a sentence, as documents of their own:
        words are selected by themselves, and nothing looks at the text as a whole. With a seed,
        which is for tests, it is drawn at once."""
        plain = type(self.selector) in (AllWords, WordList)
        more = (self.numbers, self.editor, self.surrogates or None, self.max_epsilon_per_doc)
        alone = self.scope == "token" and not isinstance(self.unknown, Raise)
        text_only = (self.vectors, self.carry) == ("table", ()) and more == (None,) * 4
        return plain and alone and text_only and self.rng.seed is None

    @property
    def draws_together(self) -> bool:
        """Whether words are drawn with their sentences. A set of distinct words has none."""
        together = isinstance(self.mechanism, DrawsTogether) and self.mechanism.draws_together
        return together and self.scope == "token"

    @property
    def word_editor(self) -> Editor | None:
        """The editor, if it reads words, and not whole texts after all was drawn."""
        return None if isinstance(self.editor, EditsTexts) else self.editor

    @property
    def in_context(self) -> bool:
        """Whether it counts in which sentence a word stands."""
        edits = self.word_editor is not None and self.scope == "token"
        return self.draws_together or edits

    @property
    def standing(self) -> dict[str, Surrogate]:
        """The surrogates in use: of a preset, those of the labels that the selector takes."""
        if isinstance(self.surrogates, Preset) and isinstance(self.selector, Entities):
            plain = {plain_label(label) for label in self.selector.labels}
            wanted = plain if isinstance(self.selector, AnyEntities) else set()
            return {
                label: one
                for label, one in self.surrogates.items()
                if label in self.selector.labels or plain_label(label) in wanted
            }
        return self.surrogates

    def instead(self, space: Space) -> Mapping[str, str]:
        """Return what comes out for words of the space that never do."""
        return stand_ins(space) if self.source.spares else {}
