"""Receipts: what was done, under which guarantee, and nothing of the input.

A receipt has three parts: `stages` (what was done, in order), `count` (sums) and `loss` (the
privacy loss in all). That of a document, a file, a run, a person or a caller has the same shape.
See docs/reference/receipts.md. This module also attaches receipts to Docs, checks them, and
releases Docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypedDict, cast
from weakref import WeakSet

from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from ..about import __version__
from ..arrays import Floats2d
from ..errors import DxError, Errors
from ..privacy.composition import Loss, repeat
from ..privacy.guarantee import Guarantee
from ..validate import fail
from .count import MENTIONS, Count

COUNTS = ("tokens", "perturbed", "unknown", "kept", "draws")  # shown for each document
PERSONS_SHOWN = "how often each recognised person is mentioned, without the name"
RECEIPT_KEY = "dx_receipt"
SPANS_KEY = "dx"
VECTORS_KEY = "dx_vectors"
UNCOVERED = "dx_uncovered"  # in the user data of a Doc to be sanitised: how many passages
UNCOVERED_SHOWN = "where a passage is in a language or script that is not covered"
WORDS = "dx.Words.v1"  # its mentions are drawn by the mechanism of words
# Where a receipt states what, in its order: the name of a stage, and the key there.
STATED = {
    **{
        name: ("words", name)
        for name in ("space", "scope", "scale", "any_two_texts", "attacker", "odds", "found")
    },
    **{name: ("release", name) for name in ("casing", "vectors", "seeded", "in_clear")},
    "unknown_policy": ("unknown", "policy"),
    "editor": ("editor", "name"),
}
# Of displaCy: what spaCy's own labels have none for, and the spans of doc.spans["dx"].
COLORS = {
    "ADDRESS": "#ff9561",
    "EMAIL": "#9cc9cc",
    "ID": "#c887fb",
    "PHONE": "#9cc9cc",
    "SAMPLED": "#bfe1d9",
    "UNKNOWN": "#ffeb80",
    "UNMODIFIED": "#dddddd",
    "URL": "#9cc9cc",
}
_made_here: WeakSet[Doc] = WeakSet()  # a Doc that was written and read again is another Doc


class Stage(TypedDict, total=False):
    """One thing that was done: `stage` is its name, and each has keys of its own.

    docs/reference/receipts.md describes them.
    """

    stage: str
    claimed: bool
    stages: list[Stage]
    count: dict[str, Any]
    loss: dict[str, Any]
    mechanism: str
    guarantee: dict[str, Any]
    labels: dict[str, dict[str, Any]]
    space: str
    scope: str
    scale: dict[str, dict[str, float]] | None
    any_two_texts: float | None
    attacker: dict[str, Any] | None
    odds: dict[str, Any] | None
    found: dict[str, Any]
    policy: str
    name: str
    casing: str
    vectors: str
    seeded: bool
    in_clear: list[str]
    version: str


class Receipt(dict[str, Any]):
    """The three parts, as plain values for JSON and msgpack, and what they state as attributes.

    Attributes are the counts (`tokens`, `perturbed`, `persons`, ...), the properties below, and the
    names in STATED; None for what a receipt does not state.
    """

    @property
    def stages(self) -> list[Stage]:
        """What was done, in order."""
        stages: list[Stage] = self["stages"]
        return stages

    @property
    def count(self) -> Count:
        """The counts."""
        return Count.from_dict(self["count"])

    @property
    def loss(self) -> Loss:
        """The privacy loss in all, of texts that are one unit apart in each place."""
        return Loss.from_dict(self["loss"])

    def stage(self, name: str) -> Stage:
        """Return the first stage of this name; an empty one where there is none."""
        empty: Stage = {}
        return next((stage for stage in self.stages if stage.get("stage") == name), empty)

    @property
    def earlier(self) -> list[Stage]:
        """The sanitizers that ran before, the first one first."""
        return [stage for stage in self.stages if stage.get("stage") == "earlier"]

    @property
    def mechanism(self) -> str:
        """The registered name; those of the surrogates where no word can be drawn."""
        return (self.stage("words") or self.stage("surrogates"))["mechanism"]

    @property
    def guarantee(self) -> dict[str, Any]:
        """The guarantee of one perturbed word, or of one mention where no word can be drawn."""
        return (self.stage("words") or self.stage("surrogates"))["guarantee"]

    @property
    def total(self) -> dict[str, Any]:
        """The guarantee of a document: of all its words, or mentions where no word can be drawn."""
        guarantee = Guarantee.from_dict(self.guarantee)
        if self.stage("words"):
            return repeat(guarantee, self["count"]["draws"]).to_dict()
        total, epsilon = guarantee.to_dict(), 0.0
        labels = self.stage("surrogates")["labels"]
        for label, times in drawn_mentions(labels, self.count):
            epsilon += times * (labels[label]["guarantee"]["epsilon"] or 0.0)
        return total if guarantee.kind == "none" else {**total, "epsilon": epsilon}

    @property
    def surrogates(self) -> dict[str, dict[str, Any]] | None:
        """The terms of each label, and how many mentions were found, replaced and kept."""
        labels, mentions = self.stage("surrogates").get("labels"), self["count"]["mentions"]
        if labels is None:
            return None
        nothing = dict.fromkeys(MENTIONS, 0)
        return {label: {**labels[label], **mentions.get(label, nothing)} for label in labels}

    def __getattr__(self, name: str) -> Any:
        if name in STATED:
            stage, key = STATED[name]
            return self.stage(stage).get(key)
        try:
            return self["count"][name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True)
class Terms:
    """What is the same in the receipts of all documents of a component. See Stage."""

    mechanism: str
    guarantee: Guarantee
    space: str
    unknown_policy: str
    scope: str
    casing: str
    vectors: str
    seeded: bool
    in_clear: tuple[str, ...]
    scale: dict[str, dict[str, float]] | None = None
    found: dict[str, Any] = field(default_factory=dict)
    numbers: Guarantee | None = None
    editor: str | None = None
    surrogates: dict[str, dict[str, Any]] | None = None
    attacker: dict[str, Any] | None = None
    odds: dict[str, Any] | None = None

    @property
    def draws_words(self) -> bool:
        """Whether the mechanism may draw a word; if not, the terms are those of surrogates."""
        return not self.surrogates or self.mechanism != surrogate_names(self.surrogates)

    @property
    def any_two_texts(self) -> float | None:
        """The most nats a word that any two texts of one layout differ by; None without a bound."""
        if not self.draws_words:
            return None
        if self.guarantee.kind == "approx-dp" and self.guarantee.covers == "all":
            return self.guarantee.epsilon
        return None if self.scale is None else self.scale["diameter"]["nats"]

    @cached_property
    def _stages(self) -> list[Stage]:
        """The stages of all documents, without their release."""
        stages, guarantee = list[Stage](), self.guarantee.to_dict()
        if self.surrogates is not None:
            stages.append({"stage": "surrogates", "labels": self.surrogates})
        if self.numbers is not None:
            stages.append({"stage": "numbers", "guarantee": self.numbers.to_dict()})
        if not self.draws_words:
            stages[0] |= {"mechanism": self.mechanism, "guarantee": guarantee}
            return stages
        words = self._stage("words", mechanism=self.mechanism, guarantee=guarantee)
        stages += [words, self._stage("unknown")]
        return stages if self.editor is None else [*stages, self._stage("editor")]

    def _stage(self, name: str, **beside: Any) -> Stage:
        """Return a stage of what is in STATED."""
        stated = {key: getattr(self, term) for term, (of, key) in STATED.items() if of == name}
        return cast("Stage", {"stage": name, **beside, **stated})

    def stages(self, in_clear: Iterable[str]) -> list[Stage]:
        """Return what is done. in_clear: what is in plaintext, in words."""
        release = self._stage("release")
        return [*self._stages, release | {"in_clear": list(in_clear), "version": __version__}]

    @cached_property
    def _losses(self) -> dict[str, Loss]:
        """The loss of one mention, by label."""
        guarantees = {label: terms["guarantee"] for label, terms in (self.surrogates or {}).items()}
        return {
            label: Loss.of(Guarantee.from_dict(guarantee), [1.0])
            for label, guarantee in guarantees.items()
        }

    def loss(self, count: Count) -> Loss:
        """Return the loss of a document: of texts that are one unit apart in each place."""
        labels = list(drawn_mentions(self.surrogates or {}, count))
        mentions = [(self._losses[label], times) for label, times in labels]
        loss = Loss.of_words(self.guarantee, count.draws) if self.draws_words else Loss()
        if self.numbers is not None:
            loss += Loss.of(self.numbers, [1.0]) * count.number_draws
        for of_mention, times in mentions:
            loss += of_mention * times
        return loss

    def receipt(self, count: Count, earlier: Sequence[Stage] = ()) -> Receipt:
        """Return the receipt of one Doc. earlier: the sanitizers before this one."""
        stages = [*earlier, *self.stages([*self.in_clear, *shown_of(count)])]
        loss = self.loss(count).to_dict()
        return Receipt(stages=stages, count=count.to_dict(), loss=loss)

    @classmethod
    def of(cls, receipt: Receipt) -> Terms:
        """Return the terms that a stored receipt states.

        Raises:
            LookupError, TypeError, ValueError, AttributeError: It is damaged.
        """
        numbers = receipt.stage("numbers")
        stated = {name: getattr(receipt, name) for name in STATED if name != "any_two_texts"}
        stated |= {name: stated[name] or "" for name in ("space", "scope", "unknown_policy")}
        stated |= {"in_clear": tuple(receipt.in_clear), "found": receipt.found or {}}
        return cls(
            **stated,
            mechanism=receipt.mechanism,
            guarantee=Guarantee.from_dict(receipt.guarantee),
            numbers=Guarantee.from_dict(numbers["guarantee"]) if numbers else None,
            surrogates=receipt.stage("surrogates").get("labels"),
        )


def drawn_mentions(labels: Mapping[str, dict[str, Any]], count: Count) -> Iterable[tuple[str, int]]:
    """Yield each label whose mentions were replaced, and how many draws they took.

    The dates of a document move by one shift. The mechanism draws the words of dx.Words.v1.
    """
    shifts = set[str]()
    for label, mentions in count.mentions.items():
        name, times = labels[label]["surrogate"], mentions["replaced"]
        if not times or name == WORDS:
            continue
        if name.startswith("dx.DateShift."):
            times = int(name not in shifts)
            shifts.add(name)
        yield label, times


def shown_of(count: Count) -> list[str]:
    """Return what a receipt with these counts shows of the input."""
    shown = [] if count.persons is None else [PERSONS_SHOWN]
    return shown + [UNCOVERED_SHOWN] * bool(count.uncovered)


def largest_in(receipts: Iterable[Receipt]) -> Loss:
    """Return what bounds the loss of each person of documents, by their receipts."""
    groups = (receipt.count.persons for receipt in receipts)
    return sum((persons.largest for persons in groups if persons is not None), Loss())


def surrogate_names(surrogates: Mapping[str, Mapping[str, Any]] | None) -> str:
    """Return the registered names of surrogates, in the place of a mechanism's."""
    return ", ".join(sorted({terms["surrogate"] for terms in (surrogates or {}).values()}))


# -- a Doc and its receipt -------------------------------------------------------------------------


def install_extensions(name: str = "dx") -> None:
    """Define doc._.dx, the receipt or None; token._.dx and span._.dx, how tokens were made; and
    token._.dx_vector, a row of doc.tensor. name: in the place of "dx".

    It may be called any number of times. Raises DxError for a name that others have set.
    """
    # Named functions: workers that are spawned get them pickled.
    getters: list[tuple[Any, str, Callable[..., Any]]] = [
        (Doc, name, get_receipt),
        (Token, name, token_provenance),
        (Span, name, span_provenance),
        (Token, f"{name}_vector", token_vector),
    ]
    for kind, attribute, getter in getters:
        if not kind.has_extension(attribute):
            kind.set_extension(attribute, getter=getter)
        elif getattr(kind.get_extension(attribute)[2], "__name__", "") != getter.__name__:
            raise fail("attribute", "a name that no other package has set", attribute)


def mark_as_made(doc: Doc, receipt: Receipt, vectors: Floats2d | None) -> None:
    """Give a Doc that was made here its receipt. vectors: float32 (tokens, d)."""
    doc.user_data[RECEIPT_KEY] = dict(receipt)
    _made_here.add(doc)
    if vectors is not None:
        doc.tensor = vectors
        doc.user_data[VECTORS_KEY] = vectors  # DocBin keeps user data and no tensor
        attach_vectors(doc)


def get_receipt(doc: Doc) -> Receipt | None:
    """Return the receipt that the Doc carries (doc._.dx), or None."""
    stored = doc.user_data.get(RECEIPT_KEY)
    if not isinstance(stored, dict):
        return None
    return Receipt(_with_lists(stored))


def _with_lists(value: Any) -> Any:
    """DocBin turns lists into tuples, and a receipt should be the one that was stored."""
    if isinstance(value, dict):
        return {name: _with_lists(entry) for name, entry in value.items()}
    return [_with_lists(entry) for entry in value] if isinstance(value, list | tuple) else value


def span_provenance(span: Span) -> list[str]:
    """Return how each token of a sanitised Doc was made (span._.dx), by `doc.spans["dx"]`.

    "SAMPLED", "UNKNOWN" (where the policy shows it), "UNMODIFIED", or the label of the entity that
    a surrogate replaces; "" where no span says.
    """
    labels = [""] * len(span.doc)
    for labelled in span.doc.spans.get(SPANS_KEY, ()):
        labels[labelled.start : labelled.end] = [labelled.label_] * len(labelled)
    return labels[span.start : span.end]


def token_provenance(token: Token) -> str:
    """Return how a token of a sanitised Doc was made (token._.dx)."""
    return span_provenance(token.doc[token.i : token.i + 1])[0]


def earlier_stages(doc: Doc) -> list[Stage]:
    """Return the sanitizers that made this Doc as stages, the first one first.

    Of a receipt that was not made in this process only its numbers are taken, as claimed: anybody
    may have written it, and its texts may be anybody's.
    """
    last = get_receipt(doc)
    if last is None:
        return []
    if doc in _made_here:
        stages = [stage for stage in last.stages if stage not in last.earlier]
        sanitizer: Stage = {"stage": "earlier", "stages": stages}
        sanitizer |= {"count": last["count"], "loss": last["loss"]}
        return [*last.earlier, sanitizer]
    count, loss = (_numbers(last.get(part)) for part in ("count", "loss"))
    return [{"stage": "earlier", "claimed": True, "count": count, "loss": loss}]


def _numbers(part: Any) -> dict[str, Any]:
    """Return the numbers of a part of a claimed receipt, by names that receipts have."""
    names = (*Count().to_dict(), *Loss().to_dict())
    values = part.items() if isinstance(part, dict) else ()
    return {name: value for name, value in values if name in names and type(value) in (int, float)}


def assert_sanitized(doc: Doc) -> None:
    """Raise unless a sanitizer made this Doc. Call it before a Doc leaves your hands.

    A disabled or forgotten component leaves no other trace. A Doc that was read from elsewhere may
    carry any receipt: all that can be checked is that the receipt is complete and counts the tokens
    of this Doc.

    Raises:
        DxError: For a Doc without such a receipt.
    """
    receipt = get_receipt(doc)
    if receipt is None or (doc not in _made_here and not fits(receipt, len(doc))):
        raise DxError(Errors.DX032)


def fits(receipt: Any, tokens: int) -> bool:
    """Whether a receipt from elsewhere is complete, and its counts add up to the tokens of its
    document. Anybody can write one that does."""
    try:
        stated = Receipt(receipt)
        Terms.of(stated)
        count, _ = stated.count, stated.loss
        valid = isinstance(stated.in_clear, list | tuple) and stated.kept == count.kept
    except (AttributeError, LookupError, TypeError, ValueError):
        return False
    return valid and count.kept >= 0 and count.tokens == tokens


# -- a Doc that leaves -----------------------------------------------------------------------------


def release(doc: Doc, vocab: Vocab) -> Doc:
    """Copy a sanitised Doc onto a clean vocabulary, so that it can be pickled.

    A Doc drags its vocabulary along, and the vocabulary of the pipeline holds every word that the
    pipeline read.

    Args:
        doc: A sanitised Doc.
        vocab: Another vocabulary than the pipeline's.

    Returns:
        The copy.

    Raises:
        DxError: For a Doc without a receipt, and for the Doc's own vocabulary.
    """
    assert_sanitized(doc)
    if vocab is doc.vocab:
        raise DxError(Errors.DX039)
    copy = Doc(vocab).from_bytes(doc.to_bytes(exclude=["user_hooks"]))
    return attach_vectors(copy) if copy.tensor.size else copy


def attach_vectors(doc: Doc) -> Doc:
    """Let token.vector be the row of doc.tensor, where the noisy vectors are.

    spaCy drops this with to_bytes, DocBin and n_process, and DocBin drops the tensor: call it again
    on what was loaded (with store_user_data=True).
    """
    if not doc.tensor.size and VECTORS_KEY in doc.user_data:
        doc.tensor = doc.user_data[VECTORS_KEY]
    if len(doc) and not doc.tensor.size:
        raise DxError(Errors.DX028)
    doc.user_token_hooks["vector"] = token_vector
    doc.user_token_hooks["has_vector"] = has_vector
    return doc


def token_vector(token: Token) -> Any:
    """Return the row of doc.tensor, (d,), of the token."""
    return token.doc.tensor[token.i]


def has_vector(token: Token) -> bool:
    """Return True: every token of a sanitised Doc has a vector."""
    return True


# On import as well, so that what was saved can be read where no sanitizer is made.
install_extensions()
