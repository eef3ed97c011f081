"""The new Doc, by whitelist: words, blanks, what `carry` names, and the receipt. Nothing else of
the old Doc reaches it, since lemmas, tags, tensors and user data are all functions of the input."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, SENT_START
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from ..arrays import Floats2d
from ..errors import DxError, Errors
from ..files.keys import read_key
from ..text.layout import Layout
from .receipt import Receipt

CARRIED = {"ents": [ENT_IOB, ENT_TYPE], "sents": [SENT_START]}
CARRIED_IN_CLEAR = {
    "ents": "the places and labels of the input's entities",
    "sents": "where the input's sentences begin",
}
_INSIDE = 1  # of ENT_IOB: goes on with an entity
_NO_START = np.uint64(2**64 - 1)  # of SENT_START: -1, no sentence begins
RECEIPT_KEY = "dx_receipt"
VECTORS_KEY = "dx_vectors"
SIGNATURE_KEY = "dx_signature"
_EACH_HAS: dict[str, Any] = {
    "mechanism": str,
    "space": str,
    "unknown_policy": str,
    "guarantee": dict,
    "total": dict,
    "tokens": int,
    "perturbed": int,
    "unknown": int,
    "kept": int,
    "draws": int,
    "in_clear": (list, tuple),
}
_made_here: WeakSet[Doc] = WeakSet()  # what was written and read again is another Doc


def install_extensions() -> None:
    """doc._.dx is the receipt or None; token._.dx_vector is a row of doc.tensor. Workers and
    loaded pipelines need them as well, so it may be called any number of times."""
    if not Doc.has_extension("dx"):
        Doc.set_extension("dx", getter=get_receipt)
    if not Token.has_extension("dx_vector"):
        Token.set_extension("dx_vector", getter=token_vector)


def rebuild(
    doc: Doc,
    words: list[str],
    spaces: list[bool],
    receipt: Receipt,
    *,
    carry: tuple[str, ...] = (),
    vectors: Floats2d | None = None,
    layout: Layout | None = None,
) -> Doc:
    """A Doc of these words on the vocabulary of the old one. vectors: float32 (tokens, d). layout:
    where they are not as many as those of the old Doc."""
    new = Doc(doc.vocab, words=words, spaces=spaces)
    for name in carry:
        if not len(doc):
            break
        # A list: numpy would give from_array another shape for a single attribute.
        values: Any = doc.to_array(CARRIED[name])
        values = values if layout is None else _laid_out(name, values, layout)
        new.from_array(CARRIED[name], values)
    # What nlp.pipe(as_tuples=True) hands back beside the Doc; spaCy keeps it here.
    new._context = doc._context
    new.user_data[RECEIPT_KEY] = dict(receipt)
    _made_here.add(new)
    if vectors is not None:
        new.tensor = vectors
        # DocBin keeps user data and no tensor.
        new.user_data[VECTORS_KEY] = vectors
        attach_vectors(new)
    return new


def _laid_out(name: str, values: Any, layout: Layout) -> Any:
    """Annotations of the old tokens as those of the new ones: what stands for an entity is one."""
    new = values[layout.source].copy()
    if name == "ents":
        new[layout.inner, 0] = _INSIDE
    elif np.any(values):
        new[layout.inner] = _NO_START
    return new


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
    numbers = {
        name: receipt.get(name) for name in ("tokens", "perturbed", "unknown", "kept", "draws")
    }
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
    aside = numbers.get("drawn") if isinstance(numbers, dict) else 0
    counts = [receipt["perturbed"], receipt["unknown"], receipt["kept"], aside]
    counts.append(receipt.get("stood_in", 0))
    right = all(type(count) is int and count >= 0 for count in counts)
    of_release = receipt["tokens"]
    rewritten = receipt.get("rewritten", of_release)
    return right and of_release == sum(counts) and rewritten == tokens


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
