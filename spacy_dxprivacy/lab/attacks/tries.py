"""The success rates of attacks on a release of a text, at one epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...arrays import Ints1d
from ...errors import DxError, Errors
from ...prior.cells import places_in
from ...ty import facts_of
from ...validate import one_of
from ..results import (
    WORDS_RECOVERED,
    AttackFigure,
    Success,
    bootstrap,
    figures_of,
    share,
    share_by_document,
)
from . import guessing
from .frontier import guesses_of
from .trial import MAX_REPEATS, AttackTrial

TRUE_POSITIVES = "found at 1 % false alarms"  # of the attack on membership
RARE_RECOVERED = "rare words recovered"
REPEATS = (1, 2, 4, 8, 16)
LINK_LENGTH = 20
MAX_LINKED = 500
TESTED = 4  # words of each document
MAX_MEMBER_FREQUENCY = 1e-4


def attack(name: str, trial: AttackTrial) -> list[AttackFigure]:
    """Return the success rates of one of ATTACKS. Raise DxError for another name, and for a text
    that is too small."""
    successes = ATTACKS[one_of("attack", name, tuple(ATTACKS))](trial)
    epsilon = trial.mechanism.guarantee.epsilon
    unchanged = float((trial.release.rows == trial.target.text.rows).mean())
    return figures_of(name, (trial.label, epsilon), unchanged, successes)


def attack_all(names: Sequence[str], trial: AttackTrial) -> list[AttackFigure]:
    """Return the figures of each of these attacks. Attacks that need a larger text are left out;
    DxError if it is the only one."""
    figures: list[AttackFigure] = []
    for name in names:
        try:
            figures += attack(name, trial)
        except DxError:
            if len(names) == 1:
                raise
    return figures


def _guess(trial: AttackTrial) -> Iterator[Success]:
    """Guess each word from its output, and from all outputs; also for rare words."""
    target, text = trial.target, trial.target.text
    baseline = float((target.places == int(target.log_prior.argmax())).mean())
    nearest = guessing.nearest_guess(target.space.vectors, target.words, trial.release.rows)
    measured = share_by_document(nearest == text.rows, text.doc_of)
    yield Success("nearest word", measured, baseline)
    measured = share_by_document(trial.bayes == target.places, text.doc_of)
    yield Success("Bayes", measured, baseline)
    out = trial.release.rows
    everywhere = np.ones(len(out), dtype=bool)
    blind = target.blind == text.rows
    known = None if facts_of(trial.mechanism).draws_sentences else trial.channel
    by_language = guesses_of(target, out, trial.mechanism, trial.seed + 5, known)
    for attacker, guess in by_language.items():
        right = guess == text.rows
        for measure, subset in ((WORDS_RECOVERED, everywhere), (RARE_RECOVERED, target.rare)):
            if subset.any():
                measured = share_by_document(right[subset], text.doc_of[subset])
                yield Success(attacker, measured, float(blind[subset].mean()), measure=measure)


def _repeat(trial: AttackTrial) -> Iterator[Success]:
    """Guess words from repeated releases, and from repetition within documents."""
    target, draw, X = trial.target, trial.repeats, trial.target.space.vectors
    wanted = places_in(target.words, trial.probes)
    baseline = float((wanted == int(target.log_prior.argmax())).mean())
    channel = trial.channel_to(draw.rows)
    columns, logs = channel.columns(draw.rows), channel.of(target.words)
    at = np.arange(len(columns))
    for k in REPEATS:
        setting, places = f"{k} release{'s' if k > 1 else ''}", at[at % MAX_REPEATS < k]
        groups = places // MAX_REPEATS
        guesses = guessing.averaged_guess(logs, target.log_prior, columns[places], groups)
        yield Success("averaging", share(guesses == wanted), baseline, setting)
        if draw.vectors is not None:
            guesses = guessing.mean_vector_guess(X, target.words, draw.vectors[places], groups)
            yield Success("mean of vectors", share(guesses == trial.probes), baseline, setting)
    yield from _documents(trial)


def _documents(trial: AttackTrial) -> Iterator[Success]:
    """Guess words that a document repeats, for each scope."""
    target, text = trial.target, trial.target.text
    groups = text.words()
    _, firsts, times = np.unique(groups, return_index=True, return_counts=True)
    repeated = times > 1
    if not repeated.any():
        return
    documents, wanted = text.doc_of[firsts][repeated], target.places[firsts]
    baseline = float((wanted == int(target.log_prior.argmax()))[repeated].mean())
    # With one draw a word, other places add no information.
    drawn = trial.release_by_type.rows[firsts]
    channel = trial.channel_to(drawn)
    by_type = guessing.bayes_guess(channel.of(target.words), target.log_prior)
    guesses = {
        "token": guessing.averaged_guess(trial.logs, target.log_prior, trial.columns, groups),
        "type": by_type[channel.columns(drawn)],
    }
    for scope, guess in guesses.items():
        measured = share_by_document((guess == wanted)[repeated], documents)
        setting, measure = f"scope = {scope}", "repeated words recovered"
        yield Success("averaging", measured, baseline, setting, measure)


def _membership(trial: AttackTrial) -> Iterator[Success]:
    """Test whether a document contains a word. Raise DxError if all contain the same words."""
    target, text = trial.target, trial.target.text
    words, members, non_members = guessing.pairs_to_test(
        text.starts, text.rows, TESTED, np.random.default_rng(trial.seed)
    )
    if not len(words):
        needed = "a word that one document has and another lacks"
        raise DxError(Errors.DX090.format(name="membership", needed=needed))
    usual = guessing.background(trial.logs, target.log_prior)
    logs, columns = trial.channel.of(words), trial.columns
    sizes = np.diff(text.starts)

    def scores(documents: Ints1d) -> Any:
        parts = (columns[text.starts[d] : text.starts[d + 1]] for d in documents.tolist())
        return np.array(
            [guessing.membership_score(L[c], usual[c]) for L, c in zip(logs, parts, strict=True)]
        )

    measures = ("AUC", guessing.auc), (TRUE_POSITIVES, guessing.true_positives)
    pairs = scores(members), scores(non_members)
    any_word, rare = (
        np.ones(len(words), dtype=bool),
        target.frequencies[words] < MAX_MEMBER_FREQUENCY,
    )
    for setting, subset in {"any word": any_word, "rare words": rare}.items():
        if subset.sum() < 2:
            continue
        by_size = guessing.auc(sizes[members[subset]], sizes[non_members[subset]])
        for (measure, figure), baseline in zip(measures, (by_size, 0.01), strict=True):
            measured = _of_pairs(figure, *(side[subset] for side in pairs))
            yield Success("likelihood ratio", measured, baseline, setting, measure)


def _of_pairs(figure: Callable[..., float], held: Any, not_held: Any) -> Any:
    n = len(held)

    def resample(times: Any) -> float:
        chosen = np.repeat(np.arange(n), times.astype(np.int64))
        return figure(held[chosen], not_held[chosen])

    return figure(held, not_held), *bootstrap(n, resample), n


def _link(trial: AttackTrial) -> Iterator[Success]:
    """Link releases to their originals. Raise DxError for fewer than two long documents."""
    text = trial.target.text
    long = np.flatnonzero(np.diff(text.starts) >= LINK_LENGTH)[:MAX_LINKED]
    if len(long) < 2:
        needed = f"a second document of {LINK_LENGTH} words or more"
        raise DxError(Errors.DX090.format(name="link", needed=needed))
    at = text.starts[long][:, None] + np.arange(LINK_LENGTH)
    outputs, originals = trial.release.rows[at], text.rows[at]
    places = places_in(trial.channel.words, originals.ravel()).reshape(originals.shape)
    logs, columns = trial.channel.logs, trial.columns[at]
    scores = {
        "rare words": guessing.rare_word_scores(outputs, originals),
        "likelihood": guessing.likelihood_scores(logs, columns, places),
    }
    for attacker, table in scores.items():
        measured, setting = share(guessing.link_probabilities(table)), f"{LINK_LENGTH} words"
        yield Success(attacker, measured, 1 / len(long), setting, "documents linked")


ATTACKS: dict[str, Callable[[AttackTrial], Iterator[Success]]] = {
    "guess": _guess,
    "repeat": _repeat,
    "membership": _membership,
    "link": _link,
}
