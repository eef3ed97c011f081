"""The receipt of a sanitised document: what was done, under which promise, and nothing of the
input. How a Doc carries it, how it is checked, and how a Doc leaves the pipeline with it."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakSet

from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from ..arrays import Floats2d
from ..errors import DxError, Errors
from ..io.files.keys import read_key
from ..privacy.composition import repeat
from ..privacy.guarantee import Guarantee

COUNTS = ("tokens", "perturbed", "unknown", "kept", "draws")
MENTIONS = ("found", "replaced", "kept")  # what is counted of the mentions of a label
RECEIPT_KEY = "dx_receipt"
VECTORS_KEY = "dx_vectors"
SIGNATURE_KEY = "dx_signature"
_EACH_HAS: dict[str, Any] = {
    **dict.fromkeys(("mechanism", "space", "unknown_policy"), str),
    **dict.fromkeys(("guarantee", "total"), dict),
    **dict.fromkeys(COUNTS, int),
    "in_clear": (list, tuple),
}
_TOTALS_KEPT = 1024  # a corpus has many documents of as many words
_made_here: WeakSet[Doc] = WeakSet()  # what was written and read again is another Doc


class Receipt(dict[str, Any]):
    """A plain dictionary (json, msgpack), whose entries are attributes as well.

    mechanism: its registered name. guarantee: of one perturbed word (see Guarantee.to_dict).
    total: of the document. tokens: how many there are. perturbed: how many were drawn by the
    mechanism, which may draw the word that went in. unknown: how many were not in the space, and
    went through `unknown_policy`. kept: how many are as they were, punctuation and white space
    among them. space: name and digest. scope, casing, vectors: as configured. draws: how many
    draws were made. seeded: True voids the promise. in_clear: what of the input is visible, in
    words. scale: what epsilon means in nats on this space (privacy.levels). found: settings that
    were looked for on the space, and the index that was chosen for it. earlier: the receipts of
    sanitizers that were there before; their totals come on top. One that came with a Doc from
    outside of this process has `claimed` True and nothing but numbers: anybody may have written it.
    numbers: only where numbers are drawn by their value: the guarantee of one, the total of the
    document, and how many tokens were drawn (none of them is perturbed or kept). editor: only where
    words were edited after they were drawn, by public knowledge: post-processing, and no privacy.
    editor_model: the digest of its language model, where it has one.
    rewritten: only in receipts of earlier versions, where an editor wrote the document anew: how
    many tokens it has now. All other counts are of the document as it was drawn.
    surrogates: only with stand-ins: for each label its stand-in, the guarantee of what is drawn,
    the largest chance that a mention comes out as it was, the public name of the key where there is
    one (key_id), and how many mentions were found, replaced and kept. stood_in: how many tokens of
    the released document are of stand-ins.
    attacker: what an attacker found of other texts that were drawn with these settings (see
    privacy.levels); None where nobody measured.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass
class StoodIn:
    """What receipts say of stand-ins, added up. tokens: how many are of stand-ins. mentions: found,
    replaced and kept, by label."""

    tokens: int = 0
    mentions: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, receipt: Mapping[str, Any]) -> None:
        """Counts one more document, by its receipt."""
        self.merge(StoodIn(receipt.get("stood_in", 0), receipt.get("surrogates", {})))

    def merge(self, other: StoodIn) -> None:
        """Counts what another one has counted."""
        self.tokens += other.tokens
        for label, told in other.mentions.items():
            so_far = self.mentions.setdefault(label, dict.fromkeys(MENTIONS, 0))
            for name in MENTIONS:
                so_far[name] += int(told[name])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for json; nothing where no document has stand-ins."""
        return {"stood_in": self.tokens, "mentions": self.mentions} if self.mentions else {}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> StoodIn:
        """What to_dict gave, as a part of a larger dictionary."""
        return cls(told.get("stood_in", 0), told.get("mentions", {}))


@dataclass(frozen=True)
class Counted:
    """What is counted of one Doc. numbers: how many tokens were drawn as numbers, and in how many
    draws. stood_in: how many tokens are of stand-ins. mentions: found, replaced and kept, by
    label."""

    tokens: int
    perturbed: int
    unknown: int
    draws: int
    numbers: tuple[int, int] = (0, 0)
    stood_in: int = 0
    mentions: Mapping[str, dict[str, int]] = field(default_factory=dict)


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
    editor_model: str | None = None
    surrogates: dict[str, dict[str, Any]] | None = None
    attacker: dict[str, Any] | None = None

    def receipt(self, counted: Counted, earlier: Sequence[dict[str, Any]] = ()) -> Receipt:
        """Return the receipt of one Doc. earlier: those of sanitizers before this one."""
        drawn, stood_in = counted.numbers[0], counted.stood_in
        one, total = self._totals_of(counted.draws)
        return Receipt(
            mechanism=self.mechanism,
            guarantee=one,
            total=total,
            tokens=counted.tokens,
            perturbed=counted.perturbed,
            unknown=counted.unknown,
            kept=counted.tokens - counted.perturbed - counted.unknown - drawn - stood_in,
            draws=counted.draws,
            space=self.space,
            unknown_policy=self.unknown_policy,
            scope=self.scope,
            casing=self.casing,
            vectors=self.vectors,
            seeded=self.seeded,
            in_clear=list(self.in_clear),
            scale=self.scale,
            found=self.found,
            attacker=self.attacker,
            earlier=list(earlier),
            **self._of_parts(counted),
        )

    def _of_parts(self, counted: Counted) -> dict[str, Any]:
        """Entries that are there only where the component has such parts."""
        told: dict[str, Any] = {}
        if self.numbers is not None:
            drawn, draws = counted.numbers
            guarantee, total = self.numbers.to_dict(), repeat(self.numbers, draws).to_dict()
            told["numbers"] = {"guarantee": guarantee, "total": total, "drawn": drawn}
        for name in ("editor", "editor_model"):
            if getattr(self, name) is not None:
                told[name] = getattr(self, name)
        if self.surrogates is not None:
            none = dict.fromkeys(MENTIONS, 0)
            told["stood_in"] = counted.stood_in
            told["surrogates"] = {
                label: {**terms, **counted.mentions.get(label, none)}
                for label, terms in self.surrogates.items()
            }
        return told

    def _totals_of(self, draws: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """The guarantee of one word and of so many, as plain values of the receipt's own."""
        kept = self._totals
        if draws not in kept:
            if len(kept) > _TOTALS_KEPT:
                kept.clear()
            kept[draws] = self.guarantee.to_dict(), repeat(self.guarantee, draws).to_dict()
        one, total = kept[draws]
        return dict(one), dict(total)

    @cached_property
    def _totals(self) -> dict[int, tuple[dict[str, Any], dict[str, Any]]]:
        return {}

    # How long documents were is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}


# -- a Doc and its receipt -------------------------------------------------------------------------


def install_extensions() -> None:
    """doc._.dx is the receipt or None; token._.dx_vector is a row of doc.tensor. Workers and
    loaded pipelines need them as well, so it may be called any number of times."""
    if not Doc.has_extension("dx"):
        Doc.set_extension("dx", getter=get_receipt)
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
    """The receipt that the Doc carries (doc._.dx), or None."""
    stored = doc.user_data.get(RECEIPT_KEY)
    if not isinstance(stored, dict):
        return None
    # DocBin gives tuples back for lists, and a receipt should be the one that was stored.
    return Receipt({k: list(v) if isinstance(v, tuple) else v for k, v in stored.items()})


def earlier_receipts(doc: Doc) -> list[dict[str, Any]]:
    """The receipts of the sanitizers that made this Doc, the first one first. What a Doc brings
    along that was not made in this process anybody may have written: of that, claimed numbers."""
    last = get_receipt(doc)
    if last is None:
        return []
    if doc not in _made_here:
        return [claimed(last)]
    return [*last["earlier"], {k: v for k, v in last.items() if k != "earlier"}]


def claimed(receipt: dict[str, Any]) -> dict[str, Any]:
    """What a receipt says that nobody vouches for: numbers alone; its texts may be anybody's."""
    said = receipt.get("total")
    total = said if isinstance(said, dict) else {}
    numbers = {name: receipt.get(name) for name in COUNTS}
    numbers |= {name: total.get(name) for name in ("epsilon", "delta")}
    return {"claimed": True, **{k: v for k, v in numbers.items() if type(v) in (int, float)}}


def assert_sanitized(doc: Doc, *, key: str | Path | None = None) -> None:
    """Raise DxError unless a sanitizer made this Doc. Call it before a Doc leaves your hands: a
    disabled or forgotten component leaves no other trace.

    A Doc that was read from elsewhere may carry any receipt: that it is complete and counts the
    tokens of this Doc is all that can be seen without a key. key: the file of one (`dx key`); then
    the receipt and the text have to be as `release` signed them with it.
    """
    receipt = get_receipt(doc)
    if receipt is None or (doc not in _made_here and not fits(receipt, len(doc))):
        raise DxError(Errors.DX032)
    if key is not None and not _is_signed(doc, read_key(key)):
        raise DxError(Errors.DX132)


def fits(receipt: Any, tokens: int) -> bool:
    """Whether a receipt that was read has what each has, and its counts add up to these tokens of
    its document. Anybody can write one that does."""
    if not isinstance(receipt, dict):
        return False
    if any(not isinstance(receipt.get(name), kind) for name, kind in _EACH_HAS.items()):
        return False
    numbers = receipt.get("numbers")
    counts = [receipt[name] for name in ("perturbed", "unknown", "kept")]
    counts += [numbers.get("drawn") if isinstance(numbers, dict) else 0, receipt.get("stood_in", 0)]
    right = all(type(count) is int and count >= 0 for count in counts)
    of_release = receipt["tokens"]
    return right and of_release == sum(counts) and receipt.get("rewritten", of_release) == tokens


# -- a Doc that leaves -----------------------------------------------------------------------------


def sign(doc: Doc, key: bytes) -> None:
    """Text, tokens and receipt of a Doc, as `assert_sanitized(doc, key=...)` checks them."""
    doc.user_data[SIGNATURE_KEY] = _signature(doc, key)


def _is_signed(doc: Doc, key: bytes) -> bool:
    found = doc.user_data.get(SIGNATURE_KEY)
    return isinstance(found, str) and hmac.compare_digest(found, _signature(doc, key))


def _signature(doc: Doc, key: bytes) -> str:
    """HMAC-SHA256, in hex, over text, tokens and receipt of a Doc."""
    receipt: Any = json.loads(json.dumps(get_receipt(doc), sort_keys=True))
    told = [[t.text for t in doc], [bool(t.whitespace_) for t in doc], receipt]
    content = json.dumps(told, sort_keys=True).encode()
    return hmac.new(key, b"dx release" + content, hashlib.sha256).hexdigest()


def release(doc: Doc, vocab: Vocab, *, key: str | Path | None = None) -> Doc:
    """A copy of a sanitised Doc on a clean vocabulary, so that it can be pickled.

    A Doc drags its vocabulary along, and the vocabulary of the pipeline holds every word that the
    pipeline read. key: the file of a key to sign it with, for `assert_sanitized(copy, key=...)`.
    Raises DxError for a Doc without a receipt, and for that same vocabulary; with a key also for
    one that was read from elsewhere, and for a key that cannot be used.
    """
    assert_sanitized(doc)
    if vocab is doc.vocab:
        raise DxError(Errors.DX039)
    secret = None if key is None else read_key(key)
    if secret is not None and doc not in _made_here and not _is_signed(doc, secret):
        raise DxError(Errors.DX132)
    copy = Doc(vocab).from_bytes(doc.to_bytes(exclude=["user_hooks"]))
    if secret is not None:
        sign(copy, secret)
    return attach_vectors(copy) if copy.tensor.size else copy


def attach_vectors(doc: Doc) -> Doc:
    """Let token.vector be the row of doc.tensor, where the noisy vectors are. spaCy drops this
    with to_bytes, DocBin and n_process, and DocBin drops the tensor: call it again on what was
    loaded (with store_user_data=True)."""
    if not doc.tensor.size and VECTORS_KEY in doc.user_data:
        doc.tensor = doc.user_data[VECTORS_KEY]
    if len(doc) and not doc.tensor.size:
        raise DxError(Errors.DX028)
    doc.user_token_hooks["vector"] = token_vector
    doc.user_token_hooks["has_vector"] = has_vector
    return doc


def token_vector(token: Token) -> Any:
    """The row of doc.tensor, (d,), that stands for the token's vector."""
    return token.doc.tensor[token.i]


def has_vector(token: Token) -> bool:
    """Every token of a sanitised Doc has one."""
    return True


# On import as well, so that what was saved can be read where no sanitizer is made.
install_extensions()
