"""Each attack on a trial: what it finds out, at one epsilon and over many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Bools1d, Floats2d, Ints1d, Ints2d
from ...errors import DxError, Errors
from ...ty import HasMetric
from ...validate import one_of
from ..corpus import draws_sentences
from ..results import NAN, Progress, no_progress
from ..tuning import SEARCH_WORDS, Make, epsilon_range_on, evenly, sampled
from .figures import AttackFigure, Measured, bootstrap, share, share_by_document
from .guessing import (
    WEIGHED,
    asked_words,
    auc,
    averaged_guess,
    background,
    bayes_guess,
    context_guess,
    likelihood_scores,
    linked,
    mean_vector_guess,
    membership_score,
    nearest_guess,
    pairs_to_test,
    posterior_score,
    rare_word_scores,
    sentence_scores,
    success_bound,
    told_apart,
    true_positives,
)
from .language import places_in, ways_to_read, zipf
from .reading import blind_guess
from .trial import MOST_REPEATS, Scene, Trial

FOUND, RARE_FOUND, TOLD = "words found", "rare words found", "told from the nearest word"
TRUE = "found at 1 % false alarms"
REPEATED, WITHIN = "repeated words found", "repeated words found within a budget"
REPEATS = (1, 2, 4, 8, 16)
BUDGETS = (25, 50, 100)  # draws that a document may take
LINK_LENGTH = 20
MOST_LINKED = 500
TESTED = 4  # words of each document
RARE = 1e-4
STEPS = 6  # epsilons


class Found(NamedTuple):
    """What an attacker found; see AttackFigure."""

    attacker: str
    measured: Measured
    baseline: float
    setting: str = ""
    measure: str = FOUND
    bound: float = NAN


def attack(name: str, trial: Trial) -> list[AttackFigure]:
    """name: one of ATTACKS. Raises DxError for another, and where the text is too small for it."""
    tried = ATTACKS[one_of("attack", name, tuple(ATTACKS))](trial)
    epsilon, unchanged = trial.mechanism.guarantee.epsilon, trial.unchanged
    return [
        AttackFigure(
            name, trial.label, epsilon, unchanged, found.attacker, found.setting, found.measure,
            *found.measured[:3], found.baseline, found.bound, found.measured[3],
        )
        for found in tried
    ]  # fmt: skip


def attack_over_epsilon(
    names: Sequence[str],
    makers: Mapping[str, Make],
    epsilons: Mapping[str, Sequence[float]],
    scene: Scene,
    progress: Progress = no_progress,
) -> list[AttackFigure]:
    """Each attack on each mechanism (by its label) at each of its epsilons.

    Raises DxError where the text is too small for the one attack; of several, those that have
    nothing to work on are left out.
    """
    found: list[AttackFigure] = []
    for label, make in makers.items():
        for epsilon in progress(epsilons[label], label):
            trial = Trial(scene, make(epsilon), label=label)
            for name in names:
                try:
                    found += attack(name, trial)
                except DxError:
                    if len(names) == 1:
                        raise
    return found


def epsilons_for(make: Make, X: Floats2d, rows: Ints1d) -> list[float]:
    """STEPS of them, in the range where a text changes. rows: of the text."""
    words, counts = np.unique(rows, return_counts=True)
    few = sampled(words, counts, min(SEARCH_WORDS, len(rows)))
    return list(evenly(*epsilon_range_on(X, few, make), STEPS))


# -- one output ----------------------------------------------------------------------------------


def _try_guess(trial: Trial) -> Iterator[Found]:
    """Each word guessed from what came out in its place: the same word, and the most probable."""
    scene, columns = trial.scene, trial.columns
    baseline = float(scene.baseline.mean())
    nearest = nearest_guess(scene.X, scene.words, trial.release.rows)
    yield Found("nearest word", _of_text(trial, nearest == scene.text.rows),
                   baseline)  # fmt: skip
    guesses = bayes_guess(trial.logs, scene.log_prior)[columns]
    bound = _bound(trial)
    yield Found("Bayes", _of_text(trial, guesses == scene.places), baseline,
                   bound=bound)  # fmt: skip
    blind = np.log(zipf(len(scene.X))[scene.words])
    guesses = bayes_guess(trial.logs, blind)[columns]
    yield Found("Bayes, Zipf's law", _of_text(trial, guesses == scene.places), baseline)
    yield from _read(trial)


def _read(trial: Trial) -> Iterator[Found]:
    """All of the text at once, by one who knows the language; of all words and of rare ones."""
    language, text = trial.scene.language, trial.scene.text
    if language is None:
        return
    reading = trial.reading(language)
    blind = blind_guess(reading.seen, language) == text.rows
    rare = language.is_rare[text.rows]
    ways = ways_to_read(language, trial.mechanism)
    guesses = {"language model": reading.guess()}
    guesses |= {way.name: replace(reading, language=way).guess() for way in ways[1:]}
    if trial.scene.reader is not None:
        guesses[trial.scene.reader.name] = trial.guess_by_model
    for attacker, guess in guesses.items():
        right = guess == text.rows
        for measure, some in ((FOUND, np.ones(len(right), dtype=bool)), (RARE_FOUND, rare)):
            if some.any():
                measured = share_by_document(right[some], text.doc_of[some])
                yield Found(attacker, measured, float(blind[some].mean()), measure=measure)


def _of_text(trial: Trial, right: Bools1d) -> Measured:
    return share_by_document(right, trial.scene.text.doc_of)


def _bound(trial: Trial, draws: int = 1) -> float:
    """What the promise allows for words that come as often as in this text; nan if no metric."""
    mechanism = trial.mechanism
    if mechanism.guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric):
        return NAN
    words, counts = np.unique(trial.scene.text.rows, return_counts=True)
    centres = words[np.argsort(-counts, kind="stable")[:20]]
    D = mechanism.distances(centres)[:, words]
    return success_bound(D, counts / counts.sum(), mechanism.guarantee.epsilon, draws)


# -- many outputs of one word --------------------------------------------------------------------


def _try_repeat(trial: Trial) -> Iterator[Found]:
    """What more of the same gives: of releases, of pairs of words, of documents."""
    yield from _releases(trial)
    yield from _pairs(trial)
    yield from _documents(trial)


def _releases(trial: Trial) -> Iterator[Found]:
    """Probes that were released several times."""
    scene, draw = trial.scene, trial.repeats
    wanted = places_in(scene.words, trial.probes)
    baseline = float((wanted == int(scene.log_prior.argmax())).mean())
    channel = trial.channel_of_repeats
    columns, logs = channel.columns(draw.rows), channel.of(scene.words)
    for _, setting, some, groups in _first_releases(len(columns)):
        guesses = averaged_guess(logs, scene.log_prior, columns[some], groups)
        yield Found("averaging", share(guesses == wanted), baseline,
                       setting=setting)  # fmt: skip
        if draw.vectors is not None:
            guesses = mean_vector_guess(scene.X, scene.words, draw.vectors[some], groups)
            yield Found("mean of vectors", share(guesses == trial.probes),
                           baseline, setting=setting)  # fmt: skip


def _first_releases(draws: int) -> Iterator[tuple[int, str, Ints1d, Ints1d]]:
    """k, what it is called, which draws are among the first k of their word, and of which word."""
    at = np.arange(draws)
    for k in REPEATS:
        some = at[at % MOST_REPEATS < k]
        yield k, f"{k} release{'s' if k > 1 else ''}", some, some // MOST_REPEATS


def _pairs(trial: Trial) -> Iterator[Found]:
    """For who knows that a word is a probe or its nearest word: the promise bounds that."""
    if trial.rivals is None:
        return
    rivals, apart = trial.rivals
    channel = trial.channel_of_repeats
    columns = channel.columns(trial.repeats.rows), channel.columns(trial.of_rivals.rows)
    here, there = channel.of(trial.probes), channel.of(rivals)
    for k, setting, some, groups in _first_releases(len(columns[0])):
        right = []
        for sign, cols in zip((1, -1), columns, strict=True):
            ratios = (here - there)[groups, cols[some]].reshape(-1, k).sum(axis=1)
            right.append(np.heaviside(sign * ratios, 0.5))
        bound = float(told_apart(apart, trial.mechanism.guarantee.epsilon, k).mean())
        yield Found("one of two", share(np.concatenate(right)), 0.5,
                       setting=setting, measure=TOLD, bound=bound)  # fmt: skip


def _documents(trial: Trial) -> Iterator[Found]:
    """Words that a document says twice or more, with each scope and with budgets."""
    scene = trial.scene
    text = scene.text
    groups = text.words()
    _, firsts, times = np.unique(groups, return_index=True, return_counts=True)
    repeated = times > 1
    if not repeated.any():
        return
    documents, wanted = text.doc_of[firsts], scene.places[firsts]
    # With one draw a word, the other places say nothing new.
    guessed = {
        "token": averaged_guess(trial.logs, scene.log_prior, trial.columns, groups),
        "type": bayes_guess(trial.logs, scene.log_prior)[
            trial.channel.columns(trial.release_by_type.rows[firsts])
        ],
    }
    draws = {"token": np.diff(text.starts), "type": np.bincount(documents)}
    baseline = wanted == int(scene.log_prior.argmax())
    for scope, guesses in guessed.items():
        for budget in (None, *BUDGETS):
            some = repeated if budget is None else repeated & (draws[scope][documents] <= budget)
            if not some.any():
                continue
            measured = share_by_document((guesses == wanted)[some], documents[some])
            limit = "" if budget is None else f", {budget} draws at most"
            measure = REPEATED if budget is None else WITHIN
            yield Found("averaging", measured, float(baseline[some].mean()),
                           setting=f"scope = {scope}{limit}", measure=measure)  # fmt: skip


# -- what stands around --------------------------------------------------------------------------


def _try_context(trial: Trial) -> Iterator[Found]:
    """Words guessed with their neighbours in mind. Raises DxError without a public text."""
    scene, columns = trial.scene, trial.columns
    if scene.bigrams is None:
        raise DxError(Errors.DX090.format(name="context", needed="a public text to learn from"))
    baseline = float(scene.baseline.mean())
    alone = bayes_guess(trial.logs, scene.log_prior)[columns]
    yield Found("Bayes", _of_text(trial, alone == scene.places), baseline)
    guesses = context_guess(trial.logs, columns, scene.text.starts, scene.bigrams)
    right = guesses == scene.places
    yield Found("pairs of words", _of_text(trial, right), baseline)


# -- is it there ---------------------------------------------------------------------------------


def _try_membership(trial: Trial) -> Iterator[Found]:
    """Whether a document holds a word. Raises DxError where all documents hold the same."""
    scene, text = trial.scene, trial.scene.text
    words, members, others = pairs_to_test(
        text.starts, text.rows, TESTED, np.random.default_rng(trial.seed)
    )
    if not len(words):
        needed = "a word that one document has and another lacks"
        raise DxError(Errors.DX090.format(name="membership", needed=needed))
    usual = background(trial.logs, scene.log_prior)
    logs, columns = trial.channel.of(words), trial.columns
    sizes = np.diff(text.starts)

    def scores(documents: Ints1d) -> Any:
        parts = (columns[text.starts[d] : text.starts[d + 1]] for d in documents.tolist())
        return np.array(
            [membership_score(L[c], usual[c]) for L, c in zip(logs, parts, strict=True)]
        )

    found = {"likelihood ratio": (scores(members), scores(others))}
    found |= _members_by_model(trial, words, members, others)
    rare = scene.frequencies[words] < RARE
    for setting, some in {"any word": np.ones(len(words), dtype=bool), "rare words": rare}.items():
        if some.sum() < 2:
            continue
        by_size = auc(sizes[members[some]], sizes[others[some]])
        for attacker, (held, not_held) in found.items():
            for measure, figure, baseline in (("AUC", auc, by_size), (TRUE, true_positives, 0.01)):
                measured = _of_pairs(figure, held[some], not_held[some])
                yield Found(attacker, measured, baseline,
                               setting=setting, measure=measure)  # fmt: skip


def _members_by_model(
    trial: Trial, words: Ints1d, members: Ints1d, others: Ints1d
) -> dict[str, tuple[Any, Any]]:
    """The scores of who has a causal model, by its name; of nobody, where there is none."""
    scene, starts = trial.scene, trial.scene.text.starts
    if scene.reader is None or scene.language is None:
        return {}
    pairs = np.tile(words, 2), np.concatenate([members, others])
    reading = trial.read_by_model(asked_words(starts, *pairs))
    places = [slice(a, b) for a, b in pairwise(starts.tolist())]
    found = [reading.of(w, places[d]) for w, d in zip(*(p.tolist() for p in pairs), strict=True)]
    expected = np.array([priors.mean() for _, priors in found])
    _, of_word = np.unique(pairs[0], return_inverse=True)
    usual = (np.bincount(of_word, expected) / np.bincount(of_word))[of_word]
    scores = np.array(
        [posterior_score(shares, u) for (shares, _), u in zip(found, usual, strict=True)]
    )
    return {scene.reader.name: (scores[: len(words)], scores[len(words) :])}


def _of_pairs(figure: Callable[..., float], held: Any, not_held: Any) -> Measured:
    n = len(held)

    def again(times: Any) -> float:
        chosen = np.repeat(np.arange(n), times.astype(np.int64))
        return figure(held[chosen], not_held[chosen])

    return figure(held, not_held), *bootstrap(n, again), n


# -- whose is it ---------------------------------------------------------------------------------


def _try_link(trial: Trial) -> Iterator[Found]:
    """Which document an output was made of. Raises DxError for fewer than two long documents."""
    scene, text = trial.scene, trial.scene.text
    long = np.flatnonzero(np.diff(text.starts) >= LINK_LENGTH)[:MOST_LINKED]
    if len(long) < 2:
        needed = f"a second document of {LINK_LENGTH} words or more"
        raise DxError(Errors.DX090.format(name="link", needed=needed))
    at = text.starts[long][:, None] + np.arange(LINK_LENGTH)
    outputs, originals = trial.release.rows[at], text.rows[at]
    setting, baseline = f"{LINK_LENGTH} words", 1 / len(long)
    scores = {"rare words": rare_word_scores(outputs, originals, len(scene.X))}
    places = places_in(trial.channel.words, originals.ravel()).reshape(originals.shape)
    scores["likelihood"] = likelihood_scores(trial.channel.logs, trial.columns[at], places)
    if scene.reader is not None and scene.language is not None:
        scores[scene.reader.name] = _linked_by_model(trial, long, originals, scores["likelihood"])
    for attacker, table in scores.items():
        yield Found(attacker, share(linked(table)), baseline, setting=setting,
                       measure="documents linked")  # fmt: skip


def _linked_by_model(trial: Trial, long: Ints1d, originals: Ints2d, alone: Floats2d) -> Floats2d:
    """float64 (N, N): of the originals that are likeliest word by word (alone, (N, N)) by whole
    sentences, those after the cut as the model reads them; where words are drawn alone, as these
    scores are."""
    text, mechanism = trial.scene.text, trial.mechanism
    if not draws_sentences(mechanism) or not hasattr(mechanism, "log_likelihood"):
        return alone
    guess, outputs = trial.guess_by_model, trial.release.rows
    scores: Floats2d = np.full(alone.shape, -np.inf)
    for i, d in enumerate(long.tolist()):
        part = slice(text.starts[d], text.starts[d + 1])
        first = np.argsort(-alone[i], kind="stable")[:WEIGHED]
        scores[i, first] = sentence_scores(
            mechanism, outputs[part], guess[part], text.sentences[part], originals[first]
        )
    return scores


ATTACKS: dict[str, Callable[[Trial], Iterator[Found]]] = {
    "guess": _try_guess,
    "repeat": _try_repeat,
    "context": _try_context,
    "membership": _try_membership,
    "link": _try_link,
}
