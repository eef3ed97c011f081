"""The odds of a secret: how sure an informed attacker can be of it, before and after a release.

The attacker knows the pipeline, every other word of the texts, and that the secret is one of some
stated alternatives, equally likely before.

Reference:
    Ligett, Neel, Roth, Waggoner and Wu 2017 (ex-post loss); privacy.loss for the bound.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Ints1d
from ..config.options import FileOptions
from ..errors import UsageError
from ..io.build import make_pipeline
from ..io.records import Record, nlp_inputs
from ..io.results import zone
from ..pipeline.receipt import Receipt, get_receipt
from .aligned import aligned_words
from .corpus import records_of, released_records
from .informed import NO_WORDS_ALONE, DocWords, Evidence, InformedAttacker, Mentions, Secret

BATCH_DOCUMENTS = 16  # in a batch


@dataclass(frozen=True)
class Odds:
    """How sure an informed attacker can be of one secret.

    Attributes:
        mentions: Number of mentions.
        among: Number of alternatives, including the secret.
        bound: Upper bound on the probability that an attacker names the secret correctly, for any
            release; 1 without a guarantee.
        posterior: The probability for this release; None without a release or a likelihood.
        record: The number of its record, from 1; None for a secret of all texts.
        secret: Its text, for the owner only.
    """

    mentions: int
    among: int
    bound: float
    posterior: float | None = None
    record: int | None = None
    secret: str = field(default="", repr=False)


class TextAndRelease(NamedTuple):
    """A text or Doc, and its release if there is one."""

    number: int
    original: str | Doc
    release: str | Doc | None = None


def odds(
    doc: str | Doc,
    release: str | Doc | None,
    secret: str,
    among: Sequence[str] | None = None,
    *,
    nlp: Language | None = None,
) -> Odds:  # fmt: skip
    """Return how sure an informed attacker can be of a secret.

    Args:
        doc: The original. Keep it and the result private.
        release: Its release; None for the worst case of any release.
        secret: One word or more, as in the text.
        among: Alternatives with as many words; the 99 nearest words of the same class if None.
        nlp: The pipeline that made the release; if None, one with the mechanism and epsilon of the
            receipt of the release, or the default one.

    Raises:
        DxError: (UsageError) For a secret that does not occur, words that the space lacks,
            alternatives of another length, and a release of another layout or pipeline.
    """
    receipt = get_receipt(release) if isinstance(release, Doc) else None
    if nlp is None:
        settings = {} if receipt is None else settings_of(receipt)
        nlp = _pipeline(tuple(settings.items()))
    attacker = InformedAttacker(nlp)
    if receipt is not None:
        attacker.check(receipt)
    result = odds_of(attacker, [TextAndRelease(1, doc, release)], secret, among)
    return result.odds[0]


def settings_of(receipt: Receipt) -> dict[str, Any]:
    """Return the mechanism of a receipt and its epsilon, as settings of a pipeline.

    Raises:
        UsageError: If the receipt is of surrogates alone.
    """
    if not receipt.stage("words"):
        raise UsageError(NO_WORDS_ALONE)
    return {"mechanism": receipt.mechanism, "epsilon": receipt.guarantee["epsilon"]}


@lru_cache(maxsize=2)
def _pipeline(settings: tuple[tuple[str, Any], ...]) -> Language:
    return make_pipeline(**dict(settings))


class OddsOfTexts(NamedTuple):
    """odds: of each secret. left_out: number of entities without odds. why: the reason why a
    release has no posteriors, or ""."""

    odds: list[Odds]
    left_out: int = 0
    why: str = ""


def odds_of(
    attacker: InformedAttacker,
    texts: Iterable[TextAndRelease],
    secret: str | None = None,
    among: Sequence[str] | None = None,
) -> OddsOfTexts:
    """Return the odds of each secret of some texts; memory grows with the number of secrets.

    Args:
        attacker: The attacker.
        texts: The texts.
        secret: The secret of all texts; the recognised entities of each text if None.
        among: The alternatives; the nearest words of the same class if None.

    Raises:
        DxError: (UsageError) As `odds` does, and without any secret.
    """
    alternatives = None if among is None else _alternatives(attacker, among)
    common = None if secret is None else _secret(attacker, secret, alternatives)
    results: list[Odds] = []
    stream, left_out, release = iter(texts), 0, False
    batch: list[TextAndRelease] | None = None
    while batch is None or batch:
        evidence: list[Evidence] = []
        secrets: list[Secret] = []
        with zone(attacker.nlp):
            batch = list(islice(stream, BATCH_DOCUMENTS))
            for text in batch:
                release |= text.release is not None
                seen = attacker.read(text.original)
                if common is not None:
                    mentioned, lacking = [(common, attacker.mentions_of(common, seen))], 0
                else:
                    mentioned, lacking = _entities(attacker, text.number, seen, alternatives)
                left_out += lacking
                secrets += [entity for entity, _ in mentioned if entity is not common]
                tokens = _released(attacker, text, seen) if any(m for _, m in mentioned) else None
                for entity, mentions in mentioned:
                    evidence += attacker.add_mentions(entity, seen, mentions, tokens)
        attacker.weigh(evidence)
        results += [_odds(attacker, entity, release) for entity in secrets]
    if common is not None and common.mentions:
        results = [_odds(attacker, common, release)]
    if not results:
        raise UsageError("the secret does not occur in the text, as words that can be drawn.")
    return OddsOfTexts(results, left_out, attacker.why if release else "")


def _released(attacker: InformedAttacker, text: TextAndRelease, seen: DocWords) -> list[str] | None:
    """Return the words of a release; None without a release or a posterior."""
    if text.release is None or attacker.why:
        return None
    tokens = aligned_words(seen.doc, seen.drawn, text.release)
    if tokens is None:
        raise UsageError(f"record {text.number}: the release has another layout than the original.")
    return tokens


def _entities(
    attacker: InformedAttacker, number: int, seen: DocWords, among: list[Ints1d] | None
) -> tuple[list[tuple[Secret, Mentions]], int]:
    """Return recognised entities of a record with their mentions, and the number left out."""
    entities, lacking = attacker.entities(seen)
    fitting = {k: v for k, v in entities.items() if not among or len(among[0]) == len(k)}
    return [
        (attacker.secret(np.array(rows), text, among, number), mentions)
        for rows, (text, mentions) in fitting.items()
    ], lacking + len(entities) - len(fitting)


def _secret(attacker: InformedAttacker, text: str, among: list[Ints1d] | None) -> Secret:
    rows = attacker.rows_of(text)
    if not len(rows):
        raise UsageError("the secret has no word.")
    if (rows < 0).any():
        raise UsageError(
            "the space lacks a word of the secret, so its mentions go through the policy for "
            "unknown words, and have no odds."
        )
    return attacker.secret(rows, text, among, None)


def _alternatives(attacker: InformedAttacker, among: Sequence[str]) -> list[Ints1d]:
    """Return the rows of the alternatives. Raise UsageError with the numbers of unknown ones."""
    rows = [attacker.rows_of(text) for text in among if text.strip()]
    unknown = [str(i) for i, words in enumerate(rows, 1) if not len(words) or (words < 0).any()]
    if unknown:
        raise UsageError(
            f"the space lacks words of {len(unknown)} alternative(s), number "
            f"{', '.join(unknown[:10])}: leave them out."
        )
    if not rows:
        raise UsageError("there are no alternatives.")
    return rows


def _odds(attacker: InformedAttacker, secret: Secret, release: bool) -> Odds:
    return Odds(
        mentions=secret.mentions,
        among=len(secret.alternatives) + 1,
        bound=secret.bound(attacker.guarantee),
        posterior=secret.posterior() if release and not attacker.why else None,
        record=secret.record,
        secret=secret.text,
    )


def texts_of_files(
    nlp: Language,
    before: Path,
    after: Path | None,
    field: str,
    *,
    failed: Collection[int] = (),
) -> Iterator[TextAndRelease]:
    """Yield the records of a file and of its release, if any. failed: numbers of unreleased
    records; 0 for all. Raise UsageError if the records of the files differ."""
    files = FileOptions(field=(field,))
    if after is None:
        for record in records_of(str(before), "`dx odds`", files):
            if isinstance(record, Record):
                yield from (TextAndRelease(record.number, doc) for doc in nlp_inputs(nlp, record))
        return
    for original, release in released_records(before, after, files, failed):
        for doc, new_doc in zip(nlp_inputs(nlp, original), nlp_inputs(nlp, release), strict=False):
            yield TextAndRelease(original.number, doc, new_doc)
