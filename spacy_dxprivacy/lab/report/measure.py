"""Attack and audit a release, as `dx attack` and `dx audit` do.

Sampled words are guessed from all outputs, documents are linked, words are tested for membership,
and the odds of an informed attacker are computed. Replaced mentions are guessed from the words
around them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import spacy
from spacy.tokens import Doc

from ...arrays import Bools1d, Ints1d, Ints2d
from ...config.options import FileOptions
from ...errors import DxError, UsageError, quiet
from ...io.build import make_pipeline
from ...io.statements import times
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import Draw, Mechanism
from ..attacks.frontier import AttackTarget
from ..attacks.language import OF_DOMAIN, language_of, language_variants
from ..attacks.reading import ReleaseReading, SeenRelease, filled_guess
from ..attacks.trial import AttackTrial
from ..attacks.tries import LINK_LENGTH, TRUE_POSITIVES, attack
from ..attacks.whole import LINKED, link_texts
from ..audit import audit, audit_release
from ..audit.original import entity_mode_labels, rules
from ..corpus import EncodedCorpus, words_of
from ..informed import InformedAttacker
from ..odds import Odds, TextAndRelease, odds_of, settings_of
from ..results import NAN, AttackFigure, Progress, no_progress
from .pairs import UNPAIRED, Pair
from .receipts import Releases

if TYPE_CHECKING:  # torch is imported when a model is opened
    from ..transformer import CausalModel

MAX_ATTACKED_WORDS = 10_000  # attacked, of the first documents
MAX_COMPARED = 1000  # documents with a name, of which all pairs are compared


@dataclass(frozen=True)
class Figure:
    """A measured figure. value: as text. sentence: for the first screen, or ""."""

    title: str
    value: str
    sentence: str = ""


@dataclass
class Measured:
    """Figures by name. recovered: for each document, the tokens that were recovered, and that were
    attacked. secrets: their odds."""

    figures: dict[str, Figure] = field(default_factory=dict)
    recovered: list[tuple[set[int], set[int]]] = field(default_factory=list)
    secrets: list[Odds] = field(default_factory=list)


@dataclass(frozen=True)
class Words:
    """The words of originals and release that are in the space. text: the originals. outputs: int64
    (t,). at: int64 (t, 2), the document and token of each word."""

    text: EncodedCorpus
    outputs: Ints1d
    at: Ints2d

    def by_document(self, right: Bools1d, documents: int) -> list[tuple[set[int], set[int]]]:
        """Return the tokens of each document that were recovered, and that were attacked."""
        tokens: list[tuple[set[int], set[int]]] = [(set(), set()) for _ in range(documents)]
        for (document, token), hit in zip(self.at.tolist(), right.tolist(), strict=True):
            tokens[document][1].add(token)
            if hit:
                tokens[document][0].add(token)
        return tokens


def words_of_pairs(pairs: Sequence[Pair], space: Space, *, drawn: bool) -> Words:
    """Return the first MAX_ATTACKED_WORDS words. Raise UsageError if there is none.

    drawn: whether outputs have to be in the space; if not, unknown outputs are -1."""
    nlp = spacy.blank("en")
    rows, starts, before, outputs, at, total = [], [], [], [], [], 0
    for number, pair in enumerate(pairs):
        old, after = (
            Doc(nlp.vocab, [t.text for t in side], [bool(t.blank) for t in side])
            for side in (pair.before, pair.after)
        )
        originals, begins, marks, places = words_of(old, space)
        released = np.full(len(after) + 1, UNPAIRED)
        released_rows, _, _, released_at = words_of(after, space)
        released[released_at] = released_rows
        out = released[[pair.partners[place] for place in places.tolist()]]
        is_known = (originals >= 0) & ((out >= 0) | (not drawn))
        rows.append(np.where(is_known, originals, UNPAIRED))
        starts.append(begins)
        before.append(marks)
        outputs.append(out[is_known])
        at.append(np.stack([np.full(is_known.sum(), number), places[is_known]], axis=1))
        total += int(is_known.sum())
        if total >= MAX_ATTACKED_WORDS:
            break
    if not total:
        raise UsageError("`measure` needs a word that the space holds, before and after.")
    text = EncodedCorpus.of(rows, starts, before)
    return Words(text, np.concatenate(outputs), np.concatenate(at))


def attacker_of(account: Releases, settings: dict[str, Any]) -> InformedAttacker:
    """Return an attacker who knows the pipeline of a receipt. settings: the `config` of the run, or
    its `space`. Raise UsageError if the receipt is of other settings."""
    if "config" not in settings and entity_mode_labels(account.terms.in_clear):
        raise UsageError("only some words were selected: give the `config` of the run.")
    settings_known = {} if "config" in settings else settings_of(account.to_dict())
    with quiet():
        attacker = InformedAttacker(make_pipeline(**settings_known, **settings))
    attacker.check(account.to_dict())
    return attacker


@dataclass(frozen=True)
class Request:
    """Settings of a page. receipt: of `dx sanitize --receipt`; None for those of the files. label:
    the field with the class of a document. documents: the number shown. judge: a causal model that
    scores fluency. settings: of the run, its `config` or its `space`. progress: wraps steps."""

    receipt: Path | None = None
    fields: FileOptions = field(default_factory=FileOptions)
    label: str | None = None
    documents: int = 20
    judge: CausalModel | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    progress: Progress = no_progress


@dataclass(frozen=True)
class Release:
    """The content of two files or folders. without: number of documents without a receipt."""

    paths: tuple[Path, Path]  # before, after
    space: Space
    request: Request
    pairs: list[Pair]
    accounts: list[Releases]
    without: int

    @property
    def account(self) -> Releases:
        """The receipts of the last sanitizer."""
        return self.accounts[-1]


def measure(release: Release) -> Measured:
    """Attack and audit a release, in minutes for 100 documents. Attacks that need more text are
    left out.

    Raises:
        DxError: (UsageError) Without one receipt for all documents, a mechanism that can be made
            again, and a word in the space.
    """
    if [account.earlier for account in release.accounts] != [False] or release.without:
        raise UsageError(
            "`measure` needs one receipt for all documents, of one sanitizer: give the `receipt`."
        )
    measured, progress = Measured(), release.request.progress
    if release.account.draws_all:
        attacker = attacker_of(release.account, release.request.settings)
        mechanism = attacker.mechanism
        words = words_of_pairs(release.pairs, release.space, drawn=True)
        steps: list[Callable[[], None]] = [
            lambda: _guess(release, words, mechanism, measured),
            lambda: _link(words, release.space, mechanism, measured),
            lambda: _odds(attacker, release.pairs, measured),
        ]
    else:
        words = words_of_pairs(release.pairs, release.space, drawn=False)
        steps = [
            lambda: _guess_replaced(release, words, measured),
            lambda: _link_by_rest(release, measured),
            lambda: _persons(release, measured),
        ]
    for step in progress([*steps, lambda: _audit_release(release, measured)], "attacks, audits"):
        step()
    return measured


def _guess(release: Release, words: Words, mechanism: Mechanism, measured: Measured) -> None:
    """Guess every word from all outputs, with word pairs of the domain if there are any."""
    text, target = words.text, AttackTarget(release.space, words.text)
    variants = language_variants(target.language, mechanism)
    language = next((variant for variant in variants if variant.name == OF_DOMAIN), target.language)
    seen = SeenRelease(words.outputs, text.sentences)
    guess = ReleaseReading.of(seen, mechanism, release.space.vectors, language, Rng(0)).guess()
    measured.recovered = words.by_document(guess == text.rows, len(release.pairs))
    figures = target.point(("", NAN), words.outputs, {language.name: guess})
    range_ = f"{figures.low:.0%} to {figures.high:.0%}, of {figures.words:,}"
    sentence = (
        f"{figures.found:.0%} of the words of these texts ({range_}), by an attacker with "
        f"{language.name} who knows the mechanism; {figures.kept:.0%} came out unchanged."
    )
    measured.figures["guess"] = Figure(
        "Words that an attacker recovers", f"{figures.found:.1%} ({range_})", sentence
    )
    if figures.rare:
        measured.figures["rare"] = Figure(
            "Rare words that an attacker recovers",
            f"{figures.rare_found:.1%} (of {figures.rare:,})",
            f"Of the rare words, {figures.rare_found:.0%} (of {figures.rare:,}).",
        )  # fmt: skip


def _link(words: Words, space: Space, mechanism: Mechanism, measured: Measured) -> None:
    """Link documents, test membership of words, and audit the mechanism."""
    report = audit(mechanism, effort="quick")
    title = "Attempt to refute the guarantee of the mechanism"
    measured.figures["mechanism"] = Figure(title, f"{report.verdict} (a quick audit)")
    trial = AttackTrial(AttackTarget(space, words.text), mechanism)
    trial.release = trial.release_by_type = Draw(words.outputs)
    with suppress(DxError):  # the text is too small
        best = max(attack("link", trial), key=lambda figure: figure.value)
        measured.figures["link"] = _link_figure(best, f"{LINK_LENGTH} words of each")
    with suppress(DxError):
        tests = (f for f in attack("membership", trial) if f.measure == TRUE_POSITIVES)
        best = max(tests, key=lambda figure: figure.value)
        measured.figures["membership"] = Figure(
            "Whether a document holds a word: recovered, at 1 % false alarms",
            f"{best.value:.1%} (of {best.n:,})",
        )  # fmt: skip


def _link_figure(best: AttackFigure, by: str) -> Figure:
    value = f"{best.value:.1%} (by {best.attacker}, of {best.n:,})"
    sentence = (
        f"Whoever holds the originals links {best.value:.0%} of {best.n:,} documents to theirs, by "
        f"{by}."
    )
    return Figure("Documents linked to their originals", value, sentence)


def _odds(attacker: InformedAttacker, pairs: Sequence[Pair], measured: Measured) -> None:
    """Compute the odds of recognised secrets."""
    measured.secrets = secrets_of(attacker, pairs)
    bounds = [secret.bound for secret in measured.secrets]
    after = [secret.posterior for secret in measured.secrets if secret.posterior is not None]
    if bounds:
        usual = times(float(np.median(bounds)))
        now = f"; after this release, {times(float(np.median(after)), '')}" if after else ""
        measured.figures["odds"] = Figure(
            "The median name, place or date, among some 100 alike, by who knows all else",
            f"named {usual}{now} (of {len(bounds):,})",
            "Who knows all else, and that a name, place or date is one of some 100 alike, names "
            f"the median one of {len(bounds):,} {usual}{now}.",
        )


def secrets_of(
    attacker: InformedAttacker, pairs: Sequence[Pair], *, released: bool = True
) -> list[Odds]:
    """Return the odds of each recognised name, place and date, worst first. released: include the
    posteriors. [] if none is recognised, or layouts differ."""
    texts = (
        TextAndRelease(number, before, after if released else None)
        for number, (before, after) in enumerate((pair.texts for pair in pairs), 1)
    )
    try:
        results = odds_of(attacker, texts).odds
    except UsageError:
        return []
    return sorted(results, key=lambda secret: (-(secret.posterior or 0.0), -secret.bound))


def _guess_replaced(release: Release, words: Words, measured: Measured) -> None:
    """Guess the words of replaced mentions from the words around them."""
    text, language = words.text, language_of(release.space)
    changed = [pair.changes()[0] for pair in release.pairs]
    hidden = np.array([changed[document][token] for document, token in words.at.tolist()])
    guess = filled_guess(SeenRelease(text.rows, text.sentences), hidden, language)
    right = (guess == text.rows) & hidden
    n_hidden = sum(
        mark and token.word
        for pair, marks in zip(release.pairs, changed, strict=True)
        for token, mark in zip(pair.before, marks, strict=True)
    )
    if n_hidden:
        value = f"{right.sum() / n_hidden:.1%} (of {n_hidden:,})"
        sentence = (
            f"{right.sum() / n_hidden:.0%} of the {n_hidden:,} hidden words, guessed from the "
            f"words around them by an attacker with {language.name}."
        )
        title = "Words of replaced mentions that an attacker guesses"
        measured.figures["guess"] = Figure(title, value, sentence)


def _link_by_rest(release: Release, measured: Measured) -> None:
    """Link documents by all their words, most of which are in plaintext."""
    before, after = zip(*(pair.texts for pair in release.pairs), strict=True)
    try:
        figures = link_texts(before, after, (release.account.terms.mechanism, NAN))
        best = next(figure for figure in figures if figure.measure == LINKED)
    except UsageError:
        return  # the texts are too few
    measured.figures["link"] = _link_figure(best, "all their words")


def _persons(release: Release, measured: Measured) -> None:
    """Count the documents of one person that still share a full name."""
    nlp = rules()

    def names(texts: Iterator[str]) -> set[tuple[int, int]]:
        docs = nlp.pipe(texts)
        documents_of: dict[str, set[int]] = {}
        for number, doc in enumerate(docs):
            for name in (e.text.casefold() for e in doc.ents if e.label_ == "PERSON"):
                documents_of.setdefault(name, set()).add(number)
        shared = (sorted(d)[:MAX_COMPARED] for name, d in documents_of.items() if " " in name)
        return {pair for documents in shared for pair in combinations(documents, 2)}

    true, after = (names(pair.texts[side] for pair in release.pairs) for side in (0, 1))
    if true:
        hits = len(true & after)
        value = f"{hits / len(true):.1%} (of {len(true):,} pairs)"
        sentence = f"Documents of one person that still share a full name: {value}."
        title = "Pairs of documents about one person that share a full name"
        measured.figures["persons"] = Figure(title, value, sentence)


def _audit_release(release: Release, measured: Measured) -> None:
    receipt = None if release.account.carried else release.account.to_dict()
    (before, after), name = release.paths, release.request.fields.field[0]
    report = audit_release(after, before, field=name, receipt=receipt, space=release.space)
    leaks = [leak for leak in report.leaks if not (leak.by_chance or leak.declared)]
    kinds = ", ".join(f"{leak.kind} ({len(leak.words):,} words)" for leak in leaks)
    value = f"leaked: {kinds}" if leaks else "nothing undeclared was found"
    sentence = f"THE AUDIT FOUND LEAKS: {kinds}. Run `dx audit release`." if leaks else ""
    title = "Original words in the files, against the receipt"
    measured.figures["release"] = Figure(title, value, sentence)
