"""Receipts: what was done, under which guarantee, and nothing of the input.

A receipt has three parts: `stages` (what was done, in order), `count` (sums) and `loss` (the total
privacy loss). Documents, files, runs, persons and callers have receipts of one shape.
See docs/reference/receipts.md. This module also attaches receipts to Docs, checks them, and
releases Docs.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Any, TypedDict, cast
from weakref import WeakSet

from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from ..about import __version__
from ..errors import DxError, Errors
from ..privacy.composition import repeat
from ..privacy.guarantee import Guarantee
from ..privacy.loss import Loss
from ..validate import fail
from .count import MENTIONS, Count
from .describe import describe_guarantee, describe_replaced, plural
from .vectors import ROWS_KEY, attach_vectors, token_vector

LINE = 80  # characters of a line of `describe`, without its title
COUNTS = ("tokens", "perturbed", "unknown", "kept", "draws")  # shown for each document
PERSONS_SHOWN = "how often each recognised person is mentioned, without the name"
RECEIPT_KEY = "dx_receipt"
SPANS_KEY = "dx"
# In the user data of a redacted input Doc: number of passages. No file or other code can set it.
UNCOVERED: Any = object()
UNCOVERED_SHOWN = "where a passage is in a language or script that is not covered"
ANNOTATIONS = "annotations"  # of the setting `write`
WORDS = "dx.Words.v1"  # whose mentions the word mechanism samples
UNDRAWN = (WORDS, "dx.Keep.v1")  # surrogates that draw nothing
OTHER_WORDS = "other words"  # beside the labels of surrogates: no label has a blank
UNCHANGED = Guarantee("none", notes="Words in no entity with a surrogate stay as they are.")
# Term -> the stage and key that state it in a receipt, in this order.
STATED = {
    **{
        name: ("words", name)
        for name in ("space", "scope", "scale", "any_two_texts", "attacker", "odds", "found")
    },
    **{name: ("release", name) for name in ("casing", "vectors", "seeded", "in_clear")},
    "unknown_policy": ("unknown", "policy"),
    "editor": ("editor", "name"),
}
# displaCy colours of labels without one in spaCy, and of doc.spans["dx"].
COLORS = {
    "ADDRESS": "#ff9561",
    "EMAIL": "#9cc9cc",
    "ID": "#c887fb",
    "PHONE": "#9cc9cc",
    "REWRITTEN": "#c3d4f5",
    "SAMPLED": "#bfe1d9",
    "UNKNOWN": "#ffeb80",
    "UNMODIFIED": "#dddddd",
    "URL": "#9cc9cc",
}
_made_here: WeakSet[Doc] = WeakSet()  # a Doc loaded from disk or bytes is not among these


class Stage(TypedDict, total=False):
    """A step of sanitising: its name (`stage`) and its keys, see docs/reference/receipts.md."""

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
    recognisers: list[str]
    model: str
    host: str | None
    prompt: str
    write: str
    version: str


class Receipt(dict[str, Any]):
    """The three parts, as plain values for JSON and msgpack, with attributes for their content.

    Attributes are the counts (`tokens`, `perturbed`, `persons`, ...), the properties below, and the
    names in STATED; None for terms that a receipt does not state.
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
        """The total privacy loss between texts that are one unit apart in each word."""
        return Loss.from_dict(self["loss"])

    def stage(self, name: str) -> Stage:
        """Return the first stage of this name; an empty one if there is none."""
        empty: Stage = {}
        return next((stage for stage in self.stages if stage.get("stage") == name), empty)

    @property
    def earlier(self) -> list[Stage]:
        """The sanitizers that ran before this one, in order."""
        return [stage for stage in self.stages if stage.get("stage") == "earlier"]

    @property
    def mechanism(self) -> str:
        """The registered name; those of the surrogates if no word is sampled."""
        return (self.stage("words") or self.stage("surrogates"))["mechanism"]

    @property
    def guarantee(self) -> dict[str, Any]:
        """The guarantee of one perturbed word.

        Where no word can be sampled, no epsilon covers the document: the guarantee of one mention
        of each label, by label, and under OTHER_WORDS that of all other words, which is none.
        """
        if words := self.stage("words"):
            return words["guarantee"]
        labels = self.stage("surrogates")["labels"]
        of_labels = {label: terms["guarantee"] for label, terms in labels.items()}
        return {**of_labels, OTHER_WORDS: UNCHANGED.to_dict()}

    @property
    def total(self) -> dict[str, Any]:
        """The guarantee of all perturbed words of a document, or of all mentions by label."""
        if self.stage("words"):
            return repeat(Guarantee.from_dict(self.guarantee), self["count"]["draws"]).to_dict()
        labels, total = self.stage("surrogates")["labels"], dict[str, Any]()
        for label, mentions in self.count.mentions.items():
            for _, times in drawn_mentions(labels, Count(mentions={label: mentions})):
                stated = labels[label]["guarantee"]
                epsilon = None if stated["epsilon"] is None else times * stated["epsilon"]
                delta = min(1.0, times * stated["delta"])
                total[label] = {**stated, "epsilon": epsilon, "delta": delta}
        return {**total, OTHER_WORDS: UNCHANGED.to_dict()}

    @property
    def surrogates(self) -> dict[str, dict[str, Any]] | None:
        """The terms of each label, and its numbers of found, replaced and kept mentions."""
        labels, mentions = self.stage("surrogates").get("labels"), self["count"]["mentions"]
        if labels is None:
            return None
        nothing = dict.fromkeys(MENTIONS, 0)
        return {label: {**labels[label], **mentions.get(label, nothing)} for label in labels}

    def describe(self) -> list[str]:
        """Return the receipt in at most six lines."""
        count, terms = self.count, ReceiptTerms.of(self)
        guarantee = describe_guarantee(terms.guarantee, terms.surrogates, terms.scale, count)
        replaced = ", ".join(describe_replaced(count)) or "nothing"
        drawn = ("word",) * terms.draws_words + ("replaced mention",) * bool(terms.surrogates)
        unit = " and ".join(drawn)
        title = f"Receipt of {plural(count.documents, 'document')}, {plural(count.tokens, 'token')}"
        rows = {
            "replaced": textwrap.shorten(replaced, LINE, placeholder=" ..."),
            "guarantee": guarantee,
            "loss": f"epsilon {self.loss.epsilon():.4g} for a change by one unit in each {unit}",
            "in plaintext": plural(count.kept, "token"),
            "visible": f"what in_clear lists: {len(self.in_clear or ())} properties",
        }
        if terms.rewriter is not None:
            title += f", rewritten by {terms.rewriter['model']}"
        if is_original(self):
            title += ": no release, the text is the original"
        return [title, *(f"  {name:<13}{text}" for name, text in rows.items())]

    def __repr__(self) -> str:
        try:
            return "\n".join(self.describe())
        except (AttributeError, LookupError, TypeError, ValueError):  # of another program
            return super().__repr__()

    def _repr_html_(self) -> str:
        """Return the lines of `repr` for a notebook."""
        return f"<pre>{escape(repr(self))}</pre>"

    def __dir__(self) -> list[str]:
        counts = self["count"] if isinstance(self.get("count"), dict) else ()
        return sorted({*super().__dir__(), *STATED, *counts})

    def __getattr__(self, name: str) -> Any:
        if name in STATED:
            stage, key = STATED[name]
            return self.stage(stage).get(key)
        try:
            return self["count"][name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True)
class ReceiptTerms:
    """The part that all receipts of a component share. See Stage.

    Attributes:
        mechanism: The registered name; those of the surrogates if no word can be sampled.
        guarantee: Of a sampled word; None if no word can be sampled.
        surrogates: The terms of each label, with a guarantee of its own.
        recognisers: Installed pipelines of languages that are used without being named.
        rewriter: The stage of the language model that rewrites the release; None without one.
    """

    mechanism: str
    guarantee: Guarantee | None
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
    recognisers: tuple[str, ...] = ()
    rewriter: Stage | None = None

    @property
    def draws_words(self) -> bool:
        """Whether the mechanism may sample a word; if not, the terms are those of surrogates."""
        return self.guarantee is not None

    @property
    def guarantees(self) -> dict[str, Guarantee]:
        """The guarantee of each draw, by the name of the mechanism or by label."""
        of_words = {} if self.guarantee is None else {self.mechanism: self.guarantee}
        return of_words | {
            label: Guarantee.from_dict(terms["guarantee"])
            for label, terms in (self.surrogates or {}).items()
            if terms["surrogate"] not in UNDRAWN
        }

    @property
    def any_two_texts(self) -> float | None:
        """Upper bound on the loss in nats a word between any two texts of one layout, or None."""
        if self.guarantee is None:
            return None
        if self.guarantee.kind == "approx-dp" and self.guarantee.covers == "all":
            return self.guarantee.epsilon
        return None if self.scale is None else self.scale["diameter"]["nats"]

    @cached_property
    def _stages(self) -> list[Stage]:
        """All stages but "release"."""
        stages = list[Stage]()
        if self.surrogates is not None:
            stages.append({"stage": "surrogates", "labels": self.surrogates})
        if self.numbers is not None:
            stages.append({"stage": "numbers", "guarantee": self.numbers.to_dict()})
        if self.guarantee is None:
            stages[0] |= {"mechanism": self.mechanism}
            return stages
        stated = {"mechanism": self.mechanism, "guarantee": self.guarantee.to_dict()}
        words = self._stage("words", **stated)
        stages += [words, self._stage("unknown")]
        return stages if self.editor is None else [*stages, self._stage("editor")]

    def _stage(self, name: str, **beside: Any) -> Stage:
        """Return a stage with its terms in STATED."""
        stated = {key: getattr(self, term) for term, (part, key) in STATED.items() if part == name}
        return cast("Stage", {"stage": name, **beside, **stated})

    def stages(self, in_clear: Iterable[str]) -> list[Stage]:
        """Return all stages. in_clear: descriptions of what is visible."""
        release = self._stage("release")
        if self.recognisers:
            release |= {"recognisers": [*self.recognisers]}
        release |= {"in_clear": list(in_clear), "version": __version__}
        return [*self._stages, release, *([] if self.rewriter is None else [self.rewriter])]

    @cached_property
    def _losses(self) -> dict[str, Loss]:
        """The loss of one mention of each label."""
        guarantees = {label: terms["guarantee"] for label, terms in (self.surrogates or {}).items()}
        return {
            label: Loss.of(Guarantee.from_dict(guarantee), [1.0])
            for label, guarantee in guarantees.items()
        }

    def loss(self, count: Count) -> Loss:
        """Return the loss between documents that are one unit apart in each word."""
        mentions = list(drawn_mentions(self.surrogates or {}, count))
        of_words = None if self.guarantee is None else Loss.of_words(self.guarantee, count.draws)
        loss = of_words or Loss()
        if self.numbers is not None:
            loss += Loss.of(self.numbers, [1.0]) * count.number_draws
        for label, times in mentions:
            loss += self._losses[label] * times
        return loss

    def receipt(self, count: Count, earlier: Sequence[Stage] = ()) -> Receipt:
        """Return the receipt of one Doc. earlier: stages of the sanitizers before this one."""
        stages = [*earlier, *self.stages([*self.in_clear, *revealed_by_counts(count)])]
        loss = self.loss(count).to_dict()
        return Receipt(stages=stages, count=count.to_dict(), loss=loss)

    @classmethod
    def of(cls, receipt: Receipt) -> ReceiptTerms:
        """Return the terms that a stored receipt states.

        Raises:
            LookupError, TypeError, ValueError, AttributeError: It is damaged.
        """
        numbers, words = receipt.stage("numbers"), receipt.stage("words")
        stated = {name: getattr(receipt, name) for name in STATED if name != "any_two_texts"}
        stated |= {name: stated[name] or "" for name in ("space", "scope", "unknown_policy")}
        stated |= {"in_clear": tuple(receipt.in_clear), "found": receipt.found or {}}
        return cls(
            **stated,
            recognisers=tuple(receipt.stage("release").get("recognisers", ())),
            mechanism=receipt.mechanism,
            guarantee=Guarantee.from_dict(words["guarantee"]) if words else None,
            numbers=Guarantee.from_dict(numbers["guarantee"]) if numbers else None,
            surrogates=receipt.stage("surrogates").get("labels"),
            rewriter=receipt.stage("rewriter") or None,
        )


def drawn_mentions(labels: Mapping[str, dict[str, Any]], count: Count) -> Iterable[tuple[str, int]]:
    """Yield each label with replaced mentions, and the number of draws for these.

    All dates of a document have one shift. The word mechanism samples the words of dx.Words.v1.
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


def revealed_by_counts(count: Count) -> list[str]:
    """Return descriptions of what these counts reveal of the input."""
    shown = [] if count.persons is None else [PERSONS_SHOWN]
    return shown + [UNCOVERED_SHOWN] * bool(count.uncovered)


def largest_person_loss(receipts: Iterable[Receipt]) -> Loss:
    """Return an upper bound on the loss of each person of documents, from their receipts."""
    groups = (receipt.count.persons for receipt in receipts)
    return sum((persons.largest for persons in groups if persons is not None), Loss())


def surrogate_names(surrogates: Mapping[str, Mapping[str, Any]] | None) -> str:
    """Return the registered names of surrogates, which replace the name of a mechanism."""
    return ", ".join(sorted({terms["surrogate"] for terms in (surrogates or {}).values()}))


# -- a Doc and its receipt -------------------------------------------------------------------------


def install_extensions(name: str = "dx") -> None:
    """Define doc._.dx (the receipt or None), token._.dx and span._.dx (the provenance of tokens)
    and token._.dx_vector (a row of doc.tensor). Of a Doc that is annotated, doc._.dx_text is the
    sanitised text, and span._.dx_replacement what replaces a mention. name: replaces "dx".

    It may be called repeatedly. Raises DxError for a name that another package has set.
    """
    # Named functions: workers that are spawned get them pickled.
    getters: list[tuple[Any, str, Callable[..., Any], Callable[..., Any] | None]] = [
        (Doc, name, get_receipt, set_receipt),
        (Token, name, token_provenance, None),
        (Span, name, span_provenance, None),
        (Token, f"{name}_vector", token_vector, None),
    ]
    for kind, attribute, getter, setter in getters:
        if not kind.has_extension(attribute):
            kind.set_extension(attribute, getter=getter, setter=setter)
        elif getattr(kind.get_extension(attribute)[2], "__name__", "") != getter.__name__:
            raise fail("attribute", "a name that no other package has set", attribute)
    for kind, attribute in ((Doc, f"{name}_text"), (Span, f"{name}_replacement")):
        if not kind.has_extension(attribute):
            kind.set_extension(attribute, default=None)


def mark_as_made(doc: Doc, receipt: Receipt) -> None:
    """Attach the receipt to a new Doc."""
    doc.user_data[RECEIPT_KEY] = dict(receipt)
    _made_here.add(doc)


def mark_as_rewritten(doc: Doc, release: Doc, stage: Stage, rewrites: Mapping[str, int]) -> None:
    """Attach the receipt of a release to a new Doc made of it alone, with one more stage.

    Args:
        doc: The new Doc.
        release: The Doc that it was made of. If that came from outside this process, so does the
            new one.
        stage: What was done; post-processing.
        rewrites: As in Count.
    """
    receipt = get_receipt(release) or Receipt()
    count = replace(receipt.count, rewrites=rewrites).to_dict()
    mark_as_made(doc, Receipt({**receipt, "stages": [*receipt.stages, stage], "count": count}))
    if release not in _made_here:
        _made_here.discard(doc)


def get_receipt(doc: Doc) -> Receipt | None:
    """Return the receipt that the Doc carries (doc._.dx), or None."""
    stored = doc.user_data.get(RECEIPT_KEY)
    if not isinstance(stored, dict):
        return None
    return Receipt(_with_lists(stored))


def set_receipt(doc: Doc, receipt: Any) -> None:
    """Attach a receipt as a claim, for Doc.from_json: the Doc then is as one from outside."""
    doc.user_data[RECEIPT_KEY] = receipt
    _made_here.discard(doc)


def _with_lists(value: Any) -> Any:
    """Return a value with lists in place of tuples, which DocBin makes of lists."""
    if isinstance(value, dict):
        return {name: _with_lists(entry) for name, entry in value.items()}
    return [_with_lists(entry) for entry in value] if isinstance(value, list | tuple) else value


def span_provenance(span: Span) -> list[str]:
    """Return how each token of a sanitised Doc was made (span._.dx), by `doc.spans["dx"]`.

    "SAMPLED", "UNKNOWN" (where the policy shows it), "UNMODIFIED", "REWRITTEN", or the label of the
    entity that a surrogate replaces; "" without a span.
    """
    labels = [""] * len(span.doc)
    for labelled in span.doc.spans.get(SPANS_KEY, ()):
        labels[labelled.start : labelled.end] = [labelled.label_] * len(labelled)
    return labels[span.start : span.end]


def token_provenance(token: Token) -> str:
    """Return how a token of a sanitised Doc was made (token._.dx)."""
    return span_provenance(token.doc[token.i : token.i + 1])[0]


def earlier_stages(doc: Doc) -> list[Stage]:
    """Return stages for the sanitizers that made this Doc, in order.

    Of a receipt from outside this process only the numbers are copied, as claimed: anybody may have
    written it, and its strings may hold any text.
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
    """Return the numbers of a part of a claimed receipt, under known keys only."""
    names = (*Count().to_dict(), *Loss().to_dict())
    values = part.items() if isinstance(part, dict) else ()
    return {name: value for name, value in values if name in names and type(value) in (int, float)}


def assert_sanitized(doc: Doc) -> None:
    """Raise unless a sanitizer made this Doc. Call it before a Doc leaves your hands.

    Nothing else shows that a component was disabled or forgotten. A Doc from outside this process
    may carry any receipt: this only checks that the receipt is complete and counts the tokens of
    the Doc.

    Raises:
        DxError: For a Doc without such a receipt.
    """
    receipt = get_receipt(doc)
    if receipt is not None and is_original(receipt):
        raise DxError(Errors.DX184)
    if receipt is None or (doc not in _made_here and not fits(receipt, len(doc))):
        raise DxError(Errors.DX032)


def is_original(receipt: Receipt) -> bool:
    """Return whether the Doc of a receipt is the original, with replacements as annotations."""
    stages = receipt.get("stages")
    listed = stages if isinstance(stages, list | tuple) else ()
    return any(isinstance(stage, dict) and stage.get("write") == ANNOTATIONS for stage in listed)


def fits(receipt: Any, tokens: int) -> bool:
    """Return whether a receipt from outside this process is complete and its counts add up to the
    tokens of its document. Anybody can write such a receipt."""
    try:
        stated = Receipt(receipt)
        ReceiptTerms.of(stated)
        count, _ = stated.count, stated.loss
        valid = isinstance(stated.in_clear, list | tuple) and stated.kept == count.kept
    except (AttributeError, LookupError, TypeError, ValueError):
        return False
    return valid and count.kept >= 0 and count.rewrites.get("tokens", count.tokens) == tokens


# -- a Doc that leaves -----------------------------------------------------------------------------


def release(doc: Doc, vocab: Vocab) -> Doc:
    """Copy a sanitised Doc onto a clean vocabulary, so that it can be pickled.

    A pickled Doc includes its vocabulary, and that of the pipeline holds every word that was read.

    Args:
        doc: A sanitised Doc.
        vocab: A vocabulary other than the pipeline's.

    Returns:
        The copy.

    Raises:
        DxError: For a Doc without a receipt, and for the Doc's own vocabulary.
    """
    assert_sanitized(doc)
    if vocab is doc.vocab:
        raise DxError(Errors.DX039)
    copy = Doc(vocab).from_bytes(doc.to_bytes(exclude=["user_hooks"]))
    return attach_vectors(copy) if copy.tensor.size or ROWS_KEY in copy.user_data else copy


# On import as well, for loading Docs in a process without a sanitizer.
install_extensions()
