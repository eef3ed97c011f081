"""A mechanism on a text, and what each attack finds out of it, at one epsilon and over many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...errors import DxError, Errors
from ...privacy.randomness import Rng
from ...ty import Draw, HasMetric, Mechanism
from ...validate import fail, one_of, whole
from ..corpus import Corpus, draws_sentences, repeated, sanitised
from ..results import NAN, Progress, no_progress
from ..tuning.bench import SEARCH_WORDS, epsilon_range_on, evenly, sampled
from ..tuning.targets import Make
from . import guessing
from .channel import Channel, channel_of, draws_by_frequency
from .figures import AttackFigure, Measured, bootstrap, share, share_by_document
from .language import (
    Language,
    likely_words,
    log_prior,
    places_in,
    ways_to_read,
    word_frequencies,
)
from .reading import CausalReading, Reader, Reading, Seen, blind_guess, causal_reading

BLOCK_NUMBERS = 2**22
CANDIDATES = 8000
PROBES, SENTENCE_PROBES = 400, 60
MOST_REPEATS = 16
DRAWS = 24  # of each word, in the mean, where probabilities are learned
FOUND, RARE_FOUND, TOLD = "words found", "rare words found", "told from the nearest word"
TRUE = "found at 1 % false alarms"
REPEATED = "repeated words found"
REPEATS = (1, 2, 4, 8, 16)
LINK_LENGTH = 20
MOST_LINKED = 500
TESTED = 4  # words of each document
RARE = 1e-4
STEPS = 6  # epsilons


@dataclass(frozen=True)
class Scene:
    """A text under attack, and what the attacker knows before.

    X: (n, d), the vectors of the space. text: whose words are sought. public: what the attacker has
    read; None if nothing, then it takes words to come by Zipf's law. candidates: how many words
    it guesses among, the likeliest ones; all others are never found. language: what it knows of
    language, None if nothing; who knows it guesses among all words. reader: a causal model that it
    has besides.
    """

    X: Floats2d
    text: Corpus
    public: Corpus | None = None
    candidates: int = CANDIDATES
    language: Language | None = None
    reader: Reader | None = None

    def __post_init__(self) -> None:
        whole("candidates", self.candidates, least=2)

    @cached_property
    def frequencies(self) -> Floats1d:
        """float64 (n,): how often public language has each word; they add up to 1."""
        return word_frequencies(len(self.X), self.public)

    @cached_property
    def words(self) -> Ints1d:
        """(m,), the candidates."""
        return likely_words(self.frequencies, self.candidates)

    @cached_property
    def log_prior(self) -> Floats1d:
        """float64 (m,): ln of the probability of each word that is guessed among."""
        return log_prior(self.frequencies, self.words)

    @cached_property
    def places(self) -> Ints1d:
        """(t,): the place of each word of the text among the candidates; -1 for those that are no
        candidates."""
        return places_in(self.words, self.text.rows)

    @cached_property
    def probed(self) -> Ints1d:
        """(PROBES,): where words stand, as they come in the text, for repeated releases."""
        return np.random.default_rng(0).choice(len(self.text.rows), PROBES)

    @cached_property
    def baseline(self) -> Bools1d:
        """(t,): where the most frequent word of all is right."""
        best: Bools1d = self.places == int(self.log_prior.argmax())
        return best


class Trial:
    """One mechanism, fitted on the vectors of the scene. What is drawn here is not released."""

    def __init__(
        self, scene: Scene, mechanism: Mechanism, *, seed: int = 0, label: str = ""
    ) -> None:
        """label: what tables call the mechanism; its name if empty."""
        self.scene, self.mechanism, self.seed = scene, mechanism, seed
        self.label = label or mechanism.name

    @cached_property
    def release(self) -> Draw:
        """The text, every word drawn anew."""
        return sanitised(self.scene.text, self.mechanism, Rng(self.seed))

    @cached_property
    def release_by_type(self) -> Draw:
        """The text, one draw for each distinct word of a document."""
        return sanitised(self.scene.text, self.mechanism, Rng(self.seed + 1), scope="type")

    @cached_property
    def _probed(self) -> Ints1d:
        """Where the probes stand: fewer of them where a release is of a whole sentence."""
        some = SENTENCE_PROBES if draws_sentences(self.mechanism) else PROBES
        return self.scene.probed[:some]

    @property
    def probes(self) -> Ints1d:
        """Words that are released again and again."""
        return self.scene.text.rows[self._probed]

    @cached_property
    def repeats(self) -> Draw:
        """MOST_REPEATS releases of each probe."""
        return self._repeated(self.probes, 2)

    @cached_property
    def rivals(self) -> tuple[Ints1d, Floats1d] | None:
        """For each probe the candidate nearest to it in the metric of the guarantee, and how far it
        is; None where there is no promise in such a metric."""
        mechanism = self.mechanism
        words, probes = self.scene.words, self.probes
        if mechanism.guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric):
            return None
        distinct, at = np.unique(probes, return_inverse=True)
        parts = np.array_split(distinct, 1 + len(distinct) * len(self.scene.X) // BLOCK_NUMBERS)
        D = np.concatenate([mechanism.distances(part)[:, words] for part in parts])
        D[distinct[:, None] == words] = np.inf
        nearest = D.argmin(axis=1)
        return words[nearest][at], D[np.arange(len(D)), nearest][at]

    @cached_property
    def of_rivals(self) -> Draw:
        """MOST_REPEATS releases of each rival; of each probe, where there are none."""
        words = self.probes if self.rivals is None else self.rivals[0]
        return self._repeated(words, 4)

    def _repeated(self, words: Ints1d, seed: int) -> Draw:
        """MOST_REPEATS releases of each of the words at the places of the probes."""
        text, rng = self.scene.text, Rng(self.seed + seed)
        return repeated(text, self.mechanism, (self._probed, words), MOST_REPEATS, rng)

    @cached_property
    def channel(self) -> Channel:
        """Of all words that the attacker reckons with or is given, and what became of the text. A
        word is taken to be drawn alone: where sentences are drawn, reading.py knows better."""
        return self._channel_of([self.release, self.release_by_type])

    @cached_property
    def channel_of_repeats(self) -> Channel:
        """The same for what became of the probes and their rivals."""
        return self._channel_of([self.repeats, self.of_rivals])

    def _channel_of(self, draws: list[Draw]) -> Channel:
        scene = self.scene
        words = np.union1d(scene.words, scene.text.rows)
        outputs = np.concatenate([draw.rows for draw in draws])
        times = draws_by_frequency(DRAWS, scene.frequencies, words)
        rng = Rng(self.seed + 3)
        return channel_of(self.mechanism, scene.X, (words, outputs), rng, times)

    @cached_property
    def logs(self) -> Floats2d:
        """float32 (m, q): the channel of the candidates."""
        return self.channel.of(self.scene.words)

    def read_by_model(self, asked: Ints2d | None = None) -> CausalReading:
        """The release, read by the causal model of the scene. asked: words that it is asked about
        at each place, int64 (t, m). Raises DxError where the attacker has none, or no language."""
        scene = self.scene
        if scene.reader is None or scene.language is None:
            raise fail("reader", "a causal model, and a language", None)
        return causal_reading(scene.text, self.reading(scene.language), scene.reader, asked)

    def reading(self, language: Language) -> Reading:
        """The release as an attacker looks at it who knows this language."""
        seen, rng = Seen(self.release.rows, self.scene.text.sentences), Rng(self.seed + 5)
        return Reading(seen, self.mechanism, self.scene.X, language, rng)

    @cached_property
    def guess_by_model(self) -> Ints1d:
        """(t,): what the causal model of the scene takes the words for."""
        return self.read_by_model().guess

    @property
    def columns(self) -> Ints1d:
        """(t,): which output each word of the text became."""
        return self.channel.columns(self.release.rows)

    @property
    def unchanged(self) -> float:
        """The share of words that came out as they went in, 0 to 1."""
        return float((self.release.rows == self.scene.text.rows).mean())


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
    nearest = guessing.nearest_guess(scene.X, scene.words, trial.release.rows)
    yield Found("nearest word", _of_text(trial, nearest == scene.text.rows), baseline)
    guesses = guessing.bayes_guess(trial.logs, scene.log_prior)[columns]
    bound = _bound(trial)
    yield Found("Bayes", _of_text(trial, guesses == scene.places), baseline, bound=bound)
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


def _bound(trial: Trial) -> float:
    """What the promise allows for words that come as often as in this text; nan if no metric."""
    mechanism = trial.mechanism
    if mechanism.guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric):
        return NAN
    words, counts = np.unique(trial.scene.text.rows, return_counts=True)
    centres = words[np.argsort(-counts, kind="stable")[:20]]
    D = mechanism.distances(centres)[:, words]
    return guessing.success_bound(D, counts / counts.sum(), mechanism.guarantee.epsilon)


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
        guesses = guessing.averaged_guess(logs, scene.log_prior, columns[some], groups)
        yield Found("averaging", share(guesses == wanted), baseline, setting=setting)
        if draw.vectors is not None:
            guesses = guessing.mean_vector_guess(scene.X, scene.words, draw.vectors[some], groups)
            yield Found(
                "mean of vectors", share(guesses == trial.probes), baseline, setting=setting
            )


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
        bound = float(guessing.told_apart(apart, trial.mechanism.guarantee.epsilon, k).mean())
        yield Found(
            "one of two",
            share(np.concatenate(right)),
            0.5,
            setting=setting,
            measure=TOLD,
            bound=bound,
        )


def _documents(trial: Trial) -> Iterator[Found]:
    """Words that a document says twice or more, with each scope."""
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
        "token": guessing.averaged_guess(trial.logs, scene.log_prior, trial.columns, groups),
        "type": guessing.bayes_guess(trial.logs, scene.log_prior)[
            trial.channel.columns(trial.release_by_type.rows[firsts])
        ],
    }
    right = {scope: (guesses == wanted)[repeated] for scope, guesses in guessed.items()}
    baseline = float((wanted == int(scene.log_prior.argmax()))[repeated].mean())
    for scope, some in right.items():
        measured = share_by_document(some, documents[repeated])
        yield Found("averaging", measured, baseline, setting=f"scope = {scope}", measure=REPEATED)


# -- is it there ---------------------------------------------------------------------------------


def _try_membership(trial: Trial) -> Iterator[Found]:
    """Whether a document holds a word. Raises DxError where all documents hold the same."""
    scene, text = trial.scene, trial.scene.text
    words, members, others = guessing.pairs_to_test(
        text.starts, text.rows, TESTED, np.random.default_rng(trial.seed)
    )
    if not len(words):
        needed = "a word that one document has and another lacks"
        raise DxError(Errors.DX090.format(name="membership", needed=needed))
    usual = guessing.background(trial.logs, scene.log_prior)
    logs, columns = trial.channel.of(words), trial.columns
    sizes = np.diff(text.starts)

    def scores(documents: Ints1d) -> Any:
        parts = (columns[text.starts[d] : text.starts[d + 1]] for d in documents.tolist())
        return np.array(
            [guessing.membership_score(L[c], usual[c]) for L, c in zip(logs, parts, strict=True)]
        )

    measures = ("AUC", guessing.auc), (TRUE, guessing.true_positives)
    found = {"likelihood ratio": (scores(members), scores(others))}
    found |= _members_by_model(trial, words, members, others)
    rare = scene.frequencies[words] < RARE
    for setting, some in {"any word": np.ones(len(words), dtype=bool), "rare words": rare}.items():
        if some.sum() < 2:
            continue
        by_size = guessing.auc(sizes[members[some]], sizes[others[some]])
        for attacker, (held, not_held) in found.items():
            for (measure, figure), baseline in zip(measures, (by_size, 0.01), strict=True):
                measured = _of_pairs(figure, held[some], not_held[some])
                yield Found(attacker, measured, baseline, setting=setting, measure=measure)


def _members_by_model(
    trial: Trial, words: Ints1d, members: Ints1d, others: Ints1d
) -> dict[str, tuple[Any, Any]]:
    """The scores of who has a causal model, by its name; of nobody, where there is none."""
    scene, starts = trial.scene, trial.scene.text.starts
    if scene.reader is None or scene.language is None:
        return {}
    pairs = np.tile(words, 2), np.concatenate([members, others])
    reading = trial.read_by_model(guessing.asked_words(starts, *pairs))
    places = [slice(a, b) for a, b in pairwise(starts.tolist())]
    found = [reading.of(w, places[d]) for w, d in zip(*(p.tolist() for p in pairs), strict=True)]
    expected = np.array([priors.mean() for _, priors in found])
    _, of_word = np.unique(pairs[0], return_inverse=True)
    usual = (np.bincount(of_word, expected) / np.bincount(of_word))[of_word]
    scores = np.array(
        [guessing.posterior_score(shares, u) for (shares, _), u in zip(found, usual, strict=True)]
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
    scores = {"rare words": guessing.rare_word_scores(outputs, originals, len(scene.X))}
    places = places_in(trial.channel.words, originals.ravel()).reshape(originals.shape)
    scores["likelihood"] = guessing.likelihood_scores(trial.channel.logs, trial.columns[at], places)
    if scene.reader is not None and scene.language is not None:
        scores[scene.reader.name] = _linked_by_model(trial, long, originals, scores["likelihood"])
    for attacker, table in scores.items():
        yield Found(
            attacker,
            share(guessing.linked(table)),
            baseline,
            setting=setting,
            measure="documents linked",
        )


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
        first = np.argsort(-alone[i], kind="stable")[: guessing.WEIGHED]
        scores[i, first] = guessing.sentence_scores(
            mechanism, outputs[part], guess[part], text.sentences[part], originals[first]
        )
    return scores


ATTACKS: dict[str, Callable[[Trial], Iterator[Found]]] = {
    "guess": _try_guess,
    "repeat": _try_repeat,
    "membership": _try_membership,
    "link": _try_link,
}
