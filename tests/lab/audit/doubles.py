"""Mechanisms that promise what they do not keep, as black boxes: published or likely mistakes."""

from dataclasses import replace
from functools import partial

import numpy as np
from mechanisms.found import made

from spacy_dxprivacy import Draw, Guarantee, Rng
from spacy_dxprivacy.arrays import blocks
from spacy_dxprivacy.privacy.noise import laplace_noise
from spacy_dxprivacy.space.search.exact import euclidean, neighbours

EPSILON = 2.0
METRIC = Guarantee("metric-dp", EPSILON, metric="euclidean", covers="all", status="claimed")


class Double:
    """Laplace noise and the nearest word, until a subclass changes something. vectors: noisy ones
    are released as well."""

    name = "test.Audited.v1"

    def __init__(self, epsilon=EPSILON, *, vectors=False):
        self.epsilon, self.vectors = epsilon, vectors
        self.guarantee = replace(METRIC, epsilon=epsilon)

    def fit(self, space):
        self.X = space.vectors.astype(np.float64)
        return self

    def noise(self, rows, rng):
        return laplace_noise(len(rows), self.X.shape[1], rng, epsilon=self.epsilon)

    def nearest(self, Z):
        """int64 (k,): of the largest x z - |x|^2 / 2, a product for some words at a time."""
        half, size = np.square(self.X).sum(axis=1) / 2, max(1, 2**21 // len(self.X))
        parts = [(Z[p] @ self.X.T - half).argmax(axis=1) for p in blocks(len(Z), size)]
        return np.concatenate([np.empty(0, dtype=np.int64), *parts])

    def sample(self, rows, rng):
        Z = (self.X[rows] + self.noise(rows, rng)).astype(np.float32)
        return Draw(self.nearest(Z), Z if self.vectors else None)


class Unrounded(Double):
    """Releases float64 vectors as they come."""

    def sample(self, rows, rng):
        Z = self.X[rows] + self.noise(rows, rng)
        return Draw(self.nearest(Z), Z)


class GammaOne(Double):
    """Takes the radius from Gamma(1, 1/epsilon) in any dimension."""

    def noise(self, rows, rng):
        G = rng.normal((len(rows), self.X.shape[1]))
        r = rng.gamma(1.0, 1 / self.epsilon, len(rows))
        return r[:, None] * G / np.linalg.norm(G, axis=1, keepdims=True)


class SeededPerWord(Double):
    """The noise of a word is a public function of the word."""

    def noise(self, rows, rng):
        words, which = np.unique(rows, return_inverse=True)
        parts = [super(SeededPerWord, self).noise([w], Rng(seed=int(w))) for w in words]
        return np.concatenate(parts)[which]


class SeededPerCall(Double):
    """Every call begins with the same seed."""

    def sample(self, rows, rng):
        return super().sample(rows, Rng(seed=42))


class TooLittle(Double):
    """A third of the noise."""

    def noise(self, rows, rng):
        return super().noise(rows, rng) / 3


class VickreyWithoutInput(Double):
    """The second price rule among all words but the one that went in."""

    def sample(self, rows, rng):
        Z = self.X[rows] + self.noise(rows, rng)
        near, D = neighbours(Z, self.X, 3)
        own = near == rows[:, None]
        order = np.argsort(own, axis=1, kind="stable")[:, :2]
        near, D = np.take_along_axis(near, order, axis=1), np.take_along_axis(D, order, axis=1)
        p = 0.25 * D[:, 1] / (0.75 * D[:, 0] + 0.25 * D[:, 1])
        return Draw(np.where(rng.uniform(len(rows)) < p, near[:, 0], near[:, 1]))


class NeverOne(Double):
    """The exponential mechanism, but that one word never gives one of the outputs."""

    def weights(self, word):
        W = np.exp(-self.epsilon / 2 * euclidean(self.X, np.array([word]))[0])
        W[5] *= word != 2
        return W

    def sample(self, rows, rng):
        drawn = np.empty(len(rows), dtype=np.int64)
        for word in np.unique(rows):
            cumulative = np.cumsum(self.weights(int(word)))
            places = np.flatnonzero(rows == word)
            marks = rng.uniform(len(places)) * cumulative[-1]
            drawn[places] = np.searchsorted(cumulative, marks, side="right")
        return Draw(drawn)


class ExcludesInput(NeverOne):
    """The exponential mechanism over all words but the one that went in."""

    def weights(self, word):
        W = np.exp(-self.epsilon / 2 * euclidean(self.X, np.array([word]))[0])
        W[word] = 0
        return W


class StatedWrong(ExcludesInput):
    """States the probabilities of another mechanism."""

    def distribution(self, rows):
        W = np.exp(-self.epsilon / 2 * euclidean(self.X, np.asarray(rows)))
        return W / W.sum(axis=1, keepdims=True)


class Antithetic(Double):
    """The noise of every second word is that of the one before, with its sign turned."""

    def noise(self, rows, rng):
        noise = np.repeat(super().noise(rows[::2], rng), 2, axis=0)[: len(rows)]
        noise[1::2] *= -1
        return noise


class SharedLast(Double):
    """The last coordinate of the noise is drawn once for all words of a call."""

    def noise(self, rows, rng):
        noise = super().noise(rows, rng)
        noise[:, -1] = noise[:1, -1]
        return noise


class Beyond:
    """NADP, which promises for all pairs what it holds for some."""

    name = "test.Beyond.v1"

    def __init__(self):
        self.inner = made("dx.NADP.v1", epsilon=EPSILON, noise="paper")
        self.sample = self.inner.sample

    @property
    def guarantee(self):
        return replace(self.inner.guarantee, adjacency="", covers="all")

    def fit(self, space):
        self.inner.fit(space)
        return self


as_published = partial(made, "dx.TruncatedLaplace.v1", calibration="paper")
LIARS = {
    "truncated Laplace .05": partial(as_published, epsilon=0.05),
    "truncated Laplace .5": partial(as_published, epsilon=0.5),
    "truncated Laplace 1": partial(as_published, epsilon=1.0),
    "unrounded vectors": Unrounded,
    "exponential without the input": ExcludesInput,
    "radius of Gamma(1)": partial(GammaOne, vectors=True),
    "noise seeded per word": partial(SeededPerWord, vectors=True),
    "noise seeded per call": SeededPerCall,
    "NADP beyond its relation": Beyond,
    "Vickrey without the input": VickreyWithoutInput,
    "a third of the noise": TooLittle,
    "other probabilities than stated": StatedWrong,
    "antithetic noise": partial(Antithetic, vectors=True),
    "antithetic noise, words": Antithetic,
    "last coordinate shared by the words of a call": partial(SharedLast, vectors=True),
    "an output that one word never gives": NeverOne,
}
