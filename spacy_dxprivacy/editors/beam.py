"""The likeliest words of texts under a causal model and emission likelihoods, by beam search.

    w = argmax product of P(w_i | w_1..w_(i-1)) exp(logs_i(w_i))
    P = (1 - share) model + share known

Many texts are searched in parallel. Every lane reads one token a step, so texts do not wait for
each other's long words. At the end each place takes the word with the largest weight in the beam.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, DxWarning, Errors, Warnings
from .model import NO_TOKEN, NOTHING, Lanes, LanguageModel, OutOfRoom, WordTokens


@dataclass(frozen=True, eq=False)
class Sheet:
    """One text with k places to fill. before: k strings, the plaintext before each word. capital:
    bool (k,), words that begin with a capital. words: int64 (k, m), candidate rows of a space;
    logs: float64 (k, m), their emission log-likelihoods."""

    before: Sequence[str]
    capital: Bools1d
    words: Ints2d
    logs: Floats2d

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class Search:
    """Settings of a search. prompt: public words on the kind of text. known: float64 (n,), public
    frequencies, mixed in by `share`."""

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
        """Return the tokens of the prompt; raise DxError where it fills half of the window."""
        tokens = self.model.encode([self.prompt + "\n\n"])[0] if self.prompt else []
        most = self.model.window // 2
        if len(tokens) > most:
            raise DxError(Errors.DX151.format(tokens=len(tokens), most=most))
        return tokens


def search(sheets: Sequence[Sheet], how: Search) -> list[Ints1d]:
    """Fill texts; raise DxError where the memory is too short for one of them alone."""
    prompt = how.prompted()
    found = [np.zeros(0, dtype=np.int64) for _ in sheets]
    lengths = np.array([len(sheet) for sheet in sheets], dtype=np.int64)
    groups = list(_groups(lengths, how, len(prompt)))
    while groups:
        group = groups.pop()  # the longest first
        try:
            filled = _in_parallel(sheets, group, how, prompt)
        except OutOfRoom:
            if len(group) == 1:
                raise DxError(Errors.DX152) from None
            half = len(group) // 2
            warnings.warn(Warnings.DX157.format(texts=half), DxWarning, stacklevel=2)
            groups += [group[:half], group[half:]]
            continue
        for number, one in zip(group, filled, strict=True):
            found[number] = one
    return found


def _groups(lengths: Ints1d, how: Search, prompt: int) -> Iterator[list[int]]:
    """Yield the numbers of texts that fit into memory together, the longest last."""
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


def _in_parallel(
    sheets: Sequence[Sheet], group: list[int], how: Search, prompt: list[int]
) -> list[Ints1d]:
    texts = [_Text(sheets[number], how) for number in group]
    lanes = how.model.read([prompt])
    lanes.keep(np.zeros(len(texts) * how.beam, dtype=np.int64))  # the prompt is read once
    left = texts
    while left:
        if any(text.is_ready for text in left):
            left = _step(left, lanes, how)
        else:
            queues = [queue for text in left for queue in text.queues]
            tokens = [queue.pop(0) if queue else NOTHING for queue in queues]
            lanes.feed(np.array(tokens, dtype=np.int64))
    return [text.best() for text in texts]


def _step(texts: list[_Text], lanes: Lanes, how: Search) -> list[_Text]:
    """Choose the next words of texts whose queues are read; return the texts that are not done."""
    asked = [text.asked() if text.is_ready else np.zeros((how.beam, 1), int) for text in texts]
    width = max(some.shape[1] for some in asked)
    tokens = np.concatenate([np.pad(some, ((0, 0), (0, width - some.shape[1]))) for some in asked])
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
    """A text that is being filled: its beam, and the tokens that each path has yet to read."""

    def __init__(self, sheet: Sheet, how: Search) -> None:
        self.sheet, self.how, self.place = sheet, how, 0
        self.scores = np.full(how.beam, -np.inf)
        self.scores[0] = 0
        self.paths = np.zeros((how.beam, len(sheet)), dtype=np.int64)
        self._tokens: Ints2d | None = None
        self.queues: list[list[int]] = [[] for _ in range(how.beam)]
        self._queue_plaintext()

    @property
    def is_done(self) -> bool:
        return self.place == len(self.sheet)

    @property
    def is_ready(self) -> bool:
        return not self.is_done and not any(self.queues)

    @property
    def _form(self) -> dict[str, bool]:
        blank = self.sheet.before[self.place][-1:].isspace()
        return {"blank": blank, "capital": bool(self.sheet.capital[self.place])}

    def _queue_plaintext(self) -> None:
        """Queue the plaintext before the next word, without its last blank."""
        self._tokens = None
        plaintext = self.sheet.before[self.place].removesuffix(" ")
        if plaintext.strip():
            tokens = self.how.model.encode([plaintext])[0]
            self.queues = [queue + tokens for queue in self.queues]

    def asked(self) -> Ints2d:
        """Return the first token of each candidate, int64 (beam, m)."""
        if self._tokens is None:
            first = self.how.words.first_of(self.sheet.words[self.place], **self._form)
            self._tokens = np.tile(first, (self.how.beam, 1))
        return self._tokens

    def choose(self, logs: Floats2d) -> Ints1d:
        """Extend the beam by logs (beam, m) of the model; return each path's parent, (beam,)."""
        how, words = self.how, self.sheet.words[self.place]
        logits = np.where(self.asked() == NO_TOKEN, -1e30, logs + how.words.within[words])
        p = (1 - how.share) * np.exp(logits) + how.share * how.known[words]
        total = self.scores[:, None] + np.log(p + 1e-30) + self.sheet.logs[self.place]
        best = np.argsort(-total, axis=None, kind="stable")[: how.beam]
        best = np.resize(best, how.beam)
        came, which = np.divmod(best, len(words))
        self.scores = total.ravel()[best]
        self.scores[total.size :] = -np.inf  # fewer words than paths
        self.paths = self.paths[came]
        self.paths[:, self.place] = words[which]
        form = self._form
        self.queues = [list(how.words.tokens(row, **form)) for row in words[which].tolist()]
        self.place += 1
        if not self.is_done:
            self._queue_plaintext()
        return came

    def best(self) -> Ints1d:
        """Return for each place the word with the largest weight in the beam, int64 (k,)."""
        weights = np.exp(self.scores - self.scores.max())
        likeliest = np.empty(len(self.sheet), dtype=np.int64)
        for place, column in enumerate(self.paths.T):
            words, of_path = np.unique(column, return_inverse=True)
            likeliest[place] = words[np.bincount(of_path, weights).argmax()]
        return likeliest
