"""Train on private text: sanitised Docs that keep the labels of the originals.

`sanitize_corpus` sanitises a corpus once, to a file: every word is sampled once, however long the
training takes. `@augmenters = "dx.Sanitize.v1"` sanitises while spaCy trains: each pass over the
corpus samples every word anew, so k passes cost k times the epsilon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import tee
from typing import Any

from spacy.attrs import DEP, ENT_IOB, ENT_TYPE, HEAD, MORPH, POS, SENT_START, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import DxError, Errors
from ..pipeline.component import DEFAULT_CONFIG, DxSanitizer
from ..pipeline.receipt import RECEIPT_KEY, SPANS_KEY, Stage, assert_sanitized, get_receipt
from ..pipeline.selectors import AllWords
from ..privacy.loss import Loss
from ..privacy.randomized_response import respond, response_guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space.sources import SpaceSource
from ..ty import Mechanism, Unknown
from ..validate import fail, one_of, positive

# Annotations: their description in receipts, and their token attributes.
# Not included: lemmas, norms, knowledge base ids, span ids and user data, which reveal the word.
ANNOTATIONS: dict[str, tuple[str, list[int]]] = {
    "cats": ("the categories of the document", []),
    "ents": ("the places and labels of its entities", [ENT_IOB, ENT_TYPE]),
    "spans": ("the places and labels of its spans", []),
    "tags": ("the tags of its words", [TAG]),
    "pos": ("the parts of speech of its words", [POS]),
    "morphs": ("the morphology of its words", [MORPH]),
    "heads": ("its parse", [HEAD, DEP]),
    "sents": ("where its sentences begin", [SENT_START]),
}

Augmenter = Callable[[Language, Example], Iterator[Example]]


def annotate(clean: Doc, original: Doc, annotations: Iterable[str] = ANNOTATIONS) -> Doc:
    """Copy labels onto a sanitised Doc, list them in its receipt (in_clear), and return it.

    Raises DxError if the sanitised Doc has no receipt, or another number of tokens.
    """
    assert_sanitized(clean)
    receipt = get_receipt(clean)
    if receipt is None:
        raise DxError(Errors.DX032)
    if len(clean) != len(original):
        raise fail("clean", f"a Doc of {len(original)} tokens", f"{len(clean)} tokens")
    names = [name for name in _check_annotations(annotations) if _has_annotation(original, name)]
    ids: list[int | str] = [attribute for name in names for attribute in ANNOTATIONS[name][1]]
    if ids and len(clean):
        values: Any = original.to_array(ids)
        clean.from_array(ids, values)
    if "spans" in names:
        for key, group in original.spans.items():
            if key != SPANS_KEY:
                clean.spans[key] = [Span(clean, s.start, s.end, label=s.label) for s in group]
    if "cats" in names:
        clean.cats = dict(original.cats)
    release = receipt.stage("release")
    in_clear = dict.fromkeys([*release["in_clear"], *(ANNOTATIONS[name][0] for name in names)])
    release["in_clear"] = list(in_clear)
    clean.user_data[RECEIPT_KEY] = dict(receipt)
    return clean


def sanitize_corpus(
    docs: Iterable[Doc],
    sanitizer: DxSanitizer,
    annotations: Iterable[str] = ANNOTATIONS,
    *,
    label_epsilon: float | None = None,
    labels: Sequence[str] | None = None,
) -> Iterator[Doc]:
    """Sanitise the words of labelled Docs, and keep their labels.

    Args:
        docs: The corpus.
        sanitizer: The component of a pipeline, nlp.get_pipe("dx_sanitizer").
        annotations: The labels to keep, in plaintext, from cats, ents, spans, tags, pos, morphs,
            heads, sents.
        label_epsilon: Nats, above 0. The category of each Doc (`cats`: one is 1, all others are 0)
            is then sampled by randomised response, and its loss is added to the receipt. None keeps
            categories in plaintext.
        labels: All categories, which are public; needed with label_epsilon.

    Raises:
        DxError: If the sanitizer raises, for unknown annotations, and with label_epsilon for a Doc
            whose `cats` are not one of the labels.
    """
    names = _check_annotations(annotations)
    if label_epsilon is not None:
        response = CategoryResponse(label_epsilon, labels or (), sanitizer.settings.rng)
        names = tuple(name for name in names if name != "cats")
    elif labels is not None:
        raise fail("labels", "null without label_epsilon", "a list")
    originals, docs = tee(docs)
    for clean, original in zip(sanitizer.pipe(docs), originals, strict=True):
        annotated = annotate(clean, original, names)
        yield annotated if label_epsilon is None else response.answer(annotated, original)


class CategoryResponse:
    """Samples the category of a document by randomised response; see sanitize_corpus."""

    def __init__(self, epsilon: float, labels: Sequence[str], rng: Rng) -> None:
        self.epsilon, self.labels, self.rng = positive("label_epsilon", epsilon), list(labels), rng
        if isinstance(labels, str) or len(set(self.labels)) < max(2, len(self.labels)):
            raise fail("labels", "two or more different categories", labels)

    def answer(self, clean: Doc, original: Doc) -> Doc:
        """Write a sampled category, and a stage and the loss of it into the receipt."""
        receipt = get_receipt(clean)
        if receipt is None:
            raise DxError(Errors.DX032)
        true = [label for label, value in original.cats.items() if value == 1]
        others = [value for label, value in original.cats.items() if value not in (0, 1)]
        if len(true) != 1 or others or not {*original.cats} <= {*self.labels}:
            raise fail("cats", "one category of `labels` that is 1, and 0 for all others", "others")
        drawn = respond(self.labels.index(true[0]), len(self.labels), self.epsilon, self.rng)
        clean.cats = {label: float(i == drawn) for i, label in enumerate(self.labels)}
        guarantee = response_guarantee(self.epsilon)
        stage: Stage = {"stage": "categories", "guarantee": guarantee.to_dict()}
        loss = receipt.loss + Loss.of(guarantee, [1.0])
        stages = [*receipt.stages[:-1], stage, receipt.stages[-1]]
        clean.user_data[RECEIPT_KEY] = {**receipt, "stages": stages, "loss": loss.to_dict()}
        return clean


@registry.augmenters("dx.Sanitize.v1")
def create_sanitizing_augmenter(
    mechanism: Mechanism | None = None,
    space: SpaceSource | None = None,
    unknown: Unknown | None = None,
    level: float = 1.0,
    annotations: list[str] = list(ANNOTATIONS),  # noqa: B006 (spaCy's configs show defaults)
    seed: int | None = None,
) -> Augmenter:
    """Create an augmenter that replaces an example with a sanitised version of it.

    Every pass over the corpus samples anew: after k passes, an example has been released to the
    model k times, and its epsilon is k times that of the receipt.

    Args:
        mechanism: As for dx_sanitizer; null for its default.
        space: As for dx_sanitizer; null for its default.
        unknown: As for dx_sanitizer; null for its default.
        level: The share of examples to replace, in [0, 1]. The model sees the other examples
            in plaintext, so below 1 no guarantee holds.
        annotations: The labels to keep, which the model sees in plaintext.
        seed: A whole number for tests; null for secure randomness.

    Raises:
        DxError: If a setting is out of range.
    """
    parts: dict[str, Any] = {"mechanism": mechanism, "space": space, "unknown": unknown}
    parts |= registry.resolve({name: DEFAULT_CONFIG[name] for name in parts if not parts[name]})
    settings = {"seed": seed, **parts}
    return SanitizingAugmenter(settings, level, annotations)


class SanitizingAugmenter:
    """See create_sanitizing_augmenter. settings: those of the DxSanitizer, which is made at the
    first call."""

    def __init__(self, settings: dict[str, Any], level: float, annotations: Iterable[str]) -> None:
        if isinstance(level, bool) or not 0 <= level <= 1:
            raise fail("level", "a share from 0 to 1", level)
        self.settings, self.level = settings, float(level)
        self.annotations = _check_annotations(annotations)
        self.sanitizer: DxSanitizer | None = None

    def __call__(self, nlp: Language, example: Example) -> Iterator[Example]:
        if self.sanitizer is None:
            settings = {"selector": AllWords(), **self.settings}
            self.sanitizer = DxSanitizer(nlp, "dx_augmenter", **settings)
        if self.sanitizer.settings.rng.uniform(1)[0] >= self.level:
            yield example
            return
        original = example.reference
        clean = annotate(self.sanitizer(original), original, self.annotations)
        # The predicted Doc is tokenized as at inference; spaCy aligns it with the reference.
        yield Example(nlp.make_doc(clean.text), clean)


def _check_annotations(annotations: Iterable[str]) -> tuple[str, ...]:
    return tuple(one_of("annotations", name, ANNOTATIONS) for name in annotations)


def _has_annotation(doc: Doc, name: str) -> bool:
    if name in ("cats", "spans"):
        return bool(getattr(doc, name))
    return any(doc.has_annotation(attribute) for attribute in ANNOTATIONS[name][1])
