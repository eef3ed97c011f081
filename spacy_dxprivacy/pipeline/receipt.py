"""Receipts: what was done to a document, under which guarantee, and nothing of the input.

How a Doc carries its receipt, how it is checked, and how a Doc leaves the pipeline with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from weakref import WeakSet

from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from ..arrays import Floats2d
from ..errors import DxError, Errors
from ..privacy.composition import Loss, repeat
from ..privacy.guarantee import Guarantee
from .count import MENTIONS, Count, Persons

COUNTS = ("tokens", "perturbed", "unknown", "kept", "draws")
# What all receipts of a component have, besides its mechanism and guarantee.
SAME = (
    "space", "unknown_policy", "scope", "casing", "vectors", "seeded", "in_clear", "scale", "found",
    "attacker", "any_two_texts", "odds",
)  # fmt: skip
PERSONS_SHOWN = "how often each recognised person is mentioned, without the name"
RECEIPT_KEY = "dx_receipt"
SPANS_KEY = "dx"
VECTORS_KEY = "dx_vectors"
UNCOVERED = "dx_uncovered"  # in the user data of a Doc to be sanitised: how many passages
UNCOVERED_SHOWN = "where a passage is in a language or script that is not covered"
_FIELD_TYPES: dict[str, Any] = {
    **dict.fromkeys(("mechanism", "space", "unknown_policy"), str),
    **dict.fromkeys(("guarantee", "total"), dict),
    **dict.fromkeys(COUNTS, int),
    "in_clear": (list, tuple),
}
_made_here: WeakSet[Doc] = WeakSet()  # a Doc that was written and read again is another Doc


class Receipt(dict[str, Any]):
    """A plain dictionary (json, msgpack), whose entries are attributes as well.

    mechanism: its registered name, or those of surrogates where no word can be drawn. guarantee: of
    one perturbed word (see Guarantee.to_dict), or of one mention where no word can be drawn.
    total: of the document. tokens: how many there are. perturbed: how many were drawn by the
    mechanism, which may draw the word that went in. unknown: how many were not in the space, and
    went through `unknown_policy`. kept: how many are unmodified, punctuation and white space among
    them. draws: how many draws were made. space: name and digest. scope, casing, vectors: as
    configured. seeded: True voids the guarantee. in_clear: what of the input is visible, in words.
    scale: what epsilon means in nats on this space (privacy.levels). found: settings that were
    searched for on the space, and the index that was chosen for it. attacker: what an attacker
    recovered of other texts with these settings (privacy.levels); None where nobody measured.
    any_two_texts: how many nats any two texts of one layout differ by at most, for each word; None
    without a bound. odds: how often, at most, whoever knows all else and that a name is one of
    `among` near names is right about it, where it is mentioned once, 3 or 10 times; for a name of
    the space like most. None where near names are unknown.
    earlier: the receipts of sanitizers that ran before; their totals come on top. One that came
    with a Doc from outside of this process has `claimed` True and nothing but numbers, since
    anybody may have written it.

    Only where the component has such parts: numbers: the guarantee of one number, the total of the
    document, and how many tokens were drawn (none of them is perturbed or kept). editor: the editor
    of drawn words, which is post-processing and no privacy. surrogates: for each label its
    surrogate, the guarantee of what is drawn,
    the largest chance that a mention comes out unchanged, the public name of the key if there is
    one (key_id), and how many mentions were found, replaced and kept. stood_in: how many tokens of
    the released document are of surrogates. persons: those that were recognised, without names, and
    the guarantee of all their mentions at once, see persons.receipt_of. uncovered: how many
    passages were redacted since no rule can find anything in their language or script.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True)
class Terms:
    """The part of a receipt that is the same for every document of a component."""

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
        return not self.surrogates or self.mechanism != stand_ins(self.surrogates)

    @property
    def any_two_texts(self) -> float | None:
        """The most nats a word that any two texts of one layout differ by; None without a bound."""
        if not self.draws_words:
            return None
        if self.guarantee.kind == "approx-dp" and self.guarantee.covers == "all":
            return self.guarantee.epsilon
        return None if self.scale is None else self.scale["diameter"]["nats"]

    def receipt(self, count: Count, earlier: Sequence[dict[str, Any]] = ()) -> Receipt:
        """Return the receipt of one Doc. earlier: those of sanitizers before this one."""
        guarantee, total = _of_draws(self.guarantee, count.draws)
        if not self.draws_words:
            total = self._total_of_surrogates(count.mentions)
        receipt = Receipt(
            mechanism=self.mechanism,
            guarantee=dict(guarantee),
            total=dict(total),
            **{name: getattr(count, name) for name in COUNTS},
            **{name: getattr(self, name) for name in SAME},
            earlier=list(earlier),
        )
        receipt["in_clear"] = [*self.in_clear, *shown_of(count)]
        if count.persons is not None:
            receipt["persons"] = count.persons.to_dict()
        if count.uncovered:
            receipt["uncovered"] = count.uncovered
        if self.numbers is not None:
            guarantee, total = _of_draws(self.numbers, count.number_draws)
            receipt["numbers"] = {
                "guarantee": dict(guarantee), "total": dict(total), "drawn": count.numbers
            }  # fmt: skip
        if self.editor is not None:
            receipt["editor"] = self.editor
        if self.surrogates is not None:
            none = dict.fromkeys(MENTIONS, 0)
            receipt["stood_in"] = count.surrogates
            receipt["surrogates"] = {
                label: {**terms, **count.mentions.get(label, none)}
                for label, terms in self.surrogates.items()
            }
        return receipt

    def _total_of_surrogates(self, mentions: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
        """Return the sum over mentions; the dates of a document move by one shift."""
        epsilon, shifts = 0.0, set[str]()
        for label, terms in (self.surrogates or {}).items():
            count, name = mentions.get(label, {}).get("replaced", 0), terms["stand_in"]
            if name.startswith("dx.DateShift."):
                count = int(count > 0 and name not in shifts)
                shifts |= {name} if count else set()
            epsilon += count * (terms["guarantee"]["epsilon"] or 0.0)
        total = self.guarantee.to_dict()
        return total if self.guarantee.kind == "none" else {**total, "epsilon": epsilon}


def shown_of(count: Count) -> list[str]:
    """Return what a receipt with these counts shows of the input."""
    shown = [] if count.persons is None else [PERSONS_SHOWN]
    return shown + [UNCOVERED_SHOWN] * bool(count.uncovered)


def count_of(receipt: Mapping[str, Any]) -> Count:
    """Return the counts of a document, by its receipt."""
    surrogates, numbers = receipt.get("surrogates") or {}, receipt.get("numbers")
    mentions = {
        label: {name: int(terms[name]) for name in MENTIONS}
        for label, terms in surrogates.items()
        if terms["found"]
    }
    persons = receipt.get("persons")
    return Count(
        documents=1,
        tokens=receipt["tokens"],
        perturbed=receipt["perturbed"],
        unknown=receipt["unknown"],
        numbers=0 if numbers is None else numbers["drawn"],
        surrogates=receipt.get("stood_in", 0),
        draws=receipt["draws"],
        most_draws=receipt["draws"],
        uncovered=receipt.get("uncovered", 0),
        mentions=mentions,
        persons=None if persons is None else Persons.from_dict(persons),
    )


def largest_in(receipts: Iterable[Mapping[str, Any]]) -> Loss:
    """Return what bounds the loss of each person of documents, by their receipts."""
    persons = (receipt.get("persons") for receipt in receipts)
    return sum((Loss.from_dict(some["largest"]) for some in persons if some), Loss())


def stand_ins(surrogates: Mapping[str, Mapping[str, Any]] | None) -> str:
    """Return the registered names of surrogates, in the place of a mechanism's."""
    return ", ".join(sorted({terms["stand_in"] for terms in (surrogates or {}).values()}))


@lru_cache(maxsize=1024)  # a corpus has many documents with as many draws
def _of_draws(guarantee: Guarantee, draws: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The guarantee of one draw and of so many, as plain values."""
    return guarantee.to_dict(), repeat(guarantee, draws).to_dict()


# -- a Doc and its receipt -------------------------------------------------------------------------


def install_extensions() -> None:
    """Define doc._.dx, the receipt or None; token._.dx and span._.dx, how tokens were made; and
    token._.dx_vector, a row of doc.tensor.

    Workers and loaded pipelines need both, so it may be called any number of times.
    """
    if not Doc.has_extension("dx"):
        Doc.set_extension("dx", getter=get_receipt)
        # Named functions: workers that are spawned get them pickled.
        Token.set_extension("dx", getter=token_provenance)
        Span.set_extension("dx", getter=span_provenance)
    if not Token.has_extension("dx_vector"):
        Token.set_extension("dx_vector", getter=token_vector)


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
        return {name: _with_lists(one) for name, one in value.items()}
    return [_with_lists(one) for one in value] if isinstance(value, list | tuple) else value


def span_provenance(span: Span) -> list[str]:
    """Return how each token of a sanitised Doc was made (span._.dx), by `doc.spans["dx"]`.

    "SAMPLED", "UNKNOWN" (where the policy shows it), "UNMODIFIED", or the label of the entity that
    a surrogate replaces; "" where no span says.
    """
    labels = [""] * len(span.doc)
    for made in span.doc.spans.get(SPANS_KEY, ()):
        labels[made.start : made.end] = [made.label_] * len(made)
    return labels[span.start : span.end]


def token_provenance(token: Token) -> str:
    """Return how a token of a sanitised Doc was made (token._.dx)."""
    return span_provenance(token.doc[token.i : token.i + 1])[0]


def earlier_receipts(doc: Doc) -> list[dict[str, Any]]:
    """Return the receipts of the sanitizers that made this Doc, the first one first.

    Of a receipt that was not made in this process only its numbers are taken, as claimed: anybody
    may have written it, and its texts may be anybody's.
    """
    last = get_receipt(doc)
    if last is None:
        return []
    if doc in _made_here:
        return [*last["earlier"], {k: v for k, v in last.items() if k != "earlier"}]
    total = last.get("total")
    numbers = {name: last.get(name) for name in COUNTS}
    if isinstance(total, dict):
        numbers |= {name: total.get(name) for name in ("epsilon", "delta")}
    return [{"claimed": True, **{k: v for k, v in numbers.items() if type(v) in (int, float)}}]


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
    if not isinstance(receipt, dict):
        return False
    if any(not isinstance(receipt.get(name), kind) for name, kind in _FIELD_TYPES.items()):
        return False
    numbers = receipt.get("numbers")
    counts = [receipt[name] for name in ("perturbed", "unknown", "kept")]
    counts += [numbers.get("drawn") if isinstance(numbers, dict) else 0, receipt.get("stood_in", 0)]
    valid = all(type(count) is int and count >= 0 for count in counts)
    return valid and receipt["tokens"] == sum(counts) == tokens


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
