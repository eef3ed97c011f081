"""The likeliest words of texts, by a causal model and what is known of each place: beam search,
many texts side by side.

    w = argmax product of P(w_i | w_1..w_(i-1)) exp(logs_i(w_i))
    P = (1 - share) model + share known

Every lane reads one token a step: texts do not wait for each other's long words. At the end each
place is the word for which the lanes that are left speak most.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, DxWarning, Errors, Warnings
from .model import NO_TOKEN, NOTHING, Lanes, LanguageModel, OutOfRoom, WordTokens

LOWEST = -1e30
LEAST = 1e-30


@dataclass(frozen=True, eq=False)
class Sheet:
    """One text with k places to fill. before: k strings in clear, what stands between a word and
    the one before. capital: bool (k,), words that begin with a capital. words: int64 (k, m), rows
    of a space that may stand there; logs: float64 (k, m), ln of what each weighs."""

    before: Sequence[str]
    capital: Bools1d
    words: Ints2d
    logs: Floats2d

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class Filled:
    """What was found of a Sheet. words: int64 (k,), the likeliest. shares: float64 (k, m), the
    posterior of each candidate, given what was read before it; priors, without what it weighs."""

    words: Ints1d
    shares: Floats2d
    priors: Floats2d


@dataclass(frozen=True, eq=False)
class Search:
    """How it is searched. prompt: public words on the kind of text. known: float64 (n,), how often
    each word comes, of which `share` is mixed in."""

    words: WordTokens
    known: Floats1d
    share: float = 0.02
    prompt: str = ""
    beam: int = 4
    side_by_side: int = 64  # texts

    @property
    def model(self) -> LanguageModel:
        return self.words.model

    def prompted(self) -> list[int]:
        """The tokens of the prompt. Raises DxError where it fills half of the window."""
        tokens = self.model.encode([self.prompt + "\n\n"])[0] if self.prompt else []
        most = self.model.window // 2
        if len(tokens) > most:
            raise DxError(Errors.DX151.format(tokens=len(tokens), most=most))
        return tokens


def search(sheets: Sequence[Sheet], how: Search) -> list[Filled]:
    """Fill texts. Raises DxError where the memory is too short for one of them alone."""
    prompt = how.prompted()
    found = [Filled(np.zeros(0, dtype=np.int64), one.logs, one.logs) for one in sheets]
    lengths = np.array([len(sheet) for sheet in sheets], dtype=np.int64)
    groups = list(_groups(lengths, how, len(prompt)))
    while groups:
        group = groups.pop()  # the longest first
        try:
            done = _side_by_side(sheets, group, how, prompt)
        except OutOfRoom:
            if len(group) == 1:
                raise DxError(Errors.DX152) from None
            half = len(group) // 2
            warnings.warn(Warnings.DX157.format(texts=half), DxWarning, stacklevel=2)
            groups += [group[:half], group[half:]]
            continue
        for number, one in zip(group, done, strict=True):
            found[number] = one
    return found


def _groups(lengths: Ints1d, how: Search, prompt: int) -> Iterator[list[int]]:
    """Numbers of texts that are read side by side, as many as there is room for; the longest come
    last. prompt: how many tokens it has."""
    group: list[int] = []
    for number in np.argsort(lengths, kind="stable").tolist():
        room = how.model.fits(prompt + 2 * int(lengths[number])) // how.beam
        if group and len(group) >= min(how.side_by_side, max(1, room)):
            yield group
            group = []
        if lengths[number]:
            group.append(number)
    if group:
        yield group


def _side_by_side(
    sheets: Sequence[Sheet], group: list[int], how: Search, prompt: list[int]
) -> list[Filled]:
    texts = [_Text(sheets[number], how) for number in group]
    lanes = how.model.read([prompt])
    lanes.keep(np.zeros(len(texts) * how.beam, dtype=np.int64))  # it is read once
    left = texts
    while left:
        if any(text.is_ready for text in left):
            left = _step(left, lanes, how)
            continue
        lanes.feed(np.concatenate([text.next_tokens() for text in left]))
    return [Filled(text.best(), text.shares, text.priors) for text in texts]


def _step(texts: list[_Text], lanes: Lanes, how: Search) -> list[_Text]:
    """Texts that have read all there is choose their next words; those that are left."""
    asked = [text.asked() if text.is_ready else np.zeros((how.beam, 1), int) for text in texts]
    most = max(some.shape[1] for some in asked)
    tokens = np.concatenate([np.pad(some, ((0, 0), (0, most - some.shape[1]))) for some in asked])
    logs = lanes.logs(np.maximum(tokens, 0))
    order = []
    left = []
    for number, text in enumerate(texts):
        lane = number * how.beam
        own = np.arange(how.beam)
        if text.is_ready:
            own = text.choose(logs[lane : lane + how.beam, : text.asked().shape[1]])
        if not text.is_done:
            order.append(lane + own)
            left.append(text)
    if left:
        kept = np.concatenate(order)
        if len(kept) < len(logs) or (kept != np.arange(len(kept))).any():
            lanes.keep(kept)
    return left


class _Text:
    """A text in the making: `beam` ways to fill what was met so far."""

    def __init__(self, sheet: Sheet, how: Search) -> None:
        self.sheet, self.how, self.place = sheet, how, 0
        self.scores = np.full(how.beam, -np.inf)
        self.scores[0] = 0
        self.ways = np.zeros((how.beam, len(sheet)), dtype=np.int64)
        self.shares, self.priors = np.zeros(sheet.logs.shape), np.zeros(sheet.logs.shape)
        self._tokens: Ints2d | None = None
        self._queues: list[list[int]] = [[] for _ in range(how.beam)]
        self._lead()

    @property
    def is_done(self) -> bool:
        return self.place == len(self.sheet)

    @property
    def is_ready(self) -> bool:
        return not self.is_done and not any(self._queues)

    @property
    def _form(self) -> dict[str, bool]:
        """How the next word is written: after a blank, with a capital."""
        blank = self.sheet.before[self.place][-1:].isspace()
        return {"blank": blank, "capital": bool(self.sheet.capital[self.place])}

    def _lead(self) -> None:
        """What stands in clear before the next word is to be read, but for its blank."""
        self._tokens = None
        clear = self.sheet.before[self.place].removesuffix(" ")
        if clear.strip():
            tokens = self.how.model.encode([clear])[0]
            self._queues = [queue + tokens for queue in self._queues]

    def next_tokens(self) -> Ints1d:
        """int64 (beam,): what each way reads next."""
        return np.array([q.pop(0) if q else NOTHING for q in self._queues], dtype=np.int64)

    def asked(self) -> Ints2d:
        """int64 (beam, m): the first token of each word that may stand here."""
        if self._tokens is None:
            first = self.how.words.first_of(self.sheet.words[self.place], **self._form)
            self._tokens = np.tile(first, (self.how.beam, 1))
        return self._tokens

    def choose(self, logs: Floats2d) -> Ints1d:
        """logs: (beam, m), of the model. int64 (beam,): which way each way goes on from."""
        how, words = self.how, self.sheet.words[self.place]
        said = np.where(self.asked() == NO_TOKEN, LOWEST, logs + how.words.within[words])
        p = (1 - how.share) * np.exp(said) + how.share * how.known[words]
        total = self.scores[:, None] + np.log(p + LEAST) + self.sheet.logs[self.place]
        lanes = np.exp(self.scores - self.scores.max())
        self.priors[self.place] = lanes @ p / lanes.sum()
        weights = np.exp(total - total.max()).sum(axis=0)
        self.shares[self.place] = weights / weights.sum()
        best = np.argsort(-total, axis=None, kind="stable")[: how.beam]
        best = np.resize(best, how.beam)
        came, which = np.divmod(best, len(words))
        self.scores = total.ravel()[best]
        self.scores[total.size :] = -np.inf  # fewer words than ways
        self.ways = self.ways[came]
        self.ways[:, self.place] = words[which]
        form = self._form
        self._queues = [list(how.words.tokens(row, **form)) for row in words[which].tolist()]
        self.place += 1
        if not self.is_done:
            self._lead()
        return came

    def best(self) -> Ints1d:
        """int64 (k,): for each place the word with the largest weight of all ways."""
        weights = np.exp(self.scores - self.scores.max())
        found = np.empty(len(self.sheet), dtype=np.int64)
        for place, column in enumerate(self.ways.T):
            words, of_way = np.unique(column, return_inverse=True)
            found[place] = words[np.bincount(of_way, weights).argmax()]
        return found
