"""What holds for whatever comes: an answer, or an error with a code that quotes nothing."""

from __future__ import annotations

import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from confection import ConfigValidationError
from spacy.language import Language

from spacy_dxprivacy import DxError, Space, assert_sanitized
from spacy_dxprivacy.config import FileOptions
from spacy_dxprivacy.errors import UsageError
from spacy_dxprivacy.io.files.docbin import BadPacked, unpack
from spacy_dxprivacy.io.jobs import guess, read
from spacy_dxprivacy.io.record import Record, checked_record, is_unicode
from spacy_dxprivacy.io.source import source_of_file
from spacy_dxprivacy.io.stream import outcomes
from spacy_dxprivacy.lab.audit.files import BadFile, read_file

from .generate import SECRETS, WORDS

BLANK = spacy.blank("en")


def leaked(*things: Any) -> list[str]:
    told = " ".join(map(str, things)).lower()
    return [secret for secret in SECRETS if secret.lower() in told]


def make_space() -> Space:
    words = [word for word in WORDS if word.isalpha()]
    words += ["blue", "red", "dog", "cat", "man", "can", "not", "would", "you"]
    words = list(dict.fromkeys(words))
    return Space.from_vectors(words, np.random.default_rng(0).normal(size=(len(words), 6)))


def make_nlp(folder: Path, *, ruler: bool = False, **settings: Any) -> Language:
    if not folder.exists():
        make_space().save(folder)
    nlp = spacy.blank("en")
    if ruler:
        nlp.add_pipe("dx_entity_ruler")
    space = {"@dx_spaces": "dx.FileSpace.v1", "path": str(folder)}
    nlp.add_pipe("dx_sanitizer", config={"space": space, **settings})
    return nlp


def check_documents(nlp: Language, texts: list[str], *, checked: bool = True) -> dict[str, int]:
    """Each text gives a document without its secrets, or one line that says why not."""
    make = partial(checked_record, size=0) if checked else Record
    records = [make(number=i, text=text) for i, text in enumerate(texts, 1)]
    counts = {"sanitised": 0, "refused": 0}
    seen = set()
    for record, outcome in outcomes(nlp, records, batch_size=len(texts)):
        seen.add(record.number)
        if isinstance(outcome, str):
            assert outcome and "\n" not in outcome and not leaked(outcome)
            # Half of a surrogate pair is a reason, and nothing else of what is made here.
            assert not is_unicode(texts[record.number - 1]), outcome
            counts["refused"] += 1
            continue
        counts["sanitised"] += 1
        assert_sanitized(outcome.doc)
        assert not leaked(outcome.text, json.dumps(outcome.receipt))
        assert not leaked(outcome.doc.to_bytes().decode("latin1"))
    assert len(seen) == len(texts)
    return counts


def check_config(folder: Path, settings: dict[str, Any]) -> str:
    """It works, or spaCy or the package says what is wrong with it, before any text is read."""
    space = {"@dx_spaces": "dx.FileSpace.v1", "path": str(folder)}
    if BLANK.has_pipe("dx_sanitizer"):
        BLANK.remove_pipe("dx_sanitizer")
    try:
        BLANK.add_pipe("dx_sanitizer", config={"space": space, **settings})
    except (ConfigValidationError, ValueError) as error:  # DxError is one
        assert str(error)
        return "refused"
    try:
        doc = BLANK("The doctor saw Zorblattovich in London.")
    except DxError as error:
        assert str(error).startswith("[DX") and not leaked(error)
        return "refused"
    assert_sanitized(doc)
    assert not leaked(doc.text)
    return "works"


def check_readers(path: Path, raw: bytes, kind: str) -> str:
    """The reader of the command line, and that of the audit."""
    try:
        found = list(read(io.BytesIO(raw), kind, FileOptions()))
        assert not leaked(*(record.problem for record in found))
    except UsageError as error:
        assert "\n" not in str(error) and not leaked(error)
        found = []
    path.write_bytes(raw)
    try:
        list(read_file(path, "text"))
    except BadFile as error:
        assert "\n" not in str(error) and not leaked(error)
    return "read" if found else "refused"


def check_stdin(raw: bytes) -> str:
    """What comes without a name: decoded, guessed and read, or one line that says no."""
    try:
        source = source_of_file(io.BytesIO(raw), text=True)
        kind = guess(source, FileOptions())
        found = list(read(source, kind, FileOptions()))
    except UsageError as error:
        assert "\n" not in str(error) and not leaked(error)
        return "refused"
    assert not leaked(*(record.problem for record in found))
    return kind


def check_packed(raw: bytes) -> str:
    try:
        unpack(raw)
    except BadPacked as error:
        assert not leaked(error)
        return "refused"
    return "read"
