"""A causal model of a known distribution: tokens are words of a small space."""

import numpy as np

from spacy_dxprivacy.lab.causal import WAIT

STOP, BEGIN = 0, 1
OTHERS = 2  # tokens before those of the words


class FakeModel:
    """Words w0, w1, ...; every mark is STOP. T: (n, n), P(after | before); first: (n,), at the
    beginning and after STOP."""

    window = 64

    def __init__(self, T, first, name="fake"):
        self.name = name
        n = len(first)
        P = np.zeros((n + OTHERS, n + OTHERS))
        P[OTHERS:, OTHERS:] = T
        P[:OTHERS, OTHERS:] = first
        with np.errstate(divide="ignore"):
            self.logs = np.log(P)

    def encode(self, texts):
        return [[self._token(part) for part in text.replace(".", " . ").split()] for text in texts]

    def _token(self, part):
        part = part.lower()
        return OTHERS + int(part[1:]) if part[:1] == "w" and part[1:].isdigit() else STOP

    def fits(self, tokens):
        return 1000

    def read(self, prompts):
        return FakeLanes(self, [([BEGIN, *prompt])[-1] for prompt in prompts])

    def nats(self, texts):
        found = []
        for text in texts:
            pairs = zip([BEGIN, *text], text, strict=False)
            found.append(-sum(self.logs[a, b] for a, b in pairs if b >= OTHERS))
        return np.array(found)


class FakeLanes:
    def __init__(self, model, last):
        self.model, self.last = model, np.array(last)

    def feed(self, tokens):
        self.last = np.where(tokens == WAIT, self.last, tokens)

    def logs(self, tokens):
        return np.take_along_axis(self.model.logs[self.last], tokens, axis=1)

    def keep(self, order):
        self.last = self.last[order]


def small_law(n, seed=3):
    rng = np.random.default_rng(seed)
    T = rng.random((n, n)) ** 4 + 0.002
    first = rng.random(n) + 0.05
    return T / T.sum(axis=1, keepdims=True), first / first.sum()
