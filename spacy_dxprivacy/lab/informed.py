"""The informed attacker, who knows a pipeline, and all of a text but one secret.

Only sentences that mention the secret matter: all others cancel in the posterior.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice, product
from typing import Any, NamedTuple, cast

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ..errors import UsageError
from ..io.build import get_sanitizer
from ..mechanisms.path_v2 import SentenceMechanism
from ..pipeline.context import StageContext
from ..pipeline.draft import Draft
from ..pipeline.kinds import Kind, of_kind
from ..pipeline.preparation import select
from ..pipeline.receipt import Receipt
from ..privacy.guarantee import Guarantee
from ..privacy.loss import Loss, best_guess
from ..sampler.sentence_level import InputRows
from ..space.search.exact import euclidean
from ..text.mentions import find_entities
from ..ty import CoversPairs, HasMetric, StatesProbabilities
from .aligned import SpellingInverse
from .variants import VariantLikelihood

DEFAULT_ALTERNATIVES = 99  # by default
LABELS = frozenset(
    ["PERSON", "GPE", "LOC", "FAC", "ORG", "ADDRESS", "DATE", "DIAGNOSIS", "DISEASE", "CONDITION"]
)
COMPARED_FIELDS = ("kind", "epsilon", "delta", "metric", "space", "notes")
MAX_READINGS = 64  # combinations of rows for ambiguous released words of a sentence
DISTANCES_AT_ONCE = 2**22
WRONG = "the release was not made of this text with these settings"
EDITED = "an editor or noisy vectors are in the release, so only the worst case is known"
NO_WORDS_ALONE = (
    "odds are of words that the mechanism draws, and this pipeline has surrogates or noise on "
    "numbers, whose guarantees its receipt states. Leave them out."
)
NO_LIKELIHOOD = "the mechanism states no probabilities, so only the worst case is known"


@dataclass(eq=False)
class Secret:
    """A secret of n words, its m alternatives, and the evidence so far.

    alternatives: int64 (m, n). distances: float64 (m, n), of words of the secret to those of an
    alternative. sentences: number of occurrences of each word in a sentence -> number of such
    sentences. logs: float64 (m + 1,), ln P(release | secret or alternative) up to a constant.
    """

    words: Ints1d
    alternatives: Ints2d
    distances: Floats2d
    text: str = field(repr=False)
    record: int | None = None
    mentions: int = 0
    sentences: Counter[tuple[int, ...]] = field(default_factory=Counter)
    logs: Floats1d = field(default_factory=lambda: np.zeros(1))
    plaintext: bool = False  # whether a mention is in plaintext

    def bound(self, guarantee: Guarantee) -> float:
        """Return an upper bound on the posterior of the secret, by the guarantee."""
        if self.plaintext:
            return 1.0
        distances = [self.distances @ np.array(times) for times in self.sentences.elements()]
        losses = [
            Loss.of(guarantee, [float(d[j]) for d in distances])
            for j in range(len(self.alternatives))
        ]
        max_delta = max((loss.delta_of_epsilon for loss in losses), default=0.0)
        return min(1.0, best_guess([loss.epsilon() for loss in losses]) + max_delta)

    def posterior(self) -> float:
        """Return the posterior probability of the secret."""
        if self.plaintext:
            return 1.0
        if not self.logs[0] > -math.inf:
            raise UsageError(f"{WRONG}: it cannot come of it.")
        return float(1 / np.exp(self.logs - self.logs[0]).sum())


Mentions = list[tuple[Ints1d, Ints1d]]  # places in the words of a Doc, and words of the secret


class DocWords(NamedTuple):
    """The k words of a Doc as the mechanism gets them, and their tokens, int64 (k,)."""

    doc: Doc
    text: InputRows
    places: Ints1d

    @property
    def drawn(self) -> Bools1d:
        """Whether each token is sampled, bool (tokens,)."""
        is_drawn = np.zeros(len(self.doc), dtype=bool)
        is_drawn[self.places] = ~self.text.fixed
        return is_drawn


@dataclass(frozen=True, eq=False)
class Evidence:
    """A sentence with a secret. readings: outputs int64 (k,) that are spelled like the release, and
    log weights. variants: int64 (k, m + 1), with the secret and each alternative."""

    secret: Secret
    text: InputRows
    readings: list[tuple[Ints1d, float]]
    variants: Ints2d


class InformedAttacker:
    """An attacker who knows a pipeline and all of a text but one secret. Raises UsageError for a
    pipeline with surrogates or noise on numbers."""

    def __init__(self, nlp: Language) -> None:
        self.nlp, self.sanitizer = nlp, get_sanitizer(nlp)
        sanitizer, self.settings = self.sanitizer, self.sanitizer.settings
        if self.settings.active_surrogates or self.settings.numbers is not None:
            raise UsageError(NO_WORDS_ALONE)
        self.terms, self.space = sanitizer.terms, sanitizer.space
        self.mechanism = self.settings.mechanism
        self.guarantee: Guarantee = self.mechanism.guarantee
        self.why = ""  # the reason, if there is no posterior
        if self.settings.editor is not None or self.settings.vectors == "noisy":
            self.why = EDITED
        elif not (self.settings.draws_together or isinstance(self.mechanism, StatesProbabilities)):
            self.why = NO_LIKELIHOOD
        self.recogniser: Any = nlp.create_pipe("dx_entity_ruler")
        self._nearest_words: Callable[[int], tuple[Ints1d, Floats1d]] = lru_cache(2048)(
            self._nearest
        )

    def check(self, receipt: Receipt) -> None:
        """Raise UsageError if a receipt is of another pipeline."""
        names = ("mechanism", "space", "scope", "casing", "unknown_policy", "editor")
        differing = [name for name in names if getattr(self.terms, name) != getattr(receipt, name)]
        words = receipt.stage("words")
        stated = Guarantee.from_dict(words["guarantee"]) if words else Guarantee("none")
        if any(getattr(self.guarantee, name) != getattr(stated, name) for name in COMPARED_FIELDS):
            differing.append("guarantee")
        if differing:
            raise UsageError(
                f"the receipt of the release states another {' and '.join(differing)} than these "
                "settings: give those of its run, such as `config`."
            )

    def read(self, original: str | Doc) -> DocWords:
        """Return the words of an original as the mechanism gets them."""
        doc = self.nlp.make_doc(original) if isinstance(original, str) else original.copy()
        for _, pipe in self.nlp.pipeline:
            if pipe is self.sanitizer:
                break
            doc = pipe(doc)
        draft = select(Draft.of([doc], self.space), StageContext(self.settings, self.space))
        drawn = of_kind(draft.kinds, Kind.SELECTED)
        plain = of_kind(draft.kinds, Kind.PLAIN) & (draft.rows >= 0) & drawn.any()
        places = np.flatnonzero(drawn | plain)
        starts = np.diff(draft.sentences[places], prepend=-1) > 0
        return DocWords(doc, InputRows(draft.rows[places], starts, ~drawn[places]), places)

    def rows_of(self, text: str) -> Ints1d:
        """Return the rows of the words of a secret, -1 for words that the space lacks."""
        doc = self.nlp.make_doc(text)
        draft = Draft.of([doc], self.space)
        rows: Ints1d = draft.rows[of_kind(draft.kinds, Kind.PLAIN)]
        return rows

    def secret(
        self, words: Ints1d, text: str, among: Sequence[Ints1d] | None, record: int | None
    ) -> Secret:
        """Return a secret with its alternatives. words: int64 (n,). among: the alternatives; None
        for the nearest words. Raise UsageError for alternatives with another number of words."""
        if among is None:
            nearest = [self._nearest_words(row) for row in words.tolist()]
            count = min(len(rows) for rows, _ in nearest)
            alternatives = np.stack([rows[:count] for rows, _ in nearest], axis=1)
            distances = np.stack([D[:count] for _, D in nearest], axis=1)
        else:
            if any(len(alternative) != len(words) for alternative in among):
                raise UsageError(
                    "an alternative has another number of words than the secret: the layout would "
                    "give it away. Give alternatives of as many words."
                )
            alternatives = np.unique(np.stack(among), axis=0)
            alternatives = alternatives[(alternatives != words).any(axis=1)]
            pairs = zip(words.tolist(), alternatives.T, strict=True)
            distances = np.stack([self._distances(row)[column] for row, column in pairs], axis=1)
        logs = np.zeros(len(alternatives) + 1)
        return Secret(words, alternatives, distances, text, record, logs=logs)

    def _distances(self, row: int) -> Floats1d:
        """Return the distances of a word to all words, (n,), in the metric of the guarantee;
        infinite for uncovered pairs."""
        guarantee, rows, n = self.guarantee, np.array([row]), len(self.space)
        D = np.full(n, 1.0 if guarantee.kind == "approx-dp" else math.inf)
        if guarantee.kind == "metric-dp" and isinstance(self.mechanism, HasMetric):
            D = np.array(self.mechanism.distances(rows)[0], dtype=np.float64)
        if guarantee.covers == "related" and isinstance(self.mechanism, CoversPairs):
            D = np.where(self.mechanism.covers(rows)[0], D, math.inf)
        elif guarantee.covers in ("stated", "none"):
            D = np.full(n, math.inf)
        D[row] = 0
        return D

    def _nearest(self, row: int) -> tuple[Ints1d, Floats1d]:
        """Return the nearest words of the first class of a word, and their distances."""
        space, distances = self.space, self._distances(row)
        of_class = np.ones(len(space), dtype=bool)
        bits = 0 if space.classes is None else int(space.classes[row])
        if bits:
            of_class = space.with_class(space.class_names[(bits & -bits).bit_length() - 1])
        of_class[row] = False
        rows = np.flatnonzero(of_class)
        D = distances[rows]
        if len(np.unique(D)) < 2:  # equal under the guarantee
            D = euclidean(space.vectors, np.array([row]))[0, rows]
        nearest = rows[np.argsort(D, kind="stable")[:DEFAULT_ALTERNATIVES]]
        return nearest, distances[nearest]

    def mentions_of(self, secret: Secret, seen: DocWords) -> Mentions:
        """Return the mentions of a secret."""
        rows, n = seen.text.rows, len(secret.words)
        if len(rows) < n:
            return []
        windows = np.lib.stride_tricks.sliding_window_view(rows, n)
        hits, end = [], -1
        for first in np.flatnonzero((windows == secret.words).all(axis=1)).tolist():
            if first > end:
                hits.append((np.arange(first, first + n), np.arange(n)))
                end = first + n - 1
        return hits

    def entities(self, seen: DocWords) -> tuple[dict[tuple[int, ...], tuple[str, Mentions]], int]:
        """Return recognised entities, rows of words -> (text, mentions), and the number of entities
        without a word of the space. Parts of a person's name are mentions."""
        doc = seen.doc if seen.doc.has_annotation("ENT_IOB") else self.recogniser(seen.doc)
        spans = sorted(find_entities(doc, LABELS), key=lambda s: (s.start - s.end, s.start))
        entities: dict[tuple[int, ...], tuple[str, Mentions]] = {}
        names, lacking = list[tuple[int, ...]](), 0
        free = np.ones(len(seen.doc), dtype=bool)
        for label, *ends in spans:
            first, last = ends
            if doc is not seen.doc:  # its recogniser may split words
                span = doc[first:last].start_char, doc[first:last].end_char
                touched: Any = seen.doc.char_span(*span, alignment_mode="expand")
                first, last = touched.start, touched.end
            if not free[first:last].all():
                continue
            free[first:last] = False
            at = np.flatnonzero((seen.places >= first) & (seen.places < last))
            at = at[seen.text.rows[at] >= 0]
            rows = tuple(seen.text.rows[at].tolist())
            if not rows:
                lacking += 1
                continue
            key = rows
            if label == "PERSON":
                key = next((name for name in names if set(rows) <= set(name)), rows)
                names.append(key)
            _, mentions = entities.setdefault(key, (seen.doc[first:last].text, []))
            mentions.append((at, np.array([key.index(row) for row in rows])))
        return entities, lacking

    def add_mentions(
        self, secret: Secret, seen: DocWords, mentions: Mentions, tokens: list[str] | None
    ) -> list[Evidence]:
        """Count the mentions of a secret in a Doc, and return the evidence of its release. tokens:
        the released word for each token of the Doc, or None."""
        secret.mentions += len(mentions)
        if not mentions:
            return []
        at, which_word = (np.concatenate(arrays) for arrays in zip(*mentions, strict=True))
        if seen.text.fixed[at].any():
            secret.plaintext = True
            return []
        if self.settings.scope == "type":  # one draw for each distinct word
            which_word, first = np.unique(which_word, return_index=True)
            at = at[first]
        n, evidence = len(secret.words), []
        together = self.settings.draws_together
        sentence = np.cumsum(seen.text.starts) - 1 if together else np.arange(len(seen.places))
        for number in np.unique(sentence[at]).tolist():
            in_sentence = sentence[at] == number
            secret.sentences[tuple(np.bincount(which_word[in_sentence], minlength=n).tolist())] += 1
            if tokens is not None:
                words = np.flatnonzero(sentence == number)
                mention = at[in_sentence], which_word[in_sentence]
                evidence.append(self._evidence(secret, seen, words, mention, tokens))
        return evidence

    def _evidence(
        self,
        secret: Secret,
        seen: DocWords,
        words: Ints1d,
        mention: tuple[Ints1d, Ints1d],
        tokens: list[str],
    ) -> Evidence:
        """words: the places of the sentence. mention: places of the secret, and its words there."""
        at, which_word = mention
        places = np.searchsorted(words, at)
        rows = seen.text.rows[words]
        columns = np.concatenate([secret.words[None], secret.alternatives]).T
        variants = np.repeat(rows[:, None], columns.shape[1], axis=1)
        variants[places] = columns[which_word]
        text = InputRows(rows, np.arange(len(words)) == 0, seen.text.fixed[words])
        options = [self.spelling_inverse.rows(tokens, int(seen.places[i])) for i in at.tolist()]
        if not all(options):
            raise UsageError(f"{WRONG}: a word of it is none that the mechanism draws.")
        released = self.space.find_all([tokens[i] for i in seen.places[words].tolist()])
        readings = []
        for choice in islice(product(*options), MAX_READINGS):
            outputs = released.copy()  # -1 for words that the space lacks
            outputs[places] = choice
            readings.append((outputs, 0.0))
        if len(readings) > 1 and self.settings.draws_together:
            # Readings are weighed by the words around them.
            mechanism: Any = self.mechanism
            sums = mechanism.built.likelihood.log_sums
            texts = [InputRows(y, text.starts, y >= 0) for y, _ in readings]
            readings = [(output_text.rows, float(sums(output_text)[0])) for output_text in texts]
        return Evidence(secret, text, readings, variants)

    @cached_property
    def spelling_inverse(self) -> SpellingInverse:
        """The rows that a released word may stand for."""
        return SpellingInverse(self.space, self.settings)

    def weigh(self, evidence: Sequence[Evidence]) -> None:
        """Add the log-likelihoods of sentences to their secrets."""
        flat = [(item, outputs) for item in evidence for outputs, _ in item.readings]
        if self.settings.draws_together:
            logs = iter(self._of_sentences(flat))
        else:
            logs = iter([self._of_words(item, outputs) for item, outputs in flat])
        for item in evidence:
            weighed = [next(logs) + weight for _, weight in item.readings]
            item.secret.logs += np.logaddexp.reduce(weighed)

    def _of_sentences(self, pairs: Sequence[tuple[Evidence, Ints1d]]) -> list[Floats1d]:
        """Return ln P(outputs | variants) of sentences, (m + 1,) each, up to a constant."""
        if not pairs:
            return []
        width = max(item.variants.shape[1] for item, _ in pairs)
        columns = [
            np.pad(item.variants, ((0, 0), (0, width - item.variants.shape[1])), mode="edge")
            for item, _ in pairs
        ]
        texts = [item.text for item, _ in pairs]
        text = InputRows(
            *(np.concatenate([getattr(t, n) for t in texts]) for n in InputRows.__match_args__)
        )
        outputs = np.concatenate([y for _, y in pairs])
        built = cast(SentenceMechanism, self.mechanism).built
        likelihood = VariantLikelihood(built.chain, built.emissions)
        logs = likelihood.of_variants(text, outputs, np.concatenate(columns))
        return [row[: item.variants.shape[1]] for row, (item, _) in zip(logs, pairs, strict=True)]

    def _of_words(self, evidence: Evidence, outputs: Ints1d) -> Floats1d:
        """Return ln P(outputs | variants) for word-level sampling, (m + 1,)."""
        mechanism: Any = self.mechanism
        rows, outs = evidence.variants.reshape(-1), np.repeat(outputs, evidence.variants.shape[1])
        parts = blocks(len(rows), max(1, DISTANCES_AT_ONCE // len(self.space)))
        P = [np.take_along_axis(mechanism.distribution(rows[p]), outs[p, None], 1) for p in parts]
        with np.errstate(divide="ignore"):
            logs: Floats1d = np.log(np.concatenate(P)).reshape(evidence.variants.shape).sum(axis=0)
        return logs
