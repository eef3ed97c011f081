"""Training on private text: sanitised Docs that keep the labels of the originals.

Two routes. `sanitize_corpus` sanitises a corpus once, to a file that is then trained on: every word
is drawn once, however long the training takes. `@augmenters = "dx.Sanitize.v1"` sanitises while
spaCy trains: each pass over the corpus draws every word anew, so k passes cost k times the epsilon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import tee
from typing import Any

from spacy.attrs import DEP, ENT_IOB, ENT_TYPE, HEAD, MORPH, POS, SENT_START, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import DxError, Errors
from ..pipeline.component import DEFAULT_CONFIG, DxSanitizer
from ..pipeline.receipt import RECEIPT_KEY, assert_sanitized, get_receipt
from ..pipeline.select import AllWords
from ..registries import registry
from ..space.sources import SpaceSource
from ..ty import Mechanism, Unknown
from ..validate import fail, one_of

# Labels of tokens by name, and what a receipt says of each.
OF_TOKENS: dict[str, list[int]] = {
    "ents": [ENT_IOB, ENT_TYPE], "tags": [TAG], "pos": [POS], "morphs": [MORPH],
    "heads": [HEAD, DEP], "sents": [SENT_START],
}  # fmt: skip
IN_CLEAR = {
    "cats": "the categories of the document", "ents": "the places and labels of its entities",
    "spans": "the places and labels of its spans", "tags": "the tags of its words",
    "pos": "the parts of speech of its words", "morphs": "the morphology of its words",
    "heads": "its parse", "sents": "where its sentences begin",
}  # fmt: skip
# Neither lemmas, norms, knowledge base ids, span ids nor user data: they say what a word was.
ANNOTATIONS = tuple(IN_CLEAR)

Augmenter = Callable[[Language, Example], Iterator[Example]]


def annotate(clean: Doc, original: Doc, annotations: Iterable[str] = ANNOTATIONS) -> Doc:
    """Copy labels onto a sanitised Doc, token by token, and name them in its receipt (in_clear).

    clean: what a sanitizer made of `original`, as many tokens. annotations: some of ANNOTATIONS.
    Gives `clean`. Raises DxError where it has no receipt, or another number of tokens.
    """
    assert_sanitized(clean)
    receipt = get_receipt(clean)
    if receipt is None:
        raise DxError(Errors.DX032)
    if len(clean) != len(original):
        raise fail("clean", f"a Doc of {len(original)} tokens", f"{len(clean)} tokens")
    names = [name for name in _checked(annotations) if _has(original, name)]
    ids: list[int | str] = [attribute for name in names for attribute in OF_TOKENS.get(name, ())]
    if ids and len(clean):
        values: Any = original.to_array(ids)
        clean.from_array(ids, values)
    if "spans" in names:
        for key, group in original.spans.items():
            clean.spans[key] = [Span(clean, s.start, s.end, label=s.label) for s in group]
    if "cats" in names:
        clean.cats = dict(original.cats)
    in_clear = dict.fromkeys([*receipt.in_clear, *(IN_CLEAR[name] for name in names)])
    clean.user_data[RECEIPT_KEY] = {**receipt, "in_clear": list(in_clear)}
    return clean


def sanitize_corpus(
    docs: Iterable[Doc], sanitizer: DxSanitizer, annotations: Iterable[str] = ANNOTATIONS
) -> Iterator[Doc]:
    """The labelled Docs of a corpus with their words sanitised and their labels kept.

    sanitizer: the component of a pipeline, nlp.get_pipe("dx_sanitizer"). Raises DxError as it does.
    """
    names = _checked(annotations)
    originals, docs = tee(docs)
    for clean, original in zip(sanitizer.pipe(docs), originals, strict=True):
        yield annotate(clean, original, names)


@registry.augmenters("dx.Sanitize.v1")
def create_sanitizing_augmenter(
    mechanism: Mechanism | None = None,
    space: SpaceSource | None = None,
    unknown: Unknown | None = None,
    level: float = 1.0,
    annotations: list[str] = list(ANNOTATIONS),  # noqa: B006 (spaCy's configs show defaults)
    seed: int | None = None,
) -> Augmenter:
    """An augmenter that puts a sanitised version in the place of an example.

    mechanism, space, unknown: as for dx_sanitizer; null for its defaults. level: the share of
    examples that are replaced; the others are trained on as they are, in clear, and below 1 no
    guarantee holds for the model. annotations: the labels to keep, which the model sees in clear.
    seed: a whole number for tests; null draws from a secure source.

    Every pass over the corpus draws anew: after k passes an example has been released to the model
    k times, and its epsilons add up to k times that of the receipt.

    Raises DxError for settings out of range.
    """
    given: dict[str, Any] = {"mechanism": mechanism, "space": space, "unknown": unknown}
    default = registry.resolve({part: DEFAULT_CONFIG[part] for part in given if not given[part]})
    given |= default
    settings = {"source": given.pop("space"), "seed": seed, **given}
    return SanitizingAugmenter(settings, level, annotations)


class SanitizingAugmenter:
    """See create_sanitizing_augmenter. settings: of DxSanitizer; its space is that of the first
    pipeline that calls it."""

    def __init__(self, settings: dict[str, Any], level: float, annotations: Iterable[str]) -> None:
        if isinstance(level, bool) or not 0 <= level <= 1:
            raise fail("level", "a share from 0 to 1", level)
        self.settings, self.level = settings, float(level)
        self.annotations = _checked(annotations)
        self.sanitizer: DxSanitizer | None = None

    def __call__(self, nlp: Language, example: Example) -> Iterator[Example]:
        if self.sanitizer is None:
            settings = {"selector": AllWords(), **self.settings}
            self.sanitizer = DxSanitizer(nlp, "dx_augmenter", **settings)
        if self.sanitizer.rng.uniform(1)[0] >= self.level:
            yield example
            return
        original = example.reference
        clean = annotate(self.sanitizer(original), original, self.annotations)
        # Tokenised as the text will be when the model is used; spaCy aligns the two.
        yield Example(nlp.make_doc(clean.text), clean)


def _checked(annotations: Iterable[str]) -> tuple[str, ...]:
    return tuple(one_of("annotations", name, ANNOTATIONS) for name in annotations)


def _has(doc: Doc, name: str) -> bool:
    if name in ("cats", "spans"):
        return bool(getattr(doc, name))
    return any(doc.has_annotation(attribute) for attribute in OF_TOKENS[name])
